"""The plots of a report, for pages and files, and joint learning curves; drawn with Matplotlib.

Player names are in legends outside; only labels of scores and curves are drawn by Matplotlib,
which does not parse mathematics in them.
"""

import csv
import io
import operator
import os
import re
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from twofold.arena.report import (
    ChartLine,
    ReportEntry,
    Section,
    far,
    is_wide,
    reach_lines,
    survival_lines,
)
from twofold.arena.stats import Interval, mean_interval, telling_tiles
from twofold.arena.survival import edges_of
from twofold.errors import InvalidInput, InvalidNetwork, MissingExtra
from twofold.figures import csv_text, format_seconds
from twofold.game.notation import printable, shown
from twofold.storage.files import read_start
from twofold.values.network_file import read_card

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Form = Literal["svg", "pdf", "png"]

FORMS: Final[tuple[Form, ...]] = get_args(Form)
"""The formats of a file, which are also its suffixes."""

_CHANGING: Final[dict[Form, str]] = {"svg": "Date", "pdf": "CreationDate", "png": "Software"}
"""The metadata that differ from one time or machine to another."""


_ONE_AT_A_TIME: Final = threading.Lock()
"""Held while something is drawn: the settings of Matplotlib are those of the whole process."""


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a drawing: of series in order, of text, of lines."""

    series: tuple[str, ...]
    ink: str
    faint: str


PAPER: Final = Palette(
    ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#111111"),
    ink="#1d1f23",
    faint="#d9dce1",
)
"""For white paper. The series are those of Okabe and Ito without yellow, invisible on white.

Source: Okabe and Ito 2008, Color Universal Design.
"""

SERIES: Final = len(PAPER.series)
"""Number of series colours, which Matplotlib names C0, C1 and so on."""

_SETTINGS: Final[dict[str, Any]] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.labelpad": 8.0,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10.0,
    "grid.linewidth": 0.6,
    "lines.scale_dashes": False,
    "savefig.dpi": 200.0,
    "pdf.fonttype": 42,  # TrueType: journals refuse Type 3
    "svg.fonttype": "none",
    "svg.hashsalt": "twofold",
    "text.parse_math": False,
    "ytick.major.size": 0.0,
    "ytick.minor.size": 0.0,
}
_INK: Final = ("axes.labelcolor", "text.color", "xtick.labelcolor", "ytick.labelcolor")
_FAINT: Final = ("axes.edgecolor", "grid.color", "xtick.color", "ytick.color")
"""Settings for the colours of text and of lines."""


def require_report(module: str) -> Any:
    """Import a module of the extra `report`, or raise MissingExtra."""
    try:
        return import_module(module)
    except ImportError:
        use = "Parquet" if module.startswith("pyarrow") else "a plot"
        raise MissingExtra.of("report", use) from None


def thousands(value: float, _: float) -> str:
    """Format a number of an axis."""
    return f"{value:,.0f}"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing, whose output has the same bytes each time.

    Attributes:
        title: the text for screen readers.
        size: width and height, inches of 72 points.
        draw: draws it on its axes; on an array of them if there are several panels.
        panels: number of panels, one below the other, with the same x axis.
        players: names for the legend of a file, in the order of their styles; a page has its own.
    """

    title: str
    size: tuple[float, float]
    draw: Callable[[Any], None]
    panels: int = 1
    players: tuple[str, ...] = ()

    def inline(self, name: str) -> str:
        """SVG for the inside of a page, in the colours of PAPER; its ids begin with `name`."""
        metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        return _inner(self._saved("svg", metadata).decode(), name, self.title)

    def file(self, form: Form) -> bytes:
        """A file for a paper: black on white, with a legend."""
        return self._saved(form, {_CHANGING[form]: None}, self.players, background="white")

    def _saved(
        self,
        form: Form,
        metadata: dict[str, str | None],
        players: Sequence[str] = (),
        background: str = "none",
    ) -> bytes:
        require_report("matplotlib")
        from matplotlib.figure import Figure

        with _ONE_AT_A_TIME, _settings():
            figure, file = Figure(figsize=self.size, layout="constrained"), io.BytesIO()
            self.draw(figure.subplots(self.panels, sharex=True))
            if players:
                _add_legend(figure, players)
            figure.savefig(file, format=form, metadata=metadata, facecolor=background)
            return file.getvalue()


def _add_legend(figure: "Figure", players: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    lines = [
        Line2D([], [], label=f" {_shortened(name, _LONGEST_CURVE)}", **style.line, **style.mark(6))
        for name, style in ((name, Style.of(place)) for place, name in enumerate(players))
    ]
    columns = max(1, min(len(players), _LEGEND // (max(map(len, players)) + 8)))
    figure.legend(handles=lines, loc="outside lower center", ncols=columns, frameon=False)


@contextmanager
def _settings() -> Iterator[None]:
    """Apply the settings of Matplotlib; warnings of missing glyphs are ignored."""
    import matplotlib
    from matplotlib.rcsetup import cycler

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # the page's fonts may have it
        matplotlib.rcdefaults()  # a report must not depend on the user's settings
        settings: Any = matplotlib.rcParams
        settings.update(_SETTINGS)
        settings.update(dict.fromkeys(_INK, PAPER.ink) | dict.fromkeys(_FAINT, PAPER.faint))
        settings["axes.prop_cycle"] = cycler(color=PAPER.series)
        yield


def _inner(svg: str, name: str, title: str) -> str:
    """The part of an SVG file that belongs into a page: no prolog, no styles, unique ids."""
    svg = re.sub(r"\s*<defs>\s*<style.*?</style>\s*</defs>", "", svg, flags=re.DOTALL)
    opening, _, body = svg[svg.index("<svg") :].strip().partition(">")
    box = opening.partition('viewBox="')[2].partition('"')[0]
    body = re.sub(  # only inside tags; text between them is unchanged
        r"<[^<>]*>", lambda tag: re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", tag[0]), body
    )
    return (
        f'<svg class="plot" viewBox="{box}" role="img" aria-label="{title}" '
        f'xmlns:xlink="http://www.w3.org/1999/xlink">{body}'
    )


RUNS_SUFFIX: Final = ".runs.csv"
"""Suffix of the file of a joint curve, such as `net.runs.csv` beside `net-1.safetensors`."""

COLUMNS: Final = ("games", "mean", "low", "high")
"""The first columns of that file, followed by a column `seed_N` for each run."""

_LARGEST: Final = 1e15
"""Largest number in a curve: games, moves, seconds or points."""

MAX_BYTES: Final = 4 * 2**20
"""Largest file of a curve that is read."""


@dataclass(frozen=True, slots=True)
class OneCurve:
    """The learning curve of a run.

    `points` are the number of finished games and the mean score since the point before, at equal
    distances.
    """

    seed: int
    points: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class JointPoint:
    """The runs after the same number of games.

    Attributes:
        games: of each run.
        mean: over the runs with this many games, with its 95 % interval by Student's t.
        runs: the mean score of each run; None for a run with fewer games.
    """

    games: int
    mean: Interval
    runs: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class JointCurve:
    """The learning curves of several runs, with points in the order of games."""

    seeds: tuple[int, ...]
    points: tuple[JointPoint, ...]

    @property
    def last(self) -> JointPoint | None:
        """The last point of all runs; None if there is none."""
        there = [point for point in self.points if None not in point.runs]
        return there[-1] if there else None

    def csv(self) -> str:
        """One line a point, with a header; unknown cells are empty."""
        rows = []
        for point in self.points:
            found = (point.mean.value, point.mean.low, point.mean.high, *point.runs)
            rounded = [None if value is None else round(value, 1) for value in found]
            rows.append([point.games, *rounded])
        return csv_text([*COLUMNS, *(f"seed_{seed}" for seed in self.seeds)], rows)


def runs_path(out: str | os.PathLike[str]) -> Path:
    """The file of a joint curve: `net.runs.csv` for `net.safetensors`."""
    return Path(out).with_suffix(RUNS_SUFFIX)


def join(curves: Sequence[OneCurve]) -> JointCurve:
    """Join curves; points are averaged to the largest distance of any curve.

    There is a point wherever a run has one. The interval needs two runs.
    """
    apart = max((curve.points[0][0] for curve in curves if curve.points), default=1)
    means = [_widened(curve.points, apart) for curve in curves]
    points = []
    for games in sorted(set().union(*means)):
        runs = tuple(found.get(games) for found in means)
        known = [mean for mean in runs if mean is not None]
        points.append(JointPoint(games, mean_interval(known), runs))
    return JointCurve(tuple(curve.seed for curve in curves), tuple(points))


def _widened(points: Sequence[tuple[int, float]], apart: int) -> dict[int, float]:
    """Points at distance `apart`, each the mean of those since the one before."""
    if not points:
        return {}
    size = max(apart // points[0][0], 1)
    groups = [points[end - size : end] for end in range(size, len(points) + 1, size)]
    return {group[-1][0]: sum(mean for _, mean in group) / size for group in groups}


def read_runs(paths: Iterable[str | os.PathLike[str]]) -> JointCurve:
    """The joint curve of the networks in some files; the weights are not read."""
    return join(list(map(_curve_of, paths)))


def _curve_of(path: str | os.PathLike[str]) -> OneCurve:
    card = read_card(path)
    try:
        seed = int(card.settings["seed"])
        points = tuple((int(row[0]), float(row[3])) for row in card.curve)
        games = [0, *(at for at, _ in points)]
        if not all(map(operator.lt, games, games[1:])) or not all(_may_hold(y) for _, y in points):
            raise ValueError
    except (KeyError, TypeError, ValueError, IndexError, OverflowError):
        raise InvalidNetwork(
            f"expected the file of a training run, got {shown(os.fspath(path))}"
        ) from None
    return OneCurve(seed, points)


# ---- curves to draw


@dataclass(frozen=True, slots=True)
class DrawnCurve:
    """A curve to draw: of one run, or the mean of several runs with its interval.

    Attributes:
        games: number of games, or what `axis` says.
        means: mean scores in points, or with a `tile` its reach rate in percent.
        lows, highs: ends of the intervals; None if unknown.
    """

    name: str
    games: tuple[float, ...]
    means: tuple[float, ...]
    lows: tuple[float | None, ...]
    highs: tuple[float | None, ...]
    axis: str = "games"
    tile: int = 0


AXES: Final = ("games", "moves", "seconds")
"""What a learning curve can be drawn over."""


def read_curve(path: str | os.PathLike[str], *, axis: str = "games", tile: int = 0) -> DrawnCurve:
    """The curve in a `net.csv` or `net.runs.csv` of `twofold train`.

    Args:
        path: the file.
        axis: one of `AXES`; a joint curve has games alone.
        tile: reach rates of this tile in place of scores; 0 for scores.

    Raises:
        InvalidInput: it is no such file, or has no such columns.
    """
    data = read_start(path, MAX_BYTES + 1)
    try:
        if len(data) > MAX_BYTES:
            raise ValueError
        header, *lines = list(csv.reader(io.StringIO(data.decode()), strict=True)) or [[]]
        if not {"games", "mean"} <= set(header):
            raise ValueError
        columns = {name: [line[place] for line in lines] for place, name in enumerate(header)}
        figure = f"reached_{tile}" if tile else "mean"
        if lacking := {axis, figure} - set(header):
            raise InvalidInput(
                f"expected a curve with the column {min(lacking)}, got {shown(os.fspath(path))}, "
                f"which has {shown(', '.join(header[:12]))}"
            )
        return DrawnCurve(
            Path(path).name,
            tuple(map(finite_number, columns[axis])),
            tuple((100 if tile else 1) * finite_number(cell) for cell in columns[figure]),
            _ends(None if tile else columns.get("low"), len(lines)),
            _ends(None if tile else columns.get("high"), len(lines)),
            axis,
            tile,
        )
    except InvalidInput:
        raise
    except (csv.Error, ValueError, IndexError):
        raise InvalidInput(
            "expected a learning curve of twofold train, such as net.csv or net.runs.csv, "
            f"got {shown(os.fspath(path))}"
        ) from None


def read_points(path: str | os.PathLike[str], *, axis: str = "games", tile: int = 0) -> DrawnCurve:
    """The curve of `read_curve`; raises InvalidInput if it has no points, too."""
    curve = read_curve(path, axis=axis, tile=tile)
    if not curve.games:
        raise InvalidInput(f"expected a curve with points, got none in {shown(curve.name)}")
    return curve


def finite_number(text: str) -> float:
    """Parse a finite number, or raise ValueError."""
    value = float(text)
    if not _may_hold(value):
        raise ValueError(f"expected a number, got {text!r}")
    return value


def _may_hold(value: float) -> bool:
    return abs(value) <= _LARGEST


def _ends(cells: list[str] | None, count: int) -> tuple[float | None, ...]:
    if cells is None:
        return (None,) * count
    return tuple(finite_number(cell) if cell else None for cell in cells)


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
_LEGEND: Final = 84
"""Letters in a line of a legend."""


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


def _names(entries: Entries) -> tuple[str, ...]:
    return tuple(entry.player for entry in entries)


# ---- the plots


def drawing(entries: Entries, kind: str) -> Drawing | None:
    """A plot of players in the order of their table; None if it would show nothing."""
    return PLOTS[kind](entries)


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
    found = drawing(sections[0].entries, kind)
    if found is None:
        raise InvalidInput(f"expected games that differ for the plot {kind}; it would show nothing")
    return found


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

    title = "Share of games that reached each tile"
    return Drawing(title, (WIDTH, _HEIGHT), draw, players=_names(entries))


def _draw_line(
    axes: "Axes", line: ChartLine, places: Sequence[float], width: float, size: float
) -> None:
    """A line with its intervals."""
    style = Style.of(line.player)
    axes.plot(places, line.ys, linewidth=width, **style.line, **style.mark(size))
    if line.high:
        axes.fill_between(places, line.low, line.high, color=style.name, alpha=0.15, linewidth=0)


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

    title, names = "Where games ended, by tile sum", _names(entries)
    return Drawing(title, (WIDTH, 5.2), draw, panels=2, players=names)


def scores(entries: Entries) -> Drawing:
    """Histograms of the scores of each player, one below the other on the same axis."""
    wide = is_wide(entries)
    points = [np.maximum(entry.games.scores, 1).astype(np.float64) for entry in entries]
    values = [np.log10(one) if wide else one for one in points]
    labels = [_shortened(entry.player, _LONGEST_LABEL) for entry in entries]

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

    names = tuple(f"{place} {name}" for place, name in enumerate(_names(entries), 1))
    return Drawing("Mean score against time a move", (WIDTH, _HEIGHT), draw, players=names)


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
    """Curves of one axis and figure, with their intervals as bands; `legend` names several."""
    axis = curves[0].axis if curves else "games"
    tile = curves[0].tile if curves else 0

    def draw(axes: "Axes") -> None:
        for number, curve in enumerate(curves):
            _draw_curve(axes, Style.of(number), curve)
        axes.set(xlabel="seconds of training" if axis == "seconds" else axis)
        axes.set(ylabel=f"reached {tile}, % of games" if tile else "mean score, points")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0, top=103 if tile else None)
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
