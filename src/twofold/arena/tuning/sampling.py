"""Chooses the weights of the next trial.

The choice depends only on the seed, the worker and the finished trials, so a tuning by one
process is the same after any interruption. Optuna's own CMA-ES sampler stores a pickle in the
file, which can run code when it is read; here the state is rebuilt from the trials each time.
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
"""Attribute of a trial proposed by CMA-ES: its generation."""

START: Final = "start"
"""Attribute of the trial with the start weights."""

ORDER: Final = "order"
"""Attribute of a finished trial: the number of trials that it saw finished before it."""

FIRST_STEP: Final = 1 / 6
"""First standard deviation of CMA-ES, as a share of each weight's range."""


def ask(study: "Study", settings: TuningSettings, worker: int) -> "Trial":
    """Start the next trial and store its weights in the file; they differ between workers."""
    finished = finished_trials(study)
    seed = _derived_seed(settings.seed, worker, len(finished))
    generation = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Optuna's experimental features
        if settings.sampler == "cma":
            generation, study.sampler = _cma(settings, finished, seed)
        else:
            study.sampler = _tpe(seed)
        trial = study.ask(distributions(settings))
    if generation is not None and START not in trial.user_attrs:
        trial.set_user_attr(GENERATION, generation)
    return trial


def distributions(settings: TuningSettings) -> "dict[str, BaseDistribution]":
    """The ranges as Optuna's distributions."""
    from optuna.distributions import FloatDistribution

    return {
        weight.name: FloatDistribution(weight.low, weight.high, log=weight.log)
        for weight in settings.weights
    }


def finished_trials(study: "Study") -> "list[FrozenTrial]":
    """The finished trials in the order in which they finished; independent of the clock."""
    from optuna.trial import TrialState

    def order(trial: "FrozenTrial") -> tuple[int, int]:
        before = trial.user_attrs.get(ORDER)
        return before if isinstance(before, int) else 0, trial.number

    return sorted(study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)), key=order)


def _derived_seed(seed: int, worker: int, finished: int) -> int:
    """An independent seed below 2^32."""
    text = f"{seed} {worker} {finished}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])


def _tpe(seed: int) -> "BaseSampler":
    from optuna.samplers import TPESampler

    return TPESampler(seed=seed, multivariate=True, constant_liar=True)


def _cma(
    settings: TuningSettings, finished: "Sequence[FrozenTrial]", seed: int
) -> "tuple[int, BaseSampler]":
    """The present generation, and a sampler that proposes one of its points.

    The first finished trials of a generation, as many as its size, decide the next generation;
    CMA-ES ignores those that finish later.
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
    """CMA-ES from the start weights, in coordinates from 0 to 1."""
    import numpy as np
    from cmaes import CMA

    start = np.array([weight.place(weight.start) for weight in settings.weights])
    bounds = np.array([[0.0, 1.0]] * len(start))
    return CMA(mean=start, sigma=FIRST_STEP, bounds=bounds, seed=seed)


def _places(settings: TuningSettings, trial: "FrozenTrial") -> Any:
    import numpy as np

    return np.array([weight.place(trial.params[weight.name]) for weight in settings.weights])
