"""nneonneo/2048-ai (MIT licence) as an engine: `nneonneo.cpp` built with its sources."""

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.engines import library, protocol

MOVES: Final = "udlr"
"""Its own order."""


class Nneonneo(library.TimedProgram):
    """Chooses the first move with the largest value, as its own player does.

    Args:
        functions: of the library.
        limit: largest depth, in moves after the first; 0 for its own, at least 3.
    """

    author = "Robert Xiao"

    def __init__(self, functions: Any, limit: int) -> None:
        super().__init__()
        self.name = f"nneonneo/2048-ai, {f'depth {limit}' if limit else 'its own depth'}"
        self._value = functions.engine_value
        self._value.restype = ctypes.c_float
        self._value.argtypes = [ctypes.c_uint64, ctypes.c_int, ctypes.c_int]
        self._limit = limit
        functions.init_tables()

    def choose(self, cells: Sequence[int]) -> str:
        """Its move."""
        return self.clock.call(self._best, protocol.packed(cells))

    def _best(self, board: int) -> str:
        values = [self._value(board, number, self._limit) for number in range(4)]
        return MOVES[max(range(4), key=values.__getitem__)]


def main() -> None:
    parser = protocol.parser(__doc__)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--depth", type=int, default=0, help="largest depth; 0: its own")
    options = parser.parse_args()
    out = library.own_output()
    protocol.run(Nneonneo(library.load(options.library), options.depth), options.times, out)


if __name__ == "__main__":
    main()
