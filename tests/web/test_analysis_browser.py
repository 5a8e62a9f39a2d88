"""The Analysis page in a real Chromium: reviews, variations, setting up, sharing."""

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Download, FilePayload, Locator, expect

from tests.game.replays import EXAMPLES
from tests.support.browser import ARROWS, LAPTOP, Served, Visit, box_of, first_moves, visit
from twofold import Game, Record, Rules, make_player, review_game
from twofold.game.formats import FORMATS, parse_any_record
from twofold.game.rules import Move
from twofold.games.judge import MoveJudgement
from twofold.games.makers import AUTOPLAY_TAG
from twofold.games.review import judge, percent_words
from twofold.players import play_game

PLAYER = "ntuple:net=tiny,ply=1"
MOVES = 90
BOARD = "0012/0124/1356/2479"


def record(*, comment: str = "") -> Record:
    """A game with good moves and bad ones."""
    game = Game(seed=11)
    for number in range(MOVES):
        legal = game.legal_moves()
        wanted = (Move.UP, Move.DOWN) if number % 15 == 14 else (Move.LEFT, Move.DOWN, Move.RIGHT)
        game.play(next((move for move in wanted if move in legal), legal[0]))
    return Record.from_game(game, player="me", comments={3: comment} if comment else None)


def ranked(one: MoveJudgement) -> list[Move]:
    """The legal moves, the best first."""
    values = {
        move: value for move, value in zip(Move, one.values, strict=True) if value is not None
    }
    return sorted(values, key=lambda move: -values[move])


@pytest.fixture(scope="module")
def game(served: Served) -> str:
    """The id of a saved game."""
    return served.keep(record(comment="Here <b>I</b> hesitated."))


def review(visit: Visit, game: str, player: str = PLAYER) -> None:
    """Open a game and wait until all its moves are judged."""
    visit.open(f"/analyse?game={game}&player={player}", ".tile")
    expect(accuracy(visit)).not_to_have_text("–")
    expect(visit.page.locator(".review-labels progress")).to_be_hidden()


def accuracy(visit: Visit) -> Locator:
    return visit.page.locator(".figure-accuracy dd")


def where(visit: Visit) -> Locator:
    return visit.page.locator(".analysis-where")


# ---- a game that is judged


def test_a_review_is_read_and_walked_through(laptop: Visit, game: str) -> None:
    page, whole = laptop.page, review_game(record(), PLAYER)
    review(laptop, game)
    laptop.check()
    expect(accuracy(laptop)).to_have_text(f"{whole.accuracy:.1f} %")
    for key, place in (
        ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("PageDown", 11), ("PageUp", 1),
        ("End", MOVES), ("Home", 0),
    ):  # fmt: skip
        page.keyboard.press(key)
        expect(where(laptop)).to_have_text(f"{place} / {MOVES}")
    page.keyboard.press("Space")
    expect(where(laptop)).not_to_have_text(f"0 / {MOVES}")
    page.keyboard.press("Space")
    page.get_by_text("Details").last.click()
    shown = page.locator(".review-figures dd")
    expect(shown.first).to_have_text(percent_words(whole.match_rate, 100))
    expect(shown.nth(2)).to_have_text(str(whole.longest_perfect_run))
    expect(shown.nth(3)).to_have_text(f"{whole.goodness_of_fit:.3f}")
    counts = page.locator(".label-count").all_inner_texts()
    assert counts == [str(count) for count in whole.labels.values()]
    expect(page.get_by_text("No accuracy:")).to_be_hidden()
    graph = page.get_by_role("slider", name="Graph of the game")
    box = box_of(graph)
    graph.press("Home")
    expect(where(laptop)).to_have_text(f"0 / {MOVES}")
    graph.click(position={"x": box["width"] / 2, "y": box["height"] - 30})
    expect(where(laptop)).not_to_have_text(f"0 / {MOVES}")
    graph.press("Home")
    graph.press("ArrowRight")
    expect(where(laptop)).to_have_text(f"1 / {MOVES}")
    assert "score" in (graph.get_attribute("aria-valuetext") or "")
    page.get_by_role("button", name="Next mistake").click()
    expect(page.locator(".analysis-frame")).to_be_in_viewport(ratio=1)


def test_a_reason_has_the_signs_of_the_language(
    browser: Browser, served: Served, game: str
) -> None:
    with visit(browser, served, {**LAPTOP, "locale": "zh-CN"}) as one:
        review(one, game)
        one.page.keyboard.press("n")
        words = one.page.locator(".analysis-words")
        expect(words).to_contain_text(re.compile("：.+。最佳：.+。$"))
        assert not re.search("[:.]", words.inner_text())


def test_a_full_board_at_the_end_has_no_line_and_no_move_to_try(laptop: Visit) -> None:
    laptop.open("/analyse#board=1212/2121/1212/2121", ".analysis-note")
    expect(laptop.page.locator(".analysis-line")).to_be_hidden()
    expect(laptop.page.locator(".analysis-hint")).to_be_empty()


def test_a_mistake_has_its_values_and_its_judge(laptop: Visit, game: str) -> None:
    page, verdict = laptop.page, laptop.page.locator(".analysis-words")
    review(laptop, game)
    page.keyboard.press("n")
    expect(verdict).to_contain_text(re.compile("Mistake.*Best: "))
    expect(page.locator(".board-edge.is-best")).to_have_count(1)
    page.keyboard.press("e")
    expect(page.get_by_role("switch", name="Live analysis")).not_to_be_checked()
    expect(page.locator(".analysis tr.is-best")).to_have_count(1)  # of the judgement
    page.keyboard.press("p")
    expect(verdict).to_contain_text(re.compile("Mistake.*Best: "))
    with make_player(PLAYER) as player:
        judged = list(judge(record(), player))
    worst = next(one for one in judged if ranked(one).index(one.move) >= 2)
    best, second, *_ = (move.letter for move in ranked(worst))
    laptop.open(f"/analyse?game={game}&player={PLAYER}&move={worst.move_number}", ".tile")
    for kind, letter in (("is-best", best), ("is-second", second)):
        expect(page.locator(f".board-edge.edge-{letter}.{kind}")).to_be_visible()
    laptop.open(f"/analyse?game={game}&player={PLAYER}&move=3", ".tile")
    expect(page.locator("blockquote")).to_have_text("Here <b>I</b> hesitated.")
    page.get_by_label("Player", exact=True).select_option("greedy")
    expect(page.locator(".judged-by summary")).to_have_text("Judged by greedy")
    expect(page.get_by_text("values are not points")).to_be_hidden()
    expect(page.get_by_text("its judge has none")).to_be_hidden()
    expect(page).to_have_url(re.compile("player=greedy"))
    page.get_by_role("button", name="Play from here").click()
    expect(laptop.moves).to_have_text("3")


def test_games_of_every_kind_are_judged(laptop: Visit, served: Served) -> None:
    page, counts = laptop.page, laptop.page.locator(".label-count")
    parts = page.locator(".review-parts")
    mixed = replace(record(), player="me + greedy", tags={AUTOPLAY_TAG: f"1-{MOVES // 2}"})
    review(laptop, served.keep(mixed))
    expect(parts).to_contain_text("You")
    expect(parts).to_contain_text("Autoplay")
    expect(page.locator(".analysis-words")).to_contain_text("By autoplay.")
    expect(page.locator(".review-labels")).to_contain_text("without those of autoplay")
    assert sum(map(int, counts.all_inner_texts())) == MOVES - MOVES // 2
    parts.get_by_role("button").last.click()
    expect(where(laptop)).not_to_have_text(f"0 / {MOVES}")
    review(laptop, served.keep(replace(record(), player="ntuple:ply=3,tables=442-512")))
    expect(page.get_by_text("its judge has none")).to_be_visible()
    laptop.open(f"/analyse?game={served.keep(first_moves(8, '3x3', 5))}", ".tile")
    judges = page.get_by_label("Player", exact=True)
    expect(judges.locator("option", has_text="rows in order, 5 plies")).to_have_count(1)
    expect(judges.locator("option", has_text="Datumbox")).to_have_count(1)
    expect(judges.locator("option", has_text="IT3105")).to_have_count(0)
    cells = [[None] * 4 for _ in range(3)] + [[{"value": 2}, None, None, {"value": 64}]]
    saved = {"grid": {"size": 4, "cells": cells}, "score": 320, "over": False, "won": False}
    laptop.open(f"/analyse?game={served.keep(json.dumps(saved))}", ".analysis tr.is-best")
    expect(page.locator(".label-list")).to_be_hidden()  # a position without moves
    laptop.check()
    page.get_by_role("button", name="Play from here").click()
    expect(page.locator(".score").first).to_contain_text("320")


def test_a_long_game_is_there_at_once(laptop: Visit, served: Served) -> None:
    """Of the moves only those in sight are in the page."""
    with make_player("ntuple:net=default,ply=1") as player:
        played = play_game(player, Rules(), 1, keep_moves=True)
    assert played is not None
    moves = tuple(map(Move.parse, played.letters[:5_000]))
    kept = served.keep(Record(seed=1, moves=moves))
    laptop.open(f"/analyse?game={kept}&move={len(moves) - 9}", ".moves-move")
    expect(laptop.page.locator("[aria-current=true]")).to_be_in_viewport()
    assert laptop.page.locator(".moves-row").count() < 60
    laptop.page.locator(".moves").evaluate("(list) => list.scrollTo(0, 0)")
    expect(laptop.page.get_by_role("button", name="Move 1:", exact=False).first).to_be_visible()


def test_variations_are_tried_named_and_removed(laptop: Visit, game: str) -> None:
    laptop.open(f"/analyse?game={game}&player={PLAYER}&move=20", ".tile")
    page = laptop.page
    expect(page.locator("[aria-current=true]")).to_have_attribute("title", re.compile("^Move 21:"))
    made = page.locator(".board-edge.is-made")
    other = page.locator(".board-edge:not(.is-made)").first
    expect(made).to_have_count(1)
    other.click()
    variation = page.locator(".moves-row.is-variation")
    expect(variation.locator(".moves-move")).to_have_count(2)  # a move and the end
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Shift+ArrowDown")
    count = variation.locator(".moves-move").count()
    assert count >= 3
    expect(page).to_have_url(re.compile(r"move=20&line=\w@\d+:[24]\.\w@"))
    laptop.check()
    page.reload()
    expect(variation.locator(".moves-move")).to_have_count(count)
    expect(page.locator(".moves-end[aria-current=true]")).to_have_count(1)
    page.keyboard.press("Home")
    page.keyboard.press("End")
    expect(where(laptop)).not_to_have_text(re.compile(f"^{MOVES} / "))  # of the variation
    page.locator(".moves-row:not(.is-variation) .moves-move").first.click()
    page.keyboard.press("End")
    expect(page).to_have_url(re.compile(rf"&move={MOVES}\b"))
    page.reload()
    expect(where(laptop)).to_have_text(f"{MOVES} / {MOVES}")
    expect(variation.locator(".moves-move")).to_have_count(count)
    page.get_by_role("button", name="Remove this variation").click()
    expect(variation).to_have_count(0)
    expect(where(laptop)).to_have_text(f"20 / {MOVES}")
    expect(page).to_have_url(re.compile("&move=20$"))  # noted, too, for the next visit
    laptop.open(f"/analyse?game={game}&player={PLAYER}", ".tile")
    made.click()  # the move of the game: it goes on there
    expect(where(laptop)).to_have_text(f"1 / {MOVES}")
    expect(variation).to_have_count(0)
    page.get_by_role("gridcell", name="empty").first.click()  # the new tile, elsewhere
    expect(variation).to_have_count(1)
    expect(page).to_have_url(re.compile(r"game=\w+&line=\w@\d+:2"))
    page.locator(".is-marked").click()
    expect(page).to_have_url(re.compile(r"game=\w+&line=\w@\d+:4"))
    expect(variation).to_have_count(1)


def test_learning_from_the_mistakes(laptop: Visit, game: str) -> None:
    """Those of the game come first in the notebook."""
    page = laptop.page
    review(laptop, game)
    page.keyboard.press("l")
    expect(page.locator(".quiz-prompt")).to_have_text("Your move?")
    expect(page).to_have_url(re.compile(f"/practice.part=mistakes&game={game}$"))
    for key in ARROWS.values():  # the first legal move is the answer
        page.keyboard.press(key)
    source = page.get_by_role("link", name="See the game")
    expect(source).to_have_attribute("href", re.compile(f"game={game}"))


def test_a_phone_has_room_for_a_review(phone: Visit, game: str) -> None:
    review(phone, game)
    phone.check()


# ---- games from elsewhere


def paste(visit: Visit, words: str) -> None:
    """Paste a text into the field for it."""
    if not visit.page.locator("#analysis-paste").is_visible():
        visit.page.get_by_role("button", name="Paste text").click()
    visit.page.get_by_label("Text of a record").fill(words)
    visit.page.get_by_role("button", name="Analyse", exact=True).click()


SHORT = Record.from_game(first_moves(4, seed=4711), player="me")


def bring(visit: Visit, data: bytes) -> None:
    """Open a file on the page without a game."""
    visit.open("/analyse", ".tile")
    file = FilePayload(name="game", mimeType="application/octet-stream", buffer=data)
    visit.page.set_input_files("input[type=file]", file)


def test_games_come_from_texts_and_files(laptop: Visit) -> None:
    """As the file, which may be bytes, and in quotes as a browser's console has it."""
    page, added = laptop.page, laptop.page.get_by_text("The game is in My games now.")
    laptop.open("/analyse", ".tile")
    for words, said in (
        ("nonsense", "This is not a board"),
        (f"{record()}\n{record()}", "There are several games in it"),
    ):
        paste(laptop, words)
        expect(page.get_by_role("alert").first).to_contain_text(said)
    laptop.faults.clear()  # the answers 400 are some in the console
    page.route("**/api/games", lambda route: None)  # no answer yet
    paste(laptop, str(record()))
    expect(page.get_by_text("Reading…")).to_be_visible()
    page.unroute("**/api/games")
    bring(laptop, str(SHORT).encode())
    expect(added.first).to_be_visible()
    page.get_by_role("button", name="Open a game").click()
    page.get_by_role("dialog").get_by_role("link").first.click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    bring(laptop, str(SHORT).encode())
    expect(where(laptop)).to_have_text("0 / 4")
    expect(added).to_have_count(0)  # it was there before
    binary = next(one.name for one in FORMATS if one.is_binary)
    data = EXAMPLES[binary].encode("latin-1")
    bring(laptop, data)
    expect(where(laptop)).to_have_text(f"0 / {len(parse_any_record(data).moves)}")
    laptop.open("/analyse", ".tile")
    paste(laptop, json.dumps(EXAMPLES["verse"]))
    expect(where(laptop)).to_have_text("0 / 2")


def test_a_link_holds_the_game_and_tells_no_server(laptop: Visit, game: str) -> None:
    page = laptop.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    review(laptop, game)
    page.keyboard.press("ArrowRight")
    page.get_by_text("Copy", exact=True).click()
    page.get_by_role("button", name="Link with the whole game").click()
    expect(page.get_by_text("Link copied").first).to_be_visible()
    link = str(page.evaluate("navigator.clipboard.readText()"))
    assert "/analyse?move=1#g=" in link
    toast = page.locator(".toast", has_text="Others cannot open it")
    toast.get_by_role("button", name="Replay").click()
    expect(page.get_by_role("link", name="Download replay")).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(link)
    expect(where(laptop)).to_have_text(f"1 / {MOVES}")
    expect(page).to_have_url(re.compile(f"/analyse.game={game}&move=1$"))  # kept once
    assert not any(link.partition("#")[2] in url for url in asked)
    page.goto(link[:-30])
    expect(page.get_by_role("region", name="Analysis")).to_contain_text(
        "This link does not hold a whole game"
    )


# ---- a board


TILES = [[0, 8], [2, 4], [4, 2048]]
PASTED = [
    json.dumps({"board": TILES, "score": 12}),
    "\n".join("\t".join(str(tile or "") for tile in row) for row in TILES),
]
"""A board as JSON and a spreadsheet have it."""


def test_a_board_is_set_up_with_its_score(laptop: Visit) -> None:
    page = laptop.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    laptop.open("/analyse", "table")
    page.get_by_role("button", name="Set up").click()
    field, score = page.get_by_label("Board as text"), page.get_by_label("Score")

    def enter(text: str) -> None:
        field.fill(text)
        field.press("Enter")

    for text in PASTED:
        enter("1111/2222/3333/4444")
        expect(page.get_by_role("gridcell", name="row 4, column 4: 16")).to_be_visible()
        page.evaluate("text => navigator.clipboard.writeText(text)", text)
        field.select_text()
        page.keyboard.press("Control+V")
        expect(field).to_have_value("3x2:03/12/2b")
        expect(page.get_by_role("gridcell", name="row 3, column 2: 2048")).to_be_visible()
        expect(score).to_have_value("12" if "score" in text else "")
    for name in ("Clear", "Random"):
        enter(json.dumps({"board": TILES, "score": 12}))
        expect(score).to_have_value("12")
        page.get_by_role("button", name=name, exact=True).click()
        expect(score).to_have_value("")
        page.keyboard.press("Control+z")
        expect(score).to_have_value("12")
        enter("1111/2222/3333/4444")
        expect(score).to_have_value("")
    expect(page.get_by_role("row").filter(has_text="best").last).to_be_visible()
    score.fill("345")
    page.get_by_role("gridcell", name="row 4, column 4: 16").click()
    expect(field).to_have_value("1111/2222/3333/4445")
    expect(score).to_have_value("345")


PASTE = """words => { const data = new DataTransfer(); data.setData("text", words);
    document.body.dispatchEvent(new ClipboardEvent("paste",
        { clipboardData: data, bubbles: true, cancelable: true })); }"""


def test_a_board_is_pasted_linked_and_analysed(laptop: Visit) -> None:
    page, analysis = laptop.page, laptop.page.locator(".analysis")
    laptop.open(f"/analyse#board={BOARD}&player=greedy", "table")
    said = page.get_by_role("status").filter(has_text="Best:")
    expect(said).to_have_text(re.compile(r"^Best: \w+, \w"))  # of a player without depth
    page.evaluate(PASTE, "2,4,8,16\n0,0,0,2\n0,0,0,0\n0,0,0,0")
    page.wait_for_url("**1234/0001/0000/0000&player=greedy")
    page.evaluate(PASTE, "no board")
    expect(page.locator(".toast")).to_contain_text("This is not a board")
    assert page.url.endswith("1234/0001/0000/0000&player=greedy")
    page.evaluate(PASTE, str(Record.from_game(first_moves(1))))
    page.wait_for_url("**/analyse?game=*")
    laptop.open("/analyse#board=xyz", "table")
    expect(analysis).to_contain_text("The board in this link cannot be read: xyz.")
    expect(analysis).not_to_contain_text("The board is empty")
    expect(page.get_by_text("the game is over")).to_have_count(0)
    laptop.faults.clear()  # the answers 400 are some in the console
    laptop.open("/analyse#board=3x3:123/100/000", "table")
    expect(analysis).to_contain_text("This player cannot play on this board")
    players = page.get_by_label("Player", exact=True)
    players.select_option(label="fast")
    expect(analysis).to_contain_text("2 plies")
    players.select_option(label="Other…")
    field = page.get_by_label("Spec of the player")
    field.fill("fsat")
    field.press("Enter")
    expect(analysis).to_contain_text("There is no player “fsat”. Did you mean fast?")


# ---- files made on the page


def click_for_file(visit: Visit, name: str) -> Download:
    """The file that a button or a link of the dialog downloads."""
    with visit.page.expect_download() as found:
        visit.page.locator("dialog .button").filter(has_text=name).click()
    return found.value


def picture_of(download: Download) -> Image.Image:
    return Image.open(io.BytesIO(Path(download.path()).read_bytes()))


def test_a_game_is_shared_as_picture_animation_and_replay(laptop: Visit, served: Served) -> None:
    """The replay needs no server."""
    page, game = laptop.page, served.keep(first_moves(30))
    laptop.open(f"/analyse?game={game}", ".tile")
    page.get_by_role("button", name="Share").click()
    preview = page.get_by_role("img", name="The board as a picture")
    page.wait_for_function("image => image.naturalWidth > 0", arg=preview.element_handle())
    laptop.check()
    assert picture_of(click_for_file(laptop, "PNG")).format == "PNG"
    page.get_by_label("From move").fill("40")
    expect(page.get_by_role("button", name="Download animation")).to_be_disabled()
    expect(page.get_by_role("alert")).to_contain_text("Choose moves from 0 to 30")
    page.get_by_label("From move").fill("25")
    found = click_for_file(laptop, "Download animation")
    assert found.suggested_filename == f"2048-{game}.gif"
    assert getattr(picture_of(found), "n_frames", 1) == 6
    expect(page.get_by_text("The animation is saved").first).to_be_visible()
    found = click_for_file(laptop, "Download replay")
    assert found.suggested_filename == f"2048-{game}.html"
    path = Path(found.path()).rename(Path(found.path()).with_suffix(".html"))
    with page.context.browser.new_page() as alone:  # type: ignore[union-attr]
        alone.goto(path.as_uri())
        alone.get_by_role("button", name="End").click()
        expect(alone.locator("#facts")).to_contain_text("move 30 of 30")


def test_a_board_is_shared_and_what_is_missing_is_said(
    phone: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twofold.games.pictures.find_spec", lambda name: None)
    phone.open(f"/analyse#board={BOARD}", "table")
    phone.page.get_by_role("button", name="Share").click()
    dialog = phone.page.get_by_role("dialog")
    expect(dialog).to_contain_text("pip install 'twofold[share]'")
    expect(dialog.get_by_role("link", name="SVG")).to_be_visible()
    expect(dialog.get_by_role("link", name="PNG")).to_have_count(0)
    expect(dialog.get_by_text("Animation", exact=True)).to_have_count(0)
    link = f"{phone.served.url}/analyse#board={BOARD}"
    expect(dialog.locator(".share-link")).to_have_text(link)
    expect(dialog.get_by_role("button", name="Copy", exact=True)).to_be_visible()
    phone.check()
