"""The replays of 2048verse.com, in the new format and in the old one.

New: `4x4-`, something without `_`, `_`, then three characters a move in an alphabet of 128, the
most significant first. They are a number of 21 bits::

    multiplier(8) resolution(3) y(3) x(3) exponent - 1(2) direction(2)

with the directions up, down, left, right. The first two parts are the time in milliseconds, all
ones if unknown.

Old, also that of 2048league: `replay_`, for boards other than 4x4 with the shape (`replay_3x4`),
then one character a move in another alphabet of 128, a number of 7 bits::

    direction(2) is it a 4(1) x(2) y(2)

with the directions up, right, down, left. In both formats x counts columns and y counts rows, and
the first two moves only place tiles.

Source: https://github.com/2048Verse/2048-replay-utils; the meaning of shapes also from
https://github.com/game-difficulty/2048EndgameTablebase.
"""

import re
from collections.abc import Iterator
from typing import Final

from twofold.errors import InvalidRecord
from twofold.notation import parse_shape
from twofold.records.foreign.turns import (
    START_TILES,
    Turn,
    TurnTile,
    check_shape,
    described,
    from_record,
    to_record,
)
from twofold.records.record import Record
from twofold.records.text import located
from twofold.rules import Move

NEW: Final = "verse"
OLD: Final = "verse-old"

NEW_SIDE: Final = 8
"""Largest number of rows or columns in the new format, with three bits each."""

OLD_SIDE: Final = 4
"""Largest number of rows or columns in the old format, with two bits each."""

META_TAG: Final = "VerseMeta"
"""Tag of a record for the text between `-` and `_` in the new format."""

NEW_ALPHABET: Final = (
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    + "".join(map(chr, range(0xC0, 0x100)))
    + "¤¾"
)
"""The 128 characters of the new format: digits, letters, and those of Latin-1."""

OLD_ALPHABET: Final = bytes([*range(0x20, 0x7F), *range(0x80, 0xA1)]).decode("cp850")
"""The 128 characters of the old format: the printable ones of code page 850, from the space to
`á`."""

_NEW_CODES: Final = {character: code for code, character in enumerate(NEW_ALPHABET)}
_OLD_CODES: Final = {character: code for code, character in enumerate(OLD_ALPHABET)}
_NEW_MOVES: Final = (Move.UP, Move.DOWN, Move.LEFT, Move.RIGHT)
_NEW_HEADER: Final = re.compile(r"([0-9]{1,9}x[0-9]{1,9})-([^_]*)_", re.ASCII)
_OLD_HEADER: Final = re.compile(r"replay(?:[:_]([0-9]x[0-9])?)?", re.ASCII)
_NO_TIME: Final = 0b111_1111_1111 << 10
_META: Final = re.compile(r"[\x20-\x5e\x60-\x7e]*")


# ---- the new format


def parse_verse(text: str) -> Record:
    """Read a replay in the new format and play its moves; raises `InvalidRecord`."""
    body = text.strip()
    header = _NEW_HEADER.match(body)
    if not header:
        raise InvalidRecord(
            f"expected a replay that begins with a shape such as 4x4-_, got {described(text)}"
        )
    shape = parse_shape(header[1], InvalidRecord)
    moves = body[header.end() :]
    if len(moves) % 3 or len(moves) < 3 * START_TILES:
        raise InvalidRecord(
            f"expected 3 characters a move and at least {START_TILES} moves, "
            f"got {len(moves)} characters"
        )
    turns = _new_turns(moves, shape)
    with located("start tiles"):
        start = [next(turns).spawn for _ in range(START_TILES)]
    tags = {META_TAG: header[2]} if header[2] else {}
    return to_record(shape, start, turns, tags=tags)


def _new_turns(text: str, shape: tuple[int, int]) -> Iterator[Turn]:
    for position in range(0, len(text), 3):
        value = 0
        for character in text[position : position + 3]:
            value = value << 7 | _code(_NEW_CODES, character)
        exponent = (value >> 2 & 3) + 1
        spawn = _spawn(value >> 7 & 7, value >> 4 & 7, 1 << exponent, shape)
        yield Turn(_NEW_MOVES[value & 3], spawn)


def format_verse(record: Record) -> str:
    """A replay in the new format, with a line end; all times are written as unknown."""
    check_shape(record, NEW, NEW_SIDE)
    rows, cols = record.rules.shape
    played = from_record(record, NEW, START_TILES)
    first = "".join(_format_new(0, tile, cols) for tile in played.start)
    rest = "".join(
        _format_new(_NEW_MOVES.index(turn.move), turn.spawn, cols) for turn in played.turns
    )
    meta = record.tags.get(META_TAG, "")
    meta = meta if _META.fullmatch(meta) else ""
    return f"{rows}x{cols}-{meta}_{first}{rest}\n"


def _format_new(direction: int, spawn: TurnTile, cols: int) -> str:
    y, x = divmod(spawn.cell, cols)
    value = _NO_TIME | y << 7 | x << 4 | (spawn.tile == 4) << 2 | direction
    return "".join(NEW_ALPHABET[value >> shift & 127] for shift in (14, 7, 0))


# ---- the old format


def parse_verse_old(text: str) -> Record:
    """Read a replay in the old format and play its moves; raises `InvalidRecord`.

    A space is also a move, so that only line ends are stripped from the text.
    """
    body = text.rstrip("\r\n")
    header = _OLD_HEADER.match(body)
    if not header:
        raise InvalidRecord(f"expected a replay that begins with replay_, got {described(text)}")
    shape = parse_shape(header[1] or "4x4", InvalidRecord)
    if max(shape) > OLD_SIDE:
        raise InvalidRecord(f"expected at most {OLD_SIDE} rows and columns, got {header[1]}")
    moves = body[header.end() :]
    if len(moves) < START_TILES:
        raise InvalidRecord(f"expected at least {START_TILES} moves, got {len(moves)} characters")
    turns = _old_turns(moves, shape)
    with located("start tiles"):
        start = [_start_tile(next(turns)) for _ in range(START_TILES)]
    return to_record(shape, start, turns)


def _start_tile(turn: Turn) -> TurnTile:
    """The tile of one of the first two moves; programs disagree on those with a direction."""
    if turn.move != Move.UP:
        raise InvalidRecord("expected one of the first 32 characters for a start tile, got a move")
    return turn.spawn


def _old_turns(text: str, shape: tuple[int, int]) -> Iterator[Turn]:
    for character in text:
        code = _code(_OLD_CODES, character)
        spawn = _spawn(code & 3, code >> 2 & 3, 4 if code & 16 else 2, shape)
        yield Turn(Move(code >> 5), spawn)


def format_verse_old(record: Record) -> str:
    """A replay in the old format, with a line end; raises `InvalidRecord` if it cannot hold it."""
    check_shape(record, OLD, OLD_SIDE)
    rows, cols = record.rules.shape
    played = from_record(record, OLD, START_TILES)
    first = "".join(_format_old(Move.UP, tile, cols) for tile in played.start)
    rest = "".join(_format_old(turn.move, turn.spawn, cols) for turn in played.turns)
    shape = "" if (rows, cols) == (4, 4) else f"{rows}x{cols}"
    return f"replay_{shape}{first}{rest}\n"


def _format_old(move: Move, spawn: TurnTile, cols: int) -> str:
    y, x = divmod(spawn.cell, cols)
    return OLD_ALPHABET[move << 5 | (spawn.tile == 4) << 4 | x << 2 | y]


# ---- both


def _code(codes: dict[str, int], character: str) -> int:
    code = codes.get(character)
    if code is None:
        raise InvalidRecord(
            f"expected one of the 128 characters of the format, got {described(character)}"
        )
    return code


def _spawn(y: int, x: int, tile: int, shape: tuple[int, int]) -> TurnTile:
    rows, cols = shape
    if y >= rows or x >= cols:
        raise InvalidRecord(
            f"expected a cell of a {rows}x{cols} board, got row {y + 1}, column {x + 1}"
        )
    return TurnTile(y * cols + x, tile)
