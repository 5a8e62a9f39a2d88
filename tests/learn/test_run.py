"""A run and its files: checkpoints, curve as CSV, and TensorBoard events."""

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from twofold.errors import InvalidInput, ResourceError
from twofold.game.rules import Rules
from twofold.learn.checkpoint import load
from twofold.learn.curve import Curve, Evaluation, Measured
from twofold.learn.run import CURVE_SECONDS, _CurveFile, run
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import Training
from twofold.values.network import Network

SMALL = TrainingSettings(patterns="0123 0145", rules=Rules.parse("3x4"), threads=1)


def events_in(folder: Path) -> dict[int, dict[str, float]]:
    """What TensorBoard reads, by step and tag."""
    events = EventAccumulator(str(folder)).Reload()
    found: dict[int, dict[str, float]] = {}
    for tag in events.Tags()["tensors"]:
        for event in events.Tensors(tag):
            found.setdefault(event.step, {})[tag] = event.tensor_proto.float_val[0]
    return found


def test_every_point_and_every_evaluation_is_an_event(tmp_path: Path) -> None:
    path = tmp_path / "n.safetensors"
    run(Training(SMALL, games=2000), path, measure=Judge(), measure_every=100.0)
    values = events_in(tmp_path / "n.tensorboard")
    assert sorted(values) == [0, 1000, 2000]
    assert values[0] == {"evaluation/mean": 1.0, "survival/late": 0.5}
    assert values[2000]["evaluation/mean"] == 2.0
    points = load(path).curve.points
    assert values[2000]["score/mean"] == pytest.approx(points[1].mean, rel=1e-6)
    assert values[2000]["reached/1024"] == pytest.approx(points[1].reached[0], rel=1e-6)
    run(load(path, games=3000), path)  # goes on: the first two are there already
    assert sorted(events_in(tmp_path / "n.tensorboard")) == [0, 1000, 2000, 3000]
    assert len(list((tmp_path / "n.tensorboard").iterdir())) == 2


def test_without_tensorboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    run(Training(SMALL, games=1000), tmp_path / "n.safetensors")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["n.csv", "n.safetensors"]


class Judge:
    """A fake evaluation that counts its calls."""

    def __init__(self, stop: threading.Event | None = None) -> None:
        self.stop, self.asked = stop, 0

    def __call__(self, network: Network) -> Measured | None:
        self.asked += 1
        if self.stop is not None:
            self.stop.set()
            return None
        return Measured(float(self.asked), 1.0, {"late": 0.5})


class Steady:
    """A run that learns nothing for just as many seconds as it is asked to; they are noted."""

    def __init__(self) -> None:
        self.curve, self.evaluations = Curve(), list[Evaluation]()
        self.seconds, self.moves, self.asked = 0.0, 0, list[float]()
        self.network, self.settings, self.done = None, None, None

    @property
    def is_finished(self) -> bool:
        return self.seconds >= 100.0

    def run(self, *, seconds: float | None = None, **_: Any) -> None:
        self.asked.append(seconds or 0.0)
        self.seconds += seconds or 0.0
        self.moves += 1


def test_a_run_pauses_for_files_and_evaluations_at_their_times(tmp_path: Path) -> None:
    training: Any = Steady()
    written = list[float]()
    run(
        training,
        tmp_path / "n",
        save=lambda one, _: written.append(one.seconds),
        interval=30.0,
        measure=Judge(),
        measure_every=20.0,
    )
    assert training.asked == [20.0, 10.0, 10.0, 20.0, 20.0, 10.0, 10.0]
    assert written == [30.0, 60.0, 90.0, 100.0]
    assert [one.seconds for one in training.evaluations] == [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]


def test_the_network_is_evaluated_after_a_number_of_games(tmp_path: Path) -> None:
    """With one thread always after the same moves, also if the run was stopped in between."""
    judge = Judge()
    whole, told = Training(SMALL, games=250), list[Evaluation]()
    run(
        whole,
        tmp_path / "whole.safetensors",
        measure=judge,
        measure_games=100,
        on_evaluation=told.append,
    )
    assert whole.evaluations == told
    header, *rows = (tmp_path / "whole.evaluations.csv").read_text().splitlines()
    assert header == "games,moves,seconds,training_mean,mean,margin,survival late"
    assert len(rows) == len(told)
    assert [one.games for one in whole.evaluations] == [0, 100, 200, 250]
    path = tmp_path / "n.safetensors"
    run(Training(SMALL, games=130), path, measure=judge, measure_games=100)
    first = load(path, games=250)
    assert [one.games for one in first.evaluations] == [0, 100, 130]
    run(first, path, measure=judge, measure_games=100)
    assert [one.games for one in first.evaluations] == [0, 100, 130, 200, 250]
    moves = {one.games: one.moves for one in first.evaluations}
    assert {one.games: one.moves for one in whole.evaluations}.items() <= moves.items()
    assert np.array_equal(first.network.weights, whole.network.weights)


def test_a_measurement_that_is_stopped_leaves_nothing(tmp_path: Path) -> None:
    path, stop = tmp_path / "n.safetensors", threading.Event()
    judge = Judge(stop)
    run(Training(SMALL, games=10), path, measure=judge, measure_every=100.0, stop=stop)
    assert judge.asked == 1
    found = load(path)
    assert found.evaluations == []
    assert found.moves == 0


def test_the_curve_is_written_while_it_learns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As soon as it has a new point, not too often; failures are retried."""
    training: Any = SimpleNamespace(curve=Curve(stretch=1), evaluations=[])
    clock = [0.0]
    monkeypatch.setattr("twofold.learn.run.time.monotonic", lambda: clock[0])
    file = _CurveFile(training, tmp_path / "n.csv")
    lines = []
    for now in (CURVE_SECONDS - 1, CURVE_SECONDS, 2 * CURVE_SECONDS - 1, 3 * CURVE_SECONDS):
        clock[0] = now
        training.curve.add(np.array([[100, 50, 6]], np.uint64), 50, 1.0)
        file.follow()
        path = tmp_path / "n.csv"
        lines.append(len(path.read_text().splitlines()) if path.exists() else 0)
    assert lines == [0, 3, 3, 5]  # with the header
    clock[0] += 10
    file.follow()  # no new point
    with monkeypatch.context() as broken:
        broken.setattr("twofold.learn.run.atomic_write", _full)
        training.curve.add(np.array([[100, 50, 6]], np.uint64), 50, 1.0)
        file.follow()
    assert len(path.read_text().splitlines()) == 5


def _full(*_: object) -> None:
    raise ResourceError("the disk is full")


@pytest.mark.parametrize(
    ("name", "what"), [("net.csv", "learning curve"), ("net.evaluations.csv", "table of eval")]
)
def test_a_file_of_another_kind_is_not_replaced(name: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("mine\n")
    with pytest.raises(InvalidInput, match=f"is no {what}"):
        run(Training(SMALL, games=2), tmp_path / "net.safetensors", measure=Judge())
    assert [one.name for one in tmp_path.iterdir()] == [name]
    assert path.read_text() == "mine\n"
    path.write_text("games,moves\n1,2\n")
    run(Training(SMALL, games=2), tmp_path / "net.safetensors", measure=Judge())


@pytest.mark.promise("R90")
def test_a_run_whose_file_was_replaced_moves_to_where_no_file_of_it_is(tmp_path: Path) -> None:
    path, curve = tmp_path / "n.safetensors", tmp_path / "n-2.csv"
    curve.write_text("mine")

    def replace(evaluation: Evaluation) -> None:
        path.write_bytes(b"of another program")

    training = Training(SMALL, games=2)
    found = run(training, path, measure=Judge(), on_evaluation=replace)
    assert found == tmp_path / "n-3.safetensors"
    assert load(found).is_finished
    assert curve.read_text() == "mine"
