"""The app and the base of its screens: a picture, keys below it, a timer, a walk in a game.

The keys of the full screen app: their actions, and their names in the key line and the help.

They are those of the web app, as far as a terminal can distinguish them.
"""

import asyncio
import codecs
import contextlib
import functools
import signal
import sys
import threading
from abc import abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from twofold.cli.tui.picture import Canvas, ScreenPicture, title_line, wrapped
from twofold.figures import format_pace
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import Move
from twofold.games import mover
from twofold.games.judge import MISTAKES, MoveJudgement


def key(keys: str, action: str, shown: str, says: str, brief: str = "") -> Binding:
    """Keys for one action, letters in both cases.

    Args:
        keys: the keys, as Textual names them, with commas between.
        action: the method `action_...` of the screen.
        shown: the keys as people know them.
        says: the action in words, for the help.
        brief: a short label for the key line; empty to leave it out.
    """
    every = [one + f",{one.upper()}" * (len(one) == 1) for one in keys.split(",")]
    return Binding(",".join(every), action, brief, show=False, key_display=shown, tooltip=says)


MOVES: Final = (
    ("up,w,k", Move.UP),
    ("right,d,l", Move.RIGHT),
    ("down,s,j", Move.DOWN),
    ("left,a,h", Move.LEFT),
)

MOVE_KEYS: Final = tuple(
    key(keys, f"move('{move.letter}')", "arrows, WASD, HJKL", "move", "move" * (move is Move.UP))
    for keys, move in MOVES
)

SPEED_KEYS: Final = (
    key("plus,equals_sign", "faster", "+", "the player plays faster", "faster"),
    key("minus", "slower", "-", "the player plays slower", "slower"),
    key("f", "full_speed", "F", "full speed, and back", "full speed"),
)

COMMON_KEYS: Final = (
    key("question_mark", "help", "?", "show these keys", "keys"),
    key("q", "leave", "Q", "leave", "quit"),
    key("ctrl+c", "app.interrupt", "Ctrl-C", "leave at once, with exit code 130"),
)

PLAY_KEYS: Final = (
    *MOVE_KEYS,
    key("u,backspace,ctrl+z", "undo", "U, Backspace, Ctrl-Z", "undo", "undo"),
    key("i", "hints", "I", "hints on or off", "hints"),
    key("enter,space", "best", "Enter, Space", "play the best move", "best"),
    key("p", "auto", "P", "let the player play; P or a move takes over", "let it play"),
    key("n", "new", "N", "new game, which can be undone", "new"),
    key("y,ctrl+y,ctrl+shift+z", "redo", "Y, Ctrl-Y", "redo", "redo"),
    key("r", "review", "R", "review this game", "review"),
    *SPEED_KEYS,
    key("ctrl+s", "save", "Ctrl-S", "save now, and show the id"),
    *COMMON_KEYS,
)

WATCH_KEYS: Final = (
    key("space", "go", "Space", "go, pause", "go, pause"),
    key("right", "forward", "→", "one move", "step"),
    key("left,backspace", "review(1)", "←, Backspace", "one move back, in the review"),
    key("t,p", "take_over", "T, P", "take over: play on by hand", "take over"),
    *SPEED_KEYS,
    key("r", "review", "R", "review this game", "review"),
    *COMMON_KEYS,
)

REVIEW_KEYS: Final = (
    key("right,l", "by(1)", "→, L", "one move forward", "forward"),
    key("left,h", "by(-1)", "←, H", "one move back", "back"),
    key("pagedown", "by(10)", "Page Down", "ten moves forward"),
    key("pageup", "by(-10)", "Page Up", "ten moves back"),
    key("home", "by(-1_000_000_000)", "Home", "to the start"),
    key("end", "by(1_000_000_000)", "End", "to the end"),
    key("n", "mistake(1)", "N", "next mistake", "next mistake"),
    key("p", "mistake(-1)", "P", "previous mistake", "previous"),
    key("space", "play", "Space", "play the game, or pause", "play"),
    *SPEED_KEYS,
    *COMMON_KEYS,
    key("escape", "leave", "Esc", "leave"),
)


def help_rows(keys: tuple[Binding, ...]) -> list[tuple[str, str]]:
    """The rows of the help, without repetitions."""
    return list(dict.fromkeys((one.key_display or "", one.tooltip) for one in keys))


class Walk:
    """A position in a game, and the judgements of its moves; redoable moves are left out.

    Attributes:
        place: number of moves from the start of the game to the position shown.
        judged: the judgements so far, in the order of the moves.
    """

    def __init__(self, game: Game) -> None:
        self.game: Final = game
        self.place = 0
        self.judged: Final[list[MoveJudgement]] = []
        self._steps = game.steps
        self._wrong: list[int] = []

    # ---- position

    @property
    def last(self) -> int:
        """The place after the last move."""
        return len(self._steps)

    @property
    def board(self) -> Board:
        """The board at this place."""
        return self._steps[self.place - 1].board if self.place else self.game.start_board

    @property
    def score(self) -> int:
        """Points at this place."""
        return self.game.at(self.move_number).score

    @property
    def move_number(self) -> int:
        """Moves of the whole game before this place."""
        return self.game.start_move_number + self.place

    @property
    def new(self) -> int | None:
        """The cell of the newest tile; None at the start."""
        return self._steps[self.place - 1].cell if self.place else None

    @property
    def move(self) -> Move | None:
        """The move made at this place; None at the end."""
        return self._steps[self.place].move if self.place < self.last else None

    @property
    def judgement(self) -> MoveJudgement | None:
        """The judgement of that move; None if unknown."""
        return self.judged[self.place] if self.place < len(self.judged) else None

    # ---- movement

    def go(self, place: int) -> None:
        """Go to the nearest valid place."""
        self.place = min(max(place, 0), self.last)

    def go_wrong(self, step: int) -> bool:
        """Go to the next known mistake, or with -1 to the previous one; False if there is none."""
        found = bisect_right(self._wrong, self.place)
        if step < 0:
            found = bisect_left(self._wrong, self.place) - 1
        if not 0 <= found < len(self._wrong):
            return False
        self.place = self._wrong[found]
        return True

    def take(self, judgement: MoveJudgement) -> None:
        """Add the judgement of the next move; called by the thread of the judge."""
        self.judged.append(judgement)
        if judgement.label in MISTAKES:
            self._wrong.append(len(self.judged) - 1)

    @property
    def is_judged(self) -> bool:
        """True if every move is judged."""
        return len(self.judged) == self.last

    @property
    def mistakes(self) -> Sequence[int]:
        """The places of the mistakes found so far, ascending."""
        return self._wrong


class Lines(Widget):
    """Lines of text over the whole width."""

    DEFAULT_CSS = """
    Lines { width: 1fr; height: 1fr; background: ansi_default; color: ansi_default; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[Text] = []
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
        console = self.app.console
        style = self._base + console.get_style(line.style)  # Rich leaves that of a whole line out
        strip = Strip(Segment.apply_style(line.render(console), style), line.cell_len)
        return strip.adjust_cell_length(width, self._base)


class KeyLine(Lines):
    """The keys with their actions, as many as fit; a click presses the key."""

    DEFAULT_CSS = """
    KeyLine { height: 1; }
    """

    def __init__(self, keys: Sequence[Binding]) -> None:
        super().__init__()
        self._keys = keys
        self._places: list[tuple[int, int, Binding]] = []

    def on_resize(self, event: events.Resize) -> None:
        """Choose the keys that fit the new width."""
        line = Text()
        self._places = []
        for one in fitting(self._keys, event.size.width):
            line.append("  " if line else "")
            start = line.cell_len
            line.append(_sign(one), "bold").append(f" {one.description}", "dim")
            self._places.append((start, line.cell_len, one))
        self.show([line])

    def on_click(self, event: events.Click) -> None:
        """Press the clicked key."""
        for start, end, one in self._places:
            if start <= event.x < end and not one.action.startswith("move"):
                self.app.simulate_key(one.key.partition(",")[0])


def _sign(one: Binding) -> str:
    return (one.key_display or "").partition(",")[0]


def fitting(keys: Sequence[Binding], width: int) -> list[Binding]:
    """The keys with a short label that fit, in order; common keys have priority."""
    named = [one for one in keys if one.description]
    chosen: set[Binding] = set()
    for one in sorted(named, key=lambda one: one not in COMMON_KEYS):
        lengths = [len(_sign(each)) + 3 + len(each.description) for each in (*chosen, one)]
        if sum(lengths) - 2 <= width:
            chosen.add(one)
    return [one for one in named if one in chosen]


FRAMES_PER_SECOND: Final = 36
"""Timer rate; a few ticks come late, and at least 30 pictures a second are wanted."""

NOTICE: Final = "bold reverse"
"""The style of an important note."""


class PictureScreen(Screen[None]):
    """A screen with a picture and a line of keys."""

    KEYS: ClassVar[tuple[Binding, ...]] = ()
    note = Text()
    """The last line."""
    pace: float | None = mover.PLEASANT
    """Moves a second of a game that is played; None for no limit."""
    usual_pace = mover.PLEASANT
    """The pace after full speed."""

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
        canvas = Canvas.of(self.app.console, self.size.width, self.size.height - 1)
        return canvas._replace(colours="none") if self.app.no_color else canvas

    def say(self, text: str, style: str = "") -> None:
        """Show a note."""
        self.note = Text(text, style)
        self.draw()

    def _change_pace(self, pace: float | None) -> None:
        self.pace = pace
        self.say(f"pace: {format_pace(pace)}")

    def action_faster(self) -> None:
        """Raise the pace."""
        self._change_pace(mover.faster(self.pace))

    def action_slower(self) -> None:
        """Lower the pace."""
        self._change_pace(mover.slower(self.pace))

    def action_full_speed(self) -> None:
        """Switch between full speed and the last pace."""
        pace, self.usual_pace = self.pace, self.pace or self.usual_pace
        self._change_pace(self.usual_pace if pace is None else None)

    def action_help(self) -> None:
        """Show the help for the keys."""
        self.app.push_screen(HelpScreen(self.KEYS))

    def action_leave(self) -> None:
        """Leave the app."""
        self.app.exit(False)


class HelpScreen(Screen[None]):
    """The help for the keys of a screen; any key closes it, except those that scroll."""

    def __init__(self, keys: tuple[Binding, ...]) -> None:
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
        elif not self.is_current:  # a key that was pressed together with the one that closed it
            return
        elif self._last and event.key in ("up", "down"):
            self._top += 1 if event.key == "down" else -1
            self._draw()
        else:
            self.dismiss()


# ---- the app

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
"""Signals that end the app as Ctrl-C does, if the system has them."""

SWITCH_SECONDS: Final = 0.0005
"""Switch interval of the interpreter: how long a player's thread may keep the lock while the thread
that draws waits. With Python's default of 5 ms pictures would be late."""


class TwofoldApp(App[bool]):
    """Shows the screen `first` until the user leaves; returns True if it was interrupted.

    Colours are those that the screens name and the terminal's own, for dark and light terminals.
    """

    TITLE = "twofold"
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = ""
    CSS = "Screen { background: ansi_default; color: ansi_default; overflow: hidden; }"

    def __init__(self, first: PictureScreen) -> None:
        super().__init__(ansi_color=True)
        self._first = first

    def on_mount(self) -> None:
        """Show the first screen."""
        self.push_screen(self._first)
        if not self.is_headless and threading.current_thread() is threading.main_thread():
            loop = asyncio.get_running_loop()
            for name in SIGNALS:
                with contextlib.suppress(AttributeError, NotImplementedError):  # not on Windows
                    loop.add_signal_handler(getattr(signal, name), self.action_interrupt)

    def action_interrupt(self) -> None:
        """Leave at once."""
        self.exit(True)


def run(first: PictureScreen) -> bool:
    """Show a screen until the user leaves; True after Ctrl-C or a signal."""
    app = TwofoldApp(first)
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        with _lenient_input():
            interrupted = app.run()
    finally:
        sys.setswitchinterval(before)
    if app.return_code:
        raise SystemExit(app.return_code)  # an error that Textual has printed
    return bool(interrupted)


@contextlib.contextmanager
def _lenient_input() -> Iterator[None]:
    """Ignore typed bytes that are not UTF-8, such as a letter of a terminal with Latin-1.

    Textual's driver decodes strictly, and its error would end the app.
    """
    try:
        from textual.drivers import linux_driver
    except ImportError:  # Windows has another driver
        yield
        return
    decoder = codecs.getincrementaldecoder
    linux_driver.getincrementaldecoder = (  # type: ignore[attr-defined]
        lambda name: functools.partial(decoder(name), errors="ignore")
    )
    try:
        yield
    finally:
        linux_driver.getincrementaldecoder = decoder  # type: ignore[attr-defined]
