"""A player that is another program, asked in the engine protocol with time limits.

`Dialogue` runs the program, reads and writes its lines with time limits, and always ends it. On
POSIX the program runs in a session of its own: Ctrl-C does not reach it, and its process group is
killed with it. If this process is killed, the program reads the end of its input, and ends by
itself. A violation of the protocol raises an error with one sentence: what was expected, what came,
the command it replied to, and the end of stderr.

`EnginePlayer` restarts an engine that ends or does not reply a few times per game and asks it
again: commands always contain the whole position. An illegal move or an invalid line is an error
without a retry; `info` that cannot be read is ignored, with a warning.
"""

import contextlib
import logging
import os
import queue
import shlex
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import starmap, takewhile
from typing import Any, Final

from twofold.errors import InvalidInput, InvalidSpec, PlayerError, UnsupportedRules
from twofold.game.board import Board
from twofold.game.notation import shown
from twofold.game.rules import Move, Rules
from twofold.limits import MAX_ENGINE_LINE, MAX_ENGINE_LINES, MAX_ENGINE_OPTIONS
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
from twofold.search.analysis import Analysis, MoveValue
from twofold.search.budget import Budget, Stop

START_SECONDS: Final = 60.0
"""Usual time limit for `u2048ok` and `readyok`, long enough to load or compile."""

QUIT_SECONDS: Final = 1.0
"""Time limit for a program to end after `quit`."""

SETTLE_SECONDS: Final = 0.2
"""Time limit for the last output of stderr to arrive."""

LOOK_SECONDS: Final = 1.0
"""Interval of checks for a program that has ended while a child of it keeps its output open, and
time limit for the threads that read it to end."""

STOP_SECONDS: Final = 1.0
"""Time limit for the move after `stop`; the protocol allows 50 ms."""

POLL_SECONDS: Final = 0.005
"""Interval between checks of the stop flag."""

NOTE_SECONDS: Final = 2.0
"""Time after which a note says what is waited for; a search may use its time limit first."""

WRITE_SECONDS: Final = 5.0
"""Time limit for a program to read its input."""

TAIL: Final = 200
"""Characters of the end of stderr in a message."""

RESTARTS: Final = 3
"""Most restarts in one game."""

_ANSWERS: Final = {"bestmove", "readyok", "u2048ok"}
"""What ends a wait; other lines, however many, do not lengthen it."""

_WAITING: Final = 64
"""Largest number of unread chunks; then the program blocks."""

_POSIX: Final = os.name == "posix"
_NEW_GROUP: Final[int] = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # Windows only

LOG: Final = logging.getLogger("twofold.engine")


class EngineLost(PlayerError):
    """An engine has ended or does not reply; a restart may help."""


class Dialogue:
    """A running engine and the conversation with it; raises `InvalidSpec` if there is no program.

    Args:
        words: the program and its arguments; started without a shell.
        timeout: time limit of the handshake and of `readyok`, in seconds.
        strict: True raises for `info` that cannot be read, which is otherwise passed over.

    Attributes:
        name: of the engine, as `author`, `options` (defaults by name) and `shapes` of boards said
            in the handshake.
        kill: ends the engine immediately.
    """

    def __init__(
        self, words: Sequence[str], *, timeout: float = START_SECONDS, strict: bool = False
    ) -> None:
        self.command = shlex.join(words)
        self.timeout = timeout
        self.strict = strict
        self.name = self.author = ""
        self.options: dict[str, str] = {}
        self.shapes = Shapes().shapes
        self.process = process = _started(words)
        self._chunks: queue.Queue[bytes] = queue.Queue(_WAITING)
        self._tail = bytearray()
        self._lines: deque[bytes] = deque()
        self._rest = b""
        self._asked = ""
        self._count = 0
        self._introduced = False
        self._noted: set[str] = set()
        # The threads hold what they fill, not this object, which may be collected.
        chunks, tail, closed = self._chunks, self._tail, threading.Event()

        def keep_output(chunk: bytes) -> None:
            while not closed.is_set():
                with contextlib.suppress(queue.Full):
                    return chunks.put(chunk, timeout=0.2)

        def keep_tail(chunk: bytes) -> None:
            tail.extend(chunk)
            del tail[: -4 * TAIL]  # bytes

        self._errors = _reading(process.stderr, keep_tail)
        threads = self._errors, _reading(process.stdout, keep_output)
        self.kill = weakref.finalize(self, _end, process, closed, threads)

    # ---- sending

    def say(self, *messages: Command) -> None:
        """Send commands; later errors name them as the cause of the reply."""
        self.say_lines([format_line(message) for message in messages])

    def say_lines(self, lines: Sequence[str]) -> None:
        """Send lines of text, valid or not; raises `EngineLost` or `PlayerError`."""
        self._asked = ", ".join(lines)
        self._count = 0
        self._write(lines)

    def add(self, word: Word) -> None:
        """Send one more word while a reply is due."""
        self._write([word.value])

    def _write(self, lines: Sequence[str]) -> None:
        data = memoryview("".join(f"{line}\n" for line in lines).encode())
        expected, until = "an answer", time.monotonic() + WRITE_SECONDS
        assert self.process.stdin is not None
        try:
            while data:
                written = self.process.stdin.write(data)
                data = data[written or 0 :]
                if data and time.monotonic() > until:
                    got = f"a program that read nothing for {WRITE_SECONDS:g} s"
                    raise PlayerError(self.sentence(expected, got))
                if not written:
                    time.sleep(0.001)
        except (OSError, ValueError):  # ValueError: closed here
            raise EngineLost(self.sentence(expected, self._how_it_ended())) from None

    # ---- receiving

    def replies(
        self,
        seconds: float,
        expected: str,
        *,
        infos: bool = False,
        spare: float = 0.0,
        stop: Stop | None = None,
    ) -> Iterator[Answer]:
        """The known lines that come within `seconds`, without end: the caller stops reading.

        A log message says once if a reply is long in coming.

        Args:
            seconds: time limit of all lines.
            expected: the reply that errors name; after `readyok` it is a `bestmove`.
            infos: False skips `info` lines unparsed.
            spare: time that a search may take before the log says so.
            stop: a flag that sends `stop`; from then on `STOP_SECONDS` are the limit.

        Raises:
            EngineLost: the engine has ended, or the time is up.
            PlayerError: the engine breaks the protocol.
        """
        skipped = {"id", "option", "shapes"} if self._introduced else set[str]()
        skipped |= set() if infos else {"info"}
        began = time.monotonic()
        while True:
            if stop is not None and stop.is_raised:
                self.add(Word.STOP)
                began, seconds, stop = time.monotonic(), STOP_SECONDS, None
            waited = time.monotonic() - began
            if waited > NOTE_SECONDS + spare:
                late = f"no {expected.removeprefix('a ')} yet; waiting for up to"
                self.note("late", f"{late} {round(seconds, 1):g} s")
            step = LOOK_SECONDS if stop is None else POLL_SECONDS
            line = self._read(min(seconds - waited, step), expected)
            word = first_word(line or "")
            if waited >= seconds and word not in _ANSWERS:
                raise EngineLost(self.sentence(expected, f"nothing for {seconds:g} s"))
            if line is None or word in skipped:
                continue
            try:
                message = parse_answer(line)
            except InvalidInput as error:
                if word != "info" or self.strict:
                    raise PlayerError(self.sentence(expected, f"{shown(line)} ({error})")) from None
                self.note("info", f"{error}, got {shown(line)}")
                continue
            if message is Word.READY_OK and expected == message.value:
                expected = "a bestmove"
            if message is not None:
                yield message

    def _read(self, seconds: float, expected: str) -> str | None:
        """The next line, without the line break; None if it is not whole after the timeout."""
        if not self._lines:
            try:
                chunk = self._chunks.get(timeout=max(seconds, 0.0))
            except queue.Empty:
                if self.wait(0) is None:
                    return None
                chunk = b""
            if not chunk:
                raise EngineLost(self.sentence(expected, self._how_it_ended()))
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            self._lines.extend(lines)
            self._check_length(self._rest, expected)
            if not lines:
                return None
        line = self._lines.popleft()
        self._check_length(line, expected)
        self._count += 1
        if self._count > MAX_ENGINE_LINES:
            raise PlayerError(self.sentence(expected, f"more than {MAX_ENGINE_LINES} lines"))
        return line.decode("utf-8", "replace").strip()

    def _check_length(self, line: bytes, expected: str) -> None:
        if len(line) > MAX_ENGINE_LINE:
            got = f"a line of more than {MAX_ENGINE_LINE} bytes: {shown(line[:40])}"
            raise PlayerError(self.sentence(expected, got))

    def note(self, kind: str, text: str) -> None:
        """Warn of a kind of fault, once."""
        if kind not in self._noted:
            self._noted.add(kind)
            LOG.warning("the engine %s: %s", shown(self.command), text)

    # ---- handshake

    def introduce(self) -> None:
        """Do the handshake; raises `EngineLost` or `PlayerError` if it fails."""
        self.say(Word.HELLO)
        for message in self._up_to(Word.HELLO_OK):
            match message:
                case ErrorLine():
                    raise PlayerError(self.sentence("u2048ok", format_line(message)))
                case Identity("name", text):
                    self.name = text
                case Identity("author", text):
                    self.author = text
                case Shapes(shapes):
                    self.shapes = shapes
                case Option(name, default):
                    self.options[name] = default
            if len(self.options) > MAX_ENGINE_OPTIONS:
                got = f"more than {MAX_ENGINE_OPTIONS} options"
                raise PlayerError(self.sentence("u2048ok", got))
        self._introduced = True

    def make_ready(self, *messages: Command) -> str:
        """Send commands and wait for `readyok`; returns the first refusal, or an empty text."""
        self.say(*messages, Word.READY)
        answers = [*self._up_to(Word.READY_OK)]
        return next((one.text for one in answers if isinstance(one, ErrorLine)), "")

    def _up_to(self, last: Word) -> Iterator[Answer]:
        return takewhile(lambda one: one is not last, self.replies(self.timeout, last.value))

    def sentence(self, expected: str, got: str) -> str:
        """The error message: expected and received, with the end of stderr."""
        self._errors.join(SETTLE_SECONDS)
        text = " ".join(self._tail.decode("utf-8", "replace").split())
        words = ascii(text[-TAIL:])[1:-1]
        return (
            f"expected {expected} from the engine {shown(self.command)} in reply to "
            f"{shown(self._asked)}, got {got}" + (f"; its stderr ends with: {words}" * bool(words))
        )

    # ---- ending

    def wait(self, seconds: float) -> int | None:
        """The exit code; None if the program does not end in time."""
        return _ended(self.process, seconds)

    def _how_it_ended(self) -> str:
        """The end of the program in words, after its output or input is closed."""
        code = self.wait(QUIT_SECONDS)
        if code is None:
            return "the end of its output"
        if code < 0:
            named = {one.value: one.name for one in signal.Signals}
            return f"its end by {named.get(-code, f'signal {-code}')}"
        return f"its end with exit code {code}"

    def hang_up(self) -> None:
        """Close the program's input."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def close(self) -> None:
        """Ask the engine to quit; kill it if it does not."""
        with contextlib.suppress(PlayerError):
            self._write([Word.QUIT.value])
            self.hang_up()
            self.wait(QUIT_SECONDS)
        self.kill()


def _started(words: Sequence[str]) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(
            words, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe,
            start_new_session=_POSIX, creationflags=_NEW_GROUP,
        )  # fmt: skip
    except OSError:
        raise InvalidSpec(f"expected a program that can be run, got {shown(words[0])}") from None
    assert process.stdin is not None
    with contextlib.suppress(AttributeError, OSError):  # Windows, before Python 3.12
        os.set_blocking(process.stdin.fileno(), False)
    return process


def _reading(stream: Any, keep: Callable[[bytes], None]) -> threading.Thread:
    """Pass the bytes of a stream to `keep` in a thread, the last ones empty: on any system."""

    def read() -> None:
        with stream:
            with contextlib.suppress(OSError):
                while chunk := stream.read(1 << 16):
                    keep(chunk)
            keep(b"")

    thread = threading.Thread(target=read, name="engine-output", daemon=True)
    thread.start()
    return thread


def _end(
    process: subprocess.Popen[bytes], closed: threading.Event, threads: Sequence[threading.Thread]
) -> None:
    """Kill a program that has not ended, with its group, and end the threads that read it."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    if process.returncode is None:
        _kill_group(process)  # before `wait`, while its process id cannot be reused
        process.kill()
        _ended(process, None)
    closed.set()
    for thread in threads:
        thread.join(LOOK_SECONDS)


def _ended(process: subprocess.Popen[bytes], seconds: float | None) -> int | None:
    """The exit code of a program, or None after the timeout; then kills its group.

    A group's id is not reused while one of its processes exists.
    """
    if process.returncode is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            _kill_group(process)
    return process.returncode


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if _POSIX:
        with contextlib.suppress(OSError):  # there is none
            os.killpg(process.pid, signal.SIGKILL)


# ---- the player


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
        timeout: float = START_SECONDS,
        options: Mapping[str, str] | None = None,
    ) -> None:
        self.words = tuple(words)
        self.budget = budget or Budget()
        self.timeout = timeout
        self.options = dict(options or {})
        self.reproducible = self.budget.seconds is None
        self.faults: list[str] = []
        self._dialogue: Dialogue | None = None

    # ---- games

    def unsupported(self, rules: Rules) -> str:
        """Why the engine cannot play boards of this shape; starts the engine."""
        shapes = self._connected().shapes
        if rules.shape in shapes:
            return ""
        named = " ".join(f"{rows}x{cols}" for rows, cols in shapes[:6])
        return f"expected boards of {named}{' ...' * (len(shapes) > 6)}"

    def start(self, rules: Rules, seed: int) -> None:
        """Start a new game; raises `UnsupportedRules` if the engine refuses it."""
        super().start(rules, seed)
        self.faults = []
        try:
            self._begin_game()
        except EngineLost as fault:
            self._lose(fault)
            self._begin_game()

    def _fit(self, board: Board) -> None:
        """Start a game if the board does not have the shape of the current one."""
        if board.shape != self.rules.shape:
            self.start(Rules(*board.shape), self.seed)

    def _connected(self) -> Dialogue:
        if self._dialogue is None:
            dialogue = Dialogue(self.words, timeout=self.timeout)
            try:
                dialogue.introduce()
                if self.options:
                    self._set_options(dialogue)
            except BaseException:
                dialogue.kill()
                raise
            self._dialogue = dialogue
        return self._dialogue

    def _set_options(self, dialogue: Dialogue) -> None:
        known = ", ".join(dialogue.options) or "none"
        for name in self.options.keys() - dialogue.options.keys():
            raise InvalidSpec(f"expected an option of the engine ({known}), got {shown(name)}")
        if refusal := dialogue.make_ready(*starmap(SetOption, self.options.items())):
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

    def _lose(self, fault: EngineLost) -> None:
        """End a lost engine, which is started again at the next question."""
        self._drop()
        if len(self.faults) == RESTARTS:
            raise PlayerError(f"{fault} (after {RESTARTS} restarts)") from None
        self.faults.append(str(fault))
        LOG.info("started again: %s", fault)

    def _drop(self) -> None:
        if self._dialogue is not None:
            self._dialogue.kill()
            self._dialogue = None

    def close(self) -> None:
        """End the engine."""
        if self._dialogue is not None:
            self._dialogue.close()
            self._dialogue = None

    # ---- moves

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        """The engine's move; raises `PlayerError` if the engine fails."""
        check_going(board)
        self._fit(board)
        position = SetPosition(board, score, move_number)
        *_, last = self._thoughts(position, self.budget, infos=False)
        assert isinstance(last, BestMove)
        assert last.move is not None
        return last.move

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
                if not set(legal) <= answer.values.keys():
                    if answer.values and self._dialogue is not None:
                        letters = "".join(move.letter for move in answer.values)
                        fault = f"expected values of all legal moves in info, got {letters}"
                        self._dialogue.note("values", fault)
                    continue
                best = max(legal, key=answer.values.__getitem__)
                last, best = answer, answer.best if answer.best in legal else best
            depth, cells = last.depth or 0, board.rows * board.cols
            fits = all(step.cell is None or step.cell < cells for step in last.line)
            values = {move: MoveValue(last.values[move], 0) for move in legal if last.values}
            yield Analysis(
                board,
                move_list(board, values, depth),
                best,
                self.spec,
                unit=(last.unit or "own unit") if values else "",
                depth="" if not depth else "1 ply" if depth == 1 else f"{depth} plies",
                nodes=last.nodes or 0,
                seconds=time.perf_counter() - began,
                line=last.line if fits else (),
                reproducible=limits.seconds is None and not (stop is not None and stop.is_raised),
            )

    def _thoughts(
        self, position: SetPosition, limits: Budget, stop: Stop | None = None, *, infos: bool = True
    ) -> Iterator[Info | BestMove]:
        """The engine's messages up to its move, which is legal; restarts a lost engine."""
        while True:
            dialogue, done = self._dialogue or self._begin_game(), False
            try:
                for answer in self._asked(dialogue, position, limits, stop, infos):
                    done = isinstance(answer, BestMove)
                    yield answer
                return
            except EngineLost as fault:
                self._lose(fault)
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
        # what comes before `readyok` answers nothing that is asked here
        dialogue.say(position, Word.READY, Go(limits, quiet=not infos))
        legal, spare, is_ready = position.board.legal_moves(), limits.seconds or 0.0, False
        patience = self.timeout + spare
        for answer in dialogue.replies(patience, "readyok", infos=infos, spare=spare, stop=stop):
            match answer:
                case ErrorLine(text):
                    raise PlayerError(dialogue.sentence("a bestmove", f"error: {text}"))
                case Word.READY_OK:
                    is_ready = True
                case BestMove(move) if is_ready and move in legal:
                    yield answer
                    return
                case BestMove():
                    letters = ", ".join(one.letter for one in legal)
                    wanted = f"a legal move ({letters})" if is_ready else "readyok"
                    raise PlayerError(dialogue.sentence(wanted, format_line(answer)))
                case Info():
                    yield answer

    def _hush(self, dialogue: Dialogue) -> None:
        """Stop a search whose move is not wanted; drop an engine that does not end it."""
        with contextlib.suppress(PlayerError):
            dialogue.add(Word.STOP)
            for answer in dialogue.replies(STOP_SECONDS, "a bestmove"):
                if isinstance(answer, BestMove):
                    return
        self._drop()
