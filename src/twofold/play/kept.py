"""Kept game: what a list shows of a stored game, from the tags of its record alone."""

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from twofold.board import Board
from twofold.errors import InvalidRecord
from twofold.files import open_regular
from twofold.limits import MAX_RECORD_BYTES, MAX_TAG, MAX_TAGS
from twofold.play.best_scores import counts_as_own
from twofold.play.game_file import MOVES_TAG, PLAYED_TAG
from twofold.records import text as record_text
from twofold.records.record import Record, parse_record
from twofold.records.text import located
from twofold.rules import STANDARD, Rules
from twofold.step import result_text

_HEAD_BYTES: Final = 4_096
_LARGEST_HEAD: Final = MAX_TAGS * (6 * MAX_TAG + 200)
"""All tags: a character may be an escape of six bytes."""

_CLOCK_SECONDS: Final = 86_400.0
"""A game that was played so far in the future was played under a clock that was set wrong."""

_DIGITS: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
_SECONDS: Final = re.compile(r"[0-9]{1,12}(\.[0-9]{1,9})?", re.ASCII)


class GameInfo(msgspec.Struct, frozen=True):
    """A kept game in a list."""

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


@dataclass(frozen=True, slots=True)
class Kept:
    """A stored game in the index of the store.

    Attributes:
        info: what a list shows.
        played: when it changed last, in seconds since 1970.
        counts: whether its score counts as a best score.
    """

    info: GameInfo
    played: float
    counts: bool


def kept_of(game: str, record: Record, played: float) -> Kept:
    """What the index holds of a game whose record is at hand.

    Args:
        game: its id.
        record: a record that was read, or is about to be written.
        played: when it changed last.
    """
    board, score = record.final, record.score
    if board is None or score is None:
        ended = record.replay()
        board, score = ended.board, ended.score
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
    )
    return Kept(info, played, counts_as_own(info.player, given_board=record.board is not None))


def read_kept(path: Path, game: str) -> Kept:
    """What the index holds of a game, from its file; without our tags the moves are read too.

    Raises:
        InvalidRecord: it cannot be read.
    """
    with open_regular(path, InvalidRecord) as file:
        changed = os.fstat(file.fileno()).st_mtime
        data = file.read(_HEAD_BYTES)
        if b"\n\n" not in data.replace(b"\r", b""):
            data += file.read(_LARGEST_HEAD)
        head = _head(data)
        tags = {name: tag.value for name, tag in head.tags.items()}
        played = tags.get(PLAYED_TAG, "")
        when = float(played) if _SECONDS.fullmatch(played) else changed
        if when > time.time() + _CLOCK_SECONDS:  # else the game would stay first for ever
            when = 0.0
        if {"Final", "Score", "Result", MOVES_TAG} <= tags.keys():
            return _from_tags(game, tags, when)
        file.seek(0)
        data = file.read(MAX_RECORD_BYTES + 1)
    return kept_of(game, parse_record(data), when)


def _head(data: bytes) -> record_text.Head:
    """The tags; the bytes may end in the middle of a letter of what follows them."""
    return record_text.parse_head(data.decode(errors="replace").removeprefix("\ufeff"))


def _from_tags(game: str, tags: dict[str, str], played: float) -> Kept:
    with located("tags"):
        board = Board.parse(tags["Final"])
        rules = Rules.parse(tags["Rules"]) if "Rules" in tags else STANDARD
    info = GameInfo(
        game=game,
        rules=str(rules),
        board=str(board),
        score=_whole(tags["Score"]),
        moves=_whole(tags[MOVES_TAG]),
        max_tile=board.max_tile,
        status=tags["Result"].rpartition(" ")[2],
        player=tags.get("Player", ""),
        date=tags.get("Date", ""),
        undos=_whole(tags.get("Undos", "0")),
    )
    return Kept(info, played, counts_as_own(info.player, given_board="Board" in tags))


def _whole(text: str) -> int:
    if not _DIGITS.fullmatch(text):
        raise InvalidRecord(f"expected a whole number in a tag, got {text[:40]!r}")
    return int(text)
