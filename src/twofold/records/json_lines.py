"""Many records in one file: JSON Lines, one JSON object a line, `schema` first.

A line begins::

    {"schema":1,"rules":"4x4 spawn=2:0.9,4:0.1 start=2 goal=2048 stop=never","seed":"7",...}

The content is that of `twofold.records.record`: moves as one text of `u r d l`, given tiles as
`[move number, cell, tile]`, comments by move number, seeds and boards as text.
"""

import os
from collections.abc import Iterable
from typing import Final

import msgspec

from twofold.board import Board
from twofold.errors import InvalidRecord
from twofold.files import atomic_write
from twofold.limits import MAX_RECORD_BYTES, MAX_RECORD_MOVES
from twofold.notation import MOVE_LETTERS, format_moves, parse_seed, printable, shown
from twofold.records.record import Record
from twofold.records.text import escape, located
from twofold.rules import MOVES_BY_LETTER, Rules

SCHEMA: Final = 1


class _RecordOutline(msgspec.Struct):
    """A line with its long parts not parsed."""

    schema: int
    moves: msgspec.Raw = msgspec.Raw(b'""')
    spawns: msgspec.Raw = msgspec.Raw(b"[]")


class _Line(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    schema: int
    rules: str
    seed: str | None = None
    board: str | None = None
    start_score: int = 0
    start_move: int = 0
    player: str = ""
    date: str = ""
    undos: int = 0
    hints: int = 0
    score: int | None = None
    result: str = ""
    final: str | None = None
    tags: dict[str, str] = {}
    moves: str = ""
    spawns: list[tuple[int, int, int]] = []
    comments: dict[int, str] = {}


_PLAIN: Final = (
    "start_score", "start_move", "player", "date", "undos", "hints", "score", "result",
)  # fmt: skip
"""Fields that lines and records have in common."""

_OUTLINE: Final = msgspec.json.Decoder(_RecordOutline)
_DECODER: Final = msgspec.json.Decoder(_Line)
_ENCODER: Final = msgspec.json.Encoder()


def format_line(record: Record) -> str:
    """One line of JSON, without the line end; inverse of `parse_line`."""
    line = _Line(
        schema=SCHEMA,
        rules=str(record.rules),
        seed=None if record.seed is None else str(record.seed),
        board=None if record.board is None else str(record.board),
        final=None if record.final is None else str(record.final),
        tags=dict(record.tags),
        moves=format_moves(record.moves),
        spawns=[(number, *spawn) for number, spawn in sorted(record.spawns.items())],
        comments=dict(sorted(record.comments.items())),
        **{name: getattr(record, name) for name in _PLAIN},
    )
    return escape(_ENCODER.encode(line).decode())


def parse_line(data: str | bytes) -> Record:
    """Read one line, play its moves and check the end; raises `InvalidRecord`."""
    if len(data) > MAX_RECORD_BYTES:
        raise InvalidRecord(
            f"expected a record of at most {MAX_RECORD_BYTES} bytes, got {len(data)}"
        )
    record = _to_record(_decode(data))
    record.replay()
    return record


def _decode(data: str | bytes) -> _Line:
    try:
        outline = _OUTLINE.decode(data)
        if outline.schema != SCHEMA:
            raise InvalidRecord(
                f"expected records of schema {SCHEMA}, got schema {shown(outline.schema)}"
            )
        if bytes(outline.spawns).count(b"[") > len(bytes(outline.moves)):  # moves has 2 quotes
            raise InvalidRecord("expected one new tile for each move, got more")
        return _DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InvalidRecord(
            f"expected a record as a JSON object, got {shown(_start(data))} ({_said(error)})"
        ) from None


def _said(error: Exception) -> str:
    """The text of an error, which may quote its input, made printable."""
    text = printable(str(error))
    return text if len(text) <= 200 else text[:200] + "..."


def _start(data: str | bytes) -> str:
    return data[:100] if isinstance(data, str) else data[:100].decode("utf-8", "replace")


def _to_record(line: _Line) -> Record:
    if len(line.moves) > MAX_RECORD_MOVES:
        raise InvalidRecord(
            f"expected a number of moves up to {MAX_RECORD_MOVES}, got {len(line.moves)}"
        )
    spawns = {number: (cell, tile) for number, cell, tile in line.spawns}
    if len(spawns) < len(line.spawns):
        raise InvalidRecord("expected one new tile for each move, got two for one")
    wrong = line.moves.strip(MOVE_LETTERS)
    if wrong:
        raise InvalidRecord(f"expected moves written as u, r, d or l, got {shown(wrong[:1])}")
    with located("record"):
        return Record(
            rules=Rules.parse(line.rules),
            seed=None if line.seed is None else parse_seed(line.seed),
            moves=tuple(map(MOVES_BY_LETTER.__getitem__, line.moves)),
            board=None if line.board is None else Board.parse(line.board),
            spawns=spawns,
            comments=line.comments,
            final=None if line.final is None else Board.parse(line.final),
            tags=line.tags,
            **{name: getattr(line, name) for name in _PLAIN},
        )


def write_records(path: str | os.PathLike[str], records: Iterable[Record]) -> None:
    """Write records to a file in one step; raises `InvalidInput` or `ResourceError`."""
    atomic_write(path, "".join(format_line(record) + "\n" for record in records))
