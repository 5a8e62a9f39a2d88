"""Mover: makes a player's moves in batches, and can be stopped.

Compiled players play inside a kernel, without the interpreter's lock; others choose move by move.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING, Final

from twofold.game import Game, Moment
from twofold.players.base import Player, checked_move
from twofold.rules import Move
from twofold.search.stop import Stop

if TYPE_CHECKING:
    from twofold.players.kernel_game import KernelGame

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
        with nullcontext() if self._player.compiled else _turn():
            letters = ""
            until = min(until, time.monotonic() + BREATH_EVERY)
            while len(letters) < most and not self._game.is_finished:
                letters += self._game.play(self._choose()).move.letter
                if time.monotonic() >= until or self._stop.is_raised:
                    break
            time.sleep(BREATH)
            return letters

    def _choose(self) -> Move:
        board, score = self._game.board, self._game.score
        if _decides_in_python(
            self._player.part_for(board)
        ):  # `analyse` can be stopped, `choose` cannot
            best = self._player.analyse(board, score=score, stop=self._stop).best
        else:
            best = self._player.choose(board, score=score, move_number=self._game.move_number)
        return checked_move(self._player, board, best)


def _kernel_game(player: Player, game: Game) -> "KernelGame | None":
    if not player.compiled:
        return None
    from twofold.players.compiled import CompiledPlayer
    from twofold.players.kernel_game import KernelGame

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
def _turn() -> Iterator[None]:
    alone = _TURN.acquire(timeout=_PATIENCE)
    try:
        yield
    finally:
        if alone:
            _TURN.release()


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
