"""Widgets: lines of text, redrawn only where they change, and the line of keys."""

from collections.abc import Sequence
from itertools import zip_longest

from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from twofold.tui.keys import COMMON_KEYS, ScreenKey


class Lines(Widget):
    """Lines of text over the whole width."""

    DEFAULT_CSS = """
    Lines { width: 1fr; height: 1fr; background: ansi_default; color: ansi_default; }
    """

    def __init__(self, lines: Sequence[Text] = ()) -> None:
        super().__init__()
        self._lines = list(lines)
        self._base: Style | None = None  # from Textual's style sheet; constant

    def show(self, lines: Sequence[Text]) -> None:
        """Show other lines."""
        before, self._lines = self._lines, list(lines)
        width = self.size.width
        changed = [
            Region(0, number, width, 1)
            for number, (old, new) in enumerate(zip_longest(before, lines))
            if not _are_same(old, new)
        ]
        if changed:
            self.refresh(*changed)

    def render_line(self, y: int) -> Strip:
        """Draw one line; called by Textual."""
        width = self.size.width
        if self._base is None:
            self._base = self.rich_style
        if y >= len(self._lines):
            return Strip.blank(width, self._base)
        line = self._lines[y]
        strip = Strip(segments_of(line, self._base, self.app.console), line.cell_len)
        return strip.adjust_cell_length(width, self._base)


def segments_of(line: Text, base: Style, console: Console) -> list[Segment]:
    """The segments of a line.

    `Text.render` does the same in five times the time; it is needed only if spans overlap.
    """
    own = base + _style(line.style)
    plain, at = line.plain, 0
    parts = []
    for start, end, style in line.spans:
        if start < at:
            return list(Segment.apply_style(line.render(console), base))
        if start > at:
            parts.append(Segment(plain[at:start], own))
        parts.append(Segment(plain[start:end], own + _style(style)))
        at = end
    if at < len(plain):
        parts.append(Segment(plain[at:], own))
    return parts


def _style(style: str | Style) -> Style:
    return Style.parse(style) if isinstance(style, str) else style


def _are_same(old: Text | None, new: Text | None) -> bool:
    if old is new:
        return True
    return old is not None and new is not None and old == new and old.style == new.style


class KeyLine(Lines):
    """The keys with their actions, as many as fit; a click presses the key."""

    DEFAULT_CSS = """
    KeyLine { height: 1; }
    """

    def __init__(self, keys: Sequence[ScreenKey]) -> None:
        super().__init__()
        self._keys = keys
        self._places: list[tuple[int, int, ScreenKey]] = []

    def on_resize(self, event: events.Resize) -> None:
        """Choose the keys that fit the new width."""
        line = Text()
        self._places = []
        for key in fitting(self._keys, event.size.width):
            line.append("  " if line else "")
            start = line.cell_len
            line.append(_sign(key), "bold").append(f" {key.brief}", "dim")
            self._places.append((start, line.cell_len, key))
        self.show([line])

    def on_click(self, event: events.Click) -> None:
        """Press the clicked key."""
        for start, end, key in self._places:
            if start <= event.x < end and not key.action.startswith("move"):
                self.app.simulate_key(next(key.every))


def _sign(key: ScreenKey) -> str:
    return key.shown.partition(",")[0]


def fitting(keys: Sequence[ScreenKey], width: int) -> list[ScreenKey]:
    """The keys with a short label that fit, in order; common keys have priority."""
    named = [key for key in keys if key.brief]
    chosen: set[ScreenKey] = set()
    for key in sorted(named, key=lambda key: key not in COMMON_KEYS):
        lengths = [len(_sign(one)) + 3 + len(one.brief) for one in (*chosen, key)]
        if sum(lengths) - 2 <= width:
            chosen.add(key)
    return [key for key in named if key in chosen]
