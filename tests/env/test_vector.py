"""Many games equal Gymnasium's vector of single ones, in all its modes."""

import copy
from typing import Any, get_args

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from numpy.typing import NDArray

from tests.env.naive import assert_same
from twofold.env import ENV_ID
from twofold.env.games import BLOCK, Observation
from twofold.env.vector import VectorEnv2048
from twofold.errors import (
    IllegalMove,
    InvalidBoard,
    InvalidInput,
    InvalidMove,
    InvalidSeed,
    LimitExceeded,
)
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import Move, Rules
from twofold.kernels.play import dice
from twofold.kernels.policies import random_legal
from twofold.kernels.simd import WIDTH

COUNT = 6


def singles(mode: AutoresetMode, limit: int | None, **options: Any) -> SyncVectorEnv:
    """The same games as an environment each, under Gymnasium's own vector."""

    def make() -> gymnasium.Env[Any, Any]:
        return gymnasium.make(ENV_ID, max_episode_steps=limit, disable_env_checker=True, **options)

    return SyncVectorEnv([make] * COUNT, autoreset_mode=mode)


def pair(
    mode: AutoresetMode, limit: int | None = None, **options: Any
) -> tuple[SyncVectorEnv, VectorEnv2048]:
    many = VectorEnv2048(COUNT, max_episode_steps=limit, autoreset_mode=mode, **options)
    return singles(mode, limit, **options), many


@pytest.mark.promise("R11")
@pytest.mark.parametrize("limit", [None, 7])
@pytest.mark.parametrize(
    "options",
    [
        {"rules": "2x3", "spawn_info": True},
        {"rules": "2x5 goal=16 stop=goal", "spawn_info": True},
        {"rules": "1x2", "reward": "log2"},
        {"rules": "3x3 goal=16 stop=goal", "observation": "onehot", "reward": "goal"},
        {"rules": "2x2", "observation": "bits", "illegal": "penalty", "penalty": 3.0},
        {"rules": "2x5", "observation": "tiles", "illegal": "terminate"},
    ],
    ids=str,
)
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_steps_equal_those_of_single_environments(
    mode: AutoresetMode, options: dict[str, Any], limit: int | None
) -> None:
    slow, fast = pair(mode, limit, **options)
    assert fast.metadata["autoreset_mode"] is slow.metadata["autoreset_mode"] is mode
    assert (fast.observation_space, fast.action_space) == (
        slow.observation_space,
        slow.action_space,
    )
    assert_same(fast.reset(seed=5), slow.reset(seed=5))
    rng, endings = np.random.default_rng(1), 0
    for number in range(90):
        actions = rng.integers(0, 4, COUNT)
        found = fast.step(actions)
        assert_same(found, slow.step(actions))
        endings += int(np.count_nonzero(found[2] | found[3]))
        if number == 60:
            assert_same(fast.reset(), slow.reset())  # each goes on with seeds of its own
    assert endings > COUNT


def test_autoreset_disabled() -> None:
    slow, fast = pair(AutoresetMode.DISABLED, 9, rules="2x3")
    assert_same(fast.reset(seed=1), slow.reset(seed=1))
    rng = np.random.default_rng(1)
    for _ in range(60):
        actions = rng.integers(0, 4, COUNT)
        found = fast.step(actions)
        assert_same(found, slow.step(actions))
        ended = found[2] | found[3]
        if ended.any():
            mask = {"reset_mask": ended}
            assert_same(fast.reset(options=mask), slow.reset(options=dict(mask)))
            assert list(mask) == ["reset_mask"]


def test_spawns_of_some_games_that_begin() -> None:
    slow, fast = pair(AutoresetMode.DISABLED, spawn_info=True)
    assert_same(fast.reset(seed=1), slow.reset(seed=1))
    mask = {"reset_mask": np.array([True, False] * (COUNT // 2))}
    for actions in (np.zeros(COUNT, np.int64), np.ones(COUNT, np.int64)):
        assert_same(fast.step(actions), slow.step(actions))
        assert_same(fast.reset(options=mask), slow.reset(options=dict(mask)))


def test_attributes_of_the_games_equal_those_of_single_environments() -> None:
    slow, fast = pair(AutoresetMode.SAME_STEP, rules="2x3", render_mode="ansi")
    for envs in (slow, fast):
        envs.reset(seed=4)
        envs.step(np.arange(COUNT) % 4)
    for name in ("action_masks", "afterstates", "board", "render"):
        assert_same(fast.call(name), slow.call(name))
    for name in ("action_space", "observation_space", "render_mode", "settings"):
        assert fast.get_attr(name) == slow.get_attr(name)
    found, expected = fast.get_attr("game"), slow.get_attr("game")
    assert list(map(repr, found)) == list(map(repr, expected))
    assert VectorEnv2048(2).call("render") == (None, None)
    for envs in (slow, fast):
        with pytest.raises(AttributeError, match="no attribute 'stage'"):
            envs.get_attr("stage")
        envs.set_attr("stage", 3)
        envs.set_attr("name", [*"abcdef"])
        assert envs.get_attr("stage") == (3,) * COUNT
        assert envs.get_attr("name") == tuple("abcdef")
        with pytest.raises(ValueError, match=r"Values must be|6 values, one a game, got 2"):
            envs.set_attr("stage", [1, 2])
    for name in ("board", "settings", "step", "render_mode"):
        with pytest.raises(AttributeError, match=f"'{name}' of VectorEnv2048 cannot be set"):
            fast.set_attr(name, 1)


def test_a_mask_with_seeds_begins_only_some_games() -> None:
    slow, fast = pair(AutoresetMode.DISABLED)
    assert_same(fast.reset(seed=1), slow.reset(seed=1))
    mask = np.array([True, False] * (COUNT // 2))
    for seed in (9, [4, None, None, 8, 2**63, None]):
        found = fast.reset(seed=seed, options={"reset_mask": mask})
        assert_same(found, slow.reset(seed=seed, options={"reset_mask": mask}))
    actions = np.zeros(COUNT, dtype=np.int64)
    assert_same(fast.step(actions), slow.step(actions))
    assert_same(fast.reset(), slow.reset())


def test_ended_games_stay_as_they_are_without_autoreset() -> None:
    many = VectorEnv2048(COUNT, "2x2", autoreset_mode="DISABLED", illegal="error")
    many.reset(seed=3)
    scores = np.zeros(COUNT)
    while not (found := many.step(many.sample_actions()))[2].all():
        scores += found[1]
    scores += found[1]
    *_, again = many.step(np.full(COUNT, 3))
    assert again["score"].tolist() == found[4]["score"].tolist() == scores.tolist()
    assert not again["action_mask"].any()


def test_seeds_go_on_past_a_block() -> None:
    """Far more games than seeds are drawn at once."""
    slow, fast = pair(AutoresetMode.NEXT_STEP, 1, rules="2x2")
    assert_same(fast.reset(seed=2**64 - COUNT), slow.reset(seed=2**64 - COUNT))
    for number in range(5 * BLOCK):
        actions = np.full(COUNT, number % 4)
        assert_same(fast.step(actions), slow.step(actions))


@pytest.mark.parametrize("seed", [0, 2**63, [3, 1, 4, 1, 5, 9]])
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


def test_without_a_seed_games_differ() -> None:
    many = VectorEnv2048(COUNT)
    _, infos = many.reset()
    assert len(set(infos["seed"].tolist())) == COUNT
    _, others = many.reset()
    assert not set(infos["seed"].tolist()) & set(others["seed"].tolist())


@pytest.mark.parametrize("seed", [-1, 2**64, 2**64 - COUNT + 1, True, 1.5, "1", np.int64(-3)])
def test_seeds_out_of_range_are_refused(seed: Any) -> None:
    with pytest.raises(InvalidSeed, match="expected a seed"):
        VectorEnv2048(COUNT).reset(seed=seed)


def test_a_list_of_seeds_is_the_seed_of_the_first_game_counted_up() -> None:
    one, other = VectorEnv2048(COUNT), VectorEnv2048(COUNT)
    assert_same(one.reset(seed=5), other.reset(seed=[*range(5, 5 + COUNT)]))
    assert one.np_random_seed == other.np_random_seed == 5
    for _ in range(20):
        actions = one.sample_actions()
        assert_same(actions, other.sample_actions())
        assert_same(one.step(actions), other.step(actions))


@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.uint8])
def test_an_array_of_seeds_is_taken_like_a_list(kind: type[np.integer[Any]]) -> None:
    one, other = VectorEnv2048(3), VectorEnv2048(3)
    assert_same(one.reset(seed=np.array([5, 7, 8], kind)), other.reset(seed=[5, 7, 8]))
    assert one.np_random_seed == other.np_random_seed == 5
    many = VectorEnv2048(3)
    many.reset(seed=np.array([1, 2, 2**64 - 1], np.uint64))
    assert many.reset(seed=[1, 2, 2**64 - 1])[1]["seed"].tolist() == [1, 2, 2**64 - 1]
    with pytest.raises(InvalidInput, match="expected 3 seeds, one for each game, got 2"):
        many.reset(seed=np.array([1, 2], kind))
    for seeds in (np.array([1.0, 2.0, 3.0]), np.array([True] * 3), np.ones((3, 1), kind)):
        with pytest.raises(InvalidSeed, match="expected a seed"):
            many.reset(seed=seeds)
    with pytest.raises(InvalidSeed, match="expected a seed"):
        many.reset(seed=np.array([1, 2, -3]))


def test_a_list_has_a_seed_for_each_game() -> None:
    with pytest.raises(InvalidInput, match="expected 6 seeds, one for each game, got 2"):
        VectorEnv2048(COUNT).reset(seed=[1, 2])


@pytest.mark.parametrize(
    "actions",
    [
        np.full(COUNT, 4),
        np.full(COUNT, -1),
        np.zeros(COUNT),
        np.zeros((COUNT, 1), dtype=int),
        np.zeros(COUNT + 1, dtype=int),
        [0] * (COUNT - 1),
        3,
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


@pytest.mark.promise("R11")
def test_illegal_actions_can_raise() -> None:
    many = VectorEnv2048(2, illegal="error")
    many.reset(seed=1, options={"board": "1000/0000/0000/0000"})
    before = many.board(0)
    with pytest.raises(IllegalMove, match=r"a legal move \(right, down\), got left .* in game 1"):
        many.step(np.array([1, 3]))
    assert many.board(0) == before
    many.step(np.array([1, 2], dtype=np.int32))
    assert many.board(0) != before


@pytest.mark.parametrize("observation", get_args(Observation))
@pytest.mark.parametrize("count", [COUNT, 512])
def test_copies_are_the_callers_own_and_views_are_not(count: int, observation: Observation) -> None:
    for own in (True, False):
        many = VectorEnv2048(count, observation=observation, copy=own)
        many.reset(seed=1)
        first = many.step(many.sample_actions())
        kept = copy.deepcopy(first)
        second = many.step(many.sample_actions())
        for one, other, before in zip(first[:4], second[:4], kept[:4], strict=True):
            assert np.shares_memory(one, other) is not own
            assert (one is not other) is own
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
    assert_same(many.step(np.zeros(COUNT, dtype=np.int64)), twin.step(np.zeros(COUNT, np.int64)))
    assert_same(many.reset(), twin.reset())


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_a_copy_is_independent(mode: AutoresetMode) -> None:
    many = VectorEnv2048(COUNT, "2x2", autoreset_mode=mode)
    many.reset(seed=1)
    for _ in range(20):
        many.step(many.sample_actions())
    twin = copy.deepcopy(many)
    rng = np.random.default_rng(1)
    actions = rng.integers(0, 4, (60, COUNT))
    found = [many.step(row) for row in actions]  # the twin must not notice
    for row, expected in zip(actions, found, strict=True):
        assert_same(twin.step(row), expected)


def frequencies(actions: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.bincount(actions, minlength=4) / len(actions)


def test_sampled_actions_are_legal_and_equally_likely() -> None:
    many = VectorEnv2048(2000)
    for board, expected in (
        ("0000/0100/0000/0000", [0.25, 0.25, 0.25, 0.25]),
        ("1000/0000/0000/0000", [0, 0.5, 0.5, 0]),
        ("0000/1000/0000/0000", [1 / 3, 1 / 3, 1 / 3, 0]),
        ("1234/2341/3412/4123", [1, 0, 0, 0]),  # over
    ):
        many.reset(seed=1, options={"board": board})
        actions = many.sample_actions(np.random.default_rng(3))
        assert actions.dtype == np.int64
        assert frequencies(actions) == pytest.approx(expected, abs=0.045)
        assert_same(actions, many.sample_actions(np.random.default_rng(3)))
        assert (many.sample_actions() != many.sample_actions()).any() == (max(expected) < 1)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_a_mode_can_be_named_by_its_texts_in_gymnasium(mode: AutoresetMode) -> None:
    for given in (mode, mode.value, mode.name):
        many = gymnasium.make_vec(ENV_ID, num_envs=2, autoreset_mode=given)
        assert many.metadata["autoreset_mode"] is mode


def test_invalid_options_are_refused() -> None:
    for options, text in (
        ({"num_envs": 0}, "num_envs from 1 to"),
        ({"max_episode_steps": 0}, "max_episode_steps from 1"),
        ({"autoreset_mode": "later"}, "mode of NEXT_STEP, SAME_STEP, DISABLED, got 'later'"),
        ({"copy": "x"}, "expected copy as True or False, got 'x'"),
        ({"render_mode": "human"}, "render mode of ansi, rgb_array, got 'human'"),
    ):
        with pytest.raises(InvalidInput, match=text):
            VectorEnv2048(**options)
    with pytest.raises(LimitExceeded):
        VectorEnv2048(10**9)
    many = VectorEnv2048(2)
    for mask in (np.zeros(2, dtype=bool), np.ones(3, dtype=bool), np.ones(2), [True, True]):
        with pytest.raises(InvalidInput, match="expected a reset_mask of 2 booleans"):
            many.reset(options={"reset_mask": mask})
    for given in (3, 0, "x", [1], []):
        with pytest.raises(InvalidInput, match="expected options as a mapping"):
            many.reset(options=given)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="the first reset must reset all games"):
        many.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(InvalidBoard, match="expected a 4x4 board as in the rules"):
        many.reset(options={"board": "2x2:1100"})


def test_a_step_needs_a_reset_and_closing_twice_does_no_harm() -> None:
    many = VectorEnv2048(2)
    with pytest.raises(ResetNeeded):
        many.step(np.zeros(2, dtype=np.int64))
    many.close()
    many.close()
    assert many.closed


def test_games_that_begin_on_a_board() -> None:
    many = VectorEnv2048(3)
    options = {"board": Board.parse("ff00/ff00/0000/0000"), "score": 900_000, "move_number": 40}
    _, infos = many.reset(seed=3, options=options)
    assert infos["score"].tolist() == [900_000] * 3
    for _ in range(2):
        *_, infos = many.step(np.full(3, Move.LEFT))
    many.step(np.full(3, Move.UP))
    *_, infos = many.step(np.array([Move.LEFT] * 3))
    assert infos["max_tile"].tolist() == [131_072] * 3
    start = Board.parse("ff00/ff00/0000/0000")
    twins = [Game.from_board(start, None, 3 + game, move_number=40) for game in range(3)]
    for game, twin in enumerate(twins):
        for move in (Move.LEFT, Move.LEFT, Move.UP, Move.LEFT):
            if move in twin.legal_moves():
                twin.play(move)
        assert many.board(game) == twin.board
        assert infos["score"][game] == 900_000 + twin.score


def test_a_board_begins_an_episode_of_its_own() -> None:
    many = VectorEnv2048(2, max_episode_steps=3, autoreset_mode="DISABLED")
    for _ in range(2):
        many.reset(seed=1, options={"board": "0000/0110/0000/0000"})
        ends = [many.step(many.sample_actions())[3].tolist() for _ in range(3)]
        assert ends == [[False, False], [False, False], [True, True]]


def test_frames_of_each_game() -> None:
    text = VectorEnv2048(2, "2x2", render_mode="ansi")
    text.reset(seed=1)
    frames = text.render()
    assert frames is not None
    assert [frame.splitlines()[0] for frame in frames] == ["score 0  move 0"] * 2
    images = VectorEnv2048(2, render_mode="rgb_array")
    images.reset(seed=1)
    found = images.render()
    assert found is not None
    assert {frame.shape for frame in found} == {(528, 528, 3)}
    assert VectorEnv2048(2).render() is None


@pytest.mark.promise("R11")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"reward": "log2", "illegal": "penalty", "penalty": 0.5},
        {"rules": "4x4 goal=32", "reward": "goal", "illegal": "terminate"},
        {"rules": "3x4 goal=32 stop=goal", "observation": "onehot"},
        {"rules": "4x3 spawn=2:0.2,8:0.3,32:0.5 start=5", "observation": "tiles"},
        {"rules": "2x4", "observation": "bits", "max_episode_steps": 9},
    ],
    ids=str,
)
@pytest.mark.parametrize("start", [None, "0000/0000/1210/ed21"])
def test_games_stepped_at_once_equal_games_stepped_alone(
    options: dict[str, Any], start: str | None
) -> None:
    """With illegal actions, tiles too large for it, and a remainder of games."""
    count = 3 * WIDTH - 1
    many = VectorEnv2048(count, **options)
    alone = [VectorEnv2048(1, **options) for _ in range(count)]
    begin = {"board": start} if start and "rules" not in options else {}
    found = many.reset(seed=8, options=begin)
    expected = [one.reset(seed=8 + game, options=begin) for game, one in enumerate(alone)]
    assert_same(found, joined(expected))
    rng, key = np.random.default_rng(3), np.random.default_rng(4)
    for number in range(80):
        actions = many.sample_actions(key)
        if number % 3 == 0:
            actions = rng.integers(0, 4, count)
        steps = [one.step(actions[game : game + 1]) for game, one in enumerate(alone)]
        assert_same(many.step(actions), joined(steps))


def joined(parts: Any) -> Any:
    """Results of vectors of one game each, as one vector returns them."""
    first = parts[0]
    if isinstance(first, dict):
        return {key: joined([part[key] for part in parts]) for key in first}
    if isinstance(first, tuple):
        return tuple(joined(list(values)) for values in zip(*parts, strict=True))
    return np.concatenate(parts)


def test_sampled_actions_follow_the_law_of_the_random_player() -> None:
    many = VectorEnv2048(5 * WIDTH + 3)
    many.reset(seed=1)
    for turn in range(30):
        key = np.random.default_rng(turn).bit_generator.random_raw()
        actions = many.sample_actions(np.random.default_rng(turn))
        masks = many.action_masks() @ (1, 2, 4, 8)
        for game, legal in enumerate(masks.tolist()):
            draw = dice(np.uint64(key), np.uint64(game))
            assert actions[game] == random_legal(legal, draw)
        many.step(actions)


def test_rows_of_different_lengths_are_no_actions() -> None:
    many = VectorEnv2048(4)
    many.reset(seed=1)
    ragged: Any = [[0], [1], [2], [3, 0]]
    with pytest.raises(InvalidMove, match="expected 4 actions from 0 to 3, got"):
        many.step(ragged)
