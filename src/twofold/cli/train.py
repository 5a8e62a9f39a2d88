"""`twofold train`: a network learns from the games it plays."""

import math
import os
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Self

import msgspec
import typer

from twofold.arena.boards import read_boards
from twofold.arena.curves import JointCurve, read_curve, read_runs, runs_path
from twofold.arena.plots import Form, learning_curves
from twofold.arena.stats import wilson_interval
from twofold.cli import _options, _output, _training, read_count
from twofold.cli._documents import Ends, MovesTiming, Part, Rate
from twofold.errors import InvalidInput, MissingExtra
from twofold.figures import bytes_words, counted
from twofold.learn.checkpoint import load, start_from
from twofold.learn.evaluation import EvaluationGames
from twofold.learn.rules import load_decay, load_rule
from twofold.learn.settings import TrainingSettings, parse_schedule
from twofold.learn.training import Training, training_bytes
from twofold.limits import (
    MAX_DOWNGRADE,
    MAX_GAMES,
    MAX_TRAINING_GAMES,
    MAX_TRAINING_RUNS,
    check_limit,
    cores,
)
from twofold.settings import with_option
from twofold.storage.files import alone, atomic_write, new_file
from twofold.values.network import format_patterns, parse_patterns
from twofold.values.network_file import Earlier, network_path, read_card

EXAMPLE = """  twofold train 4x6 --out net.safetensors --time 30m
  twofold train --out net.safetensors --resume --time 1h
  twofold train '0123 4567' --out small.safetensors --games 10000 --threads 1
  twofold train 4x6 --out otd.safetensors --schedule td:0.1@90%,tc:1@10%
  twofold train 8x6 --out on.safetensors --start default --bands 14000,16000"""


NEEDS = [
    ("--eval-boards --eval-games --eval-downgrade", "--eval-every"),
    ("--band-share", "--bands"),
]
APART = [
    (
        "--resume",
        " ".join({one.option for one in with_option(TrainingSettings)} - {"--rule", "--decay"}),
        "the run keeps the settings that it began with",
    ),
    ("--resume", "--force", "a run goes on, or is replaced"),
]


FEWEST: Final = 2
"""Fewer runs have no interval."""

GOES_ON = "--resume"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainOptions:
    """The options, in the order of the help."""

    context: typer.Context
    out: _training.OutOption = ""
    games: Annotated[
        int | None,
        _options.option(
            "N",
            "Total number of games, restarted ones too. Default: no limit.",
            min=1,
            max=MAX_TRAINING_GAMES,
        ),
    ] = None
    time: Annotated[
        str,
        _options.option(
            "T", f"Total time. Default: {_training.DEFAULT_TIME} if --games is not given."
        ),
    ] = ""
    resume: _training.ResumeOption = False
    force: _options.ForceOption = False
    start: Annotated[
        list[str] | None,
        _options.option("NET", "Begin with the weights of a network, or with the mean of several."),
    ] = None
    given: _options.Given[TrainingSettings]
    threads: _options.ThreadsOption = None
    runs: Annotated[
        int | None,
        _options.option(
            "N",
            "Train N networks, with seeds from --seed on; report the mean curve and its interval. "
            "Default: one network.",
            min=FEWEST,
            max=MAX_TRAINING_RUNS,
        ),
    ] = None
    checkpoint: _training.CheckpointOption = _training.CHECKPOINT
    eval_every: Annotated[
        str,
        _options.option(
            "T", "Evaluate the network every 10m, or every 10000g (games). Default: never."
        ),
    ] = ""
    eval_games: Annotated[
        int, _options.option("N", "Games per evaluation, from seed 1.", min=0, max=MAX_GAMES)
    ] = 300
    eval_boards: Annotated[
        list[str] | None, _options.option("FILE", "Also evaluate from each board in a file.")
    ] = None
    eval_downgrade: Annotated[
        int,
        _options.option(
            "SUM",
            "Tile sum from which evaluation games halve large tiles. 0: never.",
            min=0,
            max=MAX_DOWNGRADE,
        ),
    ] = 24_576
    rules: _options.RulesOption = ""
    json: _options.JsonOption = False

    def settings(self) -> TrainingSettings:
        """The settings of a new run."""
        threads = cores() if self.threads is None else self.threads
        more: dict[str, Any] = {"rules": _options.read_rules(self.rules), "threads": threads}
        if "rule" in self.given.values and self.given.values.get("schedule", "tc") == "tc":
            more["schedule"] = parse_schedule("rule")
        return self.given.make(**more)

    def code(self) -> dict[str, Any]:
        """The user's learning rule and schedule of step sizes; None where the option is missing."""
        rule, decay = (self.given.values.get(name) for name in ("rule", "decay"))
        return {
            "rule": load_rule(rule) if rule else None,
            "decay": load_decay(decay) if decay else None,
        }

    def inputs(self) -> list[str | Path]:
        """The files that the options name to be read."""
        given = self.given.values
        code = [given.get(name, "").rpartition(":")[0] for name in ("rule", "decay")]
        return [*map(network_path, self.start or []), *(self.eval_boards or []), *code]


def parse_every(text: str) -> tuple[float, int | None]:
    """The seconds between two evaluations, or the games: `10m`, `10000g`, `1e4 games`."""
    found = re.fullmatch(r"([0-9]{1,15}(?:[eE][0-9]{1,2})?) ?(?:g|games?)", text.strip(), re.ASCII)
    if not found:
        return _options.read_seconds(text, "--eval-every such as 10000g, or a time"), None
    games = read_count(found[1])
    return math.inf, check_limit("--eval-every in games", games, 1, MAX_TRAINING_GAMES)


class TrainDocument(_training.RunDocument, frozen=True):
    """A training run of a network.

    Attributes:
        bytes: size of the weights.
        games_begun: number of games begun, those that begin elsewhere too.
        reach_rates: how often the last 1000 games reached each tile.
    """

    bytes: int
    games_begun: int
    reach_rates: dict[str, Rate]

    @classmethod
    def of(cls, source: Any, **given: Any) -> Self:
        """The document of a run."""
        games, rates = len(source.curve.recent), source.curve.reached.items()
        return super().of(
            source,
            settings=source.settings.document(),
            bytes=source.network.bytes,
            games_begun=source.begun,
            reach_rates={
                tile: wilson_interval(round(rate * games), games) for tile, rate in rates if games
            },
            **given,
        )


class NetworkTrainer(_training.Trainer):
    """Runs of n-tuple networks."""

    command = "train"
    unit = "game"
    again = (
        "checkpoint", "rule", "decay", "eval_every", "eval_games", "eval_boards", "eval_downgrade",
    )  # fmt: skip
    trials = "network"
    document = TrainDocument
    options: TrainOptions

    def __init__(self, options: TrainOptions) -> None:
        super().__init__(options)
        self.every = parse_every(options.eval_every) if options.eval_every else None

    def begin(self, path: str, settings: TrainingSettings | None) -> Training:
        """A new run with these settings; without settings the one in the file."""
        with _output.loading():
            if settings is None:
                return self._resumed(path)
            training, start = Training(settings, **self.limits.wishes), self.options.start or []
            if start and (words := start_from(training, *start)):
                _output.print_note(f"twofold: {words}")
            return training

    def _resumed(self, out: str) -> Training:
        one, network = self.options, self.options.given.values.get("patterns")
        training = load(out, threads=one.threads, **one.code())
        kept = training.settings
        if network and format_patterns(parse_patterns(network)) != kept.patterns:
            raise InvalidInput(f"expected {kept.patterns}, as in {out}, got {network}")
        if one.rules and _options.read_rules(one.rules) != kept.rules:
            raise InvalidInput(f"expected --rules '{kept.rules}', as in {out}, got '{one.rules}'")
        if one.threads is None and kept.threads > cores():  # a file alone may not ask for that
            raise InvalidInput(
                f"expected --threads to continue {out}: it used {kept.threads}, more than the "
                f"{cores()} cores of this machine"
            )
        if self.limits.are_new(training) and not self.limits.left(training, out):
            phases = kept.schedule
            if place := min(training.phase, len(phases) - 1):
                name = str(phases[place]).partition("@")[0]
                _output.print_note(
                    f"twofold: {out} goes on with phase {place + 1} of {len(phases)}, {name}: "
                    "those before are over, so the result is not that of a new run of this length"
                )
            training.limit(**self.limits.wishes)
        if training.evaluations and self.every is None:
            _output.print_note(
                "twofold: the evaluations of this run end here; --eval-every T and the other "
                "--eval options go on with them"
            )
        return training

    def wishes(self, training: Training, stop: Callable[[], bool]) -> dict[str, Any]:
        """The evaluation games, if there are any."""
        if self.every is None:
            return {}
        one, rules = self.options, training.settings.rules
        games = EvaluationGames(
            rules,
            games=one.eval_games,
            boards=[read_boards(path, rules) for path in one.eval_boards or []],
            downgrade=one.eval_downgrade,
            stop=stop,
        )
        seconds, count = self.every
        return {"measure": games, "measure_every": seconds, "measure_games": count}

    def games(self, training: Training) -> str:
        """How many games a run has had, those that begin elsewhere too."""
        if not training.settings.begins_elsewhere:
            return super().games(training)
        games = counted(training.curve.games, "game")
        return f"{games} from the start, {training.begun:,} begun in all"

    def recent(self, training: Training) -> str:
        """The mean score of the last games, and how often they reached each tile."""
        curve = training.curve
        last = f"last {counted(len(curve.recent), 'game')}: mean {curve.mean:,.0f}"
        rates = (f"  {tile} {rate:.1%}" for tile, rate in curve.reached.items() if rate)
        return last + "".join(rates) if curve.recent else ""


@_options.takes(TrainOptions)
def command(options: TrainOptions) -> None:
    """Train an n-tuple network by temporal-difference learning.

    --out holds the network and everything --resume needs; Ctrl-C saves it. With one thread the
    result depends on the seed only; several threads share the weights without locks.

    With --resume and a larger --games or --time, finished phases of --schedule stay finished.
    A run keeps the --threads that were named last.

    Progress shows the mean score of the last 1,000 games and the percentage that reached a tile.
    An evaluation shows the mean score of its games and, for --eval-boards, the percentage that
    reached the next large tile.
    """
    trainer, resume = NetworkTrainer(options), options.resume
    if not (options.given.values.get("patterns") or resume):
        raise InvalidInput("expected a NETWORK such as 4x6, or --resume, got neither")
    if resume and options.start and options.runs is None:
        raise InvalidInput("expected no --start with --resume: the run has begun with its weights")
    with _training.held(options.out):
        if options.runs is None:
            inputs = options.inputs()
            _training.check_files(options.out, resume=resume, force=options.force, inputs=inputs)
            if resume:
                _check_there(options.out)
        settings = None if resume else options.settings()
        if settings is not None:
            size = bytes_words(training_bytes(settings))
            _output.print_note(f"twofold: training {settings.patterns} takes {size} of memory")
        if options.runs is None:
            trainer.conduct(trainer.begin(options.out, settings), is_new=not resume)
        else:
            _train_runs(trainer, settings)


def _check_there(out: str) -> None:
    """Refuse to continue where there is no run, before kernels are compiled."""
    first = Path(out).with_stem(f"{Path(out).stem}-1")
    if first.exists() and not Path(out).exists():
        raise InvalidInput(f"expected --runs N to continue {first} and the runs after it, got none")
    read_card(out)


# ---- several runs

DRAWN: Final[tuple[Form, ...]] = ("svg", "pdf")
"""The formats of the pictures of a curve."""


@dataclass(frozen=True, slots=True)
class _EndedRun:
    path: str
    document: TrainDocument
    timing: _training.RunTiming
    games: str
    is_over: bool


def _train_runs(trainer: NetworkTrainer, settings: TrainingSettings | None) -> None:
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
    path = Path(out)
    paths = [str(path.with_stem(f"{path.stem}-{number}")) for number in range(1, count + 1)]
    resume, inputs = settings is None, options.inputs()
    before: list[Earlier] | None = None
    _training.check_files(*paths, resume=resume, force=options.force, inputs=inputs)
    if settings is None:
        if runs_path(out).exists():
            read_curve(runs_path(out))  # refused unless it is one
        first = _first(paths, trainer)
        settings, before = first.settings, first.before
        if not trainer.limits.are_given:
            trainer.limits = trainer.limits.of(first)
        del first  # its weights
        for one in filter(os.path.exists, paths):
            read_runs([one])  # refused before anything is learnt
    else:
        for suffix in (".csv", *(f".{form}" for form in DRAWN)):
            new_file(runs_path(out).with_suffix(suffix), inputs=inputs, force=options.force)
    if options.threads is not None:
        settings = msgspec.structs.replace(settings, threads=options.threads)
    every = [
        msgspec.structs.replace(settings, seed=settings.seed + number) for number in range(count)
    ]
    ended = list[_EndedRun]()
    with _output.catching_interrupt() as asked:
        for number, (one, own) in enumerate(zip(paths, every, strict=True), 1):
            if asked.is_set():
                break
            _output.print_note(f"twofold: run {number} of {count}, seed {own.seed}: {one}")
            ended.append(_run(trainer, one, own, asked, before))
            there = [run.path for run in ended]
            curve = read_runs(there + [one for one in paths[number:] if Path(one).exists()])
            atomic_write(runs_path(out), curve.csv())
    is_finished = len(ended) == count and all(run.is_over for run in ended)
    drawn = _draw(out)
    if options.json:
        runs = [run.document for run in ended]
        found = TrainRunsDocument.of(curve, file=runs_path(out), runs=runs, curve=curve.points)
        _output.write_json("train", found, TrainRunsTiming.of(ended))
    else:
        _print_runs(out, ended, curve, drawn)
    if not is_finished:
        trainer.end(out, "runs", *trainer.again, "start")


def _first(paths: Sequence[str], trainer: NetworkTrainer) -> Training:
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
    trainer: NetworkTrainer,
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
        if msgspec.structs.replace(training.settings, threads=own.threads) != own:
            raise InvalidInput(
                f"expected a run that differs from the first in its seed, got {path}"
            )
        if before is not None and training.before != before:
            raise InvalidInput(f"expected a run that began as the first did, got {path}")
        kept, refusal = path, trainer.limits.refusal(training, path) if is_there else ""
        is_over = bool(refusal) or training.is_finished
        if is_over:
            _output.print_note(f"twofold: {refusal or 'it is finished'}")
        else:
            kept = trainer.go(training, path, asked)
        found, timing = TrainDocument.of(training, file=kept), _training.RunTiming.of(training)
        is_over = is_over or training.is_finished
        return _EndedRun(kept, found, timing, trainer.games(training), is_over)


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
        _output.print_note(f"twofold: no picture of the curve: {error}")
    return paths


def _print_runs(
    out: str, ended: Sequence[_EndedRun], curve: JointCurve, drawn: Sequence[Path]
) -> None:
    for one, seed in zip(ended, curve.seeds, strict=False):
        last = min(one.document.games, 1_000)
        mean = f", the last {last:,}: mean {one.document.mean_score:,.0f}" * bool(last)
        _output.print_words(f"seed {seed}: {one.games}{mean}; {one.path}")
    if point := curve.last:
        half = point.mean.half_width
        margin = "" if half is None else f" ± {half:,.0f}"
        _output.print_words(
            f"{counted(len(point.runs), 'run')} after {counted(point.games, 'game')}: "
            f"mean {point.mean.value:,.0f}{margin}"
        )
    else:
        _output.print_words("no point of the curve yet that all runs have reached")
    pictures = f"; picture in {' and '.join(map(str, drawn))}" if drawn else ""
    _output.print_out(f"learning curve in {runs_path(out)}{pictures}")


class JointPointDocument(Part, frozen=True):
    """A point of the learning curve of several runs.

    Attributes:
        games: number of games of each run up to it.
        mean: mean over the runs of their mean scores since the last point, in points.
        mean_95: its 95 % interval.
        runs: mean score of each run; null for one that has not come so far.
    """

    games: int
    mean: float = msgspec.field(name="mean_score")
    mean_95: Ends = msgspec.field(name="mean_score_95")
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

    runs: list[_training.RunTiming]

    @classmethod
    def of(cls, ended: Sequence[_EndedRun]) -> Self:
        """The times of runs."""
        seconds = sum(run.timing.seconds for run in ended)
        moves = sum(run.document.moves for run in ended)
        return cls(seconds, moves / max(seconds, 1e-9), [run.timing for run in ended])
