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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidInput, InvalidTable
from twofold.game.notation import shown
from twofold.storage.arrays import Stacked, TensorFile, checked, checksum, write_tensors
from twofold.storage.files import make_work_folder, work_folder
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
    """The contents of a file: keys, values or both; one that the file does not hold is empty.

    `index` is uint64 (layers, 4), see the module; `firsts` is uint64, the number of the first state
    of each layer, then the number of states.
    """

    problem: Problem
    index: NDArray[np.uint64]
    keys: NDArray[Any]
    values: NDArray[np.float64]
    firsts: NDArray[np.uint64] = field(init=False)

    def __post_init__(self) -> None:
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


def read_layers(
    path: str | os.PathLike[str], part: str = "table", *, mapped: bool = False
) -> Layers:
    """Read a file of layers; `Layers.damage` checks its content.

    Args:
        path: the file.
        part: `table` for keys and values, or the only one that the file holds.
        mapped: True for a file that no other program writes: its arrays take no memory.

    Raises:
        InvalidTable: the file is missing, not a table of this part, or truncated.
    """
    with opened_table(path) as file:
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
        index = _read_index(file, problem)
        states = sum(index[:, STATES].tolist())  # Python's numbers do not overflow
        arrays = {"keys": np.empty(0, problem.key_type), "values": np.empty(0)}
        for key in sorted(expected - {"layers"}):
            place, kind = file.tensors[key], arrays[key].dtype
            if (place.shape, place.dtype) != ((states,), kind):
                raise InvalidTable(
                    f"expected {states} {key} of {kind}, "
                    f"got {place.dtype} of shape {place.shape} in {name}"
                )
        arrays |= {key: (file.view if mapped else partial(load, file))(key) for key in expected}
        return Layers(problem, index, arrays["keys"], arrays["values"])


def _read_index(file: TensorFile, problem: Problem) -> NDArray[np.uint64]:
    """The index of a file of layers, whose tile sums the problem must have."""
    rows = checked(file.tensors, "layers", (np.uint64,), (None, 4), file.name).shape[0]
    unit, most = problem.unit_exponent, problem.max_sum
    beyond = f"expected layers up to the tile sum {most}, got {rows} layers"
    if not 1 <= rows <= (most >> unit) + 1:
        raise InvalidTable(f"{beyond} in {file.name}")
    index = file.read("layers")
    first = int(index[0, SUM])
    if first > most or index[:, SUM].tolist() != [first + (row << unit) for row in range(rows)]:
        raise InvalidTable(f"expected consecutive tile sums, got others in {file.name}")
    if first + (rows - 1 << unit) > most:
        raise InvalidTable(f"{beyond} from {first} on in {file.name}")
    return index


_PART: Final = re.compile(r"(keys|values)-\d{6,}-\d{6,}")
"""Name of a file of layers in the folder: what it holds, its first layer and its last one."""

INTERVAL: Final = 10.0
"""Seconds between saves."""


class LayerStore:
    """The layers of a solution: keys and values by layer, which is the sum of the tiles in units.

    Args:
        problem: the game and the objective.
        path: the file that the table is for: layers are also saved in the folder beside it. None
            for layers in memory only.
        interval: seconds between two saves.

    Raises:
        InvalidTable: the folder holds work on another problem.
    """

    def __init__(
        self,
        problem: Problem,
        path: str | os.PathLike[str] | None = None,
        interval: float = INTERVAL,
    ) -> None:
        self.problem, self._path = problem, path
        self.keys: dict[int, NDArray[Any]] = {}
        self.values: dict[int, NDArray[np.float64]] = {}
        self._interval, self._saved = interval, time.monotonic()
        if path is not None:
            self._load()
        self._written = {"keys": set(self.keys), "values": set(self.values)}

    @property
    def folder(self) -> Path:
        """The folder of the saved layers; it may not exist."""
        assert self._path is not None
        return work_folder(self._path)

    @property
    def states(self) -> int:
        """Number of states so far."""
        return sum(map(len, self.keys.values()))

    def add(self, part: str, layer: int, array: NDArray[Any]) -> None:
        """Store the `keys` of the next layer, or the `values` of the next lower one; may save."""
        self._parts[part][layer] = array
        if time.monotonic() - self._saved >= self._interval:
            self.save()

    @property
    def _parts(self) -> dict[str, dict[int, NDArray[Any]]]:
        return {"keys": self.keys, "values": self.values}

    # ---- the solution

    def _held(self) -> tuple[int, list[NDArray[Any]], list[NDArray[np.float64]]]:
        """The first layer of a solution, and the keys and values of all but empty last ones."""
        layers = sorted(self.keys)
        while len(layers) > 1 and not len(self.keys[layers[-1]]):
            layers.pop()
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

    # ---- the folder

    def save(self) -> None:
        """Write new layers, keys first: values need their keys. Raises `ResourceError`.

        Without a path it has no effect.
        """
        if self._path is None:
            return
        try:
            for part, held in self._parts.items():
                for layers in runs(held.keys() - self._written[part]):
                    self._write(part, layers)
        finally:
            with contextlib.suppress(OSError):  # it holds parts
                self.folder.rmdir()
        self._saved = time.monotonic()

    def _write(self, part: str, layers: list[int]) -> None:
        arrays = [self._parts[part][layer] for layer in layers]
        path = self.folder / f"{part}-{layers[0]:06}-{layers[-1]:06}"
        make_work_folder(self.folder)
        both = (arrays, None) if part == "keys" else (None, arrays)
        write_layers(path, self.problem, layers[0], *both)
        self._written[part].update(layers)
        self._hold(part, read_layers(path, part, mapped=True))

    def _hold(self, part: str, found: Layers) -> None:
        """Hold the layers of a file in place of those in memory."""
        first = int(found.index[0, SUM]) >> self.problem.unit_exponent
        arrays = found.keys if part == "keys" else found.values
        cuts = np.split(arrays, found.firsts[1:-1].astype(np.int64))
        self._parts[part].update(enumerate(cuts, first))

    def _load(self) -> None:
        """Map the parts in the folder that are not damaged; the others are computed again."""
        for path in parts_in(self.folder):
            part = path.name.partition("-")[0]
            try:
                found = read_layers(path, part, mapped=True)
            except InvalidTable:
                continue
            if found.problem != self.problem:
                raise InvalidTable(
                    f"expected the work on {self.problem} under {self.problem.rules} in "
                    f"{str(self.folder)!r}, got {found.problem} under {found.problem.rules}; "
                    "remove the folder or choose another file"
                )
            if not found.damage():
                self._hold(part, found)
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
        remove_parts(self.folder, _PART.fullmatch)


def runs(layers: Iterable[int]) -> list[list[int]]:
    """Layers in runs without gaps: a file stores only its first layer."""
    numbered = enumerate(sorted(layers))
    groups = itertools.groupby(numbered, key=lambda each: each[1] - each[0])
    return [[layer for _, layer in group] for _, group in groups]


def parts_in(folder: Path) -> list[Path]:
    """The files of layers in a folder, keys first; empty if the folder is missing."""
    return sorted(path for path in folder.glob("*") if _PART.fullmatch(path.name))
