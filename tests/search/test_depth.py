"""Depth: text and value, and the plies of each board."""

import random

import numpy as np
import pytest

from tests.search.twins import positions
from twofold.errors import InvalidInput, InvalidSpec, LimitExceeded
from twofold.evaluators import EVALUATORS
from twofold.limits import MAX_PLY
from twofold.rules import Rules
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax


@pytest.mark.parametrize("text", ["1", "5", "12", "6/5@3/4@8", "1/12@1/2@16", "tiles", "3/3@9"])
def test_text_and_value(text: str) -> None:
    assert str(Depth.parse(text)) == text
    assert Depth.parse(str(Depth.parse(text))) == Depth.parse(text)


def test_other_texts_of_the_same_depth() -> None:
    assert Depth.parse("05") == Depth.parse("5@0") == Depth.fixed(5)
    assert Depth.parse("4/3@4") == Depth.few(3, few=4, few_ply=4)


def test_round_trips() -> None:
    rng = random.Random(7)
    for _ in range(500):
        places = [0, *sorted(rng.sample(range(1, 99), rng.randint(0, 6)))]
        depth = Depth(tuple((place, rng.randint(1, MAX_PLY)) for place in places))
        assert Depth.parse(str(depth)) == depth


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "5 ", "-1", "+5", "5.0", "1e1", "5/", "/5", "5//4@3", "5@", "@3", "5@3", "5/4",
        "5/4@0", "5/4@3/3@3", "5/4@8/3@3", "5@0/4@100", "5/4@-1", "Tiles", "tiles/3", "5\n", "٥",
        "5/4@3,3@8", "auto", "\x00", "1234567890",
    ],
)  # fmt: skip
def test_bad_texts_are_refused(text: str) -> None:
    with pytest.raises(InvalidSpec, match="expected"):
        Depth.parse(text)


@pytest.mark.parametrize("text", ["0", "13", "999999999", "5/0@3", "5/13@3"])
def test_a_depth_beyond_the_limit_names_it(text: str) -> None:
    with pytest.raises(LimitExceeded, match="expected ply from 1 to 12, got"):
        Depth.parse(text)


def test_mutated_texts_are_read_or_refused() -> None:
    rng = random.Random(8)
    read = 0
    for _ in range(3000):
        text = "".join(rng.choices("0123456789/@tiles \n-.", k=rng.randint(0, 9)))
        try:
            depth = Depth.parse(text)
        except InvalidInput:
            continue
        read += 1
        assert Depth.parse(str(depth)) == depth
    assert read > 30


@pytest.mark.parametrize("text", ["tiles", "5/4@3"])
def test_a_depth_that_varies_is_not_fixed(text: str) -> None:
    with pytest.raises(InvalidSpec, match=f"expected ply as a number beside time or nodes.*{text}"):
        _ = Depth.parse(text).fixed_ply
    assert Depth.parse("7").fixed_ply == 7


def test_plies_by_empty_cells() -> None:
    depth = Depth.parse("6/5@3/4@8")
    assert [depth.at(empty, 9) for empty in range(17)] == [6] * 3 + [5] * 5 + [4] * 9
    assert list(depth.table_by_empty()) == [depth.at(empty, 0) for empty in range(17)]
    assert not any(depth.table_by_tiles())


def test_plies_by_different_tiles() -> None:
    depth = Depth.parse("tiles")
    assert [depth.at(3, tiles) for tiles in range(16)] == [4] * 6 + list(range(5, 13)) + [12, 12]
    assert not any(depth.table_by_empty())


@pytest.mark.parametrize("text", ["3", "6/5@3/4@8", "1/2@1/3@2/4@3/5@4", "tiles"])
def test_the_kernel_has_the_same_plies(text: str) -> None:
    depth = Depth.parse(text)
    search = Expectimax(EVALUATORS["rows"], Rules(), depth, table_mb=0)
    seen = set()
    for board, _ in positions(80, 16, seed=4):
        tiles = len(set(board.exponents) - {0})
        ply = search.own_depth(search.position(board))
        assert ply == depth.at(len(board.empty_cells), tiles)
        seen.add(ply)
    assert len(seen) >= min(len(depth.steps), 3)
    assert np.uint64(search.nodes) == 0
