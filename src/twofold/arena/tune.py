"""Tuning: finds better weights for an evaluator by playing, and checks them on new games.

All trials play the same seeds. The mean of the best of many trials is too high by selection, so
the best weights play the start weights on fresh seeds, and only that comparison is unbiased.
"""

import contextlib
import math
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import msgspec
import numpy as np

from twofold.arena.games import GameColumns
from twofold.arena.stats import Interval, mean_interval
from twofold.arena.tuning_file import (
    CHECKS,
    Range,
    TuningObjective,
    TuningSettings,
    add_trial,
    finished_trials,
    open_study,
    proposed,
    require_tune,
    storage_errors,
    wave_of,
)
from twofold.arena.workers import Backend, GameWorkers, Schedule, Task, play
from twofold.errors import TwofoldError
from twofold.game.notation import SeedRange
from twofold.limits import MAX_GAMES, MAX_JOBS, MAX_SEED, MAX_TRIALS, check_limit
from twofold.players import PlayerSpec
from twofold.storage.files import alone

if TYPE_CHECKING:
    from optuna import Study

__all__ = [
    "Range",
    "Trial",
    "Tuning",
    "TuningCheck",
    "TuningObjective",
    "TuningProgress",
    "TuningSettings",
    "tune",
]

FRESH: Final = 2**32
"""Distance of the check's first seed from the first seed of the trials."""

_PARTS: Final = 4
"""Tasks of a trial for each job, so that all jobs end at about the same time."""

Verdict = Literal["better", "worse", "cannot be told apart", "the same"]


@dataclass(frozen=True, slots=True)
class Trial:
    """A finished trial.

    Attributes:
        number: its place among the proposals, from 0.
        value: the objective.
        weights: the weights, as played.
        spec: the player with these weights, as short as it can be named.
    """

    number: int
    value: float
    weights: Mapping[str, float]
    spec: str


@dataclass(frozen=True, slots=True)
class TuningCheck:
    """The best weights against the start weights, on fresh seeds from `seed` on.

    `start` and `best` are means of the objective, `difference` is the mean of best minus start.
    """

    games: int
    seed: int
    start: Interval
    best: Interval
    difference: Interval

    @property
    def verdict(self) -> Verdict:
        """The verdict by the interval of the difference."""
        low, high = self.difference.low, self.difference.high
        if low is not None and low > 0:
            return "better"
        return "worse" if high is not None and high < 0 else "cannot be told apart"


@dataclass(frozen=True, slots=True)
class Tuning:
    """The state of a tuning.

    Attributes:
        trials: the finished trials, in the order of their numbers.
        check: None if it is unfinished, or if no trial beat the start.
        interrupted: True if it was stopped before its end.
    """

    settings: TuningSettings
    trials: tuple[Trial, ...]
    check: TuningCheck | None = None
    interrupted: bool = False

    @property
    def numbers(self) -> set[int]:
        """The numbers of the finished trials."""
        return {trial.number for trial in self.trials}

    @property
    def best(self) -> Trial | None:
        """The trial with the largest value, the first of equals; None if there is none."""
        return max(self.trials, key=lambda trial: trial.value, default=None)

    @property
    def start(self) -> Trial | None:
        """The trial with the start weights; None if it has not finished."""
        return next((one for one in self.trials if one.weights == self.settings.start), None)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict of the check; None if it is unfinished."""
        if not self.interrupted and self.best is not None and self.best is self.start:
            return "the same"
        return self.check.verdict if self.check else None


@dataclass(slots=True)
class TuningProgress:
    """The progress of a tuning, changed in place.

    Attributes:
        finished: finished trials, including earlier runs on the file.
        played: games that this run has played in trials.
        checked: games that this run has played in the check, of `to_check`.
    """

    finished: int
    trials: int
    played: int = 0
    best: float | None = None
    checked: int = 0
    to_check: int = 0


def tune(
    settings: TuningSettings,
    out: str | os.PathLike[str],
    *,
    trials: int = 100,
    jobs: int = 1,
    check_games: int = 500,
    backend: Backend | None = None,
    on_progress: Callable[[TuningProgress], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Tuning:
    """Play trials until a file holds `trials` of them, then check the best.

    Trials in the file count, so the same call continues an interrupted tuning. Neither
    interruptions nor the number of jobs change the trials.

    Args:
        settings: of the tuning.
        out: the file, a journal of Optuna; made if missing.
        trials: number of finished trials wanted.
        jobs: number of games at the same time.
        check_games: games of the check.
        backend: where to play; None for this machine.
        on_progress: called in this thread now and then.
        stop: polled; True ends the tuning with the trials that are finished, without a check.

    Raises:
        MissingExtra: the extra `tune` is not installed.
        InvalidInput: the file is not a file of trials, has other settings, or is in use.
        TwofoldError: a player failed.
    """
    check_limit("trials", trials, 1, MAX_TRIALS)
    check_limit("jobs", jobs, 1, MAX_JOBS)
    check_limit("games of the check", check_games, 2, MAX_GAMES)
    require_tune()
    path = Path(os.path.realpath(out))
    with alone(path, "tuning"), contextlib.ExitStack() as stack:
        study = open_study(path, settings)
        made = stack.enter_context(settings.player.make())
        run = _Run(
            settings,
            path,
            study,
            backend or stack.enter_context(GameWorkers(jobs)),
            on_progress or (lambda _: None),
            stop or (lambda: False),
            made.compiled,
        )
        return run.tune(trials, check_games)


@dataclass
class _Run:
    """A run on a file that no other process uses."""

    settings: TuningSettings
    path: Path
    study: "Study"
    backend: Backend
    on_progress: Callable[[TuningProgress], None]
    stop: Callable[[], bool]
    compiled: bool
    progress: TuningProgress = field(default_factory=lambda: TuningProgress(0, 0))

    def tune(self, trials: int, check_games: int) -> Tuning:
        found = self._found()
        best = found.best
        self.progress = TuningProgress(len(found.trials), trials, best=best.value if best else None)
        self.on_progress(self.progress)
        while missing := [number for number in range(trials) if number not in found.numbers]:
            wave = wave_of(self.settings, missing[0])
            self._play_wave(wave, [number for number in missing if number in wave])
            found = self._found()
            if self.stop():
                break
        if missing or found.best is None:
            return replace(found, interrupted=True)
        if found.best is found.start:
            return found
        check = self._check(found.best, check_games)
        return replace(found, check=check, interrupted=check is None)

    def _found(self) -> Tuning:
        with storage_errors(self.path):
            trials = finished_trials(self.study, self.settings)
        found = []
        for number, one in trials.items():
            weights, spec = self.settings.rounded(one.params), self.settings.spec(one.params)
            found.append(Trial(number, float(one.value or 0.0), weights, spec))
        return Tuning(self.settings, tuple(found))

    def _play_wave(self, wave: range, numbers: Sequence[int]) -> None:
        """Play trials of a wave, and store each when its games are finished."""
        with storage_errors(self.path):
            known = finished_trials(self.study, self.settings)
        earlier = [known[number] for number in range(wave.start)]
        tried = [proposed(self.settings, number, earlier) for number in numbers]
        values: list[list[float]] = [[] for _ in numbers]
        began = time.perf_counter()
        specs = [self.settings.spec(weights) for weights in tried]
        for place, games in self._games(specs, SeedRange(self.settings.seed, self.settings.games)):
            values[place] += self.settings.objective.values(games)
            self.progress.played += len(games)
            if len(values[place]) == self.settings.games:
                mean = math.fsum(values[place]) / self.settings.games
                spec, seconds = specs[place], time.perf_counter() - began
                trial = (self.settings, numbers[place], tried[place], mean)
                with storage_errors(self.path):
                    add_trial(self.study, *trial, spec=spec, seconds=seconds)
                self.progress.finished += 1
                self.progress.best = max(mean, self.progress.best or mean)
            self.on_progress(self.progress)

    def _games(self, specs: Sequence[str], games: SeedRange) -> Iterator[tuple[int, GameColumns]]:
        """The games of some players as they end, with the player's position."""
        size = -(-games.count // (_PARTS * max(self.backend.jobs, 1)))
        parts = [games.part(at, min(at + size, games.count)) for at in range(0, games.count, size)]
        task = Task(
            0,
            self.settings.player,
            self.settings.rules,
            games,
            canonical=self.settings.canonical,
            compiled=self.compiled,
        )
        schedules = [
            Schedule(replace(task, player=number, spec=PlayerSpec.parse(spec)), deque(parts))
            for number, spec in enumerate(specs)
        ]
        for report in play(self.backend, schedules, self.stop):
            yield report.task.player, report.games
        for one in schedules:
            for seed, error in one.errors.items():
                raise TwofoldError(f"{one.task.spec} failed on seed {seed}: {error}")

    def _check(self, best: Trial, games: int) -> TuningCheck | None:
        """Best against start on fresh seeds; None if stopped."""
        seed = (self.settings.seed + FRESH) & MAX_SEED
        specs = {"start": self.settings.spec(self.settings.start), "best": best.spec}
        kept = self._kept()
        values = {name: kept.get(spec, [])[:games] for name, spec in specs.items()}
        self.progress.to_check = sum(games - len(known) for known in values.values())
        try:
            for name, spec in specs.items():
                fresh = SeedRange(seed, games).part(len(values[name]))
                values[name] += self._play_fresh(spec, fresh)
                kept[spec] = max(values[name], kept.get(spec, []), key=len)
        finally:
            with storage_errors(self.path):
                checks = {spec: kept[spec] for spec in specs.values() if spec in kept}
                self.study.set_user_attr(CHECKS, checks)
        if any(len(found) < games for found in values.values()):
            return None
        pairs = zip(values["best"], values["start"], strict=True)
        return TuningCheck(
            games,
            seed,
            mean_interval(values["start"]),
            mean_interval(values["best"]),
            mean_interval([one - other for one, other in pairs]),
        )

    def _play_fresh(self, spec: str, seeds: SeedRange) -> list[float]:
        """The objective on the games of the check that were played."""
        parts = []
        for _, games in self._games([spec], seeds) if seeds.count else ():
            parts.append(games)
            self.progress.checked += len(games)
            self.on_progress(self.progress)
        played = GameColumns.joined(parts)
        played = played.where(np.argsort(seeds.places(played.seeds)))
        return self.settings.objective.values(played.first(seeds.begun(played.seeds)))

    def _kept(self) -> dict[str, list[float]]:
        """Values of the check from earlier runs on the file, by spec."""
        with storage_errors(self.path):
            kept = self.study.user_attrs.get(CHECKS)
        try:
            values = msgspec.convert(kept or {}, dict[str, list[float]])
        except msgspec.ValidationError:
            return {}
        return values if all(math.isfinite(one) for some in values.values() for one in some) else {}
