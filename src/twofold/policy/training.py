"""A training run of a policy network: it can be stopped after any update and goes on later."""

import threading
import time
from collections.abc import Callable

import torch

from twofold.errors import InvalidInput, LimitExceeded, ResourceError
from twofold.learn.curve import Curve
from twofold.learn.evaluation import Evaluation
from twofold.learn.training import TrainingProgress
from twofold.limits import MAX_RUN_SECONDS, check_limit, cores
from twofold.networks.policy import PolicyNetwork
from twofold.notation import shown
from twofold.policy.learner import Learner
from twofold.policy.settings import MAX_TRAINING_MOVES, PolicySettings


class PolicyTraining:
    """A run of PPO.

    Args:
        settings: what decides what is learnt.
        moves: total number of moves to learn from; None for no limit.
        seconds: total time; None for no limit. The learning rate and the weight of the entropy
            fall towards the nearer limit.
        device: `cpu`, `cuda`, or `auto` for the GPU if there is one.

    Attributes:
        curve: of the training games that began with start tiles.
        evaluations: of the test games.
        seconds: time spent training.
        moves: moves learned from so far.
    """

    def __init__(
        self,
        settings: PolicySettings,
        *,
        moves: int | None = None,
        seconds: float | None = None,
        device: str = "auto",
    ) -> None:
        self.settings = settings
        self.limit(moves, seconds)
        torch.set_num_threads(min(settings.threads, cores()))
        self.learner = Learner(settings, device_named(device))
        self.curve = Curve()
        self.evaluations: list[Evaluation] = []
        self.seconds = 0.0
        self.moves = 0

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
    def done(self) -> float | None:
        """The share that is done, 0 to 1; None without a limit."""
        parts = []
        if self.move_limit is not None:
            parts.append(self.moves / self.move_limit)
        if self.second_limit is not None:
            parts.append(self.seconds / self.second_limit)
        return min(max(parts), 1.0) if parts else None

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
            played, over = self.learner.collect()
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

    def _progress(self, speed: float) -> TrainingProgress:
        return TrainingProgress(
            games=self.curve.games,
            moves=self.moves,
            seconds=self.seconds,
            speed=speed,
            mean=self.curve.mean,
            reached=self.curve.reached,
            phase=0,
            done=self.done,
        )


def device_named(name: str) -> str:
    """`cpu` or `cuda`; raises `InvalidInput` for others, `ResourceError` if there is no GPU."""
    if name not in ("auto", "cpu", "cuda"):
        raise InvalidInput(f"expected a device (cpu, cuda or auto), got {shown(name)}")
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise ResourceError("PyTorch finds no GPU. Train with --device cpu")
    return name
