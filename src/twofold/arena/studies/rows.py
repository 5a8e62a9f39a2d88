"""The rows of a study's tables other than `game`: runs, plans, boards and failures."""

import contextlib
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import Meta

from twofold.arena.boards import HASH_DIGITS, StartBoards, parse_boards
from twofold.errors import InvalidInput
from twofold.limits import MAX_BOARDS_BYTES, MAX_GAMES, MAX_RECORD_BYTES, MAX_SEED, MAX_TEXT
from twofold.notation import parse_spec, shown
from twofold.rules import Rules
from twofold.seeds import SeedRange

RUN: Final = "run, spec, player, rules, signature, twofold, machine, reproducible, created, boards"
PLAN: Final = "plan, run, first_seed, games"
FAILURE: Final = "seed, error"
BOARDS: Final = "hash, name, boards"
"""Columns of the queries."""

SEED: Final = r"(?:0|[1-9][0-9]{0,19})"
"""A regular expression for a seed in decimal; its range is checked separately."""

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
