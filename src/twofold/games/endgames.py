"""Endgames to practise: played on an endgame table, which knows the chance of every move.

A practice game is a function of the table, the first board, the seed of the dice and the moves.
"""

import random
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from twofold.errors import GameOver, InvalidBoard
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import STANDARD, Move
from twofold.tables.pattern import EndgamePattern

if TYPE_CHECKING:
    from twofold.tables.library import EndgameTable, EndgameTables

LEAST_CHANCE: Final = 0.3
MOST_CHANCE: Final = 0.9
"""Range of the best move's chance on a first board: neither hopeless nor certain."""

TRIES: Final = 60
"""First boards to try; if none fits, the one nearest to the middle of the range is used."""

ASTRAY: Final = 0.25
"""Share of random moves before a first board: best play alone leads to tidy boards only."""

SEED_BITS: Final = 64


Status = Literal["going", "made", "lost", "outside"]


class EndgamePosition(msgspec.Struct, frozen=True):
    """A position of a practice game.

    Attributes:
        status: `going`, `made` (the target), `lost`: no move has a chance, or `outside`: the table
            does not know the board, so that play here ends.
        chances: of the target after up, right, down and left; 0 for a legal move that is not in
            the table, null for an illegal one.
        cell, tile: of the last spawn; null at the start.
    """

    board: str
    status: Status
    chances: list[float | None]
    cell: int | None = None
    tile: int | None = None

    @property
    def best(self) -> float:
        """The chance after the best move; 0 if there is none."""
        return max((one for one in self.chances if one is not None), default=0.0)


def play(
    table: "EndgameTable", board: Board, seed: int, moves: Sequence[Move]
) -> Iterator[EndgamePosition]:
    """Yield the positions of a practice game: the first one, and one after each move.

    Raises `InvalidBoard` if the first board is not in the table, `GameOver` for moves after the
    end.
    """
    from twofold.tables.library import EndgameTables  # loads kernels

    tables, target = EndgameTables([table]), table.pattern.target
    if silence := table.silence(board):
        raise InvalidBoard(f"{table.name} has no answer for this board: {silence}")
    game = Game.from_board(board, STANDARD, seed)
    now = _position(tables, board)
    yield now
    for move in moves:
        if now.status != "going":
            raise GameOver(f"the game is over: it takes no move {move.name.lower()}")
        made = _makes(game.board, move, target)
        step = game.play(move)
        now = _position(tables, step.board, step.cell, step.tile, made=made)
        yield now


def _makes(board: Board, move: Move, target: int) -> bool:
    after = board.slide(move).board.exponents
    return after.count(target) > board.exponents.count(target)


def _position(
    tables: "EndgameTables",
    board: Board,
    cell: int | None = None,
    tile: int | None = None,
    *,
    made: bool = False,
) -> EndgamePosition:
    from twofold.tables.library import NO_CHANCE

    answer, legal = tables.answer(board), board.legal_moves()
    known = {} if answer is None else answer.chances
    chances = [known.get(move, 0.0) if move in legal else None for move in Move]
    status: Status = "made" if made else "going"
    if answer is None and not made:
        outside = legal and not tables.tables[0].silence(board).startswith(NO_CHANCE)
        status = "outside" if outside else "lost"
    return EndgamePosition(str(board), status, chances, cell, tile)


# ---- the first board


def first_board(table: "EndgameTable", seed: int) -> Board:
    """The first board for a table and a seed; raises `InvalidBoard` if none is found.

    It is reached by play from a board without small tiles, a quarter of it at random.
    """
    from twofold.tables.library import EndgameTables

    dice, tables = random.Random(seed), EndgameTables([table])
    found: list[tuple[float, Board]] = []
    for _ in range(TRIES):
        board = _walk(tables, table.pattern, dice)
        answer = None if board is None else tables.answer(board)
        if board is None or answer is None:
            continue
        if LEAST_CHANCE <= answer.chance <= MOST_CHANCE and len(set(answer.chances.values())) > 1:
            return board
        found.append((abs(answer.chance - (LEAST_CHANCE + MOST_CHANCE) / 2), board))
    if not found:
        raise InvalidBoard(f"found no board of {table.name} to begin on")
    return min(found, key=lambda one: one[0])[1]


def _walk(tables: "EndgameTables", pattern: EndgamePattern, dice: random.Random) -> Board | None:
    lowest, span = 2 * pattern.lowest, max(1, (1 << pattern.target) - 2 * pattern.lowest)
    wanted = lowest + int(dice.random() * span)
    game = Game.from_board(_bare_board(pattern), STANDARD, dice.getrandbits(SEED_BITS))
    while sum(1 << one for one in game.board.exponents if 0 < one < pattern.target) < wanted:
        move = _next_move(tables, game.board, pattern.target, dice)
        if move is None or _makes(game.board, move, pattern.target):
            return None
        game.play(move)
    return game.board


def _next_move(
    tables: "EndgameTables", board: Board, target: int, dice: random.Random
) -> Move | None:
    """The best move, or a random one: sometimes, and if the table has no answer."""
    answer = tables.answer(board)
    astray = dice.random() < ASTRAY
    if answer is not None and not astray:
        return answer.best
    moves = list(answer.chances) if answer else _keeping(board, target)
    return moves[int(dice.random() * len(moves))] if moves else None


def _keeping(board: Board, target: int) -> list[Move]:
    return [
        move
        for move in board.legal_moves()
        if _large(board.slide(move).board, target) == _large(board, target)
    ]


def _large(board: Board, target: int) -> list[int]:
    return [one if one >= target else 0 for one in board.exponents]


def _bare_board(pattern: EndgamePattern) -> Board:
    cells = [0] * 16
    place = pattern.large_cells
    for number, cell in enumerate(reversed(place)):
        cells[cell] = pattern.target + number
    free = [cell for cell in range(16) if cell not in place]
    for cell in free[-2:]:
        cells[cell] = 1
    return Board(cells)
