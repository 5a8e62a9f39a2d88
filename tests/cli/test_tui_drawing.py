"""What the terminal draws: tiles, boards and pictures in every size, keys, moves in words."""

import re

import pytest
from rich.color import Color, ColorSystem
from rich.text import Text
from textual.binding import Binding

from tests.cli.driving import game_of
from tests.support.colours import contrast
from twofold import Board, Game, Move, Rules, make_player
from twofold.cli.tui.picture import Canvas, ScreenPicture, bar_share, draw_moves, title_line
from twofold.cli.tui.review_screen import draw_walk, timeline, verdict
from twofold.cli.tui.screen import PLAY_KEYS, REVIEW_KEYS, WATCH_KEYS, Walk
from twofold.cli.tui.tiles import (
    DIGITS,
    NAMED,
    Colours,
    Look,
    board_size,
    draw_big,
    draw_board,
    fit,
    getting_ready,
    merges,
    tile_label,
    words_of_cell,
    words_of_move,
)
from twofold.cli.watch import picture_of
from twofold.game.drawing import TILES
from twofold.games.judge import MoveJudgement
from twofold.games.shared_game import Chronicle
from twofold.limits import MAX_EXPONENT

# ---- tiles and boards

SIZES = [(120, 40), (80, 24), (50, 21), (40, 21)]
COLOURS: list[Colours] = ["full", "16", "none"]


def test_every_tile_can_be_read_in_few_colours() -> None:
    """Bold text needs a contrast of 3; in true colours the tests of the page ask for 4.5."""
    for tile in TILES[:MAX_EXPONENT]:
        shown = [Color.parse(one.light).downgrade(ColorSystem.EIGHT_BIT) for one in tile]
        assert contrast(*(one.get_truecolor().hex for one in shown)) >= 3.8
    assert len(set(NAMED[12:18])) == 6


@pytest.mark.parametrize("colours", COLOURS)
@pytest.mark.parametrize("shape", [(1, 2), (2, 2), (3, 4), (4, 4), (1, 8), (8, 1), (8, 8)])
@pytest.mark.parametrize("size", SIZES)
def test_a_board_fits_its_limits(
    shape: tuple[int, int], size: tuple[int, int], colours: Colours
) -> None:
    board = Board([1 + cell % 17 for cell in range(shape[0] * shape[1])], shape)
    look = fit(board, colours, *size)
    lines = draw_board(board, look)
    assert (max(line.cell_len for line in lines), len(lines)) == board_size(board, look)
    assert board_size(board, look)[0] <= size[0]
    assert len(lines) <= size[1]


@pytest.mark.parametrize("colours", COLOURS)
@pytest.mark.parametrize("size", [*SIZES, (30, 8)])
def test_every_tile_is_written_on_it(size: tuple[int, int], colours: Colours) -> None:
    board = Board.parse("1234/5678/9abc/def0")
    look = fit(board, colours, *size)
    text = "\n".join(line.plain for line in draw_board(board, look))
    if look.big:
        text += " 2 4 8 16 32 64 128 256 512 1024 2048 4096 8192 "  # drawn large
    labels = [tile_label(exponent, look.short) for exponent in range(1, 16)]
    assert all(label in text for label in labels)
    assert len(set(labels)) == len(labels)


def test_labels_and_digits() -> None:
    short = {0: "", 1: "2", 13: "8192", 14: "16k", 17: "128k", 20: "1M", 35: "32G"}
    assert {exponent: tile_label(exponent, short=True) for exponent in short} == short
    assert draw_big("17") == ["▀█  ▀▀█", " █    █", "▀▀▀   ▀"]
    assert all(len(line) == 4 * 10 - 1 for line in draw_big("".join(DIGITS)))


@pytest.mark.parametrize(
    "look", [Look("full", 8, 3, 2), Look("full", 6), Look("16", 8, 3, 2), Look("none", 8, 3)]
)
def test_a_new_tile_stands_out(look: Look) -> None:
    board = Board.parse("1x3:112")
    usual, marked = draw_board(board, look), draw_board(board, look, new=1)
    assert any(one != other for one, other in zip(usual, marked, strict=True))
    assert ("(2)" in "".join(line.plain for line in marked)) == (look.colours == "none")
    for line in marked:
        line.append("scribble")  # what is drawn once more is as it was
    assert "scribble" not in "".join(line.plain for line in draw_board(board, look, new=1))


# ---- pictures

PANEL = ["values", "up 1", "right 2", "down 3", "left 4"]
FIGURES = [("score", "1,234"), ("best", "9,999"), ("move", "77"), ("player", "")]


def drawn(
    canvas: Canvas, board: str = "1234/0000/0000/0001", *, panel: bool = True, note: str = "note"
) -> list[str]:
    shown = ScreenPicture(
        title=title_line("expectimax:eval=rows,ply=3,cut=0.001"),
        board=Board.parse(board),
        figures=FIGURES,
        panel=(lambda _: [Text(line) for line in PANEL]) if panel else None,
        note=Text(note),
        below=lambda width: Text("=" * width),
    )
    return [line.plain for line in shown.lines(canvas)]


def test_a_long_note_is_read_to_its_end_and_other_lines_are_cut() -> None:
    words = [f"word{number}" for number in range(40)]
    lines = drawn(Canvas(80, 24), note=" ".join(words))
    at = lines.index("=" * 80)
    assert all(len(line.rstrip()) <= 80 for line in lines)
    assert " ".join(lines[at + 1 :]).split() == words
    first, *lines = drawn(Canvas(40, 23))
    assert first == "twofold  expectimax:eval=rows,ply=3,cut=0.001"[:39] + "…"
    assert not any("…" in line for line in lines)


@pytest.mark.parametrize("size", [(20, 6), (30, 8), (40, 10), (60, 15), (80, 24), (200, 60)])
@pytest.mark.parametrize("board", ["1234/0000/0000/0001", "8x8:" + "/".join(["00112233"] * 8)])
@pytest.mark.parametrize("panel", [True, False])
def test_no_picture_is_higher_than_it_may_be(
    size: tuple[int, int], board: str, panel: bool
) -> None:
    assert len(drawn(Canvas(*size), board, panel=panel)) <= size[1]


@pytest.mark.parametrize("built", [[], ["play"]])
def test_a_watched_game_before_its_first_move(
    built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twofold.cli.tui.tiles.BUILT", built)
    frame = Chronicle(Game(Rules.parse("3x4"), seed=1)).frame()
    lines = [line.plain for line in picture_of(frame, "greedy", 2**64 - 1).lines(Canvas(40, 12))]
    assert lines[0] == "twofold  greedy"
    assert lines[-1] == getting_ready()
    assert len(lines) <= 12
    text = "\n".join(lines)
    assert "seed 18446744073709551615" in text
    assert "▶" not in text


@pytest.mark.parametrize(
    ("value", "legal", "length"),
    [
        (10.0, [10.0, 5.0, 0.0], 1),
        (5.0, [10.0, 5.0, 0.0], 0.55),
        (0.0, [10.0, 5.0, 0.0], 0.1),
        (None, [10.0, 5.0, 0.0], 0),
        (float("-inf"), [float("-inf"), 3.0], 0.1),
        (3.0, [float("-inf"), 3.0], 1),
    ],
)
def test_bars_run_from_the_worst_to_the_best(
    value: float | None, legal: list[float], length: float
) -> None:
    assert bar_share(value, legal) == length


def test_probabilities_are_shown_as_they_are_not_as_differences() -> None:
    analysis = make_player("policy").analyse(Board.parse("0012/0013/0024/1357"))
    text = "\n".join(line.plain for line in draw_moves(analysis, 60))
    shown = [float(number) for number in re.findall(r"(-?[0-9.]+) %", text)]
    legal = [one for one in analysis.moves if one.legal]
    assert sorted(shown) == sorted(round(100 * (one.value or 0.0), 1) for one in legal)


# ---- keys


@pytest.mark.parametrize("keys", [PLAY_KEYS, WATCH_KEYS, REVIEW_KEYS])
def test_each_key_does_one_thing_which_the_help_names(keys: tuple[Binding, ...]) -> None:
    """But those for moves, `=` for `+`, and a key that few terminals can tell from Ctrl-Z."""
    every = [key for one in keys for key in one.key.split(",")]
    assert len(every) == len(set(every))
    for one in keys:
        named = {key.lower() for key in one.key.split(",")} - {"equals_sign", "ctrl+shift+z"}
        shown = (one.key_display or "").split(", ")
        assert one.action.startswith("move") or len(named) == len(shown)


# ---- a game in words


def test_merges_add_up_to_the_reward_of_every_move_of_a_game() -> None:
    game = Game(seed=5)
    while not game.is_finished and game.move_number < 200:
        before = game.board
        step = game.play(game.legal_moves()[-1])
        assert sum(merges(before, step.move)) == step.reward
        words = words_of_move(before, step.move, step.board)
        assert f"new {step.tile} at {words_of_cell(step.cell, 4)}" in words


# ---- a walk through a game


def judged(*labels: str, moves: str = "ldlur") -> Walk:
    """A walk whose first moves have these labels, each a move down with half of the best ratio."""
    walk = Walk(game_of(moves))
    for number, label in enumerate(labels):
        values = (10.0, 40.0, 20.0, None) if label != "forced" else (None, 5.0, None, None)
        best = Move.DOWN if label in ("best", "forced") else Move.RIGHT
        shares = tuple(None if one is None else 0.5 for one in values)
        known = "best" if label == "forced" else label
        walk.take(
            MoveJudgement(number, Move.DOWN, best, values, shares, 50.0, known, 1.0)  # type: ignore[arg-type]
        )
    return walk


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("best", "best: no move is better than left"),
        ("forced", "left is the only move"),
        ("blunder", "blunder: left keeps 50 % of the value of right"),
    ],
)
def test_the_verdict(label: str, words: str) -> None:
    assert verdict(judged(label)).plain == words
    walk = judged()
    assert verdict(walk).plain == "left: not judged yet"
    assert draw_walk(walk, 40)[-1].plain == "▶ left"
    walk.go(walk.last)
    assert verdict(walk).plain == "the record ends here; the game is not over"


def test_the_whole_game_on_a_line() -> None:
    walk = judged("best", "mistake", "fine", "blunder")
    assert timeline(walk, 40).plain == "◆?━!──"
    assert timeline(walk, 3).plain == "◆!─"
    walk.go(walk.last)
    assert timeline(walk, 40).plain == "━?━!─◆"
    assert timeline(judged(moves=""), 10).plain == "◆"
