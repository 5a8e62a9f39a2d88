"""Analyses as replies: the evaluation bar, and how games end."""

import math
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.policies import make_policy, write
from tests.web.page import Page
from twofold.game.board import Board
from twofold.game.rules import Move
from twofold.players import Player, PlayerSpec, make_player
from twofold.players.base import move_list
from twofold.players.exact import ExactPlayer
from twofold.search.analysis import Analysis, MoveValue
from twofold.search.budget import Budget, Stop
from twofold.tables.exact import ExactTable, outcomes, solve
from twofold.tables.problem import Problem
from twofold.web import protocol
from twofold.web import searches as module
from twofold.web.hub import Hub
from twofold.web.protocol import AnalysisReply, OutcomesReply
from twofold.web.searches import bar_of, next_tile, points_for, ratio_of, reply_of, send_outcomes

BOARD = Board.parse("1234/2345/3456/0010")


def test_points_make_a_bar() -> None:
    with make_player("ntuple:net=tiny,ply=1") as player:
        found = player.analyse(BOARD)
        bar, _, _ = bar_of(found, player)
        value = found.value
        assert value is not None
        assert next_tile(BOARD) == 128
        assert points_for(BOARD) == 6 * 128  # 2^7 from the 2s: 128 + 2 * 64 + ... + 32 * 4
        assert bar == pytest.approx(value / (value + 768))
        reply = reply_of(found, player, spec="ntuple:net=tiny,ply=1")
    assert (reply.bar, reply.final) == (bar, False)
    assert (reply.bar_kind, reply.bar_amount) == ("about", int(float(f"{value:.3g}")))
    assert (reply.player, reply.source, reply.unit) == ("ntuple:net=tiny,ply=1", "ntuple", "points")
    assert [one.move for one in reply.moves] == list("urdl")
    assert max(one.ratio for one in reply.moves if one.ratio is not None) == 1.0
    assert reply.line[0][0] == reply.best


@pytest.mark.parametrize("spec", ["datumbox", "greedy", "policy"])
def test_other_units_make_no_bar(spec: str) -> None:
    """Values of Datumbox include the score; those of greedy are one move's points."""
    with make_player(spec) as player:
        found = player.analyse(BOARD, Budget(ply=1))
        assert bar_of(found, player) == (None, "scale", 0)


def test_no_values_make_no_bar() -> None:
    with make_player("random") as player:
        found = player.analyse(BOARD)
        assert bar_of(found, player) == (None, "none", 0)
        reply = reply_of(found, player, spec="random")
    assert {one.ratio for one in reply.moves} == {one.value for one in reply.moves} == {None}


@pytest.mark.parametrize(("chance", "bar"), [(0.25, 0.25), (1.5, 1.0), (-1.0, 0.0)])
def test_chances_are_the_bar(chance: float, bar: float) -> None:
    values = {move: MoveValue(chance, 1) for move in BOARD.legal_moves()}
    found = Analysis(BOARD, move_list(BOARD, values), Move.LEFT, "exact", unit="chance")
    with make_player("random") as player:
        assert bar_of(found, player) == (bar, "tile", 128)


@pytest.mark.parametrize(("value", "best", "ratio"), [
    (5.0, 10.0, 0.5), (10.0, 10.0, 1.0), (0.0, 0.0, 1.0), (-5.0, 10.0, 0.0), (-20.0, -10.0, 0.5),
    (-5.0, 0.0, 0.0), (-math.inf, math.inf, 0.0), (1.0, math.inf, 0.0),
])  # fmt: skip
def test_ratios(value: float, best: float, ratio: float) -> None:
    assert ratio_of(value, best) == ratio


def test_solved_games_make_a_bar() -> None:
    board = Board.parse("2x2:11/10")
    player = ExactPlayer(solve(Problem.parse("2x2")))
    found = player.analyse(board)
    value = found.value
    assert value is not None
    assert bar_of(found, player) == (value / (value + points_for(board)), "points", value)
    player = ExactPlayer(solve(Problem.parse("2x2 goal=32", "goal")))
    found = player.analyse(board)
    assert bar_of(found, player) == (found.value, "tile", 32)


def test_discounted_points_make_no_bar(tmp_path: Path) -> None:
    network = make_policy(discount=0.9)
    network.layers[-1].bias[-1] = 1_234
    path = write(tmp_path / "net.safetensors", network)
    with make_player(f"policy:net={path}") as player:
        found = player.analyse(BOARD)
        assert found.critic_unit == "discounted points"
        bar = bar_of(found, player)
    assert (bar.share, bar.kind) == (None, "discounted")
    assert bar.amount == pytest.approx(1_234, abs=10)


def test_a_move_above_the_best_one_was_not_tried() -> None:
    """A search that a policy network guides leaves improbable moves out, whatever their value."""
    values = {Move.UP: MoveValue(90.0, 1), Move.LEFT: MoveValue(60.0, 1)}
    with make_player("random") as player:
        moves = move_list(BOARD, values | {Move.RIGHT: MoveValue(30.0, 1)})
        plain = Analysis(BOARD, moves, Move.LEFT, "policy", unit="points")
        guided = replace(plain, critic=50.0, critic_unit="points")
        found = {str(one.move): one for one in reply_of(guided, player, spec="policy").moves}
        assert [found[letter].tried for letter in "url"] == [False, True, True]
        assert [found[letter].ratio for letter in "url"] == [None, 130 / 160, 1.0]
        assert all(one.tried for one in reply_of(plain, player, spec="policy").moves)


# ---- how games end

SMALL = Board.parse("2x3:112/001")


@pytest.fixture(scope="module")
def table() -> ExactTable:
    return solve(Problem.parse("2x3"))


def told(table: ExactTable, board: Board, stop: Stop, seconds: float = 60) -> list[OutcomesReply]:
    replies: list[OutcomesReply] = []
    send_outcomes(table, board, stop, replies.append, seconds=seconds)
    assert [reply.final for reply in replies] == [False] * (len(replies) - 1) + [True]
    return replies


def test_the_final_reply_has_the_outcomes(table: ExactTable) -> None:
    *_, reply = told(table, SMALL, Stop())  # progress comes first on a busy machine
    found = outcomes(table, SMALL)
    assert {one.tile: one.chance for one in reply.tiles} == found.tiles
    assert {one.tile: one.reached for one in reply.tiles} == found.reach
    assert (reply.board, reply.done, reply.moves) == (str(SMALL), 1.0, found.moves)
    assert reply.note == ""
    assert (reply.setting, reply.goal, reply.of_goal, reply.value) == ("2x3", 0, False, found.value)


def test_progress_is_reported(table: ExactTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SAY_EVERY", 0.0)
    replies = told(table, SMALL, Stop())
    assert len(replies) > 50
    parts = [reply.done for reply in replies]
    assert parts == sorted(parts)
    assert (parts[0], parts[-1]) == (0.0, 1.0)
    assert not any(reply.tiles for reply in replies[:-1])


def test_it_ends_when_cancelled_or_out_of_time(table: ExactTable) -> None:
    stop = Stop()
    stop.raise_flag()
    (reply,) = told(table, SMALL, stop)
    assert (reply.note, reply.tiles) == ("stopped before the end", [])
    assert reply.reason == "stopped"
    (reply,) = told(table, SMALL, Stop(), seconds=0)
    assert reply.note.startswith("not all games could be followed to their end in 0 s")


def test_an_unreachable_board_has_a_note(table: ExactTable) -> None:
    (reply,) = told(table, Board.parse("2x3:bbb/bbb"), Stop())
    assert (reply.note[:16], reply.tiles) == ("expected a board", [])


# ---- asked by a page


@pytest.fixture
def page(tmp_path: Path, table: ExactTable, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """A page of a hub whose player `corner` is optimal play of 2x3 to 64."""
    goal = solve(Problem.parse("2x3 goal=64", "goal"))
    solved = {"greedy": table, "corner": goal}

    def make(_roster: object, spec: PlayerSpec) -> Player:
        return ExactPlayer(solved[spec.name]) if spec.name in solved else spec.make()

    monkeypatch.setattr("twofold.web.roster.Roster.make", make)
    with closing(Hub(tmp_path, "greedy", warm_up=False)) as hub:
        yield Page(hub)


def test_a_chance_is_asked_under_its_own_rules(page: Page) -> None:
    request = protocol.AnalyseRequest(board=str(SMALL), player="corner", outcomes=True)
    page.tell(request)
    reply = page.wait(OutcomesReply, lambda reply: reply.final)  # progress comes before it
    assert (reply.setting, reply.goal, reply.of_goal) == ("2x3", 64, True)
    other = protocol.AnalyseRequest(board=str(SMALL), player="corner", rules="2x3")
    assert page.refusal(other)[0] == "UnsupportedRules"


@pytest.mark.parametrize(
    "values", [{}, {"player": "expectimax:ply=1", "outcomes": True}], ids=["asked", "knows"]
)
def test_no_outcomes_without_request_or_solution(page: Page, values: dict[str, Any]) -> None:
    ref = page.tell(protocol.AnalyseRequest(board=str(SMALL), **values))
    reply = page.wait(AnalysisReply, lambda reply: reply.ref == ref and reply.final)
    assert not reply.outcomes
    page.session.close()
    assert page.all(OutcomesReply) == []
