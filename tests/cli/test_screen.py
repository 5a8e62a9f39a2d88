"""The picture: colours that can be read, and layouts that fit."""

import io
import re

import pytest
from rich.color import Color, ColorSystem
from rich.console import Console

from tests.support.colours import contrast
from twofold import Board, Game, Rules, make_player
from twofold.cli.tui.picture import bar_share
from twofold.cli.tui.tiles import NAMED
from twofold.cli.watch import Screen
from twofold.game.drawing import TILES
from twofold.games.shared_game import GameFrame, first_frame
from twofold.limits import MAX_EXPONENT

SIZES = [(80, 24), (120, 40), (60, 20), (50, 18), (40, 12), (30, 10), (20, 8)]


def screen(board: Board, player: str = "expectimax:ply=1") -> Screen:
    analysis = make_player(player).analyse(board)
    frame = GameFrame(board, 1_234_567, 98_765, 4321.0, analysis, ())
    return Screen(frame, player, 2**64 - 1, "Ctrl-C ends the game with a summary")


def drawn(picture: Screen, columns: int, lines: int, colours: str | None = "truecolor") -> str:
    console = Console(
        file=io.StringIO(),
        width=columns,
        height=lines,
        force_terminal=True,
        color_system=colours,  # type: ignore[arg-type]
    )
    return "\n".join(line.plain for line in picture.lines(console, columns, lines))


@pytest.mark.parametrize("exponent", range(1, MAX_EXPONENT + 1))
def test_every_tile_can_be_read_in_256_colours(exponent: int) -> None:
    """Bold text needs a contrast of 3; in true colours the tests of the page ask for 4.5."""
    face, text = TILES[exponent - 1]
    shown = [
        Color.parse(colour.light).downgrade(ColorSystem.EIGHT_BIT).get_truecolor().hex
        for colour in (face, text)
    ]
    assert contrast(*shown) >= 3.8


def test_large_tiles_have_colours_of_their_own() -> None:
    assert len(set(NAMED[12:18])) == 6


@pytest.mark.parametrize(("columns", "lines"), SIZES)
@pytest.mark.parametrize("colours", ["truecolor", "256", "standard", None])
def test_the_picture_fits(columns: int, lines: int, colours: str | None) -> None:
    text = drawn(screen(Board.parse("hgf0/0001/1234/5678"), "greedy"), columns, lines, colours)
    rows = text.splitlines()
    assert len(rows) <= lines
    assert "1,234,567" in text or lines < 10
    assert ("131072" if columns >= 30 else "128k") in text


@pytest.mark.parametrize("shape", ["1x2", "2x2", "3x4", "8x8", "1x8", "8x1", "5x5"])
def test_boards_of_every_shape(shape: str) -> None:
    game = Game(Rules.parse(shape), seed=1)
    text = drawn(Screen(first_frame(game), "greedy", 1), 80, 24)
    assert len(text.splitlines()) <= 24
    assert "score" in text


def test_the_moves_are_shown_with_their_distance_from_the_best() -> None:
    text = drawn(screen(Board.parse("0012/0013/0024/1357")), 80, 24)
    (right,) = [line for line in text.splitlines() if " right " in line]
    assert "illegal" in right
    assert text.count("▶") == 1
    assert "█" in text


def test_before_the_first_move_no_value_is_shown() -> None:
    text = drawn(Screen(first_frame(Game(seed=1)), "greedy", 1, "getting ready"), 80, 24)
    assert "getting ready" in text
    assert "▶" not in text


@pytest.mark.parametrize(("value", "length"), [(10.0, 1), (5.0, 0.55), (0.0, 0.1), (None, 0)])
def test_bars_run_from_the_worst_to_the_best(value: float | None, length: float) -> None:
    assert bar_share(value, [10.0, 5.0, 0.0]) == length


def test_bars_of_infinite_values() -> None:
    legal = [float("-inf"), 3.0]
    assert bar_share(legal[0], legal) == 0.1
    assert bar_share(legal[1], legal) == 1


def test_probabilities_are_shown_as_they_are_not_as_differences() -> None:
    board = Board.parse("0012/0013/0024/1357")
    text = drawn(screen(board, "policy"), 120, 40)
    shown = [float(number) for number in re.findall(r"(-?[0-9.]+) %", text)]
    legal = [move for move in make_player("policy").analyse(board).moves if move.legal]
    assert sorted(shown) == sorted(round(100 * (move.value or 0.0), 1) for move in legal)
