"""The commands in a pseudo terminal: the app opens, takes keys, and restores the terminal."""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("needs the pseudo-terminals of Linux", allow_module_level=True)

from tests.support.commands import write_game
from tests.support.terminals import ESCAPES, exit_code, read_until, terminal
from twofold import Move, Record
from twofold.game.record import read_record
from twofold.games.store import GameStore

LEFT, DOWN = b"\x1b[D", b"\x1b[B"


def saved_in(folder: Path) -> Record:
    """The only saved game of a user whose data are in the folder."""
    with closing(GameStore(folder / "games")) as store:
        (kept,) = store.games()
        return store.read(kept.info.game).record


def test_play_takes_keys_and_ctrl_c_saves(tmp_path: Path) -> None:
    state = str(tmp_path)
    with terminal("play", "--seed", "1", TWOFOLD_STATE_DIR=state) as (process, main):
        text = read_until(main, "arrows")
        os.write(main, b"\xe9" + LEFT + b"s")  # a byte that is not UTF-8 is ignored
        text += read_until(main, "down: +4")
        os.write(main, b"\x03")
        text += read_until(main, "continue with: twofold play --resume")
        assert exit_code(process, main) == 130
    assert "Traceback" not in text
    assert text.index("\x1b[?1049h") < text.rindex("\x1b[?1049l")
    assert saved_in(tmp_path).moves == (Move.LEFT, Move.DOWN)


def test_watch_leaves_with_a_summary(tmp_path: Path) -> None:
    arguments = ["watch", "greedy", "--seed", "3", "--rules", "2x2"]
    record = tmp_path / "game.2048"
    with terminal(*arguments, "--record", str(record), COLORTERM="truecolor") as (process, main):
        text = read_until(main, "game over")
        os.write(main, b"q")
        text += read_until(main, "again: twofold watch greedy --seed 3 --rules ")
        assert exit_code(process, main) == 0
    assert "48;2;247;240;228" in text  # the tile 2
    plain = ESCAPES.sub("", text)
    assert re.search(r"game over: \d+ points", plain)
    kept = read_record(record)
    assert f"score {kept.score}, largest tile" in plain
    assert f"{len(kept.moves)} moves, game over" in plain
    assert kept.player == "greedy"


def test_a_signal_ends_it_as_ctrl_c_does(tmp_path: Path) -> None:
    with terminal("play", "--seed", "1", TWOFOLD_STATE_DIR=str(tmp_path)) as (process, main):
        read_until(main, "arrows")
        os.write(main, LEFT)
        read_until(main, "left")
        process.terminate()
        read_until(main, "continue with")
        assert exit_code(process, main) == 130


def test_review_walks(tmp_path: Path) -> None:
    write_game(tmp_path / "game.2048", 60)
    arguments = ["review", str(tmp_path / "game.2048"), "--walk", "--player", "greedy"]
    with terminal(*arguments) as (process, main):
        read_until(main, "accuracy")
        os.write(main, b"\x1b[F")
        read_until(main, "is not over")
        os.write(main, b"q")
        assert exit_code(process, main) == 0


def wait_until_asleep(pid: int) -> None:
    """Until it waits for a line: between prompt and wait Python handles no signal."""
    while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "S":
        time.sleep(0.01)


def test_the_game_in_text_is_saved_when_the_terminal_is_closed(tmp_path: Path) -> None:
    arguments = ["play", "--plain", "--seed", "1"]
    with terminal(*arguments, TWOFOLD_STATE_DIR=str(tmp_path)) as (process, main):
        text = read_until(main, "> ")
        os.write(main, b"l d\n")
        text += read_until(main, "move 2")
        assert "\x1b[?1049h" not in text
        wait_until_asleep(process.pid)
        process.send_signal(signal.SIGHUP)
        read_until(main, "continue with")
        assert exit_code(process, main) == 130
    assert saved_in(tmp_path).moves == (Move.LEFT, Move.DOWN)


@pytest.mark.parametrize("command", ["play", "watch corner --plain"])
def test_without_the_app_textual_is_not_imported(command: str, tmp_path: Path) -> None:
    words = [*command.split(), "--seed", "1"]
    code = (
        "import sys, twofold.cli\n"
        f"try: twofold.cli.main({words!r})\n"
        "except SystemExit: pass\n"
        "assert 'textual' not in sys.modules\n"
        f"assert {command.startswith('watch')} or 'numba' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input="l\nquit\n",
        capture_output=True,
        text=True,
        env=os.environ | {"TWOFOLD_STATE_DIR": str(tmp_path)},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
