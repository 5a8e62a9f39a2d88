"""Runs a training and keeps its files current: checkpoint, learning curve, evaluations."""

import contextlib
import importlib.util
import math
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from twofold.errors import InvalidInput, ResourceError
from twofold.game.notation import shown
from twofold.learn.checkpoint import curve_path, save
from twofold.learn.curve import (
    COLUMNS,
    EVALUATIONS_SUFFIX,
    TILES,
    Evaluation,
    Measure,
    Point,
    evaluations_csv,
)
from twofold.learn.training import Training, TrainingProgress
from twofold.storage.files import atomic_write, read_start, writable
from twofold.storage.work import WorkFile

if TYPE_CHECKING:
    from twofold.learn.policy_training import PolicyTraining  # it needs PyTorch

CURVE_SECONDS: Final = 2.0
"""The curve's file is written at most this often."""

_FIRST: Final = f"{COLUMNS[0]},".encode()
"""How the files beside a checkpoint begin."""


Trainable: TypeAlias = "Training | PolicyTraining"
"""A training run of either kind."""


def files_beside(path: str | os.PathLike[str]) -> list[Path]:
    """The files that a run writes beside its checkpoint: learning curve and evaluations."""
    return [curve_path(path), Path(path).with_suffix(EVALUATIONS_SUFFIX)]


def run(
    training: Trainable,
    path: str | os.PathLike[str],
    *,
    save: Callable[[Any, Path], None] = save,
    interval: float = 600.0,
    stop: threading.Event | None = None,
    on_progress: Callable[[TrainingProgress], None] | None = None,
    on_save: Callable[[float], None] | None = None,
    replaces: bool = True,
    on_move: Callable[[Path], None] | None = None,
    measure: Measure | None = None,
    measure_every: float = 600.0,
    measure_games: int | None = None,
    on_evaluation: Callable[[Evaluation], None] | None = None,
) -> Path:
    """Continue a run to its end or until `stop`, and write its files.

    Args:
        training: the run.
        path: its checkpoint. The learning curve goes to `.csv` beside it, and to a folder of
            TensorBoard events if `tensorboard` is installed.
        save: writes the checkpoint.
        interval: seconds between checkpoints; more if writing takes long.
        stop: an event that ends the run after a last checkpoint.
        on_progress: called with the progress a few times a second.
        on_save: called after each checkpoint with the seconds that writing it took.
        replaces: False if a file that is there already is another program's: it stays, as below.
        on_move: called with a new path when another program has changed the checkpoint; that file
            stays untouched.
        measure: evaluates the network at the start, at intervals and at the end, while training
            pauses. Results go to the checkpoint and to a CSV file beside it.
        measure_every: training seconds between evaluations.
        measure_games: training games between evaluations, instead of seconds. With one thread the
            results are then reproducible.
        on_evaluation: called with each evaluation.

    Returns:
        The path of the checkpoint.

    Raises:
        InvalidInput: the path names no file that can be written, or a file beside the
            checkpoint is of another kind than the run writes there.
        ResourceError: a file cannot be written; the last checkpoint remains.
    """
    stop = stop or threading.Event()
    for each in (path, *files_beside(path)):
        writable(each)  # before anything is learned
    events = _Events(Path(path).with_suffix(".tensorboard"), training)
    curve = _CurveFile(training, curve_path(path))

    def moved(path: Path) -> None:
        curve.path = curve_path(path)
        if on_move:
            on_move(path)

    def write(path: Path) -> None:
        save(training, path)
        curve.write()
        events.write(training.curve.shown, training.evaluations)

    file = WorkFile(path, interval, training.seconds, moved, files_beside, replaces=replaces)

    def tell(now: TrainingProgress) -> None:
        curve.follow()
        if on_progress:
            on_progress(now)

    trials = _Trials(training, measure, measure_every, measure_games, on_evaluation)
    while True:
        trials.follow(ended=training.is_finished, stopped=stop.is_set())
        pause = max(min(file.due, trials.due) - training.seconds, 0.0)
        training.run(seconds=pause, games=trials.due_games, stop=stop, on_progress=tell)
        is_over = training.is_finished or stop.is_set()
        if training.is_finished and not stop.is_set():
            trials.follow(ended=True, stopped=False)
        if training.seconds < file.due and not is_over:
            continue
        taken = file.save(write, training.seconds)
        if on_save:
            on_save(taken)
        if is_over:
            events.close()
            return file.path


class _Trials:
    """Schedules the evaluations: at the start, at intervals, at the end."""

    def __init__(
        self,
        training: Trainable,
        measure: Measure | None,
        every: float,
        games: int | None,
        told: Callable[[Evaluation], None] | None,
    ) -> None:
        self._training, self._measure, self._told = training, measure, told
        self._every = every if games is None else math.inf
        self._games = games
        known = training.evaluations
        self.due = math.inf if measure is None else 0.0
        """Training seconds at which the next evaluation is due."""
        self.due_games: int | None = None
        """Games at which it is due; None to use seconds alone."""
        if measure is not None and known:
            self._wait(known[-1].seconds, known[-1].games)

    def _wait(self, seconds: float, games: int) -> None:
        """Schedule the next evaluation; by games it falls on whole multiples."""
        self.due = seconds + self._every
        if self._games is not None:
            self.due_games = (games // self._games + 1) * self._games

    def follow(self, *, ended: bool, stopped: bool) -> None:
        """Evaluate if due, or at the end of a run that has moved since the last evaluation."""
        training = self._training
        last = training.evaluations[-1].moves if training.evaluations else -1
        is_due = (
            training.seconds >= self.due
            or (self.due_games is not None and training.curve.games >= self.due_games)
            or (ended and last < training.moves)
        )
        if self._measure is None or stopped or not is_due:
            return
        if (found := self._measure(training.network)) is None:
            return
        training.evaluations.append(
            Evaluation(
                training.curve.games,
                training.moves,
                round(training.seconds, 1),
                round(training.curve.mean, 1),
                found,
            )
        )
        self._wait(training.seconds, training.curve.games)
        if self._told is not None:
            self._told(training.evaluations[-1])


def _check_ours(path: Path, what: str) -> None:
    """Refuse to replace a file whose first column is not that of what a run writes there."""
    if path.exists() and read_start(path, len(_FIRST)) not in (b"", _FIRST):
        raise InvalidInput(
            f"expected another name for the network: its {what} would replace "
            f"{shown(str(path))}, which is no {what}"
        )


class _CurveFile:
    def __init__(self, training: Trainable, path: Path) -> None:
        self._training, self.path = training, path
        _check_ours(path, "learning curve")
        _check_ours(path.with_suffix(EVALUATIONS_SUFFIX), "table of evaluations")
        self._games, self._written = self._last(), time.monotonic()

    def _last(self) -> int:
        points = self._training.curve.points
        return points[-1].games if points else 0

    def follow(self) -> None:
        """Write the file if the curve has a new point, not too often; ignore failures."""
        if self._last() > self._games and time.monotonic() - self._written >= CURVE_SECONDS:
            with contextlib.suppress(ResourceError):
                self.write()

    def write(self) -> None:
        self._games, self._written = self._last(), time.monotonic()
        if self._training.evaluations:  # first, so that readers of the curve find them
            text = evaluations_csv(self._training.evaluations)
            atomic_write(self.path.with_suffix(EVALUATIONS_SUFFIX), text)
        atomic_write(self.path, self._training.curve.csv())


class _Events:
    """The points of a curve as TensorBoard events, where `tensorboard` is installed."""

    def __init__(self, folder: Path, training: Trainable) -> None:
        before, goes_on = training.curve.shown, folder.is_dir()
        self._folder = folder
        self._written = before[-1].games if before and goes_on else 0
        self._judged = len(training.evaluations) if goes_on else 0
        self._writer: Any = None

    def write(self, points: list[Point], evaluations: list[Evaluation]) -> None:
        fresh = [point for point in points if point.games > self._written]
        judged = evaluations[self._judged :]
        if not (fresh or judged) or importlib.util.find_spec("tensorboard") is None:
            return
        if self._writer is None:
            from tensorboard.summary import Writer  # an optional dependency

            self._writer = Writer(str(self._folder))
        for point in fresh:
            values = {"score/mean": point.mean, "score/largest": float(point.largest)}
            rates = zip(TILES, point.reached, strict=True)
            self._add(point.games, values | {f"reached/{tile}": rate for tile, rate in rates})
        for one in judged:
            found = one.measured
            values = {} if found.mean is None else {"evaluation/mean": found.mean}
            survival = {f"survival/{name}": rate for name, rate in found.survival.items()}
            self._add(one.games, values | survival)
        self._written = fresh[-1].games if fresh else self._written
        self._judged = len(evaluations)
        self._writer.flush()

    def _add(self, games: int, values: dict[str, float]) -> None:
        for tag, value in values.items():
            self._writer.add_scalar(tag, value, games)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
