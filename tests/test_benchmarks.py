"""The benchmarks: figures, verdicts, options. Speeds are measured by `scripts/bench` alone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import __path__ as benchmark_folders
from benchmarks import boards
from benchmarks.common import Figure, Report, document, of_interval, of_runs, shown, timings
from twofold import Board, Game, make_player
from twofold.arena.boards import read_boards
from twofold.arena.games import tile_sum
from twofold.arena.stats import Interval
from twofold.players.compiled import CompiledPlayer
from twofold.values.network_file import network_hash

BOARD_SETS = sorted(boards.SETS)

ROOT = Path(__file__).parent.parent


def test_a_figure_is_the_median_with_the_extremes() -> None:
    figure = of_runs("moves", [3.0, 1.0, 2.0], "moves/s")
    assert (figure.value, figure.low, figure.high, figure.target) == (2.0, 1.0, 3.0, "")


@pytest.mark.parametrize(
    ("at_least", "at_most", "target"),
    [
        (40.0, None, ">= 40: met"),
        (60.0, None, ">= 60: missed"),
        (None, 60.0, "<= 60: met"),
        (None, 0.25, "<= 0.25: missed"),
    ],
)
def test_a_target_says_whether_it_is_met(
    at_least: float | None, at_most: float | None, target: str
) -> None:
    figure = of_runs("x", [50.0], "s", at_least=at_least, at_most=at_most)
    assert figure.target == target


def test_a_share_is_shown_in_percent() -> None:
    figure = of_interval("games won", Interval(0.5, 0.25, 0.75), "%", published="20 %")
    assert (figure.value, figure.low, figure.high, figure.target) == (50, 25, 75, "20 %")


def test_numbers_have_three_digits() -> None:
    assert [shown(value) for value in (0.01234, 1.5, 99.94, 1234.6)] == [
        "0.0123",
        "1.5",
        "99.9",
        "1,235",
    ]


def test_the_first_run_is_not_counted() -> None:
    calls: list[int] = []
    assert len(timings(lambda: calls.append(0), 3)) == 3
    assert len(calls) == 4


def test_a_report_is_json() -> None:
    report = Report("title", [Figure("x", 1.0, None, None, "s")], ["a note"])
    assert json.loads(json.dumps(document(report)))["figures"][0]["unit"] == "s"


def test_every_subject_is_offered_and_others_are_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "nothing"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    helpers = {"boards", "common", "cuda_learning", "positions"}
    helpers |= {"__init__", "__main__"}
    modules = {path.stem for folder in benchmark_folders for path in Path(folder).glob("*.py")}
    assert done.returncode == 2
    assert all(name in done.stderr for name in modules - helpers)


# ---- fixed sets of boards


@pytest.mark.parametrize("name", BOARD_SETS)
def test_a_set_of_boards_is_what_its_rule_says(name: str) -> None:
    rule, path = boards.SETS[name], boards.FOLDER / f"{name}.txt"
    found = read_boards(path)
    assert len(found) == boards.COUNT
    assert all(rule.holds(board) for board in found.boards)
    sums = [tile_sum(board) for board in found.boards]
    later = {"24000": 28_000, "24000-deep": 24_832, "16384-deep": 16_640}  # the tile comes last
    assert max(sums) < later.get(name, rule.tile_sum + 4)
    assert f"# {rule},\n" in path.read_text()
    assert f"python -m benchmarks.boards {name} " in path.read_text()


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=[pytest.mark.long] * ("deep" in one)) for one in BOARD_SETS]
)
def test_the_rule_still_gives_the_first_board(name: str) -> None:
    """As long as the network that made the sets is the one that is shipped."""
    text = (boards.FOLDER / f"{name}.txt").read_text()
    if f"(network {network_hash('default')})" not in text:
        return  # the sets stay when the network is replaced
    line = next(line for line in text.splitlines() if not line.startswith("#"))
    board, seed = line.split("  # seed ")
    rule = boards.SETS[name]
    with make_player(rule.player) as player:
        assert isinstance(player, CompiledPlayer)
        assert str(boards.first_board(player, rule, int(seed))) == board


@pytest.mark.parametrize("start", [None, Board.parse("8000/0000/0000/0011")])
def test_the_first_board_is_found_as_by_hand(start: Board | None) -> None:
    rule = boards.Rule(300, (64,), start)
    with make_player("greedy") as player:
        assert isinstance(player, CompiledPlayer)
        for seed in range(1, 30):
            game: Game = rule.game(seed)
            player.start(game.rules, seed)
            while not rule.holds(game.board) and not game.is_finished:
                game.play(player.choose(game.board, move_number=game.move_number))
            expected = game.board if rule.holds(game.board) else None
            assert boards.first_board(player, rule, seed) == expected
