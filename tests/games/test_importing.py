"""Games read from text, one or many."""

import time

import pytest

from tests.games.kept_games import record_of
from twofold.game.formats import format_game
from twofold.game.record import Record
from twofold.games.kept import PLAYED_TAG, Unread, games_in, indexed, when_played

THREE = [record_of(moves, seed=moves) for moves in (3, 5, 8)]


RECORDS = [str(one) for one in THREE]
LINES = [format_game(one, "jsonl") for one in THREE]


@pytest.mark.parametrize(
    "text",
    ["".join(RECORDS), "\n\n" + "\n\n".join(RECORDS), "".join(LINES),
     "\ufeff" + "".join(RECORDS).replace("\n", "\r\n")],
)  # fmt: skip
def test_many_games_in_one_text(text: str) -> None:
    assert list(games_in(text.encode())) == THREE


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (LINES[0] + "\n" + LINES[1].replace('"moves":"', '"moves":"x') + LINES[2], 3,
         "expected moves written as u, r, d or l"),
        (RECORDS[0] + "\n" + RECORDS[1].replace('Seed "5"', 'Seed "x"') + "\n" + RECORDS[2],
         RECORDS[0].count("\n") + 2, "'x'"),
    ],
)  # fmt: skip
def test_an_unreadable_game_has_its_line_and_hides_no_other(
    text: str, line: int, words: str
) -> None:
    first, wrong, last = games_in(text.encode())
    assert (first, last) == (THREE[0], THREE[2])
    assert isinstance(wrong, Unread)
    assert wrong.line == line
    assert words in wrong.why


def test_other_texts() -> None:
    (found,) = games_in(format_game(THREE[2], "verse").encode())  # of another program
    assert isinstance(found, Record)
    assert found.moves == THREE[2].moves
    for text in (b"hello", b"\xff\xfe\x00", b"[1, 2", b"{}"):
        assert [getattr(one, "line", 0) for one in games_in(text)] == [1]
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
