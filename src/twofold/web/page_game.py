"""A game in play: the pages that follow it, its player, if any, and the replies about it.

All changes and replies are made under the game's lock; sending a reply never blocks.
"""

import threading
import time
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from twofold.errors import GameOver, InvalidInput, TwofoldError
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import Move, Rules
from twofold.game.step import Step, makes_goal, result_text, slides
from twofold.games.autoplay import Autoplay, EndReason, MakePlayer, Wish, message_of
from twofold.games.live_game import LiveGame, News, Row
from twofold.games.makers import ME
from twofold.games.store import Conflict
from twofold.web import protocol

if TYPE_CHECKING:
    from twofold.web.table import PageTable


class Viewer(Protocol):
    """A page that follows games; replies are structs of msgspec with a field `ref`."""

    def send(self, reply: Any) -> None:
        """Send a reply; called from any thread, never blocks."""


@dataclass(frozen=True, slots=True)
class Asker:
    """A page that sent a request, and the request's number."""

    follower: Viewer
    ref: int

    def answer(self, reply: Any) -> None:
        """Send a reply with that number."""
        self.follower.send(msgspec.structs.replace(reply, ref=self.ref))


REPLAY_MOVES: Final = 256
"""Moves replayed at a time; between two batches the lock is released."""


class StaleMove(InvalidInput):
    """A move for another move number than the game's."""


class PageGame(LiveGame):
    """A game that pages follow. Thread-safe.

    Args:
        name: its id.
        table: holds the game.
        played: time of the last change, in seconds since 1970.
        place, resumed, begun, is_saved: as for `LiveGame`.

    Attributes:
        played: time of the last change, in seconds since 1970.
        was: the id before the game moved to a new place; empty if it did not.
        told: True if the followers know that it cannot be saved.
    """

    def __init__(
        self,
        name: str,
        game: Game,
        table: "PageTable",
        played: float,
        place: Row | None = None,
        resumed: Record | None = None,
        *,
        begun: str | None = None,
        is_saved: bool = False,
    ) -> None:
        player = resumed.player if resumed else ""
        super().__init__(game, place, resumed, player=player, begun=begun, is_saved=is_saved)
        self.name, self.was = name, ""
        self.turn: Final = threading.Condition(self.lock)
        self.told, self.played = False, played
        self._begun, self._table = self.version, table
        self._followers: list[Viewer] = []
        self._playing: Autoplay | None = None
        self._preparing: Autoplay | None = None
        self._untold: News | None = None
        self._largest = table.store.largest(str(game.rules), without=name)

    # ---- followers

    def join(self, asker: Asker) -> None:
        """Follow the game: send its state, then every change."""
        with self.lock:
            if asker.follower not in self._followers:
                self._followers.append(asker.follower)
            news, self._untold = self._untold, None
            asker.answer(self.state(news=news))

    def leave(self, follower: Viewer) -> None:
        """Stop following. Without followers autoplay ends."""
        with self.lock:
            if follower in self._followers:
                self._followers.remove(follower)
            if not self._followers:
                self._end_players()

    @property
    def is_followed(self) -> bool:
        """True if a page follows it."""
        return bool(self._followers)

    def tell(self, reply: Any, asker: Asker | None = None) -> None:
        """Send a reply to all followers, and to `asker` with the number of its request."""
        with self.lock:
            for follower in self._followers:
                if asker is None or follower is not asker.follower:
                    follower.send(reply)
            if asker is not None:
                asker.answer(reply)

    # ---- requests by a person

    def move(self, letter: str, move_number: int, asker: Asker) -> None:
        """Make a move; ends autoplay.

        Raises StaleMove for another move number, or IllegalMove.
        """
        with self.lock:
            self.give_way()
            if move_number != self.game.move_number:
                raise StaleMove(
                    f"expected a move after {self.game.move_number} moves, got one for the board "
                    f"after {move_number}"
                )
            before = self.game.board
            step = self.game.play(Move.parse(letter))
            self.note_move()
            self._moved(before, step, "", asker)

    def undo(self, asker: Asker) -> None:
        """Undo the last move; ends autoplay. Raises NothingToUndo, or DailyRule in a daily game."""
        with self.lock:
            self.refuse_in_daily("undo")
            self.give_way()
            step = self.game.undo()
            self.changed()
            self.tell(self.state(undone=step.move.letter), asker)

    def redo(self, asker: Asker) -> None:
        """Redo the last undone move; ends autoplay. Raises NothingToRedo."""
        with self.lock:
            self.give_way()
            before = self.game.board
            step = self.game.redo()
            self.add_player(ME)
            self._moved(before, step, "", asker)

    def take_back_help(self, asker: Asker) -> None:
        """Take back what keeps the game from counting as played by hand: see `take_back`."""
        with self.lock:
            self.refuse_in_daily("undo")
            self.give_way()
            self.take_back()
            self.changed()
            self.tell(self.state(), asker)

    def show_hints(self, board: Board) -> int:
        """Count hints that are about to be shown for a board; returns the number so far.

        Raises DailyRule in a daily game.
        """
        with self.lock:
            self.refuse_in_daily("hints")
            if self._playing is None and self.hint_shown(board) and not self.is_saved:
                self.changed()
            return self.hints

    def _moved(self, before: Board, step: Step, by: str, asker: Asker) -> None:
        """Send a move just made; `by` is a player's spec or empty."""
        self.changed(at_once=self.game.is_finished)
        reply = protocol.StepReply(
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
        self.tell(reply, asker)

    # ---- players

    def start_player(self, spec: str, make: MakePlayer, wish: Wish, asker: Asker) -> None:
        """Start autoplay; a player that is playing continues until the new one is ready.

        Raises GameOver, DailyRule, or LimitExceeded if the maximum number of players is playing.
        """
        with self.lock:
            self.refuse_in_daily("autoplay")
            if self.game.is_finished:
                result = result_text(self.game.board, self.game.rules)
                raise GameOver(f"the game is finished: {result}")
            known = self._preparing or self._playing
            if known is not None and known.spec == spec:
                known.change(wish, asker)
                return
            if self._preparing is not None:
                self._preparing.end()
            self._preparing = Autoplay(self, spec, make, wish, asker)
            self._preparing.start(self._table.seats)

    def pause(self, asker: Asker) -> None:
        """End autoplay on request."""
        with self.lock:
            played = self._end_players()
            ended = self.end_reply("paused")
            if played:
                self.tell(ended, asker)
            else:
                asker.answer(ended)

    def give_way(self) -> None:
        """End autoplay because a person or another program acts."""
        with self.lock:
            if self._end_players():
                self.tell(self.end_reply("paused"))

    def _end_players(self) -> bool:
        """End autoplay; True if a player was playing, not only getting ready."""
        playing, preparing = self._playing, self._preparing
        self._playing = self._preparing = None
        for one in filter(None, (playing, preparing)):
            one.end()
        return playing is not None

    def seat(self, player: Autoplay) -> Game | None:
        """Seat a player that is ready; its game from here, or None if it is not wanted any more."""
        with self.lock:
            if self._preparing is not player:
                return None
            if self._playing is not None:
                self._playing.end()
            self._playing, self._preparing = player, None
            now = self.game
            return Game.from_board(
                now.board, now.rules, now.seed, score=now.score, move_number=now.move_number
            )

    def unseat(self, player: Autoplay) -> bool:
        """Remove a player that ends by itself; True if it was playing or getting ready."""
        with self.lock:
            if self._playing is player:
                self._playing = None
            elif self._preparing is player:
                self._preparing = None
            else:
                return False
            return True

    def refused(self, player: Autoplay, error: Exception) -> None:
        """Report to its requester that a player could not start."""
        kind = type(error).__name__ if isinstance(error, TwofoldError) else "PlayerError"
        player.asker.answer(protocol.RefusedReply(message=message_of(error), kind=kind))

    def stepped(self, player: Autoplay, move: Move, *, as_hint: bool) -> None:
        """Make a move of a player and send it as a step."""
        before = self.game.board
        step = self.play_for(player.spec, move, as_hint=as_hint)
        self._moved(before, step, player.spec, player.asker)

    def framed(self, player: Autoplay, moves_per_second: float) -> None:
        """Send the moves of a player as a frame."""
        self.add_player(player.spec)
        self.changed(at_once=self.game.is_finished)
        frame = protocol.FrameReply(
            game=self.name, now=self.now(), moves_per_second=moves_per_second
        )
        self.tell(frame, player.asker)

    def ended(self, player: Autoplay, reason: EndReason, message: str) -> None:
        """Send that a player has ended."""
        self.tell(self.end_reply(reason, message), player.asker)

    # ---- the past

    def replay_to(self, number: int) -> None:
        """Replay the moves of a record up to a number, so that undo and these positions are quick.

        They come in batches; the lock is free between two of them.
        """
        with self.lock:
            number = min(number, self.game.move_number)
            known = self.game.known_before(number)
        for passed in chain(range(known, number, REPLAY_MOVES), [max(known, number - 1)]):
            with self.lock:
                if passed > self.game.move_number or not self.is_followed:
                    return
                self.game.at(passed)

    def fork(self, number: int) -> tuple[Game, Record]:
        """A new game with the moves up to a number, and a record as `known_until`."""
        self.replay_to(number)
        with self.lock:
            return self.game.fork(number), self.known_until(number)

    # ---- saving

    def changed(self, *, at_once: bool = False) -> None:
        """Note a change, which is saved soon, or at once."""
        with self.lock:
            self.played = time.time()
            if self.place is not None and (own := self.own_score) is not None:
                self._table.reached[self.name] = self.game.rules, own
            if at_once:
                self._table.save_at_once(self)

    @property
    def is_untouched(self) -> bool:
        """True if nothing has changed since the game was opened."""
        return self.version == self._begun

    def best(self) -> int:
        """See `LiveGame`; for a game that is not saved that of the others."""
        rules, reached = self.game.rules, list(self._table.reached.items())
        others = [own for name, (of, own) in reached if of == rules and name != self.name]
        return max([super().best() or self._table.store.best(str(rules)), *others])

    def last_change(self) -> float:
        """See `LiveGame`."""
        return self.played

    def move_away(self, conflict: Conflict) -> None:
        """Continue as another game."""
        assert self.place is not None
        new = self.place.elsewhere()
        with self._table.renaming(self, new.name), self.lock:
            self.name, self.was = new.name, self.name
            self.move_to(new, conflict)

    def tell_news(self, news: News) -> None:
        """Report what another program did; the next follower gets it if there is none."""
        self.tell(self.state(news=news))
        self._untold = None if self._followers else news

    def disown(self) -> None:
        """The game was deleted; the followers may continue it unsaved."""
        with self.lock:
            self.give_way()
            self.place = None
            self.tell(self.state())

    # ---- replies

    def state(self, undone: str = "", news: News | None = None) -> protocol.GameState:
        """The whole state; `undone` is a move just undone, `news` what another program did."""
        with self.lock:
            return protocol.GameState(
                game=self.name,
                rules=rules_info(self.game.rules),
                seed=str(self.game.seed),
                kept=self.place is not None,
                player=self.player or ME,
                date=self.date,
                first=self.game.start_move_number,
                now=self.now(),
                undone=undone,
                note=news or "",
                was="" if news in (None, "newer") else self.was,
                daily=self.daily,
                largest=self._largest,
            )

    def now(self) -> protocol.GameNow:
        """The current position."""
        with self.lock:
            game = self.game
            return protocol.GameNow(
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
                autoplay="" if self._playing is None else self._playing.spec,
                hints=self.hints,
                kind=self.kind,
            )

    def position(self, number: int) -> protocol.PositionReply:
        """The position at a move number; raises LimitExceeded if there is none."""
        self.replay_to(number)
        with self.lock:
            standing = self.game.at(number)
            return protocol.PositionReply(
                game=self.name,
                board=str(standing.board),
                tiles=tiles_of(standing.board),
                score=standing.score,
                move_number=number,
                next_move=self.game.letters_between(number, number + 1),
            )

    def end_reply(self, reason: EndReason, message: str = "") -> protocol.AutoplayEnded:
        """Autoplay has ended; `message` is the error, if it failed."""
        return protocol.AutoplayEnded(
            game=self.name, reason=reason, now=self.now(), message=message
        )


def rules_info(rules: Rules) -> protocol.RulesInfo:
    """Rules as fields."""
    about = {name: getattr(rules, name) for name in protocol.RulesInfo.__struct_fields__[1:]}
    return protocol.RulesInfo(str(rules), **about | {"spawn": list(rules.spawn)})


def tiles_of(board: Board) -> list[int]:
    """The tiles of a board, row by row; 0 for an empty cell."""
    return [1 << exponent if exponent else 0 for exponent in board.exponents]
