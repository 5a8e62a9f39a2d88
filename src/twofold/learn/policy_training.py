"""A training run of a policy network, which can stop after any update, and its checkpoints."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Annotated, Any, Final

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray

from twofold.errors import InvalidInput, InvalidNetwork, LimitExceeded, ResourceError
from twofold.game.notation import shown
from twofold.learn.checkpoint import RunState, card_values
from twofold.learn.curve import Count
from twofold.learn.policy_settings import MAX_TRAINING_MOVES, PolicySettings
from twofold.learn.ppo import Learner, Play
from twofold.learn.training import TrainingProgress, TrainingRun
from twofold.limits import MAX_RUN_SECONDS, check_limit, cores
from twofold.settings import from_document
from twofold.storage.arrays import checked, open_tensors, parse_document
from twofold.values.network_file import Earlier
from twofold.values.policy_network import PolicyCard, PolicyNetwork, write_policy


class PolicyTraining(TrainingRun):
    """A run of PPO.

    Args:
        settings: what decides what is learnt.
        moves: total number of moves to learn from; None for no limit.
        seconds: total time; None for no limit. The learning rate and the weight of the entropy
            fall towards the nearer limit.
        device: `cpu`, `cuda`, or `auto` for the GPU if there is one.

    Attributes:
        moves: moves learned from so far.
    """

    settings: PolicySettings
    moves = 0

    def __init__(
        self,
        settings: PolicySettings,
        *,
        moves: int | None = None,
        seconds: float | None = None,
        device: str = "auto",
    ) -> None:
        super().__init__()
        self.settings = settings
        self.limit(moves, seconds)
        torch.set_num_threads(min(settings.threads, cores()))
        self.learner = Learner(settings, device_named(device))

    def limit(self, moves: int | None, seconds: float | None) -> None:
        """Set the limits on the whole run; None for no limit."""
        if moves is not None:
            check_limit("moves", moves, 1, MAX_TRAINING_MOVES)
        if seconds is not None and not 0 < seconds <= MAX_RUN_SECONDS:
            raise LimitExceeded(f"expected seconds up to {MAX_RUN_SECONDS:g}, got {seconds}")
        self.move_limit, self.second_limit = moves, seconds

    @property
    def network(self) -> PolicyNetwork:
        """The weights as players use them."""
        settings = self.settings
        return self.learner.model.network(
            settings.reward, symmetric=settings.symmetric, discount=settings.gamma
        )

    @property
    def share(self) -> float | None:
        """Fraction of the moves that are wanted; None without a limit on them."""
        return self.moves / self.move_limit if self.move_limit else None

    @property
    def is_finished(self) -> bool:
        """True if the moves or the time are used up."""
        return self.done is not None and self.done >= 1

    def run(
        self,
        *,
        seconds: float | None = None,
        games: int | None = None,
        stop: threading.Event | None = None,
        on_progress: Callable[[TrainingProgress], None] | None = None,
        every: float = 0.25,
    ) -> None:
        """Continue; the arguments are those of `twofold.learn.training.Training.run`."""
        began, before = time.perf_counter(), self.seconds
        reported, moves = began, self.moves
        while not (
            self.is_finished
            or (stop is not None and stop.is_set())
            or (games is not None and self.curve.games >= games)
        ):
            played, over = self.learner.play()
            self.learner.learn(played, self.done or 0.0)
            self.moves += len(played.moves)
            now = time.perf_counter()
            self.seconds = before + now - began
            self.curve.add(over, self.moves, self.seconds)
            if on_progress is not None and now - reported >= every:
                on_progress(self._progress((self.moves - moves) / (now - reported)))
                reported, moves = now, self.moves
            if seconds is not None and now - began >= seconds:
                return


def device_named(name: str) -> str:
    """`cpu` or `cuda`; raises `InvalidInput` for others, `ResourceError` if there is no GPU."""
    if name not in ("auto", "cpu", "cuda"):
        raise InvalidInput(f"expected a device (cpu, cuda or auto), got {shown(name)}")
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise ResourceError("PyTorch finds no GPU. Train with --device cpu")
    return name


STATE: Final = "twofold-policy-training"
"""The metadata key of the state."""
_MODEL: Final = "model."
_OPTIMIZER: Final = "optimizer."
_GAMES: Final = "games."
_CHOICES: Final = "choices"
"""The generator that draws moves and orders minibatches."""


class _State(RunState, frozen=True, kw_only=True):
    move_limit: Annotated[int, msgspec.Meta(ge=1, le=2**62)] | None
    second_limit: Annotated[float, msgspec.Meta(gt=0)] | None
    moves: Count
    updates: Count
    device: str
    before: list[Earlier]


def save(training: PolicyTraining, path: str | os.PathLike[str]) -> None:
    """Write a checkpoint of a run that is not running."""
    network = training.network
    card = PolicyCard(
        unit=network.reward.unit,
        layers=len(network.layers),
        symmetric=training.settings.symmetric,
        **card_values(training),
    )
    state = _State(
        settings=card.settings,
        move_limit=training.move_limit,
        second_limit=training.second_limit,
        moves=training.moves,
        updates=training.learner.updates,
        device=training.learner.device.type,
        seconds=training.seconds,
        curve=training.curve,
        evaluations=training.evaluations,
        before=training.before,
    )
    metadata = {STATE: msgspec.json.encode(state).decode()}
    write_policy(path, network, card, tensors=_tensors(training), metadata=metadata)


def _tensors(training: PolicyTraining) -> dict[str, NDArray[Any]]:
    learner = training.learner
    found = {
        f"{_MODEL}{name}": _array(tensor) for name, tensor in learner.model.state_dict().items()
    }
    for number, state in learner.optimizer.state_dict()["state"].items():
        for name, tensor in state.items():
            found[f"{_OPTIMIZER}{number}.{name}"] = _array(tensor)
    found |= {f"{_GAMES}{key}": array for key, array in learner.play.games.state().items()}
    return found | {_CHOICES: _array(learner.play.generator.get_state())}


def load(path: str | os.PathLike[str], *, device: str = "auto") -> PolicyTraining:
    """The run in a checkpoint.

    Raises:
        InvalidNetwork: the file is missing or damaged, or holds no policy run.
        InvalidInput: there is no such kind of device.
        ResourceError: there is no GPU.
    """
    state, arrays, name = _read(path)
    device = device_named(device)
    with _refusals(name):
        settings = from_document(PolicySettings, state.settings)
        _check_model(settings, arrays)
        cells = settings.rules.rows * settings.rules.cols
        checked(arrays, f"{_GAMES}boards", (np.uint8,), (settings.games, cells), "the run")
        training = PolicyTraining(
            settings, moves=state.move_limit, seconds=state.second_limit, device=device
        )
        _restore(training, state, arrays)
        _ = training.network  # refuses weights whose outputs are not finite
    return training


def start_from(training: PolicyTraining, path: str | os.PathLike[str]) -> None:
    """Begin a run with the weights in the checkpoint of another, whose network has its layers.

    Raises:
        InvalidNetwork: the file is missing or damaged, holds no policy run, or one of a network
            with other layers.
    """
    state, arrays, name = _read(path)
    with _refusals(name):
        _check_model(training.settings, arrays)
        _restore_model(training.learner, state, arrays)
        _ = training.network
        method = from_document(PolicySettings, state.settings).describe()
    training.before = [*state.before, {"method": method, "games": state.curve.games}]


def _read(path: str | os.PathLike[str]) -> tuple[_State, dict[str, NDArray[Any]], str]:
    """The state and the arrays in a checkpoint, and the file's name."""
    with open_tensors(path) as file:
        words = "the checkpoint of a policy run"
        state = parse_document(file.metadata, STATE, _State, words, file.name)
        return state, {name: file.read(name) for name in file.tensors}, file.name


@contextmanager
def _refusals(name: str) -> Iterator[None]:
    """Contents that do not fit raise `InvalidNetwork` with the file's name."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidNetwork(f"{name}: {error}") from None
    except (ArithmeticError, TypeError, ValueError, RuntimeError) as error:
        raise InvalidNetwork(
            f"expected the checkpoint of a policy run, got {shown(str(error))} in {name}"
        ) from None


def _check_model(settings: PolicySettings, arrays: dict[str, NDArray[Any]]) -> None:
    """Refuse settings whose weights are not there, before anything is made of them."""
    widths = settings.hidden
    cells = settings.rules.rows * settings.rules.cols
    first = f"{_MODEL}first"
    checked(arrays, first, (np.float32,), (cells, settings.embedding, widths[0]), "the run")
    for number, (before, after) in enumerate(pairwise(widths)):
        name = f"{_MODEL}hidden.{number}.weight"
        checked(arrays, name, (np.float32,), (after, before), "the run")


def _restore(training: PolicyTraining, state: _State, arrays: dict[str, NDArray[Any]]) -> None:
    learner = training.learner
    _restore_model(learner, state, arrays)
    if state.moves:
        _restore_optimizer(training, arrays)
    if state.device == learner.device.type:  # else new games begin
        _restore_games(learner.play, arrays)
    training.seconds, training.moves, training.curve = state.seconds, state.moves, state.curve
    training.evaluations, training.before = list(state.evaluations), state.before


def _restore_model(learner: Learner, state: _State, arrays: dict[str, NDArray[Any]]) -> None:
    for name, tensor in learner.model.state_dict().items():
        tensor.copy_(_tensor(arrays, f"{_MODEL}{name}", tensor))
    learner.updates = state.updates


def _restore_games(play: Play, arrays: dict[str, NDArray[Any]]) -> None:
    play.games.restore(
        {key.removeprefix(_GAMES): one for key, one in arrays.items() if key.startswith(_GAMES)}
    )
    drawn = _tensor(arrays, _CHOICES, play.generator.get_state())
    try:
        play.generator.set_state(drawn)
    except RuntimeError as error:
        raise InvalidNetwork(f"expected a generator's state, got {shown(str(error))}") from None


def _restore_optimizer(training: PolicyTraining, arrays: dict[str, NDArray[Any]]) -> None:
    optimizer = training.learner.optimizer
    found = optimizer.state_dict()
    for number, parameter in enumerate(training.learner.model.parameters()):
        like = {"step": torch.zeros(()), "exp_avg": parameter, "exp_avg_sq": parameter}
        found["state"][number] = {
            name: _tensor(arrays, f"{_OPTIMIZER}{number}.{name}", one) for name, one in like.items()
        }
        if any((found["state"][number][name] < 0).any() for name in ("step", "exp_avg_sq")):
            raise InvalidNetwork(
                "expected steps and squares of 0 or more of the optimiser, got less"
            )
    optimizer.load_state_dict(found)


def _tensor(arrays: dict[str, NDArray[Any]], name: str, like: torch.Tensor) -> torch.Tensor:
    expected = _array(like)
    array = checked(arrays, name, (expected.dtype,), expected.shape, "the run")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise InvalidNetwork(f"expected finite numbers as {name}, got NaN or infinity")
    return torch.from_numpy(array)


def _array(tensor: torch.Tensor) -> NDArray[Any]:
    return np.array(tensor.detach().cpu().numpy(), order="C")
