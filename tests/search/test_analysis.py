"""Analyses are consistent: depths, nodes, hits, and a line that can be played."""

from dataclasses import replace

import pytest

from tests.support.twins import positions, small_positions
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.limits import BITS_MAX_EXPONENT
from twofold.players import make_player
from twofold.search.analysis import Analysis, format_moves
from twofold.search.budget import Budget
from twofold.values import EVALUATORS

SPECS = [
    "expectimax:ply=1",
    "expectimax:ply=4",
    "expectimax:ply=3,table_mb=0",
    "expectimax:eval=snake,ply=4",
    "expectimax:ply=3,cut=0.01",
    "expectimax:ply=4,threads=2",
    "nneonneo",
    "expectimax:nodes=30000",
    "alphabeta:depth=5",
    "alphabeta:nodes=5000",
]
ON_4X4 = [*SPECS, "expectimax:eval=it3105-snake,ply=3", "it3105-snake", "datumbox:depth=3",
          "baeldung"]  # fmt: skip


ON_CELLS = [name for name, one in EVALUATORS.items() if one.supports_cells(8, 8)]
LARGE = [(5, 5), (3, 6), (8, 8)]


def boards(shape: tuple[int, int], count: int) -> list[Board]:
    if shape == (4, 4):
        return [board for board, _ in positions(count, 6, seed=81)]
    return small_positions(shape, count, largest=5)


def lowered(board: Board) -> Board:
    """The board as a search on 64 bits sees it."""
    if board.max_exponent <= BITS_MAX_EXPONENT:
        return board
    lower = reference.downgrade(board.exponents, BITS_MAX_EXPONENT)
    return Board([min(exponent, BITS_MAX_EXPONENT) for exponent in lower], board.shape)


def check_line(analysis: Analysis, rules: Rules) -> None:
    """Each move is legal where it is made; each spawn has an empty cell and a tile of the rules."""
    board, tiles = lowered(analysis.board), dict(rules.spawn)
    assert analysis.line
    assert analysis.line[0].move == analysis.best
    for number, step in enumerate(analysis.line):
        assert step.move in board.legal_moves()
        board = lowered(board.slide(step.move).board)
        if step.cell is None or step.tile is None:
            assert number == len(analysis.line) - 1
            assert str(step) == step.move.letter
        else:
            assert step.tile in tiles
            board = board.place(step.cell, step.tile)  # refuses a cell that is not empty
            assert str(step) == f"{step.move.letter}@{step.cell}:{step.tile}"


def depth_of(analysis: Analysis) -> int:
    return int(analysis.depth.split()[0])


@pytest.mark.parametrize(
    ("spec", "shape"),
    [
        *((spec, (4, 4)) for spec in ON_4X4),
        *((spec, (2, 3)) for spec in SPECS),
        *((f"expectimax:eval={name},ply=2", shape) for name in ON_CELLS for shape in LARGE),
    ],
)
def test_an_analysis_is_consistent(spec: str, shape: tuple[int, int]) -> None:
    with make_player(spec) as player:
        player.start(Rules(*shape), 1)
        for board in boards(shape, 6):
            analysis = player.analyse(board, score=444)
            depth = depth_of(analysis)
            assert [move.move for move in analysis.moves] == list(Move)
            for move in analysis.moves:
                assert move.legal == (move.move in board.legal_moves())
                if move.legal:
                    assert move.value is not None
                    assert move.value <= (analysis.value or 0.0)
                    assert move.reward == board.slide(move.move).reward
                    assert move.depth == depth
                    assert 0 <= move.nodes <= analysis.nodes
                else:
                    assert (move.value, move.reward, move.depth, move.nodes) == (None, 0, 0, 0)
            assert sum(move.nodes for move in analysis.moves) <= analysis.nodes + len(Move)
            assert analysis.best == player.choose(board, score=444)
            assert analysis.hits >= 0
            assert analysis.seconds > 0
            assert len(analysis.line) <= depth
            check_line(analysis, Rules(*shape))


@pytest.mark.parametrize("spec", ["expectimax", "alphabeta", "nneonneo", "baeldung"])
def test_a_stream_improves_and_ends(spec: str) -> None:
    with make_player(spec) as player:
        for board in boards((4, 4), 3):
            found = list(player.stream(board, Budget(nodes=50_000)))
            depths, nodes = [depth_of(one) for one in found], [one.nodes for one in found]
            assert depths == sorted(set(depths))
            assert nodes == sorted(set(nodes))
            assert len(found) >= 2
            last = player.analyse(board, Budget(nodes=50_000))
            assert replace(found[-1], seconds=0.0) == replace(last, seconds=0.0)
            for analysis in found:
                check_line(analysis, Rules())


@pytest.mark.parametrize("spec", ["expectimax:ply=3", "expectimax:eval=snake,ply=3", "alphabeta"])
def test_boards_beyond_32768(spec: str) -> None:
    """The line is that of the downgraded board."""
    with make_player(spec) as player:
        for text in ("gfed/1234/2100/0000", "gg00/1200/0000/0000", "hgfe/dcba/1212/2100",
                     "ffg1/2313/1212/0121"):  # fmt: skip
            board = Board.parse(text)
            analysis = player.analyse(board)
            assert analysis.board == board
            assert analysis.best in board.legal_moves()
            check_line(analysis, Rules())


@pytest.mark.parametrize(("lost", "shown"), [(1e-5, "0"), (0.5, "-0.50"), (0.7, "-0.70")])
def test_rounding_is_no_difference(lost: float, shown: str) -> None:
    found = make_player("expectimax:ply=1").analyse(Board.parse("0012/0013/0024/1357"))
    best = found.value
    assert best is not None
    others = [replace(one, value=best - lost) if one.legal else one for one in found.moves]
    others[found.best] = found.moves[found.best]
    up, right, down, left = others
    _, *lines = format_moves(replace(found, moves=(up, right, down, left))).split("\n")
    cells = [line.split()[2] for line in lines if "illegal" not in line]
    assert sorted(cells) == sorted([shown, shown, "0"])
