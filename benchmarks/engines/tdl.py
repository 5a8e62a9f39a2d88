"""TDL2048+ (MIT licence) as an engine, with any network: `tdl.cpp` built with its sources."""

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.engines import library, protocol


class Tdl(library.TimedProgram):
    """The move that its search finds best.

    Args:
        functions: of the library.
        ply: its depth in plies, as `-d` of the program.
        words: the program's own options: the network and its file.
    """

    author = "Hung Guei"

    def __init__(self, functions: Any, ply: int, words: Sequence[str]) -> None:
        super().__init__()
        self.name = f"TDL2048+, ply {ply}"
        self._choose = functions.engine_choose
        self._choose.restype, self._choose.argtypes = ctypes.c_int, [ctypes.c_uint64]
        arguments = [b"2048", *(word.encode() for word in words)]
        arguments += [b"-e", b"1", b"-d", f"{ply}p".encode()]
        functions.engine_start(len(arguments), (ctypes.c_char_p * len(arguments))(*arguments))

    def choose(self, cells: Sequence[int]) -> str:
        """Its move; its order is that of the protocol."""
        number = self.clock.call(self._choose, protocol.packed(cells))
        return protocol.MOVES[number] if number >= 0 else "none"


def main() -> None:
    parser = protocol.parser(__doc__)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--weights", required=True, help="a network in its format")
    parser.add_argument("--network", default="8x6patt", help="its name for the patterns")
    parser.add_argument("--cache", default="", help="size of its transposition table, such as 4M")
    parser.add_argument("--ply", type=int, default=1)
    options = parser.parse_args()
    out = library.own_output()
    words = ["-n", options.network, "-i", options.weights]
    words += ["-c", options.cache] if options.cache else []
    program = Tdl(library.load(options.library), options.ply, words)
    protocol.run(program, options.times, out)


if __name__ == "__main__":
    main()
