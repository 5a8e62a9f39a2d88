"""Games as CSV: UTF-8, a header, lines that end with a line feed."""

import csv
import io
import os
from collections.abc import Iterable, Iterator
from typing import IO, Final

import numpy as np
from numpy.typing import NDArray

from twofold.arena.exchange.rows import COLUMNS, REQUIRED, Rows, columns_of_texts, nanoseconds
from twofold.arena.games import NEVER, UNKNOWN, GameColumns
from twofold.arena.studies.rows import StoredRun
from twofold.errors import InvalidInput
from twofold.files import open_regular
from twofold.notation import shown

_CHUNK: Final = 50_000
"""Number of games read at a time."""

_MAX_ROW: Final = 16_384
"""Largest length of a row: a game has five texts of up to 1,000 characters and 50 numbers."""


def parts(runs: Iterable[tuple[StoredRun, GameColumns]]) -> Iterator[bytes]:
    """The file in parts."""
    yield (",".join(COLUMNS) + "\n").encode()
    for run, games in runs:
        about = _line([run.spec, run.player, run.rules, run.signature, run.twofold])
        about += f",{int(run.reproducible)},"
        yield "".join(f"{about}{line}\n" for line in _lines(games, run.boards)).encode()


class _Lines:
    """The lines of a file, while the rows that they make are not too long.

    `room` is the number of characters that the row may still have; the caller resets it.
    """

    def __init__(self, file: IO[str], name: str) -> None:
        self._file, self._name = file, name
        self._number = 0
        self.room = _MAX_ROW

    def __iter__(self) -> Iterator[str]:
        while line := self._file.readline(self.room + 1):
            self._number += 1
            self.room -= len(line)
            if self.room < 0:
                raise InvalidInput(
                    f"expected a game of at most {_MAX_ROW} characters in line {self._number} of "
                    f"{self._name}, got more"
                )
            yield line


def _line(texts: list[str]) -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator="").writerow(texts)
    return file.getvalue()


def _lines(games: GameColumns, boards: str) -> Iterator[str]:
    lengths = (games.reached != NEVER).sum(axis=1).tolist()
    reached = (
        str(row[:length]).replace(" ", "")
        for row, length in zip(games.reached.tolist(), lengths, strict=True)
    )
    counts = (games.seeds, games.scores, games.moves, games.max_tiles)
    times = (_times(games.move_seconds[:, column]) for column in (0, 1))
    spent = nanoseconds(games.seconds).tolist()
    sums = ("" if total == UNKNOWN else total for total in games.tile_sums.tolist())
    rows = zip(*(count.tolist() for count in counts), reached, spent, *times, sums, strict=True)
    for seed, score, moves, tile, text, time, median, most, total in rows:
        yield f'{seed},{score},{moves},{tile},"{text}",{time},{median},{most},{boards},{total}'


def _times(seconds: NDArray[np.float64]) -> Iterator[int | str]:
    """Nanoseconds; empty if unknown."""
    pairs = zip(nanoseconds(seconds).tolist(), np.isnan(seconds).tolist(), strict=True)
    return ("" if unknown else time for time, unknown in pairs)


def rows(path: str | os.PathLike[str], name: str) -> Iterator[Rows]:
    """The rows of a CSV file in chunks; an error names the line.

    Raises:
        InvalidInput: the file is not one that `parts` writes.
    """
    with open_regular(path) as binary, io.TextIOWrapper(binary, "utf-8", newline="") as file:
        source = _Lines(file, name)
        reader = csv.reader(source, strict=True)
        try:
            header = next(reader, [])
            if header not in (list(COLUMNS), list(REQUIRED)):
                raise InvalidInput(
                    f"expected the header {','.join(COLUMNS)} as line 1 of {name}, "
                    f"got {shown(','.join(header))}"
                )
            found: list[list[str]] = []
            lines: list[int] = []
            for row in reader:
                source.room = _MAX_ROW
                if len(row) != len(header):
                    raise InvalidInput(
                        f"expected {len(header)} cells in line {reader.line_num} of {name}, "
                        f"got {len(row)}"
                    )
                found.append(row)
                lines.append(reader.line_num)
                if len(found) == _CHUNK:
                    yield columns_of_texts(found, lines, name)
                    found, lines = [], []
            yield columns_of_texts(found, lines, name)
        except csv.Error as error:
            raise InvalidInput(
                f"expected CSV in line {reader.line_num} of {name}, got something else: {error}"
            ) from None
        except UnicodeDecodeError:
            raise InvalidInput(
                f"expected text in UTF-8 after line {reader.line_num} of {name}, got other bytes"
            ) from None
