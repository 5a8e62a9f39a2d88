"""The shortcuts give the results of the modules behind them."""

import copy
import pickle  # noqa: TID251 (of our own making)
import subprocess
import sys
from pathlib import Path

import pytest

import twofold
from twofold import Board, Game, Move, make_player
from twofold.errors import GameOver, InvalidInput, InvalidSpec
from twofold.learn.checkpoint import load
from twofold.players import play_games
from twofold.review.review import judge, review
from twofold.rules import STANDARD, Rules
from twofold.seeds import SeedRange

BOARD = "0012/0013/0024/1357"


def played(rules: str = "2x2", seed: int = 1) -> Game:
    game = Game(rules, seed)
    while not game.is_finished:
        game.play(game.legal_moves()[0])
    return game


def test_a_board_is_analysed_by_the_player_that_is_named_or_given() -> None:
    with make_player("expectimax:ply=2") as player:
        player.start(STANDARD, 0)
        expected = player.analyse(Board.parse(BOARD)).moves
        assert twofold.analyse(BOARD, player).moves == expected
    assert twofold.analyse(BOARD, "expectimax", "ply=2").moves == expected
    assert twofold.analyse("2x2:12/00", "greedy").best in (Move.DOWN, Move.LEFT, Move.RIGHT)
    with pytest.raises(InvalidSpec, match="expectimaxx"):
        twofold.analyse(BOARD, "expectimaxx")


def test_the_default_player_is_a_strong_one() -> None:
    assert twofold.analyse(BOARD).player.startswith("ntuple:")
    assert twofold.analyse("5x5:10000/00000/00000/00000/00001").board.shape == (5, 5)


def test_a_game_is_reviewed() -> None:
    game = played()
    with make_player("expectimax:ply=2") as player:
        expected = review(judge(game, player))
    assert twofold.review_game(game, "expectimax:ply=2") == expected
    assert "accuracy" in str(expected)


def test_players_are_compared_over_the_same_games() -> None:
    own = make_player("corner")
    result = twofold.bench(["greedy", own, "corner"], games=20, seed=7, jobs=2)
    assert [one.player for one in result] == ["greedy", "corner", "corner"]
    assert result[1].games.scores.tolist() == result[2].games.scores.tolist()
    greedy = play_games(make_player("greedy"), STANDARD, SeedRange(7, 20))
    assert result[0].games.scores.tolist() == [one.score for one in greedy]
    assert str(result).splitlines()[1].startswith("greedy")
    assert "<pre>" in result._repr_html_()


def test_a_network_is_trained_and_plays(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    training = twofold.train("01 23", path, games=50, rules="2x2", schedule="td:0.1", seed=5)
    assert load(path).games_begun[0] == training.games_begun[0] == 50
    assert twofold.play_game(f"ntuple:net={path}", "2x2", 1) is not None
    with pytest.raises(InvalidInput, match="games or of seconds"):
        twofold.train("01 23", path, rules="2x2")


def test_a_game_is_played_by_a_spec() -> None:
    result = twofold.play_game("greedy", "3x3", 5)
    with make_player("greedy") as player:
        again = twofold.play_game(player, Rules.parse("3x3"), 5)
    assert result is not None
    assert again is not None
    assert (result.score, result.board) == (again.score, again.board)
    drawn = twofold.play_game("greedy", "2x2")
    assert drawn is not None
    assert 0 <= drawn.seed < 2**64


def test_a_game_is_solved() -> None:
    table = twofold.solve("2x2 goal=32 stop=goal")
    board = Board.parse("2x2:11/00")
    values = table.move_values(board)
    assert values[table.best("2x2:11/00")] == max(values.values())
    assert repr(table) == "<ExactTable of 2x2, expected score to 32: 57 states>"
    with pytest.raises(GameOver):
        table.best("2x2:12/21")


def test_players_show_their_spec_and_can_be_copied() -> None:
    player = make_player("expectimax:ply=2,eval=snake")
    assert repr(player) == "make_player('expectimax:eval=snake,ply=2')"
    for other in (copy.copy(player), pickle.loads(pickle.dumps(player))):  # noqa: S301
        assert other is not player
        assert other.spec == player.spec
        assert other.choose(Board.parse(BOARD)) == player.choose(Board.parse(BOARD))


def test_notebooks_show_results() -> None:
    analysis = twofold.analyse(BOARD, "expectimax:ply=1")
    assert str(analysis).count("best") == 1
    assert "illegal" in str(analysis)
    assert analysis._repr_html_().startswith("<pre>0012/0013/0024/1357")
    game = played()
    record = twofold.Record.from_game(game, player="me")
    assert "<svg" in record._repr_svg_()
    assert twofold.review_game(game, "expectimax:ply=1")._repr_html_().startswith("<pre>accuracy")


def test_one_player_needs_no_list() -> None:
    (alone,) = twofold.bench("greedy", games=3)
    assert alone.player == "greedy"
    with pytest.raises(InvalidInput, match="at least one player"):
        twofold.bench([])


@pytest.mark.parametrize("broken", ["None", "types.ModuleType('gymnasium')"])
def test_twofold_imports_with_a_broken_gymnasium(broken: str) -> None:
    code = f"import sys, types; sys.modules['gymnasium'] = {broken}; import twofold; twofold.Board"
    subprocess.run([sys.executable, "-c", code], check=True)
