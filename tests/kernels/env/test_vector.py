"""The pieces of the environments' kernels, and the memory that they stay inside."""

import numpy as np
import pytest
from numba import types

from tests.kernels.drivers import SMALL, to_bits
from tests.kernels.lazily import lazy_kernel
from tests.support.guards import Guards
from twofold.env.games import (
    OBSERVATIONS,
    EnvGames,
    EnvSettings,
    Observation,
    Start,
    observe,
    space,
)
from twofold.env.vector import Seeding
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.kernels import env_games
from twofold.kernels import env_games as names
from twofold.kernels.intrinsics import pointer
from twofold.kernels.simd import WIDTH
from twofold.limits import MAX_SIDE

COUNT = WIDTH + 3
"""Number of games: one vector and some single games."""

_BYTES = types.uint8[::1]


@lazy_kernel(types.void(types.int64, types.int64, types.uint64, _BYTES))
def observe_bits(form, planes, bits, target):
    env_games.observe_bits(form, planes, bits, 4, 4, np.uint64(target.ctypes.data))


@lazy_kernel(types.int64(_BYTES, _BYTES))
def made_on_cells(before, after):
    return env_games.exponents_made_on_cells(pointer(before), pointer(after), len(before))


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


def test_masks_are_spread_and_gathered() -> None:
    for legal in range(16):
        spread = int(env_games.spread_mask(legal))
        assert spread.to_bytes(4, "little") == bytes(legal >> move & 1 for move in range(4))
        assert env_games.gather_mask(np.uint64(spread)) == legal


@pytest.mark.parametrize(("rows", "cols"), SMALL)
def test_the_exponents_that_a_slide_makes(rows: int, cols: int) -> None:
    """Against the sum over the merges of each line, counted one by one."""
    rng = np.random.default_rng(rows * 4 + cols)
    for largest in (2, 3, 14) * 20:
        cells = (
            rng.integers(0, largest + 1, rows * cols) * (rng.random(rows * cols) < 0.8)
        ).astype(np.uint8)
        for move in reference.MOVES:
            after, _ = reference.slide(cells.tolist(), rows, cols, move)
            expected = 0
            for line in reference.lines(rows, cols, move):
                tiles = [int(cells[cell]) for cell in line if cells[cell]]
                while tiles:
                    tile = tiles.pop(0)
                    if tiles and tiles[0] == tile:
                        expected += tiles.pop(0) + 1
            slid = np.array(after, dtype=np.uint8)
            merges = int(np.count_nonzero(cells) - np.count_nonzero(slid))
            before_bits, after_bits = to_bits(cells, rows, cols)[()], to_bits(slid, rows, cols)[()]
            assert env_games.exponents_made(before_bits, after_bits, merges) == expected
            assert made_on_cells(cells, slid) == expected


def guarded(games: EnvGames, guards: Guards) -> None:
    """Move every array of the games between guard zones."""
    for name, array in list(vars(games).items()):
        if isinstance(array, np.ndarray) and name != "_words":
            setattr(games, name, guards.copy(array))
    games._make_words()


@pytest.mark.promise("R8")
@pytest.mark.parametrize(
    ("shape", "observation"),
    [
        (shape, form)
        for shape in ("4x4", "1x2", "2x3", "3x4", "4x2", "5x4", "8x8")
        for form in OBSERVATIONS
        if form != "bits" or max(map(int, shape.split("x"))) <= 4
    ],
)
def test_steps_stay_inside_their_memory(
    shape: str, observation: Observation, guards: Guards
) -> None:
    rules = Rules.parse(f"{shape} goal=64 stop=goal")
    settings = EnvSettings(rules, observation, spawn_info=True)
    games = EnvGames(settings, COUNT, 40, autoreset=True)
    guarded(games, guards)
    seeding = Seeding(games)
    every = np.ones(COUNT, dtype=np.bool_)
    seeding.begin(seeding.listed(5), every)
    games.start(every)
    rng = np.random.default_rng(1)
    for _ in range(150):
        games.actions[:] = rng.integers(0, 4, COUNT)
        if games.step() >> names.EXHAUSTED:
            seeding.refill()
        games.sample(5, games.actions)
    games.afterstates()
    games.replace(every)


@pytest.mark.promise("R8")
def test_the_way_from_bits_to_cells_stays_inside_its_memory(guards: Guards) -> None:
    games = EnvGames(EnvSettings(), COUNT)
    guarded(games, guards)
    games.place(np.ones(COUNT, dtype=np.bool_), Start(Board.parse("ff00/ff00/eedd/1234"), 0, 0))
    games.afterstates()
    for _ in range(20):
        for move in (3, 0, 1, 2):
            games.actions[:] = move
            games.step()
    assert games.max_tiles.tolist() == [131_072] * COUNT


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
