"""Slow, literal transcriptions of published decision rules: oracles for the fast kernels.

Boards are lists of rows of tile values (0, 2, 4, ...). Nothing here imports the package, so an
error in the package cannot hide behind the same error here. Every `*_choose` and every search
returns `(letter, values)`: the first best move in the order of its source, None on a dead board,
and the value of each candidate move.

Cost, in milliseconds a board of `boards(most_empty=3)` on one core of a shared server: baeldung
3 rounds 220, 2 rounds 12; alphabeta depth 7 150, 5 16; minimax depth 5 50; it3105 literal depth 8
2,000, 6 120, 4 8; alternating 8 520, 6 30, 4 2. Many boards at a small depth and a few at the
published one fit a test run.
"""

from tests.support.literal.baeldung import baeldung_choose, baeldung_line, baeldung_value
from tests.support.literal.datumbox import (
    datumbox_alphabeta,
    datumbox_minimax,
    datumbox_value,
    java_int,
)
from tests.support.literal.heuristics import clustering, row_heuristic, row_heuristic_line
from tests.support.literal.it3105 import GRADIENT, SNAKE, it3105_choose, it3105_depth, it3105_value
from tests.support.literal.positions import boards, score_of
from tests.support.literal.rules import (
    Choice,
    Grid,
    Position,
    empty_cells,
    is_dead,
    move,
    place,
    position,
)

__all__ = [
    "GRADIENT",
    "SNAKE",
    "Choice",
    "Grid",
    "Position",
    "baeldung_choose",
    "baeldung_line",
    "baeldung_value",
    "boards",
    "clustering",
    "datumbox_alphabeta",
    "datumbox_minimax",
    "datumbox_value",
    "empty_cells",
    "is_dead",
    "it3105_choose",
    "it3105_depth",
    "it3105_value",
    "java_int",
    "move",
    "place",
    "position",
    "row_heuristic",
    "row_heuristic_line",
    "score_of",
]
