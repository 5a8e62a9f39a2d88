"""The live view of a training run: figures, reach rates and the learning curve."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from twofold.cli._progress import clock

if TYPE_CHECKING:
    from twofold.learn.training import Progress, Training

CURVE_HEIGHT: Final = 8
_BARS: Final = " ▁▂▃▄▅▆▇█"


def progress_line(now: "Progress") -> str:
    """Progress in one line of text."""
    rates = [f"{tile}: {rate:.0%}" for tile, rate in now.reached.items() if rate >= 0.005]
    return (
        f"{now.games:,} games  {now.moves / 1e6:,.0f} M moves  {now.speed / 1e6:.2f} M moves/s  "
        f"mean {now.mean:,.0f}  {' '.join(rates[-3:])}"
    ).rstrip()


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
    return Group(title, facts, rates, chart, hint)


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
