"""The messages of the engine protocol as plain values, and their lines as text, without streams.

`docs/reference/engine-protocol.md` is the specification. Lines with an unknown first word parse as
None, and unknown later words are ignored, for compatibility with later versions. Invalid lines
raise.

    >>> parse_command("position 1100/0000/0000/0000 score 0")
    SetPosition(board=Board.parse('1100/0000/0000/0000'), score=0, move_number=None)
    >>> format_line(BestMove(Move.LEFT))
    'bestmove l'
"""

import hashlib
import io
import math
import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from typing import Any, Final

from twofold.errors import InvalidInput, InvalidLine, InvalidSpec
from twofold.game import notation
from twofold.game.board import Board
from twofold.game.notation import shown
from twofold.game.rules import MOVES_BY_LETTER, STANDARD, Move, Rules
from twofold.limits import (
    MAX_ENGINE_LINE,
    MAX_MOVE_NUMBER,
    MAX_NODES,
    MAX_PLY,
    MAX_SCORE,
    MAX_SECONDS,
    MAX_SIDE,
    MAX_TEXT,
    MIN_CELLS,
    check_limit,
)
from twofold.search.analysis import LineStep
from twofold.search.budget import Budget
from twofold.storage.files import open_regular

ALL_SHAPES: Final = tuple(
    (rows, cols)
    for rows in range(1, MAX_SIDE + 1)
    for cols in range(1, MAX_SIDE + 1)
    if rows * cols >= MIN_CELLS
)
"""All shapes of boards, as (rows, cols)."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)


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
        name, value = self.name, self.value
        if not _NAME.fullmatch(name):
            raise InvalidLine(
                "expected an option's name of up to 40 letters a to z, digits and _, "
                f"got {shown(name)}"
            )
        if len(value) > MAX_TEXT or value != value.strip() or not value.isprintable():
            raise InvalidLine(
                f"expected a value of at most {MAX_TEXT} printable characters, got {shown(value)}"
            )


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
class Option(SetOption):
    """An option that the engine offers, with its default value."""


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
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    unit: str = ""
    values: Mapping[Move, float] = field(default_factory=dict)
    best: Move | None = None
    line: tuple[LineStep, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class BestMove:
    """The end of a search: the move to make, None on a dead board."""

    move: Move | None


@dataclass(frozen=True, slots=True)
class ErrorLine:
    """A command that was refused, and the reason in one sentence."""

    text: str


Answer = Word | Identity | Option | Shapes | Info | BestMove | ErrorLine


# ---- what a spec says of an engine


def parse_command_words(text: str) -> tuple[str, ...]:
    """Split a command into the program and its arguments, as a shell would."""
    notation.check_length(text, "the command of an engine", InvalidSpec)  # else it takes minutes
    words = _split("cmd", text)
    if not words or not words[0]:
        raise InvalidSpec(f"expected cmd= and the command of an engine, got {shown(text)}")
    return words


def parse_option_words(text: str) -> dict[str, str]:
    """Parse `"depth=4 style='very calm'"` to values by name."""
    found: dict[str, str] = {}
    for word in _split("options", text):
        name, equals, value = word.partition("=")
        if not equals or name in found:
            raise InvalidSpec(
                f"expected options as name=value, each once, separated by spaces, got {shown(text)}"
            )
        try:
            SetOption(name, value)
        except InvalidInput as error:
            raise InvalidSpec(f"{error} in options") from None
        found[name] = value
    return found


def _split(key: str, text: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise InvalidSpec(
            f"expected {key}= with closed quotations, got {shown(text)}: {str(error).lower()}"
        ) from None
    if any("\0" in word for word in words):
        raise InvalidSpec(f"expected {key}= without zero bytes, got {shown(text)}")
    return words


def hash_of_files(command: Sequence[str]) -> str:
    """The hash of the files that the words of a command name, in order; empty if they name none.

    A program named without a path, such as `python`, belongs to the machine and is not included.
    """
    files = [word for word in command if os.path.isfile(word)]
    if not files:
        return ""
    whole = hashlib.sha256()
    for name in files:
        with open_regular(name, InvalidSpec) as file:
            assert isinstance(file, io.BufferedReader)
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()[:16]


MAX_SHOWN_DEPTH: Final = 1_000
"""Largest depth of an `info` line, in plies."""

_DIGITS = re.compile(r"[0-9]{1,18}", re.ASCII)
_UNIT = re.compile(r"[!-~]{1,20}", re.ASCII)
_STEP = re.compile(r"([urdl])(?:@([0-9]{1,2}):([0-9]{1,11}))?", re.ASCII)


# ---- parts of lines


def first_word(line: str) -> str:
    """The first word of a line; empty if there is none."""
    return next(iter(line.split(None, 1)), "")


def _rest(line: str, words: int) -> str:
    parts = line.strip().split(None, words)
    return parts[words] if len(parts) > words else ""


def _number(name: str, low: int, high: int) -> Callable[[str], int]:
    """What reads a whole number between two limits."""

    def read(text: str) -> int:
        if not _DIGITS.fullmatch(text):
            raise InvalidLine(f"expected {name} as a whole number, got {shown(text)}")
        return check_limit(name, int(text), low, high)

    return read


def _seconds(text: str) -> float:
    """The time, from milliseconds: exact, so that writing and parsing round-trip."""
    notation.parse_number(text, "time in milliseconds", InvalidLine)
    seconds = float(Decimal(text).scaleb(-3))
    if not 0 <= seconds <= MAX_SECONDS:
        raise InvalidLine(f"expected time from 0 to {MAX_SECONDS * 1e3:g} ms, got {shown(text)}")
    return seconds


def _milliseconds(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    exact = format(Decimal(repr(seconds)).scaleb(3), "f")
    return exact.rstrip("0").rstrip(".") if "." in exact else str(int(exact))


def _value(text: str) -> float:
    endless = text in ("inf", "-inf")
    return float(text) if endless else notation.parse_number(text, "a value", InvalidLine)


def _letter(text: str) -> Move:
    if text not in MOVES_BY_LETTER:
        raise InvalidLine(f"expected a move u, r, d or l, got {shown(text)}")
    return MOVES_BY_LETTER[text]


def _unit(text: str) -> str:
    if not _UNIT.fullmatch(text):
        raise InvalidLine(f"expected a unit of 1 to 20 characters, got {shown(text)}")
    return text.replace("_", " ")


def _step(text: str) -> LineStep:
    match = _STEP.fullmatch(text)
    if not match:
        raise InvalidLine(f"expected a step such as l or l@5:2, got {shown(text)}")
    move = MOVES_BY_LETTER[match[1]]
    if match[2] is None:
        return LineStep(move)
    tile = 1 << notation.parse_tile(match[3], InvalidLine)
    if tile == 1:
        raise InvalidLine(f"expected a tile in a step, got {shown(text)}")
    return LineStep(move, int(match[2]), tile)


Fields = Mapping[str, Callable[[str], Any]]
"""The keys of a line, and what reads the value after each."""

_NEW: Final[Fields] = {"seed": notation.parse_seed}
_POSITION: Final[Fields] = {
    "score": _number("score", 0, MAX_SCORE),
    "move": _number("move", 0, MAX_MOVE_NUMBER),
}
_LIMITS: Final[Fields] = {
    "ply": _number("ply", 1, MAX_PLY),
    "time": _seconds,
    "nodes": _number("nodes", 1, MAX_NODES),
}
_INFO: Final[Fields] = {
    "depth": _number("depth", 0, MAX_SHOWN_DEPTH),
    "nodes": _number("nodes", 0, MAX_NODES),
    "time": _seconds,
    "unit": _unit,
    "best": _letter,
    **dict.fromkeys(MOVES_BY_LETTER, _value),
}


def _read(words: Sequence[str], fields: Fields) -> dict[str, Any]:
    """The values of the keys among some words; other words are passed over."""
    found: dict[str, Any] = {}
    rest = iter(words)
    for key in rest:
        if key not in fields:
            continue
        if key in found:
            raise InvalidLine(f"expected {key} once, got it twice")
        value = next(rest, None)
        if value is None:
            raise InvalidLine(f"expected a value after {key}, got the end of the line")
        found[key] = fields[key](value)
    return found


# ---- reading


def parse_command(line: str) -> Command | None:
    """Parse a line sent to an engine; None if its first word is unknown.

    Raises:
        InvalidInput: the line is invalid: `InvalidLine`, or the error of its board, rules, seed
            or limit.
    """
    match _words(line):
        case ["u2048" | "ready" | "stop" | "quit" as word, *_]:
            return Word(word)
        case ["option", *_]:
            return SetOption(first_word(_rest(line, 1)), _rest(line, 2))
        case ["new", *words]:
            end = words.index("seed") if "seed" in words else len(words)
            return NewGame(Rules.parse(" ".join(words[:end])), **_read(words[end:], _NEW))
        case ["position", board, *words]:
            found = _read(words, _POSITION)
            return SetPosition(Board.parse(board), found.get("score"), found.get("move"))
        case ["position"]:
            raise InvalidLine("expected position and a board, got no board")
        case ["go", *words]:
            found = _read(words, _LIMITS)
            return Go(
                Budget(found.get("ply"), found.get("time"), found.get("nodes")), "quiet" in words
            )
    return None


def parse_answer(line: str) -> Answer | None:
    """Parse a line from an engine; None if its first word is unknown, raises `InvalidInput`."""
    match _words(line):
        case ["u2048ok" | "readyok" as word, *_]:
            return Word(word)
        case ["id", "name" | "author" as key, *_]:
            return Identity(key, notation.printable(_rest(line, 2)))
        case ["option", "name", name, "default", *_]:
            return Option(name, _rest(line, 4))
        case ["option", *_]:
            raise InvalidLine(f"expected option name NAME default TEXT, got {shown(line)}")
        case ["shapes", "any"]:
            return Shapes(ALL_SHAPES)
        case ["shapes", *words]:
            if not words:
                raise InvalidLine("expected shapes and at least one shape, got none")
            return Shapes(tuple(notation.parse_shape(word, InvalidLine) for word in words))
        case ["info", *words]:
            return _parse_info(line, words)
        case ["bestmove", *words]:
            letter = words[0] if words else ""
            return BestMove(None if letter == "none" else _letter(letter))
        case ["error", *_]:
            return ErrorLine(notation.printable(_rest(line, 1)))
    return None


def _words(line: str) -> list[str]:
    if len(line) > MAX_ENGINE_LINE:
        raise InvalidLine(
            f"expected a line of at most {MAX_ENGINE_LINE} characters, got a longer one"
        )
    return line.split()


def _parse_info(line: str, words: list[str]) -> Info:
    end = next((n for n, word in enumerate(words) if word in ("line", "string")), len(words))
    found, last = _read(words[:end], _INFO), words[end : end + 1]
    return Info(
        depth=found.get("depth"),
        nodes=found.get("nodes"),
        seconds=found.get("time"),
        unit=found.get("unit", ""),
        values={move: found[key] for key, move in MOVES_BY_LETTER.items() if key in found},
        best=found.get("best"),
        line=tuple(map(_step, words[end + 1 :])) if last == ["line"] else (),
        text=notation.printable(_rest(line, end + 2)) if last == ["string"] else "",
    )


# ---- writing


def format_line(message: Command | Answer) -> str:
    """The line of a message, without the line break; inverse of the parsers."""
    match message:
        case Word():
            return message.value
        case Option(name, value):
            return f"option name {name} default {value}".rstrip()
        case SetOption(name, value):
            return f"option {name} {value}".rstrip()
        case NewGame():
            return f"new {message.rules} seed {message.seed}"
        case SetPosition():
            known = _known(score=message.score, move=message.move_number)
            return " ".join([f"position {message.board}", *known])
        case Go(budget, quiet):
            time = _milliseconds(budget.seconds)
            limits = _known(ply=budget.ply, time=time, nodes=budget.nodes)
            return " ".join(["go", *limits, *["quiet"] * quiet])
        case Identity():
            return f"id {message.key} {_one_line(message.text)}"
        case Shapes(shapes):
            names = [f"{rows}x{cols}" for rows, cols in shapes]
            return f"shapes {'any' if set(shapes) == set(ALL_SHAPES) else ' '.join(names)}"
        case Info():
            return _format_info(message)
        case BestMove():
            return f"bestmove {'none' if message.move is None else message.move.letter}"
        case ErrorLine():
            return f"error {_one_line(message.text)}"


def _one_line(text: str) -> str:
    return notation.printable(text)[:MAX_TEXT].strip()


def _known(**values: object) -> list[str]:
    return [f"{key} {value}" for key, value in values.items() if value is not None]


def _format_info(message: Info) -> str:
    time = _milliseconds(message.seconds)
    words = ["info", *_known(depth=message.depth, nodes=message.nodes, time=time)]
    if message.unit:
        words.append(f"unit {message.unit.replace(' ', '_')}")
    for move, value in sorted(message.values.items()):
        number = notation.format_number(value) if math.isfinite(value) else str(float(value))
        words.append(f"{move.letter} {number}")
    if message.best is not None:
        words.append(f"best {message.best.letter}")
    if message.line:
        words += ["line", *map(str, message.line)]
    if message.text:
        words += ["string", _one_line(message.text)]
    return " ".join(words)
