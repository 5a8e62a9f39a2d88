"""One search of a player behind the engine protocol.

Another thread can end it at any time; it sends one move. If the player does not end in time, the
search replies in its place and abandons it in its thread.
"""

import threading
from collections.abc import Callable, Iterator, Sequence

from twofold.engine.messages import Answer, BestMove, ErrorLine, Go, Info, SetPosition
from twofold.players import Player
from twofold.players.base import assumed_score, checked_move
from twofold.players.faults import describe_caught
from twofold.players.values import searching_of, values_of
from twofold.rules import Move
from twofold.search.analysis import Analysis, table_words
from twofold.search.budget import Budget
from twofold.search.stop import Stop

Say = Callable[[Sequence[Answer]], None]


class ServerSearch:
    """A search from `go` to `bestmove`, from a position with a legal move.

    `go` has the limits, by default the player's own, and whether to send `info`. `say` sends
    replies; it is not called after the last one.
    """

    def __init__(self, player: Player, position: SetPosition, go: Go, say: Say) -> None:
        self._player, self._position, self._go, self._say = player, position, go, say
        self._stop = Stop()
        self._changed = threading.Condition()
        self._best = position.board.legal_moves()[0]
        self._said_table = False
        self.is_over = False
        """True after the move was sent."""
        self.is_left_behind = False
        """True if the move was sent while the player was still searching."""

    def run(self) -> None:
        """Search, and send the results and finally the move; closes an abandoned player."""
        try:
            for found in self._thoughts():
                self._improve(found)
            self._end(BestMove(self._best))
        except BaseException as error:  # a player may raise any; Ctrl-C reaches the main thread
            self._end(ErrorLine(describe_caught(error)))
        if self.is_left_behind:
            self._player.close()

    def wait(self, seconds: float) -> bool:
        """Wait for the end; False after the timeout."""
        with self._changed:
            return self._changed.wait_for(lambda: self.is_over, seconds)

    def end_within(self, seconds: float) -> bool:
        """End the search; True if the player has ended, False if it is abandoned.

        An abandoned search sends the best move so far.
        """
        self._stop.raise_flag()
        with self._changed:
            if not self.wait(seconds):
                self.is_left_behind = True
                self._end(BestMove(self._best))
        return not self.is_left_behind

    def _thoughts(self) -> Iterator[Analysis | Move]:
        """The player's results; only a move if the player has no values."""
        player = self._player
        board, score, budget = self._position.board, self._position.score, self._go.budget
        if self._go.quiet and budget.seconds is None and budget.nodes is None:
            yield self._move_alone()
            return
        last = None
        if player.has_values:
            for last in player.stream(board, budget, score=score, stop=self._stop):
                yield last
        if last is None or all(one.value is None for one in last.moves):
            yield self._chosen()

    def _move_alone(self) -> Move:
        player = self._player
        board, budget = self._position.board, self._go.budget
        if searching_of(player.part_for(board)) is None:
            return self._chosen()
        if (answer := player.table_answer(board)) is not None:
            return answer.best
        score = assumed_score(board) if self._position.score is None else self._position.score
        values = values_of(player, board, score, budget, self._stop)
        if values is None:  # stopped
            return player.analyse(board, Budget(ply=1), score=score).best
        return max(values, key=lambda move: values[move])

    def _chosen(self) -> Move:
        position = self._position
        return self._player.choose(
            position.board, score=position.score, move_number=position.move_number or 0
        )

    def _improve(self, found: Analysis | Move) -> None:
        """Store the best move so far and send the results; raises if the move is not legal."""
        best = found.best if isinstance(found, Analysis) else found
        checked = checked_move(self._player, self._position.board, best)
        with self._changed:
            self._best = checked
            if isinstance(found, Analysis) and not (self._go.quiet or self.is_over):
                self._say([*self._table_lines(found), info_of(found)])

    def _table_lines(self, found: Analysis) -> list[Info]:
        if found.table is None or self._said_table:
            return []
        self._said_table = True
        return [Info(text=f"table {table_words(found.table)}")]

    def _end(self, answer: Answer) -> None:
        with self._changed:
            if not self.is_over:
                self.is_over = True  # first: the next command may follow the reply immediately
                self._say([answer])
                self._changed.notify_all()


def info_of(analysis: Analysis) -> Info:
    """An analysis as an `info` message."""
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
