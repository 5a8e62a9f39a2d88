"""The rows of a study's games as columns, each cell checked."""

import itertools
import re
from collections.abc import Sequence
from typing import Any, Final, NoReturn

import msgspec
import numpy as np
from numpy.typing import NDArray

from twofold.arena.exchange.game_checks import TIMES, check_numbers, check_reached, check_sums
from twofold.arena.games import NEVER, UNKNOWN, GameColumns
from twofold.errors import InvalidInput
from twofold.limits import MAX_EXPONENT, MAX_SEED
from twofold.notation import shown
from twofold.seeds import SeedRange

COLUMNS: Final = ("seed", "score", "moves", "max_tile", "tile_sum", *TIMES, "reached")
"""Of the table `game`, as `columns_of` takes them; `reached` may be left out."""

_SEED: Final = r"(?:0|[1-9][0-9]{0,19})"
_LISTS: Final = msgspec.json.Decoder(list[list[int]])


def columns_of(rows: Sequence[tuple[Any, ...]], wanted: SeedRange, run: str) -> tuple[Any, ...]:
    """Some rows as arrays: those of the games of some seeds.

    Args:
        rows: cells in the order of `COLUMNS`.
        wanted: the seeds.
        run: the run and its file, for errors.

    Raises:
        InvalidInput: a cell is not what its column holds; the text names game and run.
    """
    cells = _GameCells(rows, run)
    seeds = cells.seeds()
    scores, moves, max_tiles = (cells.numbers(name) for name in COLUMNS[1:4])
    tile_sums = cells.sums()
    times = np.stack([cells.times(name) for name in TIMES], axis=1)
    check_numbers(cells.refuse, scores, moves, max_tiles, times)
    check_sums(cells.refuse, tile_sums, max_tiles)
    reached, lengths = cells.reached()
    if reached.size:
        check_reached(cells.refuse, reached, lengths, max_tiles, moves)
    ours = wanted.holds(seeds)
    columns = (seeds, scores, moves, max_tiles, tile_sums, *(times / 1e9).T, reached)
    return tuple(column[ours] for column in columns)


def seeds_of(rows: Sequence[tuple[Any, ...]], run: str) -> NDArray[np.uint64]:
    """The first column of some rows.

    Raises:
        InvalidInput: a cell is no seed.
    """
    return _GameCells(rows, run).seeds()


def in_order(wanted: SeedRange, seeds: Any, *columns: Any) -> GameColumns:
    """Columns as `columns_of` makes them, in the order of the seeds."""
    order = np.argsort(wanted.places(seeds), kind="stable")
    scores, moves, max_tiles, sums, seconds, median, most, reached = (one[order] for one in columns)
    move_seconds = np.stack([median, most], axis=1)
    return GameColumns(seeds[order], scores, moves, max_tiles, reached, seconds, move_seconds, sums)


class _GameCells:
    """Rows of the table `game`; what is wrong is said of the first row that has it."""

    def __init__(self, rows: Sequence[tuple[Any, ...]], run: str) -> None:
        self._run = run
        columns = list(zip(*rows, strict=True)) or [()] * len(COLUMNS)
        self._columns = dict(zip(COLUMNS, columns, strict=False))

    def refuse(self, wrong: Any, expected: str, got: Any) -> None:
        """Raise InvalidInput for the first row that is wrong."""
        if wrong.any():
            at = int(np.argmax(wrong))
            self._raise(expected, at, got[at].tolist())

    def _raise(self, expected: str, at: int, got: object) -> NoReturn:
        game = f"the game of seed {shown(self._columns['seed'][at])} in {self._run}"
        raise InvalidInput(f"expected {expected}, got {shown(got)} in {game}")

    def seeds(self) -> NDArray[np.uint64]:
        column = self._columns["seed"]
        if set(map(type, column)) <= {str}:
            whole = re.fullmatch(f"(?:{_SEED},)*", "".join(f"{text}," for text in column))
            numbers = list(map(int, column)) if whole else []
            if whole and max(numbers, default=0) <= MAX_SEED:
                return np.array(numbers, dtype=np.uint64)
        for at, text in enumerate(column):
            plain = isinstance(text, str) and re.fullmatch(_SEED, text)
            if not plain or int(text) > MAX_SEED:
                self._raise("a seed from 0 to 2^64 - 1 in decimal", at, text)
        raise AssertionError

    def numbers(self, name: str) -> NDArray[np.int64]:
        self._check_kinds(name, {int})
        return np.array(self._columns[name], dtype=np.int64)

    def sums(self) -> NDArray[np.int64]:
        """Sums of tiles; UNKNOWN where an older twofold has not kept them."""
        self._check_kinds("tile_sum", {int, type(None)})
        cells = self._columns["tile_sum"]
        found = np.array([UNKNOWN if cell is None else cell for cell in cells], dtype=np.int64)
        unwritten = np.array([cell == UNKNOWN for cell in cells], dtype=np.bool_)
        self.refuse(unwritten, "a sum of tiles or nothing as tile_sum", found)
        return found

    def times(self, name: str) -> NDArray[np.float64]:
        """Nanoseconds; NaN where a time that need not be known is not."""
        self._check_kinds(name, {int} if name == TIMES[0] else {int, type(None)})
        return np.array(self._columns[name], dtype=np.float64)

    def _check_kinds(self, name: str, kinds: set[type]) -> None:
        if not set(map(type, self._columns[name])) <= kinds:
            for at, cell in enumerate(self._columns[name]):
                if type(cell) not in kinds:
                    self._raise(f"a whole number as {name}", at, cell)

    def reached(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The column `reached`, without columns where it was left out, and the lengths."""
        if "reached" not in self._columns:
            return np.zeros((len(self._columns["seed"]), 0), np.int32), np.zeros(0, np.int64)
        texts = self._columns["reached"]
        numbers, lengths = _move_numbers(texts) or self._refuse_reached(texts)
        found = np.full((len(lengths), MAX_EXPONENT + 1), NEVER, dtype=np.int32)
        found[np.arange(MAX_EXPONENT + 1) < lengths[:, None]] = numbers
        return found, lengths

    def _refuse_reached(self, texts: Sequence[Any]) -> NoReturn:
        """Raise for the first text that is wrong."""
        at = next(at for at, text in enumerate(texts) if _move_numbers([text]) is None)
        self._raise("1 to 36 move numbers below 2^31 as reached", at, texts[at])


def _move_numbers(texts: Sequence[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """The numbers of JSON arrays, and how many each has; None if a text is something else."""
    try:
        lists = _LISTS.decode(f"[{','.join(texts)}]")
        lengths = np.fromiter(map(len, lists), np.int64, count=len(lists))
        numbers = np.fromiter(itertools.chain.from_iterable(lists), np.int64)
    except (msgspec.DecodeError, RecursionError, UnicodeError, OverflowError, TypeError):
        return None
    short = np.all((lengths >= 1) & (lengths <= MAX_EXPONENT + 1))
    small = np.all((numbers >= 0) & (numbers <= 2**31 - 1))
    return (numbers, lengths) if len(lists) == len(texts) and short and small else None
