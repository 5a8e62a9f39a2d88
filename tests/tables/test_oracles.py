"""Search, play and learning against exact values."""

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.support.greedy import mean_score
from tests.tables.naive_games import Naive
from twofold.game.board import Board
from twofold.game.notation import SeedRange
from twofold.game.rules import Move
from twofold.learn.settings import TrainingSettings, parse_schedule
from twofold.learn.training import Training
from twofold.players import play_games
from twofold.players.exact import ExactPlayer
from twofold.players.searching import ExpectimaxPlayer
from twofold.search.depth import Depth
from twofold.tables.exact import solve
from twofold.tables.problem import Problem
from twofold.values import Evaluator, compiled, simple_evaluator
from twofold.values.network import network_evaluator


@cache
def zero() -> Evaluator:
    """Values 0 beyond the horizon: exact if the search sees every end."""

    @compiled
    def nothing(bits, score, params):  # type: ignore[no-untyped-def]
        return 0.0

    return simple_evaluator("nothing", nothing, at="afterstate", adds_reward=True, unit="points")


@cache
def ends_within(board: Board, moves: int) -> bool:
    """True if at most `moves` moves can follow."""
    legal = board.legal_moves()
    if not legal or not moves:
        return not legal
    afters = [board.slide(move).board for move in legal]
    return all(
        ends_within(after.place(spawn.cell, spawn.tile).canonical(), moves - 1)
        for after in afters
        for spawn in after.spawns()
    )


@pytest.mark.promise("R51")
@pytest.mark.parametrize(
    ("rules", "tiles"), [("2x3", [6, 5, 4, 3, 1, 1]), ("3x3", [9, 8, 7, 6, 5, 4, 3, 1, 1])]
)
def test_search_to_the_end_finds_the_exact_values(
    rules: str, tiles: list[int], figure: Callable[[str], None]
) -> None:
    """Full boards of large tiles and one pair: the exact value is that of naive recursion."""
    naive = Naive(Problem.parse(rules))
    rng, boards = random.Random(1), list[Board]()
    while len(boards) < 20:
        board = Board(rng.sample(tiles, len(tiles)), naive.problem.rules.shape)
        if not board.is_over and ends_within(board.canonical(), 5):
            boards.append(board)
    player = ExpectimaxPlayer(zero(), Depth.fixed(6))
    player.start(naive.problem.rules, 1)
    for board in boards:
        found = player.analyse(board)
        for move in board.legal_moves():
            assert found[move].value == pytest.approx(naive.move_value(board, move), rel=1e-9)
    figure(f"{len(boards)} late boards of {rules}")


@pytest.mark.promise("R51")
@pytest.mark.parametrize(
    ("rules", "games"),
    [
        ("2x2", 20_000),
        ("2x3", 4_000),
        pytest.param("2x4", 20_000, marks=pytest.mark.long),
        pytest.param("3x3", 20_000, marks=pytest.mark.long),
    ],
)
def test_games_of_the_exact_player_have_its_value(
    rules: str, games: int, figure: Callable[[str], None]
) -> None:
    problem = Problem.parse(rules)
    table = solve(problem, threads=2)
    player = ExactPlayer(table)
    results = play_games(player, problem.rules, SeedRange(1, games))
    scores = np.array([result.score for result in results], dtype=float)
    mean, error = scores.mean(), scores.std(ddof=1) / np.sqrt(games)
    assert abs(mean - table.start_value) < 3 * error
    figure(f"{rules}: {mean:.2f} +- {error:.2f} over {games:,} games, {table.start_value:.4f}")


@pytest.mark.promise("R51")
@pytest.mark.parametrize(
    ("rules", "patterns", "games", "schedule", "settings"),
    [
        ("2x2", "0123", 60_000, "tc", {}),
        ("2x3", "012345", 400_000, "tc:0.5", {"optimism": 500.0, "restart": 10}),
    ],
)
def test_learning_with_a_weight_for_each_board_finds_the_exact_values(
    rules: str,
    patterns: str,
    games: int,
    schedule: str,
    settings: dict[str, Any],
    figure: Callable[[str], None],
) -> None:
    """Both what the network expects and what its greedy play gets, over all games.

    Without optimism, above the value of every state, greedy play of 2x3 settles for the half.
    """
    problem = Problem.parse(rules)
    exact, phases = solve(problem).start_value, parse_schedule(schedule)
    more: dict[str, Any] = {
        "patterns": patterns,
        "rules": problem.rules,
        "schedule": phases,
    } | settings
    training = Training(TrainingSettings(**more), games=games)
    training.run()
    value = network_evaluator(training.network).value

    def best(board: Board) -> tuple[float, Move]:
        slides = [(move, board.slide(move)) for move in board.legal_moves()]
        return max((slide.reward + value(slide.board), -move, move) for move, slide in slides)[::2]

    starts = problem.start_boards.items()
    boards = [(chance, Board.from_bits(bits, problem.rules.shape)) for bits, chance in starts]
    expected = sum(chance * best(board)[0] for chance, board in boards)
    got = mean_score(lambda board: best(board)[1], problem.rules, Board.canonical)
    assert expected == pytest.approx(exact, rel=0.01)
    assert got == pytest.approx(exact, rel=0.01)
    assert got <= exact * (1 + 1e-9)
    figure(f"{rules}: {expected:.2f} learnt in {games:,} games, plays {got:.2f} of {exact:.2f}")
