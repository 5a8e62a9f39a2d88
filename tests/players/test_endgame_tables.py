"""Players with endgame tables: the tables of a spec, and the moves they choose."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.endgame_tables import NAMES, boards_of, played, same_on_all_paths
from tests.support.endgame_tables import table_files as table_files  # a fixture
from tests.support.endgame_tables import tables_here as tables_here  # a fixture
from twofold.errors import InvalidSpec, InvalidTable
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.notation import SeedRange, format_spec, parse_spec
from twofold.game.rules import STANDARD, Rules
from twofold.players import canonical, make_player, play_games, settled, short_spec
from twofold.players.presets import DEFAULT_PLAYER
from twofold.players.registry import default_player
from twofold.tables.folder import SETS, USUAL
from twofold.tables.library import open_tables
from twofold.tables.pattern import EndgamePattern

ALL = "+".join(NAMES)
PLAIN = ("ntuple:net=tiny,ply=1", "ntuple:net=tiny,ply=2", "expectimax:ply=2", "nneonneo:ply=2")
IN_PYTHON = ("ntuple:net=tiny,nodes=200", "ntuple:net=tiny,ply=2,threads=2")
OTHER_SPAWNS = Rules.parse("spawn=2:0.8,4:0.2")


def with_tables(spec: str, tables: str = ALL) -> str:
    parsed = parse_spec(spec)
    return format_spec(parsed.name, parsed.values | {"tables": tables})


def known_boards(count: int, seed: int = 5) -> list[Board]:
    """Boards that one of the tables knows, with a legal move."""
    chosen = random.Random(seed)
    found = [
        Board(list(cells), (4, 4))
        for name in NAMES
        for cells in boards_of(EndgamePattern.parse(name), chosen, count // len(NAMES))
    ]
    return [board for board in found if board.legal_moves()]


def tables_of(spec: str) -> str:
    return parse_spec(spec).values.get("tables", "none")


# ---- what a spec says


@pytest.mark.promise("R73")
@pytest.mark.parametrize("spec", PLAIN)
def test_canonical_specs_have_tables_and_their_hash(tables_here: Path, spec: str) -> None:
    made = canonical(with_tables(spec, "auto"))
    assert tables_of(made) == ALL
    assert len(parse_spec(made).values["tables_sha256"]) == 16
    assert canonical(made) == made
    assert canonical(with_tables(spec, "442-16+44-16")) == made
    assert short_spec(with_tables(spec, "auto")) == short_spec(made) == with_tables(spec)
    assert settled(with_tables(spec, "auto")) == with_tables(spec)
    assert settled(spec) == spec


def test_default_means_the_tables_of_the_usual_set(
    tables_here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SETS, "default", ("442-16", "44-16"))
    spec = "nneonneo:tables=default"
    assert canonical(spec) == canonical("nneonneo:tables=442-16+44-16")
    assert settled(spec) == settled("nneonneo:tables=442-16+44-16")
    monkeypatch.setitem(SETS, "default", ("442-512",))
    with pytest.raises(InvalidTable, match="Build them with: twofold tables build default"):
        canonical(spec)


def test_another_file_is_refused(tables_here: Path) -> None:
    of_both, of_one = canonical(f"nneonneo:tables={ALL}"), canonical("nneonneo:tables=44-16")
    stated = parse_spec(of_both).values["tables_sha256"]
    assert stated != parse_spec(of_one).values["tables_sha256"]
    with pytest.raises(InvalidSpec, match=r"the file of tables_sha256=.* has changed"):
        make_player(f"nneonneo:tables=44-16,tables_sha256={stated}")


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ("442-512", "Build it with: twofold tables build 442-512"),
        ("nonsense", "The name of a file ends in .twofold-table"),
        ("44-16+44-16", "expected each table once"),
        ("44-16+", "expected tables such as"),
        ("/no/such.twofold-table", "no such"),
        ("x" * 300, "expected a table such as"),
    ],
)
def test_tables_that_cannot_be_used(tables_here: Path, tables: str, words: str) -> None:
    with pytest.raises(InvalidTable) as caught:
        make_player(with_tables("nneonneo", tables))
    assert words.lower() in str(caught.value).lower()


@pytest.mark.promise("R73")
def test_the_default_player_has_the_tables_that_are_built(tables_here: Path) -> None:
    assert default_player(STANDARD).text == f"{DEFAULT_PLAYER},tables={ALL}"
    assert default_player(OTHER_SPAWNS).text == DEFAULT_PLAYER
    assert "tables" not in default_player(Rules.parse("3x4")).values


def test_a_strength_hands_over_with_all_tables_of_the_usual_set(
    tables_here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SETS, USUAL, ("442-16", "44-16"))
    assert parse_spec(settled("normal")).values["late"] == "24576@4"
    monkeypatch.setitem(SETS, USUAL, ("442-16", "44-16", "442-512"))
    assert settled("normal") == f"ntuple:ply=3/2@3,tables={ALL}"
    assert settled("normal:tables=44-16") == "ntuple:ply=3/2@3,tables=44-16"


# ---- who moves


@pytest.mark.promise("R72")
@pytest.mark.parametrize("spec", [*PLAIN, *IN_PYTHON])
def test_the_move_is_that_of_the_table(tables_here: Path, spec: str) -> None:
    tables = open_tables(ALL)
    answered = other = 0
    with make_player(with_tables(spec)) as player, make_player(spec) as plain:
        player.start(STANDARD, 1)
        plain.start(STANDARD, 1)
        for board in known_boards(40):
            expected, search = tables.move(board), plain.choose(board)
            answered += expected is not None
            other += expected not in (None, search)
            assert player.choose(board) == (search if expected is None else expected)
            analysis = player.analyse(board)
            assert analysis.best == player.choose(board)
            assert analysis.table == tables.answer(board) == player.table_answer(board)
            assert analysis.moves == plain.analyse(board).moves or "threads" in spec
    assert answered > 25
    assert other > 3


@pytest.mark.promise("R72")
def test_games_are_the_same_on_all_paths(tables_here: Path) -> None:
    spec = with_tables("ntuple:net=tiny,ply=1")
    boards = known_boards(4)
    differing = 0
    with (
        make_player(spec) as player,
        make_player(f"{spec},threads=2") as threads,
        make_player("ntuple:net=tiny,ply=1") as plain,
    ):
        for seed, board in enumerate(boards):
            expected = same_on_all_paths(player, board, seed)
            assert played(threads, board, seed, "choose") == expected
            differing += played(plain, board, seed, "kernel") != expected
    assert differing >= 2


@pytest.mark.promise("R72")
def test_batched_games_and_processes_play_the_same(tables_here: Path) -> None:
    spec, seeds = with_tables("ntuple:net=tiny,ply=1"), SeedRange(0, 30)
    with make_player(spec) as player, make_player("ntuple:net=tiny,ply=1") as plain:
        together = [game.letters for game in play_games(player, STANDARD, seeds, keep_moves=True)]
        assert together[20] == played(player, Game(STANDARD, 20).board, 20, "choose")
        alone = [game.letters for game in play_games(plain, STANDARD, seeds, keep_moves=True)]
    differing = [seed for seed in seeds if together[seed] != alone[seed]]
    assert differing
    code = (
        "from twofold.players import make_player, play_game; "
        "from twofold.game.rules import STANDARD; "
        f"player = make_player({spec!r}); "
        f"print(play_game(player, STANDARD, {differing[0]}, keep_moves=True).letters)"
    )
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == together[differing[0]]


def test_tables_say_nothing_under_other_rules(tables_here: Path) -> None:
    board = next(board for board in known_boards(20) if open_tables(ALL).move(board) is not None)
    with make_player(with_tables("expectimax:ply=1")) as player:
        player.start(OTHER_SPAWNS, 0)
        assert player.table_answer(board) is None
        assert player.analyse(board).table is None
        player.start(STANDARD, 0)
        assert player.table_answer(board) is not None
