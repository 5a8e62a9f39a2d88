"""The plots of a study as SVG files of their own, in the colours of the page, light or dark."""

import importlib.util
import re
from dataclasses import dataclass
from typing import Final

from twofold.arena.reports.plots import NARROW, WIDTH, telling
from twofold.arena.reports.report import Section, require_report
from twofold.errors import InvalidInput, MissingExtra
from twofold.notation import shown


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of a plot: of players in order, of text, of lines."""

    series: tuple[str, ...]
    ink: str
    faint: str


THEMES: Final = {
    "light": Theme(
        ("#a34a12", "#2f6fb5", "#2c6e3f", "#7b3fa8", "#85560a", "#17696b", "#463d34"),
        ink="#463d34",
        faint="#ded3c2",
    ),
    "dark": Theme(
        ("#f2a566", "#7cb8f0", "#8fce96", "#cf9df0", "#e8bd5a", "#6fc7c9", "#ede5d9"),
        ink="#ede5d9",
        faint="#423a32",
    ),
}
"""The colours of `static/css/base.css`: those of charts and of text, text, lines."""

FONTS: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"

_PLOT: Final = re.compile(r"(reach|survival|scores|strength)-([1-9][0-9]{0,3})")


def check_plots() -> str:
    """Why no plots can be made, in a sentence; empty where they can."""
    if importlib.util.find_spec("matplotlib"):  # its import would keep the tables waiting
        return ""
    try:
        require_report("matplotlib")
    except MissingExtra as error:
        return str(error)
    return ""


def draw(sections: list[Section], name: str, *, narrow: bool = False) -> str:
    """A plot as the report has it, for the inside of a page; empty where there is none.

    Args:
        sections: of the study.
        name: kind and number of the section, from 1 on: `reach-1`.
        narrow: whether it is for a phone.
    """
    found = _PLOT.fullmatch(name)
    if not found or int(found[2]) > len(sections):
        return ""
    entries = sections[int(found[2]) - 1].entries
    plot = telling(entries).get(found[1]) if entries else None
    return plot(entries, name, width=NARROW if narrow else WIDTH) if plot else ""


def theme_of(name: str) -> Theme:
    """A theme by its name; empty for the light one.

    Raises:
        InvalidInput: there is none of that name.
    """
    theme = THEMES.get(name or "light")
    if theme is None:
        raise InvalidInput(f"expected the theme light or dark, got {shown(name)}")
    return theme


def stand_alone(svg: str, theme: Theme) -> bytes:
    """A plot from inside a page as a file: with a size, colours and fonts of its own."""
    box = re.search(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"', svg)
    assert box is not None
    size = f'xmlns="http://www.w3.org/2000/svg" width="{box[1]}" height="{box[2]}"'
    svg = svg.replace("<svg ", f"<svg {size} ", 1)
    return re.sub(r"<[^<>]*>", lambda tag: _dressed(tag[0], theme), svg).encode()


def _dressed(tag: str, theme: Theme) -> str:
    """A tag in the theme's colours and the page's fonts; text between tags stays as it is."""
    for place, colour in enumerate(theme.series):
        tag = tag.replace(f"var(--series-{place})", colour)
    tag = tag.replace("var(--ink)", theme.ink).replace("var(--faint)", theme.faint)
    return re.sub(r"'DejaVu Sans'(, sans-serif)?", FONTS, tag)
