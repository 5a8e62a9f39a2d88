"""Who played: the names in a record, and which games count as the person's own."""

from dataclasses import replace

import pytest

from tests.game.records import FOREIGN
from tests.games.kept_games import record_of
from twofold.game.formats import format_game
from twofold.game.record import Record
from twofold.games.kept import games_in, kept_of
from twofold.games.live_game import LiveGame
from twofold.games.makers import SOMEBODY, add_player
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


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (format_game(record_of(8), "verse"), "hand"),  # the start of a replay is that of a game
        (format_game(record_of(8), "moporgic"), "hand"),
        (format_game(record_of(8, player="Ada"), "moporgic"), "player"),
        (str(record_of(8, player="me + greedy")), "player"),
        (str(replace(record_of(8), hints=5)), "helped"),
        (str(record_of(3, board="aa00/0000/0000/0000")), "board"),
        (str(record_of(3, board="1110/0000/0000/0000")), "board"),
        (FOREIGN.replace('[Hints "2"]\n', ""), "board"),  # it begins with points
        (format_game(record_of(8), "original"), "board"),
    ],
)
def test_how_a_game_from_a_file_was_played(text: str, kind: str) -> None:
    (record,) = games_in(text.encode())
    assert isinstance(record, Record)
    kept = kept_of("a", record, 1.0)
    live = LiveGame(record.resume(), None, record, player=record.player)
    assert kept.info.kind == live.kind == kind
    assert kept.counts == (kind in ("hand", "helped")) == (live.own_score is not None)
