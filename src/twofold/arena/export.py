"""Exports of a study: its games as CSV or Parquet, its records, its start boards.

One row a game: first the columns of its run, then those of the game, named as in a study; see
`docs/reference/studies.md`.
"""

import csv
import io
import itertools
import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from twofold.arena.boards import StartBoards, boards_file
from twofold.arena.games import GameColumns
from twofold.arena.plots import require_report
from twofold.arena.study import Study
from twofold.arena.study_rows import StoredRun
from twofold.errors import InvalidInput
from twofold.game.notation import shown
from twofold.game.record import write_records
from twofold.storage.files import atomic_write, file_name, new_file

_CHUNK: Final = 50_000
"""Number of games converted at a time."""

_TEXTS: Final = ("spec", "player", "rules", "signature", "twofold", "boards", "machine")
"""The columns of text, equal in all games of a run."""


def csv_parts(study: Study) -> Iterator[bytes]:
    """All games of a study as a CSV file, in parts.

    It is UTF-8 with a header, and its lines end with a line feed. Seeds are in decimal, `reached`
    is JSON, an unknown time is empty. Without a finished game it raises InvalidInput.
    """
    for number, columns in enumerate(_parts(study)):
        del columns["machine"]
        columns["reproducible"] = [int(flag) for flag in columns["reproducible"]]
        columns["reached"] = [str(moves).replace(" ", "") for moves in columns["reached"]]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows([] if number else [columns])
        writer.writerows(zip(*columns.values(), strict=True))
        yield text.getvalue().encode()


def export_parquet(study: Study, path: str | os.PathLike[str]) -> None:
    """Write all games of a study as Parquet: seeds as uint64, `reached` as list<int32>.

    It has one column more than CSV, `machine`, as JSON. It raises as `csv_parts` does, and
    MissingExtra without PyArrow.
    """
    pa, parquet = require_report("pyarrow"), require_report("pyarrow.parquet")
    types = dict.fromkeys(_TEXTS, pa.dictionary(pa.int32(), pa.string()))
    types |= {"reproducible": pa.bool_(), "seed": pa.uint64(), "reached": pa.list_(pa.int32())}
    parts = _parts(study)
    first = next(parts)
    schema = pa.schema([(name, types.get(name, pa.int64())) for name in first])
    file = io.BytesIO()
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for columns in itertools.chain([first], parts):
            writer.write_table(pa.table(columns, schema=schema))
    atomic_write(path, file.getbuffer())


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


def _parts(study: Study) -> Iterator[dict[str, list[Any]]]:
    """The games in parts, as lists by column; None for what is unknown."""
    found = False
    for run in study.runs():
        study.boards_of(run)
        games = study.games(run.run)
        for start in range(0, len(games), _CHUNK):
            found = True
            yield _columns(run, games.where(slice(start, start + _CHUNK)))
    if not found:
        raise InvalidInput(f"expected a study with finished games, got {study.name} without any")


def _columns(run: StoredRun, games: GameColumns) -> dict[str, list[Any]]:
    texts: dict[str, Any] = {name: getattr(run, name) for name in (*_TEXTS, "reproducible")}
    texts["machine"] = json.dumps(run.machine, sort_keys=True)
    return {name: [text] * len(games) for name, text in texts.items()} | games.cells("record")
