"""Players, which choose moves, and the specs that name them."""

from twofold.players.base import Player
from twofold.players.loop import GameResult, play_game, play_games
from twofold.players.registry import (
    PlayerSpec,
    canonical,
    entries,
    make_player,
    settled,
    short_spec,
)

__all__ = [
    "GameResult",
    "Player",
    "PlayerSpec",
    "canonical",
    "entries",
    "make_player",
    "play_game",
    "play_games",
    "settled",
    "short_spec",
]
