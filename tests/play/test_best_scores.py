"""Best scores: which games count, and a file whose scores only rise."""

import itertools
import os
from pathlib import Path

import pytest

from twofold.errors import InvalidInput, ResourceError
from twofold.games import scores as best_scores
from twofold.games.scores import (
    BEST_FILE,
    KEPT_GAMES,
    MAX_BEST_BYTES,
    SOMEBODY,
    add_player,
    counts_as_own,
    keep_best,
    kind_of,
    read_best,
    top_score,
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


@pytest.mark.parametrize("players", ["", "me"])
def test_games_played_by_hand_count(players: str) -> None:
    assert counts_as_own(kind_of(players, 0, given_board=False))
    assert counts_as_own(kind_of(players, 5, given_board=False))  # hints do not matter
    assert not counts_as_own(kind_of(players, 0, given_board=True))


@pytest.mark.parametrize("players", ["greedy", "me + greedy", "greedy + me", f"me + {SOMEBODY}"])
def test_games_with_a_players_move_do_not_count(players: str) -> None:
    assert not counts_as_own(kind_of(players, 0, given_board=False))


@pytest.mark.promise("R65")
def test_no_order_of_writers_lowers_a_score(tmp_path: Path) -> None:
    scores = [{"a": {"1": 5}, "b": {"2": 1}}, {"a": {"3": 3}, "c": {"4": 7}}, {"b": {"5": 9}}]
    for number, order in enumerate(itertools.permutations(scores)):
        path = tmp_path / f"{number}.json"
        for one in order:
            keep_best(path, one)
        found = read_best(path)
        assert [top_score(found, rules) for rules in "abcd"] == [5, 9, 7, 0]


def test_a_file_that_has_higher_scores_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / BEST_FILE
    assert read_best(path) == {}
    keep_best(path, {"a": {"1": 5}})
    monkeypatch.delattr(best_scores, "atomic_write")
    assert keep_best(path, {"a": {"1": 5}}) == {"a": {"1": 5}}


def test_a_score_that_is_undone_goes_down_and_the_best_of_the_others_stays(tmp_path: Path) -> None:
    path = tmp_path / BEST_FILE
    keep_best(path, {"a": {"1": 5, "2": 4}})
    assert top_score(read_best(path), "a") == 5
    assert top_score(read_best(path), "a", without="1") == 4
    assert top_score(keep_best(path, {"a": {"1": 2}}), "a") == 4
    assert keep_best(path, {"a": {"1": 0, "2": 0}}) == {}


def test_the_best_games_of_each_rules_are_kept(tmp_path: Path) -> None:
    found = keep_best(tmp_path / BEST_FILE, {"a": {str(n): n for n in range(1, 100)}})
    assert sorted(found["a"].values()) == list(range(100 - KEPT_GAMES, 100))


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"a": "b"}', b'{"a": -1}', b'{"a": 1e400}', b"\xff", b"[" * 100_000,
     b'{"a": {"b": -1}}', b'{"a": {"b": {}}}', b'{"a": 3}',
     b'{"a": {"b": 1}}' + b" " * MAX_BEST_BYTES],
)  # fmt: skip
def test_a_damaged_file_is_set_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / BEST_FILE
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match="best scores"):
        read_best(path)
    assert keep_best(path, {"a": {"1": 1}}) == read_best(path) == {"a": {"1": 1}}
    aside = [one for one in tmp_path.iterdir() if one != path]
    assert [one.read_bytes() for one in aside] == [content]


def test_a_damaged_file_that_stays_is_not_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / BEST_FILE
    path.write_bytes(b"mine")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "no")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(ResourceError, match="cannot rename"):
        keep_best(path, {"a": {"1": 1}})
    assert path.read_bytes() == b"mine"
