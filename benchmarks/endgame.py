"""Endgame tables: building, and look-ups."""

import random
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import Report, Settings, of_runs
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.notation import SeedRange
from twofold.game.rules import Rules
from twofold.kernels import context
from twofold.kernels import table_lookup as endgame_lookup
from twofold.kernels._jit import address_of
from twofold.kernels.policies import corner_bits
from twofold.kernels.table_lookup import table_first
from twofold.players import make_player
from twofold.players.compiled import CompiledPlayer
from twofold.players.loop import play_many
from twofold.tables.build import Builder
from twofold.tables.library import EndgameTable, EndgameTables, file_name
from twofold.tables.pattern import EndgamePattern
from twofold.tables.work import build_table

BUILT = "442-64"
TABLES = ("442-128", "442-64", "443-64")
THREADS = 2
LOOK_UPS = 200_000
GAMES = 2
LOOP_GAMES = 4_000

Boards = NDArray[np.uint64]


def measure(settings: Settings) -> Report:
    """Measure states built per second, and look-ups."""
    with tempfile.TemporaryDirectory() as folder:
        tables = EndgameTables([_built(Path(folder), name) for name in TABLES])
        spoken = _spoken(tables.tables[0].pattern, settings.seed)
        silent = _silent(tables, settings.seed)
        rates: list[float] = []
        look_ups, misses, bare, asked = [], [], [], []
        for _ in range(settings.runs):
            rates.append(_build_rate())
            look_ups.append(_look_up_ns(spoken, tables))
            misses.append(_look_up_ns(silent, tables))
            bare.append(_look_up_ns(silent, EndgameTables([])))
            asked.append(_loop_ns(settings.seed, tables) - _loop_ns(settings.seed, None))
    costs = [miss - none for miss, none in zip(misses, bare, strict=True)]
    return Report(
        f"endgame tables, {BUILT}, {THREADS} threads",
        [
            of_runs("states built", rates, "/s", at_least=12_000_000),
            of_runs("look-up of a board in a table", look_ups, "ns", at_most=1_000),
            of_runs("a board that no table applies to, three tables", costs, "ns", at_most=50),
            of_runs("a move of a game loop, three tables that are silent", asked, "ns", at_most=50),
        ],
        [
            f"Look-ups: {LOOK_UPS:,} boards drawn at random, {TABLES[0]} warm, one thread.",
            f"No table applies: boards of {GAMES} games of the shipped network, at 1 ply.",
            f"Game loop: {LOOP_GAMES:,} games of `corner`, with tables asked first and without.",
        ],
    )


def _built(folder: Path, name: str) -> EndgameTable:
    pattern = EndgamePattern.parse(name)
    path = folder / file_name(pattern)
    build_table(path, pattern, threads=THREADS)
    return EndgameTable.open(path)


def _build_rate() -> float:
    builder = Builder(EndgamePattern.parse(BUILT), THREADS)
    began = time.perf_counter()
    states = sum(len(layer.after) for layer in builder.layers())
    return states / (time.perf_counter() - began)


def _spoken(pattern: EndgamePattern, seed: int) -> Boards:
    """Boards that a table knows."""
    chosen = random.Random(seed)
    found: list[int] = []
    large = list(range(15, 15 - pattern.large_tiles, -1))
    while len(found) < LOOK_UPS:
        cells = [
            chosen.randrange(pattern.target) if chosen.random() < 0.7 else 0 for _ in range(16)
        ]
        for cell, exponent in zip(pattern.large_cells, large, strict=True):
            cells[cell] = exponent
        total = sum(1 << one for one in cells if 0 < one < pattern.target)
        if 2 * pattern.lowest <= total <= 2 * pattern.highest:
            found.append(sum(one << (60 - 4 * cell) for cell, one in enumerate(cells)))
    return np.array(found, dtype=np.uint64)


def _silent(tables: EndgameTables, seed: int) -> Boards:
    """Boards of games to which none of the tables applies."""
    player, found = make_player("ntuple:net=default,ply=1"), []
    for number in range(GAMES):
        game = Game(Rules(), seed=seed + number)
        player.start(game.rules, seed + number)
        while game.legal_moves():
            found.append(game.board)
            game.play(player.choose(game.board))
    silent = [board.to_bits() for board in found if _applies_to_none(tables, board)]
    return np.array(silent, dtype=np.uint64)


def _applies_to_none(tables: EndgameTables, board: Board) -> bool:
    return board.max_exponent < 16 and tables.move(board) is None


class _Corner(CompiledPlayer):
    """The player `corner`, which asks tables before each move as players with tables do.

    Args:
        tables: None to ask none.
    """

    def __init__(self, tables: EndgameTables | None) -> None:
        self._tables = tables

    def prepare(self, rules: Rules) -> None:
        words = np.zeros(context.OWN, dtype=np.uint64)
        self.policy = corner = address_of(corner_bits)
        if self._tables is not None:
            words[context.TABLES] = self._tables.words.ctypes.data
            words[context.INNER_POLICY] = corner
            self.policy = address_of(table_first)
        self.context = words


def _loop_ns(seed: int, tables: EndgameTables | None) -> float:
    """Nanoseconds per move of batched games in a kernel."""
    player, rules = _Corner(tables), Rules()
    player.start(rules, seed)
    began = time.thread_time()
    played = play_many(player, rules, SeedRange(seed, LOOP_GAMES))
    return 1e9 * (time.thread_time() - began) / sum(game.moves for game in played)


def _look_up_ns(boards: Boards, tables: EndgameTables) -> float:
    moves = np.empty(len(boards), dtype=np.int8)
    began = time.thread_time()
    endgame_lookup.look_up(boards, moves, tables.words)
    return 1e9 * (time.thread_time() - began) / len(boards)
