"""Views: boards, rules, moves and positions as replies."""

from collections.abc import Sequence
from functools import lru_cache

from twofold import reference
from twofold.board import Board
from twofold.game import Game
from twofold.rules import Move, Rules
from twofold.step import Step
from twofold.web import protocol
from twofold.web.protocol import GameNow, RulesInfo, TileSlide


def rules_info(rules: Rules) -> RulesInfo:
    """Rules as fields."""
    return RulesInfo(
        text=str(rules),
        rows=rules.rows,
        cols=rules.cols,
        goal=rules.goal,
        stop_at_goal=rules.stop_at_goal,
        start_tiles=rules.start_tiles,
        spawn=list(rules.spawn),
    )


def tiles_of(board: Board) -> list[int]:
    """The tiles of a board, row by row; 0 for an empty cell."""
    return [1 << exponent if exponent else 0 for exponent in board.exponents]


def letters_of(board: Board) -> str:
    """The legal moves of a board."""
    return "".join(move.letter for move in board.legal_moves())


def now_of(history: Game, *, best: int, autoplay: str, hints: int = 0) -> GameNow:
    """The current position; `autoplay` is the player's spec, empty for the person."""
    return GameNow(
        board=str(history.board),
        tiles=tiles_of(history.board),
        score=history.score,
        move_number=history.move_number,
        status=history.status.value,
        legal="".join(move.letter for move in history.legal_moves()),
        can_undo=history.can_undo,
        can_redo=history.can_redo,
        undos=history.undos,
        best=best,
        autoplay=autoplay,
        hints=hints,
    )


def step_of(
    game: str, rules: Rules, before: Board, step: Step, by: str, now: GameNow
) -> protocol.StepReply:
    """A move just made; `before` is the board before it, `by` a player's spec or empty."""
    return protocol.StepReply(
        game=game,
        move=step.move.letter,  # type: ignore[arg-type]
        reward=step.reward,
        slides=list(slides(before, step.move)),
        cell=step.cell,
        tile=step.tile,
        by=by,
        goal_reached=before.max_tile < rules.goal <= step.board.max_tile,
        now=now,
    )


def position_of(game: str, history: Game, number: int) -> protocol.PositionReply:
    """The position at a move number; raises LimitExceeded if there is none."""
    standing = history.at(number)
    return protocol.PositionReply(
        game=game,
        board=str(standing.board),
        tiles=tiles_of(standing.board),
        score=standing.score,
        move_number=number,
        last=history.move_number,
        next_move=history.letters_between(number, number + 1),
    )


# ---- the path of each tile in a move, for the animation


def slides(board: Board, move: Move) -> tuple[TileSlide, ...]:
    """The start and end cell of each tile in a move, by start cell; an illegal move changes none.

    >>> from twofold import Board, Move
    >>> for slide in slides(Board.parse("1x4:1012"), Move.LEFT):
    ...     print(slide.start, slide.end, slide.merged)
    0 0 True
    2 0 True
    3 1 False
    """
    found: list[TileSlide] = []
    for line in _lines(board.rows, board.cols, move):
        found += _line_slides(line, board.exponents)
    return tuple(sorted(found, key=lambda slide: slide.start))


@lru_cache(maxsize=4 * 64)
def _lines(rows: int, cols: int, move: Move) -> tuple[tuple[int, ...], ...]:
    """The cells of each line, starting at the side that the tiles slide to."""
    return tuple(map(tuple, reference.lines(rows, cols, move)))


def _line_slides(line: Sequence[int], exponents: Sequence[int]) -> list[TileSlide]:
    found: list[TileSlide] = []
    last, free = 0, 0  # exponent of the last tile if it can merge; next free place
    for cell in line:
        exponent = exponents[cell]
        if not exponent:
            continue
        if exponent == last:
            found[-1] = TileSlide(found[-1].start, found[-1].end, True)
            found.append(TileSlide(cell, line[free - 1], True))
            last = 0
        else:
            found.append(TileSlide(cell, line[free], False))
            last, free = exponent, free + 1
    return found
