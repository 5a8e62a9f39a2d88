"""Players and evaluators written by users: importing them, and making players of them."""

import hashlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from twofold.errors import InvalidSpec
from twofold.game.board import Board
from twofold.game.notation import shown
from twofold.game.rules import Move
from twofold.players import base
from twofold.players.base import Player
from twofold.storage.files import open_regular

_CALLED: Final = ("start", "choose", "analyse", "stream")
"""Methods of a player that twofold calls."""


def is_code(name: str) -> bool:
    """True if a name refers to code: `path/to/file.py:Name` or `package.module:Name`."""
    return ":" in name or name.endswith(".py")


# ---- importing


def load_object(name: str) -> Any:
    """Import `path/to/file.py:Name` or `package.module:Name`; raises `InvalidSpec` if it fails."""
    home, _, attribute = name.rpartition(":")
    if not (home and attribute):
        raise InvalidSpec(
            f"expected path/to/file.py:Name or package.module:Name, got {shown(name)}"
        )
    module = _import_file(Path(home)) if home.endswith(".py") else _import_module(home)
    base.note_source(getattr(module, "__file__", None) or "", home)
    if not hasattr(module, attribute):
        raise InvalidSpec(f"expected a name defined in {shown(home)}, got {shown(attribute)}")
    return getattr(module, attribute)


def is_imported(name: str) -> bool:
    """True if a name's file or module is imported and the file has not changed since."""
    home = name.rpartition(":")[0]
    try:
        return (_module_of(Path(home)) if home.endswith(".py") else home) in sys.modules
    except InvalidSpec:
        return False


def hash_of_code(name: str) -> str:
    """The hash of the file in `path/to/file.py:Name`; empty for a module."""
    path = name.rpartition(":")[0]
    return _file_hash(Path(path)) if path.endswith(".py") else ""


def _file_hash(path: Path) -> str:
    with open_regular(path, InvalidSpec) as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


def _module_of(path: Path) -> str:
    """A module name that contains the file's hash, so a changed file is another module."""
    return f"twofold_file_{path.stem}_{_file_hash(path)}"


def _import_file(path: Path) -> ModuleType:
    name = _module_of(path)
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise InvalidSpec(f"expected a Python file, got {shown(str(path))}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    base.note_source(str(path.resolve()), str(path))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise _not_imported(str(path), error) from error
    return module


def _import_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise _not_imported(name, error) from error


def _not_imported(name: str, error: BaseException) -> InvalidSpec:
    return InvalidSpec(f"cannot import {shown(name)}: {base.describe(error)}")


# ---- making players


class FunctionPlayer(Player):
    """A player made from a function `board -> Move`."""

    def __init__(self, function: Callable[[Board], Move]) -> None:
        self.function = function

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        """The function's result."""
        return self.function(board)


def player_of(found: object, name: str, values: Mapping[str, str]) -> Player:
    """The player of a class or a function, made with its keys; raises `InvalidSpec`.

    `name` is what errors call it.
    """
    if isinstance(found, type) and issubclass(found, Player):
        return _make_of_class(found, name, values)
    if not callable(found) or isinstance(found, type):
        raise InvalidSpec(f"expected a Player class or a function board -> Move, got {shown(name)}")
    if values:
        raise InvalidSpec(f"expected no keys for the function {shown(name)}, got {shown(values)}")
    if fault := _cannot_take(found, "board"):
        raise InvalidSpec(
            f"expected a function that takes a board, got {shown(name)}"
            f"{base.defined(found)}: {fault}"
        )
    # A class of its own: a player without a spec has the name of its class in tables.
    kind: type[FunctionPlayer] = type(getattr(found, "__name__", name), (FunctionPlayer,), {})
    return kind(found)


def _make_of_class(kind: type[Player], name: str, values: Mapping[str, str]) -> Player:
    if fault := _cannot_take(kind, **values):
        raise InvalidSpec(f"expected the keys that {shown(name)} takes: {fault}")
    for method in sorted(kind.__abstractmethods__ & {*_CALLED}):
        raise InvalidSpec(f"expected {_wanted(method)} in {shown(name)}, got none")
    player = kind(**values)
    for method in _CALLED:
        _check_method(player, method, name)
    return player


def _check_method(player: Player, method: str, name: str) -> None:
    """Check that a method accepts the arguments that twofold passes."""
    function = getattr(player, method)
    _, *known = inspect.signature(getattr(Player, method)).parameters.values()
    named = {one.name: None for one in known if one.kind is one.KEYWORD_ONLY}
    placed = [one.name for one in known if one.name not in named]
    if fault := _cannot_take(function, *placed, **named):
        there = inspect.signature(function).parameters
        missing = ", ".join(one.name for one in known if one.name not in there)
        raise InvalidSpec(
            f"expected {_wanted(method)} in {shown(name)}, got one "
            f"{f'without {missing}' if missing else fault}{base.defined(function)}"
        )


def _wanted(method: str) -> str:
    """The signature of a method in `Player`, without types."""
    signature = inspect.signature(getattr(Player, method))
    bare = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    return f"def {method}{signature.replace(parameters=bare, return_annotation=signature.empty)}"


def _cannot_take(function: Callable[..., Any], *args: object, **values: object) -> str:
    """Why a function cannot be called with these arguments; empty if it can."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # written in C: a wrong call raises its own error
        return ""
    try:
        signature.bind_partial(*args, **values)  # first of all what it does not know
        signature.bind(*args, **values)
    except TypeError as error:
        return str(error)
    return ""
