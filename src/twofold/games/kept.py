"""Saved games in a list: details, selection, import, and statistics of them.

Statistics of the person's games, from the list alone: no moves are read.

A game counts if it is over or has reached its goal.
"""

import contextlib
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Annotated, Final

import msgspec

from twofold.errors import InvalidRecord
from twofold.game import record_text as record_text
from twofold.game.formats import parts_of
from twofold.game.record import Record
from twofold.game.rules import Rules
from twofold.game.step import begins_game, result_text
from twofold.games.daily import day_of_record
from twofold.games.makers import Kind, counts_as_own, kind_of
from twofold.limits import MAX_TAG

PLAYED_TAG: Final = "Played"
"""Tag of an exported record with the time of the last change: seconds since 1970."""

OPENED_TAG: Final = "Opened"
"""Tag of a game that was opened from a file: somebody else may have played it."""

Text = Annotated[str, msgspec.Meta(max_length=MAX_TAG)]


class GameInfo(msgspec.Struct, frozen=True):
    """A saved game in a list.

    `undos` counts undone moves, `hints` positions with hints; `daily` is the day of a daily game.
    """

    game: Text
    rules: Text
    board: Text
    score: int
    moves: int
    max_tile: int
    status: Text
    player: Text
    date: Text
    undos: int
    hints: int = 0
    kind: Kind = "hand"
    daily: Text = ""


Moves = Annotated[int, msgspec.Meta(ge=0)]

Percent = Annotated[float, msgspec.Meta(ge=0, le=100)]


class Accuracy(msgspec.Struct, frozen=True):
    """A judged game: its number of moves then, and the accuracy of the person's, in percent."""

    moves: Moves
    percent: Percent


@dataclass(frozen=True, slots=True)
class Kept:
    """A saved game; `played` is the time of its last change in seconds since 1970.

    `imported` is true of a game from a file until a move is made here.
    """

    info: GameInfo
    played: float
    imported: bool = False

    @property
    def counts(self) -> bool:
        """True if its score counts as the person's best score."""
        return counts_as_own(self.info.kind)


def kept_of(game: str, record: Record, played: float, *, imported: bool = False) -> Kept:
    """The entry of a game from its record; `played` is in seconds since 1970."""
    (board, score), first = record.ending(), record.board
    result = record.result or result_text(board, record.rules)
    info = GameInfo(
        game=game,
        rules=str(record.rules),
        board=str(board),
        score=score,
        moves=len(record.moves),
        max_tile=board.max_tile,
        status=result.rpartition(" ")[2],
        player=record.player,
        date=record.date,
        undos=record.undos,
        hints=record.hints,
        kind=kind_of(
            record.player,
            record.hints,
            set_up=first is not None
            and not begins_game(first, record.rules, record.start_score, record.start_move),
            opened=OPENED_TAG in record.tags,
        ),
        daily=day_of_record(record),
    )
    return Kept(info, played, imported)


def indexed(record: Record, played: float) -> Record:
    """The record with the time of its last change, in seconds since 1970, as a tag."""
    return replace(record, tags={**record.tags, PLAYED_TAG: f"{played:.3f}"})


def unindexed(record: Record) -> Record:
    """The record without that tag, which is not part of its game."""
    own = {name: text for name, text in record.tags.items() if name != PLAYED_TAG}
    return replace(record, tags=own)


@dataclass(frozen=True, slots=True)
class Unread:
    """A game that could not be read: the line where it begins, from 1, and the error."""

    line: int
    why: str


def games_in(data: bytes) -> Iterator[Record | Unread]:
    """The games in a text of one game, several records or JSON Lines, each checked on its own."""
    try:
        for part in parts_of(data) if data.strip() else ():
            try:
                yield part.read()
            except InvalidRecord as error:
                yield Unread(part.line, str(error))
    except InvalidRecord as error:  # the text as a whole
        yield Unread(1, str(error))


def when_played(record: Record, now: float) -> float:
    """When a game was last played, in seconds since 1970; `now` if its record does not say."""
    with contextlib.suppress(ValueError, OverflowError, OSError):
        text = record.tags.get(PLAYED_TAG)
        said = float(text) if text else datetime.fromisoformat(record.date).timestamp()
        if 0 <= said <= now:
            return said
    return now


MEAN_GAMES: Final = 20
"""Number of games in the running mean."""

LEADERS: Final = 10
"""Length of the leaderboard."""

LEAST_TILE: Final = 16
"""Smallest tile in the reach rates."""


class TileReach(msgspec.Struct, frozen=True):
    """Number of games that reached at least a tile."""

    tile: int
    games: int


class Figures(msgspec.Struct, frozen=True):
    """Games of one kind under the same rules; scores are in points.

    Attributes:
        games: number of games that count: they are over or have reached the goal.
        going: number of other games.
        moves: total of the games that count.
        streak: number of games that reached the goal since the last one that did not.
        names: ids of the games that count, in the order of the last change.
        scores: of each of them.
        means: after each game, the mean score of the last `MEAN_GAMES`.
        played: time of each game's last change, in seconds since 1970.
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
    names: list[str]
    scores: list[int]
    means: list[float]
    played: list[int]


class RulesStatistics(msgspec.Struct, frozen=True):
    """All games under the same rules; `leaders` are the best ones played by hand."""

    rules: str
    goal: int
    kinds: list[Figures]
    leaders: list[GameInfo]


def statistics_of(games: Iterable[Kept]) -> list[RulesStatistics]:
    """Statistics of games; the rules with the most games first."""
    ordered = sorted(games, key=lambda one: one.info.rules)
    found = [(rules, list(some)) for rules, some in groupby(ordered, lambda one: one.info.rules)]
    found.sort(key=lambda pair: len(pair[1]), reverse=True)
    return [_of_rules(rules, some) for rules, some in found]


def _of_rules(rules: str, games: Sequence[Kept]) -> RulesStatistics:
    goal = Rules.parse(rules).goal
    kinds: tuple[Kind, ...] = ("hand", "helped", "player", "board", "file")
    split = {kind: [game for game in games if game.info.kind == kind] for kind in kinds}
    own = [game.info for game in games if counts_as_own(game.info.kind) and game.info.moves]
    return RulesStatistics(
        rules=rules,
        goal=goal,
        kinds=[figures_of(kind, some, goal) for kind, some in split.items() if some],
        leaders=sorted(own, key=lambda info: (-info.score, info.moves))[:LEADERS],
    )


def figures_of(kind: Kind, games: Iterable[Kept], goal: int) -> Figures:
    """Figures of games of one kind under the same rules; `goal` is the tile to reach."""
    ordered = sorted(games, key=lambda one: one.played)
    counted = [one for one in ordered if one.info.status != "going"]
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
        names=[info.game for info in infos],
        scores=scores,
        means=running_means(scores),
        played=[int(one.played) for one in counted],
    )


def streaks(reached: Iterable[bool]) -> tuple[int, int]:
    """The current and the longest streak of games that reached their goal.

    >>> streaks([True, True, False, True])
    (1, 2)
    """
    now = longest = 0
    for one in reached:
        now = now + 1 if one else 0
        longest = max(longest, now)
    return now, longest


def reaches(tiles: Sequence[int]) -> list[TileReach]:
    """Number of games that reached each tile, down to the largest that all did; `tiles` are maxima.

    >>> [(one.tile, one.games) for one in reaches([512, 256, 1024])]
    [(1024, 1), (512, 2), (256, 3)]
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
    """After each game, the mean of the last `games` scores, at first of fewer; rounded to 0.1.

    >>> running_means([1, 3, 8], 2)
    [1.0, 2.0, 5.5]
    """
    total = 0
    means: list[float] = []
    for place, score in enumerate(scores):
        total += score - (scores[place - games] if place >= games else 0)
        means.append(round(total / min(place + 1, games), 1))
    return means
