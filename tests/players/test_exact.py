"""The player `exact`: best moves from a table, only under its rules."""

import re
from pathlib import Path

import pytest

from twofold.errors import GameOver, UnsupportedRules
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.notation import SeedRange
from twofold.game.rules import Rules
from twofold.players import make_player, play_game, play_games
from twofold.players.exact import ExactPlayer
from twofold.tables.problem import Problem
from twofold.tables.solver import Solver
from twofold.tables.store import LayerStore


def made(path: Path, rules: str, objective: str = "score") -> str:
    """The spec of a player with a new table for the rules."""
    problem = Problem.parse(rules, objective)
    store = LayerStore(problem)
    Solver(problem, store).run()
    store.write(path)
    return f"exact:table={path}"


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> str:
    return made(tmp_path_factory.mktemp("tables") / "2x3.table", "2x3")


@pytest.fixture(scope="module")
def player(spec: str) -> ExactPlayer:
    found = make_player(spec)
    assert isinstance(found, ExactPlayer)
    return found


def test_it_chooses_the_best_moves(player: ExactPlayer) -> None:
    game = Game(player.home, seed=4)
    while not game.is_finished:
        analysis = player.analyse(game.board)
        values = player.table.move_values(game.board)
        assert analysis.exact
        assert analysis.unit == "points"
        assert {each.move: each.value for each in analysis.moves if each.legal} == values
        assert analysis.value == max(values.values())
        assert analysis.best is player.choose(game.board, move_number=game.move_number)
        assert analysis.best is min(m for m in values if values[m] == analysis.value)
        game.play(analysis.best)
    with pytest.raises(GameOver):
        player.choose(game.board)


def test_kernels_play_the_same_moves(player: ExactPlayer) -> None:
    together = list(play_games(player, player.home, SeedRange(0, 20)))
    for result in together[:5]:
        game = Game(player.home, seed=result.seed)
        while not game.is_finished:
            game.play(player.choose(game.board))
        assert (game.score, game.board) == (result.score, result.board)
    assert [play_game(player, player.home, seed).score for seed in range(20)] == [  # type: ignore[union-attr]
        result.score for result in together
    ]


@pytest.mark.parametrize(
    "rules", ["4x4", "3x2", "2x3 spawn=2:1", "2x3 start=1", "2x3 goal=64 stop=goal"]
)
def test_other_rules_are_refused_by_name(player: ExactPlayer, rules: str) -> None:
    with pytest.raises(UnsupportedRules, match=re.escape(f"expected rules {player.home} for")):
        player.start(Rules.parse(rules), 1)
    player.start(Rules.parse("2x3 goal=64"), 1)  # which only announces it


def test_boards_that_the_table_does_not_know(player: ExactPlayer) -> None:
    with pytest.raises(UnsupportedRules, match=r"expected rules 2x3 .* for exact"):
        player.choose(Board.parse("1000/0000/0000/0001"))
    with pytest.raises(UnsupportedRules, match=r"can occur under .*, got 2x3:ff0/00f with exact"):
        player.choose(Board.parse("2x3:ff0/00f"))


def test_a_table_for_a_goal(tmp_path: Path) -> None:
    spec = made(tmp_path / "t", "2x2 goal=16", "goal")
    with make_player(spec) as player:
        rules = Rules.parse("2x2 goal=16 stop=goal")
        player.start(rules, 1)
        assert player.analyse(Board.parse("2x2:11/00")).unit == "chance of 16"
        wins = sum(
            result.max_tile == 16 for result in play_games(player, rules, SeedRange(0, 2_000))
        )
        assert abs(wins / 2_000 - 0.962511) < 4 * 0.00425
        with pytest.raises(UnsupportedRules, match="expected a board without the goal 16"):
            player.choose(Board.parse("2x2:41/01"))
        with pytest.raises(UnsupportedRules):
            player.start(Rules.parse("2x2"), 1)


def test_a_table_that_another_one_of_equal_size_replaces_is_read_again(tmp_path: Path) -> None:
    path, worth = tmp_path / "t", []
    for rules in ("2x2 spawn=2:0.8,4:0.2", "2x2 spawn=2:0.7,4:0.3"):
        with make_player(made(path, rules)) as player:
            worth.append((path.stat().st_size, player.analyse(Board.parse("2x2:11/00")).value))
    (size, before), (same, after) = worth
    assert size == same
    assert before != after
