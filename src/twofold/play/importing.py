"""Reads games from text: one or many, in any format of `records.formats`."""

import contextlib
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from twofold.errors import InvalidRecord
from twofold.play.game_file import PLAYED_TAG
from twofold.records.formats import detect_format, parse_any_record
from twofold.records.record import Record

_RECORD: Final = re.compile(rb"\[\s*Twofold\b")
_NEXT_RECORD: Final = re.compile(rb"^(?=\[\s*Twofold\b)", re.M)


@dataclass(frozen=True, slots=True)
class Unread:
    """A game that could not be read: the line where it begins, from 1, and the error."""

    line: int
    why: str


def games_in(data: bytes) -> Iterator[Record | Unread]:
    """The games in a text of one game, several records or JSON Lines, each checked on its own."""
    for line, part in _parts(data.removeprefix(BOM_UTF8)):
        try:
            yield parse_any_record(part)
        except InvalidRecord as error:
            yield Unread(line, str(error))


def _parts(data: bytes) -> Iterator[tuple[int, bytes]]:
    line = 1
    for part in _split(data):
        if part.strip():
            blank = len(part) - len(part.lstrip())
            yield line + part.count(b"\n", 0, blank), part
        line += part.count(b"\n")


def _split(data: bytes) -> list[bytes]:
    if _RECORD.match(data.lstrip()):
        return _NEXT_RECORD.split(data)
    try:
        found = detect_format(data[:10_000].decode(errors="replace").lstrip())
    except InvalidRecord:  # reported when the text is parsed
        return [data]
    return data.splitlines(keepends=True) if found.many else [data]


def when_played(record: Record, now: float) -> float:
    """When a game was last played, in seconds since 1970; `now` if its record does not say."""
    with contextlib.suppress(ValueError, OverflowError, OSError):
        text = record.tags.get(PLAYED_TAG)
        said = float(text) if text else datetime.fromisoformat(record.date).timestamp()
        if 0 <= said <= now:
            return said
    return now
