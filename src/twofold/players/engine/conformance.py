"""Conformance checks of the engine protocol: what is sent, and what must come back.

Example::

    for outcome in check_engine(["python", "my_engine.py"]):
        print(outcome.passed, outcome.name, outcome.detail)
"""

import random
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from twofold.errors import PlayerError
from twofold.figures import counted
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.notation import format_moves
from twofold.game.rules import STANDARD, Move, Rules
from twofold.limits import MAX_ENGINE_LINE
from twofold.players.engine.dialogue import START_SECONDS, Dialogue
from twofold.players.engine.lines import (
    Answer,
    BestMove,
    ErrorLine,
    Go,
    Info,
    NewGame,
    SetOption,
    SetPosition,
    Word,
    format_line,
)
from twofold.search.budget import Budget

ALLOWED_SECONDS: Final = 0.05
"""Time that the protocol allows from `stop`, or the end of a time limit, to `bestmove`."""

PATIENCE_SECONDS: Final = 10.0
"""Time limit for replies without a limit in the protocol."""

QUIT_SECONDS: Final = 1.0
"""Time that the protocol allows from `quit`, or the end of the input, to the exit."""

LONG_SECONDS: Final = 60.0
"""A time limit long enough that no search reaches it."""

THINKING_SECONDS: Final = 0.1
"""Time before a search is stopped."""

TIME_LIMIT: Final = 0.1
NODE_LIMIT: Final = 1_000
PLY_LIMITS: Final = (1, 2)
TRIES: Final = 5
GAME_MOVES: Final = 30
LONGEST_GAME: Final = 100


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The result of a check; `detail` says what was found or what was wrong."""

    name: str
    demand: str
    passed: bool
    detail: str
    seconds: float


def usual_board(rng: random.Random, shape: tuple[int, int]) -> Board:
    """A random board with a legal move: any fill, small tiles more often than large ones."""
    while True:
        empty = rng.choice([0.0, 0.1, 0.4, 0.8])
        cells = [
            0 if rng.random() < empty else min(rng.randint(1, 11), rng.randint(1, 11))
            for _ in range(shape[0] * shape[1])
        ]
        board = Board(cells, shape)
        if not board.is_over:
            return board


def dead_board(shape: tuple[int, int]) -> Board:
    """A full board without a legal move."""
    rows, cols = shape
    return Board([1 + (row + col) % 2 for row in range(rows) for col in range(cols)], shape)


@dataclass(slots=True)
class Reply:
    """The reply to `go`: its last line, the `info` before it, and the time from `go` to the end."""

    last: BestMove | ErrorLine
    infos: list[Info]
    seconds: float

    @property
    def move(self) -> Move | None:
        """None on a dead board, or where `go` or the position before it was refused."""
        return self.last.move if isinstance(self.last, BestMove) else None


class Subject:
    """The engine under test; started when needed, and again after it was lost.

    See `check_engine` for the arguments; `rng` makes the boards of a check.
    """

    def __init__(
        self, words: Sequence[str], *, boards: int = 200, slack: float = 1.0, seed: int = 1
    ) -> None:
        self.words, self.boards, self.slack, self.seed = tuple(words), boards, slack, seed
        self.rng = random.Random(seed)
        self._dialogue: Dialogue | None = None

    # ---- the program

    @property
    def dialogue(self) -> Dialogue:
        """The program, after the handshake."""
        if self._dialogue is None:
            self._dialogue = Dialogue(self.words, timeout=self.allowed(START_SECONDS))
            self._dialogue.introduce()
        return self._dialogue

    def lose(self) -> None:
        """End the program; the next check starts a new one."""
        if self._dialogue is not None:
            self._dialogue.kill()
            self._dialogue = None

    def passes(self, check: "EngineCheck") -> CheckOutcome:
        """Make a check, in a new game."""
        self.rng = random.Random(self.seed)
        began = time.monotonic()
        try:
            if check is not CHECKS[0]:
                self.begin()
            detail, passed = check.run(self), True
        except PlayerError as error:
            detail, passed = str(error), False
            self.lose()
        return CheckOutcome(check.name, check.demand, passed, detail, time.monotonic() - began)

    # ---- for the checks

    def allowed(self, seconds: float = ALLOWED_SECONDS) -> float:
        """A time limit, multiplied by the slack."""
        return seconds * self.slack

    @property
    def shape(self) -> tuple[int, int]:
        """4x4, or the first shape that the engine plays."""
        shapes = self.dialogue.introduction.shapes
        return STANDARD.shape if STANDARD.shape in shapes else shapes[0]

    def board(self) -> Board:
        """The next random board."""
        return usual_board(self.rng, self.shape)

    def begin(self, rules: Rules | None = None, seed: int = 0) -> None:
        """Start a game; a refusal fails the check."""
        game = NewGame(Rules(*self.shape) if rules is None else rules, seed)
        refusal = self.dialogue.make_ready(game)
        expect(not refusal, f"{format_line(game)!r} to be accepted", f"error: {refusal}")

    def next(self, expected: str) -> Answer:
        """The next answer; fails the check without one."""
        return next(self.dialogue.replies(self.allowed(PATIENCE_SECONDS), expected))

    def reply(self, seconds: float = 0.0) -> Reply:
        """The reply to a `go` that was sent, with its limit of time."""
        began, infos = time.monotonic(), list[Info]()
        seconds = self.allowed(seconds + PATIENCE_SECONDS)
        answers = self.dialogue.replies(seconds, "a bestmove", infos=True)
        while True:
            match next(answers):
                case BestMove() | ErrorLine() as last:
                    return Reply(last, infos, time.monotonic() - began)
                case Info() as info:
                    infos.append(info)

    def ask(self, board: Board, budget: Budget | None = None, *, score: int | None = None) -> Reply:
        """Send a position and `go`, and wait for the reply."""
        budget = budget or Budget()
        self.dialogue.say(SetPosition(board, score), Go(budget))
        return self.reply(budget.seconds or 0.0)

    def move(self, board: Board, budget: Budget | None = None, **more: int) -> Reply:
        """Ask for a move on a board that is not dead; fails the check if it is not legal."""
        return legal(board, self.ask(board, budget, **more))

    def moves(self, count: int, budget: Budget | None = None) -> Iterator[tuple[Board, Reply]]:
        """Random boards, and legal moves on them."""
        for _ in range(count):
            board = self.board()
            yield board, self.move(board, budget)

    def search(self, board: Board, seconds: float) -> None:
        """Start a long search, and wait."""
        self.dialogue.say(SetPosition(board), Go(Budget(seconds=LONG_SECONDS)))
        time.sleep(seconds)

    def game(self, most: int, budget: Budget | None = None) -> Game:
        """A game of the engine, up to a number of moves, which must be legal."""
        game = Game(Rules(*self.shape), self.seed)
        while not game.is_finished and game.move_number < most:
            move = self.move(game.board, budget, score=game.score).move
            assert move is not None
            game.play(move)
        return game

    def errors(self, *lines: str) -> list[str]:
        """Send lines, then `ready`; returns the errors. A `bestmove` fails the check."""
        self.dialogue.say_lines([*lines, Word.READY.value])
        found: list[str] = []
        while (answer := self.next("readyok")) is not Word.READY_OK:
            if isinstance(answer, ErrorLine):
                found.append(answer.text)
            elif isinstance(answer, BestMove):
                raise PlayerError(self.dialogue.sentence("readyok", format_line(answer)))
        return found

    def refused(self, line: str, name: str = "") -> None:
        """Send a line that must be answered by one error."""
        count = len(self.errors(line))
        expect(count == 1, f"one error as reply to {name or repr(line)}", count)

    def accepted(self, expected: str, *lines: str) -> None:
        """Send lines that must not be answered by an error."""
        for error in self.errors(*lines):
            raise PlayerError(f"expected {expected}, got error: {error}")

    def in_time(self, seconds: float, after: str) -> None:
        """Fail the check if a move came later than the protocol allows."""
        expected = f"bestmove within {1e3 * self.allowed():g} ms of {after}"
        expect(seconds <= self.allowed(), expected, f"it after {1e3 * seconds:.0f} ms")

    def ends(self, after: str) -> str:
        """Wait for the end of the program; how long it took."""
        began, seconds = time.monotonic(), self.allowed(QUIT_SECONDS)
        code = self.dialogue.wait(seconds)
        expected = f"the program to end within {seconds:g} s of {after}"
        expect(code is not None, expected, "one that still runs")
        expect(code == 0, f"exit code 0 after {after}", code)
        self.lose()
        return f"{1e3 * (time.monotonic() - began):.0f} ms"


def expect(passed: bool, expected: str, got: object) -> None:
    """Fail the check unless it passed."""
    if not passed:
        raise PlayerError(f"expected {expected}, got {got}")


def legal(board: Board, reply: Reply) -> Reply:
    """The reply; fails the check if its move is not legal."""
    moves = board.legal_moves()
    letters = ", ".join(move.letter for move in moves)
    got = repr(format_line(reply.last))
    expect(reply.move in moves, f"a legal move ({letters}) on {board}", got)
    return reply


# ---- the checks

Run = Callable[[Subject], str]


@dataclass(frozen=True, slots=True)
class EngineCheck:
    """A requirement of the protocol, with the function that tests it.

    `run` returns its findings; it raises `PlayerError` if the requirement is not met.
    """

    name: str
    demand: str
    run: Run


CHECKS: Final[list[EngineCheck]] = []
"""All checks, in the order in which they run; each but the first begins with a new game."""


def check(name: str, demand: str) -> Callable[[Run], Run]:
    """Decorator: add a function to the checks."""

    def add(run: Run) -> Run:
        CHECKS.append(EngineCheck(name, demand, run))
        return run

    return add


@check("handshake", "u2048 is answered by id name, id author and u2048ok")
def _handshake(subject: Subject) -> str:
    found = subject.dialogue.introduction
    for key, text in (("id name", found.name), ("id author", found.author)):
        expect(bool(text), f"{key} before u2048ok", "none")
    sizes = [counted(len(found.options), "option"), counted(len(found.shapes), "shape")]
    return f"{found.name} by {found.author}, {', '.join(sizes)}"


@check("ready", "ready after new is answered by readyok")
def _ready(subject: Subject) -> str:
    return "readyok"  # as before each check


@check("unknown words", "unknown lines and unknown words are ignored")
def _unknown(subject: Subject) -> str:
    lines = ["frobnicate 1 2 3", "", "   ", "# a comment", "info depth 3"]
    subject.accepted("unknown lines to be ignored", *lines)
    board = subject.board()
    subject.dialogue.say_lines([f"position {board} frobnicate 7", "go frobnicate ply 1 quiet"])
    legal(board, subject.reply())
    return f"{len(lines)} lines, 2 words"


@check("bad lines", "each invalid line is answered by one error")
def _bad_lines(subject: Subject) -> str:
    lines = ["position", "position 12345", "position 0012/0000/0000/00!!", "option frobnicate 1"]
    lines += ["new 9x9 seed 1", "position 9x9:0", "position 1x1:0"]
    for line in lines:
        subject.refused(line)
    count = len(subject.errors("position nonsense", "go"))
    expect(count == 2, "an error for 'position nonsense' and one for the 'go' after it", count)
    return f"{len(lines) + 2} lines, an error each"


@check("bad limits", "an invalid go is answered by one error or one bestmove")
def _bad_limits(subject: Subject) -> str:
    """An engine does not have to parse limits that it does not use."""
    board, refused = subject.board(), 0
    lines = ("go ply x", "go ply", "go time -5", "go nodes 0")
    for line in lines:
        subject.dialogue.say_lines([f"position {board}", line])
        reply = subject.reply()
        if isinstance(reply.last, ErrorLine):
            refused += 1
        else:
            legal(board, reply)
        expect(not subject.errors(), f"one error or one bestmove as reply to {line!r}", "more")
    errors, moves = counted(refused, "error"), counted(len(lines) - refused, "move")
    return f"{len(lines)} lines answered: {errors}, {moves}"


@check("long line", "a line of a million characters is answered by one error")
def _long_line(subject: Subject) -> str:
    line = "position " + "0" * 100 * MAX_ENGINE_LINE
    subject.refused(line, "a line of a million characters")
    return f"{len(line):,} characters"


@check("options", "options accept their defaults, spins nothing past the max")
def _options(subject: Subject) -> str:
    options = subject.dialogue.introduction.options.values()
    for option in options:
        line = format_line(SetOption(option.name, option.default))
        subject.accepted(f"{line!r}, its default, to be accepted", line)
        if option.kind == "spin":
            subject.refused(f"option {option.name} {option.high + 1}")
    return counted(len(options), "option")


@check("shapes", "boards of all declared shapes are played")
def _shapes(subject: Subject) -> str:
    shapes = subject.dialogue.introduction.shapes
    for shape in shapes:
        subject.begin(Rules(*shape))
        for _ in range(3):
            subject.move(usual_board(subject.rng, shape))
    return f"{counted(len(shapes), 'shape')}, 3 boards each"


@check("moves", "moves are legal")
def _moves(subject: Subject) -> str:
    for _ in subject.moves(subject.boards):
        pass
    game = subject.game(LONGEST_GAME)
    return f"{subject.boards} boards, {game.move_number} moves of a game"


@check("large tiles", "tiles of 32768 and more are played or refused")
def _large_tiles(subject: Subject) -> str:
    refused = 0
    for number in range(10):
        cells = list(subject.board().exponents)
        cells[number % len(cells)] = 15 + number % 6
        board = Board(cells, subject.shape)
        if board.is_over:
            continue
        reply = subject.ask(board)
        if isinstance(reply.last, ErrorLine):
            refused += 1
            count = 1 + len(subject.errors())
            expect(
                count == 2, f"an error for a refused {board} and one for the 'go' after it", count
            )
        else:
            legal(board, reply)
    return "all accepted" if not refused else f"{refused} refused"


@check("dead board", "bestmove none if no move is legal")
def _dead(subject: Subject) -> str:
    for budget in (Budget(), Budget(seconds=1.0), Budget(ply=2)):
        words = format_line(subject.ask(dead_board(subject.shape), budget).last)
        expect(words == "bestmove none", "'bestmove none' on a dead board", repr(words))
    return "bestmove none"


@check("one answer", "each go has one bestmove, and keeps the position")
def _once(subject: Subject) -> str:
    for _ in subject.moves(TRIES):
        subject.errors()
    board = subject.board()
    moves = {subject.move(board).move}
    subject.dialogue.say(Go())
    moves.add(legal(board, subject.reply()).move)
    return f"{TRIES} searches, go sent twice gave {counted(len(moves), 'move')}"


@check("info", "info values all legal moves or none; the last best is the move")
def _infos(subject: Subject) -> str:
    lines, valued = 0, 0
    for board, reply in subject.moves(4 * TRIES):
        moves, best = board.legal_moves(), None
        for info in reply.infos:
            for fault in info.faults.values():
                raise PlayerError(
                    f"expected info that can be read on {board}, got some where {fault}"
                )
            letters = "".join(move.letter for move in info.values)
            whole = not info.values or set(info.values) == set(moves)
            expect(whole, f"values of all legal moves or of none on {board}", letters)
            if info.best is not None:
                best = info.best
                expect(best in moves, f"a legal move as best on {board}", best.letter)
        if best is not None and best is not reply.move:
            raise PlayerError(f"expected bestmove to be the last best, {best.letter}, on {board}")
        lines += len(reply.infos)
        valued += sum(bool(info.values) for info in reply.infos)
    return f"{lines} lines, {valued} with values"


@check("limits", "ply and node limits are kept")
def _limits(subject: Subject) -> str:
    for _ in range(TRIES):
        board = subject.board()
        for ply in PLY_LIMITS:
            infos = subject.move(board, Budget(ply=ply)).infos
            deepest = max((info.depth or 0 for info in infos), default=0)
            expect(deepest <= ply, f"at most {ply} plies for 'go ply {ply}'", deepest)
        for info in subject.move(board, Budget(nodes=NODE_LIMIT)).infos:
            few = (info.nodes or 0) <= NODE_LIMIT or (info.depth or 0) <= 1
            expect(few, f"{NODE_LIMIT} nodes at most", info.nodes)
    return f"{TRIES} boards with ply {' and '.join(map(str, PLY_LIMITS))} and nodes {NODE_LIMIT}"


@check("time", "a time limit is kept within 50 ms")
def _time(subject: Subject) -> str:
    limit = Budget(seconds=TIME_LIMIT)
    took = max(reply.seconds for _, reply in subject.moves(TRIES, limit))
    subject.in_time(took - TIME_LIMIT, f"a limit of {1e3 * TIME_LIMIT:g} ms")
    return f"at most {max(0.0, 1e3 * (took - TIME_LIMIT)):.0f} ms late"


@check("stop", "stop is answered by bestmove within 50 ms")
def _stop(subject: Subject) -> str:
    worst = 0.0
    for number in range(TRIES):
        board = subject.board()
        subject.search(board, THINKING_SECONDS * number / TRIES)
        subject.dialogue.add(Word.STOP)
        worst = max(worst, legal(board, subject.reply()).seconds)
    subject.in_time(worst, "stop")
    return f"at most {1e3 * worst:.0f} ms"


@check("stop, idle", "stop without a search is ignored")
def _idle_stop(subject: Subject) -> str:
    subject.move(subject.board())
    subject.accepted("stop without a search to be ignored", "stop", "stop")
    return "ignored"


@check("busy", "ready is answered during a search, position and go refused")
def _busy(subject: Subject) -> str:
    """An engine that has moved before it reads `ready` passes."""
    board = subject.board()
    subject.search(board, THINKING_SECONDS)
    subject.dialogue.add(Word.READY)
    began = time.monotonic()
    answer = subject.next("an answer")
    expected = f"readyok or bestmove within {1e3 * subject.allowed():g} ms of ready"
    expect(time.monotonic() - began <= subject.allowed(), expected, "it later")
    if answer is not Word.READY_OK:
        return "the search had ended"
    subject.dialogue.say_lines([f"position {dead_board(subject.shape)}", "go"])
    subject.dialogue.add(Word.STOP)
    refusals = 0
    while isinstance(answer := subject.next("an answer"), ErrorLine):
        refusals += 1
    is_move = isinstance(answer, BestMove) and answer.move in board.legal_moves()
    expect(is_move, "the move of the running search", repr(format_line(answer)))
    expect(refusals == 2, "one error each for position and go during a search", refusals)
    return "readyok immediately, position and go refused"


@check("repeat", "the same new repeats the same game")
def _repeat(subject: Subject) -> str:
    games = []
    for _ in range(2):
        subject.begin(seed=subject.seed)
        games.append(format_moves(subject.game(GAME_MOVES, Budget(ply=1)).moves))
    expect(games[0] == games[1], "equal games after equal new lines", " and ".join(games))
    return f"{len(games[0])} moves"


@check("quit", "quit ends the program within a second, with exit code 0")
def _quit(subject: Subject) -> str:
    subject.dialogue.add(Word.QUIT)
    return subject.ends("quit")


@check("quit, busy", "quit also works during a search")
def _quit_while_searching(subject: Subject) -> str:
    subject.search(subject.board(), THINKING_SECONDS / 2)
    subject.dialogue.add(Word.QUIT)
    return subject.ends("quit")


@check("end of input", "the end of the input ends the program in the same way")
def _end_of_input(subject: Subject) -> str:
    subject.dialogue.hang_up()
    return subject.ends("the end of its input")


def check_engine(
    words: Sequence[str], *, boards: int = 200, slack: float = 1.0, seed: int = 1
) -> Generator[CheckOutcome]:
    """Check a program; yields the outcome of each check, in order.

    If the handshake fails, its outcome is the only one. Raises `InvalidSpec` if there is no such
    program.

    Args:
        words: the program and its arguments.
        boards: number of boards in the longest check.
        slack: factor on all time limits.
        seed: seed of the boards.
    """
    subject = Subject(words, boards=boards, slack=slack, seed=seed)
    try:
        for number, check in enumerate(CHECKS):
            outcome = subject.passes(check)
            yield outcome
            if number == 0 and not outcome.passed:
                return
    finally:
        subject.lose()
