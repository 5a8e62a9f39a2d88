"""Faults of players: what they raise or answer, told in one sentence with its place."""

import inspect
import os
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from twofold.board import Board
from twofold.errors import InvalidSpec, PlayerError, TwofoldError
from twofold.notation import format_spec, parse_spec, printable, shown, split_hashes
from twofold.rules import Move

if TYPE_CHECKING:
    from twofold.players.base import Player

DEBUG: Final = "TWOFOLD_DEBUG"
"""With 1 in this environment variable, what a player raises is shown with its traceback."""

_SOURCES: Final[dict[str, str]] = {}
"""The files of the user's own code that was imported, each with the name that it was given."""


def note_source(file: str, name: str) -> None:
    """Note a file of the user's own, whose lines are named where it fails."""
    _SOURCES[file] = name


def describe(error: BaseException) -> str:
    """One sentence about an error that a player raised.

    Our own errors are told as they are, others with their type; then comes the line of the
    user's own file, if one was being run.
    """
    kind = "" if isinstance(error, TwofoldError) else type(error).__name__
    words = " ".join(_text(error).split())
    return printable(": ".join(filter(None, (kind, words)))) + last_place(error)


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except (Exception, SystemExit):  # that is code of a player, too
        return ""


def describe_caught(error: BaseException) -> str:
    """The sentence of `describe`, for who does not raise the error again.

    With TWOFOLD_DEBUG=1 in the environment its traceback goes to stderr.
    """
    if os.environ.get(DEBUG) == "1":
        traceback.print_exception(error)
    return describe(error)


def checked_move(player: "Player", board: Board, answer: object) -> Move:
    """The player's answer, if it is a legal move.

    Raises:
        PlayerError: it is not; names the player, the board and the answer.
    """
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


def _name(player: "Player") -> str:
    """The spec of a player without the hashes of files."""
    try:
        name, values = parse_spec(player.spec)
    except InvalidSpec:  # one of the player's own making
        return player.spec
    return format_spec(name, split_hashes(values)[0])


def _place_of_choice(player: "Player") -> str:
    return defined(vars(player).get("function", player.choose))  # that of a `FunctionPlayer`


def defined(function: Callable[..., Any]) -> str:
    """Where a function of the user's own begins: ` (my_player.py, line 7)`; else nothing."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return "" if code is None else _place(code.co_filename, code.co_firstlineno)


def last_place(error: BaseException) -> str:
    """The last line of the user's own files that an error passed through."""
    places = [
        _place(frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    return next(filter(None, reversed(places)), "")


def _place(file: str, line: int) -> str:
    return f" ({_SOURCES[file]}, line {line})" if file in _SOURCES else ""
