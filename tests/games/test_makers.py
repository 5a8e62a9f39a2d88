"""Who made the moves of a game: names, ranges of moves, how a game was played."""

from dataclasses import replace

import pytest

from tests.game.records import FOREIGN
from tests.games.kept_games import record_of
from twofold import Game
from twofold.game.formats import format_game
from twofold.game.record import Record
from twofold.games.kept import games_in, kept_of
from twofold.games.live_game import LiveGame
from twofold.games.makers import (
    AUTOPLAY_TAG,
    SOMEBODY,
    AutoplayMoves,
    add_player,
    autoplay_tags,
    player_names,
)
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
    live = LiveGame(record.resume(), resumed=record)
    assert kept.info.kind == live.kind == kind
    assert kept.counts == (kind in ("hand", "helped")) == (live.own_score is not None)


def moved(kept: LiveGame, *, by_player: bool) -> None:
    kept.game.play(kept.game.legal_moves()[0])
    kept.note_move("greedy" if by_player else "")


def test_a_move_made_again_counts_for_who_made_it_last() -> None:
    kept = LiveGame(Game(seed=1))
    for by_player in (False, True, True):
        moved(kept, by_player=by_player)
    assert str(kept.autoplay) == "2-3"
    kept.game.undo()
    assert str(kept.autoplay) == "2"
    kept.game.redo()
    assert str(kept.autoplay) == "2-3"
    kept.game.undo()
    moved(kept, by_player=False)
    assert str(kept.autoplay) == "2"
    assert AUTOPLAY_TAG not in kept.known_until(1).tags


def test_unknown_moves_stay_unknown() -> None:
    game = Game(seed=1)
    game.play(game.legal_moves()[0])
    old = Record.from_game(game, player="me + greedy")
    kept = LiveGame(old.resume(), resumed=old)
    moved(kept, by_player=True)
    assert kept.autoplay is None
    assert AUTOPLAY_TAG not in kept.record().tags


def test_the_tag_of_autoplay() -> None:
    for text in ("", "1", "1-4", "2 4-9 11"):
        assert str(AutoplayMoves.parse(text)) == text
    for text in ("x", "0", "4-2", "4 3", "1-3 3", "1-", "9" * 13, "-1", "1,2"):
        assert AutoplayMoves.parse(text) is None
    moves = AutoplayMoves().plus(0, 2).plus(2, 5).plus(7, 8)
    assert moves.ranges == ((1, 5), (8, 8))  # adjacent ranges are joined
    assert [move for move in range(10) if move in moves] == [1, 2, 3, 4, 5, 8]
    long = AutoplayMoves(tuple((2 * k, 2 * k) for k in range(1, MAX_TAG)))
    assert autoplay_tags({"Event": "x", AUTOPLAY_TAG: "1"}, long) == {"Event": "x"}
    assert autoplay_tags({AUTOPLAY_TAG: "1"}, AutoplayMoves()) == {}


@pytest.mark.parametrize(
    ("players", "names"),
    [
        ("me", "me"),
        ("another player", "another player"),
        ("ntuple:ply=1,tables=none + me", "fast + me"),
        ("ntuple:ply=2,threads=1", "network, 2 plies"),
        ("greedy:x", "greedy:x"),
        ("exact:table=2x3.table", "optimal play"),
    ],
)
def test_names_are_short(players: str, names: str) -> None:
    assert player_names(players) == names
