"""`twofold train`: a network learns from the games it plays."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

import typer

from twofold.arena.boards import read_boards
from twofold.arena.stats import wilson_interval
from twofold.cli import _options, _output, _training, read_count
from twofold.cli._documents import Rate
from twofold.errors import InvalidInput
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
    MIN_DOWNGRADE,
    check_limit,
    cores,
)
from twofold.settings import with_option
from twofold.values.network import parse_patterns
from twofold.values.network_file import network_path, read_card

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
    ("--resume", "--start", "the run has begun with its weights"),
]


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
            parser=_options.zero_or(MIN_DOWNGRADE, MAX_DOWNGRADE),
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
        if network and parse_patterns(network) != parse_patterns(kept.patterns):
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
    trainer, out, resume = NetworkTrainer(options), options.out, options.resume
    if not (options.given.values.get("patterns") or resume):
        raise InvalidInput("expected a NETWORK such as 4x6, or --resume, got neither")
    with _training.held(out):
        inputs = options.inputs()
        _training.check_files(out, resume=resume, force=options.force, inputs=inputs)
        if resume:
            read_card(out)  # refused before kernels are compiled
        settings = None if resume else options.settings()
        if settings is not None:
            size = bytes_words(training_bytes(settings))
            _output.print_note(f"twofold: training {settings.patterns} takes {size} of memory")
        trainer.conduct(trainer.begin(out, settings), is_new=not resume)
