"""Two servers on one folder lose no move and no game."""

import math
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.games.kept_games import ids, record_of
from tests.web import own_players
from tests.web.own_players import GATE
from tests.web.page import PATIENCE, Listener, Page, kept
from tests.web.playing import let_play, wait_until_saved
from twofold.game.record import Record
from twofold.games.store import GameStore, goes_on
from twofold.web import protocol
from twofold.web.hub import Hub
from twofold.web.page_game import Asker, PageGame
from twofold.web.protocol import GameState
from twofold.web.table import PageTable

pytestmark = pytest.mark.promise("R65")


@dataclass
class Server:
    """A table with its own store, and a page. It saves on request."""

    table: PageTable
    page: Listener

    def open(self, game: str) -> PageGame:
        """Follow a saved game."""
        return self.table.join(self.table.find(game), Asker(self.page, 1))

    def make_moves(self, live: PageGame, which: int, count: int = 1) -> None:
        """Make moves by hand: the first legal ones, or the last."""
        for _ in range(count):
            letter = live.game.legal_moves()[which].letter
            live.move(letter, live.game.move_number, Asker(self.page, 2))

    def save(self, live: PageGame) -> None:
        live.save()

    def told(self, note: str) -> GameState:
        """The page's notes about another program."""
        return self.page.wait(GameState, lambda state: state.note == note)


@pytest.fixture
def servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Server]]:
    GATE.reset()
    monkeypatch.setattr(PageTable, "_save", lambda *_: None)  # they are saved by hand
    with ExitStack() as stack:
        found = []
        for _ in range(2):
            store = stack.enter_context(closing(GameStore(tmp_path)))
            found.append(Server(stack.enter_context(closing(PageTable(store))), Listener()))
        yield found


def keep(servers: list[Server], moves: int = 3) -> str:
    """Save a game; returns its id."""
    return kept(servers[0].table, record_of(moves))


def stored(servers: list[Server]) -> dict[str, Record]:
    """The games in the folder."""
    store = servers[0].table.store
    with closing(GameStore(store.folder)) as other:
        return {name: other.read(name).record for name in ids(other)}


def test_a_game_changed_while_another_is_read_is_looked_at_once_more(
    servers: list[Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The person moves while the other program's file is read."""
    one, other = servers
    game = keep(servers)
    mine, theirs = one.open(game), other.open(game)
    one.make_moves(mine, 0)
    other.make_moves(theirs, 0, 2)
    other.save(theirs)
    whole, store = one.table.store.save, one.table.store

    def save_and_move(*values: object, **more: object) -> object:
        found = whole(*values, **more)  # type: ignore[arg-type]
        monkeypatch.setattr(store, "save", whole)
        one.make_moves(mine, -1)
        return found

    monkeypatch.setattr(store, "save", save_and_move)
    one.save(mine)
    one.told("parted")
    assert stored(servers) == {game: theirs.record(), mine.name: mine.record()}


def test_a_player_that_plays_is_ended_by_newer_moves(servers: list[Server]) -> None:
    one, other = servers
    game = keep(servers)
    mine, theirs = one.open(game), other.open(game)
    let_play(mine, one.page, own_players.HELD)
    assert GATE.reached.wait(PATIENCE)
    other.make_moves(theirs, 0)
    other.save(theirs)
    assert one.table.find(game) is mine
    assert one.told("newer").now.autoplay == ""
    GATE.opened.set()
    one.table.close()
    assert mine.record() == theirs.record()


def test_the_next_page_gets_the_note(servers: list[Server]) -> None:
    one, other = servers
    game = keep(servers)
    mine, theirs = one.open(game), other.open(game)
    one.make_moves(mine, 0)
    one.table.leave(mine, one.page)
    other.make_moves(theirs, -1)
    other.save(theirs)
    one.save(mine)
    states = []
    for _ in range(2):
        one.open(mine.name)
        states.append(one.page.all(GameState)[-1])
    assert [(state.note, state.was) for state in states] == [("parted", game), ("", "")]


@pytest.mark.parametrize("which", [(0, 0), (0, -1), (-1, 0)])
@pytest.mark.parametrize("undone", [False, True])
@pytest.mark.parametrize("order", [(0, 1, 0, 1), (0, 0, 1, 1), (1, 0, 0, 1), (1, 1, 0, 0)])
def test_no_order_of_saves_loses_a_move(
    servers: list[Server], which: tuple[int, int], undone: bool, order: tuple[int, ...]
) -> None:
    game = keep(servers)
    lives = [server.open(game) for server in servers]
    made: list[Record] = []
    if undone:
        lives[0].undo(Asker(servers[0].page, 3))
    for who in order:
        servers[who].make_moves(lives[who], which[who])
        made.append(lives[who].record())
        servers[who].save(lives[who])
    found = stored(servers)
    assert all(any(goes_on(one, move) for one in found.values()) for move in made)
    assert len(found) <= 2
    for live in lives:
        assert found[live.name] == live.record() or goes_on(found[live.name], live.record())


def test_pages_go_on_under_the_new_id(tmp_path: Path) -> None:
    """Requests with the former id are answered, too."""
    with ExitStack() as stack:
        hubs = [Hub(tmp_path, "greedy", warm_up=False) for _ in range(2)]
        for hub in hubs:
            stack.callback(hub.close)
        mine, theirs = (Page(hub) for hub in hubs)
        begun = mine.new()
        now = mine.play(begun, 2)
        wait_until_saved(hubs[0].table.find(begun.game))
        hubs[0].table.find(begun.game)._next_look = math.inf  # else it may take the move of theirs
        state = theirs.open(begun.game)
        assert state.now.move_number == 2
        theirs.move(begun.game, state.now.legal[-1], 2)
        wait_until_saved(hubs[1].table.find(begun.game))
        mine.move(begun.game, now.legal[0], 2)
        told = mine.wait(GameState, lambda one: one.note == "parted")
        assert told.was == begun.game
        step = mine.move(begun.game, told.now.legal[0], 3)
        assert (step.game, step.now.move_number) == (told.game, 4)
        assert mine.move(told.game, step.now.legal[0], 4).now.move_number == 5
        both = mine.open(begun.game)  # that of the other program
        assert both.now.move_number == 3
        assert mine.move(begun.game, both.now.legal[0], 3).game == begun.game
        for game in (begun.game, told.game):
            mine.tell(protocol.CloseRequest(game=game))
        assert mine.refusal(protocol.UndoRequest(game=told.game))[0] == "NotFound"
