"""Plays the game on a page: look, choose, press, look again.

The rules decide what has happened. A board is the answer to a key if it is the slide of the move
and one new tile; anything else is looked at until it stands still, and then taken as it is. So
neither animations nor a hand at the page lead the player astray.
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
from twofold.browser.thinker import MoveQuestion, Thinker
from twofold.errors import PageError
from twofold.notation import shown
from twofold.rules import Move
from twofold.step import Status

PATIENCE_SECONDS: Final = 3.0
"""How long a page may take to answer a key, to show a board, to leave its win screen."""

PRESSES: Final = 3
"""How often a key is pressed that nothing comes of."""

IDLE_ROUNDS: Final = 20
"""How often the page may say that the game has ended or is won, and go on without a move."""

STILL_SECONDS: Final = 0.5
"""How long a board that no move explains must stand still to be believed."""

OVER_SECONDS: Final = 1.0
"""How long a page must say that the game has ended, though a move is legal."""

LOOK_SECONDS: Final = 0.1
"""Time between two looks at the page while the player thinks or waits."""

FRESH_SECONDS: Final = 0.03
"""Age of a look that is still good enough to press a key on."""

PAUSES: Final = (0.0, 0.002, 0.004, 0.008, 0.016)
"""Seconds between looks for the answer to a key; the last one is repeated."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the driver is asked for.

    Attributes:
        moves_per_second: the fastest pace; None for as fast as the page goes.
        stop_at: a tile at which to stop; None for the end of the game.
        patience: how long the page may take, in seconds.
    """

    moves_per_second: float | None = None
    stop_at: int | None = None
    patience: float = PATIENCE_SECONDS


class Driver:
    """Plays one game on a page.

    Args:
        page: the game.
        thinker: who chooses the moves.
        follower: who keeps the game.
        wishes: what is asked for.
        find: finds the game again where its frame was replaced.

    Attributes:
        page: the game on the page.
        popups: names of the popups that were closed.
        first_at: when the first move of ours was asked for, in seconds of the loop's clock.
        last_at: when the last one was seen.
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

    async def play(self) -> str:
        """Play until the game ends; how it ended, in words.

        Raises:
            PageError: the page does not do what a game of 2048 does, or is gone.
            PlayerError: the player answers with no legal move.
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
            "expected play to go on, got a page that says again and again that it is over or won"
        )

    async def _look(self) -> Sight:
        """What the page shows now."""
        try:
            self._sight = await self.page.look()
        except FrameGone:
            self.page = await self._find()
            await self.page.world.focus()
            self._sight = await self.page.look()
        self._looked_at = self._clock()
        return self._sight

    # ---- boards that come without us

    async def _take(self) -> None:
        """Wait until the board stands still; take it, if it is not the one that is known."""
        board = await self._stand_still()
        if not self._follower.has_begun:
            self._follower.begin(board, self._sight.score)
        elif board != self._follower.board:
            self._follower.follow(board, self._sight.score)

    async def _stand_still(self) -> Board:
        """The board, once it has not changed for a while.

        Raises:
            PageError: there is none, or it goes on changing.
        """
        began = since = self._clock()
        last = self._sight.board
        while True:
            now = self._clock()
            if last is not None and now - since >= self._still_seconds(last):
                return last
            if now - began >= self._wishes.patience + STILL_SECONDS:
                fault = self._sight.fault or "expected a board on the page, got none"
                if last is not None:
                    fault = "expected a board that stands still, got one that goes on changing"
                raise PageError(f"{fault}, for {self._wishes.patience:g} s")
            await asyncio.sleep(PAUSES[-1])
            board = (await self._look()).board
            if board != last:
                last, since = board, self._clock()

    def _still_seconds(self, board: Board) -> float:
        """How long a board must be seen: one that is known, or a move away from it, not long."""
        known = self._follower
        if known.has_begun and (
            board == known.board or any(known.explain(move, board) for move in Move)
        ):
            return self.page.steady_seconds
        return STILL_SECONDS if known.has_begun else max(self.page.steady_seconds, 0.1)

    async def _has_changed(self) -> bool:
        """Look; whether the game is not where we left it. It is taken as it is then."""
        sight = await self._look()
        if sight.board == self._follower.board:
            return sight.won or sight.over
        before = self._follower.board
        await self._take()
        return self._follower.board != before or self._sight.won or self._sight.over

    # ---- how it goes on

    async def _ending(self) -> str:
        """How the game has ended, in words; empty while it goes on."""
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
        """Whether the page goes on saying that the game has ended."""
        due = self._clock() + OVER_SECONDS
        while self._clock() < due:
            await asyncio.sleep(LOOK_SECONDS)
            sight = await self._look()
            if not sight.over or sight.board != self._follower.board:
                await self._take()
                return False
        return True

    async def _go_on(self) -> None:
        """Leave the screen that tells of the win.

        Raises:
            PageError: it does not go away.
        """
        due = self._clock() + self._wishes.patience
        while self._sight.won:
            if self._clock() >= due:
                raise PageError("expected play to go on after the win, got a page that stays there")
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
        """Make a move; whether the game has vanished with a move that may have been its last.

        Raises:
            PageError: the page does not take the move.
        """
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
        """Look until a move has been made, by us or by others; False if nothing happens."""
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
        """Close a popup that takes the keys.

        Raises:
            PageError: something lies over the board that is not known.
        """
        cover = await self._close_popup(always=True)
        if cover:
            raise PageError(self._ignored(move, f"; over the board lies {shown(cover)}"))
        await self.page.world.focus()

    async def _close_popup(self, *, always: bool) -> str:
        """Close a known popup; what lies over the board and is not known."""
        popup = await close_popup(self.page, always=always)
        if popup.closed:
            self.popups.append(popup.closed)
        return "" if popup.closed else popup.cover

    def _ignored(self, move: Move, why: str) -> str:
        return (
            f"expected the board to change after {move.name.lower()} "
            f"on {self._follower.board}, got no change in {self._wishes.patience:g} s{why}"
        )
