"""Kernels that compute with boards equal their naive twins, on boards of one generator.

A family is a kernel of boards: what it finds for an array of boards, and what its twin, written
from the rules, finds for one board. `boards_of` makes boards of every shape: any exponents, nearly
full boards, exponents at the limit, and states of games.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import types

from tests.kernels.drivers import (
    SHAPES,
    SMALL,
    Cells,
    Moves,
    boards_of,
    from_bits,
    merged,
    move_on_lanes,
    moves_by_reference,
    moves_on_bits,
    moves_on_cells,
    slide_in_search,
    to_bits,
)
from tests.kernels.lazily import lazy_kernel
from tests.support.policies import make_policy
from tests.values import plain
from twofold.errors import TileTooLarge
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.rules import Move
from twofold.kernels import bits as on_bits
from twofold.kernels import cells as on_cells
from twofold.kernels import env_games, ntuple, solving
from twofold.kernels.bits import frame
from twofold.kernels.intrinsics import pointer
from twofold.kernels.play import spawn_distribution
from twofold.kernels.policy import merge_rewards, moves_back, turn_each
from twofold.limits import MAX_EXPONENT, TOO_LARGE_MERGE
from twofold.tables.problem import canonical_bits
from twofold.values.policy_network import PolicyNetwork

Shape = tuple[int, int]
One = Sequence[int]

# Whole moves, the same by every engine


def assert_equal(found: Moves, expected: Moves, shown_as: int) -> None:
    """Compare everything; exponent 16 may be shown as 15."""
    assert np.array_equal(found.after, np.minimum(expected.after, shown_as))
    assert np.array_equal(found.reward, expected.reward)
    assert np.array_equal(found.legal, expected.legal)
    assert np.array_equal(found.over, expected.over)
    assert np.array_equal(found.overflow, expected.overflow)


@pytest.mark.promise("R2")
@pytest.mark.parametrize(
    "count", [20_000, pytest.param(10_000_000, marks=pytest.mark.long)], ids=["ci", "long"]
)
def test_moves_agree(count: int, figure: Callable[[str], None]) -> None:
    """A shape that holds more lines has fewer boards: the reference slides one line at a time."""
    share = count / sum(1 / sum(shape) for shape in [*SHAPES, *SMALL])
    compared = 0
    for rows, cols in SHAPES:
        for largest in (MAX_EXPONENT - 1, 15) if max(rows, cols) <= 4 else (MAX_EXPONENT - 1,):
            boards = boards_of(rows, cols, math.ceil(share / (rows + cols)), largest)
            for part in np.array_split(boards, -(-len(boards) // 50_000)):
                expected = moves_by_reference(part, rows, cols)
                assert_equal(moves_on_cells(part, rows, cols), expected, MAX_EXPONENT)
                if largest == 15:
                    assert_equal(moves_on_bits(part, rows, cols), expected, 15)
                compared += len(part)
    assert compared >= count
    figure(f"{compared:,} boards of {len(SHAPES)} shapes, 0 differences")


# The families


class Family(NamedTuple):
    """A kernel and its twin.

    Attributes:
        fast: the results for boards, shape (count, rows * cols).
        naive: the result for one board.
        shapes: those that the kernel supports.
        largest: the largest exponent.
    """

    fast: Callable[[Cells, int, int], list[Any]]
    naive: Callable[[list[int], int, int], Any]
    shapes: Sequence[Shape] = SMALL
    largest: int = 15


def each(function: Callable[..., Any]) -> Callable[[Cells, int, int], list[Any]]:
    """A kernel that is called with the 64 bits of one board."""
    return lambda boards, rows, cols: [
        function(bits, rows, cols) for bits in to_bits(boards, rows, cols)
    ]


def legal_mask(cells: One, rows: int, cols: int) -> int:
    return sum(1 << move for move in reference.legal_moves(cells, rows, cols))


def slides_in_search(boards: Cells, rows: int, cols: int) -> list[Any]:
    found, after = [], np.zeros(rows * cols, dtype=np.uint8)
    for board in boards:
        rewards = [slide_in_search(board, rows, cols, move, after) for move in reference.MOVES]
        found.append([rewards, after.tolist()])
    return found


def slides_or_illegal(cells: list[int], rows: int, cols: int) -> Any:
    slid = [reference.slide(cells, rows, cols, move) for move in reference.MOVES]
    return [[reward if after != cells else -1 for after, reward in slid], slid[-1][0]]


DRAWS = np.random.default_rng(9).integers(0, 2**64, 10_000, dtype=np.uint64)
SPAWNED = (1, 3, 4), (0.5, 0.3, 0.2)


def moves_on_lanes(boards: Cells, rows: int, cols: int) -> list[Any]:
    """A move and a spawn in lanes; each board has a draw of its own."""
    draws, distribution = DRAWS[: len(boards)], spawn_distribution(*SPAWNED)
    boards[:, 0] = np.where(boards.any(axis=1), boards[:, 0], 1)  # a board holds a tile
    found = [
        move_on_lanes(boards, rows, cols, move, draws, distribution) for move in reference.MOVES
    ]
    return [
        [part[:, index].tolist() for part in found] + [int(draws[index])]
        for index in range(len(boards))
    ]


def check_lanes(found: list[Any], cells: list[int], rows: int, cols: int) -> None:
    cells[0] = cells[0] if any(cells) else 1
    *results, draw = found
    for move, result in zip(reference.MOVES, results, strict=True):
        after, reward = reference.slide(cells, rows, cols, move)
        new = list(after)
        if after != cells:
            cell, exponent = reference.spawn(after, reference.mix(draw), *SPAWNED)
            new[cell] = exponent
        forms = [np.array(one, dtype=np.uint8) for one in (after, new, np.sign(new))]
        bits, spawned, tiles = (int(to_bits(form, rows, cols)) for form in forms)
        made = sum(merged(cells, rows, cols, move))
        legal = legal_mask(cells, rows, cols)
        assert result == [bits, reward, made, legal, max(cells), spawned, tiles]


@pytest.mark.promise("R2")
@pytest.mark.parametrize("shape", SMALL, ids="{0[0]}x{0[1]}".format)
def test_moves_in_lanes(shape: Shape) -> None:
    boards = boards_of(*shape, 160, largest=14)
    for found, cells in zip(moves_on_lanes(boards, *shape), boards.tolist(), strict=True):
        check_lanes(found, cells, *shape)


def empty_of(bits: np.uint64, rows: int, cols: int) -> tuple[Any, ...]:
    mask = np.uint64(frame(rows, cols).mask)
    empty = from_bits(on_bits.empty_mask(bits, mask), rows, cols).tolist()
    return empty, on_bits.count_empty(bits, mask), on_bits.max_exponent(bits)


def sums_of(bits: np.uint64, *_: int) -> tuple[Any, ...]:
    return (
        on_bits.tile_sum(bits),
        ntuple.tile_set(bits),
        *(on_bits.holds(bits, k) for k in range(1, 16)),
    )


def sums_by_tiles(cells: list[int], *_: int) -> tuple[Any, ...]:
    tiles = [1 << exponent for exponent in cells if exponent]
    return sum(tiles), sum(set(tiles)), *(max(cells) >= k for k in range(1, 16))


def canonical_of(bits: np.uint64, rows: int, cols: int) -> tuple[Any, ...]:
    key, total = solving.to_key(bits, rows, cols), on_bits.tile_sum(bits)
    return solving.canonical(bits, rows, cols), key, solving.from_key(key, total, rows, cols)


def canonical_by_symmetries(cells: list[int], rows: int, cols: int) -> tuple[Any, ...]:
    board = Board(cells, (rows, cols))
    key = int("".join(f"{one:x}" for one in cells), 16) >> 4  # the sum gives the last tile
    least = min(board.symmetries(), key=lambda one: one.exponents).to_bits()
    assert least == canonical_bits(board)
    return least, key, board.to_bits()


def turned_to_form(boards: Cells, rows: int, cols: int) -> list[Any]:
    """The form of each board, its legal moves, and the moves that those of the form stand for."""
    cells = boards.reshape(-1, rows, cols)
    legal = np.array(
        [
            [mask >> move & 1 for move in range(4)]
            for mask in moves_on_cells(boards, rows, cols).legal
        ],
        dtype=np.int8,
    )
    forms, found, turns = np.empty_like(cells), np.empty_like(legal), np.empty(len(cells), np.int64)
    turn_each(cells, legal, forms, found, turns)
    back = np.empty((4, len(cells)), dtype=np.int64)
    for move in range(4):
        moves_back(np.full(len(cells), move), turns, back[move])
    rewards = moves_by_reference(boards, rows, cols).reward
    return [
        (form.ravel().tolist(), mask.tolist(), sorted(there), [int(reward[m]) for m in there])
        for form, mask, there, reward in zip(forms, found, back.T.tolist(), rewards, strict=True)
    ]


def last_of_symmetries(cells: list[int], rows: int, cols: int) -> Any:
    form = list(max(one.exponents for one in Board(cells, (rows, cols)).symmetries()))
    legal = [int(move in reference.legal_moves(form, rows, cols)) for move in range(4)]
    rewards = [reference.slide(form, rows, cols, move)[1] for move in range(4)]
    return form, legal, [0, 1, 2, 3], rewards


POINTS = np.array([0.0, *(3.0**k for k in range(1, 37))])


def merge_values(boards: Cells, rows: int, cols: int) -> list[Any]:
    found = np.empty((4, len(boards)), dtype=np.float32)
    for move in range(4):
        cells = boards.reshape(-1, rows, cols)
        merge_rewards(cells, np.full(len(boards), move), POINTS, found[move])
    return found.T.tolist()


def merge_values_by_merges(cells: list[int], rows: int, cols: int) -> list[float]:
    made = [merged(cells, rows, cols, move) for move in range(4)]
    return [float(np.float32(sum(POINTS[exponent] for exponent in some))) for some in made]


@lazy_kernel(types.int64(types.uint8[::1], types.uint8[::1]))
def made_on_cells(before, after):
    return env_games.exponents_made_on_cells(pointer(before), pointer(after), len(before))


def exponents_made(boards: Cells, rows: int, cols: int) -> list[Any]:
    """From the boards before and after a move, on bits and on cells."""
    results = []
    for board, afters in zip(boards, moves_by_reference(boards, rows, cols).after, strict=True):
        merges = [int(np.count_nonzero(board) - np.count_nonzero(after)) for after in afters]
        bits, after_bits = to_bits(board, rows, cols)[()], to_bits(afters, rows, cols)
        on_both = [
            (env_games.exponents_made(bits, after, count), made_on_cells(board, cells))
            for after, cells, count in zip(after_bits, afters, merges, strict=True)
        ]
        results.append(on_both)
    return results


def exponents_by_merges(cells: list[int], rows: int, cols: int) -> list[tuple[int, int]]:
    return [(sum(merged(cells, rows, cols, move)),) * 2 for move in range(4)]


def downgraded(threshold: int, bits: np.uint64, rows: int, cols: int) -> list[int]:
    lower = from_bits(np.uint64(ntuple.downgraded(bits, threshold)), rows, cols).tolist()
    return list(lower)


def downgraded_naively(threshold: int, cells: list[int], rows: int, cols: int) -> list[int]:
    """Equal tiles stay equal and different ones different, so that the legal moves stay."""
    lower = list(plain.downgraded(tuple(cells), threshold))
    if threshold & (threshold - 1) == 0:
        assert lower == reference.downgrade(cells, threshold.bit_length() - 2)
    assert [lower.index(one) for one in lower] == [cells.index(one) for one in cells]
    assert legal_mask(lower, rows, cols) == legal_mask(cells, rows, cols)
    return lower


TO_TURN = [(4, 4), (2, 2), (3, 4), (4, 3), (1, 3), (5, 5), (8, 8)]
FAMILIES = {
    "slides of searches on cells": Family(
        slides_in_search, slides_or_illegal, SHAPES, MAX_EXPONENT - 1
    ),
    "empty cells": Family(
        each(empty_of),
        lambda cells, *_: ([int(not one) for one in cells], cells.count(0), max(cells)),
    ),
    "sums of tiles": Family(each(sums_of), sums_by_tiles),
    "canonical boards": Family(each(canonical_of), canonical_by_symmetries, largest=14),
    "forms by turns": Family(turned_to_form, last_of_symmetries, TO_TURN, 20),
    "values of merges": Family(merge_values, merge_values_by_merges, TO_TURN, 20),
    "exponents made": Family(exponents_made, exponents_by_merges, largest=14),
    **{
        f"downgraded from {threshold}": Family(
            each(partial(downgraded, threshold)), partial(downgraded_naively, threshold)
        )
        for threshold in (512, 768, 4096, 32768, 49152, 65534)
    },
}  # fmt: skip


@pytest.mark.promise("R2")
@pytest.mark.parametrize(
    ("name", "shape"), [(name, shape) for name, one in FAMILIES.items() for shape in one.shapes]
)
def test_a_kernel_equals_its_naive_twin(name: str, shape: Shape) -> None:
    family = FAMILIES[name]
    boards = boards_of(*shape, 80, family.largest)
    found = family.fast(boards, *shape)
    for cells, result in zip(boards.tolist(), found, strict=True):
        assert result == family.naive(cells, *shape), Board(cells, shape)


# What the generator does not make


@pytest.mark.parametrize("move", Move)
def test_a_merge_past_the_largest_exponent(move: Move) -> None:
    """Games refuse it; in a search two tiles of 2^35 make one of 2^35."""
    cells, after = np.full(4, MAX_EXPONENT, dtype=np.uint8), np.zeros(4, dtype=np.uint8)
    assert moves_on_cells(cells[None], 2, 2).reward[0, move] == on_cells.TOO_LARGE
    with pytest.raises(TileTooLarge, match=TOO_LARGE_MERGE):
        reference.slide(cells.tolist(), 2, 2, move)
    with pytest.raises(TileTooLarge):
        Board(cells.tolist(), (2, 2)).slide(move)
    assert slide_in_search(cells, 2, 2, int(move), after) == 2 * 2**36
    assert sorted(after.tolist()) == [0, 0, 35, 35]


def test_the_largest_merge_is_exact() -> None:
    cells = np.array([[34, 34, 35, 34, 34, 34, 34, 0]], dtype=np.uint8)
    found, expected = moves_on_cells(cells, 1, 8), moves_by_reference(cells, 1, 8)
    assert found.reward[0, Move.LEFT] == expected.reward[0, Move.LEFT] == 3 * 2**35
    assert found.after[0, Move.LEFT].tolist() == [35, 35, 35, 35, 0, 0, 0, 0]


def test_a_board_without_a_missing_tile_is_kept() -> None:
    full = list(range(15, -1, -1))
    bits = to_bits(np.array(full, dtype=np.uint8), 4, 4)
    assert downgraded(512, np.uint64(bits), 4, 4) == full


def test_keys_ascend_as_boards_of_one_sum_do() -> None:
    by_sum: dict[int, list[int]] = {}
    for bits in sorted(to_bits(boards_of(3, 3, 400, 3), 3, 3)):
        by_sum.setdefault(int(on_bits.tile_sum(bits)), []).append(int(solving.to_key(bits, 3, 3)))
    assert max(map(len, by_sum.values())) > 5
    assert all(keys == sorted(keys) for keys in by_sum.values())


# Policy networks


def naive(network: PolicyNetwork, board: Board) -> list[float]:
    """The outputs in float64, layer by layer."""
    found = network.bias.astype(np.float64)
    for cell, exponent in enumerate(board.exponents):
        found = found + network.table[cell, min(exponent, network.exponents - 1)]
    for layer in network.layers:
        found = np.maximum(found, 0) @ layer.weights.astype(np.float64) + layer.bias
    return list(found)


@pytest.mark.parametrize("widths", [(37, 18, 6), (1,), (2,), (5,), (16, 3)])
@pytest.mark.parametrize("shape", TO_TURN)
def test_outputs_equal_the_naive_twin(shape: tuple[int, int], widths: tuple[int, ...]) -> None:
    network = make_policy(shape, widths=widths)
    for cells in boards_of(*shape, 40, 20).tolist():
        board = Board(cells, shape)
        thought = network.think(board)
        found = [*thought.logits, thought.value]
        assert found == pytest.approx(naive(network, board), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("width", [1, 2, 5, 8, 24])
@pytest.mark.parametrize("shape", TO_TURN)
def test_a_symmetric_network_looks_at_the_form_of_a_board(
    shape: tuple[int, int], width: int
) -> None:
    network = make_policy(shape, widths=(width,), symmetric=True)
    plain = make_policy(shape, widths=(width,))
    for exponents in boards_of(*shape, 30, 8):
        board, cells = Board(exponents.tolist(), shape), exponents.reshape(1, *shape)
        form, legal = np.empty_like(cells), np.zeros((1, 4), dtype=np.int8)
        turn, back = np.empty((2, 1), dtype=np.int64)
        turn_each(cells, legal, form, legal.copy(), turn)
        here, there = network.think(board), plain.think(Board(form.ravel().tolist(), shape))
        assert here.value == there.value
        for move, logit in enumerate(there.logits):
            moves_back(np.array([move]), turn, back)
            assert here.logits[back[0]] == logit
