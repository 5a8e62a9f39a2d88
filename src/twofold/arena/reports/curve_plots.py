"""Learning curves drawn: in a page, or as SVG and PDF files for a paper."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from twofold.arena.reports.joint_curve import DrawnCurve
from twofold.arena.reports.plots import WIDTH, Style
from twofold.arena.reports.report import require_report
from twofold.arena.reports.svg import COLOURS, picture, svg, thousands
from twofold.notation import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Form = Literal["svg", "pdf"]

FORMS: Final[tuple[Form, ...]] = ("svg", "pdf")
"""The forms of a picture, which are also the ends of its name."""

_HEIGHT: Final = 3.6
_LONGEST: Final = 40


def curves_figure(curves: Sequence[DrawnCurve], name: str = "curves") -> str:
    """Mean scores by games, with their intervals as bands, as SVG for the inside of a page.

    Raises:
        MissingExtra: Matplotlib is not installed.
    """
    require_report("matplotlib")
    return svg(lambda axes: _draw(axes, curves), (WIDTH, _HEIGHT), name, "Learning curves")


def curves_picture(curves: Sequence[DrawnCurve], form: Form) -> bytes:
    """The same as a file of its own, with a legend where there are several curves.

    Raises:
        MissingExtra: Matplotlib is not installed.
    """
    require_report("matplotlib")

    def draw(axes: "Axes") -> None:
        _draw(axes, curves)
        if len(curves) > 1:
            axes.legend(loc="upper left", frameon=False)

    return picture(draw, (WIDTH, _HEIGHT), form)


def _draw(axes: "Axes", curves: Sequence[DrawnCurve]) -> None:
    for number, curve in enumerate(curves):
        _draw_curve(axes, Style.of(number), curve)
    axes.set(xlabel="games", ylabel="mean score, points")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_formatter(thousands)
    axes.yaxis.set_major_formatter(thousands)


def _draw_curve(axes: "Axes", style: Style, curve: DrawnCurve) -> None:
    """A line, and a band where the interval is known."""
    colour = COLOURS[style.colour]
    label = printable(curve.name)
    label = label if len(label) <= _LONGEST else label[: _LONGEST - 1] + "…"
    label = f" {label}"  # Matplotlib leaves out what begins with "_"
    marker = "o" if len(curve.games) == 1 else ""
    line = {"color": colour, "linestyle": style.line, "linewidth": 1.4}
    axes.plot(curve.games, curve.means, marker=marker, label=label, **line)
    lows, highs = (np.array(ends, dtype=np.float64) for ends in (curve.lows, curve.highs))
    if marker:
        axes.vlines(curve.games, lows, highs, color=colour, linewidth=1.4)
    axes.fill_between(curve.games, lows, highs, color=colour, alpha=0.18, linewidth=0)
