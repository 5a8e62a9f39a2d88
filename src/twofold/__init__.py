"""twofold: a laboratory for the game 2048.

    >>> from twofold import Board, Move
    >>> Board.parse("1100/0000/0000/0000").slide(Move.LEFT).reward
    4

The public names below are resolved when first used, so that importing twofold, or using
boards and games alone, stays fast and does not load the compiled kernels.
"""

from twofold.version import __version__

TYPE_CHECKING = False  # importing typing takes milliseconds, in which a Ctrl-C has a traceback
if TYPE_CHECKING:
    from typing import Any

    from twofold.board import Board, Slide, Spawn
    from twofold.game import Game
    from twofold.players import Player, make_player
    from twofold.records.record import Record
    from twofold.rules import Move, Rules
    from twofold.search.analysis import Analysis, MoveAnalysis
    from twofold.search.budget import Budget
    from twofold.search.stop import Stop
    from twofold.step import Status

_HOMES = {
    "Analysis": "twofold.search.analysis",
    "Board": "twofold.board",
    "Budget": "twofold.search.budget",
    "Game": "twofold.game",
    "Move": "twofold.rules",
    "MoveAnalysis": "twofold.search.analysis",
    "Player": "twofold.players",
    "Record": "twofold.records.record",
    "Rules": "twofold.rules",
    "Slide": "twofold.board",
    "Spawn": "twofold.board",
    "Status": "twofold.step",
    "Stop": "twofold.search.stop",
    "make_player": "twofold.players",
}

__all__ = [
    "Analysis",
    "Board",
    "Budget",
    "Game",
    "Move",
    "MoveAnalysis",
    "Player",
    "Record",
    "Rules",
    "Slide",
    "Spawn",
    "Status",
    "Stop",
    "__version__",
    "make_player",
]


def __getattr__(name: str) -> "Any":
    import importlib

    try:
        home = _HOMES[name]
    except KeyError:
        raise AttributeError(f"module 'twofold' has no attribute {name!r}") from None
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
