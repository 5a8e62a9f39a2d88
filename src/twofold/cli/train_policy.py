"""`twofold train-policy`: a policy network learns by PPO from the games it plays."""

import atexit
import gc
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from twofold.cli._options import (
    ForceOption,
    JsonOption,
    RulesOption,
    argument,
    count,
    flag,
    option,
    read_rules,
    read_seconds,
    takes,
)
from twofold.cli._output import catching_interrupt, duration_words, loading, print_note, write_json
from twofold.cli._train_options import (
    CHECKPOINT,
    DEFAULT_TIME,
    check_files,
    check_resumed,
    held,
    read_limits,
)
from twofold.cli._train_runs import live, print_run, run_timing
from twofold.errors import INTERRUPTED, InvalidInput, MissingExtra
from twofold.figures import counted
from twofold.game.notation import parse_seed, shell_line, shown
from twofold.learn.policy_settings import MAX_TRAINING_MOVES, PolicySettings
from twofold.limits import MAX_GAMES, check_limit
from twofold.storage.files import file_name
from twofold.values.network_file import SUFFIX

if TYPE_CHECKING:
    from twofold.learn.policy_training import PolicyTraining

EXAMPLE = """  twofold train-policy 64-64 --rules 2x2 --out small.safetensors --time 2m
  twofold train-policy --out policy.safetensors --time 30m
  twofold train-policy --out policy.safetensors --resume --time 1h
  twofold bench policy:net=policy.safetensors --games 100"""

DEVICE: Final = "auto"
EVAL_EVERY: Final = "5m"
EVAL_GAMES: Final = 200

USUAL: Final = PolicySettings()

SETTINGS: Final = (
    "hidden", "embedding", "envs", "horizon", "minibatch", "epochs", "learning_rate", "final_rate",
    "gamma", "lambda_", "clip", "value_weight", "entropy", "reward", "scaffold", "as_they_are",
    "seed", "threads", "rules",
)  # fmt: skip
"""Options of a new run that its file holds."""


@dataclass(frozen=True, slots=True)
class PolicyOptions:
    """The options, in the order of the help."""

    context: typer.Context
    hidden: Annotated[
        str, argument("LAYERS", "Outputs of the hidden layers: 512-256.", show_default=True)
    ] = "-".join(map(str, USUAL.hidden))
    out: Annotated[
        str, option("--out", "FILE", "File for the network and its checkpoint.", show_default=False)
    ] = ""
    moves: Annotated[int | None, count("--moves", "N", "Total number of moves to learn from.")] = (
        None
    )
    time: Annotated[
        str, option("--time", "T", f"Total time. Default: {DEFAULT_TIME} if --moves is not given.")
    ] = ""
    resume: Annotated[bool, flag("--resume", "Continue the run in --out.")] = False
    force: ForceOption = False
    reward: Annotated[
        str,
        option("--reward", "R", "What games pay: points, exponents, or large (for large tiles)."),
    ] = USUAL.reward
    scaffold: Annotated[
        float, option("--scaffold", "P", "Share of the games that start with large tiles placed.")
    ] = USUAL.scaffold
    envs: Annotated[int, count("--envs", "N", "Number of games played at once.")] = USUAL.games
    horizon: Annotated[int, count("--horizon", "N", "Moves of each game between two updates.")] = (
        USUAL.horizon
    )
    minibatch: Annotated[int, count("--minibatch", "N", "Moves of one optimiser step.")] = (
        USUAL.minibatch
    )
    epochs: Annotated[int, count("--epochs", "N", "How often an update uses each move.")] = (
        USUAL.epochs
    )
    learning_rate: Annotated[
        float, option("--learning-rate", "R", "Learning rate of Adam at the start.")
    ] = USUAL.learning_rate
    final_rate: Annotated[
        float,
        option("--final-rate", "P", "Part of the learning rate and of --entropy left at the end."),
    ] = USUAL.final_rate
    gamma: Annotated[float, option("--gamma", "G", "Discount of one move.")] = USUAL.gamma
    lambda_: Annotated[
        float, option("--lambda", "L", "Lambda of the advantage estimates (GAE).")
    ] = USUAL.decay
    clip: Annotated[
        float, option("--clip", "C", "How far the probability ratio of PPO may leave 1.")
    ] = USUAL.clip
    value_weight: Annotated[
        float, option("--value-weight", "W", "Weight of the critic's error in the loss.")
    ] = USUAL.value_weight
    entropy: Annotated[
        float, option("--entropy", "W", "Weight of the policy's entropy at the start.")
    ] = USUAL.entropy
    embedding: Annotated[
        int, count("--embedding", "N", "Numbers that describe a tile, and a cell.")
    ] = USUAL.embedding
    as_they_are: Annotated[
        bool, flag("--as-they-are", "Do not turn boards to one of their symmetric forms.")
    ] = False
    threads: Annotated[
        int,
        count(
            "--threads",
            "N",
            "Threads that learn on the CPU, and that play 4,096 games or more each.",
        ),
    ] = USUAL.threads
    device: Annotated[
        str, option("--device", "D", "cpu, cuda, or auto: the GPU if PyTorch finds one.")
    ] = DEVICE
    seed: Annotated[str, option("--seed", "S", "Seed of games, weights and choices.")] = "1"
    checkpoint: Annotated[str, option("--checkpoint", "T", "Time between two checkpoints.")] = (
        CHECKPOINT
    )
    eval_every: Annotated[
        str, option("--eval-every", "T", "Time between two rounds of test games; 0: none.")
    ] = EVAL_EVERY
    eval_games: Annotated[
        int, count("--eval-games", "N", "Test games, played greedily and with drawn moves.")
    ] = EVAL_GAMES
    rules: RulesOption = ""
    json: JsonOption = False

    def settings(self) -> PolicySettings:
        """The settings of a new run."""
        rules, widths = read_rules(self.rules), self.hidden
        if not re.fullmatch(r"[0-9]{1,5}(?:-[0-9]{1,5})*", widths, re.ASCII):
            raise InvalidInput(
                f"expected the outputs of layers such as 512-256, got {shown(widths)}"
            )
        return PolicySettings(
            rules=rules,
            hidden=tuple(map(int, widths.split("-"))),
            embedding=self.embedding,
            exponents=min(rules.rows * rules.cols + 2, USUAL.exponents),
            symmetric=not self.as_they_are,
            games=self.envs,
            horizon=self.horizon,
            minibatch=self.minibatch,
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            final_rate=self.final_rate,
            gamma=self.gamma,
            decay=self.lambda_,
            clip=self.clip,
            value_weight=self.value_weight,
            entropy=self.entropy,
            reward=self.reward,
            scaffold=self.scaffold,
            seed=parse_seed(self.seed),
            threads=self.threads,
        )


@takes(PolicyOptions)
def command(options: PolicyOptions) -> None:
    """Train a policy network by PPO.

    The network gives each move a probability and values the board. It plays without search, as
    policy:net=FILE, or with one: policy:net=FILE,ply=1. --out holds the network and everything
    --resume needs; Ctrl-C saves it. Training needs the extra 'policy' (PyTorch); playing does not.
    """
    out, resume = options.out, options.resume
    if not out or not Path(file_name(out)).absolute().parent.is_dir():
        raise InvalidInput("expected --out FILE in an existing folder, to keep the network in")
    if Path(out).suffix != SUFFIX:
        raise InvalidInput(f"expected --out with a name that ends in {SUFFIX}, got {shown(out)}")
    if resume:
        check_resumed(options.context, SETTINGS)
    check_files(out, resume=resume, force=options.force)
    moves, time = options.moves, options.time
    limits = read_limits("moves", moves, MAX_TRAINING_MOVES, time, resume=resume)
    interval = read_seconds(options.checkpoint, "--checkpoint")
    every = 0.0 if options.eval_every == "0" else read_seconds(options.eval_every, "--eval-every")
    check_limit("eval-games", options.eval_games, 2, MAX_GAMES)
    settings = None if resume else options.settings()
    with held(out):
        training = _begin(options, settings, limits)
        if resume and not _take_up(training, options.out, limits):
            _show(options, training)
            return
        with catching_interrupt() as asked, live(training) as (show, tell):
            from twofold.learn.policy_games import TrialGames
            from twofold.learn.policy_training import save
            from twofold.learn.run import files_beside, run

            for stale in files_beside(out) if options.force else ():
                stale.unlink(missing_ok=True)
            rules = training.settings.rules
            kept = run(
                training,
                out,
                save=save,
                interval=interval,
                stop=asked,
                on_progress=show,
                measure=TrialGames(rules, games=options.eval_games, stop=asked.is_set)
                if every
                else None,
                measure_every=every,
                on_evaluation=tell,
            )
        options = replace(options, out=str(kept))
        _show(options, training)
        if not training.is_finished:
            print_note(f"twofold: interrupted and saved. Continue with: {goes_on(options)}")
            raise typer.Exit(INTERRUPTED)


def _begin(
    options: PolicyOptions, settings: PolicySettings | None, limits: dict[str, Any]
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
        training = PolicyTraining(settings, **limits, device=options.device)
    print_note(f"twofold: {settings.describe()}; on {training.learner.device.type}")
    return training


def _take_up(training: "PolicyTraining", out: str, limits: dict[str, Any]) -> bool:
    """Set new limits on a run and say how far it is; False if they leave nothing to do."""
    kept: dict[str, Any] = {"moves": training.move_limit, "seconds": training.second_limit}
    is_new = limits not in ({"moves": None, "seconds": None}, kept)
    if is_new:
        training.limit(**limits)
    is_over = training.is_finished
    how_far = f"{duration_words(round(training.seconds))} and {counted(training.moves, 'move')}"
    if is_over:
        is_at = "is past that, at" if is_new else "has ended after"
        more = "name a larger --time or --moves to continue"
        print_note(f"twofold: {out} {is_at} {how_far}; {more}")
    else:
        print_note(f"twofold: continuing {out} after {how_far}")
    if is_new and is_over:
        training.limit(**kept)
    return not (is_new and is_over)


def _show(options: PolicyOptions, training: "PolicyTraining") -> None:
    if options.json:
        write_json("train-policy", _document(training, options.out), run_timing(training))
    else:
        curve = training.curve
        games, last = counted(curve.games, "game"), counted(len(curve.recent), "training game")
        recent = f"last {last}: mean {curve.mean:,.2f}" if curve.recent else ""
        print_run(training, options.out, games=games, recent=recent, trials="test games")


def goes_on(options: PolicyOptions) -> str:
    """The command that goes on with a run, with the options that its file does not hold."""
    words = ["--device", options.device] if options.device != DEVICE else []
    words += ["--checkpoint", options.checkpoint] if options.checkpoint != CHECKPOINT else []
    words += ["--eval-every", options.eval_every] if options.eval_every != EVAL_EVERY else []
    words += ["--eval-games", str(options.eval_games)] if options.eval_games != EVAL_GAMES else []
    return shell_line("twofold", "train-policy", "--out", options.out, "--resume", *words)


def _document(training: "PolicyTraining", out: str) -> dict[str, Any]:
    """What --json says of a run."""
    from twofold.learn.policy_training import evaluations_document

    return {
        "file": out,
        "settings": training.settings.document(),
        "parameters": training.network.parameters,
        "games": training.curve.games,
        "moves": training.moves,
        "finished": training.is_finished,
        "mean": training.curve.mean,
        "evaluations": evaluations_document(training),
        "curve": [{"games": point.games, "mean": point.mean} for point in training.curve.points],
    }
