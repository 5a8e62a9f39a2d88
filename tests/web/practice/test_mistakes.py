"""The notebook of mistakes: what is added, drawn and solved."""

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.tables.made import made
from tests.web.driver import Client
from tests.web.page import Page
from twofold.errors import InvalidInput
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import Move
from twofold.games import mistakes as module
from twofold.games.endgames import first_board, play
from twofold.games.judge import MISTAKES, MoveJudgement
from twofold.games.kept import OPENED_TAG
from twofold.games.mistakes import (
    MOST_OF_GAME,
    Mistake,
    MistakeBook,
    MistakeList,
    MistakeSource,
    mistake_of_practice,
    mistakes_of_game,
)
from twofold.games.review import judge
from twofold.games.store import GameStore, NotFound
from twofold.players import make_player
from twofold.tables.library import TableAnswer
from twofold.web import protocol


def record(player: str = "") -> Record:
    """A whole game of first legal moves."""
    game = Game(seed=5)
    while not game.is_finished:
        game.play(game.legal_moves()[0])
    return Record.from_game(game, player=player)


@pytest.fixture(scope="module")
def every() -> list[MoveJudgement]:
    """The judgements of that game."""
    with make_player("ntuple:net=tiny,ply=1") as player:
        return list(judge(record(), player))


def mistake(number: int, share: float = 0.5, game: str = "g") -> Mistake:
    """A mistake on its own board: left, where up was best."""
    return Mistake(
        id=f"{number:016x}",
        board="1000/0000/0000/0001",
        rules="4x4",
        move="l",
        best="u",
        values=[100.0, None, None, 100.0 * share],
        shares=[1.0, None, None, share],
        unit="points",
        source=MistakeSource("game", game, number),
        added="2026-11-23",
    )


def test_the_worst_mistakes_of_a_game_are_added(every: list[MoveJudgement]) -> None:
    found = mistakes_of_game("k1", record(), every)
    worst = sorted((one for one in every if one.label in MISTAKES), key=lambda one: one.ratio)
    wanted = {one.move_number: one for one in worst[:MOST_OF_GAME]}
    assert len(found) == min(MOST_OF_GAME, len(worst)) > 3
    assert {one.source.move_number for one in found} == set(wanted)
    for one in found:
        judgement = wanted[one.source.move_number]
        assert one.move == judgement.move.letter
        assert 1 - one.lost == pytest.approx(judgement.ratio)
        assert one.shares[judgement.best] == pytest.approx(1)
        assert one.values == list(judgement.values)
        assert one.unit == judgement.unit == "points"


@pytest.mark.parametrize(
    ("player", "counts"),
    [("", True), ("me", True), ("greedy + me", True), ("greedy", False), ("ntuple:ply=2", False)],
)
def test_games_without_a_move_of_the_person_are_left_out(
    player: str, counts: bool, every: list[MoveJudgement]
) -> None:
    game = record(player)
    assert bool(mistakes_of_game("k1", game, every)) == counts
    opened = replace(game, tags={OPENED_TAG: "yes"})
    assert mistakes_of_game("k1", opened, every) == []


def test_a_mistake_in_an_endgame_is_told_by_the_chances() -> None:
    table = made("442-32")
    (position,) = play(table, first_board(table, 3), 3, [])
    source = MistakeSource("practice", "", 0, "442-32", "3")
    legal = [move for move in Move if position.chances[move] is not None]
    best = max(legal, key=lambda move: position.chances[move] or 0)
    worst = min(legal, key=lambda move: position.chances[move] or 0)
    assert mistake_of_practice(source, position, best) is None
    found = mistake_of_practice(source, position, worst)
    assert found is not None
    assert (found.move, found.best, found.unit) == (worst.letter, best.letter, "chance")
    assert found.values == list(position.chances)
    assert found.source == source


def test_where_a_table_judges_its_chances_count(every: list[MoveJudgement]) -> None:
    game, judgement = record(), every[0]
    legal = [move for move in Move if judgement.values[move] is not None]
    chances = dict.fromkeys(legal[1:], 0.8) | {judgement.move: 0.2}
    answer = TableAnswer("442-256", "0" * 16, 256, chances, legal[-1])
    up, right, down, left = (
        chances.get(move, 0.0) / 0.8 if move in legal else None for move in Move
    )
    by_table = replace(
        judgement, table=answer, label="blunder", best=legal[-1], shares=(up, right, down, left)
    )
    (found,) = mistakes_of_game("k1", game, [by_table])
    assert (found.unit, found.source.table) == ("chance", "442-256")
    for move in Move:
        wanted = chances.get(move, 0.0) if move in legal else None
        assert found.values[move] == wanted
        assert found.shares[move] == (None if wanted is None else pytest.approx(wanted / 0.8))


def test_two_right_answers_in_a_row_solve_a_position(tmp_path: Path) -> None:
    notebook = MistakeBook(GameStore(tmp_path))
    notebook.add([mistake(1)])
    for move, row, missed in [("u", 1, 0), ("l", 0, 1), ("u", 1, 1), ("u", 2, 1)]:
        assert notebook.counts() == (1, 0)
        found = notebook.answer(mistake(1).id, Move.parse(move))
        assert (found.row, found.missed) == (row, missed)
    assert notebook.counts() == (0, 1)
    assert notebook.next() is None
    with pytest.raises(NotFound):
        notebook.answer("f" * 16, Move.UP)


def test_larger_and_missed_mistakes_come_more_often(tmp_path: Path) -> None:
    notebook = MistakeBook(GameStore(tmp_path), random.Random(1))
    notebook.add([mistake(1, 0.9), mistake(2, 0.7), mistake(3, 0.9)])
    notebook.answer(mistake(3).id, Move.LEFT)  # weights 0.1, 0.3, 0.2
    asked = Counter(one.id for one in (notebook.next() for _ in range(600)) if one)
    shares = [asked[mistake(number).id] / 600 for number in (1, 2, 3)]
    assert shares == pytest.approx([1 / 6, 1 / 2, 1 / 3], abs=0.06)


def test_a_position_does_not_come_twice_at_once(tmp_path: Path) -> None:
    notebook = MistakeBook(GameStore(tmp_path))
    notebook.add([mistake(1, 0.1), mistake(2, 0.97)])
    assert {one.id for one in (notebook.next(mistake(1).id) for _ in range(9)) if one} == {
        mistake(2).id
    }
    notebook.drop(mistake(2).id)
    again = notebook.next(mistake(1).id)
    assert again is not None
    assert again.id == mistake(1).id


def test_the_same_mistake_again_counts_as_missed_unless_it_is_the_same_move(tmp_path: Path) -> None:
    notebook = MistakeBook(GameStore(tmp_path))
    assert notebook.add([mistake(1)]) == 1
    notebook.drop(mistake(1).id)
    assert notebook.add([mistake(1)]) == 0  # the same game, reviewed once more
    assert notebook.counts() == (0, 1)
    assert notebook.add([mistake(1, game="another")]) == 0
    found = notebook.next()
    assert found is not None
    assert (found.missed, found.row, found.source.game) == (1, 0, "another")


@pytest.mark.parametrize(
    "change",
    [{"shares": []}, {"shares": [1e308] * 4}, {"values": [1.0]}, {"move": "x"}, {"row": -5}],
    ids=str,
)
def test_entries_that_no_review_makes_are_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    store = GameStore(tmp_path)
    MistakeBook(store).add([msgspec.structs.replace(mistake(1), **change)])
    with pytest.raises(InvalidInput):
        MistakeBook(store).next()


def test_the_notebook_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_POSITIONS", 3)
    notebook = MistakeBook(GameStore(tmp_path))
    notebook.add([mistake(1, 0.1), mistake(2, 0.8), mistake(3, 0.5)])
    notebook.drop(mistake(1).id)
    notebook.add([mistake(4, 0.6), mistake(5, 0.7)])
    kept = GameStore(tmp_path).practised(module.NAME, MistakeList).mistakes
    assert [one.id for one in kept] == [mistake(number).id for number in (3, 4, 5)]


def test_the_mistakes_of_a_reviewed_game_are_asked_and_dropped(client: Client, page: Page) -> None:
    state = page.new(seed="5", keep=True)
    page.play(state, 80)
    judge = "ntuple:net=tiny,ply=1"
    page.ask(protocol.ReviewRequest(game=state.game, player=judge), protocol.Reviewed)
    asked = client.post("/api/notebook/next", {}).json
    assert asked["counts"]["open"] > 1
    assert asked["position"]["source"]["game"] == state.game
    answer = {"id": asked["position"]["id"], "move": None}
    assert client.post("/api/notebook/answer", answer).json["counts"]["solved"] == 1
    unknown = answer | {"id": "f" * 16}
    assert client.post("/api/notebook/answer", unknown).status == 404
