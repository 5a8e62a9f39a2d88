"""Content of pages is read as data: boards, numbers, saved games, selectors."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from twofold import Board, Game, Move
from twofold.browser.pages import GamePage, Sight, kinds
from twofold.browser.pages.base import PageTile, board_of, read_number, read_score
from twofold.browser.pages.original import OriginalPage
from twofold.browser.pages.own import OwnPage
from twofold.browser.pages.selectors import MAX_FILE_BYTES, Selectors, read_selectors
from twofold.errors import InvalidBoard, InvalidInput
from twofold.records.foreign.original import state_of


class Answers:
    """A stand-in for the isolated world of a page; it returns the given answers in turn."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)

    async def call(self, function: str, *arguments: object) -> Any:
        """The next answer."""
        assert function.strip().startswith(("/*", "(", "()"))
        return self.answers.pop(0)


def looks(kind: Callable[[Any], GamePage], *answers: object) -> list[Sight]:
    """The sight of a page of this kind after these answers."""
    page = kind(Answers(*answers))
    return [asyncio.run(page.look()) for _ in answers]


def holds(saved: str = "", drawn: str = "", **more: object) -> dict[str, object]:
    """The answer of a page that saves one board and draws another."""
    found: dict[str, object] = {"saved": "", "tiles": [], "rows": 4, "cols": 4} | more
    if saved:
        game = Game.from_board(Board.parse(saved), score=12, seed=0)
        found["saved"] = json.dumps(state_of(game))
    if drawn:
        found["tiles"] = [
            [row, col, str(tile), 0]
            for row, tiles in enumerate(Board.parse(drawn).tiles)
            for col, tile in enumerate(tiles)
            if tile
        ]
    return found


ONE, TWO, THREE = "1200/0000/0000/0000", "0000/1200/0000/0000", "0000/0000/1200/0000"


def test_one_of_two_sources_is_enough() -> None:
    saved, drawn, both = looks(
        OriginalPage,
        holds(ONE, score="7"),
        holds("", ONE, score="1,234", won=True),
        holds(ONE, ONE, over=True),
    )
    board = Board.parse(ONE)
    assert saved == Sight(board, 12, is_drawn=False)
    assert drawn == Sight(board, 1234, won=True)
    assert both == Sight(board, 12, over=True)


def test_the_source_that_changed_last_counts() -> None:
    steps = [(ONE, TWO), (ONE, ONE), (TWO, ONE), (TWO, ONE), (THREE, TWO), (THREE, ONE)]
    seen = looks(OriginalPage, *(holds(*step) for step in steps))
    expected = [TWO, ONE, TWO, TWO, THREE, ONE]
    assert [str(one.board) for one in seen] == [str(Board.parse(text)) for text in expected]


@pytest.mark.promise("R23c")
@pytest.mark.parametrize(
    "found",
    [
        None,
        "text",
        [],
        {},
        holds(),
        {"saved": 7, "tiles": None},
        {"saved": "null"},
        {"saved": "\x1b[2J"},
        {"saved": '{"grid":{"cells":[[{"value":' + "9" * 5_000 + "},null]]}}"},
        {"saved": '{"grid":{"size":1,"cells":[[null]]},"score":0}'},
        {"saved": '{"grid":{"cells":[[null,null]]},"score":0}'},
        holds("", ONE, rows=9),
        {"tiles": [[0, 0, "3", 0]], "rows": 4, "cols": 4},
        {"tiles": [[0, 0, "\x1b", 0]], "rows": 4, "cols": 4},
        {"tiles": [[0, 99, "2", 0]], "rows": 4, "cols": 4},
        {"tiles": [[0, 0, "9" * 18, 0]], "rows": 4, "cols": 4},
    ],
)
@pytest.mark.parametrize("kind", [OriginalPage, OwnPage])
def test_pages_without_a_board(kind: Callable[[Any], GamePage], found: object) -> None:
    if kind is OwnPage and isinstance(found, dict):
        found = found | {"tiles": [tile[:3] for tile in found.get("tiles") or []]}
    (sight,) = looks(kind, found)
    assert sight.board is None
    assert sight.fault.isprintable()
    assert len(sight.fault) < 400


def test_the_top_tile_of_a_cell_counts() -> None:
    tiles = [
        PageTile(0, 0, 4),
        PageTile(0, 0, 8, 2),  # the merged one over those it was made of
        PageTile(0, 0, 4),
        PageTile(0, 1, 4),
        PageTile(0, 1, 2, 1),  # a new one where another has yet to leave
        PageTile(1, 1, 16),
        PageTile(1, 1, 32),
    ]
    assert board_of(tiles, 2, 2) == Board.from_tiles([[8, 2], [0, 32]])


@pytest.mark.parametrize(
    ("tiles", "shape", "fault"),
    [
        ([], (4, 4), "expected tiles on the board, got none"),
        ([PageTile(0, 0, 0)], (4, 4), "expected tiles on the board, got none"),
        ([PageTile(4, 0, 2)], (4, 4), "got one in row 5, column 1"),
        ([PageTile(0, -1, 2)], (4, 4), "got one in row 1, column 0"),
        ([PageTile(0, 0, 3)], (4, 4), "power of two"),
        ([PageTile(0, 0, 2**40)], (4, 4), "power of two"),
        ([PageTile(0, 0, 2)], (9, 9), "expected 1 to 8 rows"),
        ([PageTile(0, 0, 2)], (0, 4), "expected 1 to 8 rows"),
    ],
)
def test_invalid_boards_are_refused(
    tiles: list[PageTile], shape: tuple[int, int], fault: str
) -> None:
    with pytest.raises(InvalidBoard, match=fault):
        board_of(tiles, *shape)


@pytest.mark.parametrize(
    ("text", "number"),
    [("2048", 2048), (" 2,048\n", 2048), ("131 072", 131072), ("4\u202f096", 4096), ("", 0)],
)
def test_numbers_are_read_as_people_write_them(text: str, number: int) -> None:
    assert read_number(text) == number


@pytest.mark.parametrize("text", ["two", "2K", "-2", "1e3", "²", "٢", "9" * 19, None, 2, [2]])
def test_invalid_numbers_are_refused(text: object) -> None:
    with pytest.raises(InvalidBoard, match="expected a number on the page"):
        read_number(text)
    assert read_score(text) is None


def test_an_impossible_score_is_none() -> None:
    assert read_score("9" * 18) == int("9" * 18)
    assert read_score("") is None
    assert read_score("1,234") == 1234


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
        buttons={Move.UP: ".up", Move.RIGHT: "#right", Move.DOWN: "#down", Move.LEFT: "#left"},
    )
    assert read_selectors(None, ["tiles=.cell"]) == Selectors(tiles=".cell")


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ([], "expected a selector of the tiles"),
        (["tiles="], "expected a selector of the tiles"),
        (["tiles"], "expected --selector NAME=VALUE"),
        (["tiles=.a", "colour=red"], "expected a name of selectors"),
        (["tiles=.a", "value=html"], "expected value = text"),
        (["tiles=.a", "value=class:"], "expected value = text"),
        (["tiles=.a", "place=here"], "expected place = order or box"),
        (["tiles=.a", "place=box"], "expected a selector of the board"),
        (["tiles=.a", "numbers=roman"], "expected numbers = tiles or exponents"),
        (["tiles=.a", "rows=many"], "expected rows as a whole number"),
        (["tiles=.a", "rows=9"], "expected 1 to 8 rows"),
        (["tiles=.a", "keys=wasd"], "expected keys for up, right, down and left"),
        (["tiles=.a", "keys.up=w"], "expected keys for up, right, down and left"),
        (["tiles=.a", "keys.fly=w"], "expected a move"),
        (["tiles=.a", "keys=w", "keys.up=w"], "expected a table of 'keys'"),
        (["tiles=" + "a" * 2_000], "expected tiles as a text"),
    ],
)
def test_selectors_that_cannot_be_used_are_refused(options: list[str], fault: str) -> None:
    with pytest.raises(InvalidInput, match=fault):
        read_selectors(None, options)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"tiles = .cell", "expected a TOML file"),
        (b"tiles = '\xff'", "expected a TOML file"),
        (b"tiles = 4", "expected tiles as a text"),
        (b"tiles = '.a'\nrows = true", "expected rows as a whole number"),
        (b"#" * (MAX_FILE_BYTES + 1), "expected at most 65536 bytes"),
    ],
)
def test_files_that_hold_no_selectors_are_refused(
    tmp_path: Path, content: bytes, fault: str
) -> None:
    path = tmp_path / "page.toml"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=fault):
        read_selectors(path, [])


def test_kinds_to_look_for() -> None:
    told = Selectors(tiles=".cell")
    assert [kind.name for kind in kinds()] == ["original", "twofold"]
    assert [kind.name for kind in kinds("twofold")] == ["twofold"]
    assert [kind.name for kind in kinds("auto", told)] == ["generic"]
    for adapter, given in (("generic", None), ("original", told), ("nothing", None)):
        with pytest.raises(InvalidInput, match="expected"):
            kinds(adapter, given)
