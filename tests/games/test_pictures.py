"""Boards and games to pass on: PNG, GIF and WebP, pages that replay a game, names of players."""

import base64
import html
import io
import json
import re
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from PIL import Image, ImageChops

from tests.attacks.records import NAMES
from twofold import Record
from twofold.errors import InvalidInput, MissingExtra
from twofold.game import drawing
from twofold.game.board import Board
from twofold.game.drawing import BOARD, CELL, TILES
from twofold.game.game import Game
from twofold.game.notation import DIGITS
from twofold.game.rules import Rules
from twofold.games import pictures
from twofold.games.pictures import (
    CAPTION,
    FORMS,
    LAST_MS,
    AnimationForm,
    Easel,
    Shade,
    animate,
    draw_png,
    scale_of,
    scenes,
)
from twofold.notebook import replay

BOARD_TEXT = "0123/4567/89ab/cdef"


def png(board: Board, shade: Shade = "light", **options: object) -> Image.Image:
    content = draw_png(board.rows, board.cols, board.exponents, shade=shade, **options)  # type: ignore[arg-type]
    picture = Image.open(io.BytesIO(content))
    assert picture.format == "PNG"
    return picture


def colour(picture: Image.Image, x: float, y: float) -> str:
    (found,) = colours(picture.crop((round(x), round(y), round(x) + 1, round(y) + 1)))
    return found


def colours(picture: Image.Image) -> set[str]:
    """All colours that a picture has."""
    content = picture.convert("RGB").tobytes()
    return {f"#{content[first : first + 3].hex()}" for first in range(0, len(content), 3)}


@pytest.mark.parametrize(("shade", "scale"), [("light", 0.6), ("dark", 2.0)])
def test_tiles_have_their_colours_in_their_places(shade: Shade, scale: float) -> None:
    board = Board.parse(BOARD_TEXT)
    picture = png(board, shade, scale=scale)
    assert picture.size == tuple(round(side * scale) for side in drawing.board_size(4, 4))
    for cell, exponent in enumerate(board.exponents):
        x, y = drawing.cell_corner(cell, 4)
        face = TILES[exponent - 1].face if exponent else CELL
        assert colour(picture, (x + 50) * scale, (y + 8) * scale) == getattr(face, shade)
    assert colour(picture, 6 * scale, 60 * scale) == getattr(BOARD, shade)


def test_a_caption_makes_the_picture_higher_and_fits() -> None:
    board = Board.parse("1x2:12")
    plain, short, long = (png(board, caption=words) for words in ("", "8 points", "9 " * 60))
    assert short.height == plain.height + CAPTION
    assert long.size == short.size
    assert colour(long, long.width - 3, long.height - 20) == BOARD.light


def played(moves: int = 30, rules: str = "") -> Game:
    game = Game(Rules.parse(rules), 3)
    while game.move_number < moves and not game.is_finished:
        game.play(game.legal_moves()[-1])
    return game


def frames(content: bytes) -> list[tuple[Image.Image, int]]:
    """The pictures, and how long each is shown, in milliseconds."""
    found = []
    with Image.open(io.BytesIO(content)) as file:
        for number in range(getattr(file, "n_frames", 1)):
            file.seek(number)
            file.load()
            found.append((file.convert("RGB"), int(file.info["duration"])))
    return found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rules", ["", "2x3"])
def test_each_position_is_a_frame(form: AnimationForm, rules: str) -> None:
    game, scenes_drawn = played(12, rules), list[int]()
    found = frames(animate(game, form=form, rate=10, on_scene=scenes_drawn.append))
    assert scenes_drawn == list(range(1, len(found) + 1))
    assert [time for _, time in found] == [100] * game.move_number + [LAST_MS]
    easel = Easel(*game.board.shape, "light", scale_of(*game.board.shape), captioned=True)
    for (picture, _), scene in zip(found, scenes(game, None, None), strict=True):
        wanted = easel.board(scene.exponents)
        box = (0, 0, wanted.width, wanted.height - 24)  # without the line below
        differ = ImageChops.difference(picture.crop(box), wanted.crop(box)).convert("L")
        assert max(differ.tobytes()) <= 24  # 256 colours for faces, numbers, what is between


@pytest.mark.parametrize(
    ("draw", "fault"),
    [
        (lambda game: animate(game, rate=3), "expected a rate"),
        (lambda game: animate(game, first=31), "expected the first move from 0 to 30, got 31"),
        (lambda game: animate(game, first=5, last=4), "the last move from 5 to 30, got 4"),
        (animate, "a number of moves in an animation from 0 to 19"),
        (replay, "a number of moves in a replay from 0 to 20"),
        (lambda game: replay(game, theme="sepia"), "expected a theme"),
        (lambda game: replay(game, scale=100), "expected a scale"),
        (lambda game: replay(game.seed), "expected a game or a record, got"),
    ],
)
def test_invalid_arguments_are_refused(
    draw: Callable[[Game], object], fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "MAX_ANIMATION_MOVES", 19)
    monkeypatch.setattr(pictures, "MAX_REPLAY_MOVES", 20)
    with pytest.raises(InvalidInput, match=fault):
        draw(played())


def test_without_pillow_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "find_spec", lambda name: None)
    for draw in (partial(draw_png, 1, 2, (1, 2)), partial(animate, played())):
        with pytest.raises(MissingExtra, match=r"pip install 'twofold\[share\]'"):
            draw()


def data_of(page: str) -> dict[str, Any]:
    """The data of a page's script."""
    packed = re.search('id="data">([A-Za-z0-9+/=]*)</script>', page)
    assert packed
    found: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(packed[1])))
    return found


def test_a_page_holds_the_game_and_loads_nothing() -> None:
    game = played()
    page = replay(game).html
    data, boards = data_of(page), [game.start_board, *(step.board for step in game.steps)]
    assert data["boards"] == "".join(DIGITS[e] for board in boards for e in board.exponents)
    assert data["moves"] == "".join(move.letter for move in game.moves)
    assert data["cells"] == [step.cell for step in game.steps]
    assert (data["scores"][0], data["scores"][-1]) == (0, game.score)
    assert (data["rows"], data["cols"], data["first"]) == (4, 4, 0)
    assert not re.findall(r"(?:https?:)?//[a-z]|\bsrc=|\bhref=|@import|url\(", page)
    assert "default-src 'none'" in page
    part = data_of(replay(game, first=10, last=12).html)
    assert (part["first"], len(part["scores"]), len(part["boards"])) == (10, 3, 48)
    assert part["moves"] == data["moves"][10:12]
    assert data_of(replay(game, first=30).html)["moves"] == ""


def test_a_record_brings_its_player_and_comments() -> None:
    record = Record.from_game(played(), player="me", comments={0: "so", 12: "<b>oh</b>"})
    found = replay(record)
    assert data_of(found.html)["comments"] == {"0": "so", "12": "<b>oh</b>"}
    assert found.title.startswith("2048 game by me: ")
    assert repr(found) == f"<Replay: {found.title}>"
    assert data_of(replay(record, first=5).html)["comments"] == {"12": "<b>oh</b>"}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_names_and_comments_are_only_text(name: str) -> None:
    record = Record.from_game(played(2), player=name, comments={0: name})
    page = replay(record).html
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert "alert(" not in page.replace(html.escape(name), "")
    assert data_of(page)["comments"]["0"] == name
    frame = replay(record)._repr_html_()
    assert frame.count("<") == 2
    assert 'sandbox="allow-scripts"' in frame
    assert html.unescape(frame.partition('srcdoc="')[2].partition('" width')[0]) == page


def test_themes_and_sizes() -> None:
    game = played(rules="3x5")
    assert ":root{color-scheme:light dark}" in replay(game).html
    assert ":root{color-scheme:dark}" in replay(game, theme="dark").html
    small, large = replay(game, scale=0.4), replay(game, scale=1.0)
    assert (small.width, large.width) == (264, 572)
    assert large.height - small.height == round(348 * 1.0) - round(348 * 0.4)
