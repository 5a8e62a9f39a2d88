"""`twofold train --runs`: the same settings with several seeds, and their curves together."""

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import typer

from twofold.cli._common import (
    INTERRUPTED,
    catching_interrupt,
    counted,
    print_note,
    print_out,
    print_words,
    shell_line,
    write_json,
)

if TYPE_CHECKING:
    from twofold.arena.reports.joint_curve import JointCurve
    from twofold.learn.settings import Settings
    from twofold.learn.training import Training
    from twofold.networks.file import Earlier

FEWEST: Final = 2
"""Fewer runs have no interval."""


class Begin(Protocol):
    """Makes a run ready."""

    def __call__(
        self, path: str, settings: "Settings | None", *, limits: dict[str, Any] = ...
    ) -> "Training":
        """A new run with these settings; without settings the one in the file."""


class Go(Protocol):
    """Goes on with a run."""

    def __call__(self, training: "Training", path: str, asked: threading.Event) -> str:
        """Until it ends or is interrupted; the path of its file."""


def run_paths(out: str, count: int) -> list[str]:
    """The files of runs: `net-1.safetensors` and so on for `net.safetensors`."""
    path = Path(out)
    return [str(path.with_stem(f"{path.stem}-{number}")) for number in range(1, count + 1)]


@dataclass(frozen=True, slots=True)
class _Ended:
    """A run that has ended, or was interrupted."""

    path: str
    document: dict[str, Any]
    moves: int
    seconds: float

    @property
    def is_finished(self) -> bool:
        return bool(self.document["finished"])


def train_runs(
    out: str,
    count: int,
    settings: "Settings | None",
    *,
    begin: Begin,
    go: Go,
    limits: dict[str, Any],
    start: Sequence[str],
    threads: int | None,
    again: Sequence[str],
    json: bool,
) -> None:
    """Train one run after the other; their curves are written together, also when interrupted.

    Args:
        out: what the files are named after.
        count: runs.
        settings: of the first run, the others have the seeds after its own; None to go on.
        begin: makes a run ready.
        go: goes on with it.
        limits: games and seconds of each run; both None to go on with those of the first.
        start: networks whose weights new runs begin with.
        threads: of runs that are yet to begin; None for those of the first.
        again: options of this call that no file holds.
        json: whether a document is printed.

    Raises:
        InvalidInput: files are there that should not be, or the other way round, or runs differ
            in more than their seeds.
        LimitExceeded: too few or too many runs.
    """
    from twofold.arena.reports.joint_curve import read_runs
    from twofold.limits import MAX_TRAINING_RUNS, check_limit

    check_limit("runs", count, FEWEST, MAX_TRAINING_RUNS)
    paths = run_paths(out, count)
    before: list[Earlier] | None = None
    if settings is None:
        first = _first(paths, start)
        settings, before = first.settings, first.before
        if limits["games"] is None and limits["seconds"] is None:
            limits = {"games": first.game_limit, "seconds": first.second_limit}
        del first  # its weights
        for path in filter(os.path.exists, paths):
            read_runs([path])  # refused before anything is learnt
    else:
        _check_none_there([*paths, *_written(out)])
    if threads is not None:
        settings = replace(settings, threads=threads)
    every = [replace(settings, seed=settings.seed + number) for number in range(count)]
    ended = list[_Ended]()
    with catching_interrupt() as asked:
        for number, (path, own) in enumerate(zip(paths, every, strict=True), 1):
            if asked.is_set():
                break
            print_note(f"twofold: run {number} of {count}, seed {own.seed}: {path}")
            ended.append(_run(path, own, partial(begin, limits=limits), go, asked, before))
            curve = _keep(out, paths, ended)
    is_finished = len(ended) == count and all(run.is_finished for run in ended)
    drawn = _draw(out)
    if json:
        write_json("train", _document(out, ended, curve), _timing(ended))
    else:
        _print_runs(out, ended, curve, drawn)
    if not is_finished:
        more = [word for name in start for word in ("--start", name)]
        words = ["twofold", "train", "--out", out, "--resume", "--runs", str(count), *again, *more]
        print_note(f"twofold: interrupted; saved; {shell_line(*words)} goes on")
        raise typer.Exit(INTERRUPTED)


def _written(out: str) -> list[str]:
    """The files of all runs together: the curve and its pictures."""
    from twofold.arena.reports.drawings import FORMS
    from twofold.arena.reports.joint_curve import runs_path

    curve = runs_path(out)
    return [str(curve), *(str(curve.with_suffix(f".{form}")) for form in FORMS)]


def _check_none_there(paths: Sequence[str]) -> None:
    from twofold.errors import InvalidInput

    if there := [path for path in paths if Path(path).exists()]:
        raise InvalidInput(
            "expected new files for --out and --runs, or --resume to go on with the runs in them, "
            f"got {there[0]}"
        )


def _first(paths: Sequence[str], start: Sequence[str]) -> "Training":
    """The first run, whose settings all others have but for their seeds.

    Raises:
        InvalidInput: it is not there, or runs are to begin whose first weights are not named.
    """
    from twofold.errors import InvalidInput
    from twofold.learn.checkpoint import load
    from twofold.networks.file import read_card

    missing = [number for number, path in enumerate(paths, 1) if not Path(path).exists()]
    before = read_card(paths[0]).before
    if missing and bool(before) != bool(start):
        raise InvalidInput(
            f"expected --start as the first run had it, for run {missing[0]} is yet to begin"
            if before
            else f"expected no --start, for the first run began without, got {start[0]}"
        )
    return load(paths[0])


def _run(
    path: str,
    own: "Settings",
    begin: "Callable[[str, Settings | None], Training]",
    go: Go,
    asked: threading.Event,
    before: "list[Earlier] | None",
) -> _Ended:
    """One of the runs: a new one, or the one in the file, which is left alone where it has ended.

    Its settings are `own`; `before` is what the first weights of the first run had learnt, None
    for a new set of runs.
    """
    from twofold.cli.train import run_document
    from twofold.errors import InvalidInput
    from twofold.locks import alone

    with alone(os.path.realpath(path), "training run"):
        training = begin(path, None if Path(path).exists() else own)
        if replace(training.settings, threads=own.threads) != own:
            raise InvalidInput(
                f"expected a run that differs from the first in its seed, got {path}"
            )
        if before is not None and training.before != before:
            raise InvalidInput(f"expected a run that began as the first did, got {path}")
        kept = path
        if training.is_finished:
            print_note("twofold: it is finished")
        else:
            kept = go(training, path, asked)
        return _Ended(kept, run_document(training, kept), training.moves, training.seconds)


# ---- all of them together


def _keep(out: str, paths: Sequence[str], ended: Sequence[_Ended]) -> "JointCurve":
    """Join the curves of the runs that are there, and write them."""
    from twofold.arena.reports.joint_curve import read_runs, runs_path
    from twofold.files import atomic_write

    there = [run.path for run in ended] + [one for one in paths[len(ended) :] if Path(one).exists()]
    curve = read_runs(there)
    atomic_write(runs_path(out), curve.csv())
    return curve


def _draw(out: str) -> list[Path]:
    """Draw the curve, as SVG and as PDF; none where what draws them is not installed."""
    from twofold.arena.reports.drawings import FORMS
    from twofold.arena.reports.joint_curve import read_curve, runs_path
    from twofold.arena.reports.plots import learning_curves
    from twofold.errors import MissingExtra
    from twofold.files import atomic_write

    curve, paths = read_curve(runs_path(out)), list[Path]()
    if not curve.games:
        return []
    try:
        for form in FORMS:
            path = runs_path(out).with_suffix(f".{form}")
            atomic_write(path, [learning_curves([curve]).file(form)])
            paths.append(path)
    except MissingExtra as error:
        print_note(f"twofold: no picture of the curve: {error}")
    return paths


def _print_runs(
    out: str, ended: Sequence[_Ended], curve: "JointCurve", drawn: Sequence[Path]
) -> None:
    from twofold.arena.reports.joint_curve import runs_path

    for run, seed in zip(ended, curve.seeds, strict=False):
        games = counted(run.document["games"], "game")
        last = min(run.document["games"], 1_000)
        mean = f", the last {last:,}: mean {run.document['mean']:,.0f}" * bool(last)
        print_words(f"seed {seed}: {games}{mean}; {run.path}")
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


def _document(out: str, ended: Sequence[_Ended], curve: "JointCurve") -> dict[str, Any]:
    from twofold.arena.reports.joint_curve import runs_path

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


def _timing(ended: Sequence[_Ended]) -> dict[str, Any]:
    seconds, moves = sum(run.seconds for run in ended), sum(run.moves for run in ended)
    return {"seconds": seconds, "moves_per_second": moves / max(seconds, 1e-9)}
