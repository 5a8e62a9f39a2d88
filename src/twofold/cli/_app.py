"""Opening the full screen app: when it can be, and with which screen."""

import importlib.util
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from twofold.cli._options import read_seed
from twofold.cli._output import can_redraw
from twofold.game import Game
from twofold.notation import shell_line
from twofold.play.game_file import new_save_path
from twofold.play.paces import FIRST_MOVES, FIRST_PACE, PLEASANT
from twofold.play.saved_game import KeptGame
from twofold.play.shared_game import SharedGame
from twofold.players import Player, make_player
from twofold.players.strengths import default_player
from twofold.rules import Rules
from twofold.search.budget import Budget
from twofold.tui.judging import Judging
from twofold.tui.walk import Walk

if TYPE_CHECKING:
    from twofold.tui.play_screen import PlayScreen
    from twofold.tui.watch_screen import WatchScreen


def has_extra() -> bool:
    """Whether the extra `tui` is installed."""
    return importlib.util.find_spec("textual") is not None


def can_open() -> bool:
    """Whether the app can be opened here: it is installed, and keys and screen are a terminal."""
    terminals = can_redraw(sys.stdin.isatty() and sys.stdout.isatty())
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    return terminals and encoding.startswith("utf") and has_extra()


def play_screen(
    kept: KeptGame, hints: str | None = None, helper: Player | None = None
) -> "PlayScreen":
    """The screen on which a person plays.

    Args:
        kept: the game.
        hints: spec of the player who helps; None means the default player.
        helper: that player; None has it made when it is first asked.
    """
    from twofold.tui.play_screen import PlayScreen  # an extra

    def make(rules: Rules) -> Player:
        screen.spec = default_player(rules) if hints is None else hints
        return helper or make_player(screen.spec)

    screen = PlayScreen(kept, SharedGame(kept.game, make, PLEASANT), hints or "", new_game)
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
    from twofold.tui.play_screen import PlayScreen
    from twofold.tui.watch_screen import WatchScreen

    def take_over(shared: SharedGame) -> PlayScreen:
        kept = KeptGame(game, new_save_path(), begun_by=spec)
        return PlayScreen(kept, shared, spec, new_game)

    return WatchScreen(shared, spec, take_over)


def walk_through(
    game: Game, make: Callable[[], Player], budget: Budget | None, note: str = ""
) -> bool:
    """Let the user walk through a game, shown first with a note; whether Ctrl-C ended it."""
    from twofold.tui.app import run
    from twofold.tui.review_screen import ReviewScreen

    walk = Walk(game)
    return run(ReviewScreen(walk, Judging(walk, make, budget), note=note))


def words_at_leaving(kept: KeptGame) -> list[str]:
    """Where a game that was left is, and how to go on with it."""
    if not kept.is_written:
        return ["nothing to save: no move was made"]
    notice = kept.take_notice()
    again = shell_line("twofold", "play", "--resume", str(kept.path))
    return [*([notice] if notice else []), f"the game is in {kept.path}", f"continue with: {again}"]
