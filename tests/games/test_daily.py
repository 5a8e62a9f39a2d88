"""The daily game: its rules and seed, and which games are one."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from twofold.errors import InvalidInput
from twofold.game.record import parse_record
from twofold.game.rules import STANDARD, Rules
from twofold.games import daily

DAY = date(2026, 11, 23)
BEGUN = "2026-11-23T12:00:00+00:00"


def test_the_seed_is_the_date_and_the_tag_alone_makes_no_daily_game() -> None:
    record = daily.new_record(DAY, BEGUN)
    assert (record.seed, record.rules, record.moves) == (20261123, STANDARD, ())
    assert daily.day_of_record(parse_record(str(record))) == "2026-11-23"
    others: list[dict[str, Any]] = [
        {"seed": 1}, {"rules": Rules(goal=64)}, {"board": record.final}, {"tags": {}},
        {"tags": {daily.TAG: "today"}},
    ]  # fmt: skip
    assert [daily.day_of_record(replace(record, **one)) for one in others] == [""] * 5
    assert daily.day_of_record(daily.without_day(record)) == ""


@pytest.mark.parametrize(
    "text", ["", "2026-13-01", "20261123", "2025-12-31", "2026-11-23 ", "../x"]
)
def test_a_day_is_a_date_from_the_first_one_on(text: str) -> None:
    with pytest.raises(InvalidInput, match="expected a day such as 2026-11-23"):
        daily.parse_day(text)


@pytest.mark.parametrize(
    ("begun", "later"),
    [
        (BEGUN, False),
        ("2026-11-23T23:59:59+00:00", False),
        ("2026-11-24T00:00:00+00:00", True),
        ("2026-11-24T01:00:00+02:00", False),
        ("2026-11-23T23:00:00-02:00", True),
        ("2026-11-22T23:00:00-02:00", False),
        ("yesterday", True),
    ],
)
def test_a_later_start_is_detected(begun: str, later: bool) -> None:
    assert daily.is_later("2026-11-23", begun) == later
