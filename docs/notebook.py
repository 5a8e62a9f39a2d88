"""Draws the pictures of docs/howto/use-in-a-notebook.md, with the code of that page.

    python docs/notebook.py

The replay is a picture of the page in a real Chromium.
"""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from twofold import Board, Game, Record, make_player
from twofold.notebook import Replay, replay, show

OUT = Path(__file__).parent / "images"
BOARD = "0012/0013/0124/1357"
SPEC = "expectimax:eval=snake,ply=2"
SEED, MOVES, SHOWN = 7, 200, 180
MARGIN = 16


def draw_analysis() -> None:
    """A board with what a player thinks of it."""
    board = Board.parse(BOARD)
    with make_player(SPEC) as player:
        show(board, player.analyse(board)).save(OUT / "notebook-analysis.svg")


def make_replay() -> Replay:
    """The first moves of a game, with a comment."""
    game = Game(seed=SEED)
    with make_player(SPEC) as player:
        player.start(game.rules, SEED)
        for _ in range(MOVES):
            game.play(player.choose(game.board))
    comments = {SHOWN: "A comment of the record stands here."}
    return replay(Record.from_game(game, player=SPEC, comments=comments))


def draw_replay() -> None:
    """The page of a replay, somewhere in the game."""
    found = make_replay()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "game.html"
        found.save(path)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        size = {"width": found.width + MARGIN, "height": found.height}
        page = browser.new_page(viewport=size, device_scale_factor=2)
        page.goto(path.as_uri())
        page.locator("#at").fill(str(SHOWN))
        page.screenshot(path=OUT / "notebook-replay.png")
        browser.close()


if __name__ == "__main__":
    draw_analysis()
    draw_replay()
