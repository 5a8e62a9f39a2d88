"""`twofold train-policy`: a policy network learns by PPO from the games it plays."""

import atexit
import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from twofold.cli import _options, _training
from twofold.cli._output import loading, print_note
from twofold.errors import MissingExtra
from twofold.figures import counted
from twofold.learn.policy_settings import MAX_TRAINING_MOVES, PolicySettings
from twofold.limits import MAX_GAMES
from twofold.settings import with_option

if TYPE_CHECKING:
    from twofold.learn.policy_training import PolicyTraining

EXAMPLE = """  twofold train-policy 64-64 --rules 2x2 --out small.safetensors --time 2m
  twofold train-policy --out policy.safetensors --time 30m
  twofold train-policy --out policy.safetensors --resume --time 1h
  twofold bench policy:net=policy.safetensors --games 100"""

APART = [
    (
        "--resume",
        " ".join(["--rules", "LAYERS", *(one.option for one in with_option(PolicySettings))]),
        "the run keeps the settings that it began with",
    ),
    ("--resume", "--force", "a run goes on, or is replaced"),
    ("--resume", "--start", "the run has begun with its weights"),
]


GOES_ON = "--resume"


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyOptions:
    """The options, in the order of the help."""

    context: typer.Context
    out: _training.OutOption = ""
    moves: Annotated[
        int | None,
        _options.option("N", "Total number of moves to learn from.", min=1, max=MAX_TRAINING_MOVES),
    ] = None
    time: Annotated[
        str,
        _options.option(
            "T", f"Total time. Default: {_training.DEFAULT_TIME} if --moves is not given."
        ),
    ] = ""
    resume: _training.ResumeOption = False
    force: _options.ForceOption = False
    start: Annotated[
        str,
        _options.option("FILE", "Begin with the weights of another run, which --out of it holds."),
    ] = ""
    given: _options.Given[PolicySettings]
    device: Annotated[
        str, _options.option("D", "cpu, cuda, or auto: the GPU if PyTorch finds one.")
    ] = "auto"
    checkpoint: _training.CheckpointOption = _training.CHECKPOINT
    eval_every: Annotated[
        str, _options.option("T", "Time between two rounds of test games; 0: none.")
    ] = "5m"
    eval_games: Annotated[
        int,
        _options.option(
            "N", "Test games, played greedily and with drawn moves.", min=2, max=MAX_GAMES
        ),
    ] = 200
    rules: _options.RulesOption = ""
    json: _options.JsonOption = False

    def settings(self) -> PolicySettings:
        """The settings of a new run."""
        rules = _options.read_rules(self.rules)
        exponents = min(rules.rows * rules.cols + 2, PolicySettings().exponents)
        return self.given.make(rules=rules, exponents=exponents)


@_options.takes(PolicyOptions)
def command(options: PolicyOptions) -> None:
    """Train a policy network by PPO.

    The network gives each move a probability and values the board. It plays without search, as
    policy:net=FILE, or with one: policy:net=FILE,ply=1. --out holds the network and everything
    --resume needs; Ctrl-C saves it. Training needs the extra 'policy' (PyTorch); playing does not.
    """
    out, resume = options.out, options.resume
    trainer = PolicyTrainer(options)
    _training.check_files(out, resume=resume, force=options.force)
    settings = None if resume else options.settings()
    with _training.held(out):
        trainer.conduct(trainer.begin(settings), is_new=not resume)


class TrainPolicyDocument(_training.RunDocument, frozen=True):
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


class PolicyTrainer(_training.Trainer):
    """Runs of policy networks."""

    command = "train-policy"
    unit = "move"
    again = ("device", "checkpoint", "eval_every", "eval_games")
    trials = "test games"
    document = TrainPolicyDocument

    def __init__(self, options: PolicyOptions) -> None:
        super().__init__(options)
        every = options.eval_every
        self._every = 0.0 if every == "0" else _options.read_seconds(every, "--eval-every")

    def wishes(self, training: Any, stop: Callable[[], bool]) -> dict[str, Any]:
        """The test games, if there are any."""
        from twofold.learn.policy_games import TrialGames
        from twofold.learn.policy_training import save

        rules, games = training.settings.rules, self.options.eval_games
        trials = {
            "measure": TrialGames(rules, games=games, stop=stop),
            "measure_every": self._every,
        }
        return {"save": save} | (trials if self._every else {})

    def recent(self, training: Any) -> str:
        """The mean score of the last games."""
        curve = training.curve
        last = counted(len(curve.recent), "training game")
        return f"last {last}: mean {curve.mean:,.2f}" if curve.recent else ""

    def begin(self, settings: PolicySettings | None) -> "PolicyTraining":
        """A new run with these settings; without settings the one in the file."""
        options = self.options
        with loading("loading PyTorch ..."):
            try:
                import torch  # noqa: F401 - an extra
            except ImportError:
                raise MissingExtra.of("policy", "training a policy network") from None
            # Triton reports what is not collected at the end as leaks: undo the freeze of __main__.
            atexit.unregister(gc.freeze)
            from twofold.learn.policy_training import PolicyTraining, load, start_from

            if settings is None:
                return load(options.out, device=options.device)
            training = PolicyTraining(settings, **self.limits.wishes, device=options.device)
            if options.start:
                start_from(training, options.start)
        print_note(f"twofold: {settings.describe()}; on {training.learner.device.type}")
        return training
