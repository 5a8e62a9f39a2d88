"""N-tuple learning of many games at once on a graphics card, by Numba's CUDA target.

Each game makes a move as the kernels of `twofold.kernels.learn` do: the move of the largest reward
plus value, then the update of the afterstate before it. One or eight threads (lanes) share a game
and its symmetries. A record holds all numbers of a weight, so that they lie in one 32-byte sector
of the memory: weight, holders and, for TC, E and A (see `kernels.updates.tc`).

Thousands of games learn at once from the same old value. If each made its whole step, together they
would step a thousand times too far, and all values would diverge. So a weight counts its holders,
the games whose last afterstate has it, once for each symmetry; a step is divided by rate x holders
where that is above 1: all holders together make at most the mean of their errors. With rates up to
1/8 a single game learns as one CPU thread does, bit for bit with one lane. With eight, steps of TC
on a weight that a board has in several symmetries are made at the same time, not in turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numba import cuda, float32
from numpy.typing import NDArray

from twofold.kernels import bits as on_bits
from twofold.kernels import play as on_dice
from twofold.kernels.bits import row_table
from twofold.learn.settings import parse_schedule
from twofold.values.network import Network, Pattern

# Rows of the state of the games, uint64 (STATE_WORDS, games).
BOARD, AFTER, BEFORE, SCORE, SPAWN, NUMBER, STATE_WORDS = range(7)

# Totals of the games that ended, float64.
ENDED, POINTS = 0, 1

BLOCK: Final = 64
"""Threads of a block."""

Array = NDArray[Any]
_0, _1, _16, _32 = (np.uint64(number) for number in (0, 1, 16, 32))
_LOW: Final = np.uint64(0xFFFFFFFF)
_FULL: Final = on_bits.FULL
_GAMMA: Final = on_dice.GAMMA
_SALT: Final = on_dice.PLAYER_SALT
_FOURS: Final = np.uint64(int(0.9 * 2**32 + 0.5))
"""The dice's low 32 bits from which the new tile is a 4."""

# ---- the rules, compiled for the card from the sources of the CPU's kernels

_device: Final = cuda.jit(device=True)
transpose = _device(on_bits.transpose.py_func)
mirror = _device(on_bits.mirror.py_func)
flip = _device(on_bits.flip.py_func)
empty_mask = _device(on_bits.empty_mask.py_func)
join_rows = _device(on_bits.join_rows.py_func)
pack_reward = _device(on_bits.pack_reward.py_func)
reward_of = _device(on_bits.reward_of.py_func)
of_move = _device(on_bits.of_move.py_func)
entries = _device(on_bits.entries.py_func)
mix = _device(on_dice.mix.py_func)


@cuda.jit(device=True)
def slide_both(bits, table):
    """Left, right, and the reward of both."""
    a, b, c, d = entries(bits, table)
    left = join_rows(a, b, c, d)
    right = join_rows(a >> _16, b >> _16, c >> _16, d >> _16)
    return left, right, np.float64(reward_of(pack_reward(a, b, c, d)))


@cuda.jit(device=True)
def spawned(bits, seed, number):
    """The board after spawn `number` of a game."""
    random_bits = mix(seed + (number + _1) * _GAMMA)
    empty = empty_mask(bits, _FULL)
    count = np.uint64(cuda.popc(empty))
    skipped = count - _1 - (((random_bits >> _32) * count) >> _32)
    for _ in range(np.int64(skipped)):
        empty &= empty - _1
    cell = empty & (~empty + _1)
    return bits | (cell << _1 if (random_bits & _LOW) >= _FOURS else cell)


@cuda.jit(device=True)
def turned(bits, symmetry):
    """The board in one of its symmetries, in the order of `kernels.ntuple.symmetries`."""
    if symmetry & 4:
        bits = transpose(bits)
    if symmetry & 1:
        bits = mirror(bits)
    if symmetry & 2:
        bits = flip(bits)
    return bits


@cuda.jit(device=True)
def total_of(sums, slot, own):
    """The sum over the symmetries, in the order of the CPU's kernel."""
    even = (np.float64(sums[slot, 0, own]) + np.float64(sums[slot, 4, own])) + (
        np.float64(sums[slot, 2, own]) + np.float64(sums[slot, 6, own])
    )
    odd = (np.float64(sums[slot, 1, own]) + np.float64(sums[slot, 5, own])) + (
        np.float64(sums[slot, 3, own]) + np.float64(sums[slot, 7, own])
    )
    return even + odd


def layout(patterns: Sequence[Pattern]) -> Array:
    """A row for each pattern: its offset, then pairs (shift, mask).

    The pairs move runs of neighbouring cells of a board to their place in an index.
    """
    runs: list[dict[int, int]] = []
    for pattern in patterns:
        runs.append({})
        for number, cell in enumerate(reversed(pattern.cells)):
            shift = 60 - 4 * cell - 4 * number
            runs[-1][shift] = runs[-1].get(shift, 0) | 15 << 4 * number
    most = max(len(pairs) for pairs in runs)
    words = np.zeros((len(runs), 1 + 2 * most), dtype=np.uint64)
    offset = 0
    for row, pairs, pattern in zip(words, runs, patterns, strict=True):
        row[: 1 + 2 * len(pairs)] = [offset, *(word for pair in pairs.items() for word in pair)]
        offset += pattern.size
    return words


@dataclass(frozen=True, slots=True)
class Kernels:
    """The kernels for some patterns, a method and a number of lanes.

    Attributes:
        play: every game makes a move and learns or, where no move is legal, begins anew.
        hold: counts the holders after that.
        look: fills in the four afterstates of boards, their rewards and their values.
    """

    play: Any
    hold: Any
    look: Any


@cache
def kernels_for(cells: tuple[Pattern, ...], coherent: bool, lanes: int) -> Kernels:
    """Make the kernels, which are compiled at their first launch."""
    words = layout(cells)
    patterns, runs = len(words), (words.shape[1] - 1) // 2
    block, features = BLOCK // lanes, 8.0 * patterns

    @cuda.jit(device=True)
    def place(bits, pattern):
        constants = cuda.const.array_like(words)
        index = constants[pattern, 0]
        for run in range(runs):
            index += (bits >> constants[pattern, 1 + 2 * run]) & constants[pattern, 2 + 2 * run]
        return index

    @cuda.jit(device=True)
    def add_up(after, first, step, records, sums, slot, own):
        for symmetry in range(first, 8, step):
            bits, total = turned(after, symmetry), np.float32(0)
            for pattern in range(patterns):
                total += records[place(bits, pattern), 0]
            sums[slot, symmetry, own] = total

    @cuda.jit(device=True)
    def learn(after, step, rate, lane, records):
        for symmetry in range(lane, 8, lanes):
            bits = turned(after, symmetry)
            for pattern in range(patterns):
                at = place(bits, pattern)
                change = step / max(rate * records[at, 1], np.float32(1))
                if coherent:
                    total, sizes = records[at, 2], records[at, 3]
                    own_rate = abs(total) / sizes if sizes > np.float32(0) else np.float32(1)
                    cuda.atomic.add(records, (at, 0), own_rate * change)
                    cuda.atomic.add(records, (at, 2), change)
                    cuda.atomic.add(records, (at, 3), abs(change))
                else:
                    cuda.atomic.add(records, (at, 0), change)

    @cuda.jit(device=True)
    def add_holds(after, lane, change, records):
        for symmetry in range(lane, 8, lanes):
            bits = turned(after, symmetry)
            for pattern in range(patterns):
                cuda.atomic.add(records, (place(bits, pattern), 1), change)

    @cuda.jit
    def hold(state, records):
        lane, game = cuda.threadIdx.x % lanes, cuda.grid(1) // lanes
        if state[BEFORE, game] != _0:
            add_holds(state[BEFORE, game], lane, np.float32(-1), records)
        if state[AFTER, game] != _0:
            add_holds(state[AFTER, game], lane, np.float32(1), records)

    @cuda.jit
    def play(state, table, records, totals, seed, rate):
        sums = cuda.shared.array((5, 8, block), float32)
        own, lane = cuda.threadIdx.x // lanes, cuda.threadIdx.x % lanes
        game = cuda.grid(1) // lanes
        board, after, score = state[BOARD, game], state[AFTER, game], state[SCORE, game]
        spawn, number = state[SPAWN, game], state[NUMBER, game]
        crossed = transpose(board)
        left, right, across_gain = slide_both(board, table)
        up, down, down_gain = slide_both(crossed, table)
        for move in range(4):
            reached = of_move(move, up, right, down, left)
            if reached != of_move(move, crossed, board, crossed, board):
                add_up(reached, lane, lanes, records, sums, move, own)
        if after != _0:
            add_up(after, lane, lanes, records, sums, 4, own)
        if lanes > 1:
            cuda.syncthreads()
        best, best_total, best_value = -1, 0.0, 0.0
        for move in range(4):
            reached = of_move(move, up, right, down, left)
            if reached != of_move(move, crossed, board, crossed, board):
                value = total_of(sums, move, own)
                total = value + (across_gain if move & 1 else down_gain)
                if best < 0 or total > best_total:
                    best, best_total, best_value = move, total, value
        gain = across_gain if best & 1 else down_gain
        if after != _0:
            target = gain + np.float64(np.float32(best_value)) if best >= 0 else 0.0
            error = target - total_of(sums, 4, own)
            learn(after, np.float32(rate * error / features), np.float32(rate), lane, records)
        if best >= 0:
            after = of_move(best, up, right, down, left)
            if best & 1 == 0:
                after = transpose(after)
            score += np.uint64(gain)
        else:
            if lane == 0 and board != _0:
                cuda.atomic.add(totals, ENDED, 1.0)
                cuda.atomic.add(totals, POINTS, np.float64(score))
            number += np.uint64(state.shape[1])
            after, score, spawn = _0, _0, _1
        own_seed = mix(mix(seed ^ _SALT) + (number + _1) * _GAMMA)
        board = spawned(after, own_seed, spawn - _1 if after == _0 else spawn)
        if after == _0:
            board = spawned(board, own_seed, spawn)
        spawn += _1
        if lane == 0:
            state[BEFORE, game] = state[AFTER, game]
            state[BOARD, game], state[AFTER, game], state[SCORE, game] = board, after, score
            state[SPAWN, game], state[NUMBER, game] = spawn, number

    @cuda.jit
    def look(boards, table, records, afters, rewards, values):
        sums = cuda.shared.array((4, 8, block), float32)
        own, at = cuda.threadIdx.x, cuda.grid(1)
        if at < boards.shape[0]:
            board = boards[at]
            left, right, across_gain = slide_both(board, table)
            up, down, down_gain = slide_both(transpose(board), table)
            up, down = transpose(up), transpose(down)
            for move in range(4):
                reached = of_move(move, up, right, down, left)
                add_up(reached, 0, 1, records, sums, move, own)
                afters[at, move] = reached
                rewards[at, move] = across_gain if move & 1 else down_gain
                values[at, move] = total_of(sums, move, own)

    return Kernels(play, hold, look)


class Card:
    """Games, and the records of a network, on the card.

    `games` x `lanes` is a multiple of BLOCK, or less than it.
    """

    def __init__(self, network: Network, method: str, lanes: int, games: int, seed: int) -> None:
        if games * lanes > BLOCK and games * lanes % BLOCK:
            raise ValueError(f"expected games in multiples of {BLOCK // lanes}, got {games}")
        self.schedule = parse_schedule(method)
        coherent = self.schedule[0].method == "tc"
        self.games, self.lanes, self.seed = games, lanes, np.uint64(seed)
        self.kernels = kernels_for(network.patterns, coherent, lanes)
        state = np.zeros((STATE_WORDS, games), dtype=np.uint64)
        state[NUMBER] = np.arange(games, dtype=np.uint64) - np.uint64(games)  # one round back
        records = np.zeros((network.stage_size, 4 if coherent else 2), dtype=np.float32)
        records[:, 0] = network.weights[0]
        self.state, self.records = cuda.to_device(state), cuda.to_device(records)
        self.table = cuda.to_device(row_table(4).copy())
        self.totals = cuda.to_device(np.zeros(2))

    def play(self, launches: int) -> None:
        """In each launch every game makes a move or, where none is legal, begins anew."""
        threads = min(self.games * self.lanes, BLOCK)
        grid = self.games * self.lanes // threads
        rate = np.float64(self.schedule[0].rate)
        play, hold = self.kernels.play[grid, threads], self.kernels.hold[grid, threads]
        for _ in range(launches):
            play(self.state, self.table, self.records, self.totals, self.seed, rate)
            hold(self.state, self.records)

    def look(self, boards: Array) -> tuple[Array, Array, Array]:
        """The afterstates, rewards and values of the four moves of boards."""
        shape = (len(boards), 4)
        found = [cuda.device_array(shape, kind) for kind in (np.uint64, np.float64, np.float64)]
        threads = BLOCK // self.lanes
        look = self.kernels.look[-(-len(boards) // threads), threads]
        look(cuda.to_device(boards), self.table, self.records, *found)
        afters, rewards, values = (one.copy_to_host() for one in found)
        return afters, rewards, values

    def ended(self) -> Array:
        """The totals of the games that have ended, once all launches are done."""
        totals: Array = self.totals.copy_to_host()
        return totals
