"""Updates of the weights of a network, and the layout of training threads.

Layout of the uint64 words of a training thread and of its game.

They hold the whole state of a game, so a call can end after any move and the next call continues.

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
    prefetch_f32,
    u64_at,
)
from twofold.kernels.ntuple import (
    STAGE_SIZE,
    STAGES,
    WEIGHTS,
    feature_count,
    promoted,
    sum_features,
)

# Words of a thread.
#   NETWORK        Address of the network's words, see `ntuple`
#   MEMORY         Address of the learning rule's memory of each weight, float32 (weights,
#                  MEMORY_SIZE)
#   GAMES          Address of the number of games begun, shared by all threads
#   GAME_LIMIT     Number of games after which none is begun
#   GAME           Address of the words of the current game, see below
#   RULE_AT        TD, TC, or the address of another learning rule, see `intrinsics.RULE`
#   RATE           The learning rate, the bits of a float64; shared by all features of a board
#   STEPS          Afterstates from one to its target, 1 to MAX_STEPS
#   RING           Afterstates whose features are stored, a power of two above STEPS
#   RESTART        Games of at least this many moves are resumed at RESTART_AT; 0 for no restarts
#   RESULTS        Address of uint64 (room, RESULT_WORDS): the games that ended in this call
#   MOVES          Moves made since the start of the training
#   CAROUSEL       Address of the carousel, shared by all threads: (stages, 1 + CAROUSEL_SIZE)
#                  words, the number of afterstates stored so far and the last of them; 0 for
#                  none. With BANDS it has an empty row for the boards below all bands, and one
#                  row for each band.
#   CAROUSEL_LEFT  Number of games to begin from that stage before the next stage
#   DOWNGRADE      Sum of different tiles from which every other game chooses on the downgraded
#                  board; 0: none
#   BANDS          Number of bands of tile sums in the carousel; 0 for stages
#   BAND_SUMS      Address of uint64 (bands,): the smallest tile sum of each band, in units of 2,
#                  ascending
#   BAND_SHARE     Share of the games that start from a band, in units of 2^-32
#   RESTART_AT     Share of its afterstates after which a game is resumed, in units of 2^-32
#   MEMORY_SIZE    Numbers in the learning rule's memory of each weight; 0 for none
#   DECAY          Address of the schedule of step sizes, see `intrinsics.DECAY`; 0 for a constant
#                  rate
#   THREADS        Threads that share the weights
NETWORK, MEMORY, ACROSS, DOWN, MASK, DISTRIBUTION, START_TILES, SEED, GAMES = range(9)
GAME_LIMIT, GAME, RULE_AT = range(9, 12)
TD, TC = range(1, 3)
RATE, LAMBDA, STEPS, RING, BACKWARD, RESTART, RESULTS, RESULT_COUNT = range(12, 20)
RESULT_ROOM, MOVES, UPDATES, CAROUSEL, CAROUSEL_STAGE, CAROUSEL_LEFT = range(20, 26)
DOWNGRADE, BANDS, BAND_SUMS, BAND_SHARE, RESTART_AT, MEMORY_SIZE = range(26, 32)
DECAY, THREADS, THREAD_WORDS = range(32, 35)
MAX_STEPS: Final = 16
CAROUSEL_SIZE: Final = 1000
CAROUSEL_BATCH: Final = 200

# Words of a game.
#   STATE        Activity of the game: IDLE, PLAYING, or LEARNING (backward, after the end of a
#                game)
#   MOVE_NUMBER  Moves since the start of this game, or since it was resumed; spawns are numbered
#                from there
#   COUNT        Afterstates in the history
#   FULL_GAME    1 if the game began with start tiles: only such games count in statistics
#   STAGE        The last stage or band that the game has entered, as a row of the carousel
#   NEXT_UPDATE  While LEARNING: the number of the afterstate to update next, plus 1
#   TERMINAL     1 if the game being learnt from ended without a legal move
#   HISTORY      Address of the history: (HISTORY_SIZE,) afterstates, then as many (reward, value)
#                pairs
#   LAST_COUNT   Length of the previous game, whose history remains beyond that of this game
#   MIDDLE       The afterstate at which the previous game can be resumed
#   KEPT_WORDS   Number of words in a checkpoint, which leaves out HISTORY; the others follow from
#                boards
#   AFTERS       The four afterstates; those of up and down are transposed on square boards
#   PLACES       The features of the four afterstates, then those of the RING afterstates chosen
#                last
STATE: Final = 0
IDLE, PLAYING, LEARNING = range(3)
GAME_SEED, SCORE, MOVE_NUMBER, COUNT, FULL_GAME, LEGAL, STAGE, NEXT_UPDATE = range(1, 9)
TERMINAL, HISTORY, LAST_COUNT, MIDDLE, KEPT_WORDS = range(9, 14)
AFTERS: Final = 13
GAINS: Final = 17
OVERFLOWS: Final = 21
PLACES: Final = 25


def ring_size(steps: int) -> int:
    """The RING of a thread."""
    return 1 << steps.bit_length()


def game_words(features: int, steps: int) -> int:
    """Number of words of a game for networks of this many features."""
    return PLACES + (4 + ring_size(steps)) * features


HISTORY_SIZE: Final = 1 << 17
"""More than a game on 4x4 can have without a tile of 65536."""

# Words of a result.
#   RESULT_MOVES    Moves of the thread, in all games, when this one ended
#   RESULT_LARGEST  The largest exponent
RESULT_SCORE, RESULT_MOVES, RESULT_LARGEST, RESULT_WORDS = range(4)


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
    rate = as_f64(thread[RATE])
    if thread[DECAY] != 0:
        rate *= call_decay(thread[DECAY], (np.int64(thread[UPDATES] * thread[THREADS]),))
    return rate


@kernel(types.void(I64_POINTER, types.float64, U64_POINTER))
def update(places, target, thread):
    """Move the value of the afterstate with these features towards a target."""
    network = u64_at(thread[NETWORK])
    count = feature_count(network)
    error = target - sum_features(places, count, network)
    step = learning_rate(thread) * error / np.float64(count)
    thread[UPDATES] += _1
    if network[STAGES] > 1:
        touch(places, count, network)
    weights, memory = f32_at(network[WEIGHTS]), f32_at(thread[MEMORY])
    rule = thread[RULE_AT]
    if rule == TC:  # a call by address takes a fifth longer
        tc(places, count, step, weights, memory)
    elif rule == TD:
        td(places, count, step, weights, memory)
    else:
        call_rule(rule, (places, count, step, weights, memory))


@kernel(I64_POINTER(U64_POINTER, types.int64, U64_POINTER))
def chosen_places(game, number, thread):
    """Address of the features of the afterstate `number` of the history."""
    slot = np.int64(np.uint64(number) & (thread[RING] - _1))
    features = feature_count(u64_at(thread[NETWORK]))
    return i64_offset(as_signed(game), PLACES + (4 + slot) * features)


@kernel(types.void(I64_POINTER, U64_POINTER))
def fetch_memory(places, thread):
    """Prefetch the learning rule's memory of some features."""
    size = np.int64(thread[MEMORY_SIZE])
    if size:
        memory = f32_at(thread[MEMORY])
        for number in range(feature_count(u64_at(thread[NETWORK]))):
            prefetch_f32(memory, places[number] * size)


@kernel(types.float64(U64_POINTER, types.int64, types.int64, types.boolean, U64_POINTER))
def target_of(game, number, last, terminal, thread):
    """The target of afterstate `number` in a game whose last known afterstate is `last`."""
    pairs = f32_at(game[HISTORY] + np.uint64(8 * HISTORY_SIZE))
    lambda_ = as_f64(thread[LAMBDA])
    top = number + np.int64(thread[STEPS])
    ended = terminal and top > last
    top = min(top, last)
    target = 0.0 if ended else np.float64(pairs[2 * top + 1])
    for step in range(top, number, -1):
        reward, known = np.float64(pairs[2 * step]), np.float64(pairs[2 * step + 1])
        target = reward + lambda_ * target + (1.0 - lambda_) * known
    return target
