"""Boards in lanes follow the rules of single boards, in every shape up to 4x4."""

import numpy as np
import pytest
from numba import types

from tests.kernels.drivers import SMALL, to_bits
from tests.kernels.lazily import lazy_kernel
from twofold.kernels import bits as on_bits
from twofold.kernels import bits_simd as lane_bits
from twofold.kernels.bits import frame
from twofold.kernels.env_games import exponents_made
from twofold.kernels.intrinsics import pointer, u64_at
from twofold.kernels.play import mix, spawn_distribution
from twofold.kernels.simd import WIDTH, equal, in_all, load, store

_WORDS = types.uint64[::1]
_TABLE = types.uint64[:, ::1]

RESULTS = 7
_UP, _RIGHT, _DOWN, _LEFT = range(4)


@lazy_kernel(types.void(_WORDS, _WORDS, types.int64, types.uint64, types.uint64, _WORDS, _TABLE))
def move_on_lanes(boards, draws, move, pad, mask, distribution, results):
    inner, upper = lane_bits.with_neighbours(mask)
    for first in range(0, len(boards), WIDTH):
        bits = load(pointer(boards), first)
        turned = lane_bits.transpose(bits) if move in (_UP, _DOWN) else bits
        backward = in_all(np.uint64(2**64 - 1) if move in (_RIGHT, _DOWN) else np.uint64(0))
        rows = lane_bits.towards(turned, backward, in_all(pad) & backward)
        slid, made, made_too = lane_bits.slide_left(rows)
        after = lane_bits.back(slid, backward, in_all(pad) & backward)
        after = lane_bits.transpose(after) if move in (_UP, _DOWN) else after
        moved = lane_bits.opposite(equal(after, bits))
        draw = lane_bits.mix(load(pointer(draws), first))
        new, tiles = lane_bits.place_spawns(after, moved, draw, mask, pointer(distribution))
        held = lane_bits.held(bits)
        store(pointer(results[0]), first, after)
        store(pointer(results[1]), first, lane_bits.points_of(made, made_too))
        store(pointer(results[2]), first, lane_bits.exponents_of(made, made_too))
        store(pointer(results[3]), first, lane_bits.legal_moves(bits, held, inner, upper))
        store(pointer(results[4]), first, lane_bits.max_exponent(bits))
        store(pointer(results[5]), first, new)
        store(pointer(results[6]), first, tiles)


@lazy_kernel(types.void(_WORDS, _WORDS, types.int64, _WORDS, _WORDS, _TABLE))
def move_one_by_one(boards, draws, move, words, distribution, results):
    across, down, mask = u64_at(words[0]), u64_at(words[1]), words[2]
    for index in range(len(boards)):
        bits = boards[index]
        after, packed = on_bits.slide(bits, move, across, down)
        merges = on_bits.count_empty(after, mask) - on_bits.count_empty(bits, mask)
        new = after
        if after != bits:
            new = on_bits.place_spawn(after, mask, mix(draws[index]), pointer(distribution))
        results[0, index] = after
        results[1, index] = np.uint64(on_bits.reward_of(packed))
        results[2, index] = np.uint64(exponents_made(bits, after, merges))
        results[3, index] = np.uint64(on_bits.legal_mask(bits, across, down))
        results[4, index] = np.uint64(on_bits.max_exponent(bits))
        results[5, index] = new
        results[6, index] = on_bits.empty_mask(new, np.uint64(on_bits.FULL)) ^ on_bits.FULL


@pytest.mark.promise("R2")
@pytest.mark.parametrize(("rows", "cols"), SMALL)
def test_moves_equal_those_of_single_boards(rows: int, cols: int) -> None:
    rng = np.random.default_rng(rows * 4 + cols)
    shape = (100 * WIDTH, rows * cols)
    largest = rng.choice([1, 2, 3, 14], (shape[0], 1))
    cells = rng.integers(0, largest + 1, shape) * (rng.random(shape) < 0.8)
    cells[:, 0] = np.where(cells.any(axis=1), cells[:, 0], 1)  # a board holds a tile
    boards = to_bits(cells.astype(np.uint8), rows, cols)
    table = frame(rows, cols)
    distribution = spawn_distribution((1, 3, 4), (0.5, 0.3, 0.2))
    words = np.array([table.across.ctypes.data, table.down.ctypes.data, table.mask], np.uint64)
    draws = rng.integers(0, 2**64, len(boards), dtype=np.uint64)
    for move in range(4):
        pad = np.uint64(4 * (4 - (rows if move in (_UP, _DOWN) else cols)))
        found, expected = np.zeros((2, RESULTS, len(boards)), dtype=np.uint64)
        move_on_lanes(boards, draws, move, pad, np.uint64(table.mask), distribution, found)
        move_one_by_one(boards, draws, move, words, distribution, expected)
        for number in range(RESULTS):
            np.testing.assert_array_equal(found[number], expected[number], f"{move} {number}")
