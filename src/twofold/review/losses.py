"""Losses of a player against optimal play, move by move, on a solved game."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from twofold.arena.stats import Interval
from twofold.exact.table import ExactTable
from twofold.game import Game
from twofold.players import Player
from twofold.players.base import checked_move


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


def measure_losses(
    player: Player,
    table: ExactTable,
    seeds: Iterable[int],
    *,
    stop: Callable[[], bool] | None = None,
) -> Losses:
    """Play games on a solved board and look up the loss of each move.

    `stop` is called after each game; True returns the results so far.

    Raises:
        UnsupportedRules: the player cannot play under the rules of the table.
        PlayerError: the player made an illegal move.
    """
    lost: list[float] = []
    moves = optimal = 0
    worst = 0.0
    for seed in seeds:
        regrets = _regrets(player, table, seed)
        lost.append(sum(regrets))
        moves += len(regrets)
        optimal += regrets.count(0.0)
        worst = max(worst, *regrets, 0.0)
        if stop is not None and stop():
            break
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
