"""The rows of a study: checks them, and converts those of games to columns."""

import contextlib
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, TypeVar

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

SEED: Final = r"(?:0|[1-9][0-9]{0,19})"
"""A regular expression for a seed in decimal; its range is checked separately."""

_MoveNumber = Annotated[int, Meta(ge=0, le=2**31 - 1)]
_Reached = Annotated[list[_MoveNumber], Meta(min_length=1, max_length=MAX_EXPONENT + 1)]
_LISTS: Final = msgspec.json.Decoder(list[_Reached])

_MAX_MACHINE: Final = 20 * MAX_TEXT
_MACHINE: Final = msgspec.json.Decoder(dict[str, str | int | float | bool | None])

_Key = Annotated[int, Meta(ge=1)]
_Text = Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]
_Seed = Annotated[str, Meta(pattern=rf"\A{SEED}\Z")]
_Hash = Annotated[str, Meta(pattern=rf"\A[0-9a-f]{{{HASH_DIGITS}}}\Z")]

_Row = TypeVar("_Row", bound=msgspec.Struct)


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

    @property
    def home(self) -> tuple[str, str, str, str]:
        """What no other run of a study has."""
        return self.spec, self.rules, self.signature, self.boards


class _Run(StoredRun, frozen=True):
    """A run as a file has it, which may be a stranger's."""

    def __post_init__(self) -> None:
        parse_spec(self.spec)
        Rules.parse(self.rules)
        try:
            datetime.fromisoformat(self.created)
        except ValueError:
            raise ValueError(f"expected a time of ISO 8601, got {shown(self.created)}") from None


class Wanted(msgspec.Struct, frozen=True):
    """A request for games of a run: its number, the first seed in decimal, the number of seeds."""

    plan: _Key
    run: _Key
    first_seed: _Seed
    games: Annotated[int, Meta(ge=1, le=MAX_GAMES)]

    def __post_init__(self) -> None:
        _check_seed(self.first_seed)

    @property
    def seeds(self) -> SeedRange:
        """The seeds of the games."""
        return SeedRange(int(self.first_seed), self.games)


class _Boards(msgspec.Struct):
    hash: _Hash
    name: _Text
    boards: Annotated[str, Meta(min_length=1, max_length=MAX_BOARDS_BYTES)]


class _Failure(msgspec.Struct):
    seed: _Seed
    error: Annotated[str, Meta(max_length=MAX_RECORD_BYTES)]

    def __post_init__(self) -> None:
        _check_seed(self.seed)


def _check_seed(text: str) -> None:
    if int(text) > MAX_SEED:
        raise ValueError(f"expected a seed from 0 to 2^64 - 1, got {text}")


RUN, PLAN, FAILURE, BOARDS = (
    ", ".join(kind.__struct_fields__) for kind in (StoredRun, Wanted, _Failure, _Boards)
)
"""Columns of the queries."""


def stored_run(row: tuple[Any, ...], name: str) -> StoredRun:
    """Parse a row of the columns `RUN`; an InvalidInput names the run and the file `name`."""
    *texts, machine, reproducible, created, boards = row
    with contextlib.suppress(InvalidInput):  # else the text itself is refused
        machine = parse_machine(machine)
    reproducible = {0: False, 1: True}.get(reproducible, reproducible)
    cells = (*texts, machine, reproducible, created, boards)
    return _checked(_Run, cells, f"run {row[0]!a:.30} of {name}")


def parse_machine(text: Any) -> dict[str, Any]:
    """Parse the description of a machine: one JSON object of plain values."""
    if isinstance(text, str) and len(text) <= _MAX_MACHINE:
        with contextlib.suppress(msgspec.DecodeError, RecursionError, UnicodeError):
            return _MACHINE.decode(text)
    raise InvalidInput(f"expected a JSON object of plain values as machine, got {shown(text)}")


def wanted(row: tuple[Any, ...], name: str) -> Wanted:
    """Parse a row of the columns `PLAN`; see `stored_run`."""
    where = f"plan {row[0]!a:.30} of run {row[1]!a:.30} of {name}"
    return _checked(Wanted, row, where)


def start_boards(row: tuple[Any, ...], rules: Rules, name: str) -> StartBoards:
    """Parse a row of the columns `BOARDS`; see `stored_run`."""
    where = f"boards {row[0]!a:.30} of {name}"
    cells = _checked(_Boards, row, where)
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
    cells = _checked(_Failure, row, run)
    return int(cells.seed), cells.error


def _checked(kind: type[_Row], row: Sequence[Any], where: str) -> _Row:
    cells = dict(zip(kind.__struct_fields__, row, strict=True))
    try:
        return msgspec.convert(cells, kind)
    except msgspec.ValidationError as error:
        expected, _, column = str(error).partition(" - at `$.")
        if column := column.rstrip("`").partition("[")[0]:
            expected = expected.partition(", got")[0].replace("Expected", "expected", 1)
            expected += f" as {column}, got {shown(cells[column])}"
        raise InvalidInput(f"{expected} in {where}") from None


# ---- games


def games_of(
    columns: Sequence[str], rows: Sequence[tuple[Any, ...]], wanted: SeedRange, run: str
) -> GameColumns:
    """The games of the seeds `wanted` among rows of the table `game`; `run` is for errors.

    `reached` and `record` may be left out of the columns.

    Raises:
        InvalidInput: a cell does not match its column; the message names game and run.
    """
    cells = _game_cells(columns, rows, run)
    if "reached" in cells:
        cells["reached"] = _move_numbers(rows, columns.index("reached"), run)
    games = GameColumns.of_cells(cells)
    for wrong, expected, got in _impossible(games):
        if wrong.any():
            at = int(np.argmax(wrong))
            raise _refusal(expected, got[at].tolist(), rows[at], run)
    return games.where(wanted.holds(games.seeds))


def seeds_of(rows: Sequence[tuple[Any, ...]], run: str) -> NDArray[np.uint64]:
    """The seeds of rows that hold nothing else."""
    return np.array(_game_cells(["seed"], rows, run)["seed"], dtype=np.uint64)


def _cell_type(figure: Figure) -> Any:
    """What a cell of a figure's column can hold."""
    if figure.most is None:
        return _Seed if figure.column == "seed" else str
    number = Annotated[int, Meta(ge=0, le=figure.most)]
    return number | None if figure.is_optional else number


_CELL_TYPES: Final = {one.column: _cell_type(one) for one in FIGURES.values()}


def _game_cells(
    columns: Sequence[str], rows: Sequence[tuple[Any, ...]], run: str
) -> dict[str, Sequence[Any]]:
    """The cells by column, seeds as numbers."""
    kind: Any = list[tuple[tuple(_CELL_TYPES[name] for name in columns)]]  # type: ignore[misc]
    try:
        msgspec.convert(rows, kind)
    except msgspec.ValidationError as error:
        words, _, place = str(error).partition(" - at `$")
        at, column = map(int, re.findall(r"[0-9]+", place))
        expected = words.partition(", got")[0].replace("Expected", "expected", 1)
        raise _refusal(
            f"{expected} as {columns[column]}", rows[at][column], rows[at], run
        ) from None
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    cells: dict[str, Sequence[Any]] = dict(zip(columns, values, strict=True))
    cells["seed"] = list(map(int, cells["seed"]))
    if max(cells["seed"], default=0) > MAX_SEED:
        row = next(row for row in rows if int(row[0]) > MAX_SEED)
        raise _refusal("a seed from 0 to 2^64 - 1 in decimal", row[0], row, run)
    return cells


def _refusal(expected: str, got: object, row: tuple[Any, ...], run: str) -> InvalidInput:
    """The error of a row, whose first cell is its seed."""
    expected = expected.removeprefix("expected ")
    where = f"the game of seed {shown(row[0])} in {run}"
    return InvalidInput(f"expected {expected}, got {shown(got)} in {where}")


def _impossible(games: GameColumns) -> Iterator[tuple[NDArray[np.bool_], str, NDArray[Any]]]:
    """Which games contradict themselves, what was expected, and what they hold."""
    times = np.stack([games.move_medians, games.move_99ths], axis=1)
    lacking = (times == UNKNOWN).sum(axis=1) == 1
    yield lacking, "both move_median and move_99th or neither", times
    tiles, sums = games.max_tiles, games.tile_sums
    power = (tiles >= 2) & (tiles & (tiles - 1) == 0)
    yield ~power, f"a tile from 2 to 2^{MAX_EXPONENT} as max_tile", tiles
    wrong = (sums < tiles) | (sums > MAX_SIDE**2 * tiles)
    yield wrong, f"a sum of up to {MAX_SIDE**2} tiles up to max_tile as tile_sum", sums
    if not games.reached.size:
        return
    reached, lengths = games.reached, (games.reached != NEVER).sum(axis=1)
    exponents = np.frexp(tiles.astype(np.float64))[1]  # the exponent and one more
    words = "as many numbers in reached as exponents up to max_tile"
    yield lengths != exponents, words, lengths
    there = np.arange(reached.shape[1]) < lengths[:, None]
    falls = (np.diff(reached, axis=1) < 0) & there[:, 1:]
    yield falls.any(axis=1), "numbers in reached that never fall", reached
    outside = reached.max(axis=1, initial=0) > games.moves
    yield outside, "move numbers in reached from 0 to moves", games.moves


def _move_numbers(rows: Sequence[tuple[Any, ...]], column: int, run: str) -> list[list[int]]:
    """The lists of a column of JSON arrays of move numbers."""
    try:
        lists = _LISTS.decode(f"[{','.join([row[column] for row in rows])}]")
        if len(lists) == len(rows):
            return lists
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        pass
    if len(rows) > 1:  # find the first wrong one
        return [_move_numbers([row], column, run)[0] for row in rows]
    words = "1 to 36 move numbers below 2^31 as reached"
    raise _refusal(words, rows[0][column], rows[0], run)
