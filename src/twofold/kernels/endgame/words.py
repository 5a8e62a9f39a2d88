"""Layout of the uint64 words of endgame tables, as kernels read them.

A set of tables is the number of tables, then TABLE_WORDS words for each. The owner of the words
keeps every array alive whose address they hold.
"""

from typing import Final

# Words of a table.
KIND: Final = 0
"""Format of the chances: DENSE, CELLS or WALLS."""
ABOVE: Final = 1
"""Eight bytes of 16 - exponent of the target: added to nibbles, targets and larger tiles carry."""
LARGE: Final = 2
"""Number of large tiles."""
LOWEST: Final = 3
"""The smallest sum of the other tiles, in units of 2."""
HIGHEST: Final = 4
"""The largest sum."""
KEEP: Final = 5
"""For a dense table: the nibbles of the large tiles, in the frame."""
ACROSS: Final = 6
"""Address of the row table, `row_tables.row_table`; for CELLS one in which 15s never merge."""
BITS: Final = 7
"""Bits of a level, 8 or 16."""
TOP: Final = 8
"""The level of a chance of 1."""
LEVELS: Final = 9
"""Address of the levels, uint8 or uint16."""
CHANCES: Final = 10
"""Address of float64, the chance of each level."""
WINS: Final = 11
"""Two words: added to the even and the odd nibbles, they carry if a free cell wins."""
OVER: Final = 13
"""Two words, as WINS: they carry if a free cell exceeds its cap."""
MASKS: Final = 15
"""Eight words: cells of the large tiles in each symmetry, as lowest bits of nibbles; 0 for none."""
TURNS: Final = 23
"""Eight words, one per symmetry: bit 2 exchanges rows and columns first, bit 1 then top and
bottom, bit 0 last left and right; from bit 8 on, two bits per move: the move in the frame."""

# Words of a dense table; `twofold.kernels.endgame.layers` explains its numbers of boards.
LOW_SUMS: Final = 31
"""Address of int32, sum by code of the low half."""
LOW_RANKS: Final = 32
"""Address of int32, rank by code of the low half."""
HIGH_RANKS: Final = 33
"""Address of int32, rank by code of the high half."""
LOW_WEIGHTS: Final = 34
"""Address of int64 (16 cells,): factors of the exponents in the low code."""
HIGH_WEIGHTS: Final = 35
"""Address of int64 (16 cells,): factors of the exponents in the high code."""
COUNTS: Final = 36
"""Address of int64, number of codes of the high half by sum."""
FIRSTS: Final = 37
"""Address of int64 (layers, columns): number in the file of a layer's first board with each sum
of the low half."""
COLUMNS: Final = 38

# Words of a table of cells; `twofold.kernels.endgame.cells` explains its numbers of boards.
SYMMETRIES: Final = 31
"""Address of int32 (65536,): the symmetry that turns a board into the frame, by the cells of the
large tiles, the first cell the highest bit; -1 if the table has no such board."""
PLACES: Final = 32
"""Address of int32 (65536,), by the same cells in the frame: 8 times the number of the place, plus
the turn in which a board is numbered; -1 for cells that are not allowed."""
FREE: Final = 33
"""Address of uint64, by number of the place: the nibbles of the free cells."""
RANKS: Final = 34
"""Address of int64 (cells, sums, 16): number of contents of the free cells from one on, with a
given sum and a smaller exponent in that cell."""
CONTENTS: Final = 35
"""Address of int64: number of contents of the free cells, by sum in units of 2."""
STARTS: Final = 36
"""Address of int64, by sum: number in the file of the first board."""
CELLS_COUNT: Final = 37
"""Number of free cells."""
SUMS: Final = 38
"""Number of sums in RANKS."""

# Further words of a table of walls, which has those of a dense table, too; see
# `twofold.kernels.endgame.walls`.
GOALS: Final = 39
"""Address of pairs of uint64, nibbles to compare and their exponents: boards that reach the goal,
at the level of the target."""
GOAL_COUNT: Final = 40
CONDITIONS: Final = 41
"""Address of int64: a number of cells and the cells, of which the least tile is a board's level;
a number of pairs of cells and the pairs, which must differ; the same for pairs that must fall."""
TARGET: Final = 42
"""Exponent of the target."""
BELOW: Final = 43
"""1 if the goal of a board is one exponent below the least of its anchors, at most the target;
0 if it is that level, and boards of higher levels are not covered."""
CAPPED: Final = 44
"""Two words, as OVER: 1 in the byte of each free cell."""
LEAST: Final = 46
"""The least level of a chance with which the table chooses a move; of all kinds of tables."""

# Two words more of a table of walls.
MARKS: Final = 47
"""Address of uint64 (lines, 8): which boards have a level above 0, see `lookup.marked_level`."""
STORED: Final = 48
"""Number of levels in the file."""

TABLE_WORDS: Final = 49

LINE: Final = 448
"""Boards of a line of `MARKS`: 64 bytes, the number of levels before it and a bit for each board.

Layers begin with a new line; levels are stored from the highest layer down.
"""

DENSE: Final = 0
CELLS: Final = 1
WALLS: Final = 2
