"""Several threads on one position give the same values as one, to the last bit."""

from collections.abc import Callable

import pytest

from tests.support.threads import threads_since
from tests.support.twins import positions, values_of
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.kernels import ntuple
from twofold.players import make_player
from twofold.search.budget import Budget
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax
from twofold.values import EVALUATORS
from twofold.values.network import network_evaluator
from twofold.values.network_file import load_network


@pytest.mark.promise("R6")
@pytest.mark.parametrize("threads", [2, 3, 4])
def test_five_plies_have_the_same_values_to_the_last_bit(
    threads: int, figure: Callable[[str], None]
) -> None:
    one, several = (
        Expectimax(EVALUATORS["rows"], Rules(), Depth.fixed(5), threads=count)
        for count in (1, threads)
    )
    worked: set[int] = set()
    with (
        make_player("expectimax:ply=5") as alone,
        make_player(f"expectimax:ply=5,threads={threads}") as together,
    ):
        for board, score in positions(10, 5, seed=71):
            assert values_of(several, board, score) == values_of(one, board, score)
            assert together.choose(board, score=score) == alone.choose(board, score=score)
            worked |= {n for n, context in enumerate(several.contexts) if context.nodes}
    assert len(worked) > 1  # the system says how many of them: a loaded one starts few in time
    several.close()
    figure(f"{threads} threads: 10 searches, 0 differences")


@pytest.mark.parametrize("threads", [2, 4])
def test_a_limit_of_nodes(threads: int) -> None:
    """The result is that of a complete ply, within the limit."""
    exact = Expectimax(EVALUATORS["rows"], Rules(), Depth.fixed(1))
    with make_player(f"expectimax:threads={threads}") as player:
        for board, score in positions(5, 6, seed=75):
            for analysis in player.stream(board, Budget(nodes=100_000), score=score):
                depth = analysis[analysis.best].depth
                values = {m.move: m.value for m in analysis.moves if m.legal}
                assert values == values_of(exact, board, score, depth)
                assert analysis.nodes <= 100_000
            assert depth >= 3


def test_each_thread_has_space_of_its_own_for_leaves() -> None:
    """Two that write into one array have other values now and then."""
    network = network_evaluator(load_network("tiny"))
    search = Expectimax(network, Rules(), Depth.fixed(4), threads=3)
    for word in (ntuple.LEAVES, ntuple.PLACES, ntuple.FOUND_LEAVES):
        assert len({int(context.words[word]) for context in search.contexts}) == 3
    search.close()


def test_close_ends_the_threads() -> None:
    begun = threads_since()
    board = Board.parse("0000/0012/0340/0100")
    player = make_player("expectimax:ply=4,threads=4")
    for shape in ((4, 4), (3, 3), (4, 4)):
        player.start(Rules(*shape), 1)
        assert begun() == []
        player.choose(Board.parse("3x3:100/020/013") if shape == (3, 3) else board)
        assert 0 < len(begun()) <= 4
        if shape == (3, 3):
            player.start(Rules(*shape), 2)  # equal rules: the search and its threads are kept
            assert 0 < len(begun()) <= 4
    player.close()
    player.close()
    assert begun() == []
