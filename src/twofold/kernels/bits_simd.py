"""The rules on boards of 64 bits, as in `bits`, for WIDTH boards at once and without tables.

A lane is a board: rows of 16 bits, a nibble for each cell, c0 c1 c2 c3, the leftmost one highest.
It works for every shape up to 4x4 and tiles up to 16384, so that every merge fits the nibble.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import U64_POINTER
from twofold.kernels.play import mix as mix_word
from twofold.kernels.simd import (
    LANES,
    bytes_max,
    choose,
    in_all,
    less,
    on_lanes,
    rows_equal,
    rows_left,
    rows_power,
)

_0, _1, _2, _3, _4, _8 = map(np.uint64, (0, 1, 2, 3, 4, 8))
_12, _15, _16, _32, _60 = map(np.uint64, (12, 15, 16, 32, 60))
_ALL: Final = np.uint64(0xFFFFFFFFFFFFFFFF)
_FROM_C1: Final = np.uint64(0x0FFF0FFF0FFF0FFF)
_FROM_C2: Final = np.uint64(0x00FF00FF00FF00FF)
_FROM_C3: Final = np.uint64(0x000F000F000F000F)
_C0: Final = np.uint64(0xF000F000F000F000)
_C1: Final = np.uint64(0x0F000F000F000F00)
_C2: Final = np.uint64(0x00F000F000F000F0)
_NOT_C3: Final = np.uint64(0xFFF0FFF0FFF0FFF0)
_LOW_NIBBLES: Final = np.uint64(0x0F0F0F0F0F0F0F0F)
_LOW_ROWS: Final = np.uint64(0x0000FFFF0000FFFF)
_LOW_HALF: Final = np.uint64(0xFFFFFFFF)
_NOT_1: Final = np.uint64(0xFFFEFFFEFFFEFFFE)

transpose = on_lanes(on_bits.transpose)
mirror = on_lanes(on_bits.mirror)
mix = on_lanes(mix_word)


@kernel(LANES(LANES))
def opposite(lanes):
    """All bits inverted."""
    return lanes ^ _ALL


@kernel(LANES(LANES))
def held(boards):
    """The lowest bit of each cell that holds a tile."""
    boards = boards | (boards >> _2)
    boards = boards | (boards >> _1)
    return boards & on_bits.FULL


@kernel(LANES(LANES, types.uint64, types.uint64))
def close_gap(rows, cell, tail):
    """Where one cell of a row is empty, move the tiles to its right left by one cell.

    `cell` masks that cell in each row, `tail` that cell and all to its right.
    """
    gap = rows_equal(rows & cell, in_all(_0))
    return choose(gap & tail, rows_left(rows, 4), rows)


@kernel(types.UniTuple(LANES, 2)(LANES, types.uint64, types.uint64))
def merge_cell(rows, cell, tail):
    """Merge equal tiles of a cell and the next one, and move the others left; rows have no gaps.

    `cell` masks that cell in each row, `tail` all cells to its right. Returns the boards, and of
    them the cells that hold a tile made.
    """
    ahead = rows_left(rows, 4)
    tile = rows & cell
    pair = rows_equal(tile, ahead & cell) & opposite(rows_equal(tile, in_all(_0)))
    rows = choose(pair & tail, ahead, rows) + (pair & cell & on_bits.FULL)
    return rows, rows & pair & cell


@kernel(types.UniTuple(LANES, 3)(LANES))
def slide_left(rows):
    """Slide every row to the left.

    Returns the boards, and two words with the exponents of the tiles made, in the lowest nibble of
    each row, 0 for none. A row makes at most two tiles: c0 and c1, or one of c0, c1, c2.
    """
    rows = close_gap(rows, _C2, _FROM_C2)
    rows = close_gap(rows, _C1, _FROM_C1)
    rows = close_gap(rows, _C0, _ALL)
    rows, first = merge_cell(rows, _C0, _FROM_C1)
    rows, second = merge_cell(rows, _C1, _FROM_C2)
    rows, third = merge_cell(rows, _C2, _FROM_C3)
    return rows, first >> _12, (second >> _8) | (third >> _4)


@kernel(LANES(LANES, LANES, LANES))
def towards(boards, backward, pad):
    """Mirror the rows where `backward` is all ones, and shift them up to c0 by `pad` bits."""
    return choose(backward, mirror(boards), boards) << pad


@kernel(LANES(LANES, LANES, LANES))
def back(rows, backward, pad):
    """The inverse of `towards`."""
    rows = rows >> pad
    return choose(backward, mirror(rows), rows)


@kernel(LANES(LANES, LANES))
def points_of(first, second):
    """The reward in points for the tiles made, as `slide_left` returns them."""
    # Half of each tile fits 15 bits, so the sum of two halves fits a row.
    half = ((rows_power(first) & _NOT_1) >> _1) + ((rows_power(second) & _NOT_1) >> _1)
    half = (half & _LOW_ROWS) + ((half >> _16) & _LOW_ROWS)
    return ((half + (half >> _32)) & _LOW_HALF) << _1


@kernel(LANES(LANES, LANES))
def exponents_of(first, second):
    """The sum of the exponents of the tiles made, as `slide_left` returns them."""
    total = first + second
    total = total + (total >> _16)
    return (total + (total >> _32)) & np.uint64(0xFF)


@kernel(LANES(LANES))
def max_exponent(boards):
    """The largest exponent on each board."""
    most = bytes_max(boards & _LOW_NIBBLES, (boards >> _4) & _LOW_NIBBLES)
    most = bytes_max(most, most >> _32)
    most = bytes_max(most, most >> _16)
    return bytes_max(most, most >> _8) & _15


@kernel(types.UniTuple(types.uint64, 2)(types.uint64))
def with_neighbours(mask):
    """The cells of a shape with a cell to their right, and those with a cell below."""
    return mask & (mask << _4) & _NOT_C3, mask & (mask << _16)


@kernel(LANES(LANES, LANES, types.uint64, types.uint64))
def legal_moves(boards, tiles, inner, upper):
    """The legal moves of each board as 4 bits, from `tiles`, which `held` gives.

    A board slides to the left if a tile has a gap to its left, to the right if it has one to its
    right, and both ways if an equal tile is beside it. `inner` masks the cells with a neighbour to
    the right, `upper` those with one below, see `with_neighbours`.
    """
    tiles_right, tiles_below = rows_left(tiles, 4), tiles << _16
    empty = opposite(tiles)
    across = tiles & opposite(held(boards ^ rows_left(boards, 4)))
    down = tiles & opposite(held(boards ^ (boards << _16)))
    legal = (tiles_below & empty) | down
    legal = legal | (((tiles & opposite(tiles_right) & inner) | across) << _1)
    legal = legal | (((tiles & opposite(tiles_below) & upper) | down) << _2)
    legal = legal | (((tiles_right & empty) | across) << _3)  # one nibble per cell: now joined
    legal = legal | (legal >> _32)
    legal = legal | (legal >> _16)
    legal = legal | (legal >> _8)
    return (legal | (legal >> _4)) & _15


@kernel(LANES(LANES))
def in_all_cells(numbers):
    """A number below 16 in each of the 16 cells."""
    numbers = numbers | (numbers << _4)
    numbers = numbers | (numbers << _8)
    numbers = numbers | (numbers << _16)
    return numbers | (numbers << _32)


@kernel(types.UniTuple(LANES, 2)(LANES, LANES, LANES, types.uint64, U64_POINTER))
def place_spawns(boards, which, random_bits, mask, distribution):
    """The boards after the spawns that 64 random bits choose, as `bits.place_spawn`, and `held`.

    `which` is all ones for each board that gets a spawn, which must have an empty cell and a tile;
    `mask` is that of the shape, `distribution` that of `play.spawn_distribution`.
    """
    tiles = held(boards)
    empty = opposite(tiles) & mask
    upto = empty + (empty << _4)  # in each cell: number of empty cells from the last cell up to it
    upto = upto + (upto << _8)
    upto = upto + (upto << _16)
    upto = upto + (upto << _32)
    count = upto >> _60
    number = count - (((random_bits >> _32) * count) >> _32)  # of the cell, from the last one up
    cell = empty & opposite(held(upto ^ in_all_cells(number))) & which
    low = random_bits & _LOW_HALF
    spawn = in_all(distribution[1] * on_bits.FULL)
    for kind in range(np.int64(distribution[0]) - 1):
        other = in_all(distribution[4 + 3 * kind] * on_bits.FULL)
        spawn = choose(less(low, in_all(distribution[2 + 3 * kind])), spawn, other)
    return boards | (((cell << _4) - cell) & spawn), tiles | cell
