"""What every player must do, run over every player that a spec can name."""

import re

import pytest

from tests.players.engines import EXAMPLE_SPEC
from tests.support.literal import boards, score_of
from tests.support.twins import small_positions
from twofold.errors import GameOver, UnsupportedRules
from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.players import Player, canonical, entries, make_player, play_game
from twofold.players.base import typed_spec
from twofold.search.budget import Budget

# Reduced depths, so that Python can play whole games; the keys change no rule of the contract.
REDUCED = {
    "expectimax": "expectimax:ply=2",
    "minimax": "minimax:depth=3",
    "alphabeta": "alphabeta:depth=3",
    "datumbox": "datumbox:depth=3",
    "it3105-snake": "it3105-snake:depth=2",
    "it3105-gradient": "it3105-gradient:depth=2,layers=literal",
    "engine": EXAMPLE_SPEC,
}
ELSEWHERE = {"exact"}  # needs a file: tests/players/test_exact.py
RELAY = "ntuple:net=tiny,ply=1,late=700@2"  # some of the boards here are early, some late
SPECS = [REDUCED.get(entry.name, entry.name) for entry in entries() if entry.name not in ELSEWHERE]
SPECS.append(RELAY)
GRIDS = [(Board.from_tiles(grid), score_of(grid)) for grid in boards(20, most_empty=2, seed=80)]
DEAD = Board.parse("1212/2121/1212/2121")
LARGE = [
    Board.parse(text)
    for text in (
        "g000/0000/0000/0001",
        "gfed/9abc/8765/1123",
        "ff00/0000/0001/0012",
        "hgfe/9abc/8765/4321",  # dead
        "hh00/0010/0000/0000",
        "zy00/0000/0000/0001",
        "gff0/1234/2345/3456",
    )
]


@pytest.fixture(params=SPECS)
def player(request: pytest.FixtureRequest) -> Player:
    return make_player(request.param)


def test_moves_are_legal_and_analyses_agree_with_them(player: Player) -> None:
    for board, score in GRIDS:
        move = player.choose(board, score=score)
        assert type(move) is Move
        assert move in board.legal_moves()
        analysis = player.analyse(board, score=score)
        assert analysis.best is move
        assert (analysis.board, analysis.player) == (board, player.spec)
        assert [each.move for each in analysis.moves] == list(Move)
        for each in analysis.moves:
            assert each.legal == (each.move in board.legal_moves())
            assert each.reward == (board.slide(each.move).reward if each.legal else 0)
            assert each.legal or each.value is None
        values = [each.value for each in analysis.moves if each.value is not None]
        assert not values or len(values) == len(board.legal_moves())
        assert analysis.value == (max(values) if values else None)
        assert bool(values) == bool(analysis.unit)
        assert analysis.seconds >= 0


def test_equal_players_do_the_same(player: Player) -> None:
    other = make_player(player.spec)
    for board, score in GRIDS[::-1]:
        other.choose(board, score=score)
    for board, score in GRIDS[:8]:
        assert player.choose(board, score=score) is other.choose(board, score=score)
        found, expected = player.analyse(board, score=score), other.analyse(board, score=score)
        assert found.moves == expected.moves
    rules = Rules.parse("4x4 goal=32 stop=goal")
    games = [play_game(one, rules, 9, keep_moves=True) for one in (player, other, player)]
    assert len({game.letters for game in games if game is not None}) == 1


def test_a_dead_board_raises_game_over(player: Player) -> None:
    for board in (DEAD, Board.parse("gfgf/fgfg/gfgf/fgfg")):
        with pytest.raises(GameOver, match="expected a board with a legal move"):
            player.choose(board)
        with pytest.raises(GameOver, match="expected a board with a legal move"):
            player.analyse(board)
        with pytest.raises(GameOver):
            player.analyse(board, Budget(nodes=100))


def test_large_tiles_are_played(player: Player) -> None:
    for board in LARGE:
        if board.is_over:
            with pytest.raises(GameOver):
                player.choose(board)
            continue
        assert player.choose(board) in board.legal_moves()
        analysis = player.analyse(board)
        assert analysis.best in board.legal_moves()
        assert analysis.board == board
        assert all(each.legal == (each.move in board.legal_moves()) for each in analysis.moves)


def test_other_shapes_are_played_or_refused_by_name(player: Player) -> None:
    for shape in ((2, 2), (1, 4), (3, 3), (4, 3), (5, 5), (8, 1)):
        board = small_positions(shape, 1, largest=3)[0]
        reason = player.unsupported(Rules(*shape))
        if reason:
            assert reason.startswith("expected ")
            message = re.escape(f"{reason} for {typed_spec(player)}, got rules {Rules(*shape)}")
            with pytest.raises(UnsupportedRules, match=f"^{message}$"):
                player.start(Rules(*shape), 1)
            with pytest.raises(UnsupportedRules, match=f"^{message}$"):
                player.choose(board)
        else:
            assert player.choose(board) in board.legal_moves()
            assert player.analyse(board).best in board.legal_moves()
            player.start(Rules(*shape), 1)
            assert (player.rules, player.seed) == (Rules(*shape), 1)
    player.start(Rules(), 2)  # what was refused leaves nothing behind
    board, score = GRIDS[0]
    assert player.choose(board, score=score) in board.legal_moves()


@pytest.mark.parametrize("budget", [Budget(ply=1), Budget(nodes=10), Budget(seconds=1e-6)])
def test_any_budget_gets_an_answer(player: Player, budget: Budget) -> None:
    for board, score in GRIDS[:3]:
        assert player.analyse(board, budget, score=score).best in board.legal_moves()


def test_a_player_is_a_context_manager(player: Player) -> None:
    with player as same:
        assert same is player
    player.close()  # twice does no harm


def test_canonical_specs_of_the_reduced_players() -> None:
    assert (
        len({canonical(spec) for spec in SPECS})
        == len(SPECS)
        == len(entries()) - len(ELSEWHERE) + 1
    )
