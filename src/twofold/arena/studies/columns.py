"""Checks the rows of a study's games, and converts them to columns."""

import itertools
import re
from collections.abc import Sequence
from typing import Any, Final, NoReturn

import msgspec
import numpy as np
from numpy.typing import NDArray

from twofold.arena.games import NEVER, UNKNOWN, GameColumns
from twofold.arena.studies.rows import SEED
from twofold.errors import InvalidInput
from twofold.limits import MAX_EXPONENT, MAX_MOVE_NUMBER, MAX_SCORE, MAX_SEED, MAX_SIDE
from twofold.notation import shown
from twofold.seeds import SeedRange

_TIMES: Final = ("nanoseconds", "move_median", "move_99th")

COLUMNS: Final = ("seed", "score", "moves", "max_tile", "tile_sum", *_TIMES, "reached")
"""Columns of the table `game` for `games_of`; `reached` may be left out."""

_LARGEST: Final = {
    "score": MAX_SCORE,
    "moves": 2**31 - 1,
    "max_tile": 2**MAX_EXPONENT,
    **dict.fromkeys(_TIMES, MAX_MOVE_NUMBER * 10**3),
}
"""The largest value of each column; move numbers in `reached` must fit int32."""

_LISTS: Final = msgspec.json.Decoder(list[list[int]])


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
        seconds=cells.times(_TIMES[0]) / 1e9,
        move_seconds=np.stack([cells.times(name) for name in _TIMES[1:]], axis=1) / 1e9,
        reached=cells.reached(),
    )
    cells.check(games)
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

    def _refuse(self, wrong: NDArray[np.bool_], expected: str, got: NDArray[Any]) -> None:
        """Raise InvalidInput for the first of the wrong rows."""
        if wrong.any():
            at = int(np.argmax(wrong))
            self._raise(expected, at, got[at].tolist())

    def _raise(self, expected: str, at: int, got: object) -> NoReturn:
        game = f"the game of seed {shown(self._columns['seed'][at])} in {self._run}"
        raise InvalidInput(f"expected {expected}, got {shown(got)} in {game}")

    # ---- cells

    def seeds(self) -> NDArray[np.uint64]:
        column = self._columns["seed"]
        if set(map(type, column)) <= {str}:
            whole = re.fullmatch(f"(?:{SEED},)*", "".join(f"{text}," for text in column))
            numbers = list(map(int, column)) if whole else []
            if whole and max(numbers, default=0) <= MAX_SEED:
                return np.array(numbers, dtype=np.uint64)
        for at, text in enumerate(column):
            if not (isinstance(text, str) and re.fullmatch(SEED, text) and int(text) <= MAX_SEED):
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
        self._refuse(unwritten, "a tile sum or nothing as tile_sum", found)
        return found

    def times(self, name: str) -> NDArray[np.float64]:
        """Nanoseconds; NaN for an unknown time."""
        self._check_kinds(name, {int} if name == _TIMES[0] else {int, type(None)})
        return np.array(self._columns[name], dtype=np.float64)

    def _check_kinds(self, name: str, kinds: set[type]) -> None:
        if not set(map(type, self._columns[name])) <= kinds:
            for at, cell in enumerate(self._columns[name]):
                if type(cell) not in kinds:
                    self._raise(f"a whole number as {name}", at, cell)

    def reached(self) -> NDArray[np.int32]:
        """The column `reached`, shape (games, 36); without columns if it was left out."""
        texts = self._columns.get("reached")
        if texts is None:
            return np.zeros((len(self._columns["seed"]), 0), np.int32)
        found = _move_numbers(texts)
        if found is None:
            at = next(at for at, text in enumerate(texts) if _move_numbers([text]) is None)
            self._raise("1 to 36 move numbers below 2^31 as reached", at, texts[at])
        return found

    # ---- games

    def check(self, games: GameColumns) -> None:
        """Refuse impossible games; `reached` without columns is not checked."""
        seconds = np.column_stack([games.seconds, games.move_seconds])
        columns: dict[str, NDArray[Any]] = {"score": games.scores, "moves": games.moves}
        columns |= {"max_tile": games.max_tiles}
        columns |= dict(zip(_TIMES, np.rint(1e9 * seconds).T, strict=True))
        for name, values in columns.items():
            wrong = (values < 0) | (values > _LARGEST[name])
            self._refuse(wrong, f"{name} from 0 to {_LARGEST[name]}", values)
        lacking = np.isnan(seconds[:, 1]) != np.isnan(seconds[:, 2])
        self._refuse(lacking, "both move_median and move_99th or neither", games.move_seconds)
        tiles, sums = games.max_tiles, games.tile_sums
        power = (tiles >= 2) & (tiles & (tiles - 1) == 0)
        self._refuse(~power, f"a tile from 2 to 2^{MAX_EXPONENT} as max_tile", tiles)
        wrong = (sums != UNKNOWN) & ((sums < tiles) | (sums > MAX_SIDE**2 * tiles))
        words = f"a sum of up to {MAX_SIDE**2} tiles up to max_tile as tile_sum"
        self._refuse(wrong, words, sums)
        if games.reached.size:
            self._check_reached(games)

    def _check_reached(self, games: GameColumns) -> None:
        reached, lengths = games.reached, (games.reached != NEVER).sum(axis=1)
        wanted = np.frexp(games.max_tiles.astype(np.float64))[1]  # the exponent and one more
        words = "as many numbers in reached as exponents up to max_tile"
        self._refuse(lengths != wanted, words, lengths)
        there = np.arange(reached.shape[1]) < lengths[:, None]
        falls = (np.diff(reached, axis=1) < 0) & there[:, 1:]
        self._refuse(falls.any(axis=1), "numbers in reached that never fall", reached)
        outside = reached.max(axis=1, initial=0) > games.moves
        self._refuse(outside, "move numbers in reached from 0 to moves", games.moves)


def _move_numbers(texts: Sequence[Any]) -> NDArray[np.int32] | None:
    """`GameColumns.reached` from JSON arrays of move numbers; None if a text is something else."""
    try:
        lists = _LISTS.decode(f"[{','.join(texts)}]")
        lengths = np.fromiter(map(len, lists), np.int64, count=len(lists))
        numbers = np.fromiter(itertools.chain.from_iterable(lists), np.int64)
    except (msgspec.DecodeError, RecursionError, UnicodeError, OverflowError, TypeError):
        return None
    short = np.all((lengths >= 1) & (lengths <= MAX_EXPONENT + 1))
    small = np.all((numbers >= 0) & (numbers <= 2**31 - 1))
    if len(lists) != len(texts) or not short or not small:
        return None
    found = np.full((len(lists), MAX_EXPONENT + 1), NEVER, dtype=np.int32)
    found[np.arange(MAX_EXPONENT + 1) < lengths[:, None]] = numbers
    return found
