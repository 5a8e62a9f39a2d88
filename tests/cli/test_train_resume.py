"""`twofold train` that goes on: how far a run is, what it keeps, whose file it is."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Cli
from twofold.game.rules import Rules
from twofold.learn.checkpoint import curve_path, load, save
from twofold.learn.run import run
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import Training
from twofold.storage.files import alone

SMALL = ["0123 0145", "--rules", "3x4", "--threads", "1"]


def test_resuming_says_how_far_the_run_is(cli: Cli, tmp_path: Path) -> None:
    path = str(tmp_path / "n.safetensors")
    cli("train", *SMALL, "--games", "200", "--out", path)
    kept = load(path)
    kept.seconds = 7200.2  # shown to the minute: each command below adds a moment
    save(kept, path)
    games = f"twofold: {path} has begun 200 games already, and --games is the total "
    for options, words in (
        (["--time", "5s"], "has trained for 2 h 00 m already, and --time is the total (5 s): "),
        (["--games", "100"], f"{games}(100): name more games\n"),
        ([], f"{games}(200): name more games\n"),
        (["--games", "210"], f"twofold: continuing {path} after 2 h 00 m and 200 games\n"),
    ):
        code, out, err = cli("train", "--resume", *options, "--out", path)
        assert (code, words in err) == (0, True)
        assert out.startswith("0123 0145 for 3x4")


def test_a_longer_run_says_which_phase_it_goes_on_with(cli: Cli, tmp_path: Path) -> None:
    path = str(tmp_path / "n.safetensors")
    phases = ["--schedule", "td:0.1@50%,tc:1@50%"]
    cli("train", *SMALL, "--games", "40", *phases, "--out", path)
    words = (
        f"twofold: {path} goes on with phase 2 of 2, tc:1: those before are over, so the result "
        "is not that of a new run of this length\n"
    )
    again = ["train", "--resume", "--out", path]
    assert words not in cli(*again).err
    assert words not in cli(*again, "--games", "20").err
    assert words in cli(*again, "--games", "60").err
    begun = Training(load(path).settings, games=500)
    begun.run(games=100)
    save(begun, path)
    assert " goes on with phase" not in cli(*again, "--games", "300").err


@pytest.mark.parametrize("limits", [{"games": 900}, {"seconds": 1e6}], ids=str)
def test_a_limit_that_leaves_nothing_changes_no_file(
    limits: dict[str, Any], cli: Cli, tmp_path: Path
) -> None:
    """Nor does it end the game under way."""
    path = tmp_path / "n.safetensors"
    settings = TrainingSettings(patterns="0123 0145", rules=Rules(3, 4), threads=1)
    begun = Training(settings, **limits)
    begun.run(games=500)
    begun.seconds = 9.0
    save(begun, path)
    before = path.read_bytes()
    for asked in (["--games", "100"], ["--time", "5s"], ["--games", "999", "--time", "5s"]):
        found = cli("train", "--resume", *asked, "--eval-every", "10g", "--out", str(path))
        assert (found.code, found.err.count("\n")) == (0, 1)
        assert "\n500 games finished, 1 under way, " in found.out
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]
    again = cli("train", "--resume", "--games", "100", "--out", str(path), "--json")
    assert not json.loads(again.out)["finished"]
    kept = load(path)
    assert (kept.game_limit, kept.second_limit) == (limits.get("games"), limits.get("seconds"))


def test_a_run_keeps_the_threads_that_were_named_last(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file alone takes no more of them than there are cores; it may have another name."""
    path = tmp_path / "n.safetensors"
    assert cli("train", *SMALL, "--games", "10", "--threads", "2", "--out", str(path)).code == 0
    other = str(path.rename(tmp_path / "n.txt"))
    again = ("train", "--resume", "--out", other, "--games")
    assert json.loads(cli(*again, "20", "--json").out)["settings"]["threads"] == 2
    monkeypatch.setattr("twofold.cli.train.cores", lambda: 1)
    code, _, err = cli(*again, "30")
    assert code == 2
    assert f"expected --threads to continue {other}: it used 2, more than the 1 cores of" in err
    assert cli(*again, "30", "--threads", "2").code == 0


@pytest.mark.promise("R65")
@pytest.mark.parametrize("options", [[], ["--resume"]])
def test_a_second_run_on_a_file_is_refused(cli: Cli, tmp_path: Path, options: list[str]) -> None:
    path = tmp_path / "n.safetensors"
    if options:
        assert cli("train", *SMALL, "--games", "10", "--out", str(path))[0] == 0
    before = path.read_bytes() if options else None
    network = [] if options else SMALL
    with alone(path, "training run"):
        code, _, err = cli("train", *network, "--games", "20", "--out", str(path), *options)
    assert (code, "another training run is using" in err) == (2, True)
    assert (path.read_bytes() if path.exists() else None) == before


@pytest.mark.promise("R65")
@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_a_file_that_is_being_trained_is_no_output(cli: Cli, tmp_path: Path) -> None:
    path, other = tmp_path / "n.safetensors", tmp_path / "other.safetensors"
    assert cli("train", *SMALL, "--games", "10", "--out", str(path))[0] == 0
    assert cli("net", "convert", str(path), str(other))[0] == 0
    before = path.read_bytes()
    (tmp_path / "link.safetensors").symlink_to(path)
    with alone(path, "training run"):
        for name in ("n", "link"):
            out = str(tmp_path / f"{name}.safetensors")
            for words in (["convert", str(other), out], ["average", str(other), "--out", out]):
                code, _, err = cli("net", *words, "--force")
                assert (code, "another training run is using" in err) == (2, True)
    assert path.read_bytes() == before


@pytest.mark.promise("R65")
@pytest.mark.parametrize("there", [False, True])
def test_a_file_that_was_replaced_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    """Of a new run and of one that goes on: it is saved beside the file, and says so."""
    path, beside = tmp_path / "n.safetensors", tmp_path / "n-2.safetensors"
    settings = TrainingSettings(patterns="0123 0145", rules=Rules(3, 4), threads=1)
    if there:
        run(Training(settings, games=10), path)
    training = load(path, games=60) if there else Training(settings, games=60)
    learn = training.run

    def replaced(**wishes: Any) -> None:
        learn(**wishes)
        path.write_bytes(b"of another program")

    monkeypatch.setattr(training, "run", replaced)
    moved: list[Path] = []
    assert run(training, path, on_move=moved.append) == beside
    assert moved == [beside]
    assert path.read_bytes() == b"of another program"
    assert load(beside).is_finished
    assert curve_path(beside).exists()


def test_a_resumed_run_keeps_its_network_and_its_rules(cli: Cli, tmp_path: Path) -> None:
    """It may be named again, in other words too."""
    path = str(tmp_path / "n.safetensors")
    assert cli("train", *SMALL, "--out", path, "--games", "2").code == 0
    same = ["3210,5410", "--rules", "3x4"]
    assert cli("train", *same, "--resume", "--games", "3", "--out", path).code == 0
    for other, says in (
        (["4x6"], "expected 0123 0145, as in"),
        (["--rules", "3x3 goal=8"], "expected --rules '3x4"),
    ):
        code, _, err = cli("train", *other, "--resume", "--games", "3", "--out", path)
        assert (code, says in err) == (2, True)


OWN = Path(__file__).parents[2] / "examples" / "my_rule.py"


def test_a_rule_of_ones_own_is_named_again(cli: Cli, tmp_path: Path) -> None:
    path = str(tmp_path / "n.safetensors")
    code = ["--rule", f"{OWN}:rms", "--decay", f"{OWN}:halving"]
    found = cli("train", *SMALL, "--games", "20", "--out", path, *code)
    assert found.code == 0
    assert f": rule:0.1, rule {OWN}:rms, decay {OWN}:halving\n" in found.out
    again = cli("train", "--resume", "--games", "30", "--out", path)
    assert (again.code, again.out) == (2, "")
    assert f"the run uses the rule function '{OWN}:rms'. Pass --rule again" in again.err
    assert cli("train", "--resume", "--games", "30", "--out", path, *code).code == 0
