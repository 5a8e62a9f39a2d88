"""Games as Parquet: seeds as uint64, `reached` as list<int32>, texts as dictionaries.

PyArrow has no types and is an extra: its module is an argument, or asked for where it is used.
"""

import io
import json
import os
from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.arena.exchange_rows import COLUMNS, TEXTS, Rows, nanoseconds
from twofold.arena.games import NEVER, Games
from twofold.arena.report import require_report
from twofold.arena.study import StoredRun
from twofold.errors import InvalidInput
from twofold.limits import MAX_EXPONENT
from twofold.notation import shown

_CHUNK: Final = 50_000
"""Games that are read at a time."""


class _Sink(io.RawIOBase):
    """A file whose content is taken away as it grows."""

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


def parts(runs: Iterable[tuple[StoredRun, Games]]) -> Iterator[bytes]:
    """The file, part by part."""
    pa, pq = require_report("pyarrow"), require_report("pyarrow.parquet")
    sink, schema = _Sink(), _schema(pa)
    with pq.ParquetWriter(sink, schema, compression="zstd") as writer:
        for run, games in runs:
            writer.write_batch(_batch(pa, schema, run, games))
            yield from sink.take()
    yield from sink.take()


def _schema(pa: Any) -> Any:
    text = pa.dictionary(pa.int32(), pa.string())
    types = dict.fromkeys(TEXTS, text) | {"reproducible": pa.bool_(), "seed": pa.uint64()}
    types |= {"reached": pa.list_(pa.int32())}
    fields = [(name, types.get(name, pa.int64())) for name in COLUMNS]
    return pa.schema([*fields, ("machine", text)])


def _batch(pa: Any, schema: Any, run: StoredRun, games: Games) -> Any:
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
            pa.DictionaryArray.from_arrays(codes, machine),
        ],
        schema=schema,
    )


# ---- in


def rows(path: str | os.PathLike[str], name: str) -> Iterator[Rows]:
    """The rows of a Parquet file, so many at a time; an error names the row, from 1.

    Raises:
        InvalidInput: it is not what `parts` writes.
        MissingExtra: PyArrow is not installed.
    """
    pa, pq = require_report("pyarrow"), require_report("pyarrow.parquet")
    first, wanted = 1, _schema(pa)
    try:
        with pq.ParquetFile(path) as file:
            there = file.schema_arrow.names
            lacking = [column for column in COLUMNS if column not in there]
            if lacking or len(set(there)) < len(there):
                raise InvalidInput(
                    f"expected each of the columns {', '.join(COLUMNS)} once in {name}, "
                    f"got {shown(', '.join(there))}"
                )
            columns = [column for column in wanted.names if column in there]
            for batch in file.iter_batches(_CHUNK, columns=columns):
                yield _rows(pa, batch, first, name)
                first += batch.num_rows
    except InvalidInput:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise InvalidInput(f"expected a sound Parquet file, got {name}: {shown(reason)}") from None


def _rows(pa: Any, batch: Any, first: int, name: str) -> Rows:
    places = range(first, first + batch.num_rows)
    columns = {}
    for column in batch.schema.names:
        array = batch.column(column)
        optional = column in ("move_median", "move_99th")
        if array.null_count and not optional:
            row = places[int(np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False))[0])]
            raise InvalidInput(f"expected {column} in row {row} of {name}, got nothing")
        kind = _schema(pa).field(column).type
        kind = pa.string() if pa.types.is_dictionary(kind) else kind
        try:
            columns[column] = array.cast(kind)
        except pa.ArrowException:
            rows = f"rows {places[0]} to {places[-1]} of {name}"
            raise InvalidInput(
                f"expected {column} of type {kind} in {rows}, got {shown(str(array.type))}"
            ) from None
    lists = columns["reached"]
    values, lengths = lists.flatten(), lists.value_lengths().to_numpy(zero_copy_only=False)
    if values.null_count:
        raise InvalidInput(
            f"expected numbers in reached in rows {places[0]} to {places[-1]} of {name}, "
            "got nothing in one"
        )
    _check_lengths(lengths, places, name)
    reached = np.full((len(places), MAX_EXPONENT + 1), NEVER, dtype=np.int32)
    reached[np.arange(MAX_EXPONENT + 1) < lengths[:, None]] = values.to_numpy()
    flat = {one: columns[one].to_numpy(zero_copy_only=False) for one in COLUMNS if one != "reached"}
    texts = {one: columns[one].to_pylist() for one in (*TEXTS, "machine") if one in columns}
    return Rows(
        name=name,
        what="row",
        places=list(places),
        texts=texts,
        reproducible=flat["reproducible"].astype(np.bool_),
        seeds=flat["seed"],
        scores=flat["score"],
        moves=flat["moves"],
        max_tiles=flat["max_tile"],
        reached=reached,
        lengths=lengths.astype(np.int64),
        times=np.stack(
            [flat[one].astype(np.float64) for one in ("nanoseconds", "move_median", "move_99th")],
            axis=1,
        ),
    )


def _check_lengths(lengths: NDArray[Any], places: range, name: str) -> None:
    wrong = np.flatnonzero(lengths > MAX_EXPONENT + 1)
    if wrong.size:
        raise InvalidInput(
            f"expected at most {MAX_EXPONENT + 1} numbers in reached in row {places[wrong[0]]} "
            f"of {name}, got {lengths[wrong[0]]}"
        )
