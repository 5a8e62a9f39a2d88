"""The commands in a pseudo terminal: app and pictures open, take keys, restore the terminal."""

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
PLAYERS = Path(__file__).parent.parent / "arena" / "players_for_tests.py"
SIMPLE = f"{PLAYERS}:Forgetful"
"""A player without kernels, which take a second to load."""


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


def test_without_the_app_textual_is_not_imported(tmp_path: Path) -> None:
    """Nor Numba, to play."""
    code = """
import sys, twofold.cli
for words in ("play --seed 1", "watch corner --plain --seed 1"):
    try:
        twofold.cli.main(words.split())
    except SystemExit:
        assert "textual" not in sys.modules
    assert words.startswith("watch") or "numba" not in sys.modules
print("done")
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        input="l\nquit\n",
        capture_output=True,
        text=True,
        env=os.environ | {"TWOFOLD_STATE_DIR": str(tmp_path)},
        timeout=120,
    )
    assert done.stdout.endswith("done\n"), done.stderr


# ---- live pictures: without keys to read, `watch` shows its picture and not the app


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


def test_ctrl_c_ends_with_the_summary_so_far() -> None:
    """The terminal is left in order."""
    arguments = ["watch", SIMPLE, "--seed", "3", "--moves-per-second", "20"]
    with terminal(*arguments, keys=False) as (process, main):
        text = read_until(main, "Ctrl-C ends")
        process.send_signal(signal.SIGINT)
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
    arguments = [
        "analyse",
        "0012/0013/0024/1357",
        "--player",
        "expectimax:ply=1",
        "--ply",
        "12",
        "--time",
        "100s",
    ]
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
