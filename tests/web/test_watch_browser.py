"""The Watch page in a real Chromium: races in step, one's own race, the winner."""

import re
import threading

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser import PATIENCE_MS, Visit, box_of, drawn
from twofold.players import Player, PlayerSpec
from twofold.web.roster import Roster

PLAYER = "ntuple:net=tiny,ply=1"
LANE = ".lane-moves dd"


def number(figure: Locator) -> int:
    return int(figure.inner_text().replace(",", ""))


AT_ONE_MOVE = """() => {
    const [mine, theirs] = document.querySelectorAll(".lane-moves dd");
    return mine.textContent === theirs.textContent;
}"""
"""Whether both boards are at one move."""

IN_STEP = """() => [...document.querySelectorAll(".lane-moves dd")].every((one) =>
    one.textContent === document.querySelector("[aria-label='Move shown']").value)"""
"""Whether all boards are at the move that is shown."""


def test_a_first_visit_sees_three_ways_to_think(laptop: Visit, phone: Visit) -> None:
    for visit in (laptop, phone):
        visit.open("/watch", LANE)
        lanes = visit.page.get_by_role("article")
        words = ("Learned from its own games", "tries every move", "You might play like this")
        for place, text in enumerate(words):
            expect(lanes.nth(place)).to_contain_text(text)
        assert "player=" not in visit.page.url
        visit.page.get_by_role("button", name="Pause").click()
        visit.check()
    expect(phone.page.locator(".lane-name:visible")).to_have_count(3)
    laptop.page.get_by_role("button", name="Remove this board").last.focus()
    laptop.page.keyboard.press("Enter")
    expect(laptop.page.get_by_role("article")).to_have_count(2)
    expect(laptop.page.locator(".lanes :focus")).to_have_count(1)
    laptop.page.reload()
    expect(laptop.page.get_by_role("article")).to_have_count(2)


def test_games_go_in_step_and_a_new_one_catches_up(laptop: Visit) -> None:
    """A board is added, and one changes its player, while the others go on from where they are."""
    laptop.open("/watch?player=greedy&player=ntuple:net=tiny,ply=1&seed=3&speed=20", LANE)
    page, moves = laptop.page, laptop.page.locator(LANE)
    expect(moves.first).to_have_text(re.compile("[1-9][0-9]"))
    page.get_by_role("button", name="Add a board").click()
    players = page.locator(".lane select")
    expect(players).to_have_count(3)
    assert len({one.input_value() for one in players.all()}) == 3
    begun = number(moves.first)
    assert begun >= 10
    players.last.select_option("corner")
    expect(moves.last).to_have_text(re.compile("[1-9][0-9]"))
    page.wait_for_function(IN_STEP)  # it has caught up
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    shown = page.get_by_label("Move shown")
    assert int(shown.input_value()) >= begun
    page.keyboard.press("ArrowLeft")  # from now on no move that was on its way changes the place
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(IN_STEP)
    expect(page.locator(".race-standing")).to_have_text(re.compile("^Move [0-9]+: "))


def test_the_boards_fill_the_screen(laptop: Visit) -> None:
    laptop.page.set_viewport_size({"width": 1920, "height": 1080})
    players = ("greedy", "corner", "random", "fast")
    for count, least in ((1, 900), (4, 440)):
        query = "&".join(f"player={name}" for name in players[:count])
        laptop.open(f"/watch?{query}&seed=3&rules=3x3", LANE)
        laptop.page.keyboard.press("f")
        boards = laptop.page.locator(".is-full .board")
        expect(boards).to_have_count(count)
        laptop.page.wait_for_function("() => document.fullscreenElement !== null")
        box = box_of(boards.last)
        assert box["width"] >= least
        assert box["x"] + box["width"] <= 1920
        assert box["y"] + box["height"] <= 1080
        laptop.page.keyboard.press("f")
        expect(boards).to_have_count(0)
    laptop.page.set_viewport_size({"width": 1280, "height": 860})


def test_a_person_races_a_player(laptop: Visit, phone: Visit) -> None:
    """It answers each move; at the end, both games can be analysed."""
    laptop.open("/watch?player=greedy&seed=3&rules=2x2", LANE)
    page = laptop.page
    page.get_by_role("button", name="Race it yourself").click()
    expect(page).to_have_url(re.compile(r"/watch#race=greedy&rules=2x2&seed=\d+$"))
    games = page.get_by_role("article")
    expect(games.first).to_have_attribute("aria-label", "Game 1: You")
    expect(games.last).to_have_attribute("aria-label", "Game 2: greedy")
    moves, standing = page.locator(LANE), page.locator(".race-standing")
    expect(moves).to_have_text(["0", "0"])
    laptop.press_arrows()
    page.wait_for_function(AT_ONE_MOVE)
    expect(standing).to_have_text(re.compile("Move [1-9]"))  # that both have made
    made = number(moves.first)
    page.reload()  # the race goes on
    expect(moves.first).to_have_text(re.compile("[1-9]"))
    page.wait_for_function(AT_ONE_MOVE)
    assert number(moves.first) >= made
    while "Your game is over." not in standing.inner_text():
        laptop.press_arrows()
        drawn(page)
    mine, theirs = (number(one) for one in moves.all())
    assert 0 < theirs <= mine
    laptop.check()
    page.get_by_role("article").last.get_by_role("button", name="Analyse").click()
    expect(page).to_have_url(re.compile(r"game=\w+"))
    phone.open("/watch#race=corner&seed=3", LANE)
    for dx, dy in ((-60, 0), (0, 60), (60, 0)):
        phone.swipe(phone.page.locator(".is-person .board"), dx, dy)
    expect(phone.page.locator(LANE).last).to_have_text(re.compile("[1-3]"))
    assert not phone.is_too_wide()


def test_a_rival_that_there_is_not_is_told_before_the_first_move(laptop: Visit) -> None:
    laptop.open("/watch#race=nonsense&race=random&seed=5", LANE)
    expect(laptop.page.get_by_text("There is no player “nonsense”.")).to_be_visible()
    laptop.press_arrows()
    expect(laptop.page.locator(LANE).last).to_have_text(re.compile("[1-9]"))
    expect(laptop.page.locator(".is-refused")).to_have_count(1)


def test_a_race_starts_once_all_players_are_loaded(
    laptop: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded, make = threading.Event(), Roster.make

    def make_late(roster: Roster, spec: PlayerSpec) -> Player:
        assert spec.name != "corner" or loaded.wait(PATIENCE_MS / 1000)
        return make(roster, spec)

    monkeypatch.setattr(Roster, "make", make_late)
    lanes = laptop.page.get_by_role("article")
    for is_removed in (False, True):
        laptop.open("/watch?player=greedy&player=corner&seed=3&speed=max", LANE)
        expect(lanes.last.locator(".lane-note")).to_have_text("Preparing…")
        expect(lanes.first.locator(LANE)).to_have_text("1")
        if is_removed:
            laptop.page.get_by_role("button", name="Remove this board").last.click()
        else:
            loaded.set()
        expect(lanes.first.locator(".lane-note")).to_have_text("Over")
        expect(lanes.last.locator(".lane-note")).to_have_text("Over")
        loaded.clear()
    loaded.set()


def test_the_winner_of_a_race_is_named_and_who_is_refused_is_out_of_it(laptop: Visit) -> None:
    players = "player=greedy&player=random&player=corner&player=expectimax:ply=1"
    laptop.open(f"/watch?{players}&seed=3&speed=max&rules=3x3", LANE)
    winner = laptop.page.get_by_role("article").filter(has_text="wins by")
    expect(winner).to_have_count(1)
    scores = [number(one) for one in laptop.page.locator(".lane-score dd").all()]
    assert number(winner.locator(".lane-score dd")) == max(scores)
    expect(laptop.page.get_by_role("status").filter(has_text="wins the race.")).to_have_count(1)
    laptop.open("/watch?player=greedy&seed=10&speed=max&rules=2x2+goal%3D16", LANE)
    expect(laptop.page.locator(".lane-note")).to_have_text("Goal reached, over")
    laptop.open("/watch?player=fast&rules=3x3&seed=1", LANE)
    expect(laptop.page.get_by_role("article")).to_contain_text("tries every move")
    laptop.open("/watch?player=greedy&player=expectimx:ply=1&speed=max", ".lane")
    one, other = laptop.page.locator(".lane").all()
    expect(other).to_have_class("lane is-refused")
    words = "There is no player “expectimx”. Did you mean expectimax?"
    expect(other.get_by_role("alert")).to_have_text(words)
    expect(other.locator(".lane-actions")).to_be_hidden()
    expect(one.locator(".lane-note")).not_to_be_empty()  # its game is over
    expect(one.locator(".lane-lead")).to_be_empty()


def test_at_top_speed_a_slow_page_draws_less_often(laptop: Visit) -> None:
    """Each beat takes a second here, whatever its number of moves: it is not the moves that do."""
    sent: list[str] = []
    laptop.page.on("websocket", lambda it: it.on("framesent", lambda text: sent.append(str(text))))
    laptop.open("/learn", "h1")
    laptop.page.evaluate("() => { let now = 0; performance.now = () => (now += 1000); }")
    laptop.open("/watch?player=greedy&player=corner&seed=3&speed=max", LANE)
    winner = laptop.page.get_by_role("article").filter(has_text="wins by")
    expect(winner.locator(LANE)).to_have_text("360")
    assert sum('"autoplay"' in text for text in sent) < 40


def test_a_seed_that_is_none_is_refused_in_sight(laptop: Visit) -> None:
    """Above the boards and at the form; there is nothing to resume."""
    page = laptop.page
    laptop.open("/watch?seed=abc", ".watch .error")
    reason = page.get_by_role("alert").filter(has_text="A seed is a whole number from 0")
    expect(reason).to_be_in_viewport()
    page.get_by_label("Seed").focus()
    expect(reason).to_be_in_viewport()
    expect(page.get_by_role("button", name="Resume")).to_have_count(0)


def test_the_seed_gives_the_keys_back(laptop: Visit) -> None:
    laptop.open("/watch?player=greedy&seed=3&speed=max", LANE)
    page, seed = laptop.page, laptop.page.get_by_label("Seed")
    note, moves = page.locator(".lane-note"), page.locator(LANE)
    expect(note).to_have_text("Over")
    before = moves.inner_text()
    seed.fill("4")
    seed.press("Enter")
    expect(seed).not_to_be_focused()
    expect(page).to_have_url(re.compile(r"seed=4\b"))
    expect(moves).not_to_have_text(before)
    expect(note).to_have_text("Over")
    end = number(moves)
    page.keyboard.press("ArrowLeft")
    expect(moves).to_have_text(f"{end - 1:,}")
    seed.fill(" 4 ")
    page.locator(".lane-summary").click()
    expect(seed).to_have_value("4")
    page.keyboard.press("ArrowLeft")  # from where one looked, not from a new end
    expect(moves).to_have_text(f"{end - 2:,}")


def test_a_game_is_analysed_at_the_move_shown(laptop: Visit) -> None:
    page = laptop.page
    for stop, go, end in ((0, "New race", "game is over"), (64, "Resume", "game could go on")):
        laptop.open(f"/watch?player=greedy&seed=3&speed=max&stop={stop}", LANE)
        expect(page.locator(LANE)).to_have_text(re.compile("[1-9]"))
        expect(page.locator(".transport-go")).to_have_text(go)
        moves = number(page.locator(LANE))
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        expect(page.locator(LANE)).to_have_text(f"{moves - 2:,}")
        page.keyboard.press("a")
        expect(page).to_have_url(re.compile(rf"/analyse\?game=\w+&move={moves - 2}$"))
        expect(page.locator(".analysis-heading")).to_have_text(f"Move {moves - 1:,}")
        page.keyboard.press("End")
        expect(page.locator(".analysis-heading")).not_to_have_text(re.compile("Move"))
        expect(page.locator(".analysis-where")).to_have_text(f"{moves:,} / {moves:,}")
        expect(page.get_by_role("region", name="This move")).to_contain_text(end)
