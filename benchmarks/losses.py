"""Points lost per game against optimal play on 3x3, by every player that supports 3x3.

It needs a table from `twofold solve --rules 3x3 --out 3x3.table`, with its path in TWOFOLD_TABLE.
TWOFOLD_NETWORK may name a policy network for 3x3, trained as `docs/policy.md` says.
"""

import os
import sys

from benchmarks.common import Figure, Report, Settings
from twofold.games.review import Losses, measure_losses
from twofold.players import make_player
from twofold.tables.exact import ExactTable

GAMES = 200
SPECS = (
    "random",
    "greedy",
    "corner",
    "it3105-snake",
    "it3105-gradient",
    "baeldung",
    "datumbox:depth=5",
    "minimax:depth=3",
    "alphabeta:depth=5",
    "quick",
    "nneonneo",
    *(
        f"expectimax:eval={name},ply={ply}"
        for name in ("rows", "snake", "smooth", "clustering", "baeldung")
        for ply in (1, 2, 3, 4)
    ),
    "expectimax:eval=rows,ply=6,cut=0.003",
)
"""Players; those that do not support the shape of the table are skipped."""


def measure(settings: Settings) -> Report:
    """Measure each player."""
    table = ExactTable.open(os.environ.get("TWOFOLD_TABLE", "3x3.table"))
    games = settings.games or GAMES
    found, left_out = [], []
    network = os.environ.get("TWOFOLD_NETWORK")
    policies = [f"policy:net={network}", f"policy:net={network},ply=1"] if network else []
    for spec in (*policies, *SPECS):
        try:
            player = make_player(spec)
            seeds = range(settings.seed, settings.seed + games)
            losses = measure_losses(player, table, seeds)
        except ValueError as error:
            left_out.append(spec)
            print(f"{spec}: {error}", file=sys.stderr)
            continue
        found.append((spec, losses))
        print(_line(spec, losses), file=sys.stderr, flush=True)
    return Report(
        f"lost against optimal play, {table.problem}",
        [_figure(spec, losses) for spec, losses in found],
        [
            f"{games} games each, seeds from {settings.seed}; 95 % intervals.",
            f"The start is worth {table.start_value:,.4f} {table.problem.unit}.",
            f"Left out, as they do not play this shape: {', '.join(left_out) or 'none'}.",
        ],
    )


def _figure(spec: str, losses: Losses) -> Figure:
    mean = losses.mean
    return Figure(spec, mean.value, mean.low, mean.high, "points a game")


def _line(spec: str, losses: Losses) -> str:
    mean = losses.mean
    share = losses.optimal / losses.moves
    return (
        f"| `{spec}` | {mean.value:,.1f} ({mean.low:,.1f} to {mean.high:,.1f}) | {share:.1%} "
        f"| {losses.worst:,.0f} |"
    )
