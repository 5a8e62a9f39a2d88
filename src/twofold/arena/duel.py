"""Duels: two players on the same seeds, until a sequential test decides or all are played."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from twofold.arena.bench import Bench, PlayerStanding
from twofold.arena.compare import (
    MIN_PAIRS,
    Comparison,
    Sprt,
    compare_standings,
    reach_table,
    verdict_words,
)
from twofold.arena.games import GameColumns
from twofold.arena.stats import format_runs
from twofold.arena.workers import Backend
from twofold.errors import InvalidInput
from twofold.game.drawing import preformatted
from twofold.game.notation import SeedRange
from twofold.players import PlayerSpec

STEP_SHARE: Final = 10
"""A sequential test is repeated when the games have grown by 1/10, or by 4 for each job."""


@dataclass(frozen=True, slots=True)
class SprtQuestion:
    """The hypothesis of a sequential test.

    Attributes:
        delta: the smallest difference worth finding, in points, or for a tile as a share of
            games; None for `share`.
        tile: the tile whose reach rates are compared; None for scores.
        share: the smallest difference worth finding, as a share of B's mean score or of games.
    """

    delta: float | None = None
    tile: int | None = None
    share: float = 0.05


@dataclass(frozen=True)
class DuelOutcome:
    """The result of a duel; printed as tables and a sentence.

    Attributes:
        standings: the games of A and B; with a test those that it has used.
        test: the sequential test; None without one.
        tile: the tile whose reach rates are tested; None for scores.
    """

    standings: tuple[PlayerStanding, PlayerStanding]
    test: Sprt | None = None
    tile: int | None = None

    @cached_property
    def comparison(self) -> Comparison | None:
        """The players on their common seeds; None without any."""
        return compare_standings(*self.standings)

    @property
    def verdict(self) -> str | None:
        """The stronger player, `A` or `B`; `EQUAL` by a test; None if it is not known."""
        if self.test is not None:
            return None if self.test.verdict is None else str(self.test.verdict)
        sign = 0 if self.comparison is None else self.comparison.paired.difference.sign
        return {1: "A", -1: "B"}.get(sign)

    @property
    def words(self) -> str:
        """The result as one sentence without a full stop; empty without common seeds."""
        if self.test is not None:
            first, second = self.standings
            return verdict_words(self.test, (first.player, second.player), self.tile)
        return "" if self.comparison is None else verdict_words(self.comparison)

    @property
    def tables(self) -> str:
        """The scores, then the reach rates."""
        scores = format_runs(self.standings, rates=False)
        rates = "" if self.comparison is None else reach_table(self.comparison)
        return "\n\n".join(filter(None, (scores, rates)))

    def __str__(self) -> str:
        return f"{self.tables}\n\n{self.words}." if self.words else self.tables

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return preformatted(str(self))


def duel(
    bench: Bench,
    players: tuple[PlayerSpec | str, PlayerSpec | str],
    seeds: SeedRange,
    jobs: int,
    *,
    question: SprtQuestion | None = None,
    backend: Backend | None = None,
    on_result: Callable[[int, GameColumns], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> DuelOutcome:
    """Let players A and B, which must differ, play the same seeds, or fewer for a sequential test.

    Args:
        bench: without players yet; its study stores the games.
        players: A and B.
        seeds: of the games of each.
        jobs: number of games at the same time.
        question: of a sequential test; None to play all games.
        backend: where to play; None for this machine.
        on_result: called with 0 or 1 and some finished games.
        stop: polled; True ends the duel with the games that are finished.
    """
    test: Sprt | None = None
    games = seeds.count
    known = games if question is None else MIN_PAIRS
    if games < known:
        raise InvalidInput(f"expected {MIN_PAIRS} games or more for a test, got {games}")
    one, other = (bench.add(player, seeds.part(0, known)) for player in players)
    if one.run == other.run:
        raise InvalidInput(f"expected two different players, got {players[0]} twice")
    while True:
        errors = bench.play(jobs, backend=backend, on_result=on_result, stop=stop)
        first, second = bench.standings(reached=False)
        ended = any(errors) or len(first.games) < known or len(second.games) < known
        if question is not None and test is None and not ended:
            test = _test(question, second.games, games)
        if question is not None and test is not None:
            differences = _differences(first.games, second.games, question.tile)
            test.extend(differences[test.pairs :])
            ended = ended or test.finished
        if ended or known >= games:
            if test is not None:  # without games that were played after it had decided
                first, second = (
                    replace(one, games=one.games.first(test.pairs)) for one in (first, second)
                )
            return DuelOutcome((first, second), test, question.tile if question else None)
        known = min(games, known + max(known // STEP_SHARE, 4 * max(jobs, 1)))
        for number in range(len(players)):
            bench.want(number, seeds.part(0, known))


def _test(question: SprtQuestion, theirs: GameColumns, games: int) -> Sprt:
    """The test; `delta` may depend on B's first games, but not on A's."""
    delta = question.delta
    if delta is None:
        delta = question.share
        if question.tile is None:
            delta = max(delta * float(theirs.scores.mean()), 1.0)
    return Sprt(delta, max_pairs=games)


def _differences(ours: GameColumns, theirs: GameColumns, tile: int | None) -> NDArray[np.float64]:
    """In the order of seeds, up to the first seed that only one of them has played."""
    count = min(len(ours), len(theirs))
    same = ours.seeds[:count] == theirs.seeds[:count]
    count = int(np.argmin(same)) if not same.all() else count
    if tile is None:
        return (ours.scores[:count] - theirs.scores[:count]).astype(np.float64)
    hits = (games.max_tiles[:count] >= tile for games in (ours, theirs))
    one, other = (hit.astype(np.float64) for hit in hits)
    return one - other
