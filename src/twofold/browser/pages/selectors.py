"""Selectors of the generic adapter: where tiles are, how they are read, what to press.

    tiles = ".cell"                     # one element a cell, row by row
    value = "attribute:data-value"      # the attribute with its number
    score = "#score"

They are read from a TOML file, from options, or from both.
"""

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Self

from twofold.browser.pages.base import ARROWS
from twofold.errors import InvalidInput
from twofold.files import read_start
from twofold.limits import MAX_TEXT
from twofold.notation import check_shape, shown
from twofold.rules import Move

MAX_FILE_BYTES: Final = 65_536
"""Largest file of selectors, in bytes."""

_VALUE = re.compile(r"text|(attribute|class):[A-Za-z_][A-Za-z0-9_-]{0,99}", re.ASCII)
_CHOICES: Final = {"place": ("order", "box"), "numbers": ("tiles", "exponents")}


@dataclass(frozen=True, slots=True)
class Selectors:
    """CSS selectors of a game on a page, and how to read and play it.

    Attributes:
        tiles: the elements that hold the numbers.
        value: source of an element's number: `text`, `attribute:NAME`, or `class:PREFIX`, which
            reads 8 from a class `PREFIX8`.
        numbers: `tiles` (2, 4, 8 ...) or `exponents` (1, 2, 3 ...).
        place: `order` if there is one element a cell, row by row; `box` if only tiles have
            elements, whose positions on the board give the cell.
        board: the element that the cells fill; required with `box`.
        score: the element with the points.
        over: an element that is shown when the game has ended.
        won: an element that is shown while the page asks whether to continue; needs `keep_going`.
        keep_going: the element to click then.
        keys: the key of each move; arrows by default.
        buttons: the element to click for each move, instead of keys.

    Raises:
        InvalidInput: a value is invalid.
    """

    tiles: str
    value: str = "text"
    numbers: str = "tiles"
    place: str = "order"
    board: str = ""
    rows: int = 4
    cols: int = 4
    score: str = ""
    over: str = ""
    won: str = ""
    keep_going: str = ""
    keys: Mapping[Move, str] = field(default_factory=lambda: dict(ARROWS))
    buttons: Mapping[Move, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_shape(self.rows, self.cols, InvalidInput)
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                said = " or ".join(choices)
                raise InvalidInput(f"expected {name} = {said}, got {shown(getattr(self, name))}")
        if not _VALUE.fullmatch(self.value):
            raise InvalidInput(
                f"expected value = text, attribute:NAME or class:PREFIX, got {shown(self.value)}"
            )
        if not self.tiles:
            raise InvalidInput("expected a selector of the tiles, got none")
        if self.place == "box" and not self.board:
            raise InvalidInput("expected a selector of the board with place = box, got none")
        for name in ("keys", "buttons"):
            given = getattr(self, name)
            if given and set(given) != set(Move):
                raise InvalidInput(f"expected {name} for up, right, down and left, got fewer")

    @classmethod
    def from_mapping(cls, values: Mapping[str, object]) -> Self:
        """Make selectors from the names and values of a file or of options."""
        known = {one.name for one in fields(cls)}
        read: dict[str, Any] = {}
        for name, value in values.items():
            if name not in known:
                raise InvalidInput(
                    f"expected a name of selectors ({', '.join(sorted(known))}), got {shown(name)}"
                )
            if name in ("keys", "buttons"):
                read[name] = _of_moves(name, value)
            elif name in ("rows", "cols"):
                read[name] = _whole(name, value)
            else:
                read[name] = _text(name, value)
        if "tiles" not in read:
            raise InvalidInput("expected a selector of the tiles, got none")
        return cls(**read)


def read_selectors(path: str | os.PathLike[str] | None, options: Iterable[str]) -> Selectors:
    """Selectors from a TOML file, from options `NAME=VALUE`, or both; options have priority.

    Raises:
        InvalidInput: the file cannot be read, or a name or value is invalid.
    """
    values = {} if path is None else _parse_file(path)
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise InvalidInput(f"expected --selector NAME=VALUE, got {shown(option)}")
        group, dot, move = name.strip().partition(".")
        if dot:
            inner = values.setdefault(group, {})
            if not isinstance(inner, dict):
                raise InvalidInput(f"expected a table of {shown(group)}, got {shown(inner)}")
            inner[move] = value.strip()
        else:
            values[name.strip()] = value.strip()
    return Selectors.from_mapping(values)


def _parse_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    data = read_start(path, MAX_FILE_BYTES + 1)
    name = shown(os.fspath(path))
    if len(data) > MAX_FILE_BYTES:
        raise InvalidInput(f"expected at most {MAX_FILE_BYTES} bytes in {name}, got more")
    try:
        return tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeError, RecursionError) as error:
        raise InvalidInput(f"expected a TOML file, got {name}: {shown(str(error))}") from None


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise InvalidInput(f"expected {name} as a text, got {shown(value)}")
    return value


def _whole(name: str, value: object) -> int:
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,3}", value, re.ASCII):
        return int(value)
    if type(value) is not int:
        raise InvalidInput(f"expected {name} as a whole number, got {shown(value)}")
    return value


def _of_moves(name: str, value: object) -> dict[Move, str]:
    if not isinstance(value, dict):
        raise InvalidInput(f"expected {name} for up, right, down and left, got {shown(value)}")
    return {Move.parse(move): _text(f"{name}.{move}", one) for move, one in value.items()}
