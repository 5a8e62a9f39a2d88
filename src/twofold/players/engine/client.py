"""A player that is another program, asked in the engine protocol with time limits.

A conversation with an engine: commands, expected replies and time limits.

A violation of the protocol raises an error with one sentence: what was expected, what came, the
command it replied to, and the end of stderr.

An engine that ends or does not reply is restarted a few times per game and asked again: commands
always contain the whole position. An illegal move or an invalid line is an error without a retry;
`info` that cannot be read is ignored, with a warning.
"""

import logging
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from twofold.errors import InvalidInput, InvalidSpec, PlayerError, UnsupportedRules
from twofold.game.board import Board
from twofold.game.notation import shown
from twofold.game.rules import MOVES_BY_LETTER, Move, Rules
from twofold.limits import MAX_ENGINE_LINES, MAX_ENGINE_OPTIONS
from twofold.players.base import StreamPlayer, check_going, move_list
from twofold.players.engine.lines import (
    Answer,
    BestMove,
    Command,
    ErrorLine,
    Go,
    Identity,
    Info,
    NewGame,
    Option,
    SetOption,
    SetPosition,
    Shapes,
    Word,
    first_word,
    format_line,
    parse_answer,
)
from twofold.players.engine.process import EngineEnded, EngineOverflow, EngineProcess
from twofold.search.analysis import Analysis, MoveValue
from twofold.search.budget import Budget, Stop

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


RESTARTS: Final = 3
"""Most restarts in one game."""

STOP_SECONDS: Final = 1.0
"""Time limit for the move after `stop`; the protocol allows 50 ms."""

POLL_SECONDS: Final = 0.005
"""Interval between checks of the stop flag."""

SOME_UNIT: Final = "own unit"
"""The unit of values if the engine names none."""

_SHAPES_SHOWN: Final = 6
_LOG: Final = logging.getLogger("twofold.engine")


class EnginePlayer(StreamPlayer):
    """Plays the moves of another program.

    Args:
        words: the program and its arguments; started without a shell.
        budget: limits of each move, sent to the engine; by default it uses its own.
        timeout: longest wait for the handshake, for `readyok`, and for a move in addition to its
            time limit; in seconds.
        options: options to set before a game, by name.

    Attributes:
        faults: the reason of each restart in this game.
    """

    def __init__(
        self,
        words: Sequence[str],
        budget: Budget | None = None,
        *,
        timeout: float = 60.0,
        options: Mapping[str, str] | None = None,
    ) -> None:
        self.words = tuple(words)
        self.budget = budget or Budget()
        self.timeout = timeout
        self._noted: set[str] = set()
        self.options = dict(options or {})
        self.reproducible = self.budget.seconds is None
        self.faults: list[str] = []
        self._dialogue: Dialogue | None = None
        self._introduction = Introduction()
        self._begun = False

    # ---- games

    def unsupported(self, rules: Rules) -> str:
        """Why the engine cannot play boards of this shape; starts the engine."""
        self._connected()
        shapes = self._introduction.shapes
        if rules.shape in shapes:
            return ""
        named = ", ".join(f"{rows}x{cols}" for rows, cols in shapes[:_SHAPES_SHOWN])
        return f"expected boards of {named}{' ...' if len(shapes) > _SHAPES_SHOWN else ''}"

    def start(self, rules: Rules, seed: int) -> None:
        """Start a new game; raises `UnsupportedRules` if the engine refuses it."""
        super().start(rules, seed)
        self.faults = []
        self._begun = True
        try:
            self._begin_game()
        except EngineLost as fault:
            self._restart_after(fault)

    def _fit(self, board: Board) -> None:
        """Start a game if the board does not have the shape of the current one."""
        if not self._begun or board.shape != self.rules.shape:
            self.start(Rules(*board.shape), self.seed)

    def _connected(self) -> Dialogue:
        if self._dialogue is None:
            dialogue = Dialogue(self.words, timeout=self.timeout)
            try:
                self._introduction = dialogue.introduce()
                self._set_options(dialogue)
            except BaseException:
                dialogue.kill()
                raise
            self._dialogue = dialogue
        return self._dialogue

    def _set_options(self, dialogue: Dialogue) -> None:
        offered = self._introduction.options
        for name, value in self.options.items():
            if name not in offered:
                known = ", ".join(offered) or "none"
                raise InvalidSpec(f"expected an option of the engine ({known}), got {shown(name)}")
            offered[name].check(value)
        settings = [SetOption(name, value) for name, value in self.options.items()]
        if settings and (refusal := dialogue.make_ready(*settings)):
            raise InvalidSpec(f"expected options that the engine can take: {refusal}")

    def _begin_game(self) -> Dialogue:
        dialogue = self._connected()
        try:
            refusal = dialogue.make_ready(NewGame(self.rules, self.seed))
        except PlayerError:
            self._drop()
            raise
        if refusal:
            raise UnsupportedRules(
                f"expected rules that the engine {shown(dialogue.command)} can play, "
                f"got {self.rules}: {refusal}"
            )
        return dialogue

    def _restart_after(self, fault: EngineLost) -> Dialogue:
        self._drop()
        if len(self.faults) == RESTARTS:
            raise PlayerError(f"{fault} (after {RESTARTS} restarts)") from None
        self.faults.append(str(fault))
        _LOG.info("started again: %s", fault)
        return self._begin_game()

    def _drop(self) -> None:
        if self._dialogue is not None:
            self._dialogue.kill()
            self._dialogue = None

    def close(self) -> None:
        """End the engine."""
        if self._dialogue is not None:
            self._dialogue.close()
            self._dialogue = None
            self._begun = False

    # ---- moves

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        """The engine's move; raises `PlayerError` if the engine fails."""
        check_going(board)
        self._fit(board)
        position = SetPosition(board, score, move_number)
        for answer in self._thoughts(position, self.budget, infos=False):
            if isinstance(answer, BestMove) and answer.move is not None:
                return answer.move
        raise AssertionError("a search ends with a move")

    def stream(
        self,
        board: Board,
        budget: Budget | None = None,
        *,
        score: int | None = None,
        stop: Stop | None = None,
    ) -> Iterator[Analysis]:
        """Yield an analysis for each `info` line with all values, and one for the move."""
        legal = check_going(board)
        self._fit(board)
        limits = self.budget if budget is None or budget == Budget() else budget
        began = time.perf_counter()
        last = Info()
        for answer in self._thoughts(SetPosition(board, score), limits, stop):
            if isinstance(answer, BestMove):
                assert answer.move is not None
                best = answer.move
            else:
                self._note_faults(answer, legal)
                if not set(legal) <= set(answer.values):
                    continue
                last, best = answer, max(legal, key=answer.values.__getitem__)
                if answer.best is not None and answer.best in legal:
                    best = answer.best
            ended = stop is not None and stop.is_raised
            yield _analysis(
                self,
                board,
                last,
                best,
                seconds=time.perf_counter() - began,
                reproducible=limits.seconds is None and not ended,
            )

    def _note_faults(self, info: Info, legal: Sequence[Move]) -> None:
        """Warn of what could not be used, once for each kind of data."""
        faults = dict(info.faults)
        if not faults and info.values and not set(legal) <= set(info.values):
            letters = "".join(move.letter for move in info.values)
            faults["values"] = f"expected values of all legal moves, got {letters}"
        for name, fault in faults.items():
            kind = "values" if name in MOVES_BY_LETTER else name
            if kind not in self._noted:
                self._noted.add(kind)
                _LOG.warning(
                    "ignored in an info line of %s: %s", shown(shlex.join(self.words)), fault
                )

    def _thoughts(
        self, position: SetPosition, limits: Budget, stop: Stop | None = None, *, infos: bool = True
    ) -> Iterator[Info | BestMove]:
        """The engine's messages up to its move, which is legal; restarts a lost engine."""
        dialogue = self._dialogue or self._begin_game()
        while True:
            done = False
            try:
                for answer in self._asked(dialogue, position, limits, stop, infos):
                    done = isinstance(answer, BestMove)
                    yield answer
                return
            except EngineLost as fault:
                dialogue = self._restart_after(fault)
            except PlayerError:
                self._drop()
                raise
            except GeneratorExit:  # the caller stops the iteration
                if not done:
                    self._hush(dialogue)
                raise

    def _asked(
        self,
        dialogue: Dialogue,
        position: SetPosition,
        limits: Budget,
        stop: Stop | None,
        infos: bool,
    ) -> Iterator[Info | BestMove]:
        dialogue.pass_over()
        dialogue.say(position, Go(limits, quiet=not infos))
        patience = self.timeout + (limits.seconds or 0.0)
        until, stopped = time.monotonic() + patience, False
        while True:
            if stop is not None and stop.is_raised and not stopped:
                dialogue.add(Word.STOP)
                until, stopped, patience = time.monotonic() + STOP_SECONDS, True, STOP_SECONDS
            left = until - time.monotonic()
            watched = stop is not None and not stopped
            answer = dialogue.answer(
                min(left, POLL_SECONDS) if watched else left, "a bestmove", infos=infos
            )
            if answer is None and left <= POLL_SECONDS:
                raise EngineLost(dialogue.sentence("a bestmove", f"nothing for {patience:g} s"))
            if isinstance(answer, ErrorLine):
                raise PlayerError(dialogue.sentence("a bestmove", f"error: {answer.text}"))
            if isinstance(answer, BestMove):
                legal = position.board.legal_moves()
                if answer.move not in legal:
                    letters = ", ".join(one.letter for one in legal)
                    found = "none" if answer.move is None else answer.move.letter
                    wanted = f"a legal move ({letters})"
                    raise PlayerError(dialogue.sentence(wanted, f"bestmove {found}"))
                yield answer
                return
            if isinstance(answer, Info):
                yield answer

    def _hush(self, dialogue: Dialogue) -> None:
        try:
            dialogue.add(Word.STOP)
            until = time.monotonic() + STOP_SECONDS
            while (left := until - time.monotonic()) > 0:
                if isinstance(dialogue.answer(left, "a bestmove", infos=False), BestMove):
                    return
        except PlayerError:
            pass
        self._drop()


def _analysis(
    player: EnginePlayer,
    board: Board,
    info: Info,
    best: Move,
    *,
    seconds: float,
    reproducible: bool,
) -> Analysis:
    depth = info.depth or 0
    legal, cells = board.legal_moves(), board.rows * board.cols
    fits = all(step.cell is None or step.cell < cells for step in info.line)
    values = {move: MoveValue(value, 0) for move, value in info.values.items() if move in legal}
    return Analysis(
        board,
        move_list(board, values, depth),
        best,
        player.spec,
        unit=(info.unit or SOME_UNIT) if values else "",
        depth="" if not depth else "1 ply" if depth == 1 else f"{depth} plies",
        nodes=info.nodes or 0,
        seconds=seconds,
        line=info.line if fits else (),
        reproducible=reproducible,
    )
