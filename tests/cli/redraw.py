"""Draws the files in `screens/` anew: what the screens of the app look like, as text.

python -m tests.cli.redraw
"""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.cli.driving import (
    Act,
    Driven,
    drive,
    keys_of,
    play_screen,
    reviewing,
    text_of,
    until,
    until_shown,
)
from twofold import Board, Game, Rules
from twofold.cli.tui.screen import PictureScreen

FOLDER = Path(__file__).parent / "screens"

MIDDLE = "1035/0269/137b/24cf"
"""A board with a tile of nearly every size."""

USUAL = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
"""The environment in which they are drawn."""


class Shown(NamedTuple):
    """A screen, the actions on it, and its columns and lines."""

    screen: PictureScreen
    act: Act
    size: tuple[int, int]


def middle() -> Game:
    """A game well under way."""
    return Game.from_board(Board.parse(MIDDLE), seed=1, score=123_456, move_number=4_321)


async def show_hints(pilot: Driven) -> None:
    """Make a move, and show the player's values."""
    await pilot.press("left", "i")
    await until_shown(pilot, "▶")


async def look(pilot: Driven) -> None:
    """Do nothing."""


async def show_keys(pilot: Driven) -> None:
    """Show the page of keys."""
    await pilot.press("question_mark")


def review(folder: Path) -> Shown:
    """A review at the second mistake."""
    screen = reviewing()

    async def act(pilot: Driven) -> None:
        await until(pilot, lambda: screen.walk.is_judged and "accuracy" in text_of(pilot))
        await pilot.press("n", "n")

    return Shown(screen, act, (80, 24))


def large_board(folder: Path) -> Shown:
    """An 8x8 board in few columns."""
    cells = [1 + cell % 17 for cell in range(64)]
    game = Game.from_board(Board(cells, (8, 8)), Rules.parse("8x8 goal=131072"), 1)
    return Shown(play_screen(folder, game), look, (40, 24))


SCREENS: dict[str, Callable[[Path], Shown]] = {
    "play-80x24": lambda folder: Shown(play_screen(folder, middle()), show_hints, (80, 24)),
    "play-120x40": lambda folder: Shown(play_screen(folder, middle()), show_hints, (120, 40)),
    "play-40x24": lambda folder: Shown(play_screen(folder, middle()), show_hints, (40, 24)),
    "play-80x24-no-color": lambda folder: Shown(
        play_screen(folder, middle()), show_hints, (80, 24)
    ),
    "play-8x8-40x24": large_board,
    "keys-80x24": lambda folder: Shown(play_screen(folder, middle()), show_keys, (80, 24)),
    "review-80x24": review,
}


def environment(name: str, folder: Path) -> dict[str, str]:
    """The environment in which a screen is drawn."""
    more = {"NO_COLOR": "1"} if name.endswith("no-color") else {}
    return {**USUAL, "TWOFOLD_STATE_DIR": str(folder), **more}


def drawn(name: str, folder: Path) -> str:
    """A screen as text, its keys below."""
    shown = SCREENS[name](folder)
    found: list[str] = []

    async def act(pilot: Driven) -> None:
        await shown.act(pilot)
        await pilot.pause()
        text, keys = text_of(pilot), keys_of(pilot)
        blank = "\n" * (shown.size[1] - 1 - text.count("\n") - 1)
        found.append(text if text == keys else f"{text}{blank}\n{keys}")

    drive(shown.screen, act, shown.size)
    return "\n".join(line.rstrip() for line in found[0].split("\n")) + "\n"


def main() -> None:
    """Draw them all."""
    for name in SCREENS:
        with tempfile.TemporaryDirectory() as folder:
            os.environ.pop("NO_COLOR", None)
            os.environ.update(environment(name, Path(folder)))
            path = FOLDER / f"{name}.txt"
            path.write_text(drawn(name, Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main()
