"""Checkpoints: network files that hold the whole state of their run; and the first weights of runs.

That is the sums of temporal coherence, the games under way, the carousel, the dice, the schedule
and the curve. With one thread a resumed run ends as an uninterrupted one, but for its seconds.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from twofold.errors import InvalidInput, InvalidNetwork
from twofold.game.notation import shown
from twofold.kernels import learning as kernels
from twofold.kernels import updates as at
from twofold.learn.curve import Curve, Evaluation
from twofold.learn.rules import Decay, LearningRule
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import (
    Training,
    TrainingRun,
    Words,
    Worker,
    carousel_shape,
    weight_count,
)
from twofold.limits import MAX_TRAINING_GAMES
from twofold.settings import from_document
from twofold.storage.arrays import checked, map_tensors, parse_document
from twofold.storage.files import file_name
from twofold.storage.memory import check_memory
from twofold.values.network import Network, Pattern
from twofold.values.network_file import (
    Card,
    Earlier,
    Learnt,
    average,
    check_finite,
    read_card,
    read_learnt,
    write_network,
)
from twofold.values.tdl import Sums
from twofold.version import __version__

STATE: Final = "twofold-training"
"""The metadata key of the state, a JSON document."""

_KEPT: Final = (at.MOVES, at.UPDATES, at.CAROUSEL_STAGE, at.CAROUSEL_LEFT)
"""The words of a thread that change during a run."""

Seconds = Annotated[float, msgspec.Meta(ge=0)]


def save(training: Training, path: str | os.PathLike[str]) -> None:
    """Write a checkpoint, while the run is paused; a failure leaves the old file."""
    network = training.network
    card = Card(
        patterns=network.name,
        symmetries=network.symmetries,
        stages=network.stages,
        **card_values(training),
    )
    state = _TrainingState(
        settings=card.settings,
        games=training.game_limit,
        seconds_limit=training.second_limit,
        seconds=training.seconds,
        phase=training.phase,
        games_begun=int(training.games_begun[0]),
        curve=training.curve,
        evaluations=training.evaluations,
    )
    metadata = {STATE: msgspec.json.encode(state).decode()}
    write_network(path, network, card, _tensors(training), metadata)


def card_values(training: TrainingRun) -> dict[str, Any]:
    """What the card of a network says of its run, of any kind."""
    return {
        "rules": str(training.settings.rules),
        "method": training.settings.describe(),
        "settings": training.settings.document(),
        "games": training.curve.games,
        "before": training.before,
        "moves": training.moves,
        "seconds": round(training.seconds, 1),
        "curve": training.curve.rows(),
        "evaluations": msgspec.to_builtins(training.evaluations),
        "twofold": __version__,
    }


class RunState(msgspec.Struct, frozen=True, kw_only=True):
    """What the checkpoint of a run of any kind holds beside its arrays."""

    settings: dict[str, Any]
    seconds: Seconds
    curve: Curve
    evaluations: list[Evaluation] = []


class _TrainingState(RunState, frozen=True, kw_only=True):
    games: Annotated[int, msgspec.Meta(ge=0, le=MAX_TRAINING_GAMES)] | None
    seconds_limit: Seconds | None
    phase: int
    games_begun: Annotated[int, msgspec.Meta(ge=0, le=2**62)]


def _read_settings(
    document: dict[str, Any], rule: LearningRule | None, decay: Decay | None
) -> TrainingSettings:
    _check_code("rule", document.get("rule", ""), rule)
    _check_code("decay", document.get("decay", ""), decay)
    return from_document(TrainingSettings, document, rule=rule, decay=decay)


def _check_code(kind: str, stated: str, given: LearningRule | Decay | None) -> None:
    if bool(stated) == (given is not None):
        return
    if given is not None:
        raise InvalidNetwork(f"the run uses no {kind} function. Leave {shown(given.name)} out")
    raise InvalidNetwork(
        f"the run uses the {kind} function {shown(stated)}. Pass --{kind} again: "
        "files never import code"
    )


def load(
    path: str | os.PathLike[str],
    *,
    games: int | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    rule: LearningRule | None = None,
    decay: Decay | None = None,
) -> Training:
    """Read a checkpoint: the training run, ready to continue.

    Args:
        path: the checkpoint.
        games: new limit on games, in all. Without it and `seconds` both limits stay.
        seconds: new limit on training time, in all.
        threads: new number of threads, which restarts the games under way; None to keep it.
        rule: the learning rule, if the run uses a function of the user.
        decay: the schedule of step sizes, if it uses one.

    Raises:
        InvalidNetwork: not a checkpoint, or a damaged one.
        ResourceError: it would take more than 80 % of the free memory.
    """
    name = ascii(file_name(path, InvalidNetwork))
    card = read_card(path)
    tensors = map_tensors(path)
    if STATE not in tensors.metadata:
        raise InvalidNetwork(f"{name} has no training run to resume. Use it with --start")
    what = "the state of a training run"
    state = parse_document(tensors.metadata, STATE, _TrainingState, what, name)
    try:
        settings = _read_settings(state.settings, rule, decay)
        _check_tensors(settings, tensors.tensors)
        used = settings if threads is None else replace(settings, threads=threads)
        training = Training(used, games=state.games, seconds=state.seconds_limit)
        training.before = card.before
        _restore(training, state, tensors.tensors, exactly=used == settings)
        if games is None and seconds is None:
            games, seconds = state.games, state.seconds_limit
        training.limit(games, seconds)
    except InvalidInput as error:
        raise InvalidNetwork(f"{name}: {error}") from error
    return training


def curve_path(path: str | os.PathLike[str]) -> Path:
    """The CSV file of a run's learning curve: `net.csv` beside `net.safetensors`."""
    return Path(path).with_suffix(".csv")


# ---- the parts


def _tensors(training: Training) -> dict[str, NDArray[Any]]:
    games = np.stack([worker.game[: at.KEPT_WORDS] for worker in training.workers])
    games[:, at.HISTORY] = 0  # an address, valid in this process only
    return {
        _memory_key(training.settings): training.memory,
        "games": games,
        "histories": np.concatenate([_history(worker) for worker in training.workers]),
        "threads": np.stack([worker.words[list(_KEPT)] for worker in training.workers]),
        "carousel": training.carousel,
    }


def _memory_key(settings: TrainingSettings) -> str:
    return "sums" if settings.rule is None else "memory"


def _history(worker: Worker) -> Words:
    """The board of the game, then its afterstates, then its rewards and values."""
    count = int(worker.game[at.COUNT])
    afters, pairs = np.split(worker.history, 2)
    return np.concatenate([afters[-1:], afters[:count], pairs[:count]])


def _check_tensors(settings: TrainingSettings, tensors: dict[str, NDArray[Any]]) -> None:
    """Check shapes before the settings make anything allocate memory."""
    stages, weights = len(settings.stages) + 1, weight_count(settings)
    memory = _memory_key(settings)
    shapes = {
        "weights": (np.float32, (stages, weights // stages)),
        memory: (np.float32, (weights if settings.memory else 0, settings.memory or 2)),
        "carousel": (np.uint64, carousel_shape(settings)),
        "games": (np.uint64, (settings.threads, at.KEPT_WORDS)),
        "threads": (np.uint64, (settings.threads, len(_KEPT))),
        "histories": (np.uint64, tensors.get("histories", np.empty(0)).shape[:1]),
    }
    for name, (dtype, shape) in shapes.items():
        checked(tensors, name, (dtype,), shape, "the run")
    check_finite(tensors["weights"], "the run")
    check_finite(tensors[memory].reshape(1, -1), "the run", memory)


def _restore(
    training: Training, state: _TrainingState, tensors: dict[str, NDArray[Any]], *, exactly: bool
) -> None:
    training.network.weights[:] = tensors["weights"]
    training.memory[:] = tensors[_memory_key(training.settings)]
    training.carousel[:] = tensors["carousel"]
    training.games_begun[0] = state.games_begun
    training.seconds = state.seconds
    if not 0 <= state.phase <= training.phases:
        raise InvalidNetwork(f"expected a phase from 0 to {training.phases}, got {state.phase}")
    training.phase, training.curve = state.phase, state.curve
    training.evaluations = list(state.evaluations)
    if not exactly:
        training.workers[0].words[at.MOVES] = tensors["threads"][:, 0].sum()
        training.workers[0].words[at.UPDATES] = tensors["threads"][:, 1].sum()
        return
    place = 0
    for number, worker in enumerate(training.workers):
        worker.words[list(_KEPT)] = tensors["threads"][number]
        worker.game[: at.KEPT_WORDS] = tensors["games"][number]
        worker.point_history()
        _check_game(worker.game)
        place = _restore_history(worker, tensors["histories"], place)
        if worker.words[at.CAROUSEL_STAGE] >= len(training.carousel):
            raise InvalidNetwork("expected a stage of the network on the carousel")
        kernels.list_again(worker.words)
    if place != len(tensors["histories"]):
        raise InvalidNetwork(f"expected {place} words of histories")


def _check_game(game: Words) -> None:
    """Check every number by which a kernel indexes memory."""
    learning = game[at.STATE] == at.LEARNING
    known = (at.IDLE, at.PLAYING, at.LEARNING)
    updates = game[at.NEXT_UPDATE]
    if int(game[at.STATE]) not in known or (
        learning and not 1 <= updates <= game[at.COUNT] < at.HISTORY_SIZE
    ):
        raise InvalidNetwork("expected a game under way")


def _restore_history(worker: Worker, words: Words, place: int) -> int:
    """Fill a history from the words at `place`. Returns the place after it."""
    count = int(worker.game[at.COUNT])
    if not count < at.HISTORY_SIZE or place + 1 + 2 * count > len(words):
        raise InvalidNetwork(f"expected a history of {count} afterstates")
    afters, pairs = np.split(worker.history, 2)
    afters[-1] = words[place]
    afters[:count] = words[place + 1 : place + 1 + count]
    pairs[:count] = words[place + 1 + count : place + 1 + 2 * count]
    return place + 1 + 2 * count


_LONGEST_HISTORY: Final = 1_000_000
"""Maximum characters of `Training.before`, so that it fits into a file."""


def start_from(training: Training, *names: str | os.PathLike[str]) -> str:
    """Start a run with the weights of a network, and with their sums if both use TC.

    Tables are copied for the patterns that both have. The network may have fewer stages: the rest
    stay untouched. Several networks, which must have the same patterns, are averaged. `names` are
    shipped networks, network files or weight files of TDL2048+.

    Returns:
        One line that names the differences; empty if the patterns are the same.

    Raises:
        InvalidNetwork: a file is invalid, shape or stages differ, no pattern is in both, or all
            are while the settings give an initial value.
        ResourceError: the weights would take more than 80 % of the free memory.
    """
    found = [read_learnt(name, sums=True) for name in names]
    network, sums = _mean(found)
    ours = training.network
    taken = tuple(pattern for pattern in ours.patterns if pattern in network.patterns)
    fits = taken and network.shape == ours.shape
    if not fits or network.stages != ours.stages[: len(network.stages)]:
        raise InvalidNetwork(f"expected {ours.describe()} to start from, got {network.describe()}")
    if (value := training.settings.optimism) and len(taken) == len(ours.patterns):
        raise InvalidNetwork(
            f"all weights come from another network. Leave out the optimism, {value:g}"
        )
    stages = network.stage_count
    for pattern in taken:
        to, source = _place(ours, pattern), _place(network, pattern)
        ours.weights[:stages, to] = network.weights[:, source]
        if sums is not None and training.settings.coherent:
            memory = training.memory.reshape(ours.stage_count, ours.stage_size, -1)
            memory[:stages, to] = sums.reshape(stages, network.stage_size, -1)[:, source]
    training.before = _learnt([one.card for one in found])
    if len(str(training.before)) > _LONGEST_HISTORY:
        raise InvalidNetwork(
            f"the networks' history is too long for a file: {len(training.before):,} earlier runs"
        )
    new = [pattern for pattern in ours.patterns if pattern not in taken]
    left = [pattern for pattern in network.patterns if pattern not in taken]
    parts = [f"{_words(new)} start from scratch"] if new else []
    parts += [f"{_words(left)} are left out"] if left else []
    return f"copied the tables of {_words(taken)}; {', '.join(parts)}" if parts else ""


def _place(network: Network, pattern: Pattern) -> slice:
    """Where the weights of a pattern are in each stage."""
    start = network.offsets[network.patterns.index(pattern)]
    return slice(start, start + pattern.size)


def _mean(found: Sequence[Learnt]) -> tuple[Network, Sums | None]:
    """The mean of the networks, and of their sums if all have them."""
    if len(found) == 1:
        return found[0].network, found[0].sums
    network = average([one.network for one in found])
    sums = [one.sums for one in found if one.sums is not None]
    if len(sums) < len(found):
        return network, None
    check_memory(8 * network.weights.size, "the mean of the sums")
    total: Sums = np.zeros((network.weights.size, 2), np.float32)
    for one in sums:
        total += one[: len(total)] * np.float32(1 / len(sums))
    return network, total


def _learnt(cards: Sequence[Card]) -> list[Earlier]:
    before: list[Earlier] = []
    for card in cards:
        before += [*card.before, {"method": card.method, "games": card.games}]
    if len(cards) > 1:
        before.append({"method": f"mean of {len(cards)} networks", "games": 0})
    return before


def _words(patterns: Sequence[Pattern]) -> str:
    return ", ".join(map(str, patterns))
