"""Depth: text and value, and the plies of each board."""

import random
from collections.abc import Iterator
from itertools import product

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
from twofold.players.searching import ExpectimaxPlayer
from twofold.search.depth import ENDLESS, Depth, DepthBand, Steps
from twofold.search.expectimax import Expectimax
from twofold.values import EVALUATORS
from twofold.values.network import Network, network_evaluator

BANDS = ["2+14000-16000:4", "3/2@5+0-100:6+100-200:5/4@3+28000-:3/2@6", "tiles+60-:8"]


@pytest.mark.parametrize(
    "text", ["1", "5", "12", "6/5@3/4@8", "1/12@1/2@16", "tiles", "3/3@9", *BANDS]
)
def test_text_and_value(text: str) -> None:
    assert str(Depth.parse(text)) == text
    assert Depth.parse(str(Depth.parse(text))) == Depth.parse(text)


def some_steps(rng: random.Random) -> Steps:
    places = [0, *sorted(rng.sample(range(1, 99), rng.randint(0, 6)))]
    return tuple((place, rng.randint(1, MAX_PLY)) for place in places)


def test_round_trips() -> None:
    rng = random.Random(7)
    for _ in range(60):
        ends = sorted(rng.sample(range(70_000), 2 * rng.randint(0, 3)))
        bands = [
            DepthBand(low, high, some_steps(rng))
            for low, high in zip(ends[::2], ends[1::2], strict=True)
        ]
        if rng.random() < 0.5:
            bands.append(DepthBand(70_000, ENDLESS, some_steps(rng)))
        depth = Depth(some_steps(rng), bands=tuple(bands))
        assert Depth.parse(str(depth)) == depth
        assert depth.deepest == max(depth.at(empty, 0, total) for empty, total in grid(depth))


def grid(depth: Depth) -> Iterator[tuple[int, int]]:
    """Numbers of empty cells and tile sums, with every end of a band."""
    ends = {end for band in depth.bands for end in (band.low, band.high)}
    sums = {total for end in ends for total in (end - 1, end, end + 1)} | {0, 200_000}
    return product(range(100), sorted(sums))


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "5 ", "-1", "+5", "5.0", "1e1", "5/", "/5", "5//4@3", "5@", "@3", "5@3", "5/4",
        "5/4@0", "5/4@3/3@3", "5/4@8/3@3", "5@0/4@100", "5/4@-1", "Tiles", "tiles/3", "5\n", "٥",
        "5/4@3,3@8", "auto", "\x00", "1234567890", "2+", "+", "2+4", "2+100:4", "2+100-:",
        "2+-100:4", "2+200-100:4", "2+100-100:3", "2+100-200:4+150-300:3", "2+1-2:4+",
        "2+200-300:4+100-150:3", "2+100-:3+200-300:2", "2+1-2:tiles", "2+1 -2:4", "2+1-2:5/4",
        "2+1-1234567890123:4", "2;1-2:4", "2+1-2:4\n",
    ],
)  # fmt: skip
def test_bad_texts_are_refused(text: str) -> None:
    with pytest.raises(InvalidSpec, match="expected"):
        Depth.parse(text)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("2+100:4", "'100:4' in '2+100:4'"),
        ("2+1-9:4+20-10:4", "'20-10' in '2+1-9:4+20-10:4'"),
        ("2+1-9:4+20-30:5/4", "'5/4' in '2+1-9:4+20-30:5/4'"),
        ("6/five@3", "'five@3' in '6/five@3'"),
        ("five", "'five'"),
    ],
)
def test_the_part_that_is_wrong_is_shown(text: str, part: str) -> None:
    with pytest.raises(InvalidSpec) as caught:
        Depth.parse(text)
    assert str(caught.value).endswith(f"got {part}")


@pytest.mark.parametrize("text", ["tiles", "5/4@3", "2+14000-16000:4"])
def test_a_depth_that_varies_is_not_fixed(text: str) -> None:
    with pytest.raises(InvalidSpec, match="ply as one number with time or nodes") as caught:
        _ = Depth.parse(text).fixed_ply
    assert str(caught.value).endswith(text)
    assert Depth.parse("7").fixed_ply == 7


def plies_of(depth: Depth, board: Board) -> int:
    """The plies of a board, from the text of the depth: a naive twin."""
    usual, *bands = str(depth).split("+")
    for band in bands:
        ends, steps = band.split(":")
        low, high = ends.split("-")
        if int(low) <= sum(map(sum, board.tiles)) < float(high or "inf"):
            usual = steps
    if usual == "tiles":
        return max(4, len(set(board.exponents) - {0}) - 1)
    plies = 0
    for step in usual.split("/"):
        ply, _, place = step.partition("@")
        if len(board.empty_cells) >= int(place or 0):
            plies = int(ply)
    return plies


@pytest.mark.parametrize("text", ["3", "6/5@3/4@8", "1/2@1/3@2/4@3/5@4", "tiles", *BANDS])
def test_the_kernel_has_the_same_plies(text: str) -> None:
    depth = Depth.parse(text)
    search = Expectimax(EVALUATORS["rows"], Rules(), depth, table_mb=0)
    seen = set()
    boards = [board for board, _ in positions(80, 16, seed=4)]
    boards += [at_sum(total) for band in depth.bands for total in ends_of(band)]
    for board in boards:
        ply = search.own_depth(board)
        assert ply == ply_of(np.uint64(board.to_bits()), search.context.words)
        assert ply == plies_of(depth, board)
        seen.add(ply)
    assert len(seen) >= min(len(depth.steps) + len(depth.bands), 3)
    assert np.uint64(search.nodes) == 0


def ends_of(band: DepthBand) -> list[int]:
    """Even sums on both sides of each end of a band."""
    return [max(end - more, 2) for end in (band.low, min(band.high, 99_998)) for more in (0, 2)]


def at_sum(total: int) -> Board:
    """A board whose tiles sum to an even number."""
    cells = [place for place in range(1, 16) if (total >> place) & 1] + [15] * (total >> 16) * 2
    return Board(cells + [0] * (16 - len(cells)))


def test_moves_of_games_and_choices_are_those_of_the_depth_of_the_board() -> None:
    varied = make_player("expectimax:ply=1/2@6+40-120:2/1@9+300-:2")
    fixed = [make_player(f"expectimax:ply={ply}") for ply in (1, 2)]
    result = play_game(varied, Rules(), 3, keep_moves=True)
    assert result is not None
    game, alike = Game(Rules(), seed=3), 0
    for letter in result.letters[:400]:
        moves = [player.choose(game.board) for player in fixed]
        ply = plies_of(Depth.parse("1/2@6+40-120:2/1@9+300-:2"), game.board)
        assert moves[ply - 1] is Move.parse(letter) is varied.choose(game.board)
        alike += moves[0] is moves[1]
        game.play(letter)
    assert 100 < alike < 350


@pytest.mark.parametrize(
    ("downgrade", "text"), [(32768, "0012/0134/7654/f{}cb"), (0, "0012/0134/7654/h{}cb")]
)
def test_bands_are_by_the_sum_before_downgrading(downgrade: int, text: str) -> None:
    network = Network("0123 4567")
    network.weights[:] = np.random.default_rng(1).normal(size=network.weights.shape)
    evaluator, differ = network_evaluator(network), 0
    whole = sum(map(sum, Board.parse(text.format(2)).tiles)) // 2
    depth = Depth.parse(f"1+{whole}-:2")
    players = [
        ExpectimaxPlayer(evaluator, some, downgrade=downgrade)
        for some in (Depth.fixed(1), Depth.fixed(2), depth)
    ]
    for digit in "123456789":
        board = Board.parse(text.format(digit))
        one, two, varied = (player.choose(board) for player in players)
        assert varied is two
        assert players[2].analyse(board).value == players[1].analyse(board).value
        differ += one is not two
    assert differ > 0
