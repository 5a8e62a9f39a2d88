"""The objects that sessions share: quick start, clean close, restart."""

import warnings
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.threads import threads_since
from tests.web import own_players
from tests.web.own_players import GATE
from tests.web.page import PATIENCE, Page
from twofold.errors import InvalidInput, InvalidSpec
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import Rules
from twofold.players import PlayerSpec
from twofold.web import hub as hub_module
from twofold.web import protocol
from twofold.web.hub import Hub
from twofold.web.protocol import AnalysisReply, AutoplayEnded, Ready, Welcome

BOARD = Board.parse("1234/2345/3456/0010")


def test_the_default_player_is_loaded_in_a_thread(tmp_path: Path) -> None:
    GATE.reset()
    with closing(Hub(tmp_path, own_players.LATE)) as hub:
        early = Page(hub)
        assert not early.wait(Welcome).ready
        assert early.open().now.move_number == 0  # a page need not wait
        GATE.opened.set()
        early.wait(Ready)
        late = Page(hub)
        assert late.wait(Welcome).ready
        assert not late.all(Ready)


def test_a_default_player_that_cannot_be_loaded_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(Hub(tmp_path, own_players.BROKEN)) as hub:
        assert hub._loader is not None
        hub._loader.join(PATIENCE)
        assert not Page(hub).wait(Welcome).ready
        kind, _ = Page(hub).refusal(protocol.AnalyseRequest(board=str(BOARD)))
        assert kind == "InternalError"
    assert "cannot load the default player" in caplog.text


def test_wrong_players_and_folders_are_refused_at_once(tmp_path: Path) -> None:
    begun = threads_since()
    with pytest.raises(InvalidSpec):
        Hub(tmp_path, "nobody")
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput):
        Hub(tmp_path / "file")
    assert not [name for name in begun() if name.startswith("twofold-")]


def test_no_thread_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a player, a search, a review and a loading default player."""
    monkeypatch.setattr(hub_module, "LOADER_SECONDS", PATIENCE)  # however long the kernels take
    begun = threads_since()
    GATE.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        hub = Hub(tmp_path, "expectimax:ply=2", own_players.ALL)
        page = Page(hub)
        state = page.new(board=str(BOARD))
        page.play(state, 2)
        page.tell(protocol.AutoplayRequest(game=state.game, player="expectimax:ply=12"))
        page.tell(protocol.AnalyseRequest(board=str(BOARD), player="expectimax", seconds=60))
        page.wait(AnalysisReply)
        page.tell(protocol.ReviewRequest(game=state.game, player="expectimax:ply=9"))
        hub.close()
        hub.close()
    assert not [name for name in begun() if name.startswith("twofold-")]
    assert not page.all(AutoplayEnded)
    again = Hub(tmp_path, "greedy", warm_up=False)
    with closing(again):
        assert len(again.table.record(state.game).moves) == 2


def test_the_default_judge_depends_on_the_rules(tmp_path: Path) -> None:
    record = Record.from_game(Game(seed=1))
    with closing(Hub(tmp_path, warm_up=False)) as hub:
        assert hub.judge_for(record).text == "ntuple:ply=3"
        small = Record.from_game(Game(Rules(3, 3), 1))
        assert hub.judge_for(small).name == "expectimax"
        assert hub.judge_for(small, PlayerSpec.parse("fast")).text == "expectimax:ply=2"
    with closing(Hub(tmp_path, "expectimax:ply=2", warm_up=False)) as hub:
        assert hub.judge_for(record).text == "expectimax:ply=2"
