"""Draws docs/images/endgame.svg: a board that an endgame table knows, and the chances it gives.

twofold tables build 442-512
python docs/endgame.py
"""

from pathlib import Path

from twofold import Board, make_player
from twofold.game.drawing import (
    FACE,
    GAP,
    INK,
    Colour,
    board_parts,
    board_size,
    cell_corner,
    label,
    paint,
    picture,
    rectangle,
)

OUT = Path(__file__).parent / "images" / "endgame.svg"
TABLE, FREE_CELLS = "442-512", range(6, 16)
BOARD_SHOWN = "edcb/a901/0135/1257"
LEFT, BAR, ROW = 540, 330, 62
FRAME = Colour("#2f6fb5", "#8fb8e6")
OTHER = Colour("#b5a797", "#85796d")
PAGE = Colour("#fffdf9", "#1e1c1a")


def free_cells() -> str:
    """A frame around the cells without large tiles."""
    half = GAP / 2
    corners = [cell_corner(cell, 4) for cell in (6, 7, 15, 12, 8, 10)]
    (x0, y0), (x1, _), (_, y2), (x3, _), (_, y4), _ = corners
    right, bottom = x1 + FACE + half, y2 + FACE + half
    points = [
        (x0 - half, y0 - half), (right, y0 - half), (right, bottom), (x3 - half, bottom),
        (x3 - half, y4 - half), (x0 - half, y4 - half),
    ]  # fmt: skip
    path = "M" + "L".join(f"{x:g} {y:g}" for x, y in points) + "Z"
    return f'<path d="{path}" stroke-width="7" stroke-linejoin="round" fill="none" ' + (
        f"{paint('auto', stroke=FRAME)}/>"
    )


def chances(board: Board) -> list[str]:
    """A bar for each legal move."""
    answer = make_player(f"ntuple:tables={TABLE}").table_answer(board)
    assert answer is not None
    ink, parts = paint("auto", fill=INK), []
    for number, move in enumerate(board.legal_moves()):
        y, chance = 176 + ROW * number, answer.chances.get(move)
        best = move == answer.best
        parts.append(label(LEFT, y, move.name.lower(), 27, ink, bold=best))
        if chance is None:
            parts.append(label(LEFT + 90, y, "moves a large tile", 24, ink))
            continue
        colour = FRAME if best else OTHER
        parts.append(rectangle(LEFT + 90, y - 17, BAR * chance, 34, paint("auto", fill=colour)))
        parts.append(
            label(LEFT + 102 + BAR * chance, y, f"{100 * chance:.1f} %", 27, ink, bold=best)
        )
    return parts


def draw() -> str:
    """The picture as SVG."""
    board = Board.parse(BOARD_SHOWN)
    ink = paint("auto", fill=INK)
    width, height = LEFT + 580, board_size(4, 4)[1] + 2 * GAP
    inner = [*board_parts(4, 4, board.exponents, "auto"), free_cells()]
    words = [
        label(LEFT, 40, "Table 442-512", 34, ink, bold=True),
        label(LEFT, 84, "Six large tiles stay where they are. The chance", 24, ink),
        label(LEFT, 116, "to make 512 in the ten framed cells:", 24, ink),
        label(LEFT, 424, "Then it merges with the other 512, and so on", 24, ink),
        label(LEFT, 456, "up to 32768.", 24, ink),
    ]
    return picture(
        width,
        height,
        [
            rectangle(0, 0, width, height, paint("auto", fill=PAGE), 12),
            f'<g transform="translate({GAP} {GAP})">{"".join(inner)}</g>',
            *words,
            *chances(board),
        ],
        title="What an endgame table knows",
        description=f"The board {BOARD_SHOWN}, its ten cells without large tiles framed, and "
        "beside it the chance to make 512 after each move.",
        theme="auto",
        scale=0.6,
    )


if __name__ == "__main__":
    OUT.write_text(draw())
