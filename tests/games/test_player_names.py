"""Short names of players."""

import pytest

from twofold.games.pictures import player_names


@pytest.mark.parametrize(
    ("players", "names"),
    [
        ("me", "me"),
        ("another player", "another player"),
        ("greedy + me", "greedy + me"),
        ("ntuple:ply=1,tables=none", "network, 1 ply"),
        ("ntuple:net=/a/mine.safetensors,ply=3/2@3", "network mine.safetensors, 2 or 3 plies"),
        ("expectimax:eval=snake,ply=auto", "snake, 3 plies"),
        ("expectimax:time=1s", "rows"),
        ("policy:ply=1", "policy network, 1 ply"),
        ("greedy:x", "greedy:x"),
        ("exact:table=2x3.table", "optimal play"),
    ],
)
def test_names_are_short(players: str, names: str) -> None:
    assert player_names(players) == names
