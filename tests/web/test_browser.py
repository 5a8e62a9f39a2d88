"""The pages in a real Chromium, used by keyboard and touch."""

import json
import re
import urllib.request
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import WebSocketRoute, expect

from tests.games.kept_games import saved
from tests.support.browser import Served, Visit, drawn, press_arrows
from tests.web.replayed import replayed
from twofold.game.game import Game
from twofold.game.record import Record

PAGES = {
    "/": ".tile",
    "/watch?stop=64&speed=max": ".tile",
    "/analyse#board=0012/0124/1356/2479": "table",
    "/practice": ".tile",
    "/games": "h1",
    "/daily": ".daily-day",
    "/lab": "h1",
}
PLAYER = "expectimax:eval=rows,ply=2"
ANALYSIS = "/analyse?game={game}&move={move}"


def keep_game(served: Served, moves: int = 60) -> str:
    """Play and save a game; returns its id."""
    wanted = {"player": "greedy", "seed": "7", "moves": moves}
    return served.keep(served.ask("/api/play", json.dumps(wanted).encode())["record"])


def new_game(visit: Visit) -> str:
    """Begin a game on the page; returns its id."""
    visit.open("/", ".tile")
    link = visit.page.get_by_role("link", name="Download")
    before = link.get_attribute("href")
    assert before is not None
    controls = visit.page.get_by_role("group", name="Game", exact=True)
    controls.get_by_role("button", name="New game", exact=True).click()
    expect(link).not_to_have_attribute("href", before)
    expect(visit.page.locator("dt:has-text('Moves') + dd").first).to_have_text("0")
    return game_of(visit)


@pytest.mark.parametrize("path", PAGES)
def test_everybody_can_read_every_page(path: str, laptop: Visit, phone: Visit) -> None:
    for one in (laptop, phone):
        one.open(path, PAGES[path])
        one.rest()
        assert one.violations() == []
        assert not one.is_too_wide()


def test_no_key_is_lost(laptop: Visit, served: Served) -> None:
    """Keys pressed before the first reply are all played, in order."""
    game = new_game(laptop)
    keys = [{"l": "a", "u": "w", "r": "d", "d": "s"}[letter] for letter in "lurd" * 10]
    laptop.page.evaluate(
        "keys => keys.forEach(key => document.body.dispatchEvent("
        "new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })))",
        keys,
    )
    legal = replayed("lurd" * 10, served.ask(f"/api/games/{game}")["seed"])
    number = laptop.page.locator("dt:has-text('Moves') + dd").first
    expect(number).to_have_text(str(len(legal)))
    assert served.ask(f"/api/games/{game}")["moves"] == legal


def test_undo_and_reload(laptop: Visit, served: Served) -> None:
    game = new_game(laptop)
    number = laptop.page.locator("dt:has-text('Moves') + dd").first
    press_arrows(laptop.page)
    made = len(replayed("lurd", served.ask(f"/api/games/{game}")["seed"]))
    expect(number).to_have_text(str(made))
    laptop.page.keyboard.press("Control+z")
    expect(number).to_have_text(str(made - 1))
    laptop.page.keyboard.press("Meta+z")  # Command, on a Mac
    expect(number).to_have_text(str(made - 2))
    laptop.page.reload()
    expect(number).to_have_text(str(made - 2))
    link = laptop.page.get_by_role("link", name="Download").get_attribute("href")
    assert link == f"/api/games/{game}/record"


def test_a_new_game_can_be_undone(laptop: Visit, served: Served) -> None:
    """By key, by button, and by the message until its first move; without moves it is dropped."""
    page = laptop.page
    old = new_game(laptop)
    number = page.locator("dt:has-text('Moves') + dd").first
    undo = page.get_by_role("group", name="Game").get_by_role("button", name="Undo")
    press_arrows(page)
    expect(number).not_to_have_text("0")
    page.keyboard.press("u")
    expect(undo).to_contain_text("1")
    made, board = number.inner_text(), served.ask(f"/api/games/{old}")
    toast = page.locator(".toast").get_by_role("button", name="Undo")
    ways: list[Callable[[], None]] = [
        lambda: page.keyboard.press("Control+z"),
        undo.click,
        toast.click,
    ]
    for take_back in ways:
        page.keyboard.press("n")
        expect(number).to_have_text("0")
        dropped = game_of(laptop)
        assert dropped != old
        take_back()
        expect(number).to_have_text(made)
        assert game_of(laptop) == old
        assert served.ask(f"/api/games/{old}") == board
        expect(page.get_by_role("button", name="Redo")).to_be_enabled()
    page.keyboard.press("n")
    expect(number).to_have_text("0")
    begun = game_of(laptop)
    press_arrows(page)
    expect(number).not_to_have_text("0")
    assert toast.count() == 0  # at once: it would cover the board of a phone
    laptop.open(f"/?game={old}", ".tile")
    expect(number).to_have_text(made)
    kept = {game["game"] for game in served.ask("/api/games")}
    assert {old, begun} <= kept  # with its moves
    assert dropped not in kept


@pytest.mark.promise("R65")
def test_another_program_plays_the_same_game(laptop: Visit, served: Served) -> None:
    """Its save stays, and the page continues in a new game and says so."""
    page, game = laptop.page, new_game(laptop)
    folder = served.folder / "games"
    number = page.locator("dt:has-text('Moves') + dd").first
    press_arrows(page)
    expect(number).not_to_have_text("0")
    page.reload()  # so that all keys have been played; all is saved when the page leaves
    expect(number).to_have_text(re.compile("[1-9]"))
    while (row := saved(folder, game)) is None or len(row.read().moves) != int(number.inner_text()):
        drawn(page)
    other = row.read().replay()
    key = f"Arrow{other.legal_moves()[0].name.title()}"
    other.play(other.legal_moves()[-1])
    assert row.save(Record.from_game(other), 1.0, None) is None
    page.keyboard.press(key)
    expect(page.locator(".toast")).to_contain_text("Another program made other moves")
    assert game_of(laptop) != game
    mine, theirs = (served.ask(f"/api/games/{one}")["moves"] for one in (game_of(laptop), game))
    assert mine[:-1] == theirs[:-1]
    assert mine != theirs
    page.reload()
    expect(number).to_have_text(str(len(mine)))


def game_of(visit: Visit) -> str:
    """The id of the game on the page."""
    link = visit.page.get_by_role("link", name="Download").get_attribute("href")
    assert link is not None
    return link.split("/")[3]


def test_help_is_asked_for_said_and_taken_back(laptop: Visit, served: Served) -> None:
    """Space plays the best move only while hints are on; help that is taken back counts no more."""
    page, game = laptop.page, new_game(laptop)
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    press_arrows(page)
    number = page.locator("dt:has-text('Moves') + dd").first
    made = len(replayed("lurd", served.ask(f"/api/games/{game}")["seed"]))
    expect(number).to_have_text(str(made))
    kind = page.locator(".facts dt:has-text('Played') + dd")
    toast = page.locator(".toast", has_text="no longer counts as played by hand")
    page.get_by_role("button", name="Best move").click()
    expect(kind).to_contain_text("With hints")
    toast.get_by_role("button", name="Take back").click()
    expect(kind).to_have_text("By hand")
    expect(number).to_have_text(str(made))
    page.keyboard.press("i")
    expect(kind).to_contain_text("With hints")
    toast.get_by_role("button", name="Take back").click()
    expect(kind).to_have_text("By hand")
    expect(page.get_by_role("switch", name="Hints")).not_to_be_checked()
    (info,) = [one for one in served.ask("/api/games") if one["game"] == game]
    assert (info["kind"], info["hints"], info["undos"]) == ("hand", 0, 1)
    page.keyboard.press("i")
    expect(page.locator(".board-arrow")).to_be_visible()
    page.keyboard.press("Enter")
    expect(number).to_have_text(str(made + 1))
    page.keyboard.press("Shift+A")
    expect(page).to_have_url(f"{served.url}{ANALYSIS.format(game=game, move=made + 1)}")


def answer_without_reviews(socket: WebSocketRoute) -> None:
    """Pass all on but what asks for a review."""
    server = socket.connect_to_server()
    socket.on_message(lambda words: server.send(words) if '"review"' not in str(words) else None)


def test_a_game_is_celebrated_and_compared_with_others(laptop: Visit, served: Served) -> None:
    """A new best and a largest tile are said and shown; the end names the turning point."""
    page, game = laptop.page, Game("3x3 goal=128", seed=10)
    while not game.is_finished:
        game.play(game.legal_moves()[0])
    moves = "".join(move.letter for move in game.moves)
    best = next(n for n in range(game.move_number) if game.at(n).board.max_tile == 64) - 1
    game.cut(best)
    for seed in (1, 2):
        other = Game("3x3 goal=128", seed)
        while not other.is_finished:
            other.play(other.legal_moves()[0])
        served.keep(str(Record.from_game(other, player="me")))
    name = served.keep(str(Record.from_game(game, player="me")))
    laptop.open(f"/?game={name}", ".tile")
    expect(page.get_by_role("heading", name="Help")).to_be_visible()
    keys = {"l": "ArrowLeft", "u": "ArrowUp", "r": "ArrowRight", "d": "ArrowDown"}
    page.keyboard.press(keys[moves[best]])
    expect(page.locator(".celebration")).to_contain_text("Your first 64!")
    expect(page.get_by_role("status").filter(has_text="Your first 64!")).to_have_count(1)
    for letter in moves[best + 1 :]:
        page.keyboard.press(keys[letter])
    expect(page.get_by_role("group", name="Game over")).to_be_visible()
    ending = page.get_by_role("region", name="How it went")
    expect(ending.locator("dt:has-text('Place') + dd")).to_contain_text("of 3")
    expect(ending).to_contain_text("cost the most")
    link = ending.get_by_role("link", name="See where it was lost")
    assert "move=" in (link.get_attribute("href") or "")
    laptop.rest()
    assert laptop.violations() == []
    ((judged, known),) = served.ask("/api/accuracies").items()
    assert judged == name
    page.reload()
    expect(ending).to_contain_text("cost the most")
    with page.context.new_page() as second:  # the route stays as long as its page
        second.route_web_socket("**/ws", answer_without_reviews)
        second.goto(page.url)  # what is known is there before it is judged again
        accuracy = second.get_by_role("region", name="How it went").locator(
            "dt:has-text('Accuracy') + dd"
        )
        expect(accuracy).to_have_text(f"{known['percent']:.1f} %")


def test_a_phone_has_the_player_beside_the_board(phone: Visit) -> None:
    """Without scrolling, so that you see what you start; the board stays where it is."""
    new_game(phone)
    controls = phone.page.get_by_role("group", name="Game", exact=True)
    number = phone.page.locator("dt:has-text('Moves') + dd").first
    controls.get_by_role("button", name="Best move").click()
    expect(number).to_have_text("1")
    controls.get_by_role("button", name="Autoplay").click()
    controls.get_by_role("button", name="Take over").click()
    expect(controls.get_by_role("button", name="Autoplay")).to_be_enabled()
    assert phone.page.evaluate("window.scrollY") == 0
    board = phone.page.locator(".board")
    before = board.bounding_box()
    controls.get_by_role("button", name="Hints").click()
    expect(phone.page.locator(".board-arrow")).to_be_visible()
    assert board.bounding_box() == before  # nothing moves when hints come
    assert phone.faults == []


def test_a_finger_moves_the_tiles(phone: Visit) -> None:
    new_game(phone)
    number = phone.page.locator("dt:has-text('Moves') + dd").first
    box = phone.page.get_by_role("grid").first.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = phone.page.context.new_cdp_session(phone.page)
    for dx, dy in ((60, 0), (0, 60), (-60, 0), (0, -60)):
        for kind, points in (
            ("touchStart", [{"x": x, "y": y}]),
            ("touchMove", [{"x": x + dx, "y": y + dy}]),
            ("touchEnd", []),
        ):
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    expect(number).not_to_have_text("0")


def test_the_mouse_moves_the_tiles_and_selects_text(laptop: Visit) -> None:
    new_game(laptop)
    mouse, number = laptop.page.mouse, laptop.page.locator("dt:has-text('Moves') + dd").first

    def drag(x: float, y: float, dx: float, dy: float) -> None:
        mouse.move(x, y)
        mouse.down()
        mouse.move(x + dx, y + dy, steps=4)
        mouse.up()

    words = laptop.page.get_by_text("Join equal tiles").bounding_box()
    board = laptop.page.get_by_role("grid").first.bounding_box()
    assert words is not None
    assert board is not None
    drag(words["x"] + 2, words["y"] + words["height"] / 2, 90, 0)
    assert laptop.page.evaluate("getSelection().toString()")
    expect(number).to_have_text("0")
    x, y = board["x"] + board["width"] / 2, board["y"] + board["height"] - 4
    for dx, dy in ((60, 0), (0, -60), (-60, 0), (0, 60)):  # the last one leaves the board
        drag(x, y, dx, dy)
    expect(number).not_to_have_text("0")
    laptop.page.get_by_role("button", name="Undo", exact=True).click()
    expect(laptop.page.locator("dt:has-text('Undos') + dd").first).to_have_text("1")


TILES = [[0, 8], [2, 4], [4, 2048]]


def set_up(visit: Visit) -> None:
    """Open the analysis of a board, to be changed."""
    visit.open("/analyse", "table")
    visit.page.get_by_role("button", name="Set up").click()


def test_a_board_is_typed_and_analysed(laptop: Visit) -> None:
    set_up(laptop)
    field = laptop.page.get_by_label("Board as text")
    field.fill("1111/2222/3333/4444")
    field.press("Enter")
    best = laptop.page.get_by_role("row").filter(has_text="best").last
    expect(best).to_be_visible()
    expect(laptop.page.get_by_role("gridcell", name="row 4, column 4: 16")).to_be_visible()


PASTED = [
    repr(np.array(TILES)),
    str(np.array(TILES, dtype=float)),
    "\n".join(["|   |   |", "|---|---|", *(f"| {row[0] or ' '} | {row[1]} |" for row in TILES)]),
    json.dumps({"board": TILES, "score": 12}),
    "\n".join("\t".join(str(tile or "") for tile in row) for row in TILES),
]


@pytest.mark.parametrize("text", PASTED, ids=["repr", "str", "Markdown", "JSON", "TSV"])
def test_a_board_that_a_program_printed_is_pasted(laptop: Visit, text: str) -> None:
    set_up(laptop)
    page = laptop.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.get_by_label("Board as text").select_text()
    page.keyboard.press("Control+V")
    expect(page.get_by_label("Board as text")).to_have_value("3x2:03/12/2b")
    expect(page.get_by_role("gridcell", name="row 3, column 2: 2048")).to_be_visible()
    expect(page.get_by_label("Score")).to_have_value("12" if "score" in text else "")


def test_a_score_goes_with_its_board(laptop: Visit) -> None:
    set_up(laptop)
    page = laptop.page
    field, score = page.get_by_label("Board as text"), page.get_by_label("Score")

    def enter(text: str) -> None:
        field.fill(text)
        field.press("Enter")

    for name in ("Clear", "Random"):
        enter(json.dumps({"board": TILES, "score": 12}))
        expect(score).to_have_value("12")
        page.get_by_role("button", name=name, exact=True).click()
        expect(score).to_have_value("")
        page.keyboard.press("Control+z")
        expect(score).to_have_value("12")
        enter("1111/2222/3333/4444")
        expect(score).to_have_value("")
    score.fill("345")
    page.get_by_role("gridcell", name="row 4, column 4: 16").click()
    expect(field).to_have_value("1111/2222/3333/4445")
    expect(score).to_have_value("345")


def test_a_strength_is_picked_on_3x3_and_a_wrong_name_explained(laptop: Visit) -> None:
    laptop.open("/analyse#board=3x3:123/100/000", "table")
    players = laptop.page.get_by_label("Player", exact=True)
    players.select_option(label="fast")
    expect(laptop.page.locator(".analysis")).to_contain_text("2 plies")
    players.select_option(label="Other…")
    field = laptop.page.get_by_label("Spec of the player")
    field.fill("fsat")
    field.press("Enter")
    expect(laptop.page.locator(".analysis")).to_contain_text(
        "There is no player “fsat”. Did you mean fast?"
    )


def test_a_game_is_analysed_and_downloaded(laptop: Visit, served: Served) -> None:
    game = keep_game(served)
    laptop.open(f"/analyse?game={game}", ".tile")
    expect(laptop.page.locator(".figure-accuracy dd")).not_to_have_text("–")
    record = urllib.request.Request(
        f"{served.url}/api/games/{game}/record", headers={"Authorization": f"Bearer {served.token}"}
    )
    with urllib.request.urlopen(record) as answer:
        assert len(Record.parse(answer.read()).moves) == 60


def test_a_board_in_the_link_that_cannot_be_read_is_named(laptop: Visit) -> None:
    laptop.open("/analyse#board=xyz", "table")
    analysis = laptop.page.locator(".analysis")
    expect(analysis).to_contain_text("The board in this link cannot be read: xyz.")
    expect(analysis).not_to_contain_text("The board is empty")
    laptop.faults.clear()  # the answer 400 is one in the console
