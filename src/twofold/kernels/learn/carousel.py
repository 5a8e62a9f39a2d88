"""The carousel: stored afterstates from which training games start (Jaskowski 2018, by stages).

It has a row for each stage of the network, or for each band of tile sums; row 0, of the first
stage or of the boards below all bands, stays empty. The first afterstate of each row that a game
enters is stored, in a ring of CAROUSEL_SIZE. By stages, CAROUSEL_BATCH new games alternate with as
many from each row in turn. By bands, a share of the games starts from a random row that is not
empty, the others are new.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import U64_POINTER, take_number, u64_at, u64_offset
from twofold.kernels.learn import words as at
from twofold.kernels.learn.ntuple import STAGES, stage_of
from twofold.kernels.rules.bits import tile_sum
from twofold.kernels.rules.dice import dice

_0: Final = np.uint64(0)
_1: Final = np.uint64(1)
_32: Final = np.uint64(32)
_LOW_HALF: Final = np.uint64(0xFFFFFFFF)
_ROW_DRAW: Final = np.uint64(2**64 - 2)
_PLACE_DRAW: Final = np.uint64(2**64 - 3)
"""Numbers of draws of a game's dice that are never numbers of spawns."""


@kernel(types.int64(types.uint64, U64_POINTER))
def row_of(after, thread):
    """The row of an afterstate: its stage, or its band."""
    if thread[at.BANDS] == 0:
        return stage_of(after, u64_at(thread[at.NETWORK]))
    total = np.uint64(tile_sum(after) >> 1)
    sums, row = u64_at(thread[at.BAND_SUMS]), np.int64(0)
    while row < np.int64(thread[at.BANDS]) and total >= sums[row]:
        row += 1
    return row


@kernel(types.void(U64_POINTER, types.uint64, U64_POINTER))
def keep_on_carousel(game, after, thread):
    """Store the first afterstate of a row that the game enters."""
    row = row_of(after, thread)
    if row > np.int64(game[at.STAGE]):
        ring = u64_offset(u64_at(thread[at.CAROUSEL]), row * (1 + at.CAROUSEL_SIZE))
        ring[1 + take_number(ring) % at.CAROUSEL_SIZE] = after
        game[at.STAGE] = np.uint64(row)


@kernel(types.uint64(types.uint64, types.int64, U64_POINTER))
def kept_after(draw, row, thread):
    """A stored afterstate of a row, chosen by the high half of a draw."""
    ring = u64_offset(u64_at(thread[at.CAROUSEL]), row * (1 + at.CAROUSEL_SIZE))
    known = min(ring[0], np.uint64(at.CAROUSEL_SIZE))
    return ring[1 + np.int64(((draw >> _32) * known) >> _32)]


@kernel(types.uint64(types.uint64, U64_POINTER))
def next_from_bands(seed, thread):
    """The start afterstate from a band that has some; 0 for a new game."""
    draw, carousel = dice(seed, _ROW_DRAW), u64_at(thread[at.CAROUSEL])
    held = _0
    for row in range(1, np.int64(thread[at.BANDS]) + 1):
        held += np.uint64(carousel[row * (1 + at.CAROUSEL_SIZE)] != 0)
    if held == 0 or (draw & _LOW_HALF) >= thread[at.BAND_SHARE]:
        return _0
    left, row = np.int64(((draw >> _32) * held) >> _32), np.int64(0)
    while left >= 0:
        row += 1
        left -= np.int64(carousel[row * (1 + at.CAROUSEL_SIZE)] != 0)
    return kept_after(dice(seed, _PLACE_DRAW), row, thread)


@kernel(types.uint64(types.uint64, U64_POINTER))
def next_on_carousel(seed, thread):
    """The start afterstate of the game with this seed; 0 for a new game."""
    if thread[at.CAROUSEL] == 0:
        return _0
    if thread[at.BANDS] != 0:
        return next_from_bands(seed, thread)
    carousel = u64_at(thread[at.CAROUSEL])
    stages = np.int64(u64_at(thread[at.NETWORK])[STAGES])
    if thread[at.CAROUSEL_LEFT] == 0:
        stage = np.int64(thread[at.CAROUSEL_STAGE]) + 1
        if stage >= stages or carousel[stage * (1 + at.CAROUSEL_SIZE)] == 0:
            stage = 0
        thread[at.CAROUSEL_STAGE] = np.uint64(stage)
        thread[at.CAROUSEL_LEFT] = np.uint64(at.CAROUSEL_BATCH)
    thread[at.CAROUSEL_LEFT] -= _1
    if thread[at.CAROUSEL_STAGE] == 0:
        return _0
    return kept_after(dice(seed, _ROW_DRAW), np.int64(thread[at.CAROUSEL_STAGE]), thread)
