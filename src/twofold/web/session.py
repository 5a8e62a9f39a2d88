"""Session: the requests and replies of one page, and the WebSocket that carries them.

The rate of messages and the queue of replies are limited for each page.
"""

import asyncio
import contextlib
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from twofold.errors import InvalidBoard, LimitExceeded
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.notation import parse_seed
from twofold.games.store import NotFound
from twofold.games.threads import JobThreads
from twofold.search.budget import Stop
from twofold.web import protocol
from twofold.web.hub import Hub
from twofold.web.page_game import Asker, PageGame, Wish
from twofold.web.protocol import AnyRequest, Reply, SendReply, refused
from twofold.web.reviews import MAX_PLY
from twofold.web.searches import order_of, rules_for

MAX_FOLLOWED: Final = 16
"""Maximum number of games that a page follows."""

Work = Callable[[Stop, SendReply], None]


class Session:
    """Handles the requests of one page.

    `send` takes replies from any thread and must not block; it gets `Welcome` at once.
    """

    def __init__(self, hub: Hub, send: SendReply) -> None:
        self._hub = hub
        self._send = send
        self._lock = threading.Lock()  # acquire it after the locks of tables and games
        self._live: list[PageGame] = []
        self._asked: dict[type[AnyRequest], Stop] = {}  # the last request of each kind
        self._closed = False
        hub.join(self)

    def send(self, reply: Reply) -> None:
        """Send a reply, unless the session is closed."""
        if not self._closed:
            self._send(reply)

    def receive(self, request: AnyRequest) -> None:
        """Handle a request, or send `Refused`; quick, and never raises."""
        handle: Callable[[Any, Asker], None] = getattr(self, f"_{request.__struct_config__.tag}")
        asker = Asker(self, request.ref)
        self._guarded(lambda: handle(request, asker), asker)

    def close(self) -> None:
        """Cancel the session's searches and leave its games. May be called twice."""
        with self._lock:
            self._closed = True
            games, self._live = self._live, []
            asked, self._asked = self._asked, {}
        for stop in asked.values():
            stop.raise_flag()
        for live in games:
            self._hub.table.leave(live, self)
        self._hub.leave(self)

    def _guarded(self, do: Callable[[], None], asker: Asker) -> None:
        if self._closed:
            return
        try:
            do()
        except Exception as error:
            self.send(refused(error, asker.ref))

    def _later(self, do: Callable[[], None], asker: Asker) -> None:
        """Do something slow in another thread."""
        self._hub.desk.start(lambda: self._guarded(do, asker))

    # ---- games

    def _open(self, request: protocol.OpenRequest, asker: Asker) -> None:
        def open_it() -> None:
            table = self._hub.table
            live = table.find(request.game) if request.game else table.find_last()
            if live is None:
                first = protocol.NewRequest(rules=str(self._hub.roster.home or ""))
                self._follow(table.begin(_new_game(first)), asker)
                return
            self._follow(live, asker)
            live.replay_to(live.game.move_number)  # so that undo and earlier positions are quick

        self._later(open_it, asker)

    def _new(self, request: protocol.NewRequest, asker: Asker) -> None:
        table = self._hub.table
        if not request.source:
            self._follow(table.begin(_new_game(request), keep=request.keep), asker)
            return

        def fork() -> None:
            history, known = table.find(request.source).fork(request.move_number)
            self._follow(table.begin(history, known, keep=request.keep), asker)

        self._later(fork, asker)

    def _follow(self, live: PageGame, asker: Asker) -> None:
        with self._lock:
            if sum(one.name != live.name for one in self._live) >= MAX_FOLLOWED:
                raise LimitExceeded(f"{MAX_FOLLOWED} games are open, the maximum. Close one")
        live = self._hub.table.join(live, asker, self._note)
        with self._lock:
            closed = self._closed
        if closed:  # since then: `close` has missed this game
            self._hub.table.leave(live, self)

    def _note(self, live: PageGame) -> None:
        """Add a game before the page gets its state, since the page may move at once."""
        with self._lock:
            if live not in self._live:
                self._live.append(live)

    def _game(self, game: str) -> PageGame:
        with self._lock:
            live = self._followed(game)
        if live is None:
            raise NotFound(f"this page has not opened the game {game!r}")
        return live

    def _followed(self, game: str) -> PageGame | None:
        """A game by its id, or by its former id, since the page may not know the new one."""
        found = [one for one in self._live if one.name == game]
        found += [one for one in self._live if one.was == game]
        return found[0] if found else None

    def _close(self, request: protocol.CloseRequest, _: Asker) -> None:
        with self._lock:
            live = self._followed(request.game)
            if live is not None:
                self._live.remove(live)
        if live is not None:
            self._hub.table.leave(live, self, unplayed=request.unplayed)

    # ---- a game

    def _move(self, request: protocol.MoveRequest, asker: Asker) -> None:
        live = self._game(request.game)
        live.move(request.move, request.move_number, asker)

    def _undo(self, request: protocol.UndoRequest, asker: Asker) -> None:
        self._game(request.game).undo(asker)

    def _redo(self, request: protocol.RedoRequest, asker: Asker) -> None:
        self._game(request.game).redo(asker)

    def _take_back(self, request: protocol.TakeBackRequest, asker: Asker) -> None:
        live = self._game(request.game)
        self._later(lambda: live.take_back_help(asker), asker)

    def _view(self, request: protocol.ViewRequest, asker: Asker) -> None:
        live = self._game(request.game)
        self._later(lambda: asker.answer(live.position(request.move_number)), asker)

    def _autoplay(self, request: protocol.AutoplayRequest, asker: Asker) -> None:
        live, roster = self._game(request.game), self._hub.roster
        spec = roster.spec(request.player, live.game.rules)
        wish = Wish(request.moves_per_second, request.stop_tile, request.moves)
        live.start_player(spec.text, lambda: roster.make(spec), wish, asker)

    def _pause(self, request: protocol.PauseRequest, asker: Asker) -> None:
        self._game(request.game).pause(asker)

    # ---- analyses and reviews

    def _analyse(self, request: protocol.AnalyseRequest, _: Asker) -> None:
        hints: int | None = None
        if request.game:
            hints = self._game(request.game).show_hints(Board.parse(request.board))
        searches, order = self._hub.searches, order_of(self._hub.roster, request)

        def work(stop: Stop, send: SendReply) -> None:
            searches.send(order, stop, send, hints)

        self._ask(request, searches.threads, work)

    def _review(self, request: protocol.ReviewRequest, _: Asker) -> None:
        hub, player = self._hub, request.player.strip()
        judge = hub.roster.check(player) if player else None
        ply = None if request.ply is None else min(request.ply, MAX_PLY)

        def work(stop: Stop, send: SendReply) -> None:
            record = hub.table.record(request.game)
            spec = hub.judge_for(record, judge)
            hub.reviews.review(request.game, record, spec, ply, stop, send, request.start)

        self._ask(request, hub.reviews.threads, work)

    def _ask(self, request: AnyRequest, threads: JobThreads, work: Work) -> None:
        """Queue a request that takes time; the earlier one of its kind ends, and sends no more.

        `work` gets a flag that ends it, and sends replies.
        """
        kind, stop = type(request), Stop()

        def answer(reply: Reply) -> None:
            with self._lock:
                if self._asked.get(kind) is stop:
                    self._send(replace(reply, ref=request.ref))

        def run() -> None:
            try:
                if self._asked.get(kind) is stop:
                    work(stop, answer)
            except Exception as error:
                answer(refused(error))

        with self._lock:
            if self._closed:
                return
            before, self._asked[kind] = self._asked.get(kind), stop
        if before is not None:
            before.raise_flag()
        threads.start(run, stop.raise_flag)

    def _stop(self, _request: protocol.StopRequest, _: Asker) -> None:
        with self._lock:
            for stop in self._asked.values():
                stop.raise_flag()


def _new_game(request: protocol.NewRequest) -> Game:
    seed = parse_seed(request.seed) if request.seed else secrets.randbits(64)
    if not request.board:
        if request.score:
            raise InvalidBoard("expected a board with the score, got none")
        return Game(request.rules, seed)
    board = Board.parse(request.board)
    board.legal_moves()  # raises if every move would make too large a tile
    return Game.from_board(board, rules_for(board, request.rules), seed, score=request.score)


MESSAGES_PER_SECOND: Final = 200.0
"""Maximum mean rate of messages from a page."""

MESSAGES_AT_ONCE: Final = 400
"""Maximum burst of messages."""

MAX_WAITING_BYTES: Final = 16 * 2**20
"""Maximum size of queued replies."""

CLOSE_SECONDS: Final = 2.0
"""Seconds to wait for a page to accept the close frame."""

POLICY: Final = 1008
"""Close code: an invalid message, or too many."""

TRY_AGAIN: Final = 1013
"""Close code: the page reads too slowly."""


class Bucket:
    """Token bucket that limits the rate of messages: `size` tokens, `rate` more per second."""

    def __init__(
        self, size: float, rate: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._size, self._rate, self._clock = size, rate, clock
        self._tokens, self._last = size, clock()

    def take(self) -> bool:
        """Take a token; False if there is none."""
        before, self._last = self._last, self._clock()
        self._tokens = min(self._size, self._tokens + (self._last - before) * self._rate)
        is_there = self._tokens >= 1
        self._tokens -= is_there
        return is_there


End = tuple[int, str]
"""Code and reason for closing a connection."""


class Outbox:
    """Queue of replies to a page. Any thread may add one; `put` never blocks.

    A new frame or analysis replaces the queued one, at the end of the queue, so that a slow page
    gets the newest only and the order is kept. `get` must be awaited on `loop`.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, most_bytes: int = MAX_WAITING_BYTES
    ) -> None:
        self._loop = loop
        self._most_bytes = most_bytes
        self._waiting: OrderedDict[object, str] = OrderedDict()
        self._bytes = 0
        self._changed = asyncio.Event()
        self.overflow: asyncio.Future[End] = loop.create_future()
        """Done when the queue is full; later replies are dropped."""

    def put(self, reply: Reply) -> None:
        """Add a reply."""
        place: object = object()  # equal places replace each other
        if isinstance(reply, protocol.FrameReply):
            place = "frame", reply.game
        elif isinstance(reply, protocol.AnalysisReply | protocol.OutcomesReply):
            place = type(reply), reply.ref
        text = protocol.format_message(reply).decode()
        with contextlib.suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self._add, place, text)

    def _add(self, place: object, text: str) -> None:
        if self.overflow.done():
            return
        self._bytes += len(text) - len(self._waiting.pop(place, ""))
        self._waiting[place] = text
        self._changed.set()
        if self._bytes > self._most_bytes:
            self.overflow.set_result((TRY_AGAIN, "the page reads too slowly"))

    async def get(self) -> str:
        """Wait for the next reply."""
        while not self._waiting:
            self._changed.clear()
            await self._changed.wait()
        text = self._waiting.popitem(last=False)[1]
        self._bytes -= len(text)
        return text


class Sockets:
    """The WebSocket endpoint; creates a session for each connection."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one WebSocket."""
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        outbox = Outbox(asyncio.get_running_loop())
        session = Session(self._hub, outbox.put)
        ways = (_read(socket, session), _write(socket, outbox), outbox.overflow)
        tasks: list[asyncio.Future[End | None]] = [asyncio.ensure_future(way) for way in ways]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            end = next(task.result() for task in tasks if task in done)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            session.close()
        if end is not None:
            with contextlib.suppress(TimeoutError, OSError, RuntimeError):
                await asyncio.wait_for(socket.close(*end), CLOSE_SECONDS)


async def _read(socket: WebSocket, session: Session) -> End | None:
    """Pass messages to the session; returns how to close the connection, None if it is closed."""
    bucket = Bucket(MESSAGES_AT_ONCE, MESSAGES_PER_SECOND)
    while (message := await socket.receive())["type"] != "websocket.disconnect":
        if not bucket.take():
            return POLICY, f"expected at most {MESSAGES_PER_SECOND:.0f} messages a second"
        try:
            request = protocol.parse_request(message.get("bytes") or message.get("text") or b"")
        except protocol.InvalidMessage as error:
            return POLICY, str(error)
        if isinstance(request, protocol.RefusedReply):
            session.send(request)
        else:
            session.receive(request)
        await asyncio.sleep(0)  # let other tasks run, even if many messages arrived together
    return None


async def _write(socket: WebSocket, outbox: Outbox) -> None:
    """Send the replies of the outbox until the connection ends."""
    with contextlib.suppress(OSError, RuntimeError, WebSocketDisconnect):
        while True:
            await socket.send_text(await outbox.get())
