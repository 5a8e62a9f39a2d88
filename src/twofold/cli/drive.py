"""`twofold drive`: a player plays a 2048 page in a real browser."""

import asyncio
import sys
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer

from twofold.cli._documents import MovesTiming, Part
from twofold.cli._driver import Driver, PageFollower, Thinker
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
    read_pace,
    read_rules,
)
from twofold.cli._output import live, print_note, print_out, write_json
from twofold.cli.browser import (
    GamePage,
    PageKind,
    Tab,
    bare_url,
    find_game,
    kind_of,
    open_tab,
    parse_endpoint,
    parse_url,
    read_selectors,
    require_playwright,
)
from twofold.errors import INTERRUPTED, InvalidInput, TwofoldError
from twofold.figures import counted, format_rate, format_time
from twofold.game.notation import parse_tile, printable
from twofold.game.record import keep_record
from twofold.game.rules import Rules
from twofold.players import Player, PlayerSpec
from twofold.players.registry import default_player
from twofold.search.budget import Budget, parse_seconds
from twofold.storage.files import new_file

EXAMPLE = """  twofold drive https://example.org/2048
  twofold drive https://example.org/2048 --headless --record game.2048
  twofold drive https://example.org/2048 --attach 9222 --moves-per-second 3
  twofold drive https://example.org/game --selector tiles=.cell"""

FIND_SECONDS: Final = 10.0
"""How long a page may take to show a game."""

REFRESH_SECONDS: Final = 0.2
"""Time between two looks at how it goes."""

MAX_PAGE_TAG: Final = 500
"""Most characters of the page's address in a record."""


def command(
    url: Annotated[str, argument("URL", "Address of the 2048 page.")],
    player: Annotated[str | None, option("PLAYER", f"Player that plays. {USUAL_PLAYER}")] = None,
    time: Annotated[
        str | None, option("T", "Time per move: 50ms, 1s. Default: the player's.")
    ] = None,
    moves_per_second: PaceOption = None,
    stop_at: Annotated[
        str | None, option("TILE", "Stop when this tile is reached. Default: play to the end.")
    ] = None,
    attach: Annotated[
        str, option("ENDPOINT", "Use a running browser: its debugging port, host:port or address.")
    ] = "",
    browser: Annotated[str, option("PATH", "Browser to start. Default: the first one found.")] = "",
    headless: Annotated[bool, flag("--headless", "Run the browser without a window.")] = False,
    selectors: Annotated[
        Path | None, option("FILE", "TOML file that says where the game is on the page.")
    ] = None,
    selector: Annotated[
        list[str] | None, option("NAME=VALUE", "One entry of such a file; may be repeated.")
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
    told = read_selectors(selectors, selector or ()) if selectors or selector else None
    drive = Drive(
        url=parse_url(url),
        endpoint=attach and parse_endpoint(attach),
        headless=headless,
        program=browser,
        kind=kind_of(told),
        pace=read_pace(moves_per_second),
        stop_at=None if stop_at is None else _read_tile(stop_at),
        patience=parse_seconds(patience, "--patience"),
        budget=None if time is None else Budget(seconds=parse_seconds(time, "--time")),
        rules=read_rules(rules) if rules else None,
        spec=PlayerSpec.parse(player) if player else None,
        record=record,
        force=force,
        json=json,
    )
    if record is not None:
        inputs = [selectors or "", *(drive.spec.files if drive.spec else ())]
        new_file(record, inputs=inputs, force=force)  # before anything is played
    require_playwright()
    drive.run()


def _read_tile(text: str) -> int:
    exponent = parse_tile(text, InvalidInput)
    if exponent == 0:
        raise InvalidInput("expected a tile from 2 upwards to stop at, got 0")
    return 1 << exponent


def _ignore_loss(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Ignore errors of answers that nothing awaits: Ctrl-C ends their sender, too."""
    if "never retrieved" not in context["message"]:
        loop.default_exception_handler(context)


@dataclass
class Drive:
    """One game on a page, from its beginning to its summary, which `json` makes a JSON document.

    Attributes:
        url: of the page.
        kind: the kind of page to look for.
        endpoint: of a running browser; empty to start one.
        headless: start a browser without a window.
        program: path of the browser to start; empty to search for one.
        pace: largest number of moves per second; None for no limit.
        stop_at: a tile at which to stop; None for the end of the game.
        patience: timeout for the page, in seconds.
        spec: the player; None for the default one of the rules.
        budget: limits on each move; None for the player's own.
        rules: the rules of the page; None to go by the board.
        record: the file to write the game to; with `force` it replaces another.
    """

    url: str
    kind: PageKind
    endpoint: str = ""
    headless: bool = False
    program: str = ""
    pace: float | None = None
    stop_at: int | None = None
    patience: float = 3.0
    spec: PlayerSpec | None = None
    budget: Budget | None = None
    rules: Rules | None = None
    record: Path | None = None
    force: bool = False
    json: bool = False
    driver: Driver | None = None
    ending: str = ""

    def __post_init__(self) -> None:
        self.canonical = self.spec.text if self.spec else ""
        self.name = self.spec.title if self.spec else ""
        self.follower = PageFollower(self.rules)

    def run(self) -> None:
        """Play, and say how it went.

        Raises:
            TwofoldError: the page, its browser or the player failed; what was played until then
                is kept.
            Exit: it was interrupted.
        """
        try:
            asyncio.run(self._play())
        except KeyboardInterrupt:
            if not self.follower.has_begun:
                print_note("interrupted before a game was found")
            self.finish("interrupted")
            if self.ending == "interrupted":
                raise typer.Exit(INTERRUPTED) from None
        except TwofoldError:
            self.finish("stopped by an error")
            raise

    async def _play(self) -> None:
        asyncio.get_running_loop().set_exception_handler(_ignore_loss)
        try:
            async with open_tab(
                self.url, self.endpoint, headless=self.headless, program=self.program
            ) as tab:
                await self._drive(tab)
        except TwofoldError:  # the browser's driver hears Ctrl-C, too
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise asyncio.CancelledError from None
            raise

    async def _drive(self, tab: Tab) -> None:
        async def find() -> GamePage:
            return await find_game(tab, self.kind, FIND_SECONDS)

        page = await find()
        said = f"found a game of the kind {page.kind.name}, read from {page.source}"
        (print_note if self.json else print_out)(said)
        thinker = Thinker(self._make, self.budget)
        self.driver = Driver(
            page,
            thinker,
            self.follower,
            find,
            moves_per_second=self.pace,
            stop_at=self.stop_at,
            patience=self.patience,
        )
        progress = asyncio.create_task(self.show_progress())
        try:
            ending = await self.driver.play()
        finally:
            progress.cancel()
            await asyncio.gather(progress, return_exceptions=True)
            thinker.close()
        self.finish(ending)
        if not (self.headless or self.endpoint) and sys.stdout.isatty():
            print_note("the browser stays open; close it, or press Ctrl-C")
            await tab.wait_lost()

    def _make(self, rules: Rules) -> Player:
        """The player, ready for a game."""
        spec = self.spec or default_player(rules)
        player = open_player(spec, rules, 0)
        check_limits(player, *([] if self.budget is None else ["time"]))
        self.name, self.canonical = spec.title, player.spec
        return player

    async def show_progress(self) -> None:
        """Show again and again how it goes."""

        def line(_: None) -> str:
            game, moves = self.follower.game, self.follower.made + self.follower.followed
            return (
                f"move {moves:,}  score {game.score:,}  largest {game.board.max_tile:,}  "
                f"{format_rate(self._timing.moves_per_second or 0.0)} moves/s"
            )

        with live(line) as show:
            while True:
                await asyncio.sleep(REFRESH_SECONDS)
                if self.follower.made or self.follower.followed:
                    show(None)

    @property
    def _timing(self) -> MovesTiming:
        """From the first of our moves to the last."""
        made, driver = self.follower.made, self.driver
        seconds = driver.last_at - driver.first_at if driver is not None and made else 0.0
        return MovesTiming(seconds, made / seconds if seconds > 0 else 0.0)

    def finish(self, ending: str) -> None:
        """Write the record and the summary, once, if there was a game."""
        first, self.ending = not self.ending, self.ending or ending
        if not first or not self.follower.has_begun:
            return
        said = ""
        try:
            said = self._write_record()
        finally:
            if self.json:
                write_json("drive", self._document(), self._timing)
            else:
                print_out("\n".join(self._summary()))
            if said:
                (print_note if self.json else print_out)("twofold: " * self.json + said)

    def _write_record(self) -> str:
        """Write the record, if one is wanted; where it is, in words."""
        if self.record is None:
            return ""
        page = printable(bare_url(self.url))[:MAX_PAGE_TAG]
        record = self.driver and self.follower.record(
            player=self.canonical,
            date=date.today().isoformat(),
            tags={"Page": page, "Adapter": self.driver.page.kind.name},
        )
        if not record:
            return "no move was seen: nothing to record"
        return keep_record(self.record, record, force=self.force)

    def _summary(self) -> list[str]:
        game, follower, timing = self.follower.game, self.follower, self._timing
        lines = [
            f"score {game.score:,}, largest tile {game.board.max_tile:,}, "
            f"{counted(follower.made, 'move')}, {self.ending}",
            f"{format_time(timing.seconds)}, {format_rate(timing.moves_per_second or 0.0)} "
            f"moves/s, player {self.name}",
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
        if self.driver is not None and self.driver.popups:
            lines.append(f"closed {counted(len(self.driver.popups), 'popup')}")
        return lines

    def _document(self) -> "DriveDocument":
        board, driver = self.follower.board, self.driver
        return DriveDocument.of(
            self.follower,
            page=bare_url(self.url),
            adapter=driver and driver.page.kind.name,
            read_from=driver and driver.page.source,
            player=self.name,
            spec=self.canonical,
            rules=self.follower.game.rules,
            board=board,
            max_tile=board.max_tile,
            popups_closed=driver.popups if driver else [],
            ended=self.ending,
        )


class DriveDocument(Part, frozen=True):
    """A game that a player played on a page.

    Attributes:
        page: address of the page.
        adapter: kind of the page; null if no game was found.
        read_from: where the game was read on it; null if no game was found.
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
    adapter: str | None
    read_from: str | None
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
