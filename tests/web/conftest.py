"""Fixtures of the web tests."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.support.browser import LAPTOP, PHONE, Chromium, Served, Visit, serve, visit
from tests.web import own_players
from tests.web.driver import PORT, Client
from tests.web.own_players import GATE
from tests.web.page import Listener, Page
from tests.web.playing import begin
from twofold.games.store import GameStore
from twofold.web.hub import Hub
from twofold.web.page_game import PageGame
from twofold.web.security import Access
from twofold.web.server import create_app
from twofold.web.table import PageTable


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """A hub with a simple default player that is loaded on request."""
    hub = Hub(tmp_path / "data", "greedy", warm_up=False)
    yield hub
    hub.close()


@pytest.fixture
def own_hub(tmp_path: Path) -> Iterator[Hub]:
    """A hub with players in plain Python, and a closed gate for them."""
    GATE.reset()
    with closing(Hub(tmp_path, "greedy", own_players.ALL, warm_up=False)) as hub:
        yield hub
        GATE.opened.set()


@pytest.fixture
def page(hub: Hub) -> Page:
    """A page of the hub."""
    return Page(hub)


@pytest.fixture
def client(hub: Hub, tmp_path: Path) -> Client:
    """The owner's browser."""
    access = Access(PORT)
    return Client(create_app(hub, access, tmp_path), access, hub)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[PageTable]:
    """A table with its own store, and a closed gate for the players in Python."""
    GATE.reset()
    with closing(GameStore(tmp_path)) as store, closing(PageTable(store)) as table:
        yield table
        GATE.opened.set()  # for who still thinks


@pytest.fixture
def listener() -> Listener:
    """Somebody who follows games."""
    return Listener()


@pytest.fixture
def live(table: PageTable, listener: Listener) -> PageGame:
    """A game on a large board that the listener follows."""
    return begin(table, listener)


@pytest.fixture(scope="module")
def browser(chromium: Chromium) -> Iterator[Browser]:
    """The Chromium of all modules; while this one has it, no event loop can run in this thread."""
    with chromium.lent() as found:
        yield found


@pytest.fixture(scope="module")
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """A server whose player is the module's `PLAYER`, by default a quick one."""
    player = getattr(request.module, "PLAYER", "greedy")
    with serve(tmp_path_factory.mktemp("games"), player) as found:
        yield found


@pytest.fixture(scope="module")
def pages(browser: Browser, served: Served) -> Iterator[dict[str, Visit]]:
    """A page on a large dark screen and one on a small light one with touch, each once a module.

    A new one starts a process. Nothing slides on the large screen, as for people who ask for that;
    on the small one everything does.
    """
    looks = {"laptop": LAPTOP | {"reduced_motion": "reduce"}, "phone": PHONE}
    with ExitStack() as stack:
        yield {name: stack.enter_context(visit(browser, served, looks[name])) for name in looks}


def left(visit: Visit) -> Iterator[Visit]:
    yield visit
    faults = list(visit.faults)
    visit.leave()
    assert faults == []


@pytest.fixture
def laptop(pages: dict[str, Visit]) -> Iterator[Visit]:
    """A page on a large dark screen without motion, at the module's server, without saved games."""
    yield from left(pages["laptop"])


@pytest.fixture
def phone(pages: dict[str, Visit]) -> Iterator[Visit]:
    """A page on a small light screen with touch, as `laptop`."""
    yield from left(pages["phone"])
