"""Files of layers: tables of solved games, and parts of unfinished ones.

A safetensors file of these tensors, see `twofold.tensors`:

    layers    U64 (layers, 4)   sum of the tiles, number of states, CRC-32 of their keys, and of
                                their values; the sums count up by the smallest spawn tile
    keys      U32 or U64 (n,)   the states, layer by layer, ascending in each
    values    F64 (n,)          their values, in the same order

and these texts: `twofold_table`, the version of the format; `rules`; `objective`; `part`: `table`
for both keys and values, or the name of the only one in the file.
"""

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.arrays import checksum, lies_flat
from twofold.errors import InvalidInput, InvalidNetwork, InvalidTable
from twofold.exact.problem import Problem
from twofold.memory import load
from twofold.notation import shown
from twofold.tensors import Stacked, TensorFile, open_tensors, write_tensors

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
    write_tensors(path, tensors, _metadata(problem, part))


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


def _metadata(problem: Problem, part: str) -> dict[str, str]:
    return {
        _VERSION_KEY: VERSION,
        "rules": str(problem.rules),
        "objective": problem.objective.value,
        "part": part,
    }


def read_layers(path: str | os.PathLike[str], part: str = "table") -> Layers:
    """Read a file of layers into memory; `Layers.damage` checks its content.

    Raises `InvalidTable` if the file is missing, not a table of this part, or truncated.
    """
    with _opened(path) as file:
        _layers(file, part, TensorFile.view)  # before anything is read into memory
        return _layers(file, part, load)


def map_layers(path: str | os.PathLike[str], part: str) -> Layers:
    """Memory-map a file of layers that no other program writes; raises `InvalidTable`."""
    with _opened(path) as file:
        return _layers(file, part, TensorFile.view)


@contextlib.contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[TensorFile]:
    try:
        with open_tensors(path) as file:
            yield file
    except InvalidNetwork as error:
        raise InvalidTable(str(error)) from None


def _layers(file: TensorFile, part: str, take: Callable[[TensorFile, str], NDArray[Any]]) -> Layers:
    name = file.name
    problem = _read_problem(file.metadata, part, name)
    tensors = {key: take(file, key) for key in file.tensors}
    wanted = {"layers", "keys", "values"} - ({"table": set(), "keys": {"values"}}.get(
        part, {"keys"}
    ))  # fmt: skip
    if set(tensors) != wanted:
        raise InvalidTable(
            f"expected the tensors {', '.join(sorted(wanted))}, "
            f"got {shown(', '.join(sorted(tensors)))} in {name}"
        )
    keys = tensors.get("keys", np.empty(0, problem.key_type))
    try:
        return Layers(problem, tensors["layers"], keys, tensors.get("values", np.empty(0)), part)
    except InvalidTable as error:
        raise InvalidTable(f"{error} in {name}") from None


def _read_problem(metadata: dict[str, str], part: str, name: str) -> Problem:
    if metadata.get(_VERSION_KEY) != VERSION:
        raise InvalidTable(
            f"expected a table of solved boards of version {VERSION}, "
            f"got {shown(metadata.get(_VERSION_KEY, 'another kind of file'))} in {name}"
        )
    if metadata.get("part") != part:
        raise InvalidTable(f"expected a {part}, got {shown(metadata.get('part'))} in {name}")
    try:
        problem = Problem.parse(metadata["rules"], metadata["objective"])
    except (InvalidInput, KeyError) as error:
        raise InvalidTable(f"expected rules and objective, got {error} in {name}") from None
    return problem


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
