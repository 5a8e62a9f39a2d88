"""twofold: a laboratory for the game 2048.

    >>> from twofold import Board, Move
    >>> Board.parse("1100/0000/0000/0000").slide(Move.LEFT).reward
    4

Public names are resolved on first use, so `import twofold` stays fast and loads no kernels.
"""

import sys

from twofold import _moved
from twofold.version import __version__

TYPE_CHECKING = False  # importing typing takes milliseconds; Ctrl-C then prints a traceback
if TYPE_CHECKING:
    from typing import Any

    from twofold.game.board import Board, Slide, Spawn
    from twofold.game.formats import load_game, save_game
    from twofold.game.game import Game
    from twofold.game.record import Record
    from twofold.game.rules import Move, Rules
    from twofold.game.step import Status
    from twofold.players import Player, make_player, play_game
    from twofold.search.analysis import Analysis, MoveAnalysis
    from twofold.search.budget import Budget, Stop
    from twofold.shortcuts import analyse, bench, compare, review_game, train
    from twofold.tables.exact import solve

_HOMES = {
    "Analysis": "twofold.search.analysis",
    "Board": "twofold.game.board",
    "Budget": "twofold.search.budget",
    "Game": "twofold.game.game",
    "Move": "twofold.game.rules",
    "MoveAnalysis": "twofold.search.analysis",
    "Player": "twofold.players",
    "Record": "twofold.game.record",
    "Rules": "twofold.game.rules",
    "Slide": "twofold.game.board",
    "Spawn": "twofold.game.board",
    "Status": "twofold.game.step",
    "Stop": "twofold.search.budget",
    "analyse": "twofold.shortcuts",
    "bench": "twofold.shortcuts",
    "compare": "twofold.shortcuts",
    "load_game": "twofold.game.formats",
    "make_player": "twofold.players",
    "play_game": "twofold.players",
    "review_game": "twofold.shortcuts",
    "save_game": "twofold.game.formats",
    "solve": "twofold.tables.exact",
    "train": "twofold.shortcuts",
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
    "analyse",
    "bench",
    "compare",
    "load_game",
    "make_player",
    "play_game",
    "review_game",
    "save_game",
    "solve",
    "train",
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


class _GymnasiumFinder:
    """Registers the environments when Gymnasium is imported after twofold.

    Gymnasium 1.0 and later loads no plugins itself, and importing it takes most of a second.
    """

    @classmethod
    def find_spec(cls, name: str, path: "Any" = None, target: "Any" = None) -> "Any":
        if name != "gymnasium":
            return None
        others = sys.meta_path[sys.meta_path.index(cls) + 1 :]
        finders = (finder for finder in others if hasattr(finder, "find_spec"))
        found = (finder.find_spec(name, path, target) for finder in finders)
        spec: Any = next(filter(None, found), None)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            load = spec.loader.exec_module

            def load_and_register(module: "Any") -> None:
                load(module)
                _register_environments()

            spec.loader.exec_module = load_and_register
        return spec


def _register_environments() -> None:
    import contextlib
    import importlib

    with contextlib.suppress(Exception):  # boards and games work with a broken Gymnasium
        importlib.import_module("twofold.env")


if sys.modules.get("gymnasium") is not None:
    _register_environments()
elif "gymnasium" not in sys.modules:
    sys.meta_path.insert(0, _GymnasiumFinder)

_moved.install()
