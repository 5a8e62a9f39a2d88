"""Layout of the uint64 words of endgame tables, as kernels read them.

A set of tables is the number of tables, then TABLE_WORDS words for each. The owner of the words
keeps every array alive whose address they hold.
"""

from typing import Final

# Words of a table.
KIND: Final = 0
"""DENSE, or WALLS for walls of any tiles."""
ABOVE: Final = 1
"""Eight bytes of 16 - exponent of the target: added to nibbles, targets and larger tiles carry."""
LARGE: Final = 2
"""Number of large tiles."""
LOWEST: Final = 3
"""The smallest sum of the other tiles, in units of 2."""
HIGHEST: Final = 4
"""The largest sum."""
KEEP: Final = 5
"""The nibbles of the large tiles, in the frame."""
ACROSS: Final = 6
"""Address of the row table, `bits.row_table`; for WALLS one in which 15s never merge."""
LEVELS: Final = 7
"""Address of the levels, uint16."""
CHANCES: Final = 8
"""Address of float64, the chance of each level."""
WINS: Final = 9
"""Two words: added to the even and the odd nibbles, they carry if a free cell wins."""
OVER: Final = 11
"""Two words, as WINS: they carry if a free cell exceeds its cap."""
MASKS: Final = 13
"""Eight words: cells of the large tiles in each symmetry, as lowest bits of nibbles; 0 for none."""
TURNS: Final = 21
"""Eight words, one per symmetry: bit 2 exchanges rows and columns first, bit 1 then top and
bottom, bit 0 last left and right; from bit 8 on, two bits per move: the move in the frame."""

# `twofold.kernels.table_layers` explains the numbers of boards.
LOW_SUMS: Final = 29
"""Address of int32, sum by code of the low half."""
LOW_RANKS: Final = 30
"""Address of int32, rank by code of the low half."""
HIGH_RANKS: Final = 31
"""Address of int32, rank by code of the high half."""
LOW_WEIGHTS: Final = 32
"""Address of int64 (16 cells,): factors of the exponents in the low code."""
HIGH_WEIGHTS: Final = 33
"""Address of int64 (16 cells,): factors of the exponents in the high code."""
COUNTS: Final = 34
"""Address of int64, number of codes of the high half by sum."""
FIRSTS: Final = 35
"""Address of int64 (layers, columns): number in the file of a layer's first board with each sum
of the low half."""
COLUMNS: Final = 36

# Further words of a table of walls, see `twofold.kernels.table_walls`.
GOALS: Final = 37
"""Address of pairs of uint64, nibbles to compare and their exponents: boards that reach the goal,
at the level of the target."""
GOAL_COUNT: Final = 38
CONDITIONS: Final = 39
"""Address of int64: a number of cells and the cells, of which the least tile is a board's level;
a number of pairs of cells and the pairs, which must differ; the same for pairs that must fall."""
TARGET: Final = 40
"""Exponent of the target."""
BELOW: Final = 41
"""1 if the goal of a board is one exponent below the least of its anchors, at most the target;
0 if it is that level, and boards of higher levels are not covered."""
CAPPED: Final = 42
"""Two words, as OVER: 1 in the byte of each free cell."""
LEAST: Final = 44
"""The least level of a chance with which the table chooses a move."""

# Two words more of a table of walls.
MARKS: Final = 45
"""Address of uint64 (lines, 8): which boards have a level above 0, see `lookup.marked_level`."""
STORED: Final = 46
"""Number of levels in the file."""

TABLE_WORDS: Final = 47

LINE: Final = 448
"""Boards of a line of `MARKS`: 64 bytes, the number of levels before it and a bit for each board.

Layers begin with a new line; levels are stored from the highest layer down.
"""

DENSE: Final = 0
WALLS: Final = 1
