"""Games of a study as CSV or Parquet, and back.

One row a game. The first columns say what the run was, the others have the names that they have
in a study, see `docs/reference/studies.md`.
"""

import itertools
import os
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.arena import exchange_csv, exchange_parquet
from twofold.arena.boards import StartBoards
from twofold.arena.exchange_rows import About, Rows, Run, check_rows, whole_runs
from twofold.arena.games import NEVER, UNKNOWN, Games
from twofold.arena.report import require_report
from twofold.arena.study import StoredRun, Study
from twofold.errors import InvalidInput
from twofold.files import atomic_write, open_regular
from twofold.limits import MAX_GAMES, MAX_SEED
from twofold.notation import shown
from twofold.records import write_records

_CHUNK: Final = 50_000
"""Games that are written at a time."""

_STRETCHES: Final = 100
"""Most stretches of seeds of a run that an import notes as asked for."""

_PARQUET: Final = b"PAR1"
"""The first bytes of a Parquet file."""


# ---- out


def export_csv(study: Study, path: str | os.PathLike[str]) -> None:
    """Write all games of a study as CSV: UTF-8, a header, lines that end with a line feed.

    Seeds are numbers in decimal, `reached` is JSON, an unknown time is empty.

    Raises:
        InvalidInput: the study has no finished game, or the path cannot be written to.
        ResourceError: the file cannot be written.
    """
    atomic_write(path, exchange_csv.parts(_parts(study)))


def export_parquet(study: Study, path: str | os.PathLike[str]) -> None:
    """Write all games of a study as Parquet: seeds as uint64, `reached` as list<int32>.

    It has one column more than CSV, `machine`, as JSON.

    Raises:
        InvalidInput: the study has no finished game, or the path cannot be written to.
        MissingExtra: PyArrow is not installed.
        ResourceError: the file cannot be written.
    """
    require_report("pyarrow.parquet")
    atomic_write(path, exchange_parquet.parts(_parts(study)))


def export_records(study: Study, path: str | os.PathLike[str]) -> None:
    """Write the records that a study kept as JSON Lines, as `twofold.records` reads them.

    Raises:
        InvalidInput: the study kept none, or the path cannot be written to.
        ResourceError: the file cannot be written.
    """
    records = study.records()
    first = next(records, None)
    if first is None:
        raise InvalidInput(
            f"expected a study made with bench --records, got {study.name} without records"
        )
    write_records(path, itertools.chain([first], records))


def _parts(study: Study) -> Iterator[tuple[StoredRun, Games]]:
    """The games of each run, so many at a time; what is written is dropped if there is none."""
    found = False
    for run in study.runs():
        study.boards_of(run)
        games = study.all_games(run.run)
        columns = [getattr(games, field.name) for field in fields(Games)]
        for start in range(0, len(games), _CHUNK):
            found = True
            yield run, Games(*(column[start : start + _CHUNK] for column in columns))
    if not found:
        raise InvalidInput(f"expected a study with finished games, got {study.name} without any")


# ---- in


def import_games(study: Study, path: str | os.PathLike[str]) -> int:
    """Keep the games of a CSV or Parquet file, as it was exported, in a study.

    Args:
        study: the study, open for writing; games that it has already stay as they are.
        path: the file; what it is, its first bytes say.

    Returns:
        How many games are new.

    Raises:
        InvalidInput: the file is not what was expected, named with its line or row, or a game
            contradicts the study. Nothing is written.
        MissingExtra: it is Parquet, and PyArrow is not installed.
        ResourceError: the study cannot be written; nothing is.
    """
    return keep(study, read_games(path))


def read_games(path: str | os.PathLike[str]) -> list[Run]:
    """The games of a CSV or Parquet file, by run.

    Raises:
        InvalidInput: the file is not what was expected; the text names the line or row.
        MissingExtra: it is Parquet, and PyArrow is not installed.
    """
    with open_regular(path) as file:
        is_parquet = file.read(len(_PARQUET)) == _PARQUET
    name = shown(os.fspath(path))
    parts = exchange_parquet.rows(path, name) if is_parquet else exchange_csv.rows(path, name)
    return whole_runs(_checked(parts, name), name)


def _checked(parts: Iterator[Rows], name: str) -> Iterator[Rows]:
    count = 0
    for rows in parts:
        count += len(rows.places)
        if count > MAX_GAMES:
            raise InvalidInput(f"expected at most {MAX_GAMES:,} games, got more in {name}")
        yield check_rows(rows)


# ---- into the study


def keep(study: Study, runs: list[Run]) -> int:
    """Write games that were read, in one transaction.

    Returns:
        How many of them are new.

    Raises:
        InvalidInput: a game contradicts the study, or its player has changed since.
        ResourceError: the study cannot be written. In either case nothing is.
    """
    study.flush()
    with study.transaction():
        return sum(_keep_run(study, run) for run in runs)


def _keep_run(study: Study, run: Run) -> int:
    about = run.about
    number = study.add_run(
        about.spec,
        about.player,
        about.rules,
        signature=about.signature,
        twofold=about.twofold,
        machine=about.machine,
        reproducible=about.reproducible,
        boards=_known_boards(study, about),
    )
    known = study.all_games(number, reached=False)
    _, ours, theirs = np.intersect1d(known.seeds, run.seeds, True, return_indices=True)
    if about.reproducible:
        _check_same(study, run, known, ours, theirs)
    new = np.ones(len(run.seeds), dtype=np.bool_)
    new[theirs] = False
    study.insert(_values(number, run, np.flatnonzero(new)))
    for first, games in stretches(run.seeds):
        study.want(number, first, games)
    return int(np.count_nonzero(new))


def _known_boards(study: Study, about: About) -> StartBoards | None:
    """The boards that games begin on, which such a file names by their hash alone."""
    found = study.boards(about.boards, about.rules) if about.boards else None
    if about.boards and found is None:
        raise InvalidInput(
            f"the games of {shown(about.player)} begin on the boards {about.boards}, which "
            f"{study.name} does not have: first play one game from them there "
            "(twofold bench PLAYER --boards FILE --games 1 --out STUDY)"
        )
    return found


def _check_same(study: Study, run: Run, known: Games, ours: Any, theirs: Any) -> None:
    """The same player, rules and seed give the same game."""
    differ = np.zeros(len(ours), dtype=np.bool_)
    for one, two in ((known.scores, run.scores), (known.moves, run.moves)):
        differ |= one[ours] != two[theirs]
    if differ.any():
        seed = known.seeds[ours[differ][0]]
        raise InvalidInput(
            f"expected the game of {shown(run.about.player)} and seed {seed} as in {study.name}, "
            "got one with other scores or moves"
        )


def _values(number: int, run: Run, wanted: NDArray[np.int64]) -> Iterator[tuple[Any, ...]]:
    for start in range(0, len(wanted), _CHUNK):
        part = wanted[start : start + _CHUNK]
        lengths = (run.reached[part] != NEVER).sum(axis=1).tolist()
        columns = (run.scores, run.moves, run.max_tiles, run.reached, run.times, run.tile_sums)
        rows = (run.seeds[part].tolist(), *(column[part].tolist() for column in columns), lengths)
        for seed, score, moves, tile, reached, times, total, length in zip(*rows, strict=True):
            text = str(reached[:length]).replace(" ", "")
            spent = (None if time != time else round(time) for time in times)
            tiles = None if total == UNKNOWN else total
            yield (number, str(seed), score, moves, tile, text, *spent, None, tiles)


def stretches(seeds: NDArray[np.uint64]) -> list[tuple[int, int]]:
    """First seed and number of each stretch of seeds without a gap; none where there are many."""
    ordered = np.sort(seeds)
    starts = np.flatnonzero(np.diff(ordered) != 1) + 1
    if len(starts) >= _STRETCHES:
        return []
    parts = [(int(part[0]), len(part)) for part in np.split(ordered, starts)]
    if len(parts) > 1 and parts[0][0] == 0 and parts[-1][0] + parts[-1][1] == MAX_SEED + 1:
        first, games = parts.pop()
        parts[0] = (first, games + parts[0][1])
    return parts
