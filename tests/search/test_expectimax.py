"""Expectimax on bits: the player, equal values, depth by empty cells, the transposition table."""

import pytest

from tests.support.twins import first_best, positions, values_of
from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.kernels import context as names
from twofold.kernels.transposition import MIN_BUCKETS
from twofold.players import make_player
from twofold.players.searching import ExpectimaxPlayer
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax
from twofold.values import EVALUATORS


@pytest.mark.parametrize("name", EVALUATORS)
def test_the_player_makes_the_first_best_move(name: str) -> None:
    player = make_player(f"expectimax:eval={name},ply=2")
    for board, score in positions(30, 8, seed=9):
        analysis = player.analyse(board, score=score)
        values = {move.move: move.value for move in analysis.moves if move.value is not None}
        assert player.choose(board, score=score) == analysis.best == first_best(values)


def test_of_equal_values_the_first_move_wins() -> None:
    board = Board.parse("0000/0110/0110/0000")
    player = make_player("expectimax:eval=snake,ply=2")
    values = {move.value for move in player.analyse(board).moves}
    assert len(values) == 1
    assert player.choose(board) is Move.UP
    assert player.choose(Board.parse("1000/2000/3000/4000")) is Move.RIGHT


def test_depth_depends_on_the_empty_cells_where_it_should() -> None:
    player = make_player("it3105-snake")
    assert isinstance(player, ExpectimaxPlayer)
    four, three = Board.parse("1212/2121/1212/0000"), Board.parse("1212/2121/1212/1000")
    assert player.analyse(four).depth == "3 plies"
    assert player.analyse(three).depth == "4 plies"
    assert make_player("expectimax:ply=1").analyse(three).depth == "1 ply"
    small = Expectimax(EVALUATORS["rows"], Rules(2, 3), Depth.few(2, few=3, few_ply=1))
    assert small.own_depth(Board.parse("2x3:120/000")) == 2
    assert small.own_depth(Board.parse("2x3:121/200")) == 1


def test_nodes_are_counted_and_a_table_saves_some() -> None:
    board, _ = positions(1, 6)[0]
    counts = []
    for table_mb in (0, 16):
        search = Expectimax(EVALUATORS["rows"], Rules(), Depth.fixed(3), table_mb=table_mb)
        values_of(search, board, 0)
        counts.append(search.context.nodes)
    assert counts[0] > counts[1] > 0


def test_with_a_cut_the_value_of_a_move_does_not_depend_on_the_others() -> None:
    """A stored value depends on the path that led to it: each first move has its own."""
    search = Expectimax(EVALUATORS["rows"], Rules(), Depth.fixed(5), cut=0.01)
    for board, _ in positions(10, 8, seed=43):
        search.begin(afresh=True)
        together = values_of(search, board)
        for move, value in together.items():
            search.begin(afresh=True)
            position = search.position(board)
            assert search.values(position, 0, [move], 5)[move].value == value


def test_a_search_that_begins_with_a_small_table_is_the_same() -> None:
    growing, whole = (
        Expectimax(EVALUATORS["rows"], Rules(), Depth.parse("tiles"), cut=cut, table_mb=1)
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
