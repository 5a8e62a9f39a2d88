import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.game.records import FOREIGN, SHORT
from twofold.errors import InvalidRecord
from twofold.game.formats import read_games
from twofold.game.record import format_line, parse_line, parse_record, write_records

LINE = (
    '{"schema":1,"rules":"4x4 spawn=2:0.9,4:0.1 start=2 goal=2048 stop=never","seed":"1",'
    '"player":"me","score":12,"result":"8 going","final":"0121/0003/0100/0001",'
    '"moves":"drdlur"}'
)


def test_the_line_holds_all_that_the_text_does() -> None:
    record = parse_record(FOREIGN)
    line = json.loads(format_line(record))
    assert next(iter(line)) == "schema"
    assert line["spawns"] == [[8, 2, 4], [9, 0, 2], [10, 3, 4], [11, 1, 2]]
    assert line["comments"] == {"7": "so far so good", "9": "a {lucky} \\ one", "10": "x"}
    assert "seed" not in line
    assert parse_line(json.dumps(line)) == record


def changed(**values: Any) -> str:
    """The line with some keys changed, or left out where the value is None."""
    whole = {**json.loads(LINE), **values}
    return json.dumps({key: value for key, value in whole.items() if value is not None})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: "", "expected a record as a JSON object, got ''"),
        (lambda: "[1]", "expected a record as a JSON object, got '\\[1\\]'"),
        (lambda: LINE[:-1], "expected a record as a JSON object"),
        (lambda: '{"schema":1,"x":' + "[" * 100_000, "expected a record as a JSON object"),
        (lambda: LINE.encode().replace(b"me", b"\xff"), "expected a record as a JSON object"),
        (lambda: changed(player="\ud800"), "expected a record as a JSON object"),
        (lambda: changed(schema="1"), r"Expected `int`, got `str` - at `\$.schema`"),
        (lambda: changed(schema=2), "expected records of schema 1, got schema 2"),
        (lambda: changed(Schema=1), "unknown field `Schema`"),
        (lambda: changed(seed=1), r"Expected `str \| null`, got `int` - at `\$.seed`"),
        (lambda: changed(seed=None), "record: expected a Seed or a Board"),  # as test_record
        (lambda: changed(score=10**30), "expected a record as a JSON object|expected a score"),
        (lambda: changed(score=11), "^expected Score 12 after move 6, got '11'"),
        (lambda: changed(moves="drdxur"), "expected moves written as u, r, d or l, got 'x'"),
        (lambda: changed(moves="ddrlur"), "move 2: expected a legal move"),
        (lambda: changed(spawns=[[2, 0, 2], [2, 1, 2]]), "expected one new tile for each move"),
    ],
)
def test_invalid_lines_are_refused(make: Callable[[], str | bytes], message: str) -> None:
    with pytest.raises(InvalidRecord, match=message):
        parse_line(make())


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    records = [parse_record(SHORT), parse_record(FOREIGN), parse_record(SHORT)]
    write_records(path, records)
    assert list(read_games(path, "jsonl")) == records
    assert path.read_text().splitlines()[0] == LINE
    write_records(path, [])
    assert list(read_games(path, "jsonl")) == []


@pytest.mark.promise("R16")
def test_a_file_cut_off_gives_the_records_before_the_cut(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    records = [parse_record(SHORT), parse_record(FOREIGN)]
    write_records(path, records)
    data = path.read_bytes()
    ends = [0, len(LINE), len(LINE) + 1, len(data) - 1, len(data)]
    for end in range(len(data) + 1):
        path.write_bytes(data[:end])
        read = []
        if end in ends:
            read = list(read_games(path, "jsonl"))
        else:
            with pytest.raises(InvalidRecord, match=rf"line {1 + (end > len(LINE))}: expected"):
                read.extend(read_games(path, "jsonl"))
        assert read == records[: len(read)]
        assert len(read) == (end >= len(LINE)) + (end >= len(data) - 1)
