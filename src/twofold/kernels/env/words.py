"""What an environment's games are to the kernels: the words, the forms, what a step returns.

A game is one element in each of several arrays. Their addresses, and what does not change from
step to step, are the words of the games, a uint64 array of WORDS elements. Whoever makes it keeps
the arrays alive.
"""

from typing import Final

# Forms of an observation, and of a reward; what an illegal action does.
EXPONENTS: Final = 0
"""uint8, shape (rows, cols)."""
ONEHOT: Final = 1
"""uint8, shape (PLANES, rows, cols): 1 where a cell holds the exponent of the plane."""
TILES: Final = 2
"""int64, shape (rows, cols)."""
BITS_FORM: Final = 3
"""uint64: the 64-bit form, exponents past 15 shown as 15."""
PLANES: Final = 18

POINTS: Final = 0
"""The sum of the tiles made."""
MERGED_EXPONENTS: Final = 1
"""The sum of their exponents."""
GOAL_MADE: Final = 2
"""1 when the largest tile reaches the goal."""

NOOP: Final = 0
PENALTY_TAKEN: Final = 1
TERMINATES: Final = 2
REFUSED: Final = 3

# Words that do not change.
GAMES: Final = 0
ROWS: Final = 1
COLS: Final = 2
ACROSS: Final = 3
"""Addresses of row tables, see `tables.Frame`; of any where games are on cells from the start."""
DOWN: Final = 4
MASK: Final = 5
"""Mask of the shape; 0 where games are on cells from the start."""
LAW: Final = 6
"""Address of the spawn law, see `dice.spawn_law`."""
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
"""What an illegal action takes from the reward, the bits of a float64."""
LIMIT: Final = 15
"""Steps after which a game is cut off."""
AUTORESET: Final = 16
"""Whether a step begins a new game where the last one has ended."""
BLOCK: Final = 17
"""Seeds kept ready for each game."""

# Words that are addresses; an element a game unless said otherwise.
BITS: Final = 18
"""uint64: the board, while the game is on bits."""
CELLS: Final = 19
"""uint8, rows * cols a game: the board, once it is on cells."""
ON_CELLS: Final = 20
"""uint8: whether the game is on cells."""
READY: Final = 21
"""uint8: the moves that the fast path may make, as 4 bits."""
SEEDS: Final = 22
"""uint64: seed of the dice."""
SCORES: Final = 23
"""int64."""
NUMBERS: Final = 24
"""int64: move number."""
STEPS: Final = 25
"""int64: steps since the start, those with illegal actions too."""
MAX_TILES: Final = 26
"""int64."""
LEGAL: Final = 27
"""int8, 4 a game: 1 for each move that can be made."""
REWARDS: Final = 28
"""float64: of the last step."""
TERMINATED: Final = 29
"""uint8."""
TRUNCATED: Final = 30
"""uint8."""
OBSERVATIONS: Final = 31
"""SIZE bytes a game."""
AHEAD: Final = 32
"""uint64, BLOCK a game: seeds of the games to come."""
USED: Final = 33
"""int64: how many of them are used up."""
SCRATCH: Final = 34
"""uint8 (SCRATCH_SIZE,)."""
ACTIONS: Final = 35
"""int64: the action of the next step, 0 to 3; of no account where a game has ended."""
FAULTY: Final = 36
"""The game that a fault is about, written by kernels."""
WORDS: Final = 37

SCRATCH_SIZE: Final = 128
"""Two boards on cells."""

# What a step returns.
EXHAUSTED: Final = 32
"""Bits 0 to 31: games that ended in this step; from here on: games whose seeds are used up."""
NO_MOVE: Final = -1
"""An action is not 0 to 3; nothing was done."""
ILLEGAL_MOVE: Final = -2
"""An action is illegal and illegal actions are refused; nothing was done."""
TOO_LARGE: Final = -3
"""A merge would pass the largest exponent; the games before this one have made their step."""
