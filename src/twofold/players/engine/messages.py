"""The messages of the engine protocol as plain values: commands to an engine, and its replies."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from twofold.errors import InvalidLine, InvalidSpec
from twofold.game.board import Board
from twofold.game.notation import shown
from twofold.game.rules import STANDARD, Move, Rules
from twofold.limits import MAX_SIDE, MAX_TEXT, MIN_CELLS
from twofold.search.analysis import LineStep
from twofold.search.budget import Budget

ALL_SHAPES: Final = tuple(
    (rows, cols)
    for rows in range(1, MAX_SIDE + 1)
    for cols in range(1, MAX_SIDE + 1)
    if rows * cols >= MIN_CELLS
)
"""All shapes of boards, as (rows, cols)."""

OPTION_KINDS: Final = ("check", "spin", "combo", "string")
"""The types of options: true or false, a whole number, one of several words, any text."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)
WHOLE = re.compile(r"-?[0-9]{1,18}", re.ASCII)


class Word(Enum):
    """The messages of one word."""

    HELLO = "u2048"
    HELLO_OK = "u2048ok"
    READY = "ready"
    READY_OK = "readyok"
    STOP = "stop"
    QUIT = "quit"


# ---- commands to an engine


@dataclass(frozen=True, slots=True)
class SetOption:
    """Sets an option that the engine has offered."""

    name: str
    value: str

    def __post_init__(self) -> None:
        _check_name(self.name)
        _check_text(self.value)


@dataclass(frozen=True, slots=True)
class NewGame:
    """Starts a new game; the engine resets its state."""

    rules: Rules = STANDARD
    seed: int = 0


@dataclass(frozen=True, slots=True)
class SetPosition:
    """Sets the position, with the score in points and the move number where known."""

    board: Board
    score: int | None = None
    move_number: int | None = None


@dataclass(frozen=True, slots=True)
class Go:
    """Starts a search within `budget`, or the engine's own limits; `quiet` means without `info`."""

    budget: Budget = field(default_factory=Budget)
    quiet: bool = False


Command = Word | SetOption | NewGame | SetPosition | Go


# ---- replies of an engine


@dataclass(frozen=True, slots=True)
class Identity:
    """`id name` or `id author`."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Option:
    """An option that an engine offers.

    `kind` is `check` (true or false), `spin` (a whole number from `low` to `high`), `combo` (one of
    `choices`) or `string`.
    """

    name: str
    kind: str
    default: str
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_name(self.name)
        _check_text(self.default)
        if self.kind not in OPTION_KINDS:
            raise InvalidLine(
                f"expected an option of type {', '.join(OPTION_KINDS)}, got {shown(self.kind)}"
            )
        try:
            self.check(self.default)
        except InvalidSpec as error:
            raise InvalidLine(f"{error} as its default") from None

    def check(self, value: str) -> str:
        """Return `value` if it is valid for the option; otherwise raise `InvalidSpec`."""
        wanted = ""
        if self.kind == "check" and value not in ("true", "false"):
            wanted = "true or false"
        elif self.kind == "combo" and value not in self.choices:
            wanted = f"one of {shown(', '.join(self.choices))}"
        elif self.kind == "spin" and not (
            WHOLE.fullmatch(value) and self.low <= int(value) <= self.high
        ):
            wanted = f"a whole number from {self.low} to {self.high}"
        if wanted:
            raise InvalidSpec(f"expected {wanted} for the option {self.name}, got {shown(value)}")
        return value


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes of boards that the engine can play, as (rows, cols)."""

    shapes: tuple[tuple[int, int], ...] = ((4, 4),)


@dataclass(frozen=True, slots=True)
class Info:
    """Intermediate results of a search; None and empty if not given.

    Attributes:
        depth: depth to which all moves were searched, in plies.
        nodes: positions visited since `go`.
        seconds: time since `go`.
        unit: unit of the values.
        values: the value of each legal move.
        best: the best move so far.
        line: the principal variation.
        text: text for people; a message has a line or a text, not both.
        faults: why a field of the line could not be read, by its name; it is then left out.
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    unit: str = ""
    values: Mapping[Move, float] = field(default_factory=dict)
    best: Move | None = None
    line: tuple[LineStep, ...] = ()
    text: str = ""
    faults: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BestMove:
    """The end of a search: the move to make, None on a dead board."""

    move: Move | None


@dataclass(frozen=True, slots=True)
class ErrorLine:
    """A command that was refused, and the reason in one sentence."""

    text: str


Answer = Word | Identity | Option | Shapes | Info | BestMove | ErrorLine


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise InvalidLine(
            f"expected an option's name of up to 40 letters a to z, digits and _, got {shown(name)}"
        )


def _check_text(text: str) -> None:
    if len(text) > MAX_TEXT or text != text.strip() or not text.isprintable():
        raise InvalidLine(
            f"expected a value of at most {MAX_TEXT} printable characters, got {shown(text)}"
        )
