"""Games of other programs: reading, writing, detection, errors."""

import io
import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from tests.game.replays import (
    EXAMPLES,
    FINAL,
    MOVES,
    NEW_DIGITS,
    OLD_DIGITS,
    REPLAYS,
    SAVED,
    SCORE,
    SPAWNS,
    write_old,
)
from tests.support.generators import SHAPES, play_randomly
from twofold.errors import InvalidBoard, InvalidRecord
from twofold.game.board import Board
from twofold.game.foreign import replays
from twofold.game.formats import (
    FORMATS,
    Format,
    detect_format,
    format_game,
    format_games,
    format_of_file,
    games_of,
    left_out,
    parse_any_record,
    parse_position,
    read_any_record,
    read_games,
)
from twofold.game.game import Game
from twofold.game.record import Record, format_line, format_record
from twofold.game.rules import Rules
from twofold.limits import MAX_SAVED_GAME


@cache
def played(rules: Rules, seed: int, most: int = 20) -> Record:
    """A game to its end, or of some moves: the first legal move that is not the last one."""
    game = Game(rules, seed)
    last = None
    while (legal := game.legal_moves()) and game.move_number < most:
        last = next((move for move in legal if move is not last), legal[0])
        game.play(last)
    return Record.from_game(game, player="me", date="2026-11-21")


def game_of(record: Record) -> tuple[object, ...]:
    """The parts of a game that every replay holds."""
    game = record.replay()
    steps = [(step.move, step.cell, step.tile, step.board) for step in game.steps]
    return game.start_board, steps, game.score, game.board


# ---- one game in every format


@pytest.mark.parametrize("name", REPLAYS)
def test_a_replay_written_by_hand(name: str) -> None:
    text = REPLAYS[name]
    record = parse_any_record(text)
    assert format_game(record, "original") == SAVED + "\n"
    assert "".join(move.letter for move in record.moves) == MOVES
    assert dict(record.spawns) == SPAWNS
    assert (str(record.board), str(record.final)) == ("1001/0000/0000/0000", FINAL)
    assert (record.score, record.result, record.rules) == (SCORE, "4 going", Rules())
    assert record.player == ("TDL2048" if name == "moporgic" else "")
    assert record.date == ("2025-11-21T22:49:30+00:00" if name == "moporgic" else "")


def test_formats_of_files() -> None:
    for one in FORMATS:
        if one.suffix:
            assert format_of_file(f"a{one.suffix.upper()}") is one
    assert format_of_file("a.txt") is format_of_file("a") is None


@pytest.mark.parametrize("name", [one.name for one in FORMATS])
def test_a_text_in_no_format(name: str) -> None:
    with pytest.raises(InvalidRecord, match="expected"):
        parse_any_record("a game of chess", name)


# ---- every row of the table


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.name)
def test_the_example_of_every_form(one: Format) -> None:
    """It is recognised, read, written again as it is, and read from other encodings."""
    name, example = (None if one.begins else one.name), EXAMPLES[one.name]
    record = parse_any_record(example, name)
    assert parse_position(example, name).board == record.replay().board
    assert parse_position(example, name).score == (None if one.is_board else record.score)
    if one.begins:
        assert detect_format(example) is one
    if one.format is None:
        with pytest.raises(InvalidRecord, match=f"got {one.name}, which is only read"):
            format_game(record, one.name)
    else:
        assert format_game(record, one.name) == example
    if one.is_binary:
        assert parse_any_record(example.encode("latin-1")) == record
        return
    quoted = [f"'{example.strip()}'"] * (one.name not in ("twofold", "jsonl"))
    for text in (example.replace("\n", "\r\n"), json.dumps(example), *quoted):
        assert parse_any_record(text, name) == record
        assert parse_any_record("\ufeff" + text, name) == record
        assert parse_any_record(text.encode("utf-16"), name) == record  # as PowerShell writes it
        assert list(games_of(io.BytesIO(text.encode("utf-16")), name)) == [record]
    assert list(games_of(io.BytesIO(example.encode()), name)) == [record]


def test_the_page_lists_every_form() -> None:
    page = Path("docs/reference/formats.md").read_text(encoding="utf-8")
    for one in FORMATS:
        assert re.search(rf"^\| `{one.name}` \|.*\| {re.escape(one.suffix)} \|$", page, re.M)


def test_several_records_in_one_file(tmp_path: Path) -> None:
    records = [played(Rules(2, 2), seed) for seed in (1, 2, 3)]
    path = tmp_path / "three.2048"
    path.write_text("\n".join(map(format_record, records)))
    assert list(read_games(path)) == records
    with pytest.raises(InvalidRecord, match=r"one game, got several .* OUT --game N takes one"):
        read_any_record(path)
    with pytest.raises(InvalidRecord, match=r"Choose one with --game N, or .* with --to jsonl"):
        list(format_games(records, "verse"))
    path.write_text(path.read_text().replace('Seed "2"', 'Seed "x"'))
    with pytest.raises(InvalidRecord, match=r"three.2048', game from line 12 on: line 3: tag Seed"):
        list(read_games(path))


STORED = json.dumps({"bestScore": "20", "gameState": SAVED, "theme": "dark"})


@pytest.mark.parametrize(
    ("text", "board", "score"),
    [
        *(
            (text, FINAL, SCORE)
            for text in (
                STORED,
                json.dumps(STORED),
                json.dumps(SAVED),
                json.dumps({"gameState": json.loads(SAVED)}),
                json.dumps(json.loads(SAVED), indent=2),
                "\n " + SAVED,
                SAVED.replace('"score":4', '"score":4,"bestScore":20'),
            )
        ),
        *(
            (text, "2x2:02/10", 12)
            for text in (
                '{"grid":{"size":"2","cells":[[null,{"value":"2"}],[{"value":"4"},null]]},"score":12}',
                '{"grid":{"size":2.0,"cells":[[null,{"value":2.0}],[{"value":4.0},0]]},"score":12}',
                '{"grid":{"size":2,"cells":[[0,2],[4,null]]},"score":"12"}',
                '{"grid":{"size":{"x":2,"y":2},"cells":[[0,"2"],["4.0",0]]},"score":12.0}',
                '{"version":3,"seed":{"a":[1]},"grid":{"cells":[[0,2],[4,0]]},"moves":[],"score":12}',
            )
        ),
    ],
)
def test_saved_games_of_pages(text: str, board: str, score: int) -> None:
    assert parse_position(text) == (Board.parse(board), score)


@pytest.mark.parametrize(
    ("board", "rules", "over", "won", "keep"),
    [
        ("1000/0000/0000/0001", "4x4", False, False, False),
        ("b000/0000/0000/0001", "4x4", False, True, True),
        ("b000/0000/0000/0001", "4x4 stop=goal", False, True, False),
        ("1212/2121/1212/2121", "4x4", True, False, False),
    ],
)
def test_how_a_game_stands(board: str, rules: str, over: bool, won: bool, keep: bool) -> None:
    game = Game.from_board(board, rules, seed=0)
    state = json.loads(format_game(Record.from_game(game), "original"))
    assert (state["over"], state["won"], state["keepPlaying"]) == (over, won, keep)


# ---- what is no board


@pytest.mark.parametrize(
    ("text", "form", "message"),
    [
        ("0x123456789abcdef0", None, "'0x123456789abcdef0' is ambiguous. Choose the format hex"),
        ("0x123456789abcdef0", "text", "is ambiguous"),
        ("123456789abcdef", "hex", "expected 16 hexadecimal digits, got '123456789abcdef'"),
        ("123456789abcdefg", "hex-low", "expected 16 hexadecimal digits"),
        ("1" * 10**5, "hex", "expected a board of at most 1000 characters"),
        ("1234", "original", "expected a saved game as JSON"),
        ("{}", None, "expected a game or a board in a known form, got '{}'"),
        ("12 13/4", None, "expected a tile that is 0 or a power of two"),
        ('{"board": [[2, 3]]}', None, "board: expected a tile that is 0 or a power of two"),
        ('{"board": [[2], [2, 4]]}', None, "board: expected rows of equal length"),
        ('{"board": "2 4"}', None, "expected a board as JSON"),
        ('{"board": [[2, 2]], "score": -1}', None, "expected a score from 0"),
        ('{"board": "' + "2" * 200_000, None, "expected a board of at most 100000 characters"),
        ('{"grid":{"cells":[[null,{"value":-2}]]}}', None, "expected a tile that is 0 or a power"),
        ("1234/5678/9abc/def0", "fen", r"expected a format \(twofold, jsonl, .*\), got 'fen'"),
        ("{" * (MAX_SAVED_GAME + 1), None, "in a known form"),
    ],
)
def test_invalid_boards_are_refused(text: str, form: str | None, message: str) -> None:
    with pytest.raises(InvalidBoard, match=message):
        parse_position(text, form)


# ---- whole games


@pytest.mark.promise("R21")
@pytest.mark.parametrize("name", ["verse", "moporgic"])
def test_whole_games_of_every_shape(name: str, figure: Callable[[str], None]) -> None:
    games = moves = 0
    for shape in SHAPES:
        record = played(Rules(*shape), 7, most=40 if max(shape) <= 4 else 20)
        if name == "moporgic" and shape != (4, 4):
            with pytest.raises(InvalidRecord, match="expected a 4x4 board for the format"):
                format_game(record, name)
            continue
        text = format_game(record, name)
        again = parse_any_record(text)
        assert game_of(again) == game_of(record)
        assert format_game(again, name) == text
        assert parse_any_record(format_record(again)) == again
        games, moves = games + 1, moves + len(record.moves)
    figure(f"{name}: {games} whole games of as many shapes, {moves:,} moves, equal both ways")


def test_the_alphabets_are_those_of_the_site() -> None:
    assert replays.NEW_ALPHABET == NEW_DIGITS
    assert replays.OLD_ALPHABET == OLD_DIGITS


@pytest.mark.parametrize("shape", [(4, 4), (3, 4), (2, 4), (1, 2)])
def test_the_old_form_of_2048verse_is_read(shape: tuple[int, int]) -> None:
    rng = random.Random(1)
    game = Game(Rules(*shape), seed=11)
    for _ in range(60):
        play_randomly(rng, game, giving=0.3)
    record = Record.from_game(game)
    start = [("u", cell, 1 << e) for cell, e in enumerate(game.start_board.exponents) if e]
    steps = [*start, *((step.move.letter, step.cell, step.tile) for step in game.steps)]
    header = "replay_" if shape == (4, 4) else f"replay_{shape[0]}x{shape[1]}"
    old = parse_any_record(header + write_old(steps, shape[1]))
    assert (old.moves, old.final, old.score) == (record.moves, record.final, record.score)


# ---- what a format cannot hold


@pytest.mark.parametrize(
    ("record", "name", "message"),
    [
        (played(Rules(3, 4), 1), "moporgic", "a 4x4 board for the format moporgic"),
        (played(Rules(3, 4), 1), "original", "a square board for the format original"),
        (played(Rules(start_tiles=3), 1), "verse", "from its 2 start tiles on"),
        (played(Rules(spawn=((8, 1.0),)), 1), "verse", "only the new tiles 2 and 4 .*, got 8"),
        (parse_any_record(SAVED), "verse", "got one that begins on .* with 4 points"),
        (played(Rules(3, 4), 1), "hex", "expected a 4x4 board, got 3x4"),
        (parse_any_record("g000/0000/0000/0000"), "hex", "expected tiles up to 32768"),
    ],
)
def test_games_that_a_format_cannot_hold_are_refused(
    record: Record, name: str, message: str
) -> None:
    with pytest.raises((InvalidRecord, InvalidBoard), match=message):
        format_game(record, name)


def test_left_out_parts_are_named() -> None:
    game = Game(Rules(goal=64), seed=5, undos=2)
    game.play(game.legal_moves()[0])
    record = Record.from_game(
        game, player="a@b|c", date="yesterday", comments={1: "well"}, tags={"Event": "home"}
    )
    text = format_game(record, "moporgic")
    assert text.startswith("a_b_c:place@0|")
    assert left_out(record, "moporgic", text) == (
        "the rules", "the seed", "the comments", "the player", "the date",
        "the number of undos", "the further tags",
    )  # fmt: skip
    assert left_out(record, "twofold", format_record(record)) == ()
    assert "the moves" in left_out(record, "original", format_game(record, "original"))
    bare = replace(record, score=None, final=None, result="")
    assert left_out(bare, "moporgic", text) == left_out(record, "moporgic", text)
    with pytest.raises(InvalidRecord, match="expected the same game from its text in verse"):
        left_out(record, "verse", REPLAYS["verse"])


@pytest.mark.parametrize("name", ["verse", "verse-old"])
def test_replays_from_old_editors(name: str) -> None:
    text = REPLAYS[name]
    assert parse_any_record(text.encode("cp1252")) == parse_any_record(text)
    assert parse_any_record("\ufeff" + text) == parse_any_record(text)
    with pytest.raises(InvalidRecord, match="expected a record in UTF-8"):
        parse_any_record(text.encode() + b"\x81\xff")


# ---- files


def test_errors_of_files(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text("replay_ ,@  ", encoding="utf-8")
    for read in (read_any_record, lambda path: list(read_games(path))):
        with pytest.raises(InvalidRecord, match=r"game.txt.*: move 2: expected"):
            read(path)
    with pytest.raises(InvalidRecord, match="cannot read"):
        read_any_record(tmp_path / "missing")


def test_many_games_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "stats.txt"
    records = [played(Rules(), seed) for seed in range(3)]
    path.write_text("\n".join(format_games(records, "moporgic")), encoding="utf-8")
    assert [game_of(one) for one in read_games(path)] == [game_of(one) for one in records]
    with path.open("a", encoding="utf-8") as file:
        file.write("a@0|0131#U92|b@0\n")
    found = read_games(path)
    assert len([next(found) for _ in range(3)]) == 3
    with pytest.raises(InvalidRecord, match=r"stats.txt', line 6: move 1: expected a legal move"):
        next(found)


def test_a_stream_is_read_no_further_than_needed() -> None:
    line = (format_line(parse_any_record(REPLAYS["verse"])) + "\n").encode()
    stream = io.BytesIO(100 * line)
    next(games_of(stream))
    assert stream.tell() <= 2 * len(line)


# ---- files that the programs themselves have written

SAMPLES = Path(__file__).parent / "samples"
"""`.rpl` and `.vrs`: rows as `backend/analysis_core.py` and `tools/AItest.py` of
2048EndgameTablebase write them, with their types of rows and their end mark. `next-v4c.txt`:
`js/core_replay_codec_runtime.js` of 2048-next in Node, with an undo. `next.txt`: a ranked game of
2048-next, with extensions."""


@pytest.mark.parametrize(
    ("name", "form", "moves", "score", "undos"),
    [
        ("game.rpl", "rpl", "rludullllrulullulrlu", 60, 0),
        ("game.vrs", "vrs", "rludullllrulullulrlu", 60, 0),
        ("next-v4c.txt", "next-v4c", "lru", 0, 1),
        ("next.txt", "next", "l", 8, 0),
    ],
)
def test_real_files(name: str, form: str, moves: str, score: int, undos: int) -> None:
    data = (SAMPLES / name).read_bytes()
    record = read_any_record(SAMPLES / name)
    assert record == parse_any_record(data, form) == next(games_of(io.BytesIO(data)))
    assert "".join(move.letter for move in record.moves) == moves
    assert (record.score, record.undos) == (score, undos)
