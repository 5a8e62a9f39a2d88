"""The parts of a solution: sets, the boards that follow, their values."""

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.support.generators import make_board
from tests.tables.naive_games import least
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.kernels import solving
from twofold.kernels import solving as canonical
from twofold.tables.problem import Problem, canonical_bits
from twofold.tables.solver import Slots, plan_words, point_at


def test_a_set_holds_each_word_once() -> None:
    slots = Slots(100)
    words = np.random.default_rng(1).integers(1, 2**63, 400, dtype=np.uint64)
    both = np.concatenate((words, words[::-1]))
    assert slots.insert(both)
    assert sorted(slots.words[slots.words != 0].tolist()) == sorted(set(words.tolist()))


def test_a_set_that_is_full_says_so_and_grows() -> None:
    slots = Slots(0)
    words = np.arange(1, 3 * len(slots.words), dtype=np.uint64)
    assert not slots.insert(words)
    while not slots.insert(words):
        slots.grow()
    assert sorted(slots.words[slots.words != 0].tolist()) == words.tolist()
    slots.clear()
    assert not slots.words.any()


def test_threads_put_each_word_into_a_set_once() -> None:
    slots = Slots(40_000)
    words = np.random.default_rng(2).integers(1, 2**63, 40_000, dtype=np.uint64)
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda _: slots.insert(words), range(4)))
    assert sorted(slots.words[slots.words != 0].tolist()) == sorted(set(words.tolist()))


def following(board: Board, rules: Rules) -> set[int]:
    """The canonical boards after a move and a spawn."""
    found = set()
    for move in board.legal_moves():
        after = board.slide(move).board
        if rules.stop_at_goal and after.max_tile >= rules.goal:
            continue
        for spawn in after.spawns(rules):
            if not (rules.stop_at_goal and spawn.tile >= rules.goal):
                found.add(canonical_bits(after.place(spawn.cell, spawn.tile)))
    return found


@pytest.mark.parametrize(
    "rules",
    ["2x2", "1x4 spawn=4:1", "2x3 goal=16 stop=goal", "3x3", "3x4 spawn=2:1,4:1,8:1", "4x4 goal=64 "
     "stop=goal"],
)  # fmt: skip
def test_the_boards_that_follow_are_those_of_the_rules(rules: str) -> None:
    problem = Problem(Rules.parse(rules))
    shape, stop = problem.rules.shape, problem.stop_exponent or 14
    plan, held = plan_words(problem)
    rng = random.Random(rules)
    for _ in range(60):
        board = least(make_board(rng, shape, largest=stop - 1))
        total = sum(map(sum, board.tiles))
        if total % 4:  # with 4 as the only spawn there is no such board
            continue
        key = canonical.to_key(np.uint64(board.to_bits()), *shape)
        targets = [Slots(0) for _ in problem.spawn_steps]
        addresses = point_at(plan, targets)
        seen = Slots(0)
        keys = np.array([key], dtype=np.uint64)
        assert solving.expand(plan, keys, total, seen.words, seen.shift) == 0
        found = {int(bits) for slots in targets for bits in slots.words if bits}
        assert found == following(board, problem.rules)
        live = set()
        for slots in targets:
            keys = np.empty(len(slots.words), dtype=np.uint64)
            live |= set(keys[: solving.collect(plan, slots.words, keys)].tolist())
        assert live == {
            int(canonical.to_key(np.uint64(bits), *shape))
            for bits in found
            if not Board.from_bits(bits, shape).is_over
        }
        del addresses
    assert held
