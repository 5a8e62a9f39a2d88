"""The words of an endgame table, uint64, that kernels read: what each of them is.

The words of a set of tables are the number of tables, then TABLE_WORDS of each. Its owner keeps
every array alive whose address is among them.
"""

from typing import Final

# Words of a table.
KIND: Final = 0
"""How the chances are stored: DENSE or CELLS."""
ABOVE: Final = 1
"""Eight bytes of 16 - exponent of the target: added to nibbles, they carry from the target on."""
LARGE: Final = 2
"""Number of large tiles."""
LOWEST: Final = 3
"""The smallest sum of the other tiles, in units of 2."""
HIGHEST: Final = 4
"""The largest sum."""
KEEP: Final = 5
"""The nibbles of the large tiles, in the frame; of a dense table."""
ACROSS: Final = 6
"""Address of the row table: `tables.row_table`; of a table of cells one where 15s never merge."""
BITS: Final = 7
"""Bits of a level, 8 or 16."""
TOP: Final = 8
"""The level of a chance of 1."""
LEVELS: Final = 9
"""Address of the levels, uint8 or uint16."""
CHANCES: Final = 10
"""Address of float64, the chance of each level."""
WINS: Final = 11
"""Two words: added to the even and to the odd nibbles, they carry where a free cell wins."""
OVER: Final = 13
"""Two words: they carry where a free cell exceeds its cap."""
MASKS: Final = 15
"""Eight words: where the large tiles are in each symmetry, lowest bits of nibbles; 0 for none."""
TURNS: Final = 23
"""Eight words, for each symmetry: bit 2 to exchange rows and columns first, bit 1 then top and
bottom, bit 0 last left and right; from bit 8 on, two bits a move, the move in the frame."""

# Words of a dense table, see `twofold.kernels.endgame.layers` for its numbers of boards.
LOW_SUMS: Final = 31
"""Address of int32, sum by code of the low half."""
LOW_RANKS: Final = 32
"""Address of int32, rank by code of the low half."""
HIGH_RANKS: Final = 33
"""Address of int32, rank by code of the high half."""
LOW_WEIGHTS: Final = 34
"""Address of int64 (16 cells,): what a tile's exponent is multiplied with in the low code."""
HIGH_WEIGHTS: Final = 35
"""The same of the high code."""
COUNTS: Final = 36
"""Address of int64, codes of the high half by sum."""
FIRSTS: Final = 37
"""Address of int64 (layers, columns): the number in the file of the first board of a layer whose
low half has each sum."""
COLUMNS: Final = 38

# Words of a table of cells, see `twofold.kernels.endgame.cells` for its numbers of boards.
SYMMETRIES: Final = 31
"""Address of int32 (65536,): by the cells of the large tiles, the first cell the highest bit, the
symmetry that turns a board into the frame; -1 where the table does not speak."""
PLACES: Final = 32
"""Address of int32 (65536,), by the same in the frame: 8 times the number of the place, and the
turn by which a board is numbered; -1 where the large tiles may not be."""
FREE: Final = 33
"""Address of uint64: by number of the place the nibbles of the free cells."""
RANKS: Final = 34
"""Address of int64 (cells, sums, 16): contents of the free cells from one on that have a sum and
a smaller exponent in that cell."""
CONTENTS: Final = 35
"""Address of int64: contents of the free cells by sum, in units of 2."""
STARTS: Final = 36
"""Address of int64: the number in the file of the first board of each sum."""
CELLS_COUNT: Final = 37
"""Number of free cells."""
SUMS: Final = 38
"""Number of sums in RANKS."""

TABLE_WORDS: Final = 39

DENSE: Final = 0
CELLS: Final = 1
