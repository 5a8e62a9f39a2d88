"""Boards in the formats of other programs, twofold's own text, and games as JSON.

Sixteen hexadecimal digits are the exponents of a 4x4 board, one digit a cell. twofold writes the
top-left cell first; programs in C++ often write the bottom-right cell first. The digits do not tell
the order, so the caller must.

The original page, and the many pages built on it, store a saved game under `gameState` in the
browser's local storage::

    {"grid":{"size":4,"cells":[[null,{"position":{"x":0,"y":1},"value":2},null,null],...]},
     "score":0,"over":false,"won":false,"keepPlaying":false}

`cells[x][y]` is column x, row y. The text holds a position and its points, but no moves. The whole
local storage, `{"bestScore":"20","gameState":"{...}"}`, can be read as well. Other pages write
numbers as text or with a point, a tile as its number, and the size as `{"x":4,"y":4}`.

Source: `js/game_manager.js`, `js/grid.js` and `js/local_storage_manager.js` of
https://github.com/gabrielecirulli/2048.

The shared games of Open Fun Game 2048 (andstatus): JSON objects one after another.

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
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from twofold.errors import InvalidBoard, InvalidRecord
from twofold.game.board import Board
from twofold.game.foreign.turns import (
    Turn,
    TurnTile,
    described,
    format_date,
    milliseconds_of,
    to_record,
)
from twofold.game.game import Game
from twofold.game.notation import check_length, printable, shown
from twofold.game.record import Record
from twofold.game.record_text import json_errors, located
from twofold.game.rules import Move, Rules
from twofold.game.step import result_text
from twofold.limits import MAX_EXPONENT, MAX_SAVED_GAME, MAX_SIDE

NAME: Final = "original"

_WHOLE: Final = re.compile(r"\s*(-?[0-9]{1,20})(?:\.0*)?\s*", re.ASCII)

Number = int | float | str
"""A number as pages write it: 4, 4.0 or "4"."""


class _Square(msgspec.Struct):
    x: int
    y: int


class _Tile(msgspec.Struct):
    value: Number
    position: _Square | None = None


class _Grid(msgspec.Struct):
    cells: list[list[_Tile | Number | None]]
    size: _Square | Number | None = None


class _SavedState(msgspec.Struct):
    grid: _Grid
    score: Number = 0


class _Storage(msgspec.Struct, rename="camel"):
    game_state: str | dict[str, Any]


def parse_original(text: str) -> Record:
    """Read a saved game as a record without moves; `over` and `won` follow from its board."""
    check_length(text, "a saved game", InvalidRecord, MAX_SAVED_GAME)
    with json_errors("a saved game as JSON with grid and score", text):
        found = msgspec.json.decode(text)
        if isinstance(found, dict) and "gameState" in found:
            found = msgspec.convert(found, _Storage).game_state
            found = msgspec.json.decode(found) if isinstance(found, str) else found
        state = msgspec.convert(found, _SavedState)
    return position_record(_board(state.grid), whole(state.score))


def position_record(board: Board, score: int = 0) -> Record:
    """A record that begins and ends on a board with a score in points."""
    with located("saved game"):
        rules = Rules(board.rows, board.cols)
        game = Game.from_board(board, rules, score=score, seed=0)
    return Record(
        rules=rules,
        board=board,
        start_score=game.score,
        score=game.score,
        result=result_text(board, rules),
        final=board,
    )


def whole(number: Number) -> int:
    """4 for 4, 4.0 and "4"; raises `InvalidRecord` for numbers that are not whole."""
    match = _WHOLE.fullmatch(str(number))
    if not match:
        raise InvalidRecord(f"expected a whole number, got {shown(number)}")
    return int(match[1])


def _board(grid: _Grid) -> Board:
    cols = len(grid.cells)
    rows = len(grid.cells[0]) if cols else 0
    if any(len(column) != rows for column in grid.cells):
        raise InvalidRecord("expected columns of one length in the grid, got several")
    size = grid.size
    if size is not None:
        sides = (size.y, size.x) if isinstance(size, _Square) else (whole(size), whole(size))
        if sides != (rows, cols):
            raise InvalidRecord(
                f"expected a grid of size {shown(sides[0])}x{shown(sides[1])}, got {rows}x{cols}"
            )
    for x, column in enumerate(grid.cells):
        for y, tile in enumerate(column):
            place = tile.position if isinstance(tile, _Tile) else None
            if place and (place.x, place.y) != (x, y):
                raise InvalidRecord(
                    f"expected the tile of column {x + 1}, row {y + 1} to say x {x}, y {y}, "
                    f"got x {shown(place.x)}, y {shown(place.y)}"
                )
    with located("grid"):
        return Board.from_tiles([map(_value, row) for row in zip(*grid.cells, strict=True)])


def _value(tile: _Tile | Number | None) -> int:
    return whole(tile.value if isinstance(tile, _Tile) else tile or 0)


def format_original(record: Record) -> str:
    """The last position of a record in the page's format, with a line end; refuses other shapes."""
    game = record.replay()
    if game.board.rows != game.board.cols:
        raise InvalidRecord(
            f"expected a square board for the format {NAME}, "
            f"got {game.board.rows}x{game.board.cols}"
        )
    return json.dumps(state_of(game), separators=(",", ":")) + "\n"


def state_of(game: Game) -> dict[str, Any]:
    """The page's saved state of a game on a square board, for JSON."""
    cells = [
        [{"position": {"x": x, "y": y}, "value": tile} if tile else None
         for y, tile in enumerate(column)]
        for x, column in enumerate(zip(*game.board.tiles, strict=True))
    ]  # fmt: skip
    won = game.goal_reached
    return {
        "grid": {"size": len(cells), "cells": cells},
        "score": game.score,
        "over": game.board.is_over,
        "won": won,
        "keepPlaying": won and not game.rules.stop_at_goal,
    }


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
    check_length(text, "a board", InvalidRecord, MAX_SAVED_GAME)
    with json_errors("a board as JSON", text):
        found = msgspec.json.decode(text, type=_JsonBoard)
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


# ---- Open Fun Game 2048

_MOVES: Final = {move.name.lower(): move for move in Move}
_DECODER: Final = json.JSONDecoder()
_NEXT: Final = re.compile(r"\S")

Kind = TypeVar("Kind")


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

    @property
    def name(self) -> str:
        """A direction, or `place`."""
        return self.move_enum or self.ply


class _Head(msgspec.Struct, rename="camel"):
    final_board: _Position
    start: str = ""
    players_moves: list[_Ply] = []


def parse_openfun(text: str) -> Record:
    """Read a shared game and play it; raises `InvalidRecord`, which says where."""
    documents = _documents(text)
    head = _of_openfun(next(documents, None), _Head)
    plies = chain(head.players_moves, (_of_openfun(document, _Ply) for document in documents))
    board = _square(head.final_board)
    start: list[TurnTile] | Board = []
    score, first = 0, None
    with located("start tiles"):
        for ply in plies:
            if ply.name in _MOVES:
                first = ply
                break
            if ply.moves and (position := ply.moves[0].board):
                start, score = _square(position), position.score
            elif isinstance(start, Board):
                start = start.place(*_placed(ply, board.cols))
            else:
                start.append(_placed(ply, board.cols))
    moves = _openfun_turns(chain([first], plies) if first else plies, board.cols)
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


def _of_openfun(document: Any, kind: type[Kind]) -> Kind:
    with json_errors("a shared game of Open Fun Game 2048"):
        return msgspec.convert(document, kind)


def _square(position: _Position) -> Board:
    side = math.isqrt(min(len(position.pieces), MAX_SIDE**2))
    return Board(position.pieces, (side, side))


def _placed(ply: _Ply, cols: int) -> TurnTile:
    first = ply.moves[0].first if ply.moves else None
    if ply.name != "place" or first is None:
        raise InvalidRecord(f"expected a tile that is placed, got {described(ply.name)}")
    x, y = first.square.x, first.square.y
    if not (0 <= x < cols and 0 <= y < cols and 0 < first.piece <= MAX_EXPONENT):
        raise InvalidRecord(
            f"expected a piece on the board, got {shown(first.piece)} on x {shown(x)}, y {shown(y)}"
        )
    return TurnTile(y * cols + x, 1 << first.piece)


def _openfun_turns(plies: Iterator[_Ply], cols: int) -> Iterator[Turn]:
    for ply in plies:
        if ply.name not in _MOVES:
            raise InvalidRecord(f"expected left, right, up or down, got {described(ply.name)}")
        spawn = next(plies, None)
        if spawn is None:
            raise InvalidRecord("expected a tile that is placed after the move, got the end")
        yield Turn(_MOVES[ply.name], _placed(spawn, cols))
