"""`twofold train`: a network learns from the games it plays."""

import dataclasses
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from msgspec import field
from msgspec.structs import replace

from twofold.arena.plots import Form, JointCurve, learning_curves, read_curve, read_runs, runs_path
from twofold.cli._documents import Ends, MovesTiming, Part
from twofold.cli._output import catching_interrupt, print_note, print_out, print_words, write_json
from twofold.cli._settings import given_again, refuse_alone, refuse_given, takes
from twofold.cli._trainer import AGAIN, SHOWN, TrainDocument, Trainer, TrainOptions, document
from twofold.cli._training import RunTiming, check_files, check_out, conduct, end_run, held
from twofold.errors import InvalidInput, MissingExtra
from twofold.figures import bytes_words, counted
from twofold.learn.checkpoint import load
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import Training, training_bytes
from twofold.limits import MAX_TRAINING_RUNS, check_limit
from twofold.settings import with_option
from twofold.storage.files import alone, atomic_write, new_file
from twofold.values.network_file import Earlier, read_card

EXAMPLE = """  twofold train 4x6 --out net.safetensors --time 30m
  twofold train --out net.safetensors --resume --time 1h
  twofold train '0123 4567' --out small.safetensors --games 10000 --threads 1
  twofold train 4x6 --out otd.safetensors --schedule td:0.1@90%,tc:1@10%
  twofold train 8x6 --out on.safetensors --start default --bands 14000,16000"""


@takes(TrainOptions)
def command(options: TrainOptions) -> None:
    """Train an n-tuple network by temporal-difference learning.

    --out holds the network and everything --resume needs; Ctrl-C saves it. With one thread the
    result depends on the seed only; several threads share the weights without locks.

    With --resume and a larger --games or --time, phases of --schedule that are over stay over.
    A run keeps the --threads that were named last.

    Progress shows the mean score of the last 1,000 games and the percentage that reached a tile.
    An evaluation shows the mean score of its games and, for --eval-boards, the percentage that
    reached the next large tile.
    """
    trainer, resume = Trainer.of(options), options.resume
    check_out(options.out, resume=resume)
    if not (options.given.values.get("patterns") or resume):
        raise InvalidInput("expected a NETWORK such as 4x6, or --resume, got neither")
    refuse_alone(options.context, {"eval_games": "eval_every", "eval_downgrade": "eval_every"})
    if resume:
        kept = {one.name for one in with_option(TrainingSettings)} - {"patterns", "rule", "decay"}
        refuse_given(options.context, kept if options.runs else kept | {"start"})
    else:
        refuse_alone(options.context, {"band_share": "bands"})
    with held(options.out):
        if options.runs is None:
            inputs = options.inputs()
            check_files(options.out, resume=resume, force=options.force, inputs=inputs)
            _check_there(options.out, resume=resume)
        settings = None if resume else options.settings()
        if settings is not None:
            size = bytes_words(training_bytes(settings))
            print_note(f"twofold: training {settings.patterns} takes {size} of memory")
            if options.given.values.get("tables") == "auto" and settings.tables == "none":
                print_note(
                    "twofold: no endgame tables for these rules are built here: the run has none"
                )
        (_train_one if options.runs is None else _train_runs)(trainer, settings)


def _check_there(out: str, *, resume: bool) -> None:
    """Refuse to continue where there is no run."""
    first = Path(out).with_stem(f"{Path(out).stem}-1")
    if resume and first.exists() and not Path(out).exists():
        raise InvalidInput(f"expected --runs N to continue {first} and the runs after it, got none")
    if resume:
        read_card(out)  # before kernels are compiled


def _train_one(trainer: Trainer, settings: TrainingSettings | None) -> None:
    """Train a new run with these settings; without settings go on with the one in the file."""
    options, out = trainer.options, trainer.options.out
    training = trainer.begin(out, settings)
    if settings is None and training.evaluations and trainer.every is None:
        print_note(
            "twofold: the evaluations of this run end here; --eval-every T and the other "
            "--eval options go on with them"
        )
    conduct(
        training,
        out,
        trainer.limits,
        SHOWN,
        lambda asked: trainer.go(training, out, asked),
        is_new=settings is not None,
        json=options.json,
        again=given_again(options.context, *AGAIN),
    )


# ---- several runs

DRAWN: Final[tuple[Form, ...]] = ("svg", "pdf")
"""The formats of the pictures of a curve."""

FEWEST: Final = 2
"""Fewer runs have no interval."""


@dataclass(frozen=True, slots=True)
class _EndedRun:
    path: str
    document: TrainDocument
    timing: RunTiming
    games: str
    is_over: bool


def _train_runs(trainer: Trainer, settings: TrainingSettings | None) -> None:
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
    path = Path(out)
    paths = [str(path.with_stem(f"{path.stem}-{number}")) for number in range(1, count + 1)]
    resume, inputs = settings is None, options.inputs()
    before: list[Earlier] | None = None
    check_files(*paths, resume=resume, force=options.force, inputs=inputs)
    if settings is None:
        if runs_path(out).exists():
            read_curve(runs_path(out))  # refused unless it is one
        first = _first(paths, trainer)
        settings, before = first.settings, first.before
        if not trainer.limits.are_given:
            trainer = dataclasses.replace(trainer, limits=trainer.limits.of(first))
        del first  # its weights
        for one in filter(os.path.exists, paths):
            read_runs([one])  # refused before anything is learnt
    else:
        for suffix in (".csv", *(f".{form}" for form in DRAWN)):
            new_file(runs_path(out).with_suffix(suffix), inputs=inputs, force=options.force)
    if options.threads is not None:
        settings = replace(settings, threads=options.threads)
    every = [replace(settings, seed=settings.seed + number) for number in range(count)]
    ended = list[_EndedRun]()
    with catching_interrupt() as asked:
        for number, (one, own) in enumerate(zip(paths, every, strict=True), 1):
            if asked.is_set():
                break
            print_note(f"twofold: run {number} of {count}, seed {own.seed}: {one}")
            ended.append(_run(trainer, one, own, asked, before))
            there = [run.path for run in ended]
            curve = read_runs(there + [one for one in paths[number:] if Path(one).exists()])
            atomic_write(runs_path(out), curve.csv())
    is_finished = len(ended) == count and all(run.is_over for run in ended)
    drawn = _draw(out)
    if options.json:
        runs = [run.document for run in ended]
        found = TrainRunsDocument.of(curve, file=runs_path(out), runs=runs, curve=curve.points)
        write_json("train", found, TrainRunsTiming.of(ended))
    else:
        _print_runs(out, ended, curve, drawn)
    if not is_finished:
        end_run("train", out, given_again(options.context, "runs", *AGAIN, "start"))


def _first(paths: Sequence[str], trainer: Trainer) -> Training:
    """The first run, whose settings all others have but for their seeds.

    Raises:
        InvalidInput: it is not there, or runs are to begin whose first weights are not named.
    """
    start = trainer.options.start or []
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
        kept, refusal = path, trainer.limits.refusal(training, path) if is_there else ""
        is_over = bool(refusal) or training.is_finished
        if is_over:
            print_note(f"twofold: {refusal or 'it is finished'}")
        else:
            kept = trainer.go(training, path, asked)
        found, timing = document(training, kept), RunTiming.of(training)
        is_over = is_over or training.is_finished
        return _EndedRun(kept, found, timing, SHOWN.games(training), is_over)


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
        last = min(one.document.games, 1_000)
        mean = f", the last {last:,}: mean {one.document.mean_score:,.0f}" * bool(last)
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


class JointPointDocument(Part, frozen=True):
    """A point of the learning curve of several runs.

    Attributes:
        games: number of games of each run up to it.
        mean: mean over the runs of their mean scores since the last point, in points.
        mean_95: its 95 % interval.
        runs: mean score of each run; null for one that has not come so far.
    """

    games: int
    mean: float = field(name="mean_score")
    mean_95: Ends = field(name="mean_score_95")
    runs: list[float | None]


class TrainRunsDocument(Part, frozen=True):
    """Several training runs, which differ in their seeds.

    Attributes:
        file: file of their curve.
        runs: the runs.
        seeds: seed of each run.
        curve: the learning curve of all.
    """

    file: str
    runs: list[TrainDocument]
    seeds: list[str]
    curve: list[JointPointDocument]


class TrainRunsTiming(MovesTiming, frozen=True):
    """Time of several runs.

    Attributes:
        runs: the times of each run.
    """

    runs: list[RunTiming]

    @classmethod
    def of(cls, ended: Sequence[_EndedRun]) -> Self:
        """The times of runs."""
        seconds = sum(run.timing.seconds for run in ended)
        moves = sum(run.document.moves for run in ended)
        return cls(seconds, moves / max(seconds, 1e-9), [run.timing for run in ended])
