"""What the numbers of a finished game may be, whatever file they come from."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.arena.games import UNKNOWN
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
"""What is refused: as a number of `reached`, a move number must fit int32."""

Refuse = Callable[[Any, str, Any], None]
"""Raises InvalidInput if a row is wrong: which rows are, what was expected, what each row has."""


def check_numbers(
    refuse: Refuse,
    scores: NDArray[np.int64],
    moves: NDArray[np.int64],
    max_tiles: NDArray[np.int64],
    times: NDArray[np.float64],
) -> None:
    """Refuse numbers out of their range.

    Args:
        refuse: raises the error.
        scores: points.
        moves: number of moves.
        max_tiles: the largest tile.
        times: (rows, 3) as `TIMES`, nanoseconds; NaN where it is not known.
    """
    columns: dict[str, NDArray[Any]] = {"score": scores, "moves": moves, "max_tile": max_tiles}
    columns |= {name: times[:, place] for place, name in enumerate(TIMES)}
    for name, values in columns.items():
        wrong = (values < 0) | (values > LARGEST[name])
        refuse(wrong, f"{name} from 0 to {LARGEST[name]}", values)
    lacking = np.isnan(times[:, 1]) != np.isnan(times[:, 2])
    refuse(lacking, "both times of a move or neither", times[:, 1:])
    power = (max_tiles >= 2) & (max_tiles & (max_tiles - 1) == 0)
    refuse(~power, f"a tile from 2 to 2^{MAX_EXPONENT} as max_tile", max_tiles)


def check_sums(refuse: Refuse, tile_sums: NDArray[np.int64], max_tiles: NDArray[np.int64]) -> None:
    """Refuse sums of tiles that no board with such a largest tile has; UNKNOWN passes.

    Args:
        refuse: raises the error.
        tile_sums: of the final board.
        max_tiles: the largest tile on it, checked.
    """
    known = tile_sums != UNKNOWN
    wrong = known & ((tile_sums < max_tiles) | (tile_sums > MAX_SIDE**2 * max_tiles))
    refuse(wrong, f"a sum of up to {MAX_SIDE**2} tiles up to max_tile as tile_sum", tile_sums)


def check_reached(
    refuse: Refuse,
    reached: NDArray[np.int32],
    lengths: NDArray[np.int64],
    max_tiles: NDArray[np.int64],
    moves: NDArray[np.int64],
) -> None:
    """Refuse move numbers at which tiles cannot have been reached.

    Args:
        refuse: raises the error.
        reached: (rows, 36), NEVER where there is none.
        lengths: of `reached`.
        max_tiles: the largest tile, a power of two.
        moves: number of moves.
    """
    wanted = np.frexp(max_tiles.astype(np.float64))[1]  # the exponent and one more
    refuse(lengths != wanted, "as many numbers in reached as exponents up to max_tile", lengths)
    there = np.arange(reached.shape[1]) < lengths[:, None]
    falls = (np.diff(reached, axis=1) < 0) & there[:, 1:]
    refuse(falls.any(axis=1), "numbers in reached that never fall", reached)
    outside = ((reached < 0) & there).any(axis=1) | (reached.max(axis=1, initial=0) > moves)
    refuse(outside, "move numbers in reached from 0 to moves", moves)
