"""Perft: the number of (legal move, cell, tile) paths of a depth, from boards of many kinds.

A wrong slide, a missed move or a spawn on the wrong cells changes these numbers. Each engine
counts by itself; all must agree with the figures below.
"""

from collections.abc import Callable
from functools import cache

import pytest

from twofold.game import reference
from twofold.game.board import Board

Engine = Callable[[Board, int], int]

# Known before any engine here was written; depth 4 is agreed by the engines.
KNOWN = {
    "1000/0000/0000/0001": [112, 11_536, 1_124_032],
    "a987/3456/2100/0000": [24, 766, 21_690, 574_712],
    "1111/2222/3333/4444": [32, 2_080, 141_488],
    "1234/5678/1234/5677": [4, 4, 20, 96],
}
# Agreed by the engines.
AGREED = {
    "1234/5678/1234/5678": [0, 0],
    "fedc/ba98/7654/3221": [4, 20, 70, 144, 112],
    "1x2:10": [2, 4, 8, 0, 0],
    "1x8:10010220": [24, 474, 8_964, 159_212],
    "8x1:10010220": [24, 474, 8_964, 159_212],
    "2x2:10/01": [16, 208, 1_792, 12_160, 60_608],
    "2x3:110/002": [28, 696, 13_060, 206_804],
    "3x2:11/00/02": [28, 600, 10_330, 158_532],
    "3x3:100/020/001": [48, 1_576, 56_464],
    "3x4:1122/0000/2211": [48, 2_308, 106_312],
    "4x3:102/102/201/201": [48, 2_308, 106_312],
    "5x5:10000/00000/00200/00000/00001": [176, 28_648],
    "6x3:123/123/123/321/321/321": [28, 1_592, 83_556],
    "8x8:1w1w1w1w/w1w1w1w1/1w1w1w1w/w1w1w1w1/1w1w1w1w/w1w1w1w1/1w1w1w1w/w1w1w1w0": [4, 120, 5_720],
    "4x5:fghi0/ihgf0/fghi0/ihgff": [22, 464, 12_304],
}


def count_by_reference(board: Board, depth: int) -> int:
    """On lists of exponents."""

    @cache
    def count(cells: tuple[int, ...], depth: int) -> int:
        total = 0
        for move in reference.legal_moves(cells, board.rows, board.cols):
            after, _reward = reference.slide(cells, board.rows, board.cols, move)
            empty = reference.empty_cells(after)
            if depth == 1:
                total += 2 * len(empty)
                continue
            for cell in empty:
                for exponent in (1, 2):
                    after[cell] = exponent
                    total += count(tuple(after), depth - 1)
                after[cell] = 0
        return total

    return count(board.exponents, depth)


def count_by_board(board: Board, depth: int) -> int:
    """With the value type."""

    @cache
    def count(board: Board, depth: int) -> int:
        afterstates = [board.slide(move).board for move in board.legal_moves()]
        if depth == 1:
            return sum(len(after.spawns()) for after in afterstates)
        return sum(
            count(after.place(spawn.cell, spawn.tile), depth - 1)
            for after in afterstates
            for spawn in after.spawns()
        )

    return count(board, depth)


def count_on_cells(board: Board, depth: int) -> int:
    """By the kernels on cells."""
    from tests.kernels import perft  # compiles

    return perft.count_on_cells(board, depth)


def count_on_bits(board: Board, depth: int) -> int:
    """By the kernels on bits."""
    from tests.kernels import perft

    return perft.count_on_bits(board, depth)


ENGINES: dict[str, Engine] = {
    "reference": count_by_reference,
    "board": count_by_board,
    "cells": count_on_cells,
    "bits": count_on_bits,
}


def fits(engine: str, text: str) -> bool:
    """Whether an engine can hold every board within the depths counted."""
    board = Board.parse(text)
    return engine != "bits" or (max(board.shape) <= 4 and board.max_exponent < 15)


CASES = [
    (engine, text, depth)
    for text, counts in (KNOWN | AGREED).items()
    for engine in ENGINES
    for depth in range(len(counts))
    if fits(engine, text)
]


@pytest.mark.promise("R4")
@pytest.mark.parametrize(("engine", "text", "depth"), CASES)
def test_perft(engine: str, text: str, depth: int) -> None:
    counted = ENGINES[engine](Board.parse(text), depth + 1)
    assert counted == (KNOWN | AGREED)[text][depth]


@pytest.mark.promise("R4")
@pytest.mark.parametrize("wrong", ["merges twice", "merges at the far end", "spawns on a corner"])
def test_perft_finds_a_wrong_engine(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The counts are a check only if a broken engine fails it."""
    right = reference.slide_row

    def merge_twice(row: list[int]) -> tuple[list[int], int]:
        after, reward = right(row)
        return right(after) if after != list(row) else (after, reward)

    def merge_far(row: list[int]) -> tuple[list[int], int]:
        after, reward = right(row[::-1])
        tiles = [exponent for exponent in after[::-1] if exponent]
        return tiles + [0] * (len(row) - len(tiles)), reward

    if wrong == "merges twice":
        monkeypatch.setattr(reference, "slide_row", merge_twice)
    elif wrong == "merges at the far end":
        monkeypatch.setattr(reference, "slide_row", merge_far)
    else:
        right_cells = reference.empty_cells
        monkeypatch.setattr(reference, "empty_cells", lambda cells: right_cells(cells)[:1])
    counts = [
        count_by_reference(Board.parse(text), depth + 1) == counts[depth]
        for text, counts in KNOWN.items()
        for depth in range(3)
    ]
    assert not all(counts)


@pytest.mark.promise("R4")
def test_how_many_paths_were_counted(figure: Callable[[str], None]) -> None:
    known = (KNOWN | AGREED).values()
    assert len(known) == 19
    figure(
        f"{len(known)} boards, {sum(map(sum, known)):,} paths, depths up to "
        f"{max(map(len, known))}, by {len(ENGINES)} engines"
    )
