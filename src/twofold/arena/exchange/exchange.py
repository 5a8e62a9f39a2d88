"""Exports the games of a study to CSV or Parquet, and imports them.

One row a game: first the columns of its run, then those of the game, named as in a study; see
`docs/reference/studies.md`.
"""

import itertools
import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.arena.boards import StartBoards, boards_file, read_boards
from twofold.arena.exchange import csv_form as exchange_csv
from twofold.arena.exchange import parquet as exchange_parquet
from twofold.arena.exchange.rows import Rows, RunAbout, RunGames, whole_runs
from twofold.arena.game_checks import check_games
from twofold.arena.games import GameColumns
from twofold.arena.reports.drawings import require_report
from twofold.arena.studies.rows import StoredRun
from twofold.arena.studies.study import Study
from twofold.errors import InvalidBoard, InvalidInput
from twofold.files import atomic_write, file_name, new_file, read_start
from twofold.limits import MAX_GAMES, MAX_SEED
from twofold.notation import shown
from twofold.records.json_lines import write_records
from twofold.rules import Rules
from twofold.seeds import SeedRange

_CHUNK: Final = 50_000
"""Number of games written at a time."""

_STRETCHES: Final = 100
"""Limit of the seed ranges of a run that an import stores as its plan."""

_PARQUET: Final = b"PAR1"
"""The first bytes of a Parquet file."""


# ---- export


def csv_parts(study: Study) -> Iterator[bytes]:
    """All games of a study as a CSV file, in parts.

    It is UTF-8 with a header, and its lines end with a line feed. Seeds are in decimal, `reached`
    is JSON, an unknown time is empty. Without a finished game it raises InvalidInput.
    """
    return exchange_csv.parts(_parts(study))


def export_parquet(study: Study, path: str | os.PathLike[str]) -> None:
    """Write all games of a study as Parquet: seeds as uint64, `reached` as list<int32>.

    It has one column more than CSV, `machine`, as JSON. It raises as `csv_parts` does, and
    MissingExtra without PyArrow.
    """
    require_report("pyarrow.parquet")
    atomic_write(path, exchange_parquet.parts(_parts(study)))


def export_records(study: Study, path: str | os.PathLike[str]) -> None:
    """Write the records of a study as JSON Lines; InvalidInput if it has none."""
    records = study.records()
    first = next(records, None)
    if first is None:
        raise InvalidInput(
            f"expected a study made with bench --records, got {study.name} without records"
        )
    write_records(path, itertools.chain([first], records))


def export_boards(
    study: Study, folder: str | os.PathLike[str], *, force: bool = False
) -> list[Path]:
    """Write the boards on which the games of a study begin, a text file for each set of boards.

    The files, such as `folder/0123456789abcdef.txt`, are named by the hash of the boards, since
    names in a study are not trusted. A missing folder, a link of that name, a study without boards
    and, without `force`, files with other boards are refused.
    """
    place = Path(file_name(folder))
    if not place.is_dir():
        raise InvalidInput(f"expected an existing folder, got {shown(str(place))}")
    found = {run.boards: study.boards_of(run) for run in study.runs() if run.boards}
    if not found:
        raise InvalidInput(f"expected a study with games from boards, got {study.name} without any")
    sets = [boards for boards in found.values() if boards is not None]
    paths = [place / boards_file(boards) for boards in sets]
    for path in paths:
        if path.is_symlink():
            raise InvalidInput(f"expected a regular file, got the link {str(path)!a}")
    for path, boards in zip(paths, sets, strict=True):
        new_file(path, force=force, continued=partial(_check_boards, boards))
    for path, boards in zip(paths, sets, strict=True):
        atomic_write(path, f"# {boards.name}\n{boards.text}")
    return paths


def _check_boards(boards: StartBoards, path: Path) -> None:
    """Refuse a file that is not the boards below a line with their name."""
    if path.read_bytes().partition(b"\n")[2] != boards.text.encode():
        raise InvalidInput(f"expected the boards {boards.hash}, got others in {shown(str(path))}")


def _parts(study: Study) -> Iterator[tuple[StoredRun, GameColumns]]:
    found = False
    for run in study.runs():
        study.boards_of(run)
        games = study.all_games(run.run)
        for start in range(0, len(games), _CHUNK):
            found = True
            yield run, games.where(slice(start, start + _CHUNK))
    if not found:
        raise InvalidInput(f"expected a study with finished games, got {study.name} without any")


# ---- import


def read_games(path: str | os.PathLike[str]) -> list[RunGames]:
    """The games of an exported CSV or Parquet file, by run; its first bytes tell the format.

    Raises:
        InvalidInput: the file is invalid; the message names line or row.
        MissingExtra: it is Parquet, and PyArrow is not installed.
    """
    is_parquet = read_start(path, len(_PARQUET)) == _PARQUET
    name = shown(file_name(path))
    parts = exchange_parquet.rows(path, name) if is_parquet else exchange_csv.rows(path, name)
    return whole_runs(_checked(parts, name), name)


def _checked(parts: Iterator[Rows], name: str) -> Iterator[Rows]:
    count = 0
    for rows in parts:
        count += len(rows.places)
        if count > MAX_GAMES:
            raise InvalidInput(f"expected at most {MAX_GAMES:,} games, got more in {name}")
        check_games(rows.refuse, rows.games)
        yield rows


# ---- storage


def keep(study: Study, runs: list[RunGames], boards: Sequence[str | os.PathLike[str]] = ()) -> int:
    """Add imported games to a study in one transaction; the number of new games.

    Args:
        study: the study, open for writing; its own games stay as they are.
        runs: the games, from `read_games`.
        boards: files of start boards, if the study lacks them.

    Raises:
        InvalidInput: a game contradicts the study. Nothing is written.
    """
    study.flush()
    with study.transaction():
        return sum(_keep_run(study, run, boards) for run in runs)


def _keep_run(study: Study, run: RunGames, boards: Sequence[str | os.PathLike[str]]) -> int:
    about = run.about
    number = study.add_run(
        about.spec,
        about.player,
        about.rules,
        signature=about.signature,
        twofold=about.twofold,
        machine=about.machine,
        reproducible=about.reproducible,
        boards=_start_boards(study, about, boards),
    )
    known = study.all_games(number, reached=False)
    _, ours, theirs = np.intersect1d(known.seeds, run.games.seeds, True, return_indices=True)
    if about.reproducible:
        _check_same(study, run, known, ours, theirs)
    new = np.ones(len(run.games), dtype=np.bool_)
    new[theirs] = False
    study.insert(number, run.games.where(new))
    for seeds in stretches(run.games.seeds):
        study.want(number, seeds)
    return int(np.count_nonzero(new))


def _start_boards(
    study: Study, about: RunAbout, paths: Sequence[str | os.PathLike[str]]
) -> StartBoards | None:
    """The start boards of a run, which a file of games names only by their hash."""
    if not about.boards:
        return None
    found = study.boards(about.boards, about.rules) or _named_boards(about, paths)
    if found is None:
        raise InvalidInput(
            f"the games of {shown(about.player)} begin on the boards {about.boards}, which "
            f"{study.name} does not have. Name their file with --boards; the study that they "
            "are from writes it: twofold report STUDY --write-boards FOLDER"
        )
    return found


def _named_boards(about: RunAbout, paths: Sequence[str | os.PathLike[str]]) -> StartBoards | None:
    """The start boards of a run among some files, which may also hold boards for other rules."""
    refusals = []
    for path in paths:
        try:
            found = read_boards(path, Rules.parse(about.rules))
        except InvalidBoard as error:
            refusals.append(error)
            continue
        if found.hash == about.boards:
            return found
    if refusals:
        raise refusals[0]
    return None


def _check_same(study: Study, run: RunGames, known: GameColumns, ours: Any, theirs: Any) -> None:
    differ = np.zeros(len(ours), dtype=np.bool_)
    for one, two in ((known.scores, run.games.scores), (known.moves, run.games.moves)):
        differ |= one[ours] != two[theirs]
    if differ.any():
        seed = known.seeds[ours[differ][0]]
        raise InvalidInput(
            f"expected the game of {shown(run.about.player)} and seed {seed} as in {study.name}, "
            "got one with other scores or moves"
        )


def stretches(seeds: NDArray[np.uint64]) -> list[SeedRange]:
    """The ranges of consecutive seeds; none if there are too many."""
    ordered = np.sort(seeds)
    starts = np.flatnonzero(np.diff(ordered) != 1) + 1
    if len(starts) >= _STRETCHES:
        return []
    parts = [SeedRange(int(part[0]), len(part)) for part in np.split(ordered, starts)]
    if len(parts) > 1 and parts[0].first == 0 and parts[-1].place(MAX_SEED) == parts[-1].count - 1:
        last = parts.pop()
        parts[0] = SeedRange(last.first, last.count + parts[0].count)
    return parts
