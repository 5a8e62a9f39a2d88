"""Temporal-difference learning of n-tuple networks: games are played, and weights follow.

A thread plays several games in turn, one in each of its lanes, so that the weights that one
board needs are on their way while another one is looked at. All that a lane knows is in arrays:
a call may end after any move, and the next one goes on as if nothing had happened. Threads share
the weights without locks; what one thread alone learns depends on the seed only.

One step of a lane that plays:

    afterstates of the four moves (their features are listed, their weights are coming)
      -> values, best move                    a = argmax r + V(s')
      -> update of an earlier afterstate      V(s'_t) += alpha (target - V(s'_t))
      -> spawn, and the afterstates of the next four moves

The target of an afterstate n steps later, with r_k and V_k of the k-th afterstate after it:

    z = V_n;  for k = n .. 1:  z = r_k + lambda z + (1 - lambda) V_k  (r_n + V_n for k = n)

so n = 1 is TD(0), lambda = 1 is n-step TD, and lambda between is TD(lambda) cut off after n
steps. V is 0 at the end of a game. Forward learning updates each afterstate as soon as its
target is known, with the values at which it was chosen; backward learning waits for the end of
the game and goes from the last afterstate to the first, with values just updated.

Sources: Szubert and Jaskowski 2014 (TD afterstate learning); Jaskowski 2018 (temporal coherence,
carousel shaping); Matsuzaki 2017 (backward learning, restarts).
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels._jit import kernel
from twofold.kernels.dice import dice, player_dice
from twofold.kernels.intrinsics import (
    F32_POINTER,
    I64_POINTER,
    U64_POINTER,
    as_f64,
    as_signed,
    f32_at,
    i64_offset,
    pointer,
    prefetch_f32,
    take_number,
    u64_at,
    u64_offset,
)
from twofold.kernels.ntuple import (
    MAX_FEATURES,
    PATTERNS,
    STAGE_SIZE,
    STAGES,
    SYMMETRIES,
    WEIGHTS,
    list_features,
    promoted,
    stage_of,
    sum_features,
)
from twofold.kernels.play import start_bits

# Words of a thread.
NETWORK: Final = 0
"""Address of the network's words, see `ntuple`."""
SUMS: Final = 1
"""Address of the two sums of each weight, float32 (weights, 2): of updates, and of their sizes."""
ACROSS: Final = 2
DOWN: Final = 3
MASK: Final = 4
LAW: Final = 5
START_TILES: Final = 6
SEED: Final = 7
GAMES: Final = 8
"""Address of the number of games begun, shared by all threads."""
GAME_LIMIT: Final = 9
"""No game is begun once there were so many."""
LANES: Final = 10
"""Address of the lanes, one after the other, see `lane_words`."""
LANE_COUNT: Final = 11
COHERENT: Final = 12
"""1 for temporal coherence, 0 for plain TD."""
RATE: Final = 13
"""The learning rate, the bits of a float64; shared by all features of a board."""
LAMBDA: Final = 14
STEPS: Final = 15
"""Afterstates from one to its target, 1 to MAX_STEPS."""
BACKWARD: Final = 16
RESTART: Final = 17
"""A game of at least so many moves is taken up again in its middle; 0 for never."""
RESULTS: Final = 18
"""Address of uint64 (room, RESULT_WORDS): the games that ended in this call."""
RESULT_COUNT: Final = 19
RESULT_ROOM: Final = 20
MOVES: Final = 21
"""Moves made since training began."""
UPDATES: Final = 22
CAROUSEL: Final = 23
"""Address of the carousel, shared by all threads: (stages, 1 + CAROUSEL_SIZE) words, the number
of afterstates kept so far and the last of them; 0 for none."""
CAROUSEL_STAGE: Final = 24
CAROUSEL_LEFT: Final = 25
"""Games to begin from that stage before the next one's turn."""
THREAD_WORDS: Final = 26

MAX_STEPS: Final = 16
CAROUSEL_SIZE: Final = 1000
CAROUSEL_BATCH: Final = 200

# Words of a lane.
STATE: Final = 0
"""What it does: IDLE, PLAYING or LEARNING (backward, after the end of a game)."""
IDLE: Final = 0
PLAYING: Final = 1
LEARNING: Final = 2
GAME_SEED: Final = 1
SCORE: Final = 2
MOVE_NUMBER: Final = 3
"""Moves since the start of this game, or since it was taken up again; the spawn after it falls
as after that many moves."""
COUNT: Final = 4
"""Afterstates in the history."""
FULL_GAME: Final = 5
"""1 where the game began with start tiles: only such games count in statistics."""
LEGAL: Final = 6
STAGE: Final = 7
NEXT_UPDATE: Final = 8
"""While LEARNING: the number of the afterstate to update next, plus 1."""
TERMINAL: Final = 9
"""1 where the game that is learnt from ended without a legal move."""
HISTORY: Final = 10
"""Address of the history: (HISTORY_SIZE,) afterstates, then as many (reward, value) pairs."""
LAST_COUNT: Final = 11
"""Length of the game before, whose history is still there up to where this one has come."""
MIDDLE: Final = 12
"""The afterstate in the middle of the game before."""
LANE_STATE_WORDS: Final = 13
"""The words that a checkpoint keeps, HISTORY left out; all others follow from boards."""
AFTERS: Final = 13
"""The four afterstates, those of up and down turned on square boards."""
GAINS: Final = 17
OVERFLOWS: Final = 21
PLACES: Final = 25
"""The features of the four afterstates, then those of the last MAX_STEPS chosen."""


def lane_words(features: int) -> int:
    """The words of a lane for networks of so many features."""
    return PLACES + (4 + MAX_STEPS) * features


HISTORY_SIZE: Final = 1 << 17
"""More than a game on 4x4 can have without a tile of 65536."""

# Words of a result.
RESULT_SCORE: Final = 0
RESULT_MOVES: Final = 1
RESULT_LARGEST: Final = 2
"""The largest exponent."""
RESULT_WORDS: Final = 3

_0: Final = np.uint64(0)
_1: Final = np.uint64(1)
_LOW: Final = np.uint64(0xFFFFFFFF)
_32: Final = np.uint64(32)


@kernel(types.int64(U64_POINTER))
def feature_count(network):
    """Patterns x symmetries."""
    return np.int64(network[PATTERNS]) * np.int64(network[SYMMETRIES])


@kernel(types.void(I64_POINTER, types.int64, U64_POINTER))
def touch(places, count, network):
    """Give untouched weights of a later stage the value they stand for, before they change."""
    weights = f32_at(network[WEIGHTS])
    for number in range(count):
        place = places[number]
        if np.isnan(weights[place]):
            weights[place] = promoted(place, weights, np.int64(network[STAGE_SIZE]))


@kernel(types.void(I64_POINTER, types.int64, types.float64, U64_POINTER))
def update_td(places, count, step, network):
    """Add the same to each weight."""
    weights = f32_at(network[WEIGHTS])
    if network[STAGES] > 1:
        touch(places, count, network)
    change = np.float32(step)
    for number in range(count):
        weights[places[number]] += change


@kernel(types.void(I64_POINTER, types.int64, types.float64, U64_POINTER, F32_POINTER))
def update_tc(places, count, step, network, sums):
    """Add to each weight in proportion to how much its updates so far agree in sign.

    E is the sum of a weight's updates before they were scaled, A that of their sizes:
    w += |E| / A d, then E += d and A += |d|; the ratio is 1 where A is 0.
    """
    weights = f32_at(network[WEIGHTS])
    if network[STAGES] > 1:
        touch(places, count, network)
    change = np.float32(step)
    size = np.float32(abs(step))
    for number in range(count):
        place = places[number]
        both = place << 1
        total, sizes = sums[both], sums[both + 1]
        rate = abs(total) / sizes if sizes > np.float32(0) else np.float32(1)
        weights[place] += rate * change
        sums[both] = total + change
        sums[both + 1] = sizes + size


@kernel(types.void(I64_POINTER, types.float64, U64_POINTER))
def update(places, target, thread):
    """Move the value of the afterstate with these features towards a target."""
    network = u64_at(thread[NETWORK])
    count = feature_count(network)
    error = target - sum_features(places, count, network)
    step = as_f64(thread[RATE]) * error / np.float64(count)
    thread[UPDATES] += _1
    if thread[COHERENT]:
        update_tc(places, count, step, network, f32_at(thread[SUMS]))
    else:
        update_td(places, count, step, network)


@kernel(I64_POINTER(U64_POINTER, types.int64, types.int64))
def chosen_places(lane, number, features):
    """Where the features of the afterstate `number` of the history are kept."""
    return i64_offset(as_signed(lane), PLACES + (4 + number % MAX_STEPS) * features)


@kernel(types.void(I64_POINTER, U64_POINTER))
def fetch_sums(places, thread):
    """Have the sums of some features fetched."""
    if thread[COHERENT]:
        sums = f32_at(thread[SUMS])
        for number in range(feature_count(u64_at(thread[NETWORK]))):
            prefetch_f32(sums, places[number] << 1)


@kernel(types.float64(U64_POINTER, types.int64, types.int64, types.boolean, U64_POINTER))
def target_of(lane, number, last, terminal, thread):
    """The target of the afterstate `number`, of a game whose last known one is `last`."""
    pairs = f32_at(lane[HISTORY] + np.uint64(8 * HISTORY_SIZE))
    decay = as_f64(thread[LAMBDA])
    top = number + np.int64(thread[STEPS])
    ended = terminal and top > last
    top = min(top, last)
    target = 0.0 if ended else np.float64(pairs[2 * top + 1])
    for step in range(top, number, -1):
        reward, known = np.float64(pairs[2 * step]), np.float64(pairs[2 * step + 1])
        target = reward + decay * target + (1.0 - decay) * known
    return target


@kernel(types.void(U64_POINTER, U64_POINTER))
def list_moves(lane, thread):
    """List the afterstates of the lane's board, their rewards and their features.

    The board is the last word of the history's afterstates, where no game ever comes.
    """
    network = u64_at(thread[NETWORK])
    count = feature_count(network)
    square = network[SYMMETRIES] == 8
    board = u64_at(lane[HISTORY])[HISTORY_SIZE - 1]
    left, right, packed = on_bits.slide_both(board, u64_at(thread[ACROSS]))
    turned = on_bits.transpose(board)
    up, down, packed_down = on_bits.slide_both(turned, u64_at(thread[DOWN]))
    places = i64_offset(as_signed(lane), PLACES)
    legal = _0
    across_gain = np.uint64(on_bits.reward_of(packed))
    down_gain = np.uint64(on_bits.reward_of(packed_down))
    lane[GAINS], lane[GAINS + 1] = down_gain, across_gain
    lane[GAINS + 2], lane[GAINS + 3] = down_gain, across_gain
    lane[OVERFLOWS] = np.uint64(on_bits.overflows(packed_down))
    lane[OVERFLOWS + 1] = np.uint64(on_bits.overflows(packed))
    lane[OVERFLOWS + 2] = lane[OVERFLOWS]
    lane[OVERFLOWS + 3] = lane[OVERFLOWS + 1]
    if up != turned:
        legal |= np.uint64(1)
        if not square:  # a square board is worth as much turned
            up = on_bits.transpose(up)
        list_features(up, network, places)
    if right != board:
        legal |= np.uint64(2)
        list_features(right, network, i64_offset(places, count))
    if down != turned:
        legal |= np.uint64(4)
        if not square:
            down = on_bits.transpose(down)
        list_features(down, network, i64_offset(places, 2 * count))
    if left != board:
        legal |= np.uint64(8)
        list_features(left, network, i64_offset(places, 3 * count))
    lane[AFTERS], lane[AFTERS + 1], lane[AFTERS + 2], lane[AFTERS + 3] = up, right, down, left
    lane[LEGAL] = legal


@kernel(types.void(U64_POINTER, types.uint64, U64_POINTER))
def keep_on_carousel(lane, after, thread):
    """Keep the first afterstate of a stage that the game enters, to begin other games from."""
    network = u64_at(thread[NETWORK])
    stage = stage_of(after, network)
    if thread[CAROUSEL] != 0 and stage > np.int64(lane[STAGE]):
        ring = u64_offset(u64_at(thread[CAROUSEL]), stage * (1 + CAROUSEL_SIZE))
        ring[1 + take_number(ring) % CAROUSEL_SIZE] = after
    lane[STAGE] = np.uint64(max(stage, np.int64(lane[STAGE])))


@kernel(types.uint64(types.uint64, U64_POINTER))
def next_on_carousel(draw, thread):
    """The afterstate to begin the next game from; 0 for a new game."""
    if thread[CAROUSEL] == 0:
        return _0
    carousel = u64_at(thread[CAROUSEL])
    stages = np.int64(u64_at(thread[NETWORK])[STAGES])
    if thread[CAROUSEL_LEFT] == 0:
        stage = np.int64(thread[CAROUSEL_STAGE]) + 1
        if stage >= stages or carousel[stage * (1 + CAROUSEL_SIZE)] == 0:
            stage = 0
        thread[CAROUSEL_STAGE] = np.uint64(stage)
        thread[CAROUSEL_LEFT] = np.uint64(CAROUSEL_BATCH)
    thread[CAROUSEL_LEFT] -= _1
    if thread[CAROUSEL_STAGE] == 0:
        return _0
    ring = u64_offset(carousel, np.int64(thread[CAROUSEL_STAGE]) * (1 + CAROUSEL_SIZE))
    known = min(ring[0], np.uint64(CAROUSEL_SIZE))
    return ring[1 + np.int64(((draw >> _32) * known) >> _32)]


@kernel(types.void(U64_POINTER, types.uint64, types.uint64, U64_POINTER))
def begin_from(lane, after, spawn, thread):
    """Let a spawn fall on an afterstate, and list the moves."""
    board = on_bits.place_spawn(
        after, thread[MASK], dice(lane[GAME_SEED], spawn), u64_at(thread[LAW])
    )
    u64_at(lane[HISTORY])[HISTORY_SIZE - 1] = board
    list_moves(lane, thread)


@kernel(types.void(U64_POINTER, U64_POINTER))
def begin_game(lane, thread):
    """Begin the lane's next game, unless there were enough."""
    lane[STATE] = np.uint64(IDLE)
    game = take_number(u64_at(thread[GAMES]))
    if np.uint64(game) >= thread[GAME_LIMIT]:
        return
    seed = player_dice(thread[SEED], np.uint64(game))
    history = u64_at(lane[HISTORY])
    pairs = f32_at(lane[HISTORY] + np.uint64(8 * HISTORY_SIZE))
    again = thread[RESTART] != 0 and lane[LAST_COUNT] >= thread[RESTART]
    after = lane[MIDDLE] if again else next_on_carousel(dice(seed, ~_0 - _1), thread)
    lane[STATE] = np.uint64(PLAYING)
    lane[GAME_SEED] = seed
    lane[SCORE] = lane[MOVE_NUMBER] = lane[COUNT] = lane[STAGE] = lane[LAST_COUNT] = _0
    lane[FULL_GAME] = np.uint64(after == 0)
    if after == 0:
        history[HISTORY_SIZE - 1] = start_bits(
            seed, np.int64(thread[START_TILES]), thread[MASK], u64_at(thread[LAW])
        )
        list_moves(lane, thread)
        return
    # The afterstate itself learns from what follows.
    network = u64_at(thread[NETWORK])
    places = chosen_places(lane, 0, feature_count(network))
    list_features(after, network, places)
    history[0] = after
    pairs[0] = np.float32(0)
    pairs[1] = np.float32(sum_features(places, feature_count(network), network))
    lane[COUNT] = _1
    lane[STAGE] = np.uint64(stage_of(after, network))
    begin_from(lane, after, thread[START_TILES] - _1, thread)


@kernel(types.void(U64_POINTER, U64_POINTER))
def list_next_update(lane, thread):
    """List the features of the afterstate that is updated next."""
    number = np.int64(lane[NEXT_UPDATE]) - 1
    network = u64_at(thread[NETWORK])
    places = chosen_places(lane, number, feature_count(network))
    list_features(u64_at(lane[HISTORY])[number], network, places)
    fetch_sums(places, thread)


@kernel(types.void(U64_POINTER, types.boolean, U64_POINTER))
def end_game(lane, terminal, thread):
    """Note the result, learn what is left to learn, and begin the next game."""
    history = u64_at(lane[HISTORY])
    count = np.int64(lane[COUNT])
    if lane[FULL_GAME]:
        number = np.int64(thread[RESULT_COUNT])
        result = u64_offset(u64_at(thread[RESULTS]), number * RESULT_WORDS)
        result[RESULT_SCORE] = lane[SCORE]
        result[RESULT_MOVES] = lane[MOVE_NUMBER]
        result[RESULT_LARGEST] = np.uint64(on_bits.max_exponent(history[HISTORY_SIZE - 1]))
        thread[RESULT_COUNT] += _1
    lane[LAST_COUNT] = lane[MOVE_NUMBER]
    lane[MIDDLE] = history[count // 2]
    if thread[BACKWARD]:
        lane[TERMINAL] = np.uint64(terminal)
        lane[NEXT_UPDATE] = np.uint64(count if terminal else max(count - 1, 0))
        if lane[NEXT_UPDATE]:
            lane[STATE] = np.uint64(LEARNING)
            list_next_update(lane, thread)
            return
    else:
        features = feature_count(u64_at(thread[NETWORK]))
        first = max(count - np.int64(thread[STEPS]), 0)
        for number in range(first, count if terminal else count - 1):
            update(
                chosen_places(lane, number, features),
                target_of(lane, number, count - 1, terminal, thread),
                thread,
            )
    begin_game(lane, thread)


@kernel(types.void(U64_POINTER, U64_POINTER))
def learn_backward(lane, thread):
    """Update one afterstate of a game that has ended."""
    number = np.int64(lane[NEXT_UPDATE]) - 1
    pairs = f32_at(lane[HISTORY] + np.uint64(8 * HISTORY_SIZE))
    network = u64_at(thread[NETWORK])
    places = chosen_places(lane, number, feature_count(network))
    last = np.int64(lane[COUNT]) - 1
    update(places, target_of(lane, number, last, lane[TERMINAL] != 0, thread), thread)
    pairs[2 * number + 1] = np.float32(sum_features(places, feature_count(network), network))
    lane[NEXT_UPDATE] = np.uint64(number)
    if number:
        list_next_update(lane, thread)
    else:
        begin_game(lane, thread)


@kernel(types.void(U64_POINTER, U64_POINTER))
def play_move(lane, thread):
    """Make the best move of a lane's board, and update what now has its target."""
    network = u64_at(thread[NETWORK])
    features = feature_count(network)
    places = i64_offset(as_signed(lane), PLACES)
    legal = np.int64(lane[LEGAL])
    best, best_value, best_worth = -1, 0.0, 0.0
    for move in range(4):
        if (legal >> move) & 1:
            worth = sum_features(i64_offset(places, move * features), features, network)
            total = worth + np.float64(np.int64(lane[GAINS + move]))
            if best < 0 or total > best_value:
                best, best_value, best_worth = move, total, worth
    count = np.int64(lane[COUNT])
    if best < 0 or lane[OVERFLOWS + best] or count >= HISTORY_SIZE - 1:
        end_game(lane, best < 0, thread)
        return
    history = u64_at(lane[HISTORY])
    pairs = f32_at(lane[HISTORY] + np.uint64(8 * HISTORY_SIZE))
    after = lane[AFTERS + best]
    if network[SYMMETRIES] == 8 and not best & 1:
        after = on_bits.transpose(after)
    history[count] = after
    pairs[2 * count] = np.float32(np.int64(lane[GAINS + best]))
    pairs[2 * count + 1] = np.float32(best_worth)
    lane[COUNT] = np.uint64(count + 1)
    lane[SCORE] += lane[GAINS + best]
    lane[MOVE_NUMBER] += _1
    thread[MOVES] += _1
    if network[STAGES] > 1:
        keep_on_carousel(lane, after, thread)
    if not thread[BACKWARD]:
        steps = np.int64(thread[STEPS])
        if count >= steps:
            oldest = count - steps
            target = target_of(lane, oldest, count, False, thread)
            update(chosen_places(lane, oldest, features), target, thread)
        chosen, kept = i64_offset(places, best * features), chosen_places(lane, count, features)
        for number in range(features):
            kept[number] = chosen[number]
        fetch_sums(kept, thread)
    begin_from(lane, after, thread[START_TILES] + lane[MOVE_NUMBER] - _1, thread)


@kernel(types.int64(U64_POINTER, types.int64))
def go_on(thread, limit):
    """Let the lanes go on in turn, until about `limit` moves and backward updates are made."""
    lanes = u64_at(thread[LANES])
    count = np.int64(thread[LANE_COUNT])
    size = PLACES + (4 + MAX_STEPS) * feature_count(u64_at(thread[NETWORK]))
    active = 0
    for _ in range(limit // count + 1):
        active = 0
        for number in range(count):
            lane = u64_offset(lanes, number * size)
            if lane[STATE] == np.uint64(PLAYING):
                play_move(lane, thread)
                active += 1
            elif lane[STATE] == np.uint64(LEARNING):
                learn_backward(lane, thread)
                active += 1
        if active == 0 or thread[RESULT_COUNT] + np.uint64(count) > thread[RESULT_ROOM]:
            break
    return active


_WORDS: Final = types.Array(types.uint64, 1, "C")


@kernel(types.int64(_WORDS, types.int64))
def train(thread, limit):
    """Go on with the training of one thread.

    Args:
        thread: its words.
        limit: about how many moves and backward updates to make.

    Returns:
        The number of lanes that have a game to play or to learn from.
    """
    return go_on(pointer(thread), limit)


@kernel(types.void(_WORDS))
def begin_all(thread):
    """Begin a game in every idle lane."""
    words = pointer(thread)
    size = PLACES + (4 + MAX_STEPS) * feature_count(u64_at(words[NETWORK]))
    for number in range(np.int64(words[LANE_COUNT])):
        lane = u64_offset(u64_at(words[LANES]), number * size)
        if lane[STATE] == np.uint64(IDLE):
            begin_game(lane, words)


@kernel(types.void(_WORDS))
def list_again(thread):
    """List what the lanes keep about boards, after their first words and histories were set."""
    words = pointer(thread)
    network = u64_at(words[NETWORK])
    features = feature_count(network)
    for number in range(np.int64(words[LANE_COUNT])):
        lane = u64_offset(u64_at(words[LANES]), number * (PLACES + (4 + MAX_STEPS) * features))
        afters, count = u64_at(lane[HISTORY]), np.int64(lane[COUNT])
        if lane[STATE] == np.uint64(LEARNING):
            list_next_update(lane, words)
        elif lane[STATE] == np.uint64(PLAYING):
            for after in range(max(count - MAX_STEPS, 0), count):
                list_features(afters[after], network, chosen_places(lane, after, features))
            list_moves(lane, words)


@kernel(types.void(_WORDS, types.uint64, types.float64))
def learn_one(thread, after, target):
    """Update the value of one afterstate towards a target, outside any game."""
    places = np.empty(MAX_FEATURES, dtype=np.int64)
    words = pointer(thread)
    list_features(after, u64_at(words[NETWORK]), pointer(places))
    update(pointer(places), target, words)
