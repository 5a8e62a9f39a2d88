"""The file of a tuning, an Optuna study in a journal, and the weights that are tried next.

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
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from twofold.arena.studies.file import room_beside
from twofold.arena.tuning.settings import TuningSettings
from twofold.errors import InvalidInput, MissingExtra, ResourceError, TwofoldError
from twofold.files import read_start
from twofold.limits import MAX_TRIALS
from twofold.notation import shown

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial

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
