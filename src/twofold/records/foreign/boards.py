"""Boards in the formats of other programs, and twofold's own text.

Sixteen hexadecimal digits are the exponents of a 4x4 board, one digit a cell. twofold writes the
top-left cell first; programs in C++ often write the bottom-right cell first. The digits do not tell
the order, so the caller must.
"""

import json
import re
from typing import Final, NamedTuple

import msgspec

from twofold.board import Board
from twofold.errors import InvalidBoard, InvalidRecord
from twofold.limits import MAX_SAVED_GAME
from twofold.notation import check_length, printable, shown
from twofold.records.foreign.original import Number, parse_original, position_record, whole
from twofold.records.foreign.turns import described
from twofold.records.record import Record
from twofold.records.text import located

_HEX: Final = re.compile(r"(0[xX])?([0-9a-fA-F]{16})", re.ASCII)


class _JsonBoard(msgspec.Struct):
    board: list[list[Number | None]]
    score: Number | None = None


class ScoredBoard(NamedTuple):
    """A board, and its score in points if the text has one."""

    board: Board
    score: int | None = None


def parse_hex(text: str, *, low_first: bool = False) -> Board:
    """A 4x4 board from 16 hexadecimal digits; `low_first` as in nneonneo/2048-ai.

    >>> parse_hex("0x0000000000000012").tiles[3]
    (0, 0, 2, 4)
    >>> parse_hex("0x0000000000000012", low_first=True).tiles[0]
    (4, 2, 0, 0)
    """
    check_length(text, "a board", InvalidBoard)
    match = _HEX.fullmatch(text.strip())
    if not match:
        raise InvalidBoard(f"expected 16 hexadecimal digits, got {shown(text)}")
    digits = match[2][::-1] if low_first else match[2]
    return Board.from_bits(int(digits, 16))


def format_hex(board: Board, *, low_first: bool = False) -> str:
    """`0x` and 16 digits; raises `InvalidBoard` if it is not 4x4 or holds a tile past 32768."""
    if board.shape != (4, 4):
        raise InvalidBoard(f"expected a 4x4 board, got {board.rows}x{board.cols}")
    digits = f"{board.to_bits():016x}"
    return "0x" + (digits[::-1] if low_first else digits)


def parse_json_board(text: str) -> Record:
    """A board in `{"board": [[0, 2], [4, 0]], "score": 12}`, as a record without moves."""
    if len(text) > MAX_SAVED_GAME:
        raise InvalidRecord(
            f"expected a board of at most {MAX_SAVED_GAME} characters, got {len(text)}"
        )
    try:
        found = msgspec.json.decode(text, type=_JsonBoard)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        said = printable(str(error))[:200]
        raise InvalidRecord(f"expected a board as JSON, got {described(text)} ({said})") from None
    with located("board"):
        board = Board.from_tiles([[whole(tile or 0) for tile in row] for row in found.board])
    return position_record(board, whole(found.score or 0))


def format_json_board(record: Record) -> str:
    """The last position of a record, as `parse_json_board` reads it, with a line end."""
    game = record.replay()
    return json.dumps({"board": game.board.tiles, "score": game.score}) + "\n"


def parse_text_board(text: str) -> Record:
    """A board in twofold's own text, as a record without moves; raises `InvalidBoard`."""
    if _HEX.fullmatch(text.strip()) and text.strip()[:2] in ("0x", "0X"):
        raise InvalidBoard(
            f"the order of the cells in {shown(text)} is ambiguous. Choose the format hex "
            "(top-left cell first) or hex-low (bottom-right cell first)"
        )
    return position_record(Board.parse(text))


def parse_saved(text: str) -> ScoredBoard:
    """The position of a saved game of the original page; raises `InvalidBoard`."""
    try:
        record = parse_original(text)
    except InvalidRecord as error:
        raise InvalidBoard(str(error)) from None
    assert record.final is not None  # set by every parser
    return ScoredBoard(record.final, record.score)
