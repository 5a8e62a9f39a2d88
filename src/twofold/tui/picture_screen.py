"""The base of all screens: a picture, keys below it, a timer that redraws it."""

from abc import abstractmethod
from collections.abc import Sequence
from itertools import zip_longest
from typing import ClassVar, Final

from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from twofold.tui.keys import COMMON_KEYS, ScreenKey, help_rows
from twofold.tui.picture import Canvas, ScreenPicture, title_line, wrapped
from twofold.tui.tiles import Colours


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
            if old is None or new is None or old != new or old.style != new.style
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


FRAMES_PER_SECOND: Final = 36
"""Timer rate; a few ticks come late, and at least 30 pictures a second are wanted."""

NOTICE: Final = "bold reverse"
"""The style of an important note."""


def bindings(keys: Sequence[ScreenKey]) -> list[BindingType]:
    """The keys as Textual binds them."""
    return [Binding(",".join(key.every), key.action, key.says, show=False) for key in keys]


class PictureScreen(Screen[None]):
    """A screen with a picture and a line of keys."""

    KEYS: ClassVar[tuple[ScreenKey, ...]] = ()

    def compose(self) -> ComposeResult:
        """The two widgets."""
        yield Lines()
        yield KeyLine(self.KEYS)

    def on_mount(self) -> None:
        """Start the timer."""
        self.set_interval(1 / FRAMES_PER_SECOND, self.tick)

    def on_resize(self, _: events.Resize) -> None:
        """Draw the picture for the new size."""
        self.draw()

    def on_screen_resume(self) -> None:
        """Draw the picture when another screen has closed."""
        self.draw()

    @abstractmethod
    def tick(self) -> None:
        """Draw changes; called FRAMES_PER_SECOND times a second."""

    @abstractmethod
    def picture(self) -> ScreenPicture:
        """The picture to show."""

    def draw(self) -> None:
        """Draw the present picture."""
        if self.is_mounted and self.size.height > 1:
            self.query_one(Lines).show(self.picture().lines(self.canvas))

    @property
    def canvas(self) -> Canvas:
        """The canvas above the line of keys."""
        system = self.app.console.color_system
        colours: Colours = "16" if system == "standard" else "full"
        if self.app.no_color or system is None:
            colours = "none"
        return Canvas(self.size.width, self.size.height - 1, colours)

    def action_help(self) -> None:
        """Show the help for the keys."""
        self.app.push_screen(HelpScreen(self.KEYS))

    def action_leave(self) -> None:
        """Leave the app."""
        self.app.exit(False)


class HelpScreen(Screen[None]):
    """The help for the keys of a screen; any key closes it, except those that scroll."""

    def __init__(self, keys: tuple[ScreenKey, ...]) -> None:
        super().__init__()
        self._rows = help_rows(keys)
        self._top = 0  # number of lines scrolled out above
        self._last = 0  # its maximum

    def compose(self) -> ComposeResult:
        """The table."""
        yield Lines()

    def on_resize(self, _: events.Resize) -> None:
        """Draw the table for the new size."""
        self._draw()

    def _draw(self) -> None:
        table = [line for shown, says in self._rows for line in self._lines_of(shown, says)]
        blanks = [Text()] * (len(table) + 4 <= self.size.height)
        room = max(self.size.height - 2 - 2 * len(blanks), 1)
        self._last = max(len(table) - room, 0)
        self._top = min(max(self._top, 0), self._last)
        note = "any key goes back" + "; ↑ and ↓ show the rest" * bool(self._last)
        seen = table[self._top : self._top + room]
        note_line = Text(note, style="dim")
        self.query_one(Lines).show([title_line("keys"), *blanks, *seen, *blanks, note_line])

    def _lines_of(self, shown: str, says: str) -> list[Text]:
        start = max(len(one) for one, _ in self._rows) + 2
        says_lines = wrapped(Text(says), max(self.size.width - start, 1))
        signs = [Text(f"{shown:<{start}}", "bold"), *[Text(" " * start)] * (len(says_lines) - 1)]
        return [Text.assemble(*pair) for pair in zip(signs, says_lines, strict=True)]

    def on_key(self, event: events.Key) -> None:
        """Scroll, or close the help."""
        event.stop()
        if event.key == "ctrl+c":
            self.app.exit(True)
        elif self._last and event.key in ("up", "down"):
            self._top += 1 if event.key == "down" else -1
            self._draw()
        else:
            self.dismiss()
