"""Other orders of the moves: the same games, actions and masks in another order."""

import json
from itertools import permutations
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from twofold.board import Board
from twofold.env import ENV_ID, conventions
from twofold.env.conventions import ActionOrder, VectorActionOrder, pgx_observation
from twofold.env.single import Env2048
from twofold.env.vector import VectorEnv2048
from twofold.errors import InvalidInput, InvalidMove
from twofold.game import Game
from twofold.rules import Move, Rules


def test_pgx_plays_left_up_right_down() -> None:
    env = ActionOrder(Env2048(), conventions.PGX)
    for action, afterstate in enumerate(
        ("2100/3000/0000/0000", "0201/0300/0000/0000", "0021/0003/0000/0000", "0000/0000/0200/0301")
    ):
        _, info = env.reset(seed=1, options={"board": "0201/0300/0000/0000"})
        assert info["action_mask"].tolist() == [1, 0, 1, 1]
        boards, _, _ = env.afterstates()
        assert Board(boards[action].flatten().tolist()) == Board.parse(afterstate)
        observation, *_ = env.step(action)
        changed = observation != boards[action]
        assert changed.sum() == (action != 1)  # the new tile, where a move was made


@pytest.mark.parametrize("order", ["".join(letters) for letters in permutations("urdl")])
def test_every_order_makes_the_same_moves(order: str) -> None:
    env = ActionOrder(gymnasium.make(ENV_ID, rules="3x3"), order)
    game = Game(Rules(3, 3), seed=5)
    _, info = env.reset(seed=5)
    while not game.is_finished:
        legal = [order[action] for action in np.flatnonzero(info["action_mask"])]
        assert sorted(legal) == sorted(move.letter for move in game.legal_moves())
        assert env.action_masks().tolist() == info["action_mask"].astype(bool).tolist()
        boards, rewards, mask = env.afterstates()
        assert mask.tolist() == info["action_mask"].tolist()
        action = order.index(legal[game.move_number % len(legal)])
        after = game.board.slide(Move.parse(order[action])).board
        assert boards[action].flatten().tolist() == list(after.exponents)
        step = game.play(Move.parse(order[action]))
        observation, reward, _, _, info = env.step(action)
        assert reward == rewards[action] == step.reward
        assert observation.flatten().tolist() == list(game.board.exponents)


def test_a_spec_makes_the_order_again() -> None:
    made = ActionOrder(gymnasium.make(ENV_ID), "lrud")
    assert made.spec is not None
    again = gymnasium.make(made.spec)
    _, info = again.reset(seed=1, options={"board": "1000/0000/0000/0000"})
    assert info["action_mask"].tolist() == [0, 1, 0, 1]


def test_foreign_environments_are_refused() -> None:
    single = gymnasium.make_vec(ENV_ID, 2, vectorization_mode="sync")
    with pytest.raises(InvalidInput, match=r"environment of twofold \(VectorEnv2048\), got SyncV"):
        VectorActionOrder(single)
    with pytest.raises(InvalidInput, match=r"environment of twofold \(Env2048\), got <.*CartPole"):
        ActionOrder(gymnasium.make("CartPole-v1"))


@pytest.mark.parametrize(
    ("mode", "letters", "moves"),
    [
        ("NEXT_STEP", conventions.PGX, [Move.LEFT, Move.UP, Move.RIGHT, Move.DOWN]),
        ("SAME_STEP", conventions.NNEONNEO, [Move.UP, Move.DOWN, Move.LEFT, Move.RIGHT]),
        ("NEXT_STEP", conventions.ENDGAME_TABLEBASE, [Move.LEFT, Move.RIGHT, Move.UP, Move.DOWN]),
    ],
)
def test_many_games_in_another_order(mode: str, letters: str, moves: list[Move]) -> None:
    plain = VectorEnv2048(8, "2x3", autoreset_mode=mode)
    other = VectorActionOrder(VectorEnv2048(8, "2x3", autoreset_mode=mode), letters)
    order = np.array(moves)
    _, infos = plain.reset(seed=2)
    _, others = other.reset(seed=2)
    for _ in range(40):
        assert others["action_mask"].tolist() == infos["action_mask"][:, order].tolist()
        assert other.action_masks().tolist() == plain.action_masks()[:, order].tolist()
        afterstates, expected = other.afterstates(), plain.afterstates()
        np.testing.assert_array_equal(afterstates.boards, expected.boards[:, order])
        np.testing.assert_array_equal(afterstates.rewards, expected.rewards[:, order])
        np.testing.assert_array_equal(afterstates.mask, expected.mask[:, order])
        actions = other.sample_actions(np.random.default_rng(1))
        legal = others["action_mask"][np.arange(8), actions] | ~others["action_mask"].any(axis=1)
        assert legal.all()
        assert not actions[~others["action_mask"].any(axis=1)].any()
        *found, others = other.step(actions)
        *wanted, infos = plain.step(order[actions])
        for part, twin in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(part, twin)
        assert ("final_info" in infos) == ("final_info" in others)
        if "final_info" in infos:
            final = others["final_info"]["action_mask"]
            assert final.tolist() == infos["final_info"]["action_mask"][:, order].tolist()


@pytest.mark.parametrize("order", ["", "urd", "urdd", "URDL", "urdlu", 3, ["u", "r", "d", "l"]])
def test_an_order_names_each_move_once(order: str) -> None:
    with pytest.raises(InvalidInput, match="expected the letters u, r, d and l in some order"):
        ActionOrder(Env2048(), order)


def test_invalid_actions_are_refused() -> None:
    one, many = ActionOrder(Env2048()), VectorActionOrder(VectorEnv2048(2))
    one.reset(seed=1)
    many.reset(seed=1)
    for action in (-1, 4, 1.0):
        with pytest.raises(InvalidMove, match="expected actions from 0 to 3"):
            one.step(action)  # type: ignore[arg-type]
        with pytest.raises(InvalidMove, match="expected actions from 0 to 3"):
            many.step(np.array([0, action]))


def test_pgx_observations() -> None:
    boards = np.array([[[0, 1], [17, 35]], [[2, 2], [30, 31]]], dtype=np.uint8)
    planes = pgx_observation(boards)
    assert planes.dtype == np.bool_
    assert planes.shape == (2, 2, 2, 31)
    assert (planes.sum(axis=-1) == 1).all()
    assert planes.argmax(axis=-1).tolist() == [[[0, 1], [17, 30]], [[2, 2], [30, 30]]]


def test_recorded_pgx_observations() -> None:
    golden = json.loads((Path(__file__).parent / "pgx.json").read_text(encoding="utf-8"))
    env = ActionOrder(Env2048(), conventions.PGX)
    assert len(golden["positions"]) > 10
    for position in golden["positions"]:
        options = {"board": Board(position["board"])}
        observation, info = env.reset(seed=1, options=options)
        assert list(pgx_observation(observation).shape) == golden["observation"]
        assert info["action_mask"].tolist() == position["mask"]
        boards, rewards, _ = env.afterstates()
        for action, (reward, after) in position["steps"].items():
            assert rewards[int(action)] == reward
            changed = np.array(after) != boards[int(action)].flatten()
            assert changed.sum() == 1  # the new tile
            assert boards[int(action)].flatten()[changed].tolist() == [0]
