"""The base of all screens: a picture, keys below it, a timer that redraws it."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from twofold.tui.keys import ScreenKey, help_rows
from twofold.tui.lines import KeyLine, Lines
from twofold.tui.palette import Colours
from twofold.tui.picture import Canvas, ScreenPicture, title_line, wrapped

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
        return Canvas(self.size.width, self.size.height - 1, self._colours)

    @property
    def _colours(self) -> Colours:
        if self.app.no_color or self.app.console.color_system is None:
            return "none"
        return "16" if self.app.console.color_system == "standard" else "full"

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
