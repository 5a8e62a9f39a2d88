"""Output of analyses, reviews, engines and pages when an endgame table chooses the move."""

import json
from pathlib import Path

import pytest

from tests.support.commands import Cli
from tests.support.commands import cli as cli  # a fixture
from tests.support.endgame_tables import table_files as table_files  # a fixture
from tests.support.endgame_tables import tables_here as tables_here  # a fixture
from twofold.arena import ray_workers
from twofold.arena.bench import Bench
from twofold.arena.study import Study
from twofold.arena.tune import TuningSettings
from twofold.arena.workers import Entrant, Task
from twofold.cli import _options
from twofold.errors import InvalidSpec, InvalidTable
from twofold.game.board import Board
from twofold.game.notation import SeedRange, parse_spec
from twofold.game.rules import STANDARD, Move, Rules
from twofold.games.judge import Judge
from twofold.players import PlayerSpec, make_player
from twofold.players.engine.lines import BestMove, Go, Info, SetPosition
from twofold.players.engine.server import ServerSearch
from twofold.search.budget import Budget
from twofold.tables import library
from twofold.tables.folder import SETS
from twofold.tables.library import TableAnswer, open_tables
from twofold.tables.pattern import EndgamePattern
from twofold.tables.work import build_table
from twofold.web.roster import Roster

SPEC = "ntuple:net=tiny,ply=1,tables=442-16"
BOARD = Board.parse("ebdc/11a9/0130/3002")
"""Right is the move of 442-16 there, up that of the network alone; left and down shift tiles."""


def answer_of(board: Board = BOARD) -> TableAnswer:
    found = open_tables("442-16").answer(board)
    assert found is not None
    return found


@pytest.mark.promise("R72")
def test_the_command_and_its_document(cli: Cli, tables_here: Path) -> None:
    words = ("analyse", str(BOARD), "--player", "ntuple:net=tiny,ply=1,tables=auto")
    told, read = cli(*words, "--explain"), cli(*words, "--json")
    assert told.code == read.code == 0
    assert "the endgame table 442-16 chooses the move here" in told.out
    lines = told.out.splitlines()
    rows = {line.split()[0]: line.split() for line in lines if line.split()}
    assert rows["move"] == ["move", "chance", "to", "best", "points", "reward", "depth", "nodes"]
    assert rows["up"][:5] == ["up", "81.6", "%", "-14.3", "pp"]
    assert "+" not in " ".join(rows["up"])  # the values of the search are not compared
    assert (rows["right"][:4], rows["right"][-1]) == (["right", "95.9", "%", "0"], "best")
    assert rows["down"][:3] == ["down", "-", "-"]
    assert "table      442-16: 95.9 % to make 16 (right), 81.6 % (up)" in lines
    assert max(map(len, lines)) <= 80
    document = json.loads(read.out)
    assert document["best"] == "right"
    answer = answer_of()
    assert document["table"] == {
        "name": "442-16",
        "hash": answer.hash,
        "target": 16,
        "chances": {"up": answer.chances[Move.UP], "right": answer.chances[Move.RIGHT]},
    }
    assert parse_spec(document["player"]).values["tables"] == "44-16+442-16"


def test_a_judge_uses_the_chances(tables_here: Path) -> None:
    answer = answer_of()
    with make_player(SPEC) as player:
        judge = Judge(player, STANDARD, Budget())
        up, right, down = (
            judge.judgement(0, BOARD, 0, move) for move in (Move.UP, Move.RIGHT, Move.DOWN)
        )
    assert up is not None
    assert right is not None
    assert down is not None
    assert up.ratio == answer.chances[Move.UP] / answer.chances[Move.RIGHT]
    assert (up.best, up.table) == (Move.RIGHT, answer)
    assert (right.label, right.ratio) == ("best", 1.0)
    assert 0 < down.ratio < 1  # unknown to the table: by the values of the search


def asked(go: Go) -> list[object]:
    said: list[object] = []
    with make_player(SPEC) as player:
        player.start(STANDARD, 0)
        ServerSearch(player, SetPosition(BOARD), go, said.extend).run()
    return said


def test_an_engine_sends_one_table_line(tables_here: Path) -> None:
    first, *infos, last = asked(Go(Budget(nodes=200)))
    assert first == Info(text="table 442-16: 95.9 % to make 16 (right), 81.6 % (up)")
    assert len(infos) > 1
    assert all(isinstance(info, Info) and info.best == Move.RIGHT for info in infos)
    assert last == BestMove(Move.RIGHT)
    assert asked(Go(quiet=True)) == [BestMove(Move.RIGHT)]


# ---- nothing that keeps a spec holds `auto`


@pytest.mark.promise("R73")
def test_studies_runs_and_tunings_name_their_tables(tables_here: Path) -> None:
    rules, auto = Rules.parse("goal=16 stop=goal"), "expectimax:ply=1,tables=auto"
    with Study() as study:
        entrant = Bench(study, rules).add(auto, SeedRange(0, 2))
        kept = [*map(str, study.runs())]
    assert entrant.player.text == "expectimax:ply=1,tables=44-16+442-16"
    assert "auto" not in repr(kept).replace("ply=auto", "")
    tuned = TuningSettings.make(auto, games=1, rules=rules).entrant
    assert "tables=44-16+442-16" in tuned.player.text


@pytest.mark.promise("R73")
def test_the_line_that_repeats_a_game_names_its_tables(cli: Cli, tables_here: Path) -> None:
    words = ("watch", "expectimax:ply=1,tables=auto", "--rules", "goal=16 stop=goal")
    told = cli(*words, "--seed", "3")
    assert "again: twofold watch expectimax:ply=1,tables=44-16+442-16 --seed 3" in told.out


@pytest.mark.promise("R73")
def test_a_page_names_tables_and_no_files(tables_here: Path) -> None:
    roster = Roster()
    first = roster.infos[0]
    assert first.plain == "ntuple:ply=3,tables=44-16+442-16"
    assert first.name == "default: strong (network, 3 plies, with tables)"
    assert first.summary.endswith("; endgame tables 44-16, 442-16")
    assert roster.infos[1].plain == "ntuple:ply=1"
    assert roster.spec("", STANDARD) == roster.spec(first.spec, STANDARD)
    assert roster.spec("", STANDARD).text == first.plain
    assert roster.spec("nneonneo:tables=auto", STANDARD).text == "nneonneo:tables=44-16+442-16"
    path = str(tables_here / "44-16.twofold-table")
    for asked_for in (f"nneonneo:tables={path}", f"nneonneo:tables=44-16+{path}"):
        with pytest.raises(InvalidSpec, match="only the owner can name a file"):
            roster.spec(asked_for, STANDARD)
    of_owner = Roster(f"nneonneo:tables={path}").infos[0]
    assert of_owner.name == "default: nneonneo:tables=44-16.twofold-table"
    assert of_owner.summary.endswith("; endgame tables 44-16.twofold-table")


# ---- where tables are missing


def test_a_remote_worker_names_the_missing_table(tables_here: Path) -> None:
    def task(spec: str) -> Task:
        entrant = Entrant(PlayerSpec.parse(spec), spec, SeedRange(1, 1))
        return Task(0, entrant, entrant.seeds)

    with pytest.raises(InvalidTable, match=r"tables build 442-512 \(on .*they are not sent"):
        ray_workers._made(task("nneonneo:tables=442-512"), [])
    with pytest.raises(InvalidTable, match=r"[^)]$"):
        ray_workers._made(task("exact:table=/no/such/file"), [])


@pytest.mark.parametrize("in_terminal", [True, False])
def test_a_hint_at_tables_in_a_terminal(
    in_terminal: bool,
    table_files: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for stream in ("stdout", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: in_terminal)
    _options.hint_at_tables(Rules.parse("5x5"))
    _options.hint_at_tables(STANDARD)
    hint = "endgame tables make the default player stronger: twofold tables build default\n"
    assert capsys.readouterr().err == hint * in_terminal
    monkeypatch.setenv("TWOFOLD_STATE_DIR", str(table_files))
    _options.hint_at_tables(STANDARD)
    assert capsys.readouterr().err == hint * in_terminal  # tables without walls
    monkeypatch.setenv("TWOFOLD_STATE_DIR", str(tmp_path))
    (tmp_path / "tables").mkdir()
    monkeypatch.setitem(SETS, "default", ("wall5-16",))
    walls = EndgamePattern.parse("wall5-16")
    build_table(library.path_of(walls, library.tables_folder()), walls)
    _options.hint_at_tables(STANDARD)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("specs", "rules", "is_said"),
    [
        (["normal", "strong:threads=2"], "4x4", True),
        (["fast", "greedy", "ntuple:ply=3"], "4x4", False),
        (["strong:tables=none"], "4x4", False),
        (["strong"], "3x3", False),
        (["my_player.py:Mine"], "4x4", False),
    ],
)
def test_a_hint_at_tables_where_a_strength_is_measured(
    specs: list[str], rules: str, is_said: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    _options.hint_at_strengths(list(map(PlayerSpec.parse, specs)), Rules.parse(rules))
    assert capsys.readouterr().err == f"{_options.STRENGTHS_HINT}\n" * is_said
