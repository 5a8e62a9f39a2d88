"""Files made on the page: a picture, an animation, a replay that needs no server."""

import io
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Download, expect

from tests.support.browser import Served, Visit
from twofold.game.game import Game
from twofold.game.record import Record


def keep_game(served: Served, moves: int) -> str:
    """Save a game; returns its id."""
    game = Game(seed=1)
    while game.move_number < moves:
        game.play(game.legal_moves()[0])
    return served.keep(str(Record.from_game(game)))


def click_for_file(visit: Visit, name: str) -> Download:
    """The file that a button or a link of the dialog downloads."""
    with visit.page.expect_download() as found:
        visit.page.locator("dialog .button").filter(has_text=name).click()
    return found.value


def picture_of(download: Download) -> Image.Image:
    return Image.open(io.BytesIO(Path(download.path()).read_bytes()))


def test_a_game_is_shared(laptop: Visit, served: Served) -> None:
    game = keep_game(served, 30)
    page = laptop.page
    laptop.open(f"/?game={game}", ".tile")
    page.get_by_role("button", name="Share").click()
    preview = page.get_by_role("img", name="The board as a picture")
    page.wait_for_function("image => image.naturalWidth > 0", arg=preview.element_handle())
    assert laptop.violations() == []
    assert picture_of(click_for_file(laptop, "PNG")).format == "PNG"
    page.get_by_label("From move").fill("40")
    expect(page.get_by_role("button", name="Download animation")).to_be_disabled()
    expect(page.get_by_role("alert")).to_contain_text("Choose moves from 0 to 30")
    page.get_by_label("From move").fill("25")
    found = click_for_file(laptop, "Download animation")
    assert found.suggested_filename == f"2048-{game}.gif"
    assert getattr(picture_of(found), "n_frames", 1) == 6
    expect(page.get_by_text("The animation is saved").first).to_be_visible()


def test_a_replay_needs_no_server(laptop: Visit, served: Served) -> None:
    game = keep_game(served, 12)
    laptop.open(f"/analyse?game={game}", ".tile")
    laptop.page.get_by_role("button", name="Share").click()
    found = click_for_file(laptop, "Download replay")
    assert found.suggested_filename == f"2048-{game}.html"
    path = Path(found.path()).rename(Path(found.path()).with_suffix(".html"))
    with laptop.page.context.browser.new_page() as alone:  # type: ignore[union-attr]
        alone.goto(path.as_uri())
        alone.get_by_role("button", name="End").click()
        expect(alone.locator("#facts")).to_contain_text("move 12 of 12")


def test_a_board_is_shared_and_what_is_missing_is_said(
    phone: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twofold.games.pictures.find_spec", lambda name: None)
    phone.open("/analyse#board=0012/0124/1356/2479", "table")
    phone.page.get_by_role("button", name="Share").click()
    dialog = phone.page.get_by_role("dialog")
    expect(dialog).to_contain_text("pip install 'twofold[share]'")
    expect(dialog.get_by_role("link", name="SVG")).to_be_visible()
    expect(dialog.get_by_role("link", name="PNG")).to_have_count(0)
    expect(dialog.get_by_text("Animation", exact=True)).to_have_count(0)
    expect(dialog.locator(".share-link")).to_have_text(
        f"{phone.served.url}/analyse#board=0012/0124/1356/2479"
    )
    expect(dialog.get_by_role("button", name="Copy", exact=True)).to_be_visible()
    assert not phone.is_too_wide()
    assert phone.violations() == []
