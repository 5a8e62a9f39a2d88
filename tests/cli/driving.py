"""Drives the app without a terminal: keys in, the screen as text out."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot

from tests.support.asked import PATIENCE, Last
from twofold import Game, Move, Player, Record, Rules, make_player
from twofold.cli.tui.game_screen import GameScreen, PlayScreen
from twofold.cli.tui.review_screen import Judging, ReviewScreen
from twofold.cli.tui.screen import Lines, PictureScreen, TwofoldApp, Walk
from twofold.games.live_game import new_game
from twofold.games.mover import PLEASANT
from twofold.games.shared_game import SharedGame
from twofold.games.store import GameStore


def game_of(moves: str, rules: str = "", seed: int = 1) -> Game:
    """A game with some moves made."""
    game = Game(Rules.parse(rules), seed=seed)
    for letter in moves:
        game.play(Move.parse(letter))
    return game


def play_screen(
    folder: Path,
    game: Game | None = None,
    player: Callable[[], Player] = Last,
    pace: float | None = PLEASANT,
) -> PlayScreen:
    """A screen to play on, its games kept in a folder."""
    kept = new_game(GameStore(folder), game or Game(seed=1))
    return PlayScreen(SharedGame(kept, lambda _: player(), pace, "last"))


def saved_by(screen: PlayScreen) -> Record:
    """The game of a screen as it is saved."""
    assert screen.kept.store is not None
    return screen.kept.store.read(screen.kept.name).record


Driven = Pilot[bool]
Act = Callable[[Driven], Awaitable[None]]


def drive(screen: PictureScreen, act: Act, size: tuple[int, int] = (80, 24)) -> TwofoldApp:
    """Show a screen and do something with it; the app afterwards."""
    app = TwofoldApp(screen)

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await act(pilot)
        shared = getattr(screen, "shared", None)
        if shared is not None:
            shared.close()

    asyncio.run(run())
    return app


def _plain(lines: Lines) -> str:
    return "\n".join(line.plain.rstrip() for line in lines._lines)


def text_of(pilot: Driven) -> str:
    """The picture on the screen, as text."""
    return _plain(pilot.app.screen.query(Lines).first())


def keys_of(pilot: Driven) -> str:
    """The line of keys, as text."""
    return _plain(pilot.app.screen.query(Lines).last())


def note_of(pilot: Driven) -> str:
    """The last line of the picture."""
    return text_of(pilot).rstrip("\n").split("\n")[-1].strip()


def plays(screen: GameScreen) -> bool:
    """True if the player plays on."""
    return screen.shared.now.auto


async def until(pilot: Driven, is_so: Callable[[], bool]) -> None:
    """Wait until a condition is true."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, text_of(pilot)
        await pilot.pause(0.01)


async def until_shown(pilot: Driven, wanted: str) -> None:
    """Wait until a text is on the screen."""
    await until(pilot, lambda: wanted in text_of(pilot))


def first_moves(count: int) -> Game:
    """A game in which the first legal move is always made; the judge prefers the last one."""
    game = Game(seed=2)
    for _ in range(count):
        game.play(game.legal_moves()[0])
    return game


def reviewing(game: Game | None = None) -> ReviewScreen:
    walk = Walk(game or first_moves(40))
    return ReviewScreen(walk, Judging(walk, judge))


def judge() -> Player:
    return make_player(f"{Last.__module__}:Last")
