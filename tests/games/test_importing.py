"""Games read from text, one or many."""

import time

import pytest

from tests.games.kept_games import record_of
from twofold.game.formats import format_game
from twofold.game.record import Record
from twofold.games.kept import PLAYED_TAG, Unread, games_in, indexed, when_played

THREE = [record_of(moves, seed=moves) for moves in (3, 5, 8)]


@pytest.mark.parametrize("gap", ["", "\n\n"])
def test_records_one_after_the_other(gap: str) -> None:
    text = gap + gap.join(str(one) for one in THREE)
    assert list(games_in(text.encode())) == THREE
    assert list(games_in(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())) == THREE


def test_lines_of_json() -> None:
    lines = "".join(format_game(one, "jsonl") for one in THREE)
    assert list(games_in(lines.encode())) == THREE


def test_a_replay_of_another_program() -> None:
    replay = format_game(THREE[2], "verse")
    (found,) = games_in(replay.encode())
    assert isinstance(found, Record)
    assert found.moves == THREE[2].moves


def test_an_unreadable_game_has_its_line() -> None:
    lines = [format_game(one, "jsonl") for one in THREE]
    text = lines[0] + "\n" + lines[1].replace('"moves":"', '"moves":"x') + lines[2]
    first, wrong, last = games_in(text.encode())
    assert (first, last) == (THREE[0], THREE[2])
    assert isinstance(wrong, Unread)
    assert wrong.line == 3
    assert "expected moves written as u, r, d or l" in wrong.why


def test_a_damaged_record_does_not_hide_the_next() -> None:
    records = [str(one) for one in THREE]
    records[1] = records[1].replace("Score", "Scores").replace('Seed "5"', 'Seed "x"')
    found = list(games_in("\n".join(records).encode()))
    assert [isinstance(one, Unread) for one in found] == [False, True, False]
    assert isinstance(found[1], Unread)
    assert found[1].line == records[0].count("\n") + 2


@pytest.mark.parametrize("text", [b"hello", b"\xff\xfe\x00", b"[1, 2", b"{}"])
def test_text_without_a_game_is_an_error(text: bytes) -> None:
    (found,) = games_in(text)
    assert isinstance(found, Unread)
    assert found.line == 1


def test_an_empty_text_has_no_games() -> None:
    assert list(games_in(b" \n ")) == []


def test_when_it_was_played_comes_from_the_record() -> None:
    now, record = time.time(), THREE[0]
    assert when_played(indexed(record, 1234.5), now) == 1234.5
    dated = Record(seed=1, date="2026-01-31T12:00:00+00:00")
    assert when_played(dated, now) == 1769860800.0
    assert when_played(record, now) == now  # its date has not come yet
    for date in ("", "yesterday", "0001-01-01"):
        assert when_played(Record(seed=1, date=date), now) == now
    assert when_played(Record(seed=1, tags={PLAYED_TAG: "nan"}), now) == now
