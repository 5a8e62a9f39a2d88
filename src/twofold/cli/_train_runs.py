"""Runs of `twofold train`: one, or several with the same settings and their curves together."""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from twofold.arena.plots import Form, JointCurve, learning_curves, read_curve, read_runs, runs_path
from twofold.cli._options import read_rules, read_starts
from twofold.cli._output import (
    can_redraw,
    catching_interrupt,
    duration_words,
    loading,
    print_note,
    print_out,
    print_words,
    progress_lines,
    write_json,
)
from twofold.cli._train_options import TrainOptions, Trials, check_files, goes_on, not_kept
from twofold.errors import INTERRUPTED, InvalidInput, MissingExtra
from twofold.figures import bytes_words, clock, counted
from twofold.game.notation import shell_line
from twofold.learn.checkpoint import evaluations_document, load, settings_document, start_from
from twofold.learn.curve import Evaluation, EvaluationGames
from twofold.learn.run import files_beside, run
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import Training, training_bytes
from twofold.limits import MAX_TRAINING_RUNS, check_limit, cores
from twofold.storage.files import alone, atomic_write, new_file
from twofold.values.network import format_patterns, parse_patterns
from twofold.values.network_file import Earlier, read_card

if TYPE_CHECKING:
    from twofold.learn.run import Trainable
    from twofold.learn.training import TrainingProgress

    Shown = tuple[Callable[[TrainingProgress], None], Callable[[Evaluation], None]]

CURVE_HEIGHT: Final = 8

_BARS: Final = " ▁▂▃▄▅▆▇█"


@contextlib.contextmanager
def live(training: "Trainable") -> "Iterator[Shown]":
    """Progress and evaluations on stderr: a live view in a terminal, else lines."""
    if (say := progress_lines()) is not None:
        yield lambda _: say(training.done), _say_evaluation
        return
    console = Console(stderr=True)
    if not can_redraw(console.is_terminal):
        yield _each_minute(), _say_evaluation
        return
    with Live(console=console, transient=True, auto_refresh=False) as shown:

        def show(now: "TrainingProgress") -> None:
            shown.update(view(training, now, console.width), refresh=True)

        yield show, lambda _: None  # the view has it


def _each_minute() -> "Callable[[TrainingProgress], None]":
    said = [time.monotonic()]

    def say(now: "TrainingProgress") -> None:
        if time.monotonic() - said[0] >= 60:
            said[0] = time.monotonic()
            print_note(progress_line(now))

    return say


def _say_evaluation(one: Evaluation) -> None:
    print_note(f"twofold: network after {counted(one.moves, 'move')}: {one.measured}")


def run_timing(training: "Trainable") -> dict[str, Any]:
    """What differs from one machine to another."""
    speed = training.moves / max(training.seconds, 1e-9)
    return {"seconds": training.seconds, "moves_per_second": speed}


def print_run(training: "Trainable", out: str, *, games: str, recent: str, trials: str) -> None:
    """Print a run: its games and its last ones in words, and its last evaluation, by this name."""
    from twofold.learn.checkpoint import curve_path  # loads kernels

    speed = run_timing(training)["moves_per_second"]
    print_words(f"{training.network.describe()}: {training.settings.describe()}")
    print_words(
        f"{games}, {counted(training.moves, 'move')}, {training.seconds:,.0f} s, "
        f"{speed:,.0f} moves/s"
    )
    if recent:
        print_words(recent)
    if training.evaluations:
        last = training.evaluations[-1]
        ended = last.moves == training.moves
        when = "at the end" if ended else f"after {counted(last.moves, 'move')}"
        print_words(f"{trials} {when}: {last.measured}")
    print_out(f"{out}; learning curve in {curve_path(out)}")


def progress_line(now: "TrainingProgress") -> str:
    """Progress in one line of text."""
    rates = [f"{tile} {rate:.0%}" for tile, rate in now.reached.items() if rate >= 0.005]
    reached = f"  reached {', '.join(rates[-3:])}" if rates else ""
    if now.speed >= 1e5:
        speed = f"{now.moves / 1e6:,.0f} M moves  {now.speed / 1e6:.2f} M moves/s"
    else:
        speed = f"{now.moves:,} moves  {now.speed:,.0f} moves/s"
    return f"{now.games:,} games  {speed}  mean {now.mean:,.0f}{reached}"


def view(training: "Trainable", now: "TrainingProgress", width: int) -> Any:
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


def _judged(training: "Trainable", width: int) -> list[Any]:
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


def curve_lines(means: Sequence[float], width: int, height: int = CURVE_HEIGHT) -> list[str]:
    """A curve of block characters, with the largest value beside its top line."""
    if not means:
        return ["(the first thousand games are under way)"]
    columns = min(len(means), max(width, 1))
    heights = [_mean_of(means, column, columns) for column in range(columns)]
    top = max(max(heights), 1.0)
    lines = []
    for row in range(height - 1, -1, -1):
        filled = [8 * (value / top * height - row) for value in heights]
        cells = "".join(_BARS[round(min(max(part, 0), 8))] for part in filled)
        lines.append(f"{top * (row + 1) / height:9,.0f} {cells}")
    return lines


def _mean_of(means: Sequence[float], column: int, columns: int) -> float:
    """The mean of the part of a sequence that falls to a column."""
    first, last = column * len(means) // columns, (column + 1) * len(means) // columns
    part = means[first : max(last, first + 1)]
    return sum(part) / len(part)


@dataclass(frozen=True, slots=True)
class Trainer:
    """Begins runs and goes on with them.

    Attributes:
        options: those of the command.
        limits: games and seconds of each run; both None for those that a run began with.
        interval: seconds between checkpoints.
        trials: the evaluations that options ask for.
    """

    options: TrainOptions
    limits: dict[str, Any]
    interval: float
    trials: Trials | None

    @property
    def start(self) -> list[str]:
        """Networks whose weights new runs begin with."""
        return self.options.start or []

    def begin(self, path: str, settings: TrainingSettings | None) -> Training:
        """A new run with these settings; without settings the one in the file."""
        with loading():
            if settings is None:
                return self._resumed(path)
            training = Training(settings, **self.limits)
            if self.start and (words := str(start_from(training, *self.start))):
                print_note(f"twofold: {words}")
            return training

    def _resumed(self, out: str) -> Training:
        one = self.options
        training = load(out, threads=one.threads, **one.code())
        kept = training.settings
        if one.network and format_patterns(parse_patterns(one.network)) != kept.patterns:
            raise InvalidInput(f"expected {kept.patterns}, as in {out}, got {one.network}")
        if one.rules and read_rules(one.rules) != kept.rules:
            raise InvalidInput(f"expected --rules '{kept.rules}', as in {out}, got '{one.rules}'")
        threads = kept.threads
        if one.threads is None and threads > cores():  # a file alone may not ask for that
            raise InvalidInput(
                f"expected --threads to continue {out}: it used {threads}, more than the {cores()} "
                "cores of this machine"
            )
        if self._limits_anew(training) and not self.refusal(training, out):
            phases = kept.schedule
            if place := min(training.phase, len(phases) - 1):
                print_note(
                    f"twofold: {out} goes on with phase {place + 1} of {len(phases)}, "
                    f"{replace(phases[place], share=1.0)}: those before are over, so the result "
                    "is not that of a new run of this length"
                )
            training.limit(**self.limits)
        return training

    def _limits_anew(self, training: Training) -> bool:
        asked = (self.limits["games"], self.limits["seconds"])
        return asked not in ((None, None), (training.game_limit, training.second_limit))

    def refusal(self, training: Training, path: str) -> str:
        """Why a run does not get the limits that options ask for; empty if it has them."""
        return _over(training, path, **self.limits) if self._limits_anew(training) else ""

    def go(self, training: Training, path: str, asked: threading.Event) -> str:
        """Go on with a run until it ends or is interrupted; the path of its file."""
        trials = self.trials
        for stale in files_beside(path) if self.options.force else ():
            stale.unlink(missing_ok=True)
        measure, rules = None, training.settings.rules
        if trials is not None:
            sets = [read_starts(path, rules) for path in trials.boards]
            measure = EvaluationGames(
                rules,
                games=trials.count,
                boards=[one for one in sets if one],
                downgrade=trials.downgrade,
                tables=training.tables,
                stop=asked.is_set,
            )
        with live(training) as (show, tell):
            kept = run(
                training,
                path,
                interval=self.interval,
                stop=asked,
                on_progress=show,
                on_move=lambda path: print_note(
                    f"twofold: another program has changed the file; the run is now saved in {path}"
                ),
                measure=measure,
                measure_every=0.0 if trials is None else trials.every,
                measure_games=None if trials is None else trials.every_games,
                on_evaluation=tell,
            )
        return str(kept) if kept != Path(path) else path


def say_size(settings: TrainingSettings) -> None:
    """Say how much memory a run takes."""
    size = bytes_words(training_bytes(settings))
    print_note(f"twofold: training {settings.patterns} takes {size} of memory")


def train_one(trainer: Trainer, settings: TrainingSettings | None) -> None:
    """Train a new run with these settings; without settings go on with the one in the file."""
    options, out = trainer.options, trainer.options.out
    training = trainer.begin(out, settings)
    refusal = ""
    if settings is None:
        refusal = trainer.refusal(training, out)
        print_note(f"twofold: {refusal or _how_far(training, out)}")
        if training.evaluations and trainer.trials is None:
            print_note(
                "twofold: the evaluations of this run end here; --eval-every T and the other "
                "--eval options go on with them"
            )
    if not refusal:
        with catching_interrupt() as asked:
            out = trainer.go(training, out, asked)
    if options.json:
        write_json("train", run_document(training, out), run_timing(training))
    else:
        games, recent, curve = games_words(training), "", training.curve
        if curve.recent:
            rates = "  ".join(f"{tile} {rate:.1%}" for tile, rate in curve.reached.items() if rate)
            last = counted(len(curve.recent), "game")
            recent = f"last {last}: mean {curve.mean:,.0f}  {rates}".rstrip()
        print_run(training, out, games=games, recent=recent, trials="network")
    if not (refusal or training.is_finished):
        again = goes_on(replace(options, out=out), trainer.trials)
        print_note(f"twofold: interrupted and saved. Continue with: {again}")
        raise typer.Exit(INTERRUPTED)


def _how_far(training: Training, out: str) -> str:
    """The progress of a run that continues, or why it does not."""
    if training.is_finished:
        return _over(training, out, training.game_limit, training.second_limit)
    seconds = duration_words(round(training.seconds))
    return f"continuing {out} after {seconds} and {games_words(training)}"


def _over(training: Training, out: str, games: int | None, seconds: float | None) -> str:
    """Why limits leave a run nothing to begin; empty if they leave something."""
    if seconds is not None and training.seconds >= seconds:
        return (
            f"{out} has trained for {duration_words(round(training.seconds))}, and --time is the "
            f"time in all ({duration_words(seconds)}): nothing is left to do; "
            "name a longer time to continue"
        )
    if games is not None and training.begun >= games:
        return (
            f"{out} has begun {counted(training.begun, 'game')}, and --games is their number "
            f"in all ({games:,}): none is left to begin; name more games to continue"
        )
    return ""


def games_words(training: Training) -> str:
    """How many games a run has had."""
    games = counted(training.curve.games, "game")
    if not training.settings.begins_elsewhere:
        return games
    return f"{games} from the start, {training.begun:,} begun in all"


def run_document(training: Training, out: str) -> dict[str, Any]:
    """A run as JSON."""
    return {
        "file": out,
        "settings": settings_document(training),
        "bytes": training.network.bytes,
        "games": training.curve.games,
        "games_begun": training.begun,
        "moves": training.moves,
        "finished": training.is_finished,
        "mean": training.curve.mean,
        "reached": {str(tile): rate for tile, rate in training.curve.reached.items()},
        "evaluations": evaluations_document(training),
        "curve": [{"games": point.games, "mean": point.mean} for point in training.curve.points],
    }


DRAWN: Final[tuple[Form, ...]] = ("svg", "pdf")
"""The formats of the pictures of a curve."""

FEWEST: Final = 2
"""Fewer runs have no interval."""


def run_paths(out: str, count: int) -> list[str]:
    """The files of runs: `net-1.safetensors` and so on for `net.safetensors`."""
    path = Path(out)
    return [str(path.with_stem(f"{path.stem}-{number}")) for number in range(1, count + 1)]


@dataclass(frozen=True, slots=True)
class _EndedRun:
    path: str
    document: dict[str, Any]
    games: str
    moves: int
    seconds: float
    is_over: bool


def train_runs(trainer: Trainer, settings: TrainingSettings | None) -> None:
    """Train one run after the other; their curves are written together, also when interrupted.

    Args:
        trainer: its options say how many runs there are, and what their files are named after.
        settings: of the first run, the others have the seeds after its own; None to go on.

    Raises:
        InvalidInput: files are there that should not be, or the other way round, or runs differ
            in more than their seeds.
        LimitExceeded: too few or too many runs.
    """
    options, out, count = trainer.options, trainer.options.out, trainer.options.runs or 0
    check_limit("runs", count, FEWEST, MAX_TRAINING_RUNS)
    paths = run_paths(out, count)
    before: list[Earlier] | None = None
    if settings is None:
        check_files(*paths, resume=True, force=options.force, inputs=options.inputs())
        if runs_path(out).exists():
            read_curve(runs_path(out))  # refused unless it is one
        first = _first(paths, trainer)
        settings, before = first.settings, first.before
        if trainer.limits["games"] is None and trainer.limits["seconds"] is None:
            limits = {"games": first.game_limit, "seconds": first.second_limit}
            trainer = replace(trainer, limits=limits)
        del first  # its weights
        for path in filter(os.path.exists, paths):
            read_runs([path])  # refused before anything is learnt
    else:
        check_files(*paths, resume=False, force=options.force, inputs=options.inputs())
        curve_file = runs_path(out)
        pictures = [curve_file.with_suffix(f".{form}") for form in DRAWN]
        for path in map(str, [curve_file, *pictures]):
            new_file(path, inputs=options.inputs(), force=options.force)
    if options.threads is not None:
        settings = replace(settings, threads=options.threads)
    every = [replace(settings, seed=settings.seed + number) for number in range(count)]
    ended = list[_EndedRun]()
    with catching_interrupt() as asked:
        for number, (path, own) in enumerate(zip(paths, every, strict=True), 1):
            if asked.is_set():
                break
            print_note(f"twofold: run {number} of {count}, seed {own.seed}: {path}")
            ended.append(_run(trainer, path, own, asked, before))
            there = [run.path for run in ended]
            curve = read_runs(there + [one for one in paths[number:] if Path(one).exists()])
            atomic_write(runs_path(out), curve.csv())
    is_finished = len(ended) == count and all(run.is_over for run in ended)
    drawn = _draw(out)
    if options.json:
        seconds, moves = sum(run.seconds for run in ended), sum(run.moves for run in ended)
        timing = {"seconds": seconds, "moves_per_second": moves / max(seconds, 1e-9)}
        write_json("train", _document(out, ended, curve), timing)
    else:
        _print_runs(out, ended, curve, drawn)
    if not is_finished:
        more = [word for name in trainer.start for word in ("--start", name)]
        again = not_kept(options, trainer.trials)
        words = ["twofold", "train", "--out", out, "--resume", "--runs", str(count), *again, *more]
        print_note(f"twofold: interrupted and saved. Continue with: {shell_line(*words)}")
        raise typer.Exit(INTERRUPTED)


def _first(paths: Sequence[str], trainer: Trainer) -> Training:
    """The first run, whose settings all others have but for their seeds.

    Raises:
        InvalidInput: it is not there, or runs are to begin whose first weights are not named.
    """
    start = trainer.start
    missing = [number for number, path in enumerate(paths, 1) if not Path(path).exists()]
    before = read_card(paths[0]).before
    if missing and bool(before) != bool(start):
        raise InvalidInput(
            f"expected the --start of the first run: run {missing[0]} has not begun yet"
            if before
            else f"expected no --start, since the first run had none, got {start[0]}"
        )
    return load(paths[0], **trainer.options.code())


def _run(
    trainer: Trainer,
    path: str,
    own: TrainingSettings,
    asked: threading.Event,
    before: list[Earlier] | None,
) -> _EndedRun:
    """One of the runs: a new one, or the one in the file, which is left alone where it has ended.

    Its settings are `own`; `before` is what the first weights of the first run had learnt, None
    for a new set of runs.
    """
    with alone(os.path.realpath(path), "training run"):
        is_there = Path(path).exists() and not trainer.options.force
        training = trainer.begin(path, None if is_there else own)
        if replace(training.settings, threads=own.threads) != own:
            raise InvalidInput(
                f"expected a run that differs from the first in its seed, got {path}"
            )
        if before is not None and training.before != before:
            raise InvalidInput(f"expected a run that began as the first did, got {path}")
        kept, refusal = path, trainer.refusal(training, path) if is_there else ""
        is_over = bool(refusal) or training.is_finished
        if is_over:
            print_note(f"twofold: {refusal or 'it is finished'}")
        else:
            kept = trainer.go(training, path, asked)
        return _EndedRun(
            kept,
            run_document(training, kept),
            games_words(training),
            training.moves,
            training.seconds,
            is_over or training.is_finished,
        )


# ---- all of them together


def _draw(out: str) -> list[Path]:
    """Draw the curve, as SVG and as PDF; none where what draws them is not installed."""
    curve, paths = read_curve(runs_path(out)), list[Path]()
    if not curve.games:
        return []
    try:
        for form in DRAWN:
            path = runs_path(out).with_suffix(f".{form}")
            atomic_write(path, [learning_curves([curve]).file(form)])
            paths.append(path)
    except MissingExtra as error:
        print_note(f"twofold: no picture of the curve: {error}")
    return paths


def _print_runs(
    out: str, ended: Sequence[_EndedRun], curve: JointCurve, drawn: Sequence[Path]
) -> None:
    for one, seed in zip(ended, curve.seeds, strict=False):
        last = min(one.document["games"], 1_000)
        mean = f", the last {last:,}: mean {one.document['mean']:,.0f}" * bool(last)
        print_words(f"seed {seed}: {one.games}{mean}; {one.path}")
    if point := curve.last:
        half = point.mean.half_width
        margin = "" if half is None else f" ± {half:,.0f}"
        print_words(
            f"{counted(len(point.runs), 'run')} after {counted(point.games, 'game')}: "
            f"mean {point.mean.value:,.0f}{margin}"
        )
    else:
        print_words("no point of the curve yet: the first one takes 1,000 games of each run")
    pictures = f"; picture in {' and '.join(map(str, drawn))}" if drawn else ""
    print_out(f"learning curve in {runs_path(out)}{pictures}")


def _document(out: str, ended: Sequence[_EndedRun], curve: JointCurve) -> dict[str, Any]:
    points = [
        {
            "games": point.games,
            "mean": point.mean.value,
            "low": point.mean.low,
            "high": point.mean.high,
            "runs": list(point.runs),
        }
        for point in curve.points
    ]
    return {
        "file": str(runs_path(out)),
        "runs": [run.document for run in ended],
        "seeds": [str(seed) for seed in curve.seeds],
        "curve": points,
    }
