"""Saving in the app: new games, games that other programs save, a disk that cannot be written."""

import math
import re
from pathlib import Path

import pytest

from tests.cli.driving import (
    Driven,
    drive,
    game_of,
    note_of,
    play_screen,
    saved_by,
    text_of,
    until_shown,
)
from tests.games.kept_games import overwrite
from twofold.cli.tui.game_screen import PlayScreen
from twofold.game.record import Record
from twofold.games import live_game as saving
from twofold.games.store import GameStore

NEWER = "another program went on with this game; its moves are here now"


def save_as_another_program(screen: PlayScreen, letters: str) -> str:
    """Save other moves of the screen's game; returns its id."""
    assert screen.kept.store is not None
    overwrite(screen.kept.store.folder, screen.kept.name, Record.from_game(game_of(letters)))
    return screen.kept.name


def test_a_new_game_can_be_undone(folder: Path) -> None:
    screen = play_screen(folder)

    async def act(pilot: Driven) -> None:
        await pilot.press("left", "down", "n")
        assert note_of(pilot) == "new game; U goes back to the previous one"
        seed = screen.kept.game.seed
        assert seed != 1
        (saved,) = GameStore(folder).games()
        assert saved.info.moves == 2
        await pilot.press("u")
        assert re.search(r"seed +1\b", text_of(pilot))
        assert re.search(r"move +2\b", text_of(pilot))
        await pilot.press("n")
        move, *_ = screen.kept.game.legal_moves()
        await pilot.press(move.name.lower(), "u", "u")
        assert screen.kept.game.seed not in (1, seed)

    drive(screen, act)


@pytest.mark.promise("R65")
@pytest.mark.parametrize("key", ["ctrl+s", ""], ids=["when asked", "by itself"])
def test_moves_of_another_program_are_shown(
    folder: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setattr(saving, "SAVE_SECONDS", 1e9 if key else 0.0)
    screen, names = play_screen(folder), []
    screen.kept._next_look = math.inf  # else a slow machine may take the moves before the key

    async def act(pilot: Driven) -> None:
        save_as_another_program(screen, "ldl")
        await pilot.press("left", *([key] if key else []))
        await until_shown(pilot, NEWER)
        assert re.search(r"move +3\b", text_of(pilot))
        names.append(save_as_another_program(screen, "ldlr"))
        await pilot.press("up", *([key] if key else []))
        await until_shown(pilot, "another program has saved other moves in")

    drive(screen, act)
    assert GameStore(folder).read(names[0]).record.moves == game_of("ldlr").moves
    assert saved_by(screen).moves == screen.kept.game.moves


def test_a_game_is_saved_when_asked_once_it_has_a_move(folder: Path) -> None:
    async def act(pilot: Driven) -> None:
        await pilot.press("ctrl+s")
        assert note_of(pilot) == "nothing to save: no move was made"
        await pilot.press("r")
        assert note_of(pilot) == "there is no move to review yet"
        await pilot.press("left", "ctrl+s")
        assert "the game is saved as" in text_of(pilot)

    drive(play_screen(folder), act)


def test_a_disk_that_cannot_be_written_does_not_end_the_game(folder: Path) -> None:
    (folder / "file").write_text("")
    screen = play_screen(folder / "file")

    async def act(pilot: Driven) -> None:
        await pilot.press("left", "ctrl+s")
        assert "expected a folder for the games" in text_of(pilot)
        await pilot.press("n")
        assert "expected a folder for the games" in text_of(pilot)
        assert screen.kept.game.move_number == 1

    drive(screen, act)


def test_a_notice_about_another_program_outlasts_the_next_keys(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = play_screen(folder)
    notices = iter(["another program has deleted it"])
    monkeypatch.setattr(screen.kept, "take_notice", lambda: next(notices, ""))

    async def act(pilot: Driven) -> None:
        await until_shown(pilot, "another program has deleted it")
        await pilot.press("left", "down")
        assert note_of(pilot) == "another program has deleted it"
        screen._notice_until = 0.0
        await pilot.press("left")
        assert note_of(pilot).startswith("← left")

    drive(screen, act)
