"""Players, which choose moves, and the specs that name them."""

import importlib
from typing import TYPE_CHECKING, Any

from twofold.players.base import Player
from twofold.players.registry import (
    PlayerSpec,
    canonical,
    entries,
    make_player,
    settled,
    short_spec,
)

if TYPE_CHECKING:
    from twofold.players.loop import GameResult, play_game, play_games

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


def __getattr__(name: str) -> Any:
    if name not in ("GameResult", "play_game", "play_games"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("twofold.players.loop"), name)  # loads kernels
