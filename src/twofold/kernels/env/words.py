"""Layout of an environment's games for the kernels: words, forms, results of a step.

A game is one element in each of several arrays. Their addresses and the constants of the games
are a uint64 array of WORDS elements, whose owner keeps the arrays alive.
"""

from typing import Final

# Forms of an observation and of a reward; effects of an illegal action.
EXPONENTS: Final = 0
"""uint8, shape (rows, cols)."""
ONEHOT: Final = 1
"""uint8, shape (planes, rows, cols): 1 if a cell holds the exponent of the plane."""
TILES: Final = 2
"""int64, shape (rows, cols)."""
BITS_FORM: Final = 3
"""uint64: the 64-bit form, with 15 for larger exponents."""
POINTS: Final = 0
"""The sum of the tiles made."""
MERGED_EXPONENTS: Final = 1
"""The sum of their exponents."""

PENALTY_TAKEN: Final = 1
TERMINATES: Final = 2
REFUSED: Final = 3

# Constant words.
GAMES: Final = 0
ROWS: Final = 1
COLS: Final = 2
ACROSS: Final = 3
"""Addresses of row tables, see `row_tables.Frame`; of any if games begin on cells."""
DOWN: Final = 4
MASK: Final = 5
"""Mask of the shape; 0 if games begin on cells."""
DISTRIBUTION: Final = 6
"""Address of the spawn distribution, see `dice.spawn_distribution`."""
START_TILES: Final = 7
GOAL: Final = 8
"""The goal tile."""
STOPS: Final = 9
"""Whether a game ends at the goal."""
FORM: Final = 10
"""Form of the observations."""
SIZE: Final = 11
"""Bytes of one observation."""
REWARD: Final = 12
ILLEGAL: Final = 13
PENALTY: Final = 14
"""Reward lost by an illegal action, the bits of a float64."""
LIMIT: Final = 15
"""Number of steps after which a game is truncated."""
AUTORESET: Final = 16
"""Whether a step begins a new game after the end of a game."""
BLOCK: Final = 17
"""Number of seeds in AHEAD for each game."""
PLANES: Final = 18
"""Planes of an observation as ONEHOT: one for each exponent that the rules allow, and 0."""

# Words that are addresses; one element per game unless said otherwise.
BITS: Final = 19
"""uint64: the board, while the game is on bits."""
CELLS: Final = 20
"""uint8, rows * cols per game: the board, once it is on cells."""
ON_CELLS: Final = 21
"""uint8: whether the game is on cells."""
READY: Final = 22
"""uint8: the moves that the fast path can make, as 4 bits."""
SEEDS: Final = 23
"""uint64: seed of the dice."""
SCORES: Final = 24
"""int64."""
NUMBERS: Final = 25
"""int64: move number."""
STEPS: Final = 26
"""int64: steps since the start, including those with illegal actions."""
MAX_TILES: Final = 27
"""int64."""
LEGAL: Final = 28
"""int8, 4 per game: 1 for each legal move."""
REWARDS: Final = 29
"""float64: of the last step."""
TERMINATED: Final = 30
"""uint8."""
TRUNCATED: Final = 31
"""uint8."""
OBSERVATIONS: Final = 32
"""SIZE bytes per game."""
AHEAD: Final = 33
"""uint64, BLOCK per game: seeds of the next games."""
USED: Final = 34
"""int64: number of these seeds already used."""
SCRATCH: Final = 35
"""uint8 (SCRATCH_SIZE,)."""
ACTIONS: Final = 36
"""int64: the action of the next step, 0 to 3; ignored if the game has ended."""
FAULTY: Final = 37
"""The game at fault, written by kernels."""
WORDS: Final = 38

SCRATCH_SIZE: Final = 128
"""Two boards on cells."""

# Results of a step.
EXHAUSTED: Final = 32
"""Bits 0 to 31: number of games that ended in this step; from here on: games without seeds."""
NO_MOVE: Final = -1
"""An action is not 0 to 3; no game made a step."""
ILLEGAL_MOVE: Final = -2
"""An action is illegal and illegal actions are refused; no game made a step."""
TOO_LARGE: Final = -3
"""A merge would pass the largest exponent; the games before this one have made their step."""
