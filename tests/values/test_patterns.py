"""Patterns: names, lists, masks, refusals."""

from typing import Any

import pytest

from twofold.errors import InvalidNetwork, LimitExceeded
from twofold.values.network import NAMED, Pattern, check_patterns, format_patterns, parse_patterns

SHAPES = [(rows, cols) for rows in range(1, 5) for cols in range(1, 5) if rows * cols > 1]


@pytest.mark.parametrize("name", NAMED)
def test_names_say_how_many_patterns_of_how_many_cells(name: str) -> None:
    count, cells = map(int, name.split("x"))
    patterns = parse_patterns(name)
    assert [len(pattern.cells) for pattern in patterns] == [cells] * count
    assert format_patterns(patterns) == name
    assert parse_patterns(NAMED[name]) == patterns
    assert " ".join(map(str, patterns)) == NAMED[name]


def test_the_names_are_those_of_the_programs() -> None:
    """As TDL2048+ has them, cell 0 at the top left."""
    assert NAMED["4x6"] == "012345 456789 012456 45689a"
    assert NAMED["5x6"] == "012345 456789 89abcd 012456 45689a"
    assert NAMED["8x6"] == "012456 456789 012345 234569 01259a 345678 134567 01489a"
    assert NAMED["7x6"] == NAMED["8x6"].rsplit(" ", 1)[0]
    assert NAMED["6x6"] == NAMED["7x6"].rsplit(" ", 1)[0]
    assert NAMED["3x7"] == f"{NAMED['2x7']} 89abcde"
    assert NAMED["2x8"] == f"{NAMED['1x8']} 456789ab"
    assert NAMED["3x8"] == f"{NAMED['2x8']} 0123458c"
    assert NAMED["4x8"] == f"{NAMED['2x8']} 01245689 0123458c"


@pytest.mark.parametrize("text", ["5201 4567", "0125,4567", " 0125\n4567 ", "0125, 7654"])
def test_cells_and_separators_may_come_in_any_order(text: str) -> None:
    assert parse_patterns(text) == (Pattern((0, 1, 2, 5)), Pattern((4, 5, 6, 7)))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_mask_covers_the_cells_of_its_shape(shape: tuple[int, int]) -> None:
    rows, cols = shape
    for row in range(rows):
        for col in range(cols):
            pattern = Pattern((row * cols + col,))
            assert pattern.mask(cols) == 0xF << 4 * (15 - 4 * row - col)
    every = Pattern(tuple(range(rows * cols)))
    assert every.mask(cols).bit_count() == 4 * rows * cols
    assert Pattern((0, 1)).size == 256


@pytest.mark.parametrize(
    ("text", "shape", "message"),
    [
        ("", (4, 4), "expected one of 4x6, .* or patterns such as '012345 456789', got ''"),
        (" , ", (4, 4), "expected one of 4x6"),
        ("5x5", (4, 4), "expected one of 4x6, .*got '5x5'"),
        ("01\x1b[2J", (4, 4), r"got '01\\x1b\[2J'"),
        ("０１", (4, 4), r"got '\\uff10\\uff11'"),
        ("01 " * 100_000 + "g", (4, 4), r"got '01 01 .*\.\.\..*g'"),
        ("4x6", (3, 3), "expected patterns such as '0123 2345' for 3x3, got 4x6 .for 4x4."),
        ("0122", (4, 4), "expected different cells in a pattern, got 0122"),
        ("0127", (2, 3), "expected cells below 6 in a pattern for 2x3, got 0127"),
        ("012 210", (4, 4), "expected different patterns, got 012 twice"),
        ("01", (5, 4), "expected a network for shapes up to 4x4, got 5x4"),
        ("01", (1, 1), "expected a network for shapes up to 4x4, got 1x1"),
        ("01", (0, 4), "expected a network for shapes up to 4x4, got 0x4"),
    ],
)
def test_invalid_lists_of_patterns(text: str, shape: tuple[int, int], message: str) -> None:
    with pytest.raises(InvalidNetwork, match=message):
        parse_patterns(text, shape)


@pytest.mark.parametrize(
    ("patterns", "message"),
    [
        ([(0, 16)], r"expected cells below 16 in a pattern for 4x4, got 0\(16\)"),
        ([(-1, 3)], r"expected cells below 16 in a pattern for 4x4, got \(-1\)3"),
        ([(3, 3)], "expected different cells in a pattern, got 33"),
        ([(3, 2), (2, 3)], "expected different patterns, got 23 twice"),
    ],
)
def test_lists_of_cells_that_are_refused(patterns: Any, message: str) -> None:
    with pytest.raises(InvalidNetwork, match=message):
        check_patterns(patterns, (4, 4))


def test_limits() -> None:
    many = [(a, b, c) for a in range(16) for b in range(a) for c in range(b)]
    assert len(check_patterns(many[:32], (4, 4))) == 32
    for patterns, message in (
        (many[:33], "expected patterns of a network from 1 to 32, got 33"),
        ([], "expected patterns of a network from 1 to 32, got 0"),
        ([range(9)], "expected cells of a pattern from 1 to 8, got 9"),
        ([()], "expected cells of a pattern from 1 to 8, got 0"),
    ):
        with pytest.raises(LimitExceeded, match=message):
            check_patterns(patterns, (4, 4))
    with pytest.raises(LimitExceeded, match="cells of a pattern from 1 to 8, got 1000000"):
        parse_patterns("0" * 1_000_000)
