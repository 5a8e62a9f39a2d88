"""The options of `twofold train`, and the runs that they ask for."""

import math
import re
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from twofold.arena.stats import wilson_interval
from twofold.cli._documents import Rate
from twofold.cli._games import read_starts
from twofold.cli._options import (
    ForceOption,
    JsonOption,
    RulesOption,
    ThreadsOption,
    count,
    option,
    read_count,
    read_rules,
    read_seconds,
)
from twofold.cli._output import loading, print_note
from twofold.cli._settings import Given
from twofold.cli._training import (
    CHECKPOINT,
    DEFAULT_TIME,
    CheckpointOption,
    Limits,
    OutOption,
    ResumeOption,
    RunDocument,
    Shown,
    Trials,
    go_on,
)
from twofold.errors import InvalidInput
from twofold.figures import counted
from twofold.learn.checkpoint import load, settings_document, start_from
from twofold.learn.evaluation import EvaluationGames
from twofold.learn.rules import load_decay, load_rule
from twofold.learn.settings import TrainingSettings, parse_schedule
from twofold.learn.training import Training
from twofold.limits import MAX_TRAINING_GAMES, check_limit, cores
from twofold.values.network import format_patterns, parse_patterns
from twofold.values.network_file import network_path

AGAIN: Final = (
    "checkpoint", "rule", "decay", "eval_every", "eval_games", "eval_boards", "eval_downgrade",
)  # fmt: skip
"""Options that the file of a run does not hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainOptions:
    """The options, in the order of the help."""

    context: typer.Context
    out: OutOption = ""
    games: Annotated[
        int | None, count("N", "Total number of games, restarted ones too. Default: no limit.")
    ] = None
    time: Annotated[
        str, option("T", f"Total time. Default: {DEFAULT_TIME} if --games is not given.")
    ] = ""
    resume: ResumeOption = False
    force: ForceOption = False
    start: Annotated[
        list[str] | None,
        option("NET", "Begin with the weights of a network, or with the mean of several."),
    ] = None
    given: Given[TrainingSettings]
    threads: ThreadsOption = None
    runs: Annotated[
        int | None,
        count(
            "N",
            "Train N networks, with seeds from --seed on; report the mean curve and its interval. "
            "Default: one network.",
        ),
    ] = None
    checkpoint: CheckpointOption = CHECKPOINT
    eval_every: Annotated[
        str, option("T", "Evaluate the network every 10m, or every 10000g (games). Default: never.")
    ] = ""
    eval_games: Annotated[int, count("N", "Games per evaluation, from seed 1.")] = 300
    eval_boards: Annotated[
        list[str] | None, option("FILE", "Also evaluate from each board in a file.")
    ] = None
    eval_downgrade: Annotated[
        int, count("SUM", "Tile sum from which evaluation games halve large tiles. 0: never.")
    ] = 24_576
    rules: RulesOption = ""
    json: JsonOption = False

    def settings(self) -> TrainingSettings:
        """The settings of a new run."""
        threads = cores() if self.threads is None else self.threads
        more: dict[str, Any] = {"rules": read_rules(self.rules), "threads": threads}
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
        return read_seconds(text, "--eval-every such as 10000g, or a time"), None
    games = read_count(found[1])
    return math.inf, check_limit("games between evaluations", games, 1, MAX_TRAINING_GAMES)


@dataclass(frozen=True, slots=True)
class Trainer:
    """Begins runs and goes on with them.

    Attributes:
        options: those of the command.
        limits: of each run.
        interval: seconds between checkpoints.
        every: seconds and games between evaluations; None for no evaluations.
    """

    options: TrainOptions
    limits: Limits
    interval: float
    every: tuple[float, int | None] | None

    @classmethod
    def of(cls, options: TrainOptions) -> "Trainer":
        """What options ask for; raises `InvalidInput` where they cannot be read."""
        games, time, resume = options.games, options.time, options.resume
        limits = Limits.read("game", games, MAX_TRAINING_GAMES, time, resume=resume)
        interval = read_seconds(options.checkpoint, "--checkpoint")
        if options.eval_boards and not options.eval_every:
            raise InvalidInput("expected --eval-every T beside --eval-boards, such as 10m")
        every = parse_every(options.eval_every) if options.eval_every else None
        return cls(options, limits, interval, every)

    def begin(self, path: str, settings: TrainingSettings | None) -> Training:
        """A new run with these settings; without settings the one in the file."""
        with loading():
            if settings is None:
                return self._resumed(path)
            training, start = Training(settings, **self.limits.wishes), self.options.start or []
            if start and (words := str(start_from(training, *start))):
                print_note(f"twofold: {words}")
            return training

    def _resumed(self, out: str) -> Training:
        one, network = self.options, self.options.given.values.get("patterns")
        training = load(out, threads=one.threads, **one.code())
        kept = training.settings
        if network and format_patterns(parse_patterns(network)) != kept.patterns:
            raise InvalidInput(f"expected {kept.patterns}, as in {out}, got {network}")
        if one.rules and read_rules(one.rules) != kept.rules:
            raise InvalidInput(f"expected --rules '{kept.rules}', as in {out}, got '{one.rules}'")
        threads = kept.threads
        if one.threads is None and threads > cores():  # a file alone may not ask for that
            raise InvalidInput(
                f"expected --threads to continue {out}: it used {threads}, more than the {cores()} "
                "cores of this machine"
            )
        if self.limits.are_new(training) and not self.limits.left(training, out):
            phases = kept.schedule
            if place := min(training.phase, len(phases) - 1):
                name = str(phases[place]).partition("@")[0]
                print_note(
                    f"twofold: {out} goes on with phase {place + 1} of {len(phases)}, {name}: "
                    "those before are over, so the result is not that of a new run of this length"
                )
            training.limit(**self.limits.wishes)
        return training

    def go(self, training: Training, path: str, asked: threading.Event) -> str:
        """Go on with a run until it ends or is interrupted; the path of its file."""
        one, rules, trials = self.options, training.settings.rules, None
        if self.every is not None:
            sets = [read_starts(path, rules) for path in one.eval_boards or []]
            games = EvaluationGames(
                rules,
                games=one.eval_games,
                boards=[one for one in sets if one],
                downgrade=one.eval_downgrade,
                tables=training.tables,
                stop=asked.is_set,
            )
            trials = Trials(games, *self.every)
        return go_on(training, path, asked, self.interval, trials, force=one.force)


def _games(training: Training) -> str:
    games = counted(training.curve.games, "game")
    if not training.settings.begins_elsewhere:
        return games
    return f"{games} from the start, {training.begun:,} begun in all"


def _recent(training: Training) -> str:
    curve = training.curve
    rates = "  ".join(f"{tile} {rate:.1%}" for tile, rate in curve.reached.items() if rate)
    words = f"last {counted(len(curve.recent), 'game')}: mean {curve.mean:,.0f}  {rates}".rstrip()
    return words if curve.recent else ""


class TrainDocument(RunDocument, frozen=True):
    """A training run of a network.

    Attributes:
        bytes: size of the weights.
        games_begun: number of games begun, those that begin elsewhere too.
        reach_rates: how often the last 1000 games reached each tile.
    """

    bytes: int
    games_begun: int
    reach_rates: dict[str, Rate]


def document(training: Training, out: str) -> TrainDocument:
    """A run in a file, as JSON has it."""
    curve, games = training.curve, len(training.curve.recent)
    return TrainDocument.of(
        training,
        file=out,
        settings=settings_document(training),
        bytes=training.network.bytes,
        games_begun=training.begun,
        reach_rates={
            tile: wilson_interval(round(rate * games), games)
            for tile, rate in curve.reached.items()
            if games
        },
    )


SHOWN: Final = Shown("train", _games, _recent, "network", document)
"""What the command says of a run."""
