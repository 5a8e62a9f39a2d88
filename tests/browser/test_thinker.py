"""A player that is asked from an event loop."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import closing
from typing import Any

import pytest

from twofold import Board, Budget, Game, Move, Player, Rules, make_player
from twofold.browser.thinker import Thinker
from twofold.errors import PlayerError
from twofold.play.asked_player import MoveQuestion

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
    monkeypatch.setattr("twofold.play.asked_player.CLOSE_SECONDS", 0.05)
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
