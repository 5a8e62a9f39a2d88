"""Many games equal Gymnasium's vector of single ones, in all its modes."""

import copy
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from tests.env.naive import assert_same
from twofold.env import ENV_ID
from twofold.env.games import BLOCK
from twofold.env.vector import VectorEnv2048
from twofold.errors import InvalidInput, InvalidMove
from twofold.errors import TwofoldError as Refused
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import Move, Rules
from twofold.kernels.play import dice
from twofold.kernels.policies import random_legal
from twofold.kernels.simd import WIDTH

COUNT = 6
ZEROS = np.zeros(COUNT, dtype=np.int64)


def pair(
    mode: AutoresetMode, limit: int | None = None, count: int = COUNT, **options: Any
) -> tuple[SyncVectorEnv, VectorEnv2048]:
    """The same games as an environment each, under Gymnasium's own vector, and ours."""

    def make() -> gymnasium.Env[Any, Any]:
        return gymnasium.make(ENV_ID, max_episode_steps=limit, disable_env_checker=True, **options)

    slow = SyncVectorEnv([make] * count, autoreset_mode=mode)
    options |= {"max_episode_steps": limit, "autoreset_mode": mode.value}
    return slow, VectorEnv2048(count, **options)


@pytest.mark.promise("R11")
@pytest.mark.parametrize(
    ("limit", "options"),
    [
        (None, {"rules": "2x3", "spawn_info": True}),
        (7, {"rules": "2x5 goal=16 stop=goal", "spawn_info": True}),
        (None, {"rules": "1x2", "reward": "log2"}),
        (7, {"rules": "3x3 goal=16 stop=goal", "observation": "onehot", "reward": "goal"}),
        (None, {"rules": "2x2", "observation": "bits", "illegal": "penalty", "penalty": 3.0}),
        (7, {"rules": "2x5", "observation": "tiles", "illegal": "terminate"}),
        (9, {"rules": "4x3 spawn=2:0.2,8:0.3,32:0.5 start=5", "observation": "tiles"}),
        (7, {"rules": "4x4 goal=32", "reward": "goal", "illegal": "terminate"}),
    ],
    ids=str,
)
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_steps_equal_those_of_single_environments(
    mode: AutoresetMode, limit: int | None, options: dict[str, Any]
) -> None:
    """Ours steps many games at once, and the rest one by one; with illegal actions."""
    count = WIDTH + 3
    slow, fast = pair(mode, limit, count, **options)
    assert fast.metadata["autoreset_mode"] is slow.metadata["autoreset_mode"] is mode
    assert fast.observation_space == slow.observation_space
    assert fast.action_space == slow.action_space
    assert_same(fast.reset(seed=5), slow.reset(seed=5))
    rng, endings = np.random.default_rng(1), 0
    for number in range(70):
        actions = rng.integers(0, 4, count)
        found = fast.step(actions)
        assert_same(found, slow.step(actions))
        ended = found[2] | found[3]
        endings += int(np.count_nonzero(ended))
        if number == 45:
            assert_same(fast.reset(), slow.reset())  # each goes on with seeds of its own
        elif mode is AutoresetMode.DISABLED and ended.any():
            mask = {"reset_mask": ended}
            assert_same(fast.reset(options=mask), slow.reset(options=dict(mask)))
            assert list(mask) == ["reset_mask"]
    assert endings > count


def test_a_mask_begins_only_some_games() -> None:
    slow, fast = pair(AutoresetMode.DISABLED, spawn_info=True)
    assert_same(fast.reset(seed=1), slow.reset(seed=1))
    mask = np.array([True, False] * (COUNT // 2))
    for seed in (None, 9, [4, None, None, 8, 2**63, None]):
        assert_same(fast.step(ZEROS), slow.step(ZEROS))
        found = fast.reset(seed=seed, options={"reset_mask": mask})
        assert_same(found, slow.reset(seed=seed, options={"reset_mask": mask}))
    assert_same(fast.reset(), slow.reset())


def test_attributes_of_the_games_equal_those_of_single_environments() -> None:
    slow, fast = pair(AutoresetMode.SAME_STEP, rules="2x3", render_mode="ansi")
    for envs in (slow, fast):
        envs.reset(seed=4)
        envs.step(np.arange(COUNT) % 4)
        with pytest.raises(AttributeError, match="no attribute 'stage'"):
            envs.get_attr("stage")
        envs.set_attr("stage", 3)
        envs.set_attr("name", [*"abcdef"])
        assert envs.get_attr("stage") == (3,) * COUNT
        assert envs.get_attr("name") == tuple("abcdef")
        with pytest.raises(ValueError, match=r"Values must be|6 values, one a game, got 2"):
            envs.set_attr("stage", [1, 2])
    for name in ("action_masks", "afterstates", "board", "render"):
        assert_same(fast.call(name), slow.call(name))
    for name in ("action_space", "observation_space", "render_mode", "settings"):
        assert fast.get_attr(name) == slow.get_attr(name)
    assert list(map(repr, fast.get_attr("game"))) == list(map(repr, slow.get_attr("game")))
    for name in ("board", "settings", "step", "render_mode"):
        with pytest.raises(AttributeError, match=f"'{name}' of VectorEnv2048 cannot be set"):
            fast.set_attr(name, 1)


# Seeds


def test_seeds_go_on_past_a_block() -> None:
    """Far more games than seeds are drawn at once."""
    slow, fast = pair(AutoresetMode.NEXT_STEP, 1, rules="2x2")
    assert_same(fast.reset(seed=2**64 - COUNT), slow.reset(seed=2**64 - COUNT))
    for number in range(5 * BLOCK):
        actions = np.full(COUNT, number % 4)
        assert_same(fast.step(actions), slow.step(actions))


@pytest.mark.parametrize("seed", [0, 2**63, [3, 1, 4, 1, 5, 9], np.arange(6, dtype="u8")])
def test_each_game_is_the_game_of_its_seed(seed: Any) -> None:
    many = VectorEnv2048(COUNT)
    many.reset(seed=seed)
    seeds = [seed + game for game in range(COUNT)] if isinstance(seed, int) else seed
    games = [Game(Rules(), seed=one) for one in seeds]
    for _ in range(30):
        actions = many.sample_actions()
        many.step(actions)
        for game, action in zip(games, actions, strict=True):
            game.play(Move(int(action)))
        assert [many.board(index) for index in range(COUNT)] == [game.board for game in games]
    assert [many.game(index).score for index in range(COUNT)] == [game.score for game in games]
    assert many.game(2).spawn_number == games[2].spawn_number
    without = [one for _ in range(2) for one in VectorEnv2048(COUNT).reset()[1]["seed"].tolist()]
    assert len(set(without)) == 2 * COUNT


@pytest.mark.parametrize(
    ("seed", "words"),
    [
        *((seed, "expected a seed") for seed in (-1, 2**64, 2**64 - COUNT + 1, True, 1.5, "1")),
        *((kind(-3), "expected a seed") for kind in (np.int64, np.int8)),
        (np.ones(COUNT), "expected a seed"),
        (np.ones(COUNT, dtype=bool), "expected a seed"),
        (np.ones((COUNT, 1), np.int64), "expected a seed"),
        (np.arange(COUNT) - 1, "expected a seed"),
        ([1, 2], "expected 6 seeds, one for each game, got 2"),
        (np.array([1, 2]), "expected 6 seeds, one for each game, got 2"),
    ],
    ids=repr,
)
def test_invalid_seeds_are_refused(seed: Any, words: str) -> None:
    with pytest.raises(Refused, match=words):
        VectorEnv2048(COUNT).reset(seed=seed)


# Actions


@pytest.mark.parametrize(
    "actions",
    [
        *(np.full(COUNT, 4), np.full(COUNT, -1), np.zeros(COUNT), np.zeros((COUNT, 1), dtype=int)),
        *(np.zeros(COUNT + 1, dtype=int), [0] * (COUNT - 1), 3, [[0]] * (COUNT - 1) + [[0, 1]]),
    ],
    ids=str,
)
def test_invalid_actions_are_refused_before_any_move(actions: Any) -> None:
    many = VectorEnv2048(COUNT)
    before = many.reset(seed=1)[0]
    with pytest.raises(InvalidMove, match="from 0 to 3"):
        many.step(actions)
    assert {many.game(index).move_number for index in range(COUNT)} == {0}
    assert_same(many.step(np.array([0, 1, 2, 3, 0, 1], dtype=np.uint8))[0].shape, before.shape)


def test_sampled_actions_follow_the_law_of_the_random_player() -> None:
    many = VectorEnv2048(5 * WIDTH + 3, "4x4 goal=32 stop=goal", autoreset_mode="DISABLED")
    many.reset(seed=1)
    for turn in range(30):
        key = np.random.default_rng(turn).bit_generator.random_raw()
        actions = many.sample_actions(np.random.default_rng(turn))
        for game, legal in enumerate((many.action_masks() @ (1, 2, 4, 8)).tolist()):
            draw = dice(np.uint64(key), np.uint64(game))
            assert actions[game] == (random_legal(legal, draw) if legal else 0)
        many.step(actions)
    assert (many.sample_actions() != many.sample_actions()).any()


# Arrays


@pytest.mark.parametrize("count", [COUNT, 512])
@pytest.mark.parametrize("own", [True, False])
def test_copies_are_the_callers_own_and_views_are_not(count: int, own: bool) -> None:
    many = VectorEnv2048(count, observation="onehot", copy=own)
    many.reset(seed=1)
    first = many.step(many.sample_actions())
    kept = copy.deepcopy(first)
    second = many.step(many.sample_actions())
    for one, other, before in zip(first[:4], second[:4], kept[:4], strict=True):
        assert np.shares_memory(one, other) is (one is other) is not own
        if own:
            assert_same(one, before)


def test_returned_arrays_are_independent_of_the_games() -> None:
    many, twin = VectorEnv2048(COUNT, "2x3"), VectorEnv2048(COUNT, "2x3")
    mask = np.ones(2 * COUNT, dtype=np.bool_)[::2]
    for envs in (many, twin):
        envs.reset(seed=1, options={"reset_mask": mask})
    again = many.reset(seed=2, options={"reset_mask": mask})
    found = (many.reset(seed=1), again, many.action_masks(), many.afterstates())
    twin.reset(seed=1)
    kept = copy.deepcopy(found)
    mask[:] = False
    step = many.step(np.arange(COUNT) % 4)
    assert_same(step, twin.step(np.arange(COUNT) % 4))
    assert_same(found, kept)
    for array in (*step[:4], *step[4].values(), *found[2:3], *found[3]):
        array[...] = 0  # whoever writes into it does no harm
    assert_same(many.step(ZEROS), twin.step(ZEROS))
    assert_same(many.reset(), twin.reset())


def test_a_copy_is_independent() -> None:
    many = VectorEnv2048(COUNT, "2x2")
    many.reset(seed=1)
    for _ in range(20):
        many.step(many.sample_actions())
    twin = copy.deepcopy(many)
    actions = np.random.default_rng(1).integers(0, 4, (60, COUNT))
    found = [many.step(row) for row in actions]  # the twin must not notice
    for row, expected in zip(actions, found, strict=True):
        assert_same(twin.step(row), expected)


# Options


def test_invalid_masks_are_refused() -> None:
    many = VectorEnv2048(2)
    for mask in (np.zeros(2, dtype=bool), np.ones(3, dtype=bool), np.ones(2), [True, True]):
        with pytest.raises(InvalidInput, match="expected a reset_mask of 2 booleans"):
            many.reset(options={"reset_mask": mask})
    with pytest.raises(InvalidInput, match="the first reset must reset all games"):
        many.reset(options={"reset_mask": np.array([True, False])})


def test_games_that_begin_on_a_board() -> None:
    many, start = VectorEnv2048(3), Board.parse("ff00/ff00/0000/0000")
    _, infos = many.reset(seed=3, options={"board": start, "score": 900_000, "move_number": 40})
    assert infos["score"].tolist() == [900_000] * 3
    twins = [Game.from_board(start, None, 3 + game, move_number=40) for game in range(3)]
    for move in (Move.LEFT, Move.LEFT, Move.UP, Move.LEFT):
        *_, infos = many.step(np.full(3, move))
        for twin in twins:
            if move in twin.legal_moves():
                twin.play(move)
    assert infos["max_tile"].tolist() == [131_072] * 3
    assert [many.board(game) for game in range(3)] == [twin.board for twin in twins]
    assert infos["score"].tolist() == [900_000 + twin.score for twin in twins]
