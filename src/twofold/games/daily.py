"""The daily game: the same for everyone on a date in UTC, with one try."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Final

from twofold.errors import InvalidInput
from twofold.game.game import Game
from twofold.game.notation import shown
from twofold.game.record import Record
from twofold.game.rules import STANDARD
from twofold.games.makers import ME

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


def day_of_record(record: Record) -> str:
    """The day whose daily game a record is, with its tag, rules, seed and start; else empty."""
    if TAG not in record.tags or record.board is not None or record.rules != STANDARD:
        return ""
    try:
        day = parse_day(record.tags[TAG])
    except InvalidInput:
        return ""
    return str(day) if record.seed == seed_of(day) else ""


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
