"""The examples play: named on the command line, from a bench with two jobs."""

import importlib.util
import json
import re
import subprocess
import sys
from itertools import product
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


def scores(learner: ModuleType, games: int, seed: int) -> list[int]:
    """The scores of the games of a new network that learns."""
    network, rng, found = learner.new_network(), Random(seed), []
    for _ in range(games):
        path = learner.play(network, rng)
        learner.learn(network, path)
        found.append(learner.score(path))
    return found


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


def test_the_learner_slides_lines_as_the_reference_does(learner: ModuleType) -> None:
    rng = Random(1)
    lines = [*product(range(5), repeat=4)]
    lines += [tuple(rng.choices(range(18), k=4)) for _ in range(2_000)]
    for line in lines:
        left, reward = reference.slide_row(line)
        right, mirrored = reference.slide_row(line[::-1])
        assert learner.slides(line) == (tuple(left), tuple(right[::-1]), reward)
        assert mirrored == reward


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


def test_the_learner_spawns_in_every_empty_cell_and_nowhere_else(learner: ModuleType) -> None:
    rows = ((1, 0, 2, 3), (4, 5, 6, 7), (1, 2, 3, 4), (5, 6, 7, 0))
    rng, board = Random(1), rows + learner.crossed(rows)
    found = [learner.spawn(board, rng) for _ in range(1_000)]
    new = [(after[0][1], after[3][3]) for after in found]
    assert set(new) == {(1, 0), (2, 0), (0, 1), (0, 2)}
    assert sum(max(pair) == 2 for pair in new) == pytest.approx(100, abs=30)
    assert {after[1:3] for after in found} == {rows[1:3]}
    assert all(after[4:] == learner.crossed(after[:4]) for after in found)


def test_a_board_has_the_same_value_in_all_symmetries(learner: ModuleType) -> None:
    network, rng = learner.new_network(), Random(1)
    for _ in range(5):
        learner.learn(network, learner.play(network, rng))
    for board, _ in learner.play(network, rng):
        rows, columns = board[:4], board[4:]
        mirrored = tuple(row[::-1] for row in rows)
        value = learner.value(network, board)
        assert value == learner.value(network, columns + rows)
        assert value == learner.value(network, mirrored + learner.crossed(mirrored))


def test_a_seed_gives_the_same_learner(learner: ModuleType) -> None:
    found = scores(learner, games=20, seed=1)
    assert found == scores(learner, games=20, seed=1)
    assert found != scores(learner, games=20, seed=2)


def test_ctrl_c_ends_the_learning_without_a_traceback(
    learner: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "argv", ["td_learning.py"])
    monkeypatch.setattr(learner, "learn", interrupt)
    learner.main()
    assert "100 games without learning: mean " in capsys.readouterr().out


def test_the_learner_rises_far_above_random_play() -> None:
    command = [sys.executable, str(EXAMPLES / "td_learning.py"), "--games", "250", "--seed", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    _, curve, test = done.stdout.splitlines()
    games, mean, *_ = curve.replace(",", "").split()
    assert games == "250"
    assert int(mean) > 3 * 1_100  # random play: 1,100 points; the largest reward always: 3,100
    assert int(test.split()[-1].replace(",", "")) > 3 * 1_100


def test_the_page_about_the_learner_shows_its_code() -> None:
    code = (EXAMPLES / "td_learning.py").read_text(encoding="utf-8")
    page = (EXAMPLES.parent / "docs" / "tutorial-learning.md").read_text(encoding="utf-8")
    shown = re.findall(r":pyobject: (\w+)", page)
    assert len(shown) == 6
    assert [name for name in shown if f"\ndef {name}(" not in code] == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("example", "needs", "extra"),
    [("maskable_ppo", "sb3_contrib", "sb3"), ("ppo", "torch", "policy")],
)
def test_a_policy_network_rises_above_random_play(example: str, needs: str, extra: str) -> None:
    pytest.importorskip(needs, reason=f"needs pip install 'twofold[{extra}]'")
    command = [sys.executable, str(EXAMPLES / f"{example}.py"), "--minutes", "20"]
    command += ["--steps", "250000"]  # however busy the machine is
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=1_500)
    before, *_, after = done.stdout.splitlines()
    means = [float(line.split()[-1].replace(",", "")) for line in (before, after)]
    assert means[0] < 1_600  # random play: 1,100 points
    assert means[1] > 1.5 * means[0]


def test_the_plain_loop_is_one_short_file() -> None:
    assert len((EXAMPLES / "ppo.py").read_text(encoding="utf-8").splitlines()) <= 250


def test_the_best_game_is_as_the_readme_says() -> None:
    game = load_game(EXAMPLES / "best-game.2048")
    assert f"{game.score:,} points" in (EXAMPLES.parent / "README.md").read_text("utf-8")
    assert game.board.max_tile == 65536
    assert len(game.moves) > 40_000
