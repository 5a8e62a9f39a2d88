"""Training runs: in pieces, by phases, with several threads, stopped, failed."""

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.learn.digests import digest
from tests.learn.games import random_start, settings_of
from tests.support.threads import threads_since
from twofold.errors import ResourceError
from twofold.game.rules import Rules
from twofold.kernels import updates as at
from twofold.learn import training as module
from twofold.learn.curve import STRETCH, TILES
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import _RESULT_ROOM, Training, TrainingProgress, Words
from twofold.storage import memory

RUNS: dict[str, dict[str, Any]] = {
    "phases": {"shape": (3, 3), "schedule": "td@50%,tc@50%"},
    "backward": {"shape": (3, 3), "schedule": "tc", "order": "backward", "restart": 10},
    "carousel": {"shape": (2, 3), "schedule": "td", "stages": (16, 32), "carousel": True},
    "bands": {"shape": (3, 3), "schedule": "td", "bands": (40, 80)},
}


@pytest.fixture
def small_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make kernels play few moves at a time, with a pause in which a run can stop."""
    take = module.Worker.take_results

    def take_slowly(worker: module.Worker) -> Words:
        time.sleep(2e-4)
        return take(worker)

    monkeypatch.setattr(module.Worker, "take_results", take_slowly)
    monkeypatch.setattr(module, "_FIRST_CHUNK", 64)
    monkeypatch.setattr(module, "_CHUNK_SECONDS", 0.0)


def test_a_curve_counts_the_moves_until_its_games_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_of((4, 4), "tc", patterns="2x4")
    alone = Training(settings, games=STRETCH)
    alone.run()
    monkeypatch.setattr(module, "_FIRST_CHUNK", 1 << 20)  # calls that end far behind a point
    longer = Training(settings, games=STRETCH + 300)
    longer.run()
    (point,) = longer.curve.points
    assert point.moves == alone.moves == alone.curve.points[0].moves
    assert 0 < point.seconds <= longer.seconds


@pytest.mark.parametrize("threads", [1, 2])
def test_a_run_returns_after_a_number_of_games(threads: int) -> None:
    """With one thread after that game's last move, with more a few games later."""
    training = Training(
        TrainingSettings(patterns="01 12", rules=Rules(2, 3), threads=threads), games=9000
    )
    for games in (1, 2, 150, 150, 4000):
        training.run(games=games)
        assert games <= training.curve.games <= games + threads * (threads - 1) * _RESULT_ROOM
    if threads == 1:
        assert training.curve.games == 4000
    training.run(games=100_000)
    assert training.is_finished
    assert training.curve.games == 9000


# Games


@pytest.mark.parametrize("name", RUNS)
def test_all_games_are_played_and_counted(name: str) -> None:
    settings = settings_of(**RUNS[name], threads=3)
    training = Training(settings, games=300)
    random_start(training)
    training.run()
    assert training.is_finished
    assert training.games_begun[0] == 300
    assert training.done == 1
    for worker in training.workers:
        assert not worker.is_playing
        assert worker.words[at.RESULT_COUNT] == 0
    if settings.restart or settings.carousel or settings.bands:  # some begin elsewhere
        assert 0 < training.curve.games <= 300
    else:
        assert training.curve.games == 300
        assert training.updates == training.moves > 300
    assert np.isfinite(training.network.weights[0]).all()
    before = digest(training)
    training.run()
    assert digest(training) == before


def test_more_games_end_in_a_call_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FIRST_CHUNK", 1 << 20)
    training = Training(settings_of((2, 2), "td"), games=10_001)
    training.run()
    assert training.curve.games == 10_001
    assert len(training.curve.points) == 10


@pytest.mark.parametrize("games", [0, 1, 2])
def test_fewer_games_than_threads(games: int) -> None:
    training = Training(settings_of((2, 3), "td@50%,tc@50%", threads=5), games=games)
    training.run()
    assert training.is_finished
    assert training.curve.games == games


@pytest.mark.usefixtures("small_calls")
def test_a_curve_counts_the_moves_of_all_threads() -> None:
    training = Training(settings_of((2, 3), "td", threads=2), games=STRETCH)
    training.run()
    (point,) = training.curve.points
    assert 0.8 * training.moves < point.moves <= training.moves


def test_no_thread_restarts_in_a_game_of_the_phase_before() -> None:
    training = Training(settings_of((2, 3), "td@50%,td@50%", threads=2, restart=1), games=40)
    for worker in training.workers:
        worker.game[at.LAST_COUNT] = 5
    training._end_phase()
    assert [worker.game[at.LAST_COUNT] for worker in training.workers] == [0, 0]


def test_a_lower_limit_forgets_no_game_that_has_begun() -> None:
    training = Training(settings_of((2, 3), "td"), games=100)
    training.run(games=50)
    begun = training.begun
    training.limit(10, None)
    assert training.begun == begun >= 50


# Time


def test_each_phase_has_its_time() -> None:
    training = Training(settings_of((3, 3), "td@30%,tc@70%"), seconds=0.4)
    while not training.is_finished:
        training.run(seconds=0.05, every=0.01)
    assert (training.phase, training.done) == (1, 1)
    assert training.memory.any()
    assert training.curve.games > 10


# While it runs


def test_progress_is_reported() -> None:
    training = Training(settings_of((4, 4), "td@50%,tc@50%"), games=1_000_000)
    seen: list[TrainingProgress] = []
    stop = threading.Event()

    began = time.perf_counter()

    def report(progress: TrainingProgress) -> None:
        seen.append(progress)
        assert progress.seconds <= time.perf_counter() - began
        if progress.moves > 10_000 and len(seen) > 2:
            stop.set()

    training.run(stop=stop, on_progress=report, every=0.02)
    moves = [progress.moves for progress in seen]
    assert moves == sorted(moves)
    assert max(progress.speed for progress in seen) > 0
    last = seen[-1]
    assert 0 < last.seconds <= training.seconds
    assert last.games <= training.curve.games
    assert last.phase == 0
    assert last.done is not None
    assert 0 <= last.done < 1
    assert 0 < len(last.reached) <= len(TILES)
    assert not training.is_finished


def test_a_thread_that_fails_stops_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threads_since()
    training = Training(settings_of((4, 4), "td", threads=2))
    monkeypatch.setattr(training.workers[1], "take_results", raising(OSError("gone")))
    with pytest.raises(OSError, match="gone"):
        training.run(every=0.01)
    assert begun() == []


def test_an_interrupt_ends_all_threads() -> None:
    begun = threads_since()
    training = Training(settings_of((4, 4), "td", threads=2))
    with pytest.raises(KeyboardInterrupt):
        training.run(on_progress=raising(KeyboardInterrupt()), every=0.01)
    assert begun() == []
    moves = training.moves
    training.run(seconds=0.01, every=0.01)
    assert training.moves > moves


def raising(error: BaseException) -> Callable[..., Any]:
    def fail(*arguments: object) -> None:
        raise error

    return fail


def test_learning_that_diverges_stays_inside_its_weights() -> None:
    for stages in ((), (16,)):
        training = Training(settings_of((2, 3), "td:10", stages=stages), games=300)
        with np.errstate(all="ignore"):
            training.run()
        assert training.is_finished
        assert not np.isfinite(training.network.weights[0]).all()


# Memory


@pytest.mark.parametrize("patterns", ["01", "0123 012", "4x5"])
def test_threads_share_no_cache_line_that_one_of_them_writes(patterns: str) -> None:
    training = Training(settings_of((4, 4), "td", patterns=patterns, threads=3))
    written = [training.games_begun, training.carousel]
    for worker in training.workers:
        written += [worker.game, worker.words, worker.results]
    lines: set[int] = set()
    for array in [*written, training.network_words]:
        first = array.ctypes.data // module._LINE_BYTES
        own = set(range(first, (array.ctypes.data + array.nbytes - 1) // module._LINE_BYTES + 1))
        assert not lines & own
        lines |= own


def test_too_large_runs_are_refused_before_allocation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 10**8)
    with pytest.raises(ResourceError, match=r"80% of the free memory for training 4x6 \(80 MB\)"):
        Training(TrainingSettings(patterns="4x6"))
    Training(TrainingSettings(patterns="2x4"))
