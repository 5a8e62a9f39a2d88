"""Games in batches equal games played one at a time."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from twofold import Board, Game, Move, Rules, make_player
from twofold.errors import InvalidBoard, InvalidInput, PlayerError
from twofold.game.notation import SeedRange
from twofold.players import Player, loop, play_game, play_games
from twofold.players.base import assumed_score
from twofold.players.compiled import CompiledPlayer, RandomPlayer
from twofold.players.loop import GameResult

LARGE = Rules(2, 3, ((2, 0.5), (32768, 0.5)))
"""Rules under which games soon outgrow 64 bits."""


def plain(results: Sequence[GameResult | None]) -> list[Any]:
    return [replace(one, seconds=0.0, move_seconds=None) for one in results if one]


def both(spec: str, rules: Rules, seeds: SeedRange) -> tuple[list[Any], list[Any]]:
    """Games with their moves, one at a time and in batches."""
    with make_player(spec) as player:
        alone = [play_game(player, rules, seed, keep_moves=True) for seed in seeds]
        return plain(alone), plain(list(play_games(player, rules, seeds, keep_moves=True)))


@pytest.mark.parametrize(
    ("spec", "rules"),
    [
        ("random", Rules()),
        ("greedy", Rules.parse("goal=64 stop=goal")),
        ("corner", Rules.parse("3x4 start=5")),
        ("expectimax:ply=3,cut=0.05", Rules.parse("2x3")),
        ("expectimax:ply=2,threads=2", Rules.parse("2x3")),
        ("alphabeta:depth=3", Rules.parse("2x3")),
        ("ntuple:net=tiny", Rules.parse("goal=128 stop=goal")),
        ("ntuple:net=tiny,ply=2", Rules.parse("goal=32 stop=goal")),
        ("random", LARGE),
        ("corner", Rules(5, 2)),
    ],
)
def test_play_games_equals_play_game(spec: str, rules: Rules) -> None:
    alone, together = both(spec, rules, SeedRange(0, 5))
    assert alone == together
    assert len(together) == 5
    assert all(len(one.letters) == one.moves for one in together)


BOARDS = [
    Board.parse("dcba/6789/4321/0120"),
    Board.parse("1234/5678/1234/5611"),
    Board.parse("g123/0000/0000/0000"),  # 65536 does not fit 64 bits
    Board.parse("ff23/0000/0000/0000"),  # leaves them
    Board.parse("1000/0000/0000/0001"),
]


def by_hand(player: Player, rules: Rules, seed: int, board: Board) -> tuple[str, int, Board]:
    """A game from a board, played without the loops under test: moves, points, last board."""
    player.start(rules, seed)
    score = before = assumed_score(board)
    game = Game.from_board(board, rules, seed, score=score)
    letters = ""
    while not game.is_finished:
        move = player.choose(game.board, score=score, move_number=len(letters))
        score += game.play(move).reward
        letters += move.letter
    return letters, score - before, game.board


@pytest.mark.parametrize("spec", ["random", "greedy", "corner", "expectimax:ply=1"])
@pytest.mark.parametrize("rules", [Rules(), Rules.parse("goal=8192 stop=goal start=5")])
def test_games_go_on_from_boards(spec: str, rules: Rules) -> None:
    count = 5 if spec.startswith("expectimax") else 20
    boards = [BOARDS[number % len(BOARDS)] for number in range(count)]
    with make_player(spec) as player:
        seeds = SeedRange(0, count)
        together = list(play_games(player, rules, seeds, boards=boards, keep_moves=True))
        for seed, (board, one) in enumerate(zip(boards, together, strict=True)):
            alone = play_game(player, rules, seed, board=board, keep_moves=True)
            assert plain([one]) == plain([alone])
            assert (one.letters, one.score, one.board) == by_hand(player, rules, seed, board)
    assert [one.start for one in together] == boards
    assert all(one.moves == len(one.letters) for one in together)
    for one, board in zip(together, boards, strict=True):
        assert one.reached[: board.max_exponent + 1] == (0,) * (board.max_exponent + 1)
        assert len(one.reached) == one.board.max_exponent + 1


@pytest.mark.parametrize(
    ("boards", "kind", "words"),
    [
        (BOARDS[:2], ValueError, "expected a board for each of 3 games, got 2"),
        ([Board.empty((3, 4))] * 3, InvalidBoard, "expected boards of 4x4 cells, got 3x4:"),
    ],
)
def test_boards_fit_the_games(boards: Any, kind: type[Exception], words: str) -> None:
    with make_player("random") as player, pytest.raises(kind, match=words):
        list(play_games(player, Rules(), SeedRange(0, 3), boards=boards))


@pytest.mark.parametrize("most", [1, 150, 1_000])
def test_moves_that_do_not_fit_into_one_call_go_into_the_next(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "MOST_MOVES", most)
    alone, together = both("random", Rules(), SeedRange(0, 60))
    assert alone == together


def test_a_player_that_starts_in_its_own_way_is_started_for_each_game() -> None:
    class Counts(RandomPlayer):
        started = 0

        def start(self, rules: Rules, seed: int) -> None:
            Counts.started += 1
            super().start(rules, seed)

    assert issubclass(Counts, CompiledPlayer)
    assert len(list(play_games(Counts(), Rules(), SeedRange(0, 40)))) == 40
    assert Counts.started == 40


class FailsLater(Player):
    """Plays three games, then makes an illegal move."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        legal = board.legal_moves()
        illegal = [move for move in Move if move not in legal]
        return illegal[0] if self.seed == 3 and illegal else legal[0]


def test_an_error_is_raised_when_its_game_is_reached() -> None:
    games = play_games(FailsLater(), Rules(2, 2), SeedRange(0, 10))
    for seed in range(3):
        game = next(games)
        assert (game.seed, game.move_seconds is None) == (seed, False)
        median, most = game.move_seconds or (0.0, 0.0)
        assert 0 < median <= most <= game.seconds
    with pytest.raises(PlayerError):
        next(games)


@pytest.mark.parametrize("start", [None, "0000/0000/0012/0347"])
def test_a_result_gives_its_game(start: str | None) -> None:
    board = None if start is None else Board.parse(start)
    result = play_game("greedy", seed=3, board=board, keep_moves=True)
    assert result is not None
    game = result.game()
    assert (game.board, game.move_number) == (result.board, result.moves)
    assert game.score - game.start_score == result.score
    assert game.is_finished
    without = play_game("greedy", seed=3)
    assert without is not None
    with pytest.raises(InvalidInput, match="play it with keep_moves=True"):
        without.game()
