"""Play in a real Chromium: by keys, mouse and finger, with and without help, to the end."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, WebSocketRoute, expect

from tests.games.kept_games import overwrite, saved
from tests.support.browser import (
    ARROWS,
    LAPTOP,
    PHONE,
    Served,
    Visit,
    box_of,
    drawn,
    first_moves,
    replayed,
    visit,
)
from twofold import Board, Game, Rules
from twofold.game.record import Record

PLAYER = "expectimax:eval=rows,ply=2"


# ---- moves


def test_no_key_is_lost_and_all_can_be_undone(laptop: Visit, served: Served) -> None:
    """Keys pressed before the first reply are all played, in order."""
    page, game = laptop.page, laptop.new_game()
    keys = [{"l": "a", "u": "w", "r": "d", "d": "s"}[letter] for letter in "lurd" * 10]
    page.evaluate(
        "keys => keys.forEach(key => document.body.dispatchEvent("
        "new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })))",
        keys,
    )
    legal = replayed("lurd" * 10, served.ask(f"/api/games/{game}")["seed"])
    expect(laptop.moves).to_have_text(str(len(legal)))
    assert served.ask(f"/api/games/{game}")["moves"] == legal
    page.keyboard.press("Control+z")
    expect(laptop.moves).to_have_text(str(len(legal) - 1))
    page.keyboard.press("Meta+z")  # Command, on a Mac
    expect(laptop.moves).to_have_text(str(len(legal) - 2))
    page.reload()
    expect(laptop.moves).to_have_text(str(len(legal) - 2))
    assert laptop.game == game


def test_a_new_game_can_be_undone(laptop: Visit, served: Served) -> None:
    """By key, by button, and by the message until its first move; without moves it is dropped."""
    page, old = laptop.page, laptop.new_game()
    undo = page.get_by_role("group", name="Game").get_by_role("button", name="Undo")
    laptop.press_arrows()
    expect(laptop.moves).not_to_have_text("0")
    page.keyboard.press("u")
    expect(undo).to_contain_text("1")
    made, board = laptop.moves.inner_text(), served.ask(f"/api/games/{old}")
    toast = page.locator(".toast").get_by_role("button", name="Undo")
    ways: list[Callable[[], None]] = [
        lambda: page.keyboard.press("Control+z"),
        undo.click,
        toast.click,
    ]
    for take_back in ways:
        page.keyboard.press("n")
        expect(laptop.moves).to_have_text("0")
        dropped = laptop.game
        assert dropped != old
        take_back()
        expect(laptop.moves).to_have_text(made)
        assert laptop.game == old
        assert served.ask(f"/api/games/{old}") == board
        expect(page.get_by_role("button", name="Redo")).to_be_enabled()
    page.keyboard.press("n")
    expect(laptop.moves).to_have_text("0")
    begun = laptop.game
    laptop.press_arrows()
    expect(laptop.moves).not_to_have_text("0")
    assert toast.count() == 0  # at once: it would cover the board of a phone
    laptop.open(f"/?game={old}", ".tile")
    expect(laptop.moves).to_have_text(made)
    kept = {game["game"] for game in served.ask("/api/games")}
    assert {old, begun} <= kept  # with its moves
    assert dropped not in kept


@pytest.mark.promise("R65")
def test_another_program_plays_the_same_game(laptop: Visit, served: Served) -> None:
    """Its save stays, and the page continues in a new game and says so."""
    page, game = laptop.page, laptop.new_game()
    folder = served.folder / "games"
    laptop.press_arrows()
    expect(laptop.moves).not_to_have_text("0")
    page.reload()  # so that all keys have been played; all is saved when the page leaves
    expect(laptop.moves).to_have_text(re.compile("[1-9]"))
    made = int(laptop.moves.inner_text())
    while (record := saved(folder, game)) is None or len(record.moves) != made:
        drawn(page)
    other = record.replay()
    key = ARROWS[other.legal_moves()[0].letter]
    other.play(other.legal_moves()[-1])
    overwrite(folder, game, Record.from_game(other))
    page.keyboard.press(key)
    expect(page.locator(".toast")).to_contain_text("Another program made other moves")
    assert laptop.game != game
    mine, theirs = (served.ask(f"/api/games/{one}")["moves"] for one in (laptop.game, game))
    assert mine[:-1] == theirs[:-1]
    assert mine != theirs
    page.reload()
    expect(laptop.moves).to_have_text(str(len(mine)))


def test_a_game_that_cannot_be_opened_is_said_and_leaves_the_address(
    laptop: Visit, served: Served
) -> None:
    page, last = laptop.page, laptop.new_game()
    laptop.press_arrows()
    expect(laptop.moves).not_to_have_text("0")
    page.goto(f"{served.url}/?game=missing")
    words = "The game cannot be opened. What you asked for is not there any more."
    expect(page.locator(".toast")).to_contain_text(words)
    expect(page).to_have_url(f"{served.url}/")
    assert laptop.game == last


def test_the_mouse_moves_the_tiles_and_selects_text(laptop: Visit) -> None:
    laptop.new_game()
    page, mouse = laptop.page, laptop.page.mouse

    def drag(x: float, y: float, dx: float, dy: float) -> None:
        mouse.move(x, y)
        mouse.down()
        mouse.move(x + dx, y + dy, steps=4)
        mouse.up()

    words = box_of(page.get_by_text("Join equal tiles"))
    board = box_of(page.get_by_role("grid").first)
    drag(words["x"] + 2, words["y"] + words["height"] / 2, 90, 0)
    assert page.evaluate("getSelection().toString()")
    expect(laptop.moves).to_have_text("0")
    x, y = board["x"] + board["width"] / 2, board["y"] + board["height"] - 4
    for dx, dy in ((60, 0), (0, -60), (-60, 0), (0, 60)):  # the last one leaves the board
        drag(x, y, dx, dy)
    expect(laptop.moves).not_to_have_text("0")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.locator("dt:has-text('Undos') + dd").first).to_have_text("1")


def test_a_phone_has_the_player_beside_the_board(phone: Visit) -> None:
    """Without scrolling, so that you see what you start; the board stays where it is."""
    phone.new_game()
    page = phone.page
    controls = page.get_by_role("group", name="Game", exact=True)
    controls.get_by_role("button", name="Best move").click()
    expect(phone.moves).to_have_text("1")
    controls.get_by_role("button", name="Autoplay").click()
    controls.get_by_role("button", name="Take over").click()
    expect(controls.get_by_role("button", name="Autoplay")).to_be_enabled()
    assert page.evaluate("window.scrollY") == 0
    board = page.locator(".board")
    before = box_of(board)
    controls.get_by_role("button", name="Hints").click()
    expect(page.locator(".board-arrow")).to_be_visible()
    assert box_of(board) == before  # nothing moves when hints come
    made = int(phone.moves.inner_text())
    for dx, dy in ((60, 0), (0, 60), (-60, 0), (0, -60)):
        phone.swipe(page.get_by_role("grid").first, dx, dy)
    expect(phone.moves).not_to_have_text(str(made))


# ---- help


def test_help_is_asked_for_said_and_taken_back(laptop: Visit, served: Served) -> None:
    """Space plays the best move only while hints are on; help that is taken back counts no more."""
    page, game = laptop.page, laptop.new_game()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    laptop.press_arrows()
    made = len(replayed("lurd", served.ask(f"/api/games/{game}")["seed"]))
    expect(laptop.moves).to_have_text(str(made))
    players, error = page.get_by_label("Hints from", exact=True), page.locator(".help .field-error")
    players.select_option(label="Other…")
    page.keyboard.type("fsat")
    page.keyboard.press("Enter")
    expect(error).to_have_text("There is no player “fsat”. Did you mean fast?")
    laptop.faults.clear()  # the answer 400 is one in the console
    players.select_option(label="fast")
    expect(error).to_be_hidden()
    kind = page.locator(".facts dt:has-text('Played') + dd")
    hints = page.locator(".facts dt:has-text('Hints') + dd")
    toast = page.locator(".toast", has_text="no longer counts as played by hand")
    page.get_by_role("button", name="Best move").click()
    expect(kind).to_contain_text("With hints")
    toast.get_by_role("button", name="Take back").click()
    expect(kind).to_have_text("By hand")
    expect(laptop.moves).to_have_text(str(made))
    page.keyboard.press("i")
    expect(kind).to_contain_text("With hints")
    expect(hints).to_have_text("1")  # at once, not only with the next move
    toast.get_by_role("button", name="Take back").click()
    expect(kind).to_have_text("By hand")
    expect(page.get_by_role("switch", name="Hints")).not_to_be_checked()
    (info,) = [one for one in served.ask("/api/games") if one["game"] == game]
    assert (info["kind"], info["hints"], info["undos"]) == ("hand", 0, 1)
    page.keyboard.press("i")
    expect(page.locator(".board-arrow")).to_be_visible()
    expect(page.locator(".analysis-label", has_text="best").first).to_be_visible()
    page.keyboard.press("Enter")
    expect(laptop.moves).to_have_text(str(made + 1))
    page.keyboard.press("Shift+A")
    expect(page).to_have_url(f"{served.url}/analyse?game={game}&move={made + 1}")


def test_a_message_covers_neither_score_nor_board(browser: Browser, served: Served) -> None:
    """It goes after a while, its button stays below; what a merge adds stays below the head."""
    viewport = {"width": 320, "height": 640}
    game = Game.from_board(Board.parse("1100/0000/0000/0000"), seed=1)
    with visit(browser, served, {**PHONE, "viewport": viewport}) as found:
        page = found.page
        page.clock.install()
        found.open(f"/?game={served.keep(game)}", ".tile")
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".score-gain")).to_have_text("+4")
        head = box_of(page.locator(".site-head"))
        top = page.evaluate("parseFloat(document.querySelector('.score-gain').style.top)")
        assert top - 12 >= head["y"] + head["height"]
        page.get_by_role("button", name="New game", exact=True).click()
        expect(found.moves).to_have_text("0")
        found.press_arrows()
        expect(found.moves).not_to_have_text("0")
        page.reload()  # all keys have been played
        page.get_by_role("button", name="Best move").first.click()
        toast = page.locator(".toast", has_text="played by hand")
        expect(toast).to_be_visible()
        place, board = box_of(toast), box_of(page.locator(".board").first)
        assert place["y"] >= board["y"] + board["height"]
        page.clock.fast_forward("00:09")
        expect(toast).to_be_hidden()
        page.locator(".facts").get_by_role("button", name="Take back").click()
        expect(page.locator(".facts")).to_contain_text("By hand")
        assert found.faults == []


# ---- the end


def test_a_game_is_celebrated_and_compared_with_others(laptop: Visit, served: Served) -> None:
    """A new best and a largest tile are said and shown; the end names the turning point."""
    page, game = laptop.page, first_moves(rules="3x3 goal=128", seed=10)
    moves = "".join(move.letter for move in game.moves)
    best = next(n for n in range(game.move_number) if game.at(n).board.max_tile == 64) - 1
    game.cut(best)
    for seed in (1, 2):
        served.keep(first_moves(rules="3x3 goal=128", seed=seed))
    name = served.keep(game)
    laptop.open(f"/?game={name}", ".tile")
    expect(page.get_by_role("heading", name="Help")).to_be_visible()
    page.keyboard.press(ARROWS[moves[best]])
    expect(page.locator(".toast")).to_contain_text("Your first 64!")
    expect(page.get_by_role("status").filter(has_text="Your first 64!")).to_have_count(1)
    for letter in moves[best + 1 :]:
        page.keyboard.press(ARROWS[letter])
    expect(page.get_by_role("group", name="Game over")).to_be_visible()
    ending = page.get_by_role("region", name="How it went")
    expect(ending.locator("dt:has-text('Place') + dd")).to_contain_text("of 3")
    expect(ending).to_contain_text("cost the most")
    link = ending.get_by_role("link", name="See where it was lost")
    assert "move=" in (link.get_attribute("href") or "")
    laptop.check()
    ((judged, known),) = served.ask("/api/accuracies").items()
    assert judged == name
    page.reload()  # what is known is there before it is judged again
    accuracy = ending.locator("dt:has-text('Accuracy') + dd")
    expect(accuracy).to_have_text(f"{known['percent']:.1f} %")


def test_a_game_that_is_still_judged_has_no_turning_point(browser: Browser, served: Served) -> None:
    """Nothing leads to a move before all are judged: another may have cost more."""

    def connect(end: WebSocketRoute) -> None:
        server = end.connect_to_server()
        server.on_message(lambda text: end.send(json.dumps(json.loads(text) | {"done": 1})))

    game = served.keep(first_moves(rules="3x3 goal=128", seed=10))
    with visit(browser, served, LAPTOP) as found:
        page = found.page
        page.route_web_socket("**/ws", connect)
        found.open(f"/?game={game}", ".ending-turn progress")
        ending = page.get_by_role("region", name="How it went")
        expect(ending.locator("dt:has-text('Accuracy') + dd")).to_contain_text("%")
        expect(ending).to_contain_text("Looking for the move")
        expect(page.get_by_role("link", name="See where it was lost")).to_have_count(0)
        assert found.faults == []


def test_who_wins_is_told_at_once_and_after_a_reload(laptop: Visit, served: Served) -> None:
    page, rules = laptop.page, Rules.parse("2x2 goal=4")
    game = served.keep(Game.from_board(Board.parse("2x2:11/00"), rules, 1))
    laptop.open(f"/?game={game}", ".tile")
    overlay = page.get_by_role("group", name="You win!")
    page.keyboard.press("ArrowLeft")
    expect(overlay).to_contain_text("4 reached with 4 points")
    expect(overlay.get_by_role("button", name="Keep going")).to_be_focused()
    overlay.get_by_role("link", name="Analyse").click()
    page.locator(".analysis-board").wait_for()
    page.locator(".site-nav").get_by_role("link", name="Play").click()
    expect(overlay).to_be_visible()
    page.reload()
    expect(overlay).to_be_visible()
    page.keyboard.press("Enter")
    expect(overlay).to_be_hidden()
    page.reload()
    expect(page.locator(".tile").first).to_be_visible()
    expect(overlay).to_be_hidden()


@pytest.mark.parametrize("stop", ["never", "goal"])
def test_a_goal_made_by_the_last_possible_move_is_told_with_the_end(
    laptop: Visit, served: Served, stop: str
) -> None:
    """In the overlay, in the live region and in My games; after an undo, too."""
    page, overlay = laptop.page, laptop.page.locator(".overlay.won")
    game = Game(f"2x2 goal=8 stop={stop}", 332)
    for letter in "luuu":
        game.play(letter)
    laptop.open(f"/?game={served.keep(game)}", ".overlay.won")
    page.keyboard.press("u")
    expect(overlay).to_be_hidden()
    page.keyboard.press("ArrowUp")
    expect(overlay).to_be_visible()
    said = page.get_by_role("status").filter(has_text="8 reached. Game over.")
    expect(said).to_have_count(1)
    if stop == "never":
        expect(overlay).to_have_attribute("aria-label", "8 reached, game over")
        laptop.open("/games", ".game")
        page.locator(".chip").last.click()  # all games
        expect(page.locator(".game-facts").filter(has_text="goal reached, over")).to_have_count(1)


def test_space_held_or_pressed_at_the_end_begins_no_game(timed: Visit, served: Served) -> None:
    """Space is also the key of the best move."""
    page = timed.page
    timed.open(f"/?game={served.keep(first_moves(rules='2x2'))}", ".overlay.over")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.keyboard.down("Space")
    page.clock.run_for(1000)
    expect(page.get_by_role("button", name="New game").last).to_be_focused()
    page.keyboard.down("Space")  # it is held
    page.keyboard.up("Space")
    over = page.get_by_role("group", name="Game over")
    expect(over).to_be_visible()
    page.keyboard.press("Space")
    expect(over).to_be_hidden()


# ---- settings


def test_tile_colours_are_chosen_and_kept(laptop: Visit) -> None:
    page, root = laptop.page, laptop.page.locator("html")
    laptop.open("/", ".tile")
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("dialog").get_by_text("Colour-blind safe").click()
    expect(root).to_have_attribute("data-palette", "safe")
    laptop.check()
    page.reload()
    page.locator(".tile").first.wait_for()
    expect(root).to_have_attribute("data-palette", "safe")


@pytest.fixture
def timed(browser: Browser, served: Served) -> Iterator[Visit]:
    """A page whose clock the test controls."""
    with visit(browser, served, LAPTOP) as found:
        found.page.clock.install()
        yield found
        assert found.faults == []


# ---- before the server has answered, and while it is away


class SlowSocket:
    """The page's WebSocket; notes what the page sends and holds back answers while `is_held`."""

    def __init__(self, page_end: WebSocketRoute) -> None:
        self.sent: list[dict[str, Any]] = []
        self.held: list[str | bytes] = []
        self.is_held = False
        self.page_end, self.server = page_end, page_end.connect_to_server()
        self.server.on_message(self._answer)
        page_end.on_message(self._ask)

    def _ask(self, text: str | bytes) -> None:
        self.sent.append(json.loads(text))
        self.server.send(text)

    def _answer(self, text: str | bytes) -> None:
        if self.is_held:
            self.held.append(text)
        else:
            self.page_end.send(text)

    def release(self) -> None:
        self.is_held = False
        for text in self.held:
            self.page_end.send(text)


def test_keys_wait_for_a_new_game_and_for_the_server(timed: Visit) -> None:
    """However long the server is away; the page says how many moves wait."""
    sockets: list[SlowSocket] = []
    is_down, tries = False, list[WebSocketRoute]()

    def connect(end: WebSocketRoute) -> None:
        if is_down:
            tries.append(end)
        else:
            sockets.append(SlowSocket(end))

    def refuse() -> None:
        """End what is tried, until the page says that there is no server."""
        page.wait_for_timeout(200)  # the page that waits for it is there
        while not away.is_visible():
            while tries:
                tries.pop().close()
            page.wait_for_timeout(20)

    page = timed.page
    away = page.get_by_role("heading", name="The twofold server is not running")
    page.route_web_socket("**/ws", connect)
    timed.open(timed.usual_game(), ".tile")
    old, socket = timed.game, sockets[-1]
    socket.is_held = True
    page.locator(".controls").get_by_role("button", name="New game").click()
    timed.press_arrows()
    page.keyboard.press("u")
    socket.release()
    expect(page.locator("dt:has-text('Undos') + dd").first).to_have_text("1")
    moves = [one["game"] for one in socket.sent if one["type"] == "move"]
    assert moves
    assert old not in moves
    timed.press_arrows()  # a game without moves ends with its connection
    expect(timed.moves).not_to_have_text("0")
    is_down = True
    sockets[-1].page_end.close()
    expect(page.locator(".status-line")).to_be_visible()
    for key in 2 * ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"):  # two of them move
        page.keyboard.press(key)
    line = page.get_by_text(re.compile(r"No connection: \d+ moves are waiting\."))
    expect(line).to_be_visible()
    page.clock.fast_forward(150_000)
    expect(line).to_be_visible()
    made = timed.moves.inner_text()
    page.get_by_role("link", name="Lab").click()
    expect(away).to_be_visible()
    page.get_by_role("link", name="Play", exact=True).click()
    page.reload()
    for _ in range(3):  # each opens Play anew
        refuse()
        page.evaluate("window.dispatchEvent(new Event('online'))")
    is_down = False
    for end in tries:
        end.close()
    page.evaluate("window.dispatchEvent(new Event('online'))")
    # The moves are made though the page was left, and loaded again.
    more = "|".join(str(int(made) + count) for count in range(2, 17))
    expect(timed.moves).to_have_text(re.compile(rf"^({more})$"))
    page.wait_for_timeout(1_000)
    assert not page.locator(".toast").count()  # none was refused


def test_a_server_that_answers_after_a_second_try_is_not_listened_to(timed: Visit) -> None:
    """Its welcome would open the games again, and moves would go to the other connection."""
    sockets: list[SlowSocket] = []

    def connect(end: WebSocketRoute) -> None:
        sockets.append(SlowSocket(end))
        sockets[-1].is_held = len(sockets) == 1

    page = timed.page
    page.route_web_socket("**/ws", connect)
    timed.open(timed.usual_game(), "main *")
    while not sockets or not sockets[0].held:
        page.wait_for_timeout(20)
    page.evaluate("window.dispatchEvent(new Event('online'))")
    page.locator(".tile").first.wait_for()
    late, socket = sockets
    late.release()
    timed.press_arrows()
    expect(timed.moves).not_to_have_text("0")
    assert not late.sent
    assert [one["type"] for one in socket.sent].count("open") == 1


def test_goals_are_those_that_a_board_can_reach(laptop: Visit) -> None:
    laptop.open("/", ".tile")
    laptop.page.get_by_role("button", name="Rules…").click()
    laptop.page.get_by_text("3×3 to 256").click()
    laptop.page.get_by_label("Rows").fill("2")
    assert laptop.page.get_by_label("Goal", exact=True).input_value() == "128"
    goals = laptop.page.locator("#new-goal option").all_text_contents()
    assert goals == ["4", "8", "16", "32", "64", "128"]
