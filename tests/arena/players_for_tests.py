"""Players that do what players should not, and one that says it is compiled."""

import os
import time

from twofold import Board, Move, Player, Rules


class Threaded(Player):
    """Runs in threads, as compiled players do."""

    compiled = True
    made = 0
    closed = 0

    def __init__(self) -> None:
        Threaded.made += 1

    def close(self) -> None:
        Threaded.closed += 1

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        return board.legal_moves()[self.seed % 2 - 1]


class FailsOnSeed(Player):
    """Raises on move 5 of some seeds."""

    def __init__(self, seed: str = "3") -> None:
        self.bad = int(seed)

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        if self.seed == self.bad and move_number == 5:
            raise ZeroDivisionError("on purpose")
        return board.legal_moves()[0]


class Dies(Player):
    """Takes its process with it, on one seed."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        if self.seed == 2 and move_number == 3:
            os._exit(7)
        return board.legal_moves()[0]


class DiesAtFirst(Player):
    """Takes its process with it, until a folder holds so many files."""

    def __init__(self, folder: str, times: str) -> None:
        self.folder, self.times = folder, int(times)

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        if self.seed == 2 and move_number == 3:
            died = len(os.listdir(self.folder))
            if died < self.times:
                open(os.path.join(self.folder, str(died)), "x").close()
                os._exit(7)
        return board.legal_moves()[0]


class HangsOnSeed(Player):
    """Thinks for an hour, on one seed; says so before, by a file in a folder."""

    def __init__(self, folder: str, seed: str = "1") -> None:
        self.folder, self.bad = folder, int(seed)

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        if self.seed == self.bad and move_number == 5:
            open(os.path.join(self.folder, str(os.getpid())), "x").close()
            time.sleep(3600)
        return board.legal_moves()[0]


class HungryOnSeed(HangsOnSeed):
    """Takes more memory than it may have, on one seed."""

    def __init__(self, seed: str = "1") -> None:
        super().__init__("", seed)

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        if self.seed == self.bad and move_number == 5:
            bytearray(1 << 60)
        return board.legal_moves()[0]


class Prints(Player):
    """Writes to stdout, where results go."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        if move_number == 0:
            print("hello from a player")
        return board.legal_moves()[0]


class Forgetful(Player):
    """Plays differently when what it saw in the last game is not forgotten."""

    def __init__(self) -> None:
        self.seen = 0

    def start(self, rules: Rules, seed: int) -> None:
        super().start(rules, seed)
        self.seen = 0

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        self.seen += 1
        legal = board.legal_moves()
        return legal[self.seen % len(legal)]


class Signs(Forgetful):
    """Leaves the numbers of its parent and its process in a folder, and takes its time."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.folder = folder

    def start(self, rules: Rules, seed: int) -> None:
        super().start(rules, seed)
        open(os.path.join(self.folder, f"{os.getppid()}-{os.getpid()}"), "w").close()
        time.sleep(float(os.environ.get("SECONDS_A_GAME", "0")))


def illegal(board: Board) -> Move:
    """A move that changes nothing, as soon as there is one."""
    return next((move for move in Move if move not in board.legal_moves()), board.legal_moves()[0])
