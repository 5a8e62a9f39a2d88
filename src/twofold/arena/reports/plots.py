"""The plots of a report, for pages and files.

Player names are in legends outside; only labels of scores and curves are drawn by Matplotlib,
which does not parse mathematics in them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.arena.reports.charts import ChartLine, far, is_wide, reach_lines, survival_lines
from twofold.arena.reports.drawings import SERIES, Drawing, thousands
from twofold.arena.reports.joint_curve import DrawnCurve
from twofold.arena.reports.report import ReportEntry
from twofold.arena.stats import Interval, telling_tiles
from twofold.arena.survival import edges_of
from twofold.figures import format_seconds
from twofold.notation import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Entries = Sequence[ReportEntry]

DASHES: Final = ((), (6.0, 2.5), (2.0, 2.0), (8.0, 2.5, 2.0, 2.5))
"""Line styles, in points on and off."""

MARKERS: Final = {
    "o": "M10.5 6A3.5 3.5 0 1 0 17.5 6A3.5 3.5 0 1 0 10.5 6Z",
    "s": "M10.8 2.8H17.2V9.2H10.8Z",
    "^": "M14 2L18 9.2H10Z",
    "D": "M14 1.6L18.4 6L14 10.4L9.6 6Z",
    "v": "M14 10L18 2.8H10Z",
    "P": "M12.7 2H15.3V4.7H18V7.3H15.3V10H12.7V7.3H10V4.7H12.7Z",
}
"""Markers of Matplotlib, and their SVG paths for a legend of 28 x 12."""

WIDTH: Final = 7.2
"""Width of a plot, in inches of 72 points."""

_HEIGHT: Final = 3.6

_LONGEST_LABEL: Final = 26
_LONGEST_CURVE: Final = 40


@dataclass(frozen=True, slots=True)
class Style:
    """The style of a player in all plots; neighbours differ in colour, line and marker."""

    colour: int
    dashes: tuple[float, ...]
    marker: str

    @classmethod
    def of(cls, number: int) -> "Style":
        """The style of the player at a position of the table; the first 84 all differ."""
        markers = list(MARKERS)
        return cls(number % SERIES, DASHES[number % len(DASHES)], markers[number % len(markers)])

    @property
    def line(self) -> dict[str, Any]:
        """Matplotlib's keywords for colour and line."""
        return {"color": self.name, "linestyle": (0, self.dashes) if self.dashes else "-"}

    def mark(self, size: float) -> dict[str, Any]:
        """Matplotlib's keywords for the marker."""
        return {"marker": self.marker, "markersize": size}

    @property
    def name(self) -> str:
        """Matplotlib's name of the colour."""
        return f"C{self.colour}"


# ---- the plots


def drawing(entries: Entries, kind: str) -> Drawing | None:
    """A plot of players in the order of their table; None if it would show nothing."""
    return PLOTS[kind](entries)


def telling(entries: Entries) -> list[str]:
    """The kinds of plots that show something."""
    return [kind for kind in PLOTS if entries and drawing(entries, kind)]


def reach_rates(entries: Entries) -> Drawing | None:
    """The reach rates of tiles; None if all players reached all tiles."""
    lines = reach_lines(entries)
    if not lines:
        return None
    tiles = telling_tiles([entry.summary for entry in entries])

    def draw(axes: "Axes") -> None:
        for line in lines:
            _draw_line(axes, line, [tiles.index(int(tile)) for tile in line.xs], 1.8, 6)
        axes.set(xlabel="tile", ylabel="reached, % of games", ylim=(-3, 103))
        axes.set_xticks(range(len(tiles)), [str(tile) for tile in tiles])
        axes.grid(axis="x", visible=False)

    return Drawing("Share of games that reached each tile", (WIDTH, _HEIGHT), draw)


def _draw_line(
    axes: "Axes", line: ChartLine, places: Sequence[float], width: float, size: float
) -> None:
    """A line with its intervals; a zero that only shows the end of a line has none."""
    style = Style.of(line.player)
    axes.plot(places, line.ys, linewidth=width, **style.line, **style.mark(size))
    known = sum(high > 0 for high in line.high)
    ends = (places[:known], line.low[:known], line.high[:known])
    if known:
        axes.fill_between(*ends, color=style.name, alpha=0.15, linewidth=0)


def survival(entries: Entries) -> Drawing | None:
    """Where games ended, by tile sum; None if no game is known to have ended."""
    every = survival_lines(entries)
    if not every[0]:
        return None
    edges = edges_of(entry.fates for entry in entries)

    def draw(axes: Any) -> None:
        going, ended = axes
        for line in every[0]:
            style = Style.of(line.player).line
            going.step(line.xs, line.ys, where="post", linewidth=1.8, **style)
        for line in every[1]:
            _draw_line(ended, line, line.xs, 1.2, 5)
        going.set(ylabel="going on, %", ylim=(-3, 103), xlim=(edges[0], edges[-1]))
        ended.set(xlabel="tile sum", ylabel="ended in the band, %")
        ended.set_ylim(bottom=0)
        ended.xaxis.set_major_formatter(thousands)

    return Drawing("Where games ended, by tile sum", (WIDTH, 5.2), draw, panels=2)


def scores(entries: Entries) -> Drawing:
    """Histograms of the scores of each player, one below the other on the same axis."""
    wide = is_wide(entries)
    points = [np.maximum(entry.games.scores, 1).astype(np.float64) for entry in entries]
    values = [np.log10(one) if wide else one for one in points]
    labels = [_shortened(entry.label, _LONGEST_LABEL) for entry in entries]

    def draw(axes: "Axes") -> None:
        for number, one in enumerate(values):
            _draw_scores(axes, Style.of(number), one, -number)
        axes.set_yticks([-number for number in range(len(entries))], labels)
        axes.set(xlabel="score, points", ylim=(0.2 - len(entries), 1.05))
        if wide:
            _label_powers(axes, values, 2.5)
        else:
            axes.xaxis.set_major_formatter(thousands)
            axes.set_xlim(0, 1.03 * max(map(far, values)))

    return Drawing("Distribution of the scores", (WIDTH, 0.9 + 0.55 * len(entries)), draw)


def _label_powers(axes: "Axes", values: Sequence[NDArray[np.float64]], room: float) -> None:
    """Label an axis of logarithms at 1, 2 and 5 times powers of ten, or only at the powers."""
    low = min(float(np.quantile(one, 0.001)) for one in values)
    high = max(map(far, values))
    axes.set_xlim(low - 0.03, high + 0.03)
    factors = (1, 2, 5) if high - low < room else (1,)
    marks = [factor * 10**power for power in range(19) for factor in factors]
    marks = [mark for mark in marks if low <= np.log10(mark) <= high]
    axes.set_xticks([float(np.log10(mark)) for mark in marks], [f"{mark:,}" for mark in marks])


def _draw_scores(axes: "Axes", style: Style, values: NDArray[np.float64], base: float) -> None:
    """A histogram on the line `base`, its median and the middle half of the games."""
    first, middle, third = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    low, high = float(values.min()), far(values)
    width = 2 * (third - first) / values.size ** (1 / 3)  # Freedman and Diaconis 1981
    bins = int(np.clip((high - low) / width if width > 0 else 1, 8, 80))
    span = (low, high) if high > low else (low - 0.5, high + 0.5)
    counts, edges = np.histogram(values, bins, range=span)
    colour = style.name
    heights = base + 0.8 * counts / counts.max()
    axes.stairs(heights, edges, baseline=base, fill=True, color=colour, alpha=0.35, linewidth=0)
    axes.stairs(heights, edges, baseline=base, color=colour, linewidth=1.2)
    axes.plot([first, third], [base, base], color=colour, linewidth=3.5, solid_capstyle="butt")
    axes.plot([middle], [base], color=colour, **style.mark(7))


def strength(entries: Entries) -> Drawing | None:
    """Mean score against the time of a move; None if no time is known."""
    times = [entry.seconds_per_move for entry in entries]
    known = [seconds for seconds in times if seconds is not None]
    if not known:
        return None

    def draw(axes: "Axes") -> None:
        axes.set_xscale("log")
        if is_wide(entries):
            axes.set_yscale("log")
        for number, (entry, seconds) in enumerate(zip(entries, times, strict=True)):
            if seconds is not None:
                _draw_strength(axes, number, seconds, entry.summary.score)
        axes.set(xlabel="time a move, log axis", ylabel="mean score, points")
        _time_axis(axes, known, 7)
        _score_axis(axes)

    return Drawing("Mean score against time a move", (WIDTH, _HEIGHT), draw)


def _draw_strength(axes: "Axes", number: int, seconds: float, score: Interval) -> None:
    style, at = Style.of(number), (seconds, score.value)
    half = min(score.half_width or 0.0, 0.9 * score.value)
    axes.errorbar(*at, yerr=half, capsize=3, color=style.name, **style.mark(8))
    axes.annotate(str(number + 1), at, xytext=(8, -13), textcoords="offset points")


def _time_axis(axes: "Axes", seconds: Sequence[float], room: float) -> None:
    """Powers of ten around the times, with units; every other one if there are too many."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

    low = int(np.floor(np.log10(min(seconds)) - 0.05))
    high = int(np.ceil(np.log10(max(seconds)) + 0.05))
    axes.set_xlim(10.0**low, 10.0**high)
    axes.xaxis.set_major_locator(
        FixedLocator([10.0**power for power in range(low, high + 1, 1 + (high - low > room))])
    )
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: format_seconds(value * 1.0001)))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _score_axis(axes: "Axes") -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    if axes.get_yscale() == "log":
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(thousands)


def _shortened(name: str, longest: int) -> str:
    name = printable(name)
    return name if len(name) <= longest else name[: longest - 1] + "…"


PLOTS: Final[dict[str, Callable[[Entries], Drawing | None]]] = {
    "reach": reach_rates,
    "survival": survival,
    "scores": scores,
    "strength": strength,
}
"""The kinds of plots, in order of display."""


# ---- learning curves


def learning_curves(curves: Sequence[DrawnCurve], *, legend: bool = False) -> Drawing:
    """Mean scores by games, with their intervals as bands; `legend` names several curves."""

    def draw(axes: "Axes") -> None:
        for number, curve in enumerate(curves):
            _draw_curve(axes, Style.of(number), curve)
        axes.set(xlabel="games", ylabel="mean score, points")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_formatter(thousands)
        axes.yaxis.set_major_formatter(thousands)
        if legend and len(curves) > 1:
            axes.legend(loc="upper left", frameon=False)

    return Drawing("Learning curves", (WIDTH, _HEIGHT), draw)


def _draw_curve(axes: "Axes", style: Style, curve: DrawnCurve) -> None:
    label = f" {_shortened(curve.name, _LONGEST_CURVE)}"  # Matplotlib omits labels with a leading _
    marker = "o" if len(curve.games) == 1 else ""
    axes.plot(curve.games, curve.means, marker=marker, label=label, linewidth=1.4, **style.line)
    lows, highs = (np.array(ends, dtype=np.float64) for ends in (curve.lows, curve.highs))
    if marker:
        axes.vlines(curve.games, lows, highs, color=style.name, linewidth=1.4)
    axes.fill_between(curve.games, lows, highs, color=style.name, alpha=0.18, linewidth=0)
