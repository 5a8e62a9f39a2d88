"""The chance of the next large tile from a position, by games that a fast player plays on.

>>> from twofold import Board, Rules, make_player
>>> board = Board.parse("0012/0024/0147/259a")
>>> tile = next_large_tile(board, Rules())
>>> with make_player("fast") as player:
...     found = play_on(player, board, Rules(), tile, games=20)
>>> found.tile, found.games, found.reached > 10
(2048, 20, True)
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from twofold.arena.stats import Interval, wilson_interval
from twofold.game.board import Board
from twofold.game.notation import SeedRange
from twofold.game.rules import Rules
from twofold.players import Player, PlayerSpec

PLAYER: Final = "fast"
"""The player of the games; on boards without a network its heuristic."""

LEAST_TILE: Final = 64
"""The smallest tile worth a question, if the goal is larger."""

GOAL_SHARE: Final = 4
"""The goal is asked for once the tiles add up to this part of it."""

BATCH: Final = 20
"""Games between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class Chance:
    """The number of `games` that `reached` a tile from a position."""

    tile: int
    games: int = 0
    reached: int = 0

    @property
    def interval(self) -> Interval:
        """The share with its 95 % interval (Wilson); without ends if there are no games."""
        if not self.games:
            return Interval(0.0, None, None)
        return wilson_interval(self.reached, self.games)


def next_large_tile(board: Board, rules: Rules) -> int:
    """The goal if it is not far, else the tile after the largest one.

    >>> boards = "0000/0000/0000/0011", "0000/0000/0000/0378", "0000/0000/0000/129b"
    >>> [next_large_tile(Board.parse(text), Rules()) for text in boards]
    [64, 512, 4096]
    """
    total = sum(1 << tile for tile in board.exponents if tile)
    if board.max_tile >= rules.goal:
        return 2 * board.max_tile
    if GOAL_SHARE * total >= rules.goal:
        return rules.goal
    return min(max(2 * board.max_tile, LEAST_TILE), rules.goal)


def player_for(rules: Rules) -> PlayerSpec:
    """The player of the games under these rules."""
    return PlayerSpec.parse(PLAYER).settled(rules)


def play_on(
    player: Player,
    board: Board,
    rules: Rules,
    tile: int,
    *,
    games: int,
    seconds: float | None = None,
    before: Chance | None = None,
    stop: Callable[[], bool] | None = None,
) -> Chance:
    """Play games from a board until they end or reach a tile, and add them to those before.

    Args:
        player: plays the games.
        board: the position.
        rules: its rules.
        tile: the tile to reach.
        games: number of games in all; seeds count up from 0.
        seconds: no batch begins after this time.
        before: games of earlier calls, None for none.
        stop: called from time to time; True ends this without the batch under way.
    """
    from twofold.players.loop import play_games  # loads kernels

    now, began = before or Chance(tile), time.monotonic()
    until = replace(rules, goal=tile, stop_at_goal=True)
    while now.games < games and (seconds is None or time.monotonic() - began < seconds):
        count = min(BATCH, games - now.games)
        boards, seeds = [board] * count, SeedRange(now.games, count)
        found = list(play_games(player, until, seeds, boards=boards, stop=stop))
        if len(found) < count:
            break
        reached = now.reached + sum(one.max_tile >= tile for one in found)
        now = replace(now, games=now.games + count, reached=reached)
    return now
