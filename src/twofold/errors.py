"""Every error twofold raises on purpose.

They are one tree::

    TwofoldError
    |-- InvalidInput (also a ValueError)     exit code 2
    |   |-- InvalidBoard    |-- InvalidMove     |-- InvalidRules    |-- InvalidSpec
    |   |-- InvalidRecord   |-- InvalidBudget   |-- InvalidSeed     |-- UnsupportedRules
    |   |-- LimitExceeded   |-- IllegalMove     |-- CellOccupied    |-- TileTooLarge
    |   |-- GameOver        |-- NothingToUndo   |-- NothingToRedo   |-- InvalidNetwork
    |   |-- InvalidLine     |-- InvalidTable    `-- MissingExtra
    |-- PlayerError (also a RuntimeError)    exit code 1: a player broke its contract
    |   `-- PlayerInUse                      two threads use one player at once
    |-- ClusterError (also a RuntimeError)   exit code 1: a Ray cluster is lost, or starts no worker
    |-- PageError (also a RuntimeError)      exit code 1: a web page or its browser failed
    `-- ResourceError (also a RuntimeError)  exit code 3: disk or memory

Messages are in lower case and say what was expected, what was found, and where.
"""

from typing import Final

B_IS_STRONGER: Final = 4
"""Exit code of a comparison that player B won."""

INTERRUPTED: Final = 130
"""Exit code of a command ended by Ctrl-C."""


class TwofoldError(Exception):
    """Base of every error that twofold raises on purpose."""

    exit_code = 1


class InvalidInput(TwofoldError, ValueError):
    """An input cannot be read or used."""

    exit_code = 2


class InvalidBoard(InvalidInput):
    """A text or a sequence is not a board."""


class InvalidMove(InvalidInput):
    """A text or a number is not one of the four moves."""


class InvalidRules(InvalidInput):
    """A text or a combination of values is not a set of rules."""


class InvalidSpec(InvalidInput):
    """A player spec names an unknown player or key, or a value cannot be used."""


class InvalidRecord(InvalidInput):
    """A game record is truncated, inconsistent or in another format."""


class InvalidBudget(InvalidInput):
    """A budget text or value cannot be used."""


class InvalidSeed(InvalidInput):
    """A seed is not a whole number from 0 to 2**64 - 1."""


class InvalidLine(InvalidInput):
    """A line does not belong to the engine protocol."""


class InvalidNetwork(InvalidInput):
    """Patterns, training settings or a weight file cannot be used."""


class InvalidTable(InvalidInput):
    """A solved-game or endgame table is unknown, truncated, or made for other rules."""


class UnsupportedRules(InvalidInput):
    """A player or an evaluator cannot play under the given rules."""


class LimitExceeded(InvalidInput):
    """A value is past one of the limits in `twofold.limits`."""


class IllegalMove(InvalidInput):
    """The move would change nothing on this board."""


class CellOccupied(InvalidInput):
    """A tile cannot be placed on a cell that holds one."""


class TileTooLarge(InvalidInput):
    """A tile is past the largest exponent that twofold can hold."""


class GameOver(InvalidInput):
    """No move is legal, or play has stopped at the goal."""


class NothingToUndo(InvalidInput):
    """There is no move to undo."""


class NothingToRedo(InvalidInput):
    """There is no undone move to redo."""


class MissingExtra(InvalidInput):
    """An optional part of twofold, or the browser for it, is not installed."""

    @classmethod
    def of(cls, extra: str, needed_by: str) -> "MissingExtra":
        """The error for an extra of pyproject.toml, with the command that installs it."""
        return cls(f"{needed_by} needs the extra '{extra}'. Install it with: {install(extra)}")


def install(extra: str) -> str:
    """The command that adds an extra to the installed twofold."""
    return f"pip install 'twofold[{extra}]'"


class PlayerError(TwofoldError, RuntimeError):
    """A player returned no legal move, or failed to answer."""


class PlayerInUse(PlayerError):
    """A thread has used a player that another thread is using: make one player each."""


class ClusterError(TwofoldError, RuntimeError):
    """A Ray cluster is lost, or starts no workers."""


class PageError(TwofoldError, RuntimeError):
    """A web page, or the browser that shows it, did not do what was expected."""


class ResourceError(TwofoldError, RuntimeError):
    """Not enough disk or memory."""

    exit_code = 3
