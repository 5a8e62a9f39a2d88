"""What `train` and `train-policy` share: limits, files, the run itself, what is shown of it."""

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn, Self

from msgspec import field
from rich.console import Group
from rich.table import Table
from rich.text import Text

from twofold.cli import _output
from twofold.cli._documents import Ends, MovesTiming, Part, Rate
from twofold.cli._options import flag, given_again, option, read_seconds
from twofold.errors import InvalidInput
from twofold.figures import clock, counted, duration_words
from twofold.game.notation import shell_line
from twofold.game.notation import shown as quoted
from twofold.learn.checkpoint import curve_path
from twofold.learn.curve import Evaluation, Measured
from twofold.learn.run import Trainable, files_beside, run
from twofold.learn.training import TrainingProgress
from twofold.storage.files import alone, file_name, new_file
from twofold.values.network_file import SUFFIX

DEFAULT_TIME: Final = "30m"
"""The time of a run where neither time nor games or moves are given."""

CHECKPOINT: Final = "10m"
"""The time between checkpoints where none is given."""

OutOption = Annotated[
    str, option("FILE", "File for the network and its checkpoint.", show_default=False)
]
ResumeOption = Annotated[bool, flag("--resume", "Continue the run in --out.")]
CheckpointOption = Annotated[str, option("T", "Time between two checkpoints.")]


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a run goes on in all; both None for no limit, or for those that it began with.

    Attributes:
        unit: what is counted: a `game` begun, or a `move`.
        count: their number.
        seconds: time of training.
    """

    unit: str
    count: int | None
    seconds: float | None

    @property
    def wishes(self) -> dict[str, Any]:
        """The arguments of a run."""
        return {f"{self.unit}s": self.count, "seconds": self.seconds}

    def of(self, training: Any) -> "Limits":
        """Those that a run has."""
        count = getattr(training, f"{self.unit}_limit")
        return replace(self, count=count, seconds=training.second_limit)

    def are_new(self, training: Any) -> bool:
        """True if an option sets one, and a run has others."""
        return (self.count, self.seconds) != (None, None) and self != self.of(training)

    def left(self, training: Any, path: str) -> str:
        """Why they leave a run nothing to do; empty if they leave something."""
        if self.seconds is not None and training.seconds >= self.seconds:
            return (
                f"{path} has trained for {duration_words(round(training.seconds))} already, and "
                f"--time is the total ({duration_words(self.seconds)}): name a longer time"
            )
        begun = "begun" if self.unit == "game" else "made"
        done = training.begun if self.unit == "game" else training.moves
        if self.count is not None and done >= self.count:
            return (
                f"{path} has {begun} {counted(done, self.unit)} already, and --{self.unit}s is "
                f"the total ({self.count:,}): name more {self.unit}s"
            )
        return ""


# ---- files


def check_out(out: str, *, resume: bool) -> None:
    """Refuse a name that no file of a new run can have."""
    if not out and resume:
        raise InvalidInput(
            "expected --resume --out FILE: --resume itself takes no file, got no --out"
        )
    if not out:
        raise InvalidInput("expected --out FILE, to keep the network in")
    file_name(out)
    if not Path(out).name or not Path(out).absolute().parent.is_dir():
        raise InvalidInput(f"expected --out in an existing folder, got {quoted(out)}")
    if not resume and Path(out).suffix != SUFFIX:
        raise InvalidInput(f"expected --out with a name that ends in {SUFFIX}, got {quoted(out)}")


def check_files(out: str, *, resume: bool, force: bool, inputs: Sequence[str | Path] = ()) -> None:
    """Refuse to write over a file, unless the run in it goes on or is replaced."""
    instead = "--resume continues the run in it"
    new_file(out, inputs=inputs, force=force or resume, instead=instead)
    for path, what in zip(files_beside(out), BESIDE, strict=True):
        continued = partial(_not_beside, what, out)
        new_file(path, inputs=inputs, force=force or resume, continued=continued)


BESIDE: Final = "learning curve", "evaluations"
"""What the files beside the one of a run hold."""


def _not_beside(what: str, out: str, path: Path) -> NoReturn:
    raise InvalidInput(
        f"expected a new file for the {what} of {out!r}, got {str(path)!r}, which exists"
    )


def held(out: str) -> AbstractContextManager[None]:
    """The file of the run, for this run alone."""
    return alone(os.path.realpath(out), "training run")


# ---- the run


class Trainer(ABC):
    """Goes on with the runs of a command, and shows them.

    Attributes:
        command: `train`, or `train-policy`.
        unit: what the limits count: a `game` begun, or a `move`.
        again: options that the file of a run does not hold.
        trials: what plays the games of its evaluations.
        document: how JSON has a run.
        options: those of the command.
        limits: of each run.
    """

    command: str
    unit: str
    again: tuple[str, ...]
    trials: str
    document: "type[RunDocument]"

    def __init__(self, options: Any) -> None:
        self.options = options
        count, time = getattr(options, f"{self.unit}s"), options.time
        check_out(options.out, resume=options.resume)
        if count is None and not (time or options.resume):
            time = DEFAULT_TIME  # of a new run
        self.limits = Limits(self.unit, count, read_seconds(time, "--time") if time else None)
        self._interval = read_seconds(options.checkpoint, "--checkpoint")

    @abstractmethod
    def wishes(self, training: Any, stop: Callable[[], bool]) -> dict[str, Any]:
        """More arguments of `twofold.learn.run.run`: how the network is measured until `stop`."""

    def games(self, training: Any) -> str:
        """How many games a run has finished, and how many more are under way."""
        games = counted(training.curve.games, "game")
        playing = getattr(training, "begun", 0) - training.curve.games
        return f"{games} finished, {playing:,} under way" if playing > 0 else games

    @abstractmethod
    def recent(self, training: Any) -> str:
        """Its last games; empty if there are none."""

    def go(self, training: Trainable, asked: threading.Event, *, replaces: bool) -> str:
        """Go on with a run until it ends or is interrupted; the path of its file."""
        path = self.options.out
        for stale in files_beside(path) if self.options.force else ():
            stale.unlink(missing_ok=True)  # of an earlier run

        def say(one: Evaluation) -> None:
            _output.print_note(
                f"twofold: network after {counted(one.moves, 'move')}: {one.measured}"
            )

        def moved(path: Path) -> None:
            _output.print_note(
                f"twofold: another program has changed the file; the run is now saved in {path}"
            )

        picture = partial(view, training)
        with _output.live(progress_line, lambda _: training.done, picture, every=60) as show:
            kept = run(
                training,
                path,
                interval=self._interval,
                stop=asked,
                on_progress=show,
                replaces=replaces,
                on_move=moved,
                on_evaluation=None if _output.draws() else say,
                **self.wishes(training, asked.is_set),
            )
        return str(kept) if kept != Path(path) else path

    def conduct(self, training: Trainable, *, is_new: bool) -> None:
        """Go on with a run until it ends or is interrupted, and show it."""
        out, limits, refusal = self.options.out, self.limits, ""
        if limits.are_new(training) and not (refusal := limits.left(training, out)):
            training.limit(**limits.wishes)
        if not is_new:
            done = self.games(training) if self.unit == "game" else counted(training.moves, "move")
            far = f"continuing {out} after {duration_words(round(training.seconds))} and {done}"
            over = limits.of(training).left(training, out) if training.is_finished else ""
            _output.print_note(f"twofold: {refusal or over or far}")
        if not refusal:
            with _output.catching_interrupt() as asked:
                out = self.go(training, asked, replaces=not is_new or self.options.force)
        if self.options.json:
            found, timing = self.document.of(training, file=out), RunTiming.of(training)
            _output.write_json(self.command, found, timing)
        else:
            self._print(training, out)
        if not (refusal or training.is_finished):
            self.end(out, *self.again)

    def _print(self, training: Trainable, out: str) -> None:
        """Print a run: its games, its last ones, its last evaluation."""
        speed = training.moves / max(training.seconds, 1e-9)
        _output.print_words(f"{training.network.describe()}: {training.settings.describe()}")
        _output.print_words(
            f"{self.games(training)}, {counted(training.moves, 'move')}, "
            f"{training.seconds:,.0f} s, {speed:,.0f} moves/s"
        )
        if recent := self.recent(training):
            _output.print_words(recent)
        if training.evaluations:
            last = training.evaluations[-1]
            ended = last.moves == training.moves
            when = "at the end" if ended else f"after {counted(last.moves, 'move')}"
            _output.print_words(f"{self.trials} {when}: {last.measured}")
        _output.print_out(f"{out}; learning curve in {curve_path(out)}")

    def end(self, out: str, *again: str) -> NoReturn:
        """End a command that was interrupted, with the command that continues."""
        more = given_again(self.options.context, *again)
        words = shell_line("twofold", self.command, "--out", out, "--resume", *more)
        _output.end_interrupted(" and saved", words)


# ---- what is shown


class MeasuredDocument(Part, frozen=True):
    """Results of a network.

    Attributes:
        mean: mean score of whole games, in points; null if none were played.
        mean_95: its 95 % interval.
        sampled: mean score of games with moves drawn by their probabilities; null without.
        survival: for each set of boards the share of games that made the next large tile.
        reached: how often each tile was reached; empty if not measured.
    """

    mean: float | None = field(name="mean_score")
    mean_95: Ends = field(name="mean_score_95")
    sampled: float | None
    survival: dict[str, float]
    reached: dict[str, Rate] = field(name="reach_rates")

    @classmethod
    def of(cls, source: Measured, **given: Any) -> Self:
        """The document of results."""
        interval: Ends = (None, None)
        if source.mean is not None and source.margin is not None:
            interval = source.mean - source.margin, source.mean + source.margin
        return super().of(source, mean_95=interval, **given)


class EvaluationDocument(Part, frozen=True):
    """An evaluation of the network during the run.

    Attributes:
        games: number of games before it.
        moves: number of moves before it.
        training_mean: mean score of the last 1000 training games, in points.
        measured: its results.
    """

    games: int
    moves: int
    training_mean: float
    measured: MeasuredDocument


class CurvePoint(Part, frozen=True):
    """A point of the learning curve.

    Attributes:
        games: number of games up to it.
        mean: mean score of the games since the last point, in points.
    """

    games: int
    mean: float = field(name="mean_score")


class RunDocument(Part, frozen=True):
    """A training run.

    Attributes:
        file: file of the network.
        settings: the settings by their keys; those that are not set are missing.
        games: number of games that it has finished.
        moves: number of moves that it has made.
        is_finished: true if it has reached its limits.
        mean_score: mean score of the last 1000 games, in points; 0 before the first.
        evaluations: evaluations of the network.
        curve: the learning curve.
    """

    file: str
    settings: dict[str, Any]
    games: int
    moves: int
    is_finished: bool = field(name="finished")
    mean_score: float
    evaluations: list[EvaluationDocument]
    curve: list[CurvePoint]

    @classmethod
    def of(cls, source: Trainable, **given: Any) -> Self:
        """The document of a run."""
        settings, curve = given.pop("settings"), source.curve
        return super().of(
            source,
            settings=settings | {"seed": str(settings["seed"])},
            games=curve.games,
            mean_score=curve.mean,
            curve=curve.shown,
            **given,
        )


class RunTiming(MovesTiming, frozen=True):
    """Time of a run.

    Attributes:
        evaluations: training time before each evaluation, in seconds.
    """

    evaluations: list[float]

    @classmethod
    def of(cls, training: Trainable) -> Self:
        """The times of a run."""
        before = [one.seconds for one in training.evaluations]
        return cls(training.seconds, training.moves / max(training.seconds, 1e-9), before)


def progress_line(now: TrainingProgress) -> str:
    """Progress in one line of text."""
    rates = [f"{tile} {rate:.0%}" for tile, rate in now.reached.items() if rate >= 0.005]
    reached = f"  reached {', '.join(rates[-3:])}" if rates else ""
    if now.speed >= 1e5:
        speed = f"{now.moves / 1e6:,.0f} M moves  {now.speed / 1e6:.2f} M moves/s"
    else:
        speed = f"{now.moves:,} moves  {now.speed:,.0f} moves/s"
    return f"{now.games:,} games  {speed}  mean {now.mean:,.0f}{reached}"


def view(training: Trainable, now: TrainingProgress, width: int) -> Any:
    """Progress as a panel for a terminal of some width."""
    facts = Table.grid(padding=(0, 2))
    facts.add_row("games", f"{now.games:,}", "moves", f"{now.moves:,}")
    facts.add_row("moves/s", f"{now.speed:,.0f}", "mean", f"{now.mean:,.0f}")
    part = "" if now.phases == 1 else f", phase {now.phase + 1} of {now.phases}"
    done = ("-" if now.done is None else f"{now.done:.1%}") + part
    facts.add_row("time", clock(now.seconds), "done", done)
    rates = Text("reached  " + "  ".join(f"{t} {r:.1%}" for t, r in now.reached.items() if r))
    means = [point.mean for point in training.curve.points]
    chart = Text("\n".join(curve_lines(means, min(width - 12, 72))), style="green")
    title = Text(f"{training.network.describe()}: {training.settings.describe()}", style="bold")
    hint = Text("mean score by games; Ctrl-C saves and ends", style="dim")
    return Group(title, facts, rates, *_judged(training, width), chart, hint)


def _judged(training: Trainable, width: int) -> list[Any]:
    """The last evaluation in words, and the means of all as a curve once there are several."""
    known = training.evaluations
    if not known:
        return []
    last = Text(f"network  {known[-1].measured}, after {counted(known[-1].moves, 'move')}")
    lines = evaluation_lines([one.measured.mean for one in known], width)
    if not lines:
        return [last]
    hint = Text("mean score of the evaluations", style="dim")
    return [last, Text("\n".join(lines), style="cyan"), hint]


def evaluation_lines(means: Sequence[float | None], width: int) -> list[str]:
    """The curve of the mean scores of evaluations; empty for fewer than two."""
    known = [mean for mean in means if mean is not None]
    if len(known) < 2:
        return []
    return curve_lines(known, min(width - 12, 72), height=4)


_BARS: Final = " ▁▂▃▄▅▆▇█"


def curve_lines(means: Sequence[float], width: int, height: int = 8) -> list[str]:
    """A curve of block characters, with the largest value beside its top line."""
    if not means:
        return ["(the first thousand games are under way)"]
    columns = min(len(means), max(width, 1))
    heights = []
    for column in range(columns):  # each shows the mean of its part of the sequence
        first, last = column * len(means) // columns, (column + 1) * len(means) // columns
        part = means[first : max(last, first + 1)]
        heights.append(sum(part) / len(part))
    top = max(max(heights), 1.0)
    lines = []
    for row in range(height - 1, -1, -1):
        filled = [8 * (value / top * height - row) for value in heights]
        cells = "".join(_BARS[round(min(max(part, 0), 8))] for part in filled)
        lines.append(f"{top * (row + 1) / height:9,.0f} {cells}")
    return lines
