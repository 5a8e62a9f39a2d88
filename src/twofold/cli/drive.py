"""`twofold drive`: a player plays a 2048 page in a real browser.

Look, choose, press a key, look again.
"""

import asyncio
import contextlib
import queue
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Annotated, Any, Final

import msgspec
import typer

from twofold.cli._documents import MovesTiming, Part
from twofold.cli._options import (
    USUAL_PLAYER,
    ForceOption,
    JsonOption,
    PaceOption,
    argument,
    check_limits,
    flag,
    open_player,
    option,
    read_rules,
    read_tile,
)
from twofold.cli._output import live, print_note, print_out, write_json
from twofold.cli.browser import (
    ORIGINAL,
    FrameGone,
    GamePage,
    Sight,
    bare_url,
    find_game,
    open_page,
    parse_endpoint,
    parse_url,
    read_selectors,
    require_playwright,
)
from twofold.errors import INTERRUPTED, PageError, TwofoldError
from twofold.figures import counted, format_rate, format_time
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.notation import printable, shown
from twofold.game.record import Record, keep_record
from twofold.game.rules import Move, Rules
from twofold.game.step import Status
from twofold.games.mover import MoveQuestion
from twofold.games.shared_game import CLOSE_SECONDS
from twofold.games.threads import IMPORTING, start_thread
from twofold.players import Player, PlayerSpec
from twofold.players.base import as_fault, checked_move, describe_caught
from twofold.players.presets import DEFAULT
from twofold.search.budget import Budget, parse_seconds
from twofold.storage.files import new_file

EXAMPLE = """  twofold drive https://example.org/2048
  twofold drive https://example.org/2048 --headless --record game.2048
  twofold drive https://example.org/2048 --attach 9222 --moves-per-second 3
  twofold drive https://example.org/game --selector tiles=.cell"""

FIND_SECONDS: Final = 10.0
"""How long a page may take to show a game."""

PRESSES: Final = 3
"""Number of times a key without effect is pressed."""

IDLE_ROUNDS: Final = 20
"""Limit of rounds in which the page reports an end or a win, and no move is made."""

STILL_SECONDS: Final = 0.5
"""How long a board that no move explains must be unchanged to be accepted."""

OVER_SECONDS: Final = 1.0
"""How long the end of the game that a page reports is waited for, if a move is legal."""

LOOK_SECONDS: Final = 0.1
"""Interval between two looks at the page while the player searches or waits."""

FRESH_SECONDS: Final = 0.03
"""Largest age of a look before a key is pressed."""

PAUSES: Final = (0.0, 0.002, 0.004, 0.008, 0.016)
"""Intervals between looks for the answer to a key; the last one is repeated."""

INTERRUPTION: Final = "interrupted"
"""The end of a game by Ctrl-C, in words."""


def command(
    url: Annotated[str, argument("URL", "Address of the 2048 page.")],
    player: Annotated[str | None, option("PLAYER", f"Player that plays. {USUAL_PLAYER}")] = None,
    time: Annotated[
        str | None, option("T", "Time per move: 50ms, 1s. Default: the player's.")
    ] = None,
    moves_per_second: PaceOption = None,
    stop_at: Annotated[
        int | None,
        option(
            "TILE", "Stop when this tile is reached. Default: play to the end.", parser=read_tile
        ),
    ] = None,
    attach: Annotated[
        str, option("ENDPOINT", "Use a running browser: its debugging port, host:port or address.")
    ] = "",
    browser: Annotated[str, option("PATH", "Browser to start. Default: the first one found.")] = "",
    headless: Annotated[bool, flag("--headless", "Run the browser without a window.")] = False,
    selector: Annotated[
        list[str] | None, option("NAME=VALUE", "Where the game is on the page; may be repeated.")
    ] = None,
    rules: Annotated[
        str, option("RULES", "Rules of the page. Default: taken from its board.")
    ] = "",
    patience: Annotated[str, option("T", "How long to wait for the page.")] = "3s",
    record: Annotated[Path | None, option("FILE", "Write the game to a file.")] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Play a 2048 page in a browser.

    Starts a browser, or uses a running one, finds the game and plays it with the arrow keys. You
    can make moves on the page, too: the player continues from there. Ctrl-C stops the player and
    leaves the page as it is; a browser that the command started is closed.
    """
    address, where = parse_url(url), attach and parse_endpoint(attach)
    told = read_selectors(selector) if selector else ORIGINAL
    spec = PlayerSpec.parse(player or DEFAULT)
    driver_of = partial(
        Driver,
        spec=spec,
        rules=read_rules(rules) if rules else None,
        budget=None if time is None else Budget(seconds=parse_seconds(time, "--time")),
        pace=moves_per_second,
        stop_at=stop_at,
        patience=parse_seconds(patience, "--patience"),
    )
    _ = spec.title  # refuses an unknown player
    if record is not None:  # before anything is played
        new_file(record, inputs=spec.files, force=force)
    require_playwright()
    say = print_note if json else print_out

    async def play() -> None:
        asyncio.get_running_loop().set_exception_handler(_ignore_loss)
        try:
            async with open_page(address, where, headless=headless, program=browser) as page:
                driver = driver_of(await find_game(page, told, FIND_SECONDS))
                say(f"found a game of the kind {driver.page.kind}")
                try:
                    await driver.play()
                finally:
                    finish(driver, address, record, force=force, json=json)
                if not (headless or where) and sys.stdout.isatty():
                    print_note("the browser stays open; close it, or press Ctrl-C")
                    with contextlib.suppress(asyncio.CancelledError):
                        await page.wait_for_event("close", timeout=0)
        except TwofoldError:
            if _is_interrupted():  # the browser's driver hears Ctrl-C, too
                raise asyncio.CancelledError from None
            raise

    try:
        asyncio.run(play())
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


def _is_interrupted() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _ignore_loss(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Ignore errors of answers that nothing awaits: Ctrl-C ends their sender, too."""
    if "never retrieved" not in context["message"]:
        loop.default_exception_handler(context)


class PageFollower:
    """Keeps the game that a page shows, by its boards; by default under the original's rules.

    Attributes:
        game: the game since the last board that no single move explained.
        made: number of the driver's moves.
        followed: number of moves by others.
        breaks: number of boards that no single move explained, once a move was made.
    """

    def __init__(self, board: Board, score: int | None, rules: Rules | None = None) -> None:
        self._rules = rules
        self.made = self.followed = self.breaks = 0
        self._begin(board, score)

    def _begin(self, board: Board, score: int | None) -> None:
        rules = self._rules or Rules(rows=board.rows, cols=board.cols)
        self.game = Game.from_board(board, rules, score=score or 0, seed=0)
        self._score_is_known = score is not None

    @property
    def board(self) -> Board:
        """The present board."""
        return self.game.board

    @property
    def score(self) -> int | None:
        """Points so far; None if the page showed no score at the start."""
        return self.game.score if self._score_is_known else None

    def explain(self, move: Move, seen: Board) -> tuple[int, int] | None:
        """The new tile, as cell and tile, if this move and one new tile lead to the board seen."""
        if move in self.board.legal_moves():
            after = self.board.slide(move).board
            for cell, tile, _ in after.spawns(self.game.rules):
                if after.place(cell, tile) == seen:
                    return cell, tile
        return None

    def follow(self, seen: Board, score: int | None, ours: Move | None = None) -> Move | None:
        """Accept a board; the move that explains it, first the driver's own, or None."""
        for move in Move if ours is None else [ours, *Move]:
            spawn = self.explain(move, seen)
            if spawn is not None:
                self.game.play(move, spawn=spawn)
                self.made += move is ours
                self.followed += move is not ours
                return move
        self.breaks += self.made + self.followed > 0
        self._begin(seen, score)
        return None


@dataclass(frozen=True, slots=True)
class _Asked(MoveQuestion):
    answer: Future[Move] = field(default_factory=Future, compare=False)


class Thinker:
    """A player in its own thread, asked from an event loop, which is never blocked.

    Args:
        make: makes the player for rules; called in the player's thread, at the first question and
            when the rules change.
        budget: limits on each move; None for the player's own.
    """

    def __init__(self, make: Callable[[Rules], Player], budget: Budget | None = None) -> None:
        self._make, self._budget = make, budget
        self._questions: queue.SimpleQueue[_Asked | None] = queue.SimpleQueue()
        self._thread: Thread | None = None

    @contextlib.contextmanager
    def asked(self, game: Game, score: int | None) -> Iterator[asyncio.Future[Move]]:
        """The player's move in a game; its search is stopped at the end."""
        asked = _Asked(game.rules, game.board, score, game.move_number)
        answer = asyncio.wrap_future(asked.answer)
        self._questions.put(asked)
        self._thread = self._thread or start_thread(self._run, "twofold-player")
        try:
            yield answer
        finally:
            answer.cancel()
            asked.stop.raise_flag()

    def close(self) -> None:
        """End the thread, unless the player never answers."""
        self._questions.put(None)
        if self._thread is not None:
            self._thread.join(CLOSE_SECONDS)

    def _run(self) -> None:
        rules: Rules | None = None  # of the player
        players = contextlib.ExitStack()
        while (asked := self._questions.get()) is not None:
            if asked.stop.is_raised:
                continue
            with contextlib.suppress(InvalidStateError):  # the question was dropped
                try:
                    if rules != asked.rules:
                        rules = None
                        players.close()
                        with IMPORTING:
                            player = players.enter_context(self._make(asked.rules))
                        rules = asked.rules
                    asked.answer.set_result(self._choose(player, asked))
                except BaseException as error:  # a player may call sys.exit()
                    asked.answer.set_exception(as_fault(error))
        try:
            players.close()
        except BaseException as error:
            describe_caught(error)

    def _choose(self, player: Player, asked: MoveQuestion) -> Move:
        if self._budget is None:
            move = player.choose(asked.board, score=asked.score, move_number=asked.move_number)
        else:
            found = player.analyse(asked.board, self._budget, score=asked.score, stop=asked.stop)
            move = found.best
        return checked_move(player, asked.board, move)


class Driver:
    """Plays one game on a page.

    A board is the answer to a key if it is the slide of the move and one new tile. Any other board
    is accepted once it is stable, so neither animations nor moves of a person confuse the driver.

    Args:
        page: the game, which has been looked at.
        spec: the player.
        rules: the rules of the page; None to go by the board.
        budget: limits on each move; None for the player's own.
        pace: largest number of moves per second; None for no limit.
        stop_at: a tile at which to stop; None for the end of the game.
        patience: timeout for an answer to a key, for a board, and for leaving the win screen, in
            seconds.

    Attributes:
        follower: the game as it was seen.
        player: the player, as short as it can be named.
        canonical: the same with all defaults and file hashes, once it is made.
        first_at: time of the driver's first move, on the monotonic clock.
        last_at: time of its last move.
        ending: why the game ended, in words.
    """

    def __init__(
        self,
        page: GamePage,
        spec: PlayerSpec,
        *,
        rules: Rules | None = None,
        budget: Budget | None = None,
        pace: float | None = None,
        stop_at: int | None = None,
        patience: float = 3.0,
    ) -> None:
        self.page, self._spec = page, spec
        self._budget, self._pace, self._stop_at = budget, pace, stop_at
        self._patience = patience
        assert page.sight.board is not None
        self.follower = PageFollower(page.sight.board, page.sight.score, rules)
        self.player, self.canonical = spec.title, spec.text
        self.first_at = self.last_at = self._looked_at = self._due = 0.0
        self.ending = INTERRUPTION

    async def play(self) -> None:
        """Play until the game ends.

        Raises:
            PageError: the page does not behave like 2048, or is gone.
            PlayerError: the player returns an illegal move.
        """
        try:
            thinker = Thinker(self._make_player, self._budget)
            with contextlib.closing(thinker), live(self.progress) as self._show:
                self.ending = await self._play(thinker)
        except TwofoldError:
            if not _is_interrupted():
                self.ending = "stopped by an error"
            raise

    def _make_player(self, rules: Rules) -> Player:
        player = open_player(self._spec, rules, 0)
        check_limits(player, *([] if self._budget is None else ["time"]))
        self.canonical = player.spec
        return player

    async def _play(self, thinker: Thinker) -> str:
        await self.page.close_popup(always=False)
        await self.page.focus()
        await self._settle()
        rounds = 0
        while rounds <= IDLE_ROUNDS:
            before = self.follower.board
            ending = await self._ending()
            if ending:
                return ending
            if self.page.sight.won:
                await self._go_on()
            move = await self._choose(thinker)
            if move is not None:
                await self._press(move)
            rounds = rounds + 1 if self.follower.board == before else 0
        raise PageError(
            "expected the game to continue, got a page that keeps reporting that it is over or won"
        )

    async def _look(self) -> Sight:
        try:
            await self.page.look()
        except FrameGone:
            found = await find_game(self.page.frame.page, self.page.told, FIND_SECONDS)
            self.page.frame, self.page.sight = found.frame, found.sight
            await self.page.focus()
        self._looked_at = monotonic()
        return self.page.sight

    async def _settle(self, move: Move | None = None) -> bool:
        """Look until a board is stable, and accept it: the answer to a key, if `move` is given.

        Returns:
            False if the key had no effect, or the board is gone.
        """
        known = self.follower.board
        last: Board | None = known
        began = since = monotonic()
        pauses = iter(PAUSES)
        while True:
            sight, now = await self._look(), monotonic()
            if sight.board != last:
                last, since = sight.board, now
            if last is not None and (move is None or last != known):
                if now - since >= self._steady_seconds(last, move):
                    self._accept(last, move)
                    return True
            elif move is not None:
                has_ended = last is not None and (sight.won or sight.over)
                if has_ended or now - began >= self._patience:
                    return False
            if now - began >= self._patience + STILL_SECONDS:
                fault = sight.fault or "expected a board on the page, got none"
                if last is not None:
                    fault = "expected a stable board, got one that keeps changing"
                raise PageError(f"{fault}, for {self._patience:g} s")
            await asyncio.sleep(next(pauses, PAUSES[-1]))

    def _steady_seconds(self, board: Board, move: Move | None) -> float:
        """How long a board must be unchanged; shorter if it is known, or one move after it."""
        game = self.follower
        moves = Move if move is None else [move]
        if board == game.board or any(game.explain(each, board) for each in moves):
            return self.page.steady_seconds
        return STILL_SECONDS

    def _accept(self, board: Board, move: Move | None) -> None:
        game = self.follower
        if board != game.board and game.follow(board, self.page.sight.score, move) is move:
            self.last_at = self._looked_at
        self._show(None)

    async def _has_changed(self) -> bool:
        """Look; True if the game has changed, which is then accepted."""
        before = self.follower.board
        if (await self._look()).board != before:
            await self._settle()
        return self.follower.board != before or self.page.sight.won or self.page.sight.over

    async def _ending(self) -> str:
        """The reason of the end, in words; empty while the game goes on."""
        board = self.follower.board
        if self._stop_at is not None and board.max_tile >= self._stop_at:
            return f"the tile {board.max_tile} is reached"
        if self.follower.game.status is Status.STOPPED:
            return "the goal is reached"
        if board.is_over:
            return "no move is left"
        if self.page.sight.over:  # the last tile may be still to come
            await asyncio.sleep(OVER_SECONDS)
            await self._settle()
            if self.page.sight.over and self.follower.board == board:
                return "the page says that the game is over"
        return ""

    async def _go_on(self) -> None:
        """Leave the win screen."""
        due = monotonic() + self._patience
        while self.page.sight.won:
            if monotonic() >= due:
                raise PageError("expected the page to continue after the win, got no change")
            await self.page.call("click", self.page.told.keep_going)
            await asyncio.sleep(PAUSES[-1])
            await self._look()
        await self._settle()

    async def _choose(self, thinker: Thinker) -> Move | None:
        """The player's move; None if the game has changed meanwhile."""
        with thinker.asked(self.follower.game, self.follower.score) as answer:
            while not answer.done() or monotonic() < self._due:
                if answer.done():
                    await asyncio.sleep(min(max(self._due - monotonic(), 0.0), LOOK_SECONDS))
                else:
                    await asyncio.wait({answer}, timeout=LOOK_SECONDS)
                if monotonic() - self._looked_at >= LOOK_SECONDS and await self._has_changed():
                    return None
            if monotonic() - self._looked_at >= FRESH_SECONDS and await self._has_changed():
                return None
            return answer.result()

    async def _press(self, move: Move) -> None:
        """Make a move."""
        self.first_at = self.first_at or monotonic()
        if self._pace is not None:
            self._due = max(self._due, monotonic()) + 1 / self._pace
        why = ""
        for _ in range(PRESSES):
            await self.page.make(move)
            if await self._settle(move) or self.page.sight.won or self.page.sight.over:
                return
            if self.page.sight.board is None:
                await self._settle()
                return
            if cover := await self.page.close_popup(always=True):
                why = f"; the board is covered by {shown(cover)}"
                break
            await self.page.focus()
        raise PageError(
            f"expected the board to change after {move.name.lower()} "
            f"on {self.follower.board}, got no change in {self._patience:g} s{why}"
        )

    # ---- how it goes

    @property
    def timing(self) -> MovesTiming:
        """From the first of our moves to the last."""
        made = self.follower.made
        seconds = self.last_at - self.first_at if made else 0.0
        return MovesTiming(seconds, made / seconds if seconds > 0 else 0.0)

    def progress(self, _: None = None) -> str:
        """How it goes, on a line."""
        game, moves = self.follower.game, self.follower.made + self.follower.followed
        return (
            f"move {moves:,}  score {game.score:,}  largest {game.board.max_tile}  "
            f"{format_rate(self.timing.moves_per_second or 0.0)} moves/s"
        )


# ---- how it went


def finish(
    driver: Driver, url: str, record: Path | None, *, force: bool = False, json: bool = False
) -> None:
    """Write the record, if one is wanted, and the summary."""
    said = ""
    try:
        if record is not None:
            said = _write_record(driver, url, record, force=force)
    finally:
        if json:
            write_json("drive", _document(driver, url), driver.timing)
        else:
            print_out("\n".join(_summary(driver)))
        if said:
            (print_note if json else print_out)("twofold: " * json + said)


def _write_record(driver: Driver, url: str, path: Path, *, force: bool) -> str:
    """Write the record; where it is, in words."""
    game = driver.follower.game
    if not game.can_undo:
        return "no move was seen: nothing to record"
    page = printable(bare_url(url))[:500]
    record = Record.from_game(
        game,
        player=driver.canonical,
        date=date.today().isoformat(),
        tags={"Page": page, "Adapter": driver.page.kind},
    )
    return keep_record(path, record, force=force)


def _summary(driver: Driver) -> list[str]:
    follower, timing = driver.follower, driver.timing
    game = follower.game
    lines = [
        f"score {game.score:,}, largest tile {game.board.max_tile}, "
        f"{counted(follower.made, 'move')}, {driver.ending}",
        f"{format_time(timing.seconds)}, {format_rate(timing.moves_per_second or 0.0)} "
        f"moves/s, player {driver.player}",
    ]
    if follower.score is None:
        lines[0] += " (the page shows no score: it is counted from its first board)"
    if follower.followed:
        lines.append(f"{counted(follower.followed, 'move')} made on the page by someone else")
    if follower.breaks:
        lines.append(
            f"{counted(follower.breaks, 'change')} of the board that no single move explains; "
            "the record begins after the last such change"
        )
    if driver.page.popups:
        lines.append(f"closed {counted(len(driver.page.popups), 'popup')}")
    return lines


def _document(driver: Driver, url: str) -> "DriveDocument":
    board = driver.follower.board
    return DriveDocument.of(
        driver.follower,
        page=bare_url(url),
        adapter=driver.page.kind,
        player=driver.player,
        spec=driver.canonical,
        rules=driver.follower.game.rules,
        board=board,
        max_tile=board.max_tile,
        popups_closed=driver.page.popups,
        ended=driver.ending,
    )


class DriveDocument(Part, frozen=True):
    """A game that a player played on a page.

    Attributes:
        page: address of the page.
        adapter: kind of the page.
        player: the player, as short as it can be named.
        spec: the same with all defaults and file hashes.
        rules: rules of the game.
        board: the last board.
        score: points that the page shows; null if it shows none.
        max_tile: largest tile of the last board.
        made: number of moves of the player.
        followed: number of moves made on the page by somebody else.
        breaks: number of changes that no single move explains.
        popups_closed: the popups that were closed.
        ended: why the game ended, in words.
    """

    page: str
    adapter: str
    player: str
    spec: str
    rules: str
    board: str
    score: int | None
    max_tile: int
    made: int = msgspec.field(name="moves")
    followed: int = msgspec.field(name="moves_of_others")
    breaks: int
    popups_closed: list[str]
    ended: str
