"""The page as an app: it can be installed, opens without its server, and continues with it."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import LAPTOP, Served, press_arrows, serve, visit

KEPT = """async () => {
    await navigator.serviceWorker.ready;
    const names = await caches.keys();
    const kept = await (await caches.open(names[0])).keys();
    return [names, kept.map(one => new URL(one.url).pathname)];
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("games")


@pytest.fixture
def server(folder: Path) -> Iterator[Served]:
    with serve(folder, "greedy", installs=True) as found:
        yield found


def install(page: Page, url: str) -> tuple[list[str], list[str]]:
    """Wait until the browser has cached the page; returns the names and paths of the cache."""
    page.goto(url)
    page.locator(".tile").first.wait_for()
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    names, paths = page.evaluate(KEPT)
    return names, paths


def test_the_app_can_be_installed(browser: Browser, server: Served) -> None:
    with visit(browser, server, LAPTOP, installs=True) as found:
        found.open("/", ".tile")
        session = found.page.context.new_cdp_session(found.page)
        manifest = session.send("Page.getAppManifest")
        assert manifest["errors"] == []
        read = json.loads(manifest["data"])
        assert (read["start_url"], read["display"], read["name"]) == ("/", "standalone", "twofold")
        for icon in read["icons"]:
            answer = found.page.request.get(server.url + icon["src"])
            assert answer.headers["content-type"] == icon["type"]
        errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
        assert [one["errorId"] for one in errors if one["errorId"] != "in-incognito"] == []
        assert found.faults == []


def test_the_page_opens_without_its_server_and_goes_on(browser: Browser, folder: Path) -> None:
    with ExitStack() as stack:
        running = stack.enter_context(ExitStack())
        server = running.enter_context(serve(folder, "greedy", installs=True))
        found = stack.enter_context(visit(browser, server, LAPTOP, installs=True))
        page = found.page
        names, paths = install(page, server.url)
        assert len(names) == 1
        assert "/" in paths
        assert not [path for path in paths if path.startswith(("/api", "/ws"))]
        press_arrows(page)
        running.close()
        page.goto(server.url + "/watch")
        heading = page.get_by_role("heading", name="The twofold server is not running")
        expect(heading).to_be_visible()
        port = server.url.rpartition(":")[2]
        expect(page.locator("main")).to_contain_text(f"twofold serve --no-open --port {port}")
        page.get_by_role("link", name="Play").click()
        expect(heading).to_be_visible()
        assert found.violations() == []
        stack.enter_context(serve(folder, "greedy", server, installs=True))
        expect(page.locator(".tile").first).to_be_visible()
        expect(heading).to_have_count(0)
        page.keyboard.press("ArrowLeft")


@pytest.mark.promise("R24b")
def test_without_the_cookie_the_page_leads_to_the_form(browser: Browser, folder: Path) -> None:
    with ExitStack() as stack:
        running = stack.enter_context(ExitStack())
        server = running.enter_context(serve(folder, "greedy", installs=True))
        page = stack.enter_context(visit(browser, server, LAPTOP, installs=True)).page
        install(page, server.url)
        page.context.clear_cookies()
        page.goto(server.url + "/lab")  # while the server runs
        field = page.get_by_label("Address or token")
        expect(field).to_be_visible()
        running.close()
        page.goto(server.url + "/lab")
        expect(page.get_by_role("heading", name="not running")).to_be_visible()
        again = stack.enter_context(serve(folder, "greedy", server, installs=True))
        expect(field).to_be_visible()
        field.fill(f"{again.url}/?token={again.token}")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="Lab")).to_be_visible()
        assert page.url == f"{again.url}/lab"


@pytest.mark.promise("R24b")
def test_a_link_with_the_token_passes_the_worker(server: Served, browser: Browser) -> None:
    """Some tokens are valid once, so that a second request would lock the owner out."""
    with visit(browser, server, LAPTOP, installs=True) as found:
        install(found.page, server.url)
        found.page.context.clear_cookies()
        asked: list[str] = []
        found.page.context.on("request", lambda request: asked.append(request.url))
        address = f"{server.url}/watch?token={server.token}"
        found.page.goto(address)
        expect(found.page.locator("nav").first).to_be_visible()
        assert asked.count(address) == 1
        keys = """async () => {
            const [name] = await caches.keys();
            return (await (await caches.open(name)).keys()).map(one => one.url);
        }"""
        assert not [url for url in found.page.evaluate(keys) if "token" in url]


def test_another_version_takes_the_place_of_the_old_one(browser: Browser, server: Served) -> None:
    with visit(browser, server, LAPTOP, installs=True) as found:
        found.page.goto(f"{server.url}/static/icons/favicon.svg")
        found.page.evaluate("caches.open('twofold-0.0.0-old')")
        found.page.evaluate("caches.open('of another program')")
        install(found.page, server.url)
        names = set(found.page.evaluate("caches.keys()"))
        assert "twofold-0.0.0-old" not in names
        assert "of another program" in names
        assert len(names) == 2
        found.open("/analyse", "h1")
        assert found.faults == []
