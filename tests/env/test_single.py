"""One game: Gymnasium's interface, its options, and what is refused."""

import copy
import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import DeprecatedEnv, ResetNeeded
from gymnasium.utils.env_checker import check_env

import twofold.env
from tests.env.naive import assert_same
from twofold.env import ENV_ID
from twofold.env.games import Illegal, Observation, Reward
from twofold.env.single import Env2048
from twofold.env.vector import VectorEnv2048
from twofold.errors import (
    IllegalMove,
    InvalidBoard,
    InvalidInput,
    InvalidMove,
    InvalidRules,
    InvalidSeed,
    LimitExceeded,
    TileTooLarge,
    UnsupportedRules,
)
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import Move, Rules
from twofold.kernels import COMPILING
from twofold.limits import TOO_LARGE_MERGE

# Gymnasium's interface


def variants() -> Iterator[dict[str, Any]]:
    """Every value of every option, and shapes."""
    choices = itertools.product(get_args(Observation), get_args(Reward))
    yield from ({"observation": form, "reward": reward} for form, reward in choices)
    yield from ({"illegal": illegal} for illegal in get_args(Illegal))
    yield from ({"rules": rules} for rules in ("1x2", "3x5 goal=64 stop=goal", Rules(8, 8)))
    yield {"rules": "2x3", "observation": "onehot", "illegal": "penalty", "penalty": 2}


@pytest.mark.promise("R11")
@pytest.mark.parametrize("options", [*variants()], ids=str)
def test_the_environment_passes_gymnasiums_checker(
    options: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """The checker draws actions without the mask and renders every mode; warnings are errors."""
    with gymnasium.make(ENV_ID, **options) as env:
        raw = env.unwrapped
        raw.action_space.seed(4)  # legal on the boards of the checker's seeds
        check_env(raw)
    assert "score 0  move 0" in capsys.readouterr().out


def test_the_environment_is_found_by_its_name() -> None:
    spec = gymnasium.spec(ENV_ID)
    assert spec.max_episode_steps is None
    env = gymnasium.make(ENV_ID, rules="3x3")
    assert isinstance(env.unwrapped, Env2048)
    assert env.observation_space.shape == (3, 3)
    many = gymnasium.make_vec(ENV_ID, num_envs=3, rules="3x3", max_episode_steps=5)
    assert isinstance(many, VectorEnv2048)
    assert gymnasium.make_vec(ENV_ID, 2, vectorization_mode="sync").num_envs == 2


@pytest.mark.parametrize("rules", ["3x3", Rules(3, 3)])
def test_a_spec_makes_the_environment_again_from_json(rules: Rules | str) -> None:
    env: Any = gymnasium.make(ENV_ID, rules=rules, reward="log2")
    many: Any = gymnasium.make_vec(ENV_ID, num_envs=3, rules=rules, max_episode_steps=5)
    for made in (env, many):
        assert isinstance(made.spec.kwargs["rules"], str)
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    assert again.get_wrapper_attr("settings") == env.get_wrapper_attr("settings")
    vector: Any = gymnasium.make_vec(EnvSpec.from_json(many.spec.to_json()))
    assert (vector.num_envs, vector.settings) == (3, many.settings)


def test_the_version_before_is_refused_with_the_name_of_this_one() -> None:
    with (
        pytest.warns(DeprecationWarning, match="out of date"),
        pytest.raises(DeprecatedEnv, match=r"use `twofold/2048-v1` instead"),
    ):
        gymnasium.make("twofold/2048-v0")


def test_the_name_imports_the_module() -> None:
    code = (
        "import gymnasium; env = gymnasium.make('twofold.env:twofold/2048-v1');"
        "print(env.reset(seed=1)[0].sum())"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True)
    assert (done.returncode, done.stdout.strip()) == (0, b"2"), done.stderr


def test_only_compiling_is_announced_and_wrong_arguments_are_refused_before(tmp_path: Path) -> None:
    code = """
import gymnasium, twofold
from twofold.kernels import BUILT
def refused(call, *arguments, **options):
    try:
        call(*arguments, **options)
    except (ValueError, TypeError):
        return
    raise SystemExit(f"not refused: {options}")
for options in ({"rules": "9x9"}, {"observation": "rgb"}, {"reward": 1}, {"nonsense": 1}):
    refused(gymnasium.make, "twofold/2048-v1", **options)
for options in ({"autoreset_mode": "no"}, {"max_episode_steps": 0}, {"render_mode": "human"}):
    refused(gymnasium.make_vec, "twofold/2048-v1", **options)
refused(twofold.bench, ["greedy", "gready"], games=1)
env = gymnasium.make("twofold/2048-v1")
refused(env.reset, seed=-1)
refused(env.reset, options={"board": "11"})
assert not BUILT
env.reset(seed=1)
"""
    environment = os.environ | {"TWOFOLD_CACHE_DIR": str(tmp_path)}
    said = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        said.append(done.stderr)
    assert said == [f"twofold: {COMPILING}\n", ""]


@pytest.mark.parametrize("imports", ["twofold, gymnasium", "gymnasium, twofold"])
def test_the_name_is_known_after_both_imports_in_any_order(imports: str) -> None:
    code = f"import {imports}; print({ENV_ID!r} in gymnasium.registry)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True)
    assert (done.returncode, done.stdout.strip()) == (0, b"True"), done.stderr


@pytest.mark.parametrize(
    ("missing", "module", "extra"),
    [("gymnasium", "twofold.env", "env"), ("stable_baselines3", "twofold.env.sb3", "sb3")],
)
def test_a_missing_extra_is_named(missing: str, module: str, extra: str) -> None:
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        f"try:\n    import {module}\nexcept ValueError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    install = f"Install it with: pip install 'twofold[{extra}]'"
    expected = f"{module} needs the extra {extra!r}. {install}\n"
    assert done.stdout == expected, done.stderr


def test_what_the_module_exports() -> None:
    assert sorted(twofold.env.__all__) == dir(twofold.env)
    assert all(hasattr(twofold.env, name) for name in twofold.env.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        twofold.env.no_such_name  # noqa: B018


@pytest.mark.promise("R11")
def test_two_environments_make_the_same_ten_thousand_steps(figure: Callable[[str], None]) -> None:
    one, other = Env2048(observation="onehot"), Env2048(observation="onehot")
    rng, endings = np.random.default_rng(1), 0
    assert_same(one.reset(seed=7), other.reset(seed=7))
    for action in rng.integers(0, 4, 10_000).tolist():
        found = one.step(action)
        assert_same(found, other.step(action))
        if found[2]:
            assert_same(one.reset(), other.reset())
            endings += 1
    assert endings > 30
    figure(f"10,000 steps, {endings} games, twice: equal to the bit")


def test_the_step_limit_is_gymnasiums() -> None:
    env = gymnasium.make(ENV_ID, max_episode_steps=3)
    env.reset(seed=1)
    assert [env.step(0)[3] for _ in range(3)] == [False, False, True]


# Seeds


@pytest.mark.promise("R11")
@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**64 - 1])
def test_a_seed_is_the_game_of_that_seed(seed: int) -> None:
    env, game = Env2048(), Game(Rules(), seed=seed)
    observation, info = env.reset(seed=seed)
    assert env.np_random_seed == seed == info["seed"]
    rng = np.random.default_rng(2)
    for number in range(200):
        assert env.board == game.board
        assert observation.flatten().tolist() == list(game.board.exponents)
        assert (info["score"], info["move_number"]) == (game.score, number)
        assert info["max_tile"] == game.board.max_tile
        assert info["action_mask"].dtype == np.int8
        if game.is_finished:
            break
        move = game.legal_moves()[rng.integers(len(game.legal_moves()))]
        assert env.action_masks().tolist() == [other in game.legal_moves() for other in Move]
        reward = game.play(move).reward
        observation, found, terminated, truncated, info = env.step(move)
        assert (found, terminated, truncated) == (reward, game.is_finished, False)
    assert env.game.board == game.board
    assert (env.game.score, env.game.move_number) == (game.score, game.move_number)
    assert env.game.seed == seed


@pytest.mark.parametrize(
    "rules", ["4x4", "2x3 spawn=2:1,8:1", "3x5 goal=64 stop=goal", "4x4 spawn=16384:1"]
)
def test_info_can_hold_the_outcome_of_chance(rules: str) -> None:
    env, game = Env2048(rules, spawn_info=True), Game(rules, seed=3)

    def spawn(info: dict[str, Any]) -> tuple[int, int]:
        return info["spawn_cell"], info["spawn_tile"]

    assert spawn(env.reset(seed=3)[1]) == (-1, 0)
    for action in np.random.default_rng(1).integers(0, 4, 80).tolist():
        *_, info = env.step(action)
        if action in game.legal_moves():
            after = game.board.slide(Move(action)).board
            game.play(Move(action))
            assert after.place(*spawn(info)) == game.board == env.board
        else:
            assert spawn(info) == (-1, 0)
    assert "spawn_cell" not in Env2048().reset()[1]


@pytest.mark.promise("R11")
def test_games_differ_without_a_seed_and_repeat_with_one() -> None:
    env = Env2048()
    seeds = {int(env.reset()[1]["seed"]) for _ in range(20)}
    assert len(seeds) == 20
    env.reset(seed=5)
    after = [int(env.reset()[1]["seed"]) for _ in range(5)]
    env.reset(seed=5)
    assert [int(env.reset()[1]["seed"]) for _ in range(5)] == after
    assert after[0] == np.random.default_rng(5).integers(2**64, dtype=np.uint64)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "1", True, np.int64(-1)])
def test_seeds_out_of_range_are_refused(seed: Any) -> None:
    with pytest.raises(InvalidSeed, match="expected a seed from 0 to 2\\^64 - 1, got "):
        Env2048().reset(seed=seed)


def test_a_seed_of_numpy() -> None:
    seed: Any = np.uint64(7)
    assert Env2048().reset(seed=seed)[1]["seed"] == 7


# Actions


@pytest.mark.parametrize("action", [4, -1, 2**70, 1.0, "up", None, np.array([1, 2]), [1]])
def test_invalid_actions_are_refused(action: Any) -> None:
    env = Env2048()
    before = env.reset(seed=1)[0]
    with pytest.raises(InvalidMove, match="expected an action from 0 to 3, got "):
        env.step(action)
    assert env.board.exponents == tuple(before.flatten())


@pytest.mark.parametrize("action", [1, np.int8(1), np.array(1), Move.RIGHT, True])
def test_any_whole_number_is_an_action(action: Any) -> None:
    env = Env2048()
    env.reset(seed=1)
    assert env.step(action)[4]["move_number"] == 1


@pytest.mark.promise("R11")
def test_effects_of_illegal_actions() -> None:
    def step(illegal: Illegal, action: int = Move.LEFT) -> tuple[Any, ...]:
        env = Env2048(illegal=illegal, penalty=2.5)
        env.reset(seed=1, options={"board": "1000/2000/0000/0000", "score": 8})
        found = env.step(action)
        assert env.board == Board.parse("1000/2000/0000/0000")
        return found[1], found[2], found[4]["score"], found[4]["action_mask"].tolist()

    assert step("noop") == (0.0, False, 8, [0, 1, 1, 0])
    assert step("penalty") == (-2.5, False, 8, [0, 1, 1, 0])
    assert Env2048(penalty=np.float32(2.5)).settings.penalty == 2.5  # type: ignore[arg-type]
    assert step("terminate") == (0.0, True, 8, [0, 0, 0, 0])
    with pytest.raises(
        IllegalMove, match=r"expected a legal move \(right, down\), got left on 1000/2000/0000/0000"
    ):
        step("error")


@pytest.mark.promise("R11")
@pytest.mark.parametrize("illegal", get_args(Illegal))
def test_a_step_after_the_end_changes_nothing(illegal: Illegal) -> None:
    env = Env2048("4x4 goal=16 stop=goal", illegal=illegal)
    for board in ("1212/2121/1212/2124", "4100/0000/0000/0000"):
        observation, info = env.reset(options={"board": board})
        assert info["action_mask"].tolist() == [0, 0, 0, 0]
        for action in (0, 1, 2, 3, 3):
            found = env.step(action)
            assert_same(found, (observation, 0.0, True, False, info))
            assert env.board == Board.parse(board)


def test_a_step_needs_a_reset_and_closing_twice_does_no_harm() -> None:
    env = Env2048()
    with pytest.raises(ResetNeeded, match="call reset before the first step"):
        env.step(0)
    env.close()
    env.close()


def test_an_environment_says_what_it_plays() -> None:
    env = gymnasium.make(ENV_ID, rules="3x4").unwrapped
    rules = "3x4 spawn=2:0.9,4:0.1 start=2 goal=2048 stop=never"
    assert repr(env) == f"<Env2048 '{rules}' before its first game>"
    env.reset(seed=7, options={"board": "3x4:1100/0000/0000"})
    env.step(Move.LEFT)
    board = env.get_wrapper_attr("board")
    assert repr(env) == f"<Env2048 '{rules}' seed=7 move 1, score 4: {board}>"
    assert str(env) == f"<Env2048<{ENV_ID}>>"


# Boards


def test_a_game_that_begins_on_a_board() -> None:
    env = Env2048()
    options = {"board": "0000/0000/1210/ff21", "score": 1_000_000, "move_number": 20_000}
    observation, info = env.reset(seed=3, options=options)
    assert (info["score"], info["move_number"], info["max_tile"]) == (1_000_000, 20_000, 32_768)
    twin = Game.from_board(
        Board.parse("0000/0000/1210/ff21"), Rules(), 3, score=1_000_000, move_number=20_000
    )
    for move in (Move.LEFT, Move.DOWN, Move.RIGHT, Move.UP) * 5:
        observation, reward, *_ = env.step(move)
        expected = twin.play(move).reward if move in twin.legal_moves() else 0
        assert reward == expected
        assert observation.flatten().tolist() == list(twin.board.exponents)
    assert env.game.score == twin.score
    assert twin.board.max_tile == 65_536
    _, info = env.reset(seed=4)
    assert env.board == Game(Rules(), seed=4).board
    assert info["score"] == 0


@pytest.mark.parametrize("shape", ["4x4", "2x3", "5x4"])
@pytest.mark.parametrize("observation", get_args(Observation))
def test_a_game_begins_on_an_observation(observation: Observation, shape: str) -> None:
    if (shape, observation) == ("5x4", "bits"):
        return
    env, twin = (Env2048(shape, observation) for _ in range(2))
    env.reset(seed=1)
    for _ in range(5):
        observed, *_, info = env.step(int(env.action_masks().argmax()))
    found, told = twin.reset(options={"board": observed, "move_number": info["move_number"]})
    assert twin.board == env.board
    assert_same((found, told["max_tile"]), (observed, info["max_tile"]))


def test_boards_that_no_game_reaches_are_refused() -> None:
    for rules, board, below in (("2x2", "2x2:55/00", 64), ("4x4", "hh" + "0" * 14, 2**18)):
        with pytest.raises(InvalidBoard, match=f"expected a sum of tiles below {below}, which no"):
            Env2048(rules).reset(options={"board": board})
        with pytest.raises(InvalidBoard, match="expected a sum of tiles below"):
            VectorEnv2048(2, rules).reset(options={"board": board})
    Env2048("2x2").reset(options={"board": "2x2:54/32"})


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        (True, InvalidInput, "expected options as a mapping, got True"),
        (np.array([0, 1]), InvalidInput, "expected options as a mapping, got array"),
        ({"borad": "1100"}, InvalidInput, "expected options of board, score, move_number, got"),
        ({"score": 4}, InvalidInput, "expected a board with 'score', got none"),
        ({"board": "11"}, InvalidBoard, "expected 16 cells"),
        ({"board": np.ones((2, 2))}, InvalidBoard, "expected an array of exponents"),
        ({"board": 3}, InvalidBoard, "expected a Board, its text or an array, got 3"),
        ({"board": "1" * 16, "score": 1.5}, InvalidInput, "expected a whole number as score, got"),
        ({"board": "1" * 16, "move_number": "2"}, InvalidInput, "expected a whole number as move_"),
        ({"board": "2x2:1100"}, InvalidBoard, "expected a 4x4 board as in the rules, got 2x2"),
        ({"board": "1" * 16, "score": -1}, LimitExceeded, "expected a score from 0"),
        ({"board": "1" * 16, "move_number": -1}, LimitExceeded, "expected a move number from 0"),
    ],
)
def test_invalid_reset_options_are_refused(options: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        Env2048().reset(options=options)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"rules": "9x9"}, InvalidRules, "expected 1 to 8 rows"),
        ({"observation": "rgb"}, InvalidInput, "expected an observation of exponents, onehot, "),
        ({"reward": 1}, InvalidInput, "expected a reward of score, log2 or goal, got 1"),
        (
            {"illegal": None},
            InvalidInput,
            "expected illegal to be noop, penalty, terminate or error, got",
        ),
        ({"penalty": float("nan")}, InvalidInput, "expected a finite number as penalty, got nan"),
        ({"penalty": "1"}, InvalidInput, "expected a finite number as penalty, got '1'"),
        ({"spawn_info": 1}, InvalidInput, "expected spawn_info as True or False, got 1"),
        ({"penalty": 10**400}, InvalidInput, "expected a finite number as penalty, got 1000"),
        (
            {"rules": "4x5", "observation": "bits"},
            UnsupportedRules,
            "expected at most 4 rows and columns for observations in 64 bits, got 4x5",
        ),
        ({"render_mode": "svg"}, InvalidInput, "expected a render mode of human, ansi, rgb_array"),
    ],
)
def test_invalid_options_are_refused(
    options: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        Env2048(**options)


def test_a_merge_past_the_largest_tile_is_an_error() -> None:
    env = Env2048("5x7")
    with pytest.raises(TileTooLarge, match=TOO_LARGE_MERGE):
        env.reset(options={"board": "5x7:zz" + "0" * 33})
    env.reset(options={"board": "5x7:zyy" + "0" * 32})
    env.step(Move.LEFT)
    with pytest.raises(TileTooLarge, match=TOO_LARGE_MERGE):
        env.step(Move.LEFT)
    with pytest.raises(TileTooLarge):
        env.afterstates()


def test_a_copy_is_independent() -> None:
    env = Env2048("3x3")
    env.reset(seed=1)
    twin = copy.deepcopy(env)
    actions = np.random.default_rng(1).integers(0, 4, 100)
    found = [env.step(action) for action in actions]
    assert twin.board == Game(Rules(3, 3), seed=1).board
    for action, expected in zip(actions, found, strict=True):
        assert_same(twin.step(action), expected)
    assert twin.reset()[1]["seed"] == env.reset()[1]["seed"]
