"""`twofold engine` and `twofold engine-check`, and an engine where a player is named."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.players.engines import EXAMPLE_SPEC, EXAMPLE_WORDS, rogue
from tests.support.commands import Cli
from tests.support.forks import forked_workers as forked_workers  # a fixture
from tests.support.signals import hear_signals
from twofold.players.engine.conformance import CHECKS

EXAMPLE = " ".join(EXAMPLE_WORDS)
MINE = Path(EXAMPLE_WORDS[-1]).with_name("my_player.py")
"""A player in plain Python, which starts at once."""


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is sent as POSIX has it")
def test_ctrl_c_ends_it_quietly() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-m", "twofold", "engine", f"{MINE}:Tidy"],
        stdin=pipe, stdout=pipe, stderr=pipe, text=True, preexec_fn=hear_signals,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("ready\n")
        process.stdin.flush()
        assert process.stdout.readline() == "readyok\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (out, err, process.returncode) == ("", "", 130)


def test_the_example_passes(cli: Cli) -> None:
    code, out, err = cli("engine-check", EXAMPLE, "--boards", "20", "--slack", "20")
    assert (code, err) == (0, "")
    *checks, verdict = out.splitlines()
    assert len(checks) == len(CHECKS)
    assert all(line.startswith("ok      ") for line in checks)
    assert verdict == f"{len(CHECKS)} checks, all passed"


def test_one_that_fails_ends_with_code_1(cli: Cli) -> None:
    code, out, _ = cli("engine-check", " ".join(rogue("no-author")))
    assert code == 1
    assert out.splitlines() == [
        "FAILED  handshake      expected id author before u2048ok, got none",
        f"1 check, 1 failed, {len(CHECKS) - 1} not made",
    ]


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
@pytest.mark.parametrize(
    ("mode", "number", "options", "made"),
    [("silent", signal.SIGINT, [], 0), ("deaf", signal.SIGTERM, ["--json"], 2)],
)
def test_an_interrupted_check_ends_at_once_and_claims_nothing(
    mode: str, number: signal.Signals, options: list[str], made: int
) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "twofold", "engine-check", " ".join(rogue(mode)), *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=hear_signals,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        while process.stderr.readline() != f"checking {CHECKS[made].name} ...\n":
            pass
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == f"twofold: interrupted: {made} of {len(CHECKS)} checks ran, none failed\n"
    if options:
        document = json.loads(out)
        assert (document["passed"], document["interrupted"]) == (False, True)
        assert [one["name"] for one in document["checks"]] == [one.name for one in CHECKS[:made]]
    else:
        assert out == ""


def test_an_engine_plays_where_a_player_is_named(cli: Cli) -> None:
    code, out, err = cli("watch", EXAMPLE_SPEC, "--seed", "3")
    assert (code, err) == (0, "")
    assert "game over" in out
    assert out.splitlines()[-1].startswith("again: twofold watch 'engine:cmd=")
    code, out, _ = cli("analyse", "0012/0013/0024/1357", "--player", EXAMPLE_SPEC, "--json")
    document = json.loads(out)
    assert (code, document["unit"], document["reproducible"]) == (0, "points", True)
