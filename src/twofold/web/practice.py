"""The Practice page: endgames with the tables on this machine, and the puzzle of the day.

A practice game is a function of the table, the first board, the seed of the dice and the moves.
Nothing is stored: each request gives all moves so far and returns the positions.

The puzzle of the day is one position, one move, the same for everyone on a date in UTC: line
`date.toordinal() mod count` of `data/puzzles.txt`, made by `docs/puzzles.py`.
"""

import os
import random
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec

from twofold.errors import GameOver, InvalidBoard, InvalidInput
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.notation import parse_seed, shown
from twofold.game.rules import STANDARD, Move
from twofold.games.daily import FIRST_DAY, today
from twofold.games.judge import FLOOR
from twofold.games.store import NotFound
from twofold.tables.folder import tables_folder
from twofold.tables.pattern import EndgamePattern
from twofold.values.network_file import FOLDER
from twofold.web.notebook import (
    SOLVED_ROW,
    KeptFile,
    Mistake,
    MistakeSource,
    Notebook,
    mistake_of_practice,
)
from twofold.web.operations import Operation, operation, operations_of
from twofold.web.protocol import Letter
from twofold.web.protocol import Text as Short

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


class EndgamePosition(msgspec.Struct, frozen=True):
    """A position of a practice game.

    Attributes:
        status: `going`, `made` (the target), or `lost`: no move has a chance.
        chances: of the target after up, right, down and left; 0 for a legal move that is not in
            the table, null for an illegal one.
        cell, tile: of the last spawn; null at the start.
    """

    board: str
    status: Literal["going", "made", "lost"]
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
    answer, legal = tables.answer(board), board.legal_moves()
    known = {} if answer is None else answer.chances
    chances = [known.get(move, 0.0) if move in legal else None for move in Move]
    is_lost = answer is None or answer.chance == 0
    status: Literal["going", "made", "lost"] = "made" if made else "lost" if is_lost else "going"
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
    place = pattern.places[0]
    for number, cell in enumerate(reversed(place)):
        cells[cell] = pattern.target + number
    free = [cell for cell in range(16) if cell not in place]
    for cell in free[-2:]:
        cells[cell] = 1
    return Board(cells)


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

_BITS: Final = 16
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
    from twofold.tables.build import measured_rate

    return measured_rate(os.cpu_count() or 1)


POSITIONS: Final = FOLDER / "puzzles.txt"
FILE: Final = "puzzles.json"
MAX_BYTES: Final = 1 << 20

_ILLEGAL: Final = "-"


class PuzzleReply(msgspec.Struct, frozen=True):
    """A puzzle; `number` counts from 1.

    Attributes:
        values: of up, right, down and left, in points; null for illegal moves.
        shares: of the best value, as in a review, 0 to 1; null for illegal moves.
        best: letter of the best move.
        tempting: letters of the moves with the largest reward.
    """

    day: date
    number: int
    board: str
    values: list[int | None]
    shares: list[float | None]
    best: str
    tempting: str


@cache
def puzzle_lines() -> list[str]:
    """The puzzles of the package: a board, and the values of its moves."""
    lines = POSITIONS.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def puzzle_of(day: date) -> PuzzleReply:
    """The puzzle of a date."""
    lines = puzzle_lines()
    text, *texts = lines[day.toordinal() % len(lines)].split()
    board, values = Board.parse(text), [None if one == _ILLEGAL else int(one) for one in texts]
    legal = [move for move in Move if values[move] is not None]
    best = max(legal, key=lambda move: values[move] or 0)
    top = FLOOR + (values[best] or 0)
    rewards = {move: board.slide(move).reward for move in legal}
    return PuzzleReply(
        day,
        (day - FIRST_DAY).days + 1,
        str(board),
        values,
        [None if one is None else (FLOOR + one) / top for one in values],
        best.letter,
        "".join(move.letter for move in legal if rewards[move] == max(rewards.values())),
    )


class Answer(msgspec.Struct, frozen=True):
    """The first answer to a puzzle; `on_time` if it was given on the day."""

    move: Letter
    right: bool
    on_time: bool


class Answers(msgspec.Struct):
    """The file, with the answers by date."""

    version: Literal[1] = 1
    days: dict[date, Answer] = {}


class PuzzleBook:
    """The person's answers in the data folder; `clock` is the date in UTC. Thread-safe."""

    def __init__(self, folder: Path, clock: Callable[[], date] = today) -> None:
        self._file = KeptFile(folder / FILE, Answers, "answers to the puzzles", MAX_BYTES)
        self.clock: Final = clock

    def answers(self) -> dict[date, Answer]:
        """The answers so far; raises InvalidInput if the file is damaged."""
        return self._file.read().days

    def answer(self, day: date, move: Move) -> dict[date, Answer]:
        """Record the first answer to a puzzle; returns all. Raises InvalidInput."""
        puzzle = puzzle_of(day)
        if puzzle.values[move] is None:
            raise InvalidInput(f"expected a legal move, got {move.name.lower()}")
        given = Answer(move.letter, move.letter == puzzle.best, day == self.clock())  # type: ignore[arg-type]

        def edit(answers: Answers) -> dict[date, Answer]:
            answers.days.setdefault(day, given)
            return answers.days

        return self._file.change(edit)

    def streak(self, answers: dict[date, Answer]) -> int:
        """Days in a row, up to today or yesterday, whose puzzle was solved on the day."""
        day = self.clock()
        if not _counts(answers.get(day)):
            day -= timedelta(1)
        length = 0
        while _counts(answers.get(day)):
            length, day = length + 1, day - timedelta(1)
        return length

    def parse_day(self, text: str) -> date:
        """Parse a day from the first puzzle to today; raises NotFound."""
        try:
            day = date.fromisoformat(text)
        except ValueError:
            day = date.max
        if not FIRST_DAY <= day <= self.clock():
            raise NotFound(f"expected a date from {FIRST_DAY} to {self.clock()}, got {shown(text)}")
        return day


def _counts(answer: Answer | None) -> bool:
    return answer is not None and answer.right and answer.on_time


class NotebookCounts(msgspec.Struct, frozen=True):
    """The number of open and of solved positions; `row` correct answers in a row solve one."""

    open: int
    solved: int
    row: int = SOLVED_ROW


class NextBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A request for the next position, not the one just answered."""

    after: Short = ""


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
    answers: dict[date, Answer]
    streak: int


class PuzzleBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The answer to a puzzle."""

    move: Letter


def practice_operations(notebook: Notebook, data: Path) -> list[Operation]:
    """The operations; `data` is the data folder."""
    return operations_of(_Practice(notebook, PuzzleBook(data)))


class _Practice:
    def __init__(self, notebook: Notebook, book: PuzzleBook) -> None:
        self._notebook, self._book = notebook, book

    # ---- endgames

    @operation("GET /api/practice/tables")
    def tables(self) -> list[TableFacts]:
        """List the endgame tables on this machine."""
        from twofold.tables.library import built

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
        return self._reply(self._notebook.next(body.after))

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
    def puzzle(self, day: str) -> PuzzleReply:
        """The puzzle of a date."""
        return puzzle_of(self._book.parse_day(day))

    @operation("POST /api/puzzles/{day}")
    def answer(self, day: str, body: PuzzleBody) -> PuzzleDays:
        """Answer the puzzle of a date; the first answer counts."""
        return self._days(self._book.answer(self._book.parse_day(day), Move.parse(body.move)))

    def _days(self, answers: dict[date, Answer]) -> PuzzleDays:
        return PuzzleDays(self._book.clock(), FIRST_DAY, answers, self._book.streak(answers))
