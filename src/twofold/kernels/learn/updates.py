"""Updates of the weights of a network: targets, and the learning rules TD and temporal coherence.

Source: Jaskowski 2018 (temporal coherence).
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import (
    I64_POINTER,
    RULE,
    U64_POINTER,
    as_f64,
    as_signed,
    call_decay,
    call_rule,
    f32_at,
    i64_offset,
    i64_space,
    pointer,
    prefetch_f32,
    u64_at,
)
from twofold.kernels.learn import words as at
from twofold.kernels.learn.ntuple import (
    MAX_FEATURES,
    STAGE_SIZE,
    STAGES,
    WEIGHTS,
    feature_count,
    list_features,
    promoted,
    sum_features,
)

_1: Final = np.uint64(1)


@kernel(types.void(I64_POINTER, types.int64, U64_POINTER))
def touch(places, count, network):
    """Give untouched weights of a later stage their current values, before an update."""
    weights = f32_at(network[WEIGHTS])
    for number in range(count):
        place = places[number]
        if np.isnan(weights[place]):
            weights[place] = promoted(place, weights, np.int64(network[STAGE_SIZE]))


# ---- learning rules, see `intrinsics.RULE`


@kernel(RULE)
def td(places, count, step, weights, memory):
    """Add the same step to each weight."""
    change = np.float32(step)
    for number in range(count):
        weights[places[number]] += change


@kernel(RULE)
def tc(places, count, step, weights, memory):
    """Add to each weight in proportion to the agreement of the signs of its updates so far.

    The memory of a weight is E, the sum of its unscaled updates, and A, the sum of their absolute
    values: w += |E| / A d, then E += d and A += |d|; the ratio is 1 if A is 0.
    """
    change = np.float32(step)
    size = np.float32(abs(step))
    for number in range(count):
        place = places[number]
        both = place << 1
        total, sizes = memory[both], memory[both + 1]
        rate = abs(total) / sizes if sizes > np.float32(0) else np.float32(1)
        weights[place] += rate * change
        memory[both] = total + change
        memory[both + 1] = sizes + size


# ---- updates


@kernel(types.float64(U64_POINTER))
def learning_rate(thread):
    """The learning rate of the next update; shared by all features of a board."""
    rate = as_f64(thread[at.RATE])
    if thread[at.DECAY] != 0:
        rate *= call_decay(thread[at.DECAY], (np.int64(thread[at.UPDATES] * thread[at.THREADS]),))
    return rate


@kernel(types.void(I64_POINTER, types.float64, U64_POINTER))
def update(places, target, thread):
    """Move the value of the afterstate with these features towards a target."""
    network = u64_at(thread[at.NETWORK])
    count = feature_count(network)
    error = target - sum_features(places, count, network)
    step = learning_rate(thread) * error / np.float64(count)
    thread[at.UPDATES] += _1
    if network[STAGES] > 1:
        touch(places, count, network)
    weights, memory = f32_at(network[WEIGHTS]), f32_at(thread[at.MEMORY])
    rule = thread[at.RULE]
    if rule == at.TC:  # a call by address takes a fifth longer
        tc(places, count, step, weights, memory)
    elif rule == at.TD:
        td(places, count, step, weights, memory)
    else:
        call_rule(rule, (places, count, step, weights, memory))


@kernel(I64_POINTER(U64_POINTER, types.int64, U64_POINTER))
def chosen_places(game, number, thread):
    """Address of the features of the afterstate `number` of the history."""
    slot = np.int64(np.uint64(number) & (thread[at.RING] - _1))
    features = feature_count(u64_at(thread[at.NETWORK]))
    return i64_offset(as_signed(game), at.PLACES + (4 + slot) * features)


@kernel(types.void(I64_POINTER, U64_POINTER))
def fetch_memory(places, thread):
    """Prefetch the learning rule's memory of some features."""
    size = np.int64(thread[at.MEMORY_SIZE])
    if size:
        memory = f32_at(thread[at.MEMORY])
        for number in range(feature_count(u64_at(thread[at.NETWORK]))):
            prefetch_f32(memory, places[number] * size)


@kernel(types.float64(U64_POINTER, types.int64, types.int64, types.boolean, U64_POINTER))
def target_of(game, number, last, terminal, thread):
    """The target of afterstate `number` in a game whose last known afterstate is `last`."""
    pairs = f32_at(game[at.HISTORY] + np.uint64(8 * at.HISTORY_SIZE))
    lambda_ = as_f64(thread[at.LAMBDA])
    top = number + np.int64(thread[at.STEPS])
    ended = terminal and top > last
    top = min(top, last)
    target = 0.0 if ended else np.float64(pairs[2 * top + 1])
    for step in range(top, number, -1):
        reward, known = np.float64(pairs[2 * step]), np.float64(pairs[2 * step + 1])
        target = reward + lambda_ * target + (1.0 - lambda_) * known
    return target


_WORDS: Final = types.uint64[::1]


@kernel(types.void(_WORDS, types.uint64, types.float64))
def learn_one(thread, after, target):
    """Update the value of one afterstate towards a target, without a game."""
    places, words = i64_space(MAX_FEATURES), pointer(thread)
    list_features(after, u64_at(words[at.NETWORK]), places)
    update(places, target, words)
