"""One search of a player that is asked over the engine protocol, in a thread of its own.

A search may be ended at any moment; its move is said once. A player that does not end in time is
answered for, and left behind in its thread.
"""

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from twofold.engine_messages import Answer, BestMove, Go, Info, Position, Refusal
from twofold.errors import TwofoldError
from twofold.players import Player
from twofold.players.base import assumed_score
from twofold.players.registry import checked_move
from twofold.players.values import searching_of, values_of
from twofold.rules import Move
from twofold.search.analysis import Analysis
from twofold.search.budget import Budget
from twofold.search.stop import Stop

JOIN_SECONDS: Final = 0.2
"""How long to wait for a thread that has nothing more to do."""

Say = Callable[[Sequence[Answer]], None]


class Search:
    """What `go` begins, and `bestmove` ends.

    Args:
        position: where to move; a move is legal there.
        go: limits, without which the player has its own, and whether the move alone is wanted.
        say: says the answers, and is not called after the last one.
    """

    def __init__(self, position: Position, go: Go, say: Say) -> None:
        self._position, self._go, self._say = position, go, say
        self._stop = Stop()
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._best = position.board.legal_moves()[0]

    @property
    def is_over(self) -> bool:
        """Whether its move was said."""
        return self._over.is_set()

    def run(self, player: Player) -> None:
        """Have the player think; say what it finds, and its move at last."""
        try:
            for found in self._thoughts(player):
                self._improve(player, found)
            self._end(BestMove(self._best))
        except Exception as error:
            self._end(Refusal(_described(error)))

    def wait(self, seconds: float) -> None:
        """Wait for its end."""
        self._over.wait(seconds)

    def end_within(self, seconds: float) -> bool:
        """End it now; where the player does not end in time, say the best move so far.

        Returns:
            Whether the player has ended.
        """
        self._stop.raise_flag()
        if self._over.wait(seconds):
            return True
        self._end(BestMove(self._best))
        return False

    def _thoughts(self, player: Player) -> Iterator[Analysis | Move]:
        """What the player finds. One that values no move is asked for its move alone."""
        board, score, budget = self._position.board, self._position.score, self._go.budget
        if self._go.quiet and budget.seconds is None and budget.nodes is None:
            yield self._move_alone(player)
            return
        last = None
        if _has_values(player):
            for last in player.stream(board, budget, score=score, stop=self._stop):
                yield last
        if last is None or all(one.value is None for one in last.moves):
            yield self._chosen(player)

    def _move_alone(self, player: Player) -> Move:
        """The move, found without all that an analysis says besides."""
        board, budget = self._position.board, self._go.budget
        if searching_of(player) is None:
            return self._chosen(player)
        score = assumed_score(board) if self._position.score is None else self._position.score
        values = values_of(player, board, score, budget, self._stop)
        if values is None:  # stopped
            return player.analyse(board, Budget(ply=1), score=score).best
        return max(values, key=lambda move: values[move])

    def _chosen(self, player: Player) -> Move:
        position = self._position
        return player.choose(
            position.board, score=position.score, move_number=position.move_number or 0
        )

    def _improve(self, player: Player, found: Analysis | Move) -> None:
        """Note the best move so far, and say what was found; raises if the move is not legal."""
        best = found.best if isinstance(found, Analysis) else found
        checked = checked_move(player, self._position.board, best)
        with self._lock:
            self._best = checked
            if isinstance(found, Analysis) and not (self._go.quiet or self.is_over):
                self._say([info_of(found)])

    def _end(self, answer: Answer) -> None:
        with self._lock:
            if not self.is_over:
                self._over.set()  # before the answer: what follows it may come at once
                self._say([answer])


def _has_values(player: Player) -> bool:
    kind = type(player)
    return kind.analyse is not Player.analyse or kind.stream is not Player.stream


def _described(error: Exception) -> str:
    return str(error) if isinstance(error, TwofoldError) else f"{type(error).__name__}: {error}"


def info_of(analysis: Analysis) -> Info:
    """What an analysis says, as a message."""
    deepest = analysis.moves[analysis.best].depth
    half_moves = analysis.depth.endswith("half-moves")
    values = {one.move: one.value for one in analysis.moves if one.value is not None}
    return Info(
        depth=((deepest + 1) // 2 if half_moves else deepest) or None,
        nodes=analysis.nodes or None,
        seconds=round(analysis.seconds, 6),
        unit=analysis.unit if values else "",
        values=values,
        best=analysis.best,
        line=analysis.line,
    )


class SearchThread:
    """A player, and the thread in which it thinks.

    Args:
        player: who is asked; closed by the thread at its end.
    """

    def __init__(self, player: Player) -> None:
        self.player = player
        self._searches: queue.SimpleQueue[Search | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="engine-search", daemon=True)
        self._thread.start()

    def begin(self, search: Search) -> None:
        """Run a search."""
        self._searches.put(search)

    def close(self, seconds: float = JOIN_SECONDS) -> None:
        """End the thread after its search, waiting so long at most for a player that goes on."""
        self._searches.put(None)
        self._thread.join(seconds)

    def _run(self) -> None:
        while (search := self._searches.get()) is not None:
            search.run(self.player)
        self.player.close()
