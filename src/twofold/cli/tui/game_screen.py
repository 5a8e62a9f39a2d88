"""The screens on which you play and on which you watch a player."""

import time
from collections.abc import Callable
from functools import partial
from typing import ClassVar, Final

from rich.text import Text
from textual.binding import Binding

from twofold.cli.tui.picture import (
    ENDS,
    ScreenPicture,
    draw_moves,
    search_words,
    title_line,
    watch_figures,
)
from twofold.cli.tui.review_screen import ReviewScreen
from twofold.cli.tui.screen import NOTICE, PLAY_KEYS, WATCH_KEYS, PictureScreen, Walk
from twofold.cli.tui.tiles import getting_ready
from twofold.errors import IllegalMove, TwofoldError
from twofold.figures import format_pace, format_rate
from twofold.game.rules import STANDARD, Move
from twofold.game.step import end_words, makes_goal
from twofold.games import mover
from twofold.games.live_game import LiveGame, next_game
from twofold.games.shared_game import GameFrame, SharedGame
from twofold.games.store import GameStore, games_folder
from twofold.players.base import describe
from twofold.search.analysis import Analysis

HOLD_SECONDS: Final = 0.15
"""Old values stay this long after a move, or until new ones are known, to avoid flicker."""


class GameScreen(PictureScreen):
    """A screen with a shared game; `note` is the last line."""

    def __init__(self, shared: SharedGame) -> None:
        super().__init__()
        self.shared = shared
        self._noted = -1  # version of the game that was drawn last
        self._values: Analysis | None = None
        self._values_until = 0.0
        self.usual_pace = shared.pace or mover.PLEASANT

    # ---- the clock

    def tick(self) -> None:
        """Draw the game if it has changed."""
        now = self.shared.now
        if now.version != self._noted:
            self._noted = now.version
            self.changed(now)
            self.draw()
        elif (
            self._values is not None
            and now.analysis is None
            and time.monotonic() >= self._values_until
        ):
            self.draw()

    def changed(self, now: GameFrame) -> None:
        """Handle a change of the game; for subclasses."""

    # ---- the values of the moves

    def values(self, analysis: Analysis | None) -> Analysis | None:
        """The values to show: shortly after a move those from before it."""
        if analysis is not None:
            self._values, self._values_until = analysis, time.monotonic() + HOLD_SECONDS
        elif time.monotonic() >= self._values_until:
            self._values = None
        return self._values

    @property
    def pace(self) -> float | None:
        """The player's moves a second."""
        return self.shared.pace

    @pace.setter
    def pace(self, pace: float | None) -> None:
        self.shared.set_pace(pace)

    # ---- review

    def action_review(self, back: int = 0) -> None:
        """Open the review of the game so far, some moves back."""
        self.shared.play_on(False)
        with self.shared.held() as game:
            walk = Walk(game)
        if walk.last == 0:
            self.say("there is no move to review yet")
            return
        walk.go(walk.last - back)
        self.app.push_screen(ReviewScreen(walk, is_guest=True))


NOTICE_SECONDS: Final = 8.0
"""A notice about another program stays at least so long."""

ARROWS: Final = {Move.UP: "↑", Move.RIGHT: "→", Move.DOWN: "↓", Move.LEFT: "←"}


class PlayScreen(GameScreen):
    """A game that you play, shared with the player that helps."""

    KEYS: ClassVar[tuple[Binding, ...]] = PLAY_KEYS
    BINDINGS: ClassVar = [*PLAY_KEYS]

    def __init__(self, shared: SharedGame) -> None:
        super().__init__(shared)
        self._notice_until = 0.0
        self._sit_down(shared.live)

    @property
    def kept(self) -> LiveGame:
        """The game and where it is saved."""
        return self.shared.live

    def _sit_down(self, kept: LiveGame) -> None:
        if kept is not self.kept:
            self.shared.seat(kept)
        self._board = kept.game.board
        self._over = False

    # ---- display

    def picture(self) -> ScreenPicture:
        """The present position."""
        now, rules = self.shared.now, self.kept.game.rules
        other = [] if rules == STANDARD else [f"{rules.rows}x{rules.cols} to {rules.goal}"]
        is_valued = not now.is_finished and (now.auto or self.shared.hints)
        return ScreenPicture(
            title=title_line("play", *other),
            board=now.board,
            figures=self._figures(now),
            panel=partial(draw_moves, self.values(now.analysis)) if is_valued else None,
            note=self._note(now),
            new=now.new,
        )

    def _figures(self, now: GameFrame) -> list[tuple[str, str]]:
        with self.shared.held() as game:
            undos, seed = game.undos, game.seed
            best = self.kept.best()
        speed = f"{format_rate(now.speed)} moves/s" if now.speed else ""
        return [
            ("score", f"{now.score:,}"),
            ("best", f"{best:,}" if best else ""),
            ("move", f"{now.move_number:,}"),
            ("largest", str(now.board.max_tile)),
            ("undone", f"{undos:,}" if undos else ""),
            ("player", self.shared.title if now.auto or self.shared.hints else ""),
            ("speed", speed if now.auto else ""),
            ("search", search_words(now.analysis)),
            ("seed", str(seed)),
        ]

    def _note(self, now: GameFrame) -> Text:
        if self.shared.error is not None:
            return Text(f"the player failed: {describe(self.shared.error)}", "bold red")
        if now.is_loading:
            return Text(getting_ready(), "dim")
        if now.auto and not self.note.style:
            pace = format_pace(self.shared.pace)
            return Text(f"the player plays, {pace}; P or a move takes over", "dim")
        return self.note

    # ---- events

    def changed(self, now: GameFrame) -> None:
        """Announce the goal each time it is reached anew, and the end."""
        rules = self.kept.game.rules
        if self.shared.hints and not now.auto and now.analysis is not None:
            self.kept.hint_shown(now.board)
        if makes_goal(self._board, now.board, rules) and not now.is_finished:
            self.note = Text(f" {rules.goal} reached! The game goes on. ", NOTICE)
        self._board = now.board
        if now.is_finished and not self._over:
            self.note = Text(self._end_words(now), NOTICE)
        self._over = now.is_finished

    def _end_words(self, now: GameFrame) -> str:
        end = end_words(now.board, self.kept.game.rules)
        return f" {end}: {now.score:,} points. U undo, N new. "

    def tick(self) -> None:
        """Draw changes; save the game now and then."""
        super().tick()
        with self.shared.held():
            self._try(self.kept.save_now_and_then)
            self._tell_notice()

    def _tell_notice(self) -> bool:
        """Show the notice of a save about another program, and that program's moves."""
        notice = self.kept.take_notice()
        if not notice:
            return False
        with self.shared.held():
            self._sit_down(self.kept)
        self.say(notice)
        self._notice_until = time.monotonic() + NOTICE_SECONDS
        return True

    def _say_quietly(self, text: str) -> None:
        """Set a note, unless a notice has just been shown."""
        if time.monotonic() >= self._notice_until:
            self.note = Text(text)

    def _try(self, action: Callable[[], object]) -> bool:
        """True if an action succeeds; if not, show its error."""
        try:
            action()
        except TwofoldError as error:
            self.say(str(error), "bold red")
            return False
        return True

    def _is_refused(self, what: str) -> bool:
        """Check the rules of a daily game; True, with a note, if they forbid something."""
        return not self._try(lambda: self.kept.refuse_in_daily(what))

    def _has_ended(self) -> bool:
        """True, with a note, if the game is finished."""
        now = self.shared.now
        if now.is_finished:
            self.note = Text(self._end_words(now), NOTICE)
            self.draw()
        return now.is_finished

    # ---- keys

    def action_move(self, letter: str) -> None:
        """Make a move, also while the player plays on."""
        move = Move.parse(letter)
        self._say_quietly("")
        try:
            step = self.shared.play(move)
        except IllegalMove:
            self.say(f"{move.name.lower()}: no tile can move", "dim")
        except TwofoldError:
            self._has_ended()
        else:
            gain = f": +{step.reward}" * bool(step.reward)
            self._say_quietly(f"{ARROWS[move]} {move.name.lower()}{gain}")
            self.tick()

    def action_undo(self) -> None:
        """Undo a move; right after a new game, go back to the previous game."""
        with self.shared.held():
            previous = self.kept.previous
        if previous is not None:
            self._sit_down(previous)
            self.say("back in the previous game")
        elif self._try(self.shared.undo):
            self.say("took a move back")

    def action_redo(self) -> None:
        """Redo the last undone move."""
        if self._try(self.shared.redo):
            self.note = Text("made the move again")
            self.tick()

    def action_hints(self) -> None:
        """Switch the player's analyses on or off."""
        if self._is_refused("hints") or self._has_ended():
            return
        self.shared.want_hints(not self.shared.hints)
        self.say("hints are on" if self.shared.hints else "hints are off", "dim")

    def action_best(self) -> None:
        """Let the player make one move; if it plays on, take over."""
        if self._is_refused("autoplay") or self._has_ended():
            return
        self.note = Text()
        if self.shared.now.auto:
            self.shared.play_on(False)
        else:
            self.shared.play_one(as_hint=True)

    def action_auto(self) -> None:
        """Let the player play on, or take over."""
        if self._is_refused("autoplay") or self._has_ended():
            return
        self.note = Text()
        self.shared.play_on(not self.shared.now.auto)

    def action_new(self) -> None:
        """Start another game; undo goes back to the previous one, which is saved."""
        with self.shared.held():
            if not self._try(self.kept.save):
                return
            before = self.kept
            self._sit_down(next_game(before))
        self.say(before.take_notice() or "new game; U goes back to the previous one")

    def action_save(self) -> None:
        """Save the game now, and say where it is."""
        with self.shared.held():
            saved = self._try(self.kept.save)
            told = self._tell_notice()
        if told:
            return
        if saved and self.kept.is_written:
            self.say(f"the game is saved as {self.kept.name}")
        elif saved:
            self.say("nothing to save: no move was made")


class WatchScreen(GameScreen):
    """A game of a player; a game that the user takes over is saved."""

    KEYS: ClassVar[tuple[Binding, ...]] = WATCH_KEYS
    BINDINGS: ClassVar = [*WATCH_KEYS]

    def on_mount(self) -> None:
        """Start the player."""
        super().on_mount()
        self.shared.want_hints(True)
        self.shared.play_on(True)

    # ---- display

    def picture(self) -> ScreenPicture:
        """The present position."""
        now = self.shared.now
        speed = "pace", format_pace(self.shared.pace)
        if now.auto:
            speed = "speed", f"{format_rate(now.speed)} moves/s"
        return ScreenPicture(
            title=title_line(self.shared.title),
            board=now.board,
            figures=watch_figures(now, self.shared.live.game.seed, speed),
            panel=partial(draw_moves, self.values(now.analysis)),
            note=self._note(now),
            new=now.new,
        )

    def _note(self, now: GameFrame) -> Text:
        if now.is_loading:
            return Text(getting_ready(), "dim")
        if now.is_finished:
            end = end_words(now.board, self.shared.live.game.rules)
            return Text(f" {end}: {now.score:,} points. Q ends with a summary. ", NOTICE)
        if now.auto:
            return Text(ENDS if now.analysis or now.move_number else getting_ready(), "dim")
        return self.note or Text("paused; Space goes on", "dim")

    def changed(self, now: GameFrame) -> None:
        """Leave when the player has failed; the command prints the reason."""
        if self.shared.error is not None:
            self.app.exit(False)

    # ---- keys

    def action_go(self) -> None:
        """Start or pause the player."""
        self.note = Text()
        self.shared.play_on(not self.shared.now.auto)
        self.draw()

    def action_forward(self) -> None:
        """Let the player make one move."""
        self.note = Text()
        self.shared.play_one()

    def action_take_over(self) -> None:
        """Let the user play on."""
        self.shared.play_on(False)
        live, store = self.shared.live, GameStore(games_folder())
        live.store, live.name = store, store.new_id()
        self.app.switch_screen(PlayScreen(self.shared))
