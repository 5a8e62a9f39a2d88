"""Learning rules and schedules of step sizes that users write."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.kernels.drivers import learn_one
from twofold.errors import InvalidInput, InvalidNetwork, LimitExceeded
from twofold.game.board import Board
from twofold.kernels import updates as at
from twofold.learn.checkpoint import load, save
from twofold.learn.rules import Decay, LearningRule, decay, learning_rule
from twofold.learn.settings import TrainingSettings, parse_schedule
from twofold.learn.training import Training
from twofold.players.own_code import load_object

EXAMPLE = Path(__file__).parents[2] / "examples" / "my_rule.py"
TD = parse_schedule("td:0.1")
OWN = parse_schedule("rule:0.1")


@pytest.fixture(scope="module")
def same_as_td() -> LearningRule:
    @learning_rule()
    def rule(places: Any, count: Any, step: Any, weights: Any, memory: Any) -> None:
        for number in range(count):
            weights[places[number]] += np.float32(step)

    return rule


@pytest.fixture(scope="module")
def counts() -> LearningRule:
    """It changes no weight, and counts how often each was visited."""

    @learning_rule(memory=3)
    def rule(places: Any, count: Any, step: Any, weights: Any, memory: Any) -> None:
        for number in range(count):
            memory[3 * places[number] + 2] += 1

    return rule


@pytest.fixture(scope="module")
def halved() -> Decay:
    @decay
    def schedule(updates: int) -> float:
        return 1.0 if updates < 1_000 else 0.5

    return schedule


def trained(games: int = 30, **settings: Any) -> Training:
    training = Training(TrainingSettings(patterns="0123 4567", **settings), games=games)
    training.run()
    return training


def test_td_as_a_rule_of_ones_own_learns_the_same(same_as_td: LearningRule) -> None:
    own, ours = trained(schedule=OWN, rule=same_as_td), trained(schedule=TD)
    assert own.network.weights.any()
    assert own.network.weights.tobytes() == ours.network.weights.tobytes()


def test_a_rule_has_its_memory(counts: LearningRule) -> None:
    training = trained(schedule=OWN, rule=counts)
    assert not training.network.weights.any()
    assert training.memory.shape == (training.network.weights.size, 3)
    assert training.memory[:, 2].sum() == training.updates * training.network.features
    assert not training.memory[:, :2].any()


def test_a_schedule_counts_the_updates_of_all_threads(halved: Decay) -> None:
    """Half as large from the thousandth on: with two threads that is the 500th of each."""
    settings = TrainingSettings(patterns="0123 4567", schedule=TD, decay=halved, threads=2)
    training, after = Training(settings), np.uint64(Board.parse("1230/0000/0000/0000").to_bits())
    worker, steps = training.workers[1], []
    worker.begin(settings.schedule[0], 0)
    for made in (499, 500):
        training.network.weights[0] = 0.0
        worker.words[at.UPDATES] = made
        learn_one(worker.words, after, 100.0)
        steps.append(training.network.weights.max())
    assert steps[0] == 2 * steps[1] > 0


def test_the_rule_of_the_example_learns(figure: Callable[[str], None]) -> None:
    rms, halving = load_object(f"{EXAMPLE}:rms"), load_object(f"{EXAMPLE}:halving")
    training = trained(4_000, schedule=OWN, rule=rms, decay=halving)
    points = training.curve.points
    figure(f"mean score {points[0].mean:,.0f}, after 4,000 games {training.curve.mean:,.0f}")
    assert training.curve.mean > 1.5 * points[0].mean


def test_a_run_resumes_with_the_same_code(
    tmp_path: Path, same_as_td: LearningRule, halved: Decay
) -> None:
    whole = trained(schedule=OWN, rule=same_as_td, decay=halved)
    settings = TrainingSettings(patterns="0123 4567", schedule=OWN, rule=same_as_td, decay=halved)
    first = Training(settings, games=30)
    first.run(games=10)
    file = tmp_path / "net.safetensors"
    save(first, file)
    with pytest.raises(InvalidNetwork, match="Pass --rule again"):
        load(file)
    with pytest.raises(InvalidNetwork, match="Pass --decay again"):
        load(file, rule=same_as_td)
    again = load(file, rule=same_as_td, decay=halved)
    again.run()
    assert again.network.weights.tobytes() == whole.network.weights.tobytes()


def test_another_memory_is_refused(
    tmp_path: Path, same_as_td: LearningRule, counts: LearningRule
) -> None:
    file = tmp_path / "net.safetensors"
    save(trained(1, schedule=OWN, rule=counts), file)
    with pytest.raises(InvalidNetwork, match="expected float32 memory of shape"):
        load(file, rule=same_as_td)
    save(trained(1, schedule=TD), file)
    with pytest.raises(InvalidNetwork, match=r"the run uses no rule function\. Leave 'rule' out"):
        load(file, rule=same_as_td)


@pytest.mark.parametrize(
    ("schedule", "with_rule", "expected"),
    [
        (
            "rule",
            False,
            "expected a learning rule together with phases .* got rule:0.1 and no rule",
        ),
        ("td", True, "expected a learning rule together with phases .* got td:0.1 and rule"),
        ("tc@50%,rule@50%", True, "expected phases of the rule or of tc, got both"),
    ],
)
def test_rules_and_phases_go_together(
    schedule: str, with_rule: bool, expected: str, same_as_td: LearningRule
) -> None:
    with pytest.raises(InvalidNetwork, match=expected):
        TrainingSettings(
            patterns="4x6",
            schedule=parse_schedule(schedule),
            rule=same_as_td if with_rule else None,
        )


def too_few(places: Any, count: Any) -> None:
    return


def no_number(places: Any, count: Any, step: Any, weights: Any, memory: Any) -> None:
    weights[places[0]] = "1"


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (too_few, r"expected def too_few\(places, count, step, weights, memory\), got 2 arguments"),
        (no_number, "cannot compile no_number: "),
    ],
)
def test_invalid_rules_are_refused(function: Any, expected: str) -> None:
    with pytest.raises(LimitExceeded, match="memory of a learning rule"):
        learning_rule(memory=9)
    with pytest.raises(InvalidInput, match=expected):
        learning_rule()(function)


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (
            lambda updates: -1.0,
            "expected <lambda> to return a factor from 0 to 1000, got -1.0 after 0",
        ),
        (lambda updates: 1.0 + updates, "got 1001.0 after 1,000 updates"),
        (lambda updates: 0.0 / (updates - updates), "got nan after 0 updates"),
        (lambda updates, more: 1.0, r"expected def <lambda>\(updates\), got 2 arg"),
    ],
)
def test_invalid_schedules_of_steps_are_refused(schedule: Any, expected: str) -> None:
    with pytest.raises(InvalidInput, match=expected):
        decay(schedule)
