"""Many games, one step each, in one call: what the environment for reinforcement learning runs on.

`environment_words` says what a game is here. A step takes the fast path where the game lies in 64
bits and the move is one of its READY moves. Everything else goes the slow way: an action that is
no legal move, a game that has ended, one that has left the 64 bits.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels import cells as on_cells
from twofold.kernels._jit import kernel
from twofold.kernels.dice import dice
from twofold.kernels.environment_forms import (
    exponents_made,
    exponents_made_on_cells,
    gather_mask,
    observe_bits,
    observe_cells,
    reward_value,
    spread_mask,
    unpack,
)
from twofold.kernels.environment_words import (
    ACROSS,
    ACTIONS,
    AHEAD,
    AUTORESET,
    BITS,
    BLOCK,
    CELLS,
    COLS,
    DOWN,
    EXHAUSTED,
    FAULTY,
    FORM,
    GAMES,
    GOAL,
    ILLEGAL,
    ILLEGAL_MOVE,
    LARGEST_SPAWN,
    LAW,
    LEGAL,
    LIMIT,
    MASK,
    MAX_TILES,
    MERGED_EXPONENTS,
    NO_MOVE,
    NUMBERS,
    OBSERVATIONS,
    ON_CELLS,
    PENALTY,
    PENALTY_TAKEN,
    POINTS,
    READY,
    REFUSED,
    REWARD,
    REWARDS,
    ROWS,
    SCORES,
    SCRATCH,
    SCRATCH_SIZE,
    SEEDS,
    SIZE,
    START_TILES,
    STEPS,
    STOPS,
    TERMINATED,
    TERMINATES,
    TOO_LARGE,
    TRUNCATED,
    TURNED,
    USED,
)
from twofold.kernels.intrinsics import (
    U64_POINTER,
    as_f64,
    f64_at,
    i32_at,
    i64_at,
    pointer,
    u8_at,
    u64_at,
)
from twofold.kernels.play import start_bits
from twofold.kernels.policies import random_legal

_WORDS: Final = types.Array(types.uint64, 1, "C")
_ACTIONS: Final = types.Array(types.int64, 1, "C")
_BYTES: Final = types.Array(types.uint8, 1, "C")
_FLOATS: Final = types.Array(types.float64, 1, "C")


@kernel(types.void(U64_POINTER, types.int64))
def refresh(words, game):
    """Find out anew what follows from the board: largest tile, legal moves, observation."""
    rows, cols = np.int64(words[ROWS]), np.int64(words[COLS])
    address = words[OBSERVATIONS] + words[SIZE] * np.uint64(game)
    if u8_at(words[ON_CELLS])[game]:
        cells = u8_at(words[CELLS] + np.uint64(game * rows * cols))
        legal = on_cells.legal_mask(cells, rows, cols)
        largest = on_cells.max_exponent(cells, rows * cols)
        observe_cells(np.int64(words[FORM]), cells, rows, cols, address)
    else:
        bits = u64_at(words[BITS])[game]
        u64_at(words[TURNED])[game] = on_bits.transpose(bits)
        legal = on_bits.legal_mask(bits, u64_at(words[ACROSS]), u64_at(words[DOWN]))
        largest = on_bits.max_exponent(bits)
        observe_bits(np.int64(words[FORM]), bits, rows, cols, address)
    max_tile = (np.int64(1) << largest) & ~np.int64(1)
    if words[STOPS] and max_tile >= np.int64(words[GOAL]):
        legal = 0
    i64_at(words[MAX_TILES])[game] = max_tile
    i32_at(words[LEGAL])[game] = np.int32(spread_mask(legal))
    u8_at(words[READY])[game] = np.uint8(0 if u8_at(words[ON_CELLS])[game] else legal)


@kernel(types.void(U64_POINTER, types.int64))
def clear(words, game):
    """A game has no moves, no steps and no end behind it."""
    i64_at(words[SCORES])[game] = 0
    i64_at(words[NUMBERS])[game] = 0
    i64_at(words[STEPS])[game] = 0
    f64_at(words[REWARDS])[game] = 0.0
    u8_at(words[TERMINATED])[game] = np.uint8(0)
    u8_at(words[TRUNCATED])[game] = np.uint8(0)


@kernel(types.void(U64_POINTER, types.int64))
def begin(words, game):
    """Begin the game of the seed in SEEDS."""
    clear(words, game)
    seed, law = u64_at(words[SEEDS])[game], u64_at(words[LAW])
    count = np.int64(words[ROWS] * words[COLS])
    if words[MASK]:
        u64_at(words[BITS])[game] = start_bits(seed, words[START_TILES], words[MASK], law)
        u8_at(words[ON_CELLS])[game] = np.uint8(0)
    else:
        cells = u8_at(words[CELLS] + np.uint64(game * count))
        for cell in range(count):
            cells[cell] = np.uint8(0)
        for number in range(np.int64(words[START_TILES])):
            on_cells.place_spawn(cells, count, dice(seed, np.uint64(number)), law)
        u8_at(words[ON_CELLS])[game] = np.uint8(1)
    refresh(words, game)


@kernel(types.boolean(U64_POINTER, types.int64))
def begin_next(words, game):
    """Begin a game with the next seed that is kept ready; whether that was the last one."""
    used = i64_at(words[USED])[game]
    block = np.int64(words[BLOCK])
    u64_at(words[SEEDS])[game] = u64_at(words[AHEAD])[game * block + used]
    i64_at(words[USED])[game] = used + 1
    begin(words, game)
    return used + 1 == block


@kernel(types.void(U64_POINTER, types.int64))
def end(words, game):
    """A game is over: no move can be made any more."""
    u8_at(words[TERMINATED])[game] = np.uint8(1)
    i32_at(words[LEGAL])[game] = np.int32(0)
    u8_at(words[READY])[game] = np.uint8(0)


@kernel(types.void(U64_POINTER, types.int64))
def count_step(words, game):
    """One step more; at the limit the game is cut off."""
    steps = i64_at(words[STEPS])[game] + 1
    i64_at(words[STEPS])[game] = steps
    if steps >= np.int64(words[LIMIT]):
        u8_at(words[TRUNCATED])[game] = np.uint8(1)
        u8_at(words[READY])[game] = np.uint8(0)


@kernel(types.int64(U64_POINTER, types.int64, types.int64))
def move_on_cells(words, game, move):
    """A legal move of a game on cells, with all that follows; 0 or a fault."""
    rows, cols = np.int64(words[ROWS]), np.int64(words[COLS])
    count = rows * cols
    cells = u8_at(words[CELLS] + np.uint64(game * count))
    after = u8_at(words[SCRATCH])
    points = on_cells.slide(cells, rows, cols, move, after)
    if points == on_cells.TOO_LARGE:
        return TOO_LARGE
    exponents = exponents_made_on_cells(cells, after, count)
    for cell in range(count):
        cells[cell] = after[cell]
    number = i64_at(words[NUMBERS])[game]
    spawn = words[START_TILES] + np.uint64(number)
    random_bits = dice(u64_at(words[SEEDS])[game], spawn)
    on_cells.place_spawn(cells, count, random_bits, u64_at(words[LAW]))
    i64_at(words[SCORES])[game] += points
    i64_at(words[NUMBERS])[game] = number + 1
    before = i64_at(words[MAX_TILES])[game]
    refresh(words, game)
    goal = np.int64(words[GOAL])
    made_goal = before < goal and i64_at(words[MAX_TILES])[game] >= goal
    value = reward_value(np.int64(words[REWARD]), points, exponents, made_goal)
    f64_at(words[REWARDS])[game] = value
    if i32_at(words[LEGAL])[game] == 0:
        end(words, game)
    count_step(words, game)
    return 0


@kernel(types.int64(U64_POINTER, types.int64, types.int64))
def step_slowly(words, game, move):
    """One step of a game that the fast path cannot make.

    Returns:
        0; 1 where a new game has used up the seeds kept ready; or a fault.
    """
    f64_at(words[REWARDS])[game] = 0.0
    if u8_at(words[TERMINATED])[game] or u8_at(words[TRUNCATED])[game]:
        return np.int64(begin_next(words, game)) if words[AUTORESET] else 0
    legal = gather_mask(np.uint64(i32_at(words[LEGAL])[game]))
    if legal == 0:  # over since its start
        end(words, game)
        count_step(words, game)
        return 0
    if (legal >> move) & 1:
        if not u8_at(words[ON_CELLS])[game]:
            count = words[ROWS] * words[COLS]
            cells = u8_at(words[CELLS] + np.uint64(game) * count)
            bits = u64_at(words[BITS])[game]
            unpack(bits, np.int64(words[ROWS]), np.int64(words[COLS]), cells)
            u8_at(words[ON_CELLS])[game] = np.uint8(1)
            u8_at(words[READY])[game] = np.uint8(0)
        return move_on_cells(words, game, move)
    if words[ILLEGAL] == PENALTY_TAKEN:
        f64_at(words[REWARDS])[game] = -as_f64(words[PENALTY])
    elif words[ILLEGAL] == TERMINATES:
        end(words, game)
    count_step(words, game)
    return 0


@kernel(types.int64(U64_POINTER))
def find_fault(words):
    """The first action that cannot be taken, before anything is done; 0 if there is none."""
    games, actions = np.int64(words[GAMES]), i64_at(words[ACTIONS])
    high = np.int64(0)
    for game in range(games):
        high |= actions[game]
    if high & ~np.int64(3):
        for game in range(games):
            if actions[game] & ~np.int64(3):
                words[FAULTY] = np.uint64(game)
                return NO_MOVE
    if words[ILLEGAL] == REFUSED:
        masks, truncated = i32_at(words[LEGAL]), u8_at(words[TRUNCATED])
        for game in range(games):
            legal = gather_mask(np.uint64(masks[game]))
            if legal and not (legal >> actions[game]) & 1 and not truncated[game]:
                words[FAULTY] = np.uint64(game)
                return ILLEGAL_MOVE
    return 0


@kernel(types.int64(types.int64))
def step(address):
    """One step of every game.

    Args:
        address: of the words of the games; a number, as one game is stepped sooner than an
            array is handed over.

    Returns:
        How many games ended and how many need seeds, see EXHAUSTED; or a fault, less than 0.
    """
    words = u64_at(np.uint64(address))
    fault = find_fault(words)
    if fault < 0:
        return fault
    games, actions = np.int64(words[GAMES]), i64_at(words[ACTIONS])
    across, down, mask = u64_at(words[ACROSS]), u64_at(words[DOWN]), words[MASK]
    law, start_tiles = u64_at(words[LAW]), words[START_TILES]
    rows, cols = np.int64(words[ROWS]), np.int64(words[COLS])
    largest_spawn, goal = np.int64(words[LARGEST_SPAWN]), np.int64(words[GOAL])
    stop_tile = goal if words[STOPS] else np.int64(1) << 62
    form, size, reward_form = np.int64(words[FORM]), words[SIZE], np.int64(words[REWARD])
    limit = np.int64(words[LIMIT])
    boards, turns = u64_at(words[BITS]), u64_at(words[TURNED])
    ready, seeds = u8_at(words[READY]), u64_at(words[SEEDS])
    scores, numbers, steps = i64_at(words[SCORES]), i64_at(words[NUMBERS]), i64_at(words[STEPS])
    max_tiles, masks, rewards = (
        i64_at(words[MAX_TILES]),
        i32_at(words[LEGAL]),
        f64_at(words[REWARDS]),
    )
    terminated, truncated = u8_at(words[TERMINATED]), u8_at(words[TRUNCATED])
    observations = words[OBSERVATIONS]
    mask_change = mask ^ on_bits.transpose(mask)
    ended, exhausted = np.int64(0), np.int64(0)
    for game in range(games):
        move = actions[game]
        fast = (np.int64(ready[game]) >> move) & 1
        # As in `play.play_bits`: masks in place of branches that the processor cannot predict.
        bits = boards[game]
        vertical = np.uint64((move & 1) - 1)  # all ones for up and down
        lines = bits ^ ((bits ^ turns[game]) & vertical)
        a, b, c, d = on_bits.entries(lines, across if move & 1 else down)
        packed = on_bits.pack_reward(a, b, c, d)
        if fast == 0 or on_bits.overflows(packed):
            result = step_slowly(words, game, move)
            if result < 0:
                words[FAULTY] = np.uint64(game)
                return result
            exhausted += result
            ended += np.int64(terminated[game] | truncated[game])
            continue
        shift = np.uint64(((move == 1) | (move == 2)) << 4)  # right and down: the second row
        after = on_bits.join_rows(a >> shift, b >> shift, c >> shift, d >> shift)
        count = on_bits.count_empty(after, mask ^ (mask_change & vertical))
        crossed = on_bits.transpose(after)
        difference = (after ^ crossed) & vertical
        after ^= difference
        number = numbers[game]
        random_bits = dice(seeds[game], start_tiles + np.uint64(number))
        empty = on_bits.empty_mask(after, mask)
        shift, exponent = on_bits.choose_spawn(empty, count, random_bits, law)
        new = after | (exponent << shift)
        turned = (crossed ^ difference) | (exponent << on_bits.transpose_shift(shift))
        e, f, g, h = on_bits.entries(new, across)
        i, j, k, m = on_bits.entries(turned, down)
        legal = on_bits.legal_from_entries(e | f | g | h, i | j | k | m)
        points = on_bits.reward_of(packed)
        before = max_tiles[game]
        largest = before
        if points >= 2 * before or before < largest_spawn:  # there may be a new largest tile
            largest = np.int64(1) << on_bits.max_exponent(new)
            max_tiles[game] = largest
            if largest >= stop_tile:
                legal = np.int64(0)
        if reward_form == POINTS:
            rewards[game] = np.float64(points)
        elif reward_form == MERGED_EXPONENTS:
            merges = count - on_bits.count_empty(bits, mask)
            rewards[game] = np.float64(exponents_made(bits, after, merges))
        else:
            rewards[game] = np.float64(before < goal and largest >= goal)
        over, taken = np.uint8(legal == 0), steps[game] + 1
        cut = np.uint8(taken >= limit)
        boards[game] = new
        turns[game] = turned
        scores[game] += points
        numbers[game] = number + 1
        steps[game] = taken
        masks[game] = np.int32(spread_mask(legal))
        ready[game] = np.uint8(0 if cut else legal)
        terminated[game] = over
        truncated[game] = cut
        observe_bits(form, new, rows, cols, observations + size * np.uint64(game))
        ended += np.int64(over | cut)
    return ended + (exhausted << EXHAUSTED)


@kernel(types.void(_WORDS, _BYTES))
def begin_games(game_words, which):
    """Begin every game whose element of `which` is not 0, with its seed in SEEDS."""
    words = pointer(game_words)
    for game in range(len(which)):
        if which[game]:
            begin(words, game)


@kernel(types.void(_WORDS, types.int64))
def refresh_game(game_words, game):
    """What follows from a board that was put there."""
    refresh(pointer(game_words), game)


@kernel(types.void(_WORDS, types.uint64, _ACTIONS))
def sample_actions(game_words, key, actions):
    """A legal move of each game, all equally likely: `dice(key, game)` chooses; 0 without one."""
    masks = i32_at(game_words[LEGAL])
    for game in range(len(actions)):
        legal = gather_mask(np.uint64(masks[game]))
        actions[game] = random_legal(legal, dice(key, np.uint64(game)))


@kernel(types.int64(_WORDS, _BYTES, _FLOATS))
def afterstates(game_words, observations, rewards):
    """The afterstates of the four moves of every game.

    Args:
        game_words: the words of the games.
        observations: bytes of 4 observations a game, to be filled; the board itself where a
            move cannot be made.
        rewards: 4 a game, to be filled; 0 where a move cannot be made.

    Returns:
        0 or a fault.
    """
    words = pointer(game_words)
    rows, cols = np.int64(words[ROWS]), np.int64(words[COLS])
    count, form, goal = rows * cols, np.int64(words[FORM]), np.int64(words[GOAL])
    across, down, mask = u64_at(words[ACROSS]), u64_at(words[DOWN]), words[MASK]
    masks, boards, max_tiles = i32_at(words[LEGAL]), u64_at(words[BITS]), i64_at(words[MAX_TILES])
    before, after = u8_at(words[SCRATCH]), u8_at(words[SCRATCH] + np.uint64(SCRATCH_SIZE // 2))
    for place in range(len(rewards)):
        game, move = place >> 2, place & 3
        address = np.uint64(observations.ctypes.data) + words[SIZE] * np.uint64(place)
        on = u8_at(words[ON_CELLS])[game] != 0
        bits = boards[game]
        legal = (gather_mask(np.uint64(masks[game])) >> move) & 1
        if not on:
            slid, packed = on_bits.slide(bits, move, across, down)
            if not legal or not on_bits.overflows(packed):
                if legal:
                    points = on_bits.reward_of(packed)
                    merges = on_bits.count_empty(slid, mask) - on_bits.count_empty(bits, mask)
                    made = exponents_made(bits, slid, merges)
                    top = np.int64(1) << on_bits.max_exponent(slid)
                    made_goal = max_tiles[game] < goal and top >= goal
                    rewards[place] = reward_value(np.int64(words[REWARD]), points, made, made_goal)
                    observe_bits(form, slid, rows, cols, address)
                else:
                    rewards[place] = 0.0
                    observe_bits(form, bits, rows, cols, address)
                continue
            unpack(bits, rows, cols, before)
            cells = before
        else:
            cells = u8_at(words[CELLS] + np.uint64(game * count))
        if not legal:
            rewards[place] = 0.0
            observe_cells(form, cells, rows, cols, address)
            continue
        points = on_cells.slide(cells, rows, cols, move, after)
        if points == on_cells.TOO_LARGE:
            words[FAULTY] = np.uint64(game)
            return TOO_LARGE
        top = np.int64(1) << on_cells.max_exponent(after, count)
        made_goal = max_tiles[game] < goal and top >= goal
        made = exponents_made_on_cells(cells, after, count)
        rewards[place] = reward_value(np.int64(words[REWARD]), points, made, made_goal)
        observe_cells(form, after, rows, cols, address)
    return 0
