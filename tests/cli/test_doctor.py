"""`twofold doctor` and `twofold players`."""

import importlib.metadata
import json
import os
import platform
from pathlib import Path

import pytest

from tests.support.commands import Cli
from twofold.game.notation import format_number
from twofold.players import entries
from twofold.values import EVALUATORS


def test_what_is_here(cli: Cli) -> None:
    code, out, _ = cli("doctor")
    assert code == 0
    names = [line.split()[0] for line in out.splitlines() if line]
    for name in ("twofold", "python", "numba", "numpy", "llvmlite", "processor", "cores", "cache"):
        assert name in names
    assert platform.python_version() in out
    extras = json.loads(cli("doctor", "--json").out)["extras"]
    assert " ".join(sorted(extras)) == "browser env policy ray report sb3 share tui tune web"
    assert f"uvicorn {extras['web']['uvicorn']}" in out


def test_missing_parts_and_how_to_get_them(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    needs = ["numpy>=2", "no-such-thing>=1", "no-web>=1; extra == 'web'", "nope; extra=='test'"]
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: needs)
    out = cli("doctor").out
    assert "missing: no-such-thing. Install it with: pip install twofold\n" in out
    assert "  web  no-web not installed. Install with: pip install 'twofold[web]'\n" in out
    assert "nope" not in out
    missing = json.loads(cli("doctor", "--json").out)["missing"]
    assert [one["extra"] for one in missing] == ["", "web"]


def test_a_cache_folder_that_cannot_be_written(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TWOFOLD_CACHE_DIR", str(tmp_path / "a" / "b"))
    assert "(not used)" not in cli("doctor").out
    (tmp_path / "file").touch()
    monkeypatch.setenv("TWOFOLD_CACHE_DIR", str(tmp_path / "file" / "b"))
    out = cli("doctor").out
    assert "(not used)" in out
    assert "make the cache folder one that you alone can write to" in out
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    monkeypatch.setenv("TWOFOLD_CACHE_DIR", str(tmp_path / "open" / "b"))
    assert ("(not used)" in cli("doctor").out) is (os.name == "posix")


def test_players_and_evaluators_are_listed_with_their_keys(cli: Cli) -> None:
    out, document = cli("players").out, json.loads(cli("players", "--json").out)
    keys = {
        entry.name: {name: key.default for name, key in entry.keys.items()} for entry in entries()
    }
    weights = {
        f"eval={one.name}": {name: format_number(value) for name, value in one.weights.items()}
        for one in EVALUATORS.values()
    }
    for title, pairs in (keys | weights).items():
        assert f"\n{title}\n" in f"\n{out}"
        assert all(f"{name}={default}" in out for name, default in pairs.items())
    assert [one["name"] for one in document["players"]] == list(keys)
    found = {one["name"]: one["keys"] for one in document["evaluators"]}
    assert list(found) == list(EVALUATORS)
    assert found["snake"]["ratio"]["default"] == "0.25"
