"""Which weights to try next.

Everything is a function of the seed, the worker and the trials that are finished, so that a
tuning by one process goes on after any interruption as if there had been none.

Optuna's own CMA-ES sampler keeps its state in the file as a pickle, which runs code when it is
read. Here the state is made anew from the trials each time.
"""

import hashlib
import warnings
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from twofold.arena.tuning.settings import TuningSettings

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.distributions import BaseDistribution
    from optuna.samplers import BaseSampler
    from optuna.trial import FrozenTrial

GENERATION: Final = "generation"
"""Attribute of a trial that CMA-ES proposed: which of its generations it belongs to."""

START: Final = "start"
"""Attribute of the trial with the start weights."""

ORDER: Final = "order"
"""Attribute of a finished trial: how many had finished before it, as far as it knew."""

FIRST_STEP: Final = 1 / 6
"""First standard deviation of CMA-ES, as a share of each weight's range."""


def ask(study: "Study", settings: TuningSettings, worker: int) -> "Trial":
    """Begin the next trial: its weights are decided and in the file.

    Args:
        study: the trials so far.
        settings: what is tuned.
        worker: number of the process that asks; two that ask at once get different weights.
    """
    finished = finished_trials(study)
    seed = _derived_seed(settings.seed, worker, len(finished))
    generation = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Optuna marks much as experimental
        if settings.sampler == "cma":
            generation, study.sampler = _cma(settings, finished, seed)
        else:
            study.sampler = _tpe(seed)
        trial = study.ask(distributions(settings))
    if generation is not None and START not in trial.user_attrs:
        trial.set_user_attr(GENERATION, generation)
    return trial


def distributions(settings: TuningSettings) -> "dict[str, BaseDistribution]":
    """The ranges in Optuna's words."""
    from optuna.distributions import FloatDistribution

    return {
        weight.name: FloatDistribution(weight.low, weight.high, log=weight.log)
        for weight in settings.weights
    }


def finished_trials(study: "Study") -> "list[FrozenTrial]":
    """The finished trials in the order in which they finished, whatever the clock said."""
    from optuna.trial import TrialState

    def order(trial: "FrozenTrial") -> tuple[int, int]:
        before = trial.user_attrs.get(ORDER)
        return before if isinstance(before, int) else 0, trial.number

    return sorted(study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)), key=order)


def _derived_seed(seed: int, worker: int, finished: int) -> int:
    """Seeds that have nothing to do with each other, below 2^32."""
    text = f"{seed} {worker} {finished}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])


def _tpe(seed: int) -> "BaseSampler":
    from optuna.samplers import TPESampler

    return TPESampler(seed=seed, multivariate=True, constant_liar=True)


def _cma(
    settings: TuningSettings, finished: "Sequence[FrozenTrial]", seed: int
) -> "tuple[int, BaseSampler]":
    """The present generation, and a sampler that proposes one of its points.

    The first trials of a generation that finish, as many as its size, decide the next; what
    other processes finish later counts as a trial but teaches CMA-ES nothing.
    """
    from optuna.samplers import PartialFixedSampler, RandomSampler

    by_generation: defaultdict[object, list[FrozenTrial]] = defaultdict(list)
    for trial in finished:
        by_generation[trial.user_attrs.get(GENERATION)].append(trial)
    strategy = _strategy(settings, seed)
    size = strategy.population_size
    while len(by_generation[strategy.generation]) >= size:
        points = by_generation[strategy.generation][:size]
        strategy.tell([(_places(settings, trial), -float(trial.value or 0.0)) for trial in points])
    point = {
        weight.name: weight.at(float(place))
        for weight, place in zip(settings.weights, strategy.ask(), strict=True)
    }
    return strategy.generation, PartialFixedSampler(point, RandomSampler(seed=seed))


def _strategy(settings: TuningSettings, seed: int) -> Any:
    """CMA-ES that begins at the start weights, in places from 0 to 1."""
    import numpy as np
    from cmaes import CMA

    start = np.array([weight.place(weight.start) for weight in settings.weights])
    bounds = np.array([[0.0, 1.0]] * len(start))
    return CMA(mean=start, sigma=FIRST_STEP, bounds=bounds, seed=seed)


def _places(settings: TuningSettings, trial: "FrozenTrial") -> Any:
    import numpy as np

    return np.array([weight.place(trial.params[weight.name]) for weight in settings.weights])
