"""The player that is another program: games, analyses, and programs that break the protocol."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.players.engines import ALONE, EXAMPLE, is_alive, rogue, wait_until_gone
from twofold import Board, Budget, Rules, make_player
from twofold.errors import InvalidSpec, PlayerError, UnsupportedRules
from twofold.players import canonical, short_spec
from twofold.players.engine import client
from twofold.players.engine.client import Dialogue, EngineLost, EnginePlayer
from twofold.players.engine.lines import Info, SetPosition, hash_of_files
from twofold.search.budget import Stop

BOARD = Board.parse("0012/0013/0024/1357")
posix = pytest.mark.skipif(os.name != "posix", reason="processes are looked at as POSIX has them")


# Options, limits; tests/players/test_contract.py has its games


def test_limits_and_options_are_sent() -> None:
    options = {"depth": "4", "style": "wild", "motto": "to be, or"}
    budget = Budget(ply=3, nodes=500)
    with EnginePlayer(rogue("options"), budget, options=options) as player:
        assert player.reproducible
        thoughts = player._thoughts(SetPosition(BOARD), budget)
        said = [answer.text for answer in thoughts if isinstance(answer, Info)]
    assert said == ["depth 4 style wild motto to be, or ply 3 nodes 500"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"speed": "1"}, r"expected an option of the engine \(depth, style, motto\)"),
        ({"depth": "10"}, "expected options that the engine can take: at most 9"),
    ],
)
def test_options_are_checked(options: dict[str, str], says: str) -> None:
    player = EnginePlayer(rogue("options"), options=options)
    with player, pytest.raises(InvalidSpec, match=says):
        player.start(Rules(), 1)


@pytest.mark.parametrize(
    ("mode", "says"),
    [
        ("bad-info", "expected depth as a whole number, got 'deep', got 'info depth deep'"),
        ("partial-info", "expected values of all legal moves in info, got u"),
    ],
)
def test_info_that_cannot_be_used_is_passed_over_and_noted_once(
    mode: str, says: str, caplog: pytest.LogCaptureFixture
) -> None:
    legal = BOARD.legal_moves()
    with EnginePlayer(rogue(mode)) as player:
        for _ in range(2):
            analysis = player.analyse(BOARD)
            assert analysis.best is legal[0]
            values = {one.value for one in analysis.moves if one.legal}
            assert values == ({1.0, 2.0} if mode == "bad-info" else {None})
    (note,) = [record.getMessage() for record in caplog.records]
    assert note.startswith("the engine '")
    assert note.endswith(f"rogue_engine.py {mode}': {says}")


# Programs that break the protocol: each ends in one sentence and leaves no process


HELLO = "expected u2048ok .* in reply to 'u2048', got"
BREAKS = {
    # at the beginning
    "silent": f"{HELLO} nothing for 0.5 s$",
    "mumbles": f"{HELLO} nothing for 0.5 s$",
    "names-itself": f"{HELLO} nothing for 0.5 s$",
    "dies-at-once": "expected (u2048ok|an answer) from the engine '.* in reply to 'u2048', "
    "got its end with exit code 3; its stderr ends with: no such weights",
    "unfriendly": "expected u2048ok .* got error no",
    "many-options": "got more than 200 options",
    "bad-option": "expected u2048ok .*expected an option's name .* got 'Depth'",
    "babbles": "got more than 500 lines",
    # instead of a move
    "mute": r"expected a bestmove .* got nothing for 1 s",
    "stubborn": "got nothing for 1 s",
    "stops-itself": "nothing for 1 s",
    "crash": r"exit code 3; its stderr ends with: .*ZeroDivisionError: boom",
    "signal": r"got its end by SIGTERM",
    "leaves-child": "its end with exit code 0",
    "unended": "its end with exit code 0",
    "closes": "the end of its output",
    "error": "got error: not today",
    "illegal": r"expected a legal move \(.*\) .* in reply to 'position .*, go', got bestmove",
    "none": r"expected a legal move \(.*\) .* got bestmove none",
    "garbage": "expected a bestmove .* got 'bestmove sideways' .expected a move u, r, d or l",
    "not-utf8-move": r"'bestmove \\ufffd\\ufffd\\ufffd\\x00' .expected a move",
    "megabyte": "got a line of more than 10000 bytes: b'info string xxx",
    "flood": "got more than 500 lines",
    # more than was asked for
    "eager": "expected readyok .* got bestmove u$",
    "early": "expected readyok .* got bestmove u$",
    "twice": "expected readyok .* got bestmove .$",
    # what does not matter
    "noisy": "",
    "not-utf8": "",
    "child": "",
    "immortal": "",
    "grumbles": "",
}
"""Programs that break the protocol or try to survive; the expected error, if any."""

TIMEOUTS = {"silent": 0.5, "mumbles": 0.5, "names-itself": 0.5, "mute": 1.0, "stubborn": 1.0}
TIMEOUTS |= {"stops-itself": 1.0}


@pytest.mark.promise("R33")
@posix
@pytest.mark.parametrize("mode", BREAKS)
def test_a_program_that_breaks_the_protocol_ends_in_one_sentence_and_leaves_no_process(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, figure: Callable[[str], None]
) -> None:
    monkeypatch.setattr(client, "RESTARTS", 0)
    monkeypatch.setattr(client, "QUIT_SECONDS", 0.2)
    monkeypatch.setattr(client, "MAX_ENGINE_LINES", 10**9 if mode == "names-itself" else 500)
    file = tmp_path / "processes"
    said, threads = "", set(threading.enumerate())
    with EnginePlayer(rogue(mode, file), timeout=TIMEOUTS.get(mode, 60.0)) as player:
        try:
            for _ in range(2):
                player.analyse(BOARD)
                assert player.choose(BOARD) in BOARD.legal_moves()
        except PlayerError as error:
            said = str(error)
    assert bool(said) is bool(BREAKS[mode]), said
    assert re.search(BREAKS[mode], said)
    assert said.isprintable()
    assert len(said) < 800
    assert not said or "the engine '" in said
    wait_until_gone([int(word) for word in file.read_text().split()] if file.exists() else [])
    assert set(threading.enumerate()) <= threads
    figure(f"{mode}: one sentence" if said else f"{mode}: none left")


@pytest.mark.promise("R33")
@pytest.mark.parametrize(("mode", "timeout"), [("crash-once", 60.0), ("hang-once", 2.0)])
def test_a_lost_engine_is_restarted(mode: str, timeout: float, tmp_path: Path) -> None:
    with EnginePlayer(rogue(mode, tmp_path / "seen"), timeout=timeout) as player:
        player.start(Rules(), 1)
        assert player.choose(BOARD) in BOARD.legal_moves()
        assert len(player.faults) == 1


def test_restarts_are_counted_for_each_game() -> None:
    with EnginePlayer(rogue("crash")) as player:
        for _ in range(2):
            player.start(Rules(), 1)
            assert player.faults == []
            with pytest.raises(PlayerError, match="after 3 restarts"):
                player.choose(BOARD)
            assert len(player.faults) == 3


def test_the_time_limit_of_a_move_adds_to_the_timeout() -> None:
    with EnginePlayer(rogue("late"), Budget(seconds=60.0)) as player:
        player.start(Rules(), 1)
        player.timeout = 0.01  # the answer comes 0.4 s after the question
        assert player.choose(BOARD) in BOARD.legal_moves()
        assert player.faults == []


def test_rules_that_the_program_refuses_are_named() -> None:
    player = EnginePlayer(rogue("no-games"))
    with player, pytest.raises(UnsupportedRules, match=r"can play, got 4x4 .*no games today"):
        player.start(Rules(), 1)


def test_an_engine_that_does_not_read_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "WRITE_SECONDS", 0.2)
    deaf = Dialogue([*ALONE, "-c", "import time; time.sleep(60)"])
    with pytest.raises(PlayerError, match=r"read nothing for 0.2 s"):
        deaf.say_lines(["x" * 1_000] * 1_000)
    deaf.kill()
    with pytest.raises(EngineLost):
        deaf.say_lines(["more"])


# Stopping


@pytest.mark.parametrize("mode", ["good", "thinks"])
def test_a_flag_ends_the_search(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "STOP_SECONDS", 60.0)
    stop = Stop()
    with EnginePlayer(rogue(mode)) as player:
        player.start(Rules(), 1)
        timer = threading.Timer(0.05, stop.raise_flag)
        timer.start()
        analysis = player.analyse(BOARD, Budget(seconds=50.0), stop=stop)
        timer.join()
    assert analysis.best in BOARD.legal_moves()
    assert not analysis.reproducible


def test_an_engine_that_ignores_stop_is_abandoned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "STOP_SECONDS", 0.3)
    stop = Stop()
    stop.raise_flag()
    with EnginePlayer(rogue("mute")) as player:
        with pytest.raises(PlayerError, match=r"got nothing for 0.3 s"):
            player.analyse(BOARD, Budget(seconds=50.0), stop=stop)
        player._thoughts(SetPosition(BOARD), Budget()).close()  # type: ignore[attr-defined]


def test_a_silent_engine_is_named_long_before_it_is_given_up(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(client, "RESTARTS", 0)
    with EnginePlayer(rogue("mute")) as player:
        player.start(Rules(), 1)  # its handshake may be slow on a busy machine
        monkeypatch.setattr(client, "NOTE_SECONDS", 0.1)
        player.timeout = 1.0
        with pytest.raises(PlayerError, match="nothing for 1 s"):
            player.analyse(BOARD, stop=Stop())
    (note,) = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
    assert re.fullmatch(r"the engine '.*': no bestmove yet; waiting for up to 1 s", note)


def test_a_stream_can_be_abandoned() -> None:
    with EnginePlayer(rogue("deep-info")) as player:
        player.start(Rules(), 1)
        thoughts = player._thoughts(SetPosition(BOARD), Budget())
        next(thoughts)
        thoughts.close()  # type: ignore[attr-defined]
        assert player.choose(BOARD) in BOARD.legal_moves()


# Nothing is left behind, wherever twofold ends


@pytest.mark.promise("R33")
@posix
@pytest.mark.parametrize("end", ["killed", "collected"])
def test_a_process_that_ends_leaves_no_program(end: str, tmp_path: Path) -> None:
    """As the arena kills a worker whose game takes too long: the engine's input ends."""
    file = tmp_path / "processes"
    script = f"""
        from twofold import Board
        from twofold.players.engine.client import EnginePlayer
        player = EnginePlayer({rogue("waits" if end == "killed" else "noted", file)!r})
        player.choose(Board.parse({str(BOARD)!r}))
    """
    words = [sys.executable, "-W", "error", "-c", textwrap.dedent(script)]
    with subprocess.Popen(words, stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 60.0
        while not (file.exists() and file.read_text().endswith("\n")):
            assert time.monotonic() < until
        if end == "killed":
            assert all(map(is_alive, map(int, file.read_text().split())))
            process.kill()
        assert process.communicate()[1] == b""
    wait_until_gone([int(word) for word in file.read_text().split()])


# Specs


def test_the_canonical_spec_says_what_is_run(tmp_path: Path) -> None:
    path = Path(shutil.copy(EXAMPLE, tmp_path / "mine.py"))
    words = [*ALONE, str(path)]
    spec = canonical(f"engine:cmd={' '.join(words)},ply=02,time=50ms")
    assert f"cmd_sha256={hash_of_files(words)}" in spec
    assert spec.endswith(',nodes=none,options="",ply=2,time=0.05,timeout=60')
    assert canonical(spec) == spec
    assert not make_player(spec).reproducible
    assert short_spec(spec) == f"engine:cmd={' '.join(words)},ply=2,time=0.05"
    path.write_text(EXAMPLE.read_text() + "# changed\n")
    with pytest.raises(InvalidSpec, match=r"the file of cmd_sha256=.* has changed"):
        make_player(spec)
    assert hash_of_files(["python", "-m", "my_engine"]) == ""
    assert hash_of_files(["python", str(path)]) != hash_of_files([str(path)] * 2)
    with pytest.raises(InvalidSpec, match="a program that can be run, got 'no-such-thing'"):
        make_player("engine:cmd=no-such-thing --fast").start(Rules(), 1)
