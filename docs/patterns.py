"""Draws docs/images/patterns.svg: the patterns of a network, and one of them in all symmetries.

python docs/patterns.py [NETWORK]
"""

import sys
from pathlib import Path

from twofold.values.network import Pattern, parse_patterns

OUT = Path(__file__).parent / "images" / "patterns.svg"
CELL, GAP, TOP = 22, 34, 40
COLOURS = ("#c9572c", "#2f7fb5", "#3d8f52", "#8c5bb0", "#b0892b", "#b5486f", "#4b8f93", "#7a6a5c")
INK, LINE, EMPTY = "#4a453f", "#b7aea2", "#f4f0ea"


def turned(cells: tuple[int, ...], symmetry: int) -> tuple[int, ...]:
    """Where the cells of a pattern lie on the board turned by a symmetry, 0 to 7."""
    placed = []
    for cell in cells:
        row, col = divmod(cell, 4)
        if symmetry & 4:
            row, col = col, row
        placed.append(4 * (3 - row if symmetry & 2 else row) + (3 - col if symmetry & 1 else col))
    return tuple(placed)


def board(cells: tuple[int, ...], left: float, top: float, colour: str, label: str) -> str:
    """One board with the cells of a pattern filled."""
    parts = [f'<text x="{left}" y="{top - 8}" class="label">{label}</text>']
    for cell in range(16):
        row, col = divmod(cell, 4)
        fill = colour if cell in cells else EMPTY
        parts.append(
            f'<rect x="{left + CELL * col}" y="{top + CELL * row}" width="{CELL - 2}" '
            f'height="{CELL - 2}" rx="3" fill="{fill}" stroke="{LINE}"/>'
        )
        if cell in cells:
            x, y = left + CELL * col + CELL / 2 - 1, top + CELL * row + CELL / 2 + 4
            number = f"{cells.index(cell) + 1}"
            parts.append(f'<text x="{x}" y="{y}" class="digit">{number}</text>')
    return "".join(parts)


def draw(patterns: tuple[Pattern, ...]) -> str:
    """The picture as SVG."""
    step = 4 * CELL + GAP
    per_row = 4
    rows = -(-len(patterns) // per_row)
    parts = []
    for number, pattern in enumerate(patterns):
        left, top = 20 + step * (number % per_row), TOP + 36 + (step + 8) * (number // per_row)
        parts.append(board(pattern.cells, left, top, COLOURS[number % 8], f"pattern {pattern}"))
    below = TOP + 36 + (step + 8) * rows + 40
    for symmetry in range(8):
        left, top = 20 + step * (symmetry % 4), below + (step + 8) * (symmetry // 4)
        cells = turned(patterns[0].cells, symmetry)
        parts.append(board(cells, left, top, COLOURS[0], f"symmetry {symmetry + 1}"))
    width, height = 20 + 4 * step, below + 2 * (step + 8)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="The patterns of a network, and the first one in its eight symmetries">'
        f"<style>.label{{font:13px sans-serif;fill:{INK}}}"
        ".digit{font:bold 11px sans-serif;fill:#fff;text-anchor:middle}"
        f".title{{font:bold 15px sans-serif;fill:{INK}}}</style>"
        f'<rect width="100%" height="100%" rx="8" fill="#fffdf9"/>'
        f'<text x="20" y="30" class="title">{len(patterns)} patterns, '
        f"a table of weights for each</text>"
        f'<text x="20" y="{below - 34}" class="title">The first one in all symmetries: '
        f"eight look-ups in its table</text>{''.join(parts)}</svg>\n"
    )


if __name__ == "__main__":
    OUT.write_text(draw(parse_patterns(sys.argv[1] if len(sys.argv) > 1 else "4x6")))
