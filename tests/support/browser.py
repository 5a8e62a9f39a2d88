"""The web app in a real Chromium: a server, and pages that note what goes wrong."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.web.driver import serving
from twofold.cli.browser import find_browser
from twofold.web.hub import Hub
from twofold.web.security import Access
from twofold.web.server import create_app, listen

PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)

LAPTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 860}, "color_scheme": "dark"}
PHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 740},
    "color_scheme": "light",
    "is_mobile": True,
    "has_touch": True,
}


STILL = """() => document.getAnimations().every((one) =>
    one.playState !== "running" || one.effect.getComputedTiming().endTime === Infinity)"""
"""Whether no animation runs that ends."""

COUNT_NOTES = """() => {
    window.notes = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function count(...when) {
        window.notes += 1;
        return start.apply(this, when);
    };
}"""
"""Count the notes that the page plays, in `window.notes`."""


@dataclass
class Served:
    """A server.

    Attributes:
        url: its address, without the token.
        token: what its owner knows.
        folder: where its data is.
    """

    url: str
    token: str
    folder: Path

    def ask(self, path: str, body: bytes | None = None) -> Any:
        """The answer of its API to a GET, or to a POST where there is a body."""
        headers = {"Authorization": f"Bearer {self.token}"}
        request = urllib.request.Request(self.url + path, body, headers)
        with urllib.request.urlopen(request, timeout=PATIENCE_MS / 1000) as answer:
            return json.loads(answer.read())

    def keep(self, record: str) -> str:
        """Give it a record to keep as one of the person's games; the id of the game."""
        self.ask("/api/import", record.encode())
        return str(self.ask("/api/games", record.encode())["game"])


def lasting(app: ASGIApp) -> ASGIApp:
    """The app, whose scripts and styles a browser keeps without asking whether they are the same.

    A page has fifty of them. To ask for each costs half of the time that the page takes to open.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_lasting(message: Message) -> None:
            if message["type"] == "http.response.start" and scope["path"].startswith("/static/"):
                MutableHeaders(scope=message)["Cache-Control"] = "max-age=3600"
            await send(message)

        await app(scope, receive, send_lasting)

    return answer


@contextlib.contextmanager
def serve(
    folder: Path, player: str, before: Served | None = None, *, installs: bool = False
) -> Iterator[Served]:
    """Serve the games in a folder, with a player that helps, from a thread of this process.

    It takes the place of the server `before`, which has ended, with its port and token. Only if the
    app `installs` itself, the browser asks for the app's files again each time, as it does for
    users.
    """
    port = int(before.url.rpartition(":")[2]) if before else 0
    listener = listen("127.0.0.1", port)
    port = listener.getsockname()[1]
    access = Access(port, before.token) if before else Access(port)
    hub = Hub(folder, player)
    app = create_app(hub, access, folder)
    with contextlib.closing(hub), serving(app if installs else lasting(app), listener):
        yield Served(f"http://127.0.0.1:{access.port}", access.token, folder)


@dataclass
class ServedApart(Served):
    """A server in a process of its own.

    Attributes:
        process: its process.
    """

    process: "subprocess.Popen[str]"


@contextlib.contextmanager
def serve_apart(folder: Path, player: str, port: int = 0) -> Iterator[ServedApart]:
    """Serve the games in a folder from a process of its own, which can be killed."""
    command = [sys.executable, "-m", "twofold", "serve", "--no-open", "--port", str(port)]
    command += ["--data", str(folder), "--folder", str(folder), "--player", player]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        try:
            assert server.stdout is not None
            url, _, token = server.stdout.readline().strip().partition("/?token=")
            yield ServedApart(url, token, folder, server)
        finally:
            server.terminate()
            server.wait()


@contextlib.contextmanager
def launch() -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(headless=True),
            args=["--no-sandbox", "--disable-dev-shm-usage"],
        )
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Chromium:
    """A browser that a whole run of tests shares.

    Playwright keeps its event loop marked as running in this thread, where then no other may run:
    the mark is there only while the browser is lent.

    Attributes:
        browser: the browser.
        loop: Playwright's event loop.
    """

    browser: Browser
    loop: asyncio.AbstractEventLoop

    @contextlib.contextmanager
    def lent(self) -> Iterator[Browser]:
        """The browser, to be used until the end of the block."""
        asyncio._set_running_loop(self.loop)
        try:
            yield self.browser
        finally:
            asyncio._set_running_loop(None)


@contextlib.contextmanager
def share() -> Iterator[Chromium]:
    """A browser to lend."""
    with launch() as browser:
        chromium = Chromium(browser, asyncio.get_running_loop())
        asyncio._set_running_loop(None)
        try:
            yield chromium
        finally:
            asyncio._set_running_loop(chromium.loop)


def violations(page: Page) -> list[str]:
    """What axe has to say. To list all elements without a fault as well takes as long again."""
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found]


@dataclass
class Visit:
    """A page, and what its reader must not meet.

    Attributes:
        page: the page.
        served: the server.
        faults: errors in the console or in scripts. A request to another host is one, since the
            page's policy refuses it.
    """

    page: Page
    served: Served
    faults: list[str] = field(default_factory=list)

    def open(self, path: str, ready: str) -> None:
        """Go to a path and wait until something is there."""
        self.page.goto(self.served.url + path)
        self.page.locator(ready).first.wait_for(timeout=PATIENCE_MS)

    def rest(self) -> None:
        """Wait until nothing slides or fades any more."""
        self.page.wait_for_function(STILL)

    def leave(self) -> None:
        """Leave the page; nothing that it has saved, held back or noted here remains.

        A picture of the same server follows: after a page of another one, or a blank one, the next
        page would start a process.
        """
        self.page.unroute_all(behavior="ignoreErrors")
        self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self.page.goto(f"{self.served.url}/static/icons/favicon.svg")
        self.faults.clear()

    def violations(self) -> list[str]:
        """What axe has to say."""
        return violations(self.page)

    def is_too_wide(self) -> bool:
        """Whether it has to be scrolled sideways."""
        return bool(
            self.page.evaluate("document.documentElement.scrollWidth > window.innerWidth + 1")
        )


@contextlib.contextmanager
def visit(
    browser: Browser, served: Served, look: dict[str, Any], *, installs: bool = False
) -> Iterator[Visit]:
    """An empty page that has the cookie of a server.

    Only if the app `installs` itself, its service worker is there and the browser keeps its files.
    """
    context = browser.new_context(**look, service_workers="allow" if installs else "block")
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    found = Visit(page, served)
    page.on(
        "console",
        lambda message: found.faults.append(message.text) if message.type == "error" else None,
    )
    page.on("pageerror", lambda error: found.faults.append(str(error)))
    try:
        context.request.get(f"{served.url}/?token={served.token}", max_redirects=0)
        yield found
    finally:
        context.close()


ARROWS: Final = ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown")


def press_arrows(page: Page) -> None:
    """Press all four arrow keys, since two of them may change nothing; at least a move is made."""
    for key in ARROWS:
        page.keyboard.press(key)


def drawn(page: Page, frames: int = 2) -> None:
    """Wait until the page has drawn that many frames."""
    page.evaluate(
        """(frames) => new Promise((done) => {
          const next = () => (frames-- ? requestAnimationFrame(next) : done());
          next();
        })""",
        frames,
    )
