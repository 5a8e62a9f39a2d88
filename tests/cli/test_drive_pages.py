"""Content of pages is read as data: boards, numbers, selectors."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from twofold import Board
from twofold.cli import browser
from twofold.cli.browser import (
    MAX_FILE_BYTES,
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
            )
        ),
    ],
)
def test_pages_without_a_board(found: object) -> None:
    sight = GamePage(Any, ORIGINAL).read(found)  # type: ignore[arg-type]
    assert sight.board is None
    assert sight.fault.isprintable()
    assert len(sight.fault) < 400


def test_the_top_tile_of_a_cell_counts() -> None:
    tiles = [
        (0, 0, 4, 0),
        (0, 0, 8, 2),  # the merged one over those it was made of
        (0, 0, 4, 0),
        (0, 1, 4, 0),
        (0, 1, 2, 1),  # a new one where another has yet to leave
        (1, 1, 16, 0),
        (1, 1, 32, 0),
    ]
    assert board_of(tiles, 2, 2) == Board.from_tiles([[8, 2], [0, 32]])


def test_numbers_are_read_as_people_write_them() -> None:
    texts = ["2048", " 2,048\n", "131 072", "4\u202f096", ""]
    assert [read_number(text) for text in texts] == [2048, 2048, 131072, 4096, 0]
    scores: list[Any] = ["1,234", "9" * 18, "", "two", "9" * 19, 2]
    assert [read_score(one) for one in scores] == [1234, int("9" * 18), None, None, None, None]


# ---- selectors

FILE = """
tiles = ".cell"
value = "attribute:data-value"
rows = 3
[buttons]
up = "#up"
right = "#right"
down = "#down"
left = "#left"
"""


def test_selectors_are_read_from_a_file_and_from_options(tmp_path: Path) -> None:
    path = tmp_path / "page.toml"
    path.write_text(FILE)
    found = read_selectors(path, ["rows=4", "score = #score ", "buttons.up=.up"])
    assert found == Selectors(
        tiles=".cell",
        value="attribute:data-value",
        score="#score",
        buttons=ByMove(".up", "#right", "#down", "#left"),
    )
    assert read_selectors(None, ["tiles=.cell"]) == Selectors(tiles=".cell")


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
        (b"tiles = .cell", "expected a TOML file"),
        (b"tiles = '\xff'", "expected a TOML file"),
        (b"tiles = 4", r"`str`, got `int` - at `\$.tiles`"),
        (b"#" * (MAX_FILE_BYTES + 1), "expected at most 65536 bytes"),
    ],
)
def test_selectors_that_cannot_be_used_are_refused(
    tmp_path: Path, given: list[str] | bytes, fault: str
) -> None:
    path = tmp_path / "page.toml"
    if isinstance(given, bytes):
        path.write_bytes(given)
    with pytest.raises(InvalidInput, match=fault):
        read_selectors(*((path, []) if isinstance(given, bytes) else (None, given)))


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
WRONG_ENDPOINTS = ["", "0", "65536", "localhost", "ftp://a:1", "a:b", "http://"]


@pytest.mark.parametrize(
    ("parse", "text"),
    [(parse_url, text) for text in WRONG_URLS]
    + [(parse_endpoint, text) for text in WRONG_ENDPOINTS],
)
def test_invalid_addresses(parse: Callable[[str], str], text: str) -> None:
    with pytest.raises(InvalidInput, match=r"expected (a port, host:port or )?an address") as fault:
        parse(text)
    assert len(str(fault.value)) < 200


def test_a_browser_is_found_by_its_name_or_its_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr(shutil, "which", {"chrome": "/usr/bin/chrome"}.get)
    assert find_browser() == find_browser(headless=True) == "/usr/bin/chrome"
    both = {"chrome": "/usr/bin/chrome", "chrome-headless-shell": "/usr/bin/shell"}
    monkeypatch.setattr(shutil, "which", both.get)
    assert (find_browser(), find_browser(headless=True)) == ("/usr/bin/chrome", "/usr/bin/shell")
    assert find_browser("chrome", headless=True) == "/usr/bin/chrome"
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
    assert find_tab(tabs, "https://a.org/2048") is tabs[2]
    assert find_tab(tabs, "https://a.org/2048/m") is tabs[1]
    assert find_tab(tabs, "https://b.org") is tabs[3]
    assert find_tab(tabs, "https://c.org") is None
    assert find_tab([], "https://c.org") is None
