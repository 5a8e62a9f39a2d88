"""The pieces of the environments' kernels."""

import numpy as np
import pytest
from numba import types

from tests.kernels.lazily import lazy_kernel
from tests.support.guards import Guards
from twofold.env.games import OBSERVATIONS, EnvGames, EnvSettings, Observation, observe, space
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.kernels import env_games
from twofold.kernels import env_games as names
from twofold.limits import MAX_SIDE

_BYTES = types.uint8[::1]


@lazy_kernel(types.void(types.int64, types.int64, types.uint64, _BYTES))
def observe_bits(form, planes, bits, target):
    env_games.observe_bits(form, planes, bits, 4, 4, np.uint64(target.ctypes.data))


@pytest.mark.parametrize("spawn", [2, 4, 64])
@pytest.mark.parametrize("form", OBSERVATIONS)
def test_boards_are_written_in_vectors(form: Observation, spawn: int, guards: Guards) -> None:
    rules = Rules(spawn=((spawn, 1),))
    words = np.random.default_rng(1).integers(0, 2**64, 300, dtype=np.uint64)
    size = space(form, rules).sample().nbytes
    target = guards.copy(np.zeros(size, dtype=np.uint8))
    for word in words:
        target[:] = 255
        observe_bits(OBSERVATIONS.index(form), rules.max_exponent + 1, word, target)
        assert target.tobytes() == observe(Board.from_bits(int(word)), form, rules).tobytes()


def test_games_are_placed_on_boards_of_their_own() -> None:
    games = EnvGames(EnvSettings(), 4)
    games.start(np.ones(4, dtype=np.bool_))
    kept = games.board(1)
    large = Board([17, *[0] * 14, 16], (4, 4))  # more than 64 bits hold
    boards = [Board.parse("ff00/ff00/eedd/1234"), large, Board.parse("0001/2000/0000/0000")]
    cells = np.array([board.exponents for board in boards], dtype=np.uint8)
    games.place_each(np.array([3, 0, 2]), cells)
    assert [games.board(game) for game in (3, 0, 2)] == boards
    assert games.board(1) == kept
    assert games.observations[[3, 0, 2]].reshape(3, -1).tolist() == cells.tolist()
    for game, board in zip((3, 0, 2), boards, strict=True):
        assert np.flatnonzero(games.legal[game]).tolist() == sorted(board.legal_moves())


def test_the_words_are_numbered_one_by_one() -> None:
    found = [name for name in vars(names) if name.isupper()]
    words = found[found.index("GAMES") : found.index("WORDS")]
    assert [getattr(names, name) for name in words] == list(range(names.WORDS))
    assert names.SCRATCH_SIZE >= 2 * MAX_SIDE**2
