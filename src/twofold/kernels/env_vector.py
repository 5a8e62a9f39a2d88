"""One step of many games in one call, for environments of reinforcement learning.

The steps that most games make are made WIDTH games at a time, without branches or tables; the
others game by game, by `env_games`.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels import bits_simd as lane_bits
from twofold.kernels import cells as on_cells
from twofold.kernels import env_games as env
from twofold.kernels import simd
from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import (
    I64_POINTER,
    U64_POINTER,
    f64_at,
    i32_at,
    i64_at,
    pointer,
    u8_at,
    u64_at,
)
from twofold.kernels.play import GAMMA, dice
from twofold.kernels.policies import NTH_OF_1, NTH_OF_2, NTH_OF_3, random_legal
from twofold.kernels.simd import LANES, WIDTH
from twofold.limits import BITS_MAX_EXPONENT

_0, _1, _3, _4, _15, _24, _30, _31, _32 = map(np.uint64, (0, 1, 3, 4, 15, 24, 30, 31, 32))
_ALL: Final = np.uint64(0xFFFFFFFFFFFFFFFF)
_NEVER: Final = np.uint64(1 << 62)
_LARGEST: Final = np.uint64(1 << 14)
"""The largest tile allowed here: a merge of two of them still fits 64 bits."""
_SIGN: Final = np.uint64(1 << 63)


@kernel(LANES(types.int64, LANES, LANES, LANES, LANES, LANES))
def reward_values(form, points, exponents, before, largest, goals):
    """The rewards of moves in a form, as the bits of float64.

    `points` and `exponents` are sums over the tiles made; `before` and `largest` are the largest
    tiles before and after the move.
    """
    if form == env.POINTS:
        return simd.as_floats(points)
    if form == env.MERGED_EXPONENTS:
        return simd.as_floats(exponents)
    return simd.as_floats(
        simd.less(before, goals) & lane_bits.opposite(simd.less(largest, goals)) & _1
    )


@kernel(types.void(U64_POINTER, types.int64, LANES))
def observe(words, first, boards):
    """Write the observations of the games from `first` on."""
    form, rows, cols = (
        np.int64(words[env.FORM]),
        np.int64(words[env.ROWS]),
        np.int64(words[env.COLS]),
    )
    address, size, planes = words[env.OBSERVATIONS], words[env.SIZE], np.int64(words[env.PLANES])
    if form == env.EXPONENTS and rows == 4 and cols == 4:
        simd.store_cells(u8_at(address), 16 * first, boards)
    elif form == env.BITS_FORM:
        simd.store(u64_at(address), first, boards)
    else:
        for lane in range(WIDTH):
            place = address + size * np.uint64(first + lane)
            env.observe_bits(form, planes, simd.word_of(boards, lane), rows, cols, place)


@kernel(types.int64(U64_POINTER, types.int64))
def step_lanes(words, first):
    """One step of WIDTH games after WIDTH games from `first` on, while all can make it here.

    A game can if it is on bits, has not ended, and has a legal move and no tile past 16384. Its
    action may be illegal, but not refused. Returns the first game that made no step.
    """
    games, actions = np.int64(words[env.GAMES]), u64_at(words[env.ACTIONS])
    mask, distribution, start_tiles = (
        words[env.MASK],
        u64_at(words[env.DISTRIBUTION]),
        words[env.START_TILES],
    )
    goals, limits = simd.in_all(words[env.GOAL]), simd.in_all(words[env.LIMIT])
    stop_tile = simd.in_all(words[env.GOAL] if words[env.STOPS] else _NEVER)
    reward_form = np.int64(words[env.REWARD])
    terminates = simd.in_all(_ALL if words[env.ILLEGAL] == env.TERMINATES else _0)
    takes = words[env.ILLEGAL] == env.PENALTY_TAKEN
    illegal_reward = simd.in_all(words[env.PENALTY] ^ _SIGN if takes else _0)
    boards, ready, seeds = (
        u64_at(words[env.BITS]),
        u8_at(words[env.READY]),
        u64_at(words[env.SEEDS]),
    )
    scores, numbers, steps = (
        u64_at(words[env.SCORES]),
        u64_at(words[env.NUMBERS]),
        u64_at(words[env.STEPS]),
    )
    max_tiles, masks, rewards = (
        u64_at(words[env.MAX_TILES]),
        i32_at(words[env.LEGAL]),
        u64_at(words[env.REWARDS]),
    )
    terminated, truncated = u8_at(words[env.TERMINATED]), u8_at(words[env.TRUNCATED])
    inner, upper = lane_bits.with_neighbours(mask)
    pad = simd.in_all(_4 * (_4 - words[env.COLS]))  # bits of the frame to the right of a row
    pad_turned = simd.in_all(_4 * (_4 - words[env.ROWS]))
    none, largest_here = simd.in_all(_0), simd.in_all(_LARGEST)
    game = first
    while game + WIDTH <= games:
        before = simd.load(max_tiles, game)
        if simd.any_bit(
            simd.equal(simd.load_u8(ready, game), none) | simd.less(largest_here, before)
        ):
            break
        move, bits = simd.load(actions, game), simd.load(boards, game)
        vertical = (move & _1) - _1  # up and down
        backward = none - (((move + _1) >> _1) & _1)  # right and down
        room = simd.choose(vertical, pad_turned, pad) & backward
        rows = simd.choose(vertical, lane_bits.transpose(bits), bits)
        rows = lane_bits.towards(rows, backward, room)
        slid, made, made_too = lane_bits.slide_left(rows)
        still = simd.equal(slid, rows)  # the action is not a legal move
        moved = lane_bits.opposite(still)
        after = lane_bits.back(slid, backward, room)
        after = simd.choose(vertical, lane_bits.transpose(after), after)
        number = simd.load(numbers, game)
        random_bits = lane_bits.mix(
            simd.load(seeds, game) + (number + (start_tiles + _1)) * GAMMA  # as `play.dice`
        )
        new, tiles = lane_bits.place_spawns(after, moved, random_bits, mask, distribution)
        largest = simd.in_all(_1) << lane_bits.max_exponent(new)
        goes_on = simd.less(largest, stop_tile) & lane_bits.opposite(still & terminates)
        legal = lane_bits.legal_moves(new, tiles, inner, upper) & goes_on
        points = lane_bits.points_of(made, made_too)
        exponents = lane_bits.exponents_of(made, made_too)
        value = reward_values(reward_form, points, exponents, before, largest, goals)
        taken = simd.load(steps, game) + _1
        over, goes_on = simd.equal(legal, none), simd.less(taken, limits)
        simd.store(boards, game, new)
        simd.store(scores, game, simd.load(scores, game) + points)
        simd.store(numbers, game, number - moved)
        simd.store(steps, game, taken)
        simd.store(max_tiles, game, largest)
        simd.store(rewards, game, simd.choose(still, illegal_reward, value))
        simd.store_i32(masks, game, (legal * env.SPREAD) & env.SPREAD_KEEP)
        simd.store_u8(ready, game, legal & goes_on)
        simd.store_u8(terminated, game, over & _1)
        simd.store_u8(truncated, game, lane_bits.opposite(goes_on) & _1)
        observe(words, game, new)
        game += WIDTH
    return game


@kernel(LANES(LANES, LANES))
def random_legal_lanes(legal, draws):
    """One of the legal moves (4 bits) of each game, as `policies.random_legal`."""
    none, high = simd.in_all(_0), draws >> _32
    of_2, of_3 = high >> _31, (high * _3) >> _32
    answers = simd.choose(
        simd.equal(of_2, none), simd.in_all(NTH_OF_2[0]), simd.in_all(NTH_OF_2[1])
    )
    answers = answers | simd.choose(
        simd.equal(of_3, none),
        simd.in_all(NTH_OF_3[0]),
        simd.choose(
            simd.equal(of_3, simd.in_all(_1)), simd.in_all(NTH_OF_3[1]), simd.in_all(NTH_OF_3[2])
        ),
    )
    of_4 = high >> _30  # the move itself; the set of all four is 15, its answer two bits at 30
    return ((answers | NTH_OF_1[0] | (of_4 << _30)) >> (legal << _1)) & _3


@kernel(types.int64(U64_POINTER, types.uint64, I64_POINTER))
def sample_lanes(words, key, actions):
    """`sample_actions` for the first games, a multiple of WIDTH; returns their number."""
    masks, games = i32_at(words[env.LEGAL]), np.int64(words[env.GAMES])
    steps = (simd.lane_numbers() + _1) * GAMMA
    game = 0
    while game + WIDTH <= games:
        random_bits = lane_bits.mix(steps + (key + np.uint64(game) * GAMMA))
        legal = ((simd.load_i32(masks, game) * env.GATHER) >> _24) & _15
        simd.store_i64(actions, game, random_legal_lanes(legal, random_bits))
        game += WIDTH
    return game


_OUTCOME: Final = types.Tuple((types.int64, types.float64, types.int64, types.int64, types.int64))
_SEEDS: Final = types.uint64[::1]
_NUMBERS: Final = types.int64[::1]
_ROWS_OF_NUMBERS: Final = types.int64[:, ::1]
_MASKS: Final = types.int32[::1]
_BYTES: Final = types.uint8[::1]
_FLOATS: Final = types.float64[::1]


@kernel(types.int64(U64_POINTER))
def find_fault(words):
    """A fault, if an action is not possible, before anything is done; 0 if there is none."""
    games, actions = np.int64(words[env.GAMES]), i64_at(words[env.ACTIONS])
    high = np.int64(0)
    for game in range(games):
        high |= actions[game]
    if high & ~np.int64(3):
        for game in range(games):
            if actions[game] & ~np.int64(3):
                words[env.FAULTY] = np.uint64(game)
                return env.NO_MOVE
    if words[env.ILLEGAL] == env.REFUSED:
        masks, truncated = i32_at(words[env.LEGAL]), u8_at(words[env.TRUNCATED])
        for game in range(games):
            legal = env.gather_mask(np.uint64(masks[game]))
            if legal and not (legal >> actions[game]) & 1 and not truncated[game]:
                words[env.FAULTY] = np.uint64(game)
                return env.ILLEGAL_MOVE
    return 0


@kernel(types.int64(U64_POINTER))
def count_ended(words):
    """Number of games that have ended."""
    terminated, truncated = u8_at(words[env.TERMINATED]), u8_at(words[env.TRUNCATED])
    ended = np.int64(0)
    for game in range(np.int64(words[env.GAMES])):
        ended += np.int64(terminated[game] | truncated[game])
    return ended


@kernel(types.int64(types.int64))
def step(address):
    """One step of every game; `address` is that of the words.

    Returns the number of games that ended and of those that need seeds, see EXHAUSTED; or a fault,
    less than 0. A number is passed because it costs less than an array.
    """
    words = u64_at(np.uint64(address))
    fault = find_fault(words)
    if fault < 0:
        return fault
    games, game, exhausted = np.int64(words[env.GAMES]), np.int64(0), np.int64(0)
    while game < games:
        if game + WIDTH <= games:
            game = step_lanes(words, game)
        for one in range(game, min(game + WIDTH, games)):
            result = env.step_game(words, one)
            if result < 0:
                words[env.FAULTY] = np.uint64(one)
                return result
            exhausted += result
        game += WIDTH
    return count_ended(words) + (exhausted << env.EXHAUSTED)


@kernel(_OUTCOME(types.int64, types.int64))
def step_one(address, action):
    """One step of a single game with an action.

    Returns the result of `step`, the reward, and the game's SCORES, NUMBERS and MAX_TILES, in one
    tuple: for Python that is faster than reading the arrays.
    """
    words = u64_at(np.uint64(address))
    i64_at(words[env.ACTIONS])[0] = action
    result = step(address)
    score, number = i64_at(words[env.SCORES])[0], i64_at(words[env.NUMBERS])[0]
    return result, f64_at(words[env.REWARDS])[0], score, number, i64_at(words[env.MAX_TILES])[0]


@kernel(types.void(types.int64, _BYTES))
def begin_games(address, which):
    """Begin every game whose element of `which` is not 0, with its seed in SEEDS."""
    words = u64_at(np.uint64(address))
    for game in range(len(which)):
        if which[game]:
            env.begin(words, game)


@kernel(types.void(types.int64, types.int64))
def begin_game(address, game):
    """Begin one game, with its seed in SEEDS."""
    env.begin(u64_at(np.uint64(address)), game)


@kernel(types.int64(types.int64, _BYTES, _MASKS, _ROWS_OF_NUMBERS, _SEEDS))
def replace_games(address, which, legal, numbers, seeds):
    """Begin games with the next seeds, and save the final values of the games before.

    `which` is 1 for each game that begins. Fills their elements of `legal` (LEGAL), `numbers`
    (SCORES, NUMBERS and MAX_TILES, (3, games)) and `seeds` (SEEDS). Returns the number of games
    that need seeds.
    """
    words, exhausted = u64_at(np.uint64(address)), np.int64(0)
    for game in range(len(which)):
        if which[game]:
            legal[game] = i32_at(words[env.LEGAL])[game]
            numbers[0, game] = i64_at(words[env.SCORES])[game]
            numbers[1, game] = i64_at(words[env.NUMBERS])[game]
            numbers[2, game] = i64_at(words[env.MAX_TILES])[game]
            seeds[game] = u64_at(words[env.SEEDS])[game]
            exhausted += np.int64(env.begin_next(words, game))
    return exhausted


@kernel(types.void(types.int64, _NUMBERS, types.uint8[:, ::1]))
def place_games(address, games, boards):
    """Begin games on boards, exponents (len(games), cells), with score and counters at 0."""
    words = u64_at(np.uint64(address))
    rows, cols = np.int64(words[env.ROWS]), np.int64(words[env.COLS])
    for number in range(len(games)):
        game, bits, fits = games[number], np.uint64(0), words[env.MASK] != 0
        env.clear(words, game)
        cells = u8_at(words[env.CELLS] + np.uint64(game * rows * cols))
        for row in range(rows):
            for col in range(cols):
                tile = boards[number, row * cols + col]
                cells[row * cols + col] = tile
                fits &= tile <= BITS_MAX_EXPONENT
                if fits:
                    bits |= np.uint64(tile) << on_bits.shift_of(row, col)
        u64_at(words[env.BITS])[game] = bits
        u8_at(words[env.ON_CELLS])[game] = np.uint8(not fits)
        env.refresh(words, game)


@kernel(types.void(types.int64, types.uint64, _NUMBERS))
def sample_actions(address, key, actions):
    """A random legal move of each game, chosen by `dice(key, game)`; 0 without one."""
    words = u64_at(np.uint64(address))
    masks = i32_at(words[env.LEGAL])
    for game in range(sample_lanes(words, key, pointer(actions)), len(actions)):
        legal = env.gather_mask(np.uint64(masks[game]))
        actions[game] = random_legal(legal, dice(key, np.uint64(game)))


@kernel(types.void(types.int64, _ROWS_OF_NUMBERS))
def foresee_spawns(address, spawns):
    """The cell (row 0) and the tile (row 1) of the spawn that the next step of each game makes.

    -1 and 0 for a step without a spawn. `spawns` is (2, games).
    """
    words = u64_at(np.uint64(address))
    rows, cols = np.int64(words[env.ROWS]), np.int64(words[env.COLS])
    count, distribution = rows * cols, u64_at(words[env.DISTRIBUTION])
    before, after = (
        u8_at(words[env.SCRATCH]),
        u8_at(words[env.SCRATCH] + np.uint64(env.SCRATCH_SIZE // 2)),
    )
    for game in range(spawns.shape[1]):
        spawns[0, game], spawns[1, game] = -1, 0
        move = i64_at(words[env.ACTIONS])[game] & np.int64(3)
        legal = env.gather_mask(np.uint64(i32_at(words[env.LEGAL])[game]))
        if not (legal >> move) & 1 or u8_at(words[env.TRUNCATED])[game]:
            continue
        cells = before
        if u8_at(words[env.ON_CELLS])[game]:
            cells = u8_at(words[env.CELLS] + np.uint64(game * count))
        else:
            on_bits.unpack(u64_at(words[env.BITS])[game], rows, cols, before)
        if on_cells.slide(cells, rows, cols, move, after) == on_cells.TOO_LARGE:
            continue
        for cell in range(count):
            before[cell] = after[cell]
        number = words[env.START_TILES] + np.uint64(i64_at(words[env.NUMBERS])[game])
        random_bits = dice(u64_at(words[env.SEEDS])[game], number)
        on_cells.place_spawn(after, count, random_bits, distribution)
        for cell in range(count):
            if before[cell] != after[cell]:
                spawns[0, game], spawns[1, game] = cell, np.int64(1) << np.int64(after[cell])


@kernel(types.int64(types.int64, _BYTES, _FLOATS))
def afterstates(address, observations, rewards):
    """The afterstates of the four moves of every game; 0 or a fault.

    Fills 4 observations and 4 rewards per game: the board itself and 0 for an illegal move.
    """
    words = u64_at(np.uint64(address))
    rows, cols = np.int64(words[env.ROWS]), np.int64(words[env.COLS])
    count, form, goal = rows * cols, np.int64(words[env.FORM]), np.int64(words[env.GOAL])
    planes = np.int64(words[env.PLANES])
    across, down, mask = u64_at(words[env.ACROSS]), u64_at(words[env.DOWN]), words[env.MASK]
    masks, boards, max_tiles = (
        i32_at(words[env.LEGAL]),
        u64_at(words[env.BITS]),
        i64_at(words[env.MAX_TILES]),
    )
    before, after = (
        u8_at(words[env.SCRATCH]),
        u8_at(words[env.SCRATCH] + np.uint64(env.SCRATCH_SIZE // 2)),
    )
    for place in range(len(rewards)):
        game, move = place >> 2, place & 3
        target = np.uint64(observations.ctypes.data) + words[env.SIZE] * np.uint64(place)
        on = u8_at(words[env.ON_CELLS])[game] != 0
        bits = boards[game]
        legal = (env.gather_mask(np.uint64(masks[game])) >> move) & 1
        if not on:
            slid, packed = on_bits.slide(bits, move, across, down)
            if not legal or not on_bits.overflows(packed):
                if legal:
                    points = on_bits.reward_of(packed)
                    merges = on_bits.count_empty(slid, mask) - on_bits.count_empty(bits, mask)
                    made = env.exponents_made(bits, slid, merges)
                    top = np.int64(1) << on_bits.max_exponent(slid)
                    made_goal = max_tiles[game] < goal and top >= goal
                    rewards[place] = env.reward_value(
                        np.int64(words[env.REWARD]), points, made, made_goal
                    )
                    env.observe_bits(form, planes, slid, rows, cols, target)
                else:
                    rewards[place] = 0.0
                    env.observe_bits(form, planes, bits, rows, cols, target)
                continue
            on_bits.unpack(bits, rows, cols, before)
            cells = before
        else:
            cells = u8_at(words[env.CELLS] + np.uint64(game * count))
        if not legal:
            rewards[place] = 0.0
            env.observe_cells(form, planes, cells, rows, cols, target)
            continue
        points = on_cells.slide(cells, rows, cols, move, after)
        if points == on_cells.TOO_LARGE:
            words[env.FAULTY] = np.uint64(game)
            return env.TOO_LARGE
        top = np.int64(1) << on_cells.max_exponent(after, count)
        made_goal = max_tiles[game] < goal and top >= goal
        made = env.exponents_made_on_cells(cells, after, count)
        rewards[place] = env.reward_value(np.int64(words[env.REWARD]), points, made, made_goal)
        env.observe_cells(form, planes, after, rows, cols, target)
    return 0
