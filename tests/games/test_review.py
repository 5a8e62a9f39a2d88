"""Grades of moves, accuracy, their summary and parts."""

from functools import cache
from itertools import islice, pairwise
from typing import Any

import numpy as np
import pytest

from twofold import Board, Budget, Game, Move, Player, Record, Rules, make_player
from twofold.errors import InvalidRecord, InvalidSpec, UnsupportedRules
from twofold.games.judge import (
    FLOOR,
    MAX_STAKE,
    MIN_STAKE,
    GameAccuracy,
    Judge,
    MoveJudgement,
    game_accuracy,
    label_of,
    move_accuracy,
    stake_of,
)
from twofold.games.review import (
    LEAST_TILE,
    MOST_TILES,
    NO_CHOICE,
    Review,
    by_maker,
    by_phase,
    default_judge,
    judge,
    phases,
    positions,
    review,
    tables_note,
    unit_of,
)
from twofold.players.base import move_list
from twofold.players.exact import ExactPlayer
from twofold.players.searching import ExpectimaxPlayer, values_of
from twofold.search.analysis import Analysis, MoveValue
from twofold.search.budget import Stop
from twofold.search.depth import Depth
from twofold.tables.exact import solve
from twofold.tables.problem import Problem
from twofold.values import compiled, simple_evaluator


def played(spec: str, seed: int = 1, rules: Rules | None = None, most: int = 10_000) -> Game:
    """A game of a player."""
    game = Game(rules or Rules(), seed)
    with make_player(spec) as player:
        player.start(game.rules, seed)
        while not game.is_finished and game.move_number < most:
            game.play(player.choose(game.board, score=game.score, move_number=game.move_number))
    return game


@pytest.fixture(scope="module")
def greedy_game() -> Game:
    return played("greedy", 3)


@pytest.fixture(scope="module")
def judged(greedy_game: Game) -> list[MoveJudgement]:
    return list(judge(greedy_game, make_player("ntuple:net=tiny,ply=2")))


class Certain(Player):
    """A player with given values, in the unit of probabilities."""

    spec = "certain"

    def __init__(self, values: dict[Move, float]) -> None:
        self.values = values

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        return max(board.legal_moves(), key=lambda move: self.values[move])

    def analyse(
        self,
        board: Board,
        budget: Budget | None = None,
        *,
        score: int | None = None,
        stop: Stop | None = None,
    ) -> Analysis:
        found = {move: MoveValue(self.values[move], 1) for move in board.legal_moves()}
        return Analysis(board, move_list(board, found), self.choose(board), self.spec, "chance")


# ---- what is judged


def test_a_record_is_judged_like_its_game(greedy_game: Game, judged: list[MoveJudgement]) -> None:
    record = Record.from_game(greedy_game)
    assert list(judge(record, make_player("ntuple:net=tiny,ply=2"))) == judged
    assert list(positions(record)) == list(positions(greedy_game))


def test_tiles_that_were_given_and_a_late_start() -> None:
    game = Game.from_board(Board.parse("1100/0000/0000/0000"), seed=1, score=100, move_number=50)
    game.play(Move.LEFT, spawn=(15, 4))
    game.play(Move.UP)
    for one in (game, Record.from_game(game)):
        first, second = positions(one)
        assert (first.move_number, first.score, first.move) == (50, 100, Move.LEFT)
        assert (second.score, second.board) == (104, Board.parse("2000/0000/0000/0002"))


@pytest.mark.parametrize("spec", ["ntuple:net=tiny,ply=2", "expectimax:ply=3,cut=0.01", "greedy"])
def test_values_are_those_of_an_analysis(greedy_game: Game, spec: str) -> None:
    player = make_player(spec)
    both = zip(positions(greedy_game), judge(greedy_game, make_player(spec)), strict=True)
    for position, one in islice(both, 0, 60, 12):
        analysis = player.analyse(position.board, score=position.score)
        assert one.values == tuple(each.value for each in analysis.moves)


def test_moves_of_the_judge_are_perfect() -> None:
    game = played("ntuple:net=tiny,ply=1", 2, most=100)
    found = review(judge(game, make_player("ntuple:net=tiny,ply=1")))
    assert (found.accuracy, found.match_rate, found.goodness_of_fit) == (100.0, 1.0, 1.0)
    assert found.longest_perfect_run == found.total == found.labels["best"] == 100


# ---- ratios


def test_ratios_of_points(judged: list[MoveJudgement]) -> None:
    for one in judged:
        best, made = one.values[one.best], one.values[one.move]
        assert best is not None
        assert made is not None
        expected = (FLOOR + max(made, 0)) / (FLOOR + max(best, 0))
        assert one.ratio == pytest.approx(1.0 if one.is_best else expected)
        assert one.loss == best - made if one.is_best else one.loss > 0


def _one_move(board: Board, move: Move) -> Game:
    game = Game.from_board(board, seed=0)
    game.play(move)
    return game


def test_ratios_of_chances() -> None:
    values = {Move.UP: 0.2, Move.RIGHT: 0.4, Move.DOWN: 0.0, Move.LEFT: 0.1}
    game = _one_move(Board.parse("0000/0120/0000/0000"), Move.UP)
    (one,) = judge(game, Certain(values))
    assert (one.ratio, one.best) == (0.5, Move.RIGHT)
    assert one.shares == (0.5, 1.0, 0.0, 0.25)
    assert one.stake == 12


@pytest.mark.parametrize(("objective", "floor"), [("score", FLOOR), ("goal", 0.0)])
def test_ratios_of_a_solved_game(objective: str, floor: float) -> None:
    """Ratios of exact values are quotients: no spread is measured."""
    table = solve(Problem.parse("2x2 goal=16 stop=goal", objective))
    board = Board.parse("2x2:23/10")
    values = table.move_values(board)
    best = max(values.values())
    judge = Judge(ExactPlayer(table), table.problem.rules, Budget())
    for move, value in values.items():
        found = judge.judgement(0, board, 0, move)
        assert found is not None
        assert found.ratio == pytest.approx((floor + value) / (floor + best))
    assert min(values.values()) < best


@pytest.mark.parametrize("spec", ["expectimax:ply=2", "expectimax:eval=snake,ply=1", "minimax"])
def test_heuristics_are_calibrated(spec: str) -> None:
    """Ratios do not depend on the unit: a random player loses some percent per move."""
    judged = list(judge(played("random", 1), make_player(spec)))
    kept = sum(one.ratio for one in judged) / len(judged)
    assert 0.85 < kept < 0.999
    assert all(0 <= one.ratio <= 1 for one in judged)
    assert unit_of(make_player(spec), Rules()) == "own unit"


@cache
def scaled() -> Any:
    """An evaluator's kernel: a number for each empty cell, and one for the board."""

    @compiled
    def value(bits, score, params):  # type: ignore[no-untyped-def]
        empty = 0
        for place in range(16):
            empty += (bits >> np.uint64(4 * place)) & np.uint64(15) == 0
        return params[0] * np.float64(empty) + params[1]

    return value


def test_the_unit_of_a_heuristic_changes_nothing() -> None:
    game = played("corner", 1)
    found = []
    for scale in (1.0, 4.0):
        evaluator = simple_evaluator("scaled", scaled(), [scale, 0.0])
        player = ExpectimaxPlayer(evaluator, Depth.fixed(2))
        found.append([one.ratio for one in judge(game, player)])
    assert found[0] == found[1]


# ---- other rules


def test_other_shapes() -> None:
    for text, most in (("3x4 goal=512", 60), ("5x5", 20), ("1x2", 10)):
        rules = Rules.parse(text)
        game = played("greedy", 1, rules, most)
        player = make_player(default_judge(rules) if text != "5x5" else "greedy")
        assert len(list(judge(game, player))) == game.move_number


# ---- refusals, and the flag


def test_players_without_values_cannot_judge() -> None:
    with pytest.raises(InvalidSpec, match=r"expected a player that values moves, .* got 'corner'"):
        judge(Game(seed=0), make_player("corner"))


def test_rules_that_the_judge_cannot_play() -> None:
    with pytest.raises(UnsupportedRules):
        judge(Game(Rules(rows=5), seed=0), make_player("ntuple:net=tiny"))


def test_an_impossible_move_of_a_record() -> None:
    board = Board.parse("1000/0000/0000/0000")
    for first, wrong in ((Move.RIGHT, 2), (Move.UP, 1)):
        record = Record(seed=1, board=board, moves=(first, Move.RIGHT))
        with pytest.raises(InvalidRecord, match=f"move {wrong}: expected a legal move"):
            list(judge(record, make_player("ntuple:net=tiny,ply=1")))


def test_a_raised_flag_ends_the_review(greedy_game: Game) -> None:
    for spec in ("ntuple:net=tiny", "expectimax:ply=2", "greedy"):
        stop = Stop()
        found = judge(greedy_game, make_player(spec), stop=stop)
        assert next(found).move_number == 0
        stop.raise_flag()
        assert list(found) == []


def test_a_search_that_is_stopped_has_no_values() -> None:
    player = make_player("ntuple:net=tiny")
    player.start(Rules(), 0)
    stop = Stop()
    stop.raise_flag()
    assert values_of(player, Game(seed=0).board, 0, Budget(), stop) is None
    assert values_of(player, Game(seed=0).board, 0, Budget(), Stop()) is not None


# ---- the whole


def one_of(label: str, ratio: float, number: int = 0, *, forced: bool = False) -> MoveJudgement:
    """A grade with defaults for the other fields."""
    values = (1.0, None, None, None) if forced else (1.0, ratio, None, None)
    move = Move.UP if forced or ratio == 1 else Move.RIGHT
    return MoveJudgement(number, move, Move.UP, values, values, 100 * ratio, label, 1.0)  # type: ignore[arg-type]


def test_the_review_of_judgements() -> None:
    found = review(
        [
            one_of("best", 1.0),
            one_of("best", 1.0, forced=True),
            one_of("mistake", 0.9),
            one_of("best", 1.0),
            one_of("best", 1.0, forced=True),
            one_of("blunder", 0.8),
        ]
    )
    assert isinstance(found, Review)
    assert (found.total, found.forced, found.longest_perfect_run) == (6, 2, 2)
    assert found.match_rate == 0.5
    assert found.goodness_of_fit == pytest.approx(0.72)
    assert list(found.labels.values()) == [4, 0, 0, 1, 1]
    assert (found.accuracy or 100) < 92.5  # the harmonic mean is below the mean


def test_forced_moves_change_no_accuracy() -> None:
    moves = [one_of("mistake", 0.9), one_of("best", 1.0)]
    forced = [one_of("best", 1.0, forced=True)] * 50
    assert review(moves).accuracy == review(moves + forced).accuracy
    found = review(forced)
    assert (found.accuracy, found.match_rate, found.goodness_of_fit) == (None, None, None)
    assert found.note == NO_CHOICE
    assert "accuracy        –, there was no choice\nbest moves      –\n" in str(found)


def test_a_judge_with_tables_gets_no_note() -> None:
    played = "ntuple:ply=3,tables=442-512"
    assert tables_note(played, "ntuple:ply=3,tables=none") == tables_note(played, "ntuple:ply=3")
    assert "tables build default" in tables_note(f"me + {played}", "ntuple:ply=3")
    assert tables_note(played, "ntuple:ply=3,tables=443-512") == ""
    assert tables_note("ntuple:tables=none", "ntuple:ply=3") == ""


def watched(moves: int, seed: int = 1) -> Game:
    game = Game(seed=seed)
    with make_player("expectimax:eval=rows,ply=1") as player:
        player.start(game.rules, seed)
        while game.move_number < moves and not game.is_finished:
            game.play(player.choose(game.board))
    return game


def largest_before(game: Game, number: int) -> int:
    return max(game.at(one).board.max_tile for one in range(number + 1))


@pytest.mark.parametrize("as_record", [False, True])
def test_each_phase_ends_with_the_move_that_makes_its_tile(as_record: bool) -> None:
    game = watched(2_000)
    found = phases(Record.from_game(game) if as_record else game)
    assert found[0].start == 0
    assert found[-1].end == game.move_number
    assert len(found) <= MOST_TILES + 1
    for one, following in pairwise(found):
        assert one.end == following.start
        assert one.before == following.after >= LEAST_TILE
        assert largest_before(game, one.end) == one.before > largest_before(game, one.end - 1)


def test_the_judgements_of_each_part_are_reviewed() -> None:
    game = watched(200)
    judged = list(judge(game, make_player("ntuple:net=tiny,ply=1")))
    parts = by_phase(phases(game), judged)
    assert sum(part.total for _, part in parts) == len(judged) == game.move_number
    phase, first = parts[0]
    assert first == review(judged[: phase.end])
    own, helped = by_maker(judged, range(1, 51))
    assert helped == review(judged[:50])
    assert own == review(judged[50:])
    assert by_maker(judged[:9], ()) == (review(judged[:9]), None)
    assert by_maker([], ()) == (None, None)


@pytest.mark.parametrize(
    ("ratio", "label"),
    [
        (1 - 1e-10, "best"),
        (1 - 1e-9, "fine"),
        (0.99, "fine"),
        (0.975, "inaccuracy"),
        (0.9, "mistake"),
        (0.8999, "blunder"),
    ],
)
def test_labels(ratio: float, label: str) -> None:
    assert label_of(ratio) == label


def test_accuracy_of_a_move_ends_where_moves_are_terrible() -> None:
    assert move_accuracy(1.0) == pytest.approx(100)
    assert move_accuracy(0.75) == pytest.approx(0, abs=1e-9)
    assert move_accuracy(0.5) == 0
    falling = [move_accuracy(1 - lost / 100) for lost in range(25)]
    assert falling == sorted(falling, reverse=True)
    assert 40 < move_accuracy(0.95) < 60


def test_the_stake_is_what_a_random_move_loses() -> None:
    assert stake_of([1.0, 0.9]) == pytest.approx(5)
    assert stake_of([1.0, 1.0, 1.0]) == MIN_STAKE
    assert stake_of([1.0, 0.1]) == MAX_STAKE


def test_accuracy_of_a_game() -> None:
    assert game_accuracy([(100.0, 1.0)] * 5) == pytest.approx(100)
    assert game_accuracy([(80.0, 1.0), (80.0, 12.0)]) == pytest.approx(80)
    weighted, harmonic = (100 * 1 + 50 * 3) / 4, 2 / (1 / 100 + 1 / 50)
    assert game_accuracy([(100.0, 1.0), (50.0, 3.0)]) == pytest.approx((weighted + harmonic) / 2)


def test_the_accuracy_of_a_game_grows_move_by_move() -> None:
    game = GameAccuracy()
    assert game.percent is None
    moves = [(100.0, 0.5), (37.5, 12.0), (0.0, 3.0), (99.9, 1.0)]
    for count, (accuracy, stake) in enumerate(moves, 1):
        game.add(accuracy, stake)
        assert game.percent == game_accuracy(moves[:count])
    assert game_accuracy([(100.0, 0.7)] * 12_345) == 100
