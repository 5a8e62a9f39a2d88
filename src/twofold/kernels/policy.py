"""A policy network on one board: turns, logits of the four moves, value, and rewards of training.

A symmetric network sees a board in one of its symmetric forms: the last one in the order of the
cells, row by row, so that large tiles come first. A turn is a number: bit 2 exchanges rows and
columns, then bit 1 top and bottom, bit 0 left and right. Square boards have eight turns, others the
first four.

Each output is a sum in a fixed order, first the bias, then the inputs, without fused
multiplication. So the result is the same on every machine and for every vector width.

A search guided by a policy network tries the probable moves, and its critic values leaves. A critic
is learnt from boards that its policy comes by, and values others too highly. So each max
node tries only moves that are not much less probable than the most probable one.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels import context as at
from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import (
    F32_POINTER,
    F64_POINTER,
    POLICY,
    U8_POINTER,
    U64_POINTER,
    as_f64,
    f32_at,
    f32_offset,
    f32_space,
    f64_at,
    pointer,
    u8_space,
    u64_at,
    u64_offset,
)
from twofold.kernels.play import SPAWN_EXPONENT, SPAWN_PROBABILITY, SPAWN_STRIDE
from twofold.limits import BITS_MAX_CELLS, MAX_CELLS

#   EXPONENTS  Number of exponents in the table; larger ones are read as the largest
#   TABLE      Address of the first layer, float32 (cells, exponents, width)
#   BIAS       Address of its bias, float32 (width,)
#   WIDEST     Width of the widest layer
#   LAYERS     Number of layers after the first, the head among them
#   SYMMETRIC  1 if boards are turned to one of their symmetric forms first, see `turn_cells`
#   FIRST      The words of the layers begin here, `LAYER_WORDS` each
#   WEIGHTS    Address of the weights of a layer, float32 (inputs, outputs)
#   OUTPUT     Numbers that a network gives: the logits of up, right, down, left, and the value
#   VALUE      Where the value is among them
ROWS, COLS, EXPONENTS, TABLE, BIAS, WIDTH, WIDEST, LAYERS, SYMMETRIC, FIRST = range(10)
WEIGHTS, BIASES, OUTPUTS, LAYER_WORDS = range(4)
OUTPUT: Final = 5
VALUE: Final = 4


@kernel(types.int64(types.int64, types.int64, types.int64, types.int64, types.int64))
def source(row, col, turn, rows, cols):
    """The number of the cell that comes to (row, col) by a turn."""
    if turn & 1:
        col = cols - 1 - col
    if turn & 2:
        row = rows - 1 - row
    return col * cols + row if turn & 4 else row * cols + col


@kernel(types.boolean(U8_POINTER, types.int64, types.int64, types.int64, types.int64))
def is_later(cells, turn, other, rows, cols):
    """Whether a board by `turn` comes after the board by `other`."""
    for row in range(rows):
        for col in range(cols):
            here = cells[source(row, col, turn, rows, cols)]
            there = cells[source(row, col, other, rows, cols)]
            if here != there:
                return here > there
    return False


@kernel(types.int64(U8_POINTER, types.int64, types.int64, U8_POINTER))
def turn_cells(cells, rows, cols, out):
    """Fill `out` with the form of a board; returns its turn."""
    best = 0
    for turn in range(1, 8 if rows == cols else 4):
        if is_later(cells, turn, best, rows, cols):
            best = turn
    for row in range(rows):
        for col in range(cols):
            out[row * cols + col] = cells[source(row, col, best, rows, cols)]
    return best


@kernel(types.int64(types.int64, types.int64))
def turned_move(move, turn):
    """The move on the turned board that a move on the board becomes."""
    if turn & 4:
        move = 3 - move
    return move ^ 2 if turn & (1 if move & 1 else 2) else move


@kernel(types.int64(types.int64, types.int64))
def move_back(move, turn):
    """The move on the board that a move on the turned board stands for."""
    if turn & (1 if move & 1 else 2):
        move ^= 2
    return 3 - move if turn & 4 else move


@kernel(
    types.void(
        types.uint8[:, :, ::1],
        types.int8[:, ::1],
        types.uint8[:, :, ::1],
        types.int8[:, ::1],
        types.int64[::1],
    )
)
def turn_each(boards, legal, turned, turned_legal, turns):
    """Fill in the forms of boards (N, rows, cols), their legal moves (N, 4), and their turns."""
    count, rows, cols = boards.shape
    for number in range(count):
        turn = turn_cells(pointer(boards[number]), rows, cols, pointer(turned[number]))
        turns[number] = turn
        for move in range(4):
            turned_legal[number, turned_move(move, turn)] = legal[number, move]


@kernel(types.void(types.int64[::1], types.int64[::1], types.int64[::1]))
def moves_back(moves, turns, out):
    """Fill in the moves on the boards that moves on the turned boards stand for."""
    for number in range(len(moves)):
        out[number] = move_back(moves[number], turns[number])


_UP: Final = 0
_RIGHT: Final = 1
_DOWN: Final = 2


@kernel(types.float64(U8_POINTER, types.int64, types.int64, types.int64, F64_POINTER))
def merge_reward(cells, rows, cols, move, values):
    """Sum of values[k] over the tiles 2^k that a move makes."""
    vertical = move == _UP or move == _DOWN
    lines, length = (cols, rows) if vertical else (rows, cols)
    total = 0.0
    for line in range(lines):
        waiting = 0
        for step in range(length):
            place = length - 1 - step if move == _RIGHT or move == _DOWN else step
            tile = np.int64(cells[place * cols + line if vertical else line * cols + place])
            if tile == 0:
                continue
            if tile == waiting:
                total += values[tile + 1]
                waiting = 0
            else:
                waiting = tile
    return total


@kernel(
    types.void(types.uint8[:, :, ::1], types.int64[::1], types.float64[::1], types.float32[::1])
)
def merge_rewards(boards, moves, values, rewards):
    """`merge_reward` of each game.

    Args:
        boards: exponents, (games, rows, cols).
        moves: a legal move for each game.
        values: a value for each exponent.
        rewards: filled, (games,).
    """
    games, rows, cols = boards.shape
    for game in range(games):
        board = pointer(boards[game])
        rewards[game] = merge_reward(board, rows, cols, moves[game], pointer(values))


NETWORK: Final = at.OWN
"""The word of a player's context with the address of the words of its network."""


@kernel(types.void(U8_POINTER, U64_POINTER, F32_POINTER))
def first_layer(cells, words, out):
    """Out = bias + the table's row of each cell, before the activation."""
    count, exponents = np.int64(words[ROWS] * words[COLS]), np.int64(words[EXPONENTS])
    width = np.int64(words[WIDTH])
    table, bias = f32_at(words[TABLE]), f32_at(words[BIAS])
    for number in range(width):
        out[number] = bias[number]
    for cell in range(count):
        exponent = min(np.int64(cells[cell]), exponents - 1)
        row = f32_offset(table, (cell * exponents + exponent) * width)
        for number in range(width):
            out[number] += row[number]


@kernel(types.void(F32_POINTER, types.int64, U64_POINTER, F32_POINTER))
def dense(inputs, count, layer, out):
    """Out = bias + weights * max(inputs, 0); inputs that are 0 then are left out."""
    outputs = np.int64(layer[OUTPUTS])
    weights, bias = f32_at(layer[WEIGHTS]), f32_at(layer[BIASES])
    active = np.empty(count, dtype=np.int64)
    size = 0
    for number in range(count):
        active[size] = number
        size += inputs[number] > 0
    for number in range(outputs):
        out[number] = bias[number]
    whole = size - size % 4
    for first in range(0, whole, 4):  # four inputs at a time: a quarter of the stores
        a, b, c, d = active[first], active[first + 1], active[first + 2], active[first + 3]
        at_a, at_b = f32_offset(weights, a * outputs), f32_offset(weights, b * outputs)
        at_c, at_d = f32_offset(weights, c * outputs), f32_offset(weights, d * outputs)
        of_a, of_b, of_c, of_d = inputs[a], inputs[b], inputs[c], inputs[d]
        for number in range(outputs):
            total = out[number] + of_a * at_a[number]
            total += of_b * at_b[number]
            total += of_c * at_c[number]
            out[number] = total + of_d * at_d[number]
    for place in range(whole, size):
        one = active[place]
        row, value = f32_offset(weights, one * outputs), inputs[one]
        for number in range(outputs):
            out[number] += value * row[number]


@kernel(types.void(U8_POINTER, U64_POINTER, F32_POINTER))
def forward(cells, words, out):
    """The outputs of a network for a board in cells, see `OUTPUT`."""
    rows, cols = np.int64(words[ROWS]), np.int64(words[COLS])
    turn, turned = 0, u8_space(MAX_CELLS)
    if words[SYMMETRIC]:
        turn = turn_cells(cells, rows, cols, turned)
        cells = turned
    widest = np.int64(words[WIDEST])
    before, after = np.empty(widest, dtype=np.float32), np.empty(widest, dtype=np.float32)
    first_layer(cells, words, pointer(before))
    width, layers = np.int64(words[WIDTH]), np.int64(words[LAYERS])
    for number in range(layers):
        layer = u64_offset(words, FIRST + LAYER_WORDS * number)
        dense(pointer(before), width, layer, pointer(after))
        before, after = after, before
        width = np.int64(layer[OUTPUTS])
    for move in range(4):
        out[move] = before[turned_move(move, turn)]
    out[VALUE] = before[VALUE]


@kernel(types.void(types.uint64, U64_POINTER, F32_POINTER))
def forward_bits(bits, words, out):
    """`forward` for a board of the 64-bit form."""
    cells = u8_space(BITS_MAX_CELLS)
    on_bits.unpack(bits, np.int64(words[ROWS]), np.int64(words[COLS]), cells)
    forward(cells, words, out)


@kernel(types.int64(F32_POINTER, types.int64))
def best_legal(outputs, legal):
    """The legal move with the largest logit; the first of equals."""
    best = -1
    for move in range(4):
        if (legal >> move) & 1 and (best < 0 or outputs[move] > outputs[best]):
            best = move
    return best


@kernel(POLICY)
def choose(bits, legal, score, draw, context):
    """The most probable legal move."""
    outputs = f32_space(OUTPUT)
    forward_bits(bits, u64_at(context[NETWORK]), outputs)
    return best_legal(outputs, legal)


@kernel(types.void(types.uint8[:, ::1], types.uint64[::1], types.float32[:, ::1]))
def forward_each(boards, words, out):
    """The outputs for boards in cells (N, cells), one by one, into (N, `OUTPUT`)."""
    for number in range(len(boards)):
        forward(pointer(boards[number]), pointer(words), pointer(out[number]))


# ---- the search

# Further words of a player's context.
#   PLY       The depth in plies, 1 or more
#   MARGIN    How far below the largest logit a move may be to be tried; the bits of a float64
#   REWARDS   Address of what a merge is worth, by the exponent that it makes, float64
#   DISCOUNT  Discount of a move, the bits of a float64
PLY, MARGIN, REWARDS, DISCOUNT, WORDS = range(NETWORK + 1, NETWORK + 6)


@kernel(types.int64(types.uint64, types.int64, U64_POINTER))
def probable(bits, legal, context):
    """The legal moves to try, as 4 bits."""
    outputs = f32_space(OUTPUT)
    forward_bits(bits, u64_at(context[NETWORK]), outputs)
    largest = -np.inf
    for move in range(4):
        if (legal >> move) & 1:
            largest = max(largest, np.float64(outputs[move]))
    tried = 0
    for move in range(4):
        if (legal >> move) & 1 and outputs[move] >= largest - as_f64(context[MARGIN]):
            tried |= 1 << move
    return tried


@kernel(types.float64(types.uint64, types.int64, types.int64, U64_POINTER))
def move_value(bits, move, ply, context):
    """Reward of a legal move, and the mean value of the states after it, `ply` - 1 plies deep.

    The reward is the one that the network was trained with, and the values of states where the
    game goes on are discounted as in training.
    """
    across, down = u64_at(context[at.ACROSS]), u64_at(context[at.DOWN])
    after, _ = on_bits.slide(bits, move, across, down)
    distribution, outputs = u64_at(context[at.DISTRIBUTION]), f32_space(OUTPUT)
    empty = on_bits.empty_mask(after, context[at.MASK])
    discount, count, total = as_f64(context[DISCOUNT]), 0, 0.0
    for cell in range(16):
        shift = np.uint64(4 * cell)
        if (empty >> shift) & np.uint64(1) == np.uint64(0):
            continue
        count += 1
        for tile in range(np.int64(distribution[0])):
            state = after | (distribution[SPAWN_EXPONENT + SPAWN_STRIDE * tile] << shift)
            chance = as_f64(distribution[SPAWN_PROBABILITY + SPAWN_STRIDE * tile])
            legal = on_bits.legal_mask(state, across, down)
            if legal == 0:
                total += chance * as_f64(context[at.DEAD_VALUE])
                continue
            if ply == 1:
                context[at.NODES] += np.uint64(1)
                forward_bits(state, u64_at(context[NETWORK]), outputs)
                total += chance * discount * np.float64(outputs[VALUE])
                continue
            tried = probable(state, legal, context)
            best = -np.inf
            for reply in range(4):
                if (tried >> reply) & 1:
                    best = max(best, move_value(state, reply, ply - 1, context))
            total += chance * discount * best
    network, cells = u64_at(context[NETWORK]), u8_space(BITS_MAX_CELLS)
    rows, cols = np.int64(network[ROWS]), np.int64(network[COLS])
    on_bits.unpack(bits, rows, cols, cells)
    return merge_reward(cells, rows, cols, move, f64_at(context[REWARDS])) + total / count


@kernel(POLICY)
def search(bits, legal, score, draw, context):
    """The best of the probable moves; the first of equals."""
    tried = probable(bits, legal, context)
    best, best_value = -1, 0.0
    for move in range(4):
        if (tried >> move) & 1:
            value = move_value(bits, move, np.int64(context[PLY]), context)
            if best < 0 or value > best_value:
                best, best_value = move, value
    return best


@kernel(types.int64(types.uint64, types.int64, types.uint64[::1], types.float64[::1]))
def value_moves(bits, legal, context, values):
    """Fill in the values of all legal moves; returns the moves that `search` compares."""
    words = pointer(context)
    for move in range(4):
        if (legal >> move) & 1:
            values[move] = move_value(bits, move, np.int64(words[PLY]), words)
    return probable(bits, legal, words)
