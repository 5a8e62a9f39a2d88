"""Expectimax on cells: depth, limits, order, games, lines, the largest tiles."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.support.twins import first_best, positions, small_positions, values_of
from twofold.errors import LimitExceeded, TileTooLarge, UnsupportedRules
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
from twofold.values import EVALUATORS

NAMES = [name for name, evaluator in EVALUATORS.items() if evaluator.supports_cells(8, 8)]
ROWS = EVALUATORS["rows"]


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
