"""URLs, endpoints, and the choice of a browser."""

import shutil
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from twofold.browser import browser
from twofold.browser.browser import bare_url, find_browser, find_tab, parse_endpoint, parse_url
from twofold.errors import InvalidInput, MissingExtra


@pytest.mark.parametrize(
    "text", ["https://example.org/2048", "http://127.0.0.1:2048/?token=x", "file:///home/me/a.html"]
)
def test_addresses_of_pages(text: str) -> None:
    assert parse_url(f" {text}\n") == text


@pytest.mark.parametrize(
    "text",
    [
        *["", "2048", "example.org", "javascript:alert(1)", "data:text/html,x"],
        *["chrome://version", "https://", "http://[", "https://a/" + "b" * 3_000, "file:"],
    ],
)
def test_invalid_urls(text: str) -> None:
    with pytest.raises(InvalidInput, match="expected an address such as") as fault:
        parse_url(text)
    assert len(str(fault.value)) < 200


@pytest.mark.parametrize(
    ("text", "endpoint"),
    [
        ("9222", "http://127.0.0.1:9222"),
        ("localhost:9222", "http://localhost:9222"),
        ("http://10.0.0.1:9222", "http://10.0.0.1:9222"),
        ("ws://127.0.0.1:9222/devtools/browser/1", "ws://127.0.0.1:9222/devtools/browser/1"),
    ],
)
def test_endpoints(text: str, endpoint: str) -> None:
    assert parse_endpoint(text) == endpoint


@pytest.mark.parametrize("text", ["", "0", "65536", "localhost", "ftp://a:1", "a:b", "http://"])
def test_invalid_endpoints(text: str) -> None:
    with pytest.raises(InvalidInput, match="expected a port, host:port or an address"):
        parse_endpoint(text)


def test_secret_parts_of_a_url_are_removed() -> None:
    assert bare_url("https://me:word@example.org:8/a?token=1#x") == "https://example.org:8/a"


def test_a_browser_is_found_by_its_name_or_its_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr(shutil, "which", {"chrome": "/usr/bin/chrome"}.get)
    assert find_browser() == find_browser(headless=True) == "/usr/bin/chrome"
    both = {"chrome": "/usr/bin/chrome", "chrome-headless-shell": "/usr/bin/shell"}
    monkeypatch.setattr(shutil, "which", both.get)
    assert (find_browser(), find_browser(headless=True)) == ("/usr/bin/chrome", "/usr/bin/shell")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    program = tmp_path / "chrome"
    program.touch()
    monkeypatch.setitem(browser.PLACES, sys.platform, ("/no/such/file", str(program)))
    assert find_browser() == str(program)
    monkeypatch.setitem(browser.PLACES, sys.platform, ())
    with pytest.raises(MissingExtra, match="expected chromium, chrome or edge on the PATH"):
        find_browser()


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"pip install 'twofold\[browser\]'"):
        browser.require_playwright()


def test_the_tab_of_an_address() -> None:
    urls = ["about:blank", "https://a.org/2048/more", "https://a.org/2048/", "https://b.org/#x"]
    tabs: list[Any] = [SimpleNamespace(url=url) for url in urls]
    context: Any = SimpleNamespace(pages=tabs)
    assert find_tab([context], "https://a.org/2048") is tabs[2]
    assert find_tab([context], "https://a.org/2048/m") is tabs[1]
    assert find_tab([context], "https://b.org") is tabs[3]
    assert find_tab([context], "https://c.org") is None
    assert find_tab([], "https://c.org") is None
