"""Several runs of `twofold train` with the same settings, and their curves together."""

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import typer

from twofold.arena.reports.drawings import Form
from twofold.arena.reports.joint_curve import JointCurve, read_curve, read_runs, runs_path
from twofold.arena.reports.plots import learning_curves
from twofold.cli._output import print_note, print_out, print_words, write_json
from twofold.cli._signals import catching_interrupt
from twofold.cli._train_one import Trainer, games_words, run_document
from twofold.cli._train_options import check_files, not_kept
from twofold.errors import INTERRUPTED, InvalidInput, MissingExtra
from twofold.figures import counted
from twofold.files import atomic_write, new_file
from twofold.learn.checkpoint import load
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import Training
from twofold.limits import MAX_TRAINING_RUNS, check_limit
from twofold.locks import alone
from twofold.networks.file import Earlier, read_card
from twofold.notation import shell_line

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
        for path in _written(out):
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
            curve = _keep(out, paths, ended)
    is_finished = len(ended) == count and all(run.is_over for run in ended)
    drawn = _draw(out)
    if options.json:
        write_json("train", _document(out, ended, curve), _timing(ended))
    else:
        _print_runs(out, ended, curve, drawn)
    if not is_finished:
        more = [word for name in trainer.start for word in ("--start", name)]
        again = not_kept(options, trainer.trials)
        words = ["twofold", "train", "--out", out, "--resume", "--runs", str(count), *again, *more]
        print_note(f"twofold: interrupted and saved. Continue with: {shell_line(*words)}")
        raise typer.Exit(INTERRUPTED)


def _written(out: str) -> list[str]:
    """The files of all runs together: the curve and its pictures."""
    curve = runs_path(out)
    return [str(curve), *(str(curve.with_suffix(f".{form}")) for form in DRAWN)]


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


def _keep(out: str, paths: Sequence[str], ended: Sequence[_EndedRun]) -> JointCurve:
    """Join the curves of the runs that are there, and write them."""
    there = [run.path for run in ended] + [one for one in paths[len(ended) :] if Path(one).exists()]
    curve = read_runs(there)
    atomic_write(runs_path(out), curve.csv())
    return curve


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


def _timing(ended: Sequence[_EndedRun]) -> dict[str, Any]:
    seconds, moves = sum(run.seconds for run in ended), sum(run.moves for run in ended)
    return {"seconds": seconds, "moves_per_second": moves / max(seconds, 1e-9)}
