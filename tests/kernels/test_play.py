"""Games inside kernels equal those of the general loop, move for move."""

from dataclasses import replace
from itertools import product

import pytest

from twofold.errors import TileTooLarge
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.limits import TOO_LARGE_MERGE
from twofold.players import loop, make_player, play_game
from twofold.players.loop import GameResult

SIMPLE = ["random", "greedy", "corner"]
SEARCHES = [
    "expectimax:eval=rows,ply=1",
    "expectimax:eval=clustering,ply=2",
    "alphabeta:eval=baeldung,depth=2",
    "datumbox:depth=3",
    "it3105-snake:depth=2",
]


def played(
    spec: str, rules: Rules, seed: int, board: Board | None = None, *, by_kernels: bool
) -> GameResult:
    with pytest.MonkeyPatch.context() as patch:
        if not by_kernels:
            patch.setattr(loop, "_play_in_kernels", lambda *_: None)
        result = play_game(make_player(spec), rules, seed, board=board, keep_moves=True)
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


@pytest.mark.promise("R12")
@pytest.mark.parametrize("goal", [65_536, 262_144])
@pytest.mark.parametrize("spec", WITH_AND_WITHOUT_CELLS)
@pytest.mark.parametrize("top", TOPS)
def test_a_tile_past_32768_changes_nothing_for_the_caller(
    top: str, spec: str, goal: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the number of moves in a kernel call; play stops at the goal."""
    rules, board = Rules.parse(f"4x4 goal={goal} stop=goal"), Board.parse(top)
    expected = played(spec, rules, 3, board, by_kernels=False)
    assert expected.max_tile >= 32_768
    for chunk in (1, 5, 65_536):
        monkeypatch.setattr(loop, "_LARGEST_CHUNK", chunk)
        assert played(spec, rules, 3, board, by_kernels=True) == expected


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
    for by_kernels in (True, False):
        with pytest.raises(TileTooLarge, match=TOO_LARGE_MERGE):
            played("corner", rules, 0, by_kernels=by_kernels)
