"""Plays whole games."""

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from twofold.board import Board
from twofold.errors import InvalidBoard, InvalidInput
from twofold.game import Game
from twofold.limits import BITS_MAX_EXPONENT
from twofold.players.base import Player, assumed_score, checked_move, used
from twofold.players.registry import make_player, settled
from twofold.rules import STANDARD, Rules
from twofold.seeds import SeedRange

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
        with make_player(settled(player, rules)) as made:
            return play_game(made, rules, seed, board=board, keep_moves=keep_moves, stop=stop)
    seed = secrets.randbits(64) if seed is None else seed
    if player.compiled:
        _load_loops()
    with used(player):
        player.start(rules, seed)  # may load kernels and networks, which is no play
        began = time.perf_counter()
        progress = _Progress(_begun(rules, seed, board), keep_moves, board)
        if player.compiled:
            _play_in_kernels(player, progress, stop)
        if not _play_by_choose(player, progress, stop):
            return None
        return progress.result(time.perf_counter() - began)


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
    _check_boards(boards, rules, seeds.count)
    first, together = 0, 1
    while first < seeds.count and not (stop is not None and stop()):
        count = min(together, seeds.count - first) if together > 1 else 0
        if count := _on_bits(boards, first, count):
            part, begin = seeds.part(first, first + count), boards[first : first + count]
            found = _play_together(player, rules, part, begin, keep_moves)
            yield from found
            first += len(found)
            if len(found) == count:
                together = _how_many(found[0].seconds)
                continue
        board, seed = boards[first] if boards else None, seeds.part(first).first
        result = play_game(player, rules, seed, board=board, keep_moves=keep_moves, stop=stop)
        if result is None:
            return
        yield result
        first += 1
        together = _how_many(result.seconds) if _is_simple(player, rules) else 1


def _load_loops() -> None:
    from twofold.players.kernel_game import load_loops

    load_loops()


def _check_boards(boards: Sequence[Board], rules: Rules, games: int) -> None:
    if boards and len(boards) != games:
        raise ValueError(f"expected a board for each of {games} games, got {len(boards)}")
    for board in boards:
        if board.shape != rules.shape:
            raise InvalidBoard(f"expected boards of {rules.rows}x{rules.cols} cells, got {board}")


def _how_many(seconds: float) -> int:
    """Batch size for one kernel call of about `_PATIENCE` seconds."""
    return max(1, min(int(_PATIENCE / max(seconds, 1e-9)), _MOST_TOGETHER))


def _is_simple(player: Player, rules: Rules) -> bool:
    """True if games of this player can be batched in a kernel."""
    if not player.compiled:
        return False
    from twofold.players.compiled import CompiledPlayer  # loads kernels
    from twofold.players.kernel_game import can_play_many

    return isinstance(player, CompiledPlayer) and can_play_many(player, rules)


def _on_bits(boards: Sequence[Board], first: int, count: int) -> int:
    """The number of boards from `first`, at most `count`, before one that does not fit 64 bits."""
    for number, board in enumerate(boards[first : first + count]):
        if board.max_exponent > BITS_MAX_EXPONENT:
            return number
    return count


def _play_together(
    player: Any, rules: Rules, seeds: SeedRange, boards: Sequence[Board], keep_moves: bool
) -> list[GameResult]:
    """Play a batch, up to the first game that outgrows 64 bits."""
    from twofold.players.kernel_game import play_many

    _load_loops()
    with used(player):
        player.start(rules, seeds.first)
        return play_many(player, rules, seeds, boards=boards, keep_moves=keep_moves)


class _Progress:
    def __init__(self, game: Game, keep_moves: bool, start: Board | None = None) -> None:
        self.game = game
        self.start = start
        self.start_score = game.score
        self.keep_moves = keep_moves
        self.letters: list[str] = []
        self.reached = [0] * (game.board.max_exponent + 1)
        self.times: list[float] = []

    def result(self, seconds: float) -> GameResult:
        game = self.game
        return GameResult(
            seed=game.seed,
            score=game.score - self.start_score,
            moves=game.move_number,
            max_tile=game.board.max_tile,
            reached=tuple(self.reached),
            board=game.board,
            seconds=seconds,
            letters="".join(self.letters),
            move_seconds=_median_and_99th(self.times),
            start=self.start,
        )


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


def _play_in_kernels(player: Player, progress: _Progress, stop: Callable[[], bool] | None) -> None:
    """Play in kernels as far as the policies can, or until `stop`; `_play_by_choose` continues."""
    from twofold.players.compiled import CompiledPlayer
    from twofold.players.kernel_game import KernelGame

    if not isinstance(player, CompiledPlayer):
        return
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
