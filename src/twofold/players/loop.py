"""Plays whole games, inside kernels where a player is compiled."""

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidBoard, InvalidInput, PlayerError, TileTooLarge
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.notation import SeedRange, format_moves, printable
from twofold.game.rules import STANDARD, Rules
from twofold.kernels import play
from twofold.kernels._jit import load
from twofold.kernels._numba import numba
from twofold.kernels.bits import frame
from twofold.kernels.play import spawn_distribution
from twofold.limits import BITS_MAX_EXPONENT, TOO_LARGE_MERGE
from twofold.players.base import Player, assumed_score, checked_move, used
from twofold.players.compiled import CompiledPlayer, fits_bits
from twofold.players.registry import PlayerSpec

_FIRST_CHUNK: Final = 16
_LARGEST_CHUNK: Final = 65_536
"""Maximum moves of a kernel call before `stop` is called again."""

_PATIENCE: Final = 0.05
"""Target seconds of a kernel call: a chunk that took less is doubled, and short games are batched
to last about this long."""

_MOST_TOGETHER: Final = 4_096
"""Maximum games of one kernel call."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """The result of one game.

    Attributes:
        score: points of the moves made.
        moves: number of moves made.
        reached: for each exponent up to the largest, the move number at which the largest
            tile first was 2^exponent or more.
        board: the final board.
        seconds: wall-clock time of the moves, without the player's `start`.
        letters: the moves as letters if they were kept, else empty.
        move_seconds: median and 99th percentile of the time per move; None for kernels.
        start: the given first board; None for a new game.
    """

    seed: int
    score: int
    moves: int
    max_tile: int
    reached: tuple[int, ...]
    board: Board
    seconds: float
    letters: str = ""
    move_seconds: tuple[float, float] | None = field(default=None, compare=False)
    start: Board | None = None

    def game(self, rules: Rules | str = STANDARD) -> Game:
        """The game itself, to be shown, reviewed or saved; `rules` are those of the game.

        Raises InvalidInput if the moves were not kept.
        """
        if len(self.letters) != self.moves:
            raise InvalidInput(
                "expected a result with its moves, got one without: play it with keep_moves=True"
            )
        game = _begun(Rules.of(rules), self.seed, self.start)
        for letter in self.letters:
            game.play(letter)
        return game


def play_game(
    player: Player | str,
    rules: Rules | str = STANDARD,
    seed: int | None = None,
    *,
    board: Board | None = None,
    keep_moves: bool = False,
    stop: Callable[[], bool] | None = None,
) -> GameResult | None:
    """Play one game to its end.

    The result depends only on (player, rules, seed, board), unless the player has a time budget.

    Args:
        player: a player or a spec.
        rules: the rules, as `Rules` or as text.
        seed: seed of the game; None for a random one.
        board: first board; None for a new game. The player gets its `assumed_score` plus the
            points made since.
        keep_moves: True to return the moves.
        stop: called from time to time; True abandons the game.

    Returns:
        The result, or None for an abandoned game.

    Raises:
        InvalidBoard: the board has another shape than the rules.
        InvalidSpec: there is no such player.
        UnsupportedRules: the player cannot play under these rules.
        PlayerError: the player made an illegal move.
    """
    rules = Rules.of(rules)
    if not isinstance(player, Player):  # a spec
        with PlayerSpec.of(player).settled(rules).make() as made:
            return play_game(made, rules, seed, board=board, keep_moves=keep_moves, stop=stop)
    seed = secrets.randbits(64) if seed is None else seed
    if player.compiled:
        load_loops()
    with used(player):
        player.start(rules, seed)  # may load kernels and networks, which is no play
        began = time.perf_counter()
        first = _begun(rules, seed, board)
        progress = _Progress(first, keep_moves, [0] * (first.board.max_exponent + 1))
        if isinstance(player, CompiledPlayer):
            _play_in_kernels(player, progress, stop)
        if not _play_by_choose(player, progress, stop):
            return None
        seconds, game = time.perf_counter() - began, progress.game
        return GameResult(
            seed,
            game.score - first.start_score,
            game.move_number,
            game.board.max_tile,
            tuple(progress.reached),
            game.board,
            seconds,
            "".join(progress.letters),
            _median_and_99th(progress.times),
            board,
        )


def _begun(rules: Rules, seed: int, board: Board | None) -> Game:
    if board is None:
        return Game(rules, seed=seed)
    return Game.from_board(board, rules, seed, score=assumed_score(board))


def play_games(
    player: Player,
    rules: Rules,
    seeds: SeedRange,
    *,
    boards: Sequence[Board] = (),
    keep_moves: bool = False,
    stop: Callable[[], bool] | None = None,
) -> Iterator[GameResult]:
    """Play one game per seed; the arguments and results are those of `play_game`.

    Short games of a compiled player run in batches inside a kernel; the time of a batch is then
    split equally. `boards` is empty or has one board per seed. `stop` ends the iteration.

    Raises:
        InvalidBoard: a board has another shape than the rules.
        UnsupportedRules, PlayerError: as `play_game`, when that game is reached.
        ValueError: `boards` and `seeds` differ in number.
    """
    if boards and len(boards) != seeds.count:
        raise ValueError(f"expected a board for each of {seeds.count} games, got {len(boards)}")
    for board in boards:
        if board.shape != rules.shape:
            raise InvalidBoard(f"expected boards of {rules.rows}x{rules.cols} cells, got {board}")
    first, together = 0, 1
    while first < seeds.count and not (stop is not None and stop()):
        count = min(together, seeds.count - first) if together > 1 else 0
        if count := _on_bits(boards, first, count):
            part, begin = seeds.part(first, first + count), boards[first : first + count]
            load_loops()
            with used(player):
                player.start(rules, part.first)
                assert isinstance(player, CompiledPlayer)
                found = play_many(player, rules, part, boards=begin, keep_moves=keep_moves)
            yield from found
            first += len(found)
            if len(found) == count:
                together = _how_many(found[0].seconds)
                continue
        begun, seed = boards[first] if boards else None, seeds.part(first).first
        result = play_game(player, rules, seed, board=begun, keep_moves=keep_moves, stop=stop)
        if result is None:
            return
        yield result
        first += 1
        # Games of such a player can follow each other after one `start`.
        follow = isinstance(player, CompiledPlayer) and player.policy and player.plays_on
        together = _how_many(result.seconds) if follow and fits_bits(rules) else 1


def _how_many(seconds: float) -> int:
    """Batch size for one kernel call of about `_PATIENCE` seconds."""
    return max(1, min(int(_PATIENCE / max(seconds, 1e-9)), _MOST_TOGETHER))


def _on_bits(boards: Sequence[Board], first: int, count: int) -> int:
    """The number of boards from `first`, at most `count`, before one that does not fit 64 bits."""
    for number, board in enumerate(boards[first : first + count]):
        if board.max_exponent > BITS_MAX_EXPONENT:
            return number
    return count


@dataclass(slots=True)
class _Progress:
    """A game so far; see `GameResult` for the fields, `times` are seconds of moves."""

    game: Game
    keep_moves: bool
    reached: list[int]
    letters: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)


def _median_and_99th(times: list[float]) -> tuple[float, float] | None:
    """Two quantiles; between two values the lower one."""
    if not times:
        return None
    ordered, last = sorted(times), len(times) - 1
    return ordered[last // 2], ordered[last * 99 // 100]


def _play_by_choose(player: Player, progress: _Progress, stop: Callable[[], bool] | None) -> bool:
    """Call the player for each move. False if the game was abandoned."""
    game = progress.game
    while not game.is_finished:
        if stop is not None and stop():
            return False
        began = time.perf_counter()
        answer = player.choose(game.board, score=game.score, move_number=game.move_number)
        progress.times.append(time.perf_counter() - began)
        move = checked_move(player, game.board, answer)
        game.play(move)
        if progress.keep_moves:
            progress.letters.append(move.letter)
        while len(progress.reached) <= game.board.max_exponent:
            progress.reached.append(game.move_number)
    return True


def _play_in_kernels(
    player: CompiledPlayer, progress: _Progress, stop: Callable[[], bool] | None
) -> None:
    """Play in kernels as far as the policies can, or until `stop`; `_play_by_choose` continues."""
    kernel_game = KernelGame(player, progress.game, progress.reached)
    chunk = _FIRST_CHUNK if stop is not None else _LARGEST_CHUNK
    while kernel_game.can_go_on and not (stop is not None and stop()):
        began = time.perf_counter()
        letters = kernel_game.play(chunk)
        if progress.keep_moves:
            progress.letters.append(letters)
        if time.perf_counter() - began < _PATIENCE:
            chunk = min(2 * chunk, _LARGEST_CHUNK)
    progress.game = kernel_game.game()
    progress.reached = kernel_game.reached()


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


def play_many(
    player: CompiledPlayer,
    rules: Rules,
    seeds: SeedRange,
    *,
    boards: Sequence[Board] = (),
    keep_moves: bool = False,
) -> list[GameResult]:
    """Play whole games on 64-bit boards in one kernel call.

    The player must be started under the rules, have a policy and play on. `boards` holds the first
    board of each game, with tiles up to 32768; empty for new games. Returns the games before the
    first that outgrows 64 bits or the `MOST_MOVES` of the call, each with an equal share of the
    time.
    """
    began = time.perf_counter()
    distribution = spawn_distribution(rules.spawn_exponents, rules.spawn_weights)
    context = player.context
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
    moves, ends = (states[:done, word].tolist() for word in (play.MOVE_NUMBER, play.BITS))
    scores = states[:done, play.SCORE] - (starts[:done, 1] if boards else np.uint64(0))
    text = format_moves(letters[: sum(moves)]) if keep_moves else ""
    numbers, places = reached[:done].tolist(), list(accumulate(moves, initial=0))
    seconds, found = (time.perf_counter() - began) / max(done, 1), list[GameResult]()
    for game, (seed, score) in enumerate(zip(seeds.part(0, done), scores.tolist(), strict=True)):
        board = Board.from_bits(ends[game], rules.shape)
        first_moves = tuple(numbers[game][: board.max_exponent + 1])
        own, start = text[places[game] : places[game + 1]], boards[game] if boards else None
        found.append(
            GameResult(
                seed, score, moves[game], board.max_tile, first_moves, board, seconds, own,
                start=start,
            )
        )  # fmt: skip
    return found


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
        letters = np.zeros(limit, dtype=np.uint8)
        words, first = self._words, int(self._state[play.MOVE_NUMBER])
        words[play.LETTERS] = letters.ctypes.data
        with used(self._player):
            if self._on_bits:
                words[play.POLICY_ADDRESS] = self._player.policy
                context = self._player.context
                words[play.POLICY_CONTEXT] = context.ctypes.data
                self._ended = play.play_bits(words, self._state, limit)
            else:
                words[play.POLICY_ADDRESS] = self._player.cells_policy
                self._ended = play.play_cells(words, self._state, self._cells, limit)
        if self._ended == play.OVERFLOW:
            self._cells = np.array(self._board().exponents, dtype=np.uint8)
            self._on_bits = False
            self._ended = play.GOING
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
