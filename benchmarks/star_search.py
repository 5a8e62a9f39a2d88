"""Star1 and Star2 for 2048: expectimax that prunes chance nodes.

If all values are within known bounds, the mean over the spawns can be bounded before all of them
are searched. For a window (alpha, beta), a chance node with children of probability p and value v,
and bounds L and U of the values:

    searched: sum of p v = S          not yet searched: probability R

    alpha cut: S + p v + (R - p) U <= alpha         beta cut: S + p v + (R - p) L >= beta

Star1 searches each child with the window outside which a cut follows. Star2 first searches one move
of every child: its value is a lower bound, which may suffice for a beta cut.

A game of one player has no min nodes, so beta stays infinite and only alpha cuts occur, for which
Star2's probes are useless. To give it the best chance, the root searches every move except the
first with a null window, and again if it turns out better.

Sources: B. W. Ballard, "The *-minimax search procedure for trees containing chance nodes",
Artificial Intelligence 21 (1983); T. Hauk, M. Buro, J. Schaeffer, "Rediscovering *-minimax
search", Computers and Games (2004).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from twofold.board import Board
from twofold.evaluators import Evaluator
from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import (
    U64_POINTER,
    as_f64,
    as_u64,
    call_layer,
    f64_at,
    nth_set_bit,
    pointer,
    popcount,
    u64_at,
)
from twofold.kernels.rules import bits as on_bits
from twofold.kernels.rules.dice import SPAWN_EXPONENT, SPAWN_PROBABILITY, SPAWN_STRIDE
from twofold.kernels.search import expectimax as kernels
from twofold.kernels.search.bounds import find_any, settles, store_within
from twofold.kernels.search.context import (
    ACROSS,
    DEAD_VALUE,
    DISTRIBUTION,
    DOWN,
    HITS,
    MASK,
    NODES,
    TABLE,
)
from twofold.kernels.search.leaf_layer import evaluate
from twofold.kernels.search.transposition import bucket_of, entry_key, hash_of, new_generation
from twofold.rules import STANDARD
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

# The words of this search in the context.
UPPER: Final = 0
"""Address of upper bounds of boards before a move, float64 (remaining spawns, sums)."""
SUMS: Final = 1
"""Number of sums, a power of two; the index is half the tile sum modulo this number."""
LOWER: Final = 2
"""Lower bound of all values, as bits of a float64."""
SLACK: Final = 3
"""Margin of the bounds for rounding, as bits of a float64."""
WHOLE: Final = 4
"""1 to value the lowest layer at once by the library's kernel, 0 to prune it."""
PROBES: Final = 5
"""1 for Star2."""
PRUNES: Final = 6
"""0 for plain expectimax."""
SEEN: Final = 7
"""Address for the largest values by remaining spawns, then the smallest value; or 0."""
DEPTHS: Final = 16
PROBED: Final = 8
"""For each depth the values of the probes, as bits of float64."""
CHILDREN: Final = 64
OWN_WORDS: Final = PROBED + DEPTHS * CHILDREN

_1: Final = np.uint64(1)
_NODE: Final = types.float64(
    types.uint64, types.int64, types.int64, types.float64, types.float64, U64_POINTER, U64_POINTER
)


_FOUR: Final = types.uint64(types.int64, types.uint64, types.uint64, types.uint64, types.uint64)


@kernel(_FOUR, cached=False)
def _one_of(number: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """The word of a number from 0 to 3."""
    if number < 2:
        return a if number == 0 else b
    return c if number == 2 else d


@kernel(types.int64(types.int64, types.int64), cached=False)
def _turn(number: Any, first: Any) -> Any:
    """The move to try as number 0 to 3, with one of them first."""
    return first if number == 0 else number - np.int64(number <= first)


@kernel(_NODE, cached=False)
def star(after: Any, total: Any, depth: Any, alpha: Any, beta: Any, context: Any, own: Any) -> Any:
    """The value of an afterstate if within (alpha, beta), else a bound."""
    if depth == 0:
        return evaluate(after, 0, context)
    has_table = context[TABLE] != 0
    bucket, key = np.int64(0), np.uint64(0)
    if has_table:
        hashed = hash_of(after)
        bucket, key = bucket_of(hashed, context), entry_key(hashed, depth, 0)
        found = find_any(bucket, key, context)
        if found >= 0 and settles(found, alpha, beta, context):
            context[HITS] += _1
            return as_f64(u64_at(context[TABLE])[found])
    context[NODES] += _1
    distribution, tiles = u64_at(context[DISTRIBUTION]), np.int64(u64_at(context[DISTRIBUTION])[0])
    if depth == 1 and own[WHOLE] != 0:
        value = call_layer(context[kernels.LOWEST], (after, 0, 0, tiles, context))
        if has_table:
            store_within(bucket, key, value, -np.inf, np.inf, context)
        return value
    across, down = u64_at(context[ACROSS]), u64_at(context[DOWN])
    upper, lower, slack = f64_at(own[UPPER]), as_f64(own[LOWER]), as_f64(own[SLACK])
    sums = np.int64(own[SUMS])
    upper_row = (depth - 1) * sums
    empty = on_bits.empty_mask(after, context[MASK])
    count = popcount(empty)
    below = depth - 1
    nothing = -np.inf
    highest, lowest_sum = 0.0, 0.0  # of the remaining spawns
    for tile in range(tiles):
        share = as_f64(distribution[tile * SPAWN_STRIDE + SPAWN_PROBABILITY])
        more = np.int64(_1 << distribution[tile * SPAWN_STRIDE + SPAWN_EXPONENT])
        highest += share * upper[upper_row + (((total + more) >> 1) & (sums - 1))]
        lowest_sum += share * lower
    prunes = own[PRUNES] != 0
    probes = own[PROBES] != 0 and beta < np.inf
    place = PROBED + CHILDREN * depth
    if probes:
        child = 0
        for number in range(count - 1, -1, -1):
            cell = nth_set_bit(empty, number)
            for tile in range(tiles):
                word = tile * SPAWN_STRIDE
                state = after | (cell * distribution[word + SPAWN_EXPONENT])
                share = as_f64(distribution[word + SPAWN_PROBABILITY]) / count
                sum_here = total + np.int64(_1 << distribution[word + SPAWN_EXPONENT])
                least = as_f64(context[DEAD_VALUE])
                for move in range(4):
                    moved, _ = on_bits.slide(state, move, across, down)
                    if moved != state:
                        rest = lowest_sum - share * lower
                        window = (beta - rest + slack) / share
                        least = star(moved, sum_here, below, nothing, window, context, own)
                        break
                own[place + child] = as_u64(max(least, lower))
                child += 1
                lowest_sum += share * (max(least, lower) - lower)
                if lowest_sum - slack >= beta:
                    if has_table:
                        store_within(bucket, key, lowest_sum - slack, alpha, beta, context)
                    return lowest_sum - slack
    done, sum_of_means = 0.0, 0.0
    child = 0
    for number in range(count - 1, -1, -1):
        cell = nth_set_bit(empty, number)
        mean = 0.0
        for tile in range(tiles):
            word = tile * SPAWN_STRIDE
            state = after | (cell * distribution[word + SPAWN_EXPONENT])
            probability = as_f64(distribution[word + SPAWN_PROBABILITY])
            share = probability / count
            sum_here = total + np.int64(_1 << distribution[word + SPAWN_EXPONENT])
            highest -= share * upper[upper_row + ((sum_here >> 1) & (sums - 1))]
            lowest_sum -= share * (as_f64(own[place + child]) if probes else lower)
            child += 1
            low = (alpha - done - highest - slack) / share
            high = (beta - done - lowest_sum + slack) / share
            left, right, _ = on_bits.slide_both(state, across)
            turned = on_bits.transpose(state)
            up, bottom, _ = on_bits.slide_both(turned, down)
            up_illegal, bottom_illegal = up == turned, bottom == turned
            up = state if up_illegal else on_bits.transpose(up)
            bottom = state if bottom_illegal else on_bits.transpose(bottom)
            first = 0
            if below > 0:  # try the move first that the evaluator prefers
                top = -np.inf
                for move in range(4):
                    moved = _one_of(move, up, bottom, left, right)
                    if moved != state:
                        value = evaluate(moved, 0, context)
                        if value > top:
                            first, top = move, value
            best = -np.inf
            for turn in range(4):
                move = _turn(turn, first)
                moved = _one_of(move, up, bottom, left, right)
                if moved != state:
                    floor = max(low, best) if prunes else nothing
                    value = star(moved, sum_here, below, floor, high, context, own)
                    best = max(best, value)
                    if best >= high:
                        break
            if best == -np.inf:
                best = as_f64(context[DEAD_VALUE])
            if own[SEEN] != 0:
                seen = f64_at(own[SEEN])
                seen[below] = max(seen[below], best)
                seen[DEPTHS] = min(seen[DEPTHS], best)
            done += share * best
            if best <= low or best >= high:
                bound = done + highest + slack / 2
                if best >= high:
                    bound = done + lowest_sum - slack / 2
                if has_table:
                    store_within(bucket, key, bound, alpha, beta, context)
                return bound
            mean += probability * best
        sum_of_means += mean
    value = 0.0 + sum_of_means / count
    if has_table:
        store_within(bucket, key, value, alpha, beta, context)
    return value


_WORDS: Final = types.Array(types.uint64, 1, "C")
_VALUES: Final = types.Array(types.float64, 1, "C")


@kernel(
    types.int64(types.uint64, types.int64, types.int64, types.boolean, _VALUES, _WORDS, _WORDS),
    cached=False,
)
def _choose(bits: Any, total: Any, ply: Any, scouts: Any, value: Any, words: Any, own: Any) -> Any:
    """The first best move; writes its value into `value`."""
    context, mine = pointer(words), pointer(own)
    across, down = u64_at(context[ACROSS]), u64_at(context[DOWN])
    slack = as_f64(mine[SLACK])
    new_generation(context)
    first, top = 0, -np.inf
    for move in range(4):
        after, _ = on_bits.slide(bits, move, across, down)
        if after != bits:
            worth = evaluate(after, 0, context)
            if worth > top:
                first, top = move, worth
    best, best_value = -1, -np.inf
    for turn in range(4):
        move = _turn(turn, first)
        after, _ = on_bits.slide(bits, move, across, down)
        if after == bits:
            continue
        low, high = best_value - slack if mine[PRUNES] else -np.inf, np.inf
        if scouts and best >= 0:
            high = best_value + slack
        found = star(after, total, ply - 1, low, high, context, mine)
        if found >= high:
            found = star(after, total, ply - 1, low, np.inf, context, mine)
        if found > best_value or (found == best_value and move < best):
            best, best_value = move, found
    value[0] = best_value
    return best


@kernel(types.int64(types.uint64, types.int64, _WORDS), cached=False)
def _plain(bits: Any, legal: Any, context: Any) -> Any:
    """The move of the library's expectimax."""
    return kernels.choose(bits, legal, 0, np.uint64(0), pointer(context))


@dataclass(frozen=True)
class Bounds:
    """Bounds of the values.

    Attributes:
        upper: upper bound of a board before a move, by remaining spawns and by half the tile sum
            modulo the number of columns, float64 (`DEPTHS`, a power of two).
        lower: lower bound of all values.
    """

    upper: Floats
    lower: float

    @cached_property
    def largest(self) -> float:
        """The largest absolute value."""
        return max(abs(self.lower), float(np.abs(self.upper).max()))


def of_tables(evaluator: Evaluator) -> Bounds:
    """Bounds from the largest and smallest values of rows and columns."""
    tables = _line_tables(evaluator)
    high = max(sum(float(table.max()) for table in tables), evaluator.dead_value)
    low = min(sum(float(table.min()) for table in tables), evaluator.dead_value)
    return Bounds(np.full((DEPTHS, 1), high), low)


def of_sums(evaluator: Evaluator, largest_sum: int) -> Bounds:
    """Bounds from the tile sums that the spawns can lead to.

    Rows and columns are bounded separately. Invalid if two tiles 32768 merge, since on 64 bits
    they make one of 32768.
    """
    size = 1 << (largest_sum // 2).bit_length()
    if evaluator.line_tables_for is None:
        best = _snake_by_sum(evaluator, size)
    else:
        rows, columns = evaluator.line_tables_for(4, 4)
        best = _lines_by_sum(rows, size) + _lines_by_sum(columns, size)
    best = np.append(best, np.full(2 * DEPTHS, -np.inf))
    upper = np.empty((DEPTHS, size))
    for spawns in range(DEPTHS):
        reached = [best[spawns + fours : spawns + fours + size] for fours in range(spawns + 1)]
        upper[spawns] = np.maximum(np.max(reached, axis=0), evaluator.dead_value)
    return Bounds(upper, of_tables(evaluator).lower)


def _lines_by_sum(table: NDArray[np.float32], size: int) -> Floats:
    """The largest sum of the values of four lines, by half their tile sum."""
    lines = np.arange(65_536)
    tiles = [(1 << ((lines >> shift) & 15)) & ~1 for shift in (0, 4, 8, 12)]
    sums = np.sum(tiles, axis=0) // 2
    one = np.full(size, -np.inf)
    fits = sums < size
    np.maximum.at(one, sums[fits], table[fits].astype(np.float64))
    return _together(_together(one, one), _together(one, one))


def _together(first: Floats, second: Floats) -> Floats:
    """The largest first[i] + second[j] by i + j."""
    size, best = len(first), np.full(len(first), -np.inf)
    for left in range(size):
        if first[left] > -np.inf:
            np.maximum(best[left:], first[left] + second[: size - left], out=best[left:])
    return best


def _snake_by_sum(evaluator: Evaluator, size: int) -> Floats:
    """The tiles fully merged, the larger ones in cells of larger weight."""
    tables = _line_tables(evaluator)
    weights = sorted(float(t[1 << shift]) / 2 for t in tables for shift in (0, 4, 8, 12))[::-1]
    best = np.zeros(size)
    for half in range(size):
        tiles = [2 << bit for bit in range(half.bit_length() - 1, -1, -1) if (half >> bit) & 1]
        best[half] = sum(tile * weight for tile, weight in zip(tiles, weights, strict=False))
    return best * (1 + 1e-6)  # the tables hold rounded values


def _line_tables(evaluator: Evaluator) -> list[NDArray[np.float32]]:
    """One table per line of the sum: eight lines, or four rows."""
    if evaluator.line_tables_for is not None:
        rows, columns = evaluator.line_tables_for(4, 4)
        return [rows] * 4 + [columns] * 4
    return list(evaluator.params_for(4, 4).reshape(-1, 65_536)[:4])


def tile_sum(bits: np.uint64) -> int:
    """The sum of the tiles of a board."""
    return sum(tile for row in Board.from_bits(int(bits)).tiles for tile in row)


def legal_mask(bits: np.uint64) -> int:
    """The legal moves as 4 bits."""
    return sum(1 << move for move in Board.from_bits(int(bits)).legal_moves())


_NO_BOUNDS: Final = np.zeros((DEPTHS, 1))


class Star:
    """Star1 or Star2 beside the library's expectimax, on the same context.

    Args:
        evaluator: one of afterstates, such as `rows` or `snake`.
        ply: depth in plies.
        table_mb: size of the transposition table in MiB.
        whole: True to value lowest layers at once, by the library's kernel.
        probes: True for Star2.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        ply: int,
        *,
        table_mb: int = 0,
        whole: bool = True,
        probes: bool = False,
    ) -> None:
        self.search = Expectimax(evaluator, STANDARD, Depth.fixed(ply), table_mb=table_mb)
        self.ply, self.probes = ply, probes
        self._own: Words = np.zeros(OWN_WORDS, dtype=np.uint64)
        self._own[WHOLE], self._own[PROBES] = whole, probes
        self._value = np.zeros(1)
        self._own[UPPER], self._own[SUMS] = _NO_BOUNDS.ctypes.data, 1

    def use(self, bounds: Bounds) -> None:
        """Search with these bounds from now on."""
        self._bounds = bounds
        self._own[PRUNES] = 1
        self._own[UPPER], self._own[SUMS] = bounds.upper.ctypes.data, bounds.upper.shape[1]
        self._own[LOWER] = np.float64(bounds.lower).view(np.uint64)
        self._own[SLACK] = np.float64(1e-9 * bounds.largest).view(np.uint64)

    def choose(self, bits: np.uint64, total: int) -> tuple[int, float]:
        """The first best move and its value, for a board with this tile sum."""
        words = self.search.context.words
        move = _choose(bits, total, self.ply, self.probes, self._value, words, self._own)
        return int(move), float(self._value[0])

    def bounds_seen(self, bits: np.uint64) -> Bounds:
        """The exact bounds of the values below a board, from a full search."""
        self._own[PRUNES] = 0
        seen = np.append(np.full(DEPTHS, -np.inf), np.inf)
        self._own[SEEN] = seen.ctypes.data
        self.choose(bits, tile_sum(bits))
        self._own[SEEN] = 0
        upper = np.where(np.isfinite(seen[:DEPTHS]), seen[:DEPTHS], 0.0)
        return Bounds(upper[:, np.newaxis].copy(), float(seen[DEPTHS]))


def plain_moves(
    library: Expectimax, boards: Sequence[np.uint64], legal: Sequence[int]
) -> list[int]:
    """The moves of the library's expectimax, from boards and legal moves as 4 bits."""
    words = library.context.words
    return [int(_plain(bits, mask, words)) for bits, mask in zip(boards, legal, strict=True)]
