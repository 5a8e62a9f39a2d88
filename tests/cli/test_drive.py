"""`twofold drive`."""

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.stage import HANG_SECONDS, Stage
from tests.support.commands import Cli
from tests.support.documents import check_document
from tests.support.signals import hear_signals
from twofold import Board
from twofold.cli import drive
from twofold.cli.browser import ORIGINAL, GamePage, Sight
from twofold.game.record import read_record
from twofold.players import PlayerSpec

URL = "http://127.0.0.1:1/"


@pytest.mark.parametrize(
    ("option", "code", "fault"),
    [
        ("--attach 1", 1, "a browser to listen at 'http://127.0.0.1:1', but no program answers at"),
        ("--browser /bin/false", 1, "the browser to start, got "),
        ("--browser foo", 2, "a program that can be run as --browser, got 'foo'\n"),
    ],
)
def test_a_browser_that_is_not_there_is_reported(
    cli: Cli, option: str, code: int, fault: str
) -> None:
    found = cli("drive", URL, *option.split())
    assert (found.code, found.out) == (code, "")
    assert found.err.startswith(f"twofold: expected {fault}")


def test_a_game_in_a_browser_of_its_own(cli: Cli, site: str, tmp_path: Path) -> None:
    path = tmp_path / "game.2048"
    words = ["--player", "greedy", "--headless", "--record", str(path)]
    code, out, err = cli("drive", f"{site}/original.html?seed=3&size=2&token=secret", *words)
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0] == "found a game of the kind original"
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


def test_the_summary_says_what_came_in_between(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "game.2048"
    page = GamePage(Any, ORIGINAL)  # type: ignore[arg-type]
    page.sight = Sight(Board.parse("1000/0000/0000/0001"))
    driver = drive.Driver(page, PlayerSpec.parse("greedy"))
    page.popups, driver.follower.breaks = ["notice"], 1
    assert driver.progress() == "move 0  score 0  largest 2  0 moves/s"
    drive.finish(driver, URL, path)
    assert capsys.readouterr().out == (
        "score 0, largest tile 2, 0 moves, interrupted (the page shows no score: it is counted "
        "from its first board)\n0.0 s, 0 moves/s, player greedy\n"
        "1 change of the board that no single move explains; the record begins after the last "
        "such change\nclosed 1 popup\nno move was seen: nothing to record\n"
    )
    assert not path.exists()


def test_a_running_browser_is_used_and_left_as_it_is(cli: Cli, stage: Stage) -> None:
    async def shown() -> list[str]:
        async with stage.page("original.html?seed=3") as page:
            return [tab.url for tab in page.context.pages]

    (url,) = stage.run(shown())
    words = ["--attach", stage.port, "--player", "greedy", "--stop-at", "16", "--moves-per-second"]
    code, out, err = cli("drive", url, *words, "100")
    assert (code, err) == (0, "")
    assert "the tile 16 is reached" in out
    code, out, err = cli("drive", URL, "--attach", stage.port)  # no such tab: in a new one
    assert (code, out) == (1, "")
    assert (
        err
        == f"twofold: expected the page '{URL}' to open, but browsers block its port as unsafe\n"
    )
    assert stage.run(shown()) == [url]


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
