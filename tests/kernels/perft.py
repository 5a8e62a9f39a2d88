"""Perft inside kernels: the number of (legal move, cell, tile) paths of a depth."""

import numpy as np
from numba import types

from twofold.board import Board
from twofold.kernels import bits as on_bits
from twofold.kernels import cells as on_cells
from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import U64_POINTER, nth_set_bit, pointer, popcount, u64_at
from twofold.kernels.tables import frame

_BOARD = types.Array(types.uint8, 1, "C")


@kernel(
    types.int64(types.uint64, types.int64, U64_POINTER, U64_POINTER, types.uint64), cached=False
)
def _count_on_bits(bits, depth, across, down, mask):
    total = 0
    for move in range(4):
        after, _ = on_bits.slide(bits, move, across, down)
        if after == bits:
            continue
        empty = on_bits.empty_mask(after, mask)
        if depth == 1:
            total += 2 * popcount(empty)
            continue
        for number in range(popcount(empty)):
            cell = nth_set_bit(empty, number)
            for exponent in (1, 2):
                state = after | (cell * np.uint64(exponent))
                total += _count_on_bits(state, depth - 1, across, down, mask)
    return total


@kernel(
    types.int64(types.uint64, types.int64, types.uint64, types.uint64, types.uint64), cached=False
)
def _start_on_bits(bits, depth, across, down, mask):
    return _count_on_bits(bits, depth, u64_at(across), u64_at(down), mask)


@kernel(types.int64(_BOARD, types.int64, types.int64, types.int64), cached=False)
def _count_on_cells(cells, rows, cols, depth):
    total = 0
    after = np.empty(rows * cols, dtype=np.uint8)
    for move in range(4):
        if not on_cells.is_legal(pointer(cells), rows, cols, move):
            continue
        on_cells.slide(pointer(cells), rows, cols, move, pointer(after))
        if depth == 1:
            total += 2 * on_cells.count_empty(pointer(after), rows * cols)
            continue
        for cell in range(rows * cols):
            if after[cell] == 0:
                for exponent in (1, 2):
                    after[cell] = exponent
                    total += _count_on_cells(after, rows, cols, depth - 1)
                after[cell] = 0
    return total


def count_on_bits(board: Board, depth: int) -> int:
    """By the kernels on bits; the board must fit 64 bits."""
    shape = frame(*board.shape)
    addresses = (shape.across.ctypes.data, shape.down.ctypes.data, shape.mask)
    words = [np.uint64(word) for word in addresses]
    return int(_start_on_bits(np.uint64(board.to_bits()), depth, *words))


def count_on_cells(board: Board, depth: int) -> int:
    """By the kernels on cells."""
    cells = np.array(board.exponents, dtype=np.uint8)
    return int(_count_on_cells(cells, board.rows, board.cols, depth))
