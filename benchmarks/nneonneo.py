"""`nneonneo`: the preset compared with the C++ program of that name, on the same boards.

No code of that program is here: `--library` names a shared library built from it, with
`void init_tables()` and `float score_toplevel_move(uint64_t board, int move)`, whose boards have
the first cell in the lowest nibble and whose moves are up, down, left, right.
"""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

import numpy as np

from benchmarks.common import Figure, Report, Settings, of_runs, timed
from benchmarks.positions import Positions, choose_all, of_games
from twofold.game.board import Board
from twofold.game.rules import STANDARD, Move
from twofold.players import make_player
from twofold.players.compiled import CompiledPlayer

SPEC: Final = "nneonneo"
POSITIONS_PLAYER: Final = "expectimax:eval=rows,ply=2"
GAMES: Final = 10
BOARDS: Final = 60
FULL_PLAYER: Final = "random"
FULL_GAMES: Final = 100
FASTER: Final = 3.0
SAME: Final = 58.0
MOVES: Final = (Move.UP, Move.DOWN, Move.LEFT, Move.RIGHT)


class Library:
    """The C++ program as a shared library."""

    def __init__(self, path: str) -> None:
        self._functions = ctypes.CDLL(os.path.abspath(path))
        self._functions.score_toplevel_move.restype = ctypes.c_float
        self._functions.score_toplevel_move.argtypes = [ctypes.c_uint64, ctypes.c_int]
        self._functions.init_tables()

    def choose(self, bits: int) -> Move:
        """Its move: the first with the largest value above 0."""
        board = int(f"{bits:016x}"[::-1], 16)
        values = [self._functions.score_toplevel_move(board, number) for number in range(4)]
        return MOVES[max(range(4), key=lambda number: values[number])]

    def choose_all(self, positions: Positions) -> list[Move]:
        """Its moves on all boards; its output is dropped."""
        with _silence():
            return [self.choose(int(bits)) for bits in positions.bits]


@contextmanager
def _silence() -> Iterator[None]:
    """Redirect the stdout of a library to nowhere."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        ctypes.CDLL(None).fflush(None)
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def measure(settings: Settings) -> Report:
    """Measure both in turn, on the same thread."""
    if settings.library is None:
        raise SystemExit("expected --library PATH of a shared library built from nneonneo/2048-ai")
    library = Library(settings.library)
    positions = of_games(
        POSITIONS_PLAYER, STANDARD, settings.seed, GAMES, part=(0.25, 1.0)
    ).thinned(BOARDS)
    sets = [("", positions), (", full boards", _full_boards(settings.seed))]
    return Report(
        "nneonneo: expectimax as deep as there are different tiles, cut at 0.0001",
        [figure for name, some in sets for figure in _figures(name, library, some, settings.runs)],
        [
            f"Positions: {BOARDS}, evenly spaced over the last three quarters of {GAMES} games of "
            f"{POSITIONS_PLAYER}, seeds from {settings.seed}.",
            f"Full boards: {BOARDS} without an empty cell, evenly spaced over those of "
            f"{FULL_GAMES} games of {FULL_PLAYER}; they have the smallest trees, so that what "
            "each search costs before it begins shows.",
            f"CPU time of one thread, in turn; median of {settings.runs} runs. "
            "The C++ program begins each first move with an empty table, twofold each board.",
        ],
    )


def _full_boards(seed: int) -> Positions:
    """Boards without an empty cell."""
    positions = of_games(FULL_PLAYER, STANDARD, seed, FULL_GAMES)
    full = np.array(["0" not in f"{int(bits):016x}" for bits in positions.bits])
    return Positions(positions.bits[full], positions.scores[full]).thinned(BOARDS)


def _figures(name: str, library: Library, positions: Positions, runs: int) -> list[Figure]:
    theirs, ours = library.choose_all(positions), _our_moves(positions)
    same = sum(a is b for a, b in zip(theirs, ours, strict=True))
    pairs = [_pair(library, positions) for _ in range(runs)]
    milliseconds = 1e3 / BOARDS
    ratios = [cpp / ours for cpp, ours in pairs]
    return [
        Figure(f"the same move{name}", same, None, None, f"of {BOARDS}", at_least=SAME),
        of_runs(f"times as fast as the C++ program{name}", ratios, "x", at_least=FASTER),
        of_runs(f"C++, a move{name}", [cpp * milliseconds for cpp, _ in pairs], "ms"),
        of_runs(f"twofold, a move{name}", [ours * milliseconds for _, ours in pairs], "ms"),
    ]


def _our_moves(positions: Positions) -> list[Move]:
    with make_player(SPEC) as player:
        return [player.choose(Board.from_bits(int(bits))) for bits in positions.bits]


def _pair(library: Library, positions: Positions) -> tuple[float, float]:
    """CPU seconds for all boards: theirs, ours."""
    theirs = timed(partial(library.choose_all, positions)).cpu
    with make_player(SPEC) as player:
        assert isinstance(player, CompiledPlayer)
        player.start(STANDARD, 0)
        return theirs, timed(partial(choose_all, player, positions)).cpu
