"""A conversation with an engine: what it is told, what must come, and how long to wait for it.

An engine that does otherwise ends in one sentence: what was expected, what came, in answer to
what, and the end of what it wrote to stderr.
"""

import shlex
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from twofold.engine.lines import first_word, format_line, parse_answer
from twofold.engine.messages import (
    Answer,
    BestMove,
    Command,
    ErrorLine,
    Identity,
    Option,
    Shapes,
    Word,
)
from twofold.engine.process import GRACE_SECONDS, EngineEnded, EngineOverflow, EngineProcess
from twofold.errors import InvalidInput, PlayerError
from twofold.limits import MAX_ENGINE_LINES, MAX_ENGINE_OPTIONS
from twofold.notation import shown

START_SECONDS: Final = 60.0
"""How long an engine may take for `u2048ok` and for `readyok`: it may have to load or compile."""


class EngineLost(PlayerError):
    """An engine has ended, or says nothing; started again it may do better."""


@dataclass(slots=True)
class Introduction:
    """What an engine says of itself.

    Attributes:
        name: its name.
        author: who wrote it.
        options: what can be set, by name.
        shapes: the shapes of boards that it can play, as (rows, cols).
    """

    name: str = ""
    author: str = ""
    options: dict[str, Option] = field(default_factory=dict)
    shapes: tuple[tuple[int, int], ...] = Shapes().shapes

    def add(self, message: Answer) -> None:
        """Note what a line says."""
        match message:
            case Identity(key="name"):
                self.name = message.text
            case Identity(key="author"):
                self.author = message.text
            case Option():
                self.options[message.name] = message
            case Shapes():
                self.shapes = message.shapes


class Dialogue:
    """A running engine that is spoken to.

    Args:
        words: the program and its arguments.
        grace: see `EngineProcess`.

    Raises:
        InvalidSpec: there is no such program.
    """

    def __init__(self, words: Sequence[str], grace: float = GRACE_SECONDS) -> None:
        self.command = shlex.join(words)
        self.process = EngineProcess(words, grace)
        self._asked = ""
        self._lines = 0

    # ---- speaking

    def say(self, *messages: Command) -> None:
        """Tell the engine something; what comes from now on is in answer to that."""
        self.say_lines([format_line(message) for message in messages])

    def say_lines(self, lines: Sequence[str]) -> None:
        """The same with lines of text, right or wrong.

        Raises:
            EngineLost: it has ended.
            PlayerError: it does not read.
        """
        self._asked = ", ".join(lines)
        self._lines = 0
        self._write(lines)

    def add(self, word: Word) -> None:
        """Tell it one word more, while the answer is awaited."""
        self._write([word.value])

    def _write(self, lines: Sequence[str]) -> None:
        try:
            self.process.write(lines)
        except EngineEnded as error:
            raise EngineLost(self.sentence("a program that reads", str(error))) from None
        except EngineOverflow as error:
            raise PlayerError(self.sentence("a program that reads", str(error))) from None

    # ---- listening

    def answer(self, seconds: float, expected: str, *, infos: bool = True) -> Answer | None:
        """The next line that is known; None if none comes in time.

        Args:
            seconds: how long to wait.
            expected: what is waited for, in words.
            infos: whether `info` lines are wanted; else they are passed over unread.

        Raises:
            EngineLost: the engine has ended.
            PlayerError: it breaks the protocol.
        """
        until = time.monotonic() + seconds
        while (line := self._read(until - time.monotonic(), expected)) is not None:
            if infos or first_word(line) != "info":
                message = self._parsed(line, expected)
                if message is not None:
                    return message
        return None

    def _read(self, seconds: float, expected: str) -> str | None:
        try:
            line = self.process.read(seconds)
        except EngineEnded as error:
            raise EngineLost(self.sentence(expected, str(error))) from None
        except EngineOverflow as error:
            raise PlayerError(self.sentence(expected, str(error))) from None
        self._lines += 1
        if self._lines > MAX_ENGINE_LINES:
            raise PlayerError(self.sentence(expected, f"more than {MAX_ENGINE_LINES} lines"))
        return line

    def _parsed(self, line: str, expected: str) -> Answer | None:
        try:
            return parse_answer(line)
        except InvalidInput as error:
            raise PlayerError(self.sentence(expected, f"{shown(line)} ({error})")) from None

    def pass_over(self) -> None:
        """Pass over what the engine has said since its last answer.

        Raises:
            EngineLost, PlayerError: it has ended, or has made a move that nobody asked for.
        """
        while (message := self.answer(0.0, "silence until it is asked", infos=False)) is not None:
            if isinstance(message, BestMove):
                raise PlayerError(
                    self.sentence("one bestmove", f"another one, {format_line(message)}")
                )

    # ---- what every conversation needs

    def introduce(self) -> Introduction:
        """Say hello.

        Raises:
            EngineLost, PlayerError: it does not answer as it must.
        """
        found = Introduction()
        self.say(Word.HELLO)
        for message in self._up_to(Word.HELLO_OK):
            if isinstance(message, ErrorLine):
                raise PlayerError(self.sentence("u2048ok", format_line(message)))
            found.add(message)
            if len(found.options) > MAX_ENGINE_OPTIONS:
                raise PlayerError(
                    self.sentence("u2048ok", f"more than {MAX_ENGINE_OPTIONS} options")
                )
        return found

    def make_ready(self, *messages: Command) -> str:
        """Tell it something and wait until it is done; the first refusal, or an empty text.

        Raises:
            EngineLost, PlayerError: it does not answer as it must.
        """
        self.say(*messages, Word.READY)
        return next(iter(self.refusals()), "")

    def refusals(self) -> list[str]:
        """What it refuses, up to `readyok`."""
        return [
            message.text for message in self._up_to(Word.READY_OK) if isinstance(message, ErrorLine)
        ]

    def _up_to(self, last: Word) -> Iterator[Answer]:
        """The answers before a word, as they come."""
        until = time.monotonic() + START_SECONDS
        while (
            message := self.answer(until - time.monotonic(), last.value, infos=False)
        ) is not last:
            if message is None:
                raise EngineLost(self.sentence(last.value, f"nothing for {START_SECONDS:g} s"))
            yield message

    def sentence(self, expected: str, got: str) -> str:
        """What is wrong, in one sentence."""
        words = self.process.last_words()
        tail = f"; its errors end with: {words}" if words else ""
        return (
            f"expected {expected} from the engine {shown(self.command)} in answer to "
            f"{shown(self._asked)}, got {got}{tail}"
        )

    # ---- ending

    def kill(self) -> None:
        """End the engine now."""
        self.process.kill()

    def close(self) -> None:
        """Ask the engine to quit, and see that it does."""
        try:
            self._write([Word.QUIT.value])
        except PlayerError:
            self.kill()
        self.process.close()
