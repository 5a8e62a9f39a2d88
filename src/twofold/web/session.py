"""Session: the requests and replies of one page, without a socket."""

import secrets
import threading
from collections.abc import Callable
from typing import Any, Final

from twofold.board import Board
from twofold.errors import InvalidBoard, LimitExceeded
from twofold.game import Game
from twofold.notation import parse_seed
from twofold.play.store import NotFound
from twofold.records.formats import parse_position
from twofold.web import protocol
from twofold.web.asked import Asked, AskedAnalysis, Send, refused
from twofold.web.autoplay import Wish
from twofold.web.hub import Hub
from twofold.web.page_game import Asker, PageGame, tiles_of
from twofold.web.protocol import AnyRequest, Reply
from twofold.web.reviews import MAX_PLY, AskedReview
from twofold.web.searches import clamped, order_of, rules_for

MAX_FOLLOWED: Final = 16
"""Maximum number of games that a page follows."""


class Session:
    """Handles the requests of one page.

    `send` takes replies from any thread and must not block; it gets `Welcome` at once.
    """

    def __init__(self, hub: Hub, send: Send) -> None:
        self._hub = hub
        self._send = send
        self._lock = threading.Lock()  # acquire it after the locks of tables and games
        self._live: list[PageGame] = []
        self._asked: dict[type[Asked], Asked] = {}
        self._closed = False
        hub.join(self)

    def send(self, reply: Reply) -> None:
        """Send a reply, unless the session is closed."""
        if not self._closed:
            self._send(reply)

    def receive(self, request: AnyRequest) -> None:
        """Handle a request, or send `Refused`; quick, and never raises."""
        handle: Callable[[Any], None] = getattr(self, f"_{request.__struct_config__.tag}")
        self._guarded(lambda: handle(request), request.ref)

    def close(self) -> None:
        """Cancel the session's searches and leave its games. May be called twice."""
        with self._lock:
            self._closed = True
            games, self._live = self._live, []
            asked, self._asked = list(self._asked.values()), {}
        for one in asked:
            one.drop()
        for live in games:
            self._hub.table.leave(live, self)
        self._hub.leave(self)

    def _guarded(self, do: Callable[[], None], ref: int) -> None:
        if self._closed:
            return
        try:
            do()
        except Exception as error:
            self.send(refused(error, ref))

    def _later(self, do: Callable[[], None], ref: int) -> None:
        """Do something slow in another thread."""
        self._hub.desk.submit(lambda: self._guarded(do, ref))

    # ---- games

    def _open(self, request: protocol.OpenRequest) -> None:
        def open_it() -> None:
            table, asker = self._hub.table, Asker(self, request.ref)
            live = table.find(request.game) if request.game else table.find_last()
            if live is None:
                first = protocol.NewRequest(rules=str(self._hub.roster.home or ""))
                self._follow(table.begin(_new_game(first)), asker)
                return
            self._follow(live, asker)
            live.replay()

        self._later(open_it, request.ref)

    def _new(self, request: protocol.NewRequest) -> None:
        table, asker = self._hub.table, Asker(self, request.ref)
        if not request.source:
            self._follow(table.begin(_new_game(request), keep=request.keep), asker)
            return

        def fork() -> None:
            history, known = table.find(request.source).fork(request.move_number)
            self._follow(table.begin(history, known, keep=request.keep), asker)

        self._later(fork, request.ref)

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

    def _close(self, request: protocol.CloseRequest) -> None:
        with self._lock:
            live = self._followed(request.game)
            if live is not None:
                self._live.remove(live)
        if live is not None:
            self._hub.table.leave(live, self, unplayed=request.unplayed)

    def _games(self, request: protocol.GamesRequest) -> None:
        self._later(lambda: self._send_games(request.ref), request.ref)

    def _send_games(self, ref: int) -> None:
        self.send(protocol.GamesReply(ref=ref, games=self._hub.table.infos()))

    def _delete(self, request: protocol.DeleteRequest) -> None:
        def delete() -> None:
            self._hub.table.delete(request.game)
            self._send_games(request.ref)

        self._later(delete, request.ref)

    # ---- a game

    def _move(self, request: protocol.MoveRequest) -> None:
        live = self._game(request.game)
        live.move(request.move, request.move_number, Asker(self, request.ref), by=request.by)

    def _undo(self, request: protocol.UndoRequest) -> None:
        self._game(request.game).undo(Asker(self, request.ref))

    def _redo(self, request: protocol.RedoRequest) -> None:
        self._game(request.game).redo(Asker(self, request.ref))

    def _view(self, request: protocol.ViewRequest) -> None:
        live, asker = self._game(request.game), Asker(self, request.ref)
        self._later(lambda: asker.answer(live.position(request.move_number)), request.ref)

    def _autoplay(self, request: protocol.AutoplayRequest) -> None:
        live, roster = self._game(request.game), self._hub.roster
        spec = roster.spec(request.player, live.game.rules)
        roster.check(spec)
        wish = Wish(request.moves_per_second, request.stop_tile, request.moves)
        live.start_player(spec, lambda: roster.make(spec), wish, Asker(self, request.ref))

    def _pause(self, request: protocol.PauseRequest) -> None:
        self._game(request.game).pause(Asker(self, request.ref))

    # ---- boards and reviews

    def _board(self, request: protocol.BoardRequest) -> None:
        board, score = parse_position(request.text)
        self.send(
            protocol.BoardInfo(
                ref=request.ref,
                board=str(board),
                tiles=tiles_of(board),
                rows=board.rows,
                cols=board.cols,
                legal="".join(move.letter for move in board.legal_moves()),
                max_tile=board.max_tile,
                score=score,
            )
        )

    def _analyse(self, request: protocol.AnalyseRequest) -> None:
        hints: int | None = None
        if request.game:
            hints = self._game(request.game).show_hints(Board.parse(request.board))
        order = order_of(
            self._hub.roster,
            board=request.board,
            rules=request.rules,
            player=request.player,
            score=request.score,
            budget=clamped(request.seconds, request.nodes, request.ply),
            outcomes=request.outcomes,
        )
        asked = AskedAnalysis(self._hub.searches, order, self.send, request.ref, hints)
        self._ask(asked)
        self._hub.searches.start(asked.run, asked.stop)

    def _review(self, request: protocol.ReviewRequest) -> None:
        player = request.player.strip()
        if player:
            self._hub.roster.check(player)
        ply = None if request.ply is None else min(request.ply, MAX_PLY)
        hub = self._hub
        asked = AskedReview(
            hub.reviews, request.game, player, ply,
            hub.table.record, hub.judge_for, self.send, request.ref,
        )  # fmt: skip
        self._ask(asked)
        hub.reviews.start(asked)

    def _ask(self, asked: Asked) -> None:
        """Register a request, and cancel the earlier one of its kind."""
        with self._lock:
            before = self._asked.get(type(asked))
            self._asked[type(asked)] = asked
            closed = self._closed
        if before is not None:
            before.drop()
        if closed:
            asked.drop()

    def _stop(self, request: protocol.StopRequest) -> None:
        with self._lock:
            asked = list(self._asked.values())
        for one in asked:
            one.finish()


def _new_game(request: protocol.NewRequest) -> Game:
    seed = parse_seed(request.seed) if request.seed else secrets.randbits(64)
    if not request.board:
        if request.score:
            raise InvalidBoard("expected a board with the score, got none")
        return Game(request.rules, seed)
    board = Board.parse(request.board)
    board.legal_moves()  # raises if every move would make too large a tile
    return Game.from_board(board, rules_for(board, request.rules), seed, score=request.score)
