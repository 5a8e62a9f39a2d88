"""The puzzle of the day: its positions, its dates, the answers."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from twofold.errors import InvalidInput
from twofold.game.board import Board
from twofold.game.rules import STANDARD, Move
from twofold.games.daily import FIRST_DAY
from twofold.games.puzzles import (
    NAME,
    RATING,
    Answers,
    DailyPuzzle,
    PuzzleBook,
    puzzle_lines,
    puzzle_of,
    ratings,
)
from twofold.games.store import GameStore, NotFound
from twofold.players import make_player
from twofold.players.searching import values_of
from twofold.search.budget import Budget, Stop

TODAY = date(2026, 11, 23)
YEAR = 366


@pytest.fixture
def book(tmp_path: Path) -> PuzzleBook:
    return PuzzleBook(GameStore(tmp_path), lambda: TODAY)


def puzzles() -> list[DailyPuzzle]:
    """All puzzles, on a date each."""
    return [puzzle_of(FIRST_DAY + timedelta(number)) for number in range(len(puzzle_lines()))]


def best_move(day: date) -> Move:
    return Move.parse(puzzle_of(day).best)


def wrong_move(day: date) -> Move:
    puzzle = puzzle_of(day)
    return next(m for m in Move if puzzle.values[m] is not None and m.letter != puzzle.best)


def test_each_puzzle_has_one_best_move_and_a_tempting_one_that_is_a_mistake() -> None:
    """There are puzzles for more than a year, and none twice."""
    found = puzzles()
    assert len({one.board for one in found}) == len(found) >= YEAR
    for one in found:
        legal = {move for move in Move if one.values[move] is not None}
        assert legal == set(Board.parse(one.board).legal_moves())
        assert len(legal) >= 3
        others = [share for move, share in zip(Move, one.shares, strict=True)
                  if share is not None and move.letter != one.best]  # fmt: skip
        assert one.shares[Move.parse(one.best)] == 1
        assert max(others) < 0.976  # values are rounded
        assert one.best not in one.tempting


def test_the_values_are_those_of_the_network_at_three_plies() -> None:
    with make_player("ntuple:net=default,ply=3") as player:
        player.start(STANDARD, 0)
        for one in puzzles()[:5]:
            found = values_of(player, Board.parse(one.board), 0, Budget(), Stop())
            assert found is not None
            assert {move: round(value) for move, value in found.items()} == {
                move: one.values[move] for move in Board.parse(one.board).legal_moves()
            }


def test_the_first_answer_counts(book: PuzzleBook) -> None:
    assert book.answer(TODAY, wrong_move(TODAY))[TODAY].right is False
    assert book.answer(TODAY, best_move(TODAY))[TODAY].right is False
    assert book.answers()[TODAY].move == wrong_move(TODAY).letter


def test_an_illegal_answer_is_refused(book: PuzzleBook) -> None:
    day = next(
        day for day in (TODAY - timedelta(n) for n in range(YEAR)) if None in puzzle_of(day).values
    )
    illegal = Move(puzzle_of(day).values.index(None))
    with pytest.raises(InvalidInput, match="expected a legal move"):
        book.answer(day, illegal)
    assert book.answers() == {}


def test_a_streak_is_of_days_solved_on_the_day(tmp_path: Path) -> None:
    def on(day: date) -> PuzzleBook:
        return PuzzleBook(GameStore(tmp_path), lambda: day)

    days = [TODAY - timedelta(number) for number in range(5)]
    for day in (days[4], days[2], days[1]):
        on(day).answer(day, best_move(day))
    on(TODAY).answer(days[3], best_move(days[3]))  # too late to count
    book = on(TODAY)
    assert book.streak(book.answers()) == 2  # today may still come
    book.answer(TODAY, best_move(TODAY))
    assert book.streak(book.answers()) == 3
    after = TODAY + timedelta(2)
    assert on(after).streak(on(after).answers()) == 0


@pytest.mark.parametrize("day", ["2026-11-24", "2025-12-31", "today", "", "2026-13-01"])
def test_a_day_without_a_puzzle_is_not_found(book: PuzzleBook, day: str) -> None:
    with pytest.raises(NotFound, match="expected a date from 2026-01-01 to 2026-11-23"):
        book.parse_day(day)


def test_the_stream_goes_by_the_rating(tmp_path: Path) -> None:
    book = PuzzleBook(GameStore(tmp_path), lambda: FIRST_DAY)
    puzzle, progress = book.stream()
    assert (progress.rating, progress.tried) == (RATING, 0)
    assert abs(ratings()[puzzle.number - 1] - RATING) < 10
    right = book.solve(puzzle.number, Move.parse(puzzle.best))
    assert (right.solved, right.streak) == (1, 1)
    assert right.change == pytest.approx(right.rating - RATING)
    wrong = next(move for move in Move if move.letter != puzzle.best and puzzle.values[move])
    assert book.solve(puzzle.number, wrong) == right  # the first answer counts
    harder, _ = PuzzleBook(GameStore(tmp_path), lambda: FIRST_DAY).stream()  # it is kept
    assert harder.number != puzzle.number
    assert ratings()[harder.number - 1] > RATING
    wrong = next(move for move in Move if move.letter != harder.best and harder.values[move])
    lost = book.solve(harder.number, wrong)
    assert (lost.tried, lost.solved, lost.streak, lost.longest) == (2, 1, 0, 1)
    assert lost.rating < right.rating


def test_the_stream_begins_again_when_all_puzzles_were_given(tmp_path: Path) -> None:
    all_but_one = [*range(2, len(puzzle_lines()))]
    store = GameStore(tmp_path)
    store.practise(NAME, Answers, lambda answers: answers.given.update(all_but_one))
    book = PuzzleBook(store, lambda: FIRST_DAY)
    puzzle, _ = book.stream()
    assert puzzle.number not in all_but_one
    book.solve(puzzle.number, Move.parse(puzzle.best))
    assert book.stream()[0].number in all_but_one


@pytest.mark.parametrize("number", [0, 10**6])
def test_a_puzzle_that_is_not_there_is_refused(tmp_path: Path, number: int) -> None:
    with pytest.raises(NotFound):
        PuzzleBook(GameStore(tmp_path)).solve(number, Move.UP)
