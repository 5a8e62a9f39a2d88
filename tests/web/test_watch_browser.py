"""The Watch page in a real Chromium: its first view, and the winner."""

import re
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.support.browser import PATIENCE_MS, Served, Visit, serve
from twofold.players import Player, PlayerSpec
from twofold.web.roster import Roster

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("games"), "ntuple:net=tiny,ply=1") as found:
        yield found


def test_a_first_visit_sees_three_ways_to_think(laptop: Visit) -> None:
    laptop.open("/watch", ".tile")
    lanes = laptop.page.get_by_role("article")
    expect(lanes).to_have_count(3)
    words = ("Learned from its own games", "tries every move", "You might play like this")
    for place, text in enumerate(words):
        expect(lanes.nth(place)).to_contain_text(text)
    assert "player=" not in laptop.page.url
    laptop.page.get_by_role("button", name="Remove this board").last.click()
    expect(lanes).to_have_count(2)
    laptop.page.reload()
    expect(lanes).to_have_count(2)


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
        laptop.open("/watch?player=greedy&player=corner&seed=3&speed=max", ".tile")
        expect(lanes.last.locator(".lane-note")).to_have_text("Preparing…")
        expect(lanes.first.locator(".lane-moves dd")).to_have_text("1")
        if is_removed:
            laptop.page.get_by_role("button", name="Remove this board").last.click()
        else:
            loaded.set()
        expect(lanes.first.locator(".lane-note")).to_have_text("Over")
        expect(lanes.last.locator(".lane-note")).to_have_text("Over")
        loaded.clear()
    loaded.set()


def test_a_goal_made_by_the_last_possible_move_is_noted_with_the_end(laptop: Visit) -> None:
    laptop.open("/watch?player=greedy&seed=10&speed=max&rules=2x2+goal%3D16", ".tile")
    expect(laptop.page.locator(".lane-note")).to_have_text("Goal reached, over")


def test_the_winner_of_a_race_is_named(laptop: Visit) -> None:
    players = "player=greedy&player=random&player=corner&player=expectimax:ply=1"
    laptop.open(f"/watch?{players}&seed=3&speed=max", ".tile")
    winner = laptop.page.get_by_role("article").filter(has_text="wins by")
    expect(winner).to_have_count(1)
    scores = laptop.page.locator(".lane-score dd").all_inner_texts()
    best = max(scores, key=lambda score: int(score.replace(",", "")))
    expect(winner.locator(".lane-score dd")).to_have_text(best)
    expect(laptop.page.get_by_role("status").filter(has_text="wins the race.")).to_have_count(1)
    one_line = "all => all.every(one => one.firstChild.offsetTop === one.lastChild.offsetTop)"
    assert laptop.page.locator(".lane-state").evaluate_all(one_line)


def test_a_new_board_has_another_player(laptop: Visit) -> None:
    laptop.open("/watch?player=greedy&player=fast&seed=3&rules=3x3", ".tile")
    laptop.page.get_by_role("button", name="Add a board").click()
    players = laptop.page.locator(".lane select")
    expect(players).to_have_count(3)
    assert len({one.input_value() for one in players.all()}) == 3


def test_the_names_of_players_are_written_out_on_a_phone(laptop: Visit, phone: Visit) -> None:
    for visit, count in ((laptop, 0), (phone, 2)):
        visit.open("/watch?player=fast&player=greedy&seed=1", ".lane")
        expect(visit.page.locator(".lane-name:visible")).to_have_count(count)
    expect(phone.page.locator(".lane-name").first).to_have_text("fast (network, 1 ply)")


def test_a_strength_on_3x3_searches_without_a_network(laptop: Visit) -> None:
    laptop.open("/watch?player=fast&rules=3x3&seed=1", ".tile")
    expect(laptop.page.get_by_role("article")).to_contain_text("tries every move")


def test_a_player_that_is_refused_is_out_of_the_race(laptop: Visit) -> None:
    laptop.open("/watch?player=greedy&player=expectimx:ply=1&speed=max", ".lane")
    one, other = laptop.page.locator(".lane").all()
    expect(other).to_have_class("lane is-refused")
    words = "There is no player “expectimx”. Did you mean expectimax?"
    expect(other.get_by_role("alert")).to_have_text(words)
    expect(other.locator(".lane-actions")).to_be_hidden()
    expect(one.locator(".lane-note")).not_to_be_empty()  # its game is over
    expect(one.locator(".lane-lead")).to_be_empty()


def test_the_seed_gives_the_keys_back(laptop: Visit) -> None:
    laptop.open("/watch?player=greedy&seed=3&speed=max", ".tile")
    page, seed = laptop.page, laptop.page.get_by_label("Seed")
    note, moves = page.locator(".lane-note"), page.locator(".lane-moves dd")
    expect(note).to_have_text("Over")
    before = moves.inner_text()
    seed.fill("4")
    seed.press("Enter")
    expect(seed).not_to_be_focused()
    expect(page).to_have_url(re.compile(r"seed=4\b"))
    expect(moves).not_to_have_text(before)
    expect(note).to_have_text("Over")
    end = int(moves.inner_text().replace(",", ""))
    page.keyboard.press("ArrowLeft")
    expect(moves).to_have_text(f"{end - 1:,}")
    seed.fill(" 4 ")
    page.locator(".lane-summary").click()
    expect(seed).to_have_value("4")
    page.keyboard.press("ArrowLeft")  # from where one looked, not from a new end
    expect(moves).to_have_text(f"{end - 2:,}")


@pytest.mark.parametrize("stop", [0, 64])
def test_a_game_is_reviewed_as_far_as_it_was_played(laptop: Visit, stop: int) -> None:
    laptop.open(f"/watch?player=greedy&seed=3&speed=max&stop={stop}", ".tile")
    page = laptop.page
    expect(page.locator(".lane-moves dd")).to_have_text(re.compile("[1-9]"))
    expect(page.locator(".transport-go")).to_have_text("Resume" if stop else "New race")
    moves = int(page.locator(".lane-moves dd").inner_text().replace(",", ""))
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".lane-moves dd")).to_have_text(f"{moves - 2:,}")
    page.get_by_role("button", name="Review").click()
    expect(page).to_have_url(re.compile(rf"/review\?game=\w+&move={moves - 2}$"))
    expect(page.locator(".review-move-heading")).to_have_text(f"Move {moves - 1:,}")
    page.keyboard.press("End")
    expect(page.locator(".review-move-heading")).not_to_have_text(re.compile("Move"))
    expect(page.locator(".review-where")).to_have_text(f"{moves:,} / {moves:,}")
    end = "the game could go on" if stop else "the game is over"
    expect(page.locator(".review-verdict")).to_contain_text(end)
