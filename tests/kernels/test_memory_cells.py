"""The search on cells stays inside the memory it is given, as `test_memory` has it for others."""

from typing import Any

import numpy as np
import pytest
from numba import types

from tests.kernels.drivers import SHAPES, Words
from tests.kernels.lazily import lazy_kernel
from tests.support.guards import Guards
from tests.support.twins import small_positions
from twofold.game import reference
from twofold.game.rules import Move, Rules
from twofold.kernels import context as names
from twofold.kernels import expectimax_cells as kernels
from twofold.kernels.intrinsics import pointer
from twofold.kernels.play import spawn_distribution
from twofold.kernels.transposition import BUCKET_WORDS, MIN_BUCKETS
from twofold.limits import MAX_EXPONENT
from twofold.search.depth import Depth
from twofold.search.expectimax import ExpectimaxCells
from twofold.values import EVALUATORS

NAMES = [name for name, evaluator in EVALUATORS.items() if evaluator.supports_cells(8, 8)]
_BYTES = types.uint8[::1]
_WORDS = types.uint64[::1]


@lazy_kernel(types.int64(_BYTES, types.int64, types.int64, types.int64, _BYTES))
def slide(cells, rows, cols, move, after):
    return kernels.slide(pointer(cells), rows, cols, move, pointer(after))


@lazy_kernel(types.uint64(_WORDS, types.uint64, types.int64))
def hash_at(words, address, size):
    return kernels.hash_of(address, size)


@pytest.mark.promise("R8")
@pytest.mark.parametrize(("rows", "cols"), SHAPES)
def test_slides(rows: int, cols: int, guards: Guards) -> None:
    rng = np.random.default_rng(rows * 8 + cols)
    board = guards.copy(np.zeros(rows * cols, dtype=np.uint8))
    after = guards.copy(np.zeros(rows * cols, dtype=np.uint8))
    for largest in (2, 3, 5, MAX_EXPONENT - 1) * 10:
        board[:] = rng.integers(0, largest + 1, rows * cols) * (rng.random(rows * cols) < 0.7)
        for move in Move:
            reward = slide(board, rows, cols, int(move), after)
            cells, points = reference.slide(board.tolist(), rows, cols, move)
            assert after.tolist() == cells
            assert reward == (points if cells != board.tolist() else -1)


def test_two_of_the_largest_tile_make_one_of_it() -> None:
    after = np.zeros(4, dtype=np.uint8)
    assert slide(np.array([35, 0, 35, 1], dtype=np.uint8), 1, 4, 3, after) == 2**36
    assert after.tolist() == [35, 1, 0, 0]


def test_hashes_differ() -> None:
    """Boards of every size, with their words in another order, and with one bit changed."""
    rng = np.random.default_rng(8)
    hashes = set()
    boards = set()
    for size in (2, 8, 9, 16, 25, 36, 64):
        for _ in range(200):
            words = np.zeros(8, dtype=np.uint64)
            cells = words.view(np.uint8)
            cells[:size] = rng.integers(0, 3, size) * (rng.random(size) < rng.random())
            for variant in (words, np.roll(words, 1), words[::-1].copy(), words ^ np.uint64(1)):
                variant = np.ascontiguousarray(variant)
                boards.add(variant.tobytes())
                hashes.add(int(hash_at(variant, np.uint64(variant.ctypes.data), 64)))
    assert len(hashes) == len(boards) > 2_000


def guarded(guards: Guards, search: ExpectimaxCells, rules: Rules, ply: int, table: bool) -> Words:
    """The words of a search and their arrays, between guards; without a spare frame."""
    words = guards.copy(search.context.words)
    distribution = guards.copy(spawn_distribution(rules.spawn_exponents, rules.spawn_weights))
    room = np.zeros((kernels.frames(ply) - 1) * kernels.FRAME_BYTES // 8, dtype=np.uint64)
    words[names.DISTRIBUTION] = distribution.ctypes.data
    words[kernels.WORKSPACE] = guards.copy(room).ctypes.data
    words[names.PARAMS] = guards.copy(search.context._held[names.PARAMS]).ctypes.data
    if table:
        size = MIN_BUCKETS * BUCKET_WORDS
        words[names.TABLE] = guards.copy(np.zeros(size, dtype=np.uint64)).ctypes.data
        words[names.BUCKETS] = MIN_BUCKETS
    return words


def check(guards: Guards, search: ExpectimaxCells, rules: Rules, ply: int, table: bool) -> None:
    words = guarded(guards, search, rules, ply, table)
    plain = search.context.words
    for board in small_positions(rules.shape, 4):
        cells = guards.copy(np.array(board.exponents, dtype=np.uint8))
        for move in board.legal_moves():
            value = kernels.value_of(cells, 10, int(move), ply, 1.0, words)
            assert value == kernels.value_of(cells, 10, int(move), ply, 1.0, plain)
        value = kernels.reply_of(cells, 10, ply, 1.0, words)
        assert value == kernels.reply_of(cells, 10, ply, 1.0, plain)


@pytest.mark.promise("R8")
@pytest.mark.parametrize("shape", [(1, 2), (2, 2), (4, 4), (5, 5), (3, 6), (1, 8), (8, 1), (8, 8)])
@pytest.mark.parametrize("name", NAMES)
def test_searches(name: str, shape: tuple[int, int], guards: Guards) -> None:
    evaluator, rules = EVALUATORS[name], Rules(*shape)
    for ply in (1, 2, 3) if shape[0] * shape[1] < 17 else (1, 2):
        search = ExpectimaxCells(evaluator, rules, Depth.fixed(ply), table_mb=0)
        check(guards, search, rules, ply, table=not evaluator.needs_score)


@pytest.mark.promise("R8")
@pytest.mark.parametrize("cut", [0.0, 0.02])
def test_searches_with_many_tiles_and_the_deepest(cut: float, guards: Guards) -> None:
    rules = Rules.parse("1x5 spawn=2:1,4:1,8:1,16:1,65536:2,34359738368:1")
    search = ExpectimaxCells(EVALUATORS["rows"], rules, Depth.fixed(4), cut=cut, table_mb=0)
    check(guards, search, rules, 4, table=cut == 0)
    rules = Rules.parse("1x3")
    search = ExpectimaxCells(EVALUATORS["rows"], rules, Depth.fixed(12), cut=cut, table_mb=0)
    check(guards, search, rules, 12, table=True)


@pytest.mark.promise("R8")
def test_a_second_move_needs_one_frame_more(guards: Guards) -> None:
    rules = Rules(2, 5)
    search = ExpectimaxCells(EVALUATORS["rows"], rules, Depth.fixed(2), second_move=True)
    words = guarded(guards, search, rules, 3, table=False)
    for board in small_positions(rules.shape, 10):
        cells: Any = np.array(board.exponents, dtype=np.uint8)
        for move in board.legal_moves():
            value = kernels.value_of(cells, 0, int(move), 2, 1.0, words)
            search.forget()
            assert value == kernels.value_of(cells, 0, int(move), 2, 1.0, search.context.words)


def test_frames_are_as_large_as_their_parts() -> None:
    assert kernels.FRAME_BYTES == 640
    assert kernels.LINES + 8 == kernels.DIRECTION_WORDS
    assert kernels.frames(12) == 14
