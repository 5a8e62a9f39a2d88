"""Layout of a search context, which every search receives.

It is an array of uint64: addresses, numbers, and float64 values by their bits. The words from `OWN`
on belong to the search.
"""

from typing import Final

#   ACROSS, DOWN  Addresses of the row tables, see `bits.Frame`; unused on cells
#   MASK          The lowest bit of each cell inside the shape; unused on cells
#   DISTRIBUTION  Address of the spawn distribution, see `play.spawn_distribution`
#   EVALUATOR     Address of the evaluator's kernel
#   PARAMS        Address of its parameters
#   ADDS_REWARD   1 if rewards on the way are added to the value
#   AT_STATE      1 if the evaluator values states: then a spawn layer lies below the last move
#   DEAD_VALUE    Value of a state without a legal move, the bits of a float64
#   NODES         Number of positions visited, chance nodes and leaves; counted by the search
#   NODE_LIMIT    The search stops when `NODES` reaches this number; any thread can set 0 to stop
#                 it at once. The result of a stopped search is invalid.
#   HITS          Number of values taken from the transposition table
#   TABLE         Address of the transposition table, see `transposition`; 0 for none
#   BUCKETS       Number of its buckets in use
#   GENERATION    The current generation of its entries, 0 to `transposition.GENERATIONS` - 1
#   ONLY_PRESENT  1 if only entries of the current generation are used
#   FOUND         Bits of the value found last in the table, where another thread may replace it
#   SEARCHES      Number of searches since the table was cleared
#   DOWNGRADE     Sum of different tiles from which a board is downgraded before the search; 0 for
#                 never
#   FEW           Number of buckets with which each search begins, see `transposition`; 0 for all
#   ALL           Number of all buckets, if a search begins with few
#   WIDE          1 if all buckets have been in use since the table was cleared
#   TABLES        Address of the words of endgame tables, see `table_lookup`; 0 for none
#   INNER_POLICY  Address of the policy for boards that no endgame table covers
#   OWN           The first of the search's own words
ACROSS, DOWN, MASK, DISTRIBUTION, EVALUATOR, PARAMS, ADDS_REWARD, AT_STATE = range(8)
DEAD_VALUE, NODES, NODE_LIMIT, HITS, TABLE, BUCKETS, GENERATION, ONLY_PRESENT = range(8, 16)
FOUND, SEARCHES, DOWNGRADE, FEW, ALL, WIDE, TABLES, INNER_POLICY, OWN = range(16, 25)

NEVER: Final = 1 << 63
"""A `NODE_LIMIT` that is not reached."""
