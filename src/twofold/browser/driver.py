"""Plays the game on a page: look, choose, press a key, look again.

A board is the answer to a key if it is the slide of the move and one new tile. Any other board is
accepted once it is stable, so neither animations nor moves of a person confuse the driver.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from twofold.board import Board
from twofold.browser.follow import PageFollower
from twofold.browser.pages.base import GamePage, Sight
from twofold.browser.pages.popups import close_popup
from twofold.browser.tab import FrameGone
from twofold.browser.thinker import Thinker
from twofold.errors import PageError
from twofold.limits import MAX_PRESSER
from twofold.notation import printable, shown
from twofold.play.asked_player import MoveQuestion
from twofold.rules import Move
from twofold.step import Status

PATIENCE_SECONDS: Final = 3.0
"""Default timeout for an answer to a key, for a board, and for leaving the win screen."""

PRESSES: Final = 3
"""Number of times a key without effect is pressed."""

IDLE_ROUNDS: Final = 20
"""Limit of rounds in which the page reports an end or a win, and no move is made."""

STILL_SECONDS: Final = 0.5
"""How long a board that no move explains must be unchanged to be accepted."""

OVER_SECONDS: Final = 1.0
"""How long a page must report the end of the game, if a move is legal."""

LOOK_SECONDS: Final = 0.1
"""Interval between two looks at the page while the player searches or waits."""

FRESH_SECONDS: Final = 0.03
"""Largest age of a look before a key is pressed."""

PAUSES: Final = (0.0, 0.002, 0.004, 0.008, 0.016)
"""Intervals between looks for the answer to a key; the last one is repeated."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """Options of the driver.

    Attributes:
        moves_per_second: largest pace; None for no limit.
        stop_at: a tile at which to stop; None for the end of the game.
        patience: timeout of the page, in seconds.
    """

    moves_per_second: float | None = None
    stop_at: int | None = None
    patience: float = PATIENCE_SECONDS


class Driver:
    """Plays one game on a page; `find` finds the game again after its frame was replaced.

    Attributes:
        popups: names of the popups that were closed.
        first_at: time of the driver's first move, in seconds of the loop's clock.
        last_at: time of its last move.
    """

    def __init__(
        self,
        page: GamePage,
        thinker: Thinker,
        follower: PageFollower,
        wishes: Wishes,
        find: Callable[[], Awaitable[GamePage]],
    ) -> None:
        self.page = page
        self.popups: list[str] = []
        self.first_at = self.last_at = 0.0
        self._thinker = thinker
        self._follower = follower
        self._wishes = wishes
        self._find = find
        self._clock = asyncio.get_running_loop().time
        self._looked_at = self._due = self._clock()
        self._sight = Sight(None)

    async def begin(self, player: str, *, new: bool) -> None:
        """Tell the page who plays; `new`: from a new game, on a page of ours, which keeps games."""
        await self.page.begin(printable(player)[:MAX_PRESSER], new=new)

    async def play(self) -> str:
        """Play until the game ends; the reason in words.

        Raises:
            PageError: the page does not behave like 2048, or is gone.
            PlayerError: the player returns an illegal move.
        """
        await self._close_popup(always=False)
        await self.page.world.focus()
        await self._look()
        await self._take()
        rounds = 0
        while rounds <= IDLE_ROUNDS:
            before = self._follower.board
            ending = await self._ending()
            if ending:
                return ending
            if self._sight.won:
                await self._go_on()
            move = await self._choose()
            if move is not None and await self._make(move):
                return "no move is left, as far as can be seen"
            rounds = rounds + 1 if self._follower.board == before else 0
        raise PageError(
            "expected the game to continue, got a page that keeps reporting that it is over or won"
        )

    async def _look(self) -> Sight:
        try:
            self._sight = await self.page.look()
        except FrameGone:
            self.page = await self._find()
            await self.page.world.focus()
            self._sight = await self.page.look()
        self._looked_at = self._clock()
        return self._sight

    # ---- boards without a move of the driver

    async def _take(self) -> None:
        """Wait for a stable board, and accept it if it is a new one."""
        board = await self._stand_still()
        if not self._follower.has_begun:
            self._follower.begin(board, self._sight.score)
        elif board != self._follower.board:
            self._follower.follow(board, self._sight.score)

    async def _stand_still(self) -> Board:
        """The board, once it is stable."""
        began = since = self._clock()
        last = self._sight.board
        while True:
            now = self._clock()
            if last is not None and now - since >= self._still_seconds(last):
                return last
            if now - began >= self._wishes.patience + STILL_SECONDS:
                fault = self._sight.fault or "expected a board on the page, got none"
                if last is not None:
                    fault = "expected a stable board, got one that keeps changing"
                raise PageError(f"{fault}, for {self._wishes.patience:g} s")
            await asyncio.sleep(PAUSES[-1])
            board = (await self._look()).board
            if board != last:
                last, since = board, self._clock()

    def _still_seconds(self, board: Board) -> float:
        """How long a board must be unchanged; shorter if it is known, or one move after it."""
        known = self._follower
        if known.has_begun and (
            board == known.board or any(known.explain(move, board) for move in Move)
        ):
            return self.page.steady_seconds
        return STILL_SECONDS if known.has_begun else max(self.page.steady_seconds, 0.1)

    async def _has_changed(self) -> bool:
        """Look; True if the game has changed, which is then accepted."""
        sight = await self._look()
        if sight.board == self._follower.board:
            return sight.won or sight.over
        before = self._follower.board
        await self._take()
        return self._follower.board != before or self._sight.won or self._sight.over

    # ---- ends and choices

    async def _ending(self) -> str:
        """The reason of the end, in words; empty while the game goes on."""
        board = self._follower.board
        if self._wishes.stop_at is not None and board.max_tile >= self._wishes.stop_at:
            return f"the tile {board.max_tile} is reached"
        if self._follower.game.status is Status.STOPPED:
            return "the goal is reached"
        if board.is_over:
            return "no move is left"
        if self._sight.over and await self._is_over_for_good():
            return "the page says that the game is over"
        return ""

    async def _is_over_for_good(self) -> bool:
        """True if the page reports the end of the game for OVER_SECONDS."""
        due = self._clock() + OVER_SECONDS
        while self._clock() < due:
            await asyncio.sleep(LOOK_SECONDS)
            sight = await self._look()
            if not sight.over or sight.board != self._follower.board:
                await self._take()
                return False
        return True

    async def _go_on(self) -> None:
        """Leave the win screen."""
        due = self._clock() + self._wishes.patience
        while self._sight.won:
            if self._clock() >= due:
                raise PageError("expected the page to continue after the win, got no change")
            await self.page.keep_going()
            await asyncio.sleep(PAUSES[-1])
            await self._look()
        await self._take()

    async def _choose(self) -> Move | None:
        """The player's move; None if the game has changed meanwhile."""
        follower = self._follower
        answer = self._thinker.ask(
            MoveQuestion(
                follower.game.rules, follower.board, follower.score, follower.game.move_number
            )
        )
        try:
            while not answer.done() or self._clock() < self._due:
                left = self._due - self._clock() if answer.done() else LOOK_SECONDS
                await self._wait(answer, min(max(left, 0.0), LOOK_SECONDS))
                if self._clock() - self._looked_at >= LOOK_SECONDS and await self._has_changed():
                    return None
            if self._clock() - self._looked_at >= FRESH_SECONDS and await self._has_changed():
                return None
            return answer.result()
        finally:
            self._thinker.drop()

    @staticmethod
    async def _wait(answer: asyncio.Future[Move], seconds: float) -> None:
        if answer.done():
            await asyncio.sleep(seconds)
        else:
            await asyncio.wait({answer}, timeout=seconds)

    # ---- moves

    async def _make(self, move: Move) -> bool:
        """Make a move; True if the board has gone after a move that may have been the last."""
        self.first_at = self.first_at or self._clock()
        if self._wishes.moves_per_second is not None:
            self._due = max(self._due, self._clock()) + 1 / self._wishes.moves_per_second
        for _ in range(PRESSES):
            await self.page.make(move)
            if await self._has_answered(move):
                return False
            if self._sight.board is None:
                if self._follower.may_have_ended(move):
                    return True
                await self._take()
                return False
            if self._sight.won or self._sight.over:
                return False
            await self._clear_the_way(move)
        raise PageError(self._ignored(move, ""))

    async def _has_answered(self, move: Move) -> bool:
        """Look until a move has been made, by anyone; False after the timeout."""
        began = since = self._clock()
        last: Board | None = self._follower.board
        pauses = iter(PAUSES)
        while True:
            sight = await self._look()
            now = self._clock()
            if sight.board != last:
                last, since = sight.board, now
            if last is not None and last != self._follower.board:
                spawn = self._follower.explain(move, last)
                if spawn is not None and now - since >= self.page.steady_seconds:
                    self._follower.advance(move, spawn, ours=True)
                    self.last_at = now
                    return True
                if spawn is None and now - since >= STILL_SECONDS:
                    await self._take()
                    return True
            elif last is not None and (sight.won or sight.over):
                return False
            if now - began >= self._wishes.patience:
                if last is None or last == self._follower.board:
                    return False
                await self._take()
                return True
            await asyncio.sleep(next(pauses, PAUSES[-1]))

    async def _clear_the_way(self, move: Move) -> None:
        """Close a popup that takes the keys, or raise PageError for an unknown cover."""
        cover = await self._close_popup(always=True)
        if cover:
            raise PageError(self._ignored(move, f"; the board is covered by {shown(cover)}"))
        await self.page.world.focus()

    async def _close_popup(self, *, always: bool) -> str:
        """Close a known popup; the name of an unknown cover of the board."""
        popup = await close_popup(self.page, always=always)
        if popup.closed:
            self.popups.append(popup.closed)
        return "" if popup.closed else popup.cover

    def _ignored(self, move: Move, why: str) -> str:
        return (
            f"expected the board to change after {move.name.lower()} "
            f"on {self._follower.board}, got no change in {self._wishes.patience:g} s{why}"
        )
