"""The player that is another program: games, analyses, and programs that break the protocol."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.engine.engines import (
    ALONE,
    EXAMPLE,
    EXAMPLE_SPEC,
    EXAMPLE_WORDS,
    is_alive,
    rogue,
    wait_until_gone,
)
from twofold import Board, Budget, Move, Rules, make_player
from twofold.errors import GameOver, InvalidInput, InvalidSpec, PlayerError, UnsupportedRules
from twofold.players import canonical, play_game, short_spec
from twofold.players.engine import client as engine_dialogue
from twofold.players.engine import client as engine_module
from twofold.players.engine.client import EnginePlayer
from twofold.players.engine.lines import (
    Info,
    SetPosition,
    hash_of_files,
    parse_command_words,
    parse_option_words,
)
from twofold.players.engine.process import EngineEnded, EngineOverflow, EngineProcess
from twofold.search.budget import Stop

BOARD = Board.parse("0012/0013/0024/1357")
SMALL = Rules.parse("4x4 goal=32 stop=goal")


@pytest.fixture(scope="module")
def example() -> Iterator[EnginePlayer]:
    with EnginePlayer(EXAMPLE_WORDS) as player:
        yield player


def greedy_move(board: Board) -> Move:
    """The move of the example."""

    def worth(move: Move) -> int:
        after, reward = board.slide(move)
        return reward + 10 * len(after.empty_cells)

    return max(board.legal_moves(), key=worth)


# Games and analyses


def test_plays_a_game_as_the_program_says(example: EnginePlayer) -> None:
    result = play_game(example, SMALL, 3, keep_moves=True)
    assert result is not None
    assert result.moves > 5
    again = play_game(example, SMALL, 3, keep_moves=True)
    assert again is not None
    assert again.letters == result.letters
    assert example.choose(BOARD, score=100, move_number=7) is greedy_move(BOARD)
    assert example.reproducible
    assert not example.compiled


def test_an_analysis_has_the_values_that_the_program_said(example: EnginePlayer) -> None:
    analysis = example.analyse(BOARD, score=5)
    assert analysis.best is greedy_move(BOARD)
    assert (analysis.unit, analysis.depth) == ("points", "1 ply")
    for one in analysis.moves:
        if one.legal:
            after, reward = BOARD.slide(one.move)
            assert one.value == reward + 10 * len(after.empty_cells)
    assert analysis.reproducible
    assert not example.analyse(BOARD, Budget(seconds=1.0)).reproducible


def test_a_dead_board_is_refused_without_the_engine(example: EnginePlayer) -> None:
    for ask in (example.choose, example.analyse):
        with pytest.raises(GameOver):
            ask(Board.parse("1212/2121/1212/2121"))


def test_other_shapes_are_refused_by_name(example: EnginePlayer) -> None:
    with pytest.raises(UnsupportedRules, match="expected boards of 4x4 for "):
        example.start(Rules(3, 3), 1)
    with pytest.raises(UnsupportedRules):
        example.choose(Board.parse("3x3:123/000/000"))
    assert example.choose(BOARD) in BOARD.legal_moves()


def test_a_closed_player_can_be_used_again() -> None:
    player = EnginePlayer(EXAMPLE_WORDS)
    player.close()
    first = player.choose(BOARD)
    player.close()
    player.close()
    assert player.choose(BOARD) is first
    player.close()


def test_limits_and_options_are_sent() -> None:
    options = {"depth": "4", "style": "wild", "motto": "to be, or"}
    words = rogue("options")
    with EnginePlayer(words, Budget(ply=3, nodes=500), options=options) as player:
        said = [
            answer.text
            for answer in player._thoughts(SetPosition(BOARD), Budget(ply=3, nodes=500))
            if isinstance(answer, Info)
        ]
        assert said == ["depth 4 style wild motto to be, or ply 3 nodes 500"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"speed": "1"}, r"expected an option of the engine \(depth, style, loud, motto\)"),
        ({"depth": "10"}, "expected a whole number from 1 to 9 for the option depth, got '10'"),
        ({"style": "odd"}, "expected one of 'calm, wild' for the option style, got 'odd'"),
        ({"loud": "yes"}, "expected true or false for the option loud, got 'yes'"),
    ],
)
def test_options_are_checked(options: dict[str, str], says: str) -> None:
    with (
        EnginePlayer(rogue("options"), options=options) as player,
        pytest.raises(InvalidSpec, match=says),
    ):
        player.start(Rules(), 1)


def test_unknown_words_are_ignored() -> None:
    for mode in ("noisy", "binary"):
        with EnginePlayer(rogue(mode)) as player:
            assert player.choose(BOARD) in BOARD.legal_moves()


# Programs that break the protocol


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorter time limits for engines that do not stop."""
    monkeypatch.setattr(engine_module, "STOP_SECONDS", 0.3)


def play_a_little(player: EnginePlayer) -> None:
    player.start(Rules(), 1)
    for _ in range(2):
        player.analyse(BOARD)
        time.sleep(0.05)
        player.choose(BOARD)


TIMEOUTS = {"silent": 0.5, "mumbles": 0.5, "mute": 1.0}


@pytest.mark.promise("R33")
@pytest.mark.parametrize(
    ("mode", "says"),
    [
        ("silent", "expected u2048ok .* in reply to 'u2048', got nothing for 0.5 s$"),
        ("mumbles", "expected u2048ok .* in reply to 'u2048', got nothing for 0.5 s$"),
        ("dies-at-once", "got its end with exit code 3; its stderr ends with: no such weights"),
        ("unfriendly", "expected u2048ok .* got error no"),
        ("many-options", "got more than 200 options"),
        ("bad-option", "expected u2048ok .*expected a whole number from 8 to 9 .* got '7' as its"),
        ("mute", r"expected a bestmove .* got nothing for 1 s \(after 3 restarts\)"),
        (
            "crash",
            r"exit code 3; its stderr ends with: .*ZeroDivisionError: boom \(after 1 restart",
        ),
        ("signal", r"got its end by SIGTERM \(after 1 restarts\)"),
        ("illegal", r"expected a legal move \(.*\) .* in reply to 'position .*, go', got bestmove"),
        ("none", r"expected a legal move \(.*\) .* got bestmove none"),
        ("garbage", "expected a bestmove .* got 'bestmove sideways' .expected a move u, r, d or l"),
        ("megabyte", "got a line of more than 10000 bytes: b'info string xxx"),
        ("flood", "got more than 2000 lines"),
        ("error", "got error: not today"),
        ("early", "expected no line before a command|expected one bestmove"),
        ("twice", "expected one bestmove .* got another one, bestmove"),
    ],
)
def test_a_program_that_breaks_the_protocol_ends_in_one_sentence(
    mode: str, says: str, monkeypatch: pytest.MonkeyPatch, figure: Callable[[str], None]
) -> None:
    monkeypatch.setattr(engine_dialogue, "MAX_ENGINE_LINES", 2_000)
    if mode != "mute":
        monkeypatch.setattr(engine_module, "RESTARTS", 1)
    player = EnginePlayer(rogue(mode), timeout=TIMEOUTS.get(mode, 60.0))
    with player, pytest.raises(PlayerError, match=says) as caught:
        play_a_little(player)
    said = str(caught.value)
    assert said.isprintable()
    assert len(said) < 800
    assert "rogue_engine.py" in said
    figure(f"{mode}: one sentence")


def test_info_that_cannot_be_read_is_ignored_and_noted_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    legal = BOARD.legal_moves()
    with EnginePlayer(rogue("bad-info")) as player:
        for _ in range(2):
            analysis = player.analyse(BOARD)
            assert analysis.best is legal[0]
            assert {one.move: one.value for one in analysis.moves if one.legal} == {
                move: 1.0 if move is Move.UP else 2.0 for move in legal
            }
            assert (analysis.nodes, analysis.depth) == (5, "3 plies")
    notes = [record.getMessage() for record in caplog.records]
    assert all("rogue_engine.py bad-info': expected" in note for note in notes)
    assert [note.rpartition(": ")[2] for note in notes] == [
        "expected depth as a whole number, got 'deep'",
        "expected a value as a number, got 'd'",
        "expected time in milliseconds as a number, got 'depth'",
    ]


@pytest.mark.promise("R33")
@pytest.mark.parametrize(("mode", "timeout"), [("crash-once", 60.0), ("hang-once", 2.0)])
def test_a_lost_engine_is_restarted(mode: str, timeout: float, tmp_path: Path) -> None:
    with EnginePlayer(rogue(mode, tmp_path / "seen"), timeout=timeout) as player:
        player.start(Rules(), 1)
        assert player.choose(BOARD) in BOARD.legal_moves()
        assert len(player.faults) == 1
        player.start(Rules(), 2)
        assert player.faults == []


@pytest.mark.skipif(os.name != "posix", reason="processes are killed as POSIX has it")
def test_an_engine_that_ends_between_games_is_restarted() -> None:
    with EnginePlayer(EXAMPLE_WORDS) as player:
        player.start(Rules(), 1)
        assert player._dialogue is not None
        process = player._dialogue.process
        os.killpg(process._process.pid, signal.SIGKILL)
        process.wait(60.0)
        player.start(Rules(), 2)
        assert player.choose(BOARD) is greedy_move(BOARD)
        assert len(player.faults) == 1


def test_the_time_limit_of_a_move_adds_to_the_timeout() -> None:
    with EnginePlayer(rogue("late"), Budget(seconds=60.0)) as player:
        player.start(Rules(), 1)
        player.timeout = 0.01  # the answer comes 0.4 s after the question
        assert player.choose(BOARD) in BOARD.legal_moves()
        assert player.faults == []


def test_restarts_are_counted_for_each_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "RESTARTS", 1)
    with EnginePlayer(rogue("crash")) as player:
        for _ in range(2):
            player.start(Rules(), 1)
            with pytest.raises(PlayerError, match="after 1 restarts"):
                player.choose(BOARD)
            assert len(player.faults) == 1


def test_rules_that_the_program_refuses_are_named() -> None:
    with (
        EnginePlayer(rogue("no-games")) as player,
        pytest.raises(
            UnsupportedRules, match=r"expected rules .* can play, got 4x4 .*no games today"
        ),
    ):
        player.start(Rules(), 1)


def test_a_missing_program_is_refused() -> None:
    with pytest.raises(
        InvalidSpec, match="expected a program that can be run, got 'no-such-thing'"
    ):
        make_player("engine:cmd=no-such-thing --fast").start(Rules(), 1)


def test_an_engine_that_does_not_read_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twofold.players.engine.process.WRITE_SECONDS", 0.2)
    process = EngineProcess([*ALONE, "-c", "import time; time.sleep(60)"])
    with pytest.raises(EngineOverflow, match=r"read nothing for 0.2 s"):
        process.write(["x" * 1_000] * 1_000)
    process.kill()
    with pytest.raises(EngineEnded):
        process.write(["more"])


def test_a_program_that_does_not_end_is_ended() -> None:
    began = time.monotonic()
    player = EnginePlayer(rogue("stays"))
    player.choose(BOARD)
    player.close()
    assert 0.5 < time.monotonic() - began < 60


# Stopping


@pytest.mark.parametrize("mode", ["good", "late", "thinks"])
def test_a_flag_ends_the_search(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "STOP_SECONDS", 60.0)
    stop = Stop()
    with EnginePlayer(rogue(mode)) as player:
        player.start(Rules(), 1)
        timer = threading.Timer(0.05, stop.raise_flag)
        timer.start()
        analysis = player.analyse(BOARD, Budget(seconds=50.0), stop=stop)
        timer.join()
        assert analysis.best in BOARD.legal_moves()
        assert not analysis.reproducible


def test_an_engine_that_ignores_stop_is_abandoned(hasty: None) -> None:
    stop = Stop()
    stop.raise_flag()
    with (
        EnginePlayer(rogue("mute")) as player,
        pytest.raises(PlayerError, match=r"got nothing for 0.3 s"),
    ):
        player.analyse(BOARD, Budget(seconds=50.0), stop=stop)


@pytest.mark.parametrize("mode", ["good", "deep-info", "mute"])
def test_a_stream_can_be_abandoned(mode: str, hasty: None) -> None:
    with EnginePlayer(rogue(mode)) as player:
        player.start(Rules(), 1)
        thoughts = player._thoughts(SetPosition(BOARD), Budget())
        if mode != "mute":
            next(thoughts)
        thoughts.close()  # type: ignore[attr-defined]
        if mode != "mute":
            assert player.choose(BOARD) in BOARD.legal_moves()


# Nothing is left behind


@pytest.mark.promise("R33")
@pytest.mark.skipif(os.name != "posix", reason="processes are looked at as POSIX has them")
def test_closing_ends_all_that_the_program_has_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, "RESTARTS", 1)
    file = tmp_path / "processes"
    with (
        EnginePlayer(rogue("stubborn", file), timeout=1.0) as player,
        pytest.raises(PlayerError, match="after 1 restarts"),
    ):
        player.choose(BOARD)
    processes = [int(word) for word in file.read_text().split()]
    assert processes
    wait_until_gone(processes)


LEAVES = {
    "child": "",
    "immortal": "",
    "grumbles": "",
    "zombies": "",
    "not-utf8": "",
    "leaves-child": "its end with exit code 0",
    "stops-itself": "nothing for 1 s",
    "closes": "the end of its output",
    "unended": "its end with exit code 0",
    "not-utf8-move": r"'bestmove \\ufffd\\ufffd\\ufffd\\x00' .expected a move",
    "hungry": "exit code 1; its stderr ends with: .*MemoryError",
    "eager": "expected no line before a command|expected one bestmove",
    "babbles": "got more than 500 lines",
}
"""Programs that try to survive or to be misread; the expected error, if any."""


@pytest.mark.promise("R33")
@pytest.mark.skipif(os.name != "posix", reason="processes are looked at as POSIX has them")
@pytest.mark.parametrize("mode", LEAVES)
def test_misbehaving_programs_give_one_error_and_leave_no_process(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, "RESTARTS", 0)
    monkeypatch.setattr("twofold.players.engine.process.QUIT_SECONDS", 0.2)
    monkeypatch.setattr(engine_dialogue, "MAX_ENGINE_LINES", 500)
    file = tmp_path / "processes"
    silent = LEAVES[mode].startswith("nothing")
    player = EnginePlayer(rogue(mode, file), timeout=1.0 if silent else 60.0)
    said, threads = "", threading.active_count()
    with player:
        try:
            for _ in range(2):
                assert player.choose(BOARD) in BOARD.legal_moves()
        except PlayerError as error:
            said = str(error)
    assert bool(said) is bool(LEAVES[mode]), said
    assert re.search(LEAVES[mode], said)
    assert said.isprintable()
    assert len(said) < 800
    noted = [int(word) for word in file.read_text().split()] if file.exists() else []
    wait_until_gone(noted)
    assert threading.active_count() == threads, threading.enumerate()


@pytest.mark.promise("R33")
@pytest.mark.skipif(os.name != "posix", reason="terminals are those of POSIX")
def test_a_program_cannot_write_to_the_terminal_of_who_started_it(tmp_path: Path) -> None:
    import fcntl
    import termios

    file = tmp_path / "processes"
    script = f"""
        from twofold.players.engine.process import EngineProcess
        process = EngineProcess({rogue("terminal", file)!r})
        process.write(["u2048"])
        while process.read(60) != "u2048ok":
            pass
        process.close()
    """
    ours, theirs = os.openpty()
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        stdin=theirs, stderr=subprocess.PIPE, start_new_session=True, check=False,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), timeout=60,
    )  # fmt: skip
    os.write(theirs, b"nothing else\n")
    assert (done.returncode, done.stderr) == (0, b"")
    assert file.exists()
    assert os.read(ours, 100) == b"nothing else\r\n"
    os.close(ours)
    os.close(theirs)


@pytest.mark.promise("R33")
@pytest.mark.skipif(os.name != "posix", reason="processes are looked at as POSIX has them")
def test_a_process_that_is_killed_leaves_no_program(tmp_path: Path) -> None:
    """As the arena kills a worker whose game takes too long: the engine's input ends."""
    file = tmp_path / "processes"
    script = f"""
        from twofold import Board
        from twofold.players.engine.client import EnginePlayer
        EnginePlayer({rogue("waits", file)!r}).choose(Board.parse({str(BOARD)!r}))
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)]) as process:
        processes: list[int] = []
        while not processes:
            time.sleep(0.05)
            processes = [int(word) for word in file.read_text().split()] if file.exists() else []
        assert all(map(is_alive, processes))
        process.kill()
    wait_until_gone(processes)


@pytest.mark.skipif(os.name != "posix", reason="processes are looked at as POSIX has them")
def test_a_garbage_collected_player_leaves_no_program(tmp_path: Path) -> None:
    script = f"""
        from twofold.players import make_player
        from twofold import Board
        player = make_player({EXAMPLE_SPEC!r})
        player.choose(Board.parse("0012/0013/0024/1357"))
        dialogue = player._dialogue
        print(dialogue.process._process.pid)
    """
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(script)],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert done.stderr == ""
    wait_until_gone([int(done.stdout)])


# Specs


def test_the_canonical_spec_says_what_is_run(tmp_path: Path) -> None:
    spec = canonical(f"{EXAMPLE_SPEC},ply=02,time=50ms")
    digest = hash_of_files(EXAMPLE_WORDS)
    assert f"cmd_sha256={digest}" in spec
    assert spec.endswith(',nodes=none,options="",ply=2,time=0.05,timeout=60')
    assert canonical(spec) == spec
    assert not make_player(spec).reproducible
    assert short_spec(spec) == f"engine:cmd={' '.join(EXAMPLE_WORDS)},ply=2,time=0.05"


def test_a_changed_file_is_another_player(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(EXAMPLE.read_text())
    old = canonical(f"engine:cmd=python {path}")
    path.write_text(EXAMPLE.read_text() + "# changed\n")
    assert canonical(f"engine:cmd=python {path}") != old
    with pytest.raises(InvalidSpec, match=r"the file of cmd_sha256=.* has changed"):
        make_player(old)


def test_only_named_files_count() -> None:
    assert hash_of_files(["python", "-m", "my_engine"]) == ""
    assert hash_of_files(["python", str(EXAMPLE)]) != hash_of_files([str(EXAMPLE)] * 2)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("engine", "expected cmd= and the command of an engine, got ''"),
        ('engine:cmd="\'"', "expected cmd= with closed quotations"),
        ('engine:cmd="a\\u0000b"', "without zero bytes"),
        ("engine:cmd=python,options=depth", "expected options as name=value"),
        ("engine:cmd=python,options=depth=1 depth=2", "expected options as name=value, each once"),
        ("engine:cmd=python,options=Depth=1", "expected an option's name .* in options"),
        ("engine:cmd=python,ply=99", "expected ply from 1 to 12, got 99"),
        ("engine:cmd=python,timeout=0", "expected a time above 0"),
        ("engine:cmd=python,depth=3", "expected a key of engine"),
    ],
)
def test_specs_that_cannot_be_used(spec: str, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        make_player(spec)


def test_words_are_split_as_a_shell_would_and_no_shell_sees_them() -> None:
    assert parse_command_words("my 'two words' $HOME ; ls") == (
        "my", "two words", "$HOME", ";", "ls",
    )  # fmt: skip
    assert parse_option_words("depth=4 style='very calm' motto=") == {
        "depth": "4", "style": "very calm", "motto": "",
    }  # fmt: skip


def test_text_of_unknown_origin_runs_nothing() -> None:
    with pytest.raises(InvalidSpec, match="expected a player that imports no code"):
        make_player(EXAMPLE_SPEC, allow_code=False)
