"""Kernels that receive addresses stay inside that memory.

Every buffer lies between two zones of guard bytes. A write into a zone is seen afterwards; a read
from one finds nonsense, so that results differ from those without guards.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.kernels.drivers import SHAPES, SMALL, Words
from tests.support.guards import ZONE, Guards
from tests.support.literal import boards, score_of
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.kernels import alphabeta, cells, expectimax, play, policies, summed, transposition
from twofold.kernels import context as names
from twofold.kernels import leaf_layer as layers
from twofold.kernels._jit import address_of
from twofold.kernels.bits import frame
from twofold.kernels.play import spawn_distribution
from twofold.kernels.transposition import BUCKET_WORDS, MIN_BUCKETS
from twofold.limits import MAX_EXPONENT
from twofold.search.alphabeta import AlphaBeta, Summed
from twofold.search.context import Context
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax
from twofold.values import EVALUATORS

ROOT = Path(__file__).parents[2]


def test_guards_notice_a_write_on_either_side() -> None:
    for offset in (-1, 8):
        guards = Guards()
        array = guards.copy(np.zeros(8, dtype=np.uint8))
        assert guards.intact()
        whole = guards._whole[0]
        whole[ZONE + offset] = 0
        assert not guards.intact()
        assert array.sum() == 0


# Games

SIMPLE = {
    "random": (policies.random_bits, policies.random_cells),
    "greedy": (policies.greedy_bits, policies.greedy_cells),
    "corner": (policies.corner_bits, policies.corner_cells),
}


class Played:
    """The buffers of a game, guarded."""

    def __init__(self, guards: Guards, rules: Rules, seed: int, limit: int) -> None:
        self.rules = rules
        distribution = spawn_distribution(rules.spawn_exponents, rules.spawn_weights)
        self.distribution = guards.copy(distribution)
        self.reached = guards.copy(np.zeros(MAX_EXPONENT + 1, dtype=np.uint64))
        self.letters = guards.copy(np.full(limit, 9, dtype=np.uint8))
        self.state = guards.copy(np.zeros(play.STATE_WORDS, dtype=np.uint64))
        self.words = guards.copy(np.zeros(play.GAME_WORDS, dtype=np.uint64))
        self.words[play.DISTRIBUTION] = self.distribution.ctypes.data
        self.words[play.SEED] = seed
        self.words[play.START_TILES] = rules.start_tiles
        self.words[play.STOP_EXPONENT] = 255
        self.words[play.REACHED] = self.reached.ctypes.data
        self.words[play.LETTERS] = self.letters.ctypes.data
        self.words[play.ROWS], self.words[play.COLS] = rules.shape
        self.limit = limit

    def use_bits(self, guards: Guards, policy: Any) -> None:
        shape = frame(*self.rules.shape)
        self.across, self.down = guards.copy(shape.across), guards.copy(shape.down)
        addresses = [self.across.ctypes.data, self.down.ctypes.data]
        self.context = guards.copy(np.array(addresses, dtype=np.uint64))
        self.words[play.ACROSS], self.words[play.DOWN] = addresses
        self.words[play.MASK] = shape.mask
        self.words[play.POLICY_ADDRESS] = address_of(policy)
        self.words[play.POLICY_CONTEXT] = self.context.ctypes.data

    def use_games(self, guards: Guards, count: int) -> tuple[Words, Words]:
        """Random games for `play_many`: their states, and when they reach each exponent."""
        self.use_bits(guards, policies.random_bits)
        states = guards.copy(np.zeros((count, play.STATE_WORDS), dtype=np.uint64))
        reached = guards.copy(np.zeros((count, play.REACHED_SIZE), dtype=np.uint64))
        self.words[play.REACHED] = reached.ctypes.data
        return states, reached


@pytest.mark.promise("R8")
@pytest.mark.parametrize("policy", SIMPLE)
@pytest.mark.parametrize(("rows", "cols"), SMALL)
def test_games_on_bits(rows: int, cols: int, policy: str, guards: Guards) -> None:
    game = Played(guards, Rules(rows, cols, start_tiles=1), seed=rows * cols, limit=7)
    game.use_bits(guards, SIMPLE[policy][0])
    moves, ended = 0, play.GOING
    while ended == play.GOING and moves < 5_000:
        before = int(game.state[play.MOVE_NUMBER])
        game.letters[:] = 9
        ended = play.play_bits(game.words, game.state, game.limit)
        made = int(game.state[play.MOVE_NUMBER]) - before
        assert (game.letters[:made] < 4).all()
        assert (game.letters[made:] == 9).all()
        moves += made


@pytest.mark.promise("R8")
@pytest.mark.parametrize("policy", SIMPLE)
@pytest.mark.parametrize(("rows", "cols"), SHAPES)
def test_games_on_cells(rows: int, cols: int, policy: str, guards: Guards) -> None:
    game = Played(guards, Rules(rows, cols, start_tiles=1), seed=rows * cols, limit=7)
    game.words[play.POLICY_ADDRESS] = address_of(SIMPLE[policy][1])
    board = guards.copy(np.zeros(rows * cols, dtype=np.uint8))
    board[0] = 1
    moves, ended = 0, play.GOING
    while ended == play.GOING and moves < 1_000:
        before = int(game.state[play.MOVE_NUMBER])
        game.letters[:] = 9
        ended = play.play_cells(game.words, game.state, board, game.limit)
        made = int(game.state[play.MOVE_NUMBER]) - before
        assert (game.letters[:made] < 4).all()
        assert (game.letters[made:] == 9).all()
        moves += made


@pytest.mark.promise("R8")
def test_the_largest_exponents_are_recorded_inside_the_buffer(guards: Guards) -> None:
    game = Played(guards, Rules(1, 3), seed=0, limit=4)
    game.words[play.POLICY_ADDRESS] = address_of(policies.corner_cells)
    board = guards.copy(np.array([34, 34, 0], dtype=np.uint8))
    game.state[play.MAX_EXPONENT] = 34
    play.play_cells(game.words, game.state, board, 1)
    assert game.state[play.MAX_EXPONENT] == MAX_EXPONENT
    assert game.reached[MAX_EXPONENT] == 1


@pytest.mark.promise("R8")
@pytest.mark.parametrize("keep", [False, True])
def test_many_games_at_once(keep: bool, guards: Guards) -> None:
    game = Played(guards, Rules(), seed=0, limit=10_000)
    game.words[play.LETTERS] *= keep
    states, reached = game.use_games(guards, 20)
    assert play.play_many(game.words, np.uint64(2**64 - 10), states, game.limit) == 20
    assert (states[:, play.MOVE_NUMBER] > 20).all()
    made = int(states[:, play.MOVE_NUMBER].sum()) if keep else 0
    assert (game.letters[:made] < 4).all()
    assert (game.letters[made:] == 9).all()
    for state, numbers in zip(states, reached, strict=True):
        largest = int(state[play.MAX_EXPONENT])
        assert 0 < numbers[largest] <= state[play.MOVE_NUMBER]
        assert not numbers[largest + 1 :].any()


@pytest.mark.promise("R8")
def test_many_games_from_boards(guards: Guards) -> None:
    game = Played(guards, Rules(), seed=0, limit=40_000)
    states, reached = game.use_games(guards, 20)
    given = [(0x1230_0000_0000_0000 | number % 10, 100 * number) for number in range(20)]
    starts = guards.copy(np.array(given, dtype=np.uint64))
    game.words[play.STARTS] = starts.ctypes.data
    assert play.play_many(game.words, np.uint64(1), states, game.limit) == 20
    assert (states[:, play.SCORE] > starts[:, 1]).all()
    assert (starts == np.array(given, dtype=np.uint64)).all()
    assert not reached[:, :4].any()


@pytest.mark.promise("R8")
def test_many_games_in_a_buffer_that_is_too_small(guards: Guards) -> None:
    game = Played(guards, Rules(), seed=0, limit=1_000)
    states, _ = game.use_games(guards, 20)
    done = play.play_many(game.words, np.uint64(1), states, game.limit)
    assert 0 < done < 20
    assert states[: done + 1, play.MOVE_NUMBER].sum() == game.limit
    assert game.words[play.LETTERS] == game.letters.ctypes.data
    assert (game.letters < 4).all()


@pytest.mark.promise("R8")
@pytest.mark.parametrize(("rows", "cols"), SHAPES)
def test_slides_on_cells(rows: int, cols: int, guards: Guards) -> None:
    rng = np.random.default_rng(rows * 8 + cols)
    board = guards.copy(np.zeros(rows * cols, dtype=np.uint8))
    after = guards.copy(np.zeros(rows * cols, dtype=np.uint8))
    for _ in range(20):
        board[:] = rng.integers(0, 4, rows * cols)
        for move in Move:
            reward = cells.slide_array(board, rows, cols, int(move), after)
            expected = reference.slide(board.tolist(), rows, cols, move)
            assert (after.tolist(), reward) == expected


# Searches: the context, the table, the parameters and the distribution are guarded; the table is
# as small as possible.


def guard_context(guards: Guards, context: Context, has_table: bool) -> Words:
    """The context's words and their arrays, between guards."""
    shape, rules = frame(4, 4), Rules()
    distribution = guards.copy(spawn_distribution(rules.spawn_exponents, rules.spawn_weights))
    tables = [guards.copy(shape.across), guards.copy(shape.down)]
    words = guards.copy(context.words)
    words[names.ACROSS], words[names.DOWN] = (table.ctypes.data for table in tables)
    words[names.DISTRIBUTION] = distribution.ctypes.data
    if has_table:
        size = MIN_BUCKETS * BUCKET_WORDS
        words[names.TABLE] = guards.copy(np.zeros(size, dtype=np.uint64)).ctypes.data
        words[names.BUCKETS] = MIN_BUCKETS
    return words


def guard_lines(guards: Guards, words: Words, context: Context) -> None:
    """The arrays of the layer for sums of lines, if it is in use."""
    for word in (
        layers.ACROSS_LINES, layers.DOWN_LINES, layers.COLUMN_VALUES, layers.ROW_VALUES
    ):  # fmt: skip
        if words[word]:
            words[word] = guards.copy(context._held[word]).ctypes.data


def guard_params(guards: Guards, words: Words, evaluator: str) -> None:
    params = guards.copy(EVALUATORS[evaluator].params_for(4, 4))
    words[names.PARAMS] = params.ctypes.data


def some_boards(count: int) -> Iterator[tuple[np.uint64, int, int]]:
    """(bits, score, a legal move) of a few boards."""
    for grid in boards(count, most_empty=6):
        board = Board.from_tiles(grid)
        for move in board.legal_moves():
            yield np.uint64(board.to_bits()), score_of(grid), int(move)


@pytest.mark.promise("R8")
@pytest.mark.parametrize("evaluator", EVALUATORS)
@pytest.mark.parametrize("ply", [1, 2, 3])
def test_expectimax(evaluator: str, ply: int, guards: Guards) -> None:
    plain = Expectimax(EVALUATORS[evaluator], Rules(), Depth.fixed(ply), table_mb=0)
    words = guard_context(guards, plain.context, not EVALUATORS[evaluator].needs_score)
    guard_params(guards, words, evaluator)
    guard_lines(guards, words, plain.context)
    for bits, score, move in some_boards(5 if ply == 3 else 20):
        value = expectimax.value_of(bits, score, move, ply, words)
        assert value == expectimax.value_of(bits, score, move, ply, plain.context.words)


@pytest.mark.promise("R8")
@pytest.mark.parametrize("second_move", [True, False])
def test_expectimax_with_a_cut(second_move: bool, guards: Guards) -> None:
    depth = Depth.few(2, few=4, few_ply=4)
    plain = Expectimax(EVALUATORS["rows"], Rules(), depth, cut=0.01, second_move=second_move)
    words = guard_context(guards, plain.context, has_table=True)
    guard_params(guards, words, "rows")
    guard_lines(guards, words, plain.context)
    for bits, score, move in some_boards(20):
        ply = expectimax.ply_of(bits, words)
        transposition.begin(words)
        value = expectimax.value_of(bits, score, move, ply, words)
        transposition.begin(plain.context.words)
        assert value == expectimax.value_of(bits, score, move, ply, plain.context.words)


@pytest.mark.promise("R8")
def test_states_and_their_replies(guards: Guards) -> None:
    plain = Expectimax(EVALUATORS["rows"], Rules(), Depth.fixed(2))
    words = guard_context(guards, plain.context, has_table=True)
    guard_lines(guards, words, plain.context)
    for bits, score, move in some_boards(10):
        bits_of, scores = (guards.copy(np.zeros(32, dtype=np.uint64)) for _ in range(2))
        chances = guards.copy(np.zeros(32))
        count = expectimax.list_states(bits, score, move, 1.0, bits_of, scores, chances, words)
        assert 2 <= count <= 32
        assert abs(chances.sum() - 1) < 1e-6
        values, nodes = guards.copy(np.zeros(count)), guards.copy(np.zeros(count, np.uint64))
        counter = guards.copy(np.zeros(1, dtype=np.uint64))
        expectimax.share_replies(bits_of[:count], scores, 2, chances, values, nodes, counter, words)
        found = expectimax.mean_of(bits, move, values, words)
        assert found == expectimax.value_of(bits, score, move, 3, plain.context.words)


@pytest.mark.promise("R8")
@pytest.mark.parametrize("prunes", [True, False])
@pytest.mark.parametrize("depth", [1, 2, 3, 6])
def test_alphabeta(prunes: bool, depth: int, guards: Guards) -> None:
    plain = AlphaBeta(EVALUATORS["clustering"], Rules(), depth, prunes=prunes, wins_at_goal=True)
    words = guard_context(guards, plain.context, has_table=prunes)
    guard_params(guards, words, "clustering")
    for bits, score, move in some_boards(2 if depth == 6 else 20):
        value = alphabeta.value_of(bits, score, move, depth, words)
        assert value == alphabeta.value_of(bits, score, move, depth, plain.context.words)


@pytest.mark.promise("R8")
@pytest.mark.parametrize("prunes", [True, False])
def test_summed(prunes: bool, guards: Guards) -> None:
    plain = Summed(EVALUATORS["baeldung"], Rules(), prunes=prunes, table_mb=0)
    context = plain.context
    words = guard_context(guards, context, has_table=True)
    guard_params(guards, words, "baeldung")
    for bits, _score, move in some_boards(3):
        for rounds in range(3 if not prunes else 4):
            value = summed.value_of(bits, move, rounds, words)
            assert value == summed.value_of(bits, move, rounds, context.words)


@pytest.mark.promise("R8")
@pytest.mark.long
def test_kernel_tests_pass_with_bounds_checks(
    tmp_path: Path, figure: Callable[[str], None]
) -> None:
    """All tests of kernels, compiled with bounds checks of arrays."""
    environment = os.environ | {
        "NUMBA_BOUNDSCHECK": "1",
        "TWOFOLD_CACHE_DIR": str(tmp_path),
        "PYTHONPATH": str(ROOT / "src"),
    }
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "tests/kernels"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert len(list((tmp_path / "kernels").iterdir())) >= 1
    figure("kernel tests pass with NUMBA_BOUNDSCHECK=1")
