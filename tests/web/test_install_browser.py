"""The page as an app: it can be installed, opens without its server, and continues with it."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import LAPTOP, Served, Visit, serve, visit
from twofold.web import pages

KEPT = """async () => {
    await navigator.serviceWorker.ready;
    const names = await caches.keys();
    const own = names.find(name => name.startsWith('twofold-'));
    const kept = await (await caches.open(own)).keys();
    return [names, kept.map(one => new URL(one.url))].map(String);
}"""

Start = Callable[[Served | None], tuple[Served, ExitStack]]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Start a server on a folder, in place of one before; it ends with its stack."""

    def begin(before: Served | None) -> tuple[Served, ExitStack]:
        stack = ExitStack()
        return stack.enter_context(serve(tmp_path, "greedy", before)), stack

    return begin


def install(page: Page, url: str) -> tuple[set[str], list[str]]:
    """Wait until the browser has cached the page; returns the caches, and addresses in ours."""
    page.goto(url)
    page.locator(".tile").first.wait_for()
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    names, addresses = page.evaluate(KEPT)
    return set(names.split(",")), addresses.split(",")


def test_the_app_is_installed_and_opens_without_its_server(browser: Browser, start: Start) -> None:
    """It says that the server is away, and goes on with it; caches of others stay."""
    server, running = start(None)
    with ExitStack() as stack:
        stack.push(running)
        found = stack.enter_context(visit(browser, server, LAPTOP, installs=True))
        page = found.page
        page.goto(server.url + pages.address("icons/favicon.svg"))
        page.evaluate("caches.open('twofold-0.0.0-old')")
        page.evaluate("caches.open('of another program')")
        names, kept = install(page, server.url)
        assert "twofold-0.0.0-old" not in names
        assert "of another program" in names
        assert len(names) == 2
        assert f"{server.url}/" in kept
        assert not [path for path in kept if "/api" in path or "/ws" in path]
        session = page.context.new_cdp_session(page)
        manifest = session.send("Page.getAppManifest")
        assert manifest["errors"] == []
        read = json.loads(manifest["data"])
        assert (read["start_url"], read["display"], read["name"]) == ("/", "standalone", "twofold")
        for icon in read["icons"]:
            answer = page.request.get(server.url + pages.address(icon["src"]))
            assert answer.headers["content-type"] == icon["type"]
        errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
        assert [one["errorId"] for one in errors if one["errorId"] != "in-incognito"] == []
        found.press_arrows()
        assert found.faults == []
        running.close()
        page.goto(server.url + "/watch")
        heading = page.get_by_role("heading", name="The twofold server is not running")
        expect(heading).to_be_visible()
        words = f"--no-open --port {server.url.rpartition(':')[2]} --folder {server.folder}"
        expect(page.locator("main")).to_contain_text(f"twofold serve {words}")
        page.get_by_role("link", name="Play").click()
        expect(heading).to_be_visible()
        found.check()
        stack.push(start(server)[1])
        expect(page.locator(".tile").first).to_be_visible()
        expect(heading).to_have_count(0)
        page.keyboard.press("ArrowLeft")


def files_of(found: Visit, path: str) -> set[str]:
    """The addresses of the files of a page that is opened."""
    found.page.goto(found.served.url + path)
    found.page.locator(".site-nav").wait_for()
    names = "performance.getEntriesByType('resource').map(one => one.name)"
    return {url for url in found.page.evaluate(names) if "/static/" in url}


def test_an_update_is_seen_at_the_next_visit(
    browser: Browser, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the app installed."""
    server, running = start(None)
    read = pages.read_file
    cached = (pages.version, pages.page_html, pages.worker_script)
    with ExitStack() as stack:
        stack.push(running)
        found = stack.enter_context(visit(browser, server, LAPTOP, installs=True))
        install(found.page, server.url)
        old = files_of(found, "/watch")
        assert {url.split("/")[4] for url in old} == {pages.version()}
        running.close()
        for one in cached:
            one.cache_clear()
        brand = b"document.documentElement.dataset.update = 'here';"
        monkeypatch.setattr(
            pages, "read_file", lambda path: read(path) + (brand if path.endswith(".js") else b"")
        )
        monkeypatch.setattr(pages, "__version__", "99.0")
        stack.push(start(server)[1])
        new = files_of(found, "/watch")
        expect(found.page.locator("html[data-update=here]")).to_have_count(1)
        assert {url.split("/")[4] for url in new} == {pages.version()}
        assert not old & new
    monkeypatch.undo()
    for one in cached:
        one.cache_clear()


@pytest.mark.promise("R24b")
def test_without_the_cookie_the_page_leads_to_the_form(browser: Browser, start: Start) -> None:
    """A link with the token passes the worker: some tokens are valid once."""
    server, running = start(None)
    with ExitStack() as stack:
        stack.push(running)
        page = stack.enter_context(visit(browser, server, LAPTOP, installs=True)).page
        install(page, server.url)
        page.context.clear_cookies()
        asked: list[str] = []
        page.context.on("request", lambda request: asked.append(request.url))
        address = f"{server.url}/watch?token={server.token}"
        page.goto(address)
        expect(page.locator("nav").first).to_be_visible()
        assert asked.count(address) == 1
        assert "token" not in page.evaluate(KEPT)[1]
        page.context.clear_cookies()
        page.goto(server.url + "/lab")  # while the server runs
        field = page.get_by_label("Address or token")
        expect(field).to_be_visible()
        running.close()
        page.goto(server.url + "/lab")
        expect(page.get_by_role("heading", name="not running")).to_be_visible()
        again, next_one = start(server)
        stack.push(next_one)
        expect(field).to_be_visible()
        field.fill(f"{again.url}/?token={again.token}")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="Lab")).to_be_visible()
        assert page.url == f"{again.url}/lab"
