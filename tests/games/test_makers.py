"""Who played: the names in a record, and which games count as the person's own."""

import pytest

from twofold.games.makers import SOMEBODY, add_player, counts_as_own, kind_of
from twofold.limits import MAX_TAG


@pytest.mark.parametrize(
    ("players", "name", "all_of_them"),
    [
        ("", "me", "me"),
        ("me", "me", "me"),
        ("me", "greedy", "me + greedy"),
        ("me + greedy", "me", "me + greedy"),
        ("greedy", "me", "greedy + me"),
        ("me", "x" * MAX_TAG, f"me + {SOMEBODY}"),
        ("x" * MAX_TAG, "me", "x" * MAX_TAG),
    ],
)
def test_each_player_is_named_once(players: str, name: str, all_of_them: str) -> None:
    assert add_player(players, name) == all_of_them


@pytest.mark.parametrize("players", ["", "me"])
def test_games_played_by_hand_count(players: str) -> None:
    assert counts_as_own(kind_of(players, 0, given_board=False))
    assert counts_as_own(kind_of(players, 5, given_board=False))  # hints do not matter
    assert not counts_as_own(kind_of(players, 0, given_board=True))


@pytest.mark.parametrize("players", ["greedy", "me + greedy", "greedy + me", f"me + {SOMEBODY}"])
def test_games_with_a_players_move_do_not_count(players: str) -> None:
    assert not counts_as_own(kind_of(players, 0, given_board=False))
