"""Shell completion: the words that can follow, the answers to bash, the scripts."""

import os
import pty
import select
import shutil
import sys
import time
from pathlib import Path

import pytest

from tests.support.commands import Cli
from twofold.cli import _command
from twofold.cli.completion import VARIABLE, Bash, register

BREAKS = " \t\n\"'@><=;|&(:"
"""The characters at which bash divides words."""


@pytest.fixture(autouse=True)
def bash(monkeypatch: pytest.MonkeyPatch) -> None:
    register()
    monkeypatch.setenv("COMP_WORDBREAKS", BREAKS)


def values(line: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The whole words that can stand in the place of the last one."""
    monkeypatch.setenv("COMP_LINE", f"twofold {line}")
    shell = Bash(_command(), {}, "twofold", VARIABLE)  # type: ignore[arg-type]
    found = shell.get_completions(*shell.get_completion_args())
    return [item.value for item in found if item.type == "plain"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("be", ["bench"]),
        ("net ", ["info", "eval", "convert", "average"]),
        ("bench --jo", ["--jobs"]),
        ("bench --seed 1 --se", []),
        ("watch --wo", ["--words"]),
        ("bench greedy cor", ["corner"]),
        ("bench expecti", ["expectimax", "expectimax:"]),
        ("bench expectimax:p", ["expectimax:ply="]),
        ("bench expectimax:ply=2,pl", []),
        ("bench baeldung:prune=n", ["baeldung:prune=no"]),
        ("bench expectimax:ply=2,eval=sn", ["expectimax:ply=2,eval=snake"]),
        ("bench expectimax:eval=snake,ra", ["expectimax:eval=snake,ratio="]),
        ("bench expectimax:empt", ["expectimax:empty="]),
        ("bench expectimax:nodes=", ["expectimax:nodes=none"]),
        ("bench expectimax:nodes=1e6", []),
        ("watch ntuple:net=t", ["ntuple:net=tiny"]),
        ("watch ntuple:tables=n", ["ntuple:tables=none"]),
        ("compare greedy --sprt qui", ["quick", "quick:"]),
        ("analyse 0012 --player alph", ["alphabeta", "alphabeta:"]),
        ("analyse 0012 --player=nt", ["ntuple", "ntuple:"]),
        ("analyse 0012 --board-format h", ["hex", "hex-low"]),
        ("watch greedy --rules 3", ["3x3", "3x4"]),
        (
            "watch greedy --rules '4x4 st",
            ["4x4 start=1", "4x4 start=2", "4x4 stop=goal", "4x4 stop=never"],
        ),
        ("net info de", ["default"]),
        ("tables build 442-512/", ["442-512/32-128"]),
        (
            "tables query 0123 --tables 443-512+442-51",
            ["443-512+442-512/32-128", "443-512+442-512"],
        ),
        ("train 8x", ["8x6"]),
        ("completion ", ["bash", "zsh", "fish"]),
        ("bench --games ", []),
        ("watch nonsense:ply", []),
        ("players sn", ["snake"]),
    ],
)
def test_what_can_follow(line: str, expected: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert values(line, monkeypatch) == expected


def test_tables_that_are_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_STATE_DIR", str(tmp_path))
    (tmp_path / "tables").mkdir()
    for name in ("441-64", "443-512_16-64"):
        (tmp_path / "tables" / f"{name}.twofold-table").touch()
    assert values("tables info ", monkeypatch) == ["441-64", "443-512/16-64"]
    found = values("watch ntuple:tables=443-512/1", monkeypatch)
    assert found == ["ntuple:tables=443-512/16-64"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("bench expectimax:eval=sn", "snake"),
        ("wat", "watch "),
        ("watch 'gre", "greedy"),
        ("analyse 0012 --player=corn", "corner "),
        ("play --rules '4x4 sto", "4x4 stop=goal\n4x4 stop=never"),
        ("bench policy:net=\\`touch\\ x\\`.safetensors,pl", ""),
        ("bench policy:net=a\\$HOME,pl", ""),
        ("play --rules 4x4\\ sto", ""),
        ('bench "policy:net=$(id),pl', ""),
    ],
)
def test_answers_to_bash(line: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """bash puts candidates in place as they are: what was escaped would have a meaning then."""
    monkeypatch.setenv("COMP_LINE", f"twofold {line}")
    assert Bash(_command(), {}, "twofold", VARIABLE).complete() == expected  # type: ignore[arg-type]


# ---- the scripts


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_command_prints_the_script(cli: Cli, shell: str) -> None:
    code, out, err = cli("completion", shell)
    assert (code, err) == (0, "")
    assert f"_TWOFOLD_COMPLETE=complete_{shell}" in out


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
