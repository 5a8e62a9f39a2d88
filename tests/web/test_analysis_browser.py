"""The Analysis page in a real Chromium: walking, variations, judgements, the quiz, setting up."""

import json
import re
from dataclasses import replace

import pytest
from playwright.sync_api import FilePayload, Locator, expect

from tests.game.replays import EXAMPLES
from tests.support.browser import ARROWS, Served, Visit
from twofold import Board, Game, Record, Rules, make_player, review_game
from twofold.game.formats import FORMATS, parse_any_record
from twofold.game.rules import Move
from twofold.games.judge import MoveJudgement
from twofold.games.makers import AUTOPLAY_TAG
from twofold.games.review import judge, percent_words

PLAYER = "ntuple:net=tiny,ply=1"
MOVES = 90


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
    return served.keep(str(record(comment="Here <b>I</b> hesitated.")))


def review(visit: Visit, game: str) -> None:
    """Open a game and wait until all its moves are judged."""
    visit.open(f"/analyse?game={game}&player={PLAYER}", ".tile")
    wait_until_judged(visit)


def wait_until_judged(visit: Visit) -> None:
    expect(accuracy(visit)).not_to_have_text("–")
    expect(visit.page.locator(".review-labels progress")).to_be_hidden()


def accuracy(visit: Visit) -> Locator:
    return visit.page.locator(".figure-accuracy dd")


def where(visit: Visit) -> Locator:
    return visit.page.locator(".analysis-where")


def test_the_figures_are_those_of_a_review(laptop: Visit, game: str) -> None:
    whole = review_game(record(), PLAYER)
    review(laptop, game)
    expect(accuracy(laptop)).to_have_text(f"{whole.accuracy:.1f} %")
    laptop.page.get_by_text("Details").last.click()
    shown = laptop.page.locator(".review-figures dd").all_inner_texts()
    assert shown[0] == percent_words(whole.match_rate, 100)
    assert shown[2] == str(whole.longest_perfect_run)
    assert shown[3] == f"{whole.goodness_of_fit:.3f}"
    counts = laptop.page.locator(".label-count").all_inner_texts()
    assert counts == [str(count) for count in whole.labels.values()]
    expect(laptop.page.get_by_text("No accuracy:")).to_be_hidden()
    laptop.page.get_by_role("button", name="Next mistake").click()
    expect(laptop.page.locator(".analysis-frame")).to_be_in_viewport(ratio=1)


def test_forced_moves_alone_have_no_accuracy(laptop: Visit, served: Served) -> None:
    game = Game.from_board(Board.parse("1x2:01"), Rules.parse("1x2"), 1)
    game.play("l")
    laptop.open(f"/analyse?game={served.keep(str(Record.from_game(game)))}&player=greedy", ".tile")
    expect(laptop.page.get_by_text("No accuracy: no move had an alternative.")).to_be_visible()
    shown = laptop.page.locator(".review-figures dd").all_text_contents()
    assert shown == ["–", "–", "1", "–"]


def test_keys_walk_through_the_game(laptop: Visit, game: str) -> None:
    review(laptop, game)
    for key, place in (
        ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("PageDown", 11), ("PageUp", 1),
        ("End", MOVES), ("Home", 0),
    ):  # fmt: skip
        laptop.page.keyboard.press(key)
        expect(where(laptop)).to_have_text(f"{place} / {MOVES}")
    laptop.page.keyboard.press("Space")
    expect(where(laptop)).not_to_have_text(f"0 / {MOVES}")
    laptop.page.keyboard.press("Space")


def test_comments_are_text(laptop: Visit, game: str) -> None:
    laptop.open(f"/analyse?game={game}&player={PLAYER}&move=3", ".tile")
    expect(laptop.page.locator("blockquote")).to_have_text("Here <b>I</b> hesitated.")


def test_the_next_mistake_and_its_values(laptop: Visit, game: str) -> None:
    review(laptop, game)
    laptop.page.keyboard.press("n")
    verdict = laptop.page.locator(".analysis-words")
    expect(verdict).to_contain_text(re.compile("Mistake.*Best: "))
    expect(laptop.page.locator(".board-edge.is-best")).to_have_count(1)
    laptop.page.keyboard.press("e")
    expect(laptop.page.get_by_role("switch", name="Live analysis")).not_to_be_checked()
    expect(laptop.page.locator(".analysis tr.is-best")).to_have_count(1)  # of the judgement
    laptop.page.keyboard.press("p")
    expect(verdict).to_contain_text(re.compile("Mistake.*Best: "))


def test_the_best_and_the_second_best_move_have_arrows(laptop: Visit, game: str) -> None:
    with make_player(PLAYER) as player:
        judged = list(judge(record(), player))
    worst = next(one for one in judged if ranked(one).index(one.move) >= 2)
    best, second, *_ = (move.letter for move in ranked(worst))
    laptop.open(f"/analyse?game={game}&player={PLAYER}&move={worst.move_number}", ".tile")
    for kind, letter in (("is-best", best), ("is-second", second)):
        expect(laptop.page.locator(f".board-edge.edge-{letter}.{kind}")).to_be_visible()


def test_own_moves_and_those_of_autoplay_stand_apart(laptop: Visit, served: Served) -> None:
    plain = record()
    mixed = replace(plain, player="me + greedy", tags={AUTOPLAY_TAG: f"1-{MOVES // 2}"})
    review(laptop, served.keep(str(mixed)))
    parts = laptop.page.locator(".review-parts")
    expect(parts).to_contain_text("You")
    expect(parts).to_contain_text("Autoplay")
    expect(laptop.page.locator(".analysis-words")).to_contain_text("By autoplay.")
    expect(laptop.page.locator(".review-labels")).to_contain_text("without those of autoplay")
    counts = laptop.page.locator(".label-count").all_inner_texts()
    assert sum(map(int, counts)) == MOVES - MOVES // 2
    parts.get_by_role("button").last.click()
    expect(where(laptop)).not_to_have_text(f"0 / {MOVES}")


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
    assert laptop.violations() == []
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


def test_the_game_goes_on_where_its_own_move_is_played(laptop: Visit, game: str) -> None:
    laptop.open(f"/analyse?game={game}&player={PLAYER}", ".tile")
    laptop.page.locator(".board-edge.is-made").click()
    expect(where(laptop)).to_have_text(f"1 / {MOVES}")
    expect(laptop.page.locator(".moves-row.is-variation")).to_have_count(0)
    laptop.page.get_by_role("gridcell", name="empty").first.click()  # the new tile, elsewhere
    expect(laptop.page.locator(".moves-row.is-variation")).to_have_count(1)
    expect(laptop.page).to_have_url(re.compile(r"game=\w+&line=\w@\d+:2"))
    laptop.page.locator(".is-marked").click()
    expect(laptop.page).to_have_url(re.compile(r"game=\w+&line=\w@\d+:4"))
    expect(laptop.page.locator(".moves-row.is-variation")).to_have_count(1)


def test_a_long_game_is_there_at_once(laptop: Visit, served: Served) -> None:
    """Of the moves only those in sight are in the page."""
    game = Game(seed=1)
    with make_player("ntuple:net=default,ply=1") as player:
        while not game.is_finished and game.move_number < 5_000:
            game.play(player.choose(game.board, move_number=game.move_number))
    kept = served.keep(str(Record.from_game(game)))
    laptop.open(f"/analyse?game={kept}&move={game.move_number - 9}", ".moves-move")
    expect(laptop.page.locator("[aria-current=true]")).to_be_in_viewport()
    assert laptop.page.locator(".moves-row").count() < 60
    laptop.page.locator(".moves").evaluate("(list) => list.scrollTo(0, 0)")
    expect(laptop.page.get_by_role("button", name="Move 1:", exact=False).first).to_be_visible()


def test_the_graph_is_walked_by_pointer_and_keys(laptop: Visit, game: str) -> None:
    review(laptop, game)
    graph = laptop.page.get_by_role("slider", name="Graph of the game")
    box = graph.bounding_box()
    assert box is not None
    graph.click(position={"x": box["width"] / 2, "y": box["height"] - 30})
    expect(where(laptop)).not_to_have_text(f"0 / {MOVES}")
    graph.press("Home")
    expect(where(laptop)).to_have_text(f"0 / {MOVES}")
    graph.press("ArrowRight")
    expect(where(laptop)).to_have_text(f"1 / {MOVES}")
    assert "score" in (graph.get_attribute("aria-valuetext") or "")


def test_learning_from_the_mistakes(laptop: Visit, game: str) -> None:
    review(laptop, game)
    laptop.page.keyboard.press("l")
    expect(laptop.page.get_by_text("Find a better one.").first).to_be_visible()
    laptop.page.get_by_role("button", name="Show the answer").click()
    expect(laptop.page.locator(".quiz-verdict")).to_contain_text("The best move is")
    laptop.page.get_by_role("button", name="Next position").click()
    for key in ARROWS:  # as long as a move is wrong, another one can be tried
        laptop.page.keyboard.press(key)
    expect(laptop.page.locator(".quiz-verdict.good")).to_be_visible()
    assert laptop.violations() == []
    laptop.page.get_by_role("button", name="Back to the game").click()
    expect(accuracy(laptop)).to_be_visible()


def test_a_swipe_answers_the_quiz(phone: Visit, game: str) -> None:
    review(phone, game)
    phone.page.get_by_role("button", name="Learn").click()
    expect(phone.page.locator(".analysis-frame")).to_be_in_viewport()
    box = phone.page.locator(".analysis-frame").bounding_box()
    assert box is not None
    session = phone.page.context.new_cdp_session(phone.page)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for kind, at in (("touchStart", x), ("touchMove", x - 60), ("touchEnd", None)):
        points = [] if at is None else [{"x": at, "y": y}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    expect(phone.page.locator(".quiz-answer")).not_to_be_empty()


def test_another_player_judges(laptop: Visit, game: str) -> None:
    review(laptop, game)
    laptop.page.get_by_label("Player", exact=True).select_option("greedy")
    expect(laptop.page.locator(".judged-by summary")).to_have_text("Judged by greedy")
    expect(laptop.page.get_by_text("values are not points")).to_be_hidden()
    expect(laptop.page.get_by_text("its judge has none")).to_be_hidden()
    expect(laptop.page).to_have_url(re.compile("player=greedy"))


def test_a_judge_without_the_tables_of_the_game_is_said(laptop: Visit, served: Served) -> None:
    with_tables = replace(record(), player="ntuple:ply=3,tables=442-512")
    review(laptop, served.keep(str(with_tables)))
    expect(laptop.page.get_by_text("its judge has none")).to_be_visible()


def test_the_judges_are_those_for_the_shape(laptop: Visit, served: Served) -> None:
    small = Game("3x3", seed=5)
    for _ in range(8):
        small.play(small.legal_moves()[0])
    laptop.open(f"/analyse?game={served.keep(str(Record.from_game(small, player='me')))}", ".tile")
    judges = laptop.page.get_by_label("Player", exact=True)
    expect(judges.locator("option", has_text="rows in order, 5 plies")).to_have_count(1)
    expect(judges.locator("option", has_text="Datumbox")).to_have_count(1)
    expect(judges.locator("option", has_text="IT3105")).to_have_count(0)


def paste(visit: Visit, words: str) -> None:
    """Paste a text into the field for it."""
    if not visit.page.locator("#analysis-paste").is_visible():
        visit.page.get_by_role("button", name="Paste text").click()
    visit.page.get_by_label("Text of a record").fill(words)
    visit.page.get_by_role("button", name="Analyse", exact=True).click()


def test_games_come_from_text_files_and_links(laptop: Visit) -> None:
    laptop.open("/analyse", ".tile")
    paste(laptop, "nonsense")
    expect(laptop.page.get_by_role("alert").first).to_contain_text("This is not a board")
    paste(laptop, f"{record()}\n{record()}")
    expect(laptop.page.get_by_role("alert").first).to_contain_text("There are several games in it")
    laptop.faults.clear()  # the answer 400 is one in the console
    buffer = str(record()).encode()
    file = FilePayload(name="game.2048", mimeType="text/plain", buffer=buffer)
    laptop.page.set_input_files("input[type=file]", file)
    expect(where(laptop)).to_have_text(f"0 / {MOVES}")
    laptop.page.get_by_role("button", name="Open a game").click()
    link = laptop.page.get_by_role("dialog").get_by_role("link").first
    link.click()
    expect(laptop.page.get_by_role("dialog")).to_have_count(0)


def test_a_text_is_read_visibly(laptop: Visit) -> None:
    laptop.open("/analyse", ".tile")
    laptop.page.route("**/api/games", lambda route: None)  # no answer yet
    paste(laptop, str(record()))
    expect(laptop.page.get_by_text("Reading…")).to_be_visible()


def test_the_page_says_that_a_game_from_a_file_is_saved(laptop: Visit) -> None:
    own = FilePayload(name="own.2048", mimeType="text/plain", buffer=str(played_once()).encode())
    added = laptop.page.get_by_text("The game is in My games now.")
    laptop.open("/analyse", ".tile")
    laptop.page.set_input_files("input[type=file]", own)
    expect(added.first).to_be_visible()
    laptop.open("/analyse", ".tile")
    laptop.page.set_input_files("input[type=file]", own)
    expect(where(laptop)).to_have_text("0 / 4")
    expect(added).to_have_count(0)  # it was there before


def test_replays_of_other_programs_are_opened(laptop: Visit) -> None:
    """In every form that holds a game; as the file, and in quotes as a browser's console has it."""
    games = [one for one in FORMATS if parse_any_record(EXAMPLES[one.name], one.name).moves]
    assert len(games) == 10
    for one in games:
        data = EXAMPLES[one.name].encode("latin-1" if one.is_binary else "utf-8")
        moves = len(parse_any_record(data).moves)
        laptop.open("/analyse", ".tile")
        file = FilePayload(name="game", mimeType="application/octet-stream", buffer=data)
        laptop.page.set_input_files("input[type=file]", file)
        expect(where(laptop)).to_have_text(f"0 / {moves}")
    laptop.open("/analyse", ".tile")
    paste(laptop, json.dumps(EXAMPLES["verse"]))
    expect(where(laptop)).to_have_text("0 / 2")


def played_once() -> Record:
    game = Game(seed=4711)
    for _ in range(4):
        game.play(game.legal_moves()[0])
    return Record.from_game(game, player="me")


def test_a_link_holds_the_game_and_tells_no_server(laptop: Visit, game: str) -> None:
    laptop.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    review(laptop, game)
    laptop.page.keyboard.press("ArrowRight")
    laptop.page.get_by_text("Copy", exact=True).click()
    laptop.page.get_by_role("button", name="Link with the whole game").click()
    expect(laptop.page.get_by_text("Link copied").first).to_be_visible()
    link = str(laptop.page.evaluate("navigator.clipboard.readText()"))
    assert "/analyse?move=1#g=" in link
    toast = laptop.page.locator(".toast", has_text="Others cannot open it")
    toast.get_by_role("button", name="Replay").click()
    expect(laptop.page.get_by_role("link", name="Download replay")).to_be_visible()
    laptop.page.goto("about:blank")
    laptop.page.goto(link)
    expect(where(laptop)).to_have_text(f"1 / {MOVES}")
    link = link.replace("?move=1", "")
    asked: list[str] = []
    laptop.page.on("request", lambda request: asked.append(request.url))
    laptop.page.goto("about:blank")
    laptop.page.goto(link)
    expect(where(laptop)).to_have_text(f"0 / {MOVES}")
    expect(laptop.page).to_have_url(re.compile(f"/analyse.game={game}$"))  # kept once
    assert not any(link.partition("#")[2] in url for url in asked)
    laptop.page.goto("about:blank")
    laptop.page.goto(link[:-30])
    expect(laptop.page.get_by_role("region", name="Analysis")).to_contain_text(
        "This link does not hold a whole game"
    )


def test_a_saved_game_without_moves_is_a_position(laptop: Visit, served: Served) -> None:
    cells = [[None] * 4 for _ in range(3)] + [[{"value": 2}, None, None, {"value": 64}]]
    saved = {"grid": {"size": 4, "cells": cells}, "score": 320, "over": False, "won": False}
    laptop.open(f"/analyse?game={served.keep(json.dumps(saved))}", ".analysis tr.is-best")
    expect(laptop.page.locator(".label-list")).to_be_hidden()
    assert laptop.violations() == []
    laptop.page.get_by_role("button", name="Play from here").click()
    expect(laptop.page.locator(".score").first).to_contain_text("320")


def test_a_second_try_in_the_quiz_counts_as_solved(laptop: Visit, game: str) -> None:
    review(laptop, game)
    laptop.page.keyboard.press("l")
    count = laptop.page.locator(".quiz-count")
    expect(count).to_contain_text("0 of ")
    for key in 4 * ARROWS:  # the one that was played is wrong, another one is right
        laptop.page.keyboard.press(key)
    expect(count).to_contain_text("1 of ")


def test_playing_on_from_a_position(laptop: Visit, game: str) -> None:
    laptop.open(f"/analyse?game={game}&player=greedy&limit=1ply&move=20", ".tile")
    laptop.page.get_by_role("button", name="Play from here").click()
    expect(laptop.page.locator("dt:has-text('Moves') + dd").first).to_have_text("20")


def test_everybody_can_read_a_review(laptop: Visit, phone: Visit, game: str) -> None:
    for one in (laptop, phone):
        review(one, game)
        assert one.violations() == []
        assert not one.is_too_wide()


def test_large_values_are_told_by_their_differences(phone: Visit, served: Served) -> None:
    """Values of rows on 3x3 are near 1.2 million: written in millions no difference is seen."""
    game = Game("3x3", 3)
    while not game.is_finished and game.move_number < 12:
        game.play(game.legal_moves()[-1])
    kept = served.keep(str(Record.from_game(game, player="me")))
    phone.open(f"/analyse?game={kept}&player=expectimax:eval=rows,ply=1&move=3", ".is-best")
    wait_until_judged(phone)
    ticks = phone.page.locator(".chart-plot text")
    expect(ticks.filter(has_text=re.compile(r"^1\.[0-9]{2,3} M$")).first).to_be_visible()
