"""Content of pages is read as data: boards, numbers, selectors."""

import shutil
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from twofold import Board
from twofold.cli import browser
from twofold.cli.browser import (
    ORIGINAL,
    ByMove,
    GamePage,
    Selectors,
    bare_url,
    board_of,
    find_browser,
    find_tab,
    parse_endpoint,
    parse_url,
    read_number,
    read_score,
    read_selectors,
)
from twofold.errors import InvalidInput, MissingExtra


@pytest.mark.promise("R23c")
@pytest.mark.parametrize(
    "found",
    [
        {},
        {"tiles": None},
        {"tiles": [[0, 0, "2", 0]], "rows": 9},
        *(
            {"tiles": [[row, col, text, 0]], "rows": 4, "cols": 4}
            for row, col, text in (
                *((0, 0, text) for text in ("", "3", "\x1b", "two", "-2", "1e3", "²", "9" * 18)),
                *((0, 99, "2"), (4, 0, "2"), (0, -1, "2"), (0, 0, "9" * 19), (0, 0, None)),
                (None, None, "2"),  # on a board without a size
            )
        ),
    ],
)
def test_pages_without_a_board(found: object) -> None:
    for told in (ORIGINAL, replace(ORIGINAL, numbers="exponents")):
        sight = GamePage(Any, told).read(found)  # type: ignore[arg-type]
        assert sight.board is None or sight.board.max_tile == 8  # of the exponent 3
        assert sight.fault.isprintable()
        assert len(sight.fault) < 400


def test_the_top_tile_of_a_cell_counts() -> None:
    tiles = [
        (0, 0, "4", 0),
        (0, 0, "8", 2),  # the merged one over those it was made of
        (0, 0, "4", 0),
        (0, 1, "4", 0),
        (0, 1, "2", 1),  # a new one where another has yet to leave
        (1, 1, "16", 0),
        (1, 1, "32", 0),
    ]
    assert board_of(tiles, (2, 2)) == Board.from_tiles([[8, 2], [0, 32]])


def test_numbers_are_read_as_people_write_them() -> None:
    texts = ["2048", " 2,048\n", "131 072", "4\u202f096", ""]
    assert [read_number(text) for text in texts] == [2048, 2048, 131072, 4096, 0]
    scores = ["1,234", "9" * 18, "", "two", "9" * 19]
    assert [read_score(one) for one in scores] == [1234, int("9" * 18), None, None, None]


# ---- selectors


def test_selectors_are_read_from_options() -> None:
    buttons = [f"buttons.{name}=#{name}" for name in ("up", "right", "down", "left")]
    assert read_selectors(["tiles=.cell", "rows=3", "score = #score ", *buttons]) == Selectors(
        tiles=".cell", rows=3, score="#score", buttons=ByMove("#up", "#right", "#down", "#left")
    )


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ([], "missing required field `tiles`"),
        (["tiles="], r"`str` of length >= 1 - at `\$.tiles`"),
        (["tiles"], "expected --selector NAME=VALUE"),
        (["tiles=.a", "colour=red"], "expected selectors .* unknown field `colour`"),
        (["tiles=.a", "value=html"], r"at `\$.value`"),
        (["tiles=.a", "place=box"], "expected a selector of the board"),
        (["tiles=.a", "numbers=roman"], "Invalid enum value 'roman'"),
        (["tiles=.a", "rows=9"], r"at `\$.rows`"),
        (["tiles=.a", "keys.up=w"], "missing required field `right`"),
        (["tiles=.a", "keys=w", "keys.up=w"], "expected a table of 'keys'"),
    ],
)
def test_selectors_that_cannot_be_used_are_refused(given: list[str], fault: str) -> None:
    with pytest.raises(InvalidInput, match=fault):
        read_selectors(given)


# ---- addresses, and the choice of a browser


@pytest.mark.parametrize(
    ("parse", "text", "found"),
    [
        (parse_url, " https://a.org/2048\n", "https://a.org/2048"),
        (parse_url, "http://127.0.0.1:2048/?token=x", "http://127.0.0.1:2048/?token=x"),
        (parse_url, "file:///home/me/a.html", "file:///home/me/a.html"),
        (bare_url, "https://me:word@example.org:8/a?token=1#x", "https://example.org:8/a"),
        (parse_endpoint, "9222", "http://127.0.0.1:9222"),
        (parse_endpoint, "localhost:9222", "http://localhost:9222"),
        (parse_endpoint, "http://10.0.0.1:9222", "http://10.0.0.1:9222"),
        (parse_endpoint, "ws://127.0.0.1:9222/browser/1", "ws://127.0.0.1:9222/browser/1"),
    ],
)
def test_addresses(parse: Callable[[str], str], text: str, found: str) -> None:
    assert parse(text) == found


WRONG_URLS = ["2048", "javascript:alert(1)", "data:text/html,x", "chrome://version", "https://"]
WRONG_URLS += ["http://[", "https://a/" + "b" * 3_000, "file:"]
WRONG_ENDPOINTS = ["", "0", "65536", "ftp://a:1", "a:b", "http://"]


@pytest.mark.parametrize(
    ("parse", "text"),
    [(parse_url, text) for text in WRONG_URLS]
    + [(parse_endpoint, text) for text in WRONG_ENDPOINTS],
)
def test_invalid_addresses(parse: Callable[[str], str], text: str) -> None:
    with pytest.raises(InvalidInput, match=r"expected (a port, host:port or )?an address") as fault:
        parse(text)
    assert len(str(fault.value)) < 200


def test_a_browser_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[str, str] = {}
    monkeypatch.setattr(shutil, "which", found.get)
    with pytest.raises(MissingExtra, match="expected chromium, chrome or edge on the PATH"):
        find_browser()
    found["chrome"] = "/usr/bin/chrome"
    assert find_browser() == find_browser(headless=True) == "/usr/bin/chrome"
    found["chrome-headless-shell"] = "/usr/bin/shell"
    assert (find_browser(), find_browser(headless=True)) == ("/usr/bin/chrome", "/usr/bin/shell")
    assert find_browser("chrome", headless=True) == "/usr/bin/chrome"


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"pip install 'twofold\[browser\]'"):
        browser.require_playwright()


def test_the_tab_of_an_address() -> None:
    urls = ["about:blank", "https://a.org/2048/more", "https://a.org/2048/", "https://b.org/#x"]
    tabs: list[Any] = [SimpleNamespace(url=url) for url in urls]
    assert find_tab(tabs, "https://a.org/2048") is tabs[2]
    assert find_tab(tabs, "https://a.org/2048/m") is tabs[1]
    assert find_tab(tabs, "https://b.org") is tabs[3]
    assert find_tab(tabs, "https://c.org") is None
    assert find_tab([], "https://c.org") is None
