"""Layout of the uint64 words of a training thread and of its game.

They hold the whole state of a game, so a call can end after any move and the next call continues.
"""

from typing import Final

# Words of a thread.
NETWORK: Final = 0
"""Address of the network's words, see `ntuple`."""
MEMORY: Final = 1
"""Address of the learning rule's memory of each weight, float32 (weights, MEMORY_SIZE)."""
ACROSS: Final = 2
DOWN: Final = 3
MASK: Final = 4
DISTRIBUTION: Final = 5
START_TILES: Final = 6
SEED: Final = 7
GAMES: Final = 8
"""Address of the number of games begun, shared by all threads."""
GAME_LIMIT: Final = 9
"""Number of games after which none is begun."""
GAME: Final = 10
"""Address of the words of the current game, see below."""
RULE: Final = 11
"""TD, TC, or the address of another learning rule, see `intrinsics.RULE`."""
TD: Final = 1
TC: Final = 2
RATE: Final = 12
"""The learning rate, the bits of a float64; shared by all features of a board."""
LAMBDA: Final = 13
STEPS: Final = 14
"""Afterstates from one to its target, 1 to MAX_STEPS."""
RING: Final = 15
"""Afterstates whose features are stored, a power of two above STEPS."""
BACKWARD: Final = 16
RESTART: Final = 17
"""Games of at least this many moves are resumed at RESTART_AT; 0 for no restarts."""
RESULTS: Final = 18
"""Address of uint64 (room, RESULT_WORDS): the games that ended in this call."""
RESULT_COUNT: Final = 19
RESULT_ROOM: Final = 20
MOVES: Final = 21
"""Moves made since the start of the training."""
UPDATES: Final = 22
CAROUSEL: Final = 23
"""Address of the carousel, shared by all threads: (stages, 1 + CAROUSEL_SIZE) words, the number
of afterstates stored so far and the last of them; 0 for none. With BANDS it has an empty row for
the boards below all bands, and one row for each band."""
CAROUSEL_STAGE: Final = 24
CAROUSEL_LEFT: Final = 25
"""Number of games to begin from that stage before the next stage."""
DOWNGRADE: Final = 26
"""Sum of different tiles from which every other game chooses on the downgraded board; 0: none."""
TABLES: Final = 27
"""Address of the words of endgame tables, which choose moves where they cover a board; 0: none."""
BANDS: Final = 28
"""Number of bands of tile sums in the carousel; 0 for stages."""
BAND_SUMS: Final = 29
"""Address of uint64 (bands,): the smallest tile sum of each band, in units of 2, ascending."""
BAND_SHARE: Final = 30
"""Share of the games that start from a band, in units of 2^-32."""
RESTART_AT: Final = 31
"""Share of its afterstates after which a game is resumed, in units of 2^-32."""
MEMORY_SIZE: Final = 32
"""Numbers in the learning rule's memory of each weight; 0 for none."""
DECAY: Final = 33
"""Address of the schedule of step sizes, see `intrinsics.DECAY`; 0 for a constant rate."""
THREADS: Final = 34
"""Threads that share the weights."""
THREAD_WORDS: Final = 35

MAX_STEPS: Final = 16
CAROUSEL_SIZE: Final = 1000
CAROUSEL_BATCH: Final = 200

# Words of a game.
STATE: Final = 0
"""Activity of the game: IDLE, PLAYING, or LEARNING (backward, after the end of a game)."""
IDLE: Final = 0
PLAYING: Final = 1
LEARNING: Final = 2
GAME_SEED: Final = 1
SCORE: Final = 2
MOVE_NUMBER: Final = 3
"""Moves since the start of this game, or since it was resumed; spawns are numbered from there."""
COUNT: Final = 4
"""Afterstates in the history."""
FULL_GAME: Final = 5
"""1 if the game began with start tiles: only such games count in statistics."""
LEGAL: Final = 6
STAGE: Final = 7
"""The last stage or band that the game has entered, as a row of the carousel."""
NEXT_UPDATE: Final = 8
"""While LEARNING: the number of the afterstate to update next, plus 1."""
TERMINAL: Final = 9
"""1 if the game being learnt from ended without a legal move."""
HISTORY: Final = 10
"""Address of the history: (HISTORY_SIZE,) afterstates, then as many (reward, value) pairs."""
LAST_COUNT: Final = 11
"""Length of the previous game, whose history remains beyond that of this game."""
MIDDLE: Final = 12
"""The afterstate at which the previous game can be resumed."""
KEPT_WORDS: Final = 13
"""Number of words in a checkpoint, which leaves out HISTORY; the others follow from boards."""
AFTERS: Final = 13
"""The four afterstates; those of up and down are transposed on square boards."""
GAINS: Final = 17
OVERFLOWS: Final = 21
PLACES: Final = 25
"""The features of the four afterstates, then those of the RING afterstates chosen last."""


def ring_size(steps: int) -> int:
    """The RING of a thread."""
    return 1 << steps.bit_length()


def game_words(features: int, steps: int) -> int:
    """Number of words of a game for networks of this many features."""
    return PLACES + (4 + ring_size(steps)) * features


HISTORY_SIZE: Final = 1 << 17
"""More than a game on 4x4 can have without a tile of 65536."""

# Words of a result.
RESULT_SCORE: Final = 0
RESULT_MOVES: Final = 1
"""Moves of the thread, in all games, when this one ended."""
RESULT_LARGEST: Final = 2
"""The largest exponent."""
RESULT_WORDS: Final = 3
