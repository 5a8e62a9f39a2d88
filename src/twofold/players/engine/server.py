"""A player's replies to the lines of the engine protocol, over streams.

`docs/reference/engine-protocol.md` is the specification. One thread reads the lines, so that it
sees `stop`, another one searches.
"""

import contextlib
import errno
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Final

from twofold.errors import InvalidInput, InvalidLine, InvalidSpec, TwofoldError
from twofold.game.notation import shown
from twofold.game.rules import STANDARD, Move, Rules
from twofold.limits import MAX_ENGINE_LINE
from twofold.players import Player, PlayerSpec, make_player
from twofold.players.base import assumed_score, checked_move, describe_caught, typed_spec
from twofold.players.engine.lines import (
    ALL_SHAPES,
    Answer,
    BestMove,
    Command,
    ErrorLine,
    Go,
    Identity,
    Info,
    NewGame,
    Option,
    SetOption,
    SetPosition,
    Shapes,
    Word,
    first_word,
    format_line,
    parse_command,
)
from twofold.players.searching import SearchPlayer, values_of
from twofold.search.analysis import Analysis, table_words
from twofold.search.budget import Budget, Stop
from twofold.version import __version__

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
        if not isinstance(player.part_for(board), SearchPlayer):
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
                infos = [info_of(found)]
                if found.table is not None and not self._said_table:
                    self._said_table = True
                    infos.insert(0, Info(text=f"table {table_words(found.table)}"))
                self._say(infos)

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


STOP_SECONDS: Final = 0.03
"""Time limit for a player after `stop`; then the server replies in its place."""

AUTHOR: Final = "the twofold authors"


class EngineServer:
    """A player behind the engine protocol.

    Args:
        player: the player; the server closes it.
        write: writes text to the client.
    """

    def __init__(self, player: Player, write: Callable[[str], None]) -> None:
        self._spec = self._first = PlayerSpec.parse(player.spec)
        self._write = write
        self._searches: queue.SimpleQueue[ServerSearch | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._present: Player | None = player
        self._rules, self._seed = player.rules, player.seed
        self._position: SetPosition | None = None
        self._search: ServerSearch | None = None

    # ---- lines

    def obey(self, line: str) -> bool:
        """Execute a line; False after `quit`."""
        try:
            command = parse_command(line)
            if command is not None:
                return self._do(command)
            if word := first_word(line):
                self._say([Info(text=f"ignored the unknown word {shown(word)}")])
        except TwofoldError as error:
            if first_word(line) == "position" and not self._is_searching:
                self._position = None
            self._say([ErrorLine(str(error))])
        return True

    def _say(self, answers: Sequence[Answer]) -> None:
        text = "".join(f"{format_line(answer)}\n" for answer in answers)
        with self._lock:
            self._write(text)

    def _do(self, command: Command) -> bool:
        match command:
            case Word.HELLO:
                self._introduce()
            case Word.READY:
                self._say([Word.READY_OK])
            case Word.STOP:
                self._stop()
            case Word.QUIT:
                return False
            case _ if self._is_searching:
                raise InvalidLine(
                    "expected stop, ready or quit during a search, "
                    f"got {shown(format_line(command))}"
                )
            case SetOption():
                self._set(command)
            case NewGame():
                self._begin_game(command.rules, command.seed)
            case SetPosition():
                if command.board.shape != self._rules.shape:
                    self._begin_game(Rules(*command.board.shape), self._seed)
                self._position = command
            case Go():
                self._go(command)
        return True

    # ---- commands

    def _introduce(self) -> None:
        player = self._player()
        name = f"twofold {__version__} {typed_spec(player)}"
        shapes = tuple(shape for shape in ALL_SHAPES if not player.unsupported(Rules(*shape)))
        answers: list[Answer] = [Identity("name", name), Identity("author", AUTHOR), Shapes(shapes)]
        for key, value in self._spec.values.items():
            with contextlib.suppress(InvalidLine):  # its value does not fit in a line
                answers.append(Option(key, value))
        self._say([*answers, Word.HELLO_OK])

    def _set(self, command: SetOption) -> None:
        if command.name not in self._spec.values:
            names = ", ".join(self._spec.values) or "none"
            raise InvalidSpec(f"expected an option ({names}), got {shown(command.name)}")
        short = PlayerSpec.parse(self._spec.short)  # weights depend on eval
        spec = short.with_keys(**{command.name: command.value})
        if spec.code - self._first.code:  # a client must not run code
            raise InvalidSpec(
                f"expected {command.name} without Python code, got {shown(command.value)}. "
                "Only the command that starts the engine can name code"
            )
        self._use(make_player(spec))

    def _use(self, player: Player) -> None:
        try:
            player.start(self._rules, self._seed)
        except TwofoldError:
            player.close()
            raise
        self._dismiss()
        self._present, self._spec = player, PlayerSpec.parse(player.spec)

    def _player(self) -> Player:
        """The player; a new one if the last one was abandoned in its search."""
        if self._present is None:
            self._use(make_player(self._spec))
        assert self._present is not None
        return self._present

    def _dismiss(self) -> None:
        if self._present is not None:
            self._present.close()
            self._present = None

    def _begin_game(self, rules: Rules, seed: int) -> None:
        self._position = None
        self._player().start(rules, seed)
        self._rules, self._seed = rules, seed

    def _go(self, command: Go) -> None:
        if self._position is None:
            raise InvalidLine("expected a position before go, got none")
        if self._position.board.is_over:
            self._say([BestMove(None)])
            return
        if self._search is None or self._search.is_left_behind:
            work = threading.Thread(
                target=_work, args=(self._searches,), name="engine-worker", daemon=True
            )
            work.start()
        self._search = ServerSearch(self._player(), self._position, command, self._say)
        self._searches.put(self._search)

    # ---- searches

    @property
    def _is_searching(self) -> bool:
        return self._search is not None and not self._search.is_over

    def _stop(self) -> None:
        search = self._search
        if search is not None and not search.is_over and not search.end_within(STOP_SECONDS):
            self._present = None  # the search closes the player

    def close(self, seconds: float = 0.0) -> None:
        """End the search after `seconds` at most, with its move, and close the player."""
        if self._search is not None:
            self._search.wait(seconds)
        self._stop()
        self._dismiss()
        self._searches.put(None)


def _work(searches: "queue.SimpleQueue[ServerSearch | None]") -> None:
    """Run searches, in a thread, until one is abandoned: then there is another thread."""
    while (search := searches.get()) is not None:
        search.run()
        if search.is_left_behind:
            return


def opening_rules(player: Player) -> Rules:
    """Rules that the player can play: the standard ones, or those of the first shape it takes."""
    for rules in (STANDARD, *(Rules(*shape) for shape in ALL_SHAPES)):
        if not player.unsupported(rules):
            return rules
    raise InvalidInput(f"the player {shown(player.spec)} supports no shape of boards")


LAST_SECONDS: Final = 0.3
"""Time limit of a search after the end of the input, for piped input."""

_CHUNK: Final = 65_536


def serve(player: Player, source: IO[bytes], sink: IO[bytes]) -> None:
    """Serve the protocol until `quit`, the end of the input, or a closed output.

    Args:
        player: the player, started for some rules; it is closed at the end.
        source: input, unbuffered.
        sink: output, flushed after each reply.

    Raises:
        OSError: a reply cannot be written, for example to a full disk.
    """
    failed: list[Exception] = []

    def write(text: str) -> None:
        try:
            sink.write(text.encode())
            sink.flush()
        except (OSError, ValueError) as error:  # ValueError: closed
            failed.append(error)

    server = EngineServer(player, write)
    seconds = LAST_SECONDS
    try:
        for line in lines_of(source):
            if not server.obey(line):
                seconds = 0.0
                break
            if failed:
                break
        server.close(seconds)
    finally:
        server.close()
    match failed:
        case [ConnectionError() | OSError(errno=errno.EINVAL), *_]:
            pass  # no reader any more; EINVAL on Windows
        case [OSError() as error, *_]:
            raise error


def lines_of(source: IO[bytes]) -> Iterator[str]:
    """The lines of a stream; too long ones are truncated to a length that is still refused."""
    rest = b""
    while chunk := source.read(_CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        rest = rest[: MAX_ENGINE_LINE + 2]
        yield from map(_text_of, lines)
    if rest:
        yield _text_of(rest)


def _text_of(line: bytes) -> str:
    line = line.rstrip(b"\r")
    # Latin-1 keeps the length of a long line, so that it is refused.
    return line.decode("latin-1" if len(line) > MAX_ENGINE_LINE else "utf-8", "replace")
