"""All limits; a value past one is refused before anything is allocated or computed.

The error is `LimitExceeded`, or that of the parser.
"""

import operator
import os
from typing import Final

from twofold.errors import LimitExceeded

MAX_SIDE: Final = 8
"""Most rows or columns of a board."""

MIN_CELLS: Final = 2
"""Fewest cells of a board."""

MAX_CELLS: Final = MAX_SIDE * MAX_SIDE
"""Most cells of a board."""

MAX_EXPONENT: Final = 35
"""Largest exponent, `z` in board text; out of reach on boards of up to 34 cells."""

TOO_LARGE_MERGE: Final = (
    f"expected exponents up to {MAX_EXPONENT}, got a merge of two tiles of exponent {MAX_EXPONENT}"
)
"""What `TileTooLarge` says of a move past it."""

BITS_MAX_EXPONENT: Final = 15
"""Largest exponent that the 64-bit form holds (tile 32768)."""

BITS_MAX_SIDE: Final = 4
"""Most rows or columns of the 64-bit form."""

BITS_MAX_CELLS: Final = BITS_MAX_SIDE * BITS_MAX_SIDE
"""Most cells of the 64-bit form."""

MAX_SEED: Final = 2**64 - 1
"""Largest seed."""

MAX_SPAWN_TILES: Final = 8
"""Most different tiles that may spawn."""

MAX_SCORE: Final = 2**62
"""Largest score that a game may begin with."""

MAX_MOVE_NUMBER: Final = 10**12
"""Largest move number, or number of undone moves, that a game may begin with."""

MAX_TEXT: Final = 1_000
"""Most characters of a set of rules, a player spec, a budget, the command of an engine."""

MAX_BOARD: Final = 4_000
"""Most characters of a board as text, with its frame."""

MAX_RECORD_BYTES: Final = 32 * 2**20
"""Largest record that is read, in bytes."""

MAX_RECORD_MOVES: Final = 2_000_000
"""Most moves of a record: about ten times the longest possible game on 4x4."""

MAX_TAG: Final = 2_000
"""Most characters of a tag's value in a record."""

MAX_TAGS: Final = 100
"""Most tags of a record."""

MAX_COMMENT: Final = 20_000
"""Most characters of the comments after one move of a record."""

MAX_SAVED_GAME: Final = 100_000
"""Most characters of the saved game of a 2048 page."""

MAX_REPLAY_MOVES: Final = 50_000
"""Most moves of a replay as a page."""

MAX_ANIMATION_MOVES: Final = 1_000
"""Most moves of an animation."""

MAX_PLY: Final = 12
"""Deepest search of expectimax, in plies."""

MAX_DEPTH: Final = 24
"""Deepest search counted in half-moves."""

MAX_GAMES: Final = 10_000_000
"""Most games of one run."""

MAX_RUNS: Final = 10_000
"""Most runs of a study: combinations of a player, rules and start boards."""

MAX_BOARDS: Final = 100_000
"""Most start boards of a run."""

MAX_BOARDS_BYTES: Final = 16 * 2**20
"""Largest file of start boards, in bytes."""

MAX_TRIALS: Final = 100_000
"""Most trials of a tuning."""

MAX_CHECK_GAMES: Final = 1_000_000
"""Most games of each player in the check of a tuning."""

MAX_TUNING_BYTES: Final = 128 * 2**20
"""Largest file of a tuning that is read, in bytes."""

MIN_SPREAD: Final = 1.01
"""Smallest factor by which tuning may change a weight."""

MAX_SPREAD: Final = 1_000.0
"""Largest factor by which tuning may change a weight."""

MAX_JOBS: Final = 1_024
"""Most threads or processes."""

MAX_TABLE_MB: Final = 65_536
"""Largest transposition table, in mebibytes."""

MAX_SECONDS: Final = 86_400.0
"""Longest time budget for one move, in seconds."""

MAX_NODES: Final = 10**15
"""Largest node budget for one move."""

MAX_ENGINE_LINE: Final = 10_000
"""Longest line of the engine protocol, in bytes, without the line end."""

MAX_ENGINE_LINES: Final = 100_000
"""Most lines of an engine's answer to one request."""

MAX_ENGINE_OPTIONS: Final = 200
"""Most options of an engine."""

MAX_PATTERNS: Final = 32
"""Most patterns of an n-tuple network."""

MAX_PATTERN_CELLS: Final = 8
"""Most cells of a pattern."""

MAX_STAGES: Final = 16
"""Most stages of a network."""

MAX_BANDS: Final = 64
"""Most bands of tile sums from which training games start."""

MAX_BAND: Final = 2**19
"""Largest tile sum at which such a band begins: that of 16 tiles of 32768."""

MIN_DOWNGRADE: Final = 512
"""Smallest sum of different tiles at which tile-downgrading may begin."""

MAX_DOWNGRADE: Final = 65_536
"""Largest sum of different tiles at which tile-downgrading may begin."""

MAX_WEIGHTS: Final = 2**40
"""Most weights of a network."""

MAX_HEADER_BYTES: Final = 2 * 2**20
"""Largest header of a network file, in bytes: entries of the tensors, and metadata."""

MAX_TRAINING_GAMES: Final = 10**12
"""Most games of a training run."""

MAX_SOLVED_STATES: Final = 10**11
"""Most states of a solved game, as estimated before."""

MAX_START_BOARDS: Final = 1_000_000
"""Most ways to place the start tiles of a solved game."""

MAX_SPAWN_RATIO: Final = 1_024
"""Largest ratio of two spawn tiles in a solved game."""

MAX_ENDGAME_STATES: Final = 10**11
"""Most boards of an endgame table."""

MAX_ENDGAME_CODES: Final = 30_000_000
"""Most contents of the upper free cells of an endgame table's pattern."""

MAX_ENDGAME_TABLES: Final = 32
"""Most endgame tables used together."""

MAX_RUN_SECONDS: Final = 365 * 86_400.0
"""Longest training run, or game of a bench, in seconds."""

MAX_PAGE_FRAMES: Final = 32
"""Most frames of a web page searched for a game."""


def check_limit(name: str, value: int, low: int, high: int) -> int:
    """Return `value` if it is a whole number in `low..high`; raise `LimitExceeded` if not."""
    try:
        if isinstance(value, bool):
            raise TypeError
        operator.index(value)
    except TypeError:
        raise LimitExceeded(
            f"expected {name} as a whole number from {low} to {high}, got {ascii(value)[:80]}"
        ) from None
    if not low <= value <= high:
        found = str(value) if abs(value) < 10**30 else f"one of {value.bit_length()} bits"
        raise LimitExceeded(f"expected {name} from {low} to {high}, got {found}")
    return value


def cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
