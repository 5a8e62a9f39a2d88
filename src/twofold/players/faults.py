"""Faults of players: what they raise or answer, told in one sentence with its place."""

import inspect
import os
import traceback
from collections.abc import Callable
from typing import Any, Final

from twofold.errors import TwofoldError
from twofold.notation import printable

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
