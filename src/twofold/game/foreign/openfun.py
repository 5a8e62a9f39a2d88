"""The shared games of Open Fun Game 2048 (andstatus): JSON objects one after another.

The first one is about the game, each of the others is a ply; line ends may stand between them::

    {"note":"","start":"2026-11-21T10:00:00+00:00","finalBoard":{"plyNumber":3,"pieces":[...],
     "score":4,"time":"...","playedSeconds":9},"bookmarks":[],"id":1,
     "type":"org.andstatus.game2048:GameRecord:2"}
    {"seconds":0,"moves":[{"move":"place","first":{"piece":1,"square":{"x":1,"y":0}}}]}
    {"seconds":1,"moves":[{"move":"one","first":{...},"destination":{"x":0,"y":0}}],
     "player":"user","ply":"left"}

A piece is an exponent, 0 for an empty cell; `pieces` has them row by row; x counts columns. A ply
without a direction places a tile, or loads a position, which only the first ply may do. Games begin
with one tile. What the pieces of a move do follows from its direction; it is read over, and
written. Older games have `playersMoves` in the first object, `moveEnum` for `ply`, `moveName` for
`move`, and half the points. Boards are square, from 3x3 to 8x8.

Source: `GameRecord.kt`, `ShortRecord.kt`, `GamePosition.kt`, `Ply.kt` and `PieceMove.kt` of
https://github.com/andstatus/game2048.
"""

import json
import math
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, Final, TypeVar

import msgspec

from twofold.errors import InvalidRecord
from twofold.game.board import Board
from twofold.game.foreign.turns import (
    Turn,
    TurnTile,
    described,
    format_date,
    json_errors,
    milliseconds_of,
    to_record,
    whole_game,
)
from twofold.game.game import slides
from twofold.game.notation import printable, shown
from twofold.game.record import Record
from twofold.game.record_text import located
from twofold.game.rules import Move
from twofold.limits import MAX_EXPONENT, MAX_SIDE

NAME: Final = "openfun"
LEAST_SIDE: Final = 3
TYPE: Final = "org.andstatus.game2048:GameRecord:2"

_MOVES: Final = {move.name.lower(): move for move in Move}
_DECODER: Final = json.JSONDecoder()
_NEXT: Final = re.compile(r"\S")

Kind = TypeVar("Kind")


class _Square(msgspec.Struct):
    x: int
    y: int


class _Piece(msgspec.Struct):
    piece: int
    square: _Square


class _Position(msgspec.Struct):
    pieces: list[int]
    score: int = 0


class _PieceMove(msgspec.Struct):
    first: _Piece | None = None
    board: _Position | None = None


class _Ply(msgspec.Struct, rename="camel"):
    moves: list[_PieceMove] = []
    ply: str = "place"
    move_enum: str = ""


class _Head(msgspec.Struct, rename="camel"):
    final_board: _Position
    start: str = ""
    players_moves: list[_Ply] = []


def parse_openfun(text: str) -> Record:
    """Read a shared game and play it; raises `InvalidRecord`, which says where."""
    documents = _documents(text)
    head = _convert(next(documents, None), _Head)
    plies = chain(head.players_moves, (_convert(document, _Ply) for document in documents))
    board = _board(head.final_board)
    start: list[TurnTile] | Board = []
    score, first = 0, None
    with located("start tiles"):
        for ply in plies:
            if _name(ply) in _MOVES:
                first = ply
                break
            if ply.moves and (position := ply.moves[0].board):
                start, score = _board(position), position.score
            elif isinstance(start, Board):
                start = start.place(*_placed(ply, board.cols))
            else:
                start.append(_placed(ply, board.cols))
    moves = _turns(chain([first], plies) if first else plies, board.cols)
    date = format_date(milliseconds_of(head.start)) and head.start
    record = to_record(board.shape, start, moves, score=score, date=date)
    points = head.final_board.score
    if record.final != board or record.score not in (points, 2 * points):
        raise InvalidRecord(
            f"expected finalBoard {record.final} with {record.score} points after the last move, "
            f"got {board} with {shown(points)}"
        )
    return record


def _documents(text: str) -> Iterator[Any]:
    position = 0
    while match := _NEXT.search(text, position):
        try:
            found, position = _DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError) as error:
            raise InvalidRecord(
                "expected JSON objects one after another, "
                f"got {described(text[position:])} ({printable(str(error))[:200]})"
            ) from None
        yield found


def _convert(document: Any, kind: type[Kind]) -> Kind:
    with json_errors("a shared game of Open Fun Game 2048"):
        return msgspec.convert(document, kind)


def _name(ply: _Ply) -> str:
    return ply.move_enum or ply.ply


def _board(position: _Position) -> Board:
    side = math.isqrt(min(len(position.pieces), MAX_SIDE**2))
    return Board(position.pieces, (side, side))


def _placed(ply: _Ply, cols: int) -> TurnTile:
    first = ply.moves[0].first if ply.moves else None
    if _name(ply) != "place" or first is None:
        raise InvalidRecord(f"expected a tile that is placed, got {described(_name(ply))}")
    x, y = first.square.x, first.square.y
    if not (0 <= x < cols and 0 <= y < cols and 0 < first.piece <= MAX_EXPONENT):
        raise InvalidRecord(
            f"expected a piece on the board, got {shown(first.piece)} on x {shown(x)}, y {shown(y)}"
        )
    return TurnTile(y * cols + x, 1 << first.piece)


def _turns(plies: Iterator[_Ply], cols: int) -> Iterator[Turn]:
    for ply in plies:
        if _name(ply) not in _MOVES:
            raise InvalidRecord(f"expected left, right, up or down, got {described(_name(ply))}")
        spawn = next(plies, None)
        if spawn is None:
            raise InvalidRecord("expected a tile that is placed after the move, got the end")
        yield Turn(_MOVES[_name(ply)], _placed(spawn, cols))


def format_openfun(record: Record) -> str:
    """A shared game, with a line end; the times of moves are 0."""
    played = whole_game(record, NAME, MAX_SIDE, LEAST_SIDE)
    rows, cols = record.rules.shape
    if rows != cols:
        raise InvalidRecord(f"expected a square board for the format {NAME}, got {rows}x{cols}")
    plies = [_place_ply(cell, tile, cols) for cell, tile in played.start]
    board = played.board
    for step in played.steps:
        plies += [_move_ply(board, step.move), _place_ply(step.cell, step.tile, cols)]
        board = step.board
    time = format_date(milliseconds_of(record.date)) or "1970-01-01"
    time = time if "T" in time else f"{time}T00:00:00+00:00"
    final = {
        "plyNumber": len(plies),
        "pieces": board.exponents,
        "score": played.game.score,
        "time": time,
        "playedSeconds": 0,
    }
    head = {"note": "", "start": time, "finalBoard": final, "bookmarks": [], "id": 1, "type": TYPE}
    return f"{_json(head)}\n{''.join(map(_json, plies))}\n"


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, separators=(",", ":"))


def _place_ply(cell: int, tile: int, cols: int) -> dict[str, Any]:
    piece = _piece(tile.bit_length() - 1, cell, cols)
    return {"seconds": 0, "moves": [{"move": "place", "first": piece}]}


def _move_ply(board: Board, move: Move) -> dict[str, Any]:
    """A move with its pieces, those nearer to the side that they slide to first."""
    found = slides(board, move)
    found = found if move in (Move.UP, Move.LEFT) else found[::-1]
    merges: dict[int, int] = {}  # the cell of a merge and the first piece's cell
    moves: list[dict[str, Any]] = []
    for start, end, merged in found:
        exponent = board.exponents[start]
        piece = _piece(exponent, start, board.cols)
        if not merged:
            if start != end:
                square = _piece(exponent, end, board.cols)["square"]
                moves.append({"move": "one", "first": piece, "destination": square})
        elif end in merges:
            first = _piece(exponent, merges[end], board.cols)
            result = _piece(exponent + 1, end, board.cols)
            moves.append({"move": "merge", "first": first, "second": piece, "merged": result})
        else:
            merges[end] = start
    return {"seconds": 0, "moves": moves, "player": "user", "ply": move.name.lower()}


def _piece(exponent: int, cell: int, cols: int) -> dict[str, Any]:
    return {"piece": exponent, "square": {"x": cell % cols, "y": cell // cols}}
