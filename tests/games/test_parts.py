"""Parts of a review: by phase, and by who made the moves."""

from itertools import pairwise

import pytest

from twofold import Game, Record, make_player
from twofold.games.review import LEAST_TILE, MOST_TILES, by_maker, by_phase, judge, phases, review


def played(moves: int, seed: int = 1) -> Game:
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
    game = played(2_000)
    found = phases(Record.from_game(game) if as_record else game)
    assert found[0].start == 0
    assert found[-1].end == game.move_number
    assert len(found) <= MOST_TILES + 1
    for one, following in pairwise(found):
        assert one.end == following.start
        assert one.before == following.after >= LEAST_TILE
        assert largest_before(game, one.end) == one.before > largest_before(game, one.end - 1)


def test_the_judgements_of_each_part_are_reviewed() -> None:
    game = played(200)
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
