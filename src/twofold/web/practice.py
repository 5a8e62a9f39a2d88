"""The operations of the Practice page: endgames, the notebook of mistakes, the puzzle of the day.

No practice game is stored: each request gives all moves so far and returns the positions.
"""

import os
from datetime import date
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from twofold.errors import InvalidInput
from twofold.game.board import Board
from twofold.game.notation import parse_seed
from twofold.game.rules import Move
from twofold.games import puzzles
from twofold.games.daily import FIRST_DAY
from twofold.games.endgames import EndgamePosition, first_board, play
from twofold.games.mistakes import (
    SOLVED_ROW,
    Mistake,
    MistakeBook,
    MistakeSource,
    mistake_of_practice,
)
from twofold.games.puzzles import PuzzleBook
from twofold.games.store import GameStore
from twofold.tables.folder import SUFFIX, tables_folder
from twofold.tables.pattern import EndgamePattern
from twofold.web.operations import operation
from twofold.web.protocol import Letter
from twofold.web.protocol import Text as Short

if TYPE_CHECKING:
    from twofold.tables.library import EndgameTable

MAX_MOVES: Final = 4_000
"""Maximum number of moves in a practice game."""

Letters = Annotated[str, msgspec.Meta(max_length=MAX_MOVES, pattern="^[urdl]*$")]


class TableFacts(msgspec.Struct, frozen=True):
    """An endgame table on this machine, such as `442-256`, and the tile to make.

    Attributes:
        large: number of large tiles.
        boards: number of boards.
        bytes: size of its file.
    """

    name: str
    target: int
    large: int
    boards: int
    bytes: int


class TablesHere(msgspec.Struct, frozen=True):
    """Endgame tables on this machine; `damaged` has what is wrong with others, by their names."""

    tables: list[TableFacts]
    damaged: dict[str, str]


class TableOffer(TableFacts, frozen=True):
    """An endgame table that could be built.

    Attributes:
        memory: bytes of memory while it is built.
        seconds: estimated time to build it.
        done: share built by an earlier run, 0 to 1; null if there was none.
    """

    memory: int
    seconds: float
    done: float | None


class EndgameBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A practice game.

    Attributes:
        seed: of the dice and of the first board, as text.
        board: the first board; empty for that of the seed.
        moves: letters of the moves.
        known: number of positions to leave out of the reply.
    """

    table: Short
    seed: Short
    board: Short = ""
    moves: Letters = ""
    known: Annotated[int, msgspec.Meta(ge=0, le=MAX_MOVES)] = 0


class EndgameReply(msgspec.Struct, frozen=True):
    """A practice game; `positions` begin at place `known`, one after each move."""

    table: str
    target: int
    seed: str
    known: int
    positions: list[EndgamePosition]


class KeptMistake(msgspec.Struct, frozen=True):
    """True if a position was added to the notebook."""

    added: bool


OFFERED: Final = ("442-64", "442-128", "442-256", "442-512/32-128")
"""Tables that the page offers to build."""

_first_board: Final = lru_cache(maxsize=64)(first_board)


def _practice(asked: EndgameBody) -> "tuple[EndgameTable, list[EndgamePosition]]":
    from twofold.tables.library import open_table

    pattern = EndgamePattern.parse(asked.table)  # refuses names of files
    if pattern.walls is not None:
        raise InvalidInput(f"expected a table of large tiles, got {pattern.name} with walls")
    table, seed = open_table(pattern.name), parse_seed(asked.seed)
    board = Board.parse(asked.board) if asked.board else _first_board(table, seed)
    moves = [Move.parse(letter) for letter in asked.moves]
    return table, list(play(table, board, seed, moves))


def _offer(name: str) -> TableOffer:
    from twofold.tables.build import BuildPlan
    from twofold.tables.library import file_name
    from twofold.tables.work import share_done

    plan = BuildPlan.of(EndgamePattern.parse(name))
    done = share_done(tables_folder() / file_name(plan.pattern))
    seconds = plan.effort * (1 - (done or 0.0)) / _rate()
    pattern = (1 << plan.pattern.target, plan.pattern.large_tiles)
    return TableOffer(name, *pattern, plan.states, plan.disk, plan.memory, seconds, done)


@cache
def _rate() -> float:
    """Boards per second that this machine builds, measured once."""
    from twofold.tables.build import measured_rate

    return measured_rate(os.cpu_count() or 1)


class NotebookCounts(msgspec.Struct, frozen=True):
    """The number of open and of solved positions; `row` correct answers in a row solve one."""

    open: int
    solved: int
    row: int = SOLVED_ROW


class NextBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A request for the next position: of `game` first, not `after`, the one just answered."""

    after: Short = ""
    game: Short = ""


class NextReply(msgspec.Struct, frozen=True):
    """The next position, null if all are solved, and the counts."""

    position: Mistake | None
    counts: NotebookCounts


class AnswerBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An answer to a position; a null move solves it, so that it does not come again."""

    id: Short
    move: Letter | None


class PuzzleDays(msgspec.Struct, frozen=True):
    """The puzzles so far: today in UTC, the first day, the answers by date.

    `streak` counts days in a row on which the day's puzzle was solved.
    """

    today: date
    first: date
    answers: dict[date, puzzles.Answer]
    streak: int


class NextPuzzle(msgspec.Struct, frozen=True):
    """A puzzle of the stream, how hard it is, and the person's progress."""

    puzzle: puzzles.Puzzle
    rating: float
    progress: puzzles.Progress


class StreamBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The answer to a puzzle of the stream."""

    number: int
    move: Letter


class PuzzleBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The answer to a puzzle."""

    move: Letter


class Practice:
    """The operations; `store` keeps the answers."""

    def __init__(self, notebook: MistakeBook, store: GameStore) -> None:
        self._notebook, self._book = notebook, PuzzleBook(store)

    # ---- endgames

    @operation("GET /api/practice/tables")
    def tables(self) -> TablesHere:
        """List the endgame tables on this machine."""
        from twofold.tables.library import built, unsound

        tables = [
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
        damaged = {path.name.removesuffix(SUFFIX).replace("_", "/"): why for path, why in unsound()}
        return TablesHere(tables, damaged)

    @operation("GET /api/practice/offers", at_once=1)
    def offers(self) -> list[TableOffer]:
        """Endgame tables that could be built, and their requirements."""
        from twofold.tables.library import built

        there = {head.pattern.name for _, head in built()}
        return [_offer(name) for name in OFFERED if name not in there]

    @operation("POST /api/practice/endgame")
    def play(self, body: EndgameBody) -> EndgameReply:
        """The positions of a practice game, with the chances of all moves."""
        table, positions = _practice(body)
        target = 1 << table.pattern.target
        return EndgameReply(table.name, target, body.seed, body.known, positions[body.known :])

    @operation("POST /api/practice/mistake")
    def keep(self, body: EndgameBody) -> KeptMistake:
        """Add the last move of a practice game to the notebook, if it was a mistake."""
        table, positions = _practice(body)
        if len(positions) < 2:
            raise InvalidInput("expected a practice game with a move, got no moves")
        number, move = len(positions) - 2, Move.parse(body.moves[-1])
        source = MistakeSource("practice", "", number, table.name, body.seed, body.board)
        found = mistake_of_practice(source, positions[number], move)
        return KeptMistake(found is not None and self._notebook.add([found]) > 0)

    # ---- the notebook

    @operation("GET /api/notebook")
    def counts(self) -> NotebookCounts:
        """The number of mistakes in the notebook."""
        return NotebookCounts(*self._notebook.counts())

    @operation("POST /api/notebook/next")
    def next(self, body: NextBody) -> NextReply:
        """A position of the notebook to solve."""
        return self._reply(self._notebook.next(body.after, body.game))

    @operation("POST /api/notebook/answer")
    def solve(self, body: AnswerBody) -> NextReply:
        """Answer a position of the notebook."""
        if body.move is None:
            return self._reply(self._notebook.drop(body.id))
        return self._reply(self._notebook.answer(body.id, Move.parse(body.move)))

    def _reply(self, position: Mistake | None) -> NextReply:
        return NextReply(position, NotebookCounts(*self._notebook.counts()))

    # ---- puzzles

    @operation("GET /api/puzzles")
    def days(self) -> PuzzleDays:
        """The puzzles of the day so far, and the answers to them."""
        return self._days(self._book.answers())

    @operation("GET /api/puzzles/{day}")
    def puzzle(self, day: str) -> puzzles.DailyPuzzle:
        """The puzzle of a date."""
        return puzzles.puzzle_of(self._book.parse_day(day))

    @operation("POST /api/puzzles/{day}")
    def answer(self, day: str, body: PuzzleBody) -> PuzzleDays:
        """Answer the puzzle of a date; the first answer counts."""
        return self._days(self._book.answer(self._book.parse_day(day), Move.parse(body.move)))

    @operation("GET /api/puzzle")
    def next_puzzle(self) -> NextPuzzle:
        """The next puzzle of the stream."""
        puzzle, progress = self._book.stream()
        return NextPuzzle(puzzle, puzzles.ratings()[puzzle.number - 1], progress)

    @operation("POST /api/puzzle")
    def solve_puzzle(self, body: StreamBody) -> puzzles.Progress:
        """Answer a puzzle of the stream; the first answer counts."""
        return self._book.solve(body.number, Move.parse(body.move))

    def _days(self, answers: dict[date, puzzles.Answer]) -> PuzzleDays:
        return PuzzleDays(self._book.clock(), FIRST_DAY, answers, self._book.streak(answers))
