"""The engine under test, started when needed."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from twofold.board import Board
from twofold.engine.dialogue import START_SECONDS, Dialogue, Introduction
from twofold.engine.lines import format_line
from twofold.engine.messages import BestMove, ErrorLine, Go, Info, NewGame, SetPosition, Word
from twofold.engine.process import GRACE_SECONDS
from twofold.rules import STANDARD, Move, Rules
from twofold.search.budget import Budget

ALLOWED_SECONDS: Final = 0.05
"""Time that the protocol allows from `stop`, or the end of a time limit, to `bestmove`."""

PATIENCE_SECONDS: Final = 10.0
"""Time limit for replies without a limit in the protocol."""

QUIT_SECONDS: Final = 1.0
"""Time that the protocol allows from `quit`, or the end of the input, to the exit."""


class CheckFailed(Exception):
    """A check failed; the text says why, in one sentence."""


@dataclass(slots=True)
class MoveReply:
    """The reply to `go`.

    `move` is None on a dead board or after a refusal; `seconds` is the time from `go` to the end.
    """

    move: Move | None = None
    refusal: str = ""
    infos: list[Info] = field(default_factory=list)
    seconds: float = 0.0


class Subject:
    """The engine under test; started when needed, and again after it was lost.

    See `twofold.engine.conformance.check_engine` for the arguments.
    """

    def __init__(
        self, words: Sequence[str], *, boards: int = 200, slack: float = 1.0, seed: int = 1
    ) -> None:
        self.words, self.boards, self.slack, self.seed = tuple(words), boards, slack, seed
        self._dialogue: Dialogue | None = None
        self._introduction: Introduction | None = None

    # ---- the program

    def begun(self) -> Dialogue:
        """The program, started, before the handshake."""
        self.lose()
        self._dialogue = Dialogue(
            self.words, timeout=self.allowed(START_SECONDS), grace=self.allowed(GRACE_SECONDS)
        )
        return self._dialogue

    @property
    def dialogue(self) -> Dialogue:
        """The program, after the handshake."""
        if self._dialogue is None:
            self._introduction = self.begun().introduce()
        assert self._dialogue is not None
        return self._dialogue

    @property
    def introduction(self) -> Introduction:
        """The program's self-description."""
        _ = self.dialogue
        if self._introduction is None:
            raise CheckFailed("expected a handshake, got none")
        return self._introduction

    def introduce(self) -> Introduction:
        """Start the program and do the handshake."""
        self._introduction = self.begun().introduce()
        return self._introduction

    def lose(self) -> None:
        """End the program; the next check starts a new one."""
        if self._dialogue is not None:
            self._dialogue.kill()
            self._dialogue = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.lose()

    # ---- for the checks

    def allowed(self, seconds: float = ALLOWED_SECONDS) -> float:
        """A time limit, multiplied by the slack."""
        return seconds * self.slack

    @property
    def shape(self) -> tuple[int, int]:
        """4x4, or the first shape that the engine plays."""
        shapes = self.introduction.shapes
        return STANDARD.shape if STANDARD.shape in shapes else shapes[0]

    def begin(self, rules: Rules | None = None, seed: int = 0) -> None:
        """Start a game; a refusal fails the check."""
        game = NewGame(Rules(*self.shape) if rules is None else rules, seed)
        if refusal := self.dialogue.make_ready(game):
            raise CheckFailed(
                f"expected {format_line(game)!r} to be accepted, got error: {refusal}"
            )

    def ask(
        self, board: Board, budget: Budget | None = None, *, score: int | None = None
    ) -> MoveReply:
        """Send a position and `go`, and wait for the reply."""
        budget = budget or Budget()
        self.dialogue.say(SetPosition(board, score), Go(budget))
        return self.reply((budget.seconds or 0.0) + PATIENCE_SECONDS)

    def reply(self, seconds: float) -> MoveReply:
        """The reply to a `go` that was sent."""
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
        """Ask for a move on a board that is not dead; fails the check if it is not legal."""
        return self.checked(board, self.ask(board, budget))

    def checked(self, board: Board, reply: MoveReply) -> MoveReply:
        """The reply; fails the check if its move is not legal."""
        legal = board.legal_moves()
        if reply.move not in legal:
            letters = ", ".join(move.letter for move in legal)
            got = f"error {reply.refusal}" if reply.refusal else format_line(BestMove(reply.move))
            raise CheckFailed(f"expected a legal move ({letters}) on {board}, got {got!r}")
        return reply

    def silent_up_to_ready(self, *lines: str) -> list[str]:
        """Send lines, then `ready`; returns the errors. A `bestmove` fails the check."""
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
