"""The shortcuts give the results of the modules behind them."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import twofold
from twofold import Board, Game, Move, Player, make_player
from twofold.arena.bench import Bench
from twofold.arena.duel import duel
from twofold.arena.study import Study
from twofold.errors import GameOver, InvalidInput, InvalidRecord, InvalidSpec, PlayerError
from twofold.game.notation import SeedRange
from twofold.game.record import read_record
from twofold.game.rules import STANDARD, Rules
from twofold.games.review import judge, review
from twofold.learn.checkpoint import load
from twofold.players import play_games
from twofold.tables.problem import ExactObjective, Problem

BOARD = "0012/0013/0024/1357"
UNTYPED: Any = twofold
"""For calls that the types forbid."""


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
    assert twofold.analyse(np.asarray(Board.parse(BOARD)), "expectimax:ply=2").moves == expected
    assert twofold.analyse("2x2:12/00", "greedy").best in (Move.DOWN, Move.LEFT, Move.RIGHT)
    game = Game.from_board(BOARD, seed=1, score=90_000)
    values = twofold.analyse(game, "datumbox").moves
    assert values == twofold.analyse(BOARD, "datumbox", score=game.score).moves
    with pytest.raises(InvalidSpec, match="expectimaxx"):
        twofold.analyse(BOARD, "expectimaxx")


def test_a_strength_is_the_player_for_the_shape() -> None:
    assert twofold.analyse(BOARD).player.startswith("ntuple:")
    assert twofold.analyse("3x3:012/013/024", "fast").player.startswith("expectimax:")
    for rules in ("2x2", Rules(2, 2)):
        games = [twofold.play_game(spec, rules, 5) for spec in ("fast", "expectimax:ply=2")]
        assert len({game.board for game in games if game is not None}) == 1


def test_a_game_is_saved_loaded_and_reviewed(tmp_path: Path) -> None:
    game, path = played(), tmp_path / "game.2048"
    game.undo()
    twofold.save_game(game, path, player="me")
    again = twofold.load_game(str(path))
    assert (again.board, again.score, again.seed) == (game.board, game.score, game.seed)
    assert again.legal_moves()
    with make_player("expectimax:ply=2") as player:
        expected = review(judge(game, player), player.spec, "own unit")
    for judged, spec in ((game, "expectimax:ply=2"), (path, "fast"), (str(path), "fast")):
        assert twofold.review_game(judged, spec) == expected
    first, second, *_ = str(expected).splitlines()
    assert first == "judged by expectimax:ply=2, values on the player's own scale"
    assert second.startswith("accuracy")
    record = replace(read_record(path), date="2048-01-31")
    twofold.save_game(record, path)
    assert (read_record(path).player, read_record(path).date) == ("me", "2048-01-31")
    with pytest.raises(InvalidRecord, match="cannot read"):
        twofold.load_game(tmp_path / "none.2048")


def test_players_are_compared_over_the_same_games() -> None:
    own = make_player("corner")
    result = twofold.bench(["greedy", own, "corner"], games=20, seed=7, jobs=2)
    assert [one.player for one in result] == ["greedy", "corner", "corner"]
    assert result[1].games.scores.tolist() == result[2].games.scores.tolist()
    greedy = play_games(make_player("greedy"), STANDARD, SeedRange(7, 20))
    assert result[0].games.scores.tolist() == [one.score for one in greedy]
    assert str(result).splitlines()[1].startswith("greedy")
    assert "<pre>" in result._repr_html_()


def test_classes_and_functions_are_players() -> None:
    class First(Player):
        def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
            return board.legal_moves()[0]

    def first(board: Board) -> Move:
        return board.legal_moves()[0]

    results = twofold.bench([First, first, First(), "greedy"], games=5)
    assert [one.player for one in results] == ["First", "first", "First", "greedy"]
    assert len({tuple(one.games.scores) for one in results}) == 2
    assert (
        twofold.bench(first, games=5)[0].games.scores.tolist() == results[0].games.scores.tolist()
    )
    assert twofold.compare(First, first, games=5).words.startswith("no difference")
    assert twofold.analyse(BOARD, first).best is Board.parse(BOARD).legal_moves()[0]


def test_the_stronger_of_two_players_is_named() -> None:
    found = twofold.compare(make_player("greedy"), "random", 60, rules="3x3", jobs=1)
    assert (found.verdict, found.test) == ("A", None)
    assert found.words.startswith("greedy is stronger: ")
    assert found.comparison is not None
    with Study() as study:
        expected = duel(Bench(study, Rules(3, 3)), ("greedy", "random"), SeedRange(1, 60), jobs=1)
    assert found.comparison == expected.comparison
    assert str(found) == repr(found) == f"{found.tables}\n\n{found.words}."
    assert "A − B, 95 %" in found.tables
    assert found._repr_html_().startswith("<pre>player")


def test_a_network_is_trained_and_plays(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    training = twofold.train("01 23", path, games=50, rules="2x2", schedule="td:0.1", seed=5)
    assert load(path).games_begun[0] == training.games_begun[0] == 50
    assert twofold.play_game(f"ntuple:net={path}", "2x2", 1) is not None


def test_a_game_is_solved() -> None:
    table = twofold.solve("2x2 goal=32 stop=goal")
    board = Board.parse("2x2:11/00")
    values = table.move_values(board)
    assert values[table.best("2x2:11/00")] == max(values.values())
    assert repr(table) == "<ExactTable of 2x2, expected score to 32: 65.62, 57 states>"
    with pytest.raises(GameOver):
        table.best("2x2:12/21")
    chance = twofold.solve("2x2 start=1", goal=32)
    assert chance.problem == Problem(Rules.parse("2x2 start=1 goal=32"), ExactObjective.GOAL)
    assert twofold.solve(chance.problem).start_value == chance.start_value


def test_results_show_themselves(tmp_path: Path) -> None:
    analysis = twofold.analyse(BOARD, "greedy")
    assert repr(analysis) == f"<Analysis of {BOARD}: best up 4.00, down 4.00, left 0, in points>"
    assert repr(twofold.analyse("2x2:12/00", "corner")) == "<Analysis of 2x2:12/00: best down>"
    heading, *lines = str(twofold.analyse(BOARD, "expectimax:ply=1")).splitlines()
    assert heading == f"{BOARD}, 1 ply, values on the player's own scale"
    assert lines[0].split() == ["move", "value", "to", "best", "reward", "depth", "nodes"]
    assert analysis._repr_html_().startswith("<pre>0012/0013/0024/1357")
    result = twofold.bench("corner", games=2, rules="2x2", jobs=1)
    assert repr(result) == str(result)
    mean = f"2 games, mean score {result[0].games.scores.mean():.0f}"
    assert repr(result[0]) == f"<PlayerStanding of corner: {mean}>"
    assert repr(result[0].games) == f"<GameColumns: {mean}>"
    training = twofold.train("01 23", tmp_path / "net", games=5, rules="2x2")
    assert re.fullmatch(
        r"<Training of 01 23 on 2x2: 5 games, \d+ moves, \d\.\d s, mean score \d+ of the last "
        r"5 games>",
        repr(training),
    )
    assert "<svg" in twofold.Record.from_game(played(), player="me")._repr_svg_()
    assert twofold.review_game(played(), "fast")._repr_html_().startswith("<pre>judged")


class Escaping(Player):
    spec = "\x1b[31mred\x07\nline"

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        return board.legal_moves()[0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: UNTYPED.analyse(BOARD, 3), "expected a player or its spec, got 3"),
        (lambda: UNTYPED.analyse(BOARD, "greedy", 3), "expected a budget as text, got 3"),
        (lambda: UNTYPED.analyse(BOARD, "greedy", score="x"), "expected a score as a whole number"),
        (lambda: UNTYPED.review_game(5), "expected a game, its record or the path of one, got 5"),
        (lambda: UNTYPED.save_game(5, "file"), "expected a game or its record, got 5"),
        (lambda: UNTYPED.bench(Player), r"expected def choose\(self, board, \*, score=None"),
        (lambda: UNTYPED.bench(lambda: None), "expected a function that takes a board, got"),
        (lambda: UNTYPED.bench(["greedy", None]), "expected a player or its spec, got None"),
        (lambda: UNTYPED.bench(make_player("greedy"), 0), "expected games from 1 to .*, got 0"),
        (lambda: UNTYPED.bench("greedy", seed=-1), "expected a seed from 0 .*, got -1"),
        (lambda: UNTYPED.bench("greedy", ray=5), "the address of a Ray cluster as text, got 5"),
        (lambda: UNTYPED.compare(Escaping(), "greedy", ray="local"), "specs of players for a Ray"),
        (lambda: UNTYPED.play_game(5), "expected a player spec as text, got 5"),
        (lambda: UNTYPED.train("4x6", "f", games=1, schedule=5), "expected a schedule as text"),
        (lambda: UNTYPED.train("01 23", "f", rules="2x2"), "games or of seconds"),
        (lambda: twofold.compare("greedy", "greedy"), "two different players, got greedy tw"),
        (lambda: twofold.compare(make_player("quick"), "quick:ply=3"), "two different players"),
    ],
)  # fmt: skip
def test_arguments_of_other_types_are_refused_by_name(call: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()


class Failing(Escaping):
    spec = "\x1b[31mfails"

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        return cast(Move, None)


def test_control_characters_in_the_name_of_an_object_are_shown_escaped() -> None:
    found = twofold.bench([Escaping(), Failing(), "greedy"], games=2)
    outcome = twofold.compare(Escaping(), "random", games=2)
    texts = [str(found), repr(found[0]), repr(found[1]), str(outcome), outcome.words]
    with pytest.raises(PlayerError) as caught:
        twofold.play_game(Failing())
    for text in [*texts, str(caught.value)]:
        assert "\\x1b[31m" in text or "random" in text
        assert text.replace("\n", "").isprintable(), text
        assert "\nline" not in text
