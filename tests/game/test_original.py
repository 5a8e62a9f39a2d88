"""The saved game of the original page."""

import json

import pytest

from twofold.game.board import Board
from twofold.game.foreign.boards import format_original, parse_original, state_of
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import Rules


def saved(board: str, rules: Rules | None = None, score: int = 0) -> dict[str, object]:
    return state_of(Game.from_board(Board.parse(board), rules, score=score, seed=0))


def test_columns_come_first() -> None:
    state = saved("1000/2000/0000/0003")
    assert json.dumps(state).startswith(
        '{"grid": {"size": 4, "cells": [[{"position": {"x": 0, "y": 0}, "value": 2}, '
        '{"position": {"x": 0, "y": 1}, "value": 4}, null, null], '
    )


@pytest.mark.parametrize(
    ("board", "rules", "over", "won", "keep"),
    [
        ("1000/0000/0000/0001", Rules(), False, False, False),
        ("b000/0000/0000/0001", Rules(), False, True, True),
        ("b000/0000/0000/0001", Rules(stop_at_goal=True), False, True, False),
        ("1212/2121/1212/2121", Rules(), True, False, False),
    ],
)
def test_how_a_game_stands(board: str, rules: Rules, over: bool, won: bool, keep: bool) -> None:
    state = saved(board, rules)
    assert (state["over"], state["won"], state["keepPlaying"]) == (over, won, keep)


@pytest.mark.promise("R21")
@pytest.mark.parametrize("side", range(2, 9))
def test_positions_of_every_size_round_trip(side: int) -> None:
    game = Game(Rules(side, side), seed=side)
    for _ in range(50):
        if legal := game.legal_moves():
            game.play(legal[-1])
    text = format_original(Record.from_game(game))
    again = parse_original(text)
    assert (again.board, again.score, again.start_score) == (game.board, game.score, game.score)
    assert format_original(again) == text
    assert again.replay().board == game.board


def test_a_saved_game_is_played_on() -> None:
    record = parse_original(json.dumps(saved("b111/1000/0000/0000", score=20_000)))
    game = record.replay()
    assert (game.score, game.move_number, game.goal_reached) == (20_000, 0, True)
    game.play(game.legal_moves()[0])
