"""Studies: finished games in one SQLite file.

A process may end at any moment: written games stay, and missing games can be played later. The
tables are documented in `docs/reference/studies.md`.
"""

import contextlib
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from twofold.arena.boards import StartBoards
from twofold.arena.games import FIGURES, GameColumns
from twofold.arena.study_file import FEW, StudyFile
from twofold.arena.study_rows import (
    BOARDS,
    FAILURE,
    PLAN,
    RUN,
    StoredRun,
    Wanted,
    failure,
    games_of,
    parse_machine,
    seeds_of,
    start_boards,
    stored_run,
    wanted,
)
from twofold.errors import InvalidInput, TwofoldError
from twofold.game.notation import ALL_SEEDS, SeedRange, parse_spec, shown, split_hashes
from twofold.game.record import Record
from twofold.game.rules import Rules
from twofold.limits import MAX_RUNS

__all__ = ["GameStore", "MemoryStudy", "StoredRun", "Study", "Wanted"]

_MIN_ROW: Final = 8
"""Smallest size of a row in bytes; a damaged tree can seem to hold more rows."""


class Study(StudyFile):
    """A study, opened for reading and, by default, for writing by this process only.

    `name` is the path as errors show it, `file_name` its last part.

    Args:
        path: the file, made if missing; None for a study in memory.
        read_only: True to open it only for reading.
        patience: seconds to wait for a file that another process has locked.
        seconds: longest time of a query without a row.

    Raises:
        InvalidInput: it is not a study, has a later schema, is damaged, or another program
            writes to it.
        ResourceError: it cannot be written.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        """Close; a new study without runs is removed after an error."""
        if error is not None and self._is_new:
            with contextlib.suppress(TwofoldError):
                self._is_refused = not (self.runs() or self._is_gone())
        self.close()

    def close(self) -> None:
        """Write pending games and close the file."""
        with self._stack:
            self.flush()
            self._check_place()

    # ---- runs

    def runs(self) -> list[StoredRun]:
        """All runs, in the order in which they were added."""
        with self._errors():
            rows = itertools.chain.from_iterable(
                self._rows(f"SELECT {RUN} FROM run ORDER BY run", most=FEW)
            )
            found = [stored_run(row, self.name) for row in itertools.islice(rows, MAX_RUNS + 1)]
            self._check_runs(len(found))
            return found

    def _check_runs(self, runs: int) -> None:
        if runs > MAX_RUNS:
            raise InvalidInput(f"expected at most {MAX_RUNS:,} runs in {self.name}, got more")

    def add_run(
        self,
        spec: str,
        player: str,
        rules: str,
        *,
        signature: str,
        twofold: str,
        machine: Mapping[str, Any],
        reproducible: bool,
        boards: StartBoards | None = None,
    ) -> int:
        """The number of a run, added if missing.

        Raises:
            InvalidInput: the study has games of the same player with another file, or too many
                runs, or `machine` has other than plain values.
        """
        about = json.dumps(machine)
        parse_machine(about)
        with self._errors():
            known = self.runs()
            self._refuse_other_files(known, spec, rules)
            found = self._one(
                "SELECT run FROM run WHERE spec = ? AND rules = ? AND signature = ? AND boards = ?",
                (spec, rules, signature, boards.hash if boards else ""),
            )
            if found:
                return int(found[0])
            self._check_runs(len(known) + 1)
            if boards:
                self._connection.execute(
                    f"INSERT OR IGNORE INTO boards ({BOARDS}) VALUES (?, ?, ?)",
                    (boards.hash, boards.name, boards.text),
                )
            now = datetime.now(UTC).isoformat(timespec="seconds")
            texts = (spec, player, rules, signature, twofold, about)
            made = self._connection.execute(
                "INSERT INTO run (spec, player, rules, signature, twofold, machine, reproducible,"
                " created, boards) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*texts, reproducible, now, boards.hash if boards else ""),
            )
            return int(made.lastrowid or 0)

    def mark_not_reproducible(self, run: int) -> None:
        """Note that games of a run depend on more than player, rules and seed."""
        with self._errors():
            self._connection.execute("UPDATE run SET reproducible = 0 WHERE run = ?", (run,))

    def _refuse_other_files(self, runs: Sequence[StoredRun], spec: str, rules: str) -> None:
        """Refuse a player whose network or code file has changed since its earlier runs."""
        others = [known for known in runs if known.rules == rules]
        if not others:
            return
        ours = parse_spec(spec)
        plain, hashes = split_hashes(ours.values)
        for known in others:
            theirs = parse_spec(known.spec)
            if theirs.name != ours.name:
                continue
            other, other_hashes = split_hashes(theirs.values)
            if other == plain and other_hashes != hashes:
                raise InvalidInput(
                    f"expected {shown(known.player)} with {_words(other_hashes)} as in "
                    f"{self.name}, got {_words(hashes)}: the file has changed. Use a new study"
                )

    def boards_of(self, run: StoredRun) -> StartBoards | None:
        """The start boards of a run; None for new games."""
        if not run.boards:
            return None
        with self._errors():
            row = self._one(f"SELECT {BOARDS} FROM boards WHERE hash = ?", (run.boards,))
            if row:
                return start_boards(row, Rules.parse(run.rules), self.name)
        raise InvalidInput(
            f"expected the boards {run.boards} of {self._run_name(run.run)}, got none"
        )

    # ---- plans

    def want(self, run: int, seeds: SeedRange) -> None:
        """Store a request for games, so that a later call can play them."""
        with self._errors():
            self._connection.execute(
                "INSERT INTO plan (run, first_seed, games) VALUES (?, ?, ?) ON CONFLICT"
                " (run, first_seed) DO UPDATE SET games = max(games, excluded.games)",
                (run, str(seeds.first), seeds.count),
            )

    def wanted(self) -> list[Wanted]:
        """All requests, in order."""
        with self._errors():
            rows = self._rows(f"SELECT {PLAN} FROM plan ORDER BY plan", most=FEW)
            return [wanted(row, self.name) for row in itertools.chain.from_iterable(rows)]

    # ---- games

    def add(self, run: int, games: GameColumns) -> None:
        """Add finished games; `flush` writes them."""
        cells = games.cells()
        cells["seed"] = list(map(str, cells["seed"]))
        cells["reached"] = [str(numbers).replace(" ", "") for numbers in cells["reached"]]
        self._pending += zip(itertools.repeat(run), *cells.values())

    def flush(self) -> None:
        """Write the added games in one transaction; after an error they stay pending."""
        if self._pending:
            names = ", ".join(one.column for one in FIGURES.values())
            with self.transaction():
                self._connection.executemany(
                    f"INSERT OR IGNORE INTO game (run, {names}) VALUES (?{', ?' * len(FIGURES)})",
                    self._pending,
                )
            self._pending.clear()

    def fail(self, run: int, seed: int, error: str) -> None:
        """Store the error of a game; the next run plays it again."""
        with self._errors():
            self._connection.execute(
                "INSERT OR REPLACE INTO failure (run, seed, error) VALUES (?, ?, ?)",
                (run, str(seed), error),
            )

    def counts(self) -> dict[int, int]:
        """Numbers of finished games by run; runs without games are left out."""
        query = "SELECT count(*) FROM (SELECT 1 FROM game WHERE run = ? LIMIT ?)"
        counts: dict[int, int] = {}
        with self._errors():
            (pages,), (size,) = self._one("PRAGMA page_count"), self._one("PRAGMA page_size")
            left = pages * size // _MIN_ROW
            for run in self.runs():
                (games,) = self._one(query, (run.run, left + 1))
                left -= games
                if left < 0:
                    raise self._damaged()
                counts[run.run] = games
        return {run: games for run, games in counts.items() if games}

    def failures(self, run: int) -> dict[int, str]:
        """Errors by seed of the games that failed and were not finished later."""
        query = (
            f"SELECT {FAILURE} FROM failure WHERE run = ? AND NOT EXISTS (SELECT 1 FROM game"
            " WHERE game.run = failure.run AND game.seed = failure.seed) ORDER BY seed"
        )
        with self._errors():
            rows = itertools.chain.from_iterable(self._rows(query, (run,), most=FEW))
            return dict(failure(row, self._run_name(run)) for row in rows)

    def _run_name(self, run: int) -> str:
        return f"run {run} of {self.name}"

    def missing(self, run: int, seeds: SeedRange) -> list[SeedRange]:
        """The seeds without a finished game, in order."""
        self.flush()
        return _gaps(seeds, self._seeds(run))

    def _seeds(self, run: int) -> NDArray[np.uint64]:
        name = self._run_name(run)
        with self._errors():
            chunks = self._rows("SELECT seed FROM game WHERE run = ? ORDER BY seed", (run,))
            parts = [seeds_of(rows, name) for rows in chunks]
        return np.concatenate([seeds_of([], name), *parts])

    def all_games(self, run: int, *, reached: bool = True) -> GameColumns:
        """All finished games of a run, in the order of the seeds."""
        return self.games(run, ALL_SEEDS, reached=reached)

    def games(self, run: int, seeds: SeedRange, *, reached: bool = True) -> GameColumns:
        """The finished games of a run, in the order of `seeds`.

        `reached=False` leaves out the column `reached`, which takes most of the time.
        """
        self.flush()
        left_out = {"record"} if reached else {"record", "reached"}
        columns = [one.column for one in FIGURES.values() if one.column not in left_out]
        query = f"SELECT {', '.join(columns)} FROM game WHERE run = ? ORDER BY seed"
        name = self._run_name(run)
        with self._errors():
            parts = [games_of(columns, rows, seeds, name) for rows in self._rows(query, (run,))]
        return _ordered(GameColumns.joined(parts or [games_of(columns, [], seeds, name)]), seeds)

    def records(self) -> Iterator[Record]:
        """All stored records, run by run; an invalid one raises InvalidInput with run and seed."""
        self.flush()
        query = (
            "SELECT run, seed, record FROM game WHERE record IS NOT NULL AND run = ? ORDER BY seed"
        )
        for run in self.runs():
            with self._errors():
                chunks = self._rows(query, (run.run,), key=1, most=FEW)
                for _, seed, text in itertools.chain.from_iterable(chunks):
                    yield self._record(text, f"seed {shown(seed)} in {self._run_name(run.run)}")

    def _record(self, text: object, where: str) -> Record:
        if not isinstance(text, str):
            raise InvalidInput(f"expected a record, got {shown(text)} in the game of {where}")
        try:
            return Record.parse(text)
        except InvalidInput as error:
            raise type(error)(f"{error}, in the game of {where}") from None


class MemoryStudy:
    """The games of a bench in memory alone; has the methods of `Study` that a bench calls."""

    name = "memory"

    def __init__(self) -> None:
        self._runs: list[StoredRun] = []
        self._games: dict[int, list[GameColumns]] = {}
        self._failures: dict[int, dict[int, str]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def runs(self) -> list[StoredRun]:
        """All runs, in the order in which they were added."""
        return list(self._runs)

    def add_run(
        self, spec: str, player: str, rules: str, *, boards: StartBoards | None = None, **about: Any
    ) -> int:
        """The number of a run, added if missing."""
        home = (spec, rules, boards.hash if boards else "")
        for known in self._runs:
            if (known.spec, known.rules, known.boards) == home:
                return known.run
        number, now = len(self._runs) + 1, datetime.now(UTC).isoformat(timespec="seconds")
        self._runs.append(
            StoredRun(number, spec, player, rules, created=now, boards=home[-1], **about)
        )
        return number

    def mark_not_reproducible(self, run: int) -> None:
        """Note that games of a run depend on more than player, rules and seed."""
        self._runs[run - 1] = msgspec.structs.replace(self._runs[run - 1], reproducible=False)

    def want(self, run: int, seeds: SeedRange) -> None:
        """Nothing: no later call continues it."""

    def wanted(self) -> list[Wanted]:
        """No requests."""
        return []

    def add(self, run: int, games: GameColumns) -> None:
        """Add finished games."""
        self._games.setdefault(run, []).append(games)

    def flush(self) -> None:
        """Nothing: there is no file."""

    def fail(self, run: int, seed: int, error: str) -> None:
        """Keep the error of a game."""
        self._failures.setdefault(run, {})[seed] = error

    def failures(self, run: int) -> dict[int, str]:
        """Errors by seed of the games that failed and were not finished later."""
        finished = set(self.games(run, ALL_SEEDS).seeds.tolist())
        failures = self._failures.get(run, {})
        return {seed: error for seed, error in failures.items() if seed not in finished}

    def missing(self, run: int, seeds: SeedRange) -> list[SeedRange]:
        """The seeds without a finished game, in order."""
        return _gaps(seeds, self.games(run, seeds).seeds)

    def games(self, run: int, seeds: SeedRange, *, reached: bool = True) -> GameColumns:
        """The finished games of a run, in the order of `seeds`; they always have `reached`."""
        games = GameColumns.joined(self._games.get(run, ()))
        _, firsts = np.unique(games.seeds, return_index=True)  # a player may be named twice
        games = games.where(firsts)
        return _ordered(games.where(seeds.holds(games.seeds)), seeds)


GameStore = Study | MemoryStudy
"""Where a bench keeps its games."""


def _gaps(seeds: SeedRange, finished: NDArray[np.uint64]) -> list[SeedRange]:
    there, places = np.zeros(seeds.count, dtype=np.bool_), seeds.places(finished)
    there[places[places < seeds.count]] = True
    edges = np.flatnonzero(np.diff(there, prepend=True, append=True)).reshape(-1, 2)
    return [seeds.part(start, end) for start, end in edges.tolist()]


def _ordered(games: GameColumns, seeds: SeedRange) -> GameColumns:
    return games.where(np.argsort(seeds.places(games.seeds), kind="stable"))


def _words(hashes: dict[str, str]) -> str:
    return ", ".join(f"{key}={text}" for key, text in hashes.items()) or "no hash of a file"
