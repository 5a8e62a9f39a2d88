"""The rules on arrays of exponents: any shape up to 8x8, tiles up to 2^35.

A board is uint8, shape (rows * cols,), row by row. Slower than `bits`; used for large boards,
and on 4x4 once a tile passes 32768.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import U8_POINTER, U64_POINTER

MAX_EXPONENT: Final = 35
TOO_LARGE: Final = -1


@kernel(types.int64(U8_POINTER, types.int64, types.int64, types.int64, U8_POINTER))
def slide(cells, rows, cols, move, after):
    """Slide into another buffer; the reward in points, or `TOO_LARGE` past `MAX_EXPONENT`."""
    vertical = move == 0 or move == 2
    lines = cols if vertical else rows
    length = rows if vertical else cols
    step = cols if vertical else 1
    reward = 0
    for line in range(lines):
        start = line if vertical else line * cols
        if move == 1 or move == 2:
            start += (length - 1) * step
            stride = -step
        else:
            stride = step
        place = 0  # where the next tile goes
        waiting = 0  # last tile placed, if it may still merge
        for number in range(length):
            tile = np.int64(cells[start + number * stride])
            if tile == 0:
                continue
            if tile == waiting:
                if tile == MAX_EXPONENT:
                    return TOO_LARGE
                after[start + (place - 1) * stride] = np.uint8(tile + 1)
                reward += np.int64(1) << (tile + 1)
                waiting = 0
            else:
                after[start + place * stride] = np.uint8(tile)
                place += 1
                waiting = tile
        for number in range(place, length):
            after[start + number * stride] = np.uint8(0)
    return reward


@kernel(types.boolean(U8_POINTER, types.int64, types.int64, types.int64))
def is_legal(cells, rows, cols, move):
    """Whether a move changes the board: some tile has a gap or an equal tile ahead of it."""
    for row in range(rows):
        for col in range(cols):
            tile = cells[row * cols + col]
            if tile == 0:
                continue
            ahead_row = row - (move == 0) + (move == 2)
            ahead_col = col - (move == 3) + (move == 1)
            if 0 <= ahead_row < rows and 0 <= ahead_col < cols:
                ahead = cells[ahead_row * cols + ahead_col]
                if ahead == 0 or ahead == tile:
                    return True
    return False


@kernel(types.int64(U8_POINTER, types.int64, types.int64))
def legal_mask(cells, rows, cols):
    """The legal moves: bit m is set where move m changes the board."""
    mask = 0
    for move in range(4):
        if is_legal(cells, rows, cols, move):
            mask |= 1 << move
    return mask


@kernel(types.int64(U8_POINTER, types.int64))
def count_empty(cells, count):
    """Number of empty cells among the first `count`."""
    empty = 0
    for cell in range(count):
        empty += cells[cell] == 0
    return empty


@kernel(types.int64(U8_POINTER, types.int64))
def max_exponent(cells, count):
    """The largest exponent among the first `count` cells."""
    largest = 0
    for cell in range(count):
        largest = max(largest, np.int64(cells[cell]))
    return largest


@kernel(types.void(U8_POINTER, types.int64, types.uint64, U64_POINTER))
def place_spawn(cells, count, random_bits, distribution):
    """Add the spawn that 64 random bits choose; there must be an empty cell."""
    empty = count_empty(cells, count)
    number = np.int64(((random_bits >> np.uint64(32)) * np.uint64(empty)) >> np.uint64(32))
    low = random_bits & np.uint64(0xFFFFFFFF)
    word = 1
    while low >= distribution[word + 1]:
        word += 3
    for cell in range(count):
        if cells[cell] == 0:
            if number == 0:
                cells[cell] = np.uint8(distribution[word])
                return
            number -= 1
