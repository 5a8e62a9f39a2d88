"""What every player must do, run over every player that a spec can name.

A player is legal, repeatable, honest about its values and shapes, used by one thread at a time, and
named by its text.
"""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from tests.players.engines import EXAMPLE_SPEC
from tests.support.positions import boards, score_of
from tests.support.twins import small_positions
from twofold.errors import GameOver, PlayerError, PlayerInUse, UnsupportedRules
from twofold.game.board import Board
from twofold.game.notation import SeedRange
from twofold.game.rules import STANDARD, Move, Rules
from twofold.players import Player, canonical, entries, make_player, play_game
from twofold.players.base import checked_move, typed_spec
from twofold.players.loop import play_games
from twofold.search.budget import Budget

# Reduced depths, so that Python can play whole games; the keys change no rule of the contract.
REDUCED = {
    "expectimax": "expectimax:ply=2",
    "minimax": "minimax:depth=3",
    "alphabeta": "alphabeta:depth=3",
    "datumbox": "datumbox:depth=3",
    "nneonneo": "nneonneo:ply=2",
    "it3105-snake": "it3105-snake:depth=2",
    "it3105-gradient": "it3105-gradient:depth=2,layers=literal",
    "engine": EXAMPLE_SPEC,
}
ELSEWHERE = {"exact"}  # needs a file: tests/players/test_exact.py
RELAY = "ntuple:net=tiny,ply=1,late=700@2"  # some of the boards here are early, some late
SPECS = [REDUCED.get(entry.name, entry.name) for entry in entries() if entry.name not in ELSEWHERE]
SPECS.append(RELAY)
GRIDS = [(Board.from_tiles(grid), score_of(grid)) for grid in boards(12, most_empty=2, seed=80)]
BOARD = Board.parse("1000/0000/0000/0012")
DEAD = [Board.parse(text) for text in ("1212/2121/1212/2121", "gfgf/fgfg/gfgf/fgfg")]
LARGE = [
    (Board.parse(text), None)
    for text in (
        "g000/0000/0000/0001",
        "gfed/9abc/8765/1123",
        "ff00/0000/0001/0012",
        "hh00/0010/0000/0000",
        "zy00/0000/0000/0001",
        "gff0/1234/2345/3456",
    )
]


@pytest.fixture(params=SPECS)
def player(request: pytest.FixtureRequest) -> Player:
    return make_player(request.param)


def test_moves_are_legal_and_analyses_agree_with_them(player: Player) -> None:
    for board, score in [*GRIDS, *LARGE]:
        move, legal = player.choose(board, score=score), board.legal_moves()
        assert type(move) is Move
        assert move in legal
        analysis = player.analyse(board, score=score)
        assert analysis.best is move
        assert (analysis.board, analysis.player) == (board, player.spec)
        assert [each.move for each in analysis.moves] == list(Move)
        for each in analysis.moves:
            assert each.legal == (each.move in legal)
            assert each.reward == (board.slide(each.move).reward if each.legal else 0)
            assert each.legal or each.value is None
        values = [each.value for each in analysis.moves if each.value is not None]
        assert not values or len(values) == len(legal)
        assert analysis.value == (max(values) if values else None)
        assert bool(values) == bool(analysis.unit)
        assert analysis.seconds >= 0


def test_equal_players_do_the_same_and_are_named_by_their_text(player: Player) -> None:
    assert canonical(player.spec) == player.spec
    other = make_player(player.spec)
    for board, score in GRIDS[::-1]:
        other.choose(board, score=score)
    for board, score in GRIDS[:6]:
        assert player.choose(board, score=score) is other.choose(board, score=score)
        found, expected = player.analyse(board, score=score), other.analyse(board, score=score)
        assert found.moves == expected.moves
    rules = Rules.parse("4x4 goal=32 stop=goal")
    games = [play_game(one, rules, 9, keep_moves=True) for one in (player, other, player)]
    assert len({game.letters for game in games if game is not None}) == 1


def test_a_dead_board_raises_game_over(player: Player) -> None:
    for board in DEAD:
        for ask in (player.choose, player.analyse, lambda one: player.analyse(one, Budget(ply=1))):
            with pytest.raises(GameOver, match="no move is legal on"):
                ask(board)


def test_other_shapes_are_played_or_refused_by_name(player: Player) -> None:
    for shape in ((2, 2), (1, 4), (4, 3), (5, 5), (8, 1)):
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


def test_any_budget_gets_an_answer_and_closing_twice_does_no_harm(player: Player) -> None:
    with player as same:
        assert same is player
        for budget in (Budget(ply=1), Budget(nodes=10), Budget(seconds=1e-6)):
            for board, score in GRIDS[:2]:
                found = player.analyse(board, budget, score=score)
                assert found.best in board.legal_moves()
    player.close()


@pytest.mark.parametrize("spec", ["expectimax:ply=2", "alphabeta:depth=3"])
def test_a_player_plays_by_the_rules_of_each_game(spec: str) -> None:
    """Also where they differ in their spawns alone."""
    with make_player(spec) as player, make_player(spec) as fresh:
        assert play_game(player, Rules.parse("3x3"), 1)
        found, expected = (
            play_game(one, Rules.parse("3x3 spawn=16:1"), 1, keep_moves=True)
            for one in (player, fresh)
        )
    assert found is not None
    assert expected is not None
    assert found.letters == expected.letters


# One thread at a time


def uses(player: Player) -> dict[str, Callable[[], object]]:
    """All ways to use the state of a player."""
    return {
        "start": lambda: player.start(STANDARD, 1),
        "choose": lambda: player.choose(BOARD),
        "analyse": lambda: player.analyse(BOARD),
        "stream": lambda: list(player.stream(BOARD)),
        "table_answer": lambda: player.table_answer(BOARD),
        "play_game": lambda: play_game(player, STANDARD, 1),
        "play_games": lambda: list(play_games(player, STANDARD, SeedRange(1, 2))),
    }


@pytest.mark.parametrize("spec", ["ntuple:net=tiny,ply=1", "policy"])
def test_a_second_thread_that_uses_a_player_at_once_is_refused(spec: str) -> None:
    """The first thread is in a game, whose `stop` waits until the others have tried."""
    player, is_playing, is_over = make_player(spec), Event(), Event()
    alone = play_game(player, STANDARD, 7)

    def stop() -> bool:
        is_playing.set()
        assert is_over.wait(60)
        return False

    with ThreadPoolExecutor(1) as pool:
        game = pool.submit(play_game, player, STANDARD, 7, stop=stop)
        assert is_playing.wait(60)
        name = spec.partition(":")[0]
        for use in uses(player).values():
            with pytest.raises(PlayerInUse, match=f"to use {name}.* make one player each"):
                use()
        is_over.set()
        found = game.result()
    assert alone is not None
    assert found is not None
    assert (found.score, found.moves) == (alone.score, alone.moves)


# Players of one's own


class Last(Player):
    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        return board.legal_moves()[-1]


def test_two_lines_are_enough() -> None:
    player = Last()
    assert (player.spec, player.rules, player.seed, player.compiled) == ("Last", STANDARD, 0, False)
    analysis = player.analyse(Board.parse("1000/0000/0000/0000"))
    assert (analysis.best, analysis.player, analysis.unit) == (Move.DOWN, "Last", "")
    assert [(one.value, one.legal) for one in analysis.moves] == [
        (None, False), (None, True), (None, True), (None, False),
    ]  # fmt: skip
    result = play_game(player, Rules.parse("2x3"), 4)
    assert result is not None
    assert result.board.is_over


def test_answers_are_checked() -> None:
    class Cheat(Player):
        def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
            return next(move for move in Move if move not in board.legal_moves())

    player, board = make_player("greedy"), Board.parse("1000/0000/0000/0000")
    assert checked_move(player, board, 1) is Move.RIGHT
    with pytest.raises(PlayerError, match=r"expected a legal move from greedy on 1000/.*, got up"):
        checked_move(player, board, Move.UP)
    for answer in (7, None, "up", -1):
        with pytest.raises(PlayerError, match="expected a Move from greedy, got"):
            checked_move(player, board, answer)
    with pytest.raises(PlayerError, match="expected a legal move from"):
        play_game(Cheat(), Rules.parse("2x2"), 0)
