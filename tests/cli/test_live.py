"""The live pictures of `twofold watch` and `twofold analyse` in a real (pseudo) terminal.

Without keys to read, `watch` shows its picture and not the app.
"""

import re
import signal
import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("needs the pseudo-terminals of Linux", allow_module_level=True)


from tests.support.terminals import ESCAPES, exit_code, read_until, terminal

PLAYERS = Path(__file__).parent.parent / "arena" / "players_for_tests.py"
BOARD = "0012/0013/0024/1357"
SIMPLE = f"{PLAYERS}:Forgetful"
"""A player without kernels, which take a second to load."""


def test_the_picture_and_the_summary() -> None:
    arguments = ["watch", "greedy", "--seed", "3", "--moves-per-second", "400"]
    with terminal(*arguments, keys=False, COLORTERM="truecolor") as (process, main):
        text = read_until(main, "again: twofold watch greedy --seed 3")
        assert exit_code(process, main) == 0
    plain = ESCAPES.sub("", text)
    assert plain.index("Ctrl-C ends") < plain.index("score 3,872")
    for part in ("score", "largest", "moves/s", "elapsed", "seed", "right", "Ctrl-C ends"):
        assert part in plain
    assert "48;2;247;240;228" in text  # the tile 2, as on the page
    assert "score 3,872, largest tile 256, 318 moves, game over" in plain
    assert text.index("\x1b[?1049h") < text.index("\x1b[?1049l")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_ctrl_c_ends_with_the_summary_so_far(number: signal.Signals) -> None:
    """So does another signal that ends a program, and the terminal is left in order."""
    arguments = ["watch", SIMPLE, "--seed", "3", "--moves-per-second", "20"]
    with terminal(*arguments, keys=False) as (process, main):
        text = read_until(main, "Ctrl-C ends")
        process.send_signal(number)
        text += read_until(main, "again: ")
        assert exit_code(process, main) == 130
    assert text.rindex("\x1b[?1049h") < text.rindex("\x1b[?1049l")
    assert text.rindex("\x1b[?25l") < text.rindex("\x1b[?25h")
    plain = ESCAPES.sub("", text)
    assert "interrupted" in plain
    assert "not finished" in plain
    assert "Traceback" not in plain


def test_a_dumb_terminal_gets_lines() -> None:
    with terminal("watch", SIMPLE, "--seed", "3", "--rules", "3x3", TERM="dumb") as (process, main):
        text = read_until(main, "again: ")
        assert exit_code(process, main) == 0
    assert "\x1b" not in text
    assert "\r" not in text.replace("\r\n", "")
    assert "game over" in text


def test_an_analysis_improves_until_ctrl_c() -> None:
    arguments = ["analyse", BOARD, "--player", "expectimax:ply=1", "--ply", "12", "--time", "100s"]
    with terminal(*arguments) as (process, main):
        shown = read_until(main, "plies: ")
        process.send_signal(signal.SIGINT)
        text = read_until(main, "interrupted: this is the best answer so far")
        assert exit_code(process, main) == 130
    assert re.search(
        r"searching, \d+\.\d of 100 s; Ctrl-C ends it with", ESCAPES.sub("", shown + text)
    )
    assert "to best" in ESCAPES.sub("", shown)
    assert "Traceback" not in text
    final = ESCAPES.sub("", text)
    assert final.count("player     expectimax:ply=1") >= 1


def test_what_a_player_raises_is_the_last_line() -> None:
    with terminal("watch", f"{PLAYERS}:illegal", keys=False) as (process, main):
        text = read_until(main, "expected a legal move")
        assert exit_code(process, main) == 1
    assert text.index("\x1b[?1049l") < text.index("twofold: expected a legal move")
