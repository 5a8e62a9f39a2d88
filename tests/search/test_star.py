"""Star1 prunes chance nodes and makes the same moves."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.twins import positions, small_positions, values_of
from twofold.board import Board
from twofold.errors import InvalidSpec, UnsupportedRules
from twofold.evaluators import EVALUATORS, bounds
from twofold.game import Game
from twofold.kernels.rules import play
from twofold.kernels.rules.bits import tile_sum
from twofold.kernels.search import context as names
from twofold.kernels.search import star1 as star
from twofold.players import canonical, make_player, play_game
from twofold.players.searching import ExpectimaxPlayer
from twofold.rules import Move, Rules
from twofold.search.budget import Budget
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax, prunable

ODD = "eval=rows,lost=-3,empty=-270.7,merges=50,order=0.3,sum=900,sum_power=1.1"
LOOSE = "eval=rows,order=300,order_power=3,empty=0"
EVALS = ["eval=rows", ODD, LOOSE, "eval=snake", "eval=snake,ratio=0.9", "eval=baeldung"]
DISTRIBUTIONS = [
    "spawn=2:1",
    "spawn=4:0.999,32768:0.001",
    "spawn=2:0.2,8:0.3,32:0.5",
    "spawn=2:1,4:2,8:3,16:4,32:5,64:6,128:7,256:8",
]
EDGES = [
    "FEDC/BA98/7654/0000",  # 65520: the spawns may lead to 65,536
    "FEDC/BA98/7654/3210",
    "FEDC/BA98/7600/0000",
    "FF00/1000/0000/0002",  # two of 32768 merge into one
    "F00F/0120/0000/0010",
    "0000/0110/0110/0000",  # all four moves are equal
    "0000/0000/0000/0001",
    "1234/2345/3456/4560",
]  # fmt: skip


def player_of(keys: str, prune: str) -> ExpectimaxPlayer:
    player = make_player(f"expectimax:{keys},prune={prune}")
    assert isinstance(player, ExpectimaxPlayer)
    return player


def check(keys: str, boards: list[Board], rules: Rules | None = None) -> None:
    plain, pruned = player_of(keys, "none"), player_of(keys, "star1")
    for player in (plain, pruned):
        player.start(rules or Rules(*boards[0].shape, start_tiles=1), 0)
    for board in boards:
        assert pruned.choose(board, score=0) is plain.choose(board, score=0), board


@pytest.mark.parametrize("table_mb", [0, 1])
@pytest.mark.parametrize("ply", [1, 2, 3, 4])
@pytest.mark.parametrize("keys", EVALS)
def test_the_move_is_that_without_pruning(keys: str, ply: int, table_mb: int) -> None:
    count, most_empty = (25, 16) if ply < 3 else (10, 10) if ply < 4 else (3, 5)
    boards = [board for board, _ in positions(count, most_empty, seed=ply)]
    boards += small_positions((4, 4), count, largest=15)
    edges = [Board.parse(text) for text in EDGES]
    boards += [board for board in edges if ply < 4 or len(board.empty_cells) <= 6]
    check(f"{keys},ply={ply},table_mb={table_mb}", boards)


@pytest.mark.parametrize("keys", EVALS)
def test_the_move_is_that_without_pruning_five_plies_deep(keys: str) -> None:
    check(f"{keys},ply=5", [board for board, _ in positions(6, 4, seed=5)])


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 3), (1, 4), (2, 2)])
@pytest.mark.parametrize("keys", EVALS)
def test_other_shapes(keys: str, shape: tuple[int, int]) -> None:
    for ply in (3, 4):
        check(f"{keys},ply={ply}", small_positions(shape, 6, largest=11))


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("keys", ["eval=rows", "eval=snake"])
def test_other_spawn_distributions(keys: str, distribution: str) -> None:
    boards = [board for board, _ in positions(20, 4, seed=6)]
    for ply in (3, 4) if distribution.count(":") < 8 else (3,):
        check(f"{keys},ply={ply}", boards[: 20 if ply == 3 else 5], Rules.parse(distribution))


def test_a_depth_that_depends_on_the_board() -> None:
    check("eval=rows,ply=5/4@3/2@6", [board for board, _ in positions(60, 8, seed=8)])


@pytest.mark.parametrize("first", list(Move))
def test_of_equal_values_the_first_in_the_order_wins(first: Move) -> None:
    order = (first, *(move for move in Move if move is not first))
    players = [
        ExpectimaxPlayer(EVALUATORS["snake"], Depth.fixed(3), order=order, prune=prune)
        for prune in (False, True)
    ]
    for text in EDGES:
        moves = {player.choose(Board.parse(text)) for player in players}
        assert len(moves) == 1
        assert moves == {first} or text != "0000/0110/0110/0000"


@pytest.mark.parametrize("table_mb", [0, 1, 4])
@pytest.mark.parametrize("keys", ["eval=rows,ply=4", "eval=snake,ply=4", f"{LOOSE},ply=3"])
def test_whole_games_are_the_same(keys: str, table_mb: int) -> None:
    games = []
    for prune in ("none", "star1"):
        with player_of(f"{keys},table_mb={table_mb}", prune) as player:
            games.append([play_game(player, Rules(3, 3), seed, keep_moves=True) for seed in (1, 2)])
    for one, other in zip(*games, strict=True):
        assert one is not None
        assert other is not None
        assert (one.score, one.letters) == (other.score, other.letters)


@pytest.mark.parametrize("keys", ["eval=rows,ply=4", "eval=snake,ply=3"])
def test_games_on_4x4_are_the_same(keys: str) -> None:
    plain, pruned = player_of(keys, "none"), player_of(keys, "star1")
    for player in (plain, pruned):
        player.start(Rules(), 7)
    game = Game(Rules(), seed=7)
    while game.move_number < 300:
        move = plain.choose(game.board, score=game.score)
        assert pruned.choose(game.board, score=game.score) is move
        game.play(move)


@pytest.mark.parametrize("name", ["rows", "snake"])
def test_fewer_positions_are_visited(name: str) -> None:
    game, boards = Game(Rules(), seed=3), []
    with make_player("expectimax:ply=1") as quick:
        while game.move_number < 300:
            game.play(quick.choose(game.board, score=game.score))
            boards.append(game.board)
    boards = boards[100::20]
    for ply in (4, 5):
        nodes = []
        for prune in ("none", "star1"):
            player = player_of(f"eval={name},ply={ply}", prune)
            for board in boards:
                player.choose(board, score=0)
            nodes.append(player.search.nodes)
        assert nodes[1] < 0.9 * nodes[0]


def ask(search: Expectimax, board: Board) -> int:
    """The move of the search's policy."""
    legal = sum(1 << move for move in board.legal_moves())
    policy, bits = np.uint64(search.policy), np.uint64(board.to_bits())
    return int(play.ask(policy, bits, legal, 0, np.uint64(0), search.context.words))


@pytest.mark.parametrize("name", ["rows", "snake"])
def test_values_are_exact_in_a_table_that_pruning_has_filled(name: str) -> None:
    search = Expectimax(EVALUATORS[name], Rules(), Depth.fixed(4), prune=True)
    for board, _ in positions(20, 5, seed=11):
        ask(search, board)
        fresh = Expectimax(EVALUATORS[name], Rules(), Depth.fixed(4))
        for depth in (4, 3):
            assert values_of(search, board, 0, depth) == values_of(fresh, board, 0, depth)
        ask(search, board)  # and the other way round


@pytest.mark.parametrize("keys", ["eval=rows,ply=4", "eval=snake,ply=3"])
def test_an_analysis_does_not_depend_on_what_was_pruned_before(keys: str) -> None:
    used = player_of(keys, "star1")
    for board, score in positions(10, 5, seed=12):
        move = used.choose(board, score=score)
        found = used.analyse(board, score=score)
        expected = player_of(keys, "none").analyse(board, score=score)
        assert found.moves == expected.moves
        assert (found.nodes, found.line, found.best) == (expected.nodes, expected.line, move)
    limited = used.analyse(board, Budget(nodes=20_000), score=score)
    other = player_of(keys, "none").analyse(board, Budget(nodes=20_000), score=score)
    assert (limited.moves, limited.nodes) == (other.moves, other.nodes)


def test_interrupted_values_are_not_stored() -> None:
    search = Expectimax(EVALUATORS["rows"], Rules(), Depth.fixed(4), prune=True)
    for board, _ in positions(10, 5, seed=13):
        for nodes in (1, 10, 300, 3000):
            search.limit_nodes(nodes)
            ask(search, board)
        search.limit_nodes(None)
        fresh = Expectimax(EVALUATORS["rows"], Rules(), Depth.fixed(4))
        assert ask(search, board) == ask(fresh, board)
        assert values_of(search, board) == values_of(fresh, board)


@pytest.mark.parametrize("distribution", ["spawn=2:0.9,4:0.1", *DISTRIBUTIONS])
@pytest.mark.parametrize("shape", [(4, 4), (3, 3), (2, 2)])
@pytest.mark.parametrize("name", ["rows", "snake", "baeldung"])
def test_no_search_finds_more_than_the_bound(
    name: str, shape: tuple[int, int], distribution: str
) -> None:
    evaluator = EVALUATORS[name]
    rules = replace(Rules.parse(distribution), rows=shape[0], cols=shape[1], start_tiles=1)
    assert evaluator.bounds_for is not None
    upper = evaluator.bounds_for(*shape).with_spawns(3, rules.spawn_exponents, 0.0)
    search = Expectimax(evaluator, rules, Depth.fixed(3))
    for board in small_positions(shape, 20, largest=11):
        half = sum(map(sum, board.tiles)) // 2
        for spawns in range(3 if len(rules.spawn_exponents) < 8 else 2):
            values = values_of(search, board, 0, spawns + 1)
            assert max(values.values()) <= upper[spawns, half]
    assert (upper >= 0).all()  # dead boards


# What does not go together


def test_which_evaluators_can_be_pruned() -> None:
    assert [name for name, one in EVALUATORS.items() if prunable(one)] == [
        "snake", "rows", "baeldung",
    ]  # fmt: skip
    for change in ({"adds_reward": True}, {"at": "state"}, {"needs_score": True}):
        assert not prunable(replace(EVALUATORS["rows"], **change))
    assert not prunable(replace(EVALUATORS["rows"], dead_value=-np.inf))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("cut=0.01", "prune=star1 excludes cut, time, nodes and several threads"),
        ("threads=2", "prune=star1 excludes cut, time, nodes"),
        ("time=1s", "prune=star1 excludes cut, time, nodes"),
        ("nodes=1000", "prune=star1 excludes cut, time, nodes"),
        ("eval=clustering", r"an evaluator with bounds .* \(rows, snake, baeldung\), got eval=clu"),
        ("eval=it3105-snake", "expected an evaluator with bounds"),
    ],
)
def test_options_that_exclude_pruning_are_refused(keys: str, message: str) -> None:
    with pytest.raises(InvalidSpec, match=message) as refused:
        make_player(f"expectimax:{keys},prune=star1")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("rules", ["5x5", "spawn=2:0.9,65536:0.1"])
def test_boards_that_do_not_fit_64_bits_are_refused(rules: str) -> None:
    player = make_player("expectimax:prune=star1")
    message = "expected boards up to 4x4 and spawn tiles up to 32768"
    with pytest.raises(UnsupportedRules, match=message):
        player.start(Rules.parse(rules), 0)


def test_a_spec_says_whether_it_prunes() -> None:
    assert "prune=none" in canonical("expectimax")
    assert "prune=star1" in canonical("expectimax:prune=star1,eval=snake")


def test_bounds_end_where_the_kernel_stops_pruning() -> None:
    assert star.HALVES == bounds.HALVES
    assert star.CONTEXT_WORDS > star.SLACK > star.UPPER > names.OWN
    for text in EDGES:
        board = Board.parse(text)
        assert tile_sum(np.uint64(board.to_bits())) == sum(map(sum, board.tiles))
