"""Settings of a tuning, its file, and the weights that are tried next.

The file of a tuning, an Optuna study in a journal, and the weights that are tried next.

The weights of a trial depend only on the settings, its number and the trials of earlier waves, so
a tuning is the same with any number of jobs and after any interruption. Optuna's own CMA-ES
sampler keeps a pickle in the file, which can run code when it is read; here its state is rebuilt
from the trials.
"""

import contextlib
import hashlib
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from twofold.arena.games import GameColumns
from twofold.errors import (
    InvalidInput,
    InvalidSpec,
    LimitExceeded,
    MissingExtra,
    ResourceError,
    TwofoldError,
)
from twofold.game import notation
from twofold.game.notation import check_seed, did_you_mean, format_number, shown
from twofold.game.rules import Rules
from twofold.limits import MAX_GAMES, MAX_SPREAD, MAX_TRIALS, MIN_SPREAD, check_limit
from twofold.players import PlayerSpec
from twofold.storage.database import room_beside
from twofold.storage.files import read_start
from twofold.values import Evaluator
from twofold.values.evaluator import Weight
from twofold.version import __version__

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial

DIGITS: Final = 4
"""Significant digits of a weight in a trial."""

FORMAT: Final = 2
"""Version of the file of trials; raised when a field changes its name or meaning."""

SAMPLERS: Final = ("cma", "tpe")
"""The samplers that propose weights, CMA-ES and a tree-structured Parzen estimator."""


@dataclass(frozen=True, slots=True)
class Range:
    """The range in which the weight `name` is tuned; `log` means a logarithmic scale."""

    name: str
    start: float
    low: float
    high: float
    log: bool

    def place(self, value: float) -> float:
        """The position of a value between `low` (0) and `high` (1)."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def at(self, place: float) -> float:
        """The value at a position between 0 and 1."""
        if self.log:
            value = self.low * math.exp(place * math.log(self.high / self.low))
        else:
            value = self.low + place * (self.high - self.low)
        return min(max(value, self.low), self.high)


def range_of(name: str, start: float, spread: float) -> Range:
    """The range of one weight around its start.

    Positive: from start / spread to start x spread, logarithmic. A power (`..._power`): plus and
    minus 1, but at least start / 10. Negative: plus and minus (spread - 1) times its size. Zero:
    from -spread to spread.
    """
    if name.endswith("_power") and start > 0:
        return Range(name, start, max(start - 1, start / 10), start + 1, False)
    if start > 0:
        return Range(name, start, start / spread, start * spread, True)
    reach = spread if start == 0 else (spread - 1) * -start
    return Range(name, start, start - reach, start + reach, False)


def within(one: Range, low: float, high: float) -> Range:
    """The part of a range that the evaluator accepts."""
    if max(one.low, low) >= min(one.high, high):
        raise InvalidSpec(
            f"expected a weight that can vary, got {one.name}, which can only be {one.start:g}"
        )
    return replace(one, low=max(one.low, low), high=min(one.high, high))


@dataclass(frozen=True, slots=True)
class TuningObjective:
    """The figure whose mean is maximised: `score`, `log-score` or the reach rate of a tile."""

    text: str = "score"

    @classmethod
    def parse(cls, text: str) -> "TuningObjective":
        """Parse `score`, `log-score` or a tile such as `2048`."""
        if text in ("score", "log-score"):
            return cls(text)
        if text.isascii() and text.isdecimal() and notation.parse_tile(text, InvalidInput) >= 2:
            return cls(text.lstrip("0"))
        raise InvalidInput(f"expected score, log-score or a tile from 4 up, got {shown(text)}")

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
        return f"{value:{sign},.{0 if self.text == 'score' else 4}f}"


@dataclass(frozen=True, slots=True)
class TuningSettings:
    """Everything that determines the trials; equal for all runs on one file.

    `player` is the spec with the start weights as given, `canonical` its canonical form; for the
    other attributes see `make`.
    """

    player: PlayerSpec
    canonical: str
    rules: Rules
    seed: int
    games: int
    weights: tuple[Range, ...]
    sampler: str
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
        sampler: str = "cma",
        spread: float = 4.0,
        objective: str = "score",
    ) -> "TuningSettings":
        """Check settings and make them.

        Args:
            player: the spec with the start weights.
            games: games a trial.
            seed: of the first game, and of the sampler.
            rules: None for the standard rules.
            weights: names of those to tune; empty for all of the evaluator.
            sampler: see `SAMPLERS`.
            spread: see `range_of`.
            objective: see `TuningObjective.parse`.
        """
        check_limit("games", games, 1, MAX_GAMES)
        seed = check_seed(seed)
        if not MIN_SPREAD <= spread <= MAX_SPREAD:
            raise LimitExceeded(
                f"expected a spread from {MIN_SPREAD:g} to {MAX_SPREAD:g}, got {spread:g}"
            )
        if sampler not in SAMPLERS:
            raise InvalidInput(f"expected a sampler ({', '.join(SAMPLERS)}), got {shown(sampler)}")
        used_rules = Rules() if rules is None else rules
        aim = TuningObjective.parse(objective)
        spec = PlayerSpec.of(player).settled(used_rules)
        canonical, found = _weights_of(spec, used_rules, seed)
        ranges = tuple(
            within(range_of(name, one.value, spread), one.low, one.high)
            for name, one in ((name, found[name]) for name in _chosen(found, weights))
        )
        return cls(spec, canonical, used_rules, seed, games, ranges, sampler, spread, aim)

    @property
    def start(self) -> dict[str, float]:
        """The start weights."""
        return {weight.name: weight.start for weight in self.weights}

    def rounded(self, values: Mapping[str, float]) -> dict[str, float]:
        """Weights as they are played: rounded to DIGITS, except those at their start."""
        return {
            weight.name: weight.start
            if values[weight.name] == weight.start
            else float(f"{values[weight.name]:.{DIGITS}g}")
            for weight in self.weights
        }

    def spec(self, values: Mapping[str, float]) -> str:
        """The player's spec with the weights that differ from the start."""
        rounded = self.rounded(values)
        changed = {
            weight.name: format_number(rounded[weight.name])
            for weight in self.weights
            if rounded[weight.name] != weight.start
        }
        return self.player.with_keys(**changed).text

    def document(self) -> dict[str, Any]:
        """The settings as a file of trials stores them."""
        return {
            "format": FORMAT,
            "twofold": __version__,
            "player": self.canonical,
            "rules": str(self.rules),
            "seed": str(self.seed),
            "games": self.games,
            "objective": self.objective.text,
            "weights": ",".join(weight.name for weight in self.weights),
            "sampler": self.sampler,
            "spread": self.spread,
        }


def _weights_of(player: PlayerSpec, rules: Rules, seed: int) -> tuple[str, dict[str, Weight]]:
    """The canonical spec and the weights that it can set."""
    with player.make() as made:
        made.start(rules, seed)
        keys = made.made_from.values
        evaluator = getattr(made, "evaluator", None)
        weights = evaluator.weight_keys if isinstance(evaluator, Evaluator) else {}
        return made.spec, {name: one for name, one in weights.items() if name in keys}


def _chosen(found: Mapping[str, Weight], names: Sequence[str]) -> Sequence[str]:
    if not found:
        raise InvalidSpec(
            "expected a player with weights in its spec, such as expectimax:eval=rows, "
            "got one without"
        )
    for name in names:
        if name not in found:
            raise InvalidInput(
                f"expected weights among {', '.join(found)}, got {shown(name)}"
                f"{did_you_mean(name, found)}"
            )
    if len(set(names)) < len(names):
        raise InvalidInput(f"expected each weight once, got {shown(','.join(names))}")
    return names or list(found)


STUDY: Final = "twofold tune"
"""Name of the study in the file."""

SETTINGS: Final = "settings"
CHECKS: Final = "checks"
"""Attributes of the study."""

NUMBER: Final = "number"
"""Attribute of a trial: its place in the order in which weights are proposed."""

FIRST_STEP: Final = 1 / 6
"""First standard deviation of CMA-ES, as a share of each weight's range."""

TPE_WAVE: Final = 4
"""Trials that TPE proposes from the same earlier trials."""


def require_tune() -> None:
    """Check that the extra `tune` is installed.

    Raises:
        MissingExtra: Optuna or its CMA-ES is not installed.
    """
    try:
        import cmaes  # noqa: F401
        import optuna
    except ImportError:
        raise MissingExtra.of("tune", "tuning") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)


# ---- the file


def open_study(path: Path, settings: TuningSettings) -> "Study":
    """Open the study in a file, or make a new file.

    Raises:
        InvalidInput: the file is not from a tuning, or has other settings.
        ResourceError: it cannot be read or written.
    """
    import optuna

    if is_there := path.exists():
        check_settings(path, settings)
    with storage_errors(path):
        if is_there:
            with path.open("rb+") as file:  # a full disk may have cut off the last line
                file.truncate(file.read().rfind(b"\n") + 1)
            study = optuna.load_study(storage=_storage(path), study_name=STUDY)
        else:
            study = optuna.create_study(
                storage=_storage(path), study_name=STUDY, direction="maximize"
            )
        if SETTINGS not in study.user_attrs:
            study.set_user_attr(SETTINGS, settings.document())
    return study


def check_settings(path: Path, settings: TuningSettings) -> None:
    """Refuse a file that is no study of a tuning, or one with other settings.

    Raises:
        InvalidInput: the message names the difference.
    """
    import optuna

    name, start = shown(str(path)), read_start(path, 6)
    if start == b"SQLite":
        raise InvalidInput(
            f"expected a file made by 'twofold tune', got {name} in the form of an earlier version "
            "or of another program. Begin a new file"
        )
    refusal = InvalidInput(f"expected a file made by 'twofold tune', got {name}")
    if not start.startswith(b'{"'):
        raise refusal
    try:
        study = optuna.load_study(storage=_storage(path), study_name=STUDY)
        found = study.user_attrs.get(SETTINGS, {})
    except Exception:  # a file of anything else leads Optuna to any error
        raise refusal from None
    if not isinstance(found, dict):
        raise refusal
    for key, ours in settings.document().items():
        theirs = found.get(key, ours)  # it may have been left before they were written
        if theirs != ours:
            raise InvalidInput(
                f"expected {key} {shown(theirs)} as in {name}, got {shown(ours)}. "
                "Use the same settings or another file"
            )


def _storage(path: Path) -> Any:
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    held: Any = _Held()
    return JournalStorage(JournalFileBackend(str(path), lock_obj=held))


class _Held:
    """The lock that Optuna wants for the file, which `tune` holds already."""

    def acquire(self) -> bool:
        return True

    def release(self) -> None:
        pass


@contextlib.contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Translate errors of the system and of Optuna."""
    try:
        yield
    except TwofoldError:
        raise
    except OSError as error:
        reason = error.strerror or error
        raise ResourceError(
            f"cannot use {shown(str(path))} ({room_beside(path)}): {reason}"
        ) from error
    except (
        ArithmeticError,
        AssertionError,
        KeyError,
        RuntimeError,
        TypeError,
        ValueError,
    ) as error:
        reason = shown(" ".join(str(error).split()))
        raise InvalidInput(
            f"expected a valid file of trials, got {shown(str(path))}: {reason}"
        ) from error


# ---- trials


def finished_trials(study: "Study", settings: TuningSettings) -> "dict[int, FrozenTrial]":
    """The finished trials by number; ValueError if one is not of these settings."""
    found: dict[int, FrozenTrial] = {}
    for trial in study.get_trials(deepcopy=False):
        number, values = trial.user_attrs.get(NUMBER), trial.params
        if not isinstance(number, int) or not 0 <= number < MAX_TRIALS or number in found:
            raise ValueError(f"trial {trial.number} has a wrong number")
        if not isinstance(trial.value, int | float) or not math.isfinite(trial.value):
            raise ValueError(f"trial {trial.number} has no finite value")
        for weight in settings.weights:
            if not weight.low <= values.get(weight.name, math.nan) <= weight.high:
                raise ValueError(f"trial {trial.number} has a weight out of its range")
        found[number] = trial
    return dict(sorted(found.items()))


def add_trial(
    study: "Study",
    settings: TuningSettings,
    number: int,
    weights: Mapping[str, float],
    value: float,
    **attributes: Any,
) -> None:
    """Store a finished trial."""
    from optuna.trial import create_trial

    study.add_trial(
        create_trial(
            params=dict(weights),
            distributions=distributions(settings),
            value=value,
            user_attrs={NUMBER: number, **attributes},
        )
    )


def distributions(settings: TuningSettings) -> "dict[str, BaseDistribution]":
    """The ranges as Optuna's distributions."""
    from optuna.distributions import FloatDistribution

    return {
        weight.name: FloatDistribution(weight.low, weight.high, log=weight.log)
        for weight in settings.weights
    }


def wave_of(settings: TuningSettings, number: int) -> range:
    """The numbers of the trials that are proposed together with one; 0 is the start alone."""
    if number == 0:
        return range(1)
    size = TPE_WAVE if settings.sampler == "tpe" else _strategy(settings, 0).population_size
    first = number - (number - 1) % size
    return range(first, first + size)


def proposed(
    settings: TuningSettings, number: int, earlier: "Sequence[FrozenTrial]"
) -> dict[str, float]:
    """The weights of a trial, from those of all earlier waves in order."""
    if number == 0:
        return settings.start
    text = f"{settings.seed} {number}"
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])
    if settings.sampler != "tpe":
        return _by_cma(settings, seed, earlier)
    import optuna

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Optuna's experimental features
        sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.add_trials(earlier)
    return study.ask(distributions(settings)).params


def _by_cma(
    settings: TuningSettings, seed: int, earlier: "Sequence[FrozenTrial]"
) -> dict[str, float]:
    import numpy as np

    strategy = _strategy(settings, seed)
    size = strategy.population_size
    for first in range(1, len(earlier), size):
        told = []
        for trial in earlier[first : first + size]:
            point = [weight.place(trial.params[weight.name]) for weight in settings.weights]
            told.append((np.array(point), -float(trial.value or 0.0)))
        strategy.tell(told)
    places = zip(settings.weights, strategy.ask(), strict=True)
    return {weight.name: weight.at(float(place)) for weight, place in places}


def _strategy(settings: TuningSettings, seed: int) -> Any:
    """CMA-ES from the start weights, in coordinates from 0 to 1."""
    import numpy as np
    from cmaes import CMA

    start = np.array([weight.place(weight.start) for weight in settings.weights])
    bounds = np.array([[0.0, 1.0]] * len(start))
    return CMA(mean=start, sigma=FIRST_STEP, bounds=bounds, seed=seed)
