"""What the screens of the app have in common: a picture, keys below it, a clock that redraws it."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from twofold.tui.keys import Key, help_rows
from twofold.tui.lines import KeyLine, Lines
from twofold.tui.palette import Colours
from twofold.tui.picture import Canvas, Picture, title_line

FRAMES_PER_SECOND: Final = 30
"""Pictures a second, where something changes."""

NOTICE: Final = "bold reverse"
"""The style of a note that nobody should miss."""


def bindings(keys: Sequence[Key]) -> list[BindingType]:
    """The keys as Textual binds them."""
    return [Binding(",".join(key.every), key.action, key.says, show=False) for key in keys]


class PictureScreen(Screen[None]):
    """A screen that shows a picture and says below what the keys do."""

    KEYS: ClassVar[tuple[Key, ...]] = ()

    def compose(self) -> ComposeResult:
        """The two parts."""
        yield Lines()
        yield KeyLine(self.KEYS)

    def on_mount(self) -> None:
        """Begin to look for changes."""
        self.set_interval(1 / FRAMES_PER_SECOND, self.tick)

    def on_resize(self, _: events.Resize) -> None:
        """Draw the picture for another size."""
        self.draw()

    def on_screen_resume(self) -> None:
        """Draw the picture anew after another screen."""
        self.draw()

    @abstractmethod
    def tick(self) -> None:
        """Look whether something has changed, 30 times a second."""

    @abstractmethod
    def picture(self) -> Picture:
        """What is to be shown."""

    def draw(self) -> None:
        """Show the picture as it is now."""
        if self.is_mounted and self.size.height > 1:
            self.query_one(Lines).show(self.picture().lines(self.canvas))

    @property
    def canvas(self) -> Canvas:
        """What there is to draw on, without the line of keys."""
        return Canvas(self.size.width, self.size.height - 1, self._colours)

    @property
    def _colours(self) -> Colours:
        """What the terminal can show."""
        if self.app.no_color or self.app.console.color_system is None:
            return "none"
        return "16" if self.app.console.color_system == "standard" else "full"

    def action_help(self) -> None:
        """Show what the keys do."""
        self.app.push_screen(HelpScreen(self.KEYS))

    def action_leave(self) -> None:
        """Leave the app."""
        self.app.exit(False)


class HelpScreen(Screen[None]):
    """What the keys of a screen do. Any key goes back."""

    def __init__(self, keys: tuple[Key, ...]) -> None:
        super().__init__()
        self._keys = keys

    def compose(self) -> ComposeResult:
        """The table."""
        rows = help_rows(self._keys)
        widest = max(len(shown) for shown, _ in rows)
        yield Lines(
            [
                title_line("keys"),
                Text(),
                *(
                    Text.assemble((f"{shown:<{widest}}", "bold"), f"  {says}")
                    for shown, says in rows
                ),
                Text(),
                Text("any key goes back", style="dim"),
            ]
        )

    def on_key(self, event: events.Key) -> None:
        """Go back."""
        event.stop()
        if event.key == "ctrl+c":
            self.app.exit(True)
        else:
            self.dismiss()
