"""The benchmarks: figures, verdicts, options. Speeds are measured by `scripts/bench` alone."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import __path__ as benchmark_folders
from benchmarks import boards
from twofold import Board, Game, make_player
from twofold.arena.boards import read_boards
from twofold.arena.games import tile_sum
from twofold.players.compiled import CompiledPlayer
from twofold.values.network_file import network_hash

BOARD_SETS = sorted(boards.SETS)

ROOT = Path(__file__).parent.parent


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
