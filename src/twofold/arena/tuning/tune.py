"""Tuning: finds better weights for an evaluator by playing, and checks them on new games.

All trials play the same seeds. The mean of the best of many trials is too high by selection, so
the best weights play the start weights on fresh seeds, and only that comparison is unbiased.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from twofold.arena.bench import Bench, never
from twofold.arena.games import GameRow
from twofold.arena.stats import Interval, mean_interval
from twofold.arena.studies.study import Study as GameStudy
from twofold.arena.tuning import study as tune_study
from twofold.arena.tuning.settings import Range, TuningObjective, TuningSettings
from twofold.arena.tuning.workers import (
    Processes,
    TrialFailed,
    TrialFinished,
    TrialLost,
    TrialPlayed,
    TrialReport,
    play_here,
    raise_failure,
)
from twofold.errors import TwofoldError
from twofold.limits import MAX_GAMES, MAX_JOBS, MAX_SEED, MAX_TRIALS, check_limit
from twofold.locks import alone
from twofold.seeds import SeedRange

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

Verdict = Literal["better", "worse", "cannot be told apart", "the same"]


@dataclass(frozen=True, slots=True)
class Trial:
    """A finished trial; `number` counts those that finished before, `weights` are as played."""

    number: int
    weights: Mapping[str, float]
    value: float
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
        trials: the finished trials, in the order in which they finished.
        check: None if it is unfinished, or if no trial beat the start.
        interrupted: True if it was stopped before its end.
    """

    settings: TuningSettings
    trials: tuple[Trial, ...]
    check: TuningCheck | None = None
    interrupted: bool = False

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
    on_progress: Callable[[TuningProgress], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Tuning:
    """Play trials until a file holds `trials` of them, then check the best.

    Trials in the file count, so the same call continues an interrupted tuning. With one job
    interruptions do not change the trials; with several jobs the order in which trials finish does.

    Args:
        settings: of the tuning.
        out: the SQLite file; made if missing.
        trials: number of finished trials wanted.
        jobs: number of processes, each with one trial; 1 plays in this process.
        check_games: games of the check.
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
    tune_study.require_tune()
    path = Path(os.path.realpath(out))
    if path.exists():
        tune_study.check_settings(path, settings)
    with alone(path, "tuning"):
        study = tune_study.open_study(path, settings)
        run_on = _Run(settings, path, study, on_progress or (lambda _: None), stop or never)
        return run_on.tune(trials, jobs, check_games)


class _Run:
    """A run on a file that no other process uses."""

    def __init__(
        self,
        settings: TuningSettings,
        path: Path,
        study: "Study",
        on_progress: Callable[[TuningProgress], None],
        stop: Callable[[], bool],
    ) -> None:
        self.settings, self.path, self.study = settings, path, study
        self.on_progress, self.stop = on_progress, stop
        self.progress = TuningProgress(0, 0)

    def tune(self, trials: int, jobs: int, check_games: int) -> Tuning:
        self._renew()
        found = self._found()
        best = found.best
        self.progress = TuningProgress(len(found.trials), trials, best=best.value if best else None)
        self.on_progress(self.progress)
        missing = trials - len(found.trials)
        if missing > 0:
            try:
                self._play(missing, min(jobs, missing))
            finally:
                self._renew()
            found = self._found()
        if len(found.trials) < trials or found.best is None:
            return replace(found, interrupted=True)
        if found.best is found.start:
            return found
        check = self._check(found.best, check_games, jobs)
        return replace(found, check=check, interrupted=check is None)

    def _renew(self) -> None:
        """Mark interrupted trials as failed; no process works on them."""
        with tune_study.storage_errors(self.path):
            tune_study.fail_running(self.study)
            tune_study.ensure_start(self.study, self.settings)

    def _found(self) -> Tuning:
        with tune_study.storage_errors(self.path):
            trials = tune_study.sound_trials(self.study, self.settings)
        return Tuning(
            self.settings,
            tuple(
                Trial(
                    number,
                    self.settings.rounded(trial.params),
                    float(trial.value or 0.0),
                    self.settings.spec(trial.params),
                )
                for number, trial in enumerate(trials)
            ),
        )

    def _play(self, trials: int, jobs: int) -> None:
        if jobs == 1:
            play_here(self.settings, self.path, trials, self.stop, self._hear)
        else:
            with Processes(self.settings, self.path, jobs) as processes:
                processes.play(trials, self.stop, self._hear)

    def _hear(self, report: TrialReport) -> None:
        progress = self.progress
        if isinstance(report, TrialFailed):
            raise_failure(report)
        if isinstance(report, TrialLost) and report.trial is not None:
            with tune_study.storage_errors(self.path):
                tune_study.fail(self.study, report.trial)
                tune_study.ensure_start(self.study, self.settings)
        if isinstance(report, TrialPlayed):
            progress.played += report.games
        if isinstance(report, TrialFinished):
            progress.finished += 1
            progress.best = max(report.value, progress.best or report.value)
        self.on_progress(progress)

    def _check(self, best: Trial, games: int, jobs: int) -> TuningCheck | None:
        """Best against start on fresh seeds; None if stopped."""
        seed = (self.settings.seed + FRESH) & MAX_SEED
        specs = {"start": self.settings.spec(self.settings.start), "best": best.spec}
        kept = self._kept()
        values = {name: kept.get(spec, [])[:games] for name, spec in specs.items()}
        self.progress.to_check = sum(games - len(known) for known in values.values())
        try:
            for name, spec in specs.items():
                fresh = SeedRange(seed, games).part(len(values[name]))
                values[name] += self._play_fresh(spec, fresh, jobs)
                kept[spec] = max(values[name], kept.get(spec, []), key=len)
        finally:
            self._keep({spec: kept[spec] for spec in specs.values() if spec in kept})
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

    def _play_fresh(self, spec: str, seeds: SeedRange, jobs: int) -> list[float]:
        """The objective on the games of the check that were played."""
        if not seeds.count:
            return []

        def count(_number: int, _row: GameRow) -> None:
            self.progress.checked += 1
            self.on_progress(self.progress)

        with GameStudy() as study:
            bench = Bench(study, self.settings.rules)
            bench.add(spec, seeds)
            bench.play(jobs, on_result=count, stop=self.stop)
            (one,) = bench.standings(reached=False)
        if one.error:
            raise TwofoldError(f"{spec} failed on seed {one.failed_seed}: {one.error}")
        played = one.games.first(seeds.begun(one.games.seeds))
        games = zip(played.scores.tolist(), played.max_tiles.tolist(), strict=True)
        return [self.settings.objective.value(score, tile) for score, tile in games]

    def _kept(self) -> dict[str, list[float]]:
        """Values of the check from earlier runs on the file, by spec."""
        with tune_study.storage_errors(self.path):
            kept = self.study.user_attrs.get(tune_study.CHECKS)
        if not isinstance(kept, dict):
            return {}
        return {
            spec: [float(value) for value in values]
            for spec, values in kept.items()
            if isinstance(values, list) and all(type(one) in (int, float) for one in values)
        }

    def _keep(self, values: Mapping[str, Sequence[float]]) -> None:
        with tune_study.storage_errors(self.path):
            self.study.set_user_attr(tune_study.CHECKS, values)
