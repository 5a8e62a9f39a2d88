"""You watch a player: go, pause, look back, one move at a time, any pace, take over by hand."""

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text

from twofold.board import Board
from twofold.figures import format_pace, format_rate, format_time
from twofold.tui.game_screen import GameScreen
from twofold.tui.keys import WATCH_KEYS, ScreenKey
from twofold.tui.moves_view import search_words
from twofold.tui.picture import ScreenPicture, title_line
from twofold.tui.picture_screen import NOTICE, bindings
from twofold.tui.play_screen import PlayScreen
from twofold.tui.shared_game import SharedGame, SharedNow
from twofold.tui.walk import Walk
from twofold.tui.words import getting_ready

ENDS = "Ctrl-C ends the game with a summary"


class WatchScreen(GameScreen):
    """A game that a player plays.

    Args:
        shared: the game and the player.
        spec: the player, as its user typed it.
        take_over: makes the screen on which a person plays on.

    Attributes:
        taken_over: that screen, once a person plays on.
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
        self._walk: Walk | None = None  # where one looks back
        self._seed = 0

    def on_mount(self) -> None:
        """Let the player begin."""
        super().on_mount()
        with self.shared.held() as game:
            self._seed = game.seed
        self.shared.want_hints(True)
        self.shared.play_on(True)

    # ---- what is shown

    def picture(self) -> ScreenPicture:
        """The game as it is now, or where one looks back."""
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
            ("search", search_words(frame.analysis)),
            ("seed", str(self._seed)),
        ]

    def _panel(self, now: SharedNow, width: int, unicode: bool) -> list[Text]:
        if self._walk is not None:
            return self.draw_values(None, width, unicode)
        return self.draw_values(now.frame.analysis, width, unicode)

    def _note(self, now: SharedNow) -> Text:
        if now.is_loading:
            return Text(getting_ready(), "dim")
        if now.is_finished:
            over = now.status.value == "over"
            end = "game over" if over else "the goal is reached"
            return Text(f" {end}: {now.frame.score:,} points. Q ends with a summary. ", NOTICE)
        if now.auto:
            return Text(
                ENDS if now.frame.analysis or now.frame.move_number else getting_ready(), "dim"
            )
        return self.note or Text("paused; Space goes on", "dim")

    def changed(self, now: SharedNow) -> None:
        """A player that fails ends it all: the command says why."""
        if self.shared.error is not None:
            self.app.exit(False)

    # ---- keys

    def action_go(self) -> None:
        """Let the player play on, or pause."""
        self._walk = None
        self.note = Text()
        self.shared.play_on(not self.shared.now.auto)
        self.draw()

    def action_forward(self) -> None:
        """One move forward; from the newest position the player makes one."""
        self.note = Text()
        if self._walk is None:
            self.shared.play_one()
        else:
            self._look_at(self._walk, self._walk.place + 1)

    def action_back(self) -> None:
        """Look at the position one move back; the player pauses."""
        self.shared.play_on(False)
        walk = self._walk
        if walk is None:
            with self.shared.held() as game:
                walk = Walk(game)
            walk.go(walk.last)
        self._look_at(walk, walk.place - 1)

    def _look_at(self, walk: Walk, place: int) -> None:
        walk.go(place)
        self._walk = None if walk.place == walk.last else walk
        self.draw()

    def action_newest(self) -> None:
        """Look at the newest position."""
        self._walk = None
        self.draw()

    def action_take_over(self) -> None:
        """Play on by hand from the position that is looked at."""
        self.shared.play_on(False)
        if self._walk is not None:
            for _ in range(self._walk.last - self._walk.place):
                self.shared.undo()
        self.taken_over = self._take_over(self.shared)
        self.app.switch_screen(self.taken_over)
