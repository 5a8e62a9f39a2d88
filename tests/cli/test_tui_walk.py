"""A walk through a game."""

import pytest

from tests.cli.driving import game_of
from twofold import Board, Game, Move
from twofold.cli.tui.review_screen import draw_walk, timeline, verdict
from twofold.cli.tui.screen import Walk
from twofold.games.judge import MoveJudgement


def judgement(number: int, move: Move, label: str, ratio: float) -> MoveJudgement:
    values = (10.0, 40.0, 20.0, None) if label != "forced" else (None, 5.0, None, None)
    best = move if label in ("best", "forced") else Move.RIGHT
    known = "best" if label == "forced" else label
    shares = tuple(None if one is None else ratio for one in values)
    return MoveJudgement(number, move, best, values, shares, 50.0, known, 1.0)  # type: ignore[arg-type]


def judged(labels: list[str]) -> Walk:
    walk = Walk(game_of("ldlur"))
    for number, label in enumerate(labels):
        walk.take(judgement(number, Move.DOWN, label, 0.5))
    return walk


def test_a_walk_has_a_place_before_each_move_and_one_after_the_last() -> None:
    game = game_of("ldl")
    walk = Walk(game)
    assert (walk.last, walk.place, walk.board, walk.score) == (3, 0, game.start_board, 0)
    assert (walk.move, walk.new) == (Move.LEFT, None)
    walk.go(2)
    assert (walk.move_number, walk.score, walk.move) == (2, 4, Move.LEFT)
    assert walk.new == game.steps[1].cell
    walk.go(99)
    assert (walk.place, walk.board, walk.score, walk.move) == (3, game.board, game.score, None)
    walk.go(-1)
    assert walk.place == 0


def test_mistakes_are_found_both_ways() -> None:
    walk = judged(["best", "mistake", "fine", "blunder"])
    assert walk.next_mistake()
    assert walk.place == 1
    assert walk.next_mistake()
    assert walk.place == 3
    assert not walk.next_mistake()
    assert walk.place == 3
    assert walk.previous_mistake()
    assert walk.place == 1
    assert not walk.previous_mistake()
    assert list(walk.mistakes) == [1, 3]
    assert not walk.is_judged


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("best", "best: no move is better than left"),
        ("forced", "left is the only move"),
        ("blunder", "blunder: left keeps 50 % of the value of right"),
    ],
)
def test_the_verdict(label: str, words: str) -> None:
    assert verdict(judged([label])).plain == words


def test_the_verdict_without_a_judgement() -> None:
    walk = judged([])
    assert verdict(walk).plain == "left: not judged yet"
    walk.go(walk.last)
    assert verdict(walk).plain == "the record ends here; the game is not over"
    game = Game.from_board(Board.parse("1x3:122"), seed=1)
    game.play(Move.LEFT)
    over = Walk(game)
    over.go(1)
    assert verdict(over).plain == "the end of the game"


def test_the_values_name_the_move_made_and_the_best() -> None:
    lines = [line.plain for line in draw_walk(judged(["mistake"]), 40)]
    assert lines[0] == "values"
    assert lines[2].startswith("  right")
    assert lines[2].endswith("40.00 best")
    assert lines[3].startswith("▶ down")
    assert lines[3].endswith("20.00 made")
    assert "illegal" in lines[4]
    narrow = [line.plain for line in draw_walk(judged(["mistake"]), 20)]
    assert narrow[3] == "▶ down    20.00 made"


def test_before_it_is_judged_the_move_made_is_named() -> None:
    lines = [line.plain for line in draw_walk(judged([]), 40)]
    assert lines == ["moves", "  up", "  right", "  down", "▶ left"]


def test_the_whole_game_on_a_line() -> None:
    walk = judged(["best", "mistake", "fine", "blunder"])
    assert timeline(walk, 40).plain == "◆?━!──"
    assert timeline(walk, 3).plain == "◆!─"
    walk.go(walk.last)
    assert timeline(walk, 40).plain == "━?━!─◆"
    assert timeline(Walk(game_of("")), 10).plain == "◆"
