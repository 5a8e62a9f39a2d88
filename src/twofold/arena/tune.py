"""Tuning: finds better weights for an evaluator by playing, and checks them on new games.

All trials play the same seeds. The mean of the best of many trials is too high by selection, so
the best weights play the start weights on fresh seeds, and only that comparison is unbiased.

The file holds the settings, the finished trials and the games of the check, as JSON. The weights of
a trial depend only on the settings, its number and the trials of earlier waves, so a tuning is the
same with any number of jobs and after any interruption.
"""

import hashlib
import math
import os
import time
from bisect import insort
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
import numpy as np

from twofold.arena.games import GameColumns
from twofold.arena.stats import Interval, mean_interval
from twofold.arena.workers import Backend, Entrant, GameWorkers, Schedule, Task, play
from twofold.errors import InvalidInput, InvalidSpec, LimitExceeded, MissingExtra, TwofoldError
from twofold.figures import minus
from twofold.game.notation import (
    NUMBER,
    SeedRange,
    check_seed,
    did_you_mean,
    format_number,
    parse_tile,
    printable,
    shown,
)
from twofold.game.rules import Rules
from twofold.limits import (
    MAX_CHECK_GAMES,
    MAX_GAMES,
    MAX_JOBS,
    MAX_SCORE,
    MAX_SEED,
    MAX_SPREAD,
    MAX_TRIALS,
    MAX_TUNING_BYTES,
    MIN_SPREAD,
    check_limit,
)
from twofold.players import PlayerSpec
from twofold.storage.files import alone, atomic_write, read_start, writable
from twofold.storage.work import WorkFile
from twofold.values import Evaluator
from twofold.version import __version__

_DIGITS: Final = 4
"""Significant digits of a weight in a trial."""

_FORMAT: Final = 3
"""Version of the file; raised when a field changes its name or meaning."""

_FIRST_STEP: Final = 1 / 6
"""First standard deviation of CMA-ES, as a share of each weight's range."""

_PARTS: Final = 4
"""Tasks of a trial for each job, so that all jobs end at about the same time."""

FRESH: Final = 2**32
"""Distance of the check's first seed from the first seed of the trials."""

_ALL: Final = (-math.inf, math.inf)

Verdict = Literal["better", "worse", "cannot be told apart", "the same"]


# ---- settings


@dataclass(frozen=True, slots=True)
class Range:
    """The range in which the weight `name` is tuned."""

    name: str
    start: float
    low: float
    high: float
    scale: Literal["log", "linear"] = "linear"

    @classmethod
    def around(
        cls, name: str, start: float, spread: float, bounds: tuple[float, float] = _ALL
    ) -> "Range":
        """The range of a weight around its start, within the bounds of its evaluator.

        Positive: from start / spread to start x spread, logarithmic. A power (`..._power`): plus
        and minus 1, but at least start / 10. Negative: plus and minus (spread - 1) times its size.
        Zero: from -spread to spread.
        """
        scale: Literal["log", "linear"] = "linear"
        if name.endswith("_power") and start > 0:
            low, high = max(start - 1, start / 10), start + 1
        elif start > 0:
            low, high, scale = start / spread, start * spread, "log"
        else:
            reach = spread if start == 0 else (spread - 1) * -start
            low, high = start - reach, start + reach
        low, high = max(low, bounds[0]), min(high, bounds[1])
        if low >= high:
            raise InvalidSpec(
                f"expected a weight that can vary, got {name}, which can only be {start:g}"
            )
        return cls(name, start, low, high, scale)

    def place(self, value: float) -> float:
        """The position of a value between `low` (0) and `high` (1)."""
        if self.scale == "log":
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def at(self, place: float) -> float:
        """The value at a position between 0 and 1, to four digits."""
        if self.scale == "log":
            value = self.low * math.exp(place * math.log(self.high / self.low))
        else:
            value = self.low + place * (self.high - self.low)
        return min(max(float(f"{value:.{_DIGITS}g}"), self.low), self.high)


@dataclass(frozen=True, slots=True)
class TuningObjective:
    """The figure whose mean is maximised: `score`, `log-score` or the reach rate of a tile."""

    text: str = "score"

    @classmethod
    def parse(cls, text: str) -> "TuningObjective":
        """Parse `score`, `log-score` or a tile such as `2048`."""
        if text in ("score", "log-score"):
            return cls(text)
        if NUMBER.fullmatch(text) and parse_tile(text, InvalidInput) >= 2:
            return cls(text.lstrip("0"))
        raise InvalidInput(
            f"expected an objective (score, log-score or a tile from 4 up), got {shown(text)}"
        )

    @property
    def name(self) -> str:
        """The objective in words, for a table."""
        if self.text.isdecimal():
            return f"reach rate of {self.text}"
        return f"mean {'log score' if self.text == 'log-score' else self.text}"

    def values(self, games: GameColumns) -> list[float]:
        """The figure of each game: score, ln(score + 1), or 1 if it reached the tile, else 0."""
        if self.text.isdecimal():
            return list(map(float, (games.max_tiles >= int(self.text)).tolist()))
        return list(map(math.log1p if self.text == "log-score" else float, games.scores.tolist()))

    def shown(self, value: float, sign: str = "") -> str:
        """Format a mean."""
        return minus(f"{value:{sign},.{0 if self.text == 'score' else 4}f}")


@dataclass(frozen=True, slots=True)
class TuningSettings:
    """Everything that determines the trials; equal for all runs on one file.

    `entrant` is the player with the start weights on the seeds of a trial; for the other attributes
    see `make`.
    """

    entrant: Entrant
    rules: Rules
    weights: tuple[Range, ...]
    spread: float
    objective: TuningObjective

    @classmethod
    def make(
        cls,
        player: PlayerSpec | str,
        *,
        games: int = 100,
        seed: int = 1,
        rules: Rules | None = None,
        weights: Sequence[str] = (),
        spread: float = 4.0,
        objective: str = "score",
    ) -> "TuningSettings":
        """Check settings and make them.

        Args:
            player: the spec with the start weights.
            games: games a trial.
            seed: of the first game, and of the proposals.
            rules: None for the standard rules.
            weights: names of those to tune; empty for all of the evaluator.
            spread: see `Range.around`.
            objective: see `TuningObjective.parse`.
        """
        check_limit("games", games, 1, MAX_GAMES)
        seed = check_seed(seed)
        if not MIN_SPREAD <= spread <= MAX_SPREAD:
            raise LimitExceeded(
                f"expected a spread from {MIN_SPREAD:g} to {MAX_SPREAD:g}, got {spread:g}"
            )
        rules = Rules() if rules is None else rules
        aim = TuningObjective.parse(objective)
        spec = PlayerSpec.of(player).settled(rules)
        with spec.make() as made:
            made.start(rules, seed)
            evaluator, keys = getattr(made, "evaluator", None), made.made_from.values
            known = evaluator.weight_keys if isinstance(evaluator, Evaluator) else {}
            entrant = Entrant.of(spec, made, SeedRange(seed, games), rules)
        known = {name: weight for name, weight in known.items() if name in keys}
        if not known:
            raise InvalidSpec(
                "expected a player with weights in its spec, such as expectimax:eval=rows, "
                "got one without"
            )
        for name in weights:
            if name not in known:
                raise InvalidInput(
                    f"expected weights ({', '.join(known)}), got {shown(name)}"
                    f"{did_you_mean(name, known)}"
                )
        if len(set(weights)) < len(weights):
            raise InvalidInput(f"expected each weight once, got {shown(','.join(weights))}")
        chosen = [(name, known[name]) for name in weights or known]
        ranges = tuple(
            Range.around(name, one.value, spread, (one.low, one.high)) for name, one in chosen
        )
        return cls(entrant, rules, ranges, spread, aim)

    @property
    def seeds(self) -> SeedRange:
        """The seeds of a trial."""
        return self.entrant.seeds

    @property
    def start(self) -> dict[str, float]:
        """The start weights."""
        return {weight.name: weight.start for weight in self.weights}

    def spec(self, weights: Mapping[str, float]) -> str:
        """The player's spec with the weights that differ from the start."""
        changed = weights.items() - self.start.items()
        texts = {name: format_number(value) for name, value in changed}
        return self.entrant.player.with_keys(**texts).text

    def document(self) -> dict[str, Any]:
        """The settings as the file stores them."""
        return {
            "format": _FORMAT,
            "twofold": __version__,
            "player": self.entrant.spec,
            "rules": str(self.rules),
            "seed": str(self.seeds.first),
            "games": self.seeds.count,
            "objective": self.objective.text,
            "weights": ",".join(weight.name for weight in self.weights),
            "spread": self.spread,
        }


# ---- results


Value = Annotated[float, msgspec.Meta(ge=0, le=MAX_SCORE)]
"""What an objective can be."""


class Trial(msgspec.Struct, frozen=True):
    """A finished trial.

    Attributes:
        number: its place among the proposals, from 0.
        value: the objective.
        weights: the weights, as played.
        spec: the player with these weights, as short as it can be named.
    """

    number: Annotated[int, msgspec.Meta(ge=0, lt=MAX_TRIALS)]
    value: Value
    weights: dict[str, float]
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
        verdicts: dict[int, Verdict] = {1: "better", -1: "worse", 0: "cannot be told apart"}
        return verdicts[self.difference.sign]


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


# ---- the file


def require_tune() -> None:
    """Raise MissingExtra unless CMA-ES is installed."""
    try:
        import cmaes  # noqa: F401
    except ImportError:
        raise MissingExtra.of("tune", "tuning") from None


class KeptTuning(msgspec.Struct):
    """The content of a file.

    Attributes:
        settings: those of `TuningSettings.document`.
        trials: the finished trials; a player is never made from a `spec` that a file holds.
        checks: values of the objective on the seeds of the check, by spec.
    """

    settings: dict[str, Any]
    trials: list[Trial] = []
    checks: dict[str, list[Value]] = {}


def read_tuning(path: Path, settings: TuningSettings) -> KeptTuning:
    """The content of a file of these settings.

    Raises:
        InvalidInput: it is no file of a tuning, a damaged one, or has other settings.
    """
    name, data = shown(str(path)), read_start(path, MAX_TUNING_BYTES + 1)
    try:
        if len(data) > MAX_TUNING_BYTES:
            raise ValueError(f"expected at most {MAX_TUNING_BYTES:,} bytes, got more")
        found = msgspec.json.decode(data, type=KeptTuning)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"expected a file made by 'twofold tune', got another or a damaged one, {name}: "
            f"{printable(str(error))}"
        ) from None
    if found.settings.get("format") != _FORMAT:
        raise InvalidInput(
            f"expected a file made by this version of twofold, got one of another, {name}"
        )
    for key, ours in settings.document().items():
        if (theirs := found.settings.get(key)) != ours:
            raise InvalidInput(
                f"expected {key} {shown(theirs)} as in {name}, got {shown(ours)}. "
                "Use the same settings or another file"
            )
    ranges, numbers = {one.name: one for one in settings.weights}, set[int]()
    for trial in found.trials:
        wrong = f"trial {trial.number} twice" if trial.number in numbers else ""
        if trial.weights.keys() != ranges.keys() or not all(
            ranges[key].low <= value <= ranges[key].high for key, value in trial.weights.items()
        ):
            wrong = f"trial {trial.number} with weights out of their ranges"
        if wrong:
            raise InvalidInput(f"expected a valid file of trials, got {name}: {wrong}")
        numbers.add(trial.number)
    found.trials = [
        msgspec.structs.replace(trial, spec=settings.spec(trial.weights))
        for trial in sorted(found.trials, key=lambda trial: trial.number)
    ]
    return found


# ---- the weights that are tried


def wave_of(settings: TuningSettings, number: int) -> range:
    """The numbers of the trials that are proposed together with one; 0 is the start alone."""
    if number == 0:
        return range(1)
    size = _strategy(settings).population_size
    first = number - (number - 1) % size
    return range(first, first + size)


def proposed(
    settings: TuningSettings, numbers: Sequence[int], earlier: Sequence[Trial]
) -> list[dict[str, float]]:
    """The weights of some trials of a wave, from those of all earlier waves in order."""
    strategy = _strategy(settings)
    size = strategy.population_size
    for first in range(1, len(earlier), size):
        told = []
        for trial in earlier[first : first + size]:
            point = [weight.place(trial.weights[weight.name]) for weight in settings.weights]
            told.append((np.array(point), -trial.value))
        strategy.tell(told)
    return [_asked(settings, strategy, number) if number else settings.start for number in numbers]


def _asked(settings: TuningSettings, strategy: Any, number: int) -> dict[str, float]:
    """The weights of a trial, by random numbers of its own."""
    text = f"{settings.seeds.first} {number}"
    strategy.reseed_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:4]))
    places = zip(settings.weights, strategy.ask(), strict=True)
    return {weight.name: weight.at(float(place)) for weight, place in places}


def _strategy(settings: TuningSettings) -> Any:
    """CMA-ES from the start weights, in coordinates from 0 to 1."""
    from cmaes import CMA

    start = np.array([weight.place(weight.start) for weight in settings.weights])
    bounds = np.array([[0.0, 1.0]] * len(start))
    return CMA(mean=start, sigma=_FIRST_STEP, bounds=bounds)


# ---- a run


def tune(
    settings: TuningSettings,
    out: str | os.PathLike[str],
    *,
    trials: int = 100,
    jobs: int = 1,
    check_games: int = 500,
    backend: Backend | None = None,
    on_progress: Callable[[TuningProgress], None] = lambda _: None,
    on_move: Callable[[Path], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> Tuning:
    """Play trials until a file holds `trials` of them, then check the best.

    Trials in the file count, so the same call continues an interrupted tuning. Neither
    interruptions nor the number of jobs change the trials.

    Args:
        settings: of the tuning.
        out: the file; made if missing.
        trials: number of finished trials wanted.
        jobs: number of games at the same time.
        check_games: games of the check.
        backend: where to play; None for this machine.
        on_progress: called in this thread now and then.
        on_move: called with a new path when another program has changed the file; that file stays
            untouched.
        stop: polled; True ends the tuning with the trials that are finished, without a check.

    Raises:
        MissingExtra: the extra `tune` is not installed.
        InvalidInput: the file is not a file of trials, has other settings, or is in use.
        TwofoldError: a player failed.
    """
    check_limit("trials", trials, 1, MAX_TRIALS)
    check_limit("jobs", jobs, 1, MAX_JOBS)
    check_limit("games of the check", check_games, 2, MAX_CHECK_GAMES)
    require_tune()
    path = writable(out)
    with alone(path, "tuning"), ExitStack() as stack:
        is_new = not path.exists()
        kept = KeptTuning(settings.document()) if is_new else read_tuning(path, settings)
        pool = backend or stack.enter_context(GameWorkers(jobs))
        file = WorkFile(path, 0.0, on_move=on_move)
        run = _Run(settings, kept, file, pool, on_progress, stop)
        if is_new:
            run.save()
        try:
            return run.tune(trials, check_games)
        finally:
            run.save()


@dataclass
class _Run:
    """A run on a file that no other process uses."""

    settings: TuningSettings
    kept: KeptTuning
    file: WorkFile
    backend: Backend
    on_progress: Callable[[TuningProgress], None]
    stop: Callable[[], bool]
    progress: TuningProgress = field(default_factory=lambda: TuningProgress(0, 0))
    began: float = field(default_factory=time.monotonic)

    def save(self) -> None:
        content = msgspec.json.encode(self.kept) + b"\n"
        self.file.save(lambda path: atomic_write(path, content), time.monotonic() - self.began)

    @property
    def is_due(self) -> bool:
        return time.monotonic() - self.began >= self.file.due

    @property
    def found(self) -> Tuning:
        return Tuning(self.settings, tuple(self.kept.trials))

    def tune(self, trials: int, check_games: int) -> Tuning:
        best = self.found.best
        self.progress = TuningProgress(
            len(self.kept.trials), trials, best=None if best is None else best.value
        )
        self.on_progress(self.progress)
        while missing := sorted({*range(trials)} - {trial.number for trial in self.kept.trials}):
            wave = wave_of(self.settings, missing[0])
            self._play_wave(wave, [number for number in missing if number in wave])
            if self.stop():
                break
        found = self.found
        if missing or found.best is None:
            return replace(found, interrupted=True)
        if found.best is found.start:
            return found
        check = self._check(found.best, check_games)
        return replace(found, check=check, interrupted=check is None)

    def _play_wave(self, wave: range, numbers: Sequence[int]) -> None:
        """Play trials of a wave, and keep each when its games are finished."""
        earlier = self.kept.trials[: wave.start]  # all before the first that is missing
        tried = proposed(self.settings, numbers, earlier)
        specs = list(map(self.settings.spec, tried))
        values: list[list[float]] = [[] for _ in numbers]
        for place, games in self._games(specs, self.settings.seeds):
            values[place] += self.settings.objective.values(games)
            self.progress.played += len(games)
            if len(values[place]) == self.settings.seeds.count:
                mean = math.fsum(values[place]) / self.settings.seeds.count
                trial = Trial(numbers[place], mean, tried[place], specs[place])
                insort(self.kept.trials, trial, key=attrgetter("number"))
                self.progress.finished += 1
                self.progress.best = max(mean, self.progress.best or mean)
                if self.is_due:
                    self.save()
            self.on_progress(self.progress)

    def _games(self, specs: Sequence[str], games: SeedRange) -> Iterator[tuple[int, GameColumns]]:
        """The games of some players as they end, with the player's position."""
        size = -(-games.count // (_PARTS * max(self.backend.jobs, 1)))
        parts = [games.part(at, min(at + size, games.count)) for at in range(0, games.count, size)]
        schedules = []
        for number, text in enumerate(specs):
            entrant = replace(self.settings.entrant, player=PlayerSpec.parse(text))
            task = Task(number, entrant, games)
            schedules.append(Schedule(task, deque(parts)))
        for report in play(self.backend, schedules, self.stop):
            yield report.task.number, report.games
        for one in schedules:
            for seed, error in one.errors.items():
                raise TwofoldError(f"{one.task.entrant.player} failed on seed {seed}: {error}")

    def _check(self, best: Trial, games: int) -> TuningCheck | None:
        """Best against start on fresh seeds, with the games of earlier runs; None if stopped."""
        fresh = SeedRange((self.settings.seeds.first + FRESH) & MAX_SEED, games)
        known = self.kept.checks
        specs = (self.settings.spec(self.settings.start), best.spec)
        self.kept.checks = {spec: known.get(spec, []) for spec in specs}
        start, tuned = self.kept.checks.values()
        self.progress.to_check = sum(max(games - len(values), 0) for values in (start, tuned))
        for spec, values in self.kept.checks.items():
            if len(values) < games:
                self._play_fresh(spec, values, fresh.part(len(values)))
        if min(len(start), len(tuned)) < games:
            return None
        start, tuned = start[:games], tuned[:games]
        difference = np.subtract(tuned, start)
        return TuningCheck(games, fresh.first, *map(mean_interval, (start, tuned, difference)))

    def _play_fresh(self, spec: str, values: list[float], seeds: SeedRange) -> None:
        """Play games of the check, and add the objective of those up to the first unfinished."""
        known, parts = len(values), list[GameColumns]()

        def keep() -> None:
            played = GameColumns.joined(parts)
            played = played.where(np.argsort(seeds.places(played.seeds)))
            begun = played.first(seeds.begun(played.seeds))
            values[known:] = self.settings.objective.values(begun)

        for _, games in self._games([spec], seeds):
            parts.append(games)
            self.progress.checked += len(games)
            if self.is_due:
                keep()
                self.save()
            self.on_progress(self.progress)
        keep()
