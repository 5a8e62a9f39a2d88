"""Players after published programs equal literal transcriptions."""

from collections.abc import Iterator

import pytest

from tests.support import literal
from tests.support.literal import GRADIENT, SNAKE
from tests.support.positions import boards, score_of
from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.players import Player, make_player
from twofold.players.searching import SearchPlayer
from twofold.search.analysis import Analysis
from twofold.search.base import first_best

WEIGHTS = {"it3105-snake": SNAKE, "it3105-gradient": GRADIENT}


def values_of(analysis: Analysis) -> dict[str, float]:
    return {move.move.letter: move.value for move in analysis.moves if move.value is not None}


def assert_plays(player: Player, grid: list[list[int]], expected: literal.Choice) -> None:
    """Move and values are those of the transcription."""
    board, score = Board.from_tiles(grid), score_of(grid)
    letter, values = expected
    analysis = player.analyse(board, score=score)
    assert values_of(analysis) == pytest.approx(values, rel=1e-12), board
    assert analysis.best.letter == letter, board
    assert player.choose(board, score=score).letter == letter, board


# Baeldung


@pytest.mark.parametrize("prune", ["yes", "no"])
def test_baeldung_at_fewer_rounds(prune: str) -> None:
    player = make_player(f"baeldung:prune={prune}")
    player.start(Rules(), 0)
    assert isinstance(player, SearchPlayer)
    for rounds, count in ((0, 30), (1, 15), (2, 1)):
        for grid in boards(count, most_empty=16 if rounds < 1 else 4, seed=rounds):
            board = Board.from_tiles(grid)
            letter, values = literal.baeldung_choose(grid, prune == "yes", rounds)
            position = player.search.position(board)
            found = player.search.values(position, 0, board.legal_moves(), rounds + 1)
            assert {move.letter: one.value for move, one in found.items()} == values
            assert first_best(found).letter == letter


@pytest.mark.parametrize("prune", ["yes", "no"])
def test_baeldung_at_full_depth(prune: str) -> None:
    """Any number of threads plays as the transcription."""
    (grid,) = boards(1, most_empty=1, seed=40)
    expected = literal.baeldung_choose(grid, prune == "yes")
    for threads in (1, 2, 4):
        with make_player(f"baeldung:prune={prune},threads={threads}") as player:
            assert_plays(player, grid, expected)


def test_baeldung_takes_the_first_best_up_down_left_right() -> None:
    player = make_player("baeldung")
    for text, tied, best in (
        ("0000/0110/0110/0000", "urdl", Move.UP),
        ("1000/0000/0000/0000", "rd", Move.DOWN),  # other sources try right first
    ):
        analysis = player.analyse(Board.parse(text))
        assert len({values_of(analysis)[letter] for letter in tied}) == 1
        assert analysis.best is best


# Datumbox


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_datumbox(depth: int) -> None:
    alphabeta = make_player(f"datumbox:depth={depth}")
    minimax = make_player(f"datumbox:depth={depth},search=minimax")
    count, most_empty = {1: (30, 16), 2: (15, 12), 3: (12, 5), 4: (6, 2), 5: (4, 1)}[depth]
    for grid in boards(count, most_empty=most_empty, seed=50 + depth):
        expected = literal.datumbox_alphabeta(grid, score_of(grid), depth)
        assert_plays(alphabeta, grid, expected)
        if depth <= 4:
            assert_plays(minimax, grid, expected)


def test_datumbox_at_the_published_depth() -> None:
    player = make_player("datumbox")
    assert player.spec == "datumbox:depth=7,search=alphabeta"
    (grid,) = boards(1, most_empty=1, seed=57)
    assert_plays(player, grid, literal.datumbox_alphabeta(grid, score_of(grid), 7))


@pytest.mark.parametrize("goal", [16, 64, 512])
def test_datumbox_wins_at_the_goal(goal: int) -> None:
    player = make_player("datumbox:depth=3")
    player.start(Rules(goal=goal), 0)
    won = 0
    for grid in boards(20, most_empty=8, seed=58):
        expected = literal.datumbox_alphabeta(grid, score_of(grid), 3, goal)
        assert_plays(player, grid, expected)
        won += max(expected[1].values()) == 2**31 - 1
    assert won > 0


def test_datumbox_with_any_score() -> None:
    player = make_player("datumbox:depth=3")
    for grid in boards(12, most_empty=4, seed=59):
        board = Board.from_tiles(grid)
        for score in (0, 4, 8, 1_000, 2_000_000):
            letter, values = literal.datumbox_alphabeta(grid, score, 3)
            analysis = player.analyse(board, score=score)
            assert values_of(analysis) == values
            assert player.choose(board, score=score).letter == letter == analysis.best.letter
        assert player.choose(board) is player.choose(board, score=score_of(grid))


# IT3105


def grids_at(depth: int) -> Iterator[list[list[int]]]:
    """Boards for a depth, searched 2 layers deeper with fewer than 4 empty cells."""
    yield from boards(10 if depth < 4 else 1, most_empty=6 if depth < 4 else 4, seed=60 + depth)


@pytest.mark.parametrize("layers", ["literal", "alternating"])
@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("depth", [2, 4])
def test_it3105_at_fewer_layers(name: str, layers: str, depth: int) -> None:
    player = make_player(f"{name}:layers={layers},depth={depth}")
    for grid in grids_at(depth):
        few = len(literal.empty_cells(literal.position(grid))) < 4
        actual = depth + 2 if few else depth
        expected = literal.it3105_choose(grid, WEIGHTS[name], layers, actual)
        assert_plays(player, grid, expected)


def test_it3105_at_the_published_depth() -> None:
    """A board that is searched to 8 layers, and one to 6."""
    player = make_player("it3105-snake:layers=alternating")
    few = boards(1, most_empty=0, seed=70)
    for grid in [*few, *boards(1, fewest_empty=4, most_empty=5, seed=71)]:
        assert_plays(player, grid, literal.it3105_choose(grid, SNAKE, "alternating"))
