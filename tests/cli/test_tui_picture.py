"""The picture: board, figures and panel in all sizes."""

import io

import pytest
from rich.console import Console
from rich.text import Text

from twofold import Board
from twofold.cli.tui.picture import Canvas, ScreenPicture, title_line

PANEL = ["values", "up 1", "right 2", "down 3", "left 4"]
FIGURES = [("score", "1,234"), ("best", "9,999"), ("move", "77"), ("player", "")]


def picture(board: str = "1234/0000/0000/0001", panel: bool = True) -> ScreenPicture:
    return ScreenPicture(
        title=title_line("play"),
        board=Board.parse(board),
        figures=FIGURES,
        panel=(lambda _: [Text(line) for line in PANEL]) if panel else None,
        note=Text("the note"),
        below=lambda width: Text("=" * width),
    )


def drawn(canvas: Canvas, board: str = "1234/0000/0000/0001", panel: bool = True) -> list[str]:
    return [line.plain for line in picture(board, panel).lines(canvas)]


def test_figures_stand_beside_the_board_where_there_is_room() -> None:
    lines = drawn(Canvas(80, 23))
    (score,) = [line for line in lines if "1,234" in line]
    assert score.index("score") > 40
    assert lines[0] == "twofold  play"
    assert lines[-1] == "the note"
    assert lines[-2] == "=" * 80


def test_figures_stand_below_a_narrow_board_several_on_a_line() -> None:
    lines = drawn(Canvas(40, 23))
    assert "score 1,234   best 9,999   move 77" in lines
    assert lines.index("left 4") == len(lines) - 4


def test_figures_without_a_text_are_left_out() -> None:
    assert not any("player" in line for line in drawn(Canvas(80, 23)))


def test_a_wide_and_low_terminal_has_the_figures_beside_a_flat_board() -> None:
    lines = drawn(Canvas(80, 12))
    assert len(lines) <= 12
    assert any("score" in line and line.index("score") > 20 for line in lines)


def test_a_long_note_is_read_to_its_end() -> None:
    words = [f"word{number}" for number in range(40)]
    shown = picture()
    shown.note = Text(" ".join(words))
    lines = [line.plain for line in shown.lines(Canvas(80, 24))]
    at = lines.index("=" * 80)
    assert all(len(line.rstrip()) <= 80 for line in lines)
    assert " ".join(lines[at + 1 :]).split() == words


def test_cut_lines_end_in_an_ellipsis() -> None:
    shown = picture()
    shown.title = title_line("expectimax:eval=rows,ply=3,cut=0.001")
    first, *lines = [line.plain for line in shown.lines(Canvas(40, 23))]
    assert first == "twofold  expectimax:eval=rows,ply=3,cut=0.001"[:39] + "…"
    assert not any("…" in line for line in lines)


@pytest.mark.parametrize("size", [(20, 6), (30, 8), (40, 10), (60, 15), (80, 24), (200, 60)])
@pytest.mark.parametrize("board", ["1234/0000/0000/0001", "8x8:" + "/".join(["00112233"] * 8)])
@pytest.mark.parametrize("panel", [True, False])
def test_no_picture_is_higher_than_it_may_be(
    size: tuple[int, int], board: str, panel: bool
) -> None:
    assert len(drawn(Canvas(*size), board, panel)) <= size[1]


def test_canvases_of_consoles() -> None:
    def of(colours: str | None, **more: bool) -> Canvas:
        file = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        console = Console(
            file=file, force_terminal=True, color_system=colours, **more,  # type: ignore[arg-type]
        )  # fmt: skip
        return Canvas.of(console, 80, 24)

    assert of("truecolor") == Canvas(80, 24, "full")
    assert of("256").colours == "full"
    assert of("standard").colours == "16"
    assert of(None).colours == "none"
    assert of("truecolor", no_color=True).colours == "none"
