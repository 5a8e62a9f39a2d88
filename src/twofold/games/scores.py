"""Who made which moves, which score counts, the best scores, the daily game, and game files.

Game file: the record of a game in progress, which several programs may have open.

Terminal and web app share one folder of them.

A save compares the file with the content that this program last read or wrote. If another program
has changed it, only moves that follow those in the file are saved; the caller handles other cases.

Best scores: who made which moves, which score of a game counts, and the file of best scores.

The moves that a player made are ranges in a tag of the record; the first move is 1.

>>> moves = AutoplayMoves().plus(12, 40).plus(51, 52)
>>> str(moves), str(moves.until(20)), 41 in moves
('13-40 52', '13-20', False)

The daily game: one game a day with standard rules, the same for everyone, with one try.

Its seed is the date in UTC; its file has the same name in all programs, so that there is one try.
"""

import hashlib
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from enum import Enum
from pathlib import Path
from typing import Final, Literal, Self

import msgspec

from twofold.errors import InvalidInput, InvalidRecord, ResourceError
from twofold.game.game import Game, start_board
from twofold.game.notation import shown
from twofold.game.record import Record, format_record, parse_record
from twofold.game.record_text import located
from twofold.game.rules import STANDARD, Rules
from twofold.games.pictures import AND
from twofold.limits import MAX_MOVE_NUMBER, MAX_RECORD_BYTES, MAX_SCORE, MAX_TAG
from twofold.storage.files import alone, atomic_write, data_folder, free_path, read_start

PATIENCE: Final = 5.0
"""Seconds to wait for another program's lock on a file; a write takes milliseconds."""

SUFFIX: Final = ".2048"
"""Suffix of the files of saved games."""

MOVES_TAG: Final = "Moves"
"""Tag with the number of moves of the record, so that a list does not count them."""

PLAYED_TAG: Final = "Played"
"""Tag with the time of the last change: seconds since 1970, with three decimals."""

IMPORTED_TAG: Final = "Imported"
"""Tag of an imported game without a move made here; the first move removes it."""

OPENED_TAG: Final = "Opened"
"""Tag of a game that was opened from a file: somebody else may have played it."""

INDEX_TAGS: Final = (MOVES_TAG, PLAYED_TAG, IMPORTED_TAG)
"""Tags of a file that are not part of its game: each save updates them."""


@dataclass(frozen=True, slots=True)
class Version:
    """A game as another program saved it, and a hash of the file's content."""

    record: Record
    digest: bytes


class Conflict(Enum):
    """Why a game cannot be saved in its file."""

    PARTED = "parted"
    """Another program has saved other moves there."""
    DELETED = "deleted"
    """Another program has deleted it."""
    DAMAGED = "damaged"
    """The file no longer holds a valid record."""


class GameFile:
    """A game's file, as this program last saw it; at first as if missing. Not thread-safe."""

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self._known: set[bytes | None] = {None}  # digests; None: there is no file
        self._stamp: tuple[int, int, int] | None = None

    def read(self) -> Record:
        """Read the game; raises InvalidRecord or ResourceError. The content then counts as seen."""
        with located(shown(os.fspath(self.path))):
            version = _parse(content_of(self.path))
        self.take(version)
        return version.record

    def take(self, version: Version) -> None:
        """Mark a version as seen: the next save may overwrite it."""
        self._known = {version.digest}

    def other(self) -> Version | Conflict | None:
        """The change that another program made; None if the file is as last seen."""
        try:
            data = content_of(self.path)
        except InvalidRecord:
            if self.path.exists():
                raise
            return None if None in self._known else Conflict.DELETED
        if _digest(data) in self._known:
            return None
        try:
            return _parse(data)
        except InvalidRecord:
            return Conflict.DAMAGED

    def seems_changed(self) -> bool:
        """True if its time, size or inode is another than at the last call; cheap.

        False for a file that this program has not seen yet, or that is gone.
        """
        try:
            found = os.stat(self.path)
        except OSError:
            return False
        before, self._stamp = self._stamp, (found.st_mtime_ns, found.st_size, found.st_ino)
        return None not in self._known and before != self._stamp

    def save(self, record: Record) -> Version | Conflict | None:
        """Write the game, unless another program has changed the file.

        Returns None if it was written; a version that continues `record`; or why it needs another
        file. Raises InvalidInput or ResourceError; the file is then unchanged.
        """
        with alone(os.path.realpath(self.path), "program", patience=PATIENCE):
            other = self.other()
            if isinstance(other, Version):
                if goes_on(other.record, record):
                    return other
                if not goes_on(record, other.record):
                    return Conflict.PARTED
            elif other is not None:
                return other
            data = format_record(record).encode()
            digest = _digest(data)
            self._known.add(digest)  # if the write fails late, the file may hold the new content
            atomic_write(self.path, data)
            self._known = {digest}
        return None


def indexed(record: Record, played: float, *, imported: bool = False) -> Record:
    """The record with the tags for a list; `played` is its last change in seconds since 1970."""
    tags = {MOVES_TAG: str(len(record.moves)), PLAYED_TAG: f"{played:.3f}"}
    if imported:
        tags[IMPORTED_TAG] = "yes"
    return replace(record, tags={**unindexed(record).tags, **tags})


def unindexed(record: Record) -> Record:
    """The record without the tags for a list."""
    own = {name: text for name, text in record.tags.items() if name not in INDEX_TAGS}
    return replace(record, tags=own)


def goes_on(later: Record, earlier: Record) -> bool:
    """True if `later` has all moves of `earlier`, from the same start and with the same tiles."""
    count = len(earlier.moves)
    last = earlier.start_move + count
    spawns = {number: spawn for number, spawn in later.spawns.items() if number <= last}
    return (
        _start(later) == _start(earlier)
        and earlier.seed in (None, later.seed)  # a record without a seed lists all its tiles
        and later.moves[:count] == earlier.moves
        and spawns == earlier.spawns
    )


def _start(record: Record) -> tuple[object, ...]:
    board = record.board or start_board(record.rules, record.seed or 0)
    return record.rules, board, record.start_score, record.start_move


def content_of(path: Path) -> bytes:
    """The first `MAX_RECORD_BYTES` + 1 bytes of a file; raises InvalidRecord or ResourceError."""
    try:
        return read_start(path, MAX_RECORD_BYTES + 1, InvalidRecord)
    except OSError as error:
        raise ResourceError(f"cannot read {str(path)!a}: {error.strerror or error}") from error


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _parse(data: bytes) -> Version:
    return Version(unindexed(parse_record(data)), _digest(data))


GAMES: Final = "games"
"""Name of the folder of games in the data folder."""


def games_folder() -> Path:
    """The folder of games."""
    return data_folder() / GAMES


def make_folder(folder: Path) -> None:
    """Create a folder for games; raises InvalidInput for another file, or ResourceError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InvalidInput(f"expected a folder for the games, got {str(folder)!r}") from None
    except OSError as error:
        reason = error.strerror or error
        raise ResourceError(f"cannot make the folder {str(folder)!r}: {reason}") from error


def new_save_path() -> Path:
    """The path of a new file, named by the time."""
    name = time.strftime("%Y-%m-%d-%H%M%S")
    return free_path(games_folder() / f"{name}{SUFFIX}")


ME: Final = "me"
"""Name of the person in a list of players."""

Kind = Literal["hand", "helped", "player", "board", "file"]
"""How a game was played: by hand; with hints; with moves by a player; from a given board; by
somebody who may be anyone, since it was opened from a file.
"""

SOMEBODY: Final = "another player"
"""Stands for players whose names do not fit into the tag."""

BestScores = Mapping[str, Mapping[str, int]]
"""Scores by rules and by game: points that a person's own moves reached and that stand."""

KEPT_GAMES: Final = 20
"""Most games under the same rules whose scores are kept."""

BEST_FILE: Final = "best.json"
MAX_BEST_BYTES: Final = 1 << 20


def add_player(players: str, name: str) -> str:
    """Add a name to a list of players, unless it is there."""
    known = players.split(AND) if players else []
    if name in known:
        return players
    text = AND.join([*known, name])
    if len(text) <= MAX_TAG:
        return text
    return players if name == SOMEBODY else add_player(players, SOMEBODY)


def kind_of(players: str, hints: int, *, given_board: bool, opened: bool = False) -> Kind:
    """How a game with these players (empty for the person alone) and number of hints was played."""
    if opened:
        return "file"
    if players not in ("", ME):
        return "player"
    if given_board:
        return "board"
    return "helped" if hints else "hand"


def counts_as_own(kind: Kind) -> bool:
    """True if the person made every move of a game with a normal start; hints are allowed."""
    return kind in ("hand", "helped")


def read_best(path: Path) -> BestScores:
    """Read best scores, none if there is no file; raises InvalidInput if it is damaged."""
    if not path.exists():
        return {}
    data = read_start(path, MAX_BEST_BYTES + 1)
    try:
        best = msgspec.json.decode(data, type=dict[str, dict[str, int]])
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InvalidInput(f"expected best scores in {shown(str(path))}: {error}") from None
    scores = [score for games in best.values() for score in games.values()]
    if len(data) > MAX_BEST_BYTES or any(not 0 <= score <= MAX_SCORE for score in scores):
        raise InvalidInput(f"expected best scores in {shown(str(path))}, got numbers out of range")
    return best


def keep_best(path: Path, scores: BestScores) -> BestScores:
    """Set the scores of some games in a file, and return all; rename a damaged file.

    Raises InvalidInput or ResourceError if the file cannot be written.
    """
    with alone(path, "program", patience=PATIENCE):
        try:
            known = read_best(path)
        except InvalidInput:
            set_aside(path)
            known = {}
        best = merged(known, scores)
        if best != known:
            atomic_write(path, msgspec.json.encode(best))
    return best


def merged(known: BestScores, scores: BestScores) -> BestScores:
    """The best games under each set of rules: the known ones, with new scores for some of them.

    A score that is undone is lower than before.
    """
    best = {}
    for rules in dict(known) | dict(scores):
        games = {**known.get(rules, {}), **scores.get(rules, {})}
        ranked = sorted(games.items(), key=lambda one: (-one[1], one[0]))[:KEPT_GAMES]
        best[rules] = {game: score for game, score in ranked if score}
    return {rules: games for rules, games in best.items() if games}


def top_score(best: BestScores, rules: str, *, without: str | None = None) -> int:
    """The best score under rules as text; 0 if there is none. `without` leaves out a game."""
    return max((s for game, s in best.get(rules, {}).items() if game != without), default=0)


def set_aside(path: Path) -> None:
    """Rename a damaged file, so that it is not overwritten; raises ResourceError."""
    try:
        os.replace(path, path.with_name(f"{path.name}.damaged-{time.time_ns()}"))
    except OSError as error:
        raise ResourceError(f"cannot rename {str(path)!r}: {error.strerror}") from error


AUTOPLAY_TAG: Final = "Autoplay"
"""Tag of the moves that a player made. A record of several players without it does not say."""

_RANGE: Final = re.compile(r"([0-9]{1,12})(?:-([0-9]{1,12}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class AutoplayMoves:
    """First and last move of each range, ascending, not adjacent."""

    ranges: tuple[tuple[int, int], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Parse the tag; None if the text is invalid."""
        ranges: list[tuple[int, int]] = []
        for word in text.split():
            match = _RANGE.fullmatch(word)
            if match is None:
                return None
            first, last = int(match[1]), int(match[2] or match[1])
            if not (ranges[-1][1] if ranges else 0) < first <= last <= MAX_MOVE_NUMBER:
                return None
            ranges.append((first, last))
        return cls(tuple(ranges))

    def __str__(self) -> str:
        return " ".join(f"{one}-{end}" if end > one else str(one) for one, end in self.ranges)

    def __contains__(self, move: object) -> bool:
        return isinstance(move, int) and any(first <= move <= last for first, last in self.ranges)

    def until(self, last: int) -> Self:
        """The moves up to `last`; later ones were undone."""
        kept = ((first, min(end, last)) for first, end in self.ranges if first <= last)
        return type(self)(tuple(kept))

    def plus(self, before: int, last: int) -> Self:
        """These moves up to move `before`, and all moves after it up to `last`."""
        known = self.until(before).ranges
        if last <= before:
            return type(self)(known)
        if known and known[-1][1] == before:
            return type(self)((*known[:-1], (known[-1][0], last)))
        return type(self)((*known, (before + 1, last)))


def autoplay_of(player: str, tags: Mapping[str, str]) -> AutoplayMoves | None:
    """The moves that a player made, from a record's players and other tags; None if unknown."""
    if AUTOPLAY_TAG in tags:
        return AutoplayMoves.parse(tags[AUTOPLAY_TAG])
    return AutoplayMoves() if player in ("", ME) else None


def autoplay_tags(tags: Mapping[str, str], moves: AutoplayMoves | None) -> dict[str, str]:
    """Set the autoplay tag, or remove it if `moves` is empty, unknown or too long."""
    rest = {name: text for name, text in tags.items() if name != AUTOPLAY_TAG}
    text = "" if moves is None else str(moves)
    return {**rest, AUTOPLAY_TAG: text} if 0 < len(text) <= MAX_TAG else rest


TAG: Final = "Daily"
"""Tag of a record that names the day."""

FIRST_DAY: Final = date(2026, 1, 1)
"""The first day that has a daily game and a puzzle."""

PREFIX: Final = "daily-"
"""Start of the id of a try; the day follows."""


class DailyRule(InvalidInput):
    """The daily game does not allow this."""


def today() -> date:
    """Today's date in UTC."""
    return datetime.now(UTC).date()


def parse_day(text: str) -> date:
    """Parse a day from `FIRST_DAY` on, also a future one; raises InvalidInput.

    >>> parse_day("2026-11-23")
    datetime.date(2026, 11, 23)
    """
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = date.min
    if day.isoformat() != text or day < FIRST_DAY:
        raise InvalidInput(
            f"expected a day such as 2026-11-23 from {FIRST_DAY} on, got {shown(text)}"
        )
    return day


def seed_of(day: date) -> int:
    """The seed of a day's game: 20261123 on 2026-11-23."""
    return day.year * 10_000 + day.month * 100 + day.day


def id_of(day: date) -> str:
    """The id of the try of a day."""
    return f"{PREFIX}{day}"


def new_record(day: date, begun: str) -> Record:
    """The record of a day's game before its first move; `begun` is a date in ISO 8601."""
    game = Game(STANDARD, seed_of(day))
    return Record.from_game(game, player="me", date=begun, tags={TAG: str(day)})


def day_of(tags: Mapping[str, str], rules: Rules, seed: int | None, *, given_board: bool) -> str:
    """The day whose daily game has this tag, rules, seed and start; empty for other games."""
    if TAG not in tags or given_board or rules != STANDARD:
        return ""
    try:
        day = parse_day(tags[TAG])
    except InvalidInput:
        return ""
    return str(day) if seed == seed_of(day) else ""


def day_of_record(record: Record) -> str:
    """The day whose daily game a record is; empty for any other game."""
    given = record.board is not None
    return day_of(record.tags, record.rules, record.seed, given_board=given)


def without_day(record: Record) -> Record:
    """The same game without the tag `Daily`."""
    tags = {name: text for name, text in record.tags.items() if name != TAG}
    return replace(record, tags=tags)


def is_later(day: str, begun: str) -> bool:
    """True if a day's game was begun on a later day; also if `begun` is no date in ISO 8601.

    >>> is_later("2026-11-23", "2026-11-24T00:30:00+01:00")
    False
    """
    try:
        began = datetime.fromisoformat(begun).astimezone(UTC).date()
    except (ValueError, OverflowError):
        return True
    return began > date.fromisoformat(day)


def can_be_try(record: Record) -> bool:
    """True if an imported game may be the try of its day: by hand, no undo or hints, not early."""
    day = parse_day(day_of_record(record))
    helped = record.undos or record.hints or record.player not in ("", ME)
    return day <= today() and not helped
