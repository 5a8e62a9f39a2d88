"""Records as text and as JSON Lines; whole, wrong, and cut off anywhere."""

import json
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.game.records import FOREIGN, SHORT
from tests.golden.rewrite import FOLDER
from tests.support.generators import make_record
from twofold.errors import InvalidInput, InvalidRecord
from twofold.game.board import Board
from twofold.game.formats import read_games
from twofold.game.game import Game
from twofold.game.record import (
    Record,
    format_line,
    format_record,
    parse_line,
    parse_record,
    parse_unplayed,
    read_record,
    write_record,
    write_records,
)
from twofold.game.rules import Move, Rules


def play_on(game: Game, moves: int) -> Game:
    for _ in range(moves):
        legal = game.legal_moves()
        game.play(legal[game.move_number % len(legal)])
    return game


# ---- a record of a game


def test_the_record_of_a_foreign_game_is_kept_when_it_is_replayed() -> None:
    record = parse_record(FOREIGN)
    assert (record.seed, record.board) == (None, Board.parse("2x2:11/00"))
    assert record.spawns == {8: (2, 4), 9: (0, 2), 10: (3, 4), 11: (1, 2)}
    assert record.comments == {7: "so far so good", 9: "a {lucky} \\ one", 10: "x"}
    assert (record.date, record.undos, record.tags) == ("2048-01-31", 3, {"Event": "home"})
    assert str(record) == FOREIGN
    game = record.replay()
    assert (game.score, game.move_number, game.undos) == (112, 11, 3)
    assert all(step.given for step in game.steps)
    again = Record.from_game(game, date=record.date, comments=record.comments, tags=record.tags)
    assert replace(again, hints=2) == record


def test_only_tiles_that_the_seed_does_not_explain_are_written() -> None:
    game = play_on(Game(seed=3), 4)
    step = game.undo()
    game.play(step.move, spawn=(step.cell, step.tile))  # as the dice would have it
    assert Record.from_game(game).spawns == {}
    game.undo()
    other = step.board.empty_cells[0]
    game.play(step.move, spawn=(other, 2))
    play_on(game, 100)
    text = str(Record.from_game(game))
    assert f"@{other}:2 " in text
    assert parse_record(text).spawns == {4: (other, 2)}
    first, *lines = text.partition("\n\n")[2].split("\n")
    assert [len(line) for line in lines] == [40, 0]
    assert len(first) == 64 + len(f"@{other}:2 ")


def test_without_playing_only_the_form_is_checked() -> None:
    for text in (SHORT, FOREIGN):
        assert parse_unplayed(text) == parse_unplayed(text.encode()) == parse_record(text)
    assert parse_unplayed(SHORT.replace("drdlur", "rrrrrr")).moves == 6 * (Move.RIGHT,)
    for wrong in (SHORT + "x", SHORT.replace("Seed", "Sees"), "torn"):
        with pytest.raises(InvalidRecord):
            parse_unplayed(wrong)


# ---- reading


@pytest.mark.parametrize(
    "text",
    [
        SHORT.replace("\n", "\r\n"),
        "\ufeff" + SHORT,
        SHORT.replace("drdlur", " d r\n\n\td l\n ur   "),
        SHORT.rstrip("\n"),
        SHORT.replace('[Player "me"]', '  [ Player   "m\\u0065" ]  '),
        SHORT.replace('"1"]\n[Player', '"0x1"]\n[Player'),
    ],
)
def test_other_ways_to_write_the_same(text: str) -> None:
    assert parse_record(text) == parse_record(SHORT)


def test_tags_may_be_left_out() -> None:
    record = parse_record('[Twofold "1"]\n[Seed "1"]\n\ndrdlur')
    assert (record.rules, record.score, record.result, record.final) == (Rules(), None, "", None)
    assert record.replay().score == 12
    assert parse_record(str(record)) == record
    small = parse_record('[Twofold "1"]\n[Board "2x2:11/00"]\n\n')
    assert small.rules == Rules(rows=2, cols=2)


def test_comments_at_the_same_place_are_joined() -> None:
    record = parse_record(SHORT.replace("drd", "{a}{b}\nd{c} {}r{\\u001b\\n\\ud83d\\ude00}d"))
    assert record.comments == {0: "a\nb", 1: "c\n", 2: "\x1b\n\U0001f600"}
    assert parse_record(str(record)) == record


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # what it is
        (SHORT, "", r'line 1: expected a game record, which begins with \[Twofold "1"\], got'),
        (SHORT, "\n" + SHORT, "line 1: expected a game record"),
        # tags
        ('"me"]\n', '"me"\n', "line 4: expected a tag such as"),
        ('"me"', f'"{"m" * 2001}"', "line 4: expected a tag of at most 2000 characters, got 2001"),
        ("[Player", "[Pl-yer", "line 4: expected a tag such as"),
        ("\n\ndrdlur\n", "\n", "line 8: expected a blank line after the tags, got the end"),
        ("/0001", "/000Ä", "line 7: tag Final: expected cells written as"),
        ('[Seed "1"]\n', "", "tags: expected a Seed or a Board to begin with, got neither"),
        ("[Player", '[StartMove "3"]\n[Player', "tags: expected a Board with StartScore"),
        ("[Player", '[Board "2x2:10/01"]\n[Player', "tags: expected a board of the rules' shape"),
        # moves
        ("drdlur", "ddrlur", "line 9, move 2: expected a legal move .* got down on"),
        ("drdlur", "d\ndrlur", "line 10, move 2: expected a legal move"),
        ("drdlur", "dr@3:2@4:2dlur", "line 9: expected a move before @4:2"),
        ("drdlur", "dr@3:16", r"line 9, move 2: expected a tile that the rules spawn \(2, 4\)"),
        ("drdlur", "dr{\\x}dlur", r"line 9: expected \\{, \\}, \\\\, \\n or \\u and four digits"),
        ("drdlur", "dr{\\ud800}dlur", "line 9: expected pairs of surrogates in a comment"),
        # the end
        ('"12"', '"0"', "line 5: expected Score 12 after move 6, got '0'"),
        ('"12"', '"24"', "line 5: expected Score 12 after move 6, got '24'"),
        ("8 going", "8 over", "line 6: expected Result 8 going after move 6, got '8 over'"),
        ("/0001", "/0002", "line 7: expected Final 0121/.* after move 6, got"),
        ("d@0:2", "d", "line 15, move 9: expected the new tile as @cell:tile"),
        ("drdlur", "drdlu", "line 7: expected Final .*: the record is wrong or cut off"),
    ],
)
def test_what_is_refused_and_where(old: str, new: str, message: str) -> None:
    text = SHORT if old in SHORT else FOREIGN
    assert old in text
    with pytest.raises(InvalidRecord, match=message):
        parse_record(text.replace(old, new, 1))


# ---- what cannot be a record


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda r: replace(r, board=Board.parse("2x2:11/00")), "expected a board of the rules'"),
        (lambda r: replace(r, board=r.final, seed=None), "expected a Seed, or a tile after every"),
        (lambda r: replace(r, score=-1), "expected a score from 0"),
        (lambda r: replace(r, spawns={0: (1, 2)}), "expected the move of a given tile from 1 to 6"),
        (lambda r: replace(r, comments={7: ""}), "expected the move of a comment from 0 to 6"),
        (lambda r: replace(r, comments={1: "a" * 20_001}), "expected a comment of at most 20000"),
        (lambda r: replace(r, player="\ud800"), "expected a tag in Unicode"),
        (lambda r: replace(r, tags={"A b": ""}), "expected a tag named by letters and digits"),
        (lambda r: replace(r, tags={"seed": ""}), "expected a tag other than twofold's Seed"),
        (lambda r: replace(r, tags={"A": "a" * 2001}), "expected the tag A of at most 2000"),
        (lambda r: replace(r, tags={f"A{n}": "" for n in range(90)}), "expected a number of own"),
    ],
)
def test_values_that_do_not_fit(make: Callable[[Record], Record], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make(parse_record(SHORT))


# ---- a part of a record


def test_a_truncated_record_is_read_up_to_its_last_move() -> None:
    assert parse_record(SHORT, partial=True) == parse_record(SHORT)
    for refused in (SHORT.partition("\n\n")[0], '[Twofold "1"]\n[Board "1x2:zz"]\n[Seed "1"]\n\n'):
        with pytest.raises(InvalidRecord):
            parse_record(refused, partial=True)
    torn = SHORT.replace("drdlur", "drdlux")
    record = parse_record(torn, partial=True)
    assert "".join(move.letter for move in record.moves) == "drdlu"
    assert "line 9: expected moves written as" in record.damage
    assert (record.score, record.result) == (12, "8 going")
    assert parse_record(str(record)) == record
    assert parse_record(str(record)).damage == ""


def test_the_last_token_of_a_truncated_record_is_dropped() -> None:
    text = FOREIGN.partition("{x}")[0]
    assert len(parse_record(text, partial=True).moves) == 3
    assert len(parse_record(text.rstrip(), partial=True).moves) == 2
    assert len(parse_record(text.rstrip()[:-1], partial=True).moves) == 2
    assert len(parse_record(SHORT.replace("drdlur\n", "drd @"), partial=True).moves) == 2
    record = parse_record(f"{text}{{of the third move}} {{torn", partial=True)
    assert len(record.moves) == 2
    assert "of the third move" not in record.comments.values()
    record = parse_record(SHORT.encode().replace(b"lur", b"l \xff\xfe r"), partial=True)
    assert len(record.moves) == 4
    assert "expected a record in UTF-8, got the byte 0xff" in record.damage


# ---- files


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "game.2048"
    record = parse_record(SHORT)
    write_record(path, record)
    assert path.read_bytes() == SHORT.encode()
    assert read_record(path) == record == read_record(str(path))
    path.write_text(SHORT.replace("drd", "drx"))
    with pytest.raises(InvalidRecord, match=r"game.2048': line 9: expected moves"):
        read_record(path)
    assert len(read_record(path, partial=True).moves) == 2


# ---- going on


def test_a_game_continues_from_a_record() -> None:
    game = Game(seed=3)
    for move in "urdlurdl":
        game.play(move)
    record = Record.from_game(game)
    board = Board.parse("1234/0000/0000/0000")
    other = Game.from_board(board, seed=5, score=100, move_number=40)
    other.play(Move.DOWN)
    found = Record.from_game(other)
    assert (found.board, found.start_score, found.start_move) == (board, 100, 40)
    assert Record.from_game(found.resume()) == found
    assert Record.from_game(other.fork(40)).board == board
    for again in (record.resume(), replace(record, final=None).resume(), record.replay()):
        assert Record.from_game(again) == record
        for number in range(7, -1, -1):
            again.undo()
            assert again.board == game.at(number).board
        assert (again.can_undo, again.undos) == (False, 8)


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


@pytest.mark.promise("R16")
def test_a_file_cut_off_gives_the_records_before_the_cut(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    records = [parse_record(SHORT), parse_record(FOREIGN)]
    write_records(path, records)
    data = path.read_bytes()
    assert data.decode().splitlines()[0] == LINE
    ends = [0, len(LINE), len(LINE) + 1, len(data) - 1, len(data)]
    for end in sorted({*ends, *range(0, len(data), 7)}):
        path.write_bytes(data[:end])
        read = []
        if end in ends:
            read = list(read_games(path, "jsonl"))
        else:
            with pytest.raises(InvalidRecord, match=rf"line {1 + (end > len(LINE))}: expected"):
                read.extend(read_games(path, "jsonl"))
        assert read == records[: len(read)]
        assert len(read) == (end >= len(LINE)) + (end >= len(data) - 1)


# Records that are cut off

PATHS = sorted(FOLDER.glob("*.txt"))
SMALL = 220  # bytes: cut off at every one
MANY = 1_000  # with --long: bytes of a record cut off at every one, places of a larger one
MOVES = 150  # moves replayed for the cuts of a larger record, which limits their number


def boards(record: Record) -> list[Board]:
    """The boards of a game, the first one included."""
    game = record.replay()
    return [game.start_board, *(step.board for step in game.steps)]


def places(data: bytes, many: bool) -> list[int]:
    """Where to cut: at every byte, or around the end of the tags and spread over the rest."""
    if len(data) <= (MANY if many else SMALL):
        return list(range(len(data)))
    head = data.index(b"\n\n") + 1
    step = len(data) // MANY + 1 if many else len(data) ** 2 // MOVES + 5
    return sorted({head - 1, head, len(data) - 1, *range(0, len(data), step)})


def cut(data: bytes, end: int, record: Record, known: list[Board]) -> str:
    """Read the first `end` bytes in both ways, and say what came of it."""
    torn = data[:end]
    whole: Record | None = None
    with suppress(InvalidRecord):
        whole = parse_record(torn)
    if whole:  # only what follows the last move may be missing: a comment, the line end
        assert whole == replace(record, comments=whole.comments)
        assert whole.comments.items() <= record.comments.items()
    try:
        part = parse_record(torn, partial=True)
    except InvalidRecord:
        assert whole is None
        assert b"\n\n" not in torn, "the tags are there, so the moves can be read"
        return "refused"
    count = len(part.moves)
    assert part.moves == record.moves[:count]
    assert part.final == known[count]
    assert bool(part.damage) == (whole is None)
    if end % 8 == 0:
        assert parse_record(format_record(part)) == part
    if whole is None:
        return "a part"
    assert part == whole
    return "whole"


@pytest.mark.promise("R16")
@pytest.mark.parametrize("many", [False, pytest.param(True, marks=pytest.mark.long)])
def test_golden_records_cut_off(many: bool, figure: Callable[[str], None]) -> None:
    counts: dict[str, int] = {"refused": 0, "a part": 0, "whole": 0}
    paths = PATHS if many else PATHS[::8]
    for path in paths:
        data = path.read_bytes()
        record = parse_record(data)
        known = boards(record)
        for end in places(data, many):
            try:
                counts[cut(data, end, record, known)] += 1
            except Exception as error:
                error.add_note(f"{path.name} cut off after {end} bytes")
                raise
    total = sum(counts.values())
    figure(f"{total:,} cuts of {len(paths)} records: {counts}")


@pytest.mark.promise("R16")
@pytest.mark.parametrize("number", range(4))
def test_awkward_records_cut_off_at_every_byte(number: int) -> None:
    """Comments, escapes and given tiles anywhere, in words of more than one byte a character."""
    record = make_record(random.Random(number), most_moves=15)
    data = format_record(record).encode()
    known = boards(record)
    for end in range(len(data)):
        cut(data, end, record, known)
