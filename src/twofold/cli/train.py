"""`twofold train`: a network learns from the games it plays."""

from twofold.cli._options import read_seconds, takes
from twofold.cli._output import loading, print_note
from twofold.cli._train_options import (
    SETTINGS,
    TrainOptions,
    check_beside,
    check_files,
    check_out,
    check_resumed,
    check_there,
    held,
    read_limits,
    read_trials,
)
from twofold.errors import InvalidInput
from twofold.limits import MAX_TRAINING_GAMES

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
    one, out, resume = options, options.out, options.resume
    limits = read_limits("games", one.games, MAX_TRAINING_GAMES, one.time, resume=resume)
    interval = read_seconds(one.checkpoint, "--checkpoint")
    trials = read_trials(one.eval_every, one.eval_games, one.eval_boards or [], one.eval_downgrade)
    check_out(out, resume=resume)
    if not (one.network or resume):
        raise InvalidInput("expected a NETWORK such as 4x6, or --resume, got neither")
    check_beside(one.context, {"eval_games": "eval_every", "eval_downgrade": "eval_every"})
    if not resume:
        check_beside(one.context, {"band_share": "bands"})
    if resume:
        check_resumed(one.context, SETTINGS if one.runs else (*SETTINGS, "start"))
    with held(out):
        if one.runs is None:
            check_files(out, resume=resume, force=one.force, inputs=one.inputs())
            check_there(out, resume=resume)
        settings = None if resume else one.settings()
        with loading():  # of kernels: the command's help has no need of them
            from twofold.cli._train_runs import Trainer, say_size, train_one, train_runs
        trainer = Trainer(one, limits, interval, trials)
        if settings is not None:
            say_size(settings)
            if one.tables == "auto" and settings.tables == "none":
                print_note(
                    "twofold: no endgame tables for these rules are built here: the run has none"
                )
        (train_one if one.runs is None else train_runs)(trainer, settings)
