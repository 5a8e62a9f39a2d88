"""The plots of a report, as SVG that stands inside a page and takes its colours from there.

Names of players stand in the page's own legends, so no text of others gets into a plot but as
the labels of `distributions`, where Matplotlib is told not to read mathematics into it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from twofold.arena.reports.report import Entry
from twofold.arena.reports.svg import COLOURS, svg, thousands
from twofold.arena.stats import Interval
from twofold.arena.survival import Fates, bands, edges_of
from twofold.arena.table import reach
from twofold.notation import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
"""Markers of Matplotlib, and what each looks like in a legend of 28 x 12."""

WIDTH: Final = 7.2
"""Of a plot, in inches of 72 points."""

NARROW: Final = 4.6
"""Width of a plot for a phone, whose type is then as large as that of the page."""

_LONGEST_LABEL: Final = 26
_LONGEST_NARROW: Final = 14
_MOST_UPRIGHT: Final = 6
"""Of more tiles the labels stand aslant where there is little room."""
_MOST_BANDS: Final = 6
"""Of more players the bands of intervals would hide each other."""

FEWEST: Final = 5
"""Of fewer games the share that ended in a band is not drawn."""

_MANY: Final = 1000
"""Of more scores the largest thousandth is not drawn: it would press the others together."""

_WIDE: Final = 10.0
"""Above this quotient of the largest and the smallest mean, scores are on a log axis."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a player is drawn everywhere: colour, line and marker differ from its neighbours'."""

    colour: int
    dashes: tuple[float, ...]
    marker: str

    @classmethod
    def of(cls, number: int) -> "Style":
        """The style of the player at a place of the table; the first 84 all differ."""
        markers = list(MARKERS)
        return cls(
            number % len(COLOURS), DASHES[number % len(DASHES)], markers[number % len(markers)]
        )

    @property
    def line(self) -> Any:
        """As Matplotlib wants it."""
        return (0, self.dashes) if self.dashes else "-"


def swatch(number: int) -> str:
    """The legend's piece of line with its marker, as SVG."""
    style = Style.of(number)
    dashes = f' stroke-dasharray="{" ".join(map(str, style.dashes))}"' if style.dashes else ""
    return (
        f'<svg class="swatch" viewBox="0 0 28 12" aria-hidden="true" style="color:'
        f'var(--series-{style.colour})"><path d="M0 6H28" fill="none" stroke="currentColor"'
        f' stroke-width="2"{dashes}/><path d="{MARKERS[style.marker]}" fill="currentColor"/></svg>'
    )


# ---- the plots


class Plot(Protocol):
    """Draws players as SVG for the inside of a page."""

    def __call__(self, entries: Sequence[Entry], name: str, *, width: float = ...) -> str:
        """Draw it.

        Args:
            entries: the players.
            name: what the ids in it begin with.
            width: inches.
        """


def telling(entries: Sequence[Entry]) -> dict[str, Plot]:
    """The plots that say something of some players, by name: those not empty."""
    found: dict[str, Plot] = {
        "reach": reach_rates,
        "survival": survival,
        "scores": distributions,
        "strength": strength,
    }
    if len(_telling_tiles(entries)) < 2:
        del found["reach"]
    if not any(entry.fates.died.any() for entry in entries):
        del found["survival"]
    if not _timed(entries):
        del found["strength"]
    return found


def _telling_tiles(entries: Sequence[Entry]) -> list[int]:
    """From the largest tile that all always reach to the largest of all."""
    top = max(entry.summary.max_tile for entry in entries)
    tiles = [1 << exponent for exponent in range(2, top.bit_length())]
    always = sum(all(reach(entry.summary, tile) == 1 for entry in entries) for tile in tiles)
    return tiles[max(0, always - 1) :]


def _timed(entries: Sequence[Entry]) -> list[tuple[int, float, Interval]]:
    """Place, seconds a move and mean score of those whose time is known."""
    return [
        (number, seconds, entry.summary.score)
        for number, entry in enumerate(entries)
        if (seconds := entry.seconds_per_move) is not None
    ]


def reach_rates(entries: Sequence[Entry], name: str = "reach", *, width: float = WIDTH) -> str:
    """The share of games that reached each tile; empty where no tile tells anything."""
    tiles = _telling_tiles(entries)
    if len(tiles) < 2:
        return ""

    def draw(axes: "Axes") -> None:
        for number, entry in enumerate(entries):
            _draw_rates(axes, Style.of(number), entry, tiles, band=len(entries) <= _MOST_BANDS)
        axes.set(xlabel="tile", ylabel="reached, % of games", ylim=(-3, 103))
        axes.set_xticks(range(len(tiles)), [str(tile) for tile in tiles])
        axes.grid(axis="x", visible=False)
        if width < WIDTH and len(tiles) > _MOST_UPRIGHT:
            axes.tick_params(axis="x", labelrotation=45)

    return svg(draw, (width, 3.6), name, "Share of games that reached each tile")


def _draw_rates(
    axes: "Axes", style: Style, entry: Entry, tiles: Sequence[int], *, band: bool
) -> None:
    """A line, and perhaps the 95 % intervals as a band."""
    known = [entry.summary.reach.get(tile) for tile in tiles]
    there = [rate for rate in known if rate is not None]
    # One zero says that no game came further; more would only lie on the axis.
    values = [rate.value for rate in there] + [0.0] * (len(there) < len(tiles))
    colour, places = COLOURS[style.colour], range(len(values))
    axes.plot(
        places,
        100 * np.array(values),
        color=colour,
        linestyle=style.line,
        marker=style.marker,
        markersize=6,
        linewidth=1.8,
    )
    if not band:
        return
    lows = [100 * (rate.low or 0) for rate in there]
    highs = [100 * (rate.high or 0) for rate in there]
    axes.fill_between(range(len(there)), lows, highs, color=colour, alpha=0.15, linewidth=0)


def survival(entries: Sequence[Entry], name: str = "survival", *, width: float = WIDTH) -> str:
    """Where games ended, by tile sum; empty where no game is known to have ended."""
    if not any(entry.fates.died.any() for entry in entries):
        return ""
    edges = edges_of(entry.fates for entry in entries)

    def draw(axes: Any) -> None:
        going, ended = axes
        for number, entry in enumerate(entries):
            if len(entry.fates):
                _draw_going(going, Style.of(number), entry.fates, edges)
                _draw_ended(ended, Style.of(number), entry, edges, bars=len(entries) <= _MOST_BANDS)
        going.set(ylabel="going on, %", ylim=(-3, 103), xlim=(edges[0], edges[-1]))
        ended.set(xlabel="tile sum", ylabel="ended in the band, %")
        ended.set_ylim(bottom=0)
        ended.xaxis.set_major_formatter(thousands)
        if width < WIDTH:
            ended.tick_params(axis="x", labelrotation=45)

    return svg(draw, (width, 5.2), name, "Where games ended, by tile sum", panels=2)


def _draw_going(axes: "Axes", style: Style, fates: Fates, edges: Sequence[int]) -> None:
    """The share of games that go on, a step down where one ended."""
    sums, counts = np.unique(fates.ends[fates.died], return_counts=True)
    shares = 100 * (1 - counts.cumsum() / len(fates))
    axes.step(
        [edges[0], *sums.tolist()],
        [100.0, *shares.tolist()],
        where="post",
        color=COLOURS[style.colour],
        linestyle=style.line,
        linewidth=1.8,
    )


def _draw_ended(
    axes: "Axes", style: Style, entry: Entry, edges: Sequence[int], *, bars: bool
) -> None:
    """The share that ended in each band, at its middle, and perhaps the 95 % intervals."""
    found = [band for band in bands(entry.fates, edges) if band.at_risk >= FEWEST]
    places = [(band.low + band.high) / 2 for band in found]
    shares = [100 * band.share.value for band in found]
    colour = COLOURS[style.colour]
    axes.plot(
        places,
        shares,
        color=colour,
        linestyle=style.line,
        marker=style.marker,
        markersize=5,
        linewidth=1.2,
    )
    if bars:
        lows = [100 * (band.share.low or 0) for band in found]
        highs = [100 * (band.share.high or 0) for band in found]
        axes.fill_between(places, lows, highs, color=colour, alpha=0.15, linewidth=0)


def distributions(entries: Sequence[Entry], name: str = "scores", *, width: float = WIDTH) -> str:
    """The scores of each player, one below the other on the same axis."""
    wide = _is_wide(entries)
    scores = [np.maximum(entry.games.scores, 1).astype(np.float64) for entry in entries]
    values = [np.log10(one) if wide else one for one in scores]
    longest = _LONGEST_NARROW if width < WIDTH else _LONGEST_LABEL
    labels = [_label(entry, longest) for entry in entries]

    def draw(axes: "Axes") -> None:
        for number, one in enumerate(values):
            _draw_scores(axes, Style.of(number), one, -number)
        axes.set_yticks([-number for number in range(len(entries))], labels)
        axes.set(xlabel="score, points", ylim=(0.2 - len(entries), 1.05))
        if wide:
            _label_powers(axes, values, 2.5 * width / WIDTH)
        else:
            axes.xaxis.set_major_formatter(thousands)
            axes.set_xlim(0, 1.03 * max(map(_far, values)))

    return svg(draw, (width, 0.9 + 0.55 * len(entries)), name, "Distribution of the scores")


def _far(values: NDArray[np.float64]) -> float:
    """Where the axis may end: the largest value, but for the last thousandth of many."""
    return float(np.quantile(values, 0.999) if values.size > _MANY else values.max())


def _label_powers(axes: "Axes", values: Sequence[NDArray[np.float64]], room: float) -> None:
    """1, 2 and 5 times powers of ten, on an axis of logarithms; the powers alone on a long one."""
    low = min(float(np.quantile(one, 0.001)) for one in values)
    high = max(map(_far, values))
    axes.set_xlim(low - 0.03, high + 0.03)
    factors = (1, 2, 5) if high - low < room else (1,)
    marks = [factor * 10**power for power in range(19) for factor in factors]
    marks = [mark for mark in marks if low <= np.log10(mark) <= high]
    axes.set_xticks([float(np.log10(mark)) for mark in marks], [f"{mark:,}" for mark in marks])


def _draw_scores(axes: "Axes", style: Style, values: NDArray[np.float64], base: float) -> None:
    """A histogram that stands on `base`, its median and the middle half of the games."""
    first, middle, third = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    low, high = float(values.min()), _far(values)
    width = 2 * (third - first) / values.size ** (1 / 3)  # Freedman and Diaconis 1981
    bins = int(np.clip((high - low) / width if width > 0 else 1, 8, 80))
    span = (low, high) if high > low else (low - 0.5, high + 0.5)
    counts, edges = np.histogram(values, bins, range=span)
    colour = COLOURS[style.colour]
    heights = base + 0.8 * counts / counts.max()
    axes.stairs(heights, edges, baseline=base, fill=True, color=colour, alpha=0.35, linewidth=0)
    axes.stairs(heights, edges, baseline=base, color=colour, linewidth=1.2)
    axes.plot([first, third], [base, base], color=colour, linewidth=3.5, solid_capstyle="butt")
    axes.plot([middle], [base], color=colour, marker=style.marker, markersize=7)


def strength(entries: Sequence[Entry], name: str = "strength", *, width: float = WIDTH) -> str:
    """Mean score against the time a move took; empty where no time is known."""
    timed = _timed(entries)
    if not timed:
        return ""

    def draw(axes: "Axes") -> None:
        axes.set_xscale("log")
        if _is_wide(entries):
            axes.set_yscale("log")
        for number, seconds, score in timed:
            style, half = Style.of(number), score.half_width or 0.0
            axes.errorbar(
                [seconds],
                [score.value],
                yerr=[min(half, 0.9 * score.value)],
                color=COLOURS[style.colour],
                marker=style.marker,
                markersize=8,
                capsize=3,
            )
            axes.annotate(
                str(number + 1),
                (seconds, score.value),
                xytext=(8, -13),
                textcoords="offset points",
            )
        axes.set(xlabel="time a move, log axis", ylabel="mean score, points")
        _time_axis(axes, [seconds for _, seconds, _ in timed], 7 * width / WIDTH)
        _score_axis(axes)

    return svg(draw, (width, 3.6), name, "Mean score against time a move")


def _time_axis(axes: "Axes", seconds: Sequence[float], room: float) -> None:
    """Whole powers of ten around the times, written with their units; of too many, every other."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

    from twofold.figures import format_seconds

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


def _is_wide(entries: Sequence[Entry]) -> bool:
    means = [entry.summary.score.value for entry in entries]
    return max(means) > _WIDE * max(min(means), 1.0)


def _label(entry: Entry, longest: int) -> str:
    """A name that leaves room for the plot; short ones in full."""
    name = printable(entry.label)
    return name if len(name) <= longest else name[: longest - 1] + "…"
