"""Players in plain Python for the web tests."""

import threading

from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.players import Player
from twofold.players.base import move_list
from twofold.search.analysis import Analysis, MoveValue
from twofold.search.budget import Budget, Stop

HELD = "tests.web.own_players:Held"
FIRST = "tests.web.own_players:First"
BROKEN = "tests.web.own_players:Broken"
EXITING = "tests.web.own_players:Exiting"
WRONG = "tests.web.own_players:Wrong"
UNSTARTED = "tests.web.own_players:Unstarted"
PATIENT = "tests.web.own_players:Patient"
LATE = "tests.web.own_players:Late"
ALL = (HELD, FIRST, BROKEN, EXITING, WRONG, UNSTARTED, PATIENT, LATE)


class Gate:
    """Blocks callers until it is opened."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.reached = threading.Event()
        self.opened = threading.Event()
        self.left = threading.Event()

    def pass_through(self) -> None:
        self.reached.set()
        assert self.opened.wait(120)


GATE = Gate()
"""Where `Held` thinks, and `Late` is made."""


class First(Player):
    """Makes the first legal move."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        return board.legal_moves()[0]


class Held(First):
    """Thinks until the gate opens, and ignores the stop flag."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        GATE.pass_through()
        return board.legal_moves()[0]


class Late(First):
    """Takes long to start."""

    def start(self, rules: Rules, seed: int) -> None:
        GATE.pass_through()
        super().start(rules, seed)


class Broken(Player):
    """Fails."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        raise RuntimeError("broken \x1b[2J")


class Exiting(Player):
    """Wants to end the program."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        raise SystemExit(3)


class Wrong(Player):
    """Makes illegal moves."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        return next(move for move in Move if move not in board.legal_moves())


class Unstarted(First):
    """Supports no rules."""

    def unsupported(self, rules: Rules) -> str:
        return "expected other rules"


class Patient(First):
    """Values moves by their number; responds once the flag is raised or the gate open."""

    def analyse(
        self,
        board: Board,
        budget: Budget | None = None,
        *,
        score: int | None = None,
        stop: Stop | None = None,
    ) -> Analysis:
        if stop is not None:
            GATE.reached.set()
            while not (stop.is_raised or GATE.opened.wait(0.005)):
                pass
            GATE.left.set()
        values = {move: MoveValue(float(move), 1) for move in board.legal_moves()}
        return Analysis(board, move_list(board, values), max(values), self.spec, unit="chance")
