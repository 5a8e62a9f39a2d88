"""`twofold train-policy`: a policy network learns by PPO from the games it plays."""

import atexit
import gc
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Self

import typer

from twofold.cli._options import (
    ForceOption,
    Given,
    JsonOption,
    RulesOption,
    count,
    given_again,
    option,
    read_rules,
    read_seconds,
    refuse_given,
    takes,
)
from twofold.cli._output import loading, print_note
from twofold.cli._training import (
    CHECKPOINT,
    DEFAULT_TIME,
    CheckpointOption,
    Limits,
    OutOption,
    ResumeOption,
    RunDocument,
    Shown,
    check_files,
    check_out,
    conduct,
    go_on,
    held,
)
from twofold.errors import MissingExtra
from twofold.figures import counted
from twofold.learn.policy_settings import MAX_TRAINING_MOVES, PolicySettings
from twofold.limits import MAX_GAMES, check_limit
from twofold.settings import with_option

if TYPE_CHECKING:
    from twofold.learn.policy_training import PolicyTraining

EXAMPLE = """  twofold train-policy 64-64 --rules 2x2 --out small.safetensors --time 2m
  twofold train-policy --out policy.safetensors --time 30m
  twofold train-policy --out policy.safetensors --resume --time 1h
  twofold bench policy:net=policy.safetensors --games 100"""

AGAIN: Final = ("device", "checkpoint", "eval_every", "eval_games")
"""Options that the file of a run does not hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyOptions:
    """The options, in the order of the help."""

    context: typer.Context
    out: OutOption = ""
    moves: Annotated[int | None, count("N", "Total number of moves to learn from.")] = None
    time: Annotated[
        str, option("T", f"Total time. Default: {DEFAULT_TIME} if --moves is not given.")
    ] = ""
    resume: ResumeOption = False
    force: ForceOption = False
    given: Given[PolicySettings]
    device: Annotated[str, option("D", "cpu, cuda, or auto: the GPU if PyTorch finds one.")] = (
        "auto"
    )
    checkpoint: CheckpointOption = CHECKPOINT
    eval_every: Annotated[str, option("T", "Time between two rounds of test games; 0: none.")] = (
        "5m"
    )
    eval_games: Annotated[int, count("N", "Test games, played greedily and with drawn moves.")] = (
        200
    )
    rules: RulesOption = ""
    json: JsonOption = False

    def settings(self) -> PolicySettings:
        """The settings of a new run."""
        rules = read_rules(self.rules)
        exponents = min(rules.rows * rules.cols + 2, PolicySettings().exponents)
        return self.given.make(rules=rules, exponents=exponents)


@takes(PolicyOptions)
def command(options: PolicyOptions) -> None:
    """Train a policy network by PPO.

    The network gives each move a probability and values the board. It plays without search, as
    policy:net=FILE, or with one: policy:net=FILE,ply=1. --out holds the network and everything
    --resume needs; Ctrl-C saves it. Training needs the extra 'policy' (PyTorch); playing does not.
    """
    out, resume = options.out, options.resume
    check_out(out, resume=resume)
    if resume:
        refuse_given(options.context, {one.name for one in with_option(PolicySettings)} | {"rules"})
    check_files(out, resume=resume, force=options.force)
    limits = Limits.read("move", options.moves, MAX_TRAINING_MOVES, options.time, resume=resume)
    interval = read_seconds(options.checkpoint, "--checkpoint")
    every = 0.0 if options.eval_every == "0" else read_seconds(options.eval_every, "--eval-every")
    check_limit("eval-games", options.eval_games, 2, MAX_GAMES)
    settings = None if resume else options.settings()
    with held(out):
        training = _begin(options, settings, limits)

        def go(asked: threading.Event) -> str:
            from twofold.learn.policy_games import TrialGames
            from twofold.learn.policy_training import save

            games = TrialGames(training.settings.rules, games=options.eval_games, stop=asked.is_set)
            trials = {"measure": games, "measure_every": every} if every else {}
            return go_on(training, out, asked, interval, force=options.force, save=save, **trials)

        conduct(
            training,
            out,
            limits,
            SHOWN,
            go,
            is_new=not resume,
            json=options.json,
            again=given_again(options.context, *AGAIN),
        )


def _recent(training: "PolicyTraining") -> str:
    curve = training.curve
    last = counted(len(curve.recent), "training game")
    return f"last {last}: mean {curve.mean:,.2f}" if curve.recent else ""


class TrainPolicyDocument(RunDocument, frozen=True):
    """A training run of a policy network.

    Attributes:
        parameters: number of parameters of the network.
    """

    parameters: int

    @classmethod
    def of(cls, source: Any, **given: Any) -> Self:
        """The document of a run."""
        settings, parameters = source.settings.document(), source.network.parameters
        return super().of(source, settings=settings, parameters=parameters, **given)


SHOWN: Final = Shown(
    "train-policy",
    lambda training: counted(training.curve.games, "game"),
    _recent,
    "test games",
    TrainPolicyDocument,
)
"""What the command says of a run."""


def _begin(
    options: PolicyOptions, settings: PolicySettings | None, limits: Limits
) -> "PolicyTraining":
    """A new run with these settings; without settings the one in the file."""
    with loading("loading PyTorch ..."):
        try:
            import torch  # noqa: F401 - an extra
        except ImportError:
            raise MissingExtra.of("policy", "training a policy network") from None
        # Triton reports what is not collected at the end as leaks: undo the freeze of __main__.
        atexit.unregister(gc.freeze)
        from twofold.learn.policy_training import PolicyTraining, load

        if settings is None:
            return load(options.out, device=options.device)
        training = PolicyTraining(settings, **limits.wishes, device=options.device)
    print_note(f"twofold: {settings.describe()}; on {training.learner.device.type}")
    return training
