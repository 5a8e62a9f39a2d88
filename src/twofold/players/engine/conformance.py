"""Conformance checks of the engine protocol.

Example::

    for outcome in check_engine(["python", "my_engine.py"]):
        print(outcome.passed, outcome.name, outcome.detail)
"""

import random
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from twofold.errors import PlayerError
from twofold.figures import counted
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.notation import format_moves
from twofold.game.rules import STANDARD, Move, Rules
from twofold.limits import MAX_ENGINE_LINE
from twofold.players.engine.client import START_SECONDS, Dialogue, Introduction
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
class EngineCheck:
    """A requirement of the protocol, with the function that tests it.

    `run` returns its findings; it raises `CheckFailed` or `PlayerError` if the requirement is not
    met.
    """

    name: str
    demand: str
    run: "Callable[[Subject], str]"


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The result of a check; `detail` says what was found or what was wrong."""

    name: str
    demand: str
    passed: bool
    detail: str
    seconds: float


def usual_board(rng: random.Random, shape: tuple[int, int], largest: int = 11) -> Board:
    """A random board with a legal move: any fill, small tiles more often than large ones."""
    while True:
        empty = rng.choice([0.0, 0.1, 0.4, 0.8])
        cells = [
            0 if rng.random() < empty else min(rng.randint(1, largest), rng.randint(1, largest))
            for _ in range(shape[0] * shape[1])
        ]
        board = Board(cells, shape)
        if not board.is_over:
            return board


def dead_board(shape: tuple[int, int]) -> Board:
    """A full board without a legal move."""
    rows, cols = shape
    return Board([1 + (row + col) % 2 for row in range(rows) for col in range(cols)], shape)


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

    @property
    def words(self) -> str:
        """Its last line."""
        return f"error {self.refusal}" if self.refusal else format_line(BestMove(self.move))


class Subject:
    """The engine under test; started when needed, and again after it was lost.

    See `check_engine` for the arguments.
    """

    def __init__(
        self, words: Sequence[str], *, boards: int = 200, slack: float = 1.0, seed: int = 1
    ) -> None:
        self.words, self.boards, self.slack, self.seed = tuple(words), boards, slack, seed
        self._dialogue: Dialogue | None = None
        self.introduction = Introduction()

    # ---- the program

    def introduce(self) -> Introduction:
        """Start the program and do the handshake."""
        self.lose()
        self._dialogue = Dialogue(self.words, timeout=self.allowed(START_SECONDS))
        self.introduction = self._dialogue.introduce()
        return self.introduction

    @property
    def dialogue(self) -> Dialogue:
        """The program, after the handshake."""
        if self._dialogue is None:
            self.introduce()
        assert self._dialogue is not None
        return self._dialogue

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
        _ = self.dialogue
        shapes = self.introduction.shapes
        return STANDARD.shape if STANDARD.shape in shapes else shapes[0]

    def begin(self, rules: Rules | None = None, seed: int = 0) -> None:
        """Start a game; a refusal fails the check."""
        game = NewGame(Rules(*self.shape) if rules is None else rules, seed)
        refusal = self.dialogue.make_ready(game)
        _expect(not refusal, f"{format_line(game)!r} to be accepted", f"error: {refusal}")

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
        letters = ", ".join(move.letter for move in legal)
        _expect(reply.move in legal, f"a legal move ({letters}) on {board}", repr(reply.words))
        return reply

    def game(self, most: int, budget: Budget | None = None) -> Game:
        """A game of the engine, up to a number of moves, which must be legal."""
        game = Game(Rules(*self.shape), self.seed)
        while not game.is_finished and game.move_number < most:
            move = self.checked(game.board, self.ask(game.board, budget, score=game.score)).move
            assert move is not None
            game.play(move)
        return game

    def refusals(self, *lines: str) -> list[str]:
        """Send lines, then `ready`; returns the errors. A `bestmove` fails the check."""
        self.dialogue.say_lines([*lines, Word.READY.value])
        refused: list[str] = []
        while (answer := self.next("readyok")) is not Word.READY_OK:
            if isinstance(answer, ErrorLine):
                refused.append(answer.text)
            elif isinstance(answer, BestMove):
                raise CheckFailed(self.dialogue.sentence("readyok", format_line(answer)))
        return refused

    def refused_once(self, line: str, name: str = "") -> None:
        """Send a line that must be answered by one error."""
        count = len(self.refusals(line))
        _expect(count == 1, f"one error as reply to {name or repr(line)}", count)

    def next(self, expected: str) -> Answer:
        """The next answer but `info`; fails the check if none comes."""
        seconds = self.allowed(PATIENCE_SECONDS)
        answer = self.dialogue.answer(seconds, expected, infos=False)
        if answer is None:
            raise CheckFailed(self.dialogue.sentence(expected, f"nothing for {seconds:g} s"))
        return answer


def _expect(passed: bool, expected: str, got: object) -> None:
    if not passed:
        raise CheckFailed(f"expected {expected}, got {got}")


# ---- the checks

CHECKS: Final[list[EngineCheck]] = []
"""All checks, in the order in which they run."""

Run = Callable[[Subject], str]


def _check(name: str, demand: str) -> Callable[[Run], Run]:
    def add(run: Run) -> Run:
        CHECKS.append(EngineCheck(name, demand, run))
        return run

    return add


@_check("handshake", "u2048 is answered by id name, id author and u2048ok")
def _handshake(subject: Subject) -> str:
    found = subject.introduce()
    for key, text in (("id name", found.name), ("id author", found.author)):
        _expect(bool(text), f"{key} before u2048ok", "none")
    sizes = [counted(len(found.options), "option"), counted(len(found.shapes), "shape")]
    return f"{found.name} by {found.author}, {', '.join(sizes)}"


@_check("ready", "ready after new is answered by readyok")
def _ready(subject: Subject) -> str:
    subject.begin()
    return "readyok"


@_check("unknown words", "unknown lines and unknown words are ignored")
def _unknown(subject: Subject) -> str:
    lines = ["frobnicate 1 2 3", "", "   ", "# a comment", "info depth 3"]
    for refusal in subject.refusals(*lines):
        raise CheckFailed(f"expected unknown lines to be ignored, got error: {refusal}")
    board = usual_board(random.Random(subject.seed), subject.shape)
    subject.dialogue.say_lines([f"position {board} frobnicate 7", "go frobnicate ply 1 quiet"])
    subject.checked(board, subject.reply(PATIENCE_SECONDS))
    return f"{len(lines)} lines, 2 words"


@_check("bad lines", "each invalid line is answered by one error")
def _bad_lines(subject: Subject) -> str:
    lines = ["position", "position 12345", "position 0012/0000/0000/00!!", "option frobnicate 1"]
    lines += ["new 9x9 seed 1", "position 9x9:0", "position 1x1:0"]
    for line in lines:
        subject.refused_once(line)
    count = len(subject.refusals("position nonsense", "go"))
    _expect(count == 2, "an error for 'position nonsense' and one for the 'go' after it", count)
    return f"{len(lines) + 2} lines, an error each"


@_check("bad limits", "an invalid go is answered by one error or one bestmove")
def _bad_limits(subject: Subject) -> str:
    """An engine does not have to parse limits that it does not use."""
    board = usual_board(random.Random(subject.seed), subject.shape)
    subject.begin()
    refused = 0
    for line in ("go ply x", "go ply", "go time -5", "go nodes 0"):
        subject.dialogue.say_lines([f"position {board}", line])
        reply = subject.reply(PATIENCE_SECONDS)
        refused += bool(reply.refusal)
        if not reply.refusal:
            subject.checked(board, reply)
        words = f"one error or one bestmove as reply to {line!r}"
        _expect(not subject.refusals(), words, "more")
    return f"{refused} of 4 refused"


@_check("long line", "a line of a million characters is answered by one error")
def _long_line(subject: Subject) -> str:
    line = "position " + "0" * 100 * MAX_ENGINE_LINE
    subject.refused_once(line, "a line of a million characters")
    return f"{len(line):,} characters"


@_check("options", "options accept their defaults, spins nothing past the max")
def _options(subject: Subject) -> str:
    _ = subject.dialogue
    options = subject.introduction.options.values()
    for option in options:
        line = format_line(SetOption(option.name, option.default))
        for refusal in subject.refusals(line):
            raise CheckFailed(f"expected {line!r}, its default, to be accepted, got: {refusal}")
        if option.kind == "spin":
            subject.refused_once(f"option {option.name} {option.high + 1}")
    return counted(len(options), "option")


@_check("shapes", "boards of all declared shapes are played")
def _shapes(subject: Subject) -> str:
    rng = random.Random(subject.seed)
    _ = subject.dialogue
    for shape in subject.introduction.shapes:
        subject.begin(Rules(*shape))
        for _ in range(3):
            subject.legal_reply(usual_board(rng, shape))
    return f"{counted(len(subject.introduction.shapes), 'shape')}, 3 boards each"


@_check("moves", "moves are legal")
def _moves(subject: Subject) -> str:
    rng = random.Random(subject.seed)
    subject.begin()
    for _ in range(subject.boards):
        subject.legal_reply(usual_board(rng, subject.shape))
    game = subject.game(LONGEST_GAME)
    return f"{subject.boards} boards, {game.move_number} moves of a game"


@_check("large tiles", "tiles of 32768 and more are played or refused")
def _large_tiles(subject: Subject) -> str:
    rng, refused = random.Random(subject.seed), 0
    subject.begin()
    for number in range(10):
        cells = list(usual_board(rng, subject.shape).exponents)
        cells[number % len(cells)] = 15 + number % 6
        board = Board(cells, subject.shape)
        if board.is_over:
            continue
        reply = subject.ask(board)
        if reply.refusal:
            refused += 1
            _expect(not subject.refusals("stop"), "one error for a refused position", "more")
        else:
            subject.checked(board, reply)
    return "all accepted" if not refused else f"{refused} refused"


@_check("dead board", "bestmove none if no move is legal")
def _dead(subject: Subject) -> str:
    subject.begin()
    for budget in (Budget(), Budget(seconds=1.0), Budget(ply=2)):
        reply = subject.ask(dead_board(subject.shape), budget)
        words = "'bestmove none' on a dead board"
        _expect(reply.words == "bestmove none", words, repr(reply.words))
    return "bestmove none"


@_check("one answer", "each go has one bestmove, and keeps the position")
def _once(subject: Subject) -> str:
    rng = random.Random(subject.seed)
    subject.begin()
    for _ in range(TRIES):
        subject.legal_reply(usual_board(rng, subject.shape))
        subject.refusals()
    board = usual_board(rng, subject.shape)
    subject.dialogue.say(SetPosition(board))
    moves = set()
    for _ in range(2):
        subject.dialogue.say(Go())
        moves.add(subject.checked(board, subject.reply(PATIENCE_SECONDS)).move)
    return f"{TRIES} searches, go sent twice gave {counted(len(moves), 'move')}"


@_check("info", "info values all legal moves or none; the last best is the move")
def _infos(subject: Subject) -> str:
    rng, lines, valued = random.Random(subject.seed), 0, 0
    subject.begin()
    for _ in range(4 * TRIES):
        board = usual_board(rng, subject.shape)
        reply = subject.legal_reply(board)
        lines += len(reply.infos)
        for info in reply.infos:
            valued += bool(info.values)
            _check_info(board, info)
        best = [info.best for info in reply.infos if info.best is not None]
        if best and best[-1] is not reply.move:
            raise CheckFailed(
                f"expected bestmove to be the last best, {best[-1].letter}, on {board}"
            )
    return f"{lines} lines, {valued} with values"


def _check_info(board: Board, info: Info) -> None:
    legal = board.legal_moves()
    for fault in info.faults.values():
        raise CheckFailed(f"expected info that can be read on {board}, got some where {fault}")
    letters = "".join(move.letter for move in info.values)
    whole = not info.values or set(info.values) == set(legal)
    _expect(whole, f"values of all legal moves or of none on {board}", letters)
    if info.best is not None:
        _expect(info.best in legal, f"a legal move as best on {board}", info.best.letter)


@_check("limits", "ply and node limits are kept")
def _limits(subject: Subject) -> str:
    rng = random.Random(subject.seed)
    subject.begin()
    for _ in range(TRIES):
        board = usual_board(rng, subject.shape)
        for ply in PLY_LIMITS:
            reply = subject.legal_reply(board, Budget(ply=ply))
            deepest = max((info.depth or 0 for info in reply.infos), default=0)
            _expect(deepest <= ply, f"at most {ply} plies for 'go ply {ply}'", deepest)
        for info in subject.legal_reply(board, Budget(nodes=NODE_LIMIT)).infos:
            few = (info.nodes or 0) <= NODE_LIMIT or (info.depth or 0) <= 1
            _expect(few, f"{NODE_LIMIT} nodes at most", info.nodes)
    return f"{TRIES} boards with ply {' and '.join(map(str, PLY_LIMITS))} and nodes {NODE_LIMIT}"


@_check("time", "a time limit is kept within 50 ms")
def _time(subject: Subject) -> str:
    rng, worst = random.Random(subject.seed), 0.0
    subject.begin()
    for _ in range(TRIES):
        reply = subject.legal_reply(usual_board(rng, subject.shape), Budget(seconds=TIME_LIMIT))
        worst = max(worst, reply.seconds - TIME_LIMIT)
    _check_late(subject, worst, f"a limit of {1e3 * TIME_LIMIT:g} ms")
    return f"at most {max(0.0, 1e3 * worst):.0f} ms late"


def _check_late(subject: Subject, seconds: float, after: str) -> None:
    words = f"bestmove within {1e3 * subject.allowed():g} ms of {after}"
    _expect(seconds <= subject.allowed(), words, f"it after {1e3 * seconds:.0f} ms")


def _searching(subject: Subject, board: Board, seconds: float) -> None:
    """Start a long search, and wait."""
    subject.dialogue.say(SetPosition(board), Go(Budget(seconds=LONG_SECONDS)))
    time.sleep(seconds)


@_check("stop", "stop is answered by bestmove within 50 ms")
def _stop(subject: Subject) -> str:
    rng, worst = random.Random(subject.seed), 0.0
    subject.begin()
    for number in range(TRIES):
        board = usual_board(rng, subject.shape)
        _searching(subject, board, THINKING_SECONDS * number / TRIES)
        began = time.monotonic()
        subject.dialogue.add(Word.STOP)
        subject.checked(board, subject.reply(PATIENCE_SECONDS))
        worst = max(worst, time.monotonic() - began)
    _check_late(subject, worst, "stop")
    return f"at most {1e3 * worst:.0f} ms"


@_check("stop, idle", "stop without a search is ignored")
def _idle_stop(subject: Subject) -> str:
    subject.begin()
    subject.legal_reply(usual_board(random.Random(subject.seed), subject.shape))
    for refusal in subject.refusals("stop", "stop"):
        raise CheckFailed(f"expected stop without a search to be ignored, got error: {refusal}")
    return "ignored"


@_check("busy", "ready is answered during a search, position and go refused")
def _busy(subject: Subject) -> str:
    """An engine that has moved before it reads `ready` passes."""
    board = usual_board(random.Random(subject.seed), subject.shape)
    subject.begin()
    _searching(subject, board, THINKING_SECONDS)
    subject.dialogue.add(Word.READY)
    began = time.monotonic()
    answer = subject.next("an answer")
    words = f"readyok or bestmove within {1e3 * subject.allowed():g} ms of ready"
    _expect(time.monotonic() - began <= subject.allowed(), words, "it later")
    if answer is not Word.READY_OK:
        return "the search had ended"
    subject.dialogue.say_lines([format_line(SetPosition(dead_board(subject.shape))), "go"])
    subject.dialogue.add(Word.STOP)
    refusals = 0
    while isinstance(answer := subject.next("an answer"), ErrorLine):
        refusals += 1
    is_move = isinstance(answer, BestMove) and answer.move in board.legal_moves()
    _expect(is_move, "the move of the running search", repr(format_line(answer)))
    _expect(refusals == 2, "one error each for position and go during a search", refusals)
    return "readyok immediately, position and go refused"


@_check("repeat", "the same new repeats the same game")
def _repeat(subject: Subject) -> str:
    games = []
    for _ in range(2):
        subject.begin(seed=subject.seed)
        games.append(format_moves(subject.game(GAME_MOVES, Budget(ply=1)).moves))
    _expect(games[0] == games[1], "equal games after equal new lines", " and ".join(games))
    return f"{len(games[0])} moves"


@_check("quit", "quit ends the program within a second, with exit code 0")
def _quit(subject: Subject) -> str:
    subject.dialogue.add(Word.QUIT)
    return _expect_end(subject, "quit")


@_check("quit, busy", "quit also works during a search")
def _quit_while_searching(subject: Subject) -> str:
    subject.introduce()
    subject.begin()
    board = usual_board(random.Random(subject.seed), subject.shape)
    _searching(subject, board, THINKING_SECONDS / 2)
    subject.dialogue.add(Word.QUIT)
    return _expect_end(subject, "quit")


@_check("end of input", "the end of the input ends the program in the same way")
def _end_of_input(subject: Subject) -> str:
    subject.introduce()
    subject.dialogue.process.hang_up()
    return _expect_end(subject, "the end of its input")


def _expect_end(subject: Subject, after: str) -> str:
    began, seconds = time.monotonic(), subject.allowed(QUIT_SECONDS)
    code = subject.dialogue.process.wait(seconds)
    if code is None:
        raise CheckFailed(
            f"expected the program to end within {seconds:g} s of {after}, but it still runs"
        )
    _expect(code == 0, f"exit code 0 after {after}", code)
    subject.lose()
    return f"{1e3 * (time.monotonic() - began):.0f} ms"


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
    with Subject(words, boards=boards, slack=slack, seed=seed) as subject:
        for number, check in enumerate(CHECKS):
            outcome = _outcome(check, subject)
            yield outcome
            if number == 0 and not outcome.passed:
                return


def _outcome(check: EngineCheck, subject: Subject) -> CheckOutcome:
    began = time.monotonic()
    try:
        detail, passed = check.run(subject), True
    except (CheckFailed, PlayerError) as error:
        detail, passed = str(error), False
        subject.lose()
    return CheckOutcome(check.name, check.demand, passed, detail, time.monotonic() - began)
