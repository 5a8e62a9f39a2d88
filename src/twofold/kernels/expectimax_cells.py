"""Expectimax on cells: any shape up to 8x8 and all tiles, otherwise as `expectimax` on bits.

A board is given by the address of its frame in memory; the frame of its child follows it.

    bytes 0 to 63      the cells, row by row, then zeros
    64 to 319          the board slid in each of the four directions, 64 bytes each
    320 to 639         for each direction ten words, int64: the number of lines that change, the
                       reward, and for each line its part of the reward, or -1 if unchanged

A spawn changes one row and one column, so each child is one of the four slid boards with one line
slid again. The key in the transposition table is a hash: two boards collide with a probability of
about 2^-64.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import context as at
from twofold.kernels._jit import kernel
from twofold.kernels.cells import MAX_EXPONENT, count_empty
from twofold.kernels.expectimax import less_probable
from twofold.kernels.intrinsics import (
    U8_POINTER,
    U64_POINTER,
    as_f64,
    as_u64,
    call_cells_evaluator,
    f32_at,
    i64_at,
    pointer,
    u8_at,
    u64_at,
)
from twofold.kernels.play import GAMMA, SPAWN_EXPONENT, SPAWN_PROBABILITY, SPAWN_STRIDE, mix
from twofold.kernels.transposition import bucket_of, entry_key, find, find_as_deep, store

# The search's own words of a context.
#   WORKSPACE    Address of `frames(plies)` frames, initially zeros, used by this search only
#   CUT          Less probable positions are evaluated without a search; the bits of a float64; 0
#                for none
#   SECOND_MOVE  1 if the player moves twice before the first spawn
#   ENTRY_KIND   The kind of the entries in the transposition table, see `expectimax.ENTRY_KIND`
#   BOARD_BYTES  The cells of 8x8
ROWS, COLS, WORKSPACE, CUT, SECOND_MOVE, ENTRY_KIND, CONTEXT_WORDS = range(at.OWN, at.OWN + 7)
BOARD_BYTES: Final = 64
DIRECTION_WORDS: Final = 10
FRAME_BYTES: Final = 5 * BOARD_BYTES + 4 * 8 * DIRECTION_WORDS

# Words of a direction.
CHANGED, REWARD, LINES = range(3)

_BOARD: Final = np.uint64(BOARD_BYTES)
_SLID: Final = np.uint64(5 * BOARD_BYTES)
_FRAME: Final = np.uint64(FRAME_BYTES)
_1: Final = np.uint64(1)
_ONE: Final = np.uint8(1)
_TOP: Final = np.uint8(MAX_EXPONENT)
_NODE: Final = types.float64(types.uint64, types.int64, types.int64, types.float64, U64_POINTER)


def frames(ply: int) -> int:
    """Number of frames that a search of `ply` plies needs."""
    return ply + 2  # the board, and two moves before the first spawn


@kernel(types.int64(U8_POINTER, types.int64, types.int64, types.int64, U8_POINTER))
def slide_line(cells, start, stride, length, after):
    """Slide a line towards its first cell, into another buffer.

    Returns its part of the reward, or -1 if nothing changes. A merge of two tiles 2^35, which no
    game allows, makes 2^35 here.
    """
    reward, changed = np.int64(0), False
    place, waiting = start, np.uint8(0)  # cell of the next tile; the tile that it can merge with
    end = start + length * stride
    here = start
    while here != end:
        tile = cells[here]
        if tile != 0:
            if tile == waiting:
                after[place - stride] = min(tile + _ONE, _TOP)
                reward += np.int64(2) << np.int64(tile)
                waiting, changed = np.uint8(0), True
            else:
                after[place] = tile
                changed |= place != here
                place += stride
                waiting = tile
        here += stride
    while place != end:
        after[place] = np.uint8(0)
        place += stride
    return reward if changed else np.int64(-1)


@kernel(types.UniTuple(types.int64, 2)(types.int64, types.int64, types.int64, types.int64))
def first_and_stride(rows, cols, move, line):
    """The first cell of a line in a direction, and the step to its next cell."""
    if move == 0:
        return line, cols
    if move == 1:
        return line * cols + cols - 1, np.int64(-1)
    if move == 2:
        return (rows - 1) * cols + line, -cols
    return line * cols, np.int64(1)


@kernel(types.int64(U8_POINTER, types.int64, types.int64, types.int64, U8_POINTER))
def slide(cells, rows, cols, move, after):
    """Slide a board into another buffer; returns the reward, or -1 for an illegal move."""
    lines, length = (rows, cols) if move & 1 else (cols, rows)
    reward, changed = np.int64(0), False
    for line in range(lines):
        start, stride = first_and_stride(rows, cols, move, line)
        part = slide_line(cells, start, stride, length, after)
        changed |= part >= 0
        reward += max(part, np.int64(0))
    return reward if changed else np.int64(-1)


@kernel(types.void(types.uint64, types.int64, types.int64))
def slide_all(place, rows, cols):
    """Slide the board of a frame in all directions, within the frame."""
    cells, into, parts = u8_at(place), place + _BOARD, i64_at(place + _SLID)
    base = 0
    for move in range(4):
        lines, length = (rows, cols) if move & 1 else (cols, rows)
        after, reward, changed = u8_at(into), np.int64(0), np.int64(0)
        for line in range(lines):
            start, stride = first_and_stride(rows, cols, move, line)
            part = slide_line(cells, start, stride, length, after)
            parts[base + LINES + line] = part
            changed += part >= 0
            reward += max(part, np.int64(0))
        parts[base + CHANGED], parts[base + REWARD] = changed, reward
        base += DIRECTION_WORDS
        into += _BOARD


@kernel(types.uint64(types.uint64, types.int64))
def hash_of(place, size):
    """The hash of a board of `size` cells: its eight-byte words, mixed in order."""
    words = u64_at(place)
    hashed = np.uint64(0)
    for word in range((size + 7) >> 3):
        hashed = mix((hashed ^ words[word]) + GAMMA)
    return hashed


@kernel(types.float64(types.uint64, types.int64, U64_POINTER))
def evaluate(place, score, context):
    """The evaluator's value."""
    context[at.NODES] += _1
    rows, cols = np.int64(context[ROWS]), np.int64(context[COLS])
    params = f32_at(context[at.PARAMS])
    return call_cells_evaluator(context[at.EVALUATOR], (u8_at(place), rows, cols, score, params))


@kernel(_NODE)
def chance(place, score, depth, chance_of, context):
    """Expected value of an afterstate before its spawn, `depth` more moves ahead.

    `chance_of` is the product of the probabilities of the spawns on the way here.
    """
    at_state = context[at.AT_STATE] != 0
    lowest = np.int64(1) - np.int64(at_state)
    cut = as_f64(context[CUT])
    if depth < lowest or chance_of < cut:
        return evaluate(place, score, context)
    rows, cols = np.int64(context[ROWS]), np.int64(context[COLS])
    size = rows * cols
    has_table = context[at.TABLE] != 0
    bucket, key = np.int64(0), np.uint64(0)
    if has_table:
        hashed = hash_of(place, size)
        kind = np.int64(context[ENTRY_KIND])
        bucket, key = bucket_of(hashed, context), entry_key(hashed, depth, kind)
        found = find_as_deep(bucket, key, context) if cut > 0.0 else find(bucket, key, context)
        if found >= 0:
            context[at.HITS] += _1
            return as_f64(context[at.FOUND])
    context[at.NODES] += _1
    if context[at.NODES] >= context[at.NODE_LIMIT]:
        return 0.0
    distribution = u64_at(context[at.DISTRIBUTION])
    tiles = np.int64(distribution[0])
    adds_reward = context[at.ADDS_REWARD] != 0
    cells, child = u8_at(place), place + _FRAME
    words, after, child_words = (size + 7) >> 3, u8_at(child), u64_at(child)
    parts = i64_at(place + _SLID)
    count = count_empty(cells, size)
    if depth > 0:
        slide_all(place, rows, cols)
    total = 0.0
    for cell in range(size):
        if cells[cell] != 0:
            continue
        row = cell // cols
        col = cell - row * cols
        mean = 0.0
        for tile in range(tiles):
            probability = as_f64(distribution[tile * SPAWN_STRIDE + SPAWN_PROBABILITY])
            below = less_probable(
                chance_of, distribution[tile * SPAWN_STRIDE + SPAWN_PROBABILITY], count
            )
            cells[cell] = np.uint8(distribution[tile * SPAWN_STRIDE + SPAWN_EXPONENT])
            if at_state and (depth == 0 or below < cut):
                mean += probability * evaluate(place, score, context)
                continue
            at_once = depth == lowest or below < cut
            best = -np.inf
            for move in range(4):
                slid = u64_at(place + _BOARD * np.uint64(move + 1))
                for word in range(words):
                    child_words[word] = slid[word]
                line, length = (row, cols) if move & 1 else (col, rows)
                start, stride = first_and_stride(rows, cols, move, line)
                part = slide_line(cells, start, stride, length, after)
                before = parts[move * DIRECTION_WORDS + LINES + line]
                changed = parts[move * DIRECTION_WORDS + CHANGED] - (before >= 0)
                if changed == 0 and part < 0:
                    continue
                gain = parts[move * DIRECTION_WORDS + REWARD]
                gain += max(part, np.int64(0)) - max(before, np.int64(0))
                if at_once:
                    value = evaluate(child, score + gain, context)
                else:
                    value = chance(child, score + gain, depth - 1, below, context)
                best = max(best, value + gain if adds_reward else value)
            mean += probability * (best if best != -np.inf else as_f64(context[at.DEAD_VALUE]))
        cells[cell] = np.uint8(0)
        total += mean
    value = total / count
    if has_table and context[at.NODES] < context[at.NODE_LIMIT]:
        store(bucket, key, as_u64(value), context)
    return value


_WORDS: Final = types.uint64[::1]
_CELLS: Final = types.uint8[::1]


@kernel(types.uint64(_CELLS, U64_POINTER))
def put(cells, context):
    """Copy a board into the first frame; returns its address."""
    place = context[WORKSPACE]
    first = u8_at(place)
    for cell in range(len(cells)):
        first[cell] = cells[cell]
    return place


@kernel(types.float64(_CELLS, types.int64, types.int64, types.int64, types.float64, _WORDS))
def value_of(cells, score, move, ply, chance_of, context):
    """The value of a legal move, `ply` plies deep, including its reward if rewards count."""
    words = pointer(context)
    rows, cols = np.int64(context[ROWS]), np.int64(context[COLS])
    place = put(cells, words)
    after = place + _FRAME
    gain = slide(u8_at(place), rows, cols, move, u8_at(after))
    if context[SECOND_MOVE] == 0:
        value = chance(after, score + gain, ply - 1, chance_of, words)
        return value + gain if context[at.ADDS_REWARD] else value
    best, last = -np.inf, after + _FRAME
    for second in range(4):
        more = slide(u8_at(after), rows, cols, second, u8_at(last))
        if more >= 0:
            value = chance(last, score + gain + more, ply - 1, chance_of, words)
            best = max(best, value + gain + more if context[at.ADDS_REWARD] else value)
    return best if best != -np.inf else as_f64(context[at.DEAD_VALUE])


@kernel(types.float64(_CELLS, types.int64, types.int64, types.float64, _WORDS))
def reply_of(cells, score, ply, chance_of, context):
    """The value of a state: that of its best move, `ply` plies deep."""
    words = pointer(context)
    rows, cols = np.int64(context[ROWS]), np.int64(context[COLS])
    place = put(cells, words)
    best = -np.inf
    for move in range(4):
        gain = slide(u8_at(place), rows, cols, move, u8_at(place + _FRAME))
        if gain >= 0:
            value = chance(place + _FRAME, score + gain, ply - 1, chance_of, words)
            best = max(best, value + gain if context[at.ADDS_REWARD] else value)
    return best if best != -np.inf else as_f64(context[at.DEAD_VALUE])
