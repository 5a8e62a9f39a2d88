"""Selects and sorts the list of saved games."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from twofold.errors import InvalidInput
from twofold.notation import shown
from twofold.play.kept import GameInfo, Kept

ORDERS: Final[dict[str, Callable[[Kept], Any]]] = {
    "newest": lambda one: -one.played,
    "oldest": lambda one: one.played,
    "score": lambda one: -one.info.score,
    "tile": lambda one: (-one.info.max_tile, -one.info.score),
    "moves": lambda one: -one.info.moves,
}
"""Sort keys by name."""


def select(
    games: Iterable[Kept], *, search: str = "", order: str = "newest", rules: str = "",
    kind: str = "",
) -> list[GameInfo]:  # fmt: skip
    """The games with these rules, kind and words (any case), sorted; raises InvalidInput.

    Words may be in the id, player, date, size, largest tile or status; empty texts match all.
    """
    if order not in ORDERS:
        raise InvalidInput(f"expected an order ({', '.join(ORDERS)}), got {shown(order)}")
    words = search.casefold().split()
    found = [
        one
        for one in games
        if rules in ("", one.info.rules) and kind in ("", one.info.kind) and _has(one.info, words)
    ]
    return [one.info for one in sorted(found, key=ORDERS[order])]


def _has(info: GameInfo, words: list[str]) -> bool:
    if not words:
        return True
    size = info.rules.partition(" ")[0]
    parts = (info.game, info.player, info.date, size, str(info.max_tile), info.status)
    text = " ".join(parts).casefold()
    return all(word in text for word in words)
