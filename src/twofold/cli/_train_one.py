"""A run of `twofold train`: its beginning or what it goes on with, its end, its summary."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from twofold.arena.evaluation import EvaluationGames
from twofold.cli._bench import read_starts
from twofold.cli._options import read_rules
from twofold.cli._output import print_note, write_json
from twofold.cli._progress import duration_words, loading
from twofold.cli._signals import catching_interrupt
from twofold.cli._train_options import TrainOptions, Trials, goes_on
from twofold.cli._train_view import live, print_run, run_timing
from twofold.errors import INTERRUPTED, InvalidInput
from twofold.figures import bytes_words, counted
from twofold.learn.checkpoint import evaluations_document, load, settings_document
from twofold.learn.run import files_beside, run
from twofold.learn.settings import TrainingSettings
from twofold.learn.start import start_from
from twofold.learn.training import Training, training_bytes
from twofold.limits import cores
from twofold.networks.patterns import format_patterns, parse_patterns


@dataclass(frozen=True, slots=True)
class Trainer:
    """Begins runs and goes on with them.

    Attributes:
        options: those of the command.
        limits: games and seconds of each run; both None for those that a run began with.
        interval: seconds between checkpoints.
        trials: the evaluations that options ask for.
    """

    options: TrainOptions
    limits: dict[str, Any]
    interval: float
    trials: Trials | None

    @property
    def start(self) -> list[str]:
        """Networks whose weights new runs begin with."""
        return self.options.start or []

    def begin(self, path: str, settings: TrainingSettings | None) -> Training:
        """A new run with these settings; without settings the one in the file."""
        with loading():
            return self._resumed(path) if settings is None else self._new(settings)

    def _new(self, settings: TrainingSettings) -> Training:
        training = Training(settings, **self.limits)
        if self.start and (words := str(start_from(training, *self.start))):
            print_note(f"twofold: {words}")
        return training

    def _resumed(self, out: str) -> Training:
        one = self.options
        training = load(out, threads=one.threads, **one.code())
        kept = training.settings
        if one.network and format_patterns(parse_patterns(one.network)) != kept.patterns:
            raise InvalidInput(f"expected {kept.patterns}, as in {out}, got {one.network}")
        if one.rules and read_rules(one.rules) != kept.rules:
            raise InvalidInput(f"expected --rules '{kept.rules}', as in {out}, got '{one.rules}'")
        threads = kept.threads
        if one.threads is None and threads > cores():  # a file alone may not ask for that
            raise InvalidInput(
                f"expected --threads to continue {out}: it used {threads}, more than the {cores()} "
                "cores of this machine"
            )
        if self._limits_anew(training) and not self.refusal(training, out):
            if phase := _phase_reached(training):
                print_note(f"twofold: {out} goes on with {phase}")
            training.limit(**self.limits)
        return training

    def _limits_anew(self, training: Training) -> bool:
        asked = (self.limits["games"], self.limits["seconds"])
        return asked not in ((None, None), (training.game_limit, training.second_limit))

    def refusal(self, training: Training, path: str) -> str:
        """Why a run does not get the limits that options ask for; empty if it has them."""
        return _over(training, path, **self.limits) if self._limits_anew(training) else ""

    def go(self, training: Training, path: str, asked: threading.Event) -> str:
        """Go on with a run until it ends or is interrupted; the path of its file."""
        trials = self.trials
        for stale in files_beside(path) if self.options.force else ():
            stale.unlink(missing_ok=True)
        with live(training) as (show, tell):
            kept = run(
                training,
                path,
                interval=self.interval,
                stop=asked,
                on_progress=show,
                on_move=_say_moved,
                measure=None if trials is None else _games_of(trials, training, asked.is_set),
                measure_every=0.0 if trials is None else trials.every,
                measure_games=None if trials is None else trials.every_games,
                on_evaluation=tell,
            )
        return str(kept) if kept != Path(path) else path


def _games_of(trials: Trials, training: Training, stop: Callable[[], bool]) -> EvaluationGames:
    rules = training.settings.rules
    sets = [read_starts(path, rules) for path in trials.boards]
    return EvaluationGames(
        rules,
        games=trials.count,
        boards=[one for one in sets if one],
        downgrade=trials.downgrade,
        tables=training.tables,
        stop=stop,
    )


def _say_moved(path: Path) -> None:
    print_note(f"twofold: another program has changed the file; the run is now saved in {path}")


def say_size(settings: TrainingSettings) -> None:
    """Say how much memory a run takes."""
    size = bytes_words(training_bytes(settings))
    print_note(f"twofold: training {settings.patterns} takes {size} of memory")


def train_one(trainer: Trainer, settings: TrainingSettings | None) -> None:
    """Train a new run with these settings; without settings go on with the one in the file."""
    options, out = trainer.options, trainer.options.out
    training = trainer.begin(out, settings)
    refusal = ""
    if settings is None:
        refusal = trainer.refusal(training, out)
        print_note(f"twofold: {refusal or _how_far(training, out)}")
        if training.evaluations and trainer.trials is None:
            print_note(
                "twofold: the evaluations of this run end here; --eval-every T and the other "
                "--eval options go on with them"
            )
    if not refusal:
        with catching_interrupt() as asked:
            out = trainer.go(training, out, asked)
    if options.json:
        write_json("train", run_document(training, out), run_timing(training))
    else:
        games, recent = games_words(training), _recent_words(training)
        print_run(training, out, games=games, recent=recent, trials="network")
    if not (refusal or training.is_finished):
        again = goes_on(replace(options, out=out), trainer.trials)
        print_note(f"twofold: interrupted and saved. Continue with: {again}")
        raise typer.Exit(INTERRUPTED)


def _how_far(training: Training, out: str) -> str:
    """The progress of a run that continues, or why it does not."""
    if training.is_finished:
        return _over(training, out, training.game_limit, training.second_limit)
    seconds = duration_words(round(training.seconds))
    return f"continuing {out} after {seconds} and {games_words(training)}"


def _over(training: Training, out: str, games: int | None, seconds: float | None) -> str:
    """Why limits leave a run nothing to begin; empty if they leave something."""
    if seconds is not None and training.seconds >= seconds:
        return (
            f"{out} has trained for {duration_words(round(training.seconds))}, and --time is the "
            f"time in all ({duration_words(seconds)}): nothing is left to do; "
            "name a longer time to continue"
        )
    if games is not None and training.begun >= games:
        return (
            f"{out} has begun {counted(training.begun, 'game')}, and --games is their number "
            f"in all ({games:,}): none is left to begin; name more games to continue"
        )
    return ""


def _phase_reached(training: Training) -> str:
    """The phase that a run with a new limit goes on with; empty if that is the first one."""
    phases = training.settings.schedule
    place = min(training.phase, len(phases) - 1)
    if place == 0:
        return ""
    return (
        f"phase {place + 1} of {len(phases)}, {replace(phases[place], share=1.0)}: those before "
        "are over, so the result is not that of a new run of this length"
    )


def _recent_words(training: Training) -> str:
    curve = training.curve
    if not curve.recent:
        return ""
    rates = "  ".join(f"{tile} {rate:.1%}" for tile, rate in curve.reached.items() if rate)
    mean = f"last {counted(len(curve.recent), 'game')}: mean {curve.mean:,.0f}"
    return f"{mean}  {rates}".rstrip()


def games_words(training: Training) -> str:
    """How many games a run has had."""
    games = counted(training.curve.games, "game")
    if not training.settings.begins_elsewhere:
        return games
    return f"{games} from the start, {training.begun:,} begun in all"


def run_document(training: Training, out: str) -> dict[str, Any]:
    """A run as JSON."""
    return {
        "file": out,
        "settings": settings_document(training),
        "bytes": training.network.bytes,
        "games": training.curve.games,
        "games_begun": training.begun,
        "moves": training.moves,
        "finished": training.is_finished,
        "mean": training.curve.mean,
        "reached": {str(tile): rate for tile, rate in training.curve.reached.items()},
        "evaluations": evaluations_document(training),
        "curve": [{"games": point.games, "mean": point.mean} for point in training.curve.points],
    }
