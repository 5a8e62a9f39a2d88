"""Shell completion: the command, the answers to the shells, their scripts."""

import io
import json
import os
import pty
import resource
import runpy
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.completion_words import PATH, text
from tests.support.commands import Cli
from twofold import completion
from twofold.completion import SHELLS, VARIABLE, WrittenLine, split_line

TABLE = json.loads(PATH.read_text(encoding="utf-8"))
MOST_SECONDS = 0.3
"""Processor time of one answer."""


def values(line: str) -> list[str]:
    """The whole words that can stand in the place of the last one."""
    words = split_line(f"twofold {line}").words[1:]
    return [one.value for one in completion.complete(words, TABLE).candidates]


def offers_files(line: str) -> bool:
    return completion.complete(split_line(f"twofold {line}").words[1:], TABLE).files


def test_the_words_are_those_of_the_commands_and_players() -> None:
    written = PATH.read_text(encoding="utf-8")
    assert written == text() + "\n", "write them anew: python -m tests.cli.completion_words"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("be", ["bench"]),
        ("ne", ["net"]),
        ("net ", ["info", "eval", "convert", "average"]),
        ("--v", ["--version"]),
        ("bench --jo", ["--jobs"]),
        ("bench --seed 1 --se", []),
        ("watch --wo", ["--words"]),
        ("net --h", ["--help"]),
        ("bench gr", ["greedy"]),
        ("bench greedy cor", ["corner"]),
        ("bench engi", ["engine:"]),
        ("bench expecti", ["expectimax", "expectimax:"]),
        ("bench expectimax:p", ["expectimax:ply=", "expectimax:prune="]),
        ("bench expectimax:ply=2,pl", []),
        ("bench expectimax:prune=", ["expectimax:prune=none", "expectimax:prune=star1"]),
        ("bench expectimax:ply=2,eval=sn", ["expectimax:ply=2,eval=snake"]),
        ("bench expectimax:eval=snake,ra", ["expectimax:eval=snake,ratio="]),
        ("bench expectimax:empt", ["expectimax:empty="]),
        ("bench expectimax:eval=snake,ratio=", ["expectimax:eval=snake,ratio=0.25"]),
        ("bench expectimax:nodes=", ["expectimax:nodes=none"]),
        ("bench expectimax:nodes=1e6", []),
        ("watch ntuple:net=t", ["ntuple:net=tiny"]),
        ("watch ntuple:tables=n", ["ntuple:tables=none"]),
        ("compare greedy --sprt qui", ["quick", "quick:"]),
        ("analyse 0012 --player alph", ["alphabeta", "alphabeta:"]),
        ("analyse 0012 --player=nt", ["--player=ntuple", "--player=ntuple:"]),
        ("analyse 0012 --board-format h", ["hex", "hex-low"]),
        ("watch greedy gr", []),
        ("watch greedy --rules 3", ["3x3", "3x4"]),
        ("watch greedy --rules '4x4 st", ["4x4 start=", "4x4 stop="]),
        ("watch greedy --rules '4x4 goal=512 go", []),
        ("watch greedy --rules '4x4 stop=", ["4x4 stop=goal", "4x4 stop=never"]),
        ("net info de", ["default"]),
        ("tables build 442-512/", ["442-512/32-128"]),
        ("train 4x6 --tables 443-512+442-51", ["443-512+442-512/32-128", "443-512+442-512"]),
        ("train 8x", ["8x6"]),
        ("tune greedy --sampler ", ["cma", "tpe"]),
        ("completion ", list(SHELLS)),
        ("bench --games ", []),
        ("nonsense ", []),
        ("watch nonsense:ply", []),
        ("players sn", ["snake"]),
    ],
)
def test_what_can_follow(line: str, expected: list[str]) -> None:
    assert values(line) == expected


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("report ", True),
        ("bench greedy --out ", True),
        ("net info ", True),
        ("watch my", True),
        ("watch expectimax:eval=my", True),
        ("watch exact:table=", True),
        ("bench --games ", False),
        ("watch expectimax:pl", False),
        ("", False),
    ],
)
def test_where_file_names_can_follow(line: str, files: bool) -> None:
    assert offers_files(line) == files


def test_tables_that_are_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_STATE_DIR", str(tmp_path))
    (tmp_path / "tables").mkdir()
    for name in ("441-64", "443-512_16-64", "not$plain"):
        (tmp_path / "tables" / f"{name}.twofold-table").touch()
    assert values("tables info ") == ["441-64", "443-512/16-64"]
    assert values("watch ntuple:tables=443-512/1") == ["ntuple:tables=443-512/16-64"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("twofold", WrittenLine(("twofold",), "", "twofold")),
        ("twofold ", WrittenLine(("twofold", ""), "", "")),
        ("a  'b c'", WrittenLine(("a", "b c"), "", "'b c'")),
        ("a 'b c", WrittenLine(("a", "b c"), "'", "'b c")),
        ("a \"b'", WrittenLine(("a", "b'"), '"', "\"b'")),
        ("a b\\ c", WrittenLine(("a", "b c"), "", "b\\ c")),
        ("a '' b", WrittenLine(("a", "", "b"), "", "b")),
        ("a \\", WrittenLine(("a", ""), "", "\\")),
    ],
)
def test_lines_are_divided_as_a_shell_does(line: str, expected: WrittenLine) -> None:
    assert split_line(line) == expected


# ---- as the shells ask


def ask(environment: Mapping[str, str], tmp_path: Path) -> list[str]:
    """The lines that the command answers a shell."""
    done = subprocess.run(
        [sys.executable, "-m", "twofold"],
        env={**os.environ, "TWOFOLD_STATE_DIR": str(tmp_path), **environment},
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == b""
    return done.stdout.decode().splitlines()


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        (
            {
                VARIABLE: "bash",
                "TWOFOLD_LINE": "twofold bench expectimax:eval=sn",
                "TWOFOLD_BREAKS": " \t\n\"'@><=;|&(:",
            },
            ["files", "snake"],
        ),
        ({VARIABLE: "bash", "TWOFOLD_LINE": "twofold wat"}, ["words", "watch "]),
        (
            {VARIABLE: "bash", "TWOFOLD_LINE": "twofold watch 'gre", "TWOFOLD_BREAKS": "'="},
            ["files", "greedy"],
        ),
        (
            {VARIABLE: "zsh", "TWOFOLD_LINE": "twofold bench corn"},
            ["files", "corner\t1\tdown or left; right or up only when forced"],
        ),
        (
            {VARIABLE: "zsh", "TWOFOLD_LINE": "twofold bench quick:pl"},
            ["words", "quick:ply=\t0\tdepth in plies, as for expectimax (default 3)"],
        ),
        (
            {VARIABLE: "fish", "TWOFOLD_LINE": "twofold bench --js"},
            ["words", "--json\tPrint one JSON document."],
        ),
        (
            {
                VARIABLE: "powershell",
                "TWOFOLD_LINE": "twofold bench expectimax:ply=2,prune=s",
                "TWOFOLD_WORD": "prune=s",
            },
            ["words", "prune=star1\t"],
        ),
        (
            {VARIABLE: "powershell", "TWOFOLD_LINE": "twofold report C:\\x\\", "TWOFOLD_WORD": "x"},
            ["files"],
        ),
        ({VARIABLE: "fish", "TWOFOLD_LINE": "twofold"}, ["words"]),
    ],
)
def test_answers_to_shells(
    environment: dict[str, str], expected: list[str], tmp_path: Path
) -> None:
    assert ask(environment, tmp_path) == expected


def test_an_answer_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", stream)
    completion.main({VARIABLE: "zsh", "TWOFOLD_LINE": "twofold doc"})
    answer = stream.buffer.getvalue()
    assert (
        answer == b"words\ndoctor\t1\tShow what is installed, what it runs on, what is missing.\n"
    )


def test_another_value_of_the_variable_silences_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    monkeypatch.setattr("twofold.cli.main", lambda: sys.exit(7))
    with pytest.raises(SystemExit, match="7"):
        runpy.run_module("twofold.__main__")["main"]()


@pytest.mark.parametrize("shell", SHELLS)
def test_answers_are_quick(shell: str, tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ask({VARIABLE: shell, "TWOFOLD_LINE": "twofold bench ntuple:tables="}, tmp_path)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert seconds < MOST_SECONDS


def test_answers_load_neither_arrays_nor_kernels() -> None:
    script = (
        "import sys, twofold.completion as c\n"
        "c.answer_lines('bash', 'twofold bench ntuple:tables=')\n"
        "heavy = {'numpy', 'numba', 'typer', 'rich'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


# ---- the scripts


@pytest.mark.parametrize("shell", SHELLS)
def test_the_command_prints_the_script(cli: Cli, shell: str) -> None:
    code, out, err = cli("completion", shell)
    assert (code, err) == (0, "")
    assert f"twofold completion {shell}" in out
    assert f"TWOFOLD_COMPLETE={shell}" in out.replace(" = '", "=")
    assert all(len(line) <= 100 for line in out.splitlines())


def test_an_unknown_shell(cli: Cli) -> None:
    expected = (
        "twofold: expected a shell (bash, zsh, fish, powershell), got 'fsh'; did you mean fish?\n"
    )
    assert cli("completion", "fsh") == (2, "", expected)


def test_bash_completes_a_player(tmp_path: Path) -> None:
    """Types into an interactive bash: `:` and `=` divide words there."""
    bash = shutil.which("bash")
    assert bash, "install bash"
    (tmp_path / "twofold").write_text(f'#!/bin/sh\nexec {sys.executable} -m twofold "$@"\n')
    (tmp_path / "twofold").chmod(0o755)
    keys = f'PATH="{tmp_path}:$PATH"; eval "$(twofold completion bash)"; echo rea"dy"\n'
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "dumb"
        os.execv(bash, [bash, "--norc", "--noprofile", "-i"])
    try:
        os.write(terminal, keys.encode())
        read_until(terminal, "ready")
        os.write(terminal, b"twofold bench expectimax:eval=sna\t,rat\t")
        read_until(terminal, "expectimax:eval=snake,ratio=")
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)


def read_until(terminal: int, expected: str) -> None:
    heard, end = "", time.monotonic() + 60
    while expected not in heard and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            heard += os.read(terminal, 4096).decode(errors="replace")
    assert expected in heard


@pytest.mark.parametrize(
    "line",
    [
        "twofold bench policy:net=\\`touch\\ x\\`.safetensors,pl",
        "twofold bench policy:net=a\\$HOME,pl",
        "twofold play --rules 4x4\\ sto",
        "twofold bench policy:net=my\\ net.safetensors,pl",
        'twofold bench "policy:net=$(id),pl',
    ],
)
def test_bash_is_offered_nothing_that_it_would_change(line: str) -> None:
    """bash puts candidates in place as they are: what was escaped would have a meaning then."""
    assert completion.answer_lines("bash", line, breaks="=:")[1:] == []


def test_bash_completes_rules_in_quotes() -> None:
    assert "4x4 stop=" in completion.answer_lines(
        "bash", "twofold play --rules '4x4 sto", breaks="=:"
    )
