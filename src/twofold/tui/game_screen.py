"""The base of the screens for playing and watching: a shared game, its pace, its review."""

import time
from typing import TYPE_CHECKING, Final

from rich.text import Text

from twofold.figures import format_pace
from twofold.play import paces
from twofold.play.shared_game import SharedGame, SharedNow
from twofold.tui.moves_view import draw_moves
from twofold.tui.picture_screen import PictureScreen
from twofold.tui.review_screen import ReviewScreen
from twofold.tui.walk import Walk

if TYPE_CHECKING:
    from twofold.search.analysis import Analysis

HOLD_SECONDS: Final = 0.15
"""Old values stay this long after a move, or until new ones are known, to avoid flicker."""


class GameScreen(PictureScreen):
    """A screen with a shared game; `note` is the last line."""

    def __init__(self, shared: SharedGame) -> None:
        super().__init__()
        self.shared = shared
        self.note = Text()
        self._noted = -1  # version of the game that was drawn last
        self._values: Analysis | None = None
        self._values_until = 0.0
        self._usual_pace = paces.PLEASANT if shared.pace is None else shared.pace

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
            and now.frame.analysis is None
            and time.monotonic() >= self._values_until
        ):
            self.draw()

    def changed(self, now: SharedNow) -> None:
        """Handle a change of the game; for subclasses."""

    def say(self, text: str, style: str = "") -> None:
        """Show a note."""
        self.note = Text(text, style)
        self.draw()

    # ---- the values of the moves

    def values(self, analysis: "Analysis | None") -> "Analysis | None":
        """The values to show: shortly after a move those from before it."""
        if analysis is not None:
            self._values, self._values_until = analysis, time.monotonic() + HOLD_SECONDS
        elif time.monotonic() >= self._values_until:
            self._values = None
        return self._values

    def draw_values(self, analysis: "Analysis | None", width: int, unicode: bool) -> list[Text]:
        """The four moves with the player's values."""
        return draw_moves(self.values(analysis), width, unicode)

    # ---- pace

    def action_faster(self) -> None:
        """Raise the pace."""
        self._set_pace(paces.faster(self.shared.pace))

    def action_slower(self) -> None:
        """Lower the pace."""
        self._set_pace(paces.slower(self.shared.pace))

    def action_full_speed(self) -> None:
        """Switch between full speed and the last pace."""
        if self.shared.pace is None:
            self._set_pace(self._usual_pace)
        else:
            self._usual_pace = self.shared.pace
            self._set_pace(None)

    def _set_pace(self, pace: float | None) -> None:
        self.shared.set_pace(pace)
        self.say(f"pace: {format_pace(pace)}")

    # ---- review

    def action_review(self) -> None:
        """Open the review of the game so far."""
        self.shared.play_on(False)
        walk = self.walked()
        if walk.last == 0:
            self.say("there is no move to review yet")
            return
        self.app.push_screen(ReviewScreen(walk, is_guest=True))

    def walked(self) -> Walk:
        """A walk through the game so far, at the position shown."""
        with self.shared.held() as game:
            walk = Walk(game)
        walk.go(walk.last)
        return walk
