"""Player: subclass it and implement `choose`; all other methods have defaults.

Example::

    class Leftmost(Player):
        def choose(self, board, *, score=None, move_number=0):
            return board.legal_moves()[-1]
"""

import contextlib
import inspect
import os
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from threading import get_ident
from types import FunctionType
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, Self, SupportsIndex, TypeVar

from twofold.errors import (
    GameOver,
    InvalidSpec,
    PlayerError,
    PlayerInUse,
    TwofoldError,
    UnsupportedRules,
)
from twofold.figures import shortened
from twofold.game.board import Board
from twofold.game.notation import printable, shown
from twofold.game.rules import STANDARD, Move, Rules
from twofold.limits import MAX_EXPONENT
from twofold.search.analysis import Analysis, MoveAnalysis, MoveValue
from twofold.search.budget import Budget, Stop

if TYPE_CHECKING:
    from twofold.tables.library import TableAnswer

DEBUG: Final = "TWOFOLD_DEBUG"
"""Environment variable; with 1, errors of players are printed with their traceback."""

_LONGEST: Final = 500
"""Most characters of an error's own message."""

_OF_NUMBA: Final = ("Failed in nopython mode", "During: ")
"""Lines of Numba's errors that say nothing about the user's code."""

_SOURCES: Final[dict[str, str]] = {}
"""Imported files of the user, by path, with the names under which they were given."""


def note_source(file: str, name: str) -> None:
    """Register a file of the user, so that messages name its lines."""
    _SOURCES[file] = name


def describe(error: BaseException) -> str:
    """One sentence about an error that a player raised.

    It names the type, except for errors of twofold, and the line in the user's file, if any. A
    long message is cut.
    """
    error = _first(error)
    kind = "" if isinstance(error, TwofoldError) else type(error).__name__
    lines = [line for line in _text(error).splitlines() if not line.startswith(_OF_NUMBA)]
    words = " ".join(" ".join(lines).split())
    words = shortened(words, _LONGEST)
    return printable(": ".join(filter(None, (kind, words)))) + last_place(error)


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except (Exception, SystemExit):  # `__str__` of a user's class may fail, too
        return ""


def describe_caught(error: BaseException) -> str:
    """`describe`, for errors that are not raised again; TWOFOLD_DEBUG=1 prints the traceback."""
    if os.environ.get(DEBUG) == "1":
        traceback.print_exception(error)
    return describe(error)


def as_fault(error: BaseException) -> Exception:
    """The error itself; for `sys.exit()` and the like of a player a PlayerError that names it."""
    return error if isinstance(error, Exception) else PlayerError(describe(error))


def defined(function: Callable[..., Any]) -> str:
    """The first line of a user's function: ` (my_player.py, line 7)`; empty for other code."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return "" if code is None else _place(code.co_filename, code.co_firstlineno)


def last_place(error: BaseException) -> str:
    """The last line in a user's file that an error passed through."""
    places = [
        _place(frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(_first(error).__traceback__)
    ]
    return next(filter(None, reversed(places)), "")


def _first(error: BaseException) -> BaseException:
    """The error itself; a StopIteration where Python made a RuntimeError of it in a generator."""
    cause = error.__cause__
    made = isinstance(error, RuntimeError) and isinstance(cause, StopIteration)
    return cause if made and cause is not None else error


def _place(file: str, line: int) -> str:
    return f" ({printable(_SOURCES[file])}, line {line})" if file in _SOURCES else ""


P = ParamSpec("P")
T = TypeVar("T")

_ASSUMED: Final = (0, *((exponent - 1) << exponent for exponent in range(1, MAX_EXPONENT + 1)))
"""`assumed_score` of one tile of each exponent."""

_USERS: Final[dict[int, int]] = {}
"""The thread in a call of each player that is in use, by the player's `id`. Single operations of a
dict are atomic, and cost less than a lock."""


class used:  # noqa: N801 - read as a verb: `with used(player)`
    """Use a player in this thread alone; raises `PlayerInUse` while another one does."""

    __slots__ = ("_is_nested", "_player")

    def __init__(self, player: "Player") -> None:
        self._player = player

    def __enter__(self) -> None:
        thread, key = get_ident(), id(self._player)
        self._is_nested = _USERS.get(key) == thread
        if not self._is_nested and _USERS.setdefault(key, thread) != thread:
            raise PlayerInUse(
                f"expected one thread at a time to use {typed_spec(self._player)}, got two: "
                "make one player each"
            )

    def __exit__(self, *_: object) -> None:
        if not self._is_nested:
            del _USERS[id(self._player)]


def _alone(method: "Callable[Concatenate[Player, P], T]") -> "Callable[Concatenate[Player, P], T]":
    """The method, for one thread at a time."""

    @wraps(method)
    def call(self: "Player", /, *args: P.args, **options: P.kwargs) -> T:
        with used(self):
            return method(self, *args, **options)

    return call


def _alone_step_by_step(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that yields, for one thread at a time in each step."""

    @wraps(method)
    def call(self: "Player", *args: Any, **options: Any) -> Iterator[Any]:
        with used(self):
            steps = iter(method(self, *args, **options))
        try:
            while True:
                with used(self):
                    found = next(steps, None)
                if found is None:
                    return
                yield found
        finally:
            if hasattr(steps, "close"):
                steps.close()

    return call


_ALONE: Final = {
    "start": _alone,
    "choose": _alone,
    "analyse": _alone,
    "stream": _alone_step_by_step,
    "table_answer": _alone,
}
"""The methods that use a player's state; each subclass has them for one thread at a time."""


class Player(ABC):
    """Chooses moves. An instance plays one game at a time, for one thread at a time.

    A second thread that uses it meanwhile gets `PlayerInUse`: make a player for each thread.

    Attributes:
        spec: canonical spec, set by `make_player`; by default the class name.
        made_from: the same as a `PlayerSpec`; None if `make_player` did not make it.
        compiled: True if kernels do the work and release the GIL: the arena runs such players in
            threads, others in processes.
        reproducible: True if a game depends on (player, rules, seed) alone, without time limits.
        home: the only rules that the player supports; None for many.
        rules: rules of the current game; `seed` is its seed.
    """

    spec: str = ""
    made_from: Any = None
    compiled: bool = False
    reproducible: bool = True
    home: Rules | None = None
    rules: Rules = STANDARD
    seed: int = 0

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "spec" not in cls.__dict__:
            cls.spec = cls.__name__
        for name, alone in _ALONE.items():
            if isinstance(method := cls.__dict__.get(name), FunctionType):
                setattr(cls, name, alone(method))

    def __repr__(self) -> str:
        if self.made_from is None:
            return super().__repr__()
        return f"make_player({self.made_from.short!r})"

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        """Copy and pickle players made from a spec as that spec."""
        if self.made_from is not None:
            return self.made_from.make, ()
        return super().__reduce_ex__(protocol)

    @_alone
    def start(self, rules: Rules, seed: int) -> None:
        """Prepare for a new game; state of earlier games is dropped.

        Raises:
            UnsupportedRules: the player cannot play under these rules.
        """
        reason = self.unsupported(rules)
        if reason:
            raise UnsupportedRules(f"{reason} for {typed_spec(self)}, got rules {rules}")
        self.rules = rules
        self.seed = seed

    def unsupported(self, rules: Rules) -> str:
        """Why these rules are not supported (`expected ...`), or an empty text."""
        return ""

    @property
    def has_values(self) -> bool:
        """True if `analyse` or `stream` are its own, which may value moves."""
        kind = type(self)
        return kind.analyse is not Player.analyse or kind.stream is not Player.stream

    @property
    def takes_limits(self) -> bool:
        """True if `analyse` keeps to a budget; commands refuse limits for other players."""
        return self.has_values

    @abstractmethod
    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        """Choose a move.

        Args:
            board: the position, with at least one legal move.
            score: points so far; None: as if every spawn had been a 2.
            move_number: moves made since the start.

        Raises:
            GameOver: no move is legal.
        """

    @_alone
    def analyse(
        self,
        board: Board,
        budget: Budget | None = None,
        *,
        score: int | None = None,
        stop: Stop | None = None,
    ) -> Analysis:
        """Value the four moves; by default only the chosen move is known.

        `budget` replaces the player's limits, `stop` lets another thread end the search early.
        `score`, the requirement of a legal move and `GameOver` are as in `choose`.
        """
        best = checked_move(self, board, self.choose(board, score=score))
        return Analysis(board, move_list(board), best, self.spec, reproducible=self.reproducible)

    def stream(
        self,
        board: Board,
        budget: Budget | None = None,
        *,
        score: int | None = None,
        stop: Stop | None = None,
    ) -> Iterator[Analysis]:
        """Improving analyses, at least one; arguments as in `analyse`."""
        yield self.analyse(board, budget, score=score, stop=stop)

    @property
    def parts(self) -> "tuple[Player, ...]":
        """The players that it consists of, each for some boards; itself alone by default."""
        return (self,)

    def part_for(self, board: Board) -> "Player":
        """The part that plays a board; only the values of one part can be compared."""
        return self

    def table_answer(self, board: Board) -> "TableAnswer | None":
        """The answer of the endgame table that chooses the move, or None."""
        return None

    def close(self) -> None:
        """Release resources; the player cannot be used afterwards."""
        return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class StreamPlayer(Player):
    """A player whose analysis is the last one of its `stream`."""

    def analyse(self, board: Board, budget: Budget | None = None, **more: Any) -> Analysis:
        """The last analysis of `stream`."""
        *_, last = self.stream(board, budget, **more)
        return last


def typed_spec(player: Player) -> str:
    """The player in messages and on screens: `PlayerSpec.title`, where that is known."""
    with contextlib.suppress(InvalidSpec):
        if player.made_from is not None:
            return str(player.made_from.title)
    return printable(player.spec)


def move_list(
    board: Board, values: Mapping[Move, MoveValue] | None = None, depth: int = 0
) -> tuple[MoveAnalysis, MoveAnalysis, MoveAnalysis, MoveAnalysis]:
    """The four moves of a board: legality, rewards, and the values of a search."""
    legal = board.legal_moves()

    def of(move: Move) -> MoveAnalysis:
        found = values.get(move) if values else None
        reward = board.slide(move).reward if move in legal else 0
        if found is None:
            return MoveAnalysis(move, move in legal, None, reward)
        return MoveAnalysis(move, True, found.value, reward, depth, found.nodes)

    up, right, down, left = map(of, Move)
    return up, right, down, left


def check_going(board: Board) -> tuple[Move, ...]:
    """The legal moves; raises `GameOver` if there are none."""
    legal = board.legal_moves()
    if not legal:
        why = "the game is over" if any(board.exponents) else "it has no tile"
        raise GameOver(f"no move is legal on {board}: {why}")
    return legal


def assumed_score(board: Board) -> int:
    """The score of a board if every spawn had been a 2: a tile 2^k counts (k-1) 2^k points."""
    return sum(map(_ASSUMED.__getitem__, board.exponents))


def checked_move(player: Player, board: Board, answer: object) -> Move:
    """The answer as a legal move; else raises `PlayerError` with player, board and answer."""
    try:
        move = Move(answer)  # type: ignore[arg-type]
    except ValueError:
        place = _place_of_choice(player)
        raise PlayerError(
            f"expected a Move from {_name(player)}, got {shown(answer)}{place}"
        ) from None
    if move not in board.legal_moves():
        raise PlayerError(
            f"expected a legal move from {_name(player)} on {board}, got {move.name.lower()}"
            f"{_place_of_choice(player)}"
        )
    return move


def _name(player: Player) -> str:
    made_from = player.made_from
    return printable(player.spec) if made_from is None else str(made_from.without_hashes)


def _place_of_choice(player: Player) -> str:
    return defined(vars(player).get("function", player.choose))  # the function of `FunctionPlayer`
