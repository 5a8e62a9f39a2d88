"""The recordings of 2048EndgameTablebase: `.rpl` of its practice, `.vrs` of whole games.

Both are rows of little-endian numbers without gaps, with 4x4 boards of 64 bits: the exponents, the
top-left cell in the highest four bits, 15 for 32768 and larger tiles::

    .rpl  board(8) change(1) rates(4 x 4)      change = move(2) cell(4) is it a 4(1)
    .vrs  board(8) score(4) move(1)

A row of `.rpl` is a board, and the move and spawn after it; moves are left, right, up, down from 0,
cells count row by row. The last row only ends the file, with fixed numbers. The points before the
first board are not in it. The rates are the chances of success times 4e9; they are read over, and
written as 0. A row of `.vrs` is a board, its score and the move that led to it; moves are left,
right, up, down from 1. The spawn is the difference of two boards. Tiles that the program keeps as
walls, which do not merge, are no 2048, and are refused with the move.

Source: `engine_core/replay_utils.py`, `backend/analysis_core.py` and `tools/AItest.py` of
https://github.com/game-difficulty/2048EndgameTablebase.
"""

import struct
from collections.abc import Iterator
from typing import Final

from twofold.board import Board
from twofold.errors import InvalidRecord
from twofold.records.foreign.turns import TILES, Turn, TurnTile, check_shape, from_record, to_record
from twofold.records.record import Record
from twofold.rules import Move

RPL: Final = "rpl"
VRS: Final = "vrs"
SIDE: Final = 4

RPL_ROW: Final = struct.Struct("<QB4I")
VRS_ROW: Final = struct.Struct("<QIB")

RPL_END: Final = RPL_ROW.pack(0, 88, 666_666_666, 233_333_333, 314_159_265, 987_654_321)
"""The last row of `.rpl`; its board has no meaning."""

_MOVES: Final = (Move.LEFT, Move.RIGHT, Move.UP, Move.DOWN)
_LARGEST: Final = 15
"""Largest exponent of four bits."""


def parse_rpl(text: str) -> Record:
    """Read a `.rpl`, its bytes as characters of Latin-1, and play it; raises `InvalidRecord`."""
    data = _bytes(text, RPL_ROW)
    if len(data) < 2 * RPL_ROW.size or data[-RPL_ROW.size + 8 :] != RPL_END[8:]:
        raise InvalidRecord("expected rows of 25 bytes, the last one the end mark of .rpl")
    start = Board.from_bits(RPL_ROW.unpack_from(data)[0])
    return to_record((SIDE, SIDE), start, _rpl_turns(data[: -RPL_ROW.size], start))


def _rpl_turns(data: bytes, board: Board) -> Iterator[Turn]:
    for bits, change, *_ in RPL_ROW.iter_unpack(data):
        if bits != _bits(board):
            raise InvalidRecord(
                f"expected the board {_bits(board):016x} before it, got {bits:016x}"
            )
        move, spawn = _MOVES[change >> 5 & 3], TurnTile(change >> 1 & 15, 4 if change & 1 else 2)
        board = board.slide(move).board.place(*spawn)
        yield Turn(move, spawn)


def format_rpl(record: Record) -> str:
    """The rows of a game of at least one move, as characters; without chances of success."""
    check_shape(record, RPL, SIDE, SIDE)
    played = from_record(record, RPL)
    game = record.replay()
    if not played.turns or game.board.max_exponent > _LARGEST:
        raise InvalidRecord(
            f"expected a game of at least one move, up to the tile 32768, for the format {RPL}"
        )
    rows, board = [], game.start_board
    for (move, spawn, _), step in zip(played.turns, game.steps, strict=True):
        change = _MOVES.index(move) << 5 | spawn.cell << 1 | (spawn.tile == 4)
        rows.append(RPL_ROW.pack(board.to_bits(), change, 0, 0, 0, 0))
        board = step.board
    return b"".join([*rows, RPL_END]).decode("latin-1")


def parse_vrs(text: str) -> Record:
    """Read a `.vrs`, its bytes as characters of Latin-1, and play it; raises `InvalidRecord`."""
    data = _bytes(text, VRS_ROW)
    if not data:
        raise InvalidRecord("expected rows of 13 bytes, got none")
    bits, score, _ = VRS_ROW.unpack_from(data)
    start = Board.from_bits(bits)
    turns = _vrs_turns(data[VRS_ROW.size :], start, score)
    return to_record((SIDE, SIDE), start, turns, score=score)


def _vrs_turns(data: bytes, board: Board, points: int) -> Iterator[Turn]:
    for bits, score, number in VRS_ROW.iter_unpack(data):
        if not 1 <= number <= len(_MOVES):
            raise InvalidRecord(f"expected a move from 1 to 4, got {number}")
        move = _MOVES[number - 1]
        slid = board.slide(move).board
        spawn = _difference(slid, bits)
        board = slid.place(*spawn)
        yield Turn(move, spawn, score - points)
        points = score


def _difference(slid: Board, bits: int) -> TurnTile:
    """The tile that a board of 64 bits has more than another one."""
    change = bits - _bits(slid)
    cell = 15 - max(change.bit_length() - 1, 0) // 4
    tile = 1 << (change >> 4 * (15 - cell)) if 0 < change < 2**64 else 0
    if tile not in TILES or slid.exponents[cell] or change != (tile // 2) << 4 * (15 - cell):
        raise InvalidRecord(
            f"expected the board {_bits(slid):016x} and a tile 2 or 4, got {bits:016x}"
        )
    return TurnTile(cell, tile)


def format_vrs(record: Record) -> str:
    """The rows of a game, as characters."""
    check_shape(record, VRS, SIDE, SIDE)
    from_record(record, VRS)  # refuses what the format cannot hold
    game = record.replay()
    rows, score = [VRS_ROW.pack(_bits(game.start_board), 0, 0)], 0
    for step in game.steps:
        score += step.reward
        rows.append(VRS_ROW.pack(_bits(step.board), score, _MOVES.index(step.move) + 1))
    return b"".join(rows).decode("latin-1")


def _bytes(text: str, row: struct.Struct) -> bytes:
    try:
        data = text.encode("latin-1")
    except UnicodeEncodeError:
        raise InvalidRecord("expected bytes, got text") from None
    if len(data) % row.size:
        raise InvalidRecord(f"expected rows of {row.size} bytes, got {len(data)} bytes")
    return data


def _bits(board: Board) -> int:
    """The exponents in 64 bits, none above 15."""
    bits = 0
    for exponent in board.exponents:
        bits = bits << 4 | min(exponent, _LARGEST)
    return bits
