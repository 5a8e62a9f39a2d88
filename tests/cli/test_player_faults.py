"""A player of one's own that fails: one sentence with its file and line, in every command."""

import json
from itertools import product
from pathlib import Path

import pytest

from tests.arena.benches import standings_of
from tests.support.commands import Cli
from tests.support.forks import forked_workers as forked_workers  # a fixture
from twofold.game.notation import SeedRange
from twofold.game.rules import Rules

CODE = """
from twofold import Move, Player


class Short(Player):
    def choose(self, board):
        return board.legal_moves()[0]


class Without(Player):
    pass


class Starts(Player):
    def start(self, rules):
        pass

    def choose(self, board, **_):
        return board.legal_moves()[0]


def nothing():
    return Move.UP


class Raises(Player):
    def choose(self, board, *, score=None, move_number=0):
        return divided(board)


def divided(board):
    return 1 // 0


class Seven(Player):
    def choose(self, board, *, score=None, move_number=0):
        return 7


class Leaves(Player):
    def choose(self, board, *, score=None, move_number=0):
        raise SystemExit(0)


class Paints(Player):
    def choose(self, board, *, score=None, move_number=0):
        raise ValueError("\\x1b[2J evil\\r\\n twofold: all fine")


def cheats(board):
    return next(move for move in Move if move not in board.legal_moves())


class Stops(Player):
    def choose(self, board, *, score=None, move_number=0):
        raise StopIteration


class Interrupts(Player):
    def choose(self, board, *, score=None, move_number=0):
        raise KeyboardInterrupt


class Closes(Player):
    def choose(self, board, *, score=None, move_number=0):
        raise GeneratorExit


class Floods(Player):
    def choose(self, board, *, score=None, move_number=0):
        raise ValueError("x" * 10_000_000)
"""

ENDING = {
    "Leaves": "SystemExit: 0 (bad.py, line 42)",
    "Interrupts": "KeyboardInterrupt (bad.py, line 61)",
    "Closes": "GeneratorExit (bad.py, line 66)",
}
"""What raises the exceptions that end programs, and what is said of it."""

WANTED = "def choose(self, board, *, score=None, move_number=0)"
REFUSED = {
    "Short": f"expected {WANTED} in 'bad.py:Short', got one without score, move_number "
    "(bad.py, line 6)",
    "Without": f"expected {WANTED} in 'bad.py:Without', got none",
    "Starts": "expected def start(self, rules, seed) in 'bad.py:Starts', got one without seed "
    "(bad.py, line 15)",
    "nothing": "expected a function that takes a board, got 'bad.py:nothing' (bad.py, line 22): "
    "too many positional arguments",
}
"""What cannot be made, and what is said of it."""

FAILING = {
    "Raises": "ZeroDivisionError: integer division or modulo by zero (bad.py, line 32)",
    "Seven": "got 7 (bad.py, line 36)",
    "Paints": "ValueError: \\x1b[2J evil twofold: all fine (bad.py, line 47)",
    "cheats": "(bad.py, line 50)",
    "Stops": "StopIteration (bad.py, line 56)",
    "Floods": f"ValueError: {'x' * 497}... (bad.py, line 71)",
}
"""What fails at its first move, and the end of what is said of it."""

pytestmark = pytest.mark.usefixtures("forked_workers")

BOARD = ("analyse", "2x2:1100", "--player")
GAME = ("watch", "--seed", "1", "--rules", "2x2", "--plain")
HINT = ("play", "--seed", "1", "--rules", "2x2", "--plain", "--hints")
BENCH = ("bench", "--games", "1", "--rules", "2x2", "--jobs", "1", "--json")
DUEL = ("compare", "greedy", "--games", "2", "--rules", "2x2", "--jobs", "1")


@pytest.fixture(autouse=True)
def bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad.py").write_text(CODE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("words", "name"),
    [*((BOARD, name) for name in REFUSED), *((one, "Short") for one in (GAME, HINT, BENCH, DUEL))],
)
def test_a_player_that_cannot_be_asked_is_refused(
    cli: Cli, words: tuple[str, ...], name: str
) -> None:
    result = cli(*words, f"bad.py:{name}")
    assert (result.code, result.err) == (2, f"twofold: {REFUSED[name]}\n")


@pytest.mark.parametrize(
    ("words", "name"),
    [*product((BOARD, GAME), FAILING | ENDING), (HINT, "Leaves"), (HINT, "Closes")],
)
def test_a_player_that_fails_or_ends_the_program_ends_the_command(
    cli: Cli, words: tuple[str, ...], name: str
) -> None:
    """In a thread of the player, which Ctrl-C does not reach."""
    result = cli(*words, f"bad.py:{name}", stdin="hint\n")
    assert result.code == 1
    assert result.err.startswith("twofold: ")
    assert result.err.endswith(f"{(FAILING | ENDING)[name]}\n")
    assert result.err.count("\n") == 1


@pytest.mark.parametrize("name", FAILING)
def test_a_hint_that_fails_leaves_the_game_going(cli: Cli, name: str) -> None:
    result = cli(*HINT, f"bad.py:{name}", stdin="hint\nboard\nquit\n")
    assert (result.code, result.err) == (0, "")
    assert f"{FAILING[name]}\n" in result.out


def test_a_bench_and_a_duel_say_the_same(cli: Cli) -> None:
    """Also of what ends a program, in the process of a worker, which Ctrl-C does not reach."""
    result = cli(*BENCH, *(f"bad.py:{name}" for name in FAILING | ENDING))
    assert result.code == 1
    assert "Traceback" not in result.err
    said = (FAILING | ENDING).values()
    for one, words in zip(json.loads(result.out)["players"], said, strict=True):
        assert one["error"].endswith(words)
    result = cli(*DUEL, "bad.py:Raises")
    assert (result.code, result.err.endswith(f"{FAILING['Raises']}\n")) == (1, True)


def test_the_traceback_is_shown_on_request(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TWOFOLD_DEBUG", "1")
    result = cli(*HINT, "bad.py:Raises", stdin="hint\nquit\n")
    assert 'bad.py", line 32, in divided' in result.err
    with pytest.raises(ZeroDivisionError):
        cli(*BOARD, "bad.py:Raises")
    capsys.readouterr()
    standings_of(["bad.py:Raises"], SeedRange(1, 1), 0, Rules.parse("2x2"))
    assert 'bad.py", line 32, in divided' in capsys.readouterr().err  # as a worker of a bench
