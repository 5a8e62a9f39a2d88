"""`twofold train`: a network learns from the games it plays."""

import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twofold.cli._common import (
    INTERRUPTED,
    JsonOption,
    RulesOption,
    catching_interrupt,
    cores,
    counted,
    loading,
    print_note,
    print_out,
    print_words,
    read_count,
    read_rules,
    read_seconds,
    shell_line,
    write_json,
)
from twofold.cli._train_options import (
    DEFAULT_TIME,
    SETTINGS,
    check_new,
    check_out,
    check_resumed,
    held,
    read_limits,
    read_settings,
    read_sums,
)
from twofold.cli._training import EVAL_DOWNGRADE, EVAL_GAMES, Trials, live, read_trials

if TYPE_CHECKING:
    from twofold.learn.settings import Settings
    from twofold.learn.training import Training

EXAMPLE = """  twofold train 4x6 --out net.safetensors --time 30m
  twofold train --out net.safetensors --resume --time 1h
  twofold train '0123 4567' --out small.safetensors --games 10000 --threads 1
  twofold train 4x6 --out otd.safetensors --schedule td:0.1@90%,tc:1@10%
  twofold train 8x6 --out on.safetensors --start default --schedule tc:0.1 \\
    --bands 10000,12000,14000,16000,20000"""

_CHECKPOINT = "10m"


def command(
    context: typer.Context,
    network: Annotated[
        str, typer.Argument(metavar="NETWORK", help="4x6, 8x6, ... or patterns.")
    ] = "",
    out: Annotated[
        str,
        typer.Option("--out", metavar="FILE", help="The network and its run.", show_default=False),
    ] = "",
    games: Annotated[
        int | None, typer.Option("--games", parser=read_count, metavar="N", help="Games, in all.")
    ] = None,
    time: Annotated[
        str, typer.Option("--time", metavar="T", help=f"Time, in all; else {DEFAULT_TIME}.")
    ] = "",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    start: Annotated[
        list[str] | None,
        typer.Option(
            "--start",
            metavar="NET",
            help="Begin with the weights of a network; of several with their mean.",
        ),
    ] = None,
    schedule: Annotated[
        str, typer.Option("--schedule", metavar="S", help="tc, td:0.1, or td:0.1@90%,tc:1@10%.")
    ] = "tc",
    optimism: Annotated[
        float, typer.Option("--optimism", metavar="V", help="Value of every board at first.")
    ] = 0.0,
    initial_weight: Annotated[
        float,
        typer.Option(
            "--initial-weight", metavar="V", help="Value of every weight at first, instead."
        ),
    ] = 0.0,
    trace: Annotated[
        float, typer.Option("--lambda", metavar="L", help="TD(lambda): 0 one step, 1 n steps.")
    ] = 0.0,
    steps: Annotated[
        int | None,
        typer.Option(
            "--steps", parser=read_count, metavar="N", help="Steps to a target; else by lambda."
        ),
    ] = None,
    order: Annotated[
        str, typer.Option("--order", metavar="O", help="forward, or backward after each game.")
    ] = "forward",
    stages: Annotated[
        str, typer.Option("--stages", metavar="SUMS", help="Where stages split: 16384,32768.")
    ] = "",
    carousel: Annotated[
        bool, typer.Option("--carousel", help="Begin games at each stage in turn.")
    ] = False,
    restart: Annotated[
        str,
        typer.Option(
            "--restart",
            metavar="N",
            help="Take up again games of N moves: 10 in the middle, 10@0.3 earlier; 0 none.",
        ),
    ] = "0",
    bands: Annotated[
        str,
        typer.Option(
            "--bands",
            metavar="SUMS",
            help="Begin games also from kept boards of these tile sums: 14000,16000.",
        ),
    ] = "",
    band_share: Annotated[
        float,
        typer.Option("--band-share", metavar="P", help="Share of games that begin from --bands."),
    ] = 0.5,
    tables: Annotated[
        str,
        typer.Option(
            "--tables",
            metavar="T",
            help="Endgame tables that make the moves they know: 442-512+442-256, auto.",
        ),
    ] = "none",
    downgrade: Annotated[
        int,
        typer.Option(
            "--downgrade",
            parser=read_count,
            metavar="SUM",
            help="Every other game plays downgraded from SUM; 0 none.",
        ),
    ] = 0,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads", parser=read_count, metavar="N", help="Threads; else as many as cores."
        ),
    ] = None,
    seed: Annotated[str, typer.Option("--seed", metavar="S", help="Seed of the games.")] = "1",
    runs: Annotated[
        int | None,
        typer.Option(
            "--runs",
            parser=read_count,
            metavar="N",
            help="N runs, with the seeds from --seed on: mean curve and interval.",
        ),
    ] = None,
    checkpoint: Annotated[
        str, typer.Option("--checkpoint", metavar="T", help="Time between checkpoints.")
    ] = _CHECKPOINT,
    eval_every: Annotated[
        str,
        typer.Option(
            "--eval-every",
            metavar="T",
            help="Let the network play every so often: 10m, or 10000g for games.",
        ),
    ] = "",
    eval_games: Annotated[
        int,
        typer.Option(
            "--eval-games", parser=read_count, metavar="N", help="Whole games then, from seed 1."
        ),
    ] = EVAL_GAMES,
    eval_boards: Annotated[
        list[str] | None,
        typer.Option("--eval-boards", metavar="FILE", help="And one from each board of a file."),
    ] = None,
    eval_downgrade: Annotated[
        int,
        typer.Option(
            "--eval-downgrade", parser=read_count, metavar="SUM", help="Downgraded then; 0 never."
        ),
    ] = EVAL_DOWNGRADE,
    rules: RulesOption = "",
    json: JsonOption = False,
) -> None:
    """Train an n-tuple network by temporal-difference learning.

    The file holds the network and all that --resume needs; Ctrl-C saves it. With one thread
    what is learnt depends on the seed alone; more threads share the weights without locks.

    Progress shows the mean score of the last thousand games and, in per cent, how many of them
    reached a tile; the line of an evaluation shows the mean score of its games and how many of
    those from the boards of a file came to the next large tile.
    """
    from twofold.errors import InvalidInput

    limits = read_limits(games, time, resume=resume)
    interval = read_seconds(checkpoint, "checkpoint")
    trials = read_trials(eval_every, eval_games, eval_boards or [], eval_downgrade)
    check_out(out)
    if not (network or resume):
        raise InvalidInput("expected a NETWORK such as 4x6, or --resume, got neither")
    if resume:
        check_resumed(context, SETTINGS if runs else (*SETTINGS, "start"))
    with held(out):
        if runs is None:
            check_new(out, resume=resume)
        settings = None
        if not resume:
            settings = read_settings(
                network or "",
                rules=read_rules(rules),
                stages=read_sums(stages, "stages such as 16384,32768"),
                schedule=schedule,
                optimism=optimism,
                trace=trace,
                steps=steps,
                order=order,
                carousel=carousel,
                restart=restart,
                initial_weight=initial_weight,
                bands=read_sums(bands, "bands such as 14000,16000"),
                band_share=band_share,
                tables=tables,
                downgrade=downgrade,
                seed=seed,
                threads=cores() if threads is None else threads,
            )
        starts = start or []
        begin = partial(_begin, network=network, limits=limits, threads=threads, start=starts)
        go = partial(_go, trials=trials, interval=interval)
        if settings is not None:
            _say_size(settings)
            if tables == "auto" and settings.tables == "none":
                print_note(
                    "twofold: no endgame tables for these rules are built here: the run has none"
                )
        if runs is not None:
            from twofold.cli._train_runs import train_runs

            train_runs(
                out,
                runs,
                settings,
                begin=begin,
                go=go,
                limits=limits,
                start=starts,
                threads=threads,
                again=_not_kept(checkpoint, trials),
                json=json,
            )
            return
        training = begin(out, settings)
        if resume:
            print_note(f"twofold: {_how_far(training, out)}")
            if training.evaluations and trials is None:
                print_note(
                    "twofold: this run was evaluated before; for more, name --eval-every T and "
                    "the other --eval options again"
                )
        with catching_interrupt() as asked:
            out = go(training, out, asked)
    if json:
        write_json("train", run_document(training, out), _timing(training))
    else:
        _print_run(training, out)
    if not training.is_finished:
        again = _goes_on(out, checkpoint, trials)
        print_note(f"twofold: interrupted; saved; {again} goes on")
        raise typer.Exit(INTERRUPTED)


def _begin(
    path: str,
    settings: "Settings | None",
    *,
    network: str,
    limits: dict[str, Any],
    threads: int | None,
    start: list[str],
) -> "Training":
    """A new run with these settings; without settings the one in the file."""
    with loading():
        import twofold.learn.run  # noqa: F401 - kernels are compiled

        if settings is None:
            return _resumed(path, network, limits, threads)
        return _new(settings, limits, start)


def _go(
    training: "Training",
    path: str,
    asked: threading.Event,
    *,
    trials: Trials | None,
    interval: float,
) -> str:
    """Go on with a run until it ends or is interrupted; the path of its file."""
    from twofold.learn.run import run

    with live(training) as (show, tell):
        kept = run(
            training,
            path,
            interval=interval,
            stop=asked,
            on_progress=show,
            on_move=_say_moved,
            measure=None if trials is None else trials.games(training, asked.is_set),
            measure_every=0.0 if trials is None else trials.every,
            measure_games=None if trials is None else trials.every_games,
            on_evaluation=tell,
        )
    return str(kept) if kept != Path(path) else path


# ---- options


def _not_kept(checkpoint: str, trials: Trials | None) -> list[str]:
    """The options that the file of a run does not hold."""
    words = ["--checkpoint", checkpoint] if checkpoint != _CHECKPOINT else []
    return [*words, *(trials.options if trials is not None else [])]


def _goes_on(out: str, checkpoint: str, trials: Trials | None) -> str:
    """The command that goes on with a run."""
    return shell_line("twofold", "train", "--out", out, "--resume", *_not_kept(checkpoint, trials))


def _say_moved(path: Path) -> None:
    print_note(f"twofold: another program has changed the file; the run is now saved in {path}")


def _new(settings: "Settings", limits: dict[str, Any], start: list[str]) -> "Training":
    from twofold.learn.start import start_from
    from twofold.learn.training import Training

    training = Training(settings, **limits)
    if not start:
        return training
    if words := str(start_from(training, *start)):
        print_note(f"twofold: {words}")
    return training


def _resumed(out: str, network: str, limits: dict[str, Any], threads: int | None) -> "Training":
    from twofold.errors import InvalidInput
    from twofold.learn.checkpoint import load

    training = load(out, threads=threads, **limits)
    if network and network != training.settings.patterns:
        raise InvalidInput(f"expected {training.settings.patterns}, as in {out}, got {network}")
    return training


def _how_far(training: "Training", out: str) -> str:
    """How far a run has come that is to go on, and whether anything is left of it."""
    from twofold.cli._bench import time_left

    begun, took = counted(int(training.games_begun[0]), "game"), time_left(round(training.seconds))
    if training.second_limit is not None and training.seconds >= training.second_limit:
        return (
            f"{out} has trained for {took}, and --time is the time in all "
            f"({time_left(training.second_limit)}): nothing is left to do; "
            "name a longer time to go on"
        )
    if training.game_limit is not None and training.games_begun[0] >= training.game_limit:
        return (
            f"{out} has begun {begun}, and --games is their number in all "
            f"({training.game_limit:,}): none is left to begin; name more games to go on"
        )
    return f"{out} goes on after {took} and {begun}"


def _say_size(settings: "Settings") -> None:
    from twofold.figures import bytes_words
    from twofold.learn.training import training_bytes

    size = bytes_words(training_bytes(settings))
    print_note(f"twofold: training {settings.patterns} takes {size} of memory")


# ---- what is shown


def _print_run(training: "Training", out: str) -> None:
    from twofold.learn.checkpoint import curve_path

    curve = training.curve
    print_words(f"{training.network.describe()}: {training.settings.describe()}")
    print_words(
        f"{counted(curve.games, 'game')}, {counted(training.moves, 'move')}, "
        f"{training.seconds:,.0f} s, {training.moves / max(training.seconds, 1e-9):,.0f} moves/s"
    )
    if curve.recent:
        rates = "  ".join(f"{tile} {rate:.1%}" for tile, rate in curve.reached.items() if rate)
        mean = f"last {counted(len(curve.recent), 'game')}: mean {curve.mean:,.0f}"
        print_words(f"{mean}  {rates}".rstrip())
    if training.evaluations:
        last = training.evaluations[-1]
        ended = last.moves == training.moves
        when = "at the end" if ended else f"after {counted(last.moves, 'move')}"
        print_words(f"network {when}: {last.measured}")
    print_out(f"{out}; learning curve in {curve_path(out)}")


def run_document(training: "Training", out: str) -> dict[str, Any]:
    """What --json says of a run."""
    from twofold.learn.checkpoint import evaluations_document, settings_document

    return {
        "file": out,
        "settings": settings_document(training),
        "bytes": training.network.bytes,
        "games": training.curve.games,
        "moves": training.moves,
        "finished": training.is_finished,
        "mean": training.curve.mean,
        "reached": {str(tile): rate for tile, rate in training.curve.reached.items()},
        "evaluations": evaluations_document(training),
        "curve": [{"games": point.games, "mean": point.mean} for point in training.curve.points],
    }


def _timing(training: "Training") -> dict[str, Any]:
    speed = training.moves / max(training.seconds, 1e-9)
    return {"seconds": training.seconds, "moves_per_second": speed}
