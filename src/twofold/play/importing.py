"""Reads games from text: one or many, in any format of `records.formats`."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from twofold.errors import InvalidRecord
from twofold.play.game_file import PLAYED_TAG
from twofold.records.formats import parts_of
from twofold.records.record import Record


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
