"""Hub: the objects shared by all sessions: games, players, searches, reviews, jobs."""

import logging
import secrets
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from twofold.errors import TwofoldError
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import STANDARD
from twofold.games.mistakes import MistakeBook
from twofold.games.mover import Mover
from twofold.games.review import default_judge
from twofold.games.store import GAMES, GameStore, make_folder
from twofold.games.threads import JobThreads, start_thread
from twofold.players import PlayerSpec
from twofold.search.budget import Budget, Stop
from twofold.version import __version__
from twofold.web.jobs import JobQueue
from twofold.web.protocol import Ready, Welcome
from twofold.web.reviews import Reviews
from twofold.web.roster import Roster
from twofold.web.searches import Searches
from twofold.web.table import PageTable

if TYPE_CHECKING:
    from twofold.web.session import Session

DESKS: Final = 2
"""Threads for short jobs, such as reading and deleting games."""

LOADER_SECONDS: Final = 0.5
"""Seconds to wait on closing for a player that is still loading: compilation cannot be stopped."""

_WARM_UP: Final = Board.parse("1000/0000/0000/0001")
_LOG: Final = logging.getLogger("twofold.web")


class Hub:
    """The objects shared by all sessions. Thread-safe.

    Args:
        data: data folder, created if missing.
        players: further specs that the owner allows; they may name files and code.
        games: folder of the games; None for `games` in `data`.
        warm_up: True to load the default player in a thread.

    Attributes:
        command: starts the server again; pages show it once the server is gone.

    Raises InvalidInput or ResourceError if a folder or spec cannot be used.
    """

    def __init__(
        self,
        data: Path,
        default_player: str | None = None,
        players: Sequence[str] = (),
        *,
        games: Path | None = None,
        warm_up: bool = True,
    ) -> None:
        self.roster: Final = Roster(default_player, players)
        games = games or data / GAMES
        make_folder(games)
        store = GameStore(games)
        self.table: Final = PageTable(store)
        self.searches: Final = Searches(self.roster.make, self.roster.placed)
        self.notebook: Final = MistakeBook(store)
        self.reviews: Final = Reviews(self.roster.make, self.notebook, store)
        self.desk: Final = JobThreads(DESKS, "twofold-desk")
        self.jobs: Final = JobQueue(data / "jobs")
        self.command = ""
        self._start = secrets.token_hex(8)
        self._lock = threading.Lock()
        self._sessions: set[Session] = set()
        self._ready = False
        self._closed = False
        self._stop = Stop()
        self._loader = start_thread(self._load, "twofold-loader") if warm_up else None

    # ---- sessions

    def join(self, session: "Session") -> None:
        """Send a session the welcome, and a message when the default player is loaded."""
        with self._lock:
            self._sessions.add(session)
            session.send(
                Welcome(
                    version=__version__,
                    players=self.roster.infos,
                    ready=self._ready,
                    server=self._start,
                    command=self.command,
                )
            )

    def leave(self, session: "Session") -> None:
        """Remove a session."""
        with self._lock:
            self._sessions.discard(session)

    # ---- players

    def judge_for(self, record: Record, asked: PlayerSpec | None = None) -> PlayerSpec:
        """The judge of a game: the player that was asked for, or the default one."""
        own = asked.settled(record.rules) if asked else self.roster.own_default(record.rules)
        return own or PlayerSpec.parse(default_judge(record.rules))

    def _load(self) -> None:
        try:
            spec = self.roster.spec("", STANDARD)
            with self.searches.player(spec, STANDARD) as player:
                player.analyse(_WARM_UP, Budget(ply=1), stop=self._stop)
                Mover(player, Game.from_board(_WARM_UP, seed=0), self._stop).play(1, 0.0)
        except Exception as error:
            expected = isinstance(error, TwofoldError)
            _LOG.error("cannot load the default player: %s", error, exc_info=not expected)
            return
        with self._lock:
            self._ready = True
            for session in self._sessions:
                session.send(Ready())

    # ---- the end

    def close(self) -> None:
        """Close all sessions and threads, and save the games. May be called twice."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            sessions = list(self._sessions)
        for session in sessions:
            session.close()
        self._stop.raise_flag()
        self.jobs.close()
        self.desk.close()
        self.reviews.close()
        self.searches.close()
        self.table.close()
        self.table.store.close()
        if self._loader is not None:
            self._loader.join(LOADER_SECONDS)
