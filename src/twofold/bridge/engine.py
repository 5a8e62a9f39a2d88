"""Server of the engine protocol: any player, asked in lines of text on stdin, answers on stdout.

The thread that reads does everything but search, so that it sees `stop` and the end of the input
at once. `docs/reference/engine-protocol.md` is the specification.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Final

from twofold.bridge.engine_search import Search, SearchThread
from twofold.engine_lines import first_word, format_line, parse_command
from twofold.engine_messages import (
    ALL_SHAPES,
    Answer,
    BestMove,
    Command,
    Go,
    Identity,
    Info,
    NewGame,
    Option,
    Position,
    Refusal,
    SetOption,
    Shapes,
    Word,
)
from twofold.errors import InvalidInput, InvalidLine, InvalidSpec, TwofoldError
from twofold.limits import MAX_ENGINE_LINE
from twofold.notation import format_spec, parse_spec, shown
from twofold.players import Player, make_player, short_spec
from twofold.rules import STANDARD, Rules
from twofold.version import __version__

STOP_SECONDS: Final = 0.03
"""How long a player may take to end after `stop` before it is answered for."""

LAST_SECONDS: Final = 0.3
"""How long a search may go on after the end of the input: for who pipes some lines into it."""

AUTHOR: Final = "the twofold authors"


class EngineServer:
    """A player behind the engine protocol.

    Args:
        player: who is asked; the server closes it.
        write: writes text to the other side.
        make: makes a player from a spec, where an option changes it.
    """

    def __init__(
        self,
        player: Player,
        write: Callable[[str], None],
        make: Callable[[str], Player] = make_player,
    ) -> None:
        self._spec = player.spec
        self._write, self._make = write, make
        self._lock = threading.Lock()
        self._thread: SearchThread | None = SearchThread(player)
        self._rules, self._seed = player.rules, player.seed
        self._position: Position | None = None
        self._search: Search | None = None

    # ---- lines

    def obey(self, line: str) -> bool:
        """Do what a line says; whether there may be another one."""
        word = first_word(line)
        try:
            command = parse_command(line)
            if command is not None:
                return self._do(command)
            if word:
                self._say([Info(text=f"ignored the unknown word {shown(word)}")])
        except TwofoldError as error:
            if word == "position" and not self._is_searching:
                self._position = None
            self._say([Refusal(str(error))])
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
                    "expected stop, ready or quit while a search is under way, "
                    f"got {shown(format_line(command))}"
                )
            case SetOption():
                self._set(command)
            case NewGame():
                self._begin_game(command.rules, command.seed)
            case Position():
                self._take(command)
            case Go():
                self._go(command)
        return True

    # ---- commands

    def _introduce(self) -> None:
        player = self._player()
        shapes = tuple(shape for shape in ALL_SHAPES if not player.unsupported(Rules(*shape)))
        self._say(
            [
                Identity("name", f"twofold {__version__} {_short(self._spec)}"),
                Identity("author", AUTHOR),
                Shapes(shapes),
                *self._options(),
                Word.HELLO_OK,
            ]
        )

    def _options(self) -> list[Option]:
        """The keys of the player's spec; hashes of files go with the files."""
        options = []
        for name, value in parse_spec(self._spec).values.items():
            try:
                options += [Option(name, "string", value)] if not _is_hash(name) else []
            except InvalidLine:  # it cannot be said in a line
                continue
        return options

    def _set(self, command: SetOption) -> None:
        known = [key for key in parse_spec(self._spec).values if not _is_hash(key)]
        if command.name not in known:
            names = ", ".join(known) or "none"
            raise InvalidSpec(f"expected an option ({names}), got {shown(command.name)}")
        name, changed = parse_spec(_short(self._spec))  # another eval has other weights
        self._use(self._make(format_spec(name, changed | {command.name: command.value})))

    def _use(self, player: Player) -> None:
        """Go on with another player, if it can play under the present rules."""
        try:
            player.start(self._rules, self._seed)
        except TwofoldError:
            player.close()
            raise
        if self._thread is not None:
            self._thread.close()
        self._thread, self._spec = SearchThread(player), player.spec

    def _player(self) -> Player:
        """The player; another one like it, where the last one was left behind in its thread."""
        if self._thread is None:
            self._use(self._make(self._spec))
        assert self._thread is not None
        return self._thread.player

    def _begin_game(self, rules: Rules, seed: int) -> None:
        self._position = None
        self._player().start(rules, seed)
        self._rules, self._seed = rules, seed

    def _take(self, position: Position) -> None:
        if position.board.shape != self._rules.shape:
            self._begin_game(Rules(*position.board.shape), self._seed)
        self._position = position

    def _go(self, command: Go) -> None:
        if self._position is None:
            raise InvalidLine("expected a position before go, got none")
        if self._position.board.is_over:
            self._say([BestMove(None)])
            return
        self._player()
        assert self._thread is not None
        self._search = Search(self._position, command, self._say)
        self._thread.begin(self._search)

    # ---- searches

    @property
    def _is_searching(self) -> bool:
        return self._search is not None and not self._search.is_over

    def _stop(self) -> None:
        if self._search is None or self._search.end_within(STOP_SECONDS):
            return
        assert self._thread is not None
        self._thread.close(0.0)
        self._thread = None

    def close(self, seconds: float = 0.0) -> None:
        """End the search, with its move, after so many seconds at most, and the player."""
        if self._search is not None:
            self._search.wait(seconds)
        self._stop()
        if self._thread is not None:
            self._thread.close()
            self._thread = None


def _is_hash(key: str) -> bool:
    return key.endswith("_sha256")


def _short(spec: str) -> str:
    """What differs from the defaults; the spec itself, where no spec made the player."""
    try:
        return short_spec(spec)
    except InvalidSpec:
        return spec


def serve(player: Player, source: IO[bytes], sink: IO[bytes]) -> None:
    """Speak the protocol until `quit`, the end of the input, or the end of who reads.

    Args:
        player: who is asked, started for some rules; it is closed at the end.
        source: lines come from here.
        sink: answers go there, flushed.
    """
    gone = threading.Event()

    def write(text: str) -> None:
        try:
            sink.write(text.encode())
            sink.flush()
        except (OSError, ValueError):  # nobody reads any more; ValueError: closed
            gone.set()

    server = EngineServer(player, write)
    try:
        for line in lines_of(source):
            if not server.obey(line) or gone.is_set():
                return
        server.close(LAST_SECONDS)
    finally:
        server.close()


def lines_of(source: IO[bytes]) -> Iterator[str]:
    """The lines of a stream; of one that is too long the beginning, which is too long, too."""
    while line := source.readline(MAX_ENGINE_LINE + 2):
        rest = line
        while not rest.endswith(b"\n") and (rest := source.readline(65_536)):
            pass
        yield line.decode("utf-8", "replace").rstrip("\r\n")


def opening_rules(player: Player) -> Rules:
    """Rules that the player can play: the standard ones, or those of the first shape it takes.

    Raises:
        InvalidInput: there is no such shape.
    """
    if not player.unsupported(STANDARD):
        return STANDARD
    for shape in ALL_SHAPES:
        if not player.unsupported(Rules(*shape)):
            return Rules(*shape)
    raise InvalidInput(f"expected a player of boards of some shape, got {shown(player.spec)}")
