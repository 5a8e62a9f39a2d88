"""Screens equal their files in `screens/`.

`python -m tests.cli.test_tui_looks` draws the files anew.
"""

import tempfile
from pathlib import Path

import pytest

from tests.cli.driving import (
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
from twofold.cli.tui.screen import Lines
from twofold.game.drawing import BOARD, CELL, TILES

FOLDER = Path(__file__).parent / "screens"
NAMES = sorted(path.stem for path in FOLDER.iterdir())
MIDDLE = "1035/0269/137b/24cf"
"""A board with a tile of nearly every size."""


def environment(
    patch: pytest.MonkeyPatch, folder: Path, *, colours: bool = True, term: str = "xterm-256color"
) -> None:
    """Set the environment in which screens are drawn."""
    patch.setenv("TWOFOLD_STATE_DIR", str(folder))
    patch.setenv("TERM", term)
    patch.setenv("COLORTERM", "truecolor" if term != "xterm" else "")
    patch.delenv("NO_COLOR", raising=False)
    if not colours:
        patch.setenv("NO_COLOR", "1")


def middle() -> Game:
    """A game well under way."""
    return Game.from_board(Board.parse(MIDDLE), seed=1, score=123_456, move_number=4_321)


def drawn(name: str, folder: Path, patch: pytest.MonkeyPatch) -> str:
    """A screen as text, its keys below: a game with hints, the keys, the second mistake."""
    environment(patch, folder, colours=not name.endswith("no-color"))
    kind, columns, lines = name.replace("8x8-", "").replace("x", "-").split("-")[:3]
    reviewed = reviewing()
    game = middle()
    if "8x8" in name:
        cells = [1 + cell % 17 for cell in range(64)]
        game = Game.from_board(Board(cells, (8, 8)), Rules.parse("8x8 goal=131072"), 1)
    found: list[str] = []

    async def act(pilot: Driven) -> None:
        if kind == "review":
            await until(pilot, lambda: reviewed.walk.is_judged and "accuracy" in text_of(pilot))
            await pilot.press("n", "n")
        elif kind == "keys":
            await pilot.press("question_mark")
        elif "8x8" not in name:
            await pilot.press("left", "i")
            await until_shown(pilot, "▶")
        await pilot.pause()
        text, keys = text_of(pilot), keys_of(pilot)
        blank = "\n" * (int(lines) - 1 - text.count("\n") - 1)
        found.append(text if text == keys else f"{text}{blank}\n{keys}")

    screen = reviewed if kind == "review" else play_screen(folder, game)
    drive(screen, act, (int(columns), int(lines)))
    return "\n".join(line.rstrip() for line in found[0].split("\n")) + "\n"


@pytest.mark.parametrize("name", NAMES)
def test_a_screen_looks_as_it_did(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert drawn(name, tmp_path, monkeypatch) == (FOLDER / f"{name}.txt").read_text(
        encoding="utf-8"
    )


def backgrounds(folder: Path) -> set[str]:
    """The colours behind the text of a screen, as Textual draws it."""
    found: set[str] = set()

    async def act(pilot: Driven) -> None:
        lines = pilot.app.screen.query(Lines).first()
        for y in range(lines.size.height):
            for segment in lines.render_line(y):
                colour = segment.style and segment.style.bgcolor
                if colour and not colour.is_default:
                    found.add(colour.name)

    drive(play_screen(folder, middle()), act)
    return found


def test_colours_of_the_tiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment(monkeypatch, tmp_path)
    faces = {TILES[int(digit, 16) - 1].face.light for digit in set(MIDDLE) - {"0", "/"}}
    assert backgrounds(tmp_path) == {BOARD.light, CELL.light, *faces}
    environment(monkeypatch, tmp_path, term="xterm")
    found = backgrounds(tmp_path)
    assert {"white", "bright_white", "bright_yellow"} <= found
    assert not any(name.startswith("#") for name in found)
    environment(monkeypatch, tmp_path, colours=False)
    assert backgrounds(tmp_path) == set()


if __name__ == "__main__":
    for screen in NAMES:
        with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patched:
            text = drawn(screen, Path(place), patched)
            (FOLDER / f"{screen}.txt").write_text(text, encoding="utf-8")
