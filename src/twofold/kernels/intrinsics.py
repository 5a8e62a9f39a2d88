"""Machine instructions and raw pointers for kernels.

Raw pointers replace arrays in recursive kernels; the caller keeps the array alive, and loads and
stores do not check bounds. Numba frees an array that a kernel made once its name is used no more:
in `read(pointer(array))` before `read` begins. So kernels take small space from the stack.
Each special instruction has a plain path for other processors, which `TWOFOLD_PLAIN=1` forces;
tests compare both.
"""

from typing import Any, Final

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic as numba_intrinsic

from twofold.kernels._jit import has_feature, kernel

F32_POINTER: Final = types.CPointer(types.float32)
F64_POINTER: Final = types.CPointer(types.float64)
I32_POINTER: Final = types.CPointer(types.int32)
I64_POINTER: Final = types.CPointer(types.int64)
U64_POINTER: Final = types.CPointer(types.uint64)
U8_POINTER: Final = types.CPointer(types.uint8)
U16_POINTER: Final = types.CPointer(types.uint16)

EVALUATOR: Final = types.float64(types.uint64, types.int64, F32_POINTER)
"""An evaluator: (bits, score, params) -> value."""

CELLS_EVALUATOR: Final = types.float64(
    U8_POINTER, types.int64, types.int64, types.int64, F32_POINTER
)
"""An evaluator on cells: (cells, rows, cols, score, params) -> value."""

POLICY: Final = types.int64(types.uint64, types.int64, types.int64, types.uint64, U64_POINTER)
"""A player on bits: (bits, legal moves as 4 bits, score, draw, context) -> move."""

LAYER: Final = types.float64(types.uint64, types.int64, types.int64, types.int64, U64_POINTER)
"""The lowest layer of a search: (afterstate, score, first tile, end, context) -> value."""

CELLS_POLICY: Final = types.int64(
    U8_POINTER, types.int64, types.int64, types.int64, types.int64, types.uint64
)
"""A player on cells: (cells, rows, cols, legal moves as 4 bits, score, draw) -> move."""

RULE: Final = types.void(I64_POINTER, types.int64, types.float64, F32_POINTER, F32_POINTER)
"""A learning rule: (places, count, step, weights, memory)."""

DECAY: Final = types.float64(types.int64)
"""A schedule of step sizes: (updates so far) -> factor of the learning rate."""

_PDEP: Final = has_feature("bmi2") and llvm.get_host_cpu_name() not in ("znver1", "znver2")


def intrinsic(function: Any) -> Any:
    """Numba's decorator without types, since its results are called with machine values."""
    return numba_intrinsic(function)


@intrinsic
def pointer(typingctx: Any, array: Any) -> Any:
    """Pointer to the first element of a contiguous array."""
    signature = types.CPointer(array.dtype)(array)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, args[0]).data

    return signature, codegen


def _space(target: Any) -> Any:
    @intrinsic
    def space(typingctx: Any, count: Any) -> Any:
        if not isinstance(count, types.IntegerLiteral):
            return None
        size = ir.Constant(ir.IntType(32), count.literal_value)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return cgutils.alloca_once(builder, context.get_data_type(target.dtype), size)

        return target(count), codegen

    return space


f32_space = _space(F32_POINTER)
i64_space = _space(I64_POINTER)
u8_space = _space(U8_POINTER)
"""Pointers to a literal number of elements on the stack, for as long as the kernel runs."""


def _pointer_cast(target: Any) -> Any:
    @intrinsic
    def cast(typingctx: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

        return target(types.uint64), codegen

    return cast


f32_at = _pointer_cast(F32_POINTER)
f64_at = _pointer_cast(F64_POINTER)
i32_at = _pointer_cast(I32_POINTER)
i64_at = _pointer_cast(I64_POINTER)
u64_at = _pointer_cast(U64_POINTER)
u8_at = _pointer_cast(U8_POINTER)
u16_at = _pointer_cast(U16_POINTER)


def _same_bits(signature: Any, doc: str) -> Any:
    """An intrinsic that reads the bits of its argument as another type."""

    @intrinsic
    def read(typingctx: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.bitcast(args[0], context.get_value_type(signature.return_type))

        return signature, codegen

    read.__doc__ = doc
    return read


as_f64 = _same_bits(types.float64(types.uint64), "The float64 whose bits are these 64.")
as_u64 = _same_bits(types.uint64(types.float64), "The 64 bits of a float64.")
f64_pointer = _same_bits(
    F64_POINTER(F32_POINTER), "Parameters declared as float32, read as the float64 that they hold."
)
u64_pointer = _same_bits(
    U64_POINTER(F32_POINTER), "Parameters declared as float32, read as the words that they hold."
)
as_signed = _same_bits(I64_POINTER(U64_POINTER), "Words, read as signed numbers.")


@intrinsic
def popcount(typingctx: Any, word: Any) -> Any:
    """Number of set bits, as int64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@intrinsic
def trailing_zeros(typingctx: Any, word: Any) -> Any:
    """Number of zero bits below the lowest set bit, as int64; 64 for 0."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], cgutils.false_bit)

    return types.int64(types.uint64), codegen


@intrinsic
def high_product(typingctx: Any, left: Any, right: Any) -> Any:
    """The high 64 bits of the product of two words."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        return builder.trunc(builder.lshr(product, wide(64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), codegen


def _prefetcher(kind: Any) -> Any:
    @intrinsic
    def prefetch(typingctx: Any, base: Any, index: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            flag, byte = ir.IntType(32), ir.IntType(8).as_pointer()
            address = builder.bitcast(builder.gep(args[0], [args[1]]), byte)
            shape = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
            function = cgutils.get_or_insert_function(builder.module, shape, "llvm.prefetch.p0i8")
            builder.call(function, [address, flag(0), flag(3), flag(1)])  # read, keep, data
            return context.get_dummy_value()

        return types.void(kind, types.int64), codegen

    prefetch.__doc__ = "Prefetch the cache line of base[index]."
    return prefetch


prefetch = _prefetcher(U64_POINTER)
prefetch_f32 = _prefetcher(F32_POINTER)


def _offset(kind: Any) -> Any:
    @intrinsic
    def offset(typingctx: Any, base: Any, index: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.gep(args[0], [args[1]])

        return kind(kind, types.int64), codegen

    offset.__doc__ = "The pointer moved by `index` elements."
    return offset


u64_offset = _offset(U64_POINTER)
i64_offset = _offset(I64_POINTER)
f32_offset = _offset(F32_POINTER)


@intrinsic
def take_number(typingctx: Any, counter: Any) -> Any:
    """Atomic fetch-and-add of 1 at a pointer: no two threads get the same number (int64)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", args[0], ir.IntType(64)(1), "monotonic")

    return types.int64(U64_POINTER), codegen


@intrinsic
def swap_if(typingctx: Any, place: Any, expected: Any, word: Any) -> Any:
    """Atomic compare-and-swap: store `word` if `expected` is there; returns the old word."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.extract_value(
            builder.cmpxchg(args[0], args[1], args[2], "monotonic", "monotonic"), 0
        )

    return types.uint64(U64_POINTER, types.uint64, types.uint64), codegen


@intrinsic
def neighbour_spread(typingctx: Any, bits: Any) -> Any:
    """Sum over the tiles of their mean difference from their neighbours, as int64.

    For each tile: the absolute differences from the tiles in the eight cells around it, summed,
    divided by their number plus one, rounded down. Vector code for all 16 cells at once.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word, lane, number = ir.IntType(64), ir.IntType(32), ir.FloatType()
        words, lanes, numbers = (ir.VectorType(kind, 16) for kind in (word, lane, number))
        zeros, ones = lanes([0] * 16), lanes([1] * 16)

        first = builder.insert_element(ir.Constant(words, ir.Undefined), args[0], lane(0))
        copies = builder.shuffle_vector(first, ir.Constant(words, ir.Undefined), zeros)
        nibbles = builder.lshr(copies, words([60 - 4 * cell for cell in range(16)]))
        exponents = builder.trunc(builder.and_(nibbles, words([15] * 16)), lanes)
        tiles = builder.and_(builder.shl(ones, exponents), lanes([~1] * 16))

        name = "llvm.abs.v16i32"
        absolute = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(lanes, [lanes, ir.IntType(1)]), name
        )
        total, count = zeros, ones
        for row_step in (-1, 0, 1):
            for col_step in (-1, 0, 1):
                if row_step == col_step == 0:
                    continue
                picks = [_neighbour(cell, row_step, col_step) for cell in range(16)]
                others = builder.shuffle_vector(tiles, zeros, lanes(picks))
                present = builder.icmp_signed("!=", others, zeros)
                gap = builder.call(absolute, [builder.sub(tiles, others), cgutils.false_bit])
                total = builder.add(total, builder.select(present, gap, zeros))
                count = builder.add(count, builder.zext(present, lanes))
        # Exact: totals are below 2^18, so a quotient that is not whole is at least 1/9 from the
        # next whole number, far more than the rounding error of the division.
        means = builder.fptosi(
            builder.fdiv(builder.uitofp(total, numbers), builder.uitofp(count, numbers)), lanes
        )
        means = builder.select(builder.icmp_signed("!=", tiles, zeros), means, zeros)
        add = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(lane, [lanes]), "llvm.vector.reduce.add.v16i32"
        )
        return builder.sext(builder.call(add, [means]), word)

    return types.int64(types.uint64), codegen


def _neighbour(cell: int, row_step: int, col_step: int) -> int:
    """The cell one step away, or 16 (an empty cell) beyond the frame."""
    row, col = cell // 4 + row_step, cell % 4 + col_step
    return 4 * row + col if 0 <= row < 4 and 0 <= col < 4 else 16


def _bmi2(name: str) -> Any:
    """An instruction of BMI2 on a word and a mask."""

    @intrinsic
    def instruction(typingctx: Any, source: Any, mask: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            function = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(word, [word, word]), f"llvm.x86.bmi.{name}.64"
            )
            return builder.call(function, args)

        return types.uint64(types.uint64, types.uint64), codegen

    return instruction


_pdep = _bmi2("pdep")
_pext = _bmi2("pext")


if _PDEP:

    @kernel("uint64(uint64, uint64)")
    def gather_nibbles(bits, mask):
        """The nibbles under a mask of whole nibbles, side by side from the lowest bit."""
        return _pext(bits, mask)

    @kernel("uint64(uint64, int64)")
    def nth_set_bit(mask, n):
        """The n-th lowest set bit of a mask, alone in its word; n counts from 0."""
        return _pdep(np.uint64(1) << np.uint64(n), mask)

    @kernel("uint64(uint64)")
    def spread_nibbles(row):
        """The four nibbles of 16 bits, each in the lowest bits of 16."""
        return _pdep(row, np.uint64(0x000F000F000F000F))

else:

    @kernel("uint64(uint64, uint64)")
    def gather_nibbles(bits, mask):
        """The nibbles under a mask of whole nibbles, side by side from the lowest bit."""
        found = np.uint64(0)
        place = np.uint64(0)
        while mask:
            shift = np.uint64(trailing_zeros(mask))
            found |= ((bits >> shift) & np.uint64(15)) << place
            mask &= ~(np.uint64(15) << shift)
            place += np.uint64(4)
        return found

    @kernel("uint64(uint64, int64)")
    def nth_set_bit(mask, n):
        """The n-th lowest set bit of a mask, alone in its word; n counts from 0."""
        for _ in range(n):
            mask &= mask - np.uint64(1)
        return mask & (~mask + np.uint64(1))

    @kernel("uint64(uint64)")
    def spread_nibbles(row):
        """The four nibbles of 16 bits, each in the lowest bits of 16."""
        row = (row | (row << np.uint64(24))) & np.uint64(0x000000FF000000FF)
        return (row | (row << np.uint64(12))) & np.uint64(0x000F000F000F000F)


def _caller(target: Any) -> Any:
    """An intrinsic that calls a kernel of a signature by its address: (address, arguments)."""

    @intrinsic
    def call(typingctx: Any, address: Any, arguments: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            function_type = ir.FunctionType(
                context.get_value_type(target.return_type),
                [context.get_value_type(kind) for kind in target.args],
            )
            function = builder.inttoptr(args[0], function_type.as_pointer())
            values = cgutils.unpack_tuple(builder, args[1])
            result = builder.call(function, values)
            return context.get_dummy_value() if target.return_type == types.void else result

        return target.return_type(types.uint64, types.BaseTuple.from_types(target.args)), codegen

    return call


call_evaluator = _caller(EVALUATOR)
call_cells_evaluator = _caller(CELLS_EVALUATOR)
call_layer = _caller(LAYER)
call_policy = _caller(POLICY)
call_cells_policy = _caller(CELLS_POLICY)
call_rule = _caller(RULE)
call_decay = _caller(DECAY)
