import contextlib
import random
import tracemalloc
from collections.abc import Callable
from typing import Any, Final

import pytest

from twofold.errors import (
    GameOver,
    IllegalMove,
    InvalidMove,
    LimitExceeded,
    NothingToRedo,
    NothingToUndo,
    TileTooLarge,
)
from twofold.game import game as module
from twofold.game.board import Board
from twofold.game.game import MARK_EVERY, Game, Moment
from twofold.game.rules import Move, Rules
from twofold.game.step import Status, status_of
from twofold.limits import MAX_RECORD_MOVES


def play_on(game: Game, moves: int) -> None:
    """Make moves: the first legal one of an order that rotates."""
    for _ in range(moves):
        legal = game.legal_moves()
        game.play(legal[game.move_number % len(legal)])


def facts(game: Game) -> tuple[object, ...]:
    return game.board, game.score, game.move_number, game.steps, game.status, game.undos


# ---- beginning


def test_a_game_begins_with_its_start_tiles() -> None:
    game = Game(seed=1)
    assert str(game.board) == "0000/0000/0100/1000"
    assert facts(game)[1:] == (0, 0, (), Status.GOING, 0)
    assert game.start_board == game.board
    assert (game.rules, game.seed, game.spawn_number) == (Rules(), 1, 2)
    assert Game("3x3 goal=64", seed=0).rules == Rules.parse("3x3 goal=64")
    assert len(Game("2x3 spawn=8:1 start=3", seed=3).board.empty_cells) == 3


def test_a_game_from_a_board() -> None:
    board = Board.parse("3x2:10/10/00")
    game = Game.from_board(board, seed=4, score=100, move_number=50, undos=2)
    assert (game.board, game.rules) == (board, Rules(rows=3, cols=2))
    assert (game.score, game.move_number, game.spawn_number, game.undos) == (100, 50, 52, 2)
    step = game.play(Move.UP)
    assert (game.score, game.move_number, step.reward) == (104, 51, 4)
    assert (game.start_board, game.start_score, game.start_move_number) == (board, 100, 50)


def test_a_game_goes_on_from_its_board_with_the_same_dice() -> None:
    whole = Game(seed=9)
    play_on(whole, 40)
    middle = Game.from_board(whole.steps[19].board, seed=9, move_number=20)
    for step in whole.steps[20:]:
        assert middle.play(step.move) == step


# ---- play


def test_an_illegal_move_changes_nothing() -> None:
    game = Game.from_board(Board.parse("1000/2000/0000/0000"), seed=0)
    before = facts(game)
    with pytest.raises(IllegalMove, match=r"expected a legal move \(right, down\), got left on"):
        game.play(Move.LEFT)
    with pytest.raises(InvalidMove, match=r"expected a move u, r, d or l .*, got 7"):
        game.play(7)  # type: ignore[arg-type]
    assert facts(game) == before


# ---- status


@pytest.mark.parametrize(
    ("board", "rules", "status"),
    [
        ("2x2:10/00", "2x2 goal=8", Status.GOING),
        ("2x2:30/00", "2x2 goal=8", Status.WON),
        ("2x2:30/00", "2x2 goal=8 stop=goal", Status.STOPPED),
        ("2x2:31/13", "2x2 goal=8 stop=goal", Status.STOPPED),
        ("2x2:31/13", "2x2 goal=8", Status.OVER),
        ("2x2:12/21", "2x2 goal=8", Status.OVER),
        ("2x2:12/12", "2x2 goal=8", Status.GOING),
        ("2x2:00/00", "2x2 goal=8", Status.OVER),
    ],
)
def test_status(board: str, rules: str, status: Status) -> None:
    game = Game.from_board(Board.parse(board), Rules.parse(rules), seed=0)
    assert game.status is status is status_of(game.board, game.rules)
    assert game.is_finished == (status in (Status.OVER, Status.STOPPED))
    assert game.goal_reached == (game.board.max_tile >= 8)
    assert bool(game.legal_moves()) != game.is_finished


@pytest.mark.parametrize(
    ("board", "message"),
    [
        ("2x2:30/00", "the game has stopped at the goal 8"),
        ("2x2:12/21", "expected a board with a legal move, got 2x2:12/21"),
    ],
)
def test_a_finished_game_takes_no_move(board: str, message: str) -> None:
    game = Game.from_board(Board.parse(board), Rules.parse("2x2 goal=8 stop=goal"), seed=0)
    assert game.legal_moves() == ()
    with pytest.raises(GameOver, match=message):
        game.play(Move.UP)


# ---- undo and redo


def test_nothing_to_undo() -> None:
    game = Game.from_board(Board.parse("1000/0000/0000/0000"), move_number=7, seed=0)
    with pytest.raises(NothingToUndo, match="there is no move to undo"):
        game.undo()
    with pytest.raises(NothingToRedo, match="there is no undone move"):
        game.redo()
    assert (game.undos, game.move_number) == (0, 7)


# ---- whole games


def test_repr_shows_the_position() -> None:
    game = Game.from_board(Board.parse("2x2:12/21"), score=20, seed=0)
    assert repr(game) == (
        "<Game '2x2 spawn=2:0.9,4:0.1 start=2 goal=2048 stop=never' seed=0 move 0, score 20, "
        "over: 2x2:12/21>"
    )


# ---- letters and stored boards

LARGE = Rules(6, 6)
"""Rules under which games of first legal moves are long."""


MANY: Final = 500


def played(moves: int) -> Game:
    """A game of the first legal moves."""
    game = Game(LARGE, 1)
    for _ in range(moves):
        game.play(game.legal_moves()[0])
    return game


def place(game: Game) -> tuple[object, ...]:
    """The state of a game without its number of undos."""
    return game.letters, game.board, game.score, dict(game.spawns), game.steps


@pytest.mark.parametrize(
    "text", ["4x4", "2x2", "3x5", "1x8 spawn=2:0.5,4:0.5", "4x4 goal=64 stop=goal"]
)
def test_a_game_equals_a_list_of_boards(text: str) -> None:
    rules, rng = Rules.parse(text), random.Random(text)
    game = Game(rules, 7)
    boards, number = [Moment(game.board, 0)], 0
    for _ in range(300):
        roll = rng.random()
        if (roll < 0.3 or game.is_finished) and number:
            game.undo()
            number -= 1
        elif roll < 0.5 and number + 1 < len(boards):
            game.redo()
            number += 1
        elif not game.is_finished:
            game.play(rng.choice(game.legal_moves()))
            del boards[number + 1 :]
            boards.append(Moment(game.board, game.score))
            number += 1
        assert (game.move_number, game.board, game.score) == (number, *boards[number])
        assert (game.can_undo, game.can_redo) == (number > 0, number + 1 < len(boards))
        if roll > 0.95:  # the original goes on, and is what it was
            fork = game.fork(number)
            assert place(fork) == place(game)
            while fork.legal_moves() and fork.move_number < number + 5:
                fork.play(fork.legal_moves()[-1])
            fork.cut(number // 2)
            assert fork.letters == game.letters[: number // 2]
            assert fork.at(number // 2) == boards[number // 2]
    assert [game.at(passed) for passed in range(number + 1)] == boards[: number + 1]
    assert game.letters == "".join(move.letter for move in game.moves)


def test_a_given_tile_may_be_that_of_the_dice() -> None:
    game, thrown = Game(seed=3), Game(seed=3)
    step = thrown.play("r")
    game.play("r", spawn=(step.cell, step.tile))
    assert game.is_thrown(1)
    after = game.board.slide("d").board
    game.play("d", spawn=(after.empty_cells[0], 4))
    assert not game.is_thrown(2)
    game.undo()
    game.play("d")
    assert game.is_thrown(2)


def test_a_fork_knows_which_given_tiles_are_those_of_the_dice() -> None:
    game, thrown = Game(seed=3), Game(seed=3)
    for letter in "rd":
        step = thrown.play(letter)
        game.play(letter, spawn=(step.cell, step.tile))
    for number in (1, 2):
        fork = game.fork(number)
        assert [fork.is_thrown(one) for one in fork.spawns] == [True] * number


def test_a_board_is_given_unless_rules_and_seed_have_it() -> None:
    begun = Game(seed=3)
    assert begun.given_board is None
    assert Game.from_board(begun.board, seed=3).given_board is None
    assert Game.from_board(begun.board, seed=4).given_board == begun.board
    assert Game.from_board(begun.board, seed=3, score=4).given_board == begun.board


@pytest.mark.parametrize("do", [Game.at, Game.fork, Game.cut])
@pytest.mark.parametrize("number", [-1, 11])
def test_other_move_numbers_are_refused(do: Callable[[Game, int], Any], number: int) -> None:
    game = played(10)
    with pytest.raises(LimitExceeded, match="expected a move number of this game from 0 to 10"):
        do(game, number)
    assert place(game) == place(played(10))


def test_a_game_is_no_longer_than_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_RECORD_MOVES > 10
    monkeypatch.setattr(module, "MAX_RECORD_MOVES", 10)
    game = played(10)
    with pytest.raises(LimitExceeded):
        game.play(game.legal_moves()[0])
    with pytest.raises(LimitExceeded):
        game.extend("u", Moment(game.board, 0))


def test_boards_are_stored_at_intervals() -> None:
    whole, game = played(200), Game(LARGE, 1)
    game.extend(whole.letters, Moment(whole.board, whole.score))
    assert game.known_before(200) == 0
    game.at(199)
    assert [game.known_before(n) for n in (200, 65, 64, 0)] == [192, MARK_EVERY, 0, 0]


def long_game() -> Game:
    game = Game(Rules(8, 8), 1)
    for _ in range(MANY):
        game.play(game.legal_moves()[0])
    return game


def test_a_move_takes_a_few_bytes_and_undo_and_redo_take_none() -> None:
    long_game()  # what is made once, for all games
    tracemalloc.start()
    try:
        game = long_game()
        held = [tracemalloc.get_traced_memory()[0]]
        for act, times in ((game.undo, MANY), (game.redo, MANY), (game.undo, MANY // 2)):
            for _ in range(times):
                act()
            held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert held[0] < 50 * MANY  # 5 MB for 100,000 moves
    assert max(held) - held[0] < 100_000


def test_a_game_is_iterated_move_by_move() -> None:
    game = Game("2x2", seed=1)
    boards = []
    for letter in "ur":
        boards.append(game.board)
        game.play(letter)
    turns = list(game)
    assert [turn.number for turn in turns] == [0, 1]
    assert [turn.board for turn in turns] == boards
    for turn, step in zip(turns, game.steps, strict=True):
        _, board, move, spawn = turn
        assert board.slide(move).board.place(*spawn) == step.board


def test_a_copy_and_its_original_keep_boards_of_their_own() -> None:
    """Both go on differently from move 60, past the boards that a game keeps now and then."""
    game = Game(seed=4)
    for _ in range(60):
        game.play(game.legal_moves()[0])
    other = game.copy()
    for one, choice in ((game, 0), (other, -1)):
        for _ in range(20):
            one.play(one.legal_moves()[choice])
    for one in (game, other):
        again = Game(seed=4)
        for number, move in enumerate(one.moves):
            assert one.at(number) == (again.board, again.score)
            again.play(move)


def test_a_game_prints_its_board() -> None:
    assert str(Game.from_board("2x2:21/10", seed=0, score=1234, move_number=7)) == (
        "1,234 points, 7 moves, going\n4 2\n2 ."
    )


@pytest.mark.promise("R85")
def test_a_board_that_cannot_be_valued_comes_into_no_game() -> None:
    rules = "5x5 spawn=34359738368:1"
    game = Game.from_board("5x5:00z00/00000/00000/00000/00000", rules, seed=1)
    before = str(game)
    with contextlib.suppress(TileTooLarge):  # until the new tile would lie beside an old one
        while True:
            game.play(game.legal_moves()[0])
            before = str(game)
    assert str(game) == before
    assert game.legal_moves()
    with pytest.raises(TileTooLarge):
        Game.from_board("zz00/0000/0000/0000")
    with pytest.raises(TileTooLarge):
        game.extend("l", Moment(Board.parse("5x5:zz000/00000/00000/00000/00000"), 0))
    assert str(game) == before
