"""Makes a player's moves: in batches, or position by position; the paces of both.

A `Mover` makes batches and can be stopped. Compiled players play inside a kernel, without the
interpreter's lock; others choose move by move. `analyse` is for faces that show the analysis of
each position.
"""

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from twofold.game.board import Board
from twofold.game.game import Game, Moment
from twofold.game.rules import Move, Rules
from twofold.players.base import Player, checked_move, move_list
from twofold.search.analysis import Analysis
from twofold.search.budget import Stop

if TYPE_CHECKING:
    from twofold.players.loop import KernelGame

PACES: Final = (
    0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 20.0, 40.0, 80.0, 150.0, 300.0, 600.0, 1000.0, 2000.0,
)  # fmt: skip
"""Moves per second to choose from, about evenly spaced on a logarithmic scale. After the last comes
no limit."""

PLEASANT: Final = 8.0
"""Initial pace, in moves per second."""

FIRST_MOVES: Final = 20
FIRST_PACE: Final = 10.0
"""If no pace is chosen, the first `FIRST_MOVES` moves of a watched game are played at `FIRST_PACE`
moves per second, so that a person can follow them, and the rest without a limit."""


def faster(pace: float | None) -> float | None:
    """The next faster pace; None for no limit."""
    if pace is None:
        return None
    return next((one for one in PACES if one > pace), None)


def slower(pace: float | None) -> float:
    """The next slower pace."""
    return next((one for one in reversed(PACES) if pace is None or one < pace), PACES[0])


def next_due(due: float, moves_per_second: float, now: float) -> float:
    """When the next move is due, given when the last one was; missed moves are skipped."""
    return max(due + 1 / moves_per_second, now)


class SpeedWindow:
    """Moves per second over the last second; marks less than `APART` seconds apart are skipped."""

    SECONDS: Final = 1.0
    APART: Final = 0.05

    def __init__(self) -> None:
        self._marks: deque[tuple[float, int]] = deque()  # times and move numbers

    def mark(self, move_number: int) -> None:
        """Record the current move number."""
        marks, now = self._marks, time.monotonic()
        if not marks or now - marks[-1][0] >= self.APART:
            marks.append((now, move_number))
        while len(marks) > 2 and marks[1][0] <= now - self.SECONDS:
            marks.popleft()

    def clear(self) -> None:
        """Discard all marks."""
        self._marks.clear()

    @property
    def speed(self) -> float:
        """Moves per second; 0 if unknown."""
        if not self._marks:
            return 0.0
        (began, first), (ended, last) = self._marks[0], self._marks[-1]
        return (last - first) / (ended - began) if ended > began else 0.0


@dataclass(frozen=True, slots=True)
class MoveQuestion:
    """A position with a legal move.

    Attributes:
        score: None if unknown.
        stop: raised to drop the question.
    """

    rules: Rules
    board: Board
    score: int | None
    move_number: int
    seed: int = 0
    stop: Stop = field(default_factory=Stop, compare=False)


def question_of(game: Game) -> MoveQuestion:
    """The present position of a game."""
    return MoveQuestion(game.rules, game.board, game.score, game.move_number, game.seed)


def analyse(player: Player, asked: MoveQuestion) -> Analysis:
    """The analysis of a position by a started player; its best move is the one it makes.

    A player that values no move is asked to choose one; its random choice may depend on the move
    number. If the question is dropped meanwhile, the answer is meaningless.
    """
    if not player.has_values:
        analysis = Analysis(
            asked.board, move_list(asked.board), asked.board.legal_moves()[0], player.spec
        )
    else:
        analysis = player.analyse(asked.board, score=asked.score, stop=asked.stop)
    if all(one.value is None for one in analysis.moves):
        best = player.choose(asked.board, score=asked.score, move_number=asked.move_number)
        return replace(analysis, best=checked_move(player, asked.board, best))
    checked_move(player, asked.board, analysis.best)
    return analysis


MOST_AT_ONCE: Final = 1_024
"""Maximum number of moves in a kernel call: its overhead is then small, and a position within the
call is quickly replayed."""

_LONG: Final = 0.008
_SHORT: Final = 0.002
"""In seconds. A call longer than `_LONG` halves the number of moves of the next call, one shorter
than `_SHORT` doubles it."""

BREATH_EVERY: Final = 0.002
"""Seconds of work in Python between two pauses."""

BREATH: Final = 0.0002
"""Length of a pause in seconds, in which other threads get the interpreter's lock."""

_TURN: Final = threading.Lock()
"""Held by the Python player that is working. Several at once would be no faster, and would delay
the threads that answer requests."""

_PATIENCE: Final = 0.02
"""Seconds that a player waits for `_TURN`; then it works without it."""


class Mover:
    """Makes the moves of one player from the position of `game` on; only it changes `game`.

    The caller starts and closes the player. Discard moves returned after `stop` is raised.
    """

    def __init__(self, player: Player, game: Game, stop: Stop) -> None:
        self._player, self._game, self._stop = player, game, stop
        self._kernel = _kernel_game(player, game)
        self._chunk = 1

    def play(self, most: int, until: float) -> tuple[str, Moment]:
        """Make up to `most` moves, at least one, until `until`, a time of `time.monotonic`.

        Returns their letters and the position after them; no moves if the game is finished.
        Raises PlayerError or TileTooLarge.
        """
        letters: list[str] = []
        made = 0
        with _stoppable(self._player, self._stop):
            while made < most and not self._game.is_finished and not self._stop.is_raised:
                if self._kernel is None:
                    letters.append(self._ask(most - made, until))
                else:
                    letters.append(self._call(self._kernel, min(most - made, self._chunk)))
                made += len(letters[-1])
                if time.monotonic() >= until:
                    break
        return "".join(letters), Moment(self._game.board, self._game.score)

    def _call(self, kernel: "KernelGame", limit: int) -> str:
        began = time.monotonic()
        letters = kernel.play(limit)
        taken = time.monotonic() - began
        if taken > _LONG:
            self._chunk = max(self._chunk // 2, 1)
        elif taken < _SHORT and limit == self._chunk:
            self._chunk = min(self._chunk * 2, MOST_AT_ONCE)
        self._game = kernel.game()
        if not kernel.can_go_on:
            self._kernel = None  # further moves are chosen one at a time
        return letters

    def _ask(self, most: int, until: float) -> str:
        is_held = not self._player.compiled and _TURN.acquire(timeout=_PATIENCE)
        try:
            letters = ""
            until = min(until, time.monotonic() + BREATH_EVERY)
            while len(letters) < most and not self._game.is_finished:
                letters += self._game.play(self._choose()).move.letter
                if time.monotonic() >= until or self._stop.is_raised:
                    break
            time.sleep(BREATH)
            return letters
        finally:
            if is_held:
                _TURN.release()

    def _choose(self) -> Move:
        board, score = self._game.board, self._game.score
        if _decides_in_python(self._player.part_for(board)):  # unlike `choose` it can be stopped
            best = self._player.analyse(board, score=score, stop=self._stop).best
        else:
            best = self._player.choose(board, score=score, move_number=self._game.move_number)
        return checked_move(self._player, board, best)


def _kernel_game(player: Player, game: Game) -> "KernelGame | None":
    if not player.compiled:
        return None
    from twofold.players.compiled import CompiledPlayer
    from twofold.players.loop import KernelGame

    if not isinstance(player, CompiledPlayer):
        return None
    kernel = KernelGame(player, game, [0] * (game.board.max_exponent + 1))
    return kernel if kernel.can_go_on else None


def _decides_in_python(player: Player) -> bool:
    """True for a search whose moves are not chosen by one kernel call each."""
    if not player.compiled:
        return False
    from twofold.players.searching import SearchPlayer

    return isinstance(player, SearchPlayer) and not player.policy


@contextmanager
def _stoppable(player: Player, stop: Stop) -> Iterator[None]:
    """Let the flag stop the searches that a player's policy makes inside a kernel."""
    with ExitStack() as stack:
        if player.compiled:
            from twofold.players.searching import SearchPlayer

            for part in player.parts:
                if isinstance(part, SearchPlayer):
                    searches = [context.words for context in part.search.contexts]
                    stack.enter_context(stop.over(searches))
        yield
