"""`star`: expectimax with `prune=star1`, without pruning, and with other ways to prune.

The other ways are Star1 with other bounds, and Star2; see `star_search`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Final

import numpy as np

from benchmarks.common import Figure, Report, Settings, of_runs, timed
from benchmarks.positions import Positions, choose_all, of_games
from benchmarks.star_search import (
    Bounds,
    Star,
    legal_mask,
    of_sums,
    of_tables,
    plain_moves,
    tile_sum,
)
from twofold.evaluators import EVALUATORS, Evaluator
from twofold.kernels.search import expectimax as kernels
from twofold.players import make_player
from twofold.players.searching import ExpectimaxPlayer
from twofold.rules import STANDARD
from twofold.search.context import TABLE_MB
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax

NAMES: Final = ("rows", "snake")
POSITIONS_PLAYER: Final = "expectimax:eval=rows,ply=2"
GAMES: Final = 10
PART: Final = (0.25, 0.75)
POSITIONS: Final = {3: 300, 4: 100, 5: 24}
"""Positions per run, by ply."""
CASES: Final = ((3, 0), (3, TABLE_MB), (4, 0), (4, TABLE_MB), (5, TABLE_MB))
"""(depth in plies, size of the table in MiB)."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A search to compare with that of the library.

    Attributes:
        label: its name in the table.
        bounds: `none`, `tables`, `sums` or `seen`.
        whole: see `Star`.
        probes: see `Star`.
    """

    label: str
    bounds: str
    whole: bool = True
    probes: bool = False


VARIANTS: Final = (
    Variant("no pruning", "none"),
    Variant("Star1, bounds of the tables", "tables"),
    Variant("Star1, bounds by tile sum", "sums"),
    Variant("Star1, bounds seen", "seen"),
    Variant("Star1 down to leaves, bounds by tile sum", "sums", whole=False),
    Variant("Star2, bounds by tile sum", "sums", probes=True),
    Variant("Star2, bounds seen", "seen", probes=True),
)


def measure(settings: Settings) -> Report:
    """Measure every variant at plies 3 to 5, with and without a table."""
    positions = of_games(POSITIONS_PLAYER, STANDARD, settings.seed, GAMES, part=PART)
    counts = ", ".join(f"{count} at ply {ply}" for ply, count in POSITIONS.items())
    return Report(
        "Star1 and Star2, CPU time in percent of expectimax without pruning",
        [
            *(
                _compare_library(name, ply, positions.thinned(count), settings)
                for name, (ply, count) in product(NAMES, POSITIONS.items())
            ),
            *(
                figure
                for name, (ply, table_mb) in product(NAMES, CASES)
                for figure in _compare(
                    name, ply, table_mb, positions.thinned(POSITIONS[ply]), settings
                )
            ),
        ],
        [
            f"Positions: {counts}, evenly spaced over the middle half of {GAMES} games of "
            f"{POSITIONS_PLAYER}, seeds from {settings.seed}.",
            f"Median of {settings.runs} ratios, the two searches in turns, each with an empty "
            "table; every search found the same moves with the same values.",
            "Bounds of the tables: the best of each row and column. By tile sum: the best four "
            "rows, and columns, with the sum that the spawns will have made; of a snake, the "
            "tiles merged and sorted. Seen: what a full search found on this very board; no "
            "search can know it before.",
        ],
    )


def _compare_library(name: str, ply: int, positions: Positions, settings: Settings) -> Figure:
    """`prune=star1` against `prune=none`."""
    ratios = []
    for _ in range(settings.runs + 1):
        seconds, moves, nodes = [], [], []
        for prune in ("none", "star1"):
            spec = f"expectimax:eval={name},ply={ply},prune={prune}"
            with make_player(spec) as player:
                assert isinstance(player, ExpectimaxPlayer)
                player.start(STANDARD, settings.seed)
                seconds.append(
                    timed(partial(_note, moves, partial(choose_all, player, positions))).cpu
                )
                nodes.append(player.search.nodes)
        assert moves[0] == moves[1]
        ratios.append(100 * seconds[1] / seconds[0])
    label = f"{name}, ply {ply}, {TABLE_MB} MiB: prune=star1: {100 * nodes[1] / nodes[0]:.0f} %"
    return of_runs(f"{label} of the nodes, time", ratios[1:], "%")


def _note(found: list[int], work: Callable[[], int]) -> None:
    """Record a result."""
    found.append(work())


def _compare(
    name: str, ply: int, table_mb: int, positions: Positions, settings: Settings
) -> Iterator[Figure]:
    """A figure for each variant."""
    evaluator, boards = EVALUATORS[name], list(positions.bits)
    legal, sums = [legal_mask(bits) for bits in boards], [tile_sum(bits) for bits in boards]
    bounds = {
        kind: _bounds_for(kind, evaluator, ply, boards) for kind in ("tables", "sums", "seen")
    }
    for variant in VARIANTS:
        ratios = []
        for _ in range(settings.runs + 1):
            library = Expectimax(evaluator, STANDARD, Depth.fixed(ply), table_mb=table_mb)
            tried = Star(
                evaluator, ply, table_mb=table_mb, whole=variant.whole, probes=variant.probes
            )
            plain = timed(partial(plain_moves, library, boards, legal)).cpu
            known = bounds.get(variant.bounds)
            pruned = timed(partial(_choose_all, tried, boards, sums, known)).cpu
            ratios.append(100 * pruned / plain)
        _check(variant, evaluator, ply, boards, bounds.get(variant.bounds))
        nodes = 100 * tried.search.nodes / library.nodes
        label = f"{name}, ply {ply}, {table_mb} MiB: {variant.label}: {nodes:.0f} % of the nodes,"
        yield of_runs(f"{label} time", ratios[1:], "%")


def _bounds_for(
    kind: str, evaluator: Evaluator, ply: int, boards: Sequence[np.uint64]
) -> list[Bounds]:
    """The bounds for each board."""
    if kind == "seen":
        full = Star(evaluator, ply, whole=False)
        return [full.bounds_seen(bits) for bits in boards]
    if kind == "sums":
        largest = max(tile_sum(bits) for bits in boards)
        return [of_sums(evaluator, largest + 4 * ply)] * len(boards)
    return [of_tables(evaluator)] * len(boards)


def _choose_all(
    tried: Star, boards: Sequence[np.uint64], sums: Sequence[int], bounds: Sequence[Bounds] | None
) -> list[tuple[int, float]]:
    """Moves and values of a variant; None for no pruning."""
    found = []
    for number, bits in enumerate(boards):
        if bounds is not None:
            tried.use(bounds[number])
        found.append(tried.choose(bits, sums[number]))
    return found


def _check(
    variant: Variant,
    evaluator: Evaluator,
    ply: int,
    boards: Sequence[np.uint64],
    bounds: Sequence[Bounds] | None,
) -> None:
    """Check that moves and values equal those of the library, up to the order of sums."""
    library = Expectimax(evaluator, STANDARD, Depth.fixed(ply))
    moves = plain_moves(library, boards, [legal_mask(bits) for bits in boards])
    sums = [tile_sum(bits) for bits in boards]
    tried = Star(evaluator, ply, table_mb=TABLE_MB, whole=variant.whole, probes=variant.probes)
    error = 0.0 if variant.whole else 1e-13
    for bits, move, (other, value) in zip(
        boards, moves, _choose_all(tried, boards, sums, bounds), strict=True
    ):
        expected = kernels.value_of(bits, 0, move, ply, library.context.words)
        assert other == move
        assert abs(value - expected) <= error * abs(expected)
