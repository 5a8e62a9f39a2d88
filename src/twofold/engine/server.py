"""A player's replies to the lines of the engine protocol, without streams or threads.

`twofold.engine.server_streams` reads the lines and runs the searches.
`docs/reference/engine-protocol.md` is the specification.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Final

from twofold.engine.lines import first_word, format_line, parse_command
from twofold.engine.messages import (
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
)
from twofold.engine.server_search import ServerSearch
from twofold.errors import InvalidInput, InvalidLine, InvalidSpec, TwofoldError
from twofold.notation import format_spec, parse_spec, shown, split_hashes
from twofold.players import Player, make_player, short_spec
from twofold.players.registry import code_of
from twofold.rules import STANDARD, Rules
from twofold.version import __version__

STOP_SECONDS: Final = 0.03
"""Time limit for a player after `stop`; then the server replies in its place."""

AUTHOR: Final = "the twofold authors"


class EngineServer:
    """A player behind the engine protocol.

    Args:
        player: the player; the server closes it.
        write: writes text to the client.
        begin: schedules a search, in a separate thread or before the next line.
        make: makes a player from a spec after an option has changed.
    """

    def __init__(
        self,
        player: Player,
        write: Callable[[str], None],
        begin: Callable[[ServerSearch], None],
        make: Callable[[str], Player] = make_player,
    ) -> None:
        self._spec, self._code = player.spec, _code_of(player.spec)
        self._write, self._begin, self._make = write, begin, make
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
        options = []
        for name, value in split_hashes(parse_spec(self._spec).values)[0].items():
            try:
                options.append(Option(name, "string", value))
            except InvalidLine:  # its value does not fit in a line
                continue
        return options

    def _set(self, command: SetOption) -> None:
        known, _ = split_hashes(parse_spec(self._spec).values)
        if command.name not in known:
            names = ", ".join(known) or "none"
            raise InvalidSpec(f"expected an option ({names}), got {shown(command.name)}")
        name, changed = parse_spec(_short(self._spec))  # weights depend on eval
        spec = format_spec(name, changed | {command.name: command.value})
        if code_of(spec) - self._code:  # a client must not run code
            raise InvalidSpec(
                f"expected {command.name} without Python code, got {shown(command.value)}. "
                "Only the command that starts the engine can name code"
            )
        self._use(self._make(spec))

    def _use(self, player: Player) -> None:
        try:
            player.start(self._rules, self._seed)
        except TwofoldError:
            player.close()
            raise
        self._dismiss()
        self._present, self._spec = player, player.spec

    def _player(self) -> Player:
        """The player; a new one if the last one was abandoned in its search."""
        if self._present is None:
            self._use(self._make(self._spec))
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

    def _take(self, position: SetPosition) -> None:
        if position.board.shape != self._rules.shape:
            self._begin_game(Rules(*position.board.shape), self._seed)
        self._position = position

    def _go(self, command: Go) -> None:
        if self._position is None:
            raise InvalidLine("expected a position before go, got none")
        if self._position.board.is_over:
            self._say([BestMove(None)])
            return
        self._search = ServerSearch(self._player(), self._position, command, self._say)
        self._begin(self._search)

    # ---- searches

    @property
    def _is_searching(self) -> bool:
        return self._search is not None and not self._search.is_over

    def _stop(self) -> None:
        if self._search is None or self._search.is_over:
            return
        if not self._search.end_within(STOP_SECONDS):
            self._present = None  # the search closes the player

    def close(self, seconds: float = 0.0) -> None:
        """End the search after `seconds` at most, with its move, and close the player."""
        if self._search is not None:
            self._search.wait(seconds)
        self._stop()
        self._dismiss()


def _short(spec: str) -> str:
    """The options that differ from the defaults; the spec itself if it is not a known one."""
    try:
        return short_spec(spec)
    except InvalidSpec:
        return spec


def _code_of(spec: str) -> frozenset[str]:
    try:
        return code_of(spec)
    except InvalidSpec:
        return frozenset()


def opening_rules(player: Player) -> Rules:
    """Rules that the player can play: the standard ones, or those of the first shape it takes."""
    if not player.unsupported(STANDARD):
        return STANDARD
    for shape in ALL_SHAPES:
        if not player.unsupported(Rules(*shape)):
            return Rules(*shape)
    raise InvalidInput(f"the player {shown(player.spec)} supports no shape of boards")
