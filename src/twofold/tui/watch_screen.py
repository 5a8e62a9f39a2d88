"""The screen on which you watch a player: pause, step, look back, change the pace, take over."""

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text

from twofold.board import Board
from twofold.figures import format_pace, format_rate, format_time
from twofold.play.shared_game import SharedGame, SharedNow
from twofold.rules import Rules
from twofold.search.analysis import Analysis
from twofold.step import end_words
from twofold.tui.game_screen import GameScreen
from twofold.tui.keys import WATCH_KEYS, ScreenKey
from twofold.tui.moves_view import draw_moves, search_words
from twofold.tui.picture import ScreenPicture, title_line
from twofold.tui.picture_screen import NOTICE, bindings
from twofold.tui.play_screen import PlayScreen
from twofold.tui.walk import Walk
from twofold.tui.words import getting_ready

ENDS = "Ctrl-C ends the game with a summary"


class WatchScreen(GameScreen):
    """A game of a player, whose `spec` is as the user typed it.

    `take_over` makes the screen on which the user plays on, then in `taken_over`.
    """

    KEYS: ClassVar[tuple[ScreenKey, ...]] = WATCH_KEYS
    BINDINGS = bindings(WATCH_KEYS)

    def __init__(
        self, shared: SharedGame, spec: str, take_over: Callable[[SharedGame], PlayScreen]
    ) -> None:
        super().__init__(shared)
        self.taken_over: PlayScreen | None = None
        self._spec = spec
        self._take_over = take_over
        self._walk: Walk | None = None  # the position shown while looking back
        self._seed = 0
        self._rules = Rules()

    def on_mount(self) -> None:
        """Start the player."""
        super().on_mount()
        with self.shared.held() as game:
            self._seed, self._rules = game.seed, game.rules
        self.shared.want_hints(True)
        self.shared.play_on(True)

    # ---- display

    def picture(self) -> ScreenPicture:
        """The present position, or the one looked back at."""
        now = self.shared.now
        return ScreenPicture(
            title=title_line(self._spec),
            board=self._board(now),
            figures=self._figures(now),
            panel=lambda width, unicode: self._panel(now, width, unicode),
            note=self._note(now),
            new=now.new if self._walk is None else self._walk.new,
        )

    def _board(self, now: SharedNow) -> Board:
        return now.frame.board if self._walk is None else self._walk.board

    def _analysis(self, now: SharedNow) -> Analysis | None:
        if self._walk is None:
            return now.frame.analysis
        return self.shared.analysis_of(self._walk.board)

    def _figures(self, now: SharedNow) -> list[tuple[str, str]]:
        frame, walk = now.frame, self._walk
        score, number = frame.score, f"{frame.move_number:,}"
        if walk is not None:
            score, number = walk.score, f"{walk.move_number:,} of {frame.move_number:,}"
        speed = format_pace(self.shared.pace) if not now.auto else (
            f"{format_rate(now.moves_per_second)} moves/s"
        )  # fmt: skip
        return [
            ("score", f"{score:,}"),
            ("largest", f"{self._board(now).max_tile:,}"),
            ("move", number),
            ("speed" if now.auto else "pace", speed),
            ("elapsed", format_time(frame.seconds)),
            ("search", search_words(self._analysis(now))),
            ("seed", str(self._seed)),
        ]

    def _panel(self, now: SharedNow, width: int, unicode: bool) -> list[Text]:
        if self._walk is not None:
            return draw_moves(self._analysis(now), width, unicode)
        return self.draw_values(now.frame.analysis, width, unicode)

    def _note(self, now: SharedNow) -> Text:
        if now.is_loading:
            return Text(getting_ready(), "dim")
        if now.is_finished:
            end = end_words(now.frame.board, self._rules)
            return Text(f" {end}: {now.frame.score:,} points. Q ends with a summary. ", NOTICE)
        if now.auto:
            return Text(
                ENDS if now.frame.analysis or now.frame.move_number else getting_ready(), "dim"
            )
        return self.note or Text("paused; Space goes on", "dim")

    def changed(self, now: SharedNow) -> None:
        """Leave when the player has failed; the command prints the reason."""
        if self.shared.error is not None:
            self.app.exit(False)

    # ---- keys

    def action_go(self) -> None:
        """Start or pause the player."""
        self._walk = None
        self.note = Text()
        self.shared.play_on(not self.shared.now.auto)
        self.draw()

    def action_forward(self) -> None:
        """Show the next position; at the newest one the player makes a move."""
        self.note = Text()
        if self._walk is None:
            self.shared.play_one()
        else:
            self._look_at(self._walk, self._walk.place + 1)

    def action_back(self) -> None:
        """Pause, and show the position one move back."""
        self.shared.play_on(False)
        walk = self._walk or self.walked()  # making one takes long after thousands of moves
        self._look_at(walk, walk.place - 1)

    def walked(self) -> Walk:
        """A walk through the game so far, at the position shown."""
        walk = super().walked()
        if self._walk is not None:
            walk.go(self._walk.place)
        return walk

    def _look_at(self, walk: Walk, place: int) -> None:
        walk.go(place)
        self._walk = None if walk.place == walk.last else walk
        self.draw()

    def action_newest(self) -> None:
        """Show the newest position."""
        self._walk = None
        self.draw()

    def action_take_over(self) -> None:
        """Let the user play on from the position shown."""
        self.shared.play_on(False)
        if self._walk is not None:
            for _ in range(self._walk.last - self._walk.place):
                self.shared.undo()
        self.taken_over = self._take_over(self.shared)
        self.app.switch_screen(self.taken_over)
