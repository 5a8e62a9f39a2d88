"""Reviews: games judged in threads, a limited number at a time; judgements are cached."""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import takewhile
from operator import attrgetter, eq
from typing import Final

from msgspec.structs import replace

from twofold.errors import TwofoldError
from twofold.game.record import Record
from twofold.game.step import Status
from twofold.games import daily
from twofold.games.judge import GameAccuracy, Judge, MoveJudgement
from twofold.games.kept import Accuracy
from twofold.games.makers import autoplay_of
from twofold.games.mistakes import MistakeBook, mistakes_of_game
from twofold.games.review import by_maker, by_phase, phases, positions, tables_note
from twofold.games.store import GameStore
from twofold.games.threads import JobThreads
from twofold.players import Player, PlayerSpec
from twofold.search.budget import Budget, Stop
from twofold.web.protocol import Judged, JudgementInfo, PhaseInfo, Reviewed, ReviewPart, SendReply
from twofold.web.searches import AT_ONCE, table_info

MAX_PLY: Final = 6
"""Maximum search depth per move."""

SEND_SECONDS: Final = 0.1
"""Seconds between two messages with judgements."""

MOST_IN_MESSAGE: Final = 500
"""Maximum number of judgements in a message."""

BREATH: Final = 0.02
"""Seconds between two messages with cached judgements, so that a page can keep up with a very long
game."""

MAX_KEPT: Final = 100_000
"""Maximum number of cached judgements over all games; about 400 bytes each."""

_LOG: Final = logging.getLogger("twofold.web")

_number = attrgetter("move_number")

_Key = tuple[object, ...]
"""The inputs of a judgement, beside the moves before it; given tiles count as a whole."""


class Reviews:
    """The reviews of all pages; `make` makes the player of a checked spec.

    The person's mistakes are added to the notebook, the accuracy of whole games to the store.

    Attributes:
        threads: run the reviews; the others are queued.
    """

    def __init__(
        self, make: Callable[[PlayerSpec], Player], notebook: MistakeBook, store: GameStore
    ) -> None:
        self.threads: Final = JobThreads(AT_ONCE, "twofold-review", polite=True)
        self._make, self._notebook, self._store = make, notebook, store
        self._lock = threading.Lock()
        self._known: OrderedDict[_Key, tuple[str, list[MoveJudgement]]] = OrderedDict()

    def review(
        self,
        game: str,
        record: Record,
        spec: PlayerSpec,
        ply: int | None,
        stop: Stop,
        send: SendReply,
        start: int = 0,
    ) -> None:
        """Send judgements as they are made, from move number `start` on, then those before it.

        `ply` is None for the player's own. Raises DailyRule for the unfinished game of today.
        """
        is_over = record.result.endswith((Status.OVER.value, Status.STOPPED.value))
        if daily.day_of_record(record) == str(daily.today()) and not is_over:  # no hints in it
            raise daily.DailyRule("the daily game of today can be reviewed once it is over")
        with self._make(spec) as player:
            judge = Judge(player, record.rules, Budget(ply=ply))
            judged = self.known(record, player.spec, ply)
            sender = _Sender(game, spec.text, len(record.moves), judge.unit, send)
            known = {one.move_number for one in judged}
            left = [there for there in positions(record) if there.move_number not in known]
            left.sort(key=lambda there: there.move_number < start)  # those before it come last
            try:
                for first in range(0, len(judged), MOST_IN_MESSAGE):
                    sender.send(judged[: first + MOST_IN_MESSAGE])
                    time.sleep(0 if stop.is_raised else BREATH)
                for there in left:
                    found = judge.judgement(
                        there.move_number, there.board, there.score, there.move, stop
                    )
                    if found is None:
                        break
                    judged.append(found)
                    sender.send(judged, patient=True)
                sender.send(judged)
            finally:
                self.keep(record, player.spec, ply, judged)
        judged.sort(key=_number)
        end = _end(game, spec.text, judge.unit, judged, record)
        percent = end.own.accuracy if end.own else sender.accuracy
        self._note(game, record, judged, percent if end.complete else None)
        send(end)

    def known(self, record: Record, player: str, ply: int | None) -> list[MoveJudgement]:
        """Cached judgements of moves of a game, in order; `player` is a canonical spec."""
        with self._lock:
            letters, judgements = self._known.get(_key(record, player, ply), ("", []))
        same = sum(takewhile(bool, map(eq, letters, _letters(record))))
        return [one for one in judgements if one.move_number < record.start_move + same]

    def keep(
        self, record: Record, player: str, ply: int | None, judgements: Sequence[MoveJudgement]
    ) -> None:
        """Cache judgements of moves of a game; the least recently used are dropped."""
        key = _key(record, player, ply)
        with self._lock:
            self._known[key] = _letters(record), sorted(judgements, key=_number)
            self._known.move_to_end(key)
            while sum(len(judged) for _, judged in self._known.values()) > MAX_KEPT:
                self._known.popitem(last=False)

    def _note(
        self, game: str, record: Record, judged: Sequence[MoveJudgement], percent: float | None
    ) -> None:
        """Keep the person's mistakes, and the accuracy of a whole game; errors are logged only."""
        try:
            self._notebook.add(mistakes_of_game(game, record, judged))
            if percent is not None:
                self._store.note_accuracy(game, Accuracy(len(judged), percent))
        except TwofoldError as error:
            _LOG.warning("cannot keep what a review found: %s", error)

    def close(self) -> None:
        """End all reviews and their threads."""
        self.threads.close()


class _Sender:
    """Sends the judgements of a game, each once."""

    def __init__(self, game: str, player: str, total: int, unit: str, send: SendReply) -> None:
        self._blank = Judged(
            game=game, player=player, judgements=[], done=0, total=total, accuracy=None, unit=unit
        )
        self._send = send
        self._accuracy = GameAccuracy()
        self._sent, self._when = 0, time.monotonic()

    @property
    def accuracy(self) -> float | None:
        """Of all that were sent, in percent."""
        return self._accuracy.percent

    def send(self, judged: Sequence[MoveJudgement], *, patient: bool = False) -> None:
        """Send the new ones; if `patient`, only many, or some time after the last message."""
        part = judged[self._sent :]
        is_early = time.monotonic() - self._when < SEND_SECONDS and len(part) < MOST_IN_MESSAGE
        if not part or (patient and is_early):
            return
        self._sent, self._when = len(judged), time.monotonic()
        for one in part:
            if not one.forced:
                self._accuracy.add(one.accuracy, one.stake)
        self._send(
            replace(
                self._blank,
                judgements=[_message(one) for one in part],
                done=len(judged),
                accuracy=self.accuracy,
            )
        )


def _key(record: Record, player: str, ply: int | None) -> _Key:
    start = (record.rules, record.seed, record.board, record.start_score, record.start_move)
    return (*start, frozenset(record.spawns.items()), player, ply)


def _letters(record: Record) -> str:
    return "".join(move.letter for move in record.moves)


def _end(
    game: str, spec: str, unit: str, judged: Sequence[MoveJudgement], record: Record
) -> Reviewed:
    """The last reply of a review."""
    autoplay = autoplay_of(record.player, record.tags)
    makers = () if autoplay is None else by_maker(judged, autoplay)
    parts = [ReviewPart(one.total, one.accuracy) for one in makers if one is not None]
    own, helped = parts if len(parts) == 2 else (None, None)  # not if one made all moves
    return Reviewed(
        game=game,
        player=spec,
        unit=unit,
        complete=len(judged) == len(record.moves),
        own=own,
        helped=helped,
        phases=[
            PhaseInfo(part.total, part.accuracy, phase.after, phase.before, phase.start)
            for phase, part in by_phase(phases(record), judged)
        ],
        lacks_tables=bool(tables_note(record.player, spec)),
    )


def _message(one: MoveJudgement) -> JudgementInfo:
    known = {name: getattr(one, name) for name in JudgementInfo.__struct_fields__}
    table = None if one.table is None else table_info(one.table)
    letters = {"move": one.move.letter, "best": one.best.letter}
    lists = {"values": list(one.values), "shares": list(one.shares)}
    return JudgementInfo(**known | letters | lists | {"table": table})
