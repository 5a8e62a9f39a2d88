"""A conversation with an engine: commands, expected replies and time limits.

A violation of the protocol raises an error with one sentence: what was expected, what came, the
command it replied to, and the end of stderr.
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
from twofold.engine.process import EngineEnded, EngineOverflow, EngineProcess
from twofold.errors import InvalidInput, PlayerError
from twofold.limits import MAX_ENGINE_LINES, MAX_ENGINE_OPTIONS
from twofold.notation import shown

START_SECONDS: Final = 60.0
"""Usual time limit for `u2048ok` and `readyok`, long enough to load or compile."""

_INTRODUCTION: Final = ("id", "option", "shapes")
"""First words of the lines that mean something in the handshake alone."""


class EngineLost(PlayerError):
    """An engine has ended or does not reply; a restart may help."""


@dataclass(slots=True)
class Introduction:
    """An engine's self-description: name, author, options by name, and shapes as (rows, cols)."""

    name: str = ""
    author: str = ""
    options: dict[str, Option] = field(default_factory=dict)
    shapes: tuple[tuple[int, int], ...] = Shapes().shapes

    def add(self, message: Answer) -> None:
        """Store the content of a line."""
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
    """A running engine and the conversation with it; raises `InvalidSpec` if there is no program.

    `words` are the program and its arguments; `timeout` is the time limit, in seconds, of the
    handshake and of `readyok`.
    """

    def __init__(self, words: Sequence[str], *, timeout: float = START_SECONDS) -> None:
        self.command = shlex.join(words)
        self.timeout = timeout
        self.process = EngineProcess(words)
        self._asked = ""
        self._lines = 0
        self._skipped: tuple[str, ...] = ()

    # ---- sending

    def say(self, *messages: Command) -> None:
        """Send commands; later errors name them as the cause of the reply."""
        self.say_lines([format_line(message) for message in messages])

    def say_lines(self, lines: Sequence[str]) -> None:
        """Send lines of text, valid or not; raises `EngineLost` or `PlayerError`."""
        self._asked = ", ".join(lines)
        self._lines = 0
        self._write(lines)

    def add(self, word: Word) -> None:
        """Send one more word while a reply is due."""
        self._write([word.value])

    def _write(self, lines: Sequence[str]) -> None:
        try:
            self.process.write(lines)
        except EngineEnded as error:
            raise EngineLost(self.sentence("a program that reads", str(error))) from None
        except EngineOverflow as error:
            raise PlayerError(self.sentence("a program that reads", str(error))) from None

    # ---- receiving

    def answer(self, seconds: float, expected: str, *, infos: bool = True) -> Answer | None:
        """The next known line; None if none comes within `seconds`.

        `expected` is the reply that errors name; without `infos`, `info` lines are skipped
        unparsed. Raises `EngineLost` at the end of the engine, `PlayerError` if it breaks the
        protocol.
        """
        until = time.monotonic() + seconds
        while (line := self._read(until - time.monotonic(), expected)) is not None:
            word = first_word(line)
            if word not in self._skipped and (infos or word != "info"):
                try:
                    message = parse_answer(line)
                except InvalidInput as error:
                    sentence = self.sentence(expected, f"{shown(line)} ({error})")
                    raise PlayerError(sentence) from None
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

    def pass_over(self) -> None:
        """Skip lines sent since the last reply; raises `PlayerError` for a move without a `go`."""
        while (message := self.answer(0.0, "no line before a command", infos=False)) is not None:
            if isinstance(message, BestMove):
                raise PlayerError(
                    self.sentence("one bestmove", f"another one, {format_line(message)}")
                )

    # ---- handshake

    def introduce(self) -> Introduction:
        """Do the handshake; raises `EngineLost` or `PlayerError` if it fails."""
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
        self._skipped = _INTRODUCTION
        return found

    def make_ready(self, *messages: Command) -> str:
        """Send commands and wait for `readyok`; returns the first refusal, or an empty text."""
        self.say(*messages, Word.READY)
        return next(iter(self.refusals()), "")

    def refusals(self) -> list[str]:
        """The errors that come before `readyok`."""
        return [
            message.text for message in self._up_to(Word.READY_OK) if isinstance(message, ErrorLine)
        ]

    def _up_to(self, last: Word) -> Iterator[Answer]:
        until = time.monotonic() + self.timeout
        while (
            message := self.answer(until - time.monotonic(), last.value, infos=False)
        ) is not last:
            if message is None:
                raise EngineLost(self.sentence(last.value, f"nothing for {self.timeout:g} s"))
            yield message

    def sentence(self, expected: str, got: str) -> str:
        """The error message: expected and received, with the end of stderr."""
        words = self.process.last_words()
        tail = f"; its stderr ends with: {words}" if words else ""
        return (
            f"expected {expected} from the engine {shown(self.command)} in reply to "
            f"{shown(self._asked)}, got {got}{tail}"
        )

    # ---- ending

    def kill(self) -> None:
        """End the engine immediately."""
        self.process.kill()

    def close(self) -> None:
        """Ask the engine to quit; kill it if it does not."""
        try:
            self._write([Word.QUIT.value])
        except PlayerError:
            self.kill()
        self.process.close()
