"""Messages about errors that players raise, with the line in the user's file."""

import inspect
import os
import traceback
from collections.abc import Callable
from typing import Any, Final

from twofold.errors import PlayerError, TwofoldError
from twofold.notation import printable

DEBUG: Final = "TWOFOLD_DEBUG"
"""Environment variable; with 1, errors of players are printed with their traceback."""

_LONGEST: Final = 500
"""Most characters of an error's own message."""

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
    words = " ".join(_text(error).split())
    if len(words) > _LONGEST:
        words = f"{words[:_LONGEST]} ..."
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
