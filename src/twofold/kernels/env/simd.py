"""WIDTH games at a time: the steps that most games make, without branches or tables.

`env.games` makes the other steps, game by game.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels._jit import kernel
from twofold.kernels.env.forms import observe_bits
from twofold.kernels.env.words import (
    ACTIONS,
    BITS,
    BITS_FORM,
    COLS,
    DISTRIBUTION,
    EXPONENTS,
    FORM,
    GAMES,
    GOAL,
    ILLEGAL,
    LEGAL,
    LIMIT,
    MASK,
    MAX_TILES,
    MERGED_EXPONENTS,
    NUMBERS,
    OBSERVATIONS,
    PENALTY,
    PENALTY_TAKEN,
    PLANES,
    POINTS,
    READY,
    REWARD,
    REWARDS,
    ROWS,
    SCORES,
    SEEDS,
    SIZE,
    START_TILES,
    STEPS,
    STOPS,
    TERMINATED,
    TERMINATES,
    TRUNCATED,
)
from twofold.kernels.intrinsics import I64_POINTER, U64_POINTER, i32_at, u8_at, u64_at
from twofold.kernels.rules import bits_simd as lane_bits
from twofold.kernels.rules.dice import GAMMA
from twofold.kernels.search.policies import NTH_OF_1, NTH_OF_2, NTH_OF_3
from twofold.kernels.simd import (
    LANES,
    WIDTH,
    any_bit,
    as_floats,
    choose,
    equal,
    in_all,
    lane_numbers,
    less,
    load,
    load_i32,
    load_u8,
    store,
    store_cells,
    store_i32,
    store_i64,
    store_u8,
    word_of,
)

_0: Final = np.uint64(0)
_1: Final = np.uint64(1)
_3: Final = np.uint64(3)
_4: Final = np.uint64(4)
_15: Final = np.uint64(15)
_24: Final = np.uint64(24)
_30: Final = np.uint64(30)
_31: Final = np.uint64(31)
_32: Final = np.uint64(32)
_ALL: Final = np.uint64(0xFFFFFFFFFFFFFFFF)
_NEVER: Final = np.uint64(1 << 62)
_LARGEST: Final = np.uint64(1 << 14)
"""The largest tile allowed here: a merge of two of them still fits 64 bits."""
_SIGN: Final = np.uint64(1 << 63)
_SPREAD: Final = np.uint64(0x00204081)
_SPREAD_KEEP: Final = np.uint64(0x01010101)
_GATHER: Final = np.uint64(0x01020408)


@kernel(LANES(types.int64, LANES, LANES, LANES, LANES, LANES))
def reward_values(form, points, exponents, before, largest, goals):
    """The rewards of moves in a form, as the bits of float64.

    `points` and `exponents` are sums over the tiles made; `before` and `largest` are the largest
    tiles before and after the move.
    """
    if form == POINTS:
        return as_floats(points)
    if form == MERGED_EXPONENTS:
        return as_floats(exponents)
    return as_floats(less(before, goals) & lane_bits.opposite(less(largest, goals)) & _1)


@kernel(types.void(U64_POINTER, types.int64, LANES))
def observe(words, first, boards):
    """Write the observations of the games from `first` on."""
    form, rows, cols = np.int64(words[FORM]), np.int64(words[ROWS]), np.int64(words[COLS])
    address, size, planes = words[OBSERVATIONS], words[SIZE], np.int64(words[PLANES])
    if form == EXPONENTS and rows == 4 and cols == 4:
        store_cells(u8_at(address), 16 * first, boards)
    elif form == BITS_FORM:
        store(u64_at(address), first, boards)
    else:
        for lane in range(WIDTH):
            place = address + size * np.uint64(first + lane)
            observe_bits(form, planes, word_of(boards, lane), rows, cols, place)


@kernel(types.int64(U64_POINTER, types.int64))
def step_lanes(words, first):
    """One step of WIDTH games after WIDTH games from `first` on, while all can make it here.

    A game can if it is on bits, has not ended, and has a legal move and no tile past 16384. Its
    action may be illegal, but not refused. Returns the first game that made no step.
    """
    games, actions = np.int64(words[GAMES]), u64_at(words[ACTIONS])
    mask, distribution, start_tiles = words[MASK], u64_at(words[DISTRIBUTION]), words[START_TILES]
    goals, limits = in_all(words[GOAL]), in_all(words[LIMIT])
    stop_tile = in_all(words[GOAL] if words[STOPS] else _NEVER)
    reward_form = np.int64(words[REWARD])
    terminates = in_all(_ALL if words[ILLEGAL] == TERMINATES else _0)
    takes = words[ILLEGAL] == PENALTY_TAKEN
    illegal_reward = in_all(words[PENALTY] ^ _SIGN if takes else _0)
    boards, ready, seeds = u64_at(words[BITS]), u8_at(words[READY]), u64_at(words[SEEDS])
    scores, numbers, steps = u64_at(words[SCORES]), u64_at(words[NUMBERS]), u64_at(words[STEPS])
    max_tiles, masks, rewards = (
        u64_at(words[MAX_TILES]),
        i32_at(words[LEGAL]),
        u64_at(words[REWARDS]),
    )
    terminated, truncated = u8_at(words[TERMINATED]), u8_at(words[TRUNCATED])
    inner, upper = lane_bits.with_neighbours(mask)
    pad = in_all(_4 * (_4 - words[COLS]))  # bits of the frame to the right of a row
    pad_turned = in_all(_4 * (_4 - words[ROWS]))
    none, largest_here = in_all(_0), in_all(_LARGEST)
    game = first
    while game + WIDTH <= games:
        before = load(max_tiles, game)
        if any_bit(equal(load_u8(ready, game), none) | less(largest_here, before)):
            break
        move, bits = load(actions, game), load(boards, game)
        vertical = (move & _1) - _1  # up and down
        backward = none - (((move + _1) >> _1) & _1)  # right and down
        room = choose(vertical, pad_turned, pad) & backward
        rows = choose(vertical, lane_bits.transpose(bits), bits)
        rows = lane_bits.towards(rows, backward, room)
        slid, made, made_too = lane_bits.slide_left(rows)
        still = equal(slid, rows)  # the action is not a legal move
        moved = lane_bits.opposite(still)
        after = lane_bits.back(slid, backward, room)
        after = choose(vertical, lane_bits.transpose(after), after)
        number = load(numbers, game)
        random_bits = lane_bits.mix(
            load(seeds, game) + (number + (start_tiles + _1)) * GAMMA  # as `dice.dice`
        )
        new, tiles = lane_bits.place_spawns(after, moved, random_bits, mask, distribution)
        largest = in_all(_1) << lane_bits.max_exponent(new)
        goes_on = less(largest, stop_tile) & lane_bits.opposite(still & terminates)
        legal = lane_bits.legal_moves(new, tiles, inner, upper) & goes_on
        points = lane_bits.points_of(made, made_too)
        exponents = lane_bits.exponents_of(made, made_too)
        value = reward_values(reward_form, points, exponents, before, largest, goals)
        taken = load(steps, game) + _1
        over, goes_on = equal(legal, none), less(taken, limits)
        store(boards, game, new)
        store(scores, game, load(scores, game) + points)
        store(numbers, game, number - moved)
        store(steps, game, taken)
        store(max_tiles, game, largest)
        store(rewards, game, choose(still, illegal_reward, value))
        store_i32(masks, game, (legal * _SPREAD) & _SPREAD_KEEP)
        store_u8(ready, game, legal & goes_on)
        store_u8(terminated, game, over & _1)
        store_u8(truncated, game, lane_bits.opposite(goes_on) & _1)
        observe(words, game, new)
        game += WIDTH
    return game


@kernel(LANES(LANES, LANES))
def random_legal(legal, draws):
    """One of the legal moves (4 bits) of each game, as `policies.random_legal`."""
    none, high = in_all(_0), draws >> _32
    of_2, of_3 = high >> _31, (high * _3) >> _32
    answers = choose(equal(of_2, none), in_all(NTH_OF_2[0]), in_all(NTH_OF_2[1]))
    answers = answers | choose(
        equal(of_3, none),
        in_all(NTH_OF_3[0]),
        choose(equal(of_3, in_all(_1)), in_all(NTH_OF_3[1]), in_all(NTH_OF_3[2])),
    )
    of_4 = high >> _30  # the move itself; the set of all four is 15, its answer two bits at 30
    return ((answers | NTH_OF_1[0] | (of_4 << _30)) >> (legal << _1)) & _3


@kernel(types.int64(U64_POINTER, types.uint64, I64_POINTER))
def sample_lanes(words, key, actions):
    """`vector.sample_actions` for the first games, a multiple of WIDTH; returns their number."""
    masks, games = i32_at(words[LEGAL]), np.int64(words[GAMES])
    steps = (lane_numbers() + _1) * GAMMA
    game = 0
    while game + WIDTH <= games:
        random_bits = lane_bits.mix(steps + (key + np.uint64(game) * GAMMA))
        legal = ((load_i32(masks, game) * _GATHER) >> _24) & _15
        store_i64(actions, game, random_legal(legal, random_bits))
        game += WIDTH
    return game
