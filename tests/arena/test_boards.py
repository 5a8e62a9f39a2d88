"""Games from start boards: the file, the games, and their rows in a study."""

import contextlib
import hashlib
import random
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.arena.benches import HERE
from tests.support.exports import export_csv
from tests.support.forks import forked_workers as forked_workers  # a fixture
from twofold import Game, Rules, make_player
from twofold.arena import boards as module
from twofold.arena import workers
from twofold.arena.bench import Bench, resumed
from twofold.arena.boards import StartBoards, parse_boards, read_boards
from twofold.arena.export import export_boards
from twofold.arena.report import gather
from twofold.arena.study import Study
from twofold.errors import InvalidBoard, InvalidInput
from twofold.game.notation import SeedRange
from twofold.limits import MAX_BOARDS_BYTES
from twofold.players.base import assumed_score

RULES = Rules()
TEXT = """\
# late boards, in several forms
dcba/6789/4321/0120
dcba679845670120  # another

8192 4096 2048 1024 / 128 64 512 256 / 16 8 4 2 / 0 0 2 0
[[8, 4, 2, 0], [4, 2, 0, 0], [2, 0, 0, 0], [0, 0, 0, 0]]
"""
BOARDS = parse_boards(TEXT, "folder/late.txt")

pytestmark = pytest.mark.usefixtures("forked_workers")


# ---- the file


def test_boards_of_a_text() -> None:
    assert [str(board) for board in BOARDS.boards] == [
        "dcba/6789/4321/0120",
        "dcba/6798/4567/0120",
        "dcba/7698/4321/0010",
        "3210/2100/1000/0000",
    ]
    assert BOARDS.name == "late.txt"
    assert BOARDS.hash == hashlib.sha256(BOARDS.text.encode()).hexdigest()[:16]
    assert str(BOARDS) == f"late.txt (4 boards, {BOARDS.hash})"


def test_a_seed_has_its_board() -> None:
    numbers = [BOARDS.boards.index(BOARDS.of_seed(seed)) for seed in (1, 2, 3, 4, 5, 6, 2**63 + 1)]
    assert numbers == [0, 1, 2, 3, 0, 1, 0]
    assert BOARDS.of_seed(0) == BOARDS.boards[(2**64 - 1) % 4]


BAD = {
    "not text": (b"0011/0000/0000/0000\n\xff\xfe", "text in UTF-8 in line 2 of '.*b.txt', got"),
    "zero bytes": (b"\0\n", r"expected cells .*, got '\\x00' at cell 1, in line 1 of '.*b.txt'"),
    "nothing": (b"", "expected a board on a line of '.*b.txt', got none"),
    "comments": (b"# 1\n\n  # 2\n", "expected a board on a line of '.*b.txt', got none"),
    "short": (b"\n0011/0000/000\n", "expected 4 rows of 4 cells, .*, in line 2 of '.*b.txt'"),
    "shape": (b"3x3:110000000", "expected a 4x4 board as in the rules, got 3x3, in line 1 of"),
    "dead": (b"1212/2121/1212/2121", "expected a board with a legal move, got .*, in line 1 of"),
    "empty": (b"0000/0000/0000/0000", "expected a board with a legal move, got .*, in line 1 of"),
    "too large": (b"zz00/0000/0000/0000", "expected exponents up to 35, got .*, in line 1 of"),
    "long line": (b"1" * 5000, "expected a board of at most 1000 characters, got more, in line 1"),
    "goal": (b"b000/0000/0000/0000", "a board without 2048, at which play stops, got .*in line 1"),
}


@pytest.mark.parametrize(("data", "words"), BAD.values(), ids=BAD)
def test_a_bad_line_is_named(data: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "b.txt"
    path.write_bytes(data)
    with pytest.raises(InvalidBoard, match=words):
        read_boards(path, Rules.parse("stop=goal"))


def test_files_of_any_length_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "b.txt"
    monkeypatch.setattr(module, "MAX_BOARDS", 3)
    path.write_text("0011/0000/0000/0000\n\n" * 4)
    with pytest.raises(
        InvalidBoard, match=r"at most 3 boards, got one more in line 7 of '.*b.txt'"
    ):
        read_boards(path)
    with path.open("wb") as file:
        file.truncate(MAX_BOARDS_BYTES + 1)
    with pytest.raises(InvalidBoard, match=r"at most 16,777,216 bytes in '.*b.txt', got more"):
        read_boards(path)


def test_random_lines_are_boards_or_refused() -> None:
    rng = random.Random(1)
    for _ in range(500):
        line = "".join(rng.choices("0123456789abc /[],:x#\0\n", k=rng.randrange(30)))
        with contextlib.suppress(InvalidBoard):
            found = parse_boards(line, "b")
            assert parse_boards(found.text).boards == found.boards


# ---- games


def naive(
    spec: str, rules: Rules, boards: StartBoards, seeds: Iterable[int]
) -> list[tuple[int, int, int]]:
    """Points, moves and tile sum of games that are played move by move."""
    found = []
    with make_player(spec) as player:
        for seed in seeds:
            board = boards.boards[(seed - 1) % len(boards.boards)]
            game = Game.from_board(board, rules, seed, score=assumed_score(board))
            player.start(rules, seed)
            while not game.is_finished:
                game.play(player.choose(game.board, score=game.score, move_number=game.move_number))
            points = game.score - assumed_score(board)
            found.append((points, game.move_number, sum(map(sum, game.board.tiles))))
    return found


def bench_of(study: Study, *players: str, games: int, boards: Any = BOARDS, **more: Any) -> Bench:
    bench = Bench(study, RULES, boards=boards, **more)
    for player in players:
        bench.add(player, SeedRange(1, games))
    return bench


def figures(bench: Bench) -> list[list[tuple[int, int, int]]]:
    return [
        list(zip(*(column.tolist() for column in columns), strict=True))
        for one in bench.standings()
        for columns in [(one.games.scores, one.games.moves, one.games.tile_sums)]
    ]


@pytest.mark.promise("R30")
@pytest.mark.parametrize("jobs", [0, 1, 2])
def test_games_from_boards_are_the_same_wherever_they_are_played(jobs: int) -> None:
    """In kernels, in a process of a Python player, one by one, with any number of jobs."""
    players = ("greedy", "expectimax:ply=1", f"{HERE}:Prints")
    with Study() as study:
        bench = bench_of(study, *players, games=10)
        assert bench.play(jobs) == ["", "", ""]
        found = figures(bench)
    assert found == [naive(player, RULES, BOARDS, range(1, 11)) for player in players]


def test_games_of_a_lost_worker_begin_on_their_own_boards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first two games are tasks of their own; the next task ends in its second game, seed 2."""
    monkeypatch.setattr(workers, "TASK_SECONDS", 1e6)
    spec = f"{HERE}:DiesAtFirst:folder={tmp_path},times=1"
    played: list[int] = []
    with Study() as study:
        bench = Bench(study, RULES, boards=BOARDS)
        bench.add(spec, SeedRange(2**64 - 1, 6))
        assert bench.play(1, on_result=lambda _, games: played.extend(games.seeds.tolist())) == [""]
        found = figures(bench)
    assert sorted(played) == [0, 1, 2, 3, 4, 2**64 - 1]
    assert len(list(tmp_path.iterdir())) == 1
    assert found == [naive(spec, RULES, BOARDS, [2**64 - 1, 0, 1, 2, 3, 4])]


# ---- the study


def test_runs_from_boards_are_runs_of_their_own(tmp_path: Path) -> None:
    other = parse_boards("0011/0000/0000/0000", "late.txt")
    with Study(tmp_path / "s.db") as study:
        for boards in (None, BOARDS, other):
            bench_of(study, "greedy", games=5, boards=boards).play(0)
        assert bench_of(study, "greedy", games=5).missing == 0
        assert [one.boards for one in study.runs()] == ["", BOARDS.hash, other.hash]
        assert set(study.counts().values()) == {5}
        sections = gather(study)
        assert [one.boards for one in sections] == [None, BOARDS, other]
        assert [len(one.entries) for one in sections] == [1, 1, 1]
        assert len({tuple(one.entries[0].games.scores.tolist()) for one in sections}) == 3


def test_a_study_goes_on_without_the_file(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Study(path) as study:
        bench_of(study, "greedy", games=3).play(0)
        bench_of(study, "greedy", games=9)
        bench_of(study, "corner", games=2, boards=None)
    with Study(path) as study:
        bench = resumed(study)
        asked = [(one.boards, one.seeds.count, one.missing) for one in bench.entrants]
        assert asked == [(BOARDS, 9, 6), (None, 2, 2)]
        bench.play(0)
        assert figures(bench)[0] == naive("greedy", RULES, BOARDS, range(1, 10))


@pytest.mark.promise("R63")
@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DELETE FROM boards", r"expected the boards [0-9a-f]{16} of run 1 of .*s\.db', got none"),
        (
            "UPDATE boards SET boards = 'x'",
            "16 cells .* of 'late.txt' .column boards in boards .* of .*s.db",
        ),
        ("UPDATE boards SET boards = '0011/0000/0000/0000'", "with hash [0-9a-f]{16}, got hash"),
        ("UPDATE boards SET boards = x'00'", "expected `str` as boards, got"),
        ("UPDATE boards SET name = ''", "expected `str` of length >= 1 as name, got ''"),
        ("UPDATE run SET boards = '0123456789abcdef'", "the boards 0123456789abcdef of run 1 of"),
    ],
)
def test_boards_of_a_study_are_checked(statement: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Study(path) as study:
        bench_of(study, "greedy", games=2).play(0)
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()
    for use in (gather, resumed, lambda study: export_csv(study, tmp_path / "g.csv")):
        with Study(path) as study, pytest.raises(InvalidInput, match=words):
            use(study)
    assert not (tmp_path / "g.csv").exists()


def test_boards_are_written_for_a_study_that_has_some(tmp_path: Path) -> None:
    with Study() as study:
        bench_of(study, "greedy", games=1, boards=None)
        with pytest.raises(InvalidInput, match=r"expected a study with games from boards, got"):
            export_boards(study, tmp_path)
        bench_of(study, "greedy", games=1)
        with pytest.raises(InvalidInput, match="expected an existing folder, got 'nowhere'"):
            export_boards(study, "nowhere")
        assert not list(tmp_path.iterdir())
        (path,) = export_boards(study, tmp_path)
    assert path.name == f"{BOARDS.hash}.txt"
    assert parse_boards(path.read_text(), path.name).hash == BOARDS.hash


def test_no_link_is_followed_where_boards_are_written(tmp_path: Path) -> None:
    folder, other = tmp_path / "folder", tmp_path / "other"
    folder.mkdir()
    (folder / f"{BOARDS.hash}.txt").symlink_to(other)
    for text in ("", "mine"):
        if text:
            other.write_text(text)
        with Study() as study:
            bench_of(study, "greedy", games=1)
            with pytest.raises(InvalidInput, match="expected a regular file, got the link"):
                export_boards(study, folder)
        assert other.exists() == bool(text)
    assert other.read_text() == "mine"
