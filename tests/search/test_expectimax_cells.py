"""Expectimax on cells equals the naive search, and the search on bits where both apply."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import pytest

from tests.support.twins import Cells, Twin, first_best, positions, small_positions, values_of
from twofold.errors import LimitExceeded, TileTooLarge, UnsupportedRules
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import Move, Rules
from twofold.players import make_player, play_game
from twofold.players.searching import ExpectimaxPlayer
from twofold.search.analysis import LineStep
from twofold.search.base import Search
from twofold.search.budget import Stop
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax, ExpectimaxCells
from twofold.values import EVALUATORS, Evaluator

NAMES = [name for name, evaluator in EVALUATORS.items() if evaluator.supports_cells(8, 8)]
SMALL = [(1, 2), (2, 1), (1, 4), (2, 2), (2, 3), (3, 2), (3, 3), (3, 4), (4, 3), (4, 4)]
LARGE = [(5, 5), (3, 6), (6, 3), (1, 8), (8, 1)]
DISTRIBUTIONS = ["spawn=2:1", "spawn=2:0.2,8:0.3,32:0.5", "spawn=4:1,65536:2,32:3,64:4"]
ROWS = EVALUATORS["rows"]


def value(evaluator: Evaluator, shape: tuple[int, int], cells: Cells, score: int) -> float:
    return evaluator.value(Board(cells, shape), score)


@lru_cache(maxsize=1 << 16)
def moves_of(cells: Cells, shape: tuple[int, int]) -> list[tuple[Move, Cells, int]]:
    """(move, afterstate, reward) of each legal move."""
    tried = [(move, *reference.slide(cells, *shape, move)) for move in Move]
    return [(move, tuple(after), r) for move, after, r in tried if after != list(cells)]


class AllTiles(Twin):
    """The naive search, for tiles beyond 32768 too."""

    def moves(self, cells: Cells) -> list[tuple[Move, Cells, int]]:
        """(move, afterstate, reward) of each legal move."""
        return moves_of(cells, self.rules.shape)


def twin_of(evaluator: Evaluator, rules: Rules) -> Twin:
    leaf = lru_cache(maxsize=1 << 16)(partial(value, evaluator, rules.shape))
    at_state, dead = evaluator.at == "state", evaluator.dead_value
    return AllTiles(rules, leaf, at_state, evaluator.adds_reward, dead)


def close(found: dict[Move, float], expected: dict[Move, float]) -> bool:
    return found == pytest.approx(expected, rel=1e-9, abs=1e-6)


# Values


@pytest.mark.parametrize("shape", [*SMALL, *LARGE])
@pytest.mark.parametrize("name", NAMES)
def test_values_equal_the_naive_ones(name: str, shape: tuple[int, int]) -> None:
    evaluator, rules = EVALUATORS[name], Rules(*shape, start_tiles=1)
    search, twin = ExpectimaxCells(evaluator, rules, Depth.fixed(1)), twin_of(evaluator, rules)
    for board in small_positions(shape, 2, largest=6):
        for ply in (1, 2, 3) if len(board.exponents) < 7 else (1, 2):
            found = values_of(search, board, 500, ply)
            assert close(found, twin.expectimax(board.exponents, 500, ply))


@pytest.mark.parametrize("ply", [1, 2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_values_and_nodes_equal_those_on_bits(name: str, ply: int) -> None:
    evaluator, rules, depth = EVALUATORS[name], Rules(), Depth.fixed(ply)
    on_bits = Expectimax(evaluator, rules, depth, table_mb=0)
    on_cells = ExpectimaxCells(evaluator, rules, depth, table_mb=0)
    with_table = ExpectimaxCells(evaluator, rules, depth, table_mb=1)
    for board, score in positions(20, 10, seed=31):
        expected = values_of(on_bits, board, score)
        found = values_of(on_cells, board, score)
        assert close(found, expected)
        assert values_of(with_table, board, score) == found
        assert on_cells.nodes == on_bits.nodes
    assert with_table.nodes <= on_cells.nodes


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("name", ["rows", "snake", "clustering"])
def test_other_spawn_distributions(name: str, distribution: str) -> None:
    evaluator, rules = EVALUATORS[name], Rules.parse(f"3x5 {distribution}")
    search, twin = ExpectimaxCells(evaluator, rules, Depth.fixed(2)), twin_of(evaluator, rules)
    for board in small_positions((3, 5), 4, largest=5):
        expected = twin.expectimax(board.exponents, 90, 2)
        assert close(values_of(search, board, 90), expected)


@pytest.mark.parametrize("at", ["afterstate", "state"])
@pytest.mark.parametrize("dead_value", [0.0, -12345.5])
def test_rewards_and_dead_boards_count_as_the_evaluator_says(at: Any, dead_value: float) -> None:
    evaluator = replace(ROWS, adds_reward=True, dead_value=dead_value, at=at)
    for shape, count in (((2, 2), 20), ((2, 3), 10), ((2, 5), 4)):
        rules = Rules(*shape)
        search, twin = ExpectimaxCells(evaluator, rules, Depth.fixed(2)), twin_of(evaluator, rules)
        for board in small_positions(shape, count, largest=4):
            expected = twin.expectimax(board.exponents, 0, 2)
            assert close(values_of(search, board, 0), expected)


@pytest.mark.parametrize("adds_reward", [True, False])
@pytest.mark.parametrize("at", ["afterstate", "state"])
def test_a_second_move_before_the_first_spawn(at: Any, adds_reward: bool) -> None:
    evaluator, rules, depth = replace(ROWS, adds_reward=adds_reward, at=at), Rules(), Depth.fixed(2)
    on_bits = Expectimax(evaluator, rules, depth, second_move=True)
    on_cells = ExpectimaxCells(evaluator, rules, depth, second_move=True)
    for board, score in positions(20, 10, seed=32):
        assert close(values_of(on_cells, board, score), values_of(on_bits, board, score))
    position = on_cells.position(board)
    assert on_cells.line(position, score, board.legal_moves()[0], 3)[0].cell is None


@pytest.mark.parametrize("cut", [0.001, 0.02])
def test_a_cut_cuts_as_on_bits(cut: float) -> None:
    for table_mb in (0, 4):
        searches = [
            kind(ROWS, Rules(), Depth.fixed(4), cut=cut, table_mb=table_mb)
            for kind in (Expectimax, ExpectimaxCells)
        ]
        for board, score in positions(20, 5, seed=34):
            for search in searches:
                search.begin(afresh=True)
            on_bits, on_cells = (values_of(search, board, score) for search in searches)
            assert close(on_cells, on_bits)
        assert searches[0].nodes == searches[1].nodes or table_mb


@pytest.mark.parametrize("shape", [(5, 5), (3, 6), (8, 8)])
def test_a_table_changes_no_value(shape: tuple[int, int]) -> None:
    ply = 3 if shape != (8, 8) else 2
    plain, small, large = (
        ExpectimaxCells(ROWS, Rules(*shape), Depth.fixed(ply), table_mb=size) for size in (0, 1, 16)
    )
    for board in small_positions(shape, 3):
        expected = values_of(plain, board)
        for search in (small, large, large):
            assert values_of(search, board) == expected
    assert large.nodes < 2 * plain.nodes
    assert large.hits > 0
    assert plain.hits == 0


# Depth, limits, order


def test_depth_by_empty_cells_and_by_tiles() -> None:
    rules = Rules(8, 8)
    search = ExpectimaxCells(ROWS, rules, Depth.parse("4/3@9/2@40/1@64"))
    for empty, ply in ((0, 4), (8, 4), (9, 3), (39, 3), (40, 2), (63, 2), (64, 1)):
        board = Board([0] * empty + [1] * (64 - empty), (8, 8))
        assert search.own_depth(board) == ply
    search = ExpectimaxCells(ROWS, rules, Depth.parse("tiles"))
    for tiles, ply in ((0, 4), (1, 4), (5, 4), (6, 5), (12, 11), (13, 12), (35, 12)):
        board = Board([*range(1, tiles + 1), *[0] * (64 - tiles)], (8, 8))
        assert search.own_depth(board) == ply
    search = ExpectimaxCells(ROWS, rules, Depth.parse("2+100-200000:1+200000-:3/4@60"))
    for tiles, ply in ((1, 2), (5, 2), (6, 1), (16, 1), (17, 3)):
        board = Board([*range(1, tiles + 1), *[0] * (64 - tiles)], (8, 8))
        assert search.own_depth(board) == ply


def test_a_depth_beyond_the_workspace_is_refused() -> None:
    search = ExpectimaxCells(ROWS, Rules(1, 5), Depth.fixed(13))
    board = Board.parse("1x5:11000")
    with pytest.raises(LimitExceeded, match="expected ply from 1 to 12, got 13"):
        values_of(search, board)
    assert values_of(search, board, depth=12)


def test_a_limit_of_nodes_ends_the_search_and_leaves_nothing_behind() -> None:
    board = small_positions((5, 5), 1)[0]
    search = ExpectimaxCells(ROWS, Rules(5, 5), Depth.fixed(3))
    expected = values_of(search, board)
    nodes = search.nodes
    search.forget()
    search.limit_nodes(1000)
    values_of(search, board, depth=12)
    assert search.gave_up()
    assert search.nodes < nodes + 3000
    search.limit_nodes(None)
    assert values_of(search, board) == expected
    assert not search.gave_up()


def test_a_raised_flag_ends_the_search() -> None:
    stop, board = Stop(), small_positions((8, 8), 1)[0]
    stop.raise_flag()
    analysis = make_player("expectimax:ply=12").analyse(board, stop=stop)
    assert analysis.depth == "1 ply"
    assert analysis.best in board.legal_moves()
    assert analysis.seconds < 1


def test_of_equal_values_the_first_tried_wins() -> None:
    board = Board.parse("5x5:00000/00000/00100/00000/00000")
    order = (Move.LEFT, Move.DOWN, Move.RIGHT, Move.UP)
    search = ExpectimaxCells(EVALUATORS["snake"], Rules(5, 5), Depth.fixed(1), order=order)
    found = search.values(search.position(board), 0, board.legal_moves(), 1)
    assert tuple(found) == order


# The player


def test_the_player_searches_on_bits_where_it_can() -> None:
    player = make_player("expectimax:ply=2,threads=2")
    assert isinstance(player, ExpectimaxPlayer)
    kinds = {
        "4x4": Expectimax,
        "2x3": Expectimax,
        "4x4 spawn=2:1,32768:1": Expectimax,
        "4x4 spawn=2:1,65536:1": ExpectimaxCells,
        "5x4": ExpectimaxCells,
        "8x8": ExpectimaxCells,
        "1x5": ExpectimaxCells,
    }
    for text, kind in kinds.items():
        player.start(Rules.parse(text), 1)
        assert type(player.search) is kind
    player.close()


def test_an_evaluator_without_a_form_on_cells_is_refused_by_name() -> None:
    player = make_player("expectimax:eval=it3105-snake,ply=1")
    message = "^expected boards of 4x4 for expectimax:eval=it3105-snake,ply=1, got rules 5x5 "
    with pytest.raises(UnsupportedRules, match=message):
        player.start(Rules(5, 5), 1)
    with pytest.raises(UnsupportedRules, match=r"^expected spawn tiles up to 32768 for alphabeta"):
        make_player("alphabeta").start(Rules.parse("spawn=2:1,65536:1"), 1)


GAMES = [
    "5x5 goal=256 stop=goal", "6x6 goal=256 stop=goal", "3x6 goal=128 stop=goal",
    "8x8 goal=128 stop=goal", "1x8", "2x5", "spawn=65536:1 goal=1048576 stop=goal",
]  # fmt: skip


@pytest.mark.parametrize("text", GAMES)
def test_whole_games(text: str) -> None:
    rules = Rules.parse(text)
    with make_player("expectimax:eval=rows,ply=2") as player:
        games = [play_game(player, rules, 3, keep_moves=True) for _ in range(2)]
    first, second = games
    assert first is not None
    assert second is not None
    assert (first.letters, first.score) == (second.letters, second.score)
    game = Game(rules, seed=3)
    for letter in first.letters:
        game.play(Move.parse(letter))
    assert game.is_finished
    assert (game.score, game.board) == (first.score, first.board)
    if rules.stop_at_goal:
        assert first.max_tile >= rules.goal


@pytest.mark.parametrize("shape", [(5, 5), (3, 6), (8, 8)])
@pytest.mark.parametrize("name", NAMES)
def test_choice_and_analysis_agree(name: str, shape: tuple[int, int]) -> None:
    with make_player(f"expectimax:eval={name},ply=2") as player:
        for board in small_positions(shape, 4):
            analysis = player.analyse(board)
            values = {each.move: each.value for each in analysis.moves if each.value is not None}
            assert set(values) == set(board.legal_moves())
            assert player.choose(board) is analysis.best is first_best(values)
            assert analysis.depth == "2 plies"
            assert analysis.nodes > 0
            assert [step.cell is None for step in analysis.line] == [False, True]
            assert analysis == replace(player.analyse(board), seconds=analysis.seconds)


# The line


def test_the_line_is_that_of_the_search_on_bits() -> None:
    evaluator, rules, depth = EVALUATORS["rows"], Rules(), Depth.fixed(3)
    searches: list[Search] = [
        kind(evaluator, rules, depth) for kind in (Expectimax, ExpectimaxCells)
    ]
    same = 0
    for board, score in positions(20, 6, seed=33):
        on_bits, on_cells = (
            search.line(search.position(board), score, board.legal_moves()[0], 3)
            for search in searches
        )
        check_line(board, on_cells)
        same += on_bits == on_cells  # values a last digit apart may choose another cell
    assert same >= 15


def check_line(board: Board, line: Sequence[LineStep]) -> None:
    for step in line:
        board = board.slide(step.move).board
        if step.cell is not None:
            assert step.tile is not None
            board = board.place(step.cell, step.tile)


def test_the_line_ends_with_the_game_or_the_limit() -> None:
    search = ExpectimaxCells(ROWS, Rules.parse("1x5 spawn=4:1"), Depth.fixed(6))
    board = Board.parse("1x5:01351")
    line = search.line(search.position(board), 0, Move.LEFT, 6)
    assert board.slide(Move.LEFT).board.place(4, 4).is_over
    assert [str(step) for step in line] == ["l@4:4"]
    board = small_positions((5, 5), 1)[0]
    search = ExpectimaxCells(ROWS, Rules(5, 5), Depth.fixed(3))
    search.limit_nodes(1)
    assert search.line(search.position(board), 0, Move.LEFT, 3) == (LineStep(Move.LEFT),)


# The largest tiles


def test_a_merge_beyond_the_largest_tile_is_the_documented_error_and_no_other() -> None:
    two = Board.parse("1x5:zz000")
    with make_player("expectimax:eval=rows,ply=3") as player:
        with pytest.raises(TileTooLarge):
            player.choose(two)
        with pytest.raises(TileTooLarge):
            player.analyse(two)
        for text in ("1x5:zyy00", "2x5:zyy00/00zyy", "5x5:zyy00/x0000/00000/00000/0000z"):
            board = Board.parse(text)
            analysis = player.analyse(board)
            assert player.choose(board) is analysis.best in board.legal_moves()
            assert analysis.line


def test_in_the_search_two_of_the_largest_tile_make_one() -> None:
    evaluator = replace(EVALUATORS["snake"], adds_reward=True)
    search = ExpectimaxCells(evaluator, Rules.parse("1x5 spawn=2:1"), Depth.fixed(2))
    found = values_of(search, Board.parse("1x5:0zyy0"))
    after = evaluator.value(Board.parse("1x5:z0001"))
    assert found[Move.LEFT] >= after + 2.0**35 + 2.0**36
