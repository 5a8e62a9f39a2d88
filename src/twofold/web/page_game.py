"""A live game as pages see it: the replies about it."""

from twofold.board import Board
from twofold.play.autoplay import EndReason
from twofold.play.best_scores import ME
from twofold.play.live_game import LiveGame
from twofold.play.saved_game import News
from twofold.play.table import GameTable
from twofold.rules import Rules
from twofold.step import Step, makes_goal, slides
from twofold.web.protocol import (
    AutoplayEnded,
    FrameReply,
    GameNow,
    GameState,
    PositionReply,
    RefusedReply,
    RulesInfo,
    StepReply,
)


class PageGame(LiveGame):
    """A game that pages follow. Thread-safe."""

    def state(self, undone: str = "", news: News | None = None) -> GameState:
        """The whole state; `undone` is a move just undone, `news` what another program did."""
        with self.lock:
            return GameState(
                game=self.name,
                rules=rules_info(self.game.rules),
                seed=str(self.game.seed),
                kept=self.kept,
                player=self.player or ME,
                date=self._date,
                first=self.game.start_move_number,
                now=self.now(),
                undone=undone,
                note=news or "",
                was="" if news in (None, "newer") else self.was,
                daily=self.daily,
            )

    def now(self) -> GameNow:
        """The current position."""
        with self.lock:
            game = self.game
            return GameNow(
                board=str(game.board),
                tiles=tiles_of(game.board),
                score=game.score,
                move_number=game.move_number,
                status=game.status.value,
                legal="".join(move.letter for move in game.legal_moves()),
                can_undo=game.can_undo and not self.daily,
                can_redo=game.can_redo,
                undos=game.undos,
                best=self.best(),
                autoplay=self.playing,
                hints=self.hints,
            )

    def position(self, number: int) -> PositionReply:
        """The position at a move number; raises LimitExceeded if there is none."""
        self.replay_to(number)
        with self.lock:
            standing = self.game.at(number)
            return PositionReply(
                game=self.name,
                board=str(standing.board),
                tiles=tiles_of(standing.board),
                score=standing.score,
                move_number=number,
                last=self.game.move_number,
                next_move=self.game.letters_between(number, number + 1),
            )

    def step_reply(self, before: Board, step: Step, by: str) -> StepReply:
        """A move just made; `before` is the board before it, `by` a player's spec or empty."""
        return StepReply(
            game=self.name,
            move=step.move.letter,  # type: ignore[arg-type]
            reward=step.reward,
            slides=slides(before, step.move),
            cell=step.cell,
            tile=step.tile,
            by=by,
            goal_reached=makes_goal(before, step.board, self.game.rules),
            now=self.now(),
        )

    def frame_reply(self, moves_per_second: float) -> FrameReply:
        """The position after several moves of the player."""
        return FrameReply(game=self.name, now=self.now(), moves_per_second=moves_per_second)

    def end_reply(self, reason: EndReason, message: str = "") -> AutoplayEnded:
        """Autoplay has ended; `message` is the error, if it failed."""
        return AutoplayEnded(game=self.name, reason=reason, now=self.now(), message=message)

    def refusal(self, message: str, kind: str) -> RefusedReply:
        """Something failed; `kind` is the name of the error's class."""
        return RefusedReply(message=message, kind=kind)


class PageTable(GameTable[PageGame]):
    """The games in play that pages follow."""

    kind = PageGame


def rules_info(rules: Rules) -> RulesInfo:
    """Rules as fields."""
    return RulesInfo(
        text=str(rules),
        rows=rules.rows,
        cols=rules.cols,
        goal=rules.goal,
        stop_at_goal=rules.stop_at_goal,
        start_tiles=rules.start_tiles,
        spawn=list(rules.spawn),
    )


def tiles_of(board: Board) -> list[int]:
    """The tiles of a board, row by row; 0 for an empty cell."""
    return [1 << exponent if exponent else 0 for exponent in board.exponents]
