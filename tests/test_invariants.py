"""What always holds, on boards that Hypothesis makes, for each engine that can slide a board."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twofold.errors import IllegalMove
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import Move, Rules

Cells = tuple[int, ...]
Slide = Callable[[Cells, int, int, Move], tuple[Cells, int]]
"""An engine: the cells after a move and the reward; equal cells for an illegal move."""

pytestmark = pytest.mark.promise("R9")
UP, RIGHT, DOWN, LEFT = Move


def slide_by_reference(cells: Cells, rows: int, cols: int, move: Move) -> tuple[Cells, int]:
    after, reward = reference.slide(cells, rows, cols, move)
    return tuple(after), reward


def slide_by_board(cells: Cells, rows: int, cols: int, move: Move) -> tuple[Cells, int]:
    try:
        after, reward = Board(cells, (rows, cols)).slide(move)
    except IllegalMove:
        return cells, 0
    return after.exponents, reward


ENGINES: dict[str, Slide] = {"reference": slide_by_reference, "board": slide_by_board}
each_engine = pytest.mark.parametrize("slide", ENGINES.values(), ids=ENGINES)


@st.composite
def boards(draw: st.DrawFn, largest: int = 33) -> Board:
    """Boards of every shape, with few or many kinds of tiles, so that merges are common."""
    rows = draw(st.integers(1, 8))
    cols = draw(st.integers(1 if rows > 1 else 2, 8))
    low = draw(st.integers(1, largest))
    kinds = st.integers(low, min(low + draw(st.integers(0, 4)), largest)) | st.just(0)
    cells = draw(st.lists(kinds, min_size=rows * cols, max_size=rows * cols))
    return Board(cells, (rows, cols))


moves = st.sampled_from(list(Move))
distributions = st.dictionaries(
    st.sampled_from([2, 4, 8, 64, 2**20]), st.floats(1e-9, 1e9), min_size=1, max_size=4
)


@st.composite
def rule_sets(draw: st.DrawFn) -> Rules:
    rows = draw(st.integers(1, 8))
    cols = draw(st.integers(1 if rows > 1 else 2, 8))
    return Rules(
        rows,
        cols,
        tuple(draw(distributions).items()),
        draw(st.integers(1, rows * cols)),
        1 << draw(st.integers(2, 35)),
        draw(st.booleans()),
    )


def tiles_sum(cells: Sequence[int]) -> int:
    return sum(1 << exponent for exponent in cells if exponent)


def worth(cells: Sequence[int]) -> int:
    """Points that the tiles have cost if every spawn was a 2: (k - 1) 2^k for a tile 2^k."""
    return sum((exponent - 1) << exponent for exponent in cells if exponent)


# ---- one slide


@each_engine
@given(boards(), moves)
def test_a_slide_follows_the_rules(slide: Slide, board: Board, move: Move) -> None:
    """The sum of tiles stays, merges make the reward, tiles lie at the wall, and only legal moves
    change the board."""
    after, reward = slide(board.exponents, *board.shape, move)
    assert tiles_sum(after) == tiles_sum(board.exponents)
    assert worth(after) == worth(board.exponents) + reward
    assert (reward == 0) == (after.count(0) == board.exponents.count(0))
    for line in reference.lines(*board.shape, move):
        full = [after[cell] > 0 for cell in line]
        assert full == sorted(full, reverse=True)
    assert (after != board.exponents) == (move in board.legal_moves())
    assert board.is_over == all(
        slide(board.exponents, *board.shape, each)[0] == board.exponents for each in Move
    )


# ---- symmetries


def mirrored(board: Board) -> Board:
    """Left and right exchanged."""
    return Board.from_tiles([row[::-1] for row in board.tiles])


def transposed(board: Board) -> Board:
    """Rows and columns exchanged."""
    return Board.from_tiles(list(zip(*board.tiles, strict=True)))


MIRRORED = {UP: UP, DOWN: DOWN, LEFT: RIGHT, RIGHT: LEFT}
TRANSPOSED = {UP: LEFT, LEFT: UP, DOWN: RIGHT, RIGHT: DOWN}


@each_engine
@given(boards(), moves)
def test_slides_commute_with_the_symmetries(slide: Slide, board: Board, move: Move) -> None:
    """The mirror and the transpose make all eight symmetries of a square."""
    after, reward = slide(board.exponents, *board.shape, move)
    for turned, moved in ((mirrored, MIRRORED), (transposed, TRANSPOSED)):
        image = turned(board)
        image_after, image_reward = slide(image.exponents, *image.shape, moved[move])
        assert Board(image_after, image.shape) == turned(Board(after, board.shape))
        assert image_reward == reward
        assert turned(image) == board


# ---- spawns, and whole steps


@given(boards(), rule_sets(), st.integers(0, 2**64 - 1))
def test_spawns_are_what_the_rules_allow(board: Board, rules: Rules, bits: int) -> None:
    spawns = board.spawns(rules)
    assert len(spawns) == len(board.empty_cells) * len(rules.spawn)
    if spawns:
        assert sum(spawn.probability for spawn in spawns) == pytest.approx(1)
        cell, exponent = reference.spawn(
            board.exponents, bits, rules.spawn_exponents, rules.spawn_weights
        )
        assert (cell, 1 << exponent) in [(spawn.cell, spawn.tile) for spawn in spawns]


@given(boards(), moves, st.integers(0, 2**64 - 1), st.integers(0, 10**6))
def test_the_sum_of_tiles_grows_by_the_spawn_only(
    board: Board, move: Move, seed: int, move_number: int
) -> None:
    game = Game.from_board(board, seed=seed, move_number=move_number)
    if move in game.legal_moves():
        step = game.play(move)
        assert tiles_sum(game.board.exponents) == tiles_sum(board.exponents) + step.tile
        assert game.board.exponents.count(0) == board.slide(move).board.exponents.count(0) - 1
        assert step.tile in (2, 4)
