"""The screen on which you step through a game: its mistakes, and the values of the moves."""

import time
from collections.abc import Callable, Iterator
from typing import ClassVar, Final

from rich.text import Text
from textual.binding import Binding

from twofold.cli.tui.picture import (
    ScreenPicture,
    bar_share,
    draw_chances,
    draw_names,
    draw_panel,
    title_line,
)
from twofold.cli.tui.screen import REVIEW_KEYS, PictureScreen, Walk
from twofold.cli.tui.tiles import getting_ready
from twofold.figures import kept_words
from twofold.game.rules import Move
from twofold.games import mover
from twofold.games.judge import MISTAKES, MoveJudgement
from twofold.games.review import (
    Review,
    accuracy_words,
    default_judge,
    judge,
    percent_words,
    review,
    unit_of,
)
from twofold.games.threads import IMPORTING, Reading
from twofold.players import Player, make_player
from twofold.players.base import describe, typed_spec
from twofold.search.analysis import format_value
from twofold.search.budget import Budget, Stop

SUMMARY_SECONDS: Final = 0.5
"""Interval between two summaries, in seconds."""

STOP_SECONDS: Final = 1.0
"""Timeout for the player's last search when judging is closed."""


class Judging:
    """Judges the moves of a walk, one after the other.

    Args:
        walk: receives the judgements.
        make: makes the judging player, in the thread; None for the default judge.
        budget: limits on each move; None for the player's own.

    Attributes:
        player: short spec of the player; empty until it is ready.
        unit: unit of its values.
        summary: the review of the judgements so far; None before the first.
    """

    def __init__(
        self, walk: Walk, make: Callable[[], Player] | None = None, budget: Budget | None = None
    ) -> None:
        self.player = ""
        self.unit = ""
        self.summary: Review | None = None
        self._walk = walk
        self._make = make
        self._budget = budget
        self._stop = Stop()
        self._summed = 0.0
        self._reading = Reading(self._judgements(), "twofold-review", take=self._take)

    @property
    def error(self) -> BaseException | None:
        """The exception that ended the thread."""
        return self._reading.error

    def close(self) -> None:
        """Stop judging."""
        self._stop.raise_flag()
        self._reading.wait(STOP_SECONDS)

    # ---- the thread

    def _judgements(self) -> Iterator[MoveJudgement]:
        game = self._walk.game
        with IMPORTING:
            player = self._make() if self._make else make_player(default_judge(game.rules))
        with player:
            with IMPORTING:
                self.unit = unit_of(player, game.rules)
            self.player = typed_spec(player)
            yield from judge(game, player, self._budget, stop=self._stop)

    def _take(self, judgement: MoveJudgement) -> None:
        self._walk.take(judgement)
        if time.monotonic() >= self._summed + SUMMARY_SECONDS or self._walk.is_judged:
            self.summary = review(self._walk.judged)
            self._summed = time.monotonic()


STYLES: Final = {"mistake": "yellow", "blunder": "bold red"}

SIGNS: Final = {"mistake": "?", "blunder": "!"}
"""The marks of mistakes on the timeline."""


def draw_walk(walk: Walk, width: int) -> list[Text]:
    """The four moves with the move made, and their values once it is judged."""
    one = walk.judgement
    if one is None:
        return draw_names(width, walk.move)
    legal = [value for value in one.values if value is not None]
    said = {one.best: "best"} | {one.move: "made"}
    if one.table is not None:
        moves = [move for move in Move if one.values[move] is not None]
        return draw_chances(one.table, moves, one.move, width, said)
    best = one.values[one.best]
    return draw_panel(
        "values",
        ["illegal" if value is None else format_value(value, best) for value in one.values],
        [None if value is None else bar_share(value, legal) for value in one.values],
        width,
        best=one.best,
        chosen=one.move,
        said=said,
    )


def verdict(walk: Walk) -> Text:
    """The verdict on the move made here."""
    one, move = walk.judgement, walk.move
    if move is None:
        over = walk.game.is_finished
        return Text("the end of the game" if over else "the record ends here; the game is not over")
    name = move.name.lower()
    if one is None:
        return Text(f"{name}: not judged yet")
    if one.forced:
        return Text(f"{name} is the only move")
    if one.is_best:
        return Text(f"best: no move is better than {name}")
    what = "value" if one.table is None else "chance"
    kept = f"{name} keeps {kept_words(one.ratio)} of the {what} of {one.best.name.lower()}"
    return Text.assemble((one.label, STYLES.get(one.label, "")), f": {kept}")


def timeline(walk: Walk, width: int) -> Text:
    """The whole game on one line: the position shown, the judged part, the worst mistakes."""
    columns = max(1, min(width, walk.last + 1))
    here = _column(walk, walk.place, columns)
    judged = _column(walk, len(walk.judged), columns)
    worst = _worst(walk, columns)
    line = Text()
    for column in range(columns):
        label = worst.get(column, "")
        if column == here:
            line.append("◆", f"reverse {STYLES.get(label, 'bold')}")
        else:
            sign = SIGNS.get(label, "━" if column < judged else "─")
            line.append(sign, STYLES.get(label, "dim"))
    return line


def _column(walk: Walk, place: int, columns: int) -> int:
    return place * columns // (walk.last + 1)


def _worst(walk: Walk, columns: int) -> dict[int, str]:
    """The worst label in each column."""
    found: dict[int, str] = {}
    rank: Callable[[str], int] = MISTAKES.index
    for place in tuple(walk.mistakes):
        column = _column(walk, place, columns)
        label = walk.judged[place].label
        found[column] = max(found.get(column, label), label, key=rank)
    return found


class ReviewScreen(PictureScreen):
    """A game move by move.

    Args:
        walk: the game and the position shown.
        judging: judges its moves; None for the default judge.
        is_guest: True if leaving goes back to another screen.
        note: shown until the first key.
    """

    KEYS: ClassVar[tuple[Binding, ...]] = REVIEW_KEYS
    BINDINGS: ClassVar = [*REVIEW_KEYS]

    def __init__(
        self, walk: Walk, judging: Judging | None = None, *, is_guest: bool = False, note: str = ""
    ) -> None:
        super().__init__()
        self.walk = walk
        self._judging = judging or Judging(walk)
        self._is_guest = is_guest
        self.note = Text(note)
        self.pace = self.usual_pace = mover.PLEASANT / 2
        self._due: float | None = None  # time of the next move; None while paused
        self._drawn: object = None

    def on_unmount(self) -> None:
        """Stop judging."""
        self._judging.close()

    # ---- display

    def tick(self) -> None:
        """Show the next move if it is due; draw changes."""
        if self._due is not None and time.monotonic() >= self._due:
            self._step_on()
        if self._judged() != self._drawn:
            self.draw()

    def draw(self) -> None:
        """Draw the present position."""
        self._drawn = self._judged()
        super().draw()

    def _judged(self) -> object:
        return len(self.walk.judged), self._judging.summary, self._judging.error

    def picture(self) -> ScreenPicture:
        """The position shown."""
        walk = self.walk
        player = walk.game.rules
        return ScreenPicture(
            title=title_line("review", f"{player.rows}x{player.cols} to {player.goal}"),
            board=walk.board,
            figures=self._figures(),
            panel=lambda width: draw_walk(walk, width),
            note=self._words(),
            new=walk.new,
            below=lambda width: timeline(walk, width),
        )

    def _figures(self) -> list[tuple[str, str]]:
        walk, judging = self.walk, self._judging
        last = walk.game.start_move_number + walk.last
        found = judging.summary
        done = f"{len(walk.judged):,} of {walk.last:,}"
        return [
            ("move", f"{walk.move_number:,} of {last:,}"),
            ("score", f"{walk.score:,}"),
            ("largest", str(walk.board.max_tile)),
            ("judged", "" if walk.is_judged else done),
            ("accuracy", "" if found is None else accuracy_words(found)),
            ("best moves", "" if found is None else percent_words(found.match_rate, 100)),
            ("mistakes", f"{len(walk.mistakes):,}" if found is not None else ""),
            ("judge", judging.player),
            ("unit", judging.unit),
        ]

    def _words(self) -> Text:
        if self._judging.error is not None:
            return Text(f"no judge: {describe(self._judging.error)}", "bold red")
        if self.note:
            return self.note
        if not self.walk.judged and self.walk.move is not None:
            return Text(f"the judge: {getting_ready()}", "dim")
        return verdict(self.walk)

    # ---- keys

    def action_by(self, moves: int) -> None:
        """Go forward by a number of moves."""
        self._due = None
        self.note = Text()
        self.walk.go(self.walk.place + moves)
        self.draw()

    def action_mistake(self, step: int) -> None:
        """Go to the next mistake, or with -1 to the previous one."""
        self._due = None
        self.note = Text()
        if not self.walk.go_wrong(step):
            side = "after" if step > 0 else "before"
            so_far = "" if self.walk.is_judged else ", so far"
            self.note = Text(f"no mistake {side} this one{so_far}", "dim")
        self.draw()

    def action_leave(self) -> None:
        """Leave, or go back to the screen that opened this one."""
        if not self._is_guest:
            super().action_leave()
        elif self.is_current:  # the key may come twice
            self.dismiss()

    # ---- playing

    def action_play(self) -> None:
        """Show one move after the other, or pause."""
        self.note = Text()
        if self._due is not None:
            self._due = None
        else:
            if self.walk.place == self.walk.last:
                self.walk.go(0)
            self._due = time.monotonic()
        self.draw()

    def _step_on(self) -> None:
        pace = self.pace or mover.PACES[-1]
        assert self._due is not None
        self._due = max(self._due + 1 / pace, time.monotonic())
        self.note = Text()
        self.walk.go(self.walk.place + 1)
        if self.walk.place == self.walk.last:
            self._due = None
        self.draw()
