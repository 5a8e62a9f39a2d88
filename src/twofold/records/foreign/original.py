"""The saved game of the original page, and of the many pages built on it.

The page stores the text under `gameState` in the browser's local storage::

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
from typing import Any, Final

import msgspec

from twofold.board import Board
from twofold.errors import InvalidRecord
from twofold.game import Game
from twofold.limits import MAX_SAVED_GAME
from twofold.notation import printable, shown
from twofold.records.foreign.turns import described
from twofold.records.record import Record
from twofold.records.text import located
from twofold.rules import Rules
from twofold.step import result_text

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
    try:
        found = msgspec.json.decode(text)
        if isinstance(found, dict) and "gameState" in found:
            inner = msgspec.convert(found, _Storage).game_state
            return msgspec.json.decode(inner, type=_SavedState) if isinstance(inner, str) else inner
        return msgspec.convert(found, _SavedState)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        said = printable(str(error))[:200]
        raise InvalidRecord(
            f"expected a saved game as JSON with grid and score, got {described(text)} ({said})"
        ) from None


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
