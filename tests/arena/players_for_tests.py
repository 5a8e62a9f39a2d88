"""Faulty players, and one that claims to be compiled."""

import os
import random
import resource
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


class Draws(Player):
    """Draws its moves, with no regard to the seed."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        return random.choice(board.legal_moves())


class First(Player):
    """Makes the first legal move of each board, and something odd before."""

    def __init__(self, seed: str = "1") -> None:
        self.bad = int(seed)

    def before(self, move_number: int) -> None:
        """Happens before each move."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        self.before(move_number)
        return board.legal_moves()[0]


class FailsOnSeed(First):
    """Raises on move 5 of some seeds."""

    def __init__(self, seed: str = "3") -> None:
        super().__init__(seed)

    def before(self, move_number: int) -> None:
        if self.seed == self.bad and move_number == 5:
            raise ZeroDivisionError("on purpose")


class EatsMemory(First):
    """Takes all the memory that its process may have, on one seed."""

    def before(self, move_number: int) -> None:
        if self.seed == self.bad and move_number == 5:
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, resource.RLIM_INFINITY))
            eaten = [b""]
            while True:
                eaten.append(bytes(1 << 30))


class DiesAtFirst(First):
    """Kills its process until a folder holds a number of files."""

    def __init__(self, folder: str, times: str) -> None:
        self.folder, self.times = folder, int(times)

    def before(self, move_number: int) -> None:
        died = len(os.listdir(self.folder))
        if self.seed == 2 and move_number == 3 and died < self.times:
            open(os.path.join(self.folder, str(died)), "x").close()
            os.kill(os.getpid(), 9)


class DiesOnceAGame(First):
    """Kills its process in the midst of each game that a folder has no file of."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def before(self, move_number: int) -> None:
        mark = os.path.join(self.folder, str(self.seed))
        if move_number == 3 and not os.path.exists(mark):
            open(mark, "x").close()
            os.kill(os.getpid(), 9)


class HangsOnSeed(First):
    """Searches for an hour on one seed; first it writes a file into a folder."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.folder = folder

    def before(self, move_number: int) -> None:
        if self.seed == self.bad and move_number == 5:
            open(os.path.join(self.folder, str(os.getpid())), "x").close()
            time.sleep(3600)


class Prints(First):
    """Prints to stdout, which is used for results."""

    def before(self, move_number: int) -> None:
        if move_number == 0:
            print("hello from a player")


class Forgetful(Player):
    """Plays differently if state of the last game is left."""

    def __init__(self) -> None:
        self.seen = 0

    def start(self, rules: Rules, seed: int) -> None:
        super().start(rules, seed)
        self.seen = 0

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        self.seen += 1
        legal = board.legal_moves()
        return legal[self.seen % len(legal)]


class Escapes(Threaded):
    """Raises in a thread what no `except Exception` catches."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        raise BaseException("on purpose")


class Signs(Forgetful):
    """Writes the ids of its parent and its process into a folder, and plays slowly."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.folder = folder

    def start(self, rules: Rules, seed: int) -> None:
        super().start(rules, seed)
        open(os.path.join(self.folder, f"{os.getppid()}-{os.getpid()}"), "w").close()
        time.sleep(float(os.environ.get("SECONDS_A_GAME", "0")))


def illegal(board: Board) -> Move:
    """Makes an illegal move as soon as there is one."""
    return next((move for move in Move if move not in board.legal_moves()), board.legal_moves()[0])


def Sleeps(board: Board) -> Move:  # noqa: N802
    time.sleep(3600)
    return board.legal_moves()[0]
