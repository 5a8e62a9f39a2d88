"""One game: Gymnasium's interface, seeds, actions, start boards, and what is refused."""

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
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

import twofold.env
from tests.env.naive import assert_same
from twofold.env import ENV_ID
from twofold.env.games import Illegal, Observation, Reward
from twofold.env.single import Env2048
from twofold.env.vector import VectorEnv2048
from twofold.errors import IllegalMove, InvalidMove, InvalidSeed, TileTooLarge
from twofold.errors import TwofoldError as Refused
from twofold.game.board import Board
from twofold.game.rules import Move, Rules
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


@pytest.mark.parametrize("rules", ["3x3", Rules(3, 3)])
def test_the_environment_is_made_by_its_name_and_again_from_json(rules: Rules | str) -> None:
    assert gymnasium.spec(ENV_ID).max_episode_steps is None
    env: Any = gymnasium.make(ENV_ID, rules=rules, reward="log2")
    many: Any = gymnasium.make_vec(ENV_ID, num_envs=3, rules=rules, max_episode_steps=5)
    assert (type(env.unwrapped), type(many)) == (Env2048, VectorEnv2048)
    assert env.observation_space.shape == (3, 3)
    for made in (env, many):
        assert isinstance(made.spec.kwargs["rules"], str)
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    assert again.get_wrapper_attr("settings") == env.get_wrapper_attr("settings")
    vector: Any = gymnasium.make_vec(EnvSpec.from_json(many.spec.to_json()))
    assert (vector.num_envs, vector.settings) == (3, many.settings)
    assert gymnasium.make_vec(ENV_ID, 2, vectorization_mode="sync").num_envs == 2


WITHOUT = """
import importlib, sys
for missing, module in (("stable_baselines3", "twofold.env.sb3"), ("gymnasium", "twofold.env")):
    sys.modules[missing] = None
    sys.modules.pop("twofold.env", None)
    try:
        importlib.import_module(module)
    except ValueError as error:
        print(error)
"""
KNOWN = """
import gymnasium, twofold
print("twofold/2048-v1" in gymnasium.registry)
print(gymnasium.make("twofold.env:twofold/2048-v1").action_space.n)
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
print(len(BUILT))
"""
EXTRA = "{} needs the extra {!r}. Install it with: pip install 'twofold[{}]'"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (KNOWN, "True\n4\n0"),
        (WITHOUT, EXTRA.format("twofold.env.sb3", "sb3", "sb3") + "\n"
         + EXTRA.format("twofold.env", "env", "env")),
    ],
    ids=["known", "without extras"],
)  # fmt: skip
def test_imports(code: str, words: str, tmp_path: Path) -> None:
    """Nothing is compiled for them, nor before wrong arguments are refused."""
    assert all(hasattr(twofold.env, name) for name in dir(twofold.env))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | {"TWOFOLD_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, f"{words}\n"), done.stderr


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


# Seeds


@pytest.mark.promise("R11")
def test_games_differ_without_a_seed_and_repeat_with_one() -> None:
    env = Env2048()
    assert len({int(env.reset()[1]["seed"]) for _ in range(20)}) == 20
    for seed in (-1, 2**64, 1.0, "1", True, np.int64(-1)):
        with pytest.raises(InvalidSeed, match="expected a seed from 0 to 2\\^64 - 1, got "):
            env.reset(seed=seed)  # type: ignore[arg-type]
    again = []
    for _ in range(2):
        env.reset(seed=np.uint64(5))  # type: ignore[arg-type]
        again.append([int(env.reset()[1]["seed"]) for _ in range(5)])
    assert again[0] == again[1]
    assert again[0][0] == np.random.default_rng(5).integers(2**64, dtype=np.uint64)


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
def test_illegal_actions_can_raise() -> None:
    board = Board.parse("1000/2000/0000/0000")
    for envs in (Env2048(illegal="error"), VectorEnv2048(2, illegal="error")):
        envs.reset(seed=1, options={"board": board})
        many = isinstance(envs, VectorEnv2048)
        words = rf"a legal move \(right, down\), got left on {board}" + " in game 1" * many
        with pytest.raises(IllegalMove, match=words):
            envs.step(np.array([1, 3]) if many else 3)  # type: ignore[arg-type]
        assert (envs.board(0) if many else envs.board) == board  # type: ignore[operator]


@pytest.mark.promise("R11")
@pytest.mark.parametrize("illegal", get_args(Illegal))
def test_a_step_after_the_end_changes_nothing(illegal: Illegal) -> None:
    env = Env2048("4x4 goal=16 stop=goal", illegal=illegal)
    for board in ("1212/2121/1212/2124", "4100/0000/0000/0000"):
        observation, info = env.reset(options={"board": board})
        assert info["action_mask"].tolist() == [0, 0, 0, 0]
        for action in (0, 1, 2, 3, 3):
            assert_same(env.step(action), (observation, 0.0, True, False, info))
            assert env.board == Board.parse(board)


def test_a_step_needs_a_reset_and_closing_twice_does_no_harm() -> None:
    env, many = Env2048(), VectorEnv2048(2)
    with pytest.raises(ResetNeeded, match="call reset before the first step"):
        env.step(0)
    with pytest.raises(ResetNeeded):
        many.step(np.zeros(2, dtype=np.int64))
    for envs in (env, env, many, many):
        envs.close()
    assert many.closed


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


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (True, "expected options as a mapping, got True"),
        (np.array([0, 1]), "expected options as a mapping, got array"),
        ({"borad": "1100"}, "expected options of board, score, move_number, got"),
        ({"score": 4}, "expected a board with 'score', got none"),
        ({"board": "11"}, "expected 16 cells"),
        ({"board": np.ones((2, 2))}, "expected an array of exponents"),
        ({"board": 3}, "expected a Board, its text or an array, got 3"),
        ({"board": "1" * 16, "score": 1.5}, "expected a whole number as score, got"),
        ({"board": "1" * 16, "move_number": "2"}, "expected a whole number as move_"),
        ({"board": "2x2:1100"}, "expected a 4x4 board as in the rules, got 2x2"),
        ({"board": "1" * 16, "score": -1}, "expected a score from 0"),
        ({"board": "1" * 16, "move_number": -1}, "expected a move number from 0"),
        ({"board": "hh" + "0" * 14}, "expected a sum of tiles below 262144, which no game"),
    ],
)
def test_invalid_reset_options_are_refused(options: Any, text: str) -> None:
    for envs, action in ((Env2048(), 0), (VectorEnv2048(2), np.zeros(2, dtype=int))):
        after = []
        for is_asked in (False, True):
            envs.reset(seed=1)
            if is_asked:
                with pytest.raises(Refused, match=text):
                    envs.reset(seed=2, options=options)
            after.append(envs.step(action))  # type: ignore[arg-type]
        assert_same(after[1], after[0])  # the game goes on as if nothing was asked


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"rules": "9x9"}, "expected 1 to 8 rows"),
        ({"observation": "rgb"}, "expected an observation of exponents, onehot, "),
        ({"reward": 1}, "expected a reward of score, log2 or goal, got 1"),
        ({"illegal": None}, "expected illegal to be noop, penalty, terminate or error, got"),
        ({"penalty": float("nan")}, "expected a finite number as penalty, got nan"),
        ({"penalty": "1"}, "expected a finite number as penalty, got '1'"),
        ({"spawn_info": 1}, "expected spawn_info as True or False, got 1"),
        ({"penalty": 10**400}, "expected a finite number as penalty, got 1000"),
        (
            {"rules": "4x5", "observation": "bits"},
            "expected at most 4 rows and columns for observations in 64 bits, got 4x5",
        ),
        ({"render_mode": "svg"}, "expected a render mode of human, ansi, rgb_array"),
        ({"num_envs": 0}, "num_envs from 1 to"),
        ({"num_envs": 10**9}, "expected"),
        ({"num_envs": 2, "max_episode_steps": 0}, "max_episode_steps from 1"),
        (
            {"num_envs": 2, "autoreset_mode": "later"},
            "mode of NEXT_STEP, SAME_STEP, DISABLED, got 'later'",
        ),
        ({"num_envs": 2, "copy": "x"}, "expected copy as True or False, got 'x'"),
        ({"num_envs": 2, "render_mode": "human"}, "render mode of ansi, rgb_array, got 'human'"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(Refused, match=text):
        (VectorEnv2048 if "num_envs" in options else Env2048)(**options)


def test_a_merge_past_the_largest_tile_is_an_error() -> None:
    env = Env2048("5x7")
    with pytest.raises(TileTooLarge, match=TOO_LARGE_MERGE):
        env.reset(options={"board": "5x7:zz" + "0" * 33})
    env.reset(options={"board": "5x7:zyy" + "0" * 32})
    env.step(Move.LEFT)
    for call in (lambda: env.step(Move.LEFT), env.afterstates):
        with pytest.raises(TileTooLarge, match=TOO_LARGE_MERGE):
            call()
