"""Practice with the endgame tables on this machine. Imports kernels."""

import os
from functools import cache, lru_cache
from typing import Final

from twofold.board import Board
from twofold.endgame.build import BuildPlan, measured_rate
from twofold.endgame.folder import tables_folder
from twofold.endgame.library import built, file_name, open_table
from twofold.endgame.pattern import EndgamePattern
from twofold.endgame.practice import PracticePosition, first_board, play
from twofold.endgame.table import EndgameTable
from twofold.endgame.work import share_done
from twofold.errors import InvalidInput
from twofold.notation import parse_seed
from twofold.rules import Move
from twofold.web.practice.messages import (
    EndgameBody,
    EndgamePosition,
    EndgameReply,
    TableFacts,
    TableOffer,
)
from twofold.web.practice.notebook import Mistake, MistakeSource, mistake_of_practice

OFFERED: Final = ("442-64", "442-128", "442-256", "442-512/32-128")
"""Tables that the page offers to build."""

_BITS: Final = 16
_first_board: Final = lru_cache(maxsize=64)(first_board)


def tables() -> list[TableFacts]:
    """The tables on this machine, without those that have walls of any tiles."""
    return [
        TableFacts(
            head.pattern.name,
            1 << head.pattern.target,
            head.pattern.large_tiles,
            head.states,
            path.stat().st_size,
        )
        for path, head in built()
        if head.pattern.walls is None
    ]


def offers() -> list[TableOffer]:
    """The tables that the page offers to build."""
    there = {head.pattern.name for _, head in built()}
    return [_offer(name) for name in OFFERED if name not in there]


def play_on(asked: EndgameBody) -> EndgameReply:
    """The positions of a practice game; raises InvalidInput."""
    table, positions = _practice(asked)
    return EndgameReply(
        table.name,
        1 << table.pattern.target,
        asked.seed,
        asked.known,
        [EndgamePosition.of(one) for one in positions[asked.known :]],
    )


def last_mistake(asked: EndgameBody) -> Mistake | None:
    """The last move of a practice game if it was a mistake, otherwise None; raises InvalidInput."""
    table, positions = _practice(asked)
    if len(positions) < 2:
        raise InvalidInput("expected a practice game with a move, got no moves")
    number, move = len(positions) - 2, Move.parse(asked.moves[-1])
    source = MistakeSource("practice", "", number, table.name, asked.seed, asked.board)
    return mistake_of_practice(source, positions[number], move)


def _practice(asked: EndgameBody) -> tuple[EndgameTable, list[PracticePosition]]:
    pattern = EndgamePattern.parse(asked.table)  # refuses names of files
    if pattern.walls is not None:
        raise InvalidInput(f"expected a table of large tiles, got {pattern.name} with walls")
    table, seed = open_table(pattern.name), parse_seed(asked.seed)
    board = Board.parse(asked.board) if asked.board else _first_board(table, seed)
    moves = [Move.parse(letter) for letter in asked.moves]
    return table, list(play(table, board, seed, moves))


def _offer(name: str) -> TableOffer:
    plan = BuildPlan.of(EndgamePattern.parse(name), _BITS)
    done = share_done(tables_folder() / file_name(plan.pattern))
    return TableOffer(
        name,
        1 << plan.pattern.target,
        plan.pattern.large_tiles,
        plan.states,
        plan.disk,
        plan.memory,
        plan.effort * (1 - (done or 0.0)) / _rate(),
        done,
    )


@cache
def _rate() -> float:
    """Boards per second that this machine builds, measured once."""
    return measured_rate(os.cpu_count() or 1)
