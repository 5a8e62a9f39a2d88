"""Checks the rows of a study's tables other than `game`: runs, plans, boards and failures."""

import contextlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NoReturn

import msgspec

from twofold.arena.boards import HASH_DIGITS, StartBoards, parse_boards
from twofold.arena.game_checks import is_seed
from twofold.errors import InvalidInput
from twofold.limits import MAX_BOARDS_BYTES, MAX_GAMES, MAX_RECORD_BYTES, MAX_TEXT
from twofold.notation import parse_spec, shown
from twofold.rules import Rules
from twofold.seeds import SeedRange

RUN: Final = "run, spec, player, rules, signature, twofold, machine, reproducible, created, boards"
PLAN: Final = "plan, run, first_seed, games"
FAILURE: Final = "seed, error"
BOARDS: Final = "hash, name, boards"
"""Columns of the queries."""

_MAX_MACHINE: Final = 20 * MAX_TEXT
_MACHINE: Final = msgspec.json.Decoder(dict[str, str | int | float | bool | None])


@dataclass(frozen=True, slots=True)
class StoredRun:
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

    run: int
    spec: str
    player: str
    rules: str
    signature: str
    twofold: str
    machine: Mapping[str, Any]
    reproducible: bool
    created: str
    boards: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request for games of a run."""

    run: int
    seeds: SeedRange


def stored_run(row: tuple[Any, ...], name: str) -> StoredRun:
    """Parse a row of the columns `RUN`; an InvalidInput names the run and the file `name`."""
    cells = RowCells(RUN, row, name)
    run = cells.number("run", 1, 2**63 - 1)
    cells.where = f"run {run} of {name}"
    return StoredRun(
        run=run,
        **run_facts(cells),
        reproducible=bool(cells.number("reproducible", 0, 1)),
        created=cells.checked("created", _parse_time),
    )


def run_facts(cells: "RowCells") -> dict[str, Any]:
    """The columns of a run that a study and a file of games have in common."""
    signature = cells.text("signature")
    if not re.fullmatch(r"[0-9]{1,20}", signature):
        cells.refuse("a number in decimal", "signature")
    return {
        "spec": cells.checked("spec", parse_spec),
        "player": cells.text("player"),
        "rules": cells.checked("rules", Rules.parse),
        "signature": signature,
        "twofold": cells.text("twofold"),
        "machine": cells.parsed("machine", parse_machine, _MAX_MACHINE),
        "boards": cells.hash("boards"),
    }


def parse_machine(text: str) -> dict[str, Any]:
    """Parse the description of a machine: one JSON object of plain values."""
    if len(text) <= _MAX_MACHINE:
        with contextlib.suppress(msgspec.DecodeError, RecursionError, UnicodeError):
            return _MACHINE.decode(text)
    raise InvalidInput(f"expected a JSON object of plain values as machine, got {shown(text)}")


def _parse_time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(f"expected a time of ISO 8601, got {shown(text)}") from None


def wanted(row: tuple[Any, ...], name: str) -> Wanted:
    """Parse a row of the columns `PLAN`; see `stored_run`."""
    cells = RowCells(PLAN, row, name)
    plan = cells.number("plan", 1, 2**63 - 1)
    cells.where = f"plan {plan} of {name}"
    run = cells.number("run", 1, 2**63 - 1)
    cells.where = f"plan {plan} of run {run} of {name}"
    first, games = cells.seed("first_seed"), cells.number("games", 1, MAX_GAMES)
    return Wanted(run, SeedRange(first, games))


def start_boards(row: tuple[Any, ...], rules: Rules, name: str) -> StartBoards:
    """Parse a row of the columns `BOARDS`; see `stored_run`."""
    cells = RowCells(BOARDS, row, name)
    expected = cells.hash("hash")
    cells.where = f"boards {expected} of {name}"
    text, name = cells.text("boards", MAX_BOARDS_BYTES), cells.text("name")
    try:
        found = parse_boards(text, name, rules)
    except InvalidInput as error:
        raise InvalidInput(f"{error} (column boards in {cells.where})") from None
    if found.hash != expected:
        raise InvalidInput(
            f"expected boards with hash {expected}, got hash {found.hash} in {cells.where}"
        )
    return found


def failure(row: tuple[Any, ...], run: str) -> tuple[int, str]:
    """Parse a row of the columns `FAILURE` to seed and error; see `stored_run`."""
    cells = RowCells(FAILURE, row, run)
    return cells.seed("seed"), cells.text("error", MAX_RECORD_BYTES, least=0)


class RowCells:
    """One row, whose cells are checked when they are read.

    `columns` are names with commas between them; `where` describes the row in errors.
    """

    def __init__(self, columns: str, row: tuple[Any, ...], where: str) -> None:
        self._cells = dict(zip(columns.split(", "), row, strict=True))
        self.where = where

    def refuse(self, expected: str, column: str) -> NoReturn:
        """Raise InvalidInput for a cell."""
        got = self._cells[column]
        raise InvalidInput(f"expected {expected} as {column}, got {shown(got)} in {self.where}")

    def number(self, column: str, low: int, high: int) -> int:
        """An integer from `low` to `high`."""
        value = self._cells[column]
        if type(value) is not int or not low <= value <= high:
            self.refuse(f"a whole number from {low} to {high}", column)
        return value

    def text(self, column: str, most: int = MAX_TEXT, least: int = 1) -> str:
        """A text of `least` to `most` characters."""
        value = self._cells[column]
        if not isinstance(value, str) or not least <= len(value) <= most:
            self.refuse(f"text of {least} to {most:,} characters", column)
        return value

    def hash(self, column: str) -> str:
        """The hash of a set of boards, or an empty text."""
        text = self.text(column, least=0)
        if text and not re.fullmatch(rf"[0-9a-f]{{{HASH_DIGITS}}}", text):
            self.refuse(f"{HASH_DIGITS} hexadecimal digits or nothing", column)
        return text

    def seed(self, column: str) -> int:
        """A seed in decimal."""
        value = self._cells[column]
        if not is_seed(value):
            self.refuse("a seed from 0 to 2^64 - 1 in decimal", column)
        return int(value)

    def checked(self, column: str, parse: Callable[[str], object]) -> str:
        """A text that `parse` accepts."""
        self.parsed(column, parse)
        return str(self._cells[column])

    def parsed(self, column: str, parse: Callable[[str], Any], most: int = MAX_TEXT) -> Any:
        """The value that `parse` makes of a text."""
        text = self.text(column, most)
        try:
            return _parsed(parse, text)
        except InvalidInput as error:
            raise InvalidInput(f"{error} (column {column} in {self.where})") from None


@lru_cache(1024)
def _parsed(parse: Callable[[str], Any], text: str) -> Any:
    """Cached, since the runs of a study share most of their texts."""
    return parse(text)
