"""Plays the game on a page: look, choose, press a key, look again."""

import asyncio
import contextlib
import queue
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Final

from twofold.cli.browser import FrameGone, GamePage, Sight
from twofold.errors import PageError
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.notation import shown
from twofold.game.record import Record
from twofold.game.rules import Move, Rules
from twofold.game.step import Status
from twofold.games.mover import AskedPlayer, MoveQuestion
from twofold.players.base import Player, checked_move
from twofold.search.budget import Budget, Stop


class PageFollower:
    """Keeps the game that a page shows, by its boards; by default under the original's rules.

    Attributes:
        made: number of the driver's moves.
        followed: number of moves by others.
        breaks: number of boards that no single move explained, without the first board.
    """

    def __init__(self, rules: Rules | None = None) -> None:
        self._rules = rules
        self._game: Game | None = None
        self._score_is_known = False
        self.made = self.followed = self.breaks = 0

    @property
    def game(self) -> Game:
        """The game since the last board that no single move explained."""
        assert self._game is not None, "begin comes first"
        return self._game

    @property
    def has_begun(self) -> bool:
        """True if a board was seen."""
        return self._game is not None

    @property
    def board(self) -> Board:
        """The present board."""
        return self.game.board

    @property
    def score(self) -> int | None:
        """Points so far; None if the page showed no score at the start."""
        return self.game.score if self._score_is_known else None

    def begin(self, board: Board, score: int | None) -> None:
        """Start from a board: the first one, or one that no move explains."""
        rules = self._rules or Rules(rows=board.rows, cols=board.cols)
        game = Game.from_board(board, rules, score=score or 0, seed=0)
        self.breaks += self._game is not None
        self._game, self._score_is_known = game, score is not None

    def explain(self, move: Move, seen: Board) -> tuple[int, int] | None:
        """The new tile, as cell and tile, if this move and one new tile lead to the board seen."""
        if move not in self.board.legal_moves() or self.board.shape != seen.shape:
            return None
        after = self.board.slide(move).board.exponents
        pairs = enumerate(zip(after, seen.exponents, strict=True))
        changed = [(cell, before, now) for cell, (before, now) in pairs if before != now]
        if len(changed) != 1:
            return None
        cell, before, now = changed[0]
        is_spawn = before == 0 and now in self.game.rules.spawn_exponents
        return (cell, 1 << now) if is_spawn else None

    def follow(self, seen: Board, score: int | None, ours: Move | None = None) -> Move | None:
        """Accept a board; the move that explains it, first the driver's own, or None."""
        for move in Move if ours is None else [ours, *Move]:
            spawn = self.explain(move, seen)
            if spawn is not None:
                self.game.play(move, spawn=spawn)
                self.made += move is ours
                self.followed += move is not ours
                return move
        self.begin(seen, score)
        return None

    def may_have_ended(self, move: Move) -> bool:
        """True if a move may have left a board without a legal move."""
        if move not in self.board.legal_moves():
            return False
        after = self.board.slide(move).board
        spawns = after.spawns(self.game.rules)
        return any(after.place(spawn.cell, spawn.tile).is_over for spawn in spawns)

    def record(self, *, player: str, date: str, tags: Mapping[str, str]) -> Record | None:
        """The record since the last break, with all new tiles; None without a move."""
        if not self.game.can_undo:
            return None
        return Record.from_game(self.game, player=player, date=date, tags=tags)


class Thinker:
    """A player that is asked from an event loop, which is never blocked.

    Args:
        make: makes the player for rules; called in the player's thread, at the first question and
            when the rules change.
        budget: limits on each move; None for the player's own.
    """

    def __init__(self, make: Callable[[Rules], Player], budget: Budget | None = None) -> None:
        self._budget = budget
        self._questions: queue.SimpleQueue[MoveQuestion | None] = queue.SimpleQueue()
        self._asked: MoveQuestion | None = None
        self._answer: asyncio.Future[Move]
        self._player = AskedPlayer(make, self._questions.get, self._choose, self._hand_over)

    def ask(self, question: MoveQuestion) -> asyncio.Future[Move]:
        """The player's move; an earlier question is dropped."""
        self.drop()
        self._asked = replace(question, stop=Stop())
        self._answer = asyncio.get_running_loop().create_future()
        self._questions.put(self._asked)
        self._player.start()
        return self._answer

    def drop(self) -> None:
        """Stop the search under way."""
        if self._asked is not None:
            if not self._answer.cancel() and not self._answer.cancelled():
                self._answer.exception()  # marks it as retrieved
            self._asked.stop.raise_flag()

    def close(self) -> None:
        """End the thread, unless the player never answers."""
        self.drop()
        self._questions.put(None)
        self._player.close()

    def _choose(self, player: Player, asked: MoveQuestion) -> None:
        if self._budget is None:
            move = player.choose(asked.board, score=asked.score, move_number=asked.move_number)
        else:
            found = player.analyse(asked.board, self._budget, score=asked.score, stop=asked.stop)
            move = found.best
        self._hand_over(asked, checked_move(player, asked.board, move))

    def _hand_over(self, asked: MoveQuestion, answer: Move | Exception) -> None:
        def set_answer() -> None:
            if asked.stop.is_raised or self._answer.done():
                return
            if isinstance(answer, Exception):  # raised where the answer is awaited
                self._answer.set_exception(answer)
            else:
                self._answer.set_result(answer)

        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._answer.get_loop().call_soon_threadsafe(set_answer)


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


@dataclass
class Driver:
    """Plays one game on a page.

    A board is the answer to a key if it is the slide of the move and one new tile. Any other board
    is accepted once it is stable, so neither animations nor moves of a person confuse the driver.

    Attributes:
        page: the page.
        thinker: asks the player.
        follower: keeps the game.
        find: finds the game again after its frame was replaced.
        moves_per_second: largest pace; None for no limit.
        stop_at: a tile at which to stop; None for the end of the game.
        patience: timeout for an answer to a key, for a board, and for leaving the win screen, in
            seconds.
        popups: names of the popups that were closed.
        first_at: time of the driver's first move, in seconds of the loop's clock.
        last_at: time of its last move.
    """

    page: GamePage
    thinker: Thinker
    follower: PageFollower
    find: Callable[[], Awaitable[GamePage]]
    _: KW_ONLY
    moves_per_second: float | None = None
    stop_at: int | None = None
    patience: float = 3.0
    popups: list[str] = field(default_factory=list)
    first_at: float = 0.0
    last_at: float = 0.0

    def __post_init__(self) -> None:
        self._clock = asyncio.get_running_loop().time
        self._looked_at = self._due = self._clock()
        self._sight = Sight(None)

    async def play(self) -> str:
        """Play until the game ends; the reason in words.

        Raises:
            PageError: the page does not behave like 2048, or is gone.
            PlayerError: the player returns an illegal move.
        """
        await self._close_popup(always=False)
        await self.page.world.call("focus")
        await self._settle()
        rounds = 0
        while rounds <= IDLE_ROUNDS:
            before = self.follower.board
            ending = await self._ending()
            if ending:
                return ending
            if self._sight.won:
                await self._go_on()
            move = await self._choose()
            if move is not None and await self._make(move):
                return "no move is left on the board that the page shows"
            rounds = rounds + 1 if self.follower.board == before else 0
        raise PageError(
            "expected the game to continue, got a page that keeps reporting that it is over or won"
        )

    async def _look(self) -> Sight:
        try:
            self._sight = await self.page.look()
        except FrameGone:
            self.page = await self.find()
            await self.page.world.call("focus")
            self._sight = await self.page.look()
        self._looked_at = self._clock()
        return self._sight

    async def _settle(self, move: Move | None = None) -> bool:
        """Look until a board is stable, and accept it: the answer to a key, if `move` is given.

        Returns:
            False if the key had no effect, or the board is gone.
        """
        game = self.follower
        known = last = game.board if game.has_begun else None
        began = since = self._clock()
        pauses = iter(PAUSES)
        while True:
            sight, now = await self._look(), self._clock()
            if sight.board != last:
                last, since = sight.board, now
            if last is not None and (move is None or last != known):
                if now - since >= self._steady_seconds(last, move):
                    self._accept(last, move)
                    return True
            elif move is not None:
                has_ended = last is not None and (sight.won or sight.over)
                if has_ended or now - began >= self.patience:
                    return False
            if now - began >= self.patience + STILL_SECONDS:
                fault = sight.fault or "expected a board on the page, got none"
                if last is not None:
                    fault = "expected a stable board, got one that keeps changing"
                raise PageError(f"{fault}, for {self.patience:g} s")
            await asyncio.sleep(next(pauses, PAUSES[-1]))

    def _steady_seconds(self, board: Board, move: Move | None) -> float:
        """How long a board must be unchanged; shorter if it is known, or one move after it."""
        game = self.follower
        if not game.has_begun:
            return max(self.page.kind.steady_seconds, 0.1)
        moves = Move if move is None else [move]
        if board == game.board or any(game.explain(each, board) for each in moves):
            return self.page.kind.steady_seconds
        return STILL_SECONDS

    def _accept(self, board: Board, move: Move | None) -> None:
        game = self.follower
        if not game.has_begun:
            game.begin(board, self._sight.score)
        elif board != game.board and game.follow(board, self._sight.score, move) is move:
            self.last_at = self._looked_at

    async def _has_changed(self) -> bool:
        """Look; True if the game has changed, which is then accepted."""
        before = self.follower.board
        if (await self._look()).board != before:
            await self._settle()
        return self.follower.board != before or self._sight.won or self._sight.over

    async def _ending(self) -> str:
        """The reason of the end, in words; empty while the game goes on."""
        board = self.follower.board
        if self.stop_at is not None and board.max_tile >= self.stop_at:
            return f"the tile {board.max_tile} is reached"
        if self.follower.game.status is Status.STOPPED:
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
            if not sight.over or sight.board != self.follower.board:
                await self._settle()
                return False
        return True

    async def _go_on(self) -> None:
        """Leave the win screen."""
        due = self._clock() + self.patience
        while self._sight.won:
            if self._clock() >= due:
                raise PageError("expected the page to continue after the win, got no change")
            await self.page.world.call("click", self.page.kind.keep_going)
            await asyncio.sleep(PAUSES[-1])
            await self._look()
        await self._settle()

    async def _choose(self) -> Move | None:
        """The player's move; None if the game has changed meanwhile."""
        game = self.follower.game
        answer = self.thinker.ask(
            MoveQuestion(game.rules, game.board, self.follower.score, game.move_number)
        )
        try:
            while not answer.done() or self._clock() < self._due:
                if answer.done():
                    await asyncio.sleep(min(max(self._due - self._clock(), 0.0), LOOK_SECONDS))
                else:
                    await asyncio.wait({answer}, timeout=LOOK_SECONDS)
                if self._clock() - self._looked_at >= LOOK_SECONDS and await self._has_changed():
                    return None
            if self._clock() - self._looked_at >= FRESH_SECONDS and await self._has_changed():
                return None
            return answer.result()
        finally:
            self.thinker.drop()

    async def _make(self, move: Move) -> bool:
        """Make a move; True if the board has gone after a move that may have been the last."""
        self.first_at = self.first_at or self._clock()
        if self.moves_per_second is not None:
            self._due = max(self._due, self._clock()) + 1 / self.moves_per_second
        why = ""
        for _ in range(PRESSES):
            await self.page.make(move)
            if await self._settle(move) or self._sight.won or self._sight.over:
                return False
            if self._sight.board is None:
                if self.follower.may_have_ended(move):
                    return True
                await self._settle()
                return False
            if cover := await self._close_popup(always=True):
                why = f"; the board is covered by {shown(cover)}"
                break
            await self.page.world.call("focus")
        raise PageError(
            f"expected the board to change after {move.name.lower()} "
            f"on {self.follower.board}, got no change in {self.patience:g} s{why}"
        )

    async def _close_popup(self, *, always: bool) -> str:
        """Close a known popup; the description of an unknown cover of the board."""
        closed, cover = await self.page.close_popup(always=always)
        if closed:
            self.popups.append(closed)
        return "" if closed else cover
