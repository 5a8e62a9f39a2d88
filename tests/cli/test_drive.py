"""`twofold drive`."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.cli.stage import HANG_SECONDS
from tests.support.commands import Cli
from tests.support.documents import check_document
from tests.support.signals import hear_signals
from twofold import Board, Move
from twofold.cli import drive
from twofold.cli.browser import find_browser
from twofold.game.record import read_record
from twofold.players import PlayerSpec

URL = "http://127.0.0.1:1/"


@pytest.mark.parametrize(
    ("option", "fault"),
    [
        (
            ["--attach", "1"],
            "a browser to listen at 'http://127.0.0.1:1', but no program answers at this address\n",
        ),
        (["--browser", "/no/such/browser"], "the browser to start, got "),
    ],
)
def test_a_browser_that_is_not_there_is_reported(cli: Cli, option: list[str], fault: str) -> None:
    code, out, err = cli("drive", URL, *option)
    assert (code, out) == (1, "")
    assert err.startswith(f"twofold: expected {fault}")


def test_a_game_in_a_browser_of_its_own(cli: Cli, site: str, tmp_path: Path) -> None:
    path = tmp_path / "game.2048"
    words = ["--player", "greedy", "--headless", "--record", str(path)]
    code, out, err = cli("drive", f"{site}/original.html?seed=3&size=2&token=secret", *words)
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0] == "found a game of the kind original, read from the saved game"
    assert any(line.endswith(" moves, no move is left") for line in lines)
    assert lines[-1] == f"written to {path}"
    record = read_record(path)
    assert (record.seed, record.player) == (None, "greedy")
    assert f"score {record.score:,}, largest tile " in out
    assert record.tags["Page"] == f"{site}/original.html"
    assert record.tags["Adapter"] == "original"
    assert "secret" not in path.read_text()


def test_a_failure_keeps_what_was_played(cli: Cli, site: str, tmp_path: Path) -> None:
    path = tmp_path / "game.2048"
    words = ["--player", "greedy", "--headless", "--patience", "100ms", "--record", str(path)]
    code, out, err = cli("drive", f"{site}/original.html?seed=3&deaf=4", *words, "--json")
    assert code == 1
    assert "expected the board to change" in err
    found = check_document("drive", out)
    assert found["moves"] == 3
    assert found["ended"] == "stopped by an error"
    assert found["timing"]["moves_per_second"] > 0
    assert len(read_record(path).moves) == 3


def test_a_terminal_shows_progress(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def show() -> None:
        task = asyncio.create_task(driver.show_progress())
        await asyncio.sleep(0.05)
        assert "move" not in capsys.readouterr().err
        driver.follower.begin(Board.parse("1100/0000/0000/0000"), 100)
        driver.follower.follow(Board.parse("2000/0000/0000/0001"), None, Move.LEFT)
        await asyncio.sleep(0.3)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(drive, "REFRESH_SECONDS", 0.01)
    driver = drive.Driver()
    asyncio.run(show())
    assert "move 1  score 104  largest 4  0 moves/s" in capsys.readouterr().err


def test_the_summary_says_what_came_in_between(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "game.2048"
    driver = drive.Driver(spec=PlayerSpec.parse("greedy"))
    driver.popups, driver.ending = ["notice"], "interrupted"
    driver.follower.begin(Board.parse("1000/0000/0000/0001"), None)
    driver.follower.begin(Board.parse("1100/0000/0000/0000"), None)
    drive.finish(driver, URL, path)
    assert capsys.readouterr().out == (
        "score 0, largest tile 2, 0 moves, interrupted (the page shows no score: it is counted "
        "from its first board)\n0.0 s, 0 moves/s, player greedy\n"
        "1 change of the board that no single move explains; the record begins after the last "
        "such change\nclosed 1 popup\nno move was seen: nothing to record\n"
    )
    assert not path.exists()


# ---- a browser that runs already


@contextmanager
def running_browser(folder: Path, url: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A running browser with a page open, and its port."""
    words = [find_browser(headless=True), "--headless", "--no-sandbox", "--disable-dev-shm-usage"]
    words += ["--remote-debugging-port=0", f"--user-data-dir={folder}", url]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(words, stdout=quiet, stderr=quiet, start_new_session=True) as process:
        try:
            yield process, _port(folder / "DevToolsActivePort")
        finally:
            process.terminate()
            process.wait(HANG_SECONDS)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # processes that it started may go on


def _port(path: Path) -> str:
    _wait_until(lambda: path.exists() and "\n" in path.read_text())
    return path.read_text().splitlines()[0]


def test_a_running_browser_is_used_and_left_as_it_is(cli: Cli, site: str, tmp_path: Path) -> None:
    url = f"{site}/original.html?seed=3"
    with running_browser(tmp_path / "profile", url) as (process, port):
        words = ["--attach", port, "--player", "greedy", "--stop-at", "16", "--moves-per-second"]
        code, out, _ = cli("drive", url, *words, "100")
        assert code == 0
        assert "the tile 16 is reached" in out
        assert process.poll() is None
        code, out, err = cli("drive", URL, "--attach", port)  # no such tab: in a new one
        assert (code, out) == (1, "")
        assert err == f"twofold: expected the page '{URL}' to open, but unsafe port\n"
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
            tabs = json.loads(answer.read())
    assert url in [tab["url"] for tab in tabs if tab["type"] == "page"]


# ---- Ctrl-C

PLAYER = """
import pathlib
import time
from twofold import Player


class Slow(Player):
    def choose(self, board, *, score=None, move_number=0):
        if move_number == 3:
            pathlib.Path({moved!r}).touch()
            time.sleep(0.5)
        return board.legal_moves()[0]
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc to look for processes")
def test_ctrl_c_keeps_the_game_and_closes_the_browser(site: str, tmp_path: Path) -> None:
    path, player, moved = (tmp_path / name for name in ("game.2048", "player.py", "moved"))
    player.write_text(PLAYER.format(moved=str(moved)))
    words = [sys.executable, "-m", "twofold", "drive", f"{site}/original.html?seed=3"]
    words += ["--headless", "--player", f"{player}:Slow", "--record", str(path)]
    mark = str(uuid.uuid4())
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TWOFOLD_MARK": mark}
    with subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
        preexec_fn=hear_signals,
    ) as process:
        _wait_until(moved.exists)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        out, err = process.communicate(timeout=HANG_SECONDS)
    assert process.returncode == 130, err
    assert "moves, interrupted" in out
    assert len(read_record(path).moves) >= 3
    assert "Traceback" not in err
    assert "never retrieved" not in err
    _wait_until(lambda: _is_gone(mark))


def _wait_until(condition: Callable[[], bool]) -> None:
    due = time.monotonic() + HANG_SECONDS
    while not condition():
        assert time.monotonic() < due
        time.sleep(0.02)


def _is_gone(mark: str) -> bool:
    """True if no process has the mark in its environment."""
    return not any(_has(path, mark) for path in Path("/proc").glob("[0-9]*/environ"))


def _has(path: Path, mark: str) -> bool:
    try:
        return mark.encode() in path.read_bytes()
    except OSError:
        return False
