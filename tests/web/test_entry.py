"""Signing in with a real browser: by the address with the token, and by links on other pages."""

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.support.browser import PATIENCE_MS, violations
from tests.web.driver import served
from twofold.web.hub import Hub
from twofold.web.security import Access


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """A page of another server, with a link."""

    def do_GET(self) -> None:
        body = b"<!doctype html><title>elsewhere</title><a>link</a>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(service_workers="block")
    context.set_default_timeout(PATIENCE_MS)
    yield context.new_page()
    context.close()


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """The address of another site. It is on this machine, but `localhost` is not `127.0.0.1`."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture
def access(hub: Hub, tmp_path: Path) -> Iterator[Access]:
    with served(hub, tmp_path) as found:
        yield found


def follow(page: Page, elsewhere: str, url: str) -> None:
    """Click on a link on a page of another site."""
    page.goto(elsewhere)
    page.evaluate("url => document.querySelector('a').href = url", url)
    page.click("a")


@pytest.mark.promise("R24")
def test_a_link_gets_in_and_keeps_what_follows_the_hash(
    page: Page, elsewhere: str, access: Access
) -> None:
    """The first one has the token; after it the browser has the cookie."""
    url = f"http://127.0.0.1:{access.port}"
    for link, place in ((f"/lab?token={access.token}", "/lab"), ("/lab#kept", "/lab#kept")):
        follow(page, elsewhere, url + link)
        page.wait_for_selector("nav")
        assert page.url == url + place
        cookies = page.context.cookies()
        assert [(one["name"], one["httpOnly"], one["sameSite"]) for one in cookies] == [
            (access.cookie_name, True, "Strict")
        ]


@pytest.mark.promise("R24")
def test_a_link_without_the_token_does_not(page: Page, elsewhere: str, access: Access) -> None:
    with page.expect_response("**/again.js") as answer:
        follow(page, elsewhere, f"http://127.0.0.1:{access.port}/")
    assert answer.value.status == 403
    assert "twofold serve" in page.inner_text("body")


@pytest.mark.promise("R24")
def test_a_form_takes_the_address_and_leads_to_the_page(page: Page, access: Access) -> None:
    url = f"http://127.0.0.1:{access.port}"
    page.goto(f"{url}/lab#kept")
    assert violations(page) == []
    field = page.get_by_label("Address or token")
    field.fill("wrong")
    field.press("Enter")
    page.get_by_text("This is not the token of this server.").wait_for()
    field.fill(f"{url}/?token={access.token}")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector("nav")
    assert page.url == f"{url}/lab#kept"


@pytest.mark.promise("R25")
def test_another_site_reads_nothing(page: Page, elsewhere: str, access: Access) -> None:
    url = f"http://127.0.0.1:{access.port}"
    page.goto(f"{url}/?token={access.token}")
    page.goto(elsewhere)
    outcomes = page.evaluate(
        """async (url) => {
          const tries = [
            fetch(url + '/api/games', { credentials: 'include' }),
            fetch(url + '/api/games', { method: 'POST', body: '', credentials: 'include' }),
            new Promise((resolve, reject) => {
              const socket = new WebSocket(url.replace('http', 'ws') + '/ws');
              socket.onopen = resolve;
              socket.onerror = reject;
            }),
            new Promise((resolve, reject) => {
              const script = document.createElement('script');
              script.src = url + '/static/x/js/theme.js';
              script.onload = resolve;
              script.onerror = reject;
              document.head.append(script);
            }),
          ];
          return (await Promise.allSettled(tries)).map((one) => one.status);
        }""",
        url,
    )
    assert outcomes == ["rejected"] * 4
