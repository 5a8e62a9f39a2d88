"""Draws with Matplotlib in a palette: SVG inside a page, or files."""

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Literal, get_args

from twofold.errors import MissingExtra

Form = Literal["svg", "pdf", "png"]

FORMS: Final[tuple[Form, ...]] = get_args(Form)
"""The formats of a file, which are also its suffixes."""

_CHANGING: Final[dict[Form, str]] = {"svg": "Date", "pdf": "CreationDate", "png": "Software"}
"""The metadata that differ from one time or machine to another."""


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
    """

    title: str
    size: tuple[float, float]
    draw: Callable[[Any], None]
    panels: int = 1

    def inline(self, name: str) -> str:
        """SVG for the inside of a page, in the colours of PAPER; its ids begin with `name`."""
        metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        return _inner(self._saved("svg", metadata).decode(), name, self.title)

    def file(self, form: Form) -> bytes:
        """A file for a paper: black on white."""
        return self._saved(form, {_CHANGING[form]: None}, background="white")

    def _saved(
        self, form: Form, metadata: dict[str, str | None], background: str = "none"
    ) -> bytes:
        require_report("matplotlib")
        from matplotlib.figure import Figure

        with _settings():
            figure, file = Figure(figsize=self.size, layout="constrained"), io.BytesIO()
            self.draw(figure.subplots(self.panels, sharex=True))
            figure.savefig(file, format=form, metadata=metadata, facecolor=background)
            return file.getvalue()


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
