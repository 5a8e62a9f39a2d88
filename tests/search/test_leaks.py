"""Earlier searches and other threads change no move and no value."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.support.threads import threads_since
from tests.support.twins import positions, values_of
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.kernels import ntuple
from twofold.kernels.transposition import GENERATIONS
from twofold.players import make_player
from twofold.search.analysis import Analysis
from twofold.search.budget import Budget
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax
from twofold.values import EVALUATORS
from twofold.values.network import network_evaluator
from twofold.values.network_file import load_network

# (spec, budget): 20 in all, a budget of time apart, which promises nothing.
CASES = [
    ("expectimax:eval=rows,ply=1", None),
    ("expectimax:eval=rows,ply=3", None),
    ("expectimax:eval=snake,ply=3", None),
    ("expectimax:eval=rows,ply=3,table_mb=0", None),
    ("expectimax:eval=snake,ply=3,table_mb=1", None),
    ("expectimax:eval=clustering,ply=2", None),
    ("expectimax:eval=it3105-gradient,ply=2", None),
    ("expectimax:eval=rows,ply=1", "ply=4"),
    ("expectimax:eval=rows,ply=3", "ply=2"),
    ("expectimax:eval=rows,ply=2", "nodes=1000"),
    ("expectimax:eval=rows,ply=2", "nodes=20000"),
    ("expectimax:eval=snake,ply=4", "nodes=5000"),
    ("expectimax:eval=snake,ply=1,table_mb=1", "ply=4,nodes=30000"),
    ("minimax:eval=rows,depth=3", None),
    ("alphabeta:eval=baeldung,depth=5", None),
    ("alphabeta:eval=snake,depth=3", "nodes=3000"),
    ("datumbox:depth=5", None),
    ("it3105-snake:depth=4,layers=literal", None),
    ("it3105-gradient:depth=4", "ply=2"),
    ("baeldung:threads=2", None),
]


def answer(analysis: Analysis) -> Analysis:
    """An analysis without times, and without the nodes of several threads."""
    if "threads=2" not in analysis.player:
        return replace(analysis, seconds=0.0)
    up, right, down, left = (replace(move, nodes=0) for move in analysis.moves)
    return replace(analysis, seconds=0.0, nodes=0, hits=0, moves=(up, right, down, left))


def ask(spec: str, budget: str | None, boards: list[tuple[Board, int]]) -> list[Analysis]:
    limits = None if budget is None else Budget.parse(budget)
    with make_player(spec) as player:
        return [player.analyse(board, limits, score=score) for board, score in boards]


@pytest.mark.promise("R6")
@pytest.mark.parametrize(("spec", "budget"), CASES)
def test_earlier_searches_change_nothing(
    spec: str, budget: str | None, figure: Callable[[str], None]
) -> None:
    boards = positions(6, 4, seed=31)
    fresh = [ask(spec, budget, [position])[0] for position in boards]
    kept = ask(spec, budget, boards)
    backwards = ask(spec, budget, [*boards, *boards[::-1]])[len(boards) :][::-1]
    expected = [answer(analysis) for analysis in fresh]
    assert [answer(analysis) for analysis in kept] == expected
    assert [answer(analysis) for analysis in backwards] == expected
    figure(f"{spec} {budget or ''}: 18 searches, 0 differences")


@pytest.mark.promise("R6")
@pytest.mark.parametrize(
    "spec",
    [
        "expectimax:ply=3,cut=0.01,table_mb=1",
        "nneonneo:ply=3,cut=0.002,table_mb=1",
        "expectimax:eval=it3105-snake,ply=2,table_mb=1",
        "expectimax:eval=it3105-gradient,ply=2,cut=0.01,table_mb=1",
        "expectimax:ply=3,table_mb=1",
        "alphabeta:depth=4",
    ],
)
def test_the_hundredth_search_is_like_the_first(spec: str) -> None:
    """The generations of the table come again and again."""
    boards = positions(4, 4, seed=35)
    expected = [answer(ask(spec, None, [position])[0]) for position in boards]
    with make_player(spec) as player:
        for turn in range(3 * GENERATIONS + 4):
            (board, score), first = boards[turn % 4], expected[turn % 4]
            assert answer(player.analyse(board, score=score)) == first
            assert player.choose(board, score=score) == first.best


# Threads


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
