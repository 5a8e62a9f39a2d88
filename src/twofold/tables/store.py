"""The layers of a solution: in memory, in a table's file, and in parts beside it while it is made.

The folder `FILE.work` beside the table's file lets an interrupted solution continue. Layers that
are saved there are memory-mapped from then on and take no memory.

A table and each part is a safetensors file of these tensors, see `twofold.storage.arrays`:

    layers    U64 (layers, 4)   sum of the tiles, number of states, CRC-32 of their keys, and of
                                their values; the sums count up by the smallest spawn tile
    keys      U32 or U64 (n,)   the states, layer by layer, ascending in each
    values    F64 (n,)          their values, in the same order

and these texts: `twofold_table`, the version of the format; `rules`; `objective`; `part`: `table`
for both keys and values, or the name of the only one in the file.
"""

import contextlib
import hashlib
import itertools
import os
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidInput, InvalidTable, ResourceError
from twofold.game.notation import shown
from twofold.storage.arrays import Stacked, TensorFile, checksum, lies_flat, write_tensors
from twofold.storage.files import work_folder
from twofold.storage.memory import load
from twofold.tables.parts import opened_table, remove_parts
from twofold.tables.problem import Problem

VERSION: Final = "1"
"""Version of the format; it rises when the format changes."""

SUM, STATES, KEYS_CRC, VALUES_CRC = range(4)
"""Columns of `layers`."""

_VERSION_KEY: Final = "twofold_table"


@dataclass(frozen=True, slots=True)
class Layers:
    """The contents of a file; raises `InvalidTable` if they do not fit each other.

    `part` is `table` for keys and values, `keys` or `values` for only one; the other is empty.
    `index` is uint64 (layers, 4), see the module; `firsts` is uint64, the number of the first state
    of each layer, then the number of states.
    """

    problem: Problem
    index: NDArray[np.uint64]
    keys: NDArray[Any]
    values: NDArray[np.float64]
    part: str = "table"
    firsts: NDArray[np.uint64] = field(init=False)

    def __post_init__(self) -> None:
        _check_index(self.index, self.problem)
        _check_states(self)
        firsts = np.zeros(len(self.index) + 1, dtype=np.uint64)
        np.cumsum(self.index[:, STATES], out=firsts[1:])
        firsts.flags.writeable = False
        object.__setattr__(self, "firsts", firsts)

    @property
    def digest(self) -> str:
        """Hash of the rules and checksums, 16 hexadecimal digits."""
        text = f"{VERSION} {self.problem.rules} {self.problem.objective}"
        return hashlib.sha256(text.encode() + self.index.tobytes()).hexdigest()[:16]

    def damage(self) -> str:
        """Describe the damage of the first damaged layer; an empty text if there is none."""
        filled = np.flatnonzero(self.index[:, STATES:].any(axis=1))  # most may be empty
        return next(filter(None, map(self._damage, filled.tolist())), "")

    def _damage(self, layer: int) -> str:
        row = self.index[layer]
        first, last = self.firsts[layer : layer + 2].tolist()
        for name, column, array in (
            ("keys", KEYS_CRC, self.keys),
            ("values", VALUES_CRC, self.values),
        ):
            if len(array) and checksum(array[first:last]) != row[column]:
                return f"wrong {name} of the states with the tile sum {row[SUM]}"
        keys, values = self.keys[first:last], self.values[first:last]
        if not np.all(keys[1:] > keys[:-1]) or not np.all(np.isfinite(values)):
            return f"states with the tile sum {row[SUM]} out of order, or without a value"
        return ""


def write_layers(
    path: str | os.PathLike[str],
    problem: Problem,
    first: int,
    keys: Sequence[NDArray[Any]] | None,
    values: Sequence[NDArray[np.float64]] | None,
) -> None:
    """Write layers to a file in one step; raises `ResourceError`.

    `first` is the sum of the tiles in the first layer, in units; the others follow without gaps.
    Keys and values are given by layer; one of them can be None.
    """
    tensors: dict[str, NDArray[Any] | Stacked] = {"layers": index_of(problem, first, keys, values)}
    if values is not None:
        tensors["values"] = Stacked(values)
    if keys is not None:
        tensors["keys"] = Stacked(keys)
    part = "keys" if values is None else "values" if keys is None else "table"
    texts = {"rules": str(problem.rules), "objective": problem.objective.value, "part": part}
    write_tensors(path, tensors, {_VERSION_KEY: VERSION} | texts)


def index_of(
    problem: Problem,
    first: int,
    keys: Sequence[NDArray[Any]] | None,
    values: Sequence[NDArray[np.float64]] | None,
) -> NDArray[np.uint64]:
    """The index of layers, see the module; the arguments are those of `write_layers`."""
    sizes = [len(part) for part in keys or values or ()]
    index = np.zeros((len(sizes), 4), dtype=np.uint64)
    index[:, SUM] = (first + np.arange(len(index))) << problem.unit_exponent
    index[:, STATES] = sizes
    if keys is not None:
        index[:, KEYS_CRC] = [checksum(part) for part in keys]
    if values is not None:
        index[:, VALUES_CRC] = [checksum(part) for part in values]
    return index


def read_layers(path: str | os.PathLike[str], part: str = "table") -> Layers:
    """Read a file of layers into memory; `Layers.damage` checks its content.

    Raises `InvalidTable` if the file is missing, not a table of this part, or truncated.
    """
    with opened_table(path) as file:
        _layers(file, part, TensorFile.view)  # before anything is read into memory
        return _layers(file, part, load)


def map_layers(path: str | os.PathLike[str], part: str) -> Layers:
    """Memory-map a file of layers that no other program writes; raises `InvalidTable`."""
    with opened_table(path) as file:
        return _layers(file, part, TensorFile.view)


def _layers(file: TensorFile, part: str, take: Callable[[TensorFile, str], NDArray[Any]]) -> Layers:
    texts, name = file.metadata, file.name
    if texts.get(_VERSION_KEY) != VERSION:
        raise InvalidTable(
            f"expected a table of solved boards of version {VERSION}, "
            f"got {shown(texts.get(_VERSION_KEY, 'another kind of file'))} in {name}"
        )
    if texts.get("part") != part:
        raise InvalidTable(f"expected a {part}, got {shown(texts.get('part'))} in {name}")
    expected = {"layers", *(("keys", "values") if part == "table" else (part,))}
    if set(file.tensors) != expected:
        raise InvalidTable(
            f"expected the tensors {', '.join(sorted(expected))}, "
            f"got {shown(', '.join(sorted(file.tensors)))} in {name}"
        )
    try:
        problem = Problem.parse(texts["rules"], texts["objective"])
    except (InvalidInput, KeyError) as error:
        raise InvalidTable(f"expected rules and objective, got {error} in {name}") from None
    arrays = {"keys": np.empty(0, problem.key_type), "values": np.empty(0)}
    arrays |= {key: take(file, key) for key in file.tensors}
    try:
        return Layers(problem, arrays["layers"], arrays["keys"], arrays["values"], part)
    except InvalidTable as error:
        raise InvalidTable(f"{error} in {name}") from None


def _check_index(index: NDArray[np.uint64], problem: Problem) -> None:
    if index.dtype != np.uint64 or index.ndim != 2 or index.shape[1] != 4 or not len(index):
        raise InvalidTable(f"expected layers of 4 columns, got shape {index.shape}")
    first, most = int(index[0, SUM]), problem.max_sum >> problem.unit_exponent
    steps = np.arange(len(index), dtype=np.uint64) << np.uint64(problem.unit_exponent)
    if first > problem.max_sum or not np.array_equal(index[:, SUM], index[0, SUM] + steps):
        raise InvalidTable("expected consecutive tile sums, got others")
    if (first >> problem.unit_exponent) + len(index) - 1 > most:
        raise InvalidTable(
            f"expected layers up to the tile sum {problem.max_sum}, got {len(index)} layers "
            f"from {first} on"
        )


def _check_states(layers: Layers) -> None:
    """Check the arrays against the index: kernels read them by their address."""
    states = sum(layers.index[:, STATES].tolist())  # Python's numbers do not overflow
    for key, array, kind in (
        ("keys", layers.keys, layers.problem.key_type),
        ("values", layers.values, np.dtype(np.float64)),
    ):
        there = layers.part in ("table", key)
        if (array.shape, array.dtype) != ((states if there else 0,), kind):
            raise InvalidTable(
                f"expected {states if there else 'no'} {key} of {kind}, "
                f"got {array.dtype} of shape {array.shape}"
            )
        if not lies_flat(array, kind):
            raise InvalidTable(f"expected contiguous {key}, got a view with gaps")


_PART: Final = re.compile(r"(keys|values)-\d{6,}-\d{6,}")
"""Name of a file of layers in the folder: what it holds, its first layer and its last one."""

INTERVAL: Final = 10.0
"""Seconds between saves."""


class LayerStore:
    """Layers in memory: keys and values by layer, the sum of the tiles in units."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.keys: dict[int, NDArray[Any]] = {}
        self.values: dict[int, NDArray[np.float64]] = {}

    @property
    def states(self) -> int:
        """Number of states so far."""
        return sum(map(len, self.keys.values()))

    @property
    def layers(self) -> list[int]:
        """The layers, ascending, without empty ones at the end."""
        found = sorted(self.keys)
        while len(found) > 1 and not len(self.keys[found[-1]]):
            found.pop()
        return found

    def add_keys(self, layer: int, keys: NDArray[Any]) -> None:
        """Store the states of the next layer; may save."""
        self.keys[layer] = keys
        self._save_in_time()

    def add_values(self, layer: int, values: NDArray[np.float64]) -> None:
        """Store the values of the next lower layer; may save."""
        self.values[layer] = values
        self._save_in_time()

    def _save_in_time(self) -> None:
        """Save if the last time is long ago; no effect in memory."""

    def save(self) -> None:
        """Write new layers to disk; no effect in memory."""

    def _held(self) -> tuple[int, list[NDArray[Any]], list[NDArray[np.float64]]]:
        """The first layer of a solved problem, and the keys and values of all."""
        layers = self.layers
        keys, values = ([part[layer] for layer in layers] for part in (self.keys, self.values))
        return layers[0], keys, values

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the table of a solved problem; raises `ResourceError`."""
        write_layers(path, self.problem, *self._held())

    def table(self) -> Layers:
        """The layers of a solved problem, contiguous in memory."""
        first, keys, values = self._held()
        index = index_of(self.problem, first, keys, values)
        return Layers(self.problem, index, np.concatenate(keys), np.concatenate(values))


class WorkFolder(LayerStore):
    """Layers in memory and in the folder beside `path`, saved every `interval` seconds.

    Raises `InvalidTable` if the folder holds work on another problem, or other files.
    """

    def __init__(
        self, path: str | os.PathLike[str], problem: Problem, interval: float = INTERVAL
    ) -> None:
        super().__init__(problem)
        self.folder, self._path = work_folder(path), Path(path)
        self._interval = interval
        self._saved = time.monotonic()
        self._load()
        self._written = {"keys": set(self.keys), "values": set(self.values)}

    def _save_in_time(self) -> None:
        if time.monotonic() - self._saved >= self._interval:
            self.save()

    def save(self) -> None:
        """Write new layers, keys first: values need their keys. Raises `ResourceError`."""
        try:
            for part, held in self._held_parts.items():
                for layers in runs(held.keys() - self._written[part]):
                    self._write(part, layers)
        finally:
            with contextlib.suppress(OSError):  # it holds parts
                self.folder.rmdir()
        self._saved = time.monotonic()

    def _write(self, part: str, layers: list[int]) -> None:
        arrays = [self._held_parts[part][layer] for layer in layers]
        path = self.folder / f"{part}-{layers[0]:06}-{layers[-1]:06}"
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise ResourceError(f"cannot make {str(self.folder)!r}: {error.strerror}") from error
        both = (arrays, None) if part == "keys" else (None, arrays)
        write_layers(path, self.problem, layers[0], *both)
        self._written[part].update(layers)
        self._map(map_layers(path, part))

    @property
    def _held_parts(self) -> dict[str, dict[int, NDArray[Any]]]:
        return {"keys": self.keys, "values": self.values}

    def _map(self, found: Layers) -> None:
        """Hold the layers of a file in place of those in memory."""
        first = int(found.index[0, SUM]) >> self.problem.unit_exponent
        arrays = found.keys if found.part == "keys" else found.values
        parts = np.split(arrays, found.firsts[1:-1].astype(np.int64))
        self._held_parts[found.part].update(enumerate(parts, first))

    def _load(self) -> None:
        """Map the parts in the folder that are not damaged; the others are computed again."""
        for path in parts_in(self.folder):
            try:
                found = map_layers(path, path.name.partition("-")[0])
            except InvalidTable:
                continue
            if found.problem != self.problem:
                raise InvalidTable(
                    f"expected the work on {self.problem} under {self.problem.rules} in "
                    f"{str(self.folder)!r}, got {found.problem} under {found.problem.rules}; "
                    "remove the folder or choose another file"
                )
            if not found.damage():
                self._map(found)
        # Keys up to the first gap, and the values that belong to them.
        first = int(self.problem.starts.layers.min())
        whole = itertools.takewhile(self.keys.__contains__, itertools.count(first))
        self.keys = {layer: self.keys[layer] for layer in whole}
        self.values = {
            layer: values
            for layer, values in self.values.items()
            if layer in self.keys and len(values) == len(self.keys[layer])
        }

    def remove(self) -> None:
        """Remove the parts, and the folder if it is then empty, after the table is written."""
        self.keys.clear()  # Windows cannot remove mapped files
        self.values.clear()
        remove_parts(self._path, _PART.fullmatch)


def runs(layers: Iterable[int]) -> list[list[int]]:
    """Layers in runs without gaps: a file stores only its first layer."""
    numbered = enumerate(sorted(layers))
    groups = itertools.groupby(numbered, key=lambda each: each[1] - each[0])
    return [[layer for _, layer in group] for _, group in groups]


def parts_in(folder: Path) -> list[Path]:
    """The files of layers in a folder, keys first; empty if the folder is missing."""
    return sorted(path for path in folder.glob("*") if _PART.fullmatch(path.name))
