"""Checks the solutions of docs/learn/exercises.md.

python examples/exercises/check.py EXERCISE SOLUTION.py

Prints `passed` or `failed` with the first fault, and exits with 0 or 1. It runs the code of the
solution: check only files that you would run yourself.
"""

import importlib.util
import math
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random
from types import ModuleType

from twofold import Board, Game, Move, Player, Rules, bench
from twofold.arena.compare import paired_interval
from twofold.arena.stats import mean_interval
from twofold.game import reference
from twofold.players.base import describe, note_source

BOARDS = (
    "1123/0012/0001/0000",
    "1234/2345/3456/4560",
    "1111/2222/1111/2220",
    "5430/4300/3000/0001",
)
SMALL = Rules.parse("2x2")
SECONDS = 120.0
"""Most time for one check; solutions take a few seconds."""


class Wrong(Exception):
    """A check failed; the text says what was expected."""


def expect(call: str, found: object, expected: object) -> None:
    """Compare a result with the expected one."""
    if found != expected:
        raise Wrong(f"{call}: expected {expected}, got {found}")


def close(call: str, found: object, expected: float, tolerance: float = 1e-6) -> None:
    """Compare two numbers."""
    try:
        found = float(found)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise Wrong(f"{call}: expected a number, got {found!r}") from None
    if not math.isclose(found, expected, rel_tol=tolerance, abs_tol=tolerance):
        raise Wrong(f"{call}: expected {expected:.6g}, got {found:.6g}")


def tiles(exponents: tuple[int, ...] | list[int]) -> list[int]:
    """2, 4, 8 ... with 0 for an empty cell."""
    return [1 << exponent if exponent else 0 for exponent in exponents]


def pair(call: str, found: object) -> tuple[object, object]:
    """The two values of an answer."""
    if not isinstance(found, (tuple, list)) or len(found) != 2:
        raise Wrong(f"{call}: expected two values, got {found!r}")
    return found[0], found[1]


def as_list(row: object) -> object:
    """A row as a list; anything else stays."""
    return list(row) if isinstance(row, tuple) else row


def check_slide(solution: ModuleType) -> None:
    """1: `slide_row(row)` returns (row slid to the left, reward)."""
    for row in product(range(5), repeat=4):
        slid, reward = reference.slide_row(row)
        given = tiles(row)
        found, points = pair(f"slide_row({given})", solution.slide_row(list(given)))
        expect(f"slide_row({given})", (as_list(found), points), (tiles(slid), reward))


def check_spawns(solution: ModuleType) -> None:
    """2: `spawns(cells)` returns {board after the spawn: probability}."""
    for text in BOARDS:
        board = Board.parse(text)
        call, expected = f"spawns({text})", {}
        for spawn in board.spawns():
            after = board.place(spawn.cell, spawn.tile)
            expected[tuple(tiles(after.exponents))] = spawn.probability
        found = solution.spawns(tuple(tiles(board.exponents)))
        if not isinstance(found, dict):
            raise Wrong(f"{call}: expected a dictionary, got {found!r:.60}")
        for board_after, probability in expected.items():
            if board_after not in found:
                raise Wrong(f"{call}: expected the board {board_after}, which is missing")
            close(f"{call}[{board_after}]", found[board_after], probability)
        if more := found.keys() - expected.keys():
            raise Wrong(
                f"{call}: expected {len(expected)} boards, got one more: {next(iter(more))}"
            )


def check_heuristic(solution: ModuleType) -> None:
    """3: `value(board)`, added to the reward, beats `greedy` over 60 games."""

    class Mine(Player):
        def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
            def worth(move: Move) -> float:
                after, reward = board.slide(move)
                return reward + solution.value(after)

            return max(board.legal_moves(), key=worth)

    mine, greedy = bench([Mine(), "greedy"], games=60, jobs=1)
    if mine.error:
        raise Wrong(mine.error)
    found = paired_interval(mine.games.scores, greedy.games.scores).difference
    if found.low is None or found.low <= 0:
        said = f"{found.value:,.0f} points ({found.low:,.0f} to {found.high:,.0f})"
        raise Wrong(f"expected a mean above that of greedy with 95 % confidence, got {said}")


def check_expectimax(solution: ModuleType) -> None:
    """4: `search(board, ply)` returns the value; a leaf is worth 10 points an empty cell."""

    def after_value(after: Board, ply: int) -> float:
        if ply == 0:
            return 10.0 * len(after.empty_cells)
        return sum(s.probability * value(after.place(s.cell, s.tile), ply) for s in after.spawns())

    def value(board: Board, ply: int) -> float:
        slides = [board.slide(move) for move in board.legal_moves()]
        return max((s.reward + after_value(s.board, ply - 1) for s in slides), default=0.0)

    for text in (*BOARDS, "1212/2121/1212/2121"):
        for ply in (1, 2):
            board = Board.parse(text)
            close(f"search({text}, {ply})", solution.search(board, ply), value(board, ply))


def check_learning(solution: ModuleType) -> None:
    """5: `learn(games)` returns a policy for 2x2 that makes 62 points or more on average."""
    policy: Callable[[Board], Move] = solution.learn(2_000)
    scores = []
    for seed in range(1_000_001, 1_000_501):  # games that were not learned from
        game = Game(SMALL, seed=seed)
        while moves := game.legal_moves():
            move = policy(game.board)
            if not isinstance(move, Move):
                raise Wrong(f"expected a Move such as Move.LEFT from the policy, got {move!r}")
            if move not in moves:
                legal = ", ".join(one.name for one in moves)
                raise Wrong(f"expected a legal move on {game.board} ({legal}), got {move.name}")
            game.play(move)
        scores.append(game.score)
    mean = sum(scores) / len(scores)
    if mean < 62:
        raise Wrong(f"expected a mean of 62 points or more over 500 games, got {mean:.1f}")


def check_interval(solution: ModuleType) -> None:
    """6: `interval(scores)` returns the ends of the 95 % interval of the mean, by Student's t."""
    dice = Random(1)
    for games in (2, 5, 100):
        scores = [dice.gauss(3_000, 1_500) for _ in range(games)]
        low, high = pair(f"interval of {games} games", solution.interval(scores))
        known = mean_interval(scores)
        close(f"the lower end for {games} games", low, known.low, 0.005)
        close(f"the upper end for {games} games", high, known.high, 0.005)


CHECKS = {
    1: check_slide,
    2: check_spawns,
    3: check_heuristic,
    4: check_expectimax,
    5: check_learning,
    6: check_interval,
}


FUNCTIONS = ("slide_row", "spawns", "value", "search", "learn", "interval")
"""What each exercise asks for."""


def load(path: Path, exercise: int) -> ModuleType:
    """Import a solution from its file."""
    spec = importlib.util.spec_from_file_location("solution", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise Wrong(f"expected a Python file, got {path}")
    note_source(str(spec.origin), path.name)  # errors then name the line in it
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    name = FUNCTIONS[exercise - 1]
    if not callable(getattr(module, name, None)):
        raise Wrong(f"expected a function {name} in {path.name}, got none")
    return module


def check(exercise: int, path: Path) -> str:
    """`passed`, or `failed: ` and why."""
    try:
        CHECKS[exercise](load(path, exercise))
    except Wrong as wrong:
        return f"failed: {wrong!s:.300}"
    except (Exception, SystemExit) as error:  # of the solution
        return f"failed: {describe(error)}"
    return "passed"


def verdict(exercise: int, path: Path, seconds: float = SECONDS) -> str:
    """What `check` says in a process of its own, which the solution may end or hold up."""
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "said"
        command = [sys.executable, __file__, str(exercise), str(path), str(said)]
        try:
            subprocess.run(command, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return f"failed: expected an end within {seconds:g} s, got none"
        if not said.exists():
            return "failed: the solution ended Python"
        return said.read_text(encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Check one file; with a third argument in this process, and write the verdict there."""
    if len(arguments) not in (2, 3) or arguments[0] not in map(str, CHECKS):
        print(f"usage: check.py EXERCISE SOLUTION.py, with EXERCISE from 1 to {len(CHECKS)}")
        return 2
    exercise, path = int(arguments[0]), Path(arguments[1])
    if len(arguments) == 3:
        Path(arguments[2]).write_text(check(exercise, path), encoding="utf-8")
        return 0
    said = verdict(exercise, path)
    print(f"exercise {exercise}: {said}")
    return 0 if said == "passed" else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
