"""Finished games as columns: `GameColumns` is the table of the figures kept of a game."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, Final, get_type_hints

import numpy as np
from numpy.typing import DTypeLike, NDArray

from twofold.figures import counted
from twofold.game.board import Board
from twofold.game.notation import SeedRange
from twofold.game.record import Record
from twofold.game.rules import MOVES_BY_LETTER, Rules
from twofold.game.step import result_text
from twofold.limits import MAX_EXPONENT, MAX_MOVE_NUMBER, MAX_SCORE, MAX_SIDE
from twofold.players.base import assumed_score

if TYPE_CHECKING:
    from twofold.players import GameResult  # loads kernels

UNKNOWN: Final = -1
"""An unknown number: a time that was not measured."""

NEVER: Final = -1
"""In `GameColumns.reached`: the exponent was never reached."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that is kept of each game.

    Attributes:
        column: its name in a study, in CSV and in Parquet.
        unit: such as `ns`; empty if it has none.
        meaning: what it is.
        of: its value of a finished game; None if unknown.
        most: largest number; None if it is no plain number.
        sql: type of the column in a study, where seeds are in decimal and lists are JSON.
        kind: type of the array.
    """

    column: str
    unit: str
    meaning: str
    of: "Callable[[GameResult], Any]"
    most: int | None = None
    sql: str = "INTEGER NOT NULL"
    kind: DTypeLike = np.int64

    @property
    def is_optional(self) -> bool:
        """True if it may be unknown."""
        return "NOT NULL" not in self.sql

    def array(self, values: Sequence[Any]) -> NDArray[Any]:
        """The array of some values, None for those that are unknown."""
        if self.column == "reached":
            return _padded(values)
        if self.most is not None:
            values = [UNKNOWN if value is None else value for value in values]
        return np.array(values, dtype=self.kind)

    def left_out(self, games: int) -> NDArray[Any]:
        """In place of a list or a text that is not read."""
        is_list = self.column == "reached"
        return np.zeros((games, 0), self.kind) if is_list else np.full(games, "", self.kind)

    def cells(self, array: NDArray[Any]) -> list[Any]:
        """The values of an array, None for those that are unknown."""
        values = array.tolist()
        if self.column == "reached":
            lengths = (array != NEVER).sum(axis=1).tolist()
            return [row[:length] for row, length in zip(values, lengths, strict=True)]
        if self.is_optional:
            return [None if value in (UNKNOWN, "") else value for value in values]
        return list(values)


def _padded(rows: Sequence[Sequence[int]]) -> NDArray[np.int32]:
    """Move numbers by exponent, shape (games, 36), padded with NEVER."""
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    found = np.full((len(rows), MAX_EXPONENT + 1), NEVER, dtype=np.int32)
    there = np.arange(MAX_EXPONENT + 1) < lengths[:, None]
    found[there] = np.fromiter(itertools.chain.from_iterable(rows), np.int32)
    return found


def tile_sum(board: Board) -> int:
    """The sum of the tiles of a board, which grows by the new tile of each move."""
    return sum(1 << exponent for exponent in board.exponents if exponent)


def _time(column: str, meaning: str, of: "Callable[[GameResult], float | None]") -> Figure:
    """A time in nanoseconds; of moves it is unknown inside kernels."""

    def rounded(game: "GameResult") -> int | None:
        return None if (seconds := of(game)) is None else round(1e9 * seconds)

    sql = "INTEGER" if column.startswith("move") else "INTEGER NOT NULL"
    return Figure(column, "ns", meaning, rounded, MAX_MOVE_NUMBER * 10**3, sql)


_MOST: Final = MAX_SIDE**2 * 2**MAX_EXPONENT

_NONE: Final = (None, None)

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class GameColumns:
    """Many finished games of one player, in the order of the request: an array for each `Figure`.

    A figure is added here alone: studies, exports and reports have it then.
    """

    seeds: Annotated[
        NDArray[np.uint64],
        Figure("seed", "", "of the dice", attrgetter("seed"), None, "TEXT NOT NULL", np.uint64),
    ]
    scores: Annotated[
        Numbers, Figure("score", "points", "of the moves made", attrgetter("score"), MAX_SCORE)
    ]
    moves: Annotated[Numbers, Figure("moves", "", "moves made", attrgetter("moves"), 2**31 - 1)]
    max_tiles: Annotated[
        Numbers, Figure("max_tile", "", "at the end", attrgetter("max_tile"), 2**MAX_EXPONENT)
    ]
    reached: Annotated[
        NDArray[np.int32],
        Figure(
            "reached",
            "moves",
            "for each exponent k, the number of the move that first made a tile of 2^k or more, "
            "else NEVER; shape (games, 36)",
            attrgetter("reached"),
            None,
            "TEXT NOT NULL",
            np.int32,
        ),
    ]
    nanoseconds: Annotated[
        Numbers, _time("nanoseconds", "by the wall clock", attrgetter("seconds"))
    ]
    move_medians: Annotated[
        Numbers, _time("move_median", "of a move", lambda one: (one.move_seconds or _NONE)[0])
    ]
    move_99ths: Annotated[
        Numbers, _time("move_99th", "of 99 % of moves", lambda one: (one.move_seconds or _NONE)[1])
    ]
    records: Annotated[
        NDArray[np.object_],
        Figure("record", "", "as text; empty if not kept", lambda _: "", None, "TEXT", object),
    ]
    tile_sums: Annotated[
        Numbers, Figure("tile_sum", "", "of the last board", lambda one: tile_sum(one.board), _MOST)
    ]

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
    def of_cells(cls, cells: Mapping[str, Sequence[Any]]) -> "GameColumns":
        """From values by column, None for those that are unknown.

        `reached` and `record` may be left out.
        """
        games = len(cells["seed"])
        return cls(
            *(
                one.array(cells[one.column]) if one.column in cells else one.left_out(games)
                for one in FIGURES.values()
            )
        )

    @classmethod
    def of_results(
        cls, results: "Sequence[GameResult]", record: "Callable[[GameResult], str] | None" = None
    ) -> "GameColumns":
        """From games that were played; `record` is what writes their records."""
        cells = {one.column: list(map(one.of, results)) for one in FIGURES.values()}
        return cls.of_cells(cells | ({"record": list(map(record, results))} if record else {}))

    @classmethod
    def joined(cls, parts: Iterable["GameColumns"]) -> "GameColumns":
        """The games of some parts, one part after the other."""
        listed = list(parts) or [cls.of_results(())]
        return cls(*(np.concatenate([getattr(part, name) for part in listed]) for name in FIGURES))

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Wall-clock time of each game, in seconds."""
        return self.nanoseconds / 1e9

    @property
    def usual_move(self) -> tuple[float, float] | None:
        """Seconds of a move: medians over the games of both times of a move; None if unknown."""
        known = self.move_medians != UNKNOWN
        if not known.any():
            return None
        median, most = (
            float(np.median(times[known])) / 1e9 for times in (self.move_medians, self.move_99ths)
        )
        return median, most

    def where(self, places: Any) -> "GameColumns":
        """The games selected by a NumPy index: a slice, positions or a mask."""
        return GameColumns(*(getattr(self, name)[places] for name in FIGURES))

    def first(self, count: int) -> "GameColumns":
        """The first `count` games."""
        return self.where(slice(count))

    def cells(self, *left_out: str) -> dict[str, list[Any]]:
        """The values by column, None for those that are unknown, without some columns."""
        return {
            one.column: one.cells(getattr(self, name))
            for name, one in FIGURES.items()
            if one.column not in left_out
        }

    def equals(self, other: "GameColumns") -> bool:
        """True if the games are the same, whatever their times and records."""
        return all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name, one in FIGURES.items()
            if one.unit != "ns" and one.column != "record"
        )


FIGURES: Final[dict[str, Figure]] = {
    name: hint.__metadata__[0]
    for name, hint in get_type_hints(GameColumns, include_extras=True).items()
}
"""The figures kept of each game by the names of their arrays, in the order of a study's columns."""


def record_text(result: "GameResult", spec: str, rules: Rules) -> str:
    """The record of a game by the player `spec`; the result must have its moves."""
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


def gaps(seeds: SeedRange, finished: NDArray[np.uint64]) -> list[SeedRange]:
    """The parts of a range without the finished seeds."""
    there, places = np.zeros(seeds.count, dtype=np.bool_), seeds.places(finished)
    there[places[places < seeds.count]] = True
    edges = np.flatnonzero(np.diff(there, prepend=True, append=True)).reshape(-1, 2)
    return [seeds.part(start, end) for start, end in edges.tolist()]


def ordered(games: GameColumns, seeds: SeedRange) -> GameColumns:
    """The games in the order of `seeds`."""
    return games.where(np.argsort(seeds.places(games.seeds), kind="stable"))
