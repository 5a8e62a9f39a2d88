"""The command as a whole: help, version, errors, exit codes."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
import typer

import twofold
from tests.support.commands import Cli, Heard
from tests.support.pages import powershell_faults
from twofold.cli import COMMANDS, _loaded, _output, main, players, read_count
from twofold.cli.selftest import SelfCheck, SelfTestDocument
from twofold.errors import ResourceError
from twofold.kernels import COMPILING

GROUPS = ["net", "tables"]
OF_GROUPS = [f"{group} {name}" for group in GROUPS for name in _loaded(group).commands]


@pytest.mark.parametrize("text", ["abc", "0", "-1", "1.5", ""])
def test_a_number_of_threads_that_numba_cannot_use_is_refused(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("NUMBA_NUM_THREADS", text)
    words = f"twofold: expected a whole number above 0 in NUMBA_NUM_THREADS, got '{text}'\n"
    if text:
        assert cli("players") == (2, "", words)
        assert cli("--help").code == 0
    else:  # no number, which Numba would read
        assert cli("players").code == 0
        assert "NUMBA_NUM_THREADS" not in os.environ


def test_version(cli: Cli) -> None:
    assert cli("--version").out == f"twofold {twofold.__version__}\n"


def test_help_lists_every_command_in_full(cli: Cli) -> None:
    code, out, _ = cli("--help")
    assert code == 0
    listed = out.partition("Commands:")[2].split("Example:")[0]
    assert [line.split()[0] for line in listed.strip().splitlines()] == [*COMMANDS]
    assert "..." not in listed


def test_nothing_asked_shows_the_help(cli: Cli) -> None:
    assert cli().code == 2
    assert "Commands:" in cli().out


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_without_a_command_shows_its_help(cli: Cli, group: str) -> None:
    out = cli(group, "--help").out
    assert cli(group) == (2, out, "")
    assert "..." not in out.partition("Commands:")[2].split("Example:")[0]


@pytest.mark.parametrize("command", [*COMMANDS, *OF_GROUPS])
def test_every_command_has_an_example_that_works_in_powershell_too(cli: Cli, command: str) -> None:
    """Its first sentence is that of the help of all."""
    code, out, _ = cli(*command.split(), "--help")
    assert code == 0
    assert f"Example:\n\n    twofold {command}" in out
    assert not re.search(r"<\w|\.\.\.[\]}]|default: \]", out)  # Python types, empty defaults
    assert all(len(line) <= 80 for line in out.splitlines())
    examples = re.findall(r"^    (twofold .*)", out.partition("Example:")[2], re.MULTILINE)
    assert not any(map(powershell_faults, examples))
    if command in COMMANDS:
        assert _loaded(command).help.splitlines()[0] == COMMANDS[command]


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (EOFError("marshal data too short"), 1, "EndOfFile: marshal data too short"),
        (ResourceError("cannot write 5 bytes"), 3, "cannot write 5 bytes"),
        (OSError(errno.ENOSPC, "No space left on device"), 3, "the disk is full"),
        (MemoryError(), 3, "not enough memory"),
        (ZeroDivisionError("by\nzero"), 1, "ZeroDivisionError: by zero (TWOFOLD_DEBUG=1"),
    ],
)
def test_errors_end_with_their_exit_code(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, says: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(players, "print_out", fail)
    result = cli("players")
    assert result.code == code
    assert result.err.startswith(f"twofold: {says}")
    assert "Traceback" not in result.err


def test_a_reader_that_leaves_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    words = [sys.executable, "-m", "twofold", "players"]
    done = subprocess.run(words, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


def test_an_output_that_is_closed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "words",
    [
        "convert examples/best-game.2048",
        "bench greedy --games 1 --json",
        "net info policy --json",
        "report --curves curve.csv --html -",
        "completion bash",
        "engine greedy",
    ],
)
def test_data_for_an_output_that_is_closed_is_an_error(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: str
) -> None:
    """As by >&- in a shell: Python then has no `sys.__stdout__`."""
    monkeypatch.setattr(sys, "__stdout__", None)
    curve = tmp_path / "curve.csv"
    curve.write_text("games,moves,seconds,mean\n1,10,0.1,100\n2,20,0.2,200\n")
    result = cli(*words.replace("curve.csv", str(curve)).split())
    said = "twofold: expected a standard output to write to, got a closed one\n"
    assert result == (2, "", said)
    assert cli("players").code == 0


def test_an_input_that_is_closed(tmp_path: Path) -> None:
    """As by <&- in a shell: Python then has no `sys.stdin`."""
    env = os.environ | {"TWOFOLD_STATE_DIR": str(tmp_path)}
    words = [sys.executable, "-m", "twofold", "play", "--words", "--seed", "1"]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *words], env=env, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which Linux has")
def test_errors_that_cannot_be_written_leave_the_exit_code() -> None:
    words = [sys.executable, "-m", "twofold", "report", "nothing.db"]
    with open("/dev/full", "w", encoding="utf-8") as full:
        assert subprocess.run(words, stderr=full, check=False).returncode == 2


def test_warmup_tells_its_steps(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_all(on_step: Callable[[str], None], cores: int) -> None:
        assert cores >= 1
        on_step("kernels 1/1: bits")

    monkeypatch.setattr("twofold.kernels.warmup.compile_all", compile_all)
    code, out, err = cli("warmup")
    assert (code, err) == (0, "kernels 1/1: bits\n")
    assert out.startswith("all kernels are ready")


@pytest.mark.parametrize("good", [True, False])
def test_selftest_gives_its_verdict(cli: Cli, monkeypatch: pytest.MonkeyPatch, good: bool) -> None:
    checks = (SelfCheck("rules", True, "10 boards"), SelfCheck("dice", good, "1 of 3"))
    monkeypatch.setattr(
        "twofold.cli.selftest.run_selftest", lambda: SelfTestDocument("123", good, checks)
    )
    code, out, _ = cli("selftest")
    assert code == (0 if good else 1)
    assert "signature 123" in out
    assert ("FAILED  dice: 1 of 3" in out) is not good
    document = json.loads(cli("selftest", "--json").out)
    assert (document["signature"], document["passed"]) == ("123", good)
    assert document["checks"][1]["passed"] is good


def said_while(
    monkeypatch: pytest.MonkeyPatch,
    wait: Callable[[], AbstractContextManager[None]],
    until: str,
    terminal: bool = False,
) -> str:
    """What is said while something is waited for, until it holds a text."""
    error = Heard(until)
    monkeypatch.setattr(error, "isatty", lambda: terminal)
    monkeypatch.setattr(sys, "stderr", error)
    monkeypatch.setattr(_output, "WAIT_SECONDS", 0.01)
    with wait():
        assert error.heard.wait(60)
    return error.getvalue()


@pytest.mark.parametrize("terminal", [True, False])
def test_what_is_waited_for_is_said_when_it_becomes_another(
    monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    texts = ["", "", "one ...", "one ...", "two ..."]

    def words() -> str:
        return texts.pop(0) if len(texts) > 1 else texts[0]

    said = said_while(monkeypatch, lambda: _output.waiting(words), "two", terminal)
    assert terminal or said == "one ...\ntwo ...\n"


def test_loading_is_said_where_kernels_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0

    class Looked(list[str]):
        """The kernels that are compiled: one from the third look on."""

        def __len__(self) -> int:
            nonlocal looks
            looks += 1
            return int(looks > 3)

    monkeypatch.setattr(_output, "BUILT", Looked())
    said = said_while(monkeypatch, _output.loading, "first use")
    assert said == f"{COMPILING}\n"


@pytest.mark.parametrize("columns", ["60", "80", "200"])
def test_words_are_wrapped_and_never_broken(
    columns: str, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    whole = cli("players").out
    assert max(map(len, whole.splitlines())) <= int(columns)
    monkeypatch.setenv("COLUMNS", "100000")
    assert whole.split() == cli("players").out.split()
    assert cli("play", "--plain", stdin="help\n").out.count("help, quit") == 1


@pytest.mark.parametrize(
    ("text", "number"), [("1000", 1000), ("1e3", 1000), ("12E+2", 1200), ("-5", -5), ("0", 0)]
)
def test_counts(text: str, number: int) -> None:
    assert read_count(text) == number


@pytest.mark.parametrize("text", ["", "1k", "1.5e3", "1e-3", "e3", "1_000", "x", "1e100", "9" * 50])
def test_no_counts(text: str) -> None:
    with pytest.raises(typer.BadParameter, match=r"^a whole number such as 1000 or 1e3, got"):
        read_count(text)


@pytest.fixture
def python_interrupts() -> Iterator[None]:
    """Python's own handler: where the tests run in the background, the signal is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_the_first_ctrl_c_is_an_event_and_the_second_an_exception(
    python_interrupts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_output, "AT_ONCE", 60.0)
    with _output.catching_interrupt() as asked:
        for _ in range(2):  # to the process, and to its group
            signal.raise_signal(signal.SIGINT)
            assert asked.is_set()
        monkeypatch.setattr(_output, "AT_ONCE", -1.0)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_other_threads_do_not_touch_signals() -> None:
    before = signal.getsignal(signal.SIGINT)
    found: list[bool] = []

    def work() -> None:
        with _output.catching_interrupt() as asked:
            found.append(asked.is_set() or signal.getsignal(signal.SIGINT) != before)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [False]


@pytest.mark.parametrize(
    ("words", "place", "again"),
    [
        ("train --resume --out n.safetensors", "train.read_card", True),
        ("solve 2x2 --out t", "solve.load_kernels", True),
        ("bench --resume s.db", "bench._check_resumed", True),
        ("solve 2x2", "solve.load_kernels", False),
    ],
)
def test_ctrl_c_before_anything_is_saved_names_the_command_that_continues(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, words: str, place: str, again: bool
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"twofold.cli.{place}", interrupt)
    said = f". Continue with: twofold {words}" if again else ""
    assert cli(*words.split()) == (130, "", f"twofold: interrupted{said}\n")


@pytest.mark.parametrize(("times", "said"), [(1, "twofold: interrupted\n"), (2, "")])
def test_ctrl_c_while_an_error_is_said(
    times: int, said: str, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [KeyboardInterrupt] * times

    def interrupt(text: str) -> str:
        if left:
            raise left.pop()
        return text

    monkeypatch.setattr("twofold.game.notation.printable", interrupt)
    assert cli("report", "nothing.db") == (130, "", said)


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such file names")
def test_the_name_of_a_file_cannot_change_the_terminal(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "\x1b[31mred.2048"
    code, out, err = cli(
        "watch", "greedy", "--seed", "1", "--record", name, "--moves-per-second", "1e6"
    )
    assert code == 0
    assert "written to \\x1b[31mred.2048" in out + err
    assert (out + err).replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        ("analyse 0012/0013/0024/1357 fast", "; did you mean --player fast? (see twofold analyse"),
        ("review game.2048 my.py:Mine", "; did you mean --player my.py:Mine? (see"),
        ("play ntuple:ply=2", "; did you mean --hints ntuple:ply=2? (see"),
        ("analyse 0012/0013/0024/1357 nobody", "(nobody) (see"),
        ("selftest fast", "(fast) (see"),
        ("analyse 0012 0013 fast", "(0013 fast) (see"),
    ],
)
def test_a_player_as_an_argument_too_many_names_its_option(
    cli: Cli, command: str, hint: str
) -> None:
    code, out, err = cli(*command.split())
    assert (code, out) == (2, "")
    assert "unexpected extra argument" in err
    assert hint in err
