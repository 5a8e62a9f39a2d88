"""The plots of a report and of learning curves, for pages and files; drawn with Matplotlib.

Matplotlib does not parse mathematics in names.
"""

import io
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import msgspec
import numpy as np

from twofold.arena.curves import DrawnCurve
from twofold.arena.report import ChartLine, ReportEntry, Section, SectionCharts, section_charts
from twofold.errors import InvalidInput, MissingExtra
from twofold.figures import format_seconds, shortened
from twofold.game.notation import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

Form = Literal["svg", "pdf", "png"]

FORMS: Final[tuple[Form, ...]] = get_args(Form)
"""The formats of a file, which are also its suffixes."""

_CHANGING: Final[dict[Form, str]] = {"svg": "Date", "pdf": "CreationDate", "png": "Software"}
"""The metadata that differ from one time or machine to another."""

_ONE_AT_A_TIME: Final = threading.Lock()
"""Held while something is drawn: the settings of Matplotlib are those of the whole process."""

COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#111111")
"""The colours of series on white paper, which Matplotlib names C0, C1 and so on: those of Okabe and
Ito without yellow, invisible on white.

Source: Okabe and Ito 2008, Color Universal Design.
"""

_INK, _FAINT = "#1d1f23", "#d9dce1"
"""The colours of text and of lines."""

_SETTINGS: Final[dict[str, Any]] = {
    "axes.axisbelow": True,
    "axes.edgecolor": _FAINT,
    "axes.grid": True,
    "axes.labelcolor": _INK,
    "axes.labelpad": 8.0,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10.0,
    "grid.color": _FAINT,
    "grid.linewidth": 0.6,
    "lines.scale_dashes": False,
    "savefig.dpi": 200.0,
    "pdf.fonttype": 42,  # TrueType: journals refuse Type 3
    "svg.fonttype": "none",
    "svg.hashsalt": "twofold",
    "text.color": _INK,
    "text.parse_math": False,
    "xtick.color": _FAINT,
    "xtick.labelcolor": _INK,
    "ytick.color": _FAINT,
    "ytick.labelcolor": _INK,
    "ytick.major.size": 0.0,
    "ytick.minor.size": 0.0,
}


def require_report(module: str) -> Any:
    """Import a module of the extra `report`, or raise MissingExtra."""
    try:
        return import_module(module)
    except ImportError:
        use = "Parquet" if module.startswith("pyarrow") else "a plot"
        raise MissingExtra.of("report", use) from None


@contextmanager
def _settings() -> Iterator[None]:
    """Apply our settings of Matplotlib, not the user's; warnings of missing glyphs are ignored."""
    import matplotlib
    from matplotlib.rcsetup import cycler

    with _ONE_AT_A_TIME, matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # the reader's fonts may have it
        matplotlib.rcdefaults()
        more: Any = {"axes.prop_cycle": cycler(color=COLOURS)}
        matplotlib.rcParams.update(_SETTINGS | more)
        yield


_WIDTH: Final = 7.2
"""Width of a drawing, in inches of 72 points."""

_LONGEST: Final = 40
"""Longest name in a drawing."""

_LEGEND: Final = 84
"""Letters in a line of a legend."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing, whose files have the same bytes each time: on white, with a legend.

    Attributes:
        title: the text for screen readers.
        draw: draws it on its axes; on an array of them if there are several panels.
        names: for the legend, in the order of their styles.
        height: in inches.
        panels: number of panels, one below the other, with the same x axis.
    """

    title: str
    draw: Callable[[Any], None]
    names: tuple[str, ...] = ()
    height: float = 3.6
    panels: int = 1

    def file(self, form: Form) -> bytes:
        """The drawing as a file."""
        require_report("matplotlib")
        from matplotlib.figure import Figure
        from matplotlib.lines import Line2D

        with _settings():
            figure = Figure(figsize=(_WIDTH, self.height), layout="constrained")
            self.draw(figure.subplots(self.panels, sharex=True))
            lines = [
                Line2D(
                    [],
                    [],
                    label=f" {shortened(printable(name), _LONGEST)}",
                    **_line(place),
                    **_mark(place),
                )
                for place, name in enumerate(self.names)
            ]
            if lines:  # a space begins each label: Matplotlib omits one that begins with _
                columns = max(1, min(len(lines), _LEGEND // (max(map(len, self.names)) + 8)))
                figure.legend(
                    handles=lines, loc="outside lower center", ncols=columns, frameon=False
                )
            file = io.BytesIO()
            figure.savefig(file, format=form, metadata={_CHANGING[form]: None})
            return file.getvalue()


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


class PlayerStyle(msgspec.Struct, frozen=True):
    """The style of a player in every plot of a section; neighbours differ in all but the label.

    Attributes:
        label: its name.
        colour: number of the colour.
        dashes: of the line, on and off; empty for a solid line.
        marker: SVG path of the marker, in a box of 28 x 12.
    """

    label: str
    colour: int
    dashes: tuple[float, ...]
    marker: str

    @classmethod
    def of(cls, number: int, label: str = "") -> "PlayerStyle":
        """The style of the player at a position of the table; the first 84 all differ."""
        dashes, marker = DASHES[number % len(DASHES)], list(MARKERS)[number % len(MARKERS)]
        return cls(printable(label), number % len(COLOURS), dashes, MARKERS[marker])


def _line(number: int) -> dict[str, Any]:
    """Matplotlib's keywords for colour and line of a player."""
    style = PlayerStyle.of(number)
    return {"color": f"C{style.colour}", "linestyle": (0, style.dashes) if style.dashes else "-"}


def _mark(number: int, size: float = 6) -> dict[str, Any]:
    """Matplotlib's keywords for the marker of a player."""
    return {"marker": list(MARKERS)[number % len(MARKERS)], "markersize": size}


# ---- the plots

Kind = Literal["reach", "survival", "scores", "strength"]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""The kinds of plots, in order of display."""


def drawings(entries: Sequence[ReportEntry]) -> dict[str, Drawing]:
    """The plots that show something, by kind; players in the order of their table."""
    charts = section_charts(entries)
    names = tuple(entry.player for entry in entries)
    found: dict[str, Drawing] = {}
    if charts.reach:
        title = "Share of games that reached each tile"
        found["reach"] = Drawing(title, partial(_draw_reach, charts.reach), names)
    if charts.going:
        title, draw = "Where games ended, by tile sum", partial(_draw_survival, charts)
        found["survival"] = Drawing(title, draw, names, height=5.2, panels=2)
    if charts.scores:  # its names are on its axis
        title, draw = "Distribution of the scores", partial(_draw_scores, charts, entries)
        found["scores"] = Drawing(title, draw, height=0.9 + 0.55 * len(entries))
    if charts.strength:
        numbered = tuple(f"{place} {name}" for place, name in enumerate(names, 1))
        title, draw = "Mean score against time a move", partial(_draw_strength, charts)
        found["strength"] = Drawing(title, draw, numbered)
    return found


def study_figure(sections: Sequence[Section], kind: str) -> Drawing:
    """A plot of a study as a figure.

    Raises:
        InvalidInput: the games have several rules or boards, or the plot would show nothing.
    """
    sections = [section for section in sections if section.entries]
    if len(sections) != 1:
        rules = ", ".join(section.rules for section in sections) or "no games"
        raise InvalidInput(
            "expected a study of games under the same rules and from the same boards for a "
            f"figure, got {len(sections)} sets: {printable(rules)}"
        )
    found = drawings(sections[0].entries).get(kind)
    if found is None:
        raise InvalidInput(f"expected games that differ for the plot {kind}; it would show nothing")
    return found


def _draw_reach(lines: Sequence[ChartLine], axes: "Axes") -> None:
    tiles = sorted({int(tile) for line in lines for tile in line.xs})
    for line in lines:
        _draw_line(axes, line, [tiles.index(int(tile)) for tile in line.xs], 1.8)
    axes.set(xlabel="tile", ylabel="reached, % of games", ylim=(-3, 103))
    axes.set_xticks(range(len(tiles)), list(map(str, tiles)))
    axes.grid(axis="x", visible=False)


def _draw_line(axes: "Axes", line: ChartLine, places: Sequence[float], width: float) -> None:
    """A line with its intervals."""
    style = _line(line.player)
    axes.plot(places, line.ys, linewidth=width, **style, **_mark(line.player))
    if line.high:
        colour = style["color"]
        axes.fill_between(places, line.low, line.high, color=colour, alpha=0.15, linewidth=0)


def _draw_survival(charts: SectionCharts, axes: Any) -> None:
    going, ended = axes
    for line in charts.going:
        style = _line(line.player)
        going.step(line.xs, line.ys, where="post", linewidth=1.8, **style)
    for line in charts.ended:
        _draw_line(ended, line, line.xs, 1.2)
    going.set(ylabel="going on, %", ylim=(-3, 103))
    going.set_xlim(left=charts.going[0].xs[0])
    ended.set(xlabel="tile sum", ylabel="ended in the band, %")
    ended.set_ylim(bottom=0)
    ended.xaxis.set_major_formatter(_thousands)


def _draw_scores(charts: SectionCharts, entries: Sequence[ReportEntry], axes: "Axes") -> None:
    """Histograms, one below the other, with the median and the middle half of the games."""
    if charts.wide:
        axes.set_xscale("log")
    for line in charts.scores:
        base, colour = -line.player, _line(line.player)["color"]
        heights = base + 0.8 * np.array(line.ys[:-1]) / max(line.ys)
        axes.stairs(heights, line.xs, baseline=base, fill=True, color=colour, alpha=0.35)
        axes.stairs(heights, line.xs, baseline=base, color=colour, linewidth=1.2)
        scores = np.maximum(entries[line.player].games.scores, 1)
        first, middle, third = np.quantile(scores, [0.25, 0.5, 0.75]).tolist()
        axes.plot([first, third], [base, base], color=colour, linewidth=3.5, solid_capstyle="butt")
        axes.plot([middle], [base], color=colour, **_mark(line.player, 7))
    axes.set_yticks(
        [-line.player for line in charts.scores],
        [shortened(printable(e.player), _LONGEST) for e in entries],
    )
    axes.set(xlabel="score, points", ylim=(0.2 - len(entries), 1.05))
    _label_scores(axes.xaxis, wide=charts.wide)


def _draw_strength(charts: SectionCharts, axes: "Axes") -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    if charts.wide:
        axes.set_yscale("log")
    for line in charts.strength:
        at = seconds, score = line.xs[0], line.ys[0]
        ends = [[min(score - line.low[0], 0.9 * score)], [line.high[0] - score]] if line.low else 0
        colour = _line(line.player)["color"]
        axes.errorbar(seconds, score, yerr=ends, capsize=3, color=colour, **_mark(line.player, 8))
        axes.annotate(str(line.player + 1), at, xytext=(8, -13), textcoords="offset points")
    axes.set(xlabel="time a move, log axis", ylabel="mean score, points")
    powers = np.log10([line.xs[0] for line in charts.strength])
    axes.set_xlim(10 ** np.floor(powers.min() - 0.05), 10 ** np.ceil(powers.max() + 0.05))
    axes.xaxis.set_major_locator(LogLocator(numticks=8))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: format_seconds(value * 1.0001)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    _label_scores(axes.yaxis, wide=charts.wide)


def _label_scores(axis: "Axis", *, wide: bool) -> None:
    """Label an axis of scores from 0, or a log axis at 1, 2 and 5 times powers of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    if wide:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 300 * low else (1.0,)))
        axis.set_minor_formatter(NullFormatter())
    else:
        axis.set_view_interval(0, high, ignore=True)
    axis.set_major_formatter(_thousands)


def _thousands(value: float, _: float) -> str:
    return f"{value:,.0f}"


# ---- learning curves


def learning_curves(curves: Sequence[DrawnCurve]) -> Drawing:
    """Curves of one axis and figure, with their intervals as bands; several have a legend."""
    names = tuple(curve.name for curve in curves) if len(curves) > 1 else ()
    return Drawing("Learning curves", partial(_draw_curves, curves), names)


def _draw_curves(curves: Sequence[DrawnCurve], axes: "Axes") -> None:
    axis, tile = (curves[0].axis, curves[0].tile) if curves else ("games", 0)
    for number, curve in enumerate(curves):
        style = _line(number)
        marker, colour = "o" if len(curve.games) == 1 else "", style["color"]
        axes.plot(curve.games, curve.means, marker=marker, linewidth=1.4, **style)
        lows, highs = (np.array(ends, dtype=np.float64) for ends in (curve.lows, curve.highs))
        if marker:
            axes.vlines(curve.games, lows, highs, color=colour, linewidth=1.4)
        axes.fill_between(curve.games, lows, highs, color=colour, alpha=0.18, linewidth=0)
    axes.set(xlabel="seconds of training" if axis == "seconds" else axis)
    axes.set(ylabel=f"reached {tile}, % of games" if tile else "mean score, points")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0, top=103 if tile else None)
    axes.xaxis.set_major_formatter(_thousands)
    axes.yaxis.set_major_formatter(_thousands)
