"""Perft inside kernels: the number of (legal move, cell, tile) paths of a depth."""

import numpy as np
from numba import types

from twofold.game.board import Board
from twofold.kernels import bits as on_bits
from twofold.kernels import cells as on_cells
from twofold.kernels._jit import kernel
from twofold.kernels.bits import frame
from twofold.kernels.intrinsics import U64_POINTER, nth_set_bit, pointer, popcount, u64_at

_BOARDS = types.uint8[:, ::1]


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


@kernel(types.int64(_BOARDS, types.int64, types.int64, types.int64), cached=False)
def _count_on_cells(boards, rows, cols, depth):
    """Paths from the board `boards[depth]`; the boards before it are workspace."""
    total = 0
    state, after = pointer(boards[depth]), boards[depth - 1]
    for move in range(4):
        if not on_cells.is_legal(state, rows, cols, move):
            continue
        on_cells.slide(state, rows, cols, move, pointer(after))
        if depth == 1:
            total += 2 * on_cells.count_empty(pointer(after), rows * cols)
            continue
        for cell in range(rows * cols):
            if after[cell] == 0:
                for exponent in (1, 2):
                    after[cell] = exponent
                    total += _count_on_cells(boards, rows, cols, depth - 1)
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
    boards = np.zeros((depth + 1, board.rows * board.cols), dtype=np.uint8)
    boards[depth] = board.exponents
    return int(_count_on_cells(boards, board.rows, board.cols, depth))
