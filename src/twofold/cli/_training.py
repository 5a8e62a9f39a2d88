"""The live view of a training run, and the options of its evaluations."""

import contextlib
import math
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from twofold.cli._common import can_redraw, counted, print_note, read_count, read_seconds
from twofold.figures import clock

if TYPE_CHECKING:
    from twofold.arena.evaluation import EvaluationGames
    from twofold.learn.evaluation import Evaluation
    from twofold.learn.training import Progress, Training

    Shown = tuple[Callable[[Progress], None], Callable[[Evaluation], None]]

CURVE_HEIGHT: Final = 8

EVAL_GAMES: Final = 300
"""Whole games of an evaluation where no number is given."""

EVAL_DOWNGRADE: Final = 24_576
"""The sum from which on the games of evaluations are downgraded, where none is given."""

_BARS: Final = " ▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class Trials:
    """The options of evaluations.

    Attributes:
        every: seconds of training between two.
        every_games: training games between two, in place of seconds; None for seconds.
        count: whole games of each.
        boards: files of boards that games begin on.
        downgrade: see `twofold.arena.evaluation`.
        options: the same as the command line has them, without those that are usual.
    """

    every: float
    every_games: int | None
    count: int
    boards: list[str]
    downgrade: int
    options: list[str]

    def games(self, training: "Training", stop: Callable[[], bool]) -> "EvaluationGames":
        """The games of each evaluation of a run."""
        from twofold.arena.evaluation import EvaluationGames
        from twofold.cli._boards import read_starts

        rules = training.settings.rules
        sets = [read_starts(path, rules) for path in self.boards]
        return EvaluationGames(
            rules,
            games=self.count,
            boards=[one for one in sets if one],
            downgrade=self.downgrade,
            tables=training.tables,
            stop=stop,
        )


def read_trials(every: str, count: int, boards: list[str], downgrade: int) -> Trials | None:
    """The evaluations that options ask for; None for none.

    Raises:
        InvalidInput: they cannot be read, or boards are named, but no time.
    """
    from twofold.errors import InvalidInput

    if every:
        options = ["--eval-every", every]
        options += ["--eval-games", str(count)] if count != EVAL_GAMES else []
        options += [word for path in boards for word in ("--eval-boards", path)]
        options += ["--eval-downgrade", str(downgrade)] if downgrade != EVAL_DOWNGRADE else []
        games = _read_games(every)
        seconds = math.inf if games else read_seconds(every, "eval-every such as 10000g, or")
        return Trials(seconds, games, count, boards, downgrade, options)
    if boards:
        raise InvalidInput("expected --eval-every T beside --eval-boards, such as 10m")
    return None


def _read_games(text: str) -> int | None:
    """The games of a text such as `10000g` or `1e4 games`; None for another text."""
    from twofold.limits import MAX_TRAINING_GAMES, check_limit

    found = re.fullmatch(r"([0-9]{1,15}(?:[eE][0-9]{1,2})?) ?(?:g|games?)", text.strip(), re.ASCII)
    if not found:
        return None
    games = read_count(found[1])
    check_limit("games between evaluations", games, 1, MAX_TRAINING_GAMES)
    return games


# ---- what is shown


@contextlib.contextmanager
def live(training: "Training") -> "Iterator[Shown]":
    """Progress and evaluations on stderr: a live view in a terminal, else lines."""
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    if not can_redraw(console.is_terminal):
        yield _each_minute(), _say_evaluation
        return
    with Live(console=console, transient=True, auto_refresh=False) as shown:

        def show(now: "Progress") -> None:
            shown.update(view(training, now, console.width), refresh=True)

        yield show, lambda _: None  # the view has it


def _each_minute() -> "Callable[[Progress], None]":
    said = [time.monotonic()]

    def say(now: "Progress") -> None:
        if time.monotonic() - said[0] >= 60:
            said[0] = time.monotonic()
            print_note(progress_line(now))

    return say


def _say_evaluation(one: "Evaluation") -> None:
    print_note(f"twofold: network after {counted(one.moves, 'move')}: {one.measured}")


def progress_line(now: "Progress") -> str:
    """Progress in one line of text."""
    rates = [f"{tile} {rate:.0%}" for tile, rate in now.reached.items() if rate >= 0.005]
    reached = f"  reached {', '.join(rates[-3:])}" if rates else ""
    return (
        f"{now.games:,} games  {now.moves / 1e6:,.0f} M moves  {now.speed / 1e6:.2f} M moves/s  "
        f"mean {now.mean:,.0f}{reached}"
    )


def view(training: "Training", now: "Progress", width: int) -> Any:
    """Progress as a panel for a terminal of some width."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    facts = Table.grid(padding=(0, 2))
    facts.add_row("games", f"{now.games:,}", "moves", f"{now.moves:,}")
    facts.add_row("moves/s", f"{now.speed:,.0f}", "mean", f"{now.mean:,.0f}")
    facts.add_row("time", clock(now.seconds), "done", _done(training, now))
    rates = Text("reached  " + "  ".join(f"{t} {r:.1%}" for t, r in now.reached.items() if r))
    means = [point.mean for point in training.curve.points]
    chart = Text("\n".join(curve_lines(means, min(width - 12, 72))), style="green")
    title = Text(f"{training.network.describe()}: {training.settings.describe()}", style="bold")
    hint = Text("mean score by games; Ctrl-C saves and ends", style="dim")
    return Group(title, facts, rates, *_judged(training, width), chart, hint)


def _judged(training: "Training", width: int) -> list[Any]:
    """The last evaluation in words, and the means of all as a curve once there are several."""
    from rich.text import Text

    known = training.evaluations
    if not known:
        return []
    last = Text(f"network  {known[-1].measured}, after {counted(known[-1].moves, 'move')}")
    lines = evaluation_lines([one.measured.mean for one in known], width)
    if not lines:
        return [last]
    hint = Text("mean score of the evaluations", style="dim")
    return [last, Text("\n".join(lines), style="cyan"), hint]


def evaluation_lines(means: Sequence[float | None], width: int) -> list[str]:
    """The curve of the mean scores of evaluations; empty for fewer than two."""
    known = [mean for mean in means if mean is not None]
    if len(known) < 2:
        return []
    return curve_lines(known, min(width - 12, 72), height=4)


def curve_lines(means: Sequence[float], width: int, height: int = CURVE_HEIGHT) -> list[str]:
    """A curve of block characters, with the largest value beside its top line."""
    if not means:
        return ["(the first thousand games are under way)"]
    columns = min(len(means), max(width, 1))
    heights = [_mean_of(means, column, columns) for column in range(columns)]
    top = max(max(heights), 1.0)
    lines = []
    for row in range(height - 1, -1, -1):
        filled = [8 * (value / top * height - row) for value in heights]
        cells = "".join(_BARS[round(min(max(part, 0), 8))] for part in filled)
        lines.append(f"{top * (row + 1) / height:9,.0f} {cells}")
    return lines


def _mean_of(means: Sequence[float], column: int, columns: int) -> float:
    """The mean of the part of a sequence that falls to a column."""
    first, last = column * len(means) // columns, (column + 1) * len(means) // columns
    part = means[first : max(last, first + 1)]
    return sum(part) / len(part)


def _done(training: "Training", now: "Progress") -> str:
    phases = len(training.settings.schedule)
    part = "" if phases == 1 else f", phase {now.phase + 1} of {phases}"
    return ("-" if now.done is None else f"{now.done:.1%}") + part
