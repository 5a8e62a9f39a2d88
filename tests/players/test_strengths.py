"""Each strength is a plain player on every shape, and one of them is the default."""

import pytest

from twofold.errors import InvalidSpec
from twofold.game.board import Board
from twofold.game.notation import parse_spec
from twofold.game.rules import Rules
from twofold.players import make_player, settled, short_spec
from twofold.players.presets import STRENGTHS
from twofold.players.registry import default_player


@pytest.mark.parametrize("rules", ["2x2", "", "5x5", "1x8", "8x8"])
def test_the_default_player_plays_every_shape(rules: str) -> None:
    used = Rules.parse(rules)
    with make_player(default_player(used)) as player:
        player.start(used, 1)
        board = Board.from_tiles([[2] * used.cols] * used.rows)
        assert player.choose(board) in board.legal_moves()


@pytest.mark.parametrize("shape", [(4, 4), (3, 3), (5, 5)])
@pytest.mark.parametrize("name", STRENGTHS)
def test_a_strength_is_a_plain_player_for_each_shape(name: str, shape: tuple[int, int]) -> None:
    rules = Rules(rows=shape[0], cols=shape[1])
    plain = settled(name, rules)
    assert parse_spec(plain).name in ("ntuple", "expectimax")
    assert settled(plain, rules) == plain
    assert make_player(plain).unsupported(rules) == ""


def test_keys_of_a_strength_replace_its_own() -> None:
    assert settled("normal:threads=2,ply=1") == "ntuple:ply=1,threads=2"
    assert settled("fast:time=20ms") == "ntuple:time=20ms"
    assert settled("fast:nodes=1000") == "ntuple:nodes=1000"
    assert make_player("fast").spec == make_player("ntuple:ply=1").spec
    assert short_spec("strong") == "ntuple:ply=3"
    with pytest.raises(InvalidSpec, match="did you mean strong"):
        make_player("strnog")
