"""The rows of a study: checks them, and converts those of games to columns."""

import contextlib
import itertools
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, NoReturn, TypeVar

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from twofold.arena.boards import HASH_DIGITS, StartBoards, parse_boards
from twofold.arena.games import FIGURES, NEVER, UNKNOWN, Figure, GameColumns
from twofold.errors import InvalidInput
from twofold.game.notation import SeedRange, parse_spec, shown
from twofold.game.rules import Rules
from twofold.limits import (
    MAX_BOARDS_BYTES,
    MAX_EXPONENT,
    MAX_GAMES,
    MAX_RECORD_BYTES,
    MAX_SEED,
    MAX_SIDE,
    MAX_TEXT,
)

RUN: Final = "run, spec, player, rules, signature, twofold, machine, reproducible, created, boards"
PLAN: Final = "plan, run, first_seed, games"
FAILURE: Final = "seed, error"
BOARDS: Final = "hash, name, boards"
"""Columns of the queries."""

SEED: Final = r"(?:0|[1-9][0-9]{0,19})"
"""A regular expression for a seed in decimal; its range is checked separately."""

_LISTS: Final = msgspec.json.Decoder(list[list[int]])

_MAX_MACHINE: Final = 20 * MAX_TEXT
_MACHINE: Final = msgspec.json.Decoder(dict[str, str | int | float | bool | None])

_Key = Annotated[int, Meta(ge=1)]
_Text = Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]
_Seed = Annotated[str, Meta(pattern=rf"\A{SEED}\Z")]
_Hash = Annotated[str, Meta(pattern=rf"\A[0-9a-f]{{{HASH_DIGITS}}}\Z")]

_Row = TypeVar("_Row")


class StoredRun(msgspec.Struct, frozen=True):
    """One player under one set of rules, as stored in a study.

    Attributes:
        run: its number in the study.
        spec: canonical spec, with the hashes of its files.
        player: the player as it was first named.
        signature: of the version of twofold that played, see `twofold selftest`.
        reproducible: True if games depend only on player, rules and seed.
        created: time of the first request for games, UTC.
        boards: hash of the start boards; empty for new games.
    """

    run: _Key
    spec: _Text
    player: _Text
    rules: _Text
    signature: Annotated[str, Meta(pattern=r"\A[0-9]{1,20}\Z")]
    twofold: _Text
    machine: dict[str, str | int | float | bool | None]
    reproducible: bool
    created: _Text
    boards: Annotated[str, Meta(pattern=rf"\A(?:[0-9a-f]{{{HASH_DIGITS}}})?\Z")] = ""

    def __post_init__(self) -> None:
        parse_spec(self.spec)
        Rules.parse(self.rules)
        try:
            datetime.fromisoformat(self.created)
        except ValueError:
            raise ValueError(f"expected a time of ISO 8601, got {shown(self.created)}") from None


class Wanted(msgspec.Struct, frozen=True):
    """A request for games of a run."""

    run: int
    seeds: SeedRange


class _Plan(msgspec.Struct):
    plan: _Key
    run: _Key
    first_seed: _Seed
    games: Annotated[int, Meta(ge=1, le=MAX_GAMES)]


class _Boards(msgspec.Struct):
    hash: _Hash
    name: _Text
    boards: Annotated[str, Meta(min_length=1, max_length=MAX_BOARDS_BYTES)]


class _Failure(msgspec.Struct):
    seed: _Seed
    error: Annotated[str, Meta(max_length=MAX_RECORD_BYTES)]


def stored_run(row: tuple[Any, ...], name: str) -> StoredRun:
    """Parse a row of the columns `RUN`; an InvalidInput names the run and the file `name`."""
    cells = _cells(RUN, row)
    cells["reproducible"] = {0: False, 1: True}.get(row[7], row[7])
    with contextlib.suppress(InvalidInput):  # else the text itself is refused
        cells["machine"] = parse_machine(row[6])
    return _checked(StoredRun, cells, f"run {row[0]!a:.30} of {name}")


def parse_machine(text: Any) -> dict[str, Any]:
    """Parse the description of a machine: one JSON object of plain values."""
    if isinstance(text, str) and len(text) <= _MAX_MACHINE:
        with contextlib.suppress(msgspec.DecodeError, RecursionError, UnicodeError):
            return _MACHINE.decode(text)
    raise InvalidInput(f"expected a JSON object of plain values as machine, got {shown(text)}")


def wanted(row: tuple[Any, ...], name: str) -> Wanted:
    """Parse a row of the columns `PLAN`; see `stored_run`."""
    where = f"plan {row[0]!a:.30} of run {row[1]!a:.30} of {name}"
    plan = _checked(_Plan, _cells(PLAN, row), where)
    return Wanted(plan.run, SeedRange(_seed(plan.first_seed, where), plan.games))


def start_boards(row: tuple[Any, ...], rules: Rules, name: str) -> StartBoards:
    """Parse a row of the columns `BOARDS`; see `stored_run`."""
    where = f"boards {row[0]!a:.30} of {name}"
    cells = _checked(_Boards, _cells(BOARDS, row), where)
    try:
        found = parse_boards(cells.boards, cells.name, rules)
    except InvalidInput as error:
        raise InvalidInput(f"{error} (column boards in {where})") from None
    if found.hash != cells.hash:
        raise InvalidInput(
            f"expected boards with hash {cells.hash}, got hash {found.hash} in {where}"
        )
    return found


def failure(row: tuple[Any, ...], run: str) -> tuple[int, str]:
    """Parse a row of the columns `FAILURE` to seed and error; see `stored_run`."""
    cells = _checked(_Failure, _cells(FAILURE, row), run)
    return _seed(cells.seed, run), cells.error


def _cells(columns: str, row: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(columns.split(", "), row, strict=True))


def _checked(kind: type[_Row], cells: Mapping[str, Any], where: str) -> _Row:
    try:
        return msgspec.convert(cells, kind)
    except msgspec.ValidationError as error:
        expected, _, column = str(error).partition(" - at `$.")
        if column := column.rstrip("`").partition("[")[0]:
            expected = expected.partition(", got")[0].replace("Expected", "expected", 1)
            expected += f" as {column}, got {shown(cells[column])}"
        raise InvalidInput(f"{expected} in {where}") from None


def _seed(text: str, where: str) -> int:
    if int(text) > MAX_SEED:
        raise InvalidInput(f"expected a seed from 0 to 2^64 - 1, got {text} in {where}")
    return int(text)


# ---- games


def games_of(
    columns: Sequence[str], rows: Sequence[tuple[Any, ...]], wanted: SeedRange, run: str
) -> GameColumns:
    """The games of the seeds `wanted` among rows of the table `game`; `run` is for errors.

    `reached` and records may be left out of the columns.

    Raises:
        InvalidInput: a cell does not match its column; the message names game and run.
    """
    cells = _GameCells(columns, rows, run)
    games = GameColumns(*map(cells.array, FIGURES.values()))
    cells.check(games)
    return games.where(wanted.holds(games.seeds))


def seeds_of(rows: Sequence[tuple[Any, ...]], run: str) -> NDArray[np.uint64]:
    """The seeds of rows that hold nothing else."""
    return _GameCells(["seed"], rows, run).seeds()


class _GameCells:
    """Rows of the table `game`; an error names the first wrong row."""

    def __init__(self, columns: Sequence[str], rows: Sequence[tuple[Any, ...]], run: str) -> None:
        self._run = run
        values = list(zip(*rows, strict=True)) or [()] * len(columns)
        self._columns = dict(zip(columns, values, strict=True))

    def _refuse(self, wrong: NDArray[np.bool_], expected: str, got: NDArray[Any]) -> None:
        """Raise InvalidInput for the first of the wrong rows."""
        if wrong.any():
            at = int(np.argmax(wrong))
            self._raise(expected, at, got[at].tolist())

    def _raise(self, expected: str, at: int, got: object) -> NoReturn:
        game = f"the game of seed {shown(self._columns['seed'][at])} in {self._run}"
        raise InvalidInput(f"expected {expected}, got {shown(got)} in {game}")

    # ---- cells

    def array(self, figure: Figure) -> NDArray[Any]:
        """The array of a figure."""
        if figure.column == "seed":
            return self.seeds()
        if figure.column == "reached":
            return self.reached()
        return self.numbers(figure) if figure.most is not None else self.records()

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

    def numbers(self, figure: Figure) -> NDArray[np.int64]:
        """A column of numbers from 0 to the largest; UNKNOWN for NULL."""
        name, cells = figure.column, self._columns[figure.column]
        kinds = {int, type(None)} if figure.is_optional else {int}
        if not set(map(type, cells)) <= kinds:
            at = next(at for at, cell in enumerate(cells) if type(cell) not in kinds)
            self._raise(f"a whole number as {name}", at, cells[at])
        found = figure.array(cells)
        known = np.array([cell is not None for cell in cells], dtype=np.bool_)
        wrong = known & ((found < 0) | (found > figure.most))
        self._refuse(wrong, f"{name} from 0 to {figure.most}", found)
        return found

    def records(self) -> NDArray[np.object_]:
        """Empty texts: `Study.records` reads the column."""
        return np.full(len(self._columns["seed"]), "", dtype=object)

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
        times = np.stack([games.move_medians, games.move_99ths], axis=1)
        lacking = (times == UNKNOWN).sum(axis=1) == 1
        self._refuse(lacking, "both move_median and move_99th or neither", times)
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
