"""The live pictures of `twofold watch` and `twofold analyse` in a real (pseudo) terminal.

Without keys to read, `watch` shows its picture and not the app.
"""

import io
import re
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

if sys.platform != "linux":
    pytest.skip("needs the pseudo-terminals of Linux", allow_module_level=True)


from tests.support.terminals import ESCAPES, exit_code, read_until, terminal
from twofold import Rules
from twofold.cli._app import watched_game
from twofold.cli.watch import Watched
from twofold.errors import PlayerError
from twofold.play.shared_game import SharedGame

PLAYERS = Path(__file__).parent.parent / "arena" / "players_for_tests.py"
SIMPLE = f"{PLAYERS}:Forgetful"
"""A player without kernels, which take a second to load."""


def test_the_picture_and_the_summary() -> None:
    arguments = ["watch", "greedy", "--seed", "3", "--moves-per-second", "400"]
    with terminal(*arguments, keys=False, COLORTERM="truecolor") as (process, main):
        text = read_until(main, "again: twofold watch greedy --seed 3")
        assert exit_code(process, main) == 0
    plain = ESCAPES.sub("", text)
    for part in ("score", "largest", "moves/s", "elapsed", "seed", "right", "Ctrl-C ends"):
        assert part in plain
    assert "\x1b[48;2;238;228;218m" in text or "48;2;238;228;218" in text  # the tile 2
    assert "score 3,872, largest tile 256, 318 moves, game over" in plain
    assert text.index("\x1b[?1049h") < text.index("\x1b[?1049l")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
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


def test_no_colour_where_none_is_wanted() -> None:
    arguments = ["watch", SIMPLE, "--seed", "3", "--moves-per-second", "400"]
    with terminal(*arguments, keys=False, NO_COLOR="1") as (process, main):
        text = read_until(main, "again: ")
        assert exit_code(process, main) == 0
    assert not re.search(r"\x1b\[[0-9;]*[34]8;[25];", text)
    assert "+--------+" in text


def test_a_dumb_terminal_gets_lines() -> None:
    with terminal("watch", SIMPLE, "--seed", "3", "--rules", "3x3", TERM="dumb") as (process, main):
        text = read_until(main, "again: ")
        assert exit_code(process, main) == 0
    assert "\x1b" not in text
    assert "\r" not in text.replace("\r\n", "")
    assert "game over" in text


def test_an_analysis_improves_until_ctrl_c() -> None:
    board = "0012/0013/0024/1357"
    arguments = ["analyse", board, "--player", "expectimax:ply=1", "--ply", "12"]
    with terminal(*arguments) as (process, main):
        shown = read_until(main, "plies: ")
        process.send_signal(signal.SIGINT)
        text = read_until(main, "interrupted: this is the best answer so far")
        assert exit_code(process, main) == 130
    assert "Ctrl-C ends it with" in shown + text
    assert "Traceback" not in text
    final = ESCAPES.sub("", text)
    assert final.count("player     expectimax:ply=1") >= 1


class Terminal(io.StringIO):
    """A stdout that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    for name, value in (("TERM", "xterm-256color"), ("COLUMNS", "80"), ("LINES", "24")):
        monkeypatch.setenv(name, value)
    return Terminal()


def test_the_whole_game_is_drawn(screen: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slowly, until a picture of the game going on has been drawn."""
    shared: list[SharedGame] = []
    write = screen.write

    def started(*arguments: Any) -> SharedGame:
        shared.append(watched_game(*arguments))
        return shared[0]

    def written(text: str) -> int:
        if "Ctrl-C ends" in text:
            shared[0].set_pace(None)
        return write(text)

    monkeypatch.setattr("twofold.cli.watch.watched_game", started)
    monkeypatch.setattr(screen, "write", written)
    monkeypatch.setattr(sys, "stdout", screen)
    watched = Watched("corner", Rules.parse("3x3 goal=32"), 5, 2.0, None)
    frame = watched.show_live(threading.Event())
    assert watched.game.is_finished
    assert frame.board == watched.game.board
    assert "Ctrl-C ends" in screen.getvalue()


def test_it_ends_when_it_is_asked_to(screen: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", screen)
    watched = Watched("corner", Rules(), 5, 5.0, None)
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    frame = watched.show_live(stop)
    assert not watched.game.is_finished
    assert frame.move_number < 20


def test_what_the_player_raises_reaches_the_one_who_watches(
    screen: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", screen)
    watched = Watched(f"{PLAYERS}:illegal", Rules(), 1, None, None)
    with pytest.raises(PlayerError, match="expected a legal move"):
        watched.show_live(threading.Event())
