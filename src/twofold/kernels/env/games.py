"""One game of an environment: its start, its steps and its end; `env.words` has the layout.

A step takes the fast path if the game is on bits and the move is one of its READY moves. The slow
path handles illegal actions, games that have ended, and games on cells.
"""

import numpy as np
from numba import types

from twofold.kernels._jit import kernel
from twofold.kernels.env.forms import (
    exponents_made,
    exponents_made_on_cells,
    gather_mask,
    observe_bits,
    observe_cells,
    reward_value,
    spread_mask,
)
from twofold.kernels.env.words import (
    ACROSS,
    ACTIONS,
    AHEAD,
    AUTORESET,
    BITS,
    BLOCK,
    CELLS,
    COLS,
    DISTRIBUTION,
    DOWN,
    FORM,
    GOAL,
    ILLEGAL,
    LEGAL,
    LIMIT,
    MASK,
    MAX_TILES,
    MERGED_EXPONENTS,
    NUMBERS,
    OBSERVATIONS,
    ON_CELLS,
    PENALTY,
    PENALTY_TAKEN,
    PLANES,
    READY,
    REWARD,
    REWARDS,
    ROWS,
    SCORES,
    SCRATCH,
    SEEDS,
    SIZE,
    START_TILES,
    STEPS,
    STOPS,
    TERMINATED,
    TERMINATES,
    TOO_LARGE,
    TRUNCATED,
    USED,
)
from twofold.kernels.intrinsics import U64_POINTER, as_f64, f64_at, i32_at, i64_at, u8_at, u64_at
from twofold.kernels.rules import bits as on_bits
from twofold.kernels.rules import cells as on_cells
from twofold.kernels.rules.dice import dice
from twofold.kernels.rules.play import start_bits


@kernel(types.void(U64_POINTER, types.int64))
def refresh(words, game):
    """Recompute largest tile, legal moves and observation from the board."""
    rows, cols = np.int64(words[ROWS]), np.int64(words[COLS])
    address = words[OBSERVATIONS] + words[SIZE] * np.uint64(game)
    if u8_at(words[ON_CELLS])[game]:
        cells = u8_at(words[CELLS] + np.uint64(game * rows * cols))
        legal = on_cells.legal_mask(cells, rows, cols)
        largest = on_cells.max_exponent(cells, rows * cols)
        observe_cells(np.int64(words[FORM]), np.int64(words[PLANES]), cells, rows, cols, address)
    else:
        bits = u64_at(words[BITS])[game]
        legal = on_bits.legal_mask(bits, u64_at(words[ACROSS]), u64_at(words[DOWN]))
        largest = on_bits.max_exponent(bits)
        observe_bits(np.int64(words[FORM]), np.int64(words[PLANES]), bits, rows, cols, address)
    max_tile = (np.int64(1) << largest) & ~np.int64(1)
    if words[STOPS] and max_tile >= np.int64(words[GOAL]):
        legal = 0
    i64_at(words[MAX_TILES])[game] = max_tile
    i32_at(words[LEGAL])[game] = np.int32(spread_mask(legal))
    u8_at(words[READY])[game] = np.uint8(0 if u8_at(words[ON_CELLS])[game] else legal)


@kernel(types.void(U64_POINTER, types.int64))
def clear(words, game):
    """Reset the score, the counters and the flags of a game."""
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
    seed, distribution = u64_at(words[SEEDS])[game], u64_at(words[DISTRIBUTION])
    count = np.int64(words[ROWS] * words[COLS])
    if words[MASK]:
        u64_at(words[BITS])[game] = start_bits(seed, words[START_TILES], words[MASK], distribution)
        u8_at(words[ON_CELLS])[game] = np.uint8(0)
    else:
        cells = u8_at(words[CELLS] + np.uint64(game * count))
        for cell in range(count):
            cells[cell] = np.uint8(0)
        for number in range(np.int64(words[START_TILES])):
            on_cells.place_spawn(cells, count, dice(seed, np.uint64(number)), distribution)
        u8_at(words[ON_CELLS])[game] = np.uint8(1)
    refresh(words, game)


@kernel(types.boolean(U64_POINTER, types.int64))
def begin_next(words, game):
    """Begin a game with the next seed in AHEAD; returns whether it was the last one."""
    used = i64_at(words[USED])[game]
    block = np.int64(words[BLOCK])
    u64_at(words[SEEDS])[game] = u64_at(words[AHEAD])[game * block + used]
    i64_at(words[USED])[game] = used + 1
    begin(words, game)
    return used + 1 == block


@kernel(types.void(U64_POINTER, types.int64))
def end(words, game):
    """Mark a game as terminated, without legal moves."""
    u8_at(words[TERMINATED])[game] = np.uint8(1)
    i32_at(words[LEGAL])[game] = np.int32(0)
    u8_at(words[READY])[game] = np.uint8(0)


@kernel(types.void(U64_POINTER, types.int64))
def count_step(words, game):
    """Count a step; at the limit the game is truncated."""
    steps = i64_at(words[STEPS])[game] + 1
    i64_at(words[STEPS])[game] = steps
    if steps >= np.int64(words[LIMIT]):
        u8_at(words[TRUNCATED])[game] = np.uint8(1)
        u8_at(words[READY])[game] = np.uint8(0)


@kernel(types.int64(U64_POINTER, types.int64, types.int64))
def move_on_cells(words, game, move):
    """Make a legal move of a game on cells, and update the game; 0 or a fault."""
    rows, cols = np.int64(words[ROWS]), np.int64(words[COLS])
    count = rows * cols
    cells = u8_at(words[CELLS] + np.uint64(game * count))
    after = u8_at(words[SCRATCH])
    points = on_cells.slide(cells, rows, cols, move, after)
    if points == on_cells.TOO_LARGE:
        return TOO_LARGE
    exponents, reward_form = np.int64(0), np.int64(words[REWARD])
    if reward_form == MERGED_EXPONENTS:
        exponents = exponents_made_on_cells(cells, after, count)
    for cell in range(count):
        cells[cell] = after[cell]
    number = i64_at(words[NUMBERS])[game]
    spawn = words[START_TILES] + np.uint64(number)
    random_bits = dice(u64_at(words[SEEDS])[game], spawn)
    on_cells.place_spawn(cells, count, random_bits, u64_at(words[DISTRIBUTION]))
    i64_at(words[SCORES])[game] += points
    i64_at(words[NUMBERS])[game] = number + 1
    before = i64_at(words[MAX_TILES])[game]
    refresh(words, game)
    goal = np.int64(words[GOAL])
    made_goal = before < goal and i64_at(words[MAX_TILES])[game] >= goal
    value = reward_value(reward_form, points, exponents, made_goal)
    f64_at(words[REWARDS])[game] = value
    if i32_at(words[LEGAL])[game] == 0:
        end(words, game)
    count_step(words, game)
    return 0


@kernel(types.int64(U64_POINTER, types.int64, types.int64))
def step_slowly(words, game, move):
    """A step that the fast path cannot make.

    Returns 0; 1 if a new game has used the last seed in AHEAD; or a fault.
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
            on_bits.unpack(bits, np.int64(words[ROWS]), np.int64(words[COLS]), cells)
            u8_at(words[ON_CELLS])[game] = np.uint8(1)
            u8_at(words[READY])[game] = np.uint8(0)
        return move_on_cells(words, game, move)
    if words[ILLEGAL] == PENALTY_TAKEN:
        f64_at(words[REWARDS])[game] = -as_f64(words[PENALTY])
    elif words[ILLEGAL] == TERMINATES:
        end(words, game)
    count_step(words, game)
    return 0


@kernel(types.int64(U64_POINTER, types.int64))
def step_game(words, game):
    """One step of one game, on the fast path if possible; returns as `step_slowly`."""
    across, down, mask = u64_at(words[ACROSS]), u64_at(words[DOWN]), words[MASK]
    move = i64_at(words[ACTIONS])[game]
    bits = u64_at(words[BITS])[game]
    after, packed = on_bits.slide(bits, move, across, down)
    fast = (np.int64(u8_at(words[READY])[game]) >> move) & 1
    if fast == 0 or on_bits.overflows(packed):
        return step_slowly(words, game, move)
    number = i64_at(words[NUMBERS])[game]
    random_bits = dice(u64_at(words[SEEDS])[game], words[START_TILES] + np.uint64(number))
    new = on_bits.place_spawn(after, mask, random_bits, u64_at(words[DISTRIBUTION]))
    legal = on_bits.legal_mask(new, across, down)
    points, goal = on_bits.reward_of(packed), np.int64(words[GOAL])
    before = i64_at(words[MAX_TILES])[game]
    largest = np.int64(1) << on_bits.max_exponent(new)
    if words[STOPS] and largest >= goal:
        legal = np.int64(0)
    merges = on_bits.count_empty(after, mask) - on_bits.count_empty(bits, mask)
    exponents = exponents_made(bits, after, merges)
    made_goal = before < goal and largest >= goal
    value = reward_value(np.int64(words[REWARD]), points, exponents, made_goal)
    u64_at(words[BITS])[game] = new
    i64_at(words[SCORES])[game] += points
    i64_at(words[NUMBERS])[game] = number + 1
    i64_at(words[MAX_TILES])[game] = largest
    f64_at(words[REWARDS])[game] = value
    i32_at(words[LEGAL])[game] = np.int32(spread_mask(legal))
    u8_at(words[READY])[game] = np.uint8(legal)
    u8_at(words[TERMINATED])[game] = np.uint8(legal == 0)
    address = words[OBSERVATIONS] + words[SIZE] * np.uint64(game)
    form, rows, cols = np.int64(words[FORM]), np.int64(words[ROWS]), np.int64(words[COLS])
    observe_bits(form, np.int64(words[PLANES]), new, rows, cols, address)
    count_step(words, game)
    return np.int64(0)
