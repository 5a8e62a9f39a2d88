"""Mutated text given to every parser: read, or refused with its documented error.

Each input takes at most 50 ms for each 1,000 characters, and 64 MB. The time is measured with
--long; otherwise a guard of 20 times that finds what hangs. Memory is measured on one input in
MEASURED.
"""

import random
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

import pytest

from tests.game.replays import EXAMPLES
from tests.support.generators import (
    NASTY,
    make_answer,
    make_board,
    make_budget,
    make_command,
    make_record,
    make_replay,
    make_rules,
    make_spec,
)
from twofold.errors import InvalidInput, TwofoldError
from twofold.game.board import Board
from twofold.game.formats import FORMATS, find_format, format_game, parse_any_record, parse_position
from twofold.game.notation import format_spec, parse_seed, parse_spec
from twofold.game.record import format_line, format_record, parse_line, parse_record
from twofold.game.rules import Move, Rules
from twofold.players.engine.lines import format_line as format_message
from twofold.players.engine.lines import parse_answer, parse_command
from twofold.search.budget import Budget, parse_seconds

SECONDS: Final = 0.05
GUARD: Final = 20
BYTES: Final = 64 * 2**20
MEASURED: Final = 50

WORDS = [
    *["0", "1", "-1", "z", "zz", "x", "/", '"', '\\"', "\\", "\n\n", "\x00", "\x1b[2J", "２", "{}"],
    *["99999999999999999999", "1e308", "1e-400", "nan", "inf", "0x", "1.5", "null"],
    *["8x8:", "9x9:", "spawn=", "goal=", "start=0", "stop=goal", "@0:2", "@99:2", "@5:"],
    *['[Twofold "2"]', '[Seed "7"]', '{"schema":1}', "\\u0000", "\\ud800", "\ud800"],
    *["0" * 2_000, "9" * 5_000, "/" * 999, ":" * 999, "," * 999, "=" * 999, "e9" * 50],
    *["{" * 9_999, "[" * 9_999, "urdl" * 100, " " * 9_999, "\n" * 9_999],
    *["replay_", "4x4-_", "0131#D92", "a:b@0|", "|b@0", '{"grid":', "[4]", "(9)"],
    *["REPLAY_v1RPL_B64_", "RPL1", "REPLAY_v4C_S", '{"finalBoard":', "|" * 999, "|--" * 999],
]


class Parser(NamedTuple):
    """One parser and the texts that it reads."""

    parse: Callable[[str], object]
    make: Callable[[random.Random], str]


def parse_part(text: str) -> object:
    record = parse_record(text, partial=True)
    assert parse_record(format_record(record)) == record
    return record


def as_bytes(parse: Callable[[bytes], object]) -> Callable[[str], object]:
    return lambda text: parse(text.encode("utf-8", "surrogatepass"))


def tiles_text(rng: random.Random) -> str:
    board = make_board(rng)
    tiles = "/".join(" ".join(map(str, row)) for row in board.tiles)
    return f"{board.rows}x{board.cols}: {tiles}"


def record_text(rng: random.Random) -> str:
    return format_record(make_record(rng, most_moves=8))


def replay_text(rng: random.Random, name: str) -> str:
    """A short game; always the same one in a format that is only read."""
    if find_format(name).format is None:
        return EXAMPLES[name]
    return format_game(make_replay(rng, most_moves=8), name)


def game_parser(name: str) -> Parser:
    return Parser(partial(parse_any_record, form=name), partial(replay_text, name=name))


def printed_text(rng: random.Random) -> str:
    """A board of tiles between bars, or as lists."""
    tiles = make_board(rng).tiles
    if rng.random() < 0.5:
        return f"array({[list(row) for row in tiles]}, dtype=int32)"
    rows = ["|".join(f" {tile or ''} " for tile in row) for row in tiles]
    return "+----+\n" + "\n+----+\n".join(f"|{row}|" for row in rows) + "\n+----+"


def position_text(rng: random.Random) -> str:
    return replay_text(rng, "original") if rng.random() < 0.5 else str(make_board(rng))


PARSERS = {
    "board": Parser(Board.parse, lambda rng: str(make_board(rng))),
    "tiles": Parser(Board.parse, tiles_text),
    "move": Parser(Move.parse, lambda rng: rng.choice(["u", "right", "DOWN"])),
    "rules": Parser(Rules.parse, lambda rng: str(make_rules(rng))),
    "spec": Parser(parse_spec, lambda rng: format_spec(*make_spec(rng))),
    "budget": Parser(Budget.parse, lambda rng: str(make_budget(rng))),
    "seconds": Parser(parse_seconds, lambda rng: rng.choice(["50ms", "1s", "1.5", "2m"])),
    "seed": Parser(parse_seed, lambda rng: rng.choice(["{}", "{:#x}"]).format(rng.getrandbits(64))),
    "record": Parser(parse_record, record_text),
    "record bytes": Parser(as_bytes(parse_record), record_text),
    "record part": Parser(parse_part, record_text),
    "record line": Parser(parse_line, lambda rng: format_line(make_record(rng, most_moves=8))),
    "engine command": Parser(parse_command, lambda rng: format_message(make_command(rng))),
    "engine answer": Parser(parse_answer, lambda rng: format_message(make_answer(rng))),
    **{one.name: game_parser(one.name) for one in FORMATS},
    "printed board": Parser(Board.parse, printed_text),
    "any game": Parser(
        as_bytes(parse_any_record), lambda rng: replay_text(rng, rng.choice(FORMATS).name)
    ),
    "position": Parser(parse_position, position_text),
}


def mutate(rng: random.Random, text: str, other: str) -> str:
    """The text with one to four changes."""
    for _ in range(rng.choice([1, 1, 2, 4])):
        start, end = sorted(rng.randint(0, len(text)) for _ in range(2))
        near = min(start + rng.randint(1, 4), len(text))
        match rng.randrange(9):
            case 0:  # drop a few characters
                text = text[:start] + text[near:]
            case 1:  # drop many
                text = text[:start] + text[end:]
            case 2:  # put one in
                text = text[:start] + rng.choice(NASTY + "0123456789urdlxz") + text[start:]
            case 3:  # replace one
                text = text[:start] + rng.choice(NASTY + "0123456789urdlxz") + text[start + 1 :]
            case 4:  # put a word in
                text = text[:start] + rng.choice(WORDS) + text[start:]
            case 5:  # say something twice
                text = text[:end] + text[start:end] + text[end:]
            case 6:  # two texts in one
                text = text[:start] + other[rng.randint(0, len(other)) :]
            case 7:  # turn a part round
                text = text[:start] + text[start:end][::-1] + text[end:]
            case _:  # any character of all
                text = text[:start] + chr(rng.randrange(0x110000)) + text[near:]
    return text


@pytest.mark.promise("R22")
@pytest.mark.parametrize(
    "count",
    [pytest.param(2_000, id="ci"), pytest.param(1_000_000, id="long", marks=pytest.mark.long)],
)
@pytest.mark.parametrize("name", PARSERS)
def test_mutated_text(name: str, count: int, figure: Callable[[str], None]) -> None:
    parser = PARSERS[name]
    rng = random.Random(name)
    texts = [parser.make(rng) for _ in range(200)]
    most_seconds = SECONDS if count > 2_000 else GUARD * SECONDS
    slowest, largest, read = 0.0, 0, 0
    for number in range(count):
        text = mutate(rng, rng.choice(texts), rng.choice(texts))
        measured = number % MEASURED == 0
        if measured:
            tracemalloc.start()
        seconds, valid = attempt(parser.parse, text)
        read += valid
        if measured:
            largest = max(largest, tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
            continue
        most = most_seconds * max(1.0, len(text) / 1_000)
        if seconds > most:  # the machine may have been busy elsewhere
            seconds = min(attempt(parser.parse, text)[0] for _ in range(3))
        assert seconds < most, f"{seconds:.3f} s for {text!r}"
        slowest = max(slowest, seconds)
    assert largest < BYTES
    assert 0 < read < count, "some texts must still be valid, and some not"
    figure(f"{name}: {count:,}, {slowest * 1e3:.0f} ms and {largest / 2**20:.1f} MB at most")


def attempt(parse: Callable[[str], object], text: str) -> tuple[float, bool]:
    """Seconds of processor time, and whether the text was valid."""
    began = time.thread_time()
    valid = True
    try:
        parse(text)
    except InvalidInput as error:
        valid = False
        check_error(error, text)
    except Exception as error:
        error.add_note(f"given {text!r}")
        raise
    return time.thread_time() - began, valid


def check_error(error: TwofoldError, text: str) -> None:
    """One line that can be shown, without the input in full."""
    said = str(error)
    assert said.isprintable(), f"{said!r} for {text!r}"
    assert len(said) < 1_000, f"{said!r} for {text!r}"
    assert error.exit_code == 2
