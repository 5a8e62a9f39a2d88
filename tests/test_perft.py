"""Perft: the number of (legal move, cell, tile) paths of a depth, from boards of many kinds.

A wrong slide, a missed move or a spawn on the wrong cells changes these numbers. Each engine
counts by itself; all must agree with the figures below.
"""

from collections.abc import Callable

import numpy as np
import pytest

from tests.kernels.drivers import Cells, Moves, moves_by_reference, moves_on_bits, moves_on_cells
from twofold.game.board import Board

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
COUNTS = KNOWN | AGREED
ENGINES: dict[str, Callable[[Cells, int, int], Moves]] = {
    "reference": moves_by_reference,
    "cells": moves_on_cells,
    "bits": moves_on_bits,
}


def fits(engine: str, text: str) -> bool:
    """Whether an engine can hold every board within the depths counted."""
    board = Board.parse(text)
    return engine != "bits" or (max(board.shape) <= 4 and board.max_exponent < 15)


def count_paths(engine: str, board: Board, depths: int) -> list[int]:
    """The number of paths of each depth; boards that are alike are counted together."""
    boards = np.array([board.exponents], dtype=np.uint8)
    times, found = np.ones(1, dtype=np.int64), list[int]()
    for _ in range(depths):
        moves = ENGINES[engine](boards, *board.shape)
        index, move = np.nonzero(moves.legal[:, None] >> np.arange(4) & 1)
        after, times = moves.after[index, move], times[index]
        found.append(2 * int((times * (after == 0).sum(axis=1)).sum()))
        number, cell = np.nonzero(after == 0)
        states = np.repeat(after[number], 2, axis=0)
        states[np.arange(len(states)), np.repeat(cell, 2)] = np.tile([1, 2], len(number))
        if not len(states):
            return found + [0] * (depths - len(found))
        words = states.view(f"S{states.shape[1]}")[:, 0]  # sorted faster than rows
        _, kept, which = np.unique(words, return_index=True, return_inverse=True)
        boards = states[kept]
        times = np.bincount(which, np.repeat(times[number], 2)).astype(np.int64)
    return found


@pytest.mark.promise("R4")
@pytest.mark.parametrize(
    ("engine", "text"),
    [(engine, text) for text in COUNTS for engine in ENGINES if fits(engine, text)],
)
def test_perft(engine: str, text: str, figure: Callable[[str], None]) -> None:
    expected = COUNTS[text]
    assert count_paths(engine, Board.parse(text), len(expected)) == expected
    figure(f"{text} by {engine}: {sum(expected):,} paths")
