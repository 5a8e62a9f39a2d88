"""The engine that is checked: started, asked, lost and started anew."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from twofold.board import Board
from twofold.engine.dialogue import Dialogue, Introduction
from twofold.engine.lines import format_line
from twofold.engine.messages import BestMove, ErrorLine, Go, Info, NewGame, SetPosition, Word
from twofold.engine.process import GRACE_SECONDS
from twofold.rules import STANDARD, Move, Rules
from twofold.search.budget import Budget

ALLOWED_SECONDS: Final = 0.05
"""What the protocol allows between `stop`, or the end of a time limit, and `bestmove`."""

PATIENCE_SECONDS: Final = 10.0
"""How long an answer is awaited that may take its time."""

QUIT_SECONDS: Final = 1.0
"""What the protocol allows between `quit`, or the end of the input, and the program's end."""


class CheckFailed(Exception):
    """A check was not passed; says why, in one sentence."""


@dataclass(slots=True)
class MoveReply:
    """What came in answer to `go`.

    Attributes:
        move: the move; None on a dead board, or where the engine refused.
        refusal: why it refused; empty where it did not.
        infos: what it said on the way.
        seconds: time from `go` to the end.
    """

    move: Move | None = None
    refusal: str = ""
    infos: list[Info] = field(default_factory=list)
    seconds: float = 0.0


class Subject:
    """The engine that is checked; started when it is needed, and anew after it was lost.

    Args:
        words: the program and its arguments.
        boards: how many boards it is asked about in the longest check.
        slack: what every time limit is multiplied with, for machines that are busy.
        seed: of the boards.
    """

    def __init__(
        self, words: Sequence[str], *, boards: int = 200, slack: float = 1.0, seed: int = 1
    ) -> None:
        self.words, self.boards, self.slack, self.seed = tuple(words), boards, slack, seed
        self._dialogue: Dialogue | None = None
        self._introduction: Introduction | None = None

    # ---- the program

    def begun(self) -> Dialogue:
        """The program, started and not yet spoken to."""
        self.lose()
        self._dialogue = Dialogue(self.words, grace=GRACE_SECONDS * self.slack)
        return self._dialogue

    @property
    def dialogue(self) -> Dialogue:
        """The program, after its introduction."""
        if self._dialogue is None:
            self._introduction = self.begun().introduce()
        assert self._dialogue is not None
        return self._dialogue

    @property
    def introduction(self) -> Introduction:
        """What it says of itself."""
        _ = self.dialogue
        if self._introduction is None:
            raise CheckFailed("expected an introduction, got none")
        return self._introduction

    def introduce(self) -> Introduction:
        """Start the program, and have it introduce itself."""
        self._introduction = self.begun().introduce()
        return self._introduction

    def lose(self) -> None:
        """End the program: the next check begins with a new one."""
        if self._dialogue is not None:
            self._dialogue.kill()
            self._dialogue = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.lose()

    # ---- what checks do with it

    def allowed(self, seconds: float = ALLOWED_SECONDS) -> float:
        """A limit of time, with the slack."""
        return seconds * self.slack

    @property
    def shape(self) -> tuple[int, int]:
        """4x4, or the first shape that the engine plays."""
        shapes = self.introduction.shapes
        return STANDARD.shape if STANDARD.shape in shapes else shapes[0]

    def begin(self, rules: Rules | None = None, seed: int = 0) -> None:
        """Begin a game; a refusal is a failure."""
        game = NewGame(Rules(*self.shape) if rules is None else rules, seed)
        if refusal := self.dialogue.make_ready(game):
            raise CheckFailed(
                f"expected {format_line(game)!r} to be accepted, got error: {refusal}"
            )

    def ask(
        self, board: Board, budget: Budget | None = None, *, score: int | None = None
    ) -> MoveReply:
        """Ask for a move and wait for the answer."""
        budget = budget or Budget()
        self.dialogue.say(SetPosition(board, score), Go(budget))
        return self.reply((budget.seconds or 0.0) + PATIENCE_SECONDS)

    def reply(self, seconds: float) -> MoveReply:
        """The answer to a `go` that was said."""
        began, found = time.monotonic(), MoveReply()
        until = began + self.allowed(seconds)
        while True:
            answer = self.dialogue.answer(until - time.monotonic(), "a bestmove")
            found.seconds = time.monotonic() - began
            match answer:
                case None:
                    raise CheckFailed(
                        self.dialogue.sentence("a bestmove", f"nothing for {seconds:g} s")
                    )
                case Info():
                    found.infos.append(answer)
                case ErrorLine():
                    found.refusal = answer.text
                    return found
                case BestMove():
                    found.move = answer.move
                    return found

    def legal_reply(self, board: Board, budget: Budget | None = None) -> MoveReply:
        """Ask for a move on a board that is not dead; anything but a legal one is a failure."""
        return self.checked(board, self.ask(board, budget))

    def checked(self, board: Board, reply: MoveReply) -> MoveReply:
        """The reply, if its move is legal."""
        legal = board.legal_moves()
        if reply.move not in legal:
            letters = ", ".join(move.letter for move in legal)
            got = f"error {reply.refusal}" if reply.refusal else format_line(BestMove(reply.move))
            raise CheckFailed(f"expected a legal move ({letters}) on {board}, got {got!r}")
        return reply

    def silent_up_to_ready(self, *lines: str) -> list[str]:
        """Say lines, then `ready`; what was refused up to `readyok`, where nothing else may come.

        Raises:
            Failed: a `bestmove` came.
        """
        self.dialogue.say_lines([*lines, Word.READY.value])
        refused: list[str] = []
        until = time.monotonic() + self.allowed(PATIENCE_SECONDS)
        while True:
            answer = self.dialogue.answer(until - time.monotonic(), "readyok", infos=False)
            match answer:
                case None:
                    seconds = self.allowed(PATIENCE_SECONDS)
                    raise CheckFailed(
                        self.dialogue.sentence("readyok", f"nothing for {seconds:g} s")
                    )
                case Word.READY_OK:
                    return refused
                case ErrorLine():
                    refused.append(answer.text)
                case BestMove():
                    raise CheckFailed(self.dialogue.sentence("readyok", format_line(answer)))
