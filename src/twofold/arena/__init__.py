"""The arena: plays players over many seeds, keeps their games and summarises them.

>>> from twofold import Rules
>>> from twofold.arena import Bench, SeedRange, summarise
>>> bench = Bench(None, Rules())
>>> for player in ("random", "greedy"):
...     _ = bench.add(player, SeedRange(first=1, count=10))
>>> bench.play(jobs=1)
['', '']
>>> [summarise(one.games).games for one in bench.standings()]
[10, 10]
"""

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from twofold.arena.bench import Bench, PlayerStanding
    from twofold.arena.boards import StartBoards, parse_boards, read_boards
    from twofold.arena.compare import Comparison, Sprt, compare_scores, verdict_words
    from twofold.arena.games import GameColumns
    from twofold.arena.stats import (
        Fates,
        Interval,
        SumBand,
        Summary,
        bands,
        mean_interval,
        summarise,
        wilson_interval,
    )
    from twofold.arena.study import Study
    from twofold.game.notation import SeedRange

_NAMES: Final = {
    "arena.bench": "Bench PlayerStanding",
    "arena.boards": "StartBoards parse_boards read_boards",
    "arena.compare": "Comparison Sprt compare_scores verdict_words",
    "arena.games": "GameColumns",
    "arena.stats": "Fates Interval SumBand Summary bands mean_interval summarise wilson_interval",
    "arena.study": "Study",
    "game.notation": "SeedRange",
}
_HOMES: Final = {name: f"twofold.{home}" for home, some in _NAMES.items() for name in some.split()}
"""Where the public names are; each is imported when it is first used."""

__all__ = [
    "Bench",
    "Comparison",
    "Fates",
    "GameColumns",
    "Interval",
    "PlayerStanding",
    "SeedRange",
    "Sprt",
    "StartBoards",
    "Study",
    "SumBand",
    "Summary",
    "bands",
    "compare_scores",
    "mean_interval",
    "parse_boards",
    "read_boards",
    "summarise",
    "verdict_words",
    "wilson_interval",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
