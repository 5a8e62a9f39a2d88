"""The examples play: named on the command line, from a bench with two jobs."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from tests.support.commands import Cli
from tests.support.commands import cli as cli  # a fixture
from twofold import load_game
from twofold.game import reference

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture(scope="module")
def learner() -> ModuleType:
    """The example that learns, imported from its file."""
    spec = importlib.util.spec_from_file_location("td_learning", EXAMPLES / "td_learning.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bench(cli: Cli, *specs: str, jobs: int) -> dict[str, object]:
    done = cli("bench", *specs, "--games", "4", "--seed", "1", "--jobs", str(jobs), "--json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    return {key: value for key, value in document.items() if key not in ("timing", "machine")}


def test_an_evaluator_and_players_of_ones_own_play_in_two_jobs(cli: Cli) -> None:
    specs = [
        f"expectimax:eval={EXAMPLES / 'my_evaluator.py'}:EMPTY_CELLS,ply=2",
        f"{EXAMPLES / 'my_player.py'}:Tidy",
    ]
    two = bench(cli, *specs, jobs=2)
    assert two == bench(cli, *specs, jobs=1)
    assert "sha256" in json.dumps(two)


def test_the_learner_has_the_afterstates_of_the_reference(learner: ModuleType) -> None:
    rng = Random(1)
    for _ in range(1_000):
        cells = rng.choices(range(rng.randint(2, 18)), k=16)
        rows = tuple(tuple(cells[start : start + 4]) for start in (0, 4, 8, 12))
        found = learner.afterstates(rows + learner.crossed(rows))
        legal = reference.legal_moves(cells, 4, 4)
        expected = [reference.slide(cells, 4, 4, move) for move in legal]
        flat = [([e for row in board[:4] for e in row], reward) for board, reward in found]
        assert sorted(flat) == sorted(expected)
        assert all(board[4:] == learner.crossed(board[:4]) for board, _ in found)


def test_the_learner_rises_far_above_random_play() -> None:
    command = [sys.executable, str(EXAMPLES / "td_learning.py"), "--games", "250", "--seed", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    _, curve, test = done.stdout.splitlines()
    games, mean, *_ = curve.replace(",", "").split()
    assert games == "250"
    assert int(mean) > 3 * 1_100  # random play: 1,100 points; the largest reward always: 3,100
    assert int(test.split()[-1].replace(",", "")) > 3 * 1_100


def test_the_best_game_is_as_the_readme_says() -> None:
    game = load_game(EXAMPLES / "best-game.2048")
    assert f"{game.score:,} points" in (EXAMPLES.parent / "README.md").read_text("utf-8")
    assert game.board.max_tile == 65536
    assert len(game.moves) > 40_000
