"""The games of a study as a CSV file."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from twofold.arena.exchange.exchange import csv_parts
from twofold.arena.studies.study import Study
from twofold.errors import InvalidInput
from twofold.notation import printable, shown
from twofold.web.lab.files import LabFile, named
from twofold.web.lab.laboratory import PATIENCE, QUERY_SECONDS, SUFFIX

IN_MEMORY: Final = 4 * 2**20
"""Bytes of a file to hold in memory; a larger one is written to disk."""

CHUNK: Final = 2**18
"""Bytes sent at a time."""


def games_csv(folder: Path, name: str) -> tuple[str, IO[bytes]]:
    """A file name, and an open temporary file with all games, as `twofold report --csv` writes it.

    Raises NotThere, or InvalidInput if the study cannot be read or has no finished game.
    """
    found = named(folder, name, SUFFIX)
    file: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  # type: ignore[assignment]
    try:
        _write(found, file)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return f"{found.path.stem}.csv", file


def chunks(file: IO[bytes]) -> Iterator[bytes]:
    """The content of a file, which is then closed."""
    with file:
        while part := file.read(CHUNK):
            yield part


def _write(found: LabFile, file: IO[bytes]) -> None:
    try:
        with Study(found.path, read_only=True, patience=PATIENCE, seconds=QUERY_SECONDS) as study:
            file.writelines(csv_parts(study))
    except InvalidInput as error:
        words = str(error).replace(shown(str(found.path)), shown(found.name))
        raise type(error)(printable(words)) from None
