"""The key `late`: another player from a sum of tiles on, inside kernels and outside."""

import copy
from pathlib import Path

import pytest

from tests.support.endgame_tables import played, same_on_all_paths, state_with
from tests.support.positions import boards
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import STANDARD, Move
from twofold.games.judge import Judge
from twofold.games.review import judge, judge_words, review
from twofold.players import canonical, make_player, play_game, settled, short_spec
from twofold.players.searching import RelayPlayer, values_of
from twofold.search.budget import Budget, Stop
from twofold.search.expectimax import Expectimax
from twofold.tables import library
from twofold.tables.library import open_tables

SPEC = "ntuple:late=600@2,net=tiny,ply=1"
EARLY, LATE = "ntuple:net=tiny,ply=1", "expectimax:eval=ordered,ply=2,cut=0.03125"
BEFORE = Board.parse("8640/0000/0000/0012")
"""A board that is not late at 600."""

TABLES = ("44-16", "wall5-16")
WALLS = Board.parse("fed2/cb00/1310/2000")


def is_late(board: Board) -> bool:
    """Whether the different tiles sum to 600, or all tiles to an eighth more."""
    tiles = [1 << exponent for exponent in board.exponents if exponent]
    return sum(set(tiles)) >= 600 or sum(tiles) >= 675


def test_a_board_is_late_once_a_large_tile_is_made() -> None:
    with relay() as player:
        for text, late in (
            ("8870/0000/0000/0000", False),  # the tiles sum to more than 600, but 512 is not there
            ("9654/0000/0000/0000", True),
            ("9980/0000/0000/0000", True),  # its two largest tiles are equal
            ("9520/0000/0000/0000", False),
            ("9643/0000/0000/0000", True),  # exactly 600
            ("8875/3000/0000/0000", True),  # all tiles sum to 680
            ("8875/0000/0000/0000", False),
        ):
            board = Board.parse(text)
            assert is_late(board) == late
            assert player.part_for(board) is (player.late if late else player.early)


def relay(spec: str = SPEC) -> RelayPlayer:
    player = make_player(spec)
    assert isinstance(player, RelayPlayer)
    return player


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder with a table of large tiles and one with walls of any tiles."""
    return state_with(TABLES, tmp_path_factory.mktemp("with-walls"))


@pytest.fixture
def tables(state: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The tables in a spec."""
    monkeypatch.setattr(library, "LEAST_TARGET", 3)
    monkeypatch.setenv("TWOFOLD_STATE_DIR", str(state))
    return "+".join(TABLES)


# ---- the key


def test_specs() -> None:
    assert "late" not in canonical("ntuple:net=tiny") == canonical("ntuple:net=tiny,late=none")
    assert "late=600@2" in canonical("ntuple:net=tiny,late=0600@02")
    deeper = "late=600@3/2@4"
    assert deeper in canonical(f"ntuple:net=tiny,{deeper}")
    with make_player(f"ntuple:net=tiny,{deeper}") as late:
        assert isinstance(late, RelayPlayer)
        search = late.late.make_search(STANDARD)
        assert isinstance(search, Expectimax)
        assert str(search._depth) == "3/2@4"
    assert short_spec(canonical(SPEC)) == short_spec(SPEC) == settled(SPEC) == SPEC
    player = relay()
    for other in (copy.copy(player), copy.deepcopy(player)):  # as pickle does, by the spec
        assert isinstance(other, RelayPlayer)
        assert (other.spec, other.late_sum) == (player.spec, 600)


# ---- who moves


@pytest.mark.promise("R72")
@pytest.mark.parametrize("more", ["", ",nodes=300", ",threads=2", ",nodes=300,threads=2"])
def test_each_part_plays_its_boards(more: str) -> None:
    nodes = ",nodes=300" if "nodes" in more else ""
    with (
        make_player(SPEC + more) as player,
        make_player(EARLY + more) as early,
        make_player(LATE + nodes) as late,
    ):
        seen = {"points": 0, "own unit": 0}
        for grid in boards(40, most_empty=6, seed=81):
            board = Board.from_tiles(grid)
            if board.is_over:
                continue
            part = late if is_late(board) else early
            found, expected = player.analyse(board), part.analyse(board)
            seen[found.unit] += 1
            assert (found.unit, found.evaluator) == (expected.unit, expected.evaluator)
            assert found.player == player.spec
            assert [one.player for one in player.stream(board)][-1] == player.spec
            if not ("nodes" in more and "threads" in more):
                assert found.moves == expected.moves or "threads" in more
                assert player.choose(board) == found.best == part.choose(board)
                values = values_of(player, board, 0, Budget(), Stop())
                assert values == values_of(part, board, 0, Budget(), Stop())
        assert min(seen.values()) > 5


@pytest.mark.promise("R72")
def test_games_are_the_same_inside_kernels_and_outside() -> None:
    ends = 0
    with relay() as player, make_player(EARLY) as early:
        for seed in range(3):
            expected = same_on_all_paths(player, BEFORE, seed)
            alone = played(early, BEFORE, seed, "kernel")
            ends += alone != expected
            game = Game.from_board(BEFORE, STANDARD, seed)
            for letter, other in zip(expected, alone, strict=False):
                if letter != other:
                    break
                game.play(Move.parse(letter))
            assert is_late(game.board) or alone == expected
    assert ends > 1


def test_boards_past_32768_count_as_they_are_searched() -> None:
    board = Board.parse("hgfe/dcb0/0000/0012")
    with relay("ntuple:net=tiny,ply=1,late=60000@1") as player:
        game = play_game(player, STANDARD, 1, board=board, keep_moves=True)
        assert game is not None
        for path in ("choose", "analysis"):
            assert played(player, board, 1, path) == game.letters


# ---- tables


@pytest.mark.promise("R73")
def test_tables_with_walls_belong_to_the_late_part(tables: str) -> None:
    with relay(f"{SPEC},tables={tables}") as player:
        assert [part.tables and part.tables.names for part in player.parts] == [
            ("44-16",), ("wall5-16",)
        ]  # fmt: skip
        answer = open_tables("wall5-16").answer(WALLS)
        assert answer is not None
        assert player.table_answer(WALLS) == player.analyse(WALLS).table == answer
        assert player.choose(WALLS) is answer.best
    with relay(f"ntuple:net=tiny,ply=1,late=65536@1,tables={tables}") as player:
        assert player.table_answer(WALLS) is None
    with relay(f"{SPEC},tables=44-16") as player:
        assert player.late.tables is None


@pytest.mark.promise("R73")
def test_auto_means_tables_with_walls_only_beside_late(tables: str) -> None:
    assert "tables=44-16" in settled("ntuple:net=tiny,tables=auto")
    assert "wall5" not in settled("ntuple:net=tiny,tables=auto")
    assert "wall5" not in settled("ntuple:net=tiny,late=none,tables=auto")
    assert settled(f"{SPEC},tables=auto") == settled(f"{SPEC},tables={tables}")
    with relay(f"{SPEC},tables=auto") as player, relay(f"{SPEC},tables={tables}") as named:
        assert player.spec == named.spec


@pytest.mark.promise("R72")
def test_games_with_walls_are_the_same_on_all_paths(tables: str) -> None:
    with relay(f"{SPEC},tables={tables}") as player, relay() as plain:
        assert any(
            played(plain, WALLS, seed, "kernel") != same_on_all_paths(player, WALLS, seed)
            for seed in range(3)
        )


# ---- values are never mixed


def test_a_review_grades_each_move_by_its_part() -> None:
    start = Board.parse("9540/0000/0000/0012")
    game = Game.from_board(start, STANDARD, 5)
    with make_player("greedy") as greedy:
        while not game.is_finished and not is_late(game.board):
            game.play(greedy.choose(game.board))
        for _ in range(20):
            game.play(greedy.choose(game.board))
    with relay() as player:
        assert Judge(player, STANDARD, Budget()).unit == "points, then own unit"
        judged = list(judge(game, player))
    boards = [start, *(step.board for step in game.iter_steps())]
    assert [one.unit for one in judged] == [
        "own unit" if is_late(board) else "points" for board in boards[:-1]
    ]
    assert {one.unit for one in judged} == {"points", "own unit"}
    with make_player(EARLY) as early, make_player(LATE) as late:
        for one, alone, other in zip(judged, judge(game, early), judge(game, late), strict=True):
            if one.unit == "points":
                assert (one.values, one.ratio) == (alone.values, alone.ratio)
            else:
                assert one.values == other.values
                assert 0 < one.ratio <= 1
    words = judge_words(SPEC, "points, then own unit")
    assert words.endswith("values in points, then on the player's own scale")
    assert review(judged).total == len(judged)
