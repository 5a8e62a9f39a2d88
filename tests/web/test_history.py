"""A history is a `Game` that keeps letters."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from twofold.board import Board
from twofold.errors import (
    IllegalMove,
    InvalidBoard,
    InvalidSeed,
    LimitExceeded,
    NothingToRedo,
    NothingToUndo,
)
from twofold.game import Game
from twofold.limits import MAX_RECORD_MOVES
from twofold.records.record import Record, format_record, parse_record
from twofold.rules import STANDARD, Move, Rules
from twofold.web import history as module
from twofold.web.history import MARK_EVERY, History, Standing

SHAPES = ("4x4", "2x2", "3x5", "1x8 spawn=2:0.5,4:0.5", "4x4 goal=64 stop=goal")


def same(history: History, game: Game) -> None:
    assert (history.board, history.score) == (game.board, game.score)
    assert history.move_number == game.move_number
    assert (history.undos, history.status) == (game.undos, game.status)
    assert (history.can_undo, history.can_redo) == (game.can_undo, game.can_redo)
    assert history.letters == "".join(move.letter for move in game.moves)
    assert history.legal_moves() == game.legal_moves()
    assert history.is_finished == game.is_finished


@pytest.mark.parametrize("text", SHAPES)
def test_does_what_a_game_does(text: str) -> None:
    rules, rng = Rules.parse(text), random.Random(text)
    history, game = History(rules, 7), Game(rules, 7)
    for _ in range(200):
        roll = rng.random()
        if roll < 0.15 and game.can_undo:
            assert history.undo() == game.undo().move
        elif roll < 0.25 and game.can_redo:
            assert history.redo() == game.redo()
        elif not game.is_finished:
            move = rng.choice(game.legal_moves())
            assert history.play(move) == game.play(move)
        elif game.can_undo:
            assert history.undo() == game.undo().move
        same(history, game)
    record = history.record(player="me", date="2048-01-31", tags={"Of": "ours"})
    assert record == Record.from_game(game, player="me", date="2048-01-31", tags={"Of": "ours"})
    for number in rng.sample(range(game.move_number + 1), min(20, game.move_number + 1)):
        board = game.steps[number - 1].board if number else game.start_board
        assert history.at(number).board == board
        assert history.letter_at(number) == "".join(m.letter for m in game.moves)[number:][:1]


LARGE = Rules(6, 6)
"""Rules under which games of first legal moves are long."""


def played(moves: int) -> History:
    """A game of the first legal moves."""
    history = History(LARGE, 1)
    for _ in range(moves):
        history.play(history.legal_moves()[0])
    return history


def test_moves_made_elsewhere_join_it() -> None:
    whole = played(60)
    part = played(20)
    part.extend(whole.letters[20:], Standing(whole.board, whole.score))
    assert part.record() == whole.record()
    for number in (60, 59, 21, 20, 5, 0):
        assert part.at(number) == whole.at(number)
    part.undo()
    assert part.board == whole.at(59).board
    assert part.redo().board == whole.board


def test_moves_made_elsewhere_end_redo() -> None:
    history, whole = played(30), played(31)
    history.undo()
    history.undo()
    history.extend(whole.letters[28:], Standing(whole.board, whole.score))
    assert not history.can_redo
    assert history.letters == whole.letters


def test_cut_forgets_moves() -> None:
    history = played(40)
    history.cut(25)
    assert history.record() == played(25).record()
    assert not history.can_redo


def test_from_a_record_and_on() -> None:
    whole = played(100)
    read = History.from_record(parse_record(format_record(whole.record(player="me"))))
    assert read.record(player="me") == whole.record(player="me")
    for _ in range(100):
        read.undo()
        assert read.board == whole.at(read.move_number).board
    assert (read.can_undo, read.undos, read.board) == (False, 100, whole.at(0).board)


def test_a_record_without_its_end_is_played() -> None:
    tags = f'[Twofold "1"]\n[Rules "{LARGE}"]\n[Seed "1"]\n\n'
    record = parse_record(tags + played(30).letters + "\n")
    assert record.final is None
    assert History.from_record(record).board == played(30).board


def test_given_tiles_stay() -> None:
    game = Game(seed=3)
    for move in "urdl":
        board = game.board.slide(Move.parse(move)).board
        game.play(Move.parse(move), spawn=(board.empty_cells[-1], 4))
    record = Record.from_game(game, comments={2: "here"})
    assert record.seed is None
    read = History.from_record(record)
    assert read.record(comments=record.comments) == record
    assert [read.at(number).board for number in range(1, 5)] == [s.board for s in game.steps]
    read.undo()
    assert read.record().spawns == {n: s for n, s in record.spawns.items() if n < 4}
    read.redo()
    assert read.record(comments=record.comments) == replace(record, undos=1)
    fork = read.fork(2)
    assert fork.record().seed is None
    fork.play(fork.legal_moves()[0])  # by the dice
    assert fork.record().seed == 0
    assert History.from_record(fork.record()).board == fork.board
    fork.undo()
    read.undo()
    read.play(read.legal_moves()[0])
    assert set(read.record().spawns) == {1, 2, 3}


def test_begins_on_a_board() -> None:
    board = Board.parse("1234/0000/0000/0000")
    history = History(STANDARD, 5, board, score=100, first=40)
    history.play(Move.DOWN)
    record = history.record()
    assert (record.board, record.start_score, record.start_move) == (board, 100, 40)
    assert History.from_record(record).record() == record
    assert history.fork(40).record().board == board


def test_fork_does_not_touch_its_source() -> None:
    source = played(80)
    fork = source.fork(70)
    assert fork.record() == played(70).record()
    fork.undo()
    fork.play(fork.legal_moves()[-1])
    assert source.record() == played(80).record()


@pytest.mark.parametrize(
    ("do", "error"),
    [
        (lambda history: history.at(11), LimitExceeded),
        (lambda history: history.at(-1), LimitExceeded),
        (lambda history: history.fork(11), LimitExceeded),
        (lambda history: history.redo(), NothingToRedo),
        (lambda history: History(STANDARD, 1).undo(), NothingToUndo),
        (lambda history: History(STANDARD, -1), InvalidSeed),
        (lambda history: History(STANDARD, 1, Board.empty((2, 2))), InvalidBoard),
        (lambda history: History(STANDARD, 1, score=-1), LimitExceeded),
        (lambda history: History(STANDARD, 1, undos=-1), LimitExceeded),
    ],
)
def test_refuses(do: Callable[[History], object], error: type[Exception]) -> None:
    history = played(10)
    before = history.record()
    with pytest.raises(error):
        do(history)
    assert history.record() == before


def test_an_illegal_move_changes_nothing() -> None:
    history = History(STANDARD, 1, Board.parse("1234/0000/0000/0000"))
    with pytest.raises(IllegalMove):
        history.play(Move.UP)
    assert (history.move_number, history.letters) == (0, "")


def test_no_longer_than_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_RECORD_MOVES > 10
    monkeypatch.setattr(module, "MAX_RECORD_MOVES", 10)
    history = played(10)
    with pytest.raises(LimitExceeded):
        history.play(history.legal_moves()[0])
    with pytest.raises(LimitExceeded):
        history.extend("u", Standing(history.board, 0))


def test_boards_are_kept_here_and_there() -> None:
    history = History.from_record(played(200).record())
    assert history.known_before(200) == 0
    history.at(199)
    assert history.known_before(200) == 192
    assert history.known_before(64) == 0
    assert history.known_before(65) == MARK_EVERY
    assert history.known_before(0) == 0
