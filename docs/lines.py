"""Draws docs/images/lines.svg: two patterns in all symmetries, in pairs that read one line.

python docs/lines.py
"""

from pathlib import Path

from patterns import CELL, COLOURS, INK, board, turned

OUT = Path(__file__).parent / "images" / "lines.svg"
PAIRS = ((0, 1), (2, 3), (4, 6), (5, 7))  # symmetries that read a line there and back
PATTERNS = {
    "0123": ("row 1", "row 4", "column 1", "column 4"),
    "4567": ("row 2", "row 3", "column 2", "column 3"),
}
MARGIN, NEAR, FAR = 20, 6, 30  # between the boards of a pair, between pairs
WIDTH = 4 * (8 * CELL + NEAR + FAR) - FAR + 2 * MARGIN
HEIGHT = 4 * CELL + 76  # of one pattern


def draw_pattern(pattern: str, top: int, colour: str) -> list[str]:
    """The title of a pattern and its eight boards."""
    title = f"pattern {pattern}: eight look-ups in one table, four lines read there and back"
    parts = [f'<text x="{MARGIN}" y="{top + 30}" class="title">{title}</text>']
    cells = tuple(int(cell, 16) for cell in pattern)
    for number, (pair, label) in enumerate(zip(PAIRS, PATTERNS[pattern], strict=True)):
        left = MARGIN + number * (8 * CELL + NEAR + FAR)
        for side, symmetry in enumerate(pair):
            x = left + side * (4 * CELL + NEAR)
            text = "and back" if side else label
            parts.append(board(turned(cells, symmetry), x, top + 62, colour, text))
    return parts


def draw() -> str:
    """The picture as SVG."""
    parts = []
    for number, pattern in enumerate(PATTERNS):
        parts += draw_pattern(pattern, number * HEIGHT, COLOURS[number])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {2 * HEIGHT}" role="img" '
        'aria-label="The patterns 0123 and 4567 in their eight symmetries, in pairs that read '
        'the same line there and back">'
        f"<style>.label{{font:13px sans-serif;fill:{INK}}}"
        ".digit{font:bold 11px sans-serif;fill:#fff;text-anchor:middle}"
        f".title{{font:bold 15px sans-serif;fill:{INK}}}</style>"
        '<rect width="100%" height="100%" rx="8" fill="#fffdf9"/>\n' + "\n".join(parts) + "</svg>\n"
    )


if __name__ == "__main__":
    OUT.write_text(draw(), encoding="utf-8")
