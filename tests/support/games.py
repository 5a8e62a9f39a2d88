"""Finished games as columns, from their figures."""

from collections.abc import Sequence

from twofold.arena.games import GameColumns


def game(
    seed: int,
    score: int,
    moves: int,
    max_tile: int,
    reached: Sequence[int],
    seconds: float,
    move_seconds: tuple[float, float] | None = None,
    record: str = "",
    tile_sum: int | None = None,
) -> GameColumns:
    """One game."""
    times = [None if move_seconds is None else round(1e9 * one) for one in move_seconds or (0, 0)]
    return GameColumns.of_cells(
        {
            "seed": [seed],
            "score": [score],
            "moves": [moves],
            "max_tile": [max_tile],
            "reached": [reached],
            "nanoseconds": [round(1e9 * seconds)],
            "move_median": times[:1],
            "move_99th": times[1:],
            "record": [record],
            "tile_sum": [tile_sum or max_tile],
        }
    )
