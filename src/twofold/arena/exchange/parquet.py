"""Games as Parquet: seeds as uint64, `reached` as list<int32>, texts as dictionaries.

PyArrow is an optional extra without types; its module is passed on, or imported when used.
"""

import io
import json
import os
from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.arena.exchange.parquet_pages import check_pages, read_footer
from twofold.arena.exchange.rows import COLUMNS, REQUIRED, TEXTS, Rows, nanoseconds
from twofold.arena.game_checks import TIMES
from twofold.arena.games import NEVER, UNKNOWN, GameColumns, reached_columns
from twofold.arena.reports.drawings import require_report
from twofold.arena.studies.rows import StoredRun
from twofold.errors import InvalidInput
from twofold.files import open_regular
from twofold.limits import MAX_EXPONENT, MAX_GAMES
from twofold.memory import check_memory
from twofold.notation import shown

_CHUNK: Final = 50_000
"""Number of games read at a time."""

_LISTS: Final = "reached"
"""The column that holds lists."""

_LEAST_ROW_BYTES: Final = 2
"""Smallest size of a game in a file, in bytes: its seed, score and time are distinct."""

_ROW_BYTES: Final = 300
"""Memory for a game while a file is read, in bytes."""


class _Sink(io.RawIOBase):
    """A file whose content can be taken while it is written."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        self._size += len(self._parts[-1])
        return len(self._parts[-1])

    def tell(self) -> int:
        return self._size

    def take(self) -> list[bytes]:
        parts, self._parts = self._parts, []
        return parts


def parts(runs: Iterable[tuple[StoredRun, GameColumns]]) -> Iterator[bytes]:
    """The file in parts."""
    pa, pq = require_report("pyarrow"), require_report("pyarrow.parquet")
    sink, schema = _Sink(), _schema(pa)
    with pq.ParquetWriter(sink, schema, compression="zstd") as writer:
        for run, games in runs:
            writer.write_batch(_batch(pa, schema, run, games))
            yield from sink.take()
    yield from sink.take()


def _schema(pa: Any) -> Any:
    text = pa.dictionary(pa.int32(), pa.string())
    types = dict.fromkeys((*TEXTS, "boards"), text) | {
        "reproducible": pa.bool_(),
        "seed": pa.uint64(),
    }
    types |= {"reached": pa.list_(pa.int32())}
    fields = [(name, types.get(name, pa.int64())) for name in COLUMNS]
    return pa.schema([*fields, ("machine", text)])


def _batch(pa: Any, schema: Any, run: StoredRun, games: GameColumns) -> Any:
    count, reached = len(games), games.reached
    there = reached != NEVER
    ends = np.concatenate([[0], there.sum(axis=1).cumsum()]).astype(np.int32)
    texts = [run.spec, run.player, run.rules, run.signature, run.twofold]
    codes = pa.array(np.zeros(count, dtype=np.int32))
    same = [pa.DictionaryArray.from_arrays(codes, pa.array([text])) for text in texts]
    machine = pa.array([json.dumps(run.machine, sort_keys=True)])
    times = [pa.array(nanoseconds(games.seconds))]
    for column in (0, 1):
        unknown = np.isnan(games.move_seconds[:, column])
        times.append(pa.array(nanoseconds(games.move_seconds[:, column]), mask=unknown))
    return pa.RecordBatch.from_arrays(
        [
            *same,
            pa.array(np.full(count, run.reproducible)),
            pa.array(games.seeds),
            pa.array(games.scores),
            pa.array(games.moves),
            pa.array(games.max_tiles),
            pa.ListArray.from_arrays(ends, pa.array(reached[there])),
            *times,
            pa.DictionaryArray.from_arrays(codes, pa.array([run.boards])),
            pa.array(games.tile_sums, mask=games.tile_sums == UNKNOWN),
            pa.DictionaryArray.from_arrays(codes, machine),
        ],
        schema=schema,
    )


# ---- import


def rows(path: str | os.PathLike[str], name: str) -> Iterator[Rows]:
    """The rows of a Parquet file in chunks; an error names the row, from 1.

    Raises:
        InvalidInput: the file is not one that `parts` writes.
        MissingExtra: PyArrow is not installed.
    """
    pa, pq = require_report("pyarrow"), require_report("pyarrow.parquet")
    first, wanted = 1, _schema(pa)
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            footer = read_footer(file, size)
            found = pq.read_metadata(file)
            _check_rows(found.num_rows, size, name)
            columns = _columns(found.schema, wanted.names, name)
            check_pages(file, footer, columns, _LISTS)
            flat = [column for column in columns if column != _LISTS]  # each text is stored once
            source = pq.ParquetFile(file, metadata=found, read_dictionary=flat, pre_buffer=False)
            for batch in source.iter_batches(_CHUNK, columns=columns):
                batch.validate(full=True)  # PyArrow checks neither codes nor texts before
                yield _rows(pa, batch, first, name)
                first += batch.num_rows
    except InvalidInput:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise InvalidInput(f"expected a valid Parquet file, got {name}: {shown(reason)}") from None


def _columns(schema: Any, wanted: list[str], name: str) -> list[str]:
    """The columns to read."""
    there = [schema.column(place).path.partition(".")[0] for place in range(len(schema))]
    found = [column for column in wanted if column in there]
    if not set(REQUIRED) <= set(found) or any(there.count(column) > 1 for column in found):
        raise InvalidInput(
            f"expected each of the columns {', '.join(REQUIRED)} once in {name}, "
            f"got {shown(', '.join(there))}"
        )
    return found


def _check_rows(rows: int, size: int, name: str) -> None:
    """Refuse more rows than fit into memory; compression makes them small in the file."""
    if rows > MAX_GAMES:
        raise InvalidInput(f"expected at most {MAX_GAMES:,} games, got {rows:,} in {name}")
    if rows * _LEAST_ROW_BYTES > size:
        raise InvalidInput(
            f"expected at least {_LEAST_ROW_BYTES} bytes for each game, "
            f"got {rows:,} games in {size:,} bytes in {name}"
        )
    check_memory(rows * _ROW_BYTES, f"the games in {name}")


def _rows(pa: Any, batch: Any, first: int, name: str) -> Rows:
    places = range(first, first + batch.num_rows)
    columns: dict[str, Any] = {}
    for column in batch.schema.names:
        array = batch.column(column)
        optional = column in ("move_median", "move_99th", "tile_sum")
        if array.null_count and not optional:
            row = places[int(np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False))[0])]
            raise InvalidInput(f"expected {column} in row {row} of {name}, got nothing")
        kind = _schema(pa).field(column).type
        is_text = pa.types.is_dictionary(kind)
        try:
            columns[column] = _texts(pa, array) if is_text else array.cast(kind)
        except pa.ArrowException:
            rows = f"rows {places[0]} to {places[-1]} of {name}"
            raise InvalidInput(
                f"expected {column} of type {kind} in {rows}, got {shown(str(array.type))}"
            ) from None
    lists = columns.pop(_LISTS)
    values, lengths = lists.flatten(), lists.value_lengths().to_numpy(zero_copy_only=False)
    if values.null_count:
        raise InvalidInput(
            f"expected numbers in reached in rows {places[0]} to {places[-1]} of {name}, "
            "got nothing in one"
        )
    _check_lengths(lengths, places, name)
    texts: dict[str, list[str]] = {
        one: columns.pop(one) for one in (*TEXTS, "machine", "boards") if one in columns
    }
    sums = columns.pop("tile_sum", None)
    flat = {one: array.to_numpy(zero_copy_only=False) for one, array in columns.items()}
    return Rows(
        name=name,
        what="row",
        places=places,
        texts=texts,
        reproducible=flat["reproducible"].astype(np.bool_),
        games=GameColumns(
            seeds=flat["seed"],
            scores=flat["score"],
            moves=flat["moves"],
            max_tiles=flat["max_tile"],
            reached=reached_columns(values.to_numpy(), lengths),
            seconds=flat[TIMES[0]] / 1e9,
            move_seconds=np.stack([flat[one] for one in TIMES[1:]], axis=1) / 1e9,
            tile_sums=_sums(sums, len(places)),
        ),
    )


def _sums(column: Any, rows: int) -> NDArray[np.int64]:
    """Tile sums; UNKNOWN for empty cells or without the column."""
    if column is None:
        return np.full(rows, UNKNOWN, dtype=np.int64)
    found: NDArray[np.int64] = column.fill_null(UNKNOWN).to_numpy(zero_copy_only=False)
    return found


def _texts(pa: Any, array: Any) -> list[str]:
    """A text for each row; equal texts share one object."""
    whole = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    words = whole.dictionary.cast(pa.string()).to_pylist()
    return [words[code] for code in whole.indices.to_pylist()]


def _check_lengths(lengths: NDArray[Any], places: range, name: str) -> None:
    wrong = np.flatnonzero(lengths > MAX_EXPONENT + 1)
    if wrong.size:
        raise InvalidInput(
            f"expected at most {MAX_EXPONENT + 1} numbers in reached in row {places[wrong[0]]} "
            f"of {name}, got {lengths[wrong[0]]}"
        )
