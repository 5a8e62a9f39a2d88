"""Makes pictures of every page of the web app on four screens, in a real Chromium.

    python docs/screenshots.py [FOLDER] [--full] [--only PAGE] [--check]

It serves games, a study and a training run that it makes itself, and prints what a reader must not
meet: errors in the console, refused requests, pages wider than the screen. FOLDER is
docs/images/web, unless another one is named; --full takes whole pages, not the first screen.
--check takes none, and names the pictures that are older than their page.
"""

import argparse
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from picture_sources import note, stale
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

from twofold import Game, Move, Record, play_game

OUT = Path(__file__).parent / "images" / "web"
TWOFOLD = [sys.executable, "-m", "twofold"]
PLAYERS = ["random", "greedy", "corner", "expectimax:eval=rows,ply=1", "expectimax:eval=rows,ply=2"]
BENCH = ["bench", *PLAYERS, "--games", "300", "--out", "players.db"]
TRAIN = ["train", "0123 4567", "--out", "lines.safetensors", "--time", "20s", "--threads", "1"]
BOARD = "0012/0124/1356/2479"
LAB = ("lab", "lab-run", "lab-study")
WAIT_MS = 90_000
SETTLE_MS = 1_500  # animations, charts, the first analysis

LOOKS: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1920, "height": 1080}, "color_scheme": "dark"},
    "laptop": {"viewport": {"width": 1280, "height": 860}, "color_scheme": "light"},
    "tablet": {"viewport": {"width": 860, "height": 1100}, "color_scheme": "light"},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "color_scheme": "dark",
        "is_mobile": True,
        "has_touch": True,
    },
}
COLOURS = 128
"""Most colours of a picture: so it stays small and still looks the same."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture: its name, the address, what must be there, and what is done before."""

    name: str
    path: str
    ready: str
    act: Callable[[Page], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Served:
    """A server: its address and its token."""

    url: str
    token: str

    def ask(self, path: str, body: bytes | None = None) -> Any:
        """Ask the API, with a body post to it; the JSON answered."""
        headers = {"Authorization": f"Bearer {self.token}"}
        request = urllib.request.Request(self.url + path, body, headers)
        with urllib.request.urlopen(request, timeout=WAIT_MS / 1000) as answer:
            return json.load(answer)

    def keep(self, player: str, seed: int, moves: int | None = None) -> str:
        """Play a game and keep it, as if by hand; its id."""
        played = play_game(player, seed=seed, keep_moves=True)
        assert played is not None
        game = Game(seed=seed)
        for letter in played.letters[:moves]:
            game.play(Move.parse(letter))
        before = self.games()
        self.ask("/api/import", str(Record.from_game(game, player="me")).encode())
        return (self.games() - before).pop()

    def games(self) -> set[str]:
        """The ids of the games that are kept."""
        return {one["game"] for one in self.ask("/api/game-list?count=100")["games"]}


@contextlib.contextmanager
def serve(folder: Path) -> Iterator[Served]:
    """Serve what is in a folder, with games of its own."""
    command = [*TWOFOLD, "serve", "--port", "0", "--no-open", "--data", str(folder / ".games")]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            url, _, token = server.stdout.readline().strip().partition("/?token=")
            yield Served(url, token)
        finally:
            server.terminate()


def shots(served: Served) -> list[Shot]:
    """Every page, in a state that says something."""
    played = served.keep(player="expectimax:eval=rows,ply=2", seed=7, moves=700)
    reviewed = served.keep(player="expectimax:eval=rows,ply=1", seed=3, moves=400)
    for seed in range(20, 32):
        served.keep(player="expectimax:eval=rows,ply=1", seed=seed)
    race = "player=greedy&player=corner&player=expectimax:eval=rows,ply=2&seed=11&speed=12"
    return [
        Shot("play", f"/?game={played}", ".play .tile", _valued),
        Shot("watch", f"/watch?{race}", ".lanes .tile", lambda page: page.wait_for_timeout(6000)),
        Shot("analyse", f"/analyse#board={BOARD}&limit=3ply", ".analysis-page .tile", _valued),
        Shot("games", "/games", ".chart"),
        Shot("daily", "/daily", "#daily-day"),
        Shot("review", f"/analyse?game={reviewed}", ".analysis-page .tile", _judged),
        Shot("practice", "/practice?part=puzzle&day=2026-01-01", ".practice .tile"),
        Shot("lab-study", "/lab?study=players.db", ".lab-table tbody tr", _drawn),
        Shot("lab-run", "/lab?run=lines.csv", ".lab-figures dd"),
        Shot("lab", "/lab", ".lab-item"),
    ]


def _valued(page: Page) -> None:
    """The four moves have values."""
    page.locator(".analysis-chance strong").first.wait_for()


def _judged(page: Page) -> None:
    """The review has looked at every move; the place is one where the move lost something."""
    page.locator(".chart-mark").first.wait_for()
    page.wait_for_timeout(4000)
    page.keyboard.press("n")


def _drawn(page: Page) -> None:
    """The first charts are there."""
    page.locator(".lab-figure .chart-line").first.scroll_into_view_if_needed()
    page.wait_for_timeout(3000)
    page.evaluate("window.scrollTo(0, 0)")


def take(context: BrowserContext, served: Served, shot: Shot, out: Path, *, full: bool) -> None:
    """Take one picture; faults are printed."""
    page = context.new_page()
    faults: list[str] = []
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("requestfailed", lambda request: faults.append(request.url))
    page.goto(served.url + shot.path)
    page.wait_for_selector(shot.ready, timeout=WAIT_MS)
    shot.act(page)
    page.wait_for_timeout(SETTLE_MS)
    root = "document.documentElement"
    if page.evaluate(f"{root}.scrollWidth > {root}.clientWidth"):
        faults.append("it is wider than the screen")
    picture = Image.open(io.BytesIO(page.screenshot(full_page=full)))
    picture.convert("RGB").quantize(COLOURS).save(out, optimize=True)
    print(out.name, *faults, sep="\n  ", flush=True)
    page.close()


def take_all(browser: Browser, served: Served, out: Path, args: argparse.Namespace) -> None:
    """Take every picture in every look."""
    wanted = [shot for shot in shots(served) if args.only in ("", shot.name)]
    for look, options in LOOKS.items():
        context = browser.new_context(**options)
        context.set_default_timeout(WAIT_MS)
        context.add_init_script(
            "localStorage['twofold.settings'] ??= JSON.stringify({ hints: true })"
        )
        context.new_page().goto(f"{served.url}/?token={served.token}")
        for shot in wanted:
            take(context, served, shot, out / f"{shot.name}-{look}.png", full=args.full)
        context.close()
    if out == OUT and not args.full:
        note(shot.name for shot in wanted)


def make_lab(folder: Path) -> None:
    """A study and a training run."""
    for command in (BENCH, TRAIN):
        subprocess.run([*TWOFOLD, *command], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def chromium(playwright: Playwright) -> Browser:
    """Start the Chromium on the PATH."""
    known = (shutil.which(name) for name in ("chromium", "chromium-headless-shell", "chrome"))
    program = next(filter(None, known), None) or sys.exit("expected chromium on the PATH")
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    return playwright.chromium.launch(executable_path=program, args=sandbox)


def main() -> None:
    """Read the command line, make the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=OUT)
    parser.add_argument("--full", action="store_true", help="whole pages")
    parser.add_argument("--only", default="", metavar="PAGE", help="one page, such as review")
    parser.add_argument("--check", action="store_true", help="name the pictures that are too old")
    args = parser.parse_args()
    if args.check:
        sys.exit("\n".join(["older than their page:", *old]) if (old := stale()) else 0)
    out = args.folder.absolute()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        if args.only in ("", *LAB):
            make_lab(Path(name))
        with serve(Path(name)) as served, sync_playwright() as playwright:
            browser = chromium(playwright)
            take_all(browser, served, out, args)
            browser.close()


if __name__ == "__main__":
    main()
