"""The full screen app, which needs the extra `tui`: when it can be opened, and with what."""

import asyncio
import codecs
import contextlib
import functools
import importlib.util
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from textual.app import App

from twofold.cli._options import read_seed
from twofold.cli._output import can_redraw
from twofold.cli.tui.review_screen import Judging
from twofold.cli.tui.screen import PictureScreen, Walk
from twofold.game.game import Game
from twofold.game.notation import shell_line
from twofold.game.rules import Rules
from twofold.games.mover import FIRST_MOVES, FIRST_PACE, PLEASANT
from twofold.games.saved_game import KeptGame
from twofold.games.scores import new_save_path
from twofold.games.shared_game import SharedGame
from twofold.players import Player, PlayerSpec
from twofold.players.registry import default_player
from twofold.search.budget import Budget

if TYPE_CHECKING:
    from twofold.cli.tui.game_screen import PlayScreen, WatchScreen

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


def has_extra() -> bool:
    """Whether the extra `tui` is installed."""
    return importlib.util.find_spec("textual") is not None


def can_open() -> bool:
    """Whether the app can be opened here: it is installed, and keys and screen are a terminal."""
    terminals = can_redraw(sys.stdin.isatty() and sys.stdout.isatty())
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    return terminals and encoding.startswith("utf") and has_extra()


def play_screen(
    kept: KeptGame, hints: PlayerSpec | None = None, helper: Player | None = None
) -> "PlayScreen":
    """The screen on which a person plays.

    Args:
        kept: the game.
        hints: the player who helps; None means the default player.
        helper: that player; None has it made when it is first asked.
    """
    from twofold.cli.tui.game_screen import PlayScreen  # an extra

    def make(rules: Rules) -> Player:
        spec = hints or default_player(rules)
        screen.spec = spec.text
        return helper or spec.make()

    shared = SharedGame(kept.game, make, PLEASANT)
    screen = PlayScreen(kept, shared, hints.text if hints else "", new_game)
    return screen


def new_game(rules: Rules) -> KeptGame:
    """A game with dice of its own, and a file to keep it in."""
    return KeptGame(Game(rules, seed=read_seed(None)), new_save_path())


def watched_game(game: Game, player: Player, pace: float | None) -> SharedGame:
    """The game that a player is to play; without a pace its first moves are slower."""

    def speed_up() -> None:
        if pace is None and shared.pace == FIRST_PACE and game.move_number >= FIRST_MOVES:
            shared.set_pace(None)

    shared = SharedGame(game, lambda _rules: player, FIRST_PACE if pace is None else pace)
    shared.on_player = speed_up
    return shared


def watch_screen(game: Game, shared: SharedGame, spec: str) -> "WatchScreen":
    """The screen on which a player is watched."""
    from twofold.cli.tui.game_screen import PlayScreen, WatchScreen

    def take_over(shared: SharedGame) -> PlayScreen:
        kept = KeptGame(game, new_save_path(), begun_by=spec)
        return PlayScreen(kept, shared, spec, new_game)

    return WatchScreen(shared, spec, take_over)


def walk_through(
    game: Game, make: Callable[[], Player], budget: Budget | None, note: str = ""
) -> bool:
    """Let the user walk through a game, shown first with a note; whether Ctrl-C ended it."""
    # moved
    from twofold.cli.tui.review_screen import ReviewScreen

    walk = Walk(game)
    return run(ReviewScreen(walk, Judging(walk, make, budget), note=note))


def words_at_leaving(kept: KeptGame) -> list[str]:
    """Where a game that was left is, and how to go on with it."""
    if not kept.is_written:
        return ["nothing to save: no move was made"]
    notice = kept.take_notice()
    again = shell_line("twofold", "play", "--resume", str(kept.path))
    return [*([notice] if notice else []), f"the game is in {kept.path}", f"continue with: {again}"]
