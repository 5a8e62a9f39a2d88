"""The words that every search is given.

A search context is an array of uint64: addresses, numbers, and float64 values by their bits. The
words from `OWN` on belong to the search.
"""

from typing import Final

ACROSS: Final = 0
DOWN: Final = 1
"""Addresses of the row tables, see `tables.Frame`; not on cells."""
MASK: Final = 2
"""The lowest bit of each cell inside the shape; not on cells."""
LAW: Final = 3
"""Address of the spawn law, see `dice.spawn_law`."""
EVALUATOR: Final = 4
"""Address of the evaluator's kernel."""
PARAMS: Final = 5
"""Address of its parameters."""
ADDS_REWARD: Final = 6
"""1 where rewards on the way are added to the value."""
AT_STATE: Final = 7
"""1 where the evaluator values states: below the last move lies one more spawn layer."""
DEAD_VALUE: Final = 8
"""Value of a state without a legal move, the bits of a float64."""
NODES: Final = 9
"""Number of positions visited, chance nodes and leaves; counted by the search."""
NODE_LIMIT: Final = 10
"""The search gives up where `NODES` has come to this number; 0 stops it at once, from any thread.

What it returns then is worth nothing.
"""
HITS: Final = 11
"""Number of values that the transposition table answered."""
TABLE: Final = 12
"""Address of the transposition table, see `transposition`; 0 for none."""
BUCKETS: Final = 13
"""Its number of buckets in use."""
GENERATION: Final = 14
"""The present generation of its entries, 0 to `transposition.GENERATIONS` - 1."""
ONLY_PRESENT: Final = 15
"""1 where only entries of the present generation are believed."""
FOUND: Final = 16
"""The value that the table answered last, by its bits; another thread may replace it there."""
SEARCHES: Final = 17
"""Number of searches since the table was cleared."""
DOWNGRADE: Final = 18
"""Boards whose different tiles sum to so much are downgraded before the search; 0 for never."""
FEW: Final = 19
"""The number of buckets that each search begins with, see `transposition`; 0 for all of them."""
ALL: Final = 20
"""The number of buckets that there are, where a search begins with few."""
WIDE: Final = 21
"""1 where all of them have been in use since the table was cleared."""
TABLES: Final = 22
"""Address of the words of endgame tables, see `endgame_lookup`; 0 for none."""
INNER_POLICY: Final = 23
"""Address of the policy that is asked where no endgame table knows a move."""
OWN: Final = 24
"""The first word of the search's own."""

NEVER: Final = 1 << 63
"""A `NODE_LIMIT` that is not reached."""
