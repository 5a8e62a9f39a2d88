"""Checks the rows of a study's games, and converts them to columns."""

import re
from collections.abc import Sequence
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from twofold.arena.game_checks import SEED, TIMES, check_games, is_seed, move_numbers
from twofold.arena.games import UNKNOWN, GameColumns, reached_columns
from twofold.errors import InvalidInput
from twofold.limits import MAX_SEED
from twofold.notation import shown
from twofold.seeds import SeedRange

COLUMNS: Final = ("seed", "score", "moves", "max_tile", "tile_sum", *TIMES, "reached")
"""Columns of the table `game` for `games_of`; `reached` may be left out."""


def games_of(rows: Sequence[tuple[Any, ...]], wanted: SeedRange, run: str) -> GameColumns:
    """The games of the seeds `wanted` among rows of the columns `COLUMNS`; `run` is for errors.

    Raises:
        InvalidInput: a cell does not match its column; the message names game and run.
    """
    cells = _GameCells(rows, run)
    games = GameColumns(
        seeds=cells.seeds(),
        scores=cells.numbers("score"),
        moves=cells.numbers("moves"),
        max_tiles=cells.numbers("max_tile"),
        tile_sums=cells.sums(),
        seconds=cells.times(TIMES[0]) / 1e9,
        move_seconds=np.stack([cells.times(name) for name in TIMES[1:]], axis=1) / 1e9,
        reached=cells.reached(),
    )
    check_games(cells.refuse, games)
    return games.where(wanted.holds(games.seeds))


def seeds_of(rows: Sequence[tuple[Any, ...]], run: str) -> NDArray[np.uint64]:
    """The seeds in the first column of rows."""
    return _GameCells(rows, run).seeds()


class _GameCells:
    """Rows of the table `game`; an error names the first wrong row."""

    def __init__(self, rows: Sequence[tuple[Any, ...]], run: str) -> None:
        self._run = run
        columns = list(zip(*rows, strict=True)) or [()] * len(COLUMNS)
        self._columns = dict(zip(COLUMNS, columns, strict=False))

    def refuse(self, wrong: Any, expected: str, got: Any) -> None:
        if wrong.any():
            at = int(np.argmax(wrong))
            self._raise(expected, at, got[at].tolist())

    def _raise(self, expected: str, at: int, got: object) -> NoReturn:
        game = f"the game of seed {shown(self._columns['seed'][at])} in {self._run}"
        raise InvalidInput(f"expected {expected}, got {shown(got)} in {game}")

    def seeds(self) -> NDArray[np.uint64]:
        column = self._columns["seed"]
        if set(map(type, column)) <= {str}:
            whole = re.fullmatch(f"(?:{SEED},)*", "".join(f"{text}," for text in column))
            numbers = list(map(int, column)) if whole else []
            if whole and max(numbers, default=0) <= MAX_SEED:
                return np.array(numbers, dtype=np.uint64)
        for at, text in enumerate(column):
            if not is_seed(text):
                self._raise("a seed from 0 to 2^64 - 1 in decimal", at, text)
        raise AssertionError

    def numbers(self, name: str) -> NDArray[np.int64]:
        self._check_kinds(name, {int})
        return np.array(self._columns[name], dtype=np.int64)

    def sums(self) -> NDArray[np.int64]:
        """Tile sums; UNKNOWN if an older version of twofold did not store them."""
        self._check_kinds("tile_sum", {int, type(None)})
        cells = self._columns["tile_sum"]
        found = np.array([UNKNOWN if cell is None else cell for cell in cells], dtype=np.int64)
        unwritten = np.array([cell == UNKNOWN for cell in cells], dtype=np.bool_)
        self.refuse(unwritten, "a tile sum or nothing as tile_sum", found)
        return found

    def times(self, name: str) -> NDArray[np.float64]:
        """Nanoseconds; NaN for an unknown time."""
        self._check_kinds(name, {int} if name == TIMES[0] else {int, type(None)})
        return np.array(self._columns[name], dtype=np.float64)

    def _check_kinds(self, name: str, kinds: set[type]) -> None:
        if not set(map(type, self._columns[name])) <= kinds:
            for at, cell in enumerate(self._columns[name]):
                if type(cell) not in kinds:
                    self._raise(f"a whole number as {name}", at, cell)

    def reached(self) -> NDArray[np.int32]:
        """The column `reached`; without columns if it was left out."""
        if "reached" not in self._columns:
            return np.zeros((len(self._columns["seed"]), 0), np.int32)
        texts = self._columns["reached"]
        return reached_columns(*(move_numbers(texts) or self._refuse_reached(texts)))

    def _refuse_reached(self, texts: Sequence[Any]) -> NoReturn:
        at = next(at for at, text in enumerate(texts) if move_numbers([text]) is None)
        self._raise("1 to 36 move numbers below 2^31 as reached", at, texts[at])
