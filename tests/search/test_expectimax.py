"""Expectimax on bits and on cells: ties, depth, limits, tables, games, lines, large tiles."""

import pytest

from tests.support.twins import positions, small_positions, values_of
from twofold.errors import LimitExceeded, TileTooLarge, UnsupportedRules
from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.kernels import context as names
from twofold.kernels.transposition import MIN_BUCKETS
from twofold.players import make_player
from twofold.players.searching import ExpectimaxPlayer
from twofold.search.analysis import LineStep
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax, ExpectimaxCells
from twofold.values import EVALUATORS

ROWS = EVALUATORS["rows"]


# On bits


def test_with_a_cut_the_value_of_a_move_does_not_depend_on_the_others() -> None:
    """A stored value depends on the path that led to it: each first move has its own."""
    search = Expectimax(ROWS, Rules(), Depth.fixed(5), cut=0.01)
    for board, _ in positions(10, 8, seed=43):
        search.begin(afresh=True)
        together = values_of(search, board)
        for move, value in together.items():
            search.begin(afresh=True)
            position = search.position(board)
            assert search.values(position, 0, [move], 5)[move].value == value


def test_a_search_that_begins_with_a_small_table_is_the_same() -> None:
    growing, whole = (
        Expectimax(ROWS, Rules(), Depth.parse("tiles"), cut=cut, table_mb=1)
        for cut in (0.001, 0.001)
    )
    words = whole.context.words
    words[names.BUCKETS], words[names.FEW] = words[names.ALL], 0
    wide = set()
    for board, _ in positions(40, 9, seed=41):
        for search in (growing, whole):
            search.begin(afresh=True)
        assert values_of(growing, board) == values_of(whole, board)
        assert (growing.nodes, growing.hits) == (whole.nodes, whole.hits)
        wide.add(int(growing.context.words[names.BUCKETS]))
    assert wide == {MIN_BUCKETS, int(words[names.ALL])}
    growing.forget()
    assert growing.context.words[names.BUCKETS] == MIN_BUCKETS
    assert not growing.context._held[names.TABLE].any()


# On cells


def test_a_depth_beyond_the_workspace_is_refused() -> None:
    search = ExpectimaxCells(ROWS, Rules(1, 5), Depth.fixed(13))
    board = Board.parse("1x5:11000")
    with pytest.raises(LimitExceeded, match="expected ply from 1 to 12, got 13"):
        values_of(search, board)
    assert values_of(search, board, depth=12)


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


# The line


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
