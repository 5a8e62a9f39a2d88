"""The picture of outcomes: how games end under optimal play, with a bar for each largest tile."""

from typing import Final

from twofold.drawing import (
    BOARD,
    CELL,
    DOT,
    FACE,
    INK,
    Theme,
    board_parts,
    board_size,
    board_title,
    board_words,
    captioned,
    face,
    label,
    paint,
    picture,
    rectangle,
)
from twofold.exact.outcomes import Outcomes
from twofold.figures import percent
from twofold.notebook.analysis import BEST, OTHER

LEAST: Final = 1e-6
"""Tiles with a smaller chance to be the largest at the end have no rows, but a common line."""

_MARGIN: Final = 24
_TILE: Final = 56
_ROW: Final = 68
_HEAD: Final = 56
_BAR: Final = 22
_BAR_LEFT: Final = _TILE + 20
_BAR_WIDTH: Final = 300
_CHANCE: Final = _BAR_LEFT + _BAR_WIDTH + 148
_REACHED: Final = _CHANCE + 156
_FIGURE_SIZE: Final = 28
_NOTE_SIZE: Final = 22


def draw_outcomes(found: Outcomes, theme: Theme, scale: float) -> str:
    """The picture of outcomes as SVG, with the start board if there is one."""
    tiles = {tile: chance for tile, chance in found.tiles.items() if chance >= LEAST}
    height = _HEAD + len(tiles) * _ROW
    board = found.board
    board_width, board_height = board_size(*board.shape) if board else (0, 0)
    left = board_width + 2 * _MARGIN if board else _MARGIN
    whole: float = max(height, board_height) + 2 * _MARGIN
    total = left + _REACHED + _MARGIN
    parts = [rectangle(0, 0, total, whole, paint(theme, fill=BOARD), 10)]
    if board:
        parts.append(f'<g transform="translate({_MARGIN} {(whole - board_height) / 2:g})">')
        parts += [*board_parts(board.rows, board.cols, board.exponents, theme), "</g>"]
    parts.append(f'<g transform="translate({left} {(whole - height) / 2:g})">')
    parts += [*_head(theme), *_rows(found, tiles, theme), "</g>"]
    lines = _lines(found, tiles)
    for line in lines:
        parts, whole = captioned(parts, total, whole, line, theme)
    chances = ", ".join(f"{tile:,} {percent(chance)}" for tile, chance in tiles.items())
    boards = [board_words(*board.shape, board.exponents)] if board else []
    return picture(
        total,
        whole,
        parts,
        title=_title(found),
        description=" ".join([f"Largest tile at the end: {chances}.", *lines, *boards]),
        theme=theme,
        scale=scale,
    )


def _head(theme: Theme) -> list[str]:
    ink, middle = paint(theme, fill=INK), _HEAD / 2 - 8
    return [
        label(0, middle, "largest tile", _NOTE_SIZE, ink),
        label(_CHANCE, middle, "at the end", _NOTE_SIZE, ink, anchor="end"),
        label(_REACHED, middle, "reached", _NOTE_SIZE, ink, anchor="end"),
    ]


def _rows(found: Outcomes, tiles: dict[int, float], theme: Theme) -> list[str]:
    reach, likeliest = found.reach, max(tiles.values())
    parts = []
    for row, (tile, chance) in enumerate(tiles.items()):
        top = _HEAD + row * _ROW
        parts += _row(top, tile, chance, reach[tile], theme, bold=chance == likeliest)
    return parts


def _row(
    top: float, tile: int, chance: float, reached: float, theme: Theme, *, bold: bool
) -> list[str]:
    """A tile, the chance that it is the largest at the end, and the chance to reach it."""
    middle, ink = top + _TILE / 2, paint(theme, fill=INK)
    bar = middle - _BAR / 2
    parts = [
        f'<g transform="translate(0 {top:g}) scale({_TILE / FACE:g})">',
        face(0, 0, tile.bit_length() - 1, theme),
        "</g>",
        rectangle(_BAR_LEFT, bar, _BAR_WIDTH, _BAR, paint(theme, fill=CELL), 4),
        label(_CHANCE, middle, percent(chance), _FIGURE_SIZE, ink, anchor="end", bold=bold),
        label(_REACHED, middle, percent(reached), _FIGURE_SIZE, ink, anchor="end", bold=bold),
    ]
    colours = paint(theme, fill=BEST if bold else OTHER)
    length = max(bar_length(chance), 2)
    parts.insert(4, rectangle(_BAR_LEFT, bar, length, _BAR, colours, min(4, length / 2)))
    return parts


def bar_length(chance: float) -> float:
    """Length of a bar in units, proportional to a chance from 0 to 1."""
    return round(_BAR_WIDTH * min(chance, 1.0), 2)


# ---- words


def _title(found: Outcomes) -> str:
    rows, cols = found.problem.rules.shape
    if found.board is None:
        return f"How games of {rows}x{cols} end under optimal play"
    return "How games end under optimal play from a " + board_title(
        rows, cols, found.board.exponents
    )


def _lines(found: Outcomes, tiles: dict[int, float]) -> list[str]:
    parts = [f"optimal play of {found.problem}", found.worth]
    parts.append(f"{found.moves:,.1f} moves {'more ' if found.board else ''}on average")
    others = {tile: chance for tile, chance in found.tiles.items() if tile not in tiles}
    if others:
        names = f"{min(others):,}" if len(others) == 1 else "other tiles"
        parts.append(f"{names}: {percent(sum(others.values()))}")
    return [DOT.join(parts)]
