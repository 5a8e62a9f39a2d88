"""`twofold train`: what it says, what it leaves, what it refuses, Ctrl-C."""

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Cli
from tests.support.signals import hear_signals
from twofold.cli import _loaded, train, train_policy
from twofold.cli._options import given_again
from twofold.cli._training import Trainer
from twofold.learn.checkpoint import load

SMALL = ["0123 0145", "--rules", "3x4", "--threads", "1"]
NEW = ["--out", "n.safetensors"]


def test_a_run_from_nothing(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "n.safetensors"
    code, out, err = cli("train", *SMALL, "--games", "2000", "--out", str(path))
    assert code == 0
    assert err == "twofold: training 0123 0145 takes 3.7 MB of memory\n"
    lines = out.splitlines()
    assert lines[0] == "0123 0145 for 3x4, 524 kB of weights: tc:1"
    assert lines[1].startswith("2,000 games, ")
    assert lines[1].endswith(" moves/s")
    assert lines[2].startswith("last 1,000 games: mean ")
    assert lines[3] == f"{path}; learning curve in {path.with_suffix('.csv')}"
    assert len(path.with_suffix(".csv").read_text().splitlines()) == 3
    training = load(path)
    assert training.is_finished
    assert training.curve.mean > 600


def document(cli: Cli, *arguments: str) -> dict[str, Any]:
    code, out, _ = cli("train", *arguments, "--json")
    assert code == 0
    found: dict[str, Any] = json.loads(out)
    timing = found.pop("timing")
    assert timing["seconds"] > 0
    assert "cores" in found.pop("machine")
    return found


@pytest.mark.parametrize("threads", ["1", "2"])
def test_games_that_begin_elsewhere_are_counted_apart(
    threads: str, cli: Cli, tmp_path: Path
) -> None:
    options = ["--threads", threads, "--games", "300", "--out", str(tmp_path / "n.safetensors")]
    out = cli("train", *SMALL[:3], *options, "--restart", "10").out
    found = re.search(r"^(\d+) games from the start, 300 begun in all, ", out, re.MULTILINE)
    assert found
    assert int(found[1]) < 300


def test_evaluations(cli: Cli, tmp_path: Path) -> None:
    """The games of evaluations are those of the network in the file."""
    boards, path = tmp_path / "late.txt", tmp_path / "n.safetensors"
    small = ["0123 0145", "--rules", "3x4", "--threads", "1", "--games", "500"]
    options = ["--eval-every", "1h", "--eval-games", "20", "--eval-boards", str(boards)]
    boards.write_text("3x4:0122/0123/3456\n" * 5)
    code, out, err = cli("train", *small, *options, "--out", str(path))
    assert code == 0
    assert err.count("twofold: network after ") == 2
    assert "twofold: network after 0 moves: mean " in err
    assert "network at the end: mean " in out
    assert ", late.txt " in out
    resumed = cli("train", "--resume", "--out", str(path))
    assert "the evaluations of this run end here; --eval-every T" in resumed.err
    again = document(cli, "--resume", "--out", str(path))
    first, last = again["evaluations"]
    assert first["moves"] == 0
    assert 0 <= last["measured"]["survival"]["late.txt"] <= 1
    played = json.loads(
        cli("bench", f"ntuple:net={path},ply=1", "--games", "20", "--rules", "3x4", "--json").out
    )
    assert played["players"][0]["summary"]["mean_score"] == last["measured"]["mean_score"]
    beside = str(tmp_path / "games.safetensors")
    by_games = document(cli, *small, "--eval-every", "200g", "--eval-games", "2", "--out", beside)
    assert [one["games"] for one in by_games["evaluations"]] == [0, 200, 400, 500]
    info = cli("net", "info", str(path)).out
    assert "mean score of the evaluations" in info
    assert f"after {last['moves']:,} moves: mean " in info


@pytest.mark.parametrize(
    ("command", "options", "again"),
    [
        ("train", "--out n --eval-every 5m --eval-games 300 --lambda 0.5", "--eval-every 5m"),
        (
            "train",
            "--checkpoint 1m --eval-every 5m --eval-games 20 --eval-boards 'late one.txt' "
            "--eval-boards b.txt --eval-downgrade 0 --out n",
            "--checkpoint 1m --eval-every 5m --eval-games 20 --eval-boards 'late one.txt' "
            "--eval-boards b.txt --eval-downgrade 0",
        ),
        ("train", "4x6 --out n --checkpoint 10m", ""),
        ("train", "--rule a.py:b --decay a.py:c", "--rule a.py:b --decay a.py:c"),
        (
            "train-policy",
            "--device cpu --checkpoint 1m --eval-every 0 --eval-games 2e1 --gamma 1",
            "--device cpu --checkpoint 1m --eval-every 0 --eval-games 20",
        ),
    ],
)
def test_what_goes_on_repeats_the_options_that_no_file_holds(
    command: str, options: str, again: str
) -> None:
    trainers: dict[str, type[Trainer]] = {
        "train": train.NetworkTrainer,
        "train-policy": train_policy.PolicyTrainer,
    }
    names = trainers[command].again
    made = _loaded(command).make_context(command, shlex.split(options))
    assert shlex.join(given_again(made, *names)) == again


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_ctrl_c_saves(tmp_path: Path) -> None:
    path = tmp_path / "n.safetensors"
    command = [sys.executable, "-m", "twofold", "train", *SMALL, "--out", str(path)]
    process = subprocess.Popen(
        [*command, "--time", "1h", "--checkpoint", "1s"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=hear_signals,
    )  # fmt: skip
    while not path.exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    again = f"twofold train --out {path} --resume --checkpoint 1s"
    assert f"interrupted and saved. Continue with: {again}" in err
    assert not load(path).is_finished
