"""`engine`: the time that the engine protocol adds to a move."""

import shlex
import sys
import time
from typing import Final

from benchmarks.common import Figure, Report, Settings, of_runs
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import STANDARD
from twofold.players import Player, make_player
from twofold.players.engine.client import EnginePlayer

PLAYERS: Final = ("greedy", "expectimax:ply=2", "expectimax:ply=3")
MOVES: Final = 2_000
AT_MOST: Final = 0.3
"""Milliseconds that the protocol may add to a move of `greedy`."""


def measure(settings: Settings) -> Report:
    """Measure by wall clock, since two processes take turns."""
    positions = _positions(settings.seed)
    figures: list[Figure] = []
    for spec in PLAYERS:
        figures += _figures(spec, positions, settings.runs)
    return Report(
        "Engine protocol",
        figures,
        [
            f"Wall clock, median of {settings.runs} runs, {MOVES:,} positions of games of greedy, "
            f"seeds from {settings.seed}, one after the other; both are asked by `choose`.",
            "What is added: lines written, read, the answer written, read, the move checked.",
        ],
    )


def _figures(spec: str, positions: list[tuple[Board, int, int]], runs: int) -> list[Figure]:
    command = [sys.executable, "-m", "twofold", "engine", spec]
    itself, asked = [], []
    with make_player(spec) as player, EnginePlayer(command) as engine:
        for one in (player, engine):
            one.start(STANDARD, 0)
            _milliseconds(one, positions[:200])
        for _ in range(runs):
            itself.append(_milliseconds(player, positions))
            asked.append(_milliseconds(engine, positions))
    added = [there - here for here, there in zip(itself, asked, strict=True)]
    return [
        of_runs(f"{spec}, a move", itself, "ms"),
        of_runs(f"engine: {shlex.join(command[2:])}, a move", asked, "ms"),
        of_runs(
            "added by the protocol", added, "ms", at_most=AT_MOST if spec == "greedy" else None
        ),
    ]


def _positions(seed: int) -> list[tuple[Board, int, int]]:
    """Positions, scores and move numbers of games."""
    found: list[tuple[Board, int, int]] = []
    with make_player("greedy") as player:
        while len(found) < MOVES:
            game = Game(STANDARD, seed)
            while not game.is_finished:
                found.append((game.board, game.score, game.move_number))
                game.play(player.choose(game.board))
            seed += 1
    return found[:MOVES]


def _milliseconds(player: Player, positions: list[tuple[Board, int, int]]) -> float:
    """Milliseconds per move."""
    began = time.perf_counter()
    for board, score, move_number in positions:
        player.choose(board, score=score, move_number=move_number)
    return 1e3 * (time.perf_counter() - began) / len(positions)
