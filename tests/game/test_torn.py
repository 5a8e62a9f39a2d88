"""A record cut off anywhere is refused, or read up to its last valid move; nothing else."""

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest

from tests.golden.rewrite import FOLDER
from tests.support.generators import make_record
from twofold.errors import InvalidRecord
from twofold.game.board import Board
from twofold.game.record import Record, format_record, parse_record

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
