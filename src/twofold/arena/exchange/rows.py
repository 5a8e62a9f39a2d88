"""Checks the rows of a file of games, and groups them by run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from twofold.arena.game_checks import LARGEST, TIMES, move_numbers
from twofold.arena.games import UNKNOWN, GameColumns, reached_columns
from twofold.arena.studies.rows import RowCells, run_facts
from twofold.errors import InvalidInput
from twofold.notation import shown
from twofold.rules import Rules

TEXTS: Final = ("spec", "player", "rules", "signature", "twofold")
_ABOUT: Final = ", ".join((*TEXTS, "machine", "boards", "reproducible"))
_NUMBERS: Final = ("seed", "score", "moves", "max_tile")

REQUIRED: Final = (*TEXTS, "reproducible", *_NUMBERS, "reached", *TIMES)
"""Columns of every file, in this order."""

COLUMNS: Final = (*REQUIRED, "boards", "tile_sum")
"""Columns that are written; older files have only the required ones."""


_Number = TypeVar("_Number", np.float64, np.int64)


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a file as columns.

    Attributes:
        name: of the file, for errors.
        what: `line` or `row`.
        places: number of each line or row.
        texts: the columns of the run; `machine` and `boards` only if the file has them.
        reproducible: bool (rows,).
        games: the other columns.
    """

    name: str
    what: str
    places: Sequence[int]
    texts: dict[str, list[str]]
    reproducible: NDArray[np.bool_]
    games: GameColumns

    def refuse(self, wrong: Any, expected: str, got: Any) -> None:
        """Raise InvalidInput for the first wrong row."""
        if wrong.any():
            at = int(np.argmax(wrong))
            raise InvalidInput(
                f"expected {expected} in {self.what} {self.places[at]} of {self.name}, "
                f"got {shown(str(got[at].tolist()))}"
            )


@dataclass(frozen=True, slots=True)
class RunAbout:
    """The description of a run; see `twofold.arena.studies.rows.StoredRun`."""

    spec: str
    player: str
    rules: str
    signature: str
    twofold: str
    reproducible: bool
    machine: dict[str, Any]
    boards: str


@dataclass(frozen=True, slots=True)
class RunGames:
    """Games of one run."""

    about: RunAbout
    games: GameColumns


def nanoseconds(seconds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Seconds as nanoseconds; unknown times as 0."""
    return np.rint(np.nan_to_num(seconds) * 1e9).astype(np.int64)


# ---- from text


def columns_of_texts(rows: list[list[str]], lines: list[int], name: str) -> Rows:
    """The rows of a CSV file, with all columns or the required ones.

    Raises:
        InvalidInput: a cell does not match its column.
    """
    cells = dict(zip(COLUMNS, zip(*rows, strict=True), strict=False)) if rows else {}
    nothing = [""] * len(rows)
    columns = {column: list(cells.get(column, nothing)) for column in COLUMNS}
    reader = _TextCells(columns, lines, name)
    return Rows(
        name=name,
        what="line",
        places=lines,
        texts={column: columns[column] for column in (*TEXTS, "boards")},
        reproducible=reader.flags(),
        games=GameColumns(
            seeds=np.array(reader.numbers("seed"), dtype=np.uint64),
            scores=np.array(reader.numbers("score"), dtype=np.int64),
            moves=np.array(reader.numbers("moves"), dtype=np.int64),
            max_tiles=np.array(reader.numbers("max_tile"), dtype=np.int64),
            reached=reader.reached(),
            seconds=np.array(reader.numbers(TIMES[0])) / 1e9,
            move_seconds=np.stack(
                [reader.known(column, np.nan, np.float64) / 1e9 for column in TIMES[1:]], axis=1
            ),
            tile_sums=reader.known("tile_sum", UNKNOWN, np.int64),
        ),
    )


class _TextCells:
    def __init__(self, columns: dict[str, list[str]], lines: list[int], name: str) -> None:
        self._columns, self._lines, self._name = columns, lines, name

    def _refusal(self, column: str, at: int, expected: str) -> InvalidInput:
        return InvalidInput(
            f"expected {expected} as {column} in line {self._lines[at]} of {self._name}, "
            f"got {shown(self._columns[column][at])}"
        )

    def numbers(self, column: str) -> list[int]:
        texts, largest = self._columns[column], LARGEST[column]
        for at, text in enumerate(texts):
            if not (text.isdecimal() and text.isascii() and len(text) <= 20):
                raise self._refusal(column, at, "a whole number")
        values = list(map(int, texts))
        if max(values, default=0) > largest:
            at = next(at for at, value in enumerate(values) if value > largest)
            raise self._refusal(column, at, f"a number up to {largest}")
        return values

    def known(self, column: str, unknown: float, kind: type[_Number]) -> NDArray[_Number]:
        """Numbers of a column; `unknown` for an empty cell."""
        texts = self._columns[column]
        empty = np.array([not text for text in texts], dtype=np.bool_)
        self._columns[column] = [text or "0" for text in texts]
        values = np.array(self.numbers(column), dtype=kind)
        values[empty] = unknown
        return values

    def flags(self) -> NDArray[np.bool_]:
        texts = self._columns["reproducible"]
        for at, text in enumerate(texts):
            if text not in ("0", "1"):
                raise self._refusal("reproducible", at, "0 or 1")
        return np.array([text == "1" for text in texts], dtype=np.bool_)

    def reached(self) -> NDArray[np.int32]:
        texts = self._columns["reached"]
        found = move_numbers(texts)
        if found is None:
            at = next(at for at, text in enumerate(texts) if move_numbers([text]) is None)
            raise self._refusal("reached", at, "a JSON array of 1 to 36 move numbers below 2^31")
        return reached_columns(*found)


# ---- runs


def whole_runs(parts: Iterable[Rows], name: str) -> list[RunGames]:
    """The rows of a file by run, in the order of the file.

    Raises:
        InvalidInput: there is no game, a game is repeated, or a run cannot be read.
    """
    keys: dict[tuple[str, ...], int] = {}
    abouts: list[RunAbout] = []
    kept: list[tuple[Rows, NDArray[np.int64]]] = []
    for rows in parts:
        codes = _codes(rows, keys, abouts)
        kept.append((replace(rows, texts={}), codes))  # texts of all rows need too much memory
    if not abouts:
        raise InvalidInput(f"expected at least one game, got none in {name}")
    return [_run(kept, number, about) for number, about in enumerate(abouts)]


def _codes(
    rows: Rows, keys: dict[tuple[str, ...], int], abouts: list[RunAbout]
) -> NDArray[np.int64]:
    """The run number of each row; new runs are appended to `abouts`."""
    told: list[Sequence[Any]] = [rows.texts[column] for column in TEXTS]
    told.append(rows.texts.get("machine", ["{}"] * len(rows.places)))
    told.append(rows.texts.get("boards", [""] * len(rows.places)))
    told.append(rows.reproducible.tolist())
    seen: dict[tuple[Any, ...], int] = {}
    codes = np.empty(len(rows.places), dtype=np.int64)
    for at, about in enumerate(zip(*told, strict=True)):
        if about not in seen:
            checked = _checked_about(rows, at, about)
            key = (checked.spec, checked.rules, checked.signature, checked.boards)
            seen[about] = keys.setdefault(key, len(keys))
            abouts += [checked] * (len(keys) > len(abouts))
        codes[at] = seen[about]
    return codes


def _checked_about(rows: Rows, at: int, about: tuple[Any, ...]) -> RunAbout:
    """The run of a row, with the rules in their canonical form."""
    cells = RowCells(_ABOUT, about, f"{rows.what} {rows.places[at]} of {rows.name}")
    facts = run_facts(cells)
    rules = str(Rules.parse(facts["rules"]))
    return RunAbout(**facts | {"rules": rules}, reproducible=about[-1])


def _run(kept: Sequence[tuple[Rows, NDArray[np.int64]]], number: int, about: RunAbout) -> RunGames:
    parts = [(rows, np.flatnonzero(codes == number)) for rows, codes in kept]
    games = GameColumns.joined([rows.games.where(places) for rows, places in parts])
    _check_once(parts, games.seeds)
    return RunGames(about, games)


def _check_once(parts: Sequence[tuple[Rows, NDArray[np.int64]]], seeds: NDArray[np.uint64]) -> None:
    order = np.argsort(seeds, kind="stable")
    again = np.flatnonzero(seeds[order][1:] == seeds[order][:-1])
    if again.size:
        at = int(order[again + 1].min())
        lines = [rows.places[row] for rows, places in parts for row in places.tolist()]
        rows = parts[0][0]
        raise InvalidInput(
            f"expected each seed of a run once, got {seeds[at]} again in {rows.what} "
            f"{lines[at]} of {rows.name}"
        )
