"""Losses against optimal play."""

import numpy as np
import pytest

from twofold.errors import UnsupportedRules
from twofold.game.notation import SeedRange
from twofold.games.review import measure_losses
from twofold.players import make_player, play_games
from twofold.players.exact import ExactPlayer
from twofold.tables.exact import ExactTable, solve
from twofold.tables.problem import Problem


@pytest.fixture(scope="module")
def table() -> ExactTable:
    return solve(Problem.parse("2x3"))


def test_losses_are_what_is_missing_in_the_score(table: ExactTable) -> None:
    player = make_player("greedy")
    found = measure_losses(player, table, range(200))
    width = found.mean.half_width
    assert width is not None
    assert 0 < width < found.mean.value
    assert 0 < found.optimal < found.moves
    assert found.worst <= max(found.lost)
    scores = [each.score for each in play_games(player, table.problem.rules, SeedRange(0, 5_000))]
    mean, error = np.mean(scores), np.std(scores) / 5_000**0.5
    missing = table.start_value - float(mean)
    assert abs(missing - found.mean.value) < 3 * (float(error) + width)


def test_it_may_be_stopped_and_other_shapes_are_refused(table: ExactTable) -> None:
    found = measure_losses(make_player("corner"), table, range(100), stop=lambda: True)
    assert len(found.lost) == 1
    with pytest.raises(UnsupportedRules):
        measure_losses(ExactPlayer(solve(Problem.parse("2x2"))), table, [1])
