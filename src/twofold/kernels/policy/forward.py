"""A policy network on one board: the logits of the four moves and the value of the board.

Each output is a sum in a fixed order, first the bias, then the inputs, without fused
multiplication. So the result is the same on every machine and for every vector width.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import (
    F32_POINTER,
    POLICY,
    U8_POINTER,
    U64_POINTER,
    f32_at,
    f32_offset,
    f32_space,
    pointer,
    u8_space,
    u64_at,
    u64_offset,
)
from twofold.kernels.policy.turns import turn_cells, turned_move
from twofold.kernels.policy.words import (
    BIAS,
    BIASES,
    COLS,
    EXPONENTS,
    FIRST,
    LAYER_WORDS,
    LAYERS,
    OUTPUT,
    OUTPUTS,
    ROWS,
    SYMMETRIC,
    TABLE,
    VALUE,
    WEIGHTS,
    WIDEST,
    WIDTH,
)
from twofold.kernels.rules.bits import unpack
from twofold.kernels.search.context import OWN
from twofold.limits import BITS_MAX_CELLS, MAX_CELLS

NETWORK: Final = OWN
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
    """The outputs of a network for a board in cells, see `words.OUTPUT`."""
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
    unpack(bits, np.int64(words[ROWS]), np.int64(words[COLS]), cells)
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
