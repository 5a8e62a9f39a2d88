"""Checks the numbers of finished games read from a study or another file."""

import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from twofold.arena.games import NEVER, UNKNOWN, GameColumns
from twofold.limits import MAX_EXPONENT, MAX_MOVE_NUMBER, MAX_SCORE, MAX_SEED, MAX_SIDE

TIMES: Final = ("nanoseconds", "move_median", "move_99th")

LARGEST: Final = {
    "seed": MAX_SEED,
    "score": MAX_SCORE,
    "moves": 2**31 - 1,
    "max_tile": 2**MAX_EXPONENT,
    "tile_sum": MAX_SIDE**2 * 2**MAX_EXPONENT,
    **dict.fromkeys(TIMES, MAX_MOVE_NUMBER * 10**3),
}
"""The largest value of each column; move numbers in `reached` must fit int32."""

_LISTS: Final = msgspec.json.Decoder(list[list[int]])

SEED: Final = r"(?:0|[1-9][0-9]{0,19})"
"""A regular expression for a seed in decimal; its range is checked separately."""

Refuse = Callable[[Any, str, Any], None]
"""Raises InvalidInput if a row is wrong: mask of wrong rows, expected text, values of all rows."""


def is_seed(value: object) -> bool:
    """True if a cell is a seed in decimal."""
    return isinstance(value, str) and bool(re.fullmatch(SEED, value)) and int(value) <= MAX_SEED


def check_games(refuse: Refuse, games: GameColumns) -> None:
    """Refuse impossible games with `refuse`; `reached` without columns is not checked."""
    _check_numbers(refuse, games)
    _check_tiles(refuse, games)
    if games.reached.size:
        _check_reached(refuse, games)


def _check_numbers(refuse: Refuse, games: GameColumns) -> None:
    seconds = np.column_stack([games.seconds, games.move_seconds])
    columns: dict[str, NDArray[Any]] = {"score": games.scores, "moves": games.moves}
    columns |= {"max_tile": games.max_tiles}
    columns |= dict(zip(TIMES, np.rint(1e9 * seconds).T, strict=True))
    for name, values in columns.items():
        wrong = (values < 0) | (values > LARGEST[name])
        refuse(wrong, f"{name} from 0 to {LARGEST[name]}", values)
    lacking = np.isnan(seconds[:, 1]) != np.isnan(seconds[:, 2])
    refuse(lacking, "both move_median and move_99th or neither", games.move_seconds)


def _check_tiles(refuse: Refuse, games: GameColumns) -> None:
    tiles, sums = games.max_tiles, games.tile_sums
    power = (tiles >= 2) & (tiles & (tiles - 1) == 0)
    refuse(~power, f"a tile from 2 to 2^{MAX_EXPONENT} as max_tile", tiles)
    wrong = (sums != UNKNOWN) & ((sums < tiles) | (sums > MAX_SIDE**2 * tiles))
    refuse(wrong, f"a sum of up to {MAX_SIDE**2} tiles up to max_tile as tile_sum", sums)


def _check_reached(refuse: Refuse, games: GameColumns) -> None:
    reached, lengths = games.reached, (games.reached != NEVER).sum(axis=1)
    wanted = np.frexp(games.max_tiles.astype(np.float64))[1]  # the exponent and one more
    refuse(lengths != wanted, "as many numbers in reached as exponents up to max_tile", lengths)
    there = np.arange(reached.shape[1]) < lengths[:, None]
    falls = (np.diff(reached, axis=1) < 0) & there[:, 1:]
    refuse(falls.any(axis=1), "numbers in reached that never fall", reached)
    outside = ((reached < 0) & there).any(axis=1) | (reached.max(axis=1, initial=0) > games.moves)
    refuse(outside, "move numbers in reached from 0 to moves", games.moves)


def move_numbers(texts: Sequence[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """The numbers of JSON arrays and the length of each array; None if a text is something else."""
    try:
        lists = _LISTS.decode(f"[{','.join(texts)}]")
        lengths = np.fromiter(map(len, lists), np.int64, count=len(lists))
        numbers = np.fromiter(itertools.chain.from_iterable(lists), np.int64)
    except (msgspec.DecodeError, RecursionError, UnicodeError, OverflowError, TypeError):
        return None
    short = np.all((lengths >= 1) & (lengths <= MAX_EXPONENT + 1))
    small = np.all((numbers >= 0) & (numbers <= 2**31 - 1))
    return (numbers, lengths) if len(lists) == len(texts) and short and small else None
