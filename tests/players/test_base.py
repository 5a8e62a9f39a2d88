"""Defaults of `Player`, and checks of its answers."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from tests.support.literal import boards, score_of
from twofold.errors import GameOver, PlayerInUse, UnsupportedRules
from twofold.game.board import Board
from twofold.game.notation import SeedRange
from twofold.game.rules import STANDARD, Move, Rules
from twofold.players import Player, make_player, play_game
from twofold.players.base import assumed_score, check_going, move_list
from twofold.players.loop import play_games
from twofold.search.analysis import MoveValue
from twofold.search.budget import Budget


class Last(Player):
    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        return board.legal_moves()[-1]


class OnlySquare(Last):
    spec = "only-square"

    def unsupported(self, rules: Rules) -> str:
        return "" if rules.rows == rules.cols else "expected a square"


def test_ten_lines_are_enough() -> None:
    player = Last()
    assert (player.spec, player.rules, player.seed, player.compiled) == ("Last", STANDARD, 0, False)
    analysis = player.analyse(Board.parse("1000/0000/0000/0000"))
    assert analysis.best is Move.DOWN
    assert [move.value for move in analysis.moves] == [None] * 4
    assert [move.legal for move in analysis.moves] == [False, True, True, False]
    assert (analysis.player, analysis.unit, analysis.depth, analysis.value) == (
        "Last",
        "",
        "",
        None,
    )
    result = play_game(player, Rules.parse("2x3"), 4)
    assert result is not None
    assert result.board.is_over


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


def test_rules_can_be_refused() -> None:
    player = OnlySquare()
    player.start(Rules(3, 3), 7)
    assert (player.rules, player.seed) == (Rules(3, 3), 7)
    with pytest.raises(
        UnsupportedRules, match=r"^expected a square for only-square, got rules 3x4 "
    ):
        player.start(Rules(3, 4), 8)
    assert (player.rules, player.seed) == (Rules(3, 3), 7)
    with pytest.raises(UnsupportedRules):
        play_game(player, Rules(3, 4), 8)


def uses(player: Player) -> dict[str, Callable[[], object]]:
    """All ways to use the state of a player."""
    board = Board.parse("1000/0000/0000/0012")
    return {
        "start": lambda: player.start(STANDARD, 1),
        "choose": lambda: player.choose(board),
        "analyse": lambda: player.analyse(board),
        "stream": lambda: list(player.stream(board)),
        "table_answer": lambda: player.table_answer(board),
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


def test_a_player_of_ones_own_is_refused_to_a_second_thread_too() -> None:
    is_thinking, is_over = Event(), Event()

    class Slow(Last):
        def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
            is_thinking.set()
            assert is_over.wait(60)
            return super().choose(board)

    player = Slow()
    with ThreadPoolExecutor(1) as pool:
        move = pool.submit(player.choose, Board.parse("1000/0000/0000/0012"))
        assert is_thinking.wait(60)
        for name in ("start", "choose", "analyse", "stream", "play_game"):
            with pytest.raises(PlayerInUse, match=r"^expected one thread at a time to use Slow"):
                uses(player)[name]()
        is_over.set()
        assert move.result() in Move


def test_threads_that_take_turns_share_a_player_also_between_two_analyses() -> None:
    player = make_player("expectimax:ply=1")
    analyses = player.stream(Board.parse("1000/0000/0000/0012"), Budget(nodes=2_000))
    next(analyses)
    with ThreadPoolExecutor(1) as pool:
        for use in uses(player).values():
            pool.submit(use).result()
    assert [one.depth for one in analyses]
    for use in uses(player).values():
        use()


def test_an_error_frees_the_player() -> None:
    player = OnlySquare()
    with pytest.raises(UnsupportedRules):
        player.start(Rules(3, 4), 8)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(player.start, Rules(3, 3), 8).result()


def test_a_player_needs_choose() -> None:
    class Nothing(Player):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Nothing()  # type: ignore[abstract]


def test_move_list_marks_legal_moves_and_their_rewards() -> None:
    board = Board.parse("1100/0000/0000/0000")
    moves = move_list(board, {Move.LEFT: MoveValue(2.5, 7)}, depth=3)
    assert [move.move for move in moves] == list(Move)
    assert [move.legal for move in moves] == [False, True, True, True]
    assert [move.reward for move in moves] == [0, 4, 0, 4]
    assert [move.value for move in moves] == [None, None, None, 2.5]
    assert [(move.depth, move.nodes) for move in moves] == [(0, 0), (0, 0), (0, 0), (3, 7)]


def test_check_going() -> None:
    assert check_going(Board.parse("1000/0000/0000/0000")) == (Move.RIGHT, Move.DOWN)
    with pytest.raises(GameOver, match="expected a board with a legal move, got 2x2:12/21"):
        check_going(Board.parse("2x2:12/21"))


def test_the_assumed_score_counts_every_spawn_as_a_two() -> None:
    assert assumed_score(Board.parse("1234/0000/0000/000h")) == 0 + 4 + 16 + 48 + 16 * 2**17
    for grid in boards(50):
        assert assumed_score(Board.from_tiles(grid)) == score_of(grid)
