"""Playing in the app: keys, notes, hints, a player that helps, saving."""

import re
from datetime import date
from pathlib import Path

import pytest
from rich.text import Text
from textual import events

from tests.cli.driving import (
    Driven,
    drive,
    game_of,
    keys_of,
    note_of,
    play_screen,
    plays,
    saved_by,
    text_of,
    until,
    until_shown,
)
from tests.support.asked import Failing
from twofold import Board, Game, Rules
from twofold.cli.tui.review_screen import ReviewScreen
from twofold.games.daily import new_record
from twofold.games.live_game import LiveGame


def test_keys_move(folder: Path) -> None:
    screen = play_screen(folder)

    async def act(pilot: Driven) -> None:
        await pilot.press("left", "s", "K", "right")
        assert note_of(pilot).startswith("→ right")
        await pilot.press(*["left"] * 6)
        assert note_of(pilot) == "left: no tile can move"

    drive(screen, act)
    assert "".join(move.letter for move in screen.kept.game.moves).startswith("ldur")


def test_undo_and_redo_without_limit(folder: Path) -> None:
    screen = play_screen(folder, game_of("ldlurldr"))
    legal, board = screen.kept.game.move_number, screen.kept.game.board

    async def act(pilot: Driven) -> None:
        await pilot.press(*["u", "backspace", "ctrl+z"] * (legal // 3), *["u"] * (legal % 3))
        assert screen.kept.game.move_number == 0
        assert re.search(rf"undone +{legal}\b", text_of(pilot))
        await pilot.press("u")
        assert "there is no move to undo" in note_of(pilot)
        await pilot.press(*["y"] * (legal - 1), "ctrl+y")
        assert screen.kept.game.board == board
        await pilot.press("y")
        assert "there is no undone move" in note_of(pilot)

    drive(screen, act)


def test_hints_are_shown_and_hidden_and_counted(folder: Path) -> None:
    """Once for each position, and not those of a player that plays."""
    screen = play_screen(folder)

    async def act(pilot: Driven) -> None:
        await pilot.press("left")
        assert "values" not in text_of(pilot)
        await pilot.press("i")
        await until_shown(pilot, "values, points")
        assert re.search(r"player +last", text_of(pilot))
        await pilot.press("i")
        assert "values" not in text_of(pilot)
        await pilot.press("i")
        await until_shown(pilot, "values, points")
        await pilot.press("i", "down")

    drive(screen, act)
    assert screen.kept.hints == 1
    screen.kept.save()
    assert saved_by(screen).hints == 1


def test_the_daily_game_is_played_without_help(folder: Path) -> None:
    record = new_record(date(2026, 11, 23), "2026-11-23T12:00:00+00:00")
    screen = play_screen(folder, record.resume())
    screen.shared.seat(LiveGame(screen.kept.game, resumed=record))

    async def act(pilot: Driven) -> None:
        await pilot.press("left", "down")
        for key, what in {"u": "undo", "i": "hints", "enter": "autoplay", "p": "autoplay"}.items():
            await pilot.press(key)
            assert f"the daily game is played without {what}" in note_of(pilot)

    drive(screen, act)
    assert (screen.kept.game.move_number, screen.kept.game.undos) == (2, 0)


def test_one_key_plays_the_best_move(folder: Path) -> None:
    screen = play_screen(folder)

    async def act(pilot: Driven) -> None:
        await pilot.press("enter")
        await until(pilot, lambda: screen.kept.game.move_number == 1)
        await pilot.press("space")
        await until(pilot, lambda: screen.kept.game.move_number == 2)

    drive(screen, act)
    assert screen.kept.game.moves[0] is Game(seed=1).legal_moves()[-1]
    assert (screen.kept.player, screen.kept.hints, screen.kept.kind) == ("me", 2, "helped")


def test_the_player_plays_on_until_a_move_key_takes_over(folder: Path) -> None:
    screen = play_screen(folder, pace=0.5)  # so slow that the game does not end meanwhile

    async def act(pilot: Driven) -> None:
        await pilot.press("p")
        await until_shown(pilot, "the player plays, 0.5 moves/s; P or a move takes over")
        await until(pilot, lambda: screen.kept.game.move_number > 0)
        await pilot.press("left")
        assert not plays(screen)
        await pilot.press("p")
        assert plays(screen)
        await pilot.press("p")
        assert not plays(screen)
        await pilot.press("p", "enter")
        assert not plays(screen)

    drive(screen, act)


def test_the_goal_is_announced_each_time_it_is_reached_and_play_goes_on(folder: Path) -> None:
    game = Game.from_board(Board.parse("2x2:11/00"), Rules.parse("2x2 goal=4"), 1)

    async def act(pilot: Driven) -> None:
        await pilot.press("left")
        assert note_of(pilot) == "4 reached! The game goes on."
        await pilot.press("right")
        assert "reached" not in note_of(pilot)
        assert "play  2x2 to 4" in text_of(pilot)
        await pilot.press("u", "u", "left")
        assert note_of(pilot) == "4 reached! The game goes on."

    drive(play_screen(folder, game), act)


def test_the_end_is_announced_and_can_be_undone(folder: Path) -> None:
    game = Game.from_board(Board.parse("1x3:122"), Rules.parse("1x3 goal=8"), 1)
    screen = play_screen(folder, game)

    async def act(pilot: Driven) -> None:
        for key in ("left", "left", "i", "enter", "p"):
            screen.note = Text()
            await pilot.press(key)
            assert note_of(pilot) == "8 reached, game over: 8 points. U undo, N new."
        assert not screen.shared.hints
        await pilot.press("u")
        assert note_of(pilot) == "took a move back"
        assert not game.is_finished

    drive(screen, act)


def test_a_player_that_fails_is_reported(folder: Path) -> None:
    async def act(pilot: Driven) -> None:
        await pilot.press("i")
        await until_shown(pilot, "the player failed: ValueError: no idea")
        await pilot.press("left")
        assert re.search(r"move +1\b", text_of(pilot))

    drive(play_screen(folder, player=Failing), act)


def test_the_keys_fit_the_smallest_terminal(folder: Path) -> None:
    async def act(pilot: Driven) -> None:
        await pilot.press("question_mark")
        assert "any key goes back; ↑ and ↓ show the rest" in text_of(pilot)
        assert "leave at once" not in text_of(pilot)
        await pilot.press("down", "up", *["down"] * 20)
        assert re.search(r"Ctrl-C +leave at once,\n +with exit code 130\n", text_of(pilot))
        helps = pilot.app.screen
        for _ in range(3):  # in one burst, as of a key that is held
            helps.post_message(events.Key("x", "x"))
        await pilot.pause()
        assert text_of(pilot).startswith("twofold  play")

    drive(play_screen(folder), act, (40, 15))


@pytest.mark.parametrize(
    ("keys", "interrupted"),
    [(["left", "q"], False), (["left", "ctrl+c"], True), (["question_mark", "ctrl+c"], True)],
)
def test_leaving(folder: Path, keys: list[str], interrupted: bool) -> None:
    async def act(pilot: Driven) -> None:
        await pilot.press(*keys)

    assert drive(play_screen(folder), act).return_value is interrupted


def test_a_key_named_below_can_be_clicked(folder: Path) -> None:
    screen = play_screen(folder, game_of("ld"))

    async def act(pilot: Driven) -> None:
        place = keys_of(pilot).index("U undo")
        await pilot.click(offset=(place + 1, 23))
        await pilot.pause()
        assert screen.kept.game.move_number == 1
        await pilot.click(offset=(1, 23))  # arrows: which one is not said
        assert screen.kept.game.move_number == 1

    drive(screen, act)


def test_the_game_can_be_reviewed_and_played_on(folder: Path) -> None:
    async def act(pilot: Driven) -> None:
        await pilot.press("left", "down", "r")
        assert isinstance(pilot.app.screen, ReviewScreen)
        await until_shown(pilot, "2 of 2")
        await pilot.press("escape")
        await until(pilot, lambda: text_of(pilot).startswith("twofold  play"))
        await pilot.press("left")
        assert re.search(r"move +3\b", text_of(pilot))

    drive(play_screen(folder), act)
