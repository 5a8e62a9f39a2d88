"""`twofold tune`: better weights for a player's evaluator."""

import contextlib
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import typer

from twofold.arena.tune import (
    Trial,
    Tuning,
    TuningCheck,
    TuningProgress,
    TuningSettings,
    Verdict,
    read_tuning,
    require_tune,
    tune,
)
from twofold.cli import _options, _output, same_command
from twofold.cli._documents import Estimate, JobsTiming, Part
from twofold.cli._games import far_backend
from twofold.figures import counted, duration_words, format_table
from twofold.game.notation import format_number, parse_seed
from twofold.limits import MAX_CHECK_GAMES, MAX_GAMES, MAX_SPREAD, MAX_TRIALS, MIN_SPREAD, cores
from twofold.players import PlayerSpec
from twofold.storage.files import new_file, remove_file

EXAMPLE = """  twofold tune expectimax:ply=1 --games 100 --trials 200 --out tune.db
  twofold tune expectimax:eval=snake --spread 2 --out snake.db --json
  twofold tune expectimax:ply=2 --games 200 --ray auto --out tune.db"""


GOES_ON = "--out"


def command(
    context: typer.Context,
    player: Annotated[str, _options.argument("PLAYER", "Player to tune.")],
    out: Annotated[str, _options.option("FILE", "File for the trials.", show_default=False)],
    force: _options.ForceOption = False,
    games: Annotated[int, _options.option("N", "Games per trial.", min=1, max=MAX_GAMES)] = 100,
    trials: Annotated[
        int, _options.option("T", "Number of trials in all.", min=1, max=MAX_TRIALS)
    ] = 100,
    jobs: _options.JobsOption = None,
    ray: _options.RayOption = None,
    seed: _options.FirstSeedOption = "1",
    weights: Annotated[
        str, _options.option("NAMES", "Weights to tune: a,b,c. Default: all of the evaluator.")
    ] = "",
    spread: Annotated[
        float,
        _options.option(
            "F", "Each weight varies from start / F to start x F.", min=MIN_SPREAD, max=MAX_SPREAD
        ),
    ] = 4.0,
    objective: Annotated[
        str,
        _options.option(
            "NAME", "What to maximise: score, log-score or a tile.", follows="score log-score 2048"
        ),
    ] = "score",
    check_games: Annotated[
        int,
        _options.option(
            "N",
            "New games that compare the best weights with the start.",
            min=2,
            max=MAX_CHECK_GAMES,
        ),
    ] = 500,
    rules: _options.RulesOption = "",
    json: _options.JsonOption = False,
) -> None:
    """Find better weights for a player; check them on fresh games.

    A trial is a set of weights that plays N games; all trials play the same seeds. Run
    the same command again to continue after an interruption, or to add trials. The best weights
    then play new games against the start weights, and the last line is the tuned player.
    """
    used_jobs = jobs or cores()
    require_tune()
    with _output.loading():
        spec = PlayerSpec.parse(player)
        settings = TuningSettings.make(
            spec,
            games=games,
            seed=parse_seed(seed),
            rules=_options.read_rules(rules),
            weights=[name for name in weights.split(",") if name],
            spread=spread,
            objective=objective,
        )
    _options.prepare([spec], settings.rules, settings.seeds.first)
    check = partial(read_tuning, settings=settings)
    if new_file(out, inputs=spec.files, force=force, continued=check):
        remove_file(out)
    place = Path(out)

    def moved(path: Path) -> None:
        nonlocal place
        place = path
        _output.print_note(
            f"twofold: another program has changed the file; the trials are now in {path}"
        )

    began = time.perf_counter()
    with (
        _output.catching_interrupt() as asked,
        _output.live(_progress_line(settings), lambda now: now.finished / now.trials) as show,
        contextlib.redirect_stdout(sys.stderr),  # what a player prints is no result
        far_backend(ray, jobs) as far,
    ):
        used_jobs = far.jobs if far else used_jobs
        found = tune(
            settings,
            out,
            trials=trials,
            jobs=used_jobs,
            check_games=check_games,
            backend=far,
            on_progress=show,
            on_move=moved,
            stop=asked.is_set,
        )
    seconds = time.perf_counter() - began
    if json:
        _output.write_json("tune", TuneDocument.of(found), JobsTiming(seconds, used_jobs))
    else:
        _print_tuning(found, seconds, used_jobs)
    if found.interrupted:
        done = f"{len(found.trials):,} of {counted(trials, 'trial')} finished"
        moved_to = [] if place == Path(out) else ["--out", str(place)]
        _output.end_interrupted(f"; {done}", same_command(context, *moved_to))


def _progress_line(settings: TuningSettings) -> Callable[[TuningProgress], str]:
    """Puts progress into a line of text: of the trials, then of the check."""
    began = time.monotonic()

    def line(now: TuningProgress) -> str:
        if now.to_check:
            games = counted(now.to_check, "fresh game")
            return f"checking the best weights: {now.checked:,} of {games}"
        speed = now.played / max(time.monotonic() - began, 1e-9)
        best = "-" if now.best is None else settings.objective.shown(now.best)
        missing = (now.trials - now.finished) * settings.seeds.count
        left = f", {duration_words(missing / speed)} left" if speed else ""
        return (
            f"{now.finished:,} of {counted(now.trials, 'trial')} of "
            f"{counted(settings.seeds.count, 'game')}, best {best}, {speed:,.3g} games/s{left}"
        )

    return line


def _print_tuning(found: Tuning, seconds: float, jobs: int) -> None:
    settings, best, start = found.settings, found.best, found.start
    if best is None:
        return

    aim = settings.objective
    rows = [
        [one.name]
        + [
            format_number(float(f"{value:.4g}"))
            for value in (one.start, best.weights[one.name], one.low, one.high)
        ]
        for one in settings.weights
    ]
    first = "-" if start is None else aim.shown(start.value)
    rows.append([aim.name, first, aim.shown(best.value), "", ""])
    _output.print_out(format_table(["", "start", "best", "from", "to"], rows))
    games = counted(settings.seeds.count, "game")
    _output.print_words(
        f"\nbest of {counted(len(found.trials), 'trial')} of {games}, "
        f"seeds from {settings.seeds.first}, rules {settings.rules}\n"
        f"{counted(jobs, 'job')}, {seconds:.1f} s in this run"
    )
    if found.verdict is None:
        return
    if found.check is None:
        _output.print_out("\nno weights were better than the start\n")
    else:
        _output.print_words("\n" + _check_text(found.check, settings) + "\n")
    _output.print_out(best.spec)


def _check_text(check: TuningCheck, settings: TuningSettings) -> str:
    shown = settings.objective.shown
    low, high = check.difference.low, check.difference.high
    ends = f"{shown(low or 0.0, '+')} to {shown(high or 0.0, '+')}"
    words = {
        "better": "the best weights are better than the start",
        "worse": "the best weights are worse than the start: keep the start",
    }
    return (
        f"check on {counted(check.games, 'fresh game')} each, seeds from {check.seed}: "
        f"{settings.objective.name}\n"
        f"start {shown(check.start.value)}, best {shown(check.best.value)}, "
        f"difference {shown(check.difference.value, '+')}, 95 % interval {ends}\n"
        + words.get(check.verdict, "best and start cannot be told apart by these games")
    )


# ---- the document


class WeightDocument(Part, frozen=True):
    """A weight that is tuned.

    Attributes:
        start: value of the player's own spec.
        low: smallest value that is tried.
        high: largest value that is tried.
        scale: how values are chosen between them.
    """

    start: float
    low: float
    high: float
    scale: Literal["log", "linear"]


class TuningCheckDocument(Part, frozen=True):
    """The best weights against those of the start, on fresh games.

    Attributes:
        games: number of games of each.
        seed: seed of the first game.
        start: the objective with the weights of the start.
        best: the objective with the best weights.
        difference: best minus start.
    """

    games: int
    seed: str
    start: Estimate
    best: Estimate
    difference: Estimate


class TuneDocument(Part, frozen=True):
    """A tuning.

    Attributes:
        player: the player, as it was named.
        spec: the same with all defaults and file hashes.
        rules: rules of the game.
        games: number of games of a trial.
        seed: seed of the first game of each trial.
        objective: what is maximised: `score`, `log-score` or a tile.
        spread: each weight varies from start / spread to start x spread.
        weights: the weights that are tuned.
        interrupted: true if Ctrl-C ended it.
        trials: the finished trials.
        start: the trial with the weights of the start; null before it has finished.
        best: the best trial; null before the first has finished.
        check: the check of the best weights; null before its end, and if no trial beat the start.
        verdict: the result of the check, or `the same` if no trial beat the start; null before its
            end.
    """

    player: str
    spec: str
    rules: str
    games: int
    seed: str
    objective: str
    spread: float
    weights: dict[str, WeightDocument]
    interrupted: bool
    trials: tuple[Trial, ...]
    start: Trial | None
    best: Trial | None
    check: TuningCheckDocument | None
    verdict: Verdict | None

    @classmethod
    def of(cls, source: Tuning, **given: Any) -> Self:
        """The document of a tuning."""
        settings = source.settings
        given |= {"player": settings.entrant.player.text, "spec": settings.entrant.spec}
        given |= {"games": settings.seeds.count, "seed": settings.seeds.first}
        given |= {"rules": settings.rules, "spread": settings.spread}
        given |= {"objective": settings.objective.text}
        given["weights"] = {one.name: one for one in settings.weights}
        return super().of(source, **given)
