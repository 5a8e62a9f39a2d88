"""`twofold train --runs`: several seeds, going on after Ctrl-C, what is refused."""

import csv
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.commands import Cli
from twofold.learn.checkpoint import load
from twofold.learn.training import Training
from twofold.storage.files import alone
from twofold.values.network_file import read_card, read_network

SMALL = ["0123 0145", "--rules", "3x4", "--threads", "1"]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "net.safetensors"


def run_of(out: Path, number: int) -> Path:
    return out.with_stem(f"{out.stem}-{number}")


def rows(out: Path) -> list[dict[str, str]]:
    with out.with_suffix(".runs.csv").open() as file:
        return list(csv.DictReader(file))


def test_runs_with_their_curves(cli: Cli, out: Path) -> None:
    """Each is the run that its seed alone would be."""
    options = [*SMALL, "--games", "1500", "--seed", "7"]
    code, words, err = cli("train", *options, "--runs", "3", "--out", str(out))
    assert code == 0
    assert [f"run {number} of 3, seed {6 + number}: " in err for number in (1, 2, 3)] == [True] * 3
    alone_out = out.with_name("alone.safetensors")
    assert cli("train", *options[:-1], "8", "--out", str(alone_out)).code == 0
    found, _ = read_network(run_of(out, 2))
    assert np.array_equal(found.weights, read_network(alone_out)[0].weights)
    (row,) = rows(out)
    assert list(row) == ["games", "mean", "low", "high", "seed_7", "seed_8", "seed_9"]
    means = [read_card(run_of(out, number)).curve[0][3] for number in (1, 2, 3)]
    assert [float(row[f"seed_{seed}"]) for seed in (7, 8, 9)] == means
    half = 4.302653 * np.std(means, ddof=1) / np.sqrt(3)  # Student's t, 2 degrees of freedom
    for name, value in (("mean", 0.0), ("low", -half), ("high", half)):
        assert float(row[name]) == pytest.approx(np.mean(means) + value, abs=0.1)
    lines = words.splitlines()
    assert lines[1].startswith("seed 8: 1,500 games, the last 1,000: mean ")
    assert lines[3].startswith(f"3 runs after 1,000 games: mean {np.mean(means):,.0f} ± ")
    for suffix, begin in ((".runs.svg", b"<?xml"), (".runs.pdf", b"%PDF")):
        assert out.with_suffix(suffix).read_bytes().startswith(begin)
        assert f"{out.with_suffix(suffix)}" in words


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_ctrl_c_saves_and_resume_goes_on(
    cli: Cli, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs that have ended are left alone, and what is learnt is as if it had not been stopped."""
    whole = out.with_name("whole.safetensors")
    rest = ["--checkpoint", "5m", "--eval-every", "600g", "--eval-games", "2"]
    options = [*SMALL, "--games", "1200", "--runs", "3", *rest, "--out"]
    assert cli("train", *options, str(whole)).code == 0
    go_on = Training.run

    def interrupted(training: Training, **wishes: Any) -> None:
        if training.settings.seed == 2:
            go_on(training, **wishes | {"games": 500})
            os.kill(os.getpid(), signal.SIGINT)
        else:
            go_on(training, **wishes)

    with monkeypatch.context() as patched:
        patched.setattr(Training, "run", interrupted)
        code, words, err = cli("train", *options, str(out))
    assert code == 130
    again = f"saved. Continue with: twofold train --out {out} --resume --runs 3 {' '.join(rest)}"
    assert again in err
    assert (load(run_of(out, 2)).curve.games, run_of(out, 3).exists()) == (500, False)
    assert [row["seed_2"] for row in rows(out)] == [""]
    assert "no point of the curve yet" in words
    before = run_of(out, 1).stat()
    code, _, err = cli("train", "--resume", "--runs", "3", *rest, "--out", str(out))
    assert code == 0
    assert err.count("twofold: it is finished\n") == 1
    assert run_of(out, 1).stat() == before
    for number in (1, 2, 3):
        found, card = read_network(run_of(out, number))
        expected, _ = read_network(run_of(whole, number))
        assert np.array_equal(found.weights, expected.weights)
        assert (card.games, card.settings["seed"]) == (1200, str(number))
    assert rows(out) == rows(whole)


def test_more_runs_and_more_games(cli: Cli, out: Path) -> None:
    """Later ones begin with what the first one began with."""
    start = out.with_name("start.safetensors")
    assert cli("train", *SMALL, "--games", "50", "--out", str(start)).code == 0
    options = ["--runs", "2", "--games", "60", "--start", str(start), "--out", str(out)]
    assert cli("train", *SMALL, *options).code == 0
    more = ["train", "--resume", "--runs", "3", "--games", "80", "--threads", "2"]
    more += ["--out", str(out)]
    code, _, err = cli(*more)
    assert (code, "expected the --start of the first run: run 3 has not begun yet" in err) == (
        2,
        True,
    )
    other = shutil.copy(run_of(out, 1), out.with_name("other.safetensors"))
    code, _, err = cli(*more, "--start", str(other))
    assert (code, "expected a run that began as the first did, got" in err) == (2, True)
    found = cli(*more, "--start", str(start), "--json")
    assert found.code == 0
    document = json.loads(found.out)
    assert document["seeds"] == ["1", "2", "3"]
    assert [run["games"] for run in document["runs"]] == [80] * 3
    assert [point["games"] for point in document["curve"]] == [80]
    assert read_card(run_of(out, 3)).settings["threads"] == 2


def test_without_what_draws_there_is_the_table(
    cli: Cli, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, words, err = cli("train", *SMALL, "--games", "1000", "--runs", "2", "--out", str(out))
    assert code == 0
    assert err.count("no picture of the curve: a plot needs the extra 'report'") == 1
    assert words.splitlines()[-1] == f"learning curve in {out.with_suffix('.runs.csv')}"
    assert len(rows(out)) == 1


def test_what_is_refused(cli: Cli, out: Path) -> None:
    def refused(*arguments: str) -> str:
        code, words, err = cli("train", *arguments, "--out", str(out))
        assert (code, words) == (2, "")
        return err

    with alone(run_of(out, 1), "training run"):
        assert "another training run is using" in refused(*SMALL, "--runs", "2", "--games", "5")
    options = ["--games", "5", "--out"]
    assert cli("train", *SMALL, *options, str(run_of(out, 1))).code == 0
    assert cli("train", *SMALL, "--order", "backward", *options, str(run_of(out, 2))).code == 0
    assert f"expected --runs N to continue {run_of(out, 1)}" in refused("--resume")
    assert "--resume continues the run in it" in refused(*SMALL, "--runs", "2")
    assert "expected no --start, since the first run had none" in refused(
        "--resume", "--runs", "3", "--start", "default"
    )
    assert "expected a run that differs from the first in its seed" in refused(
        "--resume", "--runs", "2"
    )


def test_nothing_is_written_over_and_bad_files_are_refused_first(cli: Cli, out: Path) -> None:
    curve = out.with_suffix(".runs.csv")
    curve.write_text("mine")
    options = ["--games", "20", "--runs", "2", "--out", str(out)]
    code, _, err = cli("train", *SMALL, *options)
    assert (code, "expected a new file to write, got" in err) == (2, True)
    assert (curve.read_text(), len(list(out.parent.iterdir()))) == ("mine", 1)
    curve.unlink()
    assert cli("train", *SMALL, *options).code == 0
    before = run_of(out, 1).read_bytes()
    run_of(out, 2).write_text("junk")
    code, _, err = cli("train", "--resume", "--runs", "2", "--games", "30", "--out", str(out))
    assert (code, str(run_of(out, 2)) in err) == (2, True)
    assert run_of(out, 1).read_bytes() == before
