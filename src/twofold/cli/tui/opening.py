"""When the full screen app can be opened, and with what; loads Textual only then."""

import importlib.util
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from twofold.cli._output import can_redraw
from twofold.game.game import Game
from twofold.game.notation import shell_line
from twofold.game.rules import Rules
from twofold.games.live_game import LiveGame, Row
from twofold.games.mover import FIRST_MOVES, FIRST_PACE, PLEASANT
from twofold.games.shared_game import SharedGame
from twofold.games.store import GameStore, games_folder
from twofold.players import Player, PlayerSpec
from twofold.players.registry import default_player
from twofold.search.budget import Budget

if TYPE_CHECKING:
    from twofold.cli.tui.game_screen import PlayScreen, WatchScreen


def has_extra() -> bool:
    """Whether the extra `tui` is installed."""
    return importlib.util.find_spec("textual") is not None


def can_open() -> bool:
    """Whether the app can be opened here: it is installed, and keys and screen are a terminal."""
    terminals = can_redraw(sys.stdin.isatty() and sys.stdout.isatty())
    return terminals and shows_blocks() and has_extra()


def shows_blocks() -> bool:
    """Whether the output can show more than ASCII, such as half blocks."""
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


def play_screen(
    kept: LiveGame, hints: PlayerSpec | None = None, helper: Player | None = None
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
        shared.spec, shared.title = spec.text, spec.title
        return helper or spec.make()

    shared = SharedGame(kept, make, PLEASANT, hints.text if hints else "")
    return PlayScreen(shared)


def watched_game(
    live: LiveGame, player: Player, spec: PlayerSpec, pace: float | None
) -> SharedGame:
    """The game that a player is to play; without a pace its first moves are slower."""

    def speed_up() -> None:
        if pace is None and shared.pace == FIRST_PACE and live.game.move_number >= FIRST_MOVES:
            shared.set_pace(None)

    first = FIRST_PACE if pace is None else pace
    shared = SharedGame(live, lambda _rules: player, first, spec.text)
    shared.title, shared.on_player = spec.title, speed_up
    return shared


def watch_screen(shared: SharedGame) -> "WatchScreen":
    """The screen on which a player is watched; a game that the user takes over is saved."""
    from twofold.cli.tui.game_screen import WatchScreen

    def keep() -> Row:
        store = GameStore(games_folder())
        return Row(store, store.new_id())

    return WatchScreen(shared, keep)


def walk_through(
    game: Game, make: Callable[[], Player], budget: Budget | None, note: str = ""
) -> bool:
    """Let the user walk through a game, shown first with a note; whether Ctrl-C ended it."""
    from twofold.cli.tui.review_screen import Judging, ReviewScreen
    from twofold.cli.tui.screen import Walk, run

    walk = Walk(game)
    return run(ReviewScreen(walk, Judging(walk, make, budget), note=note))


def words_at_leaving(kept: LiveGame) -> list[str]:
    """Where a game that was left is, and how to go on with it."""
    if not kept.is_written or kept.place is None:
        return ["nothing to save: no move was made"]
    notice = kept.take_notice()
    again = shell_line("twofold", "play", "--resume", kept.place.name)
    where = f"the game is {kept.place.where}"
    return [*([notice] if notice else []), where, f"continue with: {again}"]
