"""Layout of a search context, which every search receives.

It is an array of uint64: addresses, numbers, and float64 values by their bits. The words from `OWN`
on belong to the search.
"""

from typing import Final

ACROSS: Final = 0
DOWN: Final = 1
"""Addresses of the row tables, see `bits.Frame`; unused on cells."""
MASK: Final = 2
"""The lowest bit of each cell inside the shape; unused on cells."""
DISTRIBUTION: Final = 3
"""Address of the spawn distribution, see `play.spawn_distribution`."""
EVALUATOR: Final = 4
"""Address of the evaluator's kernel."""
PARAMS: Final = 5
"""Address of its parameters."""
ADDS_REWARD: Final = 6
"""1 if rewards on the way are added to the value."""
AT_STATE: Final = 7
"""1 if the evaluator values states: then a spawn layer lies below the last move."""
DEAD_VALUE: Final = 8
"""Value of a state without a legal move, the bits of a float64."""
NODES: Final = 9
"""Number of positions visited, chance nodes and leaves; counted by the search."""
NODE_LIMIT: Final = 10
"""The search stops when `NODES` reaches this number; any thread can set 0 to stop it at once.

The result of a stopped search is invalid.
"""
HITS: Final = 11
"""Number of values taken from the transposition table."""
TABLE: Final = 12
"""Address of the transposition table, see `transposition`; 0 for none."""
BUCKETS: Final = 13
"""Number of its buckets in use."""
GENERATION: Final = 14
"""The current generation of its entries, 0 to `transposition.GENERATIONS` - 1."""
ONLY_PRESENT: Final = 15
"""1 if only entries of the current generation are used."""
FOUND: Final = 16
"""Bits of the value found last in the table, where another thread may replace it."""
SEARCHES: Final = 17
"""Number of searches since the table was cleared."""
DOWNGRADE: Final = 18
"""Sum of different tiles from which a board is downgraded before the search; 0 for never."""
FEW: Final = 19
"""Number of buckets with which each search begins, see `transposition`; 0 for all."""
ALL: Final = 20
"""Number of all buckets, if a search begins with few."""
WIDE: Final = 21
"""1 if all buckets have been in use since the table was cleared."""
TABLES: Final = 22
"""Address of the words of endgame tables, see `table_lookup`; 0 for none."""
INNER_POLICY: Final = 23
"""Address of the policy for boards that no endgame table covers."""
OWN: Final = 24
"""The first of the search's own words."""

NEVER: Final = 1 << 63
"""A `NODE_LIMIT` that is not reached."""
