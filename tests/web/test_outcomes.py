"""How games end, as replies: progress, the result, and errors."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.web.page import Page
from twofold.game.board import Board
from twofold.players import Player, PlayerSpec
from twofold.players.exact import ExactPlayer
from twofold.search.budget import Stop
from twofold.tables.exact import ExactTable, outcomes, solve
from twofold.tables.problem import Problem
from twofold.web import protocol
from twofold.web import searches as module
from twofold.web.hub import Hub
from twofold.web.protocol import AnalysisReply, OutcomesReply
from twofold.web.searches import send_outcomes

BOARD = Board.parse("2x3:112/001")


@pytest.fixture(scope="module")
def table() -> ExactTable:
    return solve(Problem.parse("2x3"))


def told(table: ExactTable, board: Board, stop: Stop, seconds: float = 60) -> list[OutcomesReply]:
    replies: list[OutcomesReply] = []
    send_outcomes(table, board, stop, replies.append, seconds=seconds)
    assert [reply.final for reply in replies] == [False] * (len(replies) - 1) + [True]
    return replies


def test_the_final_reply_has_the_outcomes(table: ExactTable) -> None:
    *_, reply = told(table, BOARD, Stop())  # progress comes first on a busy machine
    found = outcomes(table, BOARD)
    assert {one.tile: one.chance for one in reply.tiles} == found.tiles
    assert {one.tile: one.reached for one in reply.tiles} == found.reach
    assert (reply.board, reply.done, reply.moves) == (str(BOARD), 1.0, found.moves)
    assert (reply.setting, reply.value, reply.note) == ("2x3", found.value, "")
    assert (reply.setting, reply.goal, reply.of_goal, reply.value) == ("2x3", 0, False, found.value)


def test_progress_is_reported(table: ExactTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SAY_EVERY", 0.0)
    replies = told(table, BOARD, Stop())
    assert len(replies) > 50
    parts = [reply.done for reply in replies]
    assert parts == sorted(parts)
    assert (parts[0], parts[-1]) == (0.0, 1.0)
    assert not any(reply.tiles for reply in replies[:-1])


def test_it_ends_when_cancelled_or_out_of_time(table: ExactTable) -> None:
    stop = Stop()
    stop.raise_flag()
    (reply,) = told(table, BOARD, stop)
    assert (reply.note, reply.tiles) == ("stopped before the end", [])
    assert reply.reason == "stopped"
    (reply,) = told(table, BOARD, Stop(), seconds=0)
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
    request = protocol.AnalyseRequest(board=str(BOARD), player="corner", outcomes=True)
    reply = page.ask(request, OutcomesReply)
    assert (reply.setting, reply.goal, reply.of_goal) == ("2x3", 64, True)
    assert (reply.setting, reply.goal, reply.of_goal) == ("2x3", 64, True)
    other = protocol.AnalyseRequest(board=str(BOARD), player="corner", rules="2x3")
    assert page.refusal(other)[0] == "UnsupportedRules"


@pytest.mark.parametrize(
    "values", [{}, {"player": "expectimax:ply=1", "outcomes": True}], ids=["asked", "knows"]
)
def test_no_outcomes_without_request_or_solution(page: Page, values: dict[str, Any]) -> None:
    ref = page.tell(protocol.AnalyseRequest(board=str(BOARD), **values))
    reply = page.wait(AnalysisReply, lambda reply: reply.ref == ref and reply.final)
    assert not reply.outcomes
    page.session.close()
    assert page.all(OutcomesReply) == []
