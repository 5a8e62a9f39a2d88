"""Networks and their learning stay inside the memory they are given, as `test_memory` has it.

A guard byte pattern read as a weight is -2.9e-16: where weights are as small, sums differ.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numba import types

from tests.kernels.drivers import SMALL, Words, played_boards, to_bits
from tests.kernels.lazily import lazy_kernel
from tests.learn.games import settings_of
from tests.support.guards import Guards
from twofold.game.rules import Rules
from twofold.kernels import context as names
from twofold.kernels import learning, ntuple, updates
from twofold.kernels import updates as at
from twofold.kernels.bits import frame
from twofold.kernels.expectimax import LOWEST
from twofold.kernels.intrinsics import call_layer, pointer
from twofold.kernels.play import ask, spawn_distribution
from twofold.learn.training import Training
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax
from twofold.values.network import Network, network_evaluator

_WORDS = types.uint64[::1]
_FLOATS = types.float64[::1]
MOST = [(a, b) for a in range(9) for b in range(a)][:32]
RESULT_ROOM = 8


def tiny_network(patterns: str, shape: tuple[int, int], stages: tuple[int, ...]) -> Network:
    """Small weights; two thirds of those of later stages are untouched."""
    network = Network(patterns, shape, stages=stages)
    rng = np.random.default_rng([*shape])
    weights = rng.normal(0, 1e-16, network.weights.shape).astype(np.float32)
    weights[1:][rng.random(weights[1:].shape) < 2 / 3] = np.nan
    network.weights[:] = weights
    return network


def guard_network(guards: Guards, network: Network) -> Words:
    """The words of a network and its weights, between guards."""
    words = guards.copy(network.words())
    words[ntuple.WEIGHTS] = guards.copy(network.weights).ctypes.data
    return words


def extreme_boards(shape: tuple[int, int]) -> Words:
    """The emptiest and the fullest boards there are, and some of games."""
    cells = shape[0] * shape[1]
    full = np.repeat(np.arange(16, dtype=np.uint8)[:, None], cells, axis=1)
    rng = np.random.default_rng(cells)
    mixed = rng.integers(0, 16, (40, cells)).astype(np.uint8)
    return to_bits(np.concatenate([full, mixed, played_boards(40, *shape, seed=1)]), *shape)


@pytest.mark.promise("R8")
@pytest.mark.parametrize("stages", [(), (64, 1024)])
@pytest.mark.parametrize("shape", SMALL)
def test_values(shape: tuple[int, int], stages: tuple[int, ...], guards: Guards) -> None:
    last = "0123456789abcdef"[: shape[0] * shape[1]][-3:]
    network = tiny_network(f"0 {last}", shape, stages)
    boards = guards.copy(extreme_boards(shape))
    values, expected = guards.copy(np.zeros(len(boards))), np.zeros(len(boards))
    ntuple.value_many(boards, guard_network(guards, network), values)
    ntuple.value_many(boards, network.words(), expected)
    assert (values == expected).all()


# The policy of one ply and the lowest layer of a search, with the most leaves possible

DISTRIBUTIONS = ["2:0.9,4:0.1", "2:1,4:1,8:1,16:1,32:1,64:1,128:1,32768:1"]


@lazy_kernel(types.void(_WORDS, types.int64, _FLOATS, _WORDS))
def layer_values(afters, tiles, values, context):
    words = pointer(context)
    for index in range(len(afters)):
        values[index] = call_layer(words[LOWEST], (afters[index], 0, 0, tiles, words))


def guard_search(guards: Guards, search: Expectimax, network: Network) -> Words:
    """The words of a search and their arrays, between guards."""
    words, held = guards.copy(search.context.words), search.context._held
    own = (ntuple.LEAVES, ntuple.PLACES, ntuple.FOUND_LEAVES)
    for word in (names.ACROSS, names.DOWN, names.DISTRIBUTION, *own):
        words[word] = guards.copy(held[word]).ctypes.data
    words[names.PARAMS] = guard_network(guards, network).ctypes.data
    return words


@pytest.mark.promise("R8")
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("shape", [(4, 4), (3, 3), (3, 4), (1, 4), (4, 1)])
def test_searches(shape: tuple[int, int], distribution: str, guards: Guards) -> None:
    rules = Rules.parse(f"{shape[0]}x{shape[1]} spawn={distribution} start=1")
    pairs = MOST if shape[0] * shape[1] > 8 else [(0, 1), (2, 3)]
    network = tiny_network(" ".join(f"{a:x}{b:x}" for a, b in pairs), shape, (64, 1024))
    search = Expectimax(network_evaluator(network), rules, Depth.fixed(1), table_mb=0)
    plain, words = search.context.words, guard_search(guards, search, network)
    boards, mask = extreme_boards(shape), frame(*shape).mask
    policy = np.uint64(search.policy)
    for board in boards:
        moves = [ask(policy, board, 15, 0, np.uint64(0), some) for some in (words, plain)]
        assert moves[0] == moves[1]
    has_room = [bool(~(b | b >> 1 | b >> 2 | b >> 3) & mask) for b in boards.tolist()]
    afters = boards[np.array(has_room)]
    values, expected = guards.copy(np.zeros(len(afters))), np.zeros(len(afters))
    layer_values(guards.copy(afters), len(rules.spawn), values, words)
    layer_values(afters, len(rules.spawn), expected, plain)
    assert (values == expected).all()


# Learning

RUNS: dict[str, dict[str, Any]] = {
    "forward": {"shape": (4, 4), "schedule": "td"},
    "16 steps": {"shape": (3, 3), "schedule": "td", "lambda_": 0.9, "steps": 16},
    "backward": {"shape": (3, 4), "schedule": "tc", "order": "backward", "restart": 10},
    "carousel": {"shape": (2, 3), "schedule": "tc", "stages": (16, 32), "carousel": True},
    "past 32768": {
        "shape": (2, 2), "schedule": "tc", "spawn": ((2, 1), (32768, 1)), "order": "backward",
    },
}  # fmt: skip


@dataclass
class Guarded:
    """A training run of one thread whose memory lies between guards."""

    training: Training
    words: Words
    game: Words

    @classmethod
    def make(cls, guards: Guards, training: Training) -> "Guarded":
        (worker,), network = training.workers, training.network
        network.weights = guards.copy(network.weights)
        training.network_words = guards.copy(network.words())
        training.memory = guards.copy(training.memory)
        training.games_begun = guards.copy(training.games_begun)
        training.carousel = guards.copy(training.carousel)
        worker.game = guards.copy(worker.game)
        worker.history = guards.copy(worker.history)
        worker.results = guards.copy(worker.results[:RESULT_ROOM])
        worker.words = words = guards.copy(worker.words)
        rules, shape = training.settings.rules, frame(*training.settings.rules.shape)
        distribution = spawn_distribution(rules.spawn_exponents, rules.spawn_weights)
        for word, array in (
            (at.NETWORK, training.network_words),
            (at.MEMORY, training.memory),
            (at.ACROSS, guards.copy(shape.across)),
            (at.DOWN, guards.copy(shape.down)),
            (at.DISTRIBUTION, guards.copy(distribution)),
            (at.GAMES, training.games_begun),
            (at.GAME, worker.game),
            (at.RESULTS, worker.results),
        ):
            words[word] = array.ctypes.data
        if training.settings.carousel:
            words[at.CAROUSEL] = training.carousel.ctypes.data
        words[at.RESULT_ROOM] = RESULT_ROOM
        worker.point_history()
        return cls(training, words, worker.game)

    def begin(self, games: int) -> None:
        (worker,), settings = self.training.workers, self.training.settings
        worker.begin(settings.schedule[0], games)

    def go_on(self, moves: int) -> list[tuple[int, ...]]:
        """Until no game is left; returns the results."""
        results = []
        active = True
        while active:
            active = learning.train(self.words, moves)
            results += self.training.workers[0].take_results().tolist()
        return [tuple(result) for result in results]


@pytest.mark.promise("R8")
@pytest.mark.parametrize("name", RUNS)
def test_training(name: str, guards: Guards) -> None:
    games = 400 if name == "carousel" else 60
    plain = Training(settings_of(**RUNS[name]), games=games)
    plain.run()
    guarded = Guarded.make(guards, Training(settings_of(**RUNS[name]), games=games))
    guarded.begin(games)
    results = guarded.go_on(1_000)
    assert [(score, largest) for score, _, largest in results] == list(plain.curve.recent)
    assert guarded.training.network.weights.tobytes() == plain.network.weights.tobytes()
    assert guarded.training.memory.tobytes() == plain.memory.tobytes()


@pytest.mark.promise("R8")
@pytest.mark.parametrize("order", ["forward", "backward"])
def test_a_game_as_long_as_its_history(order: str, guards: Guards) -> None:
    """It ends without room for another afterstate, and continues afterwards."""
    settings = settings_of((4, 4), "td", order=order, steps=3)
    guarded = Guarded.make(guards, Training(settings, games=3))
    guarded.begin(3)
    guarded.game[at.COUNT] = at.HISTORY_SIZE - 6
    (_, moves, _), *rest = guarded.go_on(100_000)
    assert moves == 5
    assert len(rest) == 2


@pytest.mark.promise("R8")
def test_the_carousel_goes_round(guards: Guards) -> None:
    """Its rings overflow many times over."""
    settings = settings_of((2, 2), "td", stages=(8, 16), carousel=True)
    guarded = Guarded.make(guards, Training(settings, games=9_000))
    guarded.begin(9_000)
    guarded.go_on(1_000)
    assert guarded.training.carousel[1, 0] > 2 * at.CAROUSEL_SIZE
    assert (guarded.training.carousel[1] > 0).all()


@pytest.mark.promise("R8")
def test_single_updates(guards: Guards) -> None:
    pairs = " ".join(f"{a:x}{b:x}" for a, b in MOST)
    for stages in ((), (64, 1024)):
        guarded = Guarded.make(
            guards, Training(settings_of((4, 4), "tc", stages=stages, patterns=pairs))
        )
        guarded.begin(0)
        for board in extreme_boards((4, 4)):
            updates.learn_one(guarded.words, board, 100.0)


@pytest.mark.promise("R8")
@pytest.mark.parametrize("stages", [(), (4, 16)])
def test_weights_that_are_no_numbers(stages: tuple[int, ...], guards: Guards) -> None:
    """No weight before the first stage is read."""
    guarded = Guarded.make(guards, Training(settings_of((2, 3), "tc", stages=stages), games=20))
    guarded.training.network.weights[:] = np.nan
    guarded.begin(20)
    assert len(guarded.go_on(100)) == 20
    assert np.isnan(guarded.training.network.weights).all()
