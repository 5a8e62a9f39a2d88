"""Figures as SVG for the inside of a page, or as files of their own."""

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#111111")
"""Okabe and Ito 2008, without their yellow, which is lost on white; the page has its own black.

Source: Okabe and Ito 2008, Color Universal Design.
"""

_INK, _FAINT = "#010203", "#040506"
"""Stand for the page's colours of text and of lines until the SVG is made."""

_SETTINGS: Final[dict[str, Any]] = {
    "axes.axisbelow": True,
    "axes.edgecolor": _FAINT,
    "axes.grid": True,
    "axes.labelcolor": _INK,
    "axes.labelpad": 8.0,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10.0,
    "grid.color": _FAINT,
    "grid.linewidth": 0.6,
    "lines.scale_dashes": False,
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

_PAPER: Final = {_INK: "#1d1f23", _FAINT: "#d9dce1"}
"""Colours of text and of lines in a file of its own."""


def thousands(value: float, _: float) -> str:
    """A number of an axis."""
    return f"{value:,.0f}"


def svg(
    draw: Callable[[Any], None],
    size: tuple[float, float],
    name: str,
    title: str,
    *,
    panels: int = 1,
) -> str:
    """A figure as SVG for the inside of a page.

    Args:
        draw: draws it on its axes; of several panels on an array of them.
        size: width and height, inches.
        name: what the ids in it begin with.
        title: what it shows, read out where it cannot be seen.
        panels: one below the other, on the same x axis.
    """
    with _settings({}):
        figure = _figure(size)
        draw(figure.subplots(panels, sharex=True))
        return _inner(_saved(figure), name, title)


def picture(
    draw: Callable[[Any], None], size: tuple[float, float], form: Literal["svg", "pdf"]
) -> bytes:
    """A figure as a file: black on white, the same bytes whenever it is made.

    Args:
        draw: draws it on its axes.
        size: width and height, inches.
        form: `svg` or `pdf`.
    """
    with _settings(_PAPER):
        figure = _figure(size)
        draw(figure.subplots())
        file = io.BytesIO()
        dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
        figure.savefig(file, format=form, metadata=dates[form], facecolor="white")
        return file.getvalue()


@contextmanager
def _settings(colours: dict[str, str]) -> Iterator[None]:
    """Our settings of Matplotlib, some colours replaced; it warns of no sign without a glyph."""
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # the page's fonts may have it
        matplotlib.rcdefaults()  # what the user has set elsewhere must not change a report
        settings: Any = matplotlib.rcParams
        settings.update({key: colours.get(str(one), one) for key, one in _SETTINGS.items()})
        yield


def _figure(size: tuple[float, float]) -> "Figure":
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained")


def _saved(figure: "Figure") -> str:
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def _inner(svg: str, name: str, title: str) -> str:
    """What of a file stands in a page: no prolog, metadata or styles, ids of its own."""
    svg = svg[svg.index("<svg") :].strip()
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\s*<defs>\s*<style.*?</style>\s*</defs>", "", svg, flags=re.DOTALL)
    box = re.search(r'viewBox="([0-9. ]+)"', svg)
    assert box is not None
    opening = f'<svg class="plot" viewBox="{box[1]}" role="img" aria-label="{title}"'
    svg = re.sub(
        r"<svg[^>]*>", f'{opening} xmlns:xlink="http://www.w3.org/1999/xlink">', svg, count=1
    )
    return re.sub(r"<[^<>]*>", lambda tag: _own(tag[0], name), svg)


def _own(tag: str, name: str) -> str:
    """A tag with ids of its own and the page's colours; text between tags stays as it is."""
    tag = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", tag)
    for place, colour in enumerate(COLOURS):
        tag = tag.replace(colour, f"var(--series-{place})")
    return tag.replace(_INK, "var(--ink)").replace(_FAINT, "var(--faint)")
