"""Reviews: games judged in threads, a limited number at a time; judgements are cached."""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from operator import eq
from typing import Final

from twofold.errors import TwofoldError
from twofold.game.game import Status
from twofold.game.record import Record
from twofold.games import daily
from twofold.games.judge import GameAccuracy, Judge, MoveJudgement
from twofold.games.makers import autoplay_of
from twofold.games.review import Review, by_maker, by_phase, phases, positions, tables_note
from twofold.games.threads import JobThreads
from twofold.players import Player, PlayerSpec
from twofold.search.budget import Budget
from twofold.web import protocol
from twofold.web.accuracies import Accuracies, Accuracy
from twofold.web.asked import Asked, SendReply
from twofold.web.notebook import Notebook, mistakes_of_game
from twofold.web.protocol import Judged, PhaseInfo, Reviewed, ReviewPart
from twofold.web.searches import table_info

AT_ONCE: Final = 2
"""Maximum number of simultaneous reviews over all pages; others are queued."""

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


@dataclass(frozen=True, slots=True)
class _Key:
    """The inputs of a judgement, beside the moves before it; given tiles count as a whole."""

    start: tuple[str, int | None, str, int, int]
    spawns: frozenset[tuple[int, tuple[int, int]]]
    player: str
    ply: int | None


@dataclass(slots=True)
class _Known:
    letters: str = ""
    judgements: list[MoveJudgement] = field(default_factory=list)


class Reviews:
    """The reviews of all pages; `make` makes the player of a checked spec.

    The person's mistakes are added to the notebook, if any, and the accuracy of whole games to
    `accuracies`.
    """

    def __init__(
        self,
        make: Callable[[PlayerSpec], Player],
        notebook: Notebook | None = None,
        accuracies: Accuracies | None = None,
    ) -> None:
        self.make: Final = make
        self._notebook = notebook
        self._accuracies = accuracies
        self._workers = JobThreads(AT_ONCE, "twofold-review", polite=True)
        self._lock = threading.Lock()
        self._known: OrderedDict[_Key, _Known] = OrderedDict()

    def start(self, asked: Asked) -> None:
        """Queue a review; raises ResourceError if the server is shutting down."""
        self._workers.start(asked.run, asked.drop)

    def known(self, record: Record, player: str, ply: int | None) -> list[MoveJudgement]:
        """Cached judgements of the first moves of a game; `player` is a canonical spec."""
        with self._lock:
            known = self._known.get(_key(record, player, ply), _Known())
            shared = sum(takewhile(bool, map(eq, known.letters, _letters(record))))
            return known.judgements[:shared]

    def keep(
        self, record: Record, player: str, ply: int | None, judgements: Sequence[MoveJudgement]
    ) -> None:
        """Cache judgements of the first moves of a game; the least recently used are dropped."""
        key = _key(record, player, ply)
        with self._lock:
            letters = _letters(record)[: len(judgements)]
            self._known[key] = _Known(letters, list(judgements))
            self._known.move_to_end(key)
            while sum(len(one.judgements) for one in self._known.values()) > MAX_KEPT:
                self._known.popitem(last=False)

    def note_mistakes(self, game: str, record: Record, judgements: Sequence[MoveJudgement]) -> None:
        """Add the person's mistakes to the notebook; errors are logged only."""
        if self._notebook is None:
            return
        try:
            self._notebook.add(mistakes_of_game(game, record, judgements))
        except TwofoldError as error:
            _LOG.warning("cannot add to the notebook of mistakes: %s", error)

    def note_accuracy(self, game: str, moves: int, percent: float | None) -> None:
        """Note how accurately a whole game was played; errors are logged only."""
        if self._accuracies is None or percent is None:
            return
        try:
            self._accuracies.note(game, Accuracy(moves, percent))
        except TwofoldError as error:
            _LOG.warning("cannot note the accuracy of a game: %s", error)

    def close(self) -> None:
        """End all reviews and their threads."""
        self._workers.close()


def _key(record: Record, player: str, ply: int | None) -> _Key:
    board = "" if record.board is None else str(record.board)
    start = (str(record.rules), record.seed, board, record.start_score, record.start_move)
    return _Key(start, frozenset(record.spawns.items()), player, ply)


def _letters(record: Record) -> str:
    return "".join(move.letter for move in record.moves)


class AskedReview(Asked):
    """A review that a page requested.

    Args:
        ply: None for the player's own.
        find: reads a game's record.
        judge_for: chooses the judge of a record.
    """

    def __init__(
        self,
        reviews: Reviews,
        game: str,
        ply: int | None,
        find: Callable[[str], Record],
        judge_for: Callable[[Record], PlayerSpec],
        send: SendReply,
        ref: int,
    ) -> None:
        super().__init__(send, ref)
        self._reviews, self._game, self._ply = reviews, game, ply
        self._find, self._judge_for = find, judge_for
        self._unit = ""
        self._accuracy = GameAccuracy()

    def answer(self) -> None:
        """Send judgements as they are made, then what is known at the end."""
        record = self._find(self._game)
        is_over = record.result.endswith((Status.OVER.value, Status.STOPPED.value))
        if daily.day_of_record(record) == str(daily.today()) and not is_over:  # no hints in it
            raise daily.DailyRule("the daily game of today can be reviewed once it is over")
        spec = self._judge_for(record)
        with self._reviews.make(spec) as player:
            judge = Judge(player, record.rules, Budget(ply=self._ply))
            self._unit = judge.unit
            judged = self._reviews.known(record, player.spec, self._ply)
            try:
                self._send_all(judged, len(record.moves))
                self._judge(judge, record, judged)
            finally:
                self._reviews.keep(record, player.spec, self._ply, judged)
        self._reviews.note_mistakes(self._game, record, judged)
        self._send_end(spec.text, judge.unit, judged, record)

    def _judge(self, judge: Judge, record: Record, judged: list[MoveJudgement]) -> None:
        sent, when = len(judged), time.monotonic()
        for found in self._rest(judge, record, len(judged)):
            judged.append(found)
            full = len(judged) - sent >= MOST_IN_MESSAGE
            if full or time.monotonic() - when >= SEND_SECONDS:
                self._send_some(judged[sent:], len(judged), len(record.moves))
                sent, when = len(judged), time.monotonic()
        self._send_some(judged[sent:], len(judged), len(record.moves))

    def _rest(self, judge: Judge, record: Record, known: int) -> Iterator[MoveJudgement]:
        for number, one in enumerate(positions(record)):
            if number < known:
                continue
            found = judge.judgement(one.move_number, one.board, one.score, one.move, self.stop)
            if found is None or self._dropped:
                return
            yield found

    def _send_all(self, judged: Sequence[MoveJudgement], total: int) -> None:
        for first in range(0, len(judged), MOST_IN_MESSAGE):
            if self._dropped:
                return
            part = judged[first : first + MOST_IN_MESSAGE]
            self._send_some(part, first + len(part), total)
            time.sleep(BREATH)

    def _send_some(self, part: Sequence[MoveJudgement], done: int, total: int) -> None:
        if not part:
            return
        for one in part:
            if not one.forced:
                self._accuracy.add(one.accuracy, one.stake)
        self.send(
            Judged(
                ref=self._ref,
                game=self._game,
                judgements=[_message(one) for one in part],
                done=done,
                total=total,
                accuracy=self._accuracy.percent,
                unit=self._unit,
            )
        )

    def _send_end(
        self, spec: str, unit: str, judged: Sequence[MoveJudgement], record: Record
    ) -> None:
        autoplay = autoplay_of(record.player, record.tags)
        makers = () if autoplay is None else by_maker(judged, autoplay)
        parts = [ReviewPart(*_figures(one)) for one in makers if one is not None]
        own, helped = parts if len(parts) == 2 else (None, None)  # not if one made all moves
        if len(judged) == len(record.moves):
            percent = own.accuracy if own else self._accuracy.percent
            self._reviews.note_accuracy(self._game, len(judged), percent)
        self.send(
            Reviewed(
                ref=self._ref,
                game=self._game,
                player=spec,
                unit=unit,
                complete=len(judged) == len(record.moves),
                own=own,
                helped=helped,
                phases=[
                    PhaseInfo(*_figures(part), phase.after, phase.before, phase.start)
                    for phase, part in by_phase(phases(record), judged)
                ],
                lacks_tables=bool(tables_note(record.player, spec)),
            )
        )


def _figures(part: Review) -> tuple[int, float | None, float | None]:
    return part.total, part.accuracy, part.match_rate


def _message(one: MoveJudgement) -> protocol.JudgementInfo:
    return protocol.JudgementInfo(
        move_number=one.move_number,
        move=one.move.letter,  # type: ignore[arg-type]
        best=one.best.letter,  # type: ignore[arg-type]
        values=list(one.values),
        ratio=one.ratio,
        accuracy=one.accuracy,
        label=one.label,
        unit=one.unit,
        table=None if one.table is None else table_info(one.table),
    )
