"""`baeldung`: the time of a move in the middle of a game, step by step as in the article."""

import time

from benchmarks.common import Figure, Report, Settings, of_runs
from benchmarks.positions import Positions, of_games
from twofold.game.board import Board
from twofold.game.rules import STANDARD
from twofold.players import make_player

GAMES = 10
MIDDLE = (0.25, 0.75)
POSITIONS = 100
AT_MOST_MS = 250.0
STEPS = {
    "prune=no": "1 minute",
    "prune=no,threads=2": "20 s",
    "prune=yes,threads=1": "a few seconds",
    "prune=yes,threads=2": "",
}
"""Keys of the preset, and the times that the article gives."""


def measure(settings: Settings) -> Report:
    """Measure with and without pruning, by one thread and by two."""
    positions = of_games("baeldung", STANDARD, settings.seed, GAMES, part=MIDDLE)
    chosen = positions.thinned(POSITIONS)
    figures = [_a_move(keys, chosen, settings) for keys in STEPS]
    return Report(
        "baeldung, a move in the middle of a game",
        figures,
        [
            f"Positions: {POSITIONS}, evenly spaced over the middle halves of {GAMES} games of "
            f"baeldung, seeds from {settings.seed}.",
            f"Wall clock, mean over the positions; median of {settings.runs} runs, each with an "
            "empty transposition table.",
        ],
    )


def _a_move(keys: str, positions: Positions, settings: Settings) -> Figure:
    boards = [Board.from_bits(int(bits)) for bits in positions.bits]
    values = []
    for run in range(settings.runs + 1):  # the first one warms up threads and memory
        with make_player(f"baeldung:{keys}") as player:
            player.start(STANDARD, settings.seed)
            began = time.perf_counter()
            for board in boards:
                player.choose(board)
            if run:
                values.append(1e3 * (time.perf_counter() - began) / len(boards))
    target = AT_MOST_MS if keys == "prune=yes,threads=2" else None
    return of_runs(f"baeldung:{keys}", values, "ms", at_most=target, published=STEPS[keys])
