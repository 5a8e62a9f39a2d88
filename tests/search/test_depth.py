"""Depth: text and value, and the plies of each board."""

import random

import numpy as np
import pytest

from tests.kernels.drivers import ply_of
from tests.support.twins import positions
from twofold.errors import InvalidSpec
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import Move, Rules
from twofold.limits import MAX_PLY
from twofold.players import make_player, play_game
from twofold.search.depth import Depth, Steps
from twofold.search.expectimax import Expectimax
from twofold.values import EVALUATORS


def some_steps(rng: random.Random) -> Steps:
    places = [0, *sorted(rng.sample(range(1, 99), rng.randint(0, 6)))]
    return tuple((place, rng.randint(1, MAX_PLY)) for place in places)


def test_round_trips() -> None:
    rng = random.Random(7)
    assert str(Depth.parse("tiles")) == "tiles"
    for _ in range(60):
        depth = Depth(some_steps(rng))
        assert Depth.parse(str(depth)) == depth
        assert depth.deepest == max(depth.at(empty, 0) for empty in range(100))


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "5 ", "-1", "+5", "5.0", "1e1", "5/", "/5", "5//4@3", "5@", "@3", "5@3", "5/4",
        "5/4@0", "5/4@3/3@3", "5/4@8/3@3", "5@0/4@100", "5/4@-1", "Tiles", "tiles/3", "5\n", "٥",
        "5/4@3,3@8", "auto", "\x00", "1234567890", "2+", "2+100-200:4", "6/five@3",
    ],
)  # fmt: skip
def test_bad_texts_are_refused(text: str) -> None:
    with pytest.raises(InvalidSpec, match="expected") as caught:
        Depth.parse(text)
    assert text != "6/five@3" or str(caught.value).endswith("got 'five@3' in '6/five@3'")


@pytest.mark.parametrize("text", ["tiles", "5/4@3"])
def test_a_depth_that_varies_is_not_fixed(text: str) -> None:
    with pytest.raises(InvalidSpec, match="ply as one number with time or nodes") as caught:
        _ = Depth.parse(text).fixed_ply
    assert str(caught.value).endswith(text)
    assert Depth.parse("7").fixed_ply == 7


def plies_of(depth: Depth, board: Board) -> int:
    """The plies of a board, from the text of the depth: a naive twin."""
    if str(depth) == "tiles":
        return max(4, len(set(board.exponents) - {0}) - 1)
    plies = 0
    for step in str(depth).split("/"):
        ply, _, place = step.partition("@")
        if len(board.empty_cells) >= int(place or 0):
            plies = int(ply)
    return plies


@pytest.mark.parametrize("text", ["3", "6/5@3/4@8", "1/2@1/3@2/4@3/5@4", "tiles"])
def test_the_kernel_has_the_same_plies(text: str) -> None:
    depth = Depth.parse(text)
    search = Expectimax(EVALUATORS["rows"], Rules(), depth, table_mb=0)
    seen = set()
    for board, _ in positions(80, 16, seed=4):
        ply = search.own_depth(board)
        assert ply == ply_of(np.uint64(board.to_bits()), search.context.words)
        assert ply == plies_of(depth, board)
        seen.add(ply)
    assert len(seen) >= min(len(depth.steps), 3)
    assert np.uint64(search.nodes) == 0


def test_moves_of_games_and_choices_are_those_of_the_depth_of_the_board() -> None:
    varied = make_player("expectimax:ply=1/2@6/1@9")
    fixed = [make_player(f"expectimax:ply={ply}") for ply in (1, 2)]
    result = play_game(varied, Rules(), 3, keep_moves=True)
    assert result is not None
    game, alike = Game(Rules(), seed=3), 0
    for letter in result.letters[:400]:
        moves = [player.choose(game.board) for player in fixed]
        ply = plies_of(Depth.parse("1/2@6/1@9"), game.board)
        assert moves[ply - 1] is Move.parse(letter) is varied.choose(game.board)
        alike += moves[0] is moves[1]
        game.play(letter)
    assert 100 < alike < 350
