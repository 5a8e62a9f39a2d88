"""The rows of a study's games as columns."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twofold.arena.games import NEVER, Games
from twofold.limits import MAX_EXPONENT


def columns_of(rows: list[tuple[Any, ...]], first_seed: int, games: int) -> tuple[Any, ...]:
    """Some rows as arrays: those of the games from a seed on.

    Args:
        rows: seed, score, moves, largest tile, nanoseconds, median and 99th percentile of a
            move, and perhaps the move numbers at which tiles were reached.
        first_seed: the first seed.
        games: how many, up to 2^64.
    """
    columns = list(zip(*rows, strict=True)) or [()] * 8
    seeds = np.array([int(seed) for seed in columns[0]], dtype=np.uint64)
    ours = seeds - np.uint64(first_seed) <= np.uint64(games - 1)
    counts = (np.array(column, dtype=np.int64)[ours] for column in columns[1:4])
    times = (np.array(column, dtype=np.float64)[ours] / 1e9 for column in columns[4:7])  # NULL: NaN
    reached = _reached(columns[7]) if len(columns) > 7 else np.zeros((len(seeds), 0), np.int32)
    return seeds[ours], *counts, *times, reached[ours]


def _reached(texts: Sequence[str]) -> NDArray[np.int32]:
    """The column `reached`: each text is a JSON array of 1 to 36 numbers."""
    lengths = np.fromiter((text.count(",") + 1 for text in texts), np.int64, count=len(texts))
    found = np.full((len(texts), MAX_EXPONENT + 1), NEVER, dtype=np.int32)
    numbers = json.loads(f"[{','.join(text.strip()[1:-1] for text in texts)}]")
    found[np.arange(MAX_EXPONENT + 1) < lengths[:, None]] = numbers
    return found


def in_order(first_seed: int, seeds: Any, *columns: Any) -> Games:
    """Columns as `columns_of` makes them, sorted by position from the first seed on."""
    order = np.argsort(seeds - np.uint64(first_seed), kind="stable")
    scores, moves, max_tiles, seconds, median, most, reached = (one[order] for one in columns)
    move_seconds = np.stack([median, most], axis=1)
    return Games(seeds[order], scores, moves, max_tiles, reached, seconds, move_seconds)
