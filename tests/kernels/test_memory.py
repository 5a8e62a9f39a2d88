"""Kernels that receive addresses stay inside that memory.

Every buffer lies between two zones of guard bytes. A write into a zone is seen afterwards; a read
from one finds nonsense, so that results differ from those without guards. A guard byte pattern
read as a weight is -2.9e-16: where weights are as small, sums differ.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.kernels.drivers import SHAPES, SMALL, Words, boards_of, layer_values, to_bits
from tests.learn.games import settings_of
from tests.support.guards import ZONE, Guards
from tests.support.twins import positions, small_positions, values_of
from twofold.env.games import OBSERVATIONS, EnvGames, EnvSettings, Observation, Start
from twofold.env.vector import Seeding
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.kernels import context as names
from twofold.kernels import env_games, learning, ntuple, play, policies
from twofold.kernels import expectimax_cells as cell_kernels
from twofold.kernels import updates as at
from twofold.kernels._jit import address_of
from twofold.kernels.bits import frame
from twofold.kernels.expectimax import LOWEST
from twofold.kernels.play import ask, spawn_distribution
from twofold.kernels.simd import WIDTH
from twofold.kernels.transposition import BUCKET_WORDS, MIN_BUCKETS
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import Training
from twofold.limits import MAX_EXPONENT
from twofold.search.alphabeta import AlphaBeta, Summed
from twofold.search.base import Search
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax, ExpectimaxCells
from twofold.values import EVALUATORS
from twofold.values.network import Network, network_evaluator

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.promise("R8")


@pytest.mark.parametrize("offset", [-1, 8])
def test_guards_notice_a_write_on_either_side(offset: int) -> None:
    guards = Guards()
    guards.copy(np.zeros(8, dtype=np.uint8))
    assert guards.intact()
    guards._whole[0][ZONE + offset] = 0
    assert not guards.intact()


def move_between(guards: Guards, *owners: Any) -> None:
    """Move the arrays of objects or dictionaries between guards, and all addresses in them."""
    moved: dict[int, Any] = {}
    for held in [owner if isinstance(owner, dict) else vars(owner) for owner in owners]:
        for name, array in list(held.items()):
            if isinstance(array, np.ndarray) and array.size:
                held[name] = moved[array.ctypes.data] = guards.copy(array)
    known, changed = np.array(sorted(moved), dtype=np.uint64), 0
    for array in moved.values():
        words = array.reshape(-1).view(np.uint8)[: array.nbytes // 8 * 8].view(np.uint64)
        for place in np.flatnonzero(np.isin(words, known)).tolist():
            words[place], changed = moved[int(words[place])].ctypes.data, changed + 1
    assert changed  # else the kernels would not see the guards


# Games

SIMPLE = {
    "random": (policies.random_bits, policies.random_cells),
    "greedy": (policies.greedy_bits, policies.greedy_cells),
    "corner": (policies.corner_bits, policies.corner_cells),
}


class Played:
    """The buffers of a game, guarded."""

    def __init__(self, guards: Guards, rules: Rules, limit: int) -> None:
        self.rules = rules
        distribution = spawn_distribution(rules.spawn_exponents, rules.spawn_weights)
        self.distribution = guards.copy(distribution)
        self.reached = guards.copy(np.zeros(MAX_EXPONENT + 1, dtype=np.uint64))
        self.letters = guards.copy(np.full(limit, 9, dtype=np.uint8))
        self.state = guards.copy(np.zeros(play.STATE_WORDS, dtype=np.uint64))
        self.words = guards.copy(np.zeros(play.GAME_WORDS, dtype=np.uint64))
        self.words[play.DISTRIBUTION] = self.distribution.ctypes.data
        self.words[play.SEED] = rules.rows * rules.cols
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

    def check_letters(self, made: int) -> None:
        assert (self.letters[:made] < 4).all()
        assert (self.letters[made:] == 9).all()


@pytest.mark.parametrize("policy", SIMPLE)
@pytest.mark.parametrize(("shape", "form"), [
    *((shape, "bits") for shape in SMALL), *((shape, "cells") for shape in SHAPES),
])  # fmt: skip
def test_games(shape: tuple[int, int], form: str, policy: str, guards: Guards) -> None:
    game = Played(guards, Rules(*shape, start_tiles=1), limit=7)
    board = guards.copy(np.zeros(shape[0] * shape[1], dtype=np.uint8))
    board[0] = 1
    if form == "bits":
        game.use_bits(guards, SIMPLE[policy][0])
    game.words[play.POLICY_ADDRESS] = address_of(SIMPLE[policy][form == "cells"])
    moves, ended = 0, play.GOING
    while ended == play.GOING and moves < 1_000:
        before = int(game.state[play.MOVE_NUMBER])
        game.letters[:] = 9
        if form == "bits":
            ended = play.play_bits(game.words, game.state, game.limit)
        else:
            ended = play.play_cells(game.words, game.state, board, game.limit)
        made = int(game.state[play.MOVE_NUMBER]) - before
        game.check_letters(made)
        moves += made


@pytest.mark.parametrize("keep", [False, True])
def test_many_games_at_once(keep: bool, guards: Guards) -> None:
    game = Played(guards, Rules(), limit=10_000)
    game.words[play.LETTERS] *= keep
    states, reached = game.use_games(guards, 20)
    assert play.play_many(game.words, np.uint64(2**64 - 10), states, game.limit) == 20
    assert (states[:, play.MOVE_NUMBER] > 20).all()
    game.check_letters(int(states[:, play.MOVE_NUMBER].sum()) if keep else 0)
    for state, numbers in zip(states, reached, strict=True):
        largest = int(state[play.MAX_EXPONENT])
        assert 0 < numbers[largest] <= state[play.MOVE_NUMBER]
        assert not numbers[largest + 1 :].any()


# Searches: every array of the context is guarded, and the table is as small as possible


def guard_search(guards: Guards, search: Search, table: bool = True) -> Search:
    """Move the arrays of a search between guards; its table has the fewest buckets, if any."""
    context = search.context
    if table:
        size = MIN_BUCKETS * BUCKET_WORDS
        context.point(names.TABLE, np.zeros(size, dtype=np.uint64))
        context.words[names.BUCKETS] = context.words[names.ALL] = MIN_BUCKETS
    move_between(guards, context, context._held)
    return search


def plain_rows(rules: str, **more: Any) -> Callable[[], Search]:
    return partial(
        ExpectimaxCells, EVALUATORS["rows"], Rules.parse(rules), Depth.fixed(4), table_mb=0, **more
    )


SEARCHES: dict[str, tuple[Callable[[], Search], Sequence[int]]] = {
    # how a search is made, and its depths
    **{
        name: (partial(Expectimax, EVALUATORS[name], Rules(), Depth.fixed(3), table_mb=0),
               (1, 2, 3))
        for name in EVALUATORS
    },
    **{
        f"cut, second move {second}": (
            partial(Expectimax, EVALUATORS["rows"], Rules(), Depth.few(2, few=4, few_ply=4),
                    cut=0.01, second_move=second),
            (2, 4))
        for second in (False, True)
    },
    **{
        f"alphabeta, prunes {prunes}": (
            partial(AlphaBeta, EVALUATORS["clustering"], Rules(), 3, prunes=prunes,
                    wins_at_goal=True),
            (1, 2, 3, 6))
        for prunes in (False, True)
    },
    **{
        f"summed, prunes {prunes}": (
            partial(Summed, EVALUATORS["baeldung"], Rules(), prunes=prunes, table_mb=0), (1, 2, 3))
        for prunes in (False, True)
    },
    **{
        f"{name} on cells of {rows}x{cols}": (
            partial(ExpectimaxCells, EVALUATORS[name], Rules(rows, cols), Depth.fixed(3),
                    table_mb=0),
            (1, 2, 3) if rows * cols < 17 else (1, 2))
        for name, one in EVALUATORS.items() if one.supports_cells(8, 8)
        for rows, cols in [(1, 2), (2, 2), (4, 4), (5, 5), (3, 6), (1, 8), (8, 1), (8, 8)]
    },
    **{
        f"{rules}, cut {cut}": (plain_rows(rules, cut=cut), depths)
        for cut in (0.0, 0.02)
        for rules, depths in (
            ("1x5 spawn=2:1,4:1,8:1,16:1,65536:2,34359738368:1", (4,)), ("1x3", (12,)),
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("name", SEARCHES)
def test_searches(name: str, guards: Guards) -> None:
    make, depths = SEARCHES[name]
    plain, search = make(), make()
    needs_score = name in EVALUATORS and EVALUATORS[name].needs_score
    if isinstance(search, ExpectimaxCells):  # without a spare frame
        size = (cell_kernels.frames(max(depths)) - 1) * cell_kernels.FRAME_BYTES // 8
        search.context.point(cell_kernels.WORKSPACE, np.zeros(size, dtype=np.uint64))
    guarded = guard_search(guards, search, not needs_score and name != "alphabeta, prunes False")
    if search.rules.shape == (4, 4):
        boards = [board for board, _ in positions(5, 6)]
    else:
        boards = small_positions(search.rules.shape, 4)
    for board in boards:
        for depth in depths if board is boards[0] else depths[:3]:
            for one in (guarded, plain):
                one.begin(afresh=True)
            assert values_of(guarded, board, 10, depth) == values_of(plain, board, 10, depth)


# Networks, with the most leaves possible

MOST = [(a, b) for a in range(9) for b in range(a)][:32]
DISTRIBUTIONS = ["2:0.9,4:0.1", "2:1,4:1,8:1,16:1,32:1,64:1,128:1,32768:1"]


def tiny_network(patterns: str, shape: tuple[int, int], stages: tuple[int, ...]) -> Network:
    """Small weights; two thirds of those of later stages are untouched."""
    network = Network(patterns, shape, stages=stages)
    rng = np.random.default_rng([*shape])
    weights = rng.normal(0, 1e-16, network.weights.shape).astype(np.float32)
    weights[1:][rng.random(weights[1:].shape) < 2 / 3] = np.nan
    network.weights[:] = weights
    return network


def extreme_boards(shape: tuple[int, int]) -> Words:
    """The emptiest and the fullest boards there are, and some of every kind."""
    cells = shape[0] * shape[1]
    full = np.repeat(np.arange(16, dtype=np.uint8)[:, None], cells, axis=1)
    return to_bits(np.concatenate([full, boards_of(*shape, 80)]), *shape)


@pytest.mark.parametrize("stages", [(), (64, 1024)])
@pytest.mark.parametrize("shape", SMALL)
def test_values_of_networks(
    shape: tuple[int, int], stages: tuple[int, ...], guards: Guards
) -> None:
    last = "0123456789abcdef"[: shape[0] * shape[1]][-3:]
    network = tiny_network(f"0 {last}", shape, stages)
    boards = guards.copy(extreme_boards(shape))
    values, expected = guards.copy(np.zeros(len(boards))), np.zeros(len(boards))
    held = {"words": network.words(), "weights": network.weights}
    move_between(guards, held)
    ntuple.value_many(boards, held["words"], values)
    ntuple.value_many(boards, network.words(), expected)
    assert (values == expected).all()


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("shape", [(4, 4), (3, 3), (3, 4), (1, 4), (4, 1)])
def test_policies_and_lowest_layers_of_networks(
    shape: tuple[int, int], distribution: str, guards: Guards
) -> None:
    rules = Rules.parse(f"{shape[0]}x{shape[1]} spawn={distribution} start=1")
    pairs = MOST if shape[0] * shape[1] > 8 else [(0, 1), (2, 3)]
    network = tiny_network(" ".join(f"{a:x}{b:x}" for a, b in pairs), shape, (64, 1024))
    plain, search = (
        Expectimax(network_evaluator(network), rules, Depth.fixed(1), table_mb=0) for _ in range(2)
    )
    move_between(guards, search.context, search.context._held, {"": network.weights})
    both = search.context.words, plain.context.words
    boards, mask = extreme_boards(shape), frame(*shape).mask
    for board in boards:
        moves = [ask(np.uint64(plain.policy), board, 15, 0, np.uint64(0), one) for one in both]
        assert moves[0] == moves[1]
    has_room = [bool(~(b | b >> 1 | b >> 2 | b >> 3) & mask) for b in boards.tolist()]
    afters = guards.copy(boards[np.array(has_room)])
    (values, _), (expected, _) = (
        layer_values(words[LOWEST], afters, 0, len(rules.spawn), words) for words in both
    )
    assert (values == expected).all()


# Learning

RESULT_ROOM = 8
RUNS: dict[str, dict[str, Any]] = {
    "forward": {"shape": (4, 4), "schedule": "td"},
    "16 steps": {"shape": (3, 3), "schedule": "td", "lambda_": 0.9, "steps": 16},
    "backward": {"shape": (3, 4), "schedule": "tc", "order": "backward", "restart": 10},
    "carousel": {"shape": (2, 3), "schedule": "tc", "stages": (16, 32), "carousel": True},
    "past 32768": {
        "shape": (2, 2), "schedule": "tc", "spawn": ((2, 1), (32768, 1)), "order": "backward",
    },
}  # fmt: skip


def guarded_training(guards: Guards, settings: TrainingSettings, games: int) -> Training:
    """A run of one thread, with room for few results, whose memory lies between guards."""
    training = Training(settings, games=games)
    (worker,), shape = training.workers, frame(*settings.rules.shape)
    worker.results = worker.results[:RESULT_ROOM]
    worker.words[at.RESULT_ROOM] = RESULT_ROOM
    tables = {"across": shape.across, "down": shape.down}
    move_between(guards, training, training.network, worker, tables)
    worker.begin(settings.schedule[0], games)
    return training


def go_on(training: Training, moves: int) -> list[tuple[int, ...]]:
    """Until no game is left; returns the results."""
    (worker,), results, active = training.workers, list[Any](), True
    while active:
        active = learning.train(worker.words, moves)
        results += worker.take_results().tolist()
    return [tuple(result) for result in results]


@pytest.mark.parametrize("name", RUNS)
def test_training(name: str, guards: Guards) -> None:
    games = 400 if name == "carousel" else 60
    plain = Training(settings_of(**RUNS[name]), games=games)
    plain.run()
    guarded = guarded_training(guards, settings_of(**RUNS[name]), games)
    results = go_on(guarded, 1_000)
    assert [(score, largest) for score, _, largest in results] == list(plain.curve.recent)
    assert guarded.network.weights.tobytes() == plain.network.weights.tobytes()
    assert guarded.memory.tobytes() == plain.memory.tobytes()


@pytest.mark.parametrize("order", ["forward", "backward"])
def test_a_game_as_long_as_its_history(order: str, guards: Guards) -> None:
    """It ends without room for another afterstate, and continues afterwards."""
    settings = settings_of((4, 4), "td", order=order, steps=3)
    guarded = guarded_training(guards, settings, 3)
    guarded.workers[0].game[at.COUNT] = at.HISTORY_SIZE - 6
    (_, moves, _), *rest = go_on(guarded, 100_000)
    assert moves == 5
    assert len(rest) == 2


def test_the_carousel_goes_round(guards: Guards) -> None:
    """Its rings overflow many times over."""
    settings = settings_of((2, 2), "td", stages=(8, 16), carousel=True)
    guarded = guarded_training(guards, settings, 9_000)
    go_on(guarded, 1_000)
    assert guarded.carousel[1, 0] > 2 * at.CAROUSEL_SIZE
    assert (guarded.carousel[1] > 0).all()


@pytest.mark.parametrize("stages", [(), (4, 16)])
def test_weights_that_are_no_numbers(stages: tuple[int, ...], guards: Guards) -> None:
    """No weight before the first stage is read."""
    guarded = guarded_training(guards, settings_of((2, 3), "tc", stages=stages), 20)
    guarded.network.weights[:] = np.nan
    assert len(go_on(guarded, 100)) == 20
    assert np.isnan(guarded.network.weights).all()


# Environments

COUNT = WIDTH + 3
"""Number of games: one vector and some single games."""


@pytest.mark.parametrize(
    ("shape", "observation"),
    [
        (shape, form)
        for shape in ("4x4", "1x2", "2x3", "3x4", "4x2", "5x4", "8x8")
        for form in OBSERVATIONS
        if form != "bits" or max(map(int, shape.split("x"))) <= 4
    ],
)
def test_steps_of_environments(shape: str, observation: Observation, guards: Guards) -> None:
    rules = Rules.parse(f"{shape} goal=64 stop=goal")
    settings = EnvSettings(rules, observation, spawn_info=True)
    games = EnvGames(settings, COUNT, 40, autoreset=True)
    move_between(guards, games)
    games._make_words()
    seeding = Seeding(games)
    every = np.ones(COUNT, dtype=np.bool_)
    seeding.begin(seeding.listed(5), every)
    games.start(every)
    rng = np.random.default_rng(1)
    for _ in range(150):
        games.actions[:] = rng.integers(0, 4, COUNT)
        if games.step() >> env_games.EXHAUSTED:
            seeding.refill()
        games.sample(5, games.actions)
    games.afterstates()
    games.replace(every)


def test_the_way_of_environments_from_bits_to_cells(guards: Guards) -> None:
    games = EnvGames(EnvSettings(), COUNT)
    move_between(guards, games)
    games._make_words()
    games.place(np.ones(COUNT, dtype=np.bool_), Start(Board.parse("ff00/ff00/eedd/1234"), 0, 0))
    games.afterstates()
    for move in (3, 0, 1, 2) * 20:
        games.actions[:] = move
        games.step()
    assert games.max_tiles.tolist() == [131_072] * COUNT


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
