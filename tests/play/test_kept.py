"""The list of saved games: search and order."""

import pytest

from twofold.errors import InvalidInput
from twofold.games.kept import ORDERS, GameInfo, Kept, select

RULES = "4x4 spawn=2:0.9,4:0.1 start=2 goal=2048 stop=never"
SMALL = "3x3 spawn=2:0.9,4:0.1 start=2 goal=256 stop=never"
GAMES = [
    Kept(GameInfo("a", RULES, "", 300, 9, 64, "over", "me", "2026-01-02", 0), 3.0),
    Kept(GameInfo("b", RULES, "", 100, 8, 32, "going", "me + Greedy", "2026-01-01", 0,
                  kind="player"), 2.0),
    Kept(GameInfo("c", SMALL, "", 200, 7, 64, "over", "me", "2025-12-31", 0), 1.0),
]  # fmt: skip


def names(**wanted: str) -> str:
    return "".join(info.game for info in select(GAMES, **wanted))


@pytest.mark.parametrize(
    ("order", "found"),
    [("newest", "abc"), ("oldest", "cba"), ("score", "acb"), ("tile", "acb"), ("moves", "abc")],
)
def test_lists_are_sorted_by_the_order(order: str, found: str) -> None:
    assert names(order=order) == found
    assert set(ORDERS) == {"newest", "oldest", "score", "tile", "moves"}


@pytest.mark.parametrize(
    ("search", "found"),
    [("", "abc"), ("greedy", "b"), ("3X3", "c"), ("2026", "ab"), ("64 over", "ac"), ("64 3x3", "c"),
     ("2048", ""), ("nobody", "")],
)  # fmt: skip
def test_every_word_must_match(search: str, found: str) -> None:
    assert names(search=search) == found


def test_rules_and_kind() -> None:
    assert names(rules=SMALL) == "c"
    assert names(kind="player") == "b"
    assert names(rules=RULES, kind="hand") == "a"


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(InvalidInput, match="expected an order"):
        names(order="luck")
