"""Kernels on many boards at once, arrays in and arrays out, and the same by the reference.

Boards are exponents, uint8, shape (count, rows * cols).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from tests.kernels.lazily import lazy_kernel
from twofold.game import reference
from twofold.kernels import bits as on_bits
from twofold.kernels import bits_simd as on_lanes
from twofold.kernels import cells as on_cells
from twofold.kernels import expectimax_cells as in_searches
from twofold.kernels import play, simd, updates
from twofold.kernels.bits import frame
from twofold.kernels.expectimax import depth_at
from twofold.kernels.intrinsics import i64_space, pointer, u64_at
from twofold.kernels.ntuple import MAX_FEATURES, list_features

Cells = NDArray[np.uint8]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

SMALL: Final = [(rows, cols) for rows in range(1, 5) for cols in range(1, 5) if rows * cols > 1]
"""The shapes that fit 64 bits."""

SHAPES: Final = [(rows, cols) for rows in range(1, 9) for cols in range(1, 9) if rows * cols > 1]
"""Every shape."""

STANDARD_DISTRIBUTION: Final = play.spawn_distribution((1, 2), (0.9, 0.1))


@dataclass(frozen=True, slots=True)
class Moves:
    """The results of the four moves on boards.

    Attributes:
        after: uint8, shape (count, 4, rows * cols); exponent 16 shown as 15 on bits.
        reward: points, shape (count, 4).
        legal: bit m is set where move m is legal, shape (count,).
        overflow: whether a merge made exponent 16, shape (count, 4).
    """

    after: Cells
    reward: Ints
    legal: Ints
    overflow: NDArray[np.bool_]

    @property
    def over(self) -> NDArray[np.bool_]:
        """Whether no move is legal."""
        return np.equal(self.legal, 0)


def to_bits(cells: Cells, rows: int, cols: int) -> Words:
    """The 64-bit forms of boards with exponents up to 15."""
    bits = np.zeros(cells.shape[:-1], dtype=np.uint64)
    for cell in range(rows * cols):
        shift = np.uint64(60 - 4 * (4 * (cell // cols) + cell % cols))
        bits |= cells[..., cell].astype(np.uint64) << shift
    return bits


def from_bits(bits: Words | np.uint64, rows: int, cols: int) -> Cells:
    """The exponents inside the shape."""
    shifts = [60 - 4 * (4 * row + col) for row in range(rows) for col in range(cols)]
    nibbles = [(bits >> np.uint64(shift)) & np.uint64(15) for shift in shifts]
    return np.stack(nibbles, axis=-1).astype(np.uint8)


_WORDS = types.uint64[::1]
_GRID = types.uint64[:, ::1]
_INTS = types.int64[::1]
_INT_GRID = types.int64[:, ::1]
_BOARDS = types.uint8[:, ::1]
_AFTERS = types.uint8[:, :, ::1]


@lazy_kernel(types.void(_WORDS, types.uint64, types.uint64, _GRID, _GRID, _INTS))
def _slide_bits(boards, across, down, after, packed, legal):
    for index in range(len(boards)):
        legal[index] = on_bits.legal_mask(boards[index], u64_at(across), u64_at(down))
        for move in range(4):
            after[index, move], packed[index, move] = on_bits.slide(
                boards[index], move, u64_at(across), u64_at(down)
            )


@lazy_kernel(types.void(_GRID, _INT_GRID, types.boolean[:, ::1]))
def _unpack(packed, reward, overflow):
    for index in range(len(packed)):
        for move in range(4):
            reward[index, move] = on_bits.reward_of(packed[index, move])
            overflow[index, move] = on_bits.overflows(packed[index, move])


def moves_on_bits(cells: Cells, rows: int, cols: int) -> Moves:
    """The four moves by the kernels on bits."""
    count, shape = len(cells), frame(rows, cols)
    after = np.zeros((count, 4), dtype=np.uint64)
    packed = np.zeros((count, 4), dtype=np.uint64)
    legal = np.zeros(count, dtype=np.int64)
    across, down = shape.across.ctypes.data, shape.down.ctypes.data
    _slide_bits(to_bits(cells, rows, cols), across, down, after, packed, legal)
    reward = np.zeros((count, 4), dtype=np.int64)
    overflow = np.zeros((count, 4), dtype=np.bool_)
    _unpack(packed, reward, overflow)
    return Moves(from_bits(after, rows, cols), reward, legal, overflow)


@lazy_kernel(types.void(_BOARDS, types.int64, types.int64, _AFTERS, _INT_GRID, _INTS))
def _slide_cells(boards, rows, cols, after, reward, legal):
    for index in range(len(boards)):
        board = pointer(boards[index])
        legal[index] = on_cells.legal_mask(board, rows, cols)
        for move in range(4):
            reward[index, move] = on_cells.slide(
                board, rows, cols, move, pointer(after[index, move])
            )


def moves_on_cells(cells: Cells, rows: int, cols: int) -> Moves:
    """The four moves by the kernels on cells."""
    count = len(cells)
    after = np.full((count, 4, rows * cols), 99, dtype=np.uint8)
    reward = np.zeros((count, 4), dtype=np.int64)
    legal = np.zeros(count, dtype=np.int64)
    _slide_cells(cells, rows, cols, after, reward, legal)
    return Moves(after, reward, legal, (after == 16).any(axis=2))


def moves_by_reference(cells: Cells, rows: int, cols: int) -> Moves:
    """The four moves by the reference: each different line is slid once, by `slide_row`."""
    after = np.zeros((len(cells), 4, rows * cols), dtype=np.uint8)
    reward = np.zeros((len(cells), 4), dtype=np.int64)
    legal = np.zeros(len(cells), dtype=np.int64)
    for move in reference.MOVES:
        lines = np.array(reference.lines(rows, cols, move))
        found = np.ascontiguousarray(cells[:, lines]).reshape(-1, lines.shape[1])
        different, which = _different_rows(found)
        slid = [reference.slide_row(row) for row in different.tolist()]
        rows_after = np.array([row for row, _ in slid], dtype=np.uint8)[which]
        points = np.array([reward for _, reward in slid], dtype=np.int64)[which]
        after[:, move, lines] = rows_after.reshape(len(cells), *lines.shape)
        reward[:, move] = points.reshape(len(cells), -1).sum(axis=1)
        legal |= (after[:, move] != cells).any(axis=1).astype(np.int64) << move
    return Moves(after, reward, legal, (after == 16).any(axis=2))


def _different_rows(found: Cells) -> tuple[Cells, Ints]:
    """The different rows of an array, and for each of its rows which of them it is."""
    keys = np.zeros((len(found), 8), dtype=np.uint8)
    keys[:, : found.shape[1]] = found
    _, first, which = np.unique(keys.view(np.uint64)[:, 0], return_index=True, return_inverse=True)
    return found[first], which


def merged(cells: Sequence[int], rows: int, cols: int, move: int) -> list[int]:
    """The exponents that a move makes, counted merge by merge."""
    found = []
    for line in reference.lines(rows, cols, move):
        tiles = [cells[cell] for cell in line if cells[cell]]
        while tiles:
            tile = tiles.pop(0)
            if tiles and tiles[0] == tile:
                found.append(tiles.pop(0) + 1)
    return found


@lazy_kernel(types.void(_WORDS, types.uint64, types.uint64, types.uint64, _WORDS))
def _spawn_bits(boards, mask, distribution, seed, after):
    for index in range(len(boards)):
        random_bits = play.dice(seed, np.uint64(index))
        after[index] = on_bits.place_spawn(boards[index], mask, random_bits, u64_at(distribution))


@lazy_kernel(types.void(_BOARDS, types.uint64, types.uint64, _BOARDS))
def _spawn_cells(boards, distribution, seed, after):
    for index in range(len(boards)):
        for cell in range(boards.shape[1]):
            after[index, cell] = boards[index, cell]
        random_bits = play.dice(seed, np.uint64(index))
        on_cells.place_spawn(
            pointer(after[index]), boards.shape[1], random_bits, u64_at(distribution)
        )


def spawns_on_bits(cells: Cells, rows: int, cols: int, distribution: Words, seed: int) -> Cells:
    """The boards after spawns 0, 1, 2 ... of a seed, by the kernels on bits."""
    after = np.zeros(len(cells), dtype=np.uint64)
    mask = np.uint64(frame(rows, cols).mask)
    _spawn_bits(to_bits(cells, rows, cols), mask, distribution.ctypes.data, np.uint64(seed), after)
    return from_bits(after, rows, cols)


def spawns_on_cells(cells: Cells, distribution: Words, seed: int) -> Cells:
    """The boards after spawns 0, 1, 2 ... of a seed, by the kernels on cells."""
    after = np.zeros_like(cells)
    _spawn_cells(cells, distribution.ctypes.data, np.uint64(seed), after)
    return after


@lazy_kernel(types.void(_BOARDS, types.int64, types.int64, types.uint64, types.uint64))
def _record_games(states, rows, cols, distribution, seed):
    """Random games by the kernels on cells; fills `states`, which are empty before."""
    for index in range(len(states)):
        draw, board = np.uint64(index), pointer(states[index])
        last = pointer(states[max(index - 1, 0)])
        legal = on_cells.legal_mask(last, rows, cols)
        if legal != 0:
            move = np.int64(play.player_dice(seed, draw) & np.uint64(3))
            while (legal >> move) & 1 == 0:
                move = (move + 1) & 3
            on_cells.slide(last, rows, cols, move, board)
        on_cells.place_spawn(board, rows * cols, play.dice(seed, draw), u64_at(distribution))


def played_boards(count: int, rows: int, cols: int, seed: int) -> Cells:
    """The states of games of random moves, one after the other."""
    states = np.zeros((count, rows * cols), dtype=np.uint8)
    _record_games(states, rows, cols, STANDARD_DISTRIBUTION.ctypes.data, np.uint64(seed))
    return states


def boards_of(rows: int, cols: int, count: int, largest: int = 15) -> Cells:
    """Boards of every kind, at least `count` in all.

    A quarter each: any exponents; nearly full ones of few exponents, so that some tiles merge and
    some do not; exponents of 14 and more among small ones; states of random games.
    """
    rng = np.random.default_rng([rows, cols, count, largest])
    quarter = -(-count // 4)
    shape = quarter, rows * cols
    uniform = rng.integers(0, largest + 1, shape, dtype=np.uint8)
    full = rng.integers(1, min(largest, 7) + 1, shape, dtype=np.uint8)
    for _ in range(2):
        empty = rng.random(quarter) < 0.4
        full[empty, rng.integers(0, rows * cols, quarter)[empty]] = 0
    high = rng.integers(min(14, largest), largest + 1, shape, dtype=np.uint8)
    small = rng.integers(0, 4, shape, dtype=np.uint8)
    large = np.where(rng.random(shape) < 0.5, high, small)
    return np.concatenate([uniform, full, large, played_boards(quarter, rows, cols, 1)])


# Boards in lanes


@lazy_kernel(types.void(_WORDS, _WORDS, types.int64, types.uint64, types.uint64, _WORDS, _GRID))
def _move_on_lanes(boards, draws, move, pad, mask, distribution, results):
    inner, upper = on_lanes.with_neighbours(mask)
    is_vertical = move in (0, 2)
    backward = simd.in_all(np.uint64(2**64 - 1) if move in (1, 2) else np.uint64(0))
    for first in range(0, len(boards), simd.WIDTH):
        bits = simd.load(pointer(boards), first)
        turned = on_lanes.transpose(bits) if is_vertical else bits
        rows = on_lanes.towards(turned, backward, simd.in_all(pad) & backward)
        slid, made, made_too = on_lanes.slide_left(rows)
        after = on_lanes.back(slid, backward, simd.in_all(pad) & backward)
        after = on_lanes.transpose(after) if is_vertical else after
        moved = on_lanes.opposite(simd.equal(after, bits))
        draw = on_lanes.mix(simd.load(pointer(draws), first))
        new, tiles = on_lanes.place_spawns(after, moved, draw, mask, pointer(distribution))
        held = on_lanes.held(bits)
        simd.store(pointer(results[0]), first, after)
        simd.store(pointer(results[1]), first, on_lanes.points_of(made, made_too))
        simd.store(pointer(results[2]), first, on_lanes.exponents_of(made, made_too))
        simd.store(pointer(results[3]), first, on_lanes.legal_moves(bits, held, inner, upper))
        simd.store(pointer(results[4]), first, on_lanes.max_exponent(bits))
        simd.store(pointer(results[5]), first, new)
        simd.store(pointer(results[6]), first, tiles)


def move_on_lanes(
    cells: Cells, rows: int, cols: int, move: int, draws: Words, distribution: Words
) -> Words:
    """Seven results of a move and a spawn, shape (7, count): see `_move_on_lanes`."""
    results = np.zeros((7, len(cells)), dtype=np.uint64)
    pad = np.uint64(4 * (4 - (rows if move in (0, 2) else cols)))
    mask = np.uint64(frame(rows, cols).mask)
    _move_on_lanes(to_bits(cells, rows, cols), draws, move, pad, mask, distribution, results)
    return results


@lazy_kernel(types.int64(types.uint8[::1], types.int64, types.int64, types.int64, types.uint8[::1]))
def slide_in_search(board, rows, cols, move, after):
    """The slide of searches on cells: -1 for an illegal move."""
    return in_searches.slide(pointer(board), rows, cols, move, pointer(after))


@lazy_kernel(types.int64(types.uint64, _WORDS))
def ply_of(bits, context):
    """The depth of a search in plies for a board."""
    return depth_at(bits, pointer(context))


@lazy_kernel(types.void(_WORDS, types.uint64, types.float64))
def learn_one(thread, after, target):
    """Update the value of one afterstate towards a target, without a game."""
    places, words = i64_space(MAX_FEATURES), pointer(thread)
    list_features(after, u64_at(words[updates.NETWORK]), places)
    updates.update(places, target, words)
