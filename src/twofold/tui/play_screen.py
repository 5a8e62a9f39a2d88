"""The screen on which you play: moves, undo and redo, hints, and a player that can take over."""

import time
from collections.abc import Callable
from functools import partial
from typing import ClassVar, Final

from rich.text import Text

from twofold.errors import IllegalMove, TwofoldError
from twofold.figures import format_pace, format_rate
from twofold.play.saved_game import KeptGame, best_score
from twofold.play.shared_game import SharedGame, SharedNow
from twofold.rules import STANDARD, Move, Rules
from twofold.step import end_words, makes_goal
from twofold.tui.game_screen import GameScreen
from twofold.tui.keys import PLAY_KEYS, ScreenKey
from twofold.tui.moves_view import search_words
from twofold.tui.picture import ScreenPicture, title_line
from twofold.tui.picture_screen import NOTICE, bindings
from twofold.tui.words import getting_ready

NOTICE_SECONDS: Final = 8.0
"""A notice about another program stays at least so long."""

ARROWS: Final = {Move.UP: "↑", Move.RIGHT: "→", Move.DOWN: "↓", Move.LEFT: "←"}


class PlayScreen(GameScreen):
    """A game that you play, `kept` in a file and `shared` with the player that helps.

    `spec` is that player as the user would type it; `new` starts another game under the same rules.
    """

    KEYS: ClassVar[tuple[ScreenKey, ...]] = PLAY_KEYS
    BINDINGS = bindings(PLAY_KEYS)

    def __init__(
        self, kept: KeptGame, shared: SharedGame, spec: str, new: Callable[[Rules], KeptGame]
    ) -> None:
        super().__init__(shared)
        self.kept = kept
        self.spec = spec
        self._new = new
        self._before: KeptGame | None = None
        self._notice_until = 0.0
        shared.on_player = lambda: self.kept.add_player(self.spec)
        self._sit_down(kept)

    def _sit_down(self, kept: KeptGame) -> None:
        self.kept = kept
        self._best = best_score(kept.game.rules, without=kept.best_name)
        self._board = kept.game.board
        self._over = False

    # ---- display

    def picture(self) -> ScreenPicture:
        """The present position."""
        now, rules = self.shared.now, self.kept.game.rules
        other = [] if rules == STANDARD else [f"{rules.rows}x{rules.cols} to {rules.goal:,}"]
        is_valued = not now.is_finished and (now.auto or self.shared.hints)
        return ScreenPicture(
            title=title_line("play", *other),
            board=now.frame.board,
            figures=self._figures(now),
            panel=partial(self.draw_values, now.frame.analysis) if is_valued else None,
            note=self._note(now),
            new=now.new,
        )

    def _figures(self, now: SharedNow) -> list[tuple[str, str]]:
        frame = now.frame
        with self.shared.held() as game:
            undos, seed = game.undos, game.seed
            best = max(self._best, self.kept.own_score or 0)
        speed = f"{format_rate(now.moves_per_second)} moves/s" if now.moves_per_second else ""
        return [
            ("score", f"{frame.score:,}"),
            ("best", f"{best:,}" if best else ""),
            ("move", f"{frame.move_number:,}"),
            ("largest", f"{frame.board.max_tile:,}"),
            ("undone", f"{undos:,}" if undos else ""),
            ("player", self.spec if now.auto or self.shared.hints else ""),
            ("speed", speed if now.auto else ""),
            ("search", search_words(frame.analysis)),
            ("seed", str(seed)),
        ]

    def _note(self, now: SharedNow) -> Text:
        if self.shared.error is not None:
            from twofold.players.faults import describe

            return Text(f"the player failed: {describe(self.shared.error)}", "bold red")
        if now.is_loading:
            return Text(getting_ready(), "dim")
        if now.auto and not self.note.style:
            pace = format_pace(self.shared.pace)
            return Text(f"the player plays, {pace}; P or a move takes over", "dim")
        return self.note

    # ---- events

    def changed(self, now: SharedNow) -> None:
        """Announce the goal each time it is reached anew, and the end."""
        frame, rules = now.frame, self.kept.game.rules
        if self.shared.hints and not now.auto and frame.analysis is not None:
            self.kept.hint_shown(frame.board)
        if makes_goal(self._board, frame.board, rules) and not now.is_finished:
            self.note = Text(f" {rules.goal} reached! The game goes on. ", NOTICE)
        self._board = frame.board
        if now.is_finished and not self._over:
            self.note = Text(self._end_words(now), NOTICE)
        self._over = now.is_finished

    def _end_words(self, now: SharedNow) -> str:
        end = end_words(now.frame.board, self.kept.game.rules)
        return f" {end}: {now.frame.score:,} points. U undo, N new. "

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
        with self.shared.held() as game:
            if self.kept.game is not game:
                self._sit_down(self.kept)
                self.shared.replace(self.kept.game)
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
            self.kept.add_person()
            self._before = None
            gain = f": +{step.reward}" * bool(step.reward)
            self._say_quietly(f"{ARROWS[move]} {move.name.lower()}{gain}")
            self.tick()

    def action_undo(self) -> None:
        """Undo a move; right after a new game, go back to the previous game."""
        with self.shared.held() as game:
            is_new = not game.can_undo and not game.can_redo
        if is_new and self._before is not None:
            before, self._before = self._before, None
            self._sit_down(before)
            self.shared.replace(before.game)
            self.say("back in the previous game")
        elif self._is_refused("undo"):
            return
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
            self._before = None
            self.shared.play_one()

    def action_auto(self) -> None:
        """Let the player play on, or take over."""
        if self._is_refused("autoplay") or self._has_ended():
            return
        self.note = Text()
        self._before = None
        self.shared.play_on(not self.shared.now.auto)

    def action_new(self) -> None:
        """Start another game; undo goes back to the previous one, which is saved."""
        with self.shared.held() as game:
            if not self._try(self.kept.save):
                return
            before, rules = self.kept, game.rules
            self._sit_down(self._new(rules))
            self.shared.replace(self.kept.game)
        self._before = before
        self.say(before.take_notice() or "new game; U goes back to the previous one")

    def action_save(self) -> None:
        """Save the game now, and show its file."""
        with self.shared.held():
            saved = self._try(self.kept.save)
            told = self._tell_notice()
        if told:
            return
        if saved and self.kept.is_written:
            self.say(f"the game is in {self.kept.path}")
        elif saved:
            self.say("nothing to save: no move was made")
