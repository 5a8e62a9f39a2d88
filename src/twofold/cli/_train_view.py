"""What `twofold train` shows while a run goes on."""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from twofold.cli._output import can_redraw, print_note, print_out, print_words
from twofold.cli._progress import progress_lines
from twofold.figures import clock, counted
from twofold.learn.evaluation import Evaluation

if TYPE_CHECKING:
    from twofold.learn.run import Trainable
    from twofold.learn.training import TrainingProgress

    Shown = tuple[Callable[[TrainingProgress], None], Callable[[Evaluation], None]]

CURVE_HEIGHT: Final = 8

_BARS: Final = " ▁▂▃▄▅▆▇█"


@contextlib.contextmanager
def live(training: "Trainable") -> "Iterator[Shown]":
    """Progress and evaluations on stderr: a live view in a terminal, else lines."""
    if (say := progress_lines()) is not None:
        yield lambda _: say(training.done), _say_evaluation
        return
    console = Console(stderr=True)
    if not can_redraw(console.is_terminal):
        yield _each_minute(), _say_evaluation
        return
    with Live(console=console, transient=True, auto_refresh=False) as shown:

        def show(now: "TrainingProgress") -> None:
            shown.update(view(training, now, console.width), refresh=True)

        yield show, lambda _: None  # the view has it


def _each_minute() -> "Callable[[TrainingProgress], None]":
    said = [time.monotonic()]

    def say(now: "TrainingProgress") -> None:
        if time.monotonic() - said[0] >= 60:
            said[0] = time.monotonic()
            print_note(progress_line(now))

    return say


def _say_evaluation(one: Evaluation) -> None:
    print_note(f"twofold: network after {counted(one.moves, 'move')}: {one.measured}")


def run_timing(training: "Trainable") -> dict[str, Any]:
    """What differs from one machine to another."""
    speed = training.moves / max(training.seconds, 1e-9)
    return {"seconds": training.seconds, "moves_per_second": speed}


def print_run(training: "Trainable", out: str, *, games: str, recent: str, trials: str) -> None:
    """Print a run: its games and its last ones in words, and its last evaluation, by this name."""
    from twofold.learn.checkpoint import curve_path  # loads kernels

    speed = run_timing(training)["moves_per_second"]
    print_words(f"{training.network.describe()}: {training.settings.describe()}")
    print_words(
        f"{games}, {counted(training.moves, 'move')}, {training.seconds:,.0f} s, "
        f"{speed:,.0f} moves/s"
    )
    if recent:
        print_words(recent)
    if training.evaluations:
        last = training.evaluations[-1]
        ended = last.moves == training.moves
        when = "at the end" if ended else f"after {counted(last.moves, 'move')}"
        print_words(f"{trials} {when}: {last.measured}")
    print_out(f"{out}; learning curve in {curve_path(out)}")


def progress_line(now: "TrainingProgress") -> str:
    """Progress in one line of text."""
    rates = [f"{tile} {rate:.0%}" for tile, rate in now.reached.items() if rate >= 0.005]
    reached = f"  reached {', '.join(rates[-3:])}" if rates else ""
    if now.speed >= 1e5:
        speed = f"{now.moves / 1e6:,.0f} M moves  {now.speed / 1e6:.2f} M moves/s"
    else:
        speed = f"{now.moves:,} moves  {now.speed:,.0f} moves/s"
    return f"{now.games:,} games  {speed}  mean {now.mean:,.0f}{reached}"


def view(training: "Trainable", now: "TrainingProgress", width: int) -> Any:
    """Progress as a panel for a terminal of some width."""
    facts = Table.grid(padding=(0, 2))
    facts.add_row("games", f"{now.games:,}", "moves", f"{now.moves:,}")
    facts.add_row("moves/s", f"{now.speed:,.0f}", "mean", f"{now.mean:,.0f}")
    part = "" if now.phases == 1 else f", phase {now.phase + 1} of {now.phases}"
    done = ("-" if now.done is None else f"{now.done:.1%}") + part
    facts.add_row("time", clock(now.seconds), "done", done)
    rates = Text("reached  " + "  ".join(f"{t} {r:.1%}" for t, r in now.reached.items() if r))
    means = [point.mean for point in training.curve.points]
    chart = Text("\n".join(curve_lines(means, min(width - 12, 72))), style="green")
    title = Text(f"{training.network.describe()}: {training.settings.describe()}", style="bold")
    hint = Text("mean score by games; Ctrl-C saves and ends", style="dim")
    return Group(title, facts, rates, *_judged(training, width), chart, hint)


def _judged(training: "Trainable", width: int) -> list[Any]:
    """The last evaluation in words, and the means of all as a curve once there are several."""
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
