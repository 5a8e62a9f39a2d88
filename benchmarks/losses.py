"""Points lost per game against optimal play on 3x3, by every player that supports 3x3.

It needs a table from `twofold solve --rules 3x3 --out 3x3.table`, with its path in TWOFOLD_TABLE.
TWOFOLD_NETWORK may name a policy network for 3x3, trained as `docs/policy.md` says.
"""

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from benchmarks.common import Figure, Report, Settings
from twofold.arena.stats import Interval
from twofold.game.game import Game
from twofold.players import Player, make_player
from twofold.players.base import checked_move
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


@dataclass(frozen=True, slots=True)
class Losses:
    """Losses of a player over some games.

    Attributes:
        lost: for each game the sum of differences from the best moves' values, in the table's
            unit. Its mean is the value of the game minus the player's expected result, with far
            less variance than scores.
        moves: moves of all games.
        optimal: moves without loss.
        worst: largest loss of one move.
    """

    player: str
    lost: tuple[float, ...]
    moves: int
    optimal: int
    worst: float

    @property
    def mean(self) -> Interval:
        """Mean loss per game with its 95 % interval (normal)."""
        found = np.array(self.lost)
        error = 1.96 * float(found.std(ddof=1)) / len(found) ** 0.5 if len(found) > 1 else 0.0
        mean = float(found.mean())
        return Interval(mean, mean - error, mean + error)


def measure_losses(player: Player, table: ExactTable, seeds: Iterable[int]) -> Losses:
    """Play games on a solved board and look up the loss of each move."""
    lost: list[float] = []
    moves = optimal = 0
    worst = 0.0
    for seed in seeds:
        regrets = _regrets(player, table, seed)
        lost.append(sum(regrets))
        moves += len(regrets)
        optimal += regrets.count(0.0)
        worst = max(worst, *regrets, 0.0)
    return Losses(player.spec, tuple(lost), moves, optimal, worst)


def _regrets(player: Player, table: ExactTable, seed: int) -> list[float]:
    rules = table.problem.rules
    player.start(rules, seed)
    game = Game(rules, seed=seed)
    found = []
    while not game.is_finished:
        answer = player.choose(game.board, score=game.score, move_number=game.move_number)
        move = checked_move(player, game.board, answer)
        values = table.move_values(game.board)
        found.append(max(values.values()) - values[move])
        game.play(move)
    return found


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
