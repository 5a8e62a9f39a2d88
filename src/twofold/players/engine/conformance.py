"""Conformance checks of the engine protocol: what is sent, and what may come back.

Example::

    for outcome in check_engine(["python", "my_engine.py"]):
        print(outcome.passed, outcome.name, outcome.detail)
"""

import random
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from twofold.errors import PlayerError
from twofold.figures import counted
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.notation import format_moves, shown
from twofold.game.rules import STANDARD, Move, Rules
from twofold.limits import MAX_ENGINE_LINE
from twofold.players.engine.client import START_SECONDS, Dialogue
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
    first_word,
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

TRIES: Final = 5

Shape = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The result of a check; `detail` says what was found or what was wrong."""

    name: str
    demand: str
    passed: bool
    detail: str
    seconds: float


def usual_board(rng: random.Random, shape: Shape, large: bool = False) -> Board:
    """A random board with a legal move: any fill, small tiles more often than large ones.

    With `large` one tile is from 32768 to 2^20.
    """
    while True:
        empty = rng.choice([0.0, 0.1, 0.4, 0.8])
        cells = [
            0 if rng.random() < empty else min(rng.randint(1, 11), rng.randint(1, 11))
            for _ in range(shape[0] * shape[1])
        ]
        if large:
            cells[rng.randrange(len(cells))] = rng.randint(15, 20)
        board = Board(cells, shape)
        if not board.is_over:
            return board


def dead_board(_: random.Random, shape: Shape) -> Board:
    """A full board without a legal move."""
    rows, cols = shape
    return Board([1 + (row + col) % 2 for row in range(rows) for col in range(cols)], shape)


BOARDS: Final[dict[str, Callable[[random.Random, Shape], Board]]] = {
    "BOARD": usual_board,
    "LARGE": partial(usual_board, large=True),
    "DEAD": dead_board,
}
"""Boards in the lines of a case."""


@dataclass(slots=True)
class Reply:
    """All that comes back; `seconds` is the time to the last `bestmove` or error."""

    answers: list[BestMove | ErrorLine] = field(default_factory=list)
    infos: list[Info] = field(default_factory=list)
    seconds: float = 0.0


KINDS: Final = {
    "": "no answer",
    "error": "one error",
    "error error": "two errors",
    "move": "a legal move",
    "none": "'bestmove none'",
}
"""Answers that can be allowed."""


def kind_of(answer: BestMove | ErrorLine, moves: Sequence[Move]) -> str:
    """The word for one answer; `illegal` for a move that is not one of these."""
    if isinstance(answer, ErrorLine):
        return "error"
    return "none" if answer.move is None else "move" if answer.move in moves else "illegal"


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
            self._dialogue = Dialogue(self.words, timeout=self.allowed(START_SECONDS), strict=True)
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
            how = check.how
            detail, passed = how(self) if callable(how) else self.cases(how), True
        except PlayerError as error:
            detail, passed = str(error), False
            self.lose()
        return CheckOutcome(check.name, check.demand, passed, detail, time.monotonic() - began)

    # ---- for the checks

    def allowed(self, seconds: float = ALLOWED_SECONDS) -> float:
        """A time limit, multiplied by the slack."""
        return seconds * self.slack

    @property
    def shape(self) -> Shape:
        """4x4, or the first shape that the engine plays."""
        shapes = self.dialogue.shapes
        return STANDARD.shape if STANDARD.shape in shapes else shapes[0]

    def board(self) -> Board:
        """The next random board."""
        return usual_board(self.rng, self.shape)

    def begin(self, rules: Rules | None = None, seed: int = 0) -> None:
        """Start a game; a refusal fails the check."""
        game = NewGame(Rules(*self.shape) if rules is None else rules, seed)
        refusal = self.dialogue.make_ready(game)
        expect(not refusal, f"{format_line(game)!r} to be accepted", f"error: {refusal}")

    def answers(self, expected: str, seconds: float = 0.0) -> Iterator[Answer]:
        """The answers from now on; fails the check if they do not come in time."""
        return self.dialogue.replies(self.allowed(seconds + PATIENCE_SECONDS), expected, infos=True)

    def exchange(
        self, allowed: str, *lines: str, board: Board | None = None, seconds: float = 0.0
    ) -> Reply:
        """Send lines, then `ready`; fails the check unless the answers are as in a `Case`.

        A `go` is answered within `seconds`, by a move that is legal on `board`.
        """
        self.dialogue.say_lines([*lines, Word.READY.value])
        began, is_ready, reply = time.monotonic(), False, Reply()
        due = sum(first_word(line) == "go" for line in lines)
        answers = self.answers("a bestmove" if due else "readyok", seconds)
        while not is_ready or len(reply.answers) < due:
            match next(answers):
                case Word.READY_OK:
                    is_ready = True
                case Info() as info:
                    reply.infos.append(info)
                case BestMove() | ErrorLine() as answer:
                    reply.answers.append(answer)
                    reply.seconds = time.monotonic() - began
        moves = () if board is None else board.legal_moves()
        kinds = " ".join(kind_of(answer, moves) for answer in reply.answers)
        letters = f" ({', '.join(move.letter for move in moves)})" if "move" in allowed else ""
        expected = " or ".join(map(KINDS.__getitem__, allowed.split("|"))) + letters
        got = " and ".join(map(repr, map(format_line, reply.answers))) or "no answer"
        asked = shown(", ".join(lines)[:100])
        expect(kinds in allowed.split("|"), f"{expected} as reply to {asked}", got)
        return reply

    def cases(self, cases: "tuple[Case, ...]") -> str:
        """Make the cases of a check; the kinds of answers that came."""
        kinds, board = Counter[str](), dead_board(self.rng, self.shape)
        for text, allowed in cases:
            for word, make in BOARDS.items():
                if word in text:
                    board = make(self.rng, self.shape)
                    text = text.replace(word, str(board))
            reply = self.exchange(allowed, *text.split("\n"), board=board)
            kinds.update(kind_of(answer, board.legal_moves()) for answer in reply.answers)
        tally = [
            f"{count} none" if kind == "none" else counted(count, kind)
            for kind, count in kinds.items()
        ]
        return f"{counted(len(cases), 'case')}: {', '.join(tally) or 'no answer'}"

    def ask(self, board: Board, budget: Budget | None = None, *, score: int | None = None) -> Reply:
        """Ask for a move on a board that is not dead; fails the check if it is not legal."""
        budget = budget or Budget()
        lines = format_line(SetPosition(board, score)), format_line(Go(budget))
        return self.exchange("move", *lines, board=board, seconds=budget.seconds or 0.0)

    def search(self, board: Board, seconds: float) -> None:
        """Start a long search, and wait."""
        self.dialogue.say(SetPosition(board), Go(Budget(seconds=LONG_SECONDS)))
        time.sleep(seconds)

    def game(self, most: int, budget: Budget | None = None) -> Game:
        """A game of the engine, up to a number of moves, which must be legal."""
        game = Game(Rules(*self.shape), self.seed)
        while not game.is_finished and game.move_number < most:
            (answer,) = self.ask(game.board, budget, score=game.score).answers
            assert isinstance(answer, BestMove)
            assert answer.move is not None
            game.play(answer.move)
        return game

    def in_time(self, seconds: float, after: str) -> str:
        """Fail the check if a move came later than the protocol allows; else how late it came."""
        expected = f"bestmove within {1e3 * self.allowed():g} ms of {after}"
        expect(seconds <= self.allowed(), expected, f"it after {1e3 * seconds:.0f} ms")
        return f"at most {max(0.0, 1e3 * seconds):.0f} ms"

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


# ---- the checks that are more than lines and answers


def _handshake(subject: Subject) -> str:
    found = subject.dialogue
    for key, text in (("id name", found.name), ("id author", found.author)):
        expect(bool(text), f"{key} before u2048ok", "none")
    sizes = [counted(len(found.options), "option"), counted(len(found.shapes), "shape")]
    return f"{found.name} by {found.author}, {', '.join(sizes)}"


def _options(subject: Subject) -> str:
    options = subject.dialogue.options
    for name, default in options.items():
        subject.exchange("", format_line(SetOption(name, default)))
    return counted(len(options), "option")


def _shapes(subject: Subject) -> str:
    shapes = subject.dialogue.shapes
    for shape in shapes:
        subject.begin(Rules(*shape))
        for _ in range(3):
            subject.ask(usual_board(subject.rng, shape))
    return f"{counted(len(shapes), 'shape')}, 3 boards each"


def _moves(subject: Subject) -> str:
    for _ in range(subject.boards):
        subject.ask(subject.board())
    game = subject.game(100)
    return f"{subject.boards} boards, {game.move_number} moves of a game"


def _infos(subject: Subject) -> str:
    found: list[Info] = []
    for _ in range(4 * TRIES):
        board = subject.board()
        reply, moves = subject.ask(board), board.legal_moves()
        best = None
        for info in reply.infos:
            letters = "".join(move.letter for move in info.values)
            whole = not info.values or set(info.values) == set(moves)
            expect(whole, f"values of all legal moves or of none on {board}", letters)
            best = best if info.best is None else info.best
        is_last = best is None or reply.answers == [BestMove(best)]
        expect(is_last, f"bestmove to be the last best on {board}", format_line(reply.answers[0]))
        found += reply.infos
    return f"{len(found)} lines, {sum(bool(info.values) for info in found)} with values"


def _limits(subject: Subject) -> str:
    for _ in range(TRIES):
        board = subject.board()
        for ply in (1, 2):
            infos = subject.ask(board, Budget(ply=ply)).infos
            deepest = max((info.depth or 0 for info in infos), default=0)
            expect(deepest <= ply, f"at most {ply} plies for 'go ply {ply}'", deepest)
        for info in subject.ask(board, Budget(nodes=1_000)).infos:
            few = (info.nodes or 0) <= 1_000 or (info.depth or 0) <= 1
            expect(few, "1000 nodes at most", info.nodes)
    return f"{TRIES} boards with ply 1 and 2 and nodes 1000"


def _time(subject: Subject) -> str:
    took = max(subject.ask(subject.board(), Budget(seconds=0.1)).seconds for _ in range(TRIES))
    return subject.in_time(took - 0.1, "a limit of 100 ms") + " late"


def _stop(subject: Subject) -> str:
    worst = 0.0
    for number in range(TRIES):
        board = subject.board()
        subject.search(board, THINKING_SECONDS * number / TRIES)
        subject.dialogue.add(Word.STOP)
        worst = max(worst, _end_of_search(subject, board, 0))
    return subject.in_time(worst, "stop")


def _end_of_search(subject: Subject, board: Board, refusals: int) -> float:
    """Seconds until the legal move of a search, after exactly `refusals` errors."""
    began, errors = time.monotonic(), 0
    for answer in subject.answers("a bestmove"):
        if isinstance(answer, BestMove):
            got = repr(format_line(answer))
            expect(answer.move in board.legal_moves(), f"a legal move on {board}", got)
            break
        errors += isinstance(answer, ErrorLine)
    expect(errors == refusals, f"{counted(refusals, 'error')} before the move", errors)
    return time.monotonic() - began


def _busy(subject: Subject) -> str:
    """An engine that has moved before it reads `ready` passes."""
    board = subject.board()
    subject.search(board, THINKING_SECONDS)
    subject.dialogue.add(Word.READY)
    began = time.monotonic()
    answer = next(answer for answer in subject.answers("readyok") if not isinstance(answer, Info))
    expected = f"readyok or bestmove within {1e3 * subject.allowed():g} ms of ready"
    expect(time.monotonic() - began <= subject.allowed(), expected, "it later")
    if answer is not Word.READY_OK:
        return "the search had ended"
    dead = dead_board(subject.rng, subject.shape)
    subject.dialogue.say_lines([f"position {dead}", "go"])
    subject.dialogue.add(Word.STOP)
    _end_of_search(subject, board, 2)
    return "readyok immediately, position and go refused"


def _repeat(subject: Subject) -> str:
    games = []
    for _ in range(2):
        subject.begin(seed=subject.seed)
        games.append(format_moves(subject.game(30, Budget(ply=1)).moves))
    expect(games[0] == games[1], "equal games after equal new lines", " and ".join(games))
    return f"{len(games[0])} moves"


def _quit(subject: Subject) -> str:
    subject.dialogue.add(Word.QUIT)
    return subject.ends("quit")


def _quit_while_searching(subject: Subject) -> str:
    subject.search(subject.board(), THINKING_SECONDS / 2)
    return _quit(subject)


def _end(subject: Subject) -> str:
    subject.dialogue.hang_up()
    return subject.ends("the end of its input")


Case = tuple[str, str]
"""Lines, one below the other, and the answers allowed: kinds separated by spaces, or by `|`."""

GO: Final[Case] = ("position BOARD\ngo", "move")


@dataclass(frozen=True, slots=True)
class EngineCheck:
    """A demand of the protocol, and its cases, or a function that tests it.

    The function returns its findings; it raises `PlayerError` if the demand is not met.
    """

    name: str
    demand: str
    how: tuple[Case, ...] | Callable[[Subject], str]


CHECKS: Final = (
    EngineCheck("handshake", "u2048 is answered by id name, id author and u2048ok", _handshake),
    EngineCheck("ready", "ready after new is answered by readyok", lambda _: "readyok"),
    EngineCheck("unknown words", "unknown lines and unknown words are ignored", (
        ("frobnicate 1 2 3", ""),
        ("", ""),
        ("   ", ""),
        ("# a comment", ""),
        ("info depth 3", ""),
        ("position BOARD frobnicate 7\ngo frobnicate ply 1 quiet", "move"),
    )),
    EngineCheck("bad lines", "each invalid line is answered by one error", (
        ("position", "error"),
        ("position 12345", "error"),
        ("position 0012/0000/0000/00!!", "error"),
        ("option frobnicate 1", "error"),
        ("new 9x9 seed 1", "error"),
        ("position 9x9:0", "error"),
        ("position 1x1:0", "error"),
        ("position nonsense\ngo", "error error"),
    )),
    # an engine does not have to parse limits that it does not use
    EngineCheck("bad limits", "an invalid go is answered by one error or one bestmove", (
        ("position BOARD\ngo ply x", "error|move"),
        ("position BOARD\ngo ply", "error|move"),
        ("position BOARD\ngo time -5", "error|move"),
        ("position BOARD\ngo nodes 0", "error|move"),
    )),
    EngineCheck("long line", "a line of a million characters is answered by one error", (
        ("position " + "0" * 100 * MAX_ENGINE_LINE, "error"),
    )),
    EngineCheck("options", "options accept their defaults", _options),
    EngineCheck("shapes", "boards of all declared shapes are played", _shapes),
    EngineCheck("moves", "moves are legal", _moves),
    EngineCheck("large tiles", "tiles of 32768 and more are played or refused",
                10 * (("position LARGE\ngo", "move|error error"),)),
    EngineCheck("dead board", "bestmove none if no move is legal", (
        ("position DEAD\ngo", "none"),
        ("go time 1000", "none"),
        ("go ply 2", "none"),
    )),
    EngineCheck("one answer", "each go has one bestmove, and keeps the position",
                (*TRIES * (GO,), ("go", "move"))),
    EngineCheck("info", "info values all legal moves or none; the last best is the move", _infos),
    EngineCheck("limits", "ply and node limits are kept", _limits),
    EngineCheck("time", "a time limit is kept within 50 ms", _time),
    EngineCheck("stop", "stop is answered by bestmove within 50 ms", _stop),
    EngineCheck("stop, idle", "stop without a search is ignored", (GO, ("stop\nstop", ""))),
    EngineCheck("busy", "ready is answered during a search, position and go refused", _busy),
    EngineCheck("repeat", "the same new repeats the same game", _repeat),
    EngineCheck("quit", "quit ends the program within a second, with exit code 0", _quit),
    EngineCheck("quit, busy", "quit also works during a search", _quit_while_searching),
    EngineCheck("end of input", "the end of the input ends the program in the same way", _end),
)  # fmt: skip
"""All checks, in the order in which they run; each but the first begins with a new game."""


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
