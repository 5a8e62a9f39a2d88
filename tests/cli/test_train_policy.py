"""`twofold train-policy`: what is refused; a short run and its file in other commands."""

import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

from tests.support.commands import Cli, Heard
from tests.support.documents import check_document
from tests.support.policies import make_policy, write
from twofold.cli import _output

SHORT = ("16-8", "--rules", "2x2", "--envs", "16", "--horizon", "8", "--minibatch", "32")
TORCH = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="needs pip install 'twofold[policy]'"
)


def test_loading_pytorch_is_said(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here it goes on until that has been said, and fails."""
    (tmp_path / "torch.py").write_text("import sys\nsys.stderr.heard.wait(60)\nraise ImportError\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr(_output, "WAIT_SECONDS", 0.01)
    monkeypatch.setattr(sys, "stderr", said := Heard("loading PyTorch ...\n"))
    assert cli("train-policy", "--out", str(tmp_path / "p.safetensors")).code == 2
    assert said.heard.is_set()


def test_networks_are_shown_and_converted(cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path / "p.safetensors", make_policy(widths=(64, 32)))
    code, out, _ = cli("net", "info", str(path))
    assert code == 0
    assert "policy network 4x4, 64-32" in out
    assert "in points" in out
    assert "form       float32" in out
    half = tmp_path / "half.safetensors"
    assert cli("net", "convert", str(path), str(half), "--release", "--note", "half")[0] == 0
    assert "form       float16" in cli("net", "info", str(half)).out
    code, out, _ = cli("net", "info", str(half), "--json")
    assert json.loads(out)["card"]["note"] == "half"
    assert half.stat().st_size < path.stat().st_size


def test_an_analysis_shows_probabilities_and_the_critic(cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path / "p.safetensors")
    code, out, _ = cli("analyse", "0012/0013/0024/1357", "--player", f"policy:net={path}")
    assert code == 0
    assert "probability of each move" in out
    assert re.search(r"^up +\d+\.\d %  ", out, re.MULTILINE)
    assert "critic" in out
    code, out, _ = cli("analyse", "0012/0013/0024/1357", "--player", f"policy:net={path}", "--json")
    document = json.loads(out)
    assert document["critic_unit"] == "points"
    assert isinstance(document["critic"], float)


@pytest.mark.long
@TORCH
def test_a_limit_that_leaves_nothing_changes_no_file(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "p.safetensors"
    run = ("train-policy", *SHORT, "--moves", "256", "--eval-every", "0", "--out", str(path))
    assert cli(*run).code == 0
    before = path.read_bytes()
    for asked, words in (
        (("--moves", "100"), "has made 256 moves already, and --moves is the total (100)"),
        (("--time", "1ms"), "and --time is the total"),
    ):
        found = cli("train-policy", "--out", str(path), "--resume", *asked)
        assert (found.code, words in found.err) == (0, True)
        assert "256 moves" in found.out
        assert path.read_bytes() == before
    more = cli("train-policy", "--out", str(path), "--resume", "--moves", "300")
    assert (more.code, "continuing " in more.err, "384 moves" in more.out) == (0, True, True)


@pytest.mark.long
@TORCH
def test_a_run_goes_on_and_plays(cli: Cli, tmp_path: Path) -> None:
    out = str(tmp_path / "p.safetensors")
    words = ("train-policy", *SHORT, "--out", out, "--moves", "1024", "--eval-games", "5", "--json")
    code, text, err = cli(*words)
    assert code == 0, err
    document = check_document("train-policy", text)
    assert document["moves"] == 1024
    assert document["finished"]
    assert document["evaluations"][-1]["measured"]["sampled"] > 0
    assert (tmp_path / "p.csv").exists()
    assert "sampled_mean" in (tmp_path / "p.evaluations.csv").read_text()
    code, text, err = cli("train-policy", "--out", out, "--resume", "--moves", "2048")
    assert code == 0, err
    assert "continuing " in err
    assert "2,048 moves" in text
    next_run = str(tmp_path / "next.safetensors")
    assert (
        cli("train-policy", *SHORT, "--out", next_run, "--moves", "1024", "--start", out).code == 0
    )
    assert re.search(r"before +PPO, 2x2", cli("net", "info", next_run).out)
    code, text, _ = cli("bench", f"policy:net={out}", "--rules", "2x2", "--games", "10", "--json")
    assert code == 0
