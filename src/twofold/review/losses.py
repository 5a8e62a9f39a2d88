"""What a player loses against optimal play, move by move, where the game is solved."""

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
    """What a player has lost over some games.

    Attributes:
        player: its spec.
        lost: for each game the sum over its moves of what the best one was worth more, in the
            unit of the table. Its mean is the value of the game less what the player makes of
            it, and varies far less than scores do.
        moves: number of moves of all games.
        optimal: number of them that were worth as much as the best.
        worst: the largest loss of a single move.
    """

    player: str
    lost: tuple[float, ...]
    moves: int
    optimal: int
    worst: float

    @property
    def mean(self) -> Interval:
        """The loss a game, with its 95 % interval (normal)."""
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
    """Let a player play, and look up what each of its moves was worth.

    Args:
        player: who plays, under the rules of the table.
        table: the solved game.
        seeds: of the games.
        stop: asked after each game; True ends it with the games so far.

    Raises:
        UnsupportedRules: the player cannot play under these rules.
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
    """What each move of a game was worth less than the best one."""
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
