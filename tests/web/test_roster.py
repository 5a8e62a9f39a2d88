"""Players in requests name no code and no file; the owner may name anything."""

import re
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.web.own_players import FIRST, PATIENT
from twofold.errors import InvalidSpec, LimitExceeded
from twofold.game.board import Board
from twofold.game.rules import STANDARD, Rules
from twofold.players import Player, PlayerSpec, entries, make_player
from twofold.players.engine.lines import ALL_SHAPES
from twofold.players.presets import DEFAULT_PLAYER, STRENGTHS
from twofold.search.budget import Budget, Stop
from twofold.tables.problem import Problem
from twofold.tables.solver import Solver
from twofold.tables.store import LayerStore
from twofold.values.network import Network
from twofold.values.network_file import Card, write_network
from twofold.web.job_kinds import BenchJob
from twofold.web.roster import MAX_TABLE_MB, MAX_THREADS, PICKS, Roster
from twofold.web.searches import AnalysisOrder, Searches

BOARD = Board.parse("1100/0000/0000/0000")
FILE = """
from twofold.players import Player

class Mine(Player):
    def choose(self, board, *, score=None, move_number=0):
        return board.legal_moves()[-1]
"""


@pytest.mark.parametrize(("spec", "words"), [
    ("my.py:Mine", "only the owner can name"), ("/etc/passwd.py:Mine", "only the owner can name"),
    ("os:system", "only the owner can name"), ("my.py", "only the owner can name"),
    ("expectimax:eval=my.py:MINE", "only the owner can name"),
    ("expectimax:eval=os.path:join", "only the owner can name"),
    ("ntuple:net=/etc/passwd", "a network that comes with twofold ("),
    ("ntuple:net=../tiny.safetensors", "only the owner can name a file"),
    ("ntuple:net=weights.w", "only the owner can name a file"),
    ("policy:net=mine.safetensors", "comes with twofold (policy)"),
    ('ntuple:net="C:\\\\weights.w"', "only the owner can name"),
    ("nobody", "expected a player (fast, normal"), ("", "expected a player name"),
    ("greedy:", "expected key=value"), ("--ray", "expected a player"),
    ("engine:cmd=rm", "expected a built-in player"),
    ("exact:table=/etc/passwd", "that the owner named with twofold serve --player"),
    ("ntuple:tables=/tmp/a.twofold-table", "only the owner can name a file"),
    (f"expectimax:table_mb={MAX_TABLE_MB + 1}", "of at most 256 here"),
    ("expectimax:table_mb=99999999999999999999", "of at most 256 here"),
    (f"expectimax:threads={MAX_THREADS + 1}", f"of at most {MAX_THREADS} here"),
])  # fmt: skip
def test_refuses_code_files_and_too_much(spec: str, words: str) -> None:
    """Also in a job."""
    roster = Roster(allowed=["engine:cmd=mine"])
    roster.check("engine:cmd=mine")
    for ask in (roster.check, roster.make):
        with pytest.raises((InvalidSpec, LimitExceeded), match=re.escape(words)):
            ask(spec)
    if spec:
        with pytest.raises((InvalidSpec, LimitExceeded), match=re.escape(words)):
            BenchJob(players=[spec], name="one").plan(Path())


def test_a_solved_game_is_for_boards_of_its_shape(tmp_path: Path) -> None:
    table = str(tmp_path / "2x2.table")
    store = LayerStore(Problem.parse("2x2"))
    Solver(store.problem, store).run()
    store.write(table)
    spec = f"exact:table={table}"
    roster = Roster(spec)
    assert roster.home == Rules(2, 2)
    assert roster.infos[0].name == "default on 2x2: optimal play"
    assert roster.spec("", Rules(2, 2)) == roster.own_default(Rules(2, 2)) == PlayerSpec.parse(spec)
    assert roster.own_default(STANDARD) is None
    assert roster.spec("", STANDARD) == Roster().spec("", STANDARD)
    roster.check(spec)


def write(path: Path, weight: float) -> None:
    """A network on 3x3 that gives each board the same value."""
    network = Network("012 345", (3, 3))
    network.weights.fill(weight)
    card = Card(patterns="012 345", rules="3x3", symmetries=8, twofold="1")
    write_network(path, network, card)


def test_a_network_in_the_folder_of_the_lab_is_a_player(tmp_path: Path) -> None:
    folder, outside = tmp_path / "lab", tmp_path / "secret.safetensors"
    (folder / "late").mkdir(parents=True)
    for path in (outside, folder / "late" / "mine.safetensors"):
        write(path, 1)
    (folder / "link.safetensors").symlink_to(outside)
    (folder / "damaged.safetensors").write_text("no network")
    roster = Roster("greedy")
    roster.folder = folder
    spec = "ntuple:net=late/mine.safetensors"
    info = next(info for info in roster.infos if "net=" in info.spec)
    assert (info.spec, info.name) == (spec, "late/mine")
    assert info.shapes == ("3x3",)
    board = Board.parse("3x3:110/000/000")
    with closing(Searches(roster.make, roster.placed)) as searches:
        for weight in (1, 50):  # a network that was trained on is loaded again
            write(folder / "late" / "mine.safetensors", weight)
            order = AnalysisOrder(
                roster.spec(f"{spec},ply=1", Rules(3, 3)), board, Rules(3, 3), None, Budget()
            )
            *_, (found, _, _) = searches.stream(order, Stop())
            assert found.value is not None
            assert (found.value > 100) == (weight == 50)
    assert spec in BenchJob(players=[spec], name="mine", rules="3x3").plan(folder).words
    for text in ("link.safetensors", "../secret.safetensors", str(outside), "mine.safetensors"):
        with pytest.raises(InvalidSpec, match="only the owner can name a file"):
            roster.make(f"ntuple:net={text}")


def test_a_wrong_value_is_refused_when_it_is_made() -> None:
    roster = Roster()
    roster.check("expectimax:ply=many")
    with pytest.raises(InvalidSpec):
        roster.make("expectimax:ply=many")


def test_the_owner_may_name_anything(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    spec = f"{path}:Mine"
    roster = Roster(FIRST, [spec])
    for one in (FIRST, spec):
        with roster.make(one) as player:
            assert player.choose(BOARD)
    with pytest.raises(InvalidSpec):
        roster.check(f"{path}:Other")
    names = [info.name for info in roster.infos]
    assert names[:2] == [f"default: {FIRST.rpartition('/')[2]}", "mine.py:Mine"]
    assert [info.values for info in roster.infos][:2] == [False, False]


def test_the_owners_players_are_looked_at_when_the_server_starts() -> None:
    with pytest.raises(InvalidSpec):
        Roster("nobody")
    with pytest.raises(InvalidSpec):
        Roster(None, ["missing.py:Mine"])
    assert Roster(None, [PATIENT]).infos[1].values


def test_the_players_to_pick_from() -> None:
    infos = Roster().infos
    assert (infos[0].spec, infos[0].plain) == ("strong", DEFAULT_PLAYER)
    assert infos[0].name == "default: strong (network, 3 plies)"
    assert infos[0].elsewhere == "default: strong"
    assert "eval=rows" in Roster().spec("", Rules(rows=3, cols=3)).text
    others = ["fast", "normal", "max", *PICKS]
    assert [info.spec for info in infos[1:]] == others
    assert (infos[1].plain, infos[1].elsewhere) == ("ntuple:ply=1", "fast")
    assert {info.spec for info in infos if not info.values} == {"corner", "random"}
    assert all(info.summary for info in infos)
    known = {entry.name for entry in entries()}
    for info in infos:
        assert (info.plain or info.spec).partition(":")[0] in known


def test_the_default_depends_on_the_rules() -> None:
    assert Roster().spec("", STANDARD).text == DEFAULT_PLAYER
    assert Roster().spec(" ", Rules(5, 5)).text == STRENGTHS["strong"].larger
    assert Roster("greedy").spec("", Rules(5, 5)).text == "greedy"
    assert Roster("greedy").spec(" random ", STANDARD).text == "random"


def test_a_network_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests for it wait while it is loaded; requests for another player do not."""
    reached, go_on = threading.Event(), threading.Event()
    here: list[str] = []

    make = PlayerSpec.make

    def slow(spec: PlayerSpec, *, allow_code: bool) -> Player:
        here.append(spec.text)
        if spec.name == "ntuple":
            reached.set()
            assert go_on.wait(120)
            here.remove(spec.text)
        return make(PlayerSpec.parse("greedy"), allow_code=allow_code)

    monkeypatch.setattr(PlayerSpec, "make", slow)
    roster = Roster()
    threads = [threading.Thread(target=roster.make, args=(f"ntuple:ply={n}",)) for n in (1, 2)]
    for thread in threads:
        thread.start()
    assert reached.wait(120)
    roster.make("random")
    assert len(here) == 2  # one network, and the other player
    go_on.set()
    for thread in threads:
        thread.join()
    assert here == ["random"]


def test_the_list_says_on_which_boards_a_player_plays_and_what_it_can() -> None:
    roster = Roster()
    for info in roster.infos:
        with make_player(info.spec) as player:
            plays = {f"{r}x{c}" for r, c in ALL_SHAPES if not player.unsupported(Rules(r, c))}
            abilities = (player.has_values, player.takes_limits)
        assert (info.values, info.takes_limits) == abilities, info.spec
        if not info.plain:
            assert plays == set(info.shapes or (f"{r}x{c}" for r, c in ALL_SHAPES)), info.spec
            continue
        for rules in (Rules(3, 3), Rules(5, 5)):  # a strength is another player on other boards
            with roster.make(roster.spec(info.spec, rules)) as player:
                player.start(rules, 0)
    own = Roster("policy:ply=1", [FIRST]).infos
    assert [info.takes_limits for info in own[:2]] == [False, False]
