"""Saved games in a list: details, selection, import, and statistics of them.

Statistics of the person's games, from the list alone: no moves are read.

A game counts if it is over or has reached its goal.
"""

import contextlib
import os
import re
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import msgspec

from twofold.errors import InvalidInput, InvalidRecord
from twofold.game import record_text as record_text
from twofold.game.board import Board
from twofold.game.formats import parts_of
from twofold.game.game import result_text
from twofold.game.notation import parse_seed, shown
from twofold.game.record import Record, parse_record
from twofold.game.record_text import located
from twofold.game.rules import STANDARD, Rules
from twofold.games import scores
from twofold.games.scores import (
    IMPORTED_TAG,
    MOVES_TAG,
    OPENED_TAG,
    PLAYED_TAG,
    Kind,
    counts_as_own,
    kind_of,
)
from twofold.limits import MAX_RECORD_BYTES, MAX_TAG, MAX_TAGS
from twofold.storage.files import open_regular

_HEAD_BYTES: Final = 4_096
_LARGEST_HEAD: Final = MAX_TAGS * (6 * MAX_TAG + 200)
"""Maximum size of all tags, in bytes: a character may be an escape of six bytes."""

_CLOCK_SECONDS: Final = 86_400.0
"""A time further in the future than this comes from a wrong clock."""

_DIGITS: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
_SECONDS: Final = re.compile(r"[0-9]{1,12}(\.[0-9]{1,9})?", re.ASCII)


class GameInfo(msgspec.Struct, frozen=True):
    """A saved game in a list.

    `undos` counts undone moves, `hints` positions with hints; `daily` is the day of a daily game.
    """

    game: str
    rules: str
    board: str
    score: int
    moves: int
    max_tile: int
    status: str
    player: str
    date: str
    undos: int
    hints: int = 0
    kind: Kind = "hand"
    daily: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """A saved game in the index; `played` is the time of its last change in seconds since 1970.

    `imported` is true of a game from a file until a move is made here.
    """

    info: GameInfo
    played: float
    imported: bool = False

    @property
    def counts(self) -> bool:
        """True if its score counts as the person's best score."""
        return counts_as_own(self.info.kind)


def kept_of(game: str, record: Record, played: float) -> Kept:
    """The index entry of a game from its record; `played` is in seconds since 1970."""
    board, score = record.ending()
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
            given_board=record.board is not None,
            opened=OPENED_TAG in record.tags,
        ),
        daily=scores.day_of_record(record),
    )
    return Kept(info, played, IMPORTED_TAG in record.tags)


def read_kept(path: Path, game: str) -> Kept:
    """The index entry of a file, from its tags if complete; raises InvalidRecord."""
    with open_regular(path, InvalidRecord) as file:
        changed = os.fstat(file.fileno()).st_mtime
        data = file.read(_HEAD_BYTES)
        if b"\n\n" not in data.replace(b"\r", b""):
            data += file.read(_LARGEST_HEAD)
        head = record_text.parse_head(data.decode(errors="replace").removeprefix("\ufeff"))
        tags = {name: tag.value for name, tag in head.tags.items()}
        played = tags.get(PLAYED_TAG, "")
        when = float(played) if _SECONDS.fullmatch(played) else changed
        if when > time.time() + _CLOCK_SECONDS:  # otherwise the game would always be listed first
            when = 0.0
        if {"Final", "Score", "Result", MOVES_TAG} <= tags.keys():
            return _from_tags(game, tags, when)
        file.seek(0)
        data = file.read(MAX_RECORD_BYTES + 1)
    return kept_of(game, parse_record(data), when)


def _from_tags(game: str, tags: dict[str, str], played: float) -> Kept:
    with located("tags"):
        board = Board.parse(tags["Final"])
        rules = Rules.parse(tags["Rules"]) if "Rules" in tags else STANDARD
        seed = parse_seed(tags["Seed"]) if "Seed" in tags else None
    player, hints, given = tags.get("Player", ""), _whole(tags.get("Hints", "0")), "Board" in tags
    info = GameInfo(
        game=game,
        rules=str(rules),
        board=str(board),
        score=_whole(tags["Score"]),
        moves=_whole(tags[MOVES_TAG]),
        max_tile=board.max_tile,
        status=tags["Result"].rpartition(" ")[2],
        player=player,
        date=tags.get("Date", ""),
        undos=_whole(tags.get("Undos", "0")),
        hints=hints,
        kind=kind_of(player, hints, given_board=given, opened=OPENED_TAG in tags),
        daily=scores.day_of(tags, rules, seed, given_board=given),
    )
    return Kept(info, played, IMPORTED_TAG in tags)


def _whole(text: str) -> int:
    if not _DIGITS.fullmatch(text):
        raise InvalidRecord(f"expected a whole number in a tag, got {text[:40]!r}")
    return int(text)


ORDERS: Final[dict[str, Callable[[Kept], Any]]] = {
    "newest": lambda one: -one.played,
    "oldest": lambda one: one.played,
    "score": lambda one: -one.info.score,
    "tile": lambda one: (-one.info.max_tile, -one.info.score),
    "moves": lambda one: -one.info.moves,
}
"""Sort keys by name."""


def select(
    games: Iterable[Kept], *, search: str = "", order: str = "newest", rules: str = "",
    kind: str = "",
) -> list[GameInfo]:  # fmt: skip
    """The games with these rules, kind and words (any case), sorted; raises InvalidInput.

    Words may be in the id, player, date, size, largest tile or status; empty texts match all.
    """
    if order not in ORDERS:
        raise InvalidInput(f"expected an order ({', '.join(ORDERS)}), got {shown(order)}")
    words = search.casefold().split()
    found = [
        one
        for one in games
        if rules in ("", one.info.rules) and kind in ("", one.info.kind) and _has(one.info, words)
    ]
    return [one.info for one in sorted(found, key=ORDERS[order])]


def _has(info: GameInfo, words: list[str]) -> bool:
    if not words:
        return True
    size = info.rules.partition(" ")[0]
    parts = (info.game, info.player, info.date, size, str(info.max_tile), info.status)
    text = " ".join(parts).casefold()
    return all(word in text for word in words)


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
        scores: of each game, in the order of the last change.
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
    """Statistics of games that have moves; the rules with the most games first."""
    begun = sorted((game for game in games if game.info.moves), key=lambda one: one.info.rules)
    found = [(rules, list(some)) for rules, some in groupby(begun, lambda one: one.info.rules)]
    found.sort(key=lambda pair: len(pair[1]), reverse=True)
    return [_of_rules(rules, some) for rules, some in found]


def _of_rules(rules: str, games: Sequence[Kept]) -> RulesStatistics:
    goal = Rules.parse(rules).goal
    kinds: tuple[Kind, ...] = ("hand", "helped", "player", "board", "file")
    split = {kind: [game for game in games if game.info.kind == kind] for kind in kinds}
    own = [game.info for game in games if counts_as_own(game.info.kind)]
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
