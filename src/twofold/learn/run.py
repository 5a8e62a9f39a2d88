"""A training run and its files: checkpoints at intervals, the learning curve as CSV and events."""

import contextlib
import importlib.util
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from twofold.errors import ResourceError
from twofold.files import atomic_write, free_path
from twofold.learn.checkpoint import curve_path, save
from twofold.learn.curve import TILES, Point
from twofold.learn.training import Progress, Training

WRITING_SHARE: Final = 0.05
"""The part of the time that checkpoints may take: the interval grows where they would take more."""

CURVE_SECONDS: Final = 2.0
"""The learning curve on the disk is at most about so old, for those who follow it."""


def run(
    training: Training,
    path: str | os.PathLike[str],
    *,
    interval: float = 600.0,
    stop: threading.Event | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    on_save: Callable[[float], None] | None = None,
    on_move: Callable[[Path], None] | None = None,
) -> Path:
    """Go on with a run to its end or until it is stopped, and keep its checkpoint up to date.

    Args:
        training: the run.
        path: its checkpoint; the learning curve goes to a file beside it, as soon as it has a new
            point, and as TensorBoard events to a folder beside it where `tensorboard` is installed.
        interval: seconds between two checkpoints; more where writing takes long.
        stop: set by anyone who wants this to end; the checkpoint is written all the same.
        on_progress: told how far it is.
        on_save: told after each checkpoint how many seconds it took.
        on_move: told the new path of the checkpoint where another program has changed the file,
            which is then left alone.

    Returns:
        The path of the checkpoint.

    Raises:
        ResourceError: a file cannot be written; the checkpoint on the disk is as it was.
    """
    stop = stop or threading.Event()
    events = _Events(Path(path).with_suffix(".tensorboard"), training.curve.points)
    place = _Place(Path(path))
    curve = _CurveFile(training, curve_path(path))

    def tell(now: Progress) -> None:
        curve.follow()
        if on_progress:
            on_progress(now)

    pause = interval
    while True:
        training.run(seconds=pause, stop=stop, on_progress=tell)
        began = time.perf_counter()
        if place.is_taken:
            place = _Place(free_path(place.path))
            curve.path = curve_path(place.path)
            if on_move:
                on_move(place.path)
        save(training, place.path)
        place.was_written()
        curve.write()
        events.write(training.curve.points)
        taken = time.perf_counter() - began
        if on_save:
            on_save(taken)
        pause = max(interval, taken * (1 / WRITING_SHARE - 1))
        if training.is_finished or stop.is_set():
            events.close()
            return place.path


class _Place:
    """Where a run is saved: a checkpoint is written only over a file that is as it was left."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.was_written()

    def was_written(self) -> None:
        """The file is as it should be."""
        self._stamp = self._now()

    @property
    def is_taken(self) -> bool:
        """Whether another program has changed the file."""
        return self._now() not in (self._stamp, None)

    def _now(self) -> tuple[int, int, int] | None:
        try:
            state = os.stat(self.path)
        except OSError:
            return None
        return state.st_mtime_ns, state.st_size, state.st_ino


class _CurveFile:
    """The learning curve as CSV."""

    def __init__(self, training: Training, path: Path) -> None:
        self._training, self.path = training, path
        self._games, self._written = self._last(), time.monotonic()

    def _last(self) -> int:
        points = self._training.curve.points
        return points[-1].games if points else 0

    def follow(self) -> None:
        """Write it where it has a new point, not too often; what fails is tried again."""
        if self._last() > self._games and time.monotonic() - self._written >= CURVE_SECONDS:
            with contextlib.suppress(ResourceError):
                self.write()

    def write(self) -> None:
        """Write it as it is."""
        self._games, self._written = self._last(), time.monotonic()
        atomic_write(self.path, self._training.curve.csv())


class _Events:
    """The points of a curve as TensorBoard events, where `tensorboard` is installed."""

    def __init__(self, folder: Path, before: list[Point]) -> None:
        self._folder = folder
        self._written = before[-1].games if before and folder.is_dir() else 0
        self._writer: Any = None
        self._there = importlib.util.find_spec("tensorboard") is not None

    def write(self, points: list[Point]) -> None:
        """Write the points that are new."""
        fresh = [point for point in points if point.games > self._written]
        if not fresh or not self._there:
            return
        for point in fresh:
            self._add(point)
        self._written = fresh[-1].games
        self._writer.flush()

    def _add(self, point: Point) -> None:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        if self._writer is None:
            self._writer = EventFileWriter(str(self._folder))
        values = {"score/mean": point.mean, "score/largest": point.largest}
        values |= {f"reached/{tile}": rate for tile, rate in zip(TILES, point.reached, strict=True)}
        summary = Summary(
            value=[Summary.Value(tag=tag, simple_value=value) for tag, value in values.items()]
        )
        event = Event(step=point.games, wall_time=time.time(), summary=summary)
        self._writer.add_event(event)

    def close(self) -> None:
        """End the file."""
        if self._writer is not None:
            self._writer.close()
