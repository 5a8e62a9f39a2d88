"""Results of kernels on fixed games and boards, as text.

Run as a module it prints that; with the word `all`, the signature, too.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from tests.kernels.drivers import (
    STANDARD_DISTRIBUTION,
    boards_of,
    layer_values,
    move_on_lanes,
    played_boards,
    to_bits,
)
from twofold.cli.selftest import signature
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.kernels import _jit
from twofold.kernels import leaf_layer as layers
from twofold.kernels._jit import address_of
from twofold.kernels.expectimax import CONTEXT_WORDS
from twofold.kernels.intrinsics import _PDEP
from twofold.players import make_player, play_game
from twofold.search.context import Context
from twofold.search.expectimax import _lowest_layer
from twofold.values import EVALUATORS
from twofold.values.network_file import load_network

GAMES = {
    "random": ["4x4", "3x3", "2x5", "4x4 spawn=2:0.2,8:0.3,32:0.5 start=5"],
    "greedy": ["4x4", "1x4", "3x2"],
    "corner": ["4x4 goal=64 stop=goal", "4x3"],
}
"""Players without search: all that their kernels need is compiled in seconds."""

_WORDS = types.uint64[::1]


def short(array: NDArray[Any]) -> str:
    """A hash of all bytes of an array."""
    return hashlib.sha256(array.tobytes()).hexdigest()


def context_of(name: str, rules: Rules) -> Context:
    """What the lowest layer and the table of a search read; the search takes seconds to compile."""
    evaluator = EVALUATORS[name]
    context = Context(evaluator, rules, CONTEXT_WORDS)
    assert _lowest_layer(context, evaluator, rules) is layers.lines
    return context


def pieces() -> Iterator[str]:
    """A line for each part with instructions of its own: the lowest layer, lanes, networks."""
    words = np.random.default_rng(6).integers(0, 2**64, 800, dtype=np.uint64)
    for name in ("rows", "baeldung"):
        for rows, cols in ((4, 4), (3, 4), (4, 2), (2, 2)):
            boards = played_boards(3000, rows, cols, seed=7)
            afters = to_bits(boards[(boards == 0).any(axis=1)], rows, cols)
            context = context_of(name, Rules(rows, cols))
            values, _ = layer_values(address_of(layers.lines), afters, 0, 2, context.words)
            yield f"lines {name} {rows}x{cols} {context.nodes} {short(values)}"
    boards = boards_of(4, 4, 800, 14)
    boards[:, 0] = 1  # a board in a lane holds a tile
    for move in range(4):
        results = move_on_lanes(boards, 4, 4, move, words, STANDARD_DISTRIBUTION)
        yield f"lanes {move} {short(results)}"
    played = [Board(cells) for cells in played_boards(300, 4, 4, seed=8).tolist()]
    yield f"network {short(load_network('tiny').values(played))}"


def games() -> Iterator[str]:
    """A line for each game."""
    for spec, all_rules in GAMES.items():
        for rules in all_rules:
            for seed in range(5):
                result = play_game(make_player(spec), Rules.parse(rules), seed, keep_moves=True)
                assert result is not None
                yield f"{spec} {rules} {seed}: {result.score} {result.board} {result.letters}"


def few_lines() -> Iterator[str]:
    """Games without search, and a line for each part of the searches."""
    yield from games()
    yield from pieces()


def all_lines() -> Iterator[str]:
    """The same, and the signature: games, searches and training."""
    yield from few_lines()
    yield f"signature {signature()}"


if __name__ == "__main__":
    chosen = all_lines() if "all" in sys.argv else few_lines()
    instructions = {"pdep": _PDEP, "bmi2": _jit.has_feature("bmi2")}
    found = {"plain": _jit.PLAIN, "instructions": instructions, "folder": str(_jit.CACHE_FOLDER)}
    print(json.dumps(found | {"lines": list(chosen)}))
