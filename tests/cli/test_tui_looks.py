"""Screens equal their files in `screens/`, which `tests.cli.redraw` makes."""

from pathlib import Path

import pytest

from tests.cli.driving import Driven, drive, play_screen
from tests.cli.redraw import FOLDER, SCREENS, USUAL, drawn, environment, middle
from twofold.cli.tui.screen import Lines
from twofold.game.drawing import BOARD, CELL, TILES


def use(monkeypatch: pytest.MonkeyPatch, name: str, folder: Path) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for key, value in environment(name, folder).items():
        monkeypatch.setenv(key, value)


@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_looks_as_it_did(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use(monkeypatch, name, tmp_path)
    assert drawn(name, tmp_path) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_each_screen_has_a_file() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(SCREENS)


def backgrounds(screen: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> set[str]:
    """The colours behind the text of a screen, as Textual draws it."""
    use(monkeypatch, screen, folder)
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


def test_colours_of_the_tiles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = backgrounds("play-80x24", monkeypatch, tmp_path)
    exponents = {int(digit, 16) for digit in "1035026913724cf"} | {11}
    faces = {TILES[exponent - 1].face.light for exponent in exponents - {0}}
    assert found == {BOARD.light, CELL.light, *faces}


def test_16_colours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(USUAL, "TERM", "xterm")
    monkeypatch.setitem(USUAL, "COLORTERM", "")
    found = backgrounds("play-80x24", monkeypatch, tmp_path)
    assert {"white", "bright_white", "bright_yellow"} <= found
    assert not any(name.startswith("#") for name in found)


def test_no_colours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert backgrounds("play-80x24-no-color", monkeypatch, tmp_path) == set()
