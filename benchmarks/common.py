"""Shared by the subjects: timing, figures, tables, the machine."""

import shlex
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from twofold.arena.stats import Interval
from twofold.cli import _output

ROOT = Path(__file__).parent.parent
NO_LIMIT = 1 << 40
"""More moves than all games of one call of a kernel make together."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Options of the command.

    Attributes:
        seed: seed of the first game; later ones count up.
        runs: repetitions of each measurement of speed.
        games: games for figures about strength; None for the subject's default.
        library: path of a shared library to compare with.
        program: path of an executable to compare with.
    """

    seed: int
    runs: int
    games: int | None
    library: str | None = None
    program: str | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number with its spread and its target.

    Attributes:
        what: what was measured.
        value: the median of the runs, or an estimate from games.
        low: the smallest run, or the lower end of a 95 % interval.
        high: the largest run, or the upper end.
        unit: unit of these three.
        at_least: lower bound as target.
        at_most: upper bound as target.
        published: the figure in the source, if any.
    """

    what: str
    value: float
    low: float | None
    high: float | None
    unit: str
    at_least: float | None = None
    at_most: float | None = None
    published: str = ""

    @property
    def target(self) -> str:
        """The target and whether it is met, or the published figure, as text."""
        if self.at_least is not None:
            return f">= {shown(self.at_least)}: {_verdict(self.value >= self.at_least)}"
        if self.at_most is not None:
            return f"<= {shown(self.at_most)}: {_verdict(self.value <= self.at_most)}"
        return self.published


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of one subject.

    Attributes:
        title: one line.
        figures: in the order to show.
        notes: sentences about the method.
    """

    title: str
    figures: Sequence[Figure]
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of one run."""

    wall: float
    cpu: float


def timed(work: Callable[[], object]) -> Timing:
    """Run once; `cpu` is the time of this thread alone."""
    wall, cpu = time.perf_counter(), time.thread_time()
    work()
    cpu, wall = time.thread_time() - cpu, time.perf_counter() - wall
    return Timing(wall, cpu)


def timings(work: Callable[[], object], runs: int) -> list[Timing]:
    """Run once unmeasured, then `runs` times."""
    work()
    return [timed(work) for _ in range(runs)]


def child_seconds() -> float:
    """CPU time of all programs that were started here and have ended."""
    import resource  # Linux and macOS only

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def of_runs(
    what: str,
    values: Sequence[float],
    unit: str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    published: str = "",
) -> Figure:
    """The median of several runs with the smallest and the largest."""
    median = statistics.median(values)
    return Figure(what, median, min(values), max(values), unit, at_least, at_most, published)


def of_interval(what: str, interval: Interval, unit: str, *, published: str = "") -> Figure:
    """An estimate with its 95 % interval; a share is shown in percent."""
    scale = 100 if unit == "%" else 1
    low, high = (None if end is None else scale * end for end in (interval.low, interval.high))
    return Figure(what, scale * interval.value, low, high, unit, published=published)


def shown(value: float) -> str:
    """Three significant digits; integers from 100."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def machine() -> dict[str, Any]:
    """The conditions of a measurement: date, command, commit, versions, processor, cores."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "command": shlex.join(["python", "-m", "benchmarks", *sys.argv[1:]]),
        "commit": _commit(),
        **_output.machine(),
    }


def print_report(report: Report, console: Console) -> None:
    """Print the table of one subject."""
    table = Table(title=report.title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("what", overflow="fold")
    for heading in ("value", "from", "to"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    table.add_column("target or published", no_wrap=True)
    for figure in report.figures:
        ends = ["" if end is None else shown(end) for end in (figure.low, figure.high)]
        table.add_row(figure.what, shown(figure.value), *ends, figure.unit, figure.target)
    console.print(table)
    for note in report.notes:
        console.print(f"  {note}", style="dim", highlight=False)
    console.print()


def document(report: Report) -> dict[str, Any]:
    """The report as a JSON value."""
    return asdict(report)


def _verdict(met: bool) -> str:
    return "met" if met else "missed"


def _commit() -> str:
    """The measured commit, with `-dirty` if files differ from it; empty if unknown."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return ""
    return done.stdout.strip()
