"""Games inside kernels equal those of the general loop, move for move."""

from dataclasses import replace
from itertools import product

import pytest

from twofold.errors import TileTooLarge
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import Rules
from twofold.game.step import Status
from twofold.players import make_player, play_game
from twofold.players.compiled import CompiledPlayer
from twofold.players.loop import GameResult, KernelGame, _play_by_choose, _Progress

SIMPLE = ["random", "greedy", "corner"]
SEARCHES = [
    "expectimax:eval=rows,ply=1",
    "expectimax:eval=clustering,ply=2",
    "alphabeta:eval=baeldung,depth=2",
    "datumbox:depth=3",
    "it3105-snake:depth=2",
]


def compiled(spec: str, rules: Rules, seed: int) -> CompiledPlayer:
    player = make_player(spec)
    assert isinstance(player, CompiledPlayer)
    player.start(rules, seed)
    return player


def played(spec: str, rules: Rules, seed: int, *, by_kernels: bool) -> GameResult:
    player = make_player(spec)
    player.compiled = by_kernels
    result = play_game(player, rules, seed, keep_moves=True)
    assert result is not None
    return replace(result, seconds=0.0)


RULES = [
    "1x5", "2x2", "2x3", "3x2", "3x3", "3x4", "4x4",
    "5x5 goal=128 stop=goal", "8x8 goal=64 stop=goal",  # else they last for days
    "4x4 spawn=2:1 start=1",
    "3x3 spawn=2:0.5,4:0.5",
    "4x4 spawn=2:0.2,8:0.3,32:0.5 start=5",
    "2x4 spawn=4:1 start=8",
    "4x4 start=16",
    "3x4 spawn=2:1,65536:1",  # does not fit 64 bits: cells from the start
    "4x4 goal=4 stop=goal start=10",
    "4x4 goal=64 stop=goal",
    "4x4 goal=64",
    "5x3 goal=64 stop=goal",
]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "rules"),
    [
        *product(SIMPLE, RULES),
        *product(SEARCHES, ["4x4 goal=128 stop=goal"]),
        *product(SEARCHES[:3], ["2x3 spawn=2:0.5,4:0.5"]),
    ],
)
def test_games_are_those_of_the_general_loop(spec: str, rules: str) -> None:
    for seed in (0, 1, 2**64 - 1) if spec in SIMPLE else (0, 1):
        found, expected = (
            played(spec, Rules.parse(rules), seed, by_kernels=way) for way in (True, False)
        )
        assert found == expected


# From bits to cells in mid-game

TOPS = [
    "0000/0000/1210/ff21",  # corner: down is illegal or waits, left makes 65536
    "0000/0000/0021/effe",
    "ff00/ff00/0000/0000",  # 65536 twice, then 131072
    "edcb/789a/6543/fef2",
]
WITH_AND_WITHOUT_CELLS = [*SIMPLE, "expectimax:eval=rows,ply=1", "alphabeta:eval=rows,depth=1"]


def start(text: str, rules: Rules) -> Game:
    return Game.from_board(Board.parse(text), rules, seed=3, score=1_000_000, move_number=20_000)


def progress(game: Game) -> _Progress:
    """A game in progress whose first tiles were all reached at move 0."""
    return _Progress(game, keep_moves=True, reached=[0] * (game.board.max_exponent + 1))


def finished(player: CompiledPlayer, under_way: _Progress) -> _Progress:
    """The rest of a game by the general loop, without the times of its moves."""
    assert _play_by_choose(player, under_way, None)
    return replace(under_way, letters=["".join(under_way.letters)], times=[])


def kernels_then_choose(spec: str, game: Game, chunk: int) -> tuple[_Progress, bool]:
    """Play by kernels, in chunks, as far as they go, then by the general loop."""
    player = compiled(spec, game.rules, game.seed)
    under_way = progress(game)
    kernel_game = KernelGame(player, game, under_way.reached)
    while kernel_game.can_go_on:
        under_way.letters.append(kernel_game.play(chunk))
    under_way.game, under_way.reached = kernel_game.game(), kernel_game.reached()
    return finished(player, under_way), kernel_game.game().is_finished


def choose_alone(spec: str, game: Game) -> _Progress:
    return finished(compiled(spec, game.rules, game.seed), progress(game))


def assert_same(found: _Progress, expected: _Progress) -> None:
    one, other = found.game, expected.game
    assert (one.board, one.score, one.move_number) == (other.board, other.score, other.move_number)
    assert (found.letters, found.reached) == (expected.letters, expected.reached)


@pytest.mark.promise("R12")
@pytest.mark.parametrize("spec", WITH_AND_WITHOUT_CELLS)
@pytest.mark.parametrize("top", TOPS)
def test_a_tile_past_32768_changes_nothing_for_the_caller(top: str, spec: str) -> None:
    rules = Rules.parse("4x4 goal=262144 stop=goal")
    expected = choose_alone(spec, start(top, rules))
    for chunk in (1, 5, 65_536):
        found, finished_in_kernels = kernels_then_choose(spec, start(top, rules), chunk)
        assert_same(found, expected)
        overflowed = expected.game.board.max_tile > 32768
        assert finished_in_kernels == (spec in SIMPLE or not overflowed)


@pytest.mark.promise("R12")
def test_play_stops_at_a_goal_past_32768() -> None:
    rules = Rules.parse("4x4 goal=65536 stop=goal")
    for spec in ("corner", "expectimax:eval=rows,ply=1"):
        found, _ = kernels_then_choose(spec, start(TOPS[2], rules), 100)
        assert_same(found, choose_alone(spec, start(TOPS[2], rules)))
        assert found.game.board.max_tile == 65536
        assert found.game.status is Status.STOPPED


# Results of a game inside kernels


def test_stop_is_asked_and_abandons_the_game() -> None:
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    assert play_game(make_player("random"), Rules.parse("8x8"), 1, stop=stop) is None
    assert asked >= 4


def test_a_merge_past_the_largest_exponent_is_an_error_in_either_loop() -> None:
    rules = Rules.parse("1x8 spawn=34359738368:1")  # 2^35
    assert rules.spawn_exponents == (35,)
    for compiled_loop in (True, False):
        player = make_player("corner")
        player.compiled = compiled_loop
        with pytest.raises(
            TileTooLarge,
            match="expected exponents up to 35, got a merge of two tiles of exponent 35",
        ):
            play_game(player, rules, 0)
