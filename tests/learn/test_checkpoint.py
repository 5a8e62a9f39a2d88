"""Checkpoints: runs that were stopped, killed or resumed equal uninterrupted ones."""

import contextlib
import json
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests.learn.digests import digest
from tests.learn.killed import SMALL, train
from tests.support.forks import fork
from twofold.errors import InvalidInput, InvalidNetwork
from twofold.kernels import updates as at
from twofold.learn.checkpoint import STATE, load, save, start_from
from twofold.learn.run import run
from twofold.learn.settings import TrainingSettings, parse_schedule
from twofold.learn.training import Training
from twofold.storage.arrays import map_tensors, write_tensors
from twofold.storage.work import WorkFile
from twofold.values.network_file import read_card, read_network, write_network

VARIANTS = [
    SMALL,
    replace(SMALL, schedule=parse_schedule("td:0.1@50%,tc@50%"), optimism=100.0),
    replace(SMALL, order="backward", lambda_=0.5, restart=10, restart_at=0.3, optimism=2.5),
    replace(SMALL, lambda_=1.0, steps=3, stages=(64, 128), carousel=True),
    replace(SMALL, order="backward"),
    replace(SMALL, bands=(60, 150), band_share=0.4),
]


def finished(settings: TrainingSettings, games: int) -> Training:
    training = Training(settings, games=games)
    training.run()
    return training


@pytest.mark.promise("R14")
@pytest.mark.parametrize("settings", VARIANTS, ids=lambda one: one.describe())
def test_a_resumed_run_equals_an_uninterrupted_one(
    settings: TrainingSettings, tmp_path: Path
) -> None:
    path = tmp_path / "net.safetensors"
    whole = finished(settings, 1500)
    training = Training(settings, games=1500)
    cuts = 0
    while not training.is_finished:
        enough = training.curve.games + 600  # on a busy machine time alone might not cut a run
        training.run(seconds=0.01, games=enough, every=0.001)
        save(training, path)
        training = load(path)
        cuts += 1
    assert cuts >= 2
    assert digest(training) == digest(whole)
    assert training.curve.games <= 1500


def _kills(count: int, games: int, path: Path) -> int:
    """Several times, begin a run and kill it after a few checkpoints."""
    killed = 0
    for number in range(count):
        ours, theirs = multiprocessing.Pipe(duplex=False)
        process = fork(train, path, games, theirs)
        theirs.close()
        with ours, contextlib.suppress(EOFError):
            for _ in range(1 + number % 3):
                ours.recv()
        process.kill()
        process.join()
        killed += process.exitcode == -signal.SIGKILL
        process.close()
    return killed


@pytest.mark.promise("R14")
@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize(
    "count", [3, pytest.param(100, marks=pytest.mark.long)], ids=["3 kills", "100 kills"]
)
def test_a_run_killed_goes_on_from_its_last_checkpoint(
    count: int, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    path = tmp_path / "net.safetensors"
    games = 60_000 * count
    killed = _kills(count, games, path)
    assert killed == count
    training = load(path)
    assert 0 < training.games_begun[0] < games
    training.game_limit = total = int(training.games_begun[0]) + 2_000
    training.run()
    assert digest(training) == digest(finished(SMALL, total))
    assert not list(tmp_path.glob(".*"))
    figure(f"{killed} kills, equal to the uninterrupted run")


@pytest.mark.promise("R16")
def test_a_torn_checkpoint_is_refused(tmp_path: Path) -> None:
    path, torn = tmp_path / "net.safetensors", tmp_path / "torn.safetensors"
    settings = replace(SMALL, patterns="01 12")
    training = Training(settings, games=3)
    training.run()
    save(training, path)
    data = path.read_bytes()
    for size in {*range(0, len(data), max(len(data) // 200, 1)), len(data) - 1}:
        torn.write_bytes(data[:size])
        with pytest.raises(InvalidNetwork, match=r"torn\.safetensors"):
            load(torn)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The checkpoint of a run of some games."""
    path = tmp_path_factory.mktemp("begun") / "net.safetensors"
    training = Training(replace(SMALL, patterns="01 12"))
    training.run(seconds=0.01)
    save(training, path)
    return path.read_bytes()


def rewritten(path: Path, change: "Change") -> None:
    """Write a checkpoint again with its state or tensors changed."""
    content = map_tensors(path)
    tensors = {name: np.array(array) for name, array in content.tensors.items()}
    state = json.loads(content.metadata[STATE])
    change(state, tensors)
    write_tensors(path, tensors, {**content.metadata, STATE: json.dumps(state)})


Change = Callable[[dict[str, Any], dict[str, Any]], None]


def state(**values: Any) -> Change:
    return lambda state, tensors: state.update(values)


def curve(**values: Any) -> Change:
    return lambda state, tensors: state["curve"].update(values)


def settings(**values: Any) -> Change:
    return lambda state, tensors: state["settings"].update(values)


def tensor(name: str, value: Any, place: Any = None) -> Change:
    """Another tensor, made from the present one if `value` is a function; or a part of it."""

    def change(state: dict[str, Any], tensors: dict[str, Any]) -> None:
        if place is not None:
            tensors[name][place] = value
        else:
            tensors[name] = value(tensors[name]) if callable(value) else value

    return change


ONE = np.ones((1, 1))

HOSTILE: dict[str, Change] = {
    "no settings": lambda state, tensors: state.pop("settings"),
    "settings of another type": state(settings=[1]),
    "12 cells": settings(patterns="0123456789ab"),
    "a million threads": settings(threads=10**6),
    "a phase beyond the last": state(phase=-7),
    "games below zero": state(games_begun=-1),
    "a history of 2^40": tensor("games", 2**40, (0, at.COUNT)),
    "a game that does something else": tensor("games", 9, (0, at.STATE)),
    "an update beyond the history": tensor("games", [2, 0, 0, 0, 1, 0, 0, 0, 2**50, 0, 0, 0, 0], 0),
    "a stage beyond the last": tensor("threads", 99, (0, 2)),
    "no games": lambda state, tensors: tensors.pop("games"),
    "no sums": lambda state, tensors: tensors.pop("sums"),
    "sums of another shape": tensor("sums", lambda sums: sums[:-1]),
    "histories cut off": tensor("histories", lambda histories: histories[:-1]),
    "a curve of words": curve(points=[["a"]]),
    "a tile that is none": curve(since=[[1, -1]]),
    "a score of many digits": curve(since=[[10**40, 1]]),
    "a game of three numbers": curve(recent=[[1, 2, 3]]),
    "more games than a point has": curve(stretch=0),
    "points without rates": curve(points=[[1, 2, 3, 4, 5]]),
    "too many points": curve(points=[[1] * 11] * 2001),
    "no curve": state(curve=None),
    "an evaluation of words": state(evaluations=["a"]),
    "time that runs back": state(seconds=-1.0),
    "weights of another type": tensor("weights", lambda weights: weights.astype("f8")),
    "weights without end": tensor("weights", np.inf, ...),
    "sums of one number": tensor("sums", ONE.astype("f4")),
    "sums that are none": tensor("sums", np.nan, ...),
    "the sums of another network": settings(patterns="0", rules="4x4"),
    "more patterns than weights": settings(patterns="01234567 12345678", rules="4x4"),
    "a carousel of one word": tensor("carousel", ONE.astype("u8")),
    "games of one word": tensor("games", ONE.astype("u8")),
    "threads of one word": tensor("threads", ONE.astype("u8")),
    "histories of floats": tensor("histories", np.ones(9)),
}


@pytest.mark.promise("R23")
@pytest.mark.promise("R64")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_checkpoint_is_refused(name: str, begun: bytes, tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    path.write_bytes(begun)
    rewritten(path, HOSTILE[name])
    with pytest.raises(InvalidInput, match=r"net\.safetensors"):
        load(path)


@pytest.mark.promise("R64")
@pytest.mark.parametrize("sums", [np.ones((1, 2)), np.ones((4, 2)), np.ones(512), np.nan])
def test_sums_to_start_from_are_those_of_the_weights(sums: Any, tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    settings = replace(SMALL, patterns="01 12")
    save(finished(settings, 3), path)
    size = len(Training(settings).memory)
    found = np.full((size, 2), sums) if np.isscalar(sums) else sums
    rewritten(path, tensor("sums", found.astype("f4")))
    training = Training(settings)
    with pytest.raises(InvalidNetwork, match=r"expected (float32|finite) sums.*net\.safetensors"):
        start_from(training, path)
    assert not training.memory.any()


def test_contents_of_a_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    settings = replace(SMALL, stages=(64,), restart=20, downgrade=512)
    training = finished(settings, 2500)
    save(training, path)
    card = read_card(path)
    assert (card.patterns, card.symmetries, card.stages) == ("0123 0145", 4, (64,))
    assert card.games == training.curve.games > 0
    assert card.moves == training.moves
    assert card.settings["restart"] == 20
    assert card.settings["seed"] == "5"
    assert card.settings["downgrade"] == 512
    assert card.method == "tc:1, stages 64, restart 20, downgrade 512"
    network, _ = read_network(path)
    assert np.array_equal(network.weights, training.network.weights, equal_nan=True)
    again = load(path)
    assert again.settings == settings
    assert again.is_finished


def test_other_limits_and_threads(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    save(finished(SMALL, 500), path)
    longer = load(path, games=800, threads=2)
    assert not longer.is_finished
    longer.run()
    assert longer.games_begun[0] >= 800
    save(longer, path)
    for threads in (1, 3):
        other = load(path, threads=threads)
        assert (other.moves, other.updates) == (longer.moves, longer.updates)
    assert load(path, seconds=1e6).second_limit == 1e6
    assert load(path, seconds=1e6).game_limit is None


def test_a_network_is_no_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    save(finished(SMALL, 10), path)
    network, card = read_network(path)
    write_network(tmp_path / "plain.safetensors", network, card)
    with pytest.raises(InvalidNetwork, match="has no training run to resume"):
        load(tmp_path / "plain.safetensors")


def test_a_run_that_is_saved_often_stays_in_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twofold.storage.work.WRITING_SHARE", 0.5)
    path, saved, stop = tmp_path / "n.safetensors", list[float](), threading.Event()

    def note(seconds: float) -> None:
        saved.append(seconds)
        if len(saved) == 3:
            stop.set()

    training = Training(SMALL, seconds=600)
    assert run(training, path, interval=0.01, stop=stop, on_save=note) == path
    assert {one.name for one in tmp_path.iterdir() if one.is_file()} == {path.name, "n.csv"}


def test_checkpoints_take_a_twentieth_of_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that takes 0.1 s to write is followed by 1.9 s of training, a fast one by 1 s."""
    times = iter([0.0, 0.1, 5.0, 5.01])
    clock = SimpleNamespace(perf_counter=lambda: next(times))
    monkeypatch.setattr("twofold.storage.work.time", clock)
    file = WorkFile(tmp_path / "n", interval=1.0)
    for spent, taken, due in ((4.0, 0.1, 5.9), (7.0, 0.01, 8.0)):
        assert file.save(Path.touch, spent) == pytest.approx(taken)
        assert file.due == pytest.approx(due)
