"""The options of `twofold train`, and what they ask for: limits, settings, evaluations."""

import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from twofold.cli._options import (
    ForceOption,
    JsonOption,
    RulesOption,
    ThreadsOption,
    argument,
    count,
    flag,
    option,
    read_count,
    read_rules,
    read_seconds,
)
from twofold.errors import InvalidInput, InvalidNetwork
from twofold.game.notation import parse_seed, shell_line, shown
from twofold.learn.rules import Decay, LearningRule
from twofold.learn.run import files_beside
from twofold.learn.settings import TrainingSettings, parse_restart, parse_schedule
from twofold.limits import MAX_TRAINING_GAMES, check_limit, cores
from twofold.players.own_code import load_object
from twofold.storage.files import alone, file_name, new_file
from twofold.values.network_file import SUFFIX, network_path, read_card

DEFAULT_TIME: Final = "30m"
"""The time of a run where neither time nor games or moves are given."""

SETTINGS: Final = (
    "schedule", "optimism", "initial_weight", "lambda_", "steps", "order", "stages", "carousel",
    "restart", "bands", "band_share", "tables", "downgrade", "seed",
)  # fmt: skip
"""Options of a new run that its file holds; patterns and rules, too, may be given again."""


CHECKPOINT: Final = "10m"
"""The time between checkpoints where none is given."""

USUAL_SCHEDULE: Final = "tc"
"""The schedule where neither a schedule nor a rule is given."""

EVAL_GAMES: Final = 300
"""Whole games of an evaluation where no number is given."""

EVAL_DOWNGRADE: Final = 24_576
"""The sum from which on the games of evaluations are downgraded, where none is given."""


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """The options, in the order of the help."""

    context: typer.Context
    network: Annotated[
        str,
        argument(
            "NETWORK",
            "Network to train: 4x6, 8x6, ..., or patterns such as '0123 4567'.",
            show_default=True,
            follows="patterns",
        ),
    ] = ""
    out: Annotated[
        str, option("--out", "FILE", "File for the network and its checkpoint.", show_default=False)
    ] = ""
    games: Annotated[
        int | None,
        count("--games", "N", "Total number of games, restarted ones too. Default: no limit."),
    ] = None
    time: Annotated[
        str, option("--time", "T", f"Total time. Default: {DEFAULT_TIME} if --games is not given.")
    ] = ""
    resume: Annotated[bool, flag("--resume", "Continue the run in --out.")] = False
    force: ForceOption = False
    start: Annotated[
        list[str] | None,
        option(
            "--start", "NET", "Begin with the weights of a network, or with the mean of several."
        ),
    ] = None
    schedule: Annotated[
        str, option("--schedule", "S", "Learning schedule: tc, td:0.1, or td:0.1@90%,tc:1@10%.")
    ] = USUAL_SCHEDULE
    rule: Annotated[
        str, option("--rule", "FILE:NAME", "Your own learning rule, instead of tc.")
    ] = ""
    decay: Annotated[str, option("--decay", "FILE:NAME", "Your own schedule of step sizes.")] = ""
    optimism: Annotated[
        float, option("--optimism", "V", "Initial value of every board, in points.")
    ] = 0.0
    initial_weight: Annotated[
        float,
        option("--initial-weight", "V", "Initial value of every weight, instead of --optimism."),
    ] = 0.0
    lambda_: Annotated[
        float, option("--lambda", "L", "Lambda of TD(lambda): 0 is one-step, 1 is n-step.")
    ] = 0.0
    steps: Annotated[
        int | None,
        count(
            "--steps",
            "N",
            "Number of steps of TD(lambda) and n-step TD. Default: chosen from lambda.",
        ),
    ] = None
    order: Annotated[
        str, option("--order", "O", "Order of updates: forward, or backward after each game.")
    ] = "forward"
    stages: Annotated[
        str,
        option(
            "--stages", "SUMS", "Tile sums at which stages begin: 16384,32768. Default: one stage."
        ),
    ] = ""
    carousel: Annotated[
        bool, flag("--carousel", "Start games from each stage in turn (carousel shaping).")
    ] = False
    restart: Annotated[
        str,
        option(
            "--restart",
            "N",
            "Restart games of N moves or more in their middle; 10@0.3: after 30 %. 0: never.",
        ),
    ] = "0"
    bands: Annotated[
        str,
        option(
            "--bands",
            "SUMS",
            "Also start games from stored boards with these tile sums: 14000,16000.",
        ),
    ] = ""
    band_share: Annotated[
        float, option("--band-share", "P", "Share of games that start from --bands.")
    ] = 0.5
    tables: Annotated[
        str,
        option(
            "--tables",
            "T",
            "Endgame tables that choose the moves they know: 442-512+442-256, or auto.",
        ),
    ] = "none"
    downgrade: Annotated[
        int,
        count(
            "--downgrade",
            "SUM",
            "In every other game, halve large tiles once the distinct tiles sum to SUM. 0: never.",
        ),
    ] = 0
    threads: ThreadsOption = None
    seed: Annotated[str, option("--seed", "S", "Seed of the games.")] = "1"
    runs: Annotated[
        int | None,
        count(
            "--runs",
            "N",
            "Train N networks, with seeds from --seed on; report the mean curve and its interval. "
            "Default: one network.",
        ),
    ] = None
    checkpoint: Annotated[str, option("--checkpoint", "T", "Time between two checkpoints.")] = (
        CHECKPOINT
    )
    eval_every: Annotated[
        str,
        option(
            "--eval-every",
            "T",
            "Evaluate the network every 10m, or every 10000g (games). Default: never.",
        ),
    ] = ""
    eval_games: Annotated[int, count("--eval-games", "N", "Games per evaluation, from seed 1.")] = (
        EVAL_GAMES
    )
    eval_boards: Annotated[
        list[str] | None,
        option("--eval-boards", "FILE", "Also evaluate from each board in a file."),
    ] = None
    eval_downgrade: Annotated[
        int,
        count(
            "--eval-downgrade",
            "SUM",
            "Tile sum from which evaluation games halve large tiles. 0: never.",
        ),
    ] = EVAL_DOWNGRADE
    rules: RulesOption = ""
    json: JsonOption = False

    def code(self) -> dict[str, Any]:
        """The user's learning rule and schedule of step sizes; None where the option is missing."""
        return {
            "rule": _own(self.rule, LearningRule, "a function with @learning_rule()"),
            "decay": _own(self.decay, Decay, "a function with @decay"),
        }

    def inputs(self) -> list[str | Path]:
        """The files that the options name to be read."""
        code = [name.rpartition(":")[0] for name in (self.rule, self.decay)]
        return [*map(network_path, self.start or []), *(self.eval_boards or []), *code]

    def settings(self) -> TrainingSettings:
        """The settings of a new run."""
        moves, part = parse_restart(self.restart)
        return TrainingSettings(
            patterns=self.network,
            rules=read_rules(self.rules),
            stages=read_sums(self.stages, "stages such as 16384,32768"),
            schedule=parse_schedule(
                "rule" if self.rule and self.schedule == USUAL_SCHEDULE else self.schedule
            ),
            **self.code(),
            optimism=self.optimism,
            lambda_=self.lambda_,
            steps=self.steps,
            order=self.order,  # type: ignore[arg-type] # it is checked there
            carousel=self.carousel,
            restart=moves,
            restart_at=part,
            initial_weight=self.initial_weight,
            bands=read_sums(self.bands, "bands such as 14000,16000"),
            band_share=self.band_share,
            tables=self.tables,
            downgrade=self.downgrade,
            seed=parse_seed(self.seed),
            threads=cores() if self.threads is None else self.threads,
        )


def _own(name: str, kind: type[Any], expected: str) -> Any:
    """What `FILE:NAME` names; None for no name."""
    if not name:
        return None
    found = load_object(name)
    if not isinstance(found, kind):
        raise InvalidInput(f"expected {expected}, got {shown(name)}")
    return replace(found, name=name)


@dataclass(frozen=True, slots=True)
class Trials:
    """The options of evaluations.

    Attributes:
        every: seconds of training between two.
        every_games: training games between two, in place of seconds; None for seconds.
        count: whole games of each.
        boards: files of boards that games begin on.
        downgrade: see `twofold.learn.curve`.
        options: the same as the command line has them, without those that are usual.
    """

    every: float
    every_games: int | None
    count: int
    boards: list[str]
    downgrade: int
    options: list[str]


def read_trials(every: str, count: int, boards: list[str], downgrade: int) -> Trials | None:
    """The evaluations that options ask for; None for none.

    Raises:
        InvalidInput: they cannot be read, or boards are named, but no time.
    """
    if every:
        options = ["--eval-every", every]
        options += ["--eval-games", str(count)] if count != EVAL_GAMES else []
        options += [word for path in boards for word in ("--eval-boards", path)]
        options += ["--eval-downgrade", str(downgrade)] if downgrade != EVAL_DOWNGRADE else []
        games = _read_games(every)
        seconds = (
            math.inf if games else read_seconds(every, "--eval-every such as 10000g, or a time")
        )
        return Trials(seconds, games, count, boards, downgrade, options)
    if boards:
        raise InvalidInput("expected --eval-every T beside --eval-boards, such as 10m")
    return None


def _read_games(text: str) -> int | None:
    """The games of a text such as `10000g` or `1e4 games`; None for another text."""
    found = re.fullmatch(r"([0-9]{1,15}(?:[eE][0-9]{1,2})?) ?(?:g|games?)", text.strip(), re.ASCII)
    if not found:
        return None
    games = read_count(found[1])
    check_limit("games between evaluations", games, 1, MAX_TRAINING_GAMES)
    return games


def read_limits(
    name: str, count: int | None, most: int, time: str, *, resume: bool
) -> dict[str, Any]:
    """The games or moves of a run and its seconds.

    None means no limit, or the limits that a run which goes on began with.
    """
    if count is not None:
        check_limit(name, count, 1, most)
    if not time and count is None and not resume:
        time = DEFAULT_TIME
    return {name: count, "seconds": read_seconds(time, "--time") if time else None}


def read_sums(text: str, expected: str) -> tuple[int, ...]:
    """Tile sums with commas between them."""
    words = text.split(",") if text else []
    if not all(word.strip().isdecimal() and len(word) < 12 for word in words):
        raise InvalidNetwork(f"expected {expected}, got {shown(text)}")
    return tuple(int(word) for word in words)


def check_out(out: str, *, resume: bool) -> None:
    """Refuse a name that no file of a new run can have."""
    if not out:
        raise InvalidInput("expected --out FILE, to keep the network in")
    file_name(out)
    if not Path(out).name or not Path(out).absolute().parent.is_dir():
        raise InvalidInput(f"expected --out in an existing folder, got {out}")
    if not resume and Path(out).suffix != SUFFIX:
        raise InvalidInput(f"expected --out with a name that ends in {SUFFIX}, got {shown(out)}")


def check_files(*outs: str, resume: bool, force: bool, inputs: Iterable[str | Path] = ()) -> None:
    """Refuse to write over a file, unless the run in it goes on or is replaced."""
    if resume and force:
        raise InvalidInput("expected --resume or --force, got both")
    inputs = list(inputs)
    for out in outs:
        instead = "--resume continues the run in it"
        new_file(out, inputs=inputs, force=force or resume, instead=instead)
        for path in files_beside(out):
            new_file(path, inputs=inputs, force=force or resume)


def check_there(out: str, *, resume: bool) -> None:
    """Refuse to continue where there is no run."""
    first = Path(out).with_stem(f"{Path(out).stem}-1")
    if resume and first.exists() and not Path(out).exists():
        raise InvalidInput(f"expected --runs N to continue {first} and the runs after it, got none")
    if resume:
        read_card(out)  # before kernels are compiled


def held(out: str) -> AbstractContextManager[None]:
    """The file of the run, for this run alone."""
    return alone(os.path.realpath(out), "training run")


def check_resumed(context: typer.Context, names: Sequence[str]) -> None:
    """Refuse settings where a run goes on, which has its own."""
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if name in names and source is not None and source.name == "COMMANDLINE":
            word = parameter.opts[0] if parameter.param_type_name == "option" else parameter.metavar
            raise InvalidInput(
                f"expected --resume without {word}: the run keeps the settings that it began with"
            )


def check_beside(context: typer.Context, pairs: Mapping[str, str]) -> None:
    """Refuse options that have no effect without another one: name to name of the other."""
    options = {one.name or "": one.opts[0] for one in context.command.params}
    for name, other in pairs.items():
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE" and not context.params[other]:
            raise InvalidInput(f"expected {options[name]} together with {options[other]}")


def goes_on(options: TrainOptions, trials: Trials | None) -> str:
    """The command that goes on with a run."""
    again = not_kept(options, trials)
    return shell_line("twofold", "train", "--out", options.out, "--resume", *again)


def not_kept(options: TrainOptions, trials: Trials | None) -> list[str]:
    """The options that the file of a run does not hold."""
    checkpoint = options.checkpoint
    words = ["--checkpoint", checkpoint] if checkpoint != CHECKPOINT else []
    words += ["--rule", options.rule] if options.rule else []
    words += ["--decay", options.decay] if options.decay else []
    return [*words, *(trials.options if trials is not None else [])]
