"""Draws docs/images/league.svg: the mean score of every player over its time a move."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from league_rows import Row
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from twofold.figures import format_seconds

PICTURE = Path(__file__).parent / "images" / "league.svg"
INK, PALE = "#333333", "#8a8a8a"
LEFT, RIGHT, TOP = 3e-8, 2.5, 830_000  # seconds, seconds, points
NO_TIME = 9.0  # seconds: the place of players whose time is not published


@dataclass(frozen=True, slots=True)
class Family:
    """Players on one line of the picture.

    Attributes:
        name: written beside the line.
        pattern: of the players that belong to it; the first family that fits has the player.
        place: of the name: number of the point, then points to the right and up.
        depth: pattern of the depth that is written at each point; empty for none.
    """

    name: str
    pattern: str
    colour: str
    mark: str
    place: tuple[int, float, float]
    depth: str = ""
    align: str = "left"


BLUE, SKY, ORANGE, GREEN, RED, PINK = (
    "#0072b2", "#3a9bd5", "#d55e00", "#00805d", "#a03030", "#b0508a"
)  # fmt: skip
PLY, DEPTH = r"ply[= ](\d(?:/\d)?)", r"depth (\d)"
FAMILIES = (
    Family("twofold, handing over late", r"^ntuple:late=", BLUE, "D", (1, -9, 9), PLY, "right"),
    Family(
        "twofold, other endgame tables", r"^ntuple:ply=[\d/@]+,tables=auto", SKY, "D",
        (1, 9, -12), PLY,
    ),
    Family("twofold", r"^ntuple:ply=\d$", BLUE, "o", (1, 4, 9), PLY),
    Family("twofold, tiny network", r"^ntuple:net=tiny", SKY, "o", (0, -4, 10), PLY),
    Family(
        "twofold, expectimax", r"^expectimax:(eval=rows,)?ply", PINK, "^", (3, -2, 10), PLY, "right"
    ),
    Family("expectimax, snake", r"^expectimax:eval=snake", PALE, "v", (1, 14, -4), PLY),
    Family("alphabeta", r"^alphabeta", PALE, "v", (1, 0, 6), r"depth=(\d)", "center"),
    Family("TDL2048+, twofold's network", r"^TDL2048\+, ply", GREEN, "s", (1, 10, -14), PLY),
    Family("macroxue/2048-ai", r"^macroxue/2048-ai, depth", ORANGE, "P", (1, 12, -6), DEPTH),
    Family("nneonneo/2048-ai", r"^nneonneo/2048-ai", RED, "X", (2, 10, -3), DEPTH),
)  # fmt: skip
PUBLISHED = (
    Family(
        "macroxue/2048-ai, 18 GB of tables", r"^macroxue/2048-ai, 18 GB", ORANGE, "P",
        (2, -8, 7), DEPTH, "right",
    ),
    Family(
        "macroxue/2048-ai, published", r"^macroxue/2048-ai, depth", ORANGE, "P", (5, 11, 2), DEPTH
    ),
    Family(
        "TDL2048+, its authors' network", r"^TDL2048\+, 8x6", GREEN, "s", (1, -9, 4), PLY, "right"
    ),
    Family("2048EndgameTablebase", r"^2048Endgame", INK, "*", (0, -9, -3), align="right"),
    Family("Jaśkowski 2018", r"^Jaśkowski", PALE, "h", (0, 0, -14), align="center"),
    Family("PufferLib's policy network", r"^PufferLib", INK, "*", (0, -9, -3), align="right"),
)  # fmt: skip
"""In the order in which they are tried."""
PLACES = {
    "corner": (-4, -1, "right"),
    "greedy": (0, 9, "center"),
    "random": (4, 4, "left"),
    "minimax:depth=5": (6, -1, "left"),
    "datumbox": (6, -6, "left"),
    "it3105-snake": (-2, -11, "center"),
    "quick": (-5, 2, "right"),
    "policy:ply=1": (0, 7, "center"),
}
"""Points to the right and up of the names of players in no family, and their alignment."""


def family_of(row: Row) -> Family | None:
    """The first family that fits."""
    fitting = PUBLISHED if row.is_published else FAMILIES
    return next((one for one in fitting if re.search(one.pattern, row.player)), None)


def time_of(row: Row, rows: Sequence[Row]) -> float | None:
    """The time a move; for TDL2048+ with a network like ours, that of the program measured here."""
    if row.player.startswith("TDL2048+, 8x6"):
        name = f"TDL2048+, {row.player.rpartition(', ')[2]}"
        return next((one.seconds for one in rows if one.player == name), None)
    return row.seconds


def drawn(rows: Sequence[Row]) -> list[Row]:
    """The rows with a mark: those of `3/2@3` without `late` would lie on others."""
    return [row for row in rows if not re.search("^ntuple:ply=3/2@3", row.player)]


def draw(rows: Sequence[Row]) -> None:
    """Write the picture."""
    rows = drawn(rows)
    figure = Figure(figsize=(10, 7), layout="constrained")
    axes = figure.subplots()
    set_axes(axes)
    for family in (*PUBLISHED, *FAMILIES):
        ours = [row for row in rows if family_of(row) is family]
        draw_family(axes, family, sorted(ours, key=lambda row: time_of(row, rows) or NO_TIME), rows)
    draw_others(axes, [row for row in rows if family_of(row) is None])
    figure.savefig(PICTURE, metadata={"Date": None})


def set_axes(axes: Axes) -> None:
    """Scales, ticks, names, and the strip for unknown times."""
    axes.set_xscale("log")
    axes.set_xlim(LEFT, 30)
    axes.set_ylim(0, TOP)
    axes.set_xticks([10.0**power for power in range(-7, 1)])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: format_seconds(value)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set_xlabel("time a move, one thread", color=INK)
    axes.set_ylabel("mean score, points", color=INK)
    axes.grid(True, which="major", alpha=0.25, linewidth=0.6)
    axes.tick_params(colors=INK, length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.axvspan(RIGHT, 30, color="#f1f1f1", linewidth=0)
    axes.text(NO_TIME, 12_000, "time not\npublished", ha="center", fontsize=8, color=PALE)
    words = "filled: measured here, bars: 95 % intervals\nhollow: published by the authors"
    axes.text(4e-8, TOP - 16_000, words, va="top", fontsize=9, color=INK)


def draw_family(axes: Axes, family: Family, ours: Sequence[Row], rows: Sequence[Row]) -> None:
    """A line with its name; players without a time are put into the strip."""
    if not ours:
        return
    timed = [(time_of(row, rows), row) for row in ours]
    points = [(seconds or NO_TIME, row.mean) for seconds, row in timed]
    inside = [point for point, (seconds, _) in zip(points, timed, strict=True) if seconds]
    published = family in PUBLISHED
    face = "white" if published else family.colour
    axes.plot(
        *zip(*inside, strict=True) if inside else ((), ()),
        color=family.colour,
        linestyle="--" if published else "-",
        linewidth=1 if published else 1.8,
        zorder=2,
    )
    for (seconds, mean), row in zip(points, ours, strict=True):
        if row.low is not None and row.high is not None:
            axes.plot([seconds] * 2, [row.low, row.high], color=family.colour, lw=1, alpha=0.5)
        size = 9 if family.mark == "*" else 6
        axes.plot(seconds, mean, family.mark, color=family.colour, mfc=face, ms=size, zorder=3)
        if family.depth and (found := re.search(family.depth, row.player)):
            note(axes, found[1], (seconds, mean), (5, -9), family.colour, 7)
    number, right, up = family.place
    place = points[min(number, len(points) - 1)]
    note(axes, family.name, place, (right, up), family.colour, 9, family.align)


def draw_others(axes: Axes, rows: Sequence[Row]) -> None:
    """Dots with the names of the remaining players."""
    for row in rows:
        point = (row.seconds or NO_TIME, row.mean)
        axes.plot(*point, ".", color=PALE, zorder=2)
        right, up, align = PLACES.get(row.player, (5, 3, "left"))
        note(axes, row.player, point, (right, up), PALE, 7, align)


def note(
    axes: Axes,
    text: str,
    point: tuple[float, float],
    place: tuple[float, float],
    colour: str,
    size: float,
    align: str = "left",
) -> None:
    """Write beside a point."""
    axes.annotate(
        text,
        point,
        place,
        textcoords="offset points",
        fontsize=size,
        color=colour,
        ha=align,
        bbox={"facecolor": "white", "alpha": 0.4, "linewidth": 0, "pad": 0.4},
        zorder=4,
    )
