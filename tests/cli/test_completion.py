"""Shell completion: the words that can follow, the answers to bash, the scripts."""

import os
import pty
import select
import shlex
import shutil
import sys
import time
from pathlib import Path

import pytest
from typer._completion_classes import BashComplete

from tests.support.commands import Cli
from twofold.cli import _command
from twofold.cli.completion import VARIABLE


def values(line: str) -> list[str]:
    """The whole words that can stand in the place of the last one."""
    *before, last = shlex.split(line + "x")  # so that there is a last word
    shell = BashComplete(_command(), {}, "twofold", VARIABLE)  # type: ignore[arg-type]
    found = shell.get_completions(before, last[:-1])
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
        ("bench expecti", ["expectimax"]),
        ("compare greedy --sprt qui", ["quick"]),
        ("analyse 0012 --player alph", ["alphabeta"]),
        ("analyse 0012 --board-format h", ["hex", "hex-low"]),
        ("watch greedy --rules 3", ["3x3", "3x4"]),
        ("net info de", ["default"]),
        ("net info po", ["policy"]),
        ("net average po", []),
        ("solve --rules 3", ["3x3"]),
        ("bench --resume gree", []),
        ("bench --resume s.db gree", ["greedy"]),
        ("watch expectimax:ev", ["expectimax:eval="]),
        ("watch expectimax:ply=2,eval=sn", ["expectimax:ply=2,eval=snake"]),
        ("bench ntuple:net=de", ["ntuple:net=default"]),
        ("watch own.py:", []),
        ("tables build 442-512/", ["442-512/32-128"]),
        (
            "tables query 0123 --tables 443-512+442-51",
            ["443-512+442-512/32-128", "443-512+442-512"],
        ),
        ("train 8x", ["8x6"]),
        ("completion ", ["bash", "zsh", "fish"]),
        ("bench --games ", []),
        ("players sn", ["snake"]),
    ],
)
def test_what_can_follow(line: str, expected: list[str]) -> None:
    assert values(line) == expected


def test_tables_that_are_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_STATE_DIR", str(tmp_path))
    (tmp_path / "tables").mkdir()
    for name in ("441-64", "443-512_16-64"):
        (tmp_path / "tables" / f"{name}.twofold-table").touch()
    assert values("tables info ") == ["441-64", "443-512/16-64"]


# ---- the scripts


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_command_prints_the_script(cli: Cli, shell: str) -> None:
    code, out, err = cli("completion", shell)
    assert (code, err) == (0, "")
    assert f"_TWOFOLD_COMPLETE=complete_{shell}" in out


def test_bash_completes_a_player(tmp_path: Path) -> None:
    """Types into an interactive bash."""
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
        os.write(terminal, b"twofold bench expecti\t --surv\t")
        read_until(terminal, "expectimax  --survival")
        os.write(terminal, b"\x15twofold watch expectimax:ev\tsn\t --words")
        read_until(terminal, "expectimax:eval=snake  --words")
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)


def read_until(terminal: int, expected: str) -> None:
    heard, end = "", time.monotonic() + 60
    while expected not in heard and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            heard += os.read(terminal, 4096).decode(errors="replace")
    assert expected in heard
