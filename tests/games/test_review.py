"""Grades of moves, accuracy, their summary and parts."""

from collections.abc import Callable
from itertools import islice, pairwise

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
from twofold.search.analysis import Analysis, MoveValue
from twofold.search.budget import Stop
from twofold.tables.exact import solve
from twofold.tables.problem import Problem


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


class Valuing(Player):
    """Values each move by a function of the board after it, in a unit."""

    spec = "valuing"

    def __init__(self, value: Callable[[Move, Board], float], unit: str) -> None:
        self._value, self._unit = value, unit

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        return self.analyse(board).best

    def analyse(self, board: Board, *_: object, **__: object) -> Analysis:
        found = {
            move: MoveValue(self._value(move, board.slide(move).board), 1)
            for move in board.legal_moves()
        }
        best = max(found, key=lambda move: found[move].value)
        return Analysis(board, move_list(board, found), best, self.spec, self._unit)


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


# ---- ratios


def test_ratios_of_points(judged: list[MoveJudgement]) -> None:
    for one in judged:
        best, made = one.values[one.best] or 0.0, one.values[one.move] or 0.0
        expected = (FLOOR + max(made, 0)) / (FLOOR + max(best, 0))
        assert one.ratio == pytest.approx(1.0 if one.is_best else expected)


def test_ratios_of_chances() -> None:
    values = {Move.UP: 0.2, Move.RIGHT: 0.4, Move.DOWN: 0.0, Move.LEFT: 0.1}
    judge = Judge(Valuing(lambda move, _: values[move], "chance"), Rules(), Budget())
    one = judge.judgement(0, Board.parse("0000/0120/0000/0000"), 0, Move.UP)
    assert one is not None
    assert (one.ratio, one.best, one.stake) == (0.5, Move.RIGHT, 12)
    assert one.shares == (0.5, 1.0, 0.0, 0.25)


def test_the_unit_of_a_heuristic_changes_nothing() -> None:
    """Its values are compared by what a random move loses in games of its own."""

    def ratios(scale: float) -> list[float]:
        player = Valuing(lambda _, board: scale * len(board.empty_cells), "own unit")
        return [one.ratio for one in judge(played("corner", 1, most=60), player)]

    assert ratios(1.0) == ratios(4.0)
    assert min(ratios(1.0)) < 1


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


def test_heuristics_are_calibrated() -> None:
    """Ratios do not depend on the unit: a random player loses some percent per move."""
    spec = "expectimax:eval=snake,ply=1"
    judged = list(judge(played("random", 1, most=60), make_player(spec)))
    kept = sum(one.ratio for one in judged) / len(judged)
    assert 0.85 < kept < 0.999
    assert all(0 <= one.ratio <= 1 for one in judged)
    assert unit_of(make_player(spec), Rules()) == "own unit"


# ---- other rules, refusals, and the flag


@pytest.mark.parametrize(("text", "most"), [("3x4 goal=512", 20), ("5x5", 5), ("1x2", 10)])
def test_other_shapes(text: str, most: int) -> None:
    game = played("greedy", 1, Rules.parse(text), most)
    player = make_player(default_judge(game.rules) if text != "5x5" else "greedy")
    assert len(list(judge(game, player))) == game.move_number


@pytest.mark.parametrize(
    ("rules", "spec", "error", "words"),
    [
        ("", "corner", InvalidSpec, r"expected a player that values moves, .* got 'corner'"),
        ("5x4", "ntuple:net=tiny", UnsupportedRules, "5x4"),
    ],
)
def test_players_that_cannot_judge(
    rules: str, spec: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        judge(Game(Rules.parse(rules), seed=0), make_player(spec))


def test_an_impossible_move_of_a_record() -> None:
    board = Board.parse("1000/0000/0000/0000")
    for first, wrong in ((Move.RIGHT, 2), (Move.UP, 1)):
        record = Record(seed=1, board=board, moves=(first, Move.RIGHT))
        with pytest.raises(InvalidRecord, match=f"move {wrong}: expected a legal move"):
            list(judge(record, make_player("ntuple:net=tiny,ply=1")))


def test_a_raised_flag_ends_the_review(greedy_game: Game) -> None:
    for spec in ("ntuple:net=tiny", "expectimax:ply=1"):
        stop = Stop()
        found = judge(greedy_game, make_player(spec), stop=stop)
        assert next(found).move_number == 0
        stop.raise_flag()
        assert list(found) == []


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


def test_a_judge_with_tables_gets_no_note() -> None:
    played, plain = "ntuple:ply=3,tables=442-512", "ntuple:ply=3"
    found = [tables_note(played, f"{plain},tables=none"), tables_note(played, plain)]
    assert found == [tables_note(f"me + {played}", plain)] * 2
    assert "tables build default" in found[0]
    assert tables_note(played, f"{plain},tables=443-512") == ""
    assert tables_note("ntuple:tables=none", plain) == ""


@pytest.fixture(scope="module")
def long_game() -> Game:
    return played("expectimax:eval=rows,ply=1", most=2_000)


@pytest.mark.parametrize("as_record", [False, True])
def test_each_phase_ends_with_the_move_that_makes_its_tile(
    long_game: Game, as_record: bool
) -> None:
    game, found = long_game, phases(Record.from_game(long_game) if as_record else long_game)
    tiles = [game.start_board.max_tile, *(step.board.max_tile for step in game.steps)]
    assert (found[0].start, found[-1].end) == (0, game.move_number)
    assert len(found) <= MOST_TILES + 1
    for one, following in pairwise(found):
        assert one.end == following.start
        assert one.before == following.after >= LEAST_TILE
        assert max(tiles[: one.end + 1]) == one.before > max(tiles[: one.end])


def test_forced_moves_change_no_accuracy() -> None:
    moves = [one_of("mistake", 0.9), one_of("best", 1.0)]
    forced = [one_of("best", 1.0, forced=True)] * 50
    assert review(moves).accuracy == review(moves + forced).accuracy
    found = review(forced)
    assert (found.accuracy, found.match_rate, found.goodness_of_fit) == (None, None, None)
    assert found.note == NO_CHOICE
    assert "accuracy        –, there was no choice\nbest moves      –\n" in str(found)


def test_the_judgements_of_each_part_are_reviewed() -> None:
    game = played("expectimax:eval=rows,ply=1", most=200)
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
    ("ratio", "label", "accuracy"),
    [
        (1 - 1e-10, "best", 100),
        (1 - 1e-9, "fine", 100),
        (0.99, "fine", 86.6),
        (0.975, "inaccuracy", 69.7),
        (0.9, "mistake", 22.4),
        (0.8999, "blunder", 22.4),
        (0.75, "blunder", 0),
        (0.5, "blunder", 0),
    ],
)
def test_the_label_and_the_accuracy_of_a_move(ratio: float, label: str, accuracy: float) -> None:
    assert label_of(ratio) == label
    assert move_accuracy(ratio) == pytest.approx(accuracy, abs=0.05)


def test_the_stake_is_what_a_random_move_loses() -> None:
    assert stake_of([1.0, 0.9]) == pytest.approx(5)
    assert [stake_of([1.0, 1.0, 1.0]), stake_of([1.0, 0.1])] == [MIN_STAKE, MAX_STAKE]


def test_the_accuracy_of_a_game_is_between_its_weighted_and_its_harmonic_mean() -> None:
    assert GameAccuracy().percent is None
    assert game_accuracy([(100.0, 0.7)] * 12_345) == 100
    assert game_accuracy([(80.0, 1.0), (80.0, 12.0)]) == pytest.approx(80)
    weighted, harmonic = (100 * 1 + 50 * 3) / 4, 2 / (1 / 100 + 1 / 50)
    assert game_accuracy([(100.0, 1.0), (50.0, 3.0)]) == pytest.approx((weighted + harmonic) / 2)
    assert game_accuracy([(0.0, 1.0)]) == pytest.approx(2.5)  # one blunder does not make all 0
