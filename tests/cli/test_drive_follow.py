"""Without a browser: which move explains a board that is seen, and a player asked from a loop."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import closing
from typing import Any

import pytest

from twofold import Board, Budget, Game, Move, Player, Rules, make_player
from twofold.cli._driver import PageFollower, Thinker
from twofold.errors import InvalidBoard, PlayerError
from twofold.games.mover import MoveQuestion

START = Board.parse("1100/0000/0000/0002")


def follower(board: Board = START, score: int | None = 100) -> PageFollower:
    """A follower that has seen a board."""
    made = PageFollower()
    made.begin(board, score)
    return made


@pytest.mark.parametrize(
    ("seen", "found"),
    [
        ("2001/0000/0000/2000", (3, 2)),
        ("2000/0000/0200/2000", (9, 4)),
        ("2000/0000/0000/2000", None),  # the new tile has yet to appear
        ("2003/0000/0000/2000", None),  # no spawn is an 8
        ("2001/1000/0000/2000", None),  # two new tiles
        ("3000/0000/0000/2000", None),  # a tile became another
        ("1000/0000/0000/2000", None),
        ("2x3:000/000", None),
    ],
)
def test_the_new_tile_after_a_slide(seen: str, found: tuple[int, int] | None) -> None:
    assert follower().explain(Move.LEFT, Board.parse(seen)) == found


def test_a_move_is_explained_where_it_is_legal() -> None:
    assert follower().explain(Move.RIGHT, Board.parse("2001/0000/0000/2000")) is None
    still = follower(Board.parse("1000/2000/0000/0000"))
    assert still.explain(Move.LEFT, Board.parse("1000/2000/0000/0001")) is None


def test_the_score_counts_on_from_what_the_page_shows() -> None:
    one = follower()
    one.follow(Board.parse("2001/0000/0000/2000"), None, Move.LEFT)
    assert (one.score, one.made, one.followed) == (104, 1, 0)
    silent = follower(score=None)
    silent.follow(Board.parse("2001/0000/0000/2000"), None, Move.LEFT)
    assert (silent.score, silent.game.score) == (None, 4)


def test_moves_of_others_are_followed_and_leaps_are_breaks() -> None:
    one = follower()
    assert one.follow(Board.parse("2001/0000/0000/2000"), 104) is Move.LEFT
    assert (one.made, one.followed, one.breaks) == (0, 1, 0)
    assert one.follow(Board.parse("1234/0000/0000/0000"), 7) is None
    assert (one.followed, one.breaks, one.score) == (1, 1, 7)
    assert one.board == Board.parse("1234/0000/0000/0000")
    assert one.record(player="", date="", tags={}) is None


def test_a_game_is_followed_from_its_boards_alone() -> None:
    game = Game(Rules.parse("3x3"), seed=4)
    one = PageFollower()
    one.begin(game.board, 0)
    while not game.is_finished:
        game.play(game.legal_moves()[-1])
        one.follow(game.board, None)
    assert (one.followed, one.breaks) == (game.move_number, 0)
    assert (one.score, one.board) == (game.score, game.board)
    record = one.record(player="me", date="2048-01-31", tags={"Page": "here"})
    assert record is not None
    assert record.replay().board == game.board
    assert (record.seed, record.player, record.tags["Page"]) == (None, "me", "here")


def test_the_last_move_may_end_a_game_that_vanishes() -> None:
    full = follower(Board.parse("1213/2131/1213/3450"))
    assert full.may_have_ended(Move.RIGHT)
    assert not follower().may_have_ended(Move.LEFT)
    assert not follower(Board.parse("1000/2000/0000/0000")).may_have_ended(Move.LEFT)


def test_given_rules_hold() -> None:
    strict = PageFollower(Rules.parse("3x3"))
    with pytest.raises(InvalidBoard, match="expected a 3x3 board as in the rules, got 4x4"):
        strict.begin(START, 0)
    eights = PageFollower(Rules.parse("spawn=8:1"))
    eights.begin(START, 0)
    assert eights.explain(Move.LEFT, Board.parse("2003/0000/0000/2000")) == (3, 8)


# ---- a player that is asked from an event loop

BOARD = Board.parse("1100/0000/0000/0002")
QUESTION = MoveQuestion(Rules(), BOARD, 0, 0)


def thinking(
    player: str | Callable[[Rules], Player],
    talk: Callable[[Thinker], Coroutine[Any, Any, Any]],
    budget: Budget | None = None,
) -> Any:
    """The result of a coroutine with a thinker."""
    make = player if callable(player) else lambda _: make_player(player)
    with closing(Thinker(make, budget)) as thinker:
        return asyncio.run(talk(thinker))


def test_it_answers_as_the_player_does() -> None:
    async def talk(thinker: Thinker) -> list[Move]:
        game = Game(seed=3)
        moves = []
        for _ in range(20):
            asked = MoveQuestion(game.rules, game.board, game.score, game.move_number)
            moves.append(await thinker.ask(asked))
            game.play(moves[-1])
        return moves

    game, player = Game(seed=3), make_player("greedy")
    for move in thinking("greedy", talk):
        assert move == player.choose(game.board)
        game.play(move)


def test_it_answers_within_a_budget() -> None:
    async def talk(thinker: Thinker) -> Move:
        return await thinker.ask(QUESTION)

    assert thinking("expectimax:eval=rows,ply=1", talk, Budget(nodes=100)) in BOARD.legal_moves()


def test_the_player_is_made_again_for_other_rules() -> None:
    made: list[Rules] = []

    def make(rules: Rules) -> Player:
        made.append(rules)
        return make_player("greedy")

    async def talk(thinker: Thinker) -> None:
        small = MoveQuestion(Rules.parse("2x2"), Board.parse("2x2:10/01"), None, 0)
        for question in (QUESTION, QUESTION, small, QUESTION):
            await thinker.ask(question)

    thinking(make, talk)
    assert [rules.shape for rules in made] == [(4, 4), (2, 2), (4, 4)]


def test_an_unwanted_answer_is_dropped() -> None:
    gate = threading.Event()

    class Slow(Player):
        def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
            gate.wait(60)
            return board.legal_moves()[move_number]

    async def talk(thinker: Thinker) -> Move:
        first = thinker.ask(QUESTION)
        await asyncio.sleep(0.01)
        second = thinker.ask(MoveQuestion(Rules(), BOARD, None, 1))
        assert first.cancelled()
        thinker.drop()
        assert second.cancelled()
        third = thinker.ask(MoveQuestion(Rules(), BOARD, None, 2))
        gate.set()
        return await third

    assert thinking(lambda _: Slow(), talk) == BOARD.legal_moves()[2]


def test_an_error_of_the_player_is_raised_where_it_is_awaited() -> None:
    class Wrong(Player):
        def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
            return Move.UP

    async def talk(thinker: Thinker) -> None:
        dead_up = MoveQuestion(Rules(), Board.parse("1212/0000/0000/0000"), None, 0)
        with pytest.raises(PlayerError, match="expected a legal move from Wrong"):
            await thinker.ask(dead_up)
        thinker.ask(dead_up)
        await asyncio.sleep(0.05)  # its error is of no interest any more

    thinking(lambda _: Wrong(), talk)


def test_a_player_that_wants_to_end_the_program_has_failed() -> None:
    class Exiting(Player):
        def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
            raise SystemExit(3)

        def close(self) -> None:
            raise RuntimeError("nobody waits any more")

    async def talk(thinker: Thinker) -> None:
        for _ in range(2):  # the thread goes on
            with pytest.raises(PlayerError, match="SystemExit: 3"):
                await thinker.ask(QUESTION)

    thinking(lambda _: Exiting(), talk)


def test_a_player_that_never_answers_does_not_delay_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("twofold.games.mover.CLOSE_SECONDS", 0.05)
    gate = threading.Event()

    class Stuck(Player):
        def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
            gate.wait(600)
            return Move.LEFT

    async def talk(thinker: Thinker) -> None:
        thinker.ask(QUESTION)
        await asyncio.sleep(0.01)

    began = time.monotonic()
    thinking(lambda _: Stuck(), talk)
    assert time.monotonic() - began < 60
    gate.set()
