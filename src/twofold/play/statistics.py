"""Statistics of one's own games, from what a list shows of them: no game is read.

A game counts once it is over or has reached its goal. A game that was left before that counts
nowhere, for it can still go on.
"""

import statistics
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

import msgspec

from twofold.play.best_scores import Kind, counts_as_own
from twofold.play.kept import GameInfo, Kept
from twofold.rules import Rules

MEAN_GAMES: Final = 20
"""Games that the running mean is the mean of."""

LEADERS: Final = 10
"""Games of the leaderboard."""

LEAST_TILE: Final = 16
"""Smallest tile of the reach rates, before which only those are left out that all games reached."""


class TileReach(msgspec.Struct, frozen=True):
    """How many games reached at least a tile."""

    tile: int
    games: int


class Figures(msgspec.Struct, frozen=True):
    """Games of one kind under the same rules.

    Attributes:
        kind: how they were played, as in `GameInfo`.
        games: how many count: they are over or have reached the goal.
        going: how many do not yet.
        mean: score of those that count, in points; 0 without one, as all that follow.
        median: likewise.
        best: the highest score.
        moves: all moves of those that count.
        streak: games up to the last one that reached the goal, one after the other.
        longest_streak: most games in a row that did.
        reached: games that reached each tile; the largest tile first.
        scores: of those that count, in the order in which they were played last.
        means: after each of them the mean of the last `MEAN_GAMES`, in points.
        played: when each was played last, in seconds since 1970.
    """

    kind: Kind
    games: int
    going: int
    mean: float
    median: float
    best: int
    moves: int
    streak: int
    longest_streak: int
    reached: list[TileReach]
    scores: list[int]
    means: list[float]
    played: list[int]


class RulesStatistics(msgspec.Struct, frozen=True):
    """All games under the same rules.

    Attributes:
        rules: the rules, every part written.
        goal: the tile to reach.
        kinds: the games of each kind that there is.
        leaders: the best of those that were played by hand, with or without hints.
    """

    rules: str
    goal: int
    kinds: list[Figures]
    leaders: list[GameInfo]


def statistics_of(games: Iterable[Kept]) -> list[RulesStatistics]:
    """Statistics of games, the rules with the most of them first.

    Args:
        games: in any order; those without a move are left out.
    """
    begun = sorted((game for game in games if game.info.moves), key=lambda one: one.info.rules)
    found = [(rules, list(some)) for rules, some in groupby(begun, lambda one: one.info.rules)]
    found.sort(key=lambda pair: len(pair[1]), reverse=True)
    return [_of_rules(rules, some) for rules, some in found]


def _of_rules(rules: str, games: Sequence[Kept]) -> RulesStatistics:
    goal = Rules.parse(rules).goal
    kinds: tuple[Kind, ...] = ("hand", "helped", "player", "board")
    split = {kind: [game for game in games if game.info.kind == kind] for kind in kinds}
    return RulesStatistics(
        rules=rules,
        goal=goal,
        kinds=[figures_of(kind, some, goal) for kind, some in split.items() if some],
        leaders=_leaders(game.info for game in games),
    )


def figures_of(kind: Kind, games: Iterable[Kept], goal: int) -> Figures:
    """Figures of games of one kind under the same rules.

    Args:
        kind: what they are.
        games: in any order.
        goal: the tile to reach.
    """
    ordered = sorted(games, key=lambda one: one.played)
    counted = [one for one in ordered if has_ended(one.info)]
    infos = [one.info for one in counted]
    scores = [info.score for info in infos]
    streak, longest = streaks([info.max_tile >= goal for info in infos])
    return Figures(
        kind=kind,
        games=len(counted),
        going=len(ordered) - len(counted),
        mean=statistics.fmean(scores) if scores else 0.0,
        median=float(statistics.median(scores)) if scores else 0.0,
        best=max(scores, default=0),
        moves=sum(info.moves for info in infos),
        streak=streak,
        longest_streak=longest,
        reached=reaches([info.max_tile for info in infos]),
        scores=scores,
        means=running_means(scores),
        played=[int(one.played) for one in counted],
    )


def has_ended(info: GameInfo) -> bool:
    """True if a game counts: it is over, or has reached its goal."""
    return info.status != "going"


def streaks(reached: Iterable[bool]) -> tuple[int, int]:
    """How many games in a row reached their goal: up to the last one, and most of all.

    >>> streaks([True, True, False, True])
    (1, 2)
    """
    now = longest = 0
    for one in reached:
        now = now + 1 if one else 0
        longest = max(longest, now)
    return now, longest


def reaches(tiles: Sequence[int]) -> list[TileReach]:
    """How many games reached at least each tile, the largest first.

    Small tiles that every game reached are left out, but for the largest of them.

    >>> [(one.tile, one.games) for one in reaches([512, 256, 1024])]
    [(1024, 1), (512, 2), (256, 3)]

    Args:
        tiles: the largest tile of each game.
    """
    found: list[TileReach] = []
    tile = max(tiles, default=0)
    while tile >= LEAST_TILE:
        games = sum(1 for one in tiles if one >= tile)
        found.append(TileReach(tile, games))
        if games == len(tiles):
            break
        tile //= 2
    return found


def running_means(scores: Sequence[int], games: int = MEAN_GAMES) -> list[float]:
    """After each game the mean score of the last ones.

    >>> running_means([1, 3, 8], 2)
    [1.0, 2.0, 5.5]

    Args:
        scores: in order.
        games: how many the mean is of; the first ones are means of fewer.

    Returns:
        The means, to a tenth of a point.
    """
    total = 0
    means: list[float] = []
    for place, score in enumerate(scores):
        total += score - (scores[place - games] if place >= games else 0)
        means.append(round(total / min(place + 1, games), 1))
    return means


def _leaders(games: Iterable[GameInfo]) -> list[GameInfo]:
    """The best games that were played by hand; of equal scores the one with fewer moves first."""
    own = [info for info in games if counts_as_own(info.kind)]
    return sorted(own, key=lambda info: (-info.score, info.moves))[:LEADERS]
