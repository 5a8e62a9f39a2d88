"""The replays of 2048-next and of 2048verse.com.

RPL1 is `REPLAY_v1RPL_B64_` and bytes in base 64, or a file of these bytes::

    "RPL1"  width(4 bits) height(4 bits)  flags(1)  number of start tiles(1)  [start time]
    start tiles  records  CRC-32(4)

The width is in the low bits. Flag 1: the time is there, in milliseconds since 1970; flag 8: start
tiles are long. A start tile is is-it-a-4(1 bit) cell(4 bits), a long one the number
2 cell + is-it-a-4. Numbers have seven bits a byte, the lowest first; bit 8 says that more follow.
A record below 0x80 is a move, is-it-a-4(1) cell(4) direction(2), and the milliseconds it took.
The others: 0x80 one undo, milliseconds; 0x81 many undos, their number, milliseconds; 0x82 a board,
5 bits a cell; 0x83 an extension, its kind, its length, its bytes; 0x84 the end; 0x85 a move of a
larger board, direction(1 byte), cell, is-it-a-4(1 byte), milliseconds. Extension 2 names the rules,
`pow2`; 8 is a spawn other than 2 and 4; others do not change a game of these rules.

v4C is `REPLAY_v4C_`, a letter for the kind of game (S, C, K or P), 16 exponents, then moves, each a
digit in an alphabet of 128: direction(2) is-it-a-4(1) cell(4). The digit 127 escapes: 0 after it is
the move 127, 1 an undo, 2 a tile placed by hand, which is refused.

In both, cells count row by row and directions are up, right, down, left.

Source: `src/core/replay-codec.ts` and `src/core/replay-v4-actions.ts` of
https://github.com/jieChris/2048-next.

The replays of 2048verse.com, in the new format and in the old one.

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

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final

from twofold.errors import InvalidRecord
from twofold.game.board import Board
from twofold.game.foreign.turns import (
    START_TILES,
    Turn,
    TurnTile,
    described,
    digit_of,
    format_date,
    to_record,
    whole_game,
)
from twofold.game.notation import parse_shape
from twofold.game.record import Record
from twofold.game.record_text import located
from twofold.game.rules import Move

PREFIX: Final = "REPLAY_v1RPL_B64_"
V4C_PREFIX: Final = "REPLAY_v4C_"
MAGIC: Final = b"RPL1"
V4C_KINDS: Final = "SCKP"
V4C_ALPHABET: Final = bytes([*range(33, 127), *range(161, 173), *range(174, 196)]).decode("latin-1")
"""The 128 digits of v4C: ASCII from `!` to `~`, and 34 characters of Latin-1."""

_TIMED, _LONG_TILES = 1, 8
_UNDO, _UNDOS, _BOARD, _EXTENSION, _END, _LONG_MOVE = range(0x80, 0x86)
_RULES_EXTENSION, _SPAWN_EXTENSION = 2, 8
_ESCAPE, _MOVE_127, _UNDO_V4C, _PLACED = 127, 0, 1, 2
_DIGITS: Final = {character: digit for digit, character in enumerate(V4C_ALPHABET)}


class _Reader:
    """Bytes read one after the other; raises `InvalidRecord` at their end."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.place = 0

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.place:
            raise InvalidRecord(f"expected {count} more bytes, got {len(self.data) - self.place}")
        self.place += count
        return self.data[self.place - count : self.place]

    def byte(self) -> int:
        return self.take(1)[0]

    def number(self) -> int:
        value = 0
        for shift in range(0, 63, 7):
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise InvalidRecord("expected a number of at most 9 bytes, got a longer one")


# ---- RPL1


def parse_next(text: str) -> Record:
    """Read a replay in RPL1, as base 64 or as bytes in Latin-1, and play it.

    Raises `InvalidRecord`, which says where.
    """
    data = _bytes(text)
    if len(data) < 11 or data[:4] != MAGIC:
        raise InvalidRecord(f"expected bytes that begin with RPL1, got {described(text)}")
    if binascii.crc32(data[:-4]) != int.from_bytes(data[-4:], "little"):
        raise InvalidRecord("expected the CRC-32 of the replay, got another one: it is damaged")
    reader = _Reader(data[4:-4])
    sides, flags, tiles = reader.take(3)
    cols, rows = sides & 15, sides >> 4
    date = format_date(reader.number()) if flags & _TIMED else ""
    with located("start tiles"):
        start = [_start_tile(reader, flags) for _ in range(tiles)]
    return to_record((rows, cols), start, _turns(reader, rows * cols), date=date)


def _bytes(text: str) -> bytes:
    try:
        if text.startswith(MAGIC.decode()):
            return text.encode("latin-1")
        return base64.b64decode("".join(text.removeprefix(PREFIX).split()), validate=True)
    except ValueError:
        raise InvalidRecord(f"expected {PREFIX} and base 64, got {described(text)}") from None


def _start_tile(reader: _Reader, flags: int) -> TurnTile:
    if flags & _LONG_TILES:
        number = reader.number()
        return TurnTile(number >> 1, 4 if number & 1 else 2)
    byte = reader.byte()
    return TurnTile(byte & 15, 4 if byte >> 4 & 1 else 2)


def _turns(reader: _Reader, cells: int) -> Iterator[Turn | int]:
    while reader.place < len(reader.data):
        kind = reader.byte()
        if kind < _UNDO:
            turn: Turn | int = _turn(kind & 3, kind >> 2 & 15, kind >> 6)
        elif kind in (_UNDO, _UNDOS):
            turn = 1 if kind == _UNDO else reader.number()
        elif kind == _LONG_MOVE:
            turn = _turn(reader.byte(), reader.number(), reader.byte())
        else:
            _pass_over(reader, kind, cells)
            continue
        reader.number()  # milliseconds
        yield turn


def _pass_over(reader: _Reader, kind: int, cells: int) -> None:
    if kind == _BOARD:
        reader.take((5 * cells + 7) // 8)
    elif kind == _EXTENSION:
        extension, value = reader.number(), reader.take(reader.number())
        if extension == _SPAWN_EXTENSION or (extension == _RULES_EXTENSION and value != b"pow2"):
            raise InvalidRecord(
                f"expected a game of 2048, got other rules: {described(str(value))}"
            )
    elif kind != _END:
        raise InvalidRecord(f"expected a record of RPL1, got one of the kind {kind:#04x}")


def _turn(direction: int, cell: int, is_four: int) -> Turn:
    if direction > 3 or is_four > 1:
        raise InvalidRecord(f"expected a move up, right, down or left, got {direction}, {is_four}")
    return Turn(Move(direction), TurnTile(cell, 4 if is_four else 2))


# ---- v4C


def parse_v4c(text: str) -> Record:
    """Read a replay in v4C and play it; raises `InvalidRecord`, which says where."""
    body = text.strip().removeprefix(V4C_PREFIX)
    if len(body) < 17 or body[0] not in V4C_KINDS or not text.strip().startswith(V4C_PREFIX):
        raise InvalidRecord(
            f"expected {V4C_PREFIX}, one of {V4C_KINDS} and 16 exponents, got {described(text)}"
        )
    with located("start board"):
        board = Board([digit_of(_DIGITS, character) for character in body[1:17]])
    return to_record(board.shape, board, _v4c_turns(digit_of(_DIGITS, one) for one in body[17:]))


def _v4c_turns(digits: Iterator[int]) -> Iterator[Turn | int]:
    for digit in digits:
        kind = next(digits, None) if digit == _ESCAPE else _MOVE_127
        if kind == _MOVE_127:
            yield _turn(digit >> 5, digit & 15, digit >> 4 & 1)
        elif kind == _UNDO_V4C:
            yield 1
        elif kind == _PLACED:
            raise InvalidRecord("expected a move, got a tile that was placed by hand")
        else:
            raise InvalidRecord(f"expected an escape from 0 to 2, got {kind}")


NEW: Final = "verse"
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
            value = value << 7 | digit_of(_NEW_CODES, character)
        exponent = (value >> 2 & 3) + 1
        spawn = _spawn(value >> 7 & 7, value >> 4 & 7, 1 << exponent, shape)
        yield Turn(_NEW_MOVES[value & 3], spawn)


def format_verse(record: Record) -> str:
    """A replay in the new format, with a line end; all times are written as unknown."""
    played = whole_game(record, NEW, NEW_SIDE, start_tiles=START_TILES)
    rows, cols = record.rules.shape
    meta = record.tags.get(META_TAG, "")
    text = f"{rows}x{cols}-{meta if _META.fullmatch(meta) else ''}_"
    start = [(Move.UP, *tile) for tile in played.start]  # moves that place the start tiles
    for move, cell, tile in start + [(step.move, step.cell, step.tile) for step in played.steps]:
        y, x = divmod(cell, cols)
        value = _NO_TIME | y << 7 | x << 4 | (tile == 4) << 2 | _NEW_MOVES.index(move)
        text += "".join(NEW_ALPHABET[value >> shift & 127] for shift in (14, 7, 0))
    return f"{text}\n"


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
        start = [_verse_start_tile(next(turns)) for _ in range(START_TILES)]
    return to_record(shape, start, turns)


def _verse_start_tile(turn: Turn) -> TurnTile:
    """The tile of one of the first two moves; programs disagree on those with a direction."""
    if turn.move != Move.UP:
        raise InvalidRecord("expected one of the first 32 characters for a start tile, got a move")
    return turn.spawn


def _old_turns(text: str, shape: tuple[int, int]) -> Iterator[Turn]:
    for character in text:
        code = digit_of(_OLD_CODES, character)
        spawn = _spawn(code & 3, code >> 2 & 3, 4 if code & 16 else 2, shape)
        yield Turn(Move(code >> 5), spawn)


# ---- both


def _spawn(y: int, x: int, tile: int, shape: tuple[int, int]) -> TurnTile:
    rows, cols = shape
    if y >= rows or x >= cols:
        raise InvalidRecord(
            f"expected a cell of a {rows}x{cols} board, got row {y + 1}, column {x + 1}"
        )
    return TurnTile(y * cols + x, tile)
