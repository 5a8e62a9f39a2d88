"""`ntuple_cuda`: n-tuple learning of 65,536 games at once on a graphics card, and on the CPU.

The card must be one that Numba's CUDA target can use. What it does is in `cuda_learning`: here its
rules, values and learning are compared with the package's, then both are measured.
"""

import os
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numba
import numpy as np
from numba import cuda

from benchmarks.common import Figure, Report, Settings, of_runs, shown
from benchmarks.cuda_learning import ENDED, Card
from twofold.figures import counted
from twofold.game import reference
from twofold.game.board import Board
from twofold.kernels.ntuple import value_many
from twofold.learn.settings import TrainingSettings, parse_schedule
from twofold.learn.training import Training
from twofold.values.network import Network

PATTERNS: Final = "8x6"
GAMES: Final = 65_536
BOARDS: Final = 10_000
CHECKED_GAMES: Final = 20
METHODS: Final = {"TD(0)": ("td:0.1", "td:0.1"), "TC": ("tc", "tc:0.125")}
"""The schedule that is measured, and the one whose weights are compared with a CPU thread's."""
LANES: Final = (1, 8)
LAUNCHES: Final = 32
"""Launches between two looks at the clock. One launch is one move of every game, since what a
multiprocessor has in its own cache stays until the launch ends."""
WARM_SECONDS, SECONDS, CPU_SECONDS = 2.0, 10.0, 3.0

# ---- the card against the package


def boards_apart(card: Card, network: Network, count: int) -> float:
    """Compare rules and values on random boards; the largest relative difference of a value."""
    random = np.random.default_rng(1)
    boards = np.zeros(count, dtype=np.uint64)
    for _ in range(16):
        cells = random.integers(0, 15, count) * (random.random(count) < 0.75)
        boards = boards << np.uint64(4) | cells.astype(np.uint64)
    afters, rewards, values = card.look(boards)
    for number, bits in enumerate(boards):
        cells = Board.from_bits(int(bits)).exponents
        for move in reference.MOVES:
            after, reward = reference.slide(cells, 4, 4, move)
            found = Board.from_bits(int(afters[number, move])).exponents
            if (list(found), rewards[number, move]) != (after, reward):
                raise ValueError(f"move {move} of {int(bits):016x} differs from the rules")
    known = np.zeros(afters.size)
    value_many(afters.ravel(), network.words(), known)
    return float(np.max(np.abs(values.ravel() - known) / np.maximum(np.abs(known), 1)))


def boards_alike() -> list[Figure]:
    """Compare rules and values, with random weights."""
    network = Network(PATTERNS)
    network.weights[0] = np.random.default_rng(1).random(network.stage_size, dtype=np.float32)
    apart = boards_apart(Card(network, "td:0.1", 1, 64, 1), network, BOARDS)
    return [Figure(f"values of {4 * BOARDS:,} afterstates from the CPU's", apart, None, None, "")]


def learning_apart(patterns: str, method: str, lanes: int, games: int) -> float:
    """Play games one after the other on the card and on a CPU thread, with the same dice.

    Returns the largest difference of a weight.
    """
    settings = TrainingSettings(patterns=patterns, schedule=parse_schedule(method), threads=1)
    training = Training(settings, games=games)
    training.run()
    card = Card(Network(patterns), method, lanes, 1, settings.seed)
    for _ in range(2_000 * games):  # more than the first games have
        if card.ended()[ENDED] == games:
            break
        card.play(1)
    learnt = card.records.copy_to_host()
    return float(np.max(np.abs(learnt[:, 0] - training.network.weights[0])))


# ---- the subject


@dataclass(frozen=True, slots=True)
class Look:
    """What happened between two looks at the clock: moves, games ended, their points, seconds."""

    moves: float
    games: float
    points: float
    seconds: float


def run(card: Card, seconds: float) -> list[Look]:
    """Play for a time."""
    looks: list[Look] = []
    ended, began = card.ended(), time.perf_counter()
    while sum(look.seconds for look in looks) < seconds:
        card.play(LAUNCHES)
        totals, now = card.ended(), time.perf_counter()
        games, points = totals - ended
        looks.append(Look(LAUNCHES * card.games - games, games, points, now - began))
        ended, began = totals, now
    return looks


def on_card(name: str, lanes: int, settings: Settings) -> list[Figure]:
    """One method with one number of threads a game: is it right, how fast is it, what it learns."""
    (schedule, checked), what = METHODS[name], f"{name}, {counted(lanes, 'thread')} a game"
    apart = learning_apart(PATTERNS, checked, lanes, CHECKED_GAMES)
    card = Card(Network(PATTERNS), schedule, lanes, settings.games or GAMES, settings.seed)
    looks = run(card, WARM_SECONDS)
    first = len(looks)
    looks += run(card, SECONDS)
    figures = [
        Figure(f"{what}: weights from those of a CPU thread", apart, None, None, "points"),
        of_runs(what, [look.moves / look.seconds for look in looks[first:]], "moves/s"),
    ]
    for share in (0.5, 1.0):
        seen = looks[: round(share * len(looks))]
        moves, last = sum(look.moves for look in seen), seen[len(seen) * 3 // 4 :]
        mean = sum(look.points for look in last) / max(sum(look.games for look in last), 1)
        text = f"{what}: mean score after {moves / 1e6:,.0f} M moves"
        figures.append(Figure(text, mean, None, None, "points"))
    return figures


def on_processor(name: str, threads: int, settings: Settings) -> list[Figure]:
    """Speed of the package's own training."""
    schedule = parse_schedule(METHODS[name][0])
    training = Training(
        TrainingSettings(patterns=PATTERNS, schedule=schedule, threads=threads, seed=settings.seed)
    )
    training.run(seconds=CPU_SECONDS / 4)
    moves, before = training.moves, time.perf_counter()
    training.run(seconds=CPU_SECONDS)
    speed = (training.moves - moves) / (time.perf_counter() - before)
    return [Figure(f"{name}, {counted(threads, 'CPU thread')}", speed, None, None, "moves/s")]


def measure(settings: Settings) -> Report:
    """Compare the card with the package, then measure both; an error ends its own part alone."""
    if not cuda.is_available():
        raise SystemExit("expected a graphics card that Numba's CUDA target can use, got none")
    parts: list[Callable[[], list[Figure]]] = [boards_alike]
    parts += [partial(on_card, name, lanes, settings) for name in METHODS for lanes in LANES]
    counts = sorted({1, 2, os.cpu_count() or 1})
    parts += [partial(on_processor, name, count, settings) for name in METHODS for count in counts]
    figures: list[Figure] = []
    for part in parts:
        try:
            found = part()
        except Exception:
            traceback.print_exc()
            continue
        for figure in found:
            print(f"  {figure.what}: {shown(figure.value)}", file=sys.stderr, flush=True)
        figures += found
    card = cuda.get_current_device().name
    return Report(
        f"N-tuple learning of {settings.games or GAMES:,} games at once: {PATTERNS} from nothing",
        figures,
        [
            f"{card}, Numba {numba.__version__}. Wall clock, {SECONDS:g} s after {WARM_SECONDS:g}; "
            f"medians and extremes of {LAUNCHES} moves of each game. A mean score is that of the "
            "games that ended in the last quarter of the moves.",
            f"Rules are equal on {BOARDS:,} random boards. Learning is compared over "
            f"{CHECKED_GAMES} games, one after the other with the same dice.",
        ],
    )
