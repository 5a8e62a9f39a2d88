"""Boards in the formats of other programs, and twofold's own text.

Sixteen hexadecimal digits are the exponents of a 4x4 board, one digit a cell. twofold writes the
top-left cell first; programs in C++ often write the bottom-right cell first. The digits do not tell
the order, so the caller must.
"""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from twofold.board import Board
from twofold.errors import InvalidBoard, InvalidRecord
from twofold.limits import MAX_SAVED_GAME
from twofold.notation import check_length, shown
from twofold.records.foreign.original import parse_original

_HEX: Final = re.compile(r"(0[xX])?([0-9a-fA-F]{16})", re.ASCII)


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


def parse_saved(text: str) -> ScoredBoard:
    """The position of a saved game of the original page; raises `InvalidBoard`."""
    try:
        record = parse_original(text)
    except InvalidRecord as error:
        raise InvalidBoard(str(error)) from None
    assert record.final is not None  # set by every parser
    return ScoredBoard(record.final, record.score)


def _parse_text(text: str) -> ScoredBoard:
    if text.strip().lower().startswith("0x") and _HEX.fullmatch(text.strip()):
        raise InvalidBoard(
            f"the order of the cells in {shown(text)} is ambiguous. Choose the format hex "
            "(top-left cell first) or hex-low (bottom-right cell first)"
        )
    return ScoredBoard(Board.parse(text))


_PARSERS: Final[dict[str, Callable[[str], ScoredBoard]]] = {
    "text": _parse_text,
    "hex": lambda text: ScoredBoard(parse_hex(text)),
    "hex-low": lambda text: ScoredBoard(parse_hex(text, low_first=True)),
    "original": parse_saved,
}

BOARD_FORMATS: Final = tuple(_PARSERS)
"""Names of the formats: twofold's text, hexadecimal digits from the top-left cell, the same from
the bottom-right cell, and the saved game of the original page."""

MAX_BOARD_TEXT: Final = MAX_SAVED_GAME
"""Longest text of a board in any format, in characters."""


def parse_position(text: str, form: str | None = None) -> ScoredBoard:
    """Read a board in one of `BOARD_FORMATS`; None means `original` for JSON, otherwise `text`."""
    if form is None:
        form = "original" if text.lstrip()[:1] in ("{", '"') else "text"
    if form not in _PARSERS:
        raise InvalidBoard(
            f"expected a format of boards ({', '.join(BOARD_FORMATS)}), got {shown(form)}"
        )
    return _PARSERS[form](text)
