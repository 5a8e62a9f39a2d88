"""`expectimax`: moves per second by depth, for each strong evaluator."""

from benchmarks.common import Figure, Report, Settings
from benchmarks.positions import moves_a_second, of_games, time_choices
from twofold.game.rules import STANDARD
from twofold.values import EVALUATORS

NAMES = ("rows", "snake")
POSITIONS_PLAYER = "expectimax:eval=rows,ply=2"
GAMES = 10
POSITIONS = {1: 20_000, 2: 10_000, 3: 2_000, 4: 200}
"""Positions per run, by ply."""


def measure(settings: Settings) -> Report:
    """Measure plies 1 to 4."""
    return Report(
        "expectimax",
        [_speed(name, ply, settings) for name in NAMES if name in EVALUATORS for ply in POSITIONS],
        [
            f"Positions: {', '.join(f'{count:,} at ply {at}' for at, count in POSITIONS.items())}"
            f", evenly spaced over {GAMES} games of {POSITIONS_PLAYER}, "
            f"seeds from {settings.seed}.",
            f"CPU time of one thread, median of {settings.runs} runs, each with an empty table.",
        ],
    )


def _speed(name: str, ply: int, settings: Settings) -> Figure:
    spec = f"expectimax:eval={name},ply={ply}"
    positions = of_games(POSITIONS_PLAYER, STANDARD, settings.seed, GAMES)
    chosen = positions.thinned(POSITIONS[ply])
    return moves_a_second(spec, chosen, time_choices(spec, STANDARD, chosen, settings.runs))
