"""Without a browser: pages as data, moves that explain boards, a player asked in a loop."""

import asyncio
import shutil
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import closing
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from twofold import Board, Game, Move, Player, Rules
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
from twofold.cli.drive import PageFollower, Thinker
from twofold.errors import InvalidBoard, InvalidInput, MissingExtra, PlayerError


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
        ([], "missing required field tiles"),
        (["tiles="], "tiles: expected str of length >= 1"),
        (["tiles"], "expected --selector NAME=VALUE"),
        (["tiles=.a", "colour=red"], "one of the names tiles, .* got .colour"),
        (["tiles=.a", "value=html"], "value: "),
        (["tiles=.a", "place=box"], "expected a selector of the board"),
        (["tiles=.a", "numbers=roman"], "invalid enum value 'roman'"),
        (["tiles=.a", "rows=9"], "rows: "),
        (["tiles=.a", "keys.up=w"], "keys: .*field right"),
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


# ---- which move explains a board

START = Board.parse("1100/0000/0000/0002")


def follower(board: Board = START, score: int | None = 100) -> PageFollower:
    """A follower that has seen a board."""
    return PageFollower(board, score)


@pytest.mark.parametrize(
    ("seen", "found"),
    [
        ("2001/0000/0000/2000", (3, 2)),
        ("2000/0000/0200/2000", (9, 4)),
        ("2000/0000/0000/2000", None),  # the new tile has yet to appear
        ("2003/0000/0000/2000", None),  # no spawn is an 8
        ("2001/1000/0000/2000", None),  # two new tiles
        ("3000/0000/0000/2000", None),  # a tile became another
        ("1000/0000/0000/2000", None),
        ("2x3:000/000", None),
    ],
)
def test_the_new_tile_after_a_slide(seen: str, found: tuple[int, int] | None) -> None:
    assert follower().explain(Move.LEFT, Board.parse(seen)) == found
    assert follower().explain(Move.RIGHT, Board.parse(seen)) is None


def test_moves_of_others_are_followed_and_leaps_are_breaks() -> None:
    one = follower()
    assert one.follow(Board.parse("2001/0000/0000/2000"), 104) is Move.LEFT
    assert (one.made, one.followed, one.breaks) == (0, 1, 0)
    assert one.score == 104  # it counts on from the page's
    silent = follower(score=None)
    silent.follow(Board.parse("2001/0000/0000/2000"), None, Move.LEFT)
    assert (silent.score, silent.game.score, silent.made) == (None, 4, 1)
    assert one.follow(Board.parse("1234/0000/0000/0000"), 7) is None
    assert (one.followed, one.breaks, one.score) == (1, 1, 7)
    assert one.board == Board.parse("1234/0000/0000/0000")
    assert not one.game.can_undo


def test_given_rules_hold() -> None:
    with pytest.raises(InvalidBoard, match="expected a 3x3 board as in the rules, got 4x4"):
        PageFollower(START, 0, Rules.parse("3x3"))
    eights = PageFollower(START, 0, Rules.parse("spawn=8:1"))
    assert eights.explain(Move.LEFT, Board.parse("2003/0000/0000/2000")) == (3, 8)


# ---- a player that is asked from an event loop

GAME = Game.from_board(START, seed=0)


def thinking(
    player: Callable[[], Player], talk: Callable[[Thinker], Coroutine[Any, Any, Any]]
) -> Any:
    """The result of a coroutine with a thinker."""
    with closing(Thinker(lambda _: player())) as thinker:
        return asyncio.run(talk(thinker))


def test_an_unwanted_answer_is_dropped() -> None:
    gate = threading.Event()

    class Slow(Player):
        def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
            gate.wait(60)
            return board.legal_moves()[0 if score is None else score]

    async def talk(thinker: Thinker) -> Move:
        with thinker.asked(GAME, 0) as first:
            await asyncio.sleep(0.01)
        assert first.cancelled()
        with thinker.asked(GAME, 1):
            pass
        with thinker.asked(GAME, 2) as third:
            gate.set()
            return await third

    assert thinking(Slow, talk) == START.legal_moves()[2]


def test_an_error_of_the_player_is_raised_where_it_is_awaited() -> None:
    class Wrong(Player):
        def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
            if score:
                raise SystemExit(3)
            return Move.UP

    async def talk(thinker: Thinker) -> None:
        dead_up = Game.from_board(Board.parse("1212/0000/0000/0000"), seed=0)
        for score, fault in ((0, "expected a legal move from Wrong"), (1, "SystemExit: 3")):
            with thinker.asked(dead_up, score) as answer, pytest.raises(PlayerError, match=fault):
                await answer

    thinking(Wrong, talk)


def test_a_player_that_never_answers_does_not_delay_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("twofold.cli.drive.CLOSE_SECONDS", 0.05)
    gate = threading.Event()

    class Stuck(Player):
        def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
            gate.wait(600)
            return Move.LEFT

    async def talk(thinker: Thinker) -> None:
        with thinker.asked(GAME, None):
            await asyncio.sleep(0.01)

    began = time.monotonic()
    thinking(Stuck, talk)
    assert time.monotonic() - began < 60
    gate.set()
