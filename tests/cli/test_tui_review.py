"""Walking through a game in the app."""

import re

import pytest

from tests.cli.driving import Driven, drive, game_of, judge, note_of, reviewing, text_of, until
from tests.support.asked import Last
from twofold import Player
from twofold.cli.tui.review_screen import Judging, ReviewScreen
from twofold.cli.tui.screen import Walk
from twofold.errors import InvalidSpec

pytestmark = pytest.mark.usefixtures("folder")


async def judged(pilot: Driven, screen: ReviewScreen) -> None:
    await until(pilot, lambda: screen.walk.is_judged and "accuracy" in text_of(pilot))


def place(pilot: Driven) -> str:
    found = re.search(r"move +(\d+ of \d+)", text_of(pilot))
    assert found, text_of(pilot)
    return found[1]


def test_walking() -> None:
    walk = reviewing().walk
    screen = ReviewScreen(walk, Judging(walk, judge), note="the judge has no tables")

    async def act(pilot: Driven) -> None:
        assert place(pilot) == "0 of 40"
        assert note_of(pilot) == "the judge has no tables"
        await pilot.press("right", "right", "left")
        assert place(pilot) == "1 of 40"
        assert note_of(pilot) != "the judge has no tables"
        await pilot.press("pagedown", "pagedown", "pageup")
        assert place(pilot) == "11 of 40"
        await pilot.press("end")
        assert place(pilot) == "40 of 40"
        assert note_of(pilot) == "the record ends here; the game is not over"
        await pilot.press("right")
        assert place(pilot) == "40 of 40"
        await pilot.press("home")
        assert place(pilot) == "0 of 40"

    drive(screen, act)


def test_the_judgements_and_the_mistakes() -> None:
    screen = reviewing()

    async def act(pilot: Driven) -> None:
        await judged(pilot, screen)
        text = text_of(pilot)
        assert re.search(r"accuracy +[\d.]+ %", text)
        assert re.search(r"judge +tests", text)
        assert "values" in text
        await pilot.press("n")
        first = screen.walk.place
        assert first in screen.walk.mistakes
        assert re.match(r"(mistake|blunder): \w+ keeps [\d.]+ %", note_of(pilot))
        assert " made" in text_of(pilot)
        await pilot.press("n", "p")
        assert screen.walk.place == first
        await pilot.press("home", "p")
        assert note_of(pilot) == "no mistake before this one"
        await pilot.press("end", "n")
        assert note_of(pilot) == "no mistake after this one"

    drive(screen, act)


def test_the_game_plays_by_itself() -> None:
    screen = reviewing()

    async def act(pilot: Driven) -> None:
        await pilot.press("space")
        await until(pilot, lambda: screen.walk.place > 1)
        await pilot.press("space")
        stopped = screen.walk.place
        await pilot.pause(0.3)
        assert screen.walk.place == stopped
        await pilot.press("f", "space")
        await until(pilot, lambda: screen.walk.place == screen.walk.last)
        await pilot.press("f", "space")
        await until(pilot, lambda: 0 < screen.walk.place < screen.walk.last)
        await pilot.press("home", "minus")
        assert note_of(pilot) == "pace: 3 moves/s"

    drive(screen, act)


def test_a_judge_that_values_no_move_is_reported() -> None:
    class Mute(Player):
        choose = Last.choose

    walk = Walk(game_of("ld"))
    screen = ReviewScreen(walk, Judging(walk, Mute))

    async def act(pilot: Driven) -> None:
        await until(pilot, lambda: "no judge" in text_of(pilot))
        await pilot.press("right")
        assert place(pilot) == "1 of 2"

    drive(screen, act)
    assert isinstance(screen._judging.error, InvalidSpec)


@pytest.mark.parametrize(("key", "interrupted"), [("escape", False), ("ctrl+c", True)])
def test_leaving(key: str, interrupted: bool) -> None:
    async def act(pilot: Driven) -> None:
        await pilot.press(key)

    assert drive(reviewing(), act).return_value is interrupted
