"""Temporal-difference learning of n-tuple networks during self-play, from starts of a carousel.

The carousel holds afterstates from which training games start (Jaskowski 2018, by stages). It has
a row for each stage of the network, or for each band of tile sums; row 0, of the first stage or of
the boards below all bands, stays empty. The first afterstate of each row that a game enters is
stored, in a ring of CAROUSEL_SIZE. By stages, CAROUSEL_BATCH new games alternate with as
many from each row in turn. By bands, a share of the games starts from a random row that is not
empty, the others are new.

A thread plays one game at a time. Threads share the weights without locks; a single thread learns
the same for the same seed. One step of a game:

    values of the four moves, best move       a = argmax r + V(s')  (see `choose`)
      -> spawn; the features of the next four moves are listed, their weights prefetched
      -> update of an earlier afterstate      V(s'_t) += alpha (target - V(s'_t))

The target of an afterstate n steps later, with r_k and V_k of the k-th afterstate after it:

    z = V_n;  for k = n .. 1:  z = r_k + lambda z + (1 - lambda) V_k  (r_n + V_n for k = n)

V is 0 at the end of a game. Forward learning uses the values at which afterstates were chosen;
backward learning goes from the end of the game to its start, with the updated values. Every
afterstate learns from the next one, also if an endgame table has chosen that.

Sources: Szubert and Jaskowski 2014 (TD afterstate learning); Jaskowski 2018 (temporal coherence,
carousel shaping); Matsuzaki 2017 (backward learning, restarts).
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels import updates as at
from twofold.kernels._jit import kernel
from twofold.kernels.bits import tile_sum
from twofold.kernels.intrinsics import (
    U64_POINTER,
    as_signed,
    f32_at,
    i64_offset,
    pointer,
    take_number,
    u64_at,
    u64_offset,
)
from twofold.kernels.ntuple import (
    STAGES,
    SYMMETRIES,
    downgraded,
    feature_count,
    list_features,
    stage_of,
    sum_features,
)
from twofold.kernels.play import dice, player_dice, start_bits
from twofold.kernels.updates import chosen_places, fetch_memory, target_of, update

_0, _1, _32 = map(np.uint64, (0, 1, 32))
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


@kernel(types.void(U64_POINTER, U64_POINTER))
def list_moves(game, thread):
    """List the afterstates of the board, their rewards and their features.

    The board is the last word of the history's afterstates, which no game reaches.
    """
    network = u64_at(thread[at.NETWORK])
    count = feature_count(network)
    square = network[SYMMETRIES] == 8
    board = u64_at(game[at.HISTORY])[at.HISTORY_SIZE - 1]
    left, right, packed = on_bits.slide_both(board, u64_at(thread[at.ACROSS]))
    turned = on_bits.transpose(board)
    up, down, packed_down = on_bits.slide_both(turned, u64_at(thread[at.DOWN]))
    places = i64_offset(as_signed(game), at.PLACES)
    legal = _0
    across_gain = np.uint64(on_bits.reward_of(packed))
    down_gain = np.uint64(on_bits.reward_of(packed_down))
    game[at.GAINS], game[at.GAINS + 1] = down_gain, across_gain
    game[at.GAINS + 2], game[at.GAINS + 3] = down_gain, across_gain
    game[at.OVERFLOWS] = np.uint64(on_bits.overflows(packed_down))
    game[at.OVERFLOWS + 1] = np.uint64(on_bits.overflows(packed))
    game[at.OVERFLOWS + 2] = game[at.OVERFLOWS]
    game[at.OVERFLOWS + 3] = game[at.OVERFLOWS + 1]
    if up != turned:
        legal |= np.uint64(1)
        if not square:  # a square board and its transpose have the same value
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
    game[at.AFTERS], game[at.AFTERS + 1] = up, right
    game[at.AFTERS + 2], game[at.AFTERS + 3] = down, left
    game[at.LEGAL] = legal


@kernel(types.void(U64_POINTER, types.uint64, types.uint64, U64_POINTER))
def begin_from(game, after, spawn, thread):
    """Add a spawn to an afterstate, and list the moves."""
    board = on_bits.place_spawn(
        after, thread[at.MASK], dice(game[at.GAME_SEED], spawn), u64_at(thread[at.DISTRIBUTION])
    )
    u64_at(game[at.HISTORY])[at.HISTORY_SIZE - 1] = board
    list_moves(game, thread)


@kernel(types.void(U64_POINTER, U64_POINTER))
def begin_game(game, thread):
    """Begin the next game, unless the limit is reached."""
    game[at.STATE] = np.uint64(at.IDLE)
    number = np.uint64(take_number(u64_at(thread[at.GAMES])))
    if number >= thread[at.GAME_LIMIT]:
        return
    seed = player_dice(thread[at.SEED], number)
    history = u64_at(game[at.HISTORY])
    pairs = f32_at(game[at.HISTORY] + np.uint64(8 * at.HISTORY_SIZE))
    again = thread[at.RESTART] != 0 and game[at.LAST_COUNT] >= thread[at.RESTART]
    after = game[at.MIDDLE] if again else next_on_carousel(seed, thread)
    game[at.STATE] = np.uint64(at.PLAYING)
    game[at.GAME_SEED] = seed
    game[at.SCORE] = game[at.MOVE_NUMBER] = game[at.COUNT] = _0
    game[at.STAGE] = game[at.LAST_COUNT] = _0
    game[at.FULL_GAME] = np.uint64(after == 0)
    if after == 0:
        history[at.HISTORY_SIZE - 1] = start_bits(
            seed, np.int64(thread[at.START_TILES]), thread[at.MASK], u64_at(thread[at.DISTRIBUTION])
        )
        list_moves(game, thread)
        return
    # This afterstate learns, too.
    network = u64_at(thread[at.NETWORK])
    places = chosen_places(game, 0, thread)
    list_features(after, network, places)
    history[0] = after
    pairs[0] = np.float32(0)
    pairs[1] = np.float32(sum_features(places, feature_count(network), network))
    game[at.COUNT] = _1
    game[at.STAGE] = np.uint64(row_of(after, thread))
    begin_from(game, after, thread[at.START_TILES] - _1, thread)


@kernel(types.void(U64_POINTER, types.int64, U64_POINTER))
def list_update(game, number, thread):
    """List the features of an afterstate that is updated next."""
    places = chosen_places(game, number, thread)
    list_features(u64_at(game[at.HISTORY])[number], u64_at(thread[at.NETWORK]), places)
    fetch_memory(places, thread)


@kernel(types.void(U64_POINTER, types.boolean, U64_POINTER))
def end_game(game, terminal, thread):
    """Record the result, make the remaining updates, and begin the next game."""
    history = u64_at(game[at.HISTORY])
    count = np.int64(game[at.COUNT])
    if game[at.FULL_GAME]:
        number = np.int64(thread[at.RESULT_COUNT])
        result = u64_offset(u64_at(thread[at.RESULTS]), number * at.RESULT_WORDS)
        result[at.RESULT_SCORE] = game[at.SCORE]
        result[at.RESULT_MOVES] = thread[at.MOVES]
        result[at.RESULT_LARGEST] = np.uint64(on_bits.max_exponent(history[at.HISTORY_SIZE - 1]))
        thread[at.RESULT_COUNT] += _1
    game[at.LAST_COUNT] = game[at.MOVE_NUMBER]
    place = np.uint64(count) * thread[at.RESTART_AT] >> np.uint64(32)
    game[at.MIDDLE] = history[place]
    if thread[at.BACKWARD]:
        game[at.TERMINAL] = np.uint64(terminal)
        game[at.NEXT_UPDATE] = np.uint64(count if terminal else max(count - 1, 0))
        if game[at.NEXT_UPDATE]:
            game[at.STATE] = np.uint64(at.LEARNING)
            list_update(game, np.int64(game[at.NEXT_UPDATE]) - 1, thread)
            return
    else:
        first = max(count - np.int64(thread[at.STEPS]), 0)
        for number in range(first, count if terminal else count - 1):
            update(
                chosen_places(game, number, thread),
                target_of(game, number, count - 1, terminal, thread),
                thread,
            )
    begin_game(game, thread)


@kernel(types.void(U64_POINTER, U64_POINTER))
def learn_backward(game, thread):
    """Update one afterstate of a game that has ended."""
    number = np.int64(game[at.NEXT_UPDATE]) - 1
    if number:  # prefetches its weights during this update
        list_update(game, number - 1, thread)
    pairs = f32_at(game[at.HISTORY] + np.uint64(8 * at.HISTORY_SIZE))
    network = u64_at(thread[at.NETWORK])
    places = chosen_places(game, number, thread)
    last = np.int64(game[at.COUNT]) - 1
    update(places, target_of(game, number, last, game[at.TERMINAL] != 0, thread), thread)
    pairs[2 * number + 1] = np.float32(sum_features(places, feature_count(network), network))
    game[at.NEXT_UPDATE] = np.uint64(number)
    if not number:
        begin_game(game, thread)


@kernel(types.Tuple((types.int64, types.float64))(U64_POINTER, U64_POINTER))
def best_move(game, thread):
    """The best of the listed moves, -1 without a legal one, and the value of its afterstate."""
    network = u64_at(thread[at.NETWORK])
    features = feature_count(network)
    places = i64_offset(as_signed(game), at.PLACES)
    legal = np.int64(game[at.LEGAL])
    best, best_value, best_worth = -1, 0.0, 0.0
    for move in range(4):
        if (legal >> move) & 1:
            worth = sum_features(i64_offset(places, move * features), features, network)
            total = worth + np.float64(np.int64(game[at.GAINS + move]))
            if best < 0 or total > best_value:
                best, best_value, best_worth = move, total, worth
    return best, best_worth


@kernel(types.int64(U64_POINTER, U64_POINTER))
def downgraded_move(game, thread):
    """The best move on the downgraded board; -1 if that is the board itself."""
    history = u64_at(game[at.HISTORY])
    board = history[at.HISTORY_SIZE - 1]
    smaller = downgraded(board, thread[at.DOWNGRADE])
    if smaller == board:
        return -1
    history[at.HISTORY_SIZE - 1] = smaller
    list_moves(game, thread)
    best, _ = best_move(game, thread)
    history[at.HISTORY_SIZE - 1] = board
    list_moves(game, thread)
    return best


@kernel(types.Tuple((types.int64, types.float64))(U64_POINTER, U64_POINTER))
def choose(game, thread):
    """The move to make, -1 without a legal one, and the value of its afterstate."""
    move = -1
    if thread[at.DOWNGRADE] != 0 and game[at.GAME_SEED] & _1:
        move = downgraded_move(game, thread)
    if move < 0:
        return best_move(game, thread)
    network = u64_at(thread[at.NETWORK])
    features = feature_count(network)
    places = i64_offset(as_signed(game), at.PLACES + move * features)
    return move, sum_features(places, features, network)


@kernel(types.void(U64_POINTER, U64_POINTER))
def play_move(game, thread):
    """Choose and make a move, and update the afterstate whose target is now known."""
    network = u64_at(thread[at.NETWORK])
    features = feature_count(network)
    places = i64_offset(as_signed(game), at.PLACES)
    best, best_worth = choose(game, thread)
    count = np.int64(game[at.COUNT])
    if best < 0 or game[at.OVERFLOWS + best] or count >= at.HISTORY_SIZE - 1:
        end_game(game, best < 0, thread)
        return
    history = u64_at(game[at.HISTORY])
    pairs = f32_at(game[at.HISTORY] + np.uint64(8 * at.HISTORY_SIZE))
    after = game[at.AFTERS + best]
    if network[SYMMETRIES] == 8 and not best & 1:
        after = on_bits.transpose(after)
    history[count] = after
    pairs[2 * count] = np.float32(np.int64(game[at.GAINS + best]))
    pairs[2 * count + 1] = np.float32(best_worth)
    game[at.COUNT] = np.uint64(count + 1)
    game[at.SCORE] += game[at.GAINS + best]
    game[at.MOVE_NUMBER] += _1
    thread[at.MOVES] += _1
    if thread[at.CAROUSEL] != 0:
        keep_on_carousel(game, after, thread)
    if not thread[at.BACKWARD]:
        chosen, kept = i64_offset(places, best * features), chosen_places(game, count, thread)
        for number in range(features):
            kept[number] = chosen[number]
        fetch_memory(kept, thread)
    # The weights of the next moves are prefetched during the update of an earlier afterstate.
    begin_from(game, after, thread[at.START_TILES] + game[at.MOVE_NUMBER] - _1, thread)
    oldest = count - np.int64(thread[at.STEPS])
    if not thread[at.BACKWARD] and oldest >= 0:
        target = target_of(game, oldest, count, False, thread)
        update(chosen_places(game, oldest, thread), target, thread)


_WORDS: Final = types.uint64[::1]


@kernel(types.boolean(_WORDS, types.int64))
def train(thread, limit):
    """Continue the training of one thread for `limit` moves and backward updates.

    It ends earlier without room for results. Returns whether a game is in progress.
    """
    words = pointer(thread)
    game = u64_at(words[at.GAME])
    for _ in range(limit):
        if game[at.STATE] == np.uint64(at.PLAYING):
            play_move(game, words)
        elif game[at.STATE] == np.uint64(at.LEARNING):
            learn_backward(game, words)
        else:
            break
        if words[at.RESULT_COUNT] == words[at.RESULT_ROOM]:
            break
    return game[at.STATE] != np.uint64(at.IDLE)


@kernel(types.void(_WORDS))
def begin(thread):
    """Begin a game if none is in progress."""
    words = pointer(thread)
    game = u64_at(words[at.GAME])
    if game[at.STATE] == np.uint64(at.IDLE):
        begin_game(game, words)


@kernel(types.void(_WORDS))
def list_again(thread):
    """List moves and features again, after a game's first words and its history were set."""
    words = pointer(thread)
    game, network = u64_at(words[at.GAME]), u64_at(words[at.NETWORK])
    afters, count = u64_at(game[at.HISTORY]), np.int64(game[at.COUNT])
    if game[at.STATE] == np.uint64(at.LEARNING):
        list_update(game, np.int64(game[at.NEXT_UPDATE]) - 1, words)
    elif game[at.STATE] == np.uint64(at.PLAYING):
        for after in range(max(count - np.int64(words[at.RING]), 0), count):
            list_features(afters[after], network, chosen_places(game, after, words))
        list_moves(game, words)
