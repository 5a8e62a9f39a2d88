"""Tables that are built for tests: in memory, and solutions in files."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twofold.storage.arrays import checksum
from twofold.tables.build import Builder
from twofold.tables.format import TableHead, stored
from twofold.tables.layers import layer_sizes, packed
from twofold.tables.library import EndgameTable
from twofold.tables.pattern import EndgamePattern
from twofold.tables.problem import Problem
from twofold.tables.solver import Solver
from twofold.tables.store import LayerStore


@cache
def levels_of(name: str) -> tuple[NDArray[Any], ...]:
    """The levels of a table, layer by layer from the sum 0 on."""
    layers = [stored(layer.after) for layer in Builder(EndgamePattern.parse(name)).layers()]
    return tuple(reversed(layers))


@cache
def made(name: str) -> EndgameTable:
    """A table in memory."""
    pattern, levels = EndgamePattern.parse(name), levels_of(name)
    index = np.array([layer_sizes(pattern), [checksum(one) for one in levels]], dtype=np.uint64)
    head = TableHead(pattern, np.ascontiguousarray(index.T))
    if pattern.walls is None:
        return EndgameTable(head, np.concatenate(levels))
    stored, marks, some = 0, [], []
    for one in reversed(levels):
        of_layer, above_0 = packed(one, stored)
        stored += len(above_0)
        marks.append(of_layer)
        some.append(above_0)
    return EndgameTable(head, np.concatenate(some), "", np.concatenate(marks[::-1]))


def write_solution(path: Path, rules: str = "2x2") -> None:
    """Solve a game into a file."""
    store = LayerStore(Problem.parse(rules), path)
    assert Solver(store.problem, store).run()
    store.write(path)
    store.remove()
