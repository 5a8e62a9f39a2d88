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

# ---- beginning, and moves that are refused


def test_a_game_begins_with_its_start_tiles() -> None:
    game = Game(seed=1)
    assert str(game.board) == "0000/0000/0100/1000"
    assert (game.rules, game.seed, game.spawn_number, game.undos) == (Rules(), 1, 2, 0)
    assert Game("3x3 goal=64", seed=0).rules == Rules.parse("3x3 goal=64")
    assert len(Game("2x3 spawn=8:1 start=3", seed=3).board.empty_cells) == 3


def test_a_game_goes_on_from_a_board_with_the_same_dice() -> None:
    whole = played(40)
    middle = Game.from_board(
        whole.steps[19].board, LARGE, seed=1, score=100, move_number=20, undos=2
    )
    assert (middle.start_board, middle.spawn_number, middle.undos) == (middle.board, 22, 2)
    for step in whole.steps[20:]:
        assert middle.play(step.move) == step
    assert (middle.start_score, middle.start_move_number, middle.move_number) == (100, 20, 40)
    assert middle.score == 100 + whole.score - whole.at(20).score
    assert Game.from_board("3x2:10/10/00", seed=4).rules == Rules(3, 2)


def test_an_illegal_move_changes_nothing() -> None:
    game = Game.from_board("1000/2000/0000/0000", seed=0, move_number=7)
    before = place(game)
    calls: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: game.play(Move.LEFT), IllegalMove, r"move \(right, down\), got left on"),
        (lambda: game.play("7"), InvalidMove, r"expected a move u, r, d or l .*, got '7'"),
        (game.undo, NothingToUndo, "there is no move to undo"),
        (game.redo, NothingToRedo, "there is no undone move"),
    ]
    for call, error, message in calls:
        with pytest.raises(error, match=message):
            call()
    assert (place(game), game.undos, game.move_number) == (before, 0, 7)


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
    words = {
        Status.STOPPED: "the game has stopped at the goal 8",
        Status.OVER: f"expected a board with a legal move, got {board}",
    }
    if status in words:
        with pytest.raises(GameOver, match=words[status]):
            game.play(Move.UP)


def test_a_game_prints_itself() -> None:
    game = Game.from_board("2x2:12/21", score=1234, seed=0, move_number=7)
    assert str(game) == "1,234 points, 7 moves, over\n2 4\n4 2"
    assert repr(game) == (
        "<Game '2x2 spawn=2:0.9,4:0.1 start=2 goal=2048 stop=never' seed=0 move 7, score 1234, "
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
    for letter in "rd":
        step = thrown.play(letter)
        game.play(letter, spawn=(step.cell, step.tile))
    for number in (1, 2):
        fork = game.fork(number)
        assert [fork.is_thrown(one) for one in fork.spawns] == [True] * number
    game.undo()
    game.play("d", spawn=(game.board.slide("d").board.empty_cells[0], 4))
    assert not game.is_thrown(2)
    game.undo()
    game.play("d")
    assert game.is_thrown(2)


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


def test_a_move_takes_a_few_bytes_and_undo_and_redo_take_none() -> None:
    played(MANY)  # what is made once, for all games
    tracemalloc.start()
    try:
        game = played(MANY)
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
    game = played(2)
    for turn, step in zip(game, game.steps, strict=True):
        number, board, move, spawn = turn
        assert board == game.at(number).board
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
