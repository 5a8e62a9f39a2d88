"""The players that a spec can name."""

from typing import Final

from twofold.players.registry import Entry, register
from twofold.players.simple import CornerPlayer, GreedyPlayer, RandomPlayer

DEFAULT_PLAYER: Final = "greedy"

register(Entry("random", "any legal move, with equal chances", RandomPlayer))
register(Entry("greedy", "the move with the largest reward", GreedyPlayer))
register(Entry("corner", "keeps to down and left unless forced", CornerPlayer))
