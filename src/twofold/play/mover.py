"""Mover: makes a player's moves in a game, as many at a time as are wanted, and can be stopped.

Compiled players play inside a kernel, which may make thousands of moves at a time without the
interpreter's lock. All others are asked for each move.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from twofold.game import Game, Moment
from twofold.players.base import Player, checked_move
from twofold.rules import Move
from twofold.search.stop import Stop

if TYPE_CHECKING:
    from twofold.players.kernel_game import KernelGame

MOST_AT_ONCE: Final = 1_024
"""Most moves in one call of a kernel: what comes between two calls costs little then, and a
position between two of them is soon found again."""

_LONG: Final = 0.008
_SHORT: Final = 0.002
"""A call that took longer than `_LONG` seconds is followed by one of half as many moves, one that
took less than `_SHORT` by one of twice as many."""

BREATH_EVERY: Final = 0.002
"""A player in Python gives way after so many seconds of work ..."""

BREATH: Final = 0.0002
"""... for so many, in which other threads get the interpreter's lock."""

_TURN: Final = threading.Lock()
"""Held by the one player in Python that works: several at a time would be no faster, and the
threads that answer would have to wait for all of them."""

_PATIENCE: Final = 0.02
"""A player that has waited so many seconds for its turn goes on without: another thinks long."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Moves that were made: their letters, and where they led."""

    letters: str
    reached: Moment


class Mover:
    """Makes the moves of one player from one position on.

    Args:
        player: who plays; its owner has started it and will close it.
        game: begins where the moves do; changed only here from now on.
        stop: a flag that ends the player's thought; what is returned after is worth nothing.
    """

    def __init__(self, player: Player, game: Game, stop: Stop) -> None:
        self._player, self._game, self._stop = player, game, stop
        self._kernel = _kernel_game(player, game)
        self._chunk = 1

    def play(self, most: int, until: float) -> Stretch:
        """Make moves until there are so many, a time has come or the game is finished.

        Args:
            most: most moves, at least 1.
            until: a time of `time.monotonic`; one move at least is made before it is looked at.

        Returns:
            The moves, none of them where the game is finished.

        Raises:
            PlayerError: the player made an illegal move.
            TileTooLarge: a merge would pass the largest exponent.
        """
        letters: list[str] = []
        made = 0
        with _stoppable(self._player, self._stop):
            while made < most and not self._game.is_finished and not self._stop.is_raised:
                letters.append(self._some(most - made, until))
                made += len(letters[-1])
                if time.monotonic() >= until:
                    break
        return Stretch("".join(letters), Moment(self._game.board, self._game.score))

    def _some(self, most: int, until: float) -> str:
        if self._kernel is None:
            return self._ask(most, until)
        letters = self._call(self._kernel, min(most, self._chunk))
        if not self._kernel.can_go_on:
            self._kernel = None  # the rest, if there is any, is asked for move by move
        return letters

    def _call(self, kernel: "KernelGame", limit: int) -> str:
        began = time.monotonic()
        letters = kernel.play(limit)
        taken = time.monotonic() - began
        if taken > _LONG:
            self._chunk = max(self._chunk // 2, 1)
        elif taken < _SHORT and limit == self._chunk:
            self._chunk = min(self._chunk * 2, MOST_AT_ONCE)
        self._game = kernel.game()
        return letters

    def _ask(self, most: int, until: float) -> str:
        """Ask for moves one by one, for a short time at most."""
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
        if _decides_in_python(self._player):  # only then can it be stopped
            best = self._player.analyse(board, score=score, stop=self._stop).best
        else:
            best = self._player.choose(board, score=score, move_number=self._game.move_number)
        return checked_move(self._player, board, best)


def _kernel_game(player: Player, game: Game) -> "KernelGame | None":
    """The game inside a kernel; None where the player has to be asked for each move."""
    if not player.compiled:
        return None
    from twofold.players.compiled import CompiledPlayer
    from twofold.players.kernel_game import KernelGame

    if not isinstance(player, CompiledPlayer):
        return None
    kernel = KernelGame(player, game, [0] * (game.board.max_exponent + 1))
    return kernel if kernel.can_go_on else None


def _decides_in_python(player: Player) -> bool:
    """Whether it is a search that takes more than a call of a kernel for a move."""
    if not player.compiled:
        return False
    from twofold.players.searching import SearchPlayer

    return isinstance(player, SearchPlayer) and not player.policy


@contextmanager
def _turn() -> Iterator[None]:
    """Be the only player in Python that works, unless that takes too long."""
    alone = _TURN.acquire(timeout=_PATIENCE)
    try:
        yield
    finally:
        if alone:
            _TURN.release()


@contextmanager
def _stoppable(player: Player, stop: Stop) -> Iterator[None]:
    """Let the flag end the searches that a player's policy makes inside a kernel."""
    with ExitStack() as stack:
        if player.compiled:
            from twofold.players.searching import SearchPlayer

            if isinstance(player, SearchPlayer):
                searches = [context.words for context in player.search.contexts]
                stack.enter_context(stop.over(searches))
        yield
