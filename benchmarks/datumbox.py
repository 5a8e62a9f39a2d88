"""`datumbox`: the time of a move."""

from benchmarks.common import Figure, Report, Settings, of_runs
from benchmarks.positions import moves_a_second, of_games, time_choices
from twofold.game.rules import Rules

RULES = Rules.parse("stop=goal")
POSITIONS_PLAYER = "datumbox:depth=5"
POSITION_GAMES = 5
POSITIONS = {3: 2_000, 5: 1_000, 7: 200}
"""Positions per run, by depth."""

AT_MOST = 0.85
"""Target in milliseconds per move at depth 7: a tenth of a straightforward Java program."""


def measure(settings: Settings) -> Report:
    """Measure depths 3, 5 and 7."""
    speeds = [figure for depth in POSITIONS for figure in _speed(depth, settings)]
    return Report(
        "datumbox (depth in half-moves)",
        speeds,
        [
            f"Positions: {', '.join(f'{count} at depth {at}' for at, count in POSITIONS.items())}"
            f", evenly spaced over {POSITION_GAMES} games of {POSITIONS_PLAYER} with stop=goal.",
            f"CPU time of one thread, median of {settings.runs} runs.",
        ],
    )


def _speed(depth: int, settings: Settings) -> list[Figure]:
    spec = f"datumbox:depth={depth}"
    positions = of_games(POSITIONS_PLAYER, RULES, settings.seed, POSITION_GAMES)
    chosen = positions.thinned(POSITIONS[depth])
    times = time_choices(spec, RULES, chosen, settings.runs)
    return [
        moves_a_second(spec, chosen, times),
        of_runs(
            f"{spec}, a move",
            [1e3 * time.cpu / len(chosen) for time in times],
            "ms",
            at_most=AT_MOST if depth == 7 else None,
        ),
    ]
