"""Pictures of boards, games, records and analyses, for notebooks."""

import runpy
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.records import NAMES
from tests.support.drawings import elements, numbers
from twofold import Analysis, Board, Game, Move, MoveAnalysis, Record, make_player
from twofold.errors import InvalidInput
from twofold.notebook import SHORTEST, bar_length, show

TEXT = "0012/0013/0024/1357"


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return make_player("greedy").analyse(Board.parse(TEXT))


def by_hand(*values: float | None, best: Move = Move.UP, legal: str = "urdl") -> Analysis:
    """An analysis with these values of up, right, down and left."""
    up, right, down, left = (
        MoveAnalysis(move, move.letter in legal, value, 0)
        for move, value in zip(Move, values, strict=True)
    )
    return Analysis(Board.parse(TEXT), (up, right, down, left), best, "mine", unit="points")


# ---- pictures


def test_show_equals_the_boards_own_picture() -> None:
    board = Board.parse(TEXT)
    view = show(board)
    assert view.svg == view._repr_svg_() == board._repr_svg_()
    assert (view.board, repr(view)) == (board, f"<View of {board}>")


def test_games_and_records_have_a_line_below() -> None:
    game = Game(seed=1)
    game.play(Move.DOWN)
    assert show(game).svg == game._repr_svg_()
    record = Record.from_game(game, player="me & you")
    assert numbers(show(record).svg)[-1] == "0 points · move 1 · going · me & you"
    bare = replace(record, score=None, final=None, result="")
    assert show(bare).svg == show(record).svg


def test_an_analysis_stands_beside_the_board(analysis: Analysis) -> None:
    svg = show(analysis).svg
    assert svg == show(Board.parse(TEXT), analysis).svg
    texts = numbers(svg)
    for move in analysis.moves:
        assert move.move.name.lower() in texts
        if not move.legal:
            assert "illegal" in texts
    assert texts[-1].startswith("greedy")
    (words,) = elements(svg, "desc")
    assert (words.text or "").startswith(f"Best move: {analysis.best.name.lower()}. Values: up ")
    assert len(elements(svg, "circle")) == 1
    assert len(elements(svg, "path")) == 5


@pytest.mark.parametrize(
    ("what", "options", "fault"),
    [
        *((wrong, {}, "expected a board, a game, a record or an") for wrong in (TEXT, None, 7)),
        *((Board.empty(), {"scale": wrong}, "expected a scale") for wrong in (0, "big", None)),
        (Board.empty(), {"theme": "sepia"}, "expected a theme"),
        (Board.empty(), {"analysis": 5}, "expected an analysis, got 5"),
        (Board.empty(), {"analysis": by_hand(1, 2, 3, 4)}, "of 0000/.*, got one of 0012"),
    ],
)
def test_other_objects_are_refused(what: Any, options: dict[str, Any], fault: str) -> None:
    with pytest.raises(InvalidInput, match=fault):
        show(what, **options)


# ---- bars


def test_bars_run_from_the_worst_move_to_the_best() -> None:
    found = by_hand(100.0, 50.0, 0.0, None, legal="urd")
    lengths = [bar_length(found, one) for one in found.moves]
    assert lengths == pytest.approx([1.0, (1 + SHORTEST) / 2, SHORTEST, 0.0])
    below = by_hand(-100.0, -150.0, -200.0, None, legal="urd")
    assert [bar_length(below, one) for one in below.moves] == pytest.approx(lengths)


def test_bars_of_equal_missing_and_infinite_values() -> None:
    alone = by_hand(5.0, None, None, None, legal="u")
    assert [bar_length(alone, one) for one in alone.moves] == [1.0, 0.0, 0.0, 0.0]
    equal = by_hand(5.0, 5.0, None, None, legal="ur")
    assert [bar_length(equal, one) for one in equal.moves] == [1.0, 1.0, 0.0, 0.0]
    ranked = by_hand(None, None, None, None)
    assert [bar_length(ranked, one) for one in ranked.moves] == [1.0, 0.0, 0.0, 0.0]
    assert numbers(show(ranked).svg).count("best") == 1
    infinite = by_hand(5.0, float("-inf"), 1.0, 2.0)
    assert [bar_length(infinite, one) for one in infinite.moves] == [1.0, *3 * [SHORTEST]]


def test_losses_stand_beside_the_names() -> None:
    texts = numbers(show(by_hand(100.0, 50.0, 100.0, 99.5)).svg)
    assert {"100.00", "50.00", "-50.00", "99.50", "-0.50"} <= set(texts)
    assert len([text for text in texts if text.startswith("-")]) == 2


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_names_are_escaped(name: str) -> None:
    game = Game(seed=1)
    svg = show(Record.from_game(game, player=name)).svg
    svg += show(replace(by_hand(1.0, 2.0, 3.0, 4.0), player=name)).svg
    assert svg.replace("\n", "").isprintable()
    for part in svg.split("</svg>")[:-1]:
        tags = {one.tag.rpartition("}")[2] for one in ET.fromstring(part + "</svg>").iter()}
        assert tags <= {"svg", "title", "desc", "style", "rect", "text", "g", "circle", "path"}


def test_the_cells_of_the_example_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "notebook.py"))
    assert names["game"].move_number > 100
    assert sorted(path.name for path in tmp_path.iterdir()) == ["board.svg", "game.html"]
