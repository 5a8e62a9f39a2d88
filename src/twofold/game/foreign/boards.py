"""Boards in the formats of other programs, and twofold's own text.

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
"""

import json
import re
from typing import Any, Final, NamedTuple

import msgspec

from twofold.errors import InvalidBoard, InvalidRecord
from twofold.game.board import Board
from twofold.game.foreign.turns import json_errors
from twofold.game.game import Game, result_text
from twofold.game.notation import check_length, shown
from twofold.game.record import Record
from twofold.game.record_text import located
from twofold.game.rules import Rules
from twofold.limits import MAX_SAVED_GAME

NAME: Final = "original"

_WHOLE: Final = re.compile(r"\s*(-?[0-9]{1,20})(?:\.0*)?\s*", re.ASCII)

Number = int | float | str
"""A number as pages write it: 4, 4.0 or "4"."""


class _CellPlace(msgspec.Struct):
    x: int
    y: int


class _Tile(msgspec.Struct):
    value: Number
    position: _CellPlace | None = None


class _Grid(msgspec.Struct):
    cells: list[list[_Tile | Number | None]]
    size: _CellPlace | Number | None = None


class _SavedState(msgspec.Struct):
    grid: _Grid
    score: Number = 0


class _Storage(msgspec.Struct, rename="camel"):
    game_state: str | _SavedState


def parse_original(text: str) -> Record:
    """Read a saved game as a record without moves; `over` and `won` follow from its board."""
    state = _state(text)
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


def _state(text: str) -> _SavedState:
    if len(text) > MAX_SAVED_GAME:
        raise InvalidRecord(
            f"expected a saved game of at most {MAX_SAVED_GAME} characters, got {len(text)}"
        )
    with json_errors("a saved game as JSON with grid and score", text):
        found = msgspec.json.decode(text)
        if isinstance(found, dict) and "gameState" in found:
            inner = msgspec.convert(found, _Storage).game_state
            return msgspec.json.decode(inner, type=_SavedState) if isinstance(inner, str) else inner
        return msgspec.convert(found, _SavedState)


def _board(grid: _Grid) -> Board:
    cols = len(grid.cells)
    rows = len(grid.cells[0]) if cols else 0
    if any(len(column) != rows for column in grid.cells):
        raise InvalidRecord("expected columns of one length in the grid, got several")
    size = grid.size
    if size is not None:
        sides = (size.y, size.x) if isinstance(size, _CellPlace) else (whole(size), whole(size))
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
    tiles = game.board.tiles
    sides = range(len(tiles))
    cells = [[_cell(x, y, tiles[y][x]) for y in sides] for x in sides]
    won = game.goal_reached
    return {
        "grid": {"size": len(tiles), "cells": cells},
        "score": game.score,
        "over": game.board.is_over,
        "won": won,
        "keepPlaying": won and not game.rules.stop_at_goal,
    }


def _cell(x: int, y: int, tile: int) -> dict[str, Any] | None:
    return {"position": {"x": x, "y": y}, "value": tile} if tile else None


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


def parse_saved(text: str) -> ScoredBoard:
    """The position of a saved game of the original page; raises `InvalidBoard`."""
    try:
        record = parse_original(text)
    except InvalidRecord as error:
        raise InvalidBoard(str(error)) from None
    assert record.final is not None  # set by every parser
    return ScoredBoard(record.final, record.score)
