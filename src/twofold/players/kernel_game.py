"""Games that compiled players play inside kernels: many at once, or one in chunks of moves."""

import time
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.board import Board
from twofold.errors import PlayerError, TileTooLarge
from twofold.game import Game
from twofold.kernels._jit import load
from twofold.kernels._numba import numba
from twofold.kernels.rules import play
from twofold.kernels.rules.dice import spawn_distribution
from twofold.kernels.rules.row_tables import frame
from twofold.limits import BITS_MAX_EXPONENT, TOO_LARGE_MERGE
from twofold.notation import format_moves, printable
from twofold.players.base import assumed_score, used
from twofold.players.compiled import CompiledPlayer, fits_bits
from twofold.players.loop import GameResult
from twofold.rules import Rules
from twofold.seeds import SeedRange

Words = NDArray[np.uint64]

_NEVER = 255

MOST_MOVES: Final = 1 << 22
"""Maximum moves of all games of one call."""


def load_loops() -> None:
    """Load the kernels that play games, so that the time of no game includes it."""
    load(play.play_bits, play.play_cells, play.play_many)
    typeof: Any = numba.typeof
    typeof(np.zeros(0, dtype=np.uint64))  # the first array imports numpy.ma, 0.05 s


def game_words(rules: Rules, distribution: Words) -> Words:
    """The words of a game; the caller sets seed, policy and REACHED, and keeps it alive."""
    words = np.zeros(play.GAME_WORDS, dtype=np.uint64)
    words[play.START_TILES] = rules.start_tiles
    words[play.STOP_EXPONENT] = rules.goal.bit_length() - 1 if rules.stop_at_goal else _NEVER
    words[play.DISTRIBUTION] = distribution.ctypes.data
    words[play.ROWS], words[play.COLS] = rules.shape
    if fits_bits(rules):
        shape = frame(*rules.shape)
        words[play.ACROSS] = shape.across.ctypes.data
        words[play.DOWN] = shape.down.ctypes.data
        words[play.MASK] = shape.mask
    return words


def can_play_many(player: CompiledPlayer, rules: Rules) -> bool:
    """True if many games of this player can run in one kernel call after one `start`."""
    return bool(player.policy) and fits_bits(rules) and player.plays_on


def play_many(
    player: CompiledPlayer,
    rules: Rules,
    seeds: SeedRange,
    *,
    boards: Sequence[Board] = (),
    keep_moves: bool = False,
) -> list[GameResult]:
    """Play whole games on 64-bit boards in one kernel call, see `can_play_many`.

    The player must be started under the rules. `boards` holds the first board of each game, with
    tiles up to 32768; empty for new games. Returns the games before the first that outgrows 64 bits
    or the `MOST_MOVES` of the call, each with an equal share of the time.
    """
    began = time.perf_counter()
    distribution, context = (
        spawn_distribution(rules.spawn_exponents, rules.spawn_weights),
        player.context,
    )
    reached = np.zeros((seeds.count, play.REACHED_SIZE), dtype=np.uint64)
    states = np.zeros((seeds.count, play.STATE_WORDS), dtype=np.uint64)
    letters = np.empty(MOST_MOVES if keep_moves else 0, dtype=np.uint8)
    words = game_words(rules, distribution)
    words[play.REACHED] = reached.ctypes.data
    words[play.LETTERS] = letters.ctypes.data if keep_moves else 0
    words[play.POLICY_ADDRESS] = player.policy
    words[play.POLICY_CONTEXT] = context.ctypes.data
    first_words = [(board.to_bits(), assumed_score(board)) for board in boards]
    starts = np.array(first_words, dtype=np.uint64).reshape(-1, 2)
    words[play.STARTS] = starts.ctypes.data if boards else 0
    done = play.play_many(words, np.uint64(seeds.first), states, MOST_MOVES)
    moves = states[:done, play.MOVE_NUMBER].tolist()
    texts = [""] * done
    if keep_moves:
        text = format_moves(letters[: sum(moves)])
        texts = [text[first:end] for first, end in pairwise(accumulate(moves, initial=0))]
    scores = states[:done, play.SCORE]
    if boards:
        scores = scores - starts[:done, 1]
    numbers = reached[:done].tolist()
    ended = [Board.from_bits(bits, rules.shape) for bits in states[:done, play.BITS].tolist()]
    begun: Sequence[Board | None] = boards[:done] or [None] * done
    seconds = (time.perf_counter() - began) / max(done, 1)
    return [
        GameResult(
            seed,
            score,
            made,
            board.max_tile,
            tuple(first[: board.max_exponent + 1]),
            board,
            seconds,
            text,
            start=start,
        )
        for seed, score, made, board, first, text, start in zip(
            seeds.part(0, done), scores.tolist(), moves, ended, numbers, texts, begun, strict=True
        )
    ]


class KernelGame:
    """A game on 64-bit boards that changes to cells at the first tile above 32768.

    It starts from `game`, with a player started for it; `reached` holds the move numbers at which
    each exponent was first reached.
    """

    def __init__(self, player: CompiledPlayer, game: Game, reached: Sequence[int]) -> None:
        self._player = player
        self._rules, self._seed = game.rules, game.seed
        self._reached = np.zeros(play.REACHED_SIZE, dtype=np.uint64)
        self._reached[: len(reached)] = reached
        self._distribution = spawn_distribution(
            self._rules.spawn_exponents, self._rules.spawn_weights
        )
        self._cells = np.array(game.board.exponents, dtype=np.uint8)
        self._state = np.zeros(play.STATE_WORDS, dtype=np.uint64)
        self._state[play.SCORE] = game.score
        self._state[play.MOVE_NUMBER] = game.move_number
        self._state[play.MAX_EXPONENT] = game.board.max_exponent
        self._on_bits = bool(player.policy) and fits_bits(self._rules)
        self._on_bits &= game.board.max_exponent <= BITS_MAX_EXPONENT
        if self._on_bits:
            self._state[play.BITS] = game.board.to_bits()
        self._words = game_words(self._rules, self._distribution)
        self._words[play.SEED] = self._seed
        self._words[play.REACHED] = self._reached.ctypes.data
        self._ended = play.GOING

    @property
    def can_go_on(self) -> bool:
        """True if the game is not over and a policy can play on."""
        return self._ended == play.GOING and bool(self._on_bits or self._player.cells_policy)

    def play(self, limit: int) -> str:
        """Play at most `limit` moves. Returns them as letters.

        Raises:
            PlayerError: the policy chose an illegal move.
            TileTooLarge: a merge would exceed the largest exponent.
        """
        with used(self._player):
            return self._play(limit)

    def _play(self, limit: int) -> str:
        letters = np.zeros(limit, dtype=np.uint8)
        words, first = self._words, int(self._state[play.MOVE_NUMBER])
        words[play.LETTERS] = letters.ctypes.data
        if self._on_bits:
            words[play.POLICY_ADDRESS] = self._player.policy
            context = self._player.context
            words[play.POLICY_CONTEXT] = context.ctypes.data
            self._ended = play.play_bits(words, self._state, limit)
            if self._ended == play.OVERFLOW:
                self._cells = np.array(self._board().exponents, dtype=np.uint8)
                self._on_bits = False
                self._ended = play.GOING
        else:
            words[play.POLICY_ADDRESS] = self._player.cells_policy
            self._ended = play.play_cells(words, self._state, self._cells, limit)
        if self._ended == play.ILLEGAL:
            board = self._board()
            board.legal_moves()  # raises TileTooLarge where no player can move
            raise PlayerError(
                f"expected a legal move from {printable(self._player.spec)} on {board}, "
                "got an illegal one"
            )
        if self._ended == play.TOO_LARGE:
            raise TileTooLarge(TOO_LARGE_MERGE)
        made = int(self._state[play.MOVE_NUMBER]) - first
        return format_moves(letters[:made])

    def _board(self) -> Board:
        if self._on_bits:
            return Board.from_bits(int(self._state[play.BITS]), self._rules.shape)
        return Board(self._cells.tolist(), self._rules.shape)

    def game(self) -> Game:
        """The current position as a game without its moves."""
        return Game.from_board(
            self._board(),
            self._rules,
            self._seed,
            score=int(self._state[play.SCORE]),
            move_number=int(self._state[play.MOVE_NUMBER]),
        )

    def reached(self) -> list[int]:
        """For each exponent up to the largest, the move number at which it was first reached."""
        return [int(number) for number in self._reached[: int(self._state[play.MAX_EXPONENT]) + 1]]
