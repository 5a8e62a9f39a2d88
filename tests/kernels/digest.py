"""Results of kernels on fixed games and boards, as text.

Run as a module it prints that; with the word `all`, games and searches one by one, too.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from tests.kernels.drivers import played_boards, to_bits
from tests.kernels.lazily import lazy_kernel
from tests.support.literal import boards
from twofold.cli.selftest import signature
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.kernels import _jit, ntuple
from twofold.kernels import context as names
from twofold.kernels import leaf_layer as layers
from twofold.kernels import transposition as table
from twofold.kernels._jit import address_of
from twofold.kernels.expectimax import CONTEXT_WORDS
from twofold.kernels.intrinsics import (
    _PDEP,
    call_layer,
    high_product,
    nth_set_bit,
    pointer,
    spread_nibbles,
)
from twofold.learn.settings import TrainingSettings, parse_schedule
from twofold.learn.training import Training
from twofold.players import make_player, play_game
from twofold.search.context import Context
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax, _lowest_layer
from twofold.values import EVALUATORS
from twofold.values.network import Network, network_evaluator

FEW_GAMES = {
    "random": ["4x4", "3x3", "2x5", "4x4 spawn=2:0.2,8:0.3,32:0.5 start=5"],
    "greedy": ["4x4", "1x4", "3x2"],
    "corner": ["4x4 goal=64 stop=goal", "4x3"],
}
"""Players without search: all that their kernels need is compiled in seconds."""

GAMES = FEW_GAMES | {
    "expectimax:eval=rows,ply=1": ["3x3", "4x4 goal=256 stop=goal"],
    "datumbox:depth=2": ["4x4 goal=128 stop=goal"],
}

SEARCHES = [
    "expectimax:eval=rows,ply=3",
    "expectimax:eval=snake,ply=3,table_mb=1",
    "expectimax:eval=rows,ply=4,threads=2",
    "expectimax:eval=rows,nodes=20000",
    "nneonneo:ply=4",
    "expectimax:eval=clustering,ply=2",
    "expectimax:eval=it3105-gradient,ply=2",
    "datumbox:depth=5",
    "minimax:eval=baeldung,depth=3",
    "it3105-snake:layers=literal,depth=2",
    "baeldung",
]


MASKS = [0x1, 0x8000_0000_0000_0001, 0x1111_0101_1010_1111, 2**64 - 1]
_WORDS = types.uint64[::1]


@lazy_kernel(types.void(_WORDS, _WORDS, _WORDS))
def products_and_nibbles(words, products, spread):
    for index in range(len(words)):
        products[index] = high_product(words[index], words[len(words) - 1 - index])
        spread[index] = spread_nibbles(words[index] & np.uint64(0xFFFF))


@lazy_kernel(types.void(types.uint64, _WORDS, types.float64[::1], _WORDS))
def layer_values(address, afters, values, context):
    for index in range(len(afters)):
        values[index] = call_layer(address, (afters[index], 0, 0, 2, pointer(context)))


@lazy_kernel(types.void(_WORDS, _WORDS, _WORDS))
def look_up_and_store(positions, found, context):
    """As a search does, ten times over, at different depths and in new generations."""
    words = pointer(context)
    for turn in range(10):
        table.new_generation(words)
        for index in range(len(positions)):
            hashed = table.hash_of(positions[index])
            key = table.entry_key(hashed, index % 3 + 1, table.EXACT)
            bucket = table.bucket_of(hashed, words)
            if table.find(bucket, key, words) >= 0:
                found[index] += words[names.FOUND]
            else:
                table.store(bucket, key, hashed ^ np.uint64(turn), words)


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
    """A line for each part of the searches: instructions, table, and the lowest layer."""
    words = np.random.default_rng(6).integers(0, 2**64, 20_000, dtype=np.uint64)
    products, spread, found = np.zeros_like(words), np.zeros_like(words), np.zeros_like(words)
    products_and_nibbles(words, products, spread)
    yield f"high_product {short(products)}"
    yield f"spread_nibbles {short(spread)}"
    places = [(np.uint64(mask), n) for mask in MASKS for n in range(mask.bit_count())]
    yield f"nth_set_bit {[int(nth_set_bit(mask, n)) for mask, n in places]}"
    context = context_of("rows", Rules())
    context.point_table(1)
    look_up_and_store(words, found, context.words)
    yield f"transposition {np.count_nonzero(found)} {short(found)}"
    for name in ("rows", "baeldung"):
        for rows, cols in ((4, 4), (3, 4), (4, 2), (2, 2)):
            boards = played_boards(3000, rows, cols, seed=7)
            afters = to_bits(boards[(boards == 0).any(axis=1)], rows, cols)
            context, values = context_of(name, Rules(rows, cols)), np.zeros(len(afters))
            layer_values(address_of(layers.lines), afters, values, context.words)
            yield f"lines {name} {rows}x{cols} {context.nodes} {short(values)}"


def learned() -> Iterator[str]:
    """A line for each part of n-tuple networks: values, searches, training runs."""
    for rows, cols, patterns in ((4, 4, "01256 0459a"), (3, 4, "01245 89"), (2, 2, "013")):
        network = Network(patterns, (rows, cols), stages=(64, 512))
        network.weights[:2] = np.random.default_rng(8).normal(10, 5, (2, network.stage_size))
        boards = to_bits(played_boards(2000, rows, cols, seed=9), rows, cols)
        values = np.zeros(len(boards))
        ntuple.value_many(boards, network.words(), values)
        yield f"network {rows}x{cols} {short(values)}"
        search = Expectimax(network_evaluator(network), Rules(rows, cols), Depth.fixed(2))
        for bits in boards[:10]:
            found = search.values(
                bits, 0, Board.from_bits(int(bits), (rows, cols)).legal_moves(), 2
            )
            yield f"network {bits:x}: {[(m.value or 0.0).hex() for m in found.values()]}"
        plain = TrainingSettings(patterns=patterns, rules=Rules(rows, cols), stages=(64, 512))
        for settings in (
            replace(plain, schedule=parse_schedule("td")),
            replace(plain, order="backward", lambda_=0.5),
        ):
            training = Training(settings, games=100)
            training.run()
            weights = short(training.network.weights)
            yield f"training {rows}x{cols} {settings.describe()} {training.moves} {weights}"


def games(players: dict[str, list[str]]) -> Iterator[str]:
    """A line for each game."""
    for spec, all_rules in players.items():
        for rules in all_rules:
            for seed in range(5):
                result = play_game(make_player(spec), Rules.parse(rules), seed, keep_moves=True)
                assert result is not None
                yield f"{spec} {rules} {seed}: {result.score} {result.board} {result.letters}"


def few_lines() -> Iterator[str]:
    """Games without search, and a line for each part of the searches."""
    yield from games(FEW_GAMES)
    yield from pieces()


def all_lines() -> Iterator[str]:
    """The signature, and a line for each part, each network, each game, each position searched."""
    yield f"signature {signature()}"
    yield from pieces()
    yield from learned()
    yield from games(GAMES)
    for spec in SEARCHES:
        with make_player(spec) as player:
            for grid in boards(6, most_empty=4, seed=11):
                analysis = player.analyse(Board.from_tiles(grid), score=12_344)
                values = [None if m.value is None else m.value.hex() for m in analysis.moves]
                nodes = analysis.nodes if "threads" not in spec else "?"
                yield f"{spec} {analysis.board}: {analysis.best.letter} {values} {nodes}"


if __name__ == "__main__":
    chosen = all_lines() if "all" in sys.argv else few_lines()
    instructions = {"pdep": _PDEP, "bmi2": _jit.has_feature("bmi2")}
    found = {"plain": _jit.PLAIN, "instructions": instructions, "folder": str(_jit.CACHE_FOLDER)}
    print(json.dumps(found | {"lines": list(chosen)}))
