"""Whole games inside a kernel: a policy chooses moves and the dice add tiles until the game ends.

A policy is called by its address (see `intrinsics.POLICY` and `CELLS_POLICY`), so one
loop serves every compiled player.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from twofold.kernels import bits as on_bits
from twofold.kernels import cells as on_cells
from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import (
    U64_POINTER,
    call_cells_policy,
    call_policy,
    pointer,
    u8_at,
    u64_at,
)

GAMMA: Final = np.uint64(0x9E3779B97F4A7C15)
PLAYER_SALT: Final = np.uint64(0x74776F666F6C6431)
_M1: Final = np.uint64(0xBF58476D1CE4E5B9)
_M2: Final = np.uint64(0x94D049BB133111EB)
_ONE: Final = np.uint64(1)
_1, _27, _30, _31 = map(np.uint64, (1, 27, 30, 31))


@kernel("uint64(uint64)")
def mix(z):
    """The finaliser of splitmix64."""
    z = (z ^ (z >> _30)) * _M1
    z = (z ^ (z >> _27)) * _M2
    return z ^ (z >> _31)


@kernel("uint64(uint64, uint64)")
def dice(seed, spawn_number):
    """The 64 random bits of a spawn."""
    return mix(seed + (spawn_number + _ONE) * GAMMA)


@kernel("uint64(uint64, uint64)")
def player_dice(seed, draw_number):
    """The 64 random bits of a player's own draw."""
    return mix(mix(seed ^ PLAYER_SALT) + (draw_number + _ONE) * GAMMA)


def spawn_distribution(exponents: Sequence[int], weights: Sequence[float]) -> NDArray[np.uint64]:
    """The spawn tiles as kernels read them, from ascending exponents and positive weights.

    uint64, shape (1 + 3 n,): the number of tiles n, then for each tile its exponent, the threshold
    that the low 32 bits of the dice must be below, and its probability as the bits of a float64.
    """
    total = sum(weights)
    words = [len(exponents)]
    cumulative = 0.0
    for number, (exponent, weight) in enumerate(zip(exponents, weights, strict=True), 1):
        cumulative += weight / total
        last = number == len(exponents)
        threshold = 2**32 if last else int(cumulative * 2**32 + 0.5)
        probability = np.float64(weight / total).view(np.uint64)
        words += [exponent, threshold, int(probability)]
    return np.array(words, dtype=np.uint64)


SPAWN_EXPONENT: Final = 1
SPAWN_PROBABILITY: Final = 3
SPAWN_STRIDE: Final = 3


# Why a call of a game loop ended.
#   GOING      The requested number of moves has been made
#   OVER       No move is legal
#   STOPPED    The goal is reached and play stops there
#   OVERFLOW   The chosen move makes a tile past 32768. It was not made: continue with cells.
#   ILLEGAL    The policy chose a move that changes nothing
#   TOO_LARGE  A merge would pass the largest exponent
GOING, OVER, STOPPED, OVERFLOW, ILLEGAL, TOO_LARGE = range(6)

# Words of a game, uint64, constant during the game.
#   POLICY_CONTEXT  Address of the context for the policy on bits
#   ACROSS, DOWN    Addresses of the row tables, see `bits.Frame`
#   DISTRIBUTION    Address of the spawn distribution, see `play.spawn_distribution`
#   STOP_EXPONENT   Exponent at which play stops; 255 for never
#   REACHED         Address of uint64 (REACHED_SIZE,): the move number at which each exponent was
#                   first reached
#   LETTERS         Address of uint8 (limit,) for the moves of one call; 0 to store none
#   STARTS          Address of uint64 (games, 2): start bits and score of each game of
#                   `play_many`; 0 for new games
POLICY_ADDRESS, POLICY_CONTEXT, ACROSS, DOWN, MASK, DISTRIBUTION, SEED = range(7)
START_TILES, STOP_EXPONENT, REACHED = range(7, 10)
REACHED_SIZE: Final = 36
LETTERS, ROWS, COLS, STARTS, GAME_WORDS = range(10, 15)

# Words of a state, uint64, which change with each move.
BITS, SCORE, MOVE_NUMBER, MAX_EXPONENT, STATE_WORDS = range(5)

_WORDS: Final = types.uint64[::1]
_STATES: Final = types.uint64[:, ::1]
_BYTES: Final = types.uint8[::1]


@kernel(types.int64(types.int64, types.int64))
def new_record(largest, largest_spawn):
    """Smallest reward with which a move can make a new largest tile; 0 if a spawn can be one."""
    return np.int64(2) << largest if largest >= largest_spawn else np.int64(0)


@kernel(types.int64(_WORDS, _WORDS, types.int64))
def play_bits(game, state, limit):
    """Play at most `limit` moves from `state`; returns why the loop ended."""
    policy, context = game[POLICY_ADDRESS], u64_at(game[POLICY_CONTEXT])
    across, down, mask = u64_at(game[ACROSS]), u64_at(game[DOWN]), game[MASK]
    distribution, seed, start_tiles = u64_at(game[DISTRIBUTION]), game[SEED], game[START_TILES]
    reached = u64_at(game[REACHED])
    letters, keep = u8_at(game[LETTERS]), game[LETTERS] != 0
    stop_exponent = np.int64(game[STOP_EXPONENT])
    largest_spawn = np.int64(distribution[np.int64(distribution[0]) * 3 - 2])
    bits, score, number = state[BITS], np.int64(state[SCORE]), state[MOVE_NUMBER]
    largest = np.int64(state[MAX_EXPONENT])
    first, last = number, number + np.uint64(limit)
    record = new_record(largest, largest_spawn)
    mask_change = mask ^ on_bits.transpose(mask)
    turned = on_bits.transpose(bits)  # updated beside `bits`: faster than transposing each move
    ended = GOING
    while True:
        a, b, c, d = on_bits.entries(bits, across)
        e, f, g, h = on_bits.entries(turned, down)
        legal = on_bits.legal_from_entries(a | b | c | d, e | f | g | h)
        if largest >= stop_exponent:
            ended = STOPPED
            break
        if legal == 0:
            ended = OVER
            break
        if number == last:
            break
        draw = player_dice(seed, number)
        move = call_policy(policy, (bits, legal, score, draw, context))
        if move < 0 or move > 3 or ((legal >> move) & 1) == 0:
            ended = ILLEGAL
            break
        # Masks instead of branches, since the direction of a move is unpredictable.
        vertical = np.uint64((move & 1) - 1)  # all ones for up and down
        shift = np.uint64(((move == 1) | (move == 2)) << 4)  # right and down: the second row
        a ^= (a ^ e) & vertical
        b ^= (b ^ f) & vertical
        c ^= (c ^ g) & vertical
        d ^= (d ^ h) & vertical
        packed = on_bits.pack_reward(a, b, c, d)
        if on_bits.overflows(packed):
            ended = OVERFLOW
            break
        after = on_bits.join_rows(a >> shift, b >> shift, c >> shift, d >> shift)
        # Counted before the board is transposed back: earlier, and the same number.
        count = on_bits.count_empty(after, mask ^ (mask_change & vertical))
        crossed = on_bits.transpose(after)
        difference = (after ^ crossed) & vertical
        after ^= difference
        if keep:
            letters[number - first] = np.uint8(move)
        reward = on_bits.reward_of(packed)
        score += reward
        random_bits = dice(seed, start_tiles + number)
        empty = on_bits.empty_mask(after, mask)
        shift, exponent = on_bits.choose_spawn(empty, count, random_bits, distribution)
        bits = after | (exponent << shift)
        turned = (crossed ^ difference) | (exponent << on_bits.transpose_shift(shift))
        number += _1
        if reward >= record:
            now = on_bits.max_exponent(bits)
            while largest < now:
                largest += 1
                reached[largest] = number
            record = new_record(largest, largest_spawn)
    state[BITS], state[SCORE], state[MOVE_NUMBER] = bits, np.uint64(score), number
    state[MAX_EXPONENT] = np.uint64(largest)
    return ended


@kernel(types.int64(_WORDS, _WORDS, _BYTES, types.int64))
def play_cells(game, state, board, limit):
    """The same loop on cells: `board` is uint8 (rows * cols,), changed in place."""
    policy, distribution, seed = game[POLICY_ADDRESS], u64_at(game[DISTRIBUTION]), game[SEED]
    rows, cols = np.int64(game[ROWS]), np.int64(game[COLS])
    reached = u64_at(game[REACHED])
    letters, keep = u8_at(game[LETTERS]), game[LETTERS] != 0
    stop_exponent = np.int64(game[STOP_EXPONENT])
    cells = pointer(board)
    after = np.zeros(rows * cols, dtype=np.uint8)
    score, number = np.int64(state[SCORE]), state[MOVE_NUMBER]
    largest = np.int64(state[MAX_EXPONENT])
    first, last = number, number + np.uint64(limit)
    ended = GOING
    while True:
        if largest >= stop_exponent:
            ended = STOPPED
            break
        legal = on_cells.legal_mask(cells, rows, cols)
        if legal == 0:
            ended = OVER
            break
        if number == last:
            break
        draw = player_dice(seed, number)
        move = call_cells_policy(policy, (cells, rows, cols, legal, score, draw))
        if move < 0 or move > 3 or ((legal >> move) & 1) == 0:
            ended = ILLEGAL
            break
        reward = on_cells.slide(cells, rows, cols, move, pointer(after))
        if reward == on_cells.TOO_LARGE:
            ended = TOO_LARGE
            break
        if keep:
            letters[number - first] = np.uint8(move)
        score += reward
        for cell in range(rows * cols):
            board[cell] = after[cell]
        on_cells.place_spawn(
            cells, rows * cols, dice(seed, game[START_TILES] + number), distribution
        )
        number += _1
        now = on_cells.max_exponent(cells, rows * cols)
        while largest < now:
            largest += 1
            reached[largest] = number
    state[SCORE], state[MOVE_NUMBER] = np.uint64(score), number
    state[MAX_EXPONENT] = np.uint64(largest)
    return ended


@kernel(types.uint64(types.uint64, types.uint64, types.uint64, U64_POINTER))
def start_bits(seed, start_tiles, mask, distribution):
    """The board of a new game: an empty one with its start tiles."""
    bits = np.uint64(0)
    for number in range(start_tiles):
        bits = on_bits.place_spawn(bits, mask, dice(seed, np.uint64(number)), distribution)
    return bits


@kernel(types.int64(_WORDS, types.uint64, _STATES, types.int64))
def play_many(game, first_seed, states, limit):
    """Whole games, one after the other, with seeds that count up from `first_seed` modulo 2**64.

    In `game` the seed is set here, REACHED is the address of uint64 (games, REACHED_SIZE), and
    LETTERS receives the moves of all games in a row. `states`, uint64 (games, STATE_WORDS),
    receives the final states; `limit` is the most moves of all games together. Returns the number
    of games finished before the first that is not.
    """
    reached, letters, ended, index = game[REACHED], game[LETTERS], OVER, 0
    given, starts = game[STARTS] != 0, u64_at(game[STARTS])
    for index in range(len(states)):
        seed = first_seed + np.uint64(index)
        state = states[index]
        game[SEED] = seed
        game[REACHED] = reached + np.uint64(8 * REACHED_SIZE * index)
        if given:
            state[BITS], state[SCORE] = starts[2 * index], starts[2 * index + 1]
        else:
            state[BITS] = start_bits(
                seed, game[START_TILES], game[MASK], u64_at(game[DISTRIBUTION])
            )
            state[SCORE] = 0
        state[MOVE_NUMBER] = 0
        state[MAX_EXPONENT] = on_bits.max_exponent(state[BITS])
        ended = play_bits(game, state, limit)
        if ended != OVER and ended != STOPPED:
            break
        limit -= np.int64(state[MOVE_NUMBER])
        if letters != 0:
            game[LETTERS] += state[MOVE_NUMBER]
    game[REACHED], game[LETTERS] = reached, letters
    return index if ended != OVER and ended != STOPPED else len(states)


@kernel(types.int64(types.uint64, types.uint64, types.int64, types.int64, types.uint64, _WORDS))
def ask(policy, bits, legal, score, draw, context):
    """The move that a policy on bits chooses on one board."""
    return call_policy(policy, (bits, legal, score, draw, pointer(context)))
