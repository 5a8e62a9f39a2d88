"""`twofold players`: all of them, or one with examples."""

import shlex

import pytest

from tests.support.commands import Cli
from twofold.cli.players import EXAMPLES
from twofold.players import short_spec


def test_one_player_is_shown_with_its_keys_and_examples(cli: Cli) -> None:
    code, out, _ = cli("players", "expectimax")
    assert code == 0
    assert out.startswith("expectimax\n    best mean value over all spawns\n    eval=rows ")
    assert "the weights of its evaluator are keys, too: twofold players rows\n" in out
    assert "\nExample:\n  twofold watch expectimax:eval=snake,ply=2\n" in out
    assert "ntuple" not in out


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_name_the_player_and_known_keys(name: str) -> None:
    specs = [
        word
        for line in EXAMPLES[name]
        for word in shlex.split(line)
        if word.partition(":")[0] == name
    ]
    assert specs
    assert all(short_spec(spec).startswith(f"{name}:") for spec in specs)


def test_strengths(cli: Cli) -> None:
    told = cli("players", "fast")
    assert "    4x4      ntuple:ply=1\n" in told.out
    assert cli("players", "fast:threads=2").out == told.out
    assert "ratio=0.25" in cli("players", "eval=snake").out
    assert "twofold watch fast" in told.out
    assert '"name":"max"' in cli("players", "--json").out.replace(" ", "")
