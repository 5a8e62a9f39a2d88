"""Plays the trials of a tuning: in this process, or in several that open the same file.

One process plays a whole trial. The parent starts each trial, so that no more are played than
wanted, and replaces a process that dies.
"""

import contextlib
import multiprocessing
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final, NoReturn, Self

from twofold.arena import workers
from twofold.arena.tuning import study as tune_study
from twofold.arena.tuning.sampling import ORDER, ask, finished_trials
from twofold.arena.tuning.settings import TuningSettings
from twofold.errors import InvalidInput, ResourceError, TwofoldError
from twofold.players import make_player, play_game
from twofold.players.faults import describe, describe_caught
from twofold.seeds import SeedRange

MAX_DEATHS: Final = 3
"""Largest number of processes that may die between two finished trials."""

REPORT_SECONDS: Final = 0.2
"""Smallest interval between two progress reports of a process."""


@dataclass(frozen=True, slots=True)
class TrialBegun:
    """A trial has started; its number in the file."""

    trial: int


@dataclass(frozen=True, slots=True)
class TrialPlayed:
    """More games of a trial are finished."""

    games: int


@dataclass(frozen=True, slots=True)
class TrialFinished:
    """A trial is finished; its value of the objective."""

    value: float


@dataclass(frozen=True, slots=True)
class TrialLost:
    """A trial will not be finished: it was stopped, or its process died."""

    trial: int | None = None


@dataclass(frozen=True, slots=True)
class TrialFailed:
    """A trial failed, which ends the tuning."""

    text: str
    exit_code: int = 1


TrialReport = TrialBegun | TrialPlayed | TrialFinished | TrialLost | TrialFailed
Tell = Callable[[TrialReport], None]


class TrialWorker:
    """Plays trials in one process; `number` is that of the process."""

    def __init__(self, settings: TuningSettings, path: Path, number: int) -> None:
        self.settings, self.path, self.number = settings, path, number
        self.study = tune_study.connect(path)

    def play(self, stop: Callable[[], bool], tell: Tell) -> None:
        """Play one trial and store its result."""
        try:
            with tune_study.storage_errors(self.path):
                trial = ask(self.study, self.settings, self.number)
                spec = self.settings.spec(trial.params)
            tell(TrialBegun(trial.number))
            began = time.perf_counter()
            value = self._play_games(spec, stop, tell)
            with tune_study.storage_errors(self.path):
                if value is None:
                    tune_study.fail(self.study, trial.number)
                else:
                    trial.set_user_attr("spec", spec)
                    trial.set_user_attr("seconds", time.perf_counter() - began)
                    trial.set_user_attr(ORDER, len(finished_trials(self.study)))
                    self.study.tell(trial, value)
        except Exception as error:
            tell(_failure(error))
        else:
            tell(TrialLost(trial.number) if value is None else TrialFinished(value))

    def _play_games(self, spec: str, stop: Callable[[], bool], tell: Tell) -> float | None:
        """The objective of one player; None if stopped."""
        settings, values, told = self.settings, [], _Ticker(tell)
        with make_player(spec) as player:
            for seed in SeedRange(settings.seed, settings.games):
                try:
                    result = play_game(player, settings.rules, seed, stop=stop)
                except Exception as error:
                    raise TwofoldError(
                        f"{spec} failed on seed {seed}: {describe(error)}"
                    ) from error
                if result is None:
                    return None
                values.append(settings.objective.value(result.score, result.max_tile))
                told.add()
        told.flush()
        return statistics.fmean(values)


class _Ticker:
    """Reports finished games at intervals."""

    def __init__(self, tell: Tell) -> None:
        self.tell, self.games, self.last = tell, 0, time.monotonic()

    def add(self) -> None:
        self.games += 1
        if time.monotonic() - self.last > REPORT_SECONDS:
            self.flush()

    def flush(self) -> None:
        self.tell(TrialPlayed(self.games))
        self.games, self.last = 0, time.monotonic()


def _failure(error: Exception) -> TrialFailed:
    return TrialFailed(describe_caught(error), getattr(error, "exit_code", 1))


def play_here(
    settings: TuningSettings, path: Path, trials: int, stop: Callable[[], bool], tell: Tell
) -> None:
    """Play trials in this process, one after the other."""
    seat = TrialWorker(settings, path, 0)
    for _ in range(trials):
        if not stop():
            seat.play(stop, tell)


class Processes:
    """As many processes as `jobs`, which play trials of one file."""

    def __init__(self, settings: TuningSettings, path: Path, jobs: int) -> None:
        self.settings, self.path, self.jobs = settings, path, jobs
        self.deaths = 0
        self._context = workers.QuietSpawn()
        self._alive, self._line = multiprocessing.Pipe(duplex=False)
        self._seats: dict[int, tuple[BaseProcess, Connection]] = {}
        self._busy: dict[int, int | None] = {}  # the trial of each process, once it is known

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Ask the processes to end; kill those that do not."""
        self._line.close()
        last = time.monotonic() + workers.GRACE_SECONDS
        for process, pipe in self._seats.values():
            process.join(max(0.0, last - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()
            process.close()
            pipe.close()
        self._alive.close()

    def play(self, trials: int, stop: Callable[[], bool], tell: Tell) -> None:
        """Play trials, one at a time in each process."""
        finished = 0
        while finished < trials and not stop():
            for number in range(self.jobs):
                if number not in self._busy and finished + len(self._busy) < trials:
                    self._begin(number)
            for number, report in self._reports():
                if isinstance(report, TrialBegun):
                    self._busy[number] = report.trial
                elif not isinstance(report, TrialPlayed):
                    del self._busy[number]
                if isinstance(report, TrialFinished):
                    finished += 1
                    self.deaths = 0
                tell(report)

    def _begin(self, number: int) -> None:
        if number not in self._seats:
            self._seats[number] = self._start(number)
        self._busy[number] = None
        with contextlib.suppress(OSError):  # it has died; `_reports` sees the closed pipe
            self._seats[number][1].send(None)

    def _start(self, number: int) -> tuple[BaseProcess, Connection]:
        ours, theirs = multiprocessing.Pipe()
        process = self._context.Process(
            target=_work,
            args=(self.settings, self.path, number, theirs, self._alive, workers.GRACE_SECONDS),
            daemon=True,
        )
        process.start()
        theirs.close()
        return process, ours

    def _reports(self) -> Iterator[tuple[int, TrialReport]]:
        """Reports of the processes; none if nothing arrives within POLL_SECONDS."""
        pipes: dict[Any, int] = {self._seats[number][1]: number for number in self._busy}
        ready: list[Any] = wait(list(pipes), workers.POLL_SECONDS)
        for pipe in ready:
            try:
                yield pipes[pipe], pipe.recv()
            except (EOFError, OSError):
                yield pipes[pipe], self._bury(pipes[pipe])

    def _bury(self, number: int) -> TrialReport:
        process, pipe = self._seats.pop(number)
        process.kill()
        process.join()
        process.close()
        pipe.close()
        self.deaths += 1
        if self.deaths > MAX_DEATHS:
            return TrialFailed(f"{self.deaths} processes died and no trial finished between them")
        return TrialLost(self._busy[number])


def _work(
    settings: TuningSettings,
    path: Path,
    number: int,
    pipe: Connection,
    parent: Connection,
    grace_seconds: float,
) -> None:
    send, is_stopped = workers.serve(pipe, parent, grace_seconds)
    tune_study.require_tune()
    seat: TrialWorker | None = None
    with contextlib.suppress(EOFError, OSError):  # the parent is gone
        while not is_stopped():
            if not pipe.poll(workers.POLL_SECONDS):
                continue
            pipe.recv()
            try:
                seat = seat or TrialWorker(settings, path, number)
            except Exception as error:
                send(_failure(error))
            else:
                seat.play(is_stopped, send)


def raise_failure(failed: TrialFailed) -> NoReturn:
    """Raise the error of a failed trial as the kind of TwofoldError that it was."""
    kinds: dict[int, type[TwofoldError]] = {2: InvalidInput, 3: ResourceError}
    raise kinds.get(failed.exit_code, TwofoldError)(failed.text)
