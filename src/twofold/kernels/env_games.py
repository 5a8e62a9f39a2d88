"""One game of an environment: its layout, its observations and rewards, its start, steps and end.

A game is one element in each of several arrays. Their addresses and the constants of the games
are a uint64 array of WORDS elements, whose owner keeps the arrays alive.

A step takes the fast path if the game is on bits and the move is one of its READY moves. The slow
path handles illegal actions, games that have ended, and games on cells.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels import cells as on_cells
from twofold.kernels._jit import kernel
from twofold.kernels.bits import shift_of
from twofold.kernels.intrinsics import (
    U8_POINTER,
    U64_POINTER,
    as_f64,
    f64_at,
    i32_at,
    i64_at,
    intrinsic,
    u8_at,
    u64_at,
)
from twofold.kernels.play import dice, start_bits

# Forms of an observation and of a reward; effects of an illegal action.
#   EXPONENTS         uint8, shape (rows, cols)
#   ONEHOT            uint8, shape (planes, rows, cols): 1 if a cell holds the exponent of the
#                     plane
#   TILES             int64, shape (rows, cols)
#   BITS_FORM         uint64: the 64-bit form, with 15 for larger exponents
#   POINTS            The sum of the tiles made
#   MERGED_EXPONENTS  The sum of their exponents
EXPONENTS, ONEHOT, TILES, BITS_FORM = range(4)
POINTS, MERGED_EXPONENTS = range(2)
PENALTY_TAKEN, TERMINATES, REFUSED = range(1, 4)

# Constant words.
#   ACROSS, DOWN  Addresses of row tables, see `bits.Frame`; of any if games begin on cells
#   MASK          Mask of the shape; 0 if games begin on cells
#   DISTRIBUTION  Address of the spawn distribution, see `play.spawn_distribution`
#   GOAL          The goal tile
#   STOPS         Whether a game ends at the goal
#   FORM          Form of the observations
#   SIZE          Bytes of one observation
#   PENALTY       Reward lost by an illegal action, the bits of a float64
#   LIMIT         Number of steps after which a game is truncated
#   AUTORESET     Whether a step begins a new game after the end of a game
#   BLOCK         Number of seeds in AHEAD for each game
#   PLANES        Planes of an observation as ONEHOT: one for each exponent that the rules allow,
#                 and 0
GAMES, ROWS, COLS, ACROSS, DOWN, MASK, DISTRIBUTION, START_TILES, GOAL, STOPS = range(10)
FORM, SIZE, REWARD, ILLEGAL, PENALTY, LIMIT, AUTORESET, BLOCK, PLANES = range(10, 19)

# Words that are addresses; one element per game unless said otherwise.
#   BITS          uint64: the board, while the game is on bits
#   CELLS         uint8, rows * cols per game: the board, once it is on cells
#   ON_CELLS      uint8: whether the game is on cells
#   READY         uint8: the moves that the fast path can make, as 4 bits
#   SEEDS         uint64: seed of the dice
#   SCORES        int64
#   NUMBERS       int64: move number
#   STEPS         int64: steps since the start, including those with illegal actions
#   MAX_TILES     int64
#   LEGAL         int8, 4 per game: 1 for each legal move
#   REWARDS       float64: of the last step
#   TERMINATED    uint8
#   TRUNCATED     uint8
#   OBSERVATIONS  SIZE bytes per game
#   AHEAD         uint64, BLOCK per game: seeds of the next games
#   USED          int64: number of these seeds already used
#   SCRATCH       uint8 (SCRATCH_SIZE,)
#   ACTIONS       int64: the action of the next step, 0 to 3; ignored if the game has ended
#   FAULTY        The game at fault, written by kernels
#   SCRATCH_SIZE  Two boards on cells
BITS, CELLS, ON_CELLS, READY, SEEDS, SCORES, NUMBERS, STEPS, MAX_TILES, LEGAL = range(19, 29)
REWARDS, TERMINATED, TRUNCATED, OBSERVATIONS, AHEAD, USED, SCRATCH, ACTIONS = range(29, 37)
FAULTY, WORDS = range(37, 39)
SCRATCH_SIZE: Final = 128

# Results of a step.
EXHAUSTED: Final = 32
"""Bits 0 to 31: number of games that ended in this step; from here on: games without seeds."""
NO_MOVE: Final = -1
"""An action is not 0 to 3; no game made a step."""
ILLEGAL_MOVE: Final = -2
"""An action is illegal and illegal actions are refused; no game made a step."""
TOO_LARGE: Final = -3
"""A merge would pass the largest exponent; the games before this one have made their step."""


_LOW_NIBBLES: Final = np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTE_SUM: Final = np.uint64(0x0101010101010101)
SPREAD: Final = np.uint64(0x00204081)
SPREAD_KEEP: Final = np.uint64(0x01010101)
GATHER: Final = np.uint64(0x01020408)
"""Factors and mask of `spread_mask` and `gather_mask`."""
_0, _4, _15, _24, _56 = map(np.uint64, (0, 4, 15, 24, 56))


def _nibbles(builder: Any, bits: Any) -> Any:
    """The 16 cells of a 64-bit board, row by row, as a vector of bytes (little-endian words)."""
    byte = ir.IntType(8)
    eight = ir.VectorType(byte, 8)
    pairs = builder.bitcast(bits, eight)
    high = builder.lshr(pairs, eight([4] * 8))
    low = builder.and_(pairs, eight([15] * 8))
    picks = [7 - cell // 2 + 8 * (cell % 2) for cell in range(16)]
    return builder.shuffle_vector(high, low, ir.VectorType(ir.IntType(32), 16)(picks))


def _store(builder: Any, values: Any, target: Any, offset: int = 0) -> None:
    """Write a vector at `offset` bytes past a pointer to bytes, with any alignment."""
    place = builder.gep(target, [ir.IntType(64)(offset)])
    builder.store(values, builder.bitcast(place, values.type.as_pointer()), align=1)


def _store_board(form: Callable[[Any, Any, Any], None], doc: str) -> Any:
    """An intrinsic (target: bytes, bits) that writes a 4x4 board in some form."""

    @intrinsic
    def store(typingctx: Any, target: Any, bits: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            form(builder, args[0], _nibbles(builder, args[1]))
            return context.get_dummy_value()

        return types.void(U8_POINTER, types.uint64), codegen

    store.__doc__ = doc
    return store


def _as_planes(builder: Any, target: Any, cells: Any) -> None:
    for plane in range(16):
        held = builder.icmp_unsigned("==", cells, cells.type([plane] * 16))
        _store(builder, builder.zext(held, cells.type), target, 16 * plane)


def _as_tiles(builder: Any, target: Any, cells: Any) -> None:
    wide = ir.VectorType(ir.IntType(64), 16)
    tiles = builder.shl(wide([1] * 16), builder.zext(cells, wide))
    _store(builder, builder.and_(tiles, wide([~1] * 16)), target)


store_exponents = _store_board(
    lambda builder, target, cells: _store(builder, cells, target),
    "Write the exponents of a 4x4 board, 16 bytes.",
)
store_planes = _store_board(_as_planes, "Write the planes 0 to 15 of a 4x4 board, 16 bytes each.")
store_tiles = _store_board(_as_tiles, "Write the tiles of a 4x4 board, 16 int64.")


@kernel("uint64(int64)")
def spread_mask(legal):
    """4 bits as 4 bytes of 0 or 1, bit 0 in the lowest byte."""
    return (np.uint64(legal) * SPREAD) & SPREAD_KEEP


@kernel("int64(uint64)")
def gather_mask(spread):
    """The inverse of `spread_mask`."""
    return np.int64(((spread * GATHER) >> _24) & _15)


@kernel("int64(uint64)")
def sum_of_exponents(bits):
    """The sum of the 16 exponents of a board, at most 240."""
    pairs = (bits & _LOW_NIBBLES) + ((bits >> _4) & _LOW_NIBBLES)
    return np.int64((pairs * _BYTE_SUM) >> _56)


@kernel("int64(uint64, uint64, int64)")
def exponents_made(before, after, merges):
    """The sum of the exponents of the tiles that a slide made.

    A merge turns two exponents e into e + 1, so the sum over the board falls by e - 1.
    """
    return sum_of_exponents(before) - sum_of_exponents(after) + 2 * merges


@kernel(types.int64(U8_POINTER, U8_POINTER, types.int64))
def exponents_made_on_cells(before, after, count):
    """`exponents_made` on cells."""
    made = 0
    for cell in range(count):
        made += np.int64(before[cell]) - np.int64(after[cell])
        made += 2 * (np.int64(after[cell] == 0) - np.int64(before[cell] == 0))
    return made


@kernel(types.void(types.int64, types.int64, types.int64, types.int64, types.uint64))
def observe_cell(form, cell, count, exponent, address):
    """Write one cell into an observation that is 0 there."""
    if form == EXPONENTS:
        u8_at(address)[cell] = np.uint8(exponent)
    elif form == ONEHOT:
        u8_at(address)[exponent * count + cell] = np.uint8(1)
    else:
        i64_at(address)[cell] = (np.int64(1) << exponent) & ~np.int64(1)


@kernel(types.void(types.int64, types.int64, types.int64, types.uint64))
def clear_planes(form, first, last, address):
    """Set an observation of planes to 0 from one byte on, up to another."""
    if form == ONEHOT:
        planes = u8_at(address)
        for place in range(first, last):
            planes[place] = np.uint8(0)


@kernel(types.void(types.int64, types.int64, types.uint64, types.int64, types.int64, types.uint64))
def observe_bits(form, planes, bits, rows, cols, address):
    """Write the observation of a board on bits to an address."""
    if form == BITS_FORM:
        u64_at(address)[0] = bits
    elif rows == 4 and cols == 4:
        if form == EXPONENTS:
            store_exponents(u8_at(address), bits)
        elif form == ONEHOT:
            store_planes(u8_at(address), bits)
            clear_planes(form, 16 * 16, 16 * planes, address)
        else:
            store_tiles(u8_at(address), bits)
    else:
        clear_planes(form, 0, planes * rows * cols, address)
        for row in range(rows):
            for col in range(cols):
                exponent = np.int64((bits >> shift_of(row, col)) & _15)
                observe_cell(form, row * cols + col, rows * cols, exponent, address)


@kernel(types.void(types.int64, types.int64, U8_POINTER, types.int64, types.int64, types.uint64))
def observe_cells(form, planes, cells, rows, cols, address):
    """Write the observation of a board on cells to an address."""
    if form == BITS_FORM:
        bits = _0
        for row in range(rows):
            for col in range(cols):
                exponent = np.uint64(min(np.int64(cells[row * cols + col]), 15))
                bits |= exponent << shift_of(row, col)
        u64_at(address)[0] = bits
    elif form == EXPONENTS:
        exponents = u8_at(address)
        for cell in range(rows * cols):
            exponents[cell] = cells[cell]
    else:
        clear_planes(form, 0, planes * rows * cols, address)
        for cell in range(rows * cols):
            observe_cell(form, cell, rows * cols, np.int64(cells[cell]), address)


@kernel(types.float64(types.int64, types.int64, types.int64, types.boolean))
def reward_value(form, points, exponents, made_goal):
    """The reward of a move in a form."""
    if form == POINTS:
        return np.float64(points)
    if form == MERGED_EXPONENTS:
        return np.float64(exponents)
    return np.float64(1.0 if made_goal else 0.0)


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
