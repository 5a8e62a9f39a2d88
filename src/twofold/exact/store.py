"""Stores the layers of a solution while it is made: in memory, or also beside its file.

The folder `FILE.work` beside the table's file lets an interrupted solution continue. Layers that
are saved there are memory-mapped from then on and take no memory.
"""

import contextlib
import itertools
import os
import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidTable, ResourceError
from twofold.exact.format import Layers, index_of, map_layers, write_layers
from twofold.exact.problem import Problem
from twofold.files import TEMPORARY
from twofold.folders import work_folder

INTERVAL: Final = 10.0
"""Seconds between saves."""

_PART: Final = re.compile(r"(keys|values)-\d{6,}-\d{6,}")


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
        """Store the states of the next layer."""
        self.keys[layer] = keys

    def add_values(self, layer: int, values: NDArray[np.float64]) -> None:
        """Store the values of the next lower layer."""
        self.values[layer] = values

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
        self.folder = work_folder(path)
        self._interval = interval
        self._saved = time.monotonic()
        self._new: dict[str, list[int]] = {"keys": [], "values": []}
        self._load()

    def add_keys(self, layer: int, keys: NDArray[Any]) -> None:
        """Store the states of the next layer; may save."""
        super().add_keys(layer, keys)
        self._new["keys"].append(layer)
        self._save_in_time()

    def add_values(self, layer: int, values: NDArray[np.float64]) -> None:
        """Store the values of the next lower layer; may save."""
        super().add_values(layer, values)
        self._new["values"].append(layer)
        self._save_in_time()

    def _save_in_time(self) -> None:
        if time.monotonic() - self._saved >= self._interval:
            self.save()

    def save(self) -> None:
        """Write new layers, keys first: values need their keys. Raises `ResourceError`."""
        try:
            for part in ("keys", "values"):
                for layers in runs(self._new[part]):
                    self._write(part, layers)
                self._new[part].clear()
        finally:
            with contextlib.suppress(OSError):  # it holds parts
                self.folder.rmdir()
        self._saved = time.monotonic()

    def _write(self, part: str, layers: list[int]) -> None:
        held: dict[int, NDArray[Any]] = self.keys if part == "keys" else self.values
        arrays = [held[layer] for layer in layers]
        path = self.folder / f"{part}-{layers[0]:06}-{layers[-1]:06}"
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise ResourceError(f"cannot make {str(self.folder)!r}: {error.strerror}") from error
        both = (arrays, None) if part == "keys" else (None, arrays)
        write_layers(path, self.problem, layers[0], *both)
        self._map(path, part)

    def _map(self, path: Path, part: str) -> None:
        found = map_layers(path, part)
        if found.problem != self.problem:
            raise InvalidTable(
                f"expected the work on {self.problem} under {self.problem.rules} in "
                f"{str(self.folder)!r}, got {found.problem} under {found.problem.rules}; "
                "remove the folder or choose another file"
            )
        unit = self.problem.unit_exponent
        firsts, first = found.firsts.tolist(), int(found.index[0, 0]) >> unit
        for number in range(len(found.index)):
            part_of = slice(firsts[number], firsts[number + 1])
            if part == "keys":
                self.keys[first + number] = found.keys[part_of]
            else:
                self.values[first + number] = found.values[part_of]

    def _load(self) -> None:
        for path in parts_in(self.folder):
            self._load_file(path, path.name.partition("-")[0])
        self._keep_what_fits()

    def _load_file(self, path: Path, part: str) -> None:
        """Load a file if it is undamaged; otherwise its layers are computed again."""
        try:
            found = map_layers(path, part)
        except InvalidTable:
            return
        if found.problem == self.problem and found.damage():
            return
        self._map(path, part)

    def _keep_what_fits(self) -> None:
        """Keep keys up to the first gap, and the values that belong to them."""
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
        for path in [*parts_in(self.folder), *self.folder.glob(f".*{TEMPORARY}")]:
            with contextlib.suppress(OSError):
                path.unlink()
        with contextlib.suppress(OSError):
            self.folder.rmdir()


def runs(layers: Iterable[int]) -> list[list[int]]:
    """Layers in runs without gaps: a file stores only its first layer."""
    numbered = enumerate(sorted(layers))
    groups = itertools.groupby(numbered, key=lambda each: each[1] - each[0])
    return [[layer for _, layer in group] for _, group in groups]


def parts_in(folder: Path) -> list[Path]:
    """The files of layers in a folder, keys first; empty if the folder is missing."""
    return sorted(path for path in folder.glob("*") if _PART.fullmatch(path.name))
