"""The HTTP operations of the Practice page."""

from datetime import date
from pathlib import Path

from twofold.play.daily import FIRST_DAY
from twofold.rules import Move
from twofold.web.operations import Call, Operation
from twofold.web.practice.messages import (
    AnswerBody,
    EndgameBody,
    EndgameReply,
    KeptMistake,
    NextBody,
    NextReply,
    NotebookCounts,
    PuzzleBody,
    PuzzleDays,
    PuzzleReply,
    TableFacts,
    TableOffer,
)
from twofold.web.practice.notebook import Notebook
from twofold.web.practice.puzzles import Answer, PuzzleBook, puzzle_of


def practice_operations(notebook: Notebook, data: Path) -> list[Operation]:
    """The operations; `data` is the data folder."""
    practice = _Practice(notebook, PuzzleBook(data))
    return [
        Operation(
            path="/api/practice/tables",
            summary="List the endgame tables on this machine.",
            work=practice.tables,
            reply=list[TableFacts],
        ),
        Operation(
            path="/api/practice/offers",
            summary="Endgame tables that could be built, and their requirements.",
            work=practice.offers,
            reply=list[TableOffer],
            at_once=1,
        ),
        Operation(
            method="POST",
            path="/api/practice/endgame",
            summary="The positions of a practice game, with the chances of all moves.",
            work=practice.play,
            body=EndgameBody,
            reply=EndgameReply,
        ),
        Operation(
            method="POST",
            path="/api/practice/mistake",
            summary="Add the last move of a practice game to the notebook, if it was a mistake.",
            work=practice.keep,
            body=EndgameBody,
            reply=KeptMistake,
        ),
        Operation(
            path="/api/notebook",
            summary="The number of mistakes in the notebook.",
            work=practice.counts,
            reply=NotebookCounts,
        ),
        Operation(
            method="POST",
            path="/api/notebook/next",
            summary="A position of the notebook to solve.",
            work=practice.next,
            body=NextBody,
            reply=NextReply,
        ),
        Operation(
            method="POST",
            path="/api/notebook/answer",
            summary="Answer a position of the notebook.",
            work=practice.solve,
            body=AnswerBody,
            reply=NextReply,
        ),
        Operation(
            path="/api/puzzles",
            summary="The puzzles of the day so far, and the answers to them.",
            work=practice.days,
            reply=PuzzleDays,
        ),
        Operation(
            path="/api/puzzles/{day}",
            summary="The puzzle of a date.",
            work=practice.puzzle,
            reply=PuzzleReply,
        ),
        Operation(
            method="POST",
            path="/api/puzzles/{day}",
            summary="Answer the puzzle of a date; the first answer counts.",
            work=practice.answer,
            body=PuzzleBody,
            reply=PuzzleDays,
        ),
    ]


class _Practice:
    def __init__(self, notebook: Notebook, book: PuzzleBook) -> None:
        self._notebook, self._book = notebook, book

    # ---- endgames

    def tables(self, call: Call) -> list[TableFacts]:
        from twofold.web.practice import endgames  # loads kernels, as below

        return endgames.tables()

    def offers(self, call: Call) -> list[TableOffer]:
        from twofold.web.practice import endgames

        return endgames.offers()

    def play(self, call: Call) -> EndgameReply:
        from twofold.web.practice import endgames

        return endgames.play_on(call.body)

    def keep(self, call: Call) -> KeptMistake:
        from twofold.web.practice import endgames

        found = endgames.last_mistake(call.body)
        return KeptMistake(found is not None and self._notebook.add([found]) > 0)

    # ---- the notebook

    def counts(self, call: Call) -> NotebookCounts:
        return self._counts()

    def next(self, call: Call) -> NextReply:
        return NextReply(self._notebook.next(call.body.after), self._counts())

    def solve(self, call: Call) -> NextReply:
        asked: AnswerBody = call.body
        if asked.move is None:
            found = self._notebook.drop(asked.id)
        else:
            found = self._notebook.answer(asked.id, Move.parse(asked.move))
        return NextReply(found, self._counts())

    def _counts(self) -> NotebookCounts:
        return NotebookCounts(*self._notebook.counts())

    # ---- puzzles

    def days(self, call: Call) -> PuzzleDays:
        return self._days(self._book.answers())

    def puzzle(self, call: Call) -> PuzzleReply:
        day = self._book.parse_day(call.path["day"])
        puzzle = puzzle_of(day)
        return PuzzleReply(
            day,
            (day - FIRST_DAY).days + 1,
            str(puzzle.board),
            list(puzzle.values),
            puzzle.shares,
            puzzle.best.letter,
            "".join(move.letter for move in puzzle.tempting),
        )

    def answer(self, call: Call) -> PuzzleDays:
        day = self._book.parse_day(call.path["day"])
        return self._days(self._book.answer(day, Move.parse(call.body.move)))

    def _days(self, answers: dict[date, Answer]) -> PuzzleDays:
        return PuzzleDays(self._book.clock(), FIRST_DAY, answers, self._book.streak(answers))
