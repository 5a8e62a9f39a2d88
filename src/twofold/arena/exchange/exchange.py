"""Games of a study as CSV or Parquet, and back.

One row a game. The first columns say what the run was, the others have the names that they have
in a study, see `docs/reference/studies.md`.
"""

import itertools
import os
from collections.abc import Iterator, Sequence
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
from twofold.arena.studies.study import StoredRun, Study
from twofold.errors import InvalidBoard, InvalidInput
from twofold.files import atomic_write, open_regular
from twofold.limits import MAX_GAMES, MAX_SEED
from twofold.notation import shown
from twofold.records.json_lines import write_records
from twofold.rules import Rules
from twofold.seeds import SeedRange

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
    atomic_write(path, csv_parts(study))


def csv_parts(study: Study) -> Iterator[bytes]:
    """The file that `export_csv` writes, part by part; it raises as that does."""
    return exchange_csv.parts(_parts(study))


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
    """Write the records that a study kept as JSON Lines.

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


def export_boards(study: Study, folder: str | os.PathLike[str]) -> list[Path]:
    """Write the boards that the games of a study begin on: a text file for each set of boards.

    A file is named after the hash of its boards: the names in a study are those of a stranger.
    A link of that name is refused: the file it leads to must not change.

    Args:
        study: the study.
        folder: an existing folder.

    Returns:
        The files, such as `folder/0123456789abcdef.txt`.

    Raises:
        InvalidInput: no game of the study begins on a board, or the folder is none, or a link
            is in the place of a file.
        ResourceError: a file cannot be written.
    """
    if not Path(folder).is_dir():
        raise InvalidInput(f"expected an existing folder, got {shown(os.fspath(folder))}")
    found = {run.boards: study.boards_of(run) for run in study.runs() if run.boards}
    if not found:
        raise InvalidInput(f"expected a study with games from boards, got {study.name} without any")
    sets = [boards for boards in found.values() if boards is not None]
    paths = [Path(folder) / boards_file(boards) for boards in sets]
    for path in paths:
        if path.is_symlink():
            raise InvalidInput(f"expected no link in the place of a file, got {str(path)!a}")
    for path, boards in zip(paths, sets, strict=True):
        atomic_write(path, f"# {boards.name}\n{boards.text}")
    return paths


def _parts(study: Study) -> Iterator[tuple[StoredRun, GameColumns]]:
    """The games of each run, so many at a time; what is written is dropped if there is none."""
    found = False
    for run in study.runs():
        study.boards_of(run)
        games = study.all_games(run.run)
        for start in range(0, len(games), _CHUNK):
            found = True
            yield run, games.where(slice(start, start + _CHUNK))
    if not found:
        raise InvalidInput(f"expected a study with finished games, got {study.name} without any")


# ---- in


def import_games(
    study: Study,
    path: str | os.PathLike[str],
    boards: Sequence[str | os.PathLike[str]] = (),
) -> int:
    """Keep the games of a CSV or Parquet file, as it was exported, in a study.

    Args:
        study: the study, open for writing; games that it has already stay as they are.
        path: the file; what it is, its first bytes say.
        boards: files of boards that games begin on, for a study that does not have them.

    Returns:
        How many games are new.

    Raises:
        InvalidInput: the file is not what was expected, named with its line or row, or a game
            contradicts the study. Nothing is written.
        MissingExtra: it is Parquet, and PyArrow is not installed.
        ResourceError: the study cannot be written; nothing is.
    """
    return keep(study, read_games(path), boards)


def read_games(path: str | os.PathLike[str]) -> list[RunGames]:
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
        check_games(rows.refuse, rows.games)
        yield rows


# ---- into the study


def keep(study: Study, runs: list[RunGames], boards: Sequence[str | os.PathLike[str]] = ()) -> int:
    """Write games that were read, in one transaction.

    Args:
        study: the study, open for writing.
        runs: the games.
        boards: see `import_games`.

    Returns:
        How many of them are new.

    Raises:
        InvalidInput: a game contradicts the study, or its player has changed since.
        ResourceError: the study cannot be written. In either case nothing is.
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
    """The boards that games begin on, which a file of games names by their hash alone."""
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
    """The boards of a run among those of some files; files for other rules may be among them."""
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
    """The same player, rules and seed give the same game."""
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
    """The stretches of seeds without a gap; none where there are many."""
    ordered = np.sort(seeds)
    starts = np.flatnonzero(np.diff(ordered) != 1) + 1
    if len(starts) >= _STRETCHES:
        return []
    parts = [SeedRange(int(part[0]), len(part)) for part in np.split(ordered, starts)]
    if len(parts) > 1 and parts[0].first == 0 and parts[-1].place(MAX_SEED) == parts[-1].count - 1:
        last = parts.pop()
        parts[0] = SeedRange(last.first, last.count + parts[0].count)
    return parts
