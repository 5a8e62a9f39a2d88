"""Practice with an endgame table: a board to begin on, and what the table says of the play.

A practice game is a function of the table, the first board, the seed of the dice and the moves.
Nothing of it is stored: each request names all moves so far and gets the positions.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from twofold.board import Board
from twofold.endgame.pattern import EndgamePattern
from twofold.endgame.table import EndgameTable, EndgameTables, TableAnswer
from twofold.errors import GameOver, InvalidBoard
from twofold.game import Game
from twofold.rules import STANDARD, Move

LEAST_CHANCE: Final = 0.3
MOST_CHANCE: Final = 0.9
"""A first board is neither hopeless nor certain: the chance of its best move lies in between."""

TRIES: Final = 60
"""First boards that are tried; of those that do not fit the one nearest to the middle is taken."""

ASTRAY: Final = 0.25
"""Share of random moves on the way to a first board: best play alone leaves only tidy boards."""

SEED_BITS: Final = 64


class PracticeStatus(StrEnum):
    """How a practice game stands.

    Attributes:
        GOING: the table knows a move with a chance.
        MADE: the last move made the target.
        LOST: no move has a chance, as the table counts.
    """

    GOING = "going"
    MADE = "made"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class PracticePosition:
    """A position of a practice game.

    Attributes:
        board: the board.
        status: how it stands there.
        chances: of the target after up, right, down and left; 0 for a legal move that the table
            does not know, None for an illegal one.
        cell: where the last new tile appeared; None before the first move.
        tile: the last new tile.
    """

    board: Board
    status: PracticeStatus
    chances: tuple[float | None, ...]
    cell: int | None = None
    tile: int | None = None

    @property
    def best(self) -> float:
        """The chance after the best move; 0 where there is none."""
        return max((one for one in self.chances if one is not None), default=0.0)


def play(
    table: EndgameTable, board: Board, seed: int, moves: Sequence[Move]
) -> Iterator[PracticePosition]:
    """The positions of a practice game: the first one, and one after each move.

    Args:
        table: the table.
        board: the first board.
        seed: seed of the dice.
        moves: the moves made.

    Raises:
        InvalidBoard: the table says nothing of the first board.
        GameOver: there are moves after the end.
        IllegalMove: a move changes nothing.
    """
    tables, target = EndgameTables([table]), table.pattern.target
    if silence := table.silence(board):
        raise InvalidBoard(f"{table.name} says nothing of this board: {silence}")
    game = Game.from_board(board, STANDARD, seed)
    now = _position(tables, board)
    yield now
    for move in moves:
        if now.status is not PracticeStatus.GOING:
            raise GameOver(f"expected no move after the end, got {move.name.lower()}")
        made = _makes(game.board, move, target)
        step = game.play(move)
        status = PracticeStatus.MADE if made else None
        now = _position(tables, step.board, status, step.cell, step.tile)
        yield now


def _makes(board: Board, move: Move, target: int) -> bool:
    """Whether a legal move makes the target tile."""
    after = board.slide(move).board.exponents
    return after.count(target) > board.exponents.count(target)


def _position(
    tables: EndgameTables,
    board: Board,
    status: PracticeStatus | None = None,
    cell: int | None = None,
    tile: int | None = None,
) -> PracticePosition:
    answer, legal = tables.answer(board), board.legal_moves()
    known = {} if answer is None else answer.chances
    chances = tuple(known.get(move, 0.0) if move in legal else None for move in Move)
    if status is None:
        hopeless = answer is None or answer.chance == 0
        status = PracticeStatus.LOST if hopeless else PracticeStatus.GOING
    return PracticePosition(board, status, chances, cell, tile)


# ---- the first board


def first_board(table: EndgameTable, seed: int) -> Board:
    """A board to begin on: the same for the same table and seed.

    Play from a board without small tiles, a quarter of it at random, leads to it.

    Args:
        table: the table.
        seed: any whole number.

    Raises:
        InvalidBoard: the table speaks of no board that was found.
    """
    dice, tables = random.Random(seed), EndgameTables([table])
    found: list[tuple[float, Board]] = []
    for _ in range(TRIES):
        board = _walk(tables, table.pattern, dice)
        answer = None if board is None else tables.answer(board)
        if board is None or answer is None:
            continue
        if LEAST_CHANCE <= answer.chance <= MOST_CHANCE and _is_choice(answer):
            return board
        found.append((abs(answer.chance - (LEAST_CHANCE + MOST_CHANCE) / 2), board))
    if not found:
        raise InvalidBoard(f"{table.name} has no board to begin on")
    return min(found, key=lambda one: one[0])[1]


def _is_choice(answer: TableAnswer) -> bool:
    """Whether it matters which move is made."""
    return len(set(answer.chances.values())) > 1


def _walk(tables: EndgameTables, pattern: EndgamePattern, dice: random.Random) -> Board | None:
    """A board at the end of a random length of play; None where play ended before."""
    lowest, span = 2 * pattern.lowest, max(1, (1 << pattern.target) - 2 * pattern.lowest)
    wanted = lowest + int(dice.random() * span)
    game = Game.from_board(_bare_board(pattern), STANDARD, dice.getrandbits(SEED_BITS))
    while _small_sum(game.board, pattern.target) < wanted:
        move = _next_move(tables, game.board, pattern.target, dice)
        if move is None or _makes(game.board, move, pattern.target):
            return None
        game.play(move)
    return game.board


def _next_move(
    tables: EndgameTables, board: Board, target: int, dice: random.Random
) -> Move | None:
    """The best move or, now and then and where the table is silent, a random one; None for none."""
    answer = tables.answer(board)
    astray = dice.random() < ASTRAY
    if answer is not None and not astray:
        return answer.best
    moves = list(answer.chances) if answer else _keeping(board, target)
    return moves[int(dice.random() * len(moves))] if moves else None


def _keeping(board: Board, target: int) -> list[Move]:
    """The moves that shift no large tile."""
    return [
        move
        for move in board.legal_moves()
        if _large(board.slide(move).board, target) == _large(board, target)
    ]


def _large(board: Board, target: int) -> list[int]:
    """Cells from the target on as they are, 0 for the others."""
    return [one if one >= target else 0 for one in board.exponents]


def _small_sum(board: Board, target: int) -> int:
    """The sum of the tiles below the target."""
    return sum(1 << one for one in board.exponents if 0 < one < target)


def _bare_board(pattern: EndgamePattern) -> Board:
    """The large tiles, the smallest one the target, row by row, and two tiles 2 in the last row."""
    cells = [0] * 16
    place = pattern.places[0]
    for number, cell in enumerate(reversed(place)):
        cells[cell] = pattern.target + number
    free = [cell for cell in range(16) if cell not in place]
    for cell in free[-2:]:
        cells[cell] = 1
    return Board(cells)
