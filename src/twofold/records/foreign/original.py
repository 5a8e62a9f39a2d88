"""The saved game of the original page, and of the many pages built on it.

The page stores the text under `gameState` in the browser's local storage::

    {"grid":{"size":4,"cells":[[null,{"position":{"x":0,"y":1},"value":2},null,null],...]},
     "score":0,"over":false,"won":false,"keepPlaying":false}

`cells[x][y]` is column x, row y. The text holds a position and its points, but no moves. The whole
local storage, `{"bestScore":"20","gameState":"{...}"}`, and a text in additional quotes can be read
as well.

Source: `js/game_manager.js`, `js/grid.js` and `js/local_storage_manager.js` of
https://github.com/gabrielecirulli/2048.
"""

import json
from typing import Any, Final

import msgspec

from twofold.board import Board
from twofold.errors import InvalidRecord
from twofold.game import Game
from twofold.limits import MAX_SAVED_GAME
from twofold.notation import printable
from twofold.records.foreign.turns import described
from twofold.records.record import Record
from twofold.records.text import located
from twofold.rules import Rules
from twofold.step import result_text

NAME: Final = "original"


class _CellPlace(msgspec.Struct):
    x: int
    y: int


class _Tile(msgspec.Struct):
    value: int
    position: _CellPlace | None = None


class _Grid(msgspec.Struct):
    cells: list[list[_Tile | None]]
    size: int | None = None


class _SavedState(msgspec.Struct):
    grid: _Grid
    score: int = 0


class _Storage(msgspec.Struct, rename="camel"):
    game_state: str | _SavedState


def parse_original(text: str) -> Record:
    """Read a saved game as a record without moves; `over` and `won` follow from its board."""
    state = _state(text)
    board = _board(state.grid)
    with located("saved game"):
        rules = Rules(board.rows, board.cols)
        game = Game.from_board(board, rules, score=state.score, seed=0)
        return Record(
            rules=rules,
            board=board,
            start_score=game.score,
            score=game.score,
            result=result_text(board, rules),
            final=board,
        )


def _state(text: str) -> _SavedState:
    if len(text) > MAX_SAVED_GAME:
        raise InvalidRecord(
            f"expected a saved game of at most {MAX_SAVED_GAME} characters, got {len(text)}"
        )
    try:
        if text.lstrip().startswith('"'):
            text = msgspec.json.decode(text, type=str)
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
    if grid.size is not None and not grid.size == rows == cols:
        raise InvalidRecord(f"expected a grid of size {grid.size}, got {rows}x{cols}")
    for x, column in enumerate(grid.cells):
        for y, tile in enumerate(column):
            if tile and tile.position and (tile.position.x, tile.position.y) != (x, y):
                raise InvalidRecord(
                    f"expected the tile of column {x + 1}, row {y + 1} to say x {x}, y {y}, "
                    f"got x {tile.position.x}, y {tile.position.y}"
                )
    with located("grid"):
        return Board.from_tiles(
            [[tile.value if tile else 0 for tile in row] for row in zip(*grid.cells, strict=True)]
        )


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
