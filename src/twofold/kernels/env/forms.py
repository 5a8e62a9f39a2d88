"""Boards as observations, moves as rewards, legal moves as masks."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types

from twofold.kernels._jit import kernel
from twofold.kernels.env.words import BITS_FORM, EXPONENTS, MERGED_EXPONENTS, ONEHOT, POINTS
from twofold.kernels.intrinsics import U8_POINTER, i64_at, intrinsic, u8_at, u64_at
from twofold.kernels.rules.bits import shift_of

_LOW_NIBBLES: Final = np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTE_SUM: Final = np.uint64(0x0101010101010101)
_SPREAD: Final = np.uint64(0x00204081)
_SPREAD_KEEP: Final = np.uint64(0x01010101)
_GATHER: Final = np.uint64(0x01020408)
_15: Final = np.uint64(15)
_0: Final = np.uint64(0)
_4: Final = np.uint64(4)
_24: Final = np.uint64(24)
_56: Final = np.uint64(56)


def _nibbles(builder: Any, bits: Any) -> Any:
    """The 16 cells of a 64-bit board, row by row, as a vector of bytes (little-endian words)."""
    byte = ir.IntType(8)
    eight = ir.VectorType(byte, 8)
    pairs = builder.bitcast(bits, eight)
    high = builder.lshr(pairs, eight([4] * 8))
    low = builder.and_(pairs, eight([15] * 8))
    picks = [7 - cell // 2 + 8 * (cell % 2) for cell in range(16)]
    return builder.shuffle_vector(high, low, ir.VectorType(ir.IntType(32), 16)(picks))


def _store(builder: Any, values: Any, target: Any, offset: int = 0) -> None:
    """Write a vector at `offset` bytes past a pointer to bytes, with any alignment."""
    place = builder.gep(target, [ir.IntType(64)(offset)])
    builder.store(values, builder.bitcast(place, values.type.as_pointer()), align=1)


def _store_board(form: Callable[[Any, Any, Any], None], doc: str) -> Any:
    """An intrinsic (target: bytes, bits) that writes a 4x4 board in some form."""

    @intrinsic
    def store(typingctx: Any, target: Any, bits: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            form(builder, args[0], _nibbles(builder, args[1]))
            return context.get_dummy_value()

        return types.void(U8_POINTER, types.uint64), codegen

    store.__doc__ = doc
    return store


def _as_planes(builder: Any, target: Any, cells: Any) -> None:
    for plane in range(16):
        held = builder.icmp_unsigned("==", cells, cells.type([plane] * 16))
        _store(builder, builder.zext(held, cells.type), target, 16 * plane)


def _as_tiles(builder: Any, target: Any, cells: Any) -> None:
    wide = ir.VectorType(ir.IntType(64), 16)
    tiles = builder.shl(wide([1] * 16), builder.zext(cells, wide))
    _store(builder, builder.and_(tiles, wide([~1] * 16)), target)


store_exponents = _store_board(
    lambda builder, target, cells: _store(builder, cells, target),
    "Write the exponents of a 4x4 board, 16 bytes.",
)
store_planes = _store_board(_as_planes, "Write the planes 0 to 15 of a 4x4 board, 16 bytes each.")
store_tiles = _store_board(_as_tiles, "Write the tiles of a 4x4 board, 16 int64.")


@kernel("uint64(int64)")
def spread_mask(legal):
    """4 bits as 4 bytes of 0 or 1, bit 0 in the lowest byte."""
    return (np.uint64(legal) * _SPREAD) & _SPREAD_KEEP


@kernel("int64(uint64)")
def gather_mask(spread):
    """The inverse of `spread_mask`."""
    return np.int64(((spread * _GATHER) >> _24) & _15)


@kernel("int64(uint64)")
def sum_of_exponents(bits):
    """The sum of the 16 exponents of a board, at most 240."""
    pairs = (bits & _LOW_NIBBLES) + ((bits >> _4) & _LOW_NIBBLES)
    return np.int64((pairs * _BYTE_SUM) >> _56)


@kernel("int64(uint64, uint64, int64)")
def exponents_made(before, after, merges):
    """The sum of the exponents of the tiles that a slide made.

    A merge turns two exponents e into e + 1, so the sum over the board falls by e - 1.
    """
    return sum_of_exponents(before) - sum_of_exponents(after) + 2 * merges


@kernel(types.int64(U8_POINTER, U8_POINTER, types.int64))
def exponents_made_on_cells(before, after, count):
    """`exponents_made` on cells."""
    made = 0
    for cell in range(count):
        made += np.int64(before[cell]) - np.int64(after[cell])
        made += 2 * (np.int64(after[cell] == 0) - np.int64(before[cell] == 0))
    return made


@kernel(types.void(types.int64, types.int64, types.int64, types.int64, types.uint64))
def observe_cell(form, cell, count, exponent, address):
    """Write one cell into an observation that is 0 there."""
    if form == EXPONENTS:
        u8_at(address)[cell] = np.uint8(exponent)
    elif form == ONEHOT:
        u8_at(address)[exponent * count + cell] = np.uint8(1)
    else:
        i64_at(address)[cell] = (np.int64(1) << exponent) & ~np.int64(1)


@kernel(types.void(types.int64, types.int64, types.int64, types.uint64))
def clear_planes(form, first, last, address):
    """Set an observation of planes to 0 from one byte on, up to another."""
    if form == ONEHOT:
        planes = u8_at(address)
        for place in range(first, last):
            planes[place] = np.uint8(0)


@kernel(types.void(types.int64, types.int64, types.uint64, types.int64, types.int64, types.uint64))
def observe_bits(form, planes, bits, rows, cols, address):
    """Write the observation of a board on bits to an address."""
    if form == BITS_FORM:
        u64_at(address)[0] = bits
    elif rows == 4 and cols == 4:
        if form == EXPONENTS:
            store_exponents(u8_at(address), bits)
        elif form == ONEHOT:
            store_planes(u8_at(address), bits)
            clear_planes(form, 16 * 16, 16 * planes, address)
        else:
            store_tiles(u8_at(address), bits)
    else:
        clear_planes(form, 0, planes * rows * cols, address)
        for row in range(rows):
            for col in range(cols):
                exponent = np.int64((bits >> shift_of(row, col)) & _15)
                observe_cell(form, row * cols + col, rows * cols, exponent, address)


@kernel(types.void(types.int64, types.int64, U8_POINTER, types.int64, types.int64, types.uint64))
def observe_cells(form, planes, cells, rows, cols, address):
    """Write the observation of a board on cells to an address."""
    if form == BITS_FORM:
        bits = _0
        for row in range(rows):
            for col in range(cols):
                exponent = np.uint64(min(np.int64(cells[row * cols + col]), 15))
                bits |= exponent << shift_of(row, col)
        u64_at(address)[0] = bits
    elif form == EXPONENTS:
        exponents = u8_at(address)
        for cell in range(rows * cols):
            exponents[cell] = cells[cell]
    else:
        clear_planes(form, 0, planes * rows * cols, address)
        for cell in range(rows * cols):
            observe_cell(form, cell, rows * cols, np.int64(cells[cell]), address)


@kernel(types.float64(types.int64, types.int64, types.int64, types.boolean))
def reward_value(form, points, exponents, made_goal):
    """The reward of a move in a form."""
    if form == POINTS:
        return np.float64(points)
    if form == MERGED_EXPONENTS:
        return np.float64(exponents)
    return np.float64(1.0 if made_goal else 0.0)
