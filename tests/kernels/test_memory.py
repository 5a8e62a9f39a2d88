"""Kernels that receive addresses stay inside that memory.

Every buffer lies between two zones of guard bytes. A write into a zone is seen afterwards; a read
from one finds nonsense, so that results differ from those without guards. A guard byte pattern
read as a weight is -2.9e-16: where weights are as small, sums differ.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.kernels.drivers import SMALL, boards_of, to_bits
from tests.learn.games import settings_of
from tests.support.twins import policy_move, small_positions, values_of
from twofold.env.games import OBSERVATIONS, EnvGames, EnvSettings, Observation, Start
from twofold.env.vector import Seeding
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.notation import SeedRange
from twofold.game.rules import Rules
from twofold.kernels import context as names
from twofold.kernels import env_games, learning, ntuple
from twofold.kernels import expectimax_cells as cell_kernels
from twofold.kernels import updates as at
from twofold.kernels.bits import Frame, frame
from twofold.kernels.play import spawn_distribution
from twofold.kernels.simd import WIDTH
from twofold.kernels.transposition import BUCKET_WORDS, MIN_BUCKETS
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import Training
from twofold.players import compiled, loop, make_player
from twofold.players.searching import SearchPlayer
from twofold.search.base import Search
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax, ExpectimaxCells
from twofold.values import EVALUATORS
from twofold.values.network import Network, network_evaluator

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.promise("R8")


ZONE, PATTERN = 4096, 0xA5
"""Bytes on either side of a buffer, and what they hold."""


class Guards:
    """Buffers between guard zones."""

    def __init__(self) -> None:
        self._whole: list[NDArray[np.uint8]] = []

    def copy(self, array: NDArray[Any]) -> NDArray[Any]:
        """A copy of an array with a guard zone before and behind it."""
        flat = np.ascontiguousarray(array)
        whole = np.full(flat.nbytes + 2 * ZONE, PATTERN, dtype=np.uint8)
        whole[ZONE:-ZONE] = flat.reshape(-1).view(np.uint8)
        self._whole.append(whole)
        return whole[ZONE:-ZONE].view(flat.dtype).reshape(flat.shape)

    def intact(self) -> bool:
        """Whether no guard byte has changed."""
        zones = [zone for whole in self._whole for zone in (whole[:ZONE], whole[-ZONE:])]
        return bool(zones) and all((zone == PATTERN).all() for zone in zones)


@pytest.fixture
def guards() -> Iterator[Guards]:
    """Guards, found intact at the end."""
    found = Guards()
    yield found
    assert found.intact()


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


def guard_games(guards: Guards, patch: pytest.MonkeyPatch) -> None:
    """Have every array that a game in kernels is given lie between guards."""

    class GuardedNumPy:
        def __getattr__(self, name: str) -> Any:
            value = getattr(np, name)
            if name not in ("array", "empty", "zeros"):
                return value
            return lambda *given, **more: guards.copy(value(*given, **more))

    for module in (loop, compiled):
        patch.setattr(module, "np", GuardedNumPy())
        patch.setattr(module, "frame", lambda *shape: guarded_frame(guards, *shape))
    patch.setattr(
        loop, "spawn_distribution", lambda *given: guards.copy(spawn_distribution(*given))
    )


def guarded_frame(guards: Guards, *shape: int) -> Frame:
    made = frame(*shape)
    return replace(made, across=guards.copy(made.across), down=guards.copy(made.down))


@pytest.mark.parametrize("spec", ["random", "greedy", "corner"])
@pytest.mark.parametrize(
    "rules",
    [*(f"{r}x{c}" for r, c in [*SMALL, (1, 5), (8, 1), (3, 7), (5, 5), (8, 8)]),
     "2x2 spawn=2:1,65536:1", "4x3 spawn=4:1,65536:1"],
)  # fmt: skip
def test_games(rules: str, spec: str, guards: Guards, monkeypatch: pytest.MonkeyPatch) -> None:
    """On bits where they fit, else on cells; the letters of a few moves at a time."""

    def letters() -> list[str]:
        player, game = make_player(spec), Game(Rules.parse(f"{rules} start=1"), seed=2)
        player.start(game.rules, game.seed)
        assert isinstance(player, compiled.CompiledPlayer)
        under_way = loop.KernelGame(player, game, [0, 0])
        return [under_way.play(7) for _ in range(140) if under_way.can_go_on]

    expected = letters()
    guard_games(guards, monkeypatch)
    assert letters() == expected


@pytest.mark.parametrize("keep", [False, True])
def test_many_games_at_once(keep: bool, guards: Guards, monkeypatch: pytest.MonkeyPatch) -> None:
    def played() -> list[loop.GameResult]:
        player = make_player("random")
        found = loop.play_games(player, Rules(), SeedRange(2**64 - 10, 20), keep_moves=keep)
        return [replace(one, seconds=0.0) for one in found]

    expected = played()
    guard_games(guards, monkeypatch)
    assert played() == expected


# Searches: every array of the context is guarded, and the table is as small as possible

MOST = [(a, b) for a in range(9) for b in range(a)][:32]
"""Patterns that make the most leaves possible."""


def tiny_network(patterns: str, shape: tuple[int, int], stages: tuple[int, ...]) -> Network:
    """Small weights; two thirds of those of later stages are untouched."""
    network = Network(patterns, shape, stages=stages)
    rng = np.random.default_rng([*shape])
    weights = rng.normal(0, 1e-16, network.weights.shape).astype(np.float32)
    weights[1:][rng.random(weights[1:].shape) < 2 / 3] = np.nan
    network.weights[:] = weights
    return network


def of_network(rules: Rules) -> tuple[Search, Network]:
    pairs = MOST if rules.rows * rules.cols > 8 else [(0, 1), (2, 3)]
    network = tiny_network(" ".join(f"{a:x}{b:x}" for a, b in pairs), rules.shape, (64, 1024))
    return Expectimax(network_evaluator(network), rules, Depth.fixed(1), table_mb=0), network


SEARCHES: dict[str, tuple[str, Sequence[int]]] = {
    # player: rules and depths
    **{f"expectimax:eval={name},table_mb=0": ("4x4", (1, 2, 3)) for name in EVALUATORS},
    "expectimax:ply=4/2@4,cut=0.01": ("4x4", (2, 4)),
    "it3105-snake:layers=literal": ("4x4", (2, 4)),
    "alphabeta:eval=clustering": ("4x4", (1, 2, 3, 6)),
    "datumbox:search=minimax": ("4x4", (1, 2, 3)),
    "datumbox": ("4x4 goal=64", (1, 2, 3, 6)),
    "baeldung": ("4x4", (1, 2, 3)),
    "baeldung:prune=no": ("4x4", (1, 2)),
    **{
        f"expectimax:eval={name},table_mb={number}": (f"{rules} spawn=2:1,4:1,65536:1e-9", depths)
        for name, one in EVALUATORS.items()
        if one.supports_cells(8, 8)
        for number, (rules, depths) in enumerate({
            "1x2": (1, 2, 3), "2x2": (1, 2, 3), "4x4": (1, 2), "5x5": (1, 2), "1x8": (1, 2, 3),
            "8x1": (1, 2, 3), "8x8": (1,),
        }.items())
    },
    "expectimax:cut=0.02": ("1x5 spawn=2:1,4:1,8:1,16:1,65536:2,34359738368:1", (4,)),
    "expectimax:table_mb=0": ("1x3 spawn=2:1,65536:1", (12,)),
    **{
        f"network {shape} {count}": (f"{shape} start=1 spawn={spawn}", (1, 2))
        for shape in ("4x4", "3x3", "3x4", "1x4", "4x1")
        for count, spawn in ((2, "2:0.9,4:0.1"), (8, "2:1,4:1,8:1,16:1,32:1,64:1,128:1,32768:1"))
    },
}  # fmt: skip


@pytest.mark.parametrize("name", SEARCHES)
def test_searches(name: str, guards: Guards) -> None:
    text, depths = SEARCHES[name]
    rules, networks = Rules.parse(text), list[Any]()
    if name.startswith("network"):
        (plain, _), (search, network) = of_network(rules), of_network(rules)
        networks.append({"": network.weights})
    else:
        plain, search = searches_of(name, rules)
    context = search.context
    if isinstance(search, ExpectimaxCells):  # without a spare frame
        size = (cell_kernels.frames(max(depths)) - 1) * cell_kernels.FRAME_BYTES // 8
        context.point(cell_kernels.WORKSPACE, np.zeros(size, dtype=np.uint64))
    if names.TABLE in context._held:
        context.point(names.TABLE, np.zeros(MIN_BUCKETS * BUCKET_WORDS, dtype=np.uint64))
        context.words[names.BUCKETS] = context.words[names.ALL] = MIN_BUCKETS
    move_between(guards, context, context._held, *networks)
    boards = small_positions(rules.shape, 4, largest=15)
    for board in boards:
        for depth in depths if board is boards[0] else depths[:2]:
            for one in (search, plain):
                one.begin(afresh=True)
            assert values_of(search, board, 10, depth) == values_of(plain, board, 10, depth)
        if networks:
            assert policy_move(search, board, 10) is policy_move(plain, board, 10)


def searches_of(spec: str, rules: Rules) -> list[Search]:
    found = []
    for _ in range(2):
        player = make_player(spec)
        assert isinstance(player, SearchPlayer)
        player.start(rules, 1)
        found.append(player.search)
    return found


@pytest.mark.parametrize("stages", [(), (64, 1024)])
@pytest.mark.parametrize("shape", SMALL)
def test_values_of_networks(
    shape: tuple[int, int], stages: tuple[int, ...], guards: Guards
) -> None:
    last = "0123456789abcdef"[: shape[0] * shape[1]][-3:]
    network = tiny_network(f"0 {last}", shape, stages)
    boards = guards.copy(to_bits(boards_of(*shape, 80), *shape))
    values, expected = guards.copy(np.zeros(len(boards))), np.zeros(len(boards))
    held = {"words": network.words(), "weights": network.weights}
    move_between(guards, held)
    ntuple.value_many(boards, held["words"], values)
    ntuple.value_many(boards, network.words(), expected)
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
