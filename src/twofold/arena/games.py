"""Finished games: one as a row, many as columns."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.figures import counted
from twofold.game.board import Board
from twofold.game.game import result_text
from twofold.game.record import Record
from twofold.game.rules import MOVES_BY_LETTER, Rules
from twofold.limits import MAX_EXPONENT
from twofold.players.base import assumed_score
from twofold.players.loop import GameResult

NEVER: Final = -1
"""In `GameColumns.reached`: the exponent was never reached."""

UNKNOWN: Final = -1
"""In `GameColumns.tile_sums`: older versions of twofold did not store the sum."""


@dataclass(frozen=True, slots=True)
class GameRow:
    """One finished game.

    Attributes:
        score: points of the moves made.
        reached: for each exponent k, the move number at which the largest tile first was
            2^k or more.
        seconds: wall clock time; depends on the machine.
        move_seconds: median and 99th percentile of the time of a move; None for games inside
            kernels, where single moves are not timed.
        record: text of the game's record; empty if not kept.
        tile_sum: sum of the tiles on the final board; None if unknown.
    """

    player: str
    seed: int
    score: int
    moves: int
    max_tile: int
    reached: tuple[int, ...]
    seconds: float
    move_seconds: tuple[float, float] | None = None
    record: str = ""
    tile_sum: int | None = None

    @classmethod
    def of_result(
        cls, result: GameResult, spec: str, rules: Rules, *, record: bool = False
    ) -> "GameRow":
        """The row of a game by the player `spec`; with `record`, `result` must have its moves."""
        text = _record_text(result, spec, rules) if record else ""
        points, ended = (result.score, result.moves, result.max_tile), tile_sum(result.board)
        times = (result.seconds, result.move_seconds)
        return cls(spec, result.seed, *points, result.reached, *times, text, ended)


def tile_sum(board: Board) -> int:
    """The sum of the tiles of a board, which grows by the new tile of each move."""
    return sum(1 << exponent for exponent in board.exponents if exponent)


def _record_text(result: GameResult, spec: str, rules: Rules) -> str:
    before = 0 if result.start is None else assumed_score(result.start)
    return str(
        Record(
            rules=rules,
            seed=result.seed,
            moves=tuple(map(MOVES_BY_LETTER.__getitem__, result.letters)),
            board=result.start,
            start_score=before,
            player=spec,
            score=before + result.score,
            result=result_text(result.board, rules),
            final=result.board,
        )
    )


@dataclass(frozen=True, slots=True)
class GameColumns:
    """Many finished games of one player, in the order of the request.

    Attributes:
        seeds: uint64 (games,).
        scores: int64 (games,), points of the moves made.
        moves: int64 (games,).
        max_tiles: int64 (games,), the largest tile of each final board.
        reached: int32 (games, 36), the move number at which the largest tile first was 2^k or
            more, else NEVER.
        seconds: float64 (games,), wall clock time.
        move_seconds: float64 (games, 2), see `GameRow`; NaN if unknown.
        tile_sums: int64 (games,), of the final board; UNKNOWN if unknown.
    """

    seeds: NDArray[np.uint64]
    scores: NDArray[np.int64]
    moves: NDArray[np.int64]
    max_tiles: NDArray[np.int64]
    reached: NDArray[np.int32]
    seconds: NDArray[np.float64]
    move_seconds: NDArray[np.float64]
    tile_sums: NDArray[np.int64]

    def __repr__(self) -> str:
        return f"<GameColumns: {self.words}>"

    @property
    def words(self) -> str:
        """The number of games and the mean score, as in `50 games, mean score 3,071`."""
        mean = f", mean score {self.scores.mean():,.0f}" if len(self) else ""
        return counted(len(self), "game") + mean

    def __len__(self) -> int:
        return len(self.seeds)

    @classmethod
    def of_rows(cls, rows: Sequence[GameRow]) -> "GameColumns":
        """The columns of rows."""
        reached = np.full((len(rows), MAX_EXPONENT + 1), NEVER, dtype=np.int32)
        for line, row in zip(reached, rows, strict=True):
            line[: len(row.reached)] = row.reached
        unknown = (np.nan, np.nan)
        return cls(
            seeds=np.array([row.seed for row in rows], dtype=np.uint64),
            scores=np.array([row.score for row in rows], dtype=np.int64),
            moves=np.array([row.moves for row in rows], dtype=np.int64),
            max_tiles=np.array([row.max_tile for row in rows], dtype=np.int64),
            reached=reached,
            seconds=np.array([row.seconds for row in rows], dtype=np.float64),
            move_seconds=np.array(
                [row.move_seconds or unknown for row in rows], dtype=np.float64
            ).reshape(-1, 2),
            tile_sums=np.array(
                [UNKNOWN if row.tile_sum is None else row.tile_sum for row in rows], dtype=np.int64
            ),
        )

    @classmethod
    def joined(cls, parts: Sequence["GameColumns"]) -> "GameColumns":
        """The games of at least one part, one part after the other."""
        columns = ([getattr(part, column.name) for part in parts] for column in fields(cls))
        return cls(*map(np.concatenate, columns))

    @property
    def usual_move(self) -> tuple[float, float] | None:
        """Seconds of a move: medians over the games of `move_seconds`; None if unknown."""
        known = self.move_seconds[~np.isnan(self.move_seconds).any(axis=1)]
        if not len(known):
            return None
        median, most = np.median(known, axis=0).tolist()
        return median, most

    def where(self, places: Any) -> "GameColumns":
        """The games selected by a NumPy index: a slice, positions or a mask."""
        return GameColumns(*(getattr(self, column.name)[places] for column in fields(self)))

    def first(self, count: int) -> "GameColumns":
        """The first `count` games."""
        return self.where(slice(count))

    def rows(self, player: str) -> tuple[GameRow, ...]:
        """The games as rows of a player."""
        values = zip(*(getattr(self, one.name).tolist() for one in fields(self)), strict=True)
        return tuple(
            GameRow(
                player,
                seed,
                score,
                moves,
                max_tile,
                tuple(number for number in reached if number != NEVER),
                seconds,
                None if times[0] != times[0] else (times[0], times[1]),
                tile_sum=None if total == UNKNOWN else total,
            )
            for seed, score, moves, max_tile, reached, seconds, times, total in values
        )
