"""One move of a game: the slide, the tile of the dice, the end; and the path of each tile."""

from bisect import bisect_right
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from twofold.errors import GameOver, IllegalMove, InvalidBoard
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.notation import shown
from twofold.game.rules import Move, Rules


class Status(Enum):
    """The status of a game."""

    GOING = "going"
    """A move is legal and the goal is not reached."""

    WON = "won"
    """The goal is reached, a move is legal and play may go on."""

    STOPPED = "stopped"
    """The goal is reached and the rules stop there."""

    OVER = "over"
    """No move is legal."""


class Step(NamedTuple):
    """One move: its points, the cell and value of the new tile, and the board with that tile.

    `given` is true if the caller, not the dice, chose the new tile.
    """

    move: Move
    reward: int
    cell: int
    tile: int
    board: Board
    given: bool = False


def status_of(board: Board, rules: Rules) -> Status:
    """The status of a game with this board."""
    won = board.max_tile >= rules.goal
    if won and rules.stop_at_goal:
        return Status.STOPPED
    if board.is_over:
        return Status.OVER
    return Status.WON if won else Status.GOING


def makes_goal(before: Board, after: Board, rules: Rules) -> bool:
    """Whether the goal is reached between two boards; after an undo it can be reached anew."""
    return before.max_tile < rules.goal <= after.max_tile


def end_words(board: Board, rules: Rules) -> str:
    """The end of a game in words; both, if the last possible move made the goal.

    >>> [end_words(Board.parse(one), Rules.parse("1x3 goal=8")) for one in ("1x3:130", "1x3:131")]
    ['8 reached', '8 reached, game over']
    """
    reached = f"{rules.goal} reached" if board.max_tile >= rules.goal else ""
    return ", ".join(filter(None, [reached, "game over" if board.is_over else ""]))


def result_text(board: Board, rules: Rules) -> str:
    """The largest tile and the status: `2048 over`, `512 going`."""
    return f"{board.max_tile} {status_of(board, rules).value}"


def next_step(
    board: Board,
    rules: Rules,
    seed: int,
    move_number: int,
    move: Move | str,
    spawn: tuple[int, int] | None = None,
) -> Step:
    """Make one move without a `Game`; move, spawn and errors as in `Game.play`.

    `move_number` counts the moves before this one; `seed` is not used if `spawn` is given.
    """
    if rules.stop_at_goal and board.max_tile >= rules.goal:
        raise GameOver(f"the game has stopped at the goal {rules.goal}")
    move = Move.of(move)
    try:
        after, reward = board.slide(move)
    except IllegalMove:
        if board.is_over:
            raise GameOver(f"expected a board with a legal move, got {board}") from None
        raise
    if spawn is None:
        cell, tile = throw(after, rules, seed, rules.start_tiles + move_number)
    else:
        cell, tile = spawn
        if all(tile != known for known, _ in rules.spawn):
            known = ", ".join(str(known) for known, _ in rules.spawn)
            raise InvalidBoard(f"expected a tile that the rules spawn ({known}), got {shown(tile)}")
    return Step(move, reward, cell, tile, after.place(cell, tile), spawn is not None)


def throw(afterstate: Board, rules: Rules, seed: int, spawn_number: int) -> tuple[int, int]:
    """The (cell, tile) that the dice add to an afterstate, as `reference.spawn` does."""
    high, low = divmod(reference.dice(seed, spawn_number), 1 << 32)
    empty = afterstate.empty_cells
    tiles, thresholds = _distribution(rules.spawn)
    return empty[high * len(empty) >> 32], tiles[bisect_right(thresholds, low)]


@lru_cache(maxsize=64)
def _distribution(spawn: tuple[tuple[int, float], ...]) -> tuple[list[int], list[int]]:
    """The spawn tiles, and what the low half of the dice must be below for each but the last."""
    return [tile for tile, _ in spawn], reference.thresholds([weight for _, weight in spawn])


def start_board(rules: Rules, seed: int) -> Board:
    """The start board of the game with this seed."""
    board = Board.empty(rules.shape)
    for number in range(rules.start_tiles):
        board = board.place(*throw(board, rules, seed, number))
    return board


def begins_game(board: Board, rules: Rules, score: int, move_number: int) -> bool:
    """Whether games under these rules begin so: without points, on start tiles alone."""
    tiles = [tile for tile in board if tile]
    known = {tile for tile, _ in rules.spawn}
    return score == move_number == 0 and len(tiles) == rules.start_tiles and known.issuperset(tiles)


# ---- the path of each tile in a move


class TileSlide(NamedTuple):
    """The path of a tile in a move; `[from, to, merged]` in JSON.

    Tiles that do not move are included. Two tiles that merge have the same `to`, both with
    `merged`.
    """

    start: int
    end: int
    merged: bool


def slides(board: Board, move: Move) -> list[TileSlide]:
    """The start and end cell of each tile in a move, by start cell; an illegal move changes none.

    >>> for slide in slides(Board.parse("1x4:1012"), Move.LEFT):
    ...     print(slide.start, slide.end, slide.merged)
    0 0 True
    2 0 True
    3 1 False
    """
    found: list[TileSlide] = []
    for line in reference.lines(board.rows, board.cols, move):
        last, free = 0, 0  # exponent of the last tile if it can merge; next free place
        for cell in line:
            exponent = board.exponents[cell]
            if exponent and exponent == last:
                found[-1] = found[-1]._replace(merged=True)
                found.append(TileSlide(cell, line[free - 1], True))
                last = 0
            elif exponent:
                found.append(TileSlide(cell, line[free], False))
                last, free = exponent, free + 1
    return sorted(found, key=lambda slide: slide.start)
