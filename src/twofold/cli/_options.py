"""Options that several commands have, and how their texts are read."""

import inspect
import os
import re
import secrets
import sys
from collections.abc import Callable, Sequence
from typing import IO, Annotated, Any, Final, TypeVar, get_type_hints

import typer

from twofold.cli._output import check_output, print_note
from twofold.cli.completion import words_of
from twofold.errors import InvalidInput, LimitExceeded
from twofold.limits import MAX_JOBS, MAX_RUN_SECONDS, check_limit, cores
from twofold.notation import parse_number, parse_seed, shown
from twofold.players import home_of
from twofold.rules import Rules
from twofold.search.budget import parse_seconds

MAX_MOVES_PER_SECOND: Final = 1e6
MIN_MOVES_PER_SECOND: Final = 0.001
"""The fastest pace that can be asked for."""

USUAL_PLAYER: Final = "Default: strong. Others: fast, normal, max; see twofold players."
"""Which player the help names where none is given, see `players.presets.default_player`."""

USUAL_JUDGE: Final = (
    "Default: strong without tables. Others: fast, normal, strong, max; see twofold players."
)
"""The same where a review judges: its figures must not depend on what a machine has built."""

Options = TypeVar("Options")


def option(name: str, metavar: str, words: str, **more: Any) -> Any:
    """An option with a value."""
    more.setdefault("autocompletion", words_of(name, metavar))
    return typer.Option(name, metavar=metavar, help=words, **more)


def count(name: str, metavar: str, words: str) -> Any:
    """An option whose value is a whole number: 1000, or 1e3."""
    return typer.Option(name, parser=read_count, metavar=metavar, help=words)


def flag(name: str, words: str) -> Any:
    """An option without a value."""
    return typer.Option(name, help=words)


def argument(metavar: str, words: str, *, show_default: bool = False, follows: str = "") -> Any:
    """An argument; `follows` names what a shell offers for it, where its metavar does not."""
    return typer.Argument(
        metavar=metavar,
        help=words,
        show_default=show_default,
        autocompletion=words_of(follows, metavar),
    )


def group(name: str, words: str, example: str) -> typer.Typer:
    """A group of commands, whose help ends with an example."""
    return typer.Typer(
        name=name,
        add_completion=False,
        help=words,
        epilog=f"Example:\n\n\b\n{example}",
        rich_markup_mode=None,
        no_args_is_help=True,
    )


def takes(options: type[Options]) -> Callable[[Callable[[Options], None]], Callable[..., None]]:
    """Decorator: a command whose options are the fields of a dataclass, of which it gets one."""

    def decorate(command: Callable[[Options], None]) -> Callable[..., None]:
        def called(**values: Any) -> None:
            command(options(**values))

        called.__doc__ = command.__doc__
        called.__annotations__ = get_type_hints(options, include_extras=True)
        called.__signature__ = inspect.signature(options)  # type: ignore[attr-defined]
        return called

    return decorate


def read_count(text: str | int) -> int:
    """The whole number of an option: 1000, or 1e3.

    Raises:
        typer.BadParameter: it is no such text.
    """
    found = re.fullmatch(r"([+-]?[0-9]{1,30})(?:[eE]\+?([0-9]{1,2}))?", str(text).strip(), re.ASCII)
    if not found:
        raise typer.BadParameter(f"expected a whole number such as 1000 or 1e3, got {shown(text)}")
    return int(found[1] + "0" * int(found[2] or 0))


RulesOption = Annotated[
    str,
    option(
        "--rules",
        "RULES",
        "Rules of the game, such as '3x4 goal=512 stop=goal'. Default: '4x4 goal=2048'.",
    ),
]
DiceSeedOption = Annotated[
    str | None, option("--seed", "N", "Seed of the game, 0 to 2^64 - 1. Default: random.")
]
FirstSeedOption = Annotated[str, option("--seed", "S", "Seed of the first game; the next is S+1.")]
JobsOption = Annotated[
    int | None, count("--jobs", "J", "Games played at the same time. Default: one per core.")
]
ThreadsOption = Annotated[
    int | None, count("--threads", "N", "Number of threads. Default: one per core.")
]


def _read_address(text: str) -> str:
    if not text.strip():
        raise typer.BadParameter(f"expected an address, auto or local, got {shown(text)}")
    return text


RayOption = Annotated[
    str | None,
    typer.Option(
        "--ray",
        parser=_read_address,
        metavar="ADDRESS",
        help="Play on the Ray cluster at ADDRESS; local starts one on this machine.",
    ),
]
StudyOption = Annotated[
    str,
    option(
        "--out",
        "FILE",
        "Store the games in a study (SQLite file). Games that it holds are not played again.",
    ),
]
ForceOption = Annotated[bool, flag("--force", "Replace an existing file, unless it is continued.")]
BoardsOption = Annotated[
    str, option("--boards", "FILE", "Start the games from the boards in a text file.")
]
PaceOption = Annotated[
    str | None, option("--moves-per-second", "X", "Limit the pace. Default: no limit.")
]


def _for_output(wanted: bool) -> bool:
    if wanted:
        check_output()
    return wanted


JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document.", callback=_for_output)
]


def standard_input(what: str) -> IO[bytes]:
    """Standard input, which a command reads where `-` stands for a file; `what` is asked for."""
    if sys.stdin.isatty():
        print_note(f"type or paste the {what}; Ctrl-D ends it (Ctrl-Z and Enter on Windows)")
    return sys.stdin.buffer


def read_keys_from_terminal() -> None:
    """Make the terminal the standard input, where that was a file or a pipe that is read.

    Raises:
        InvalidInput: there is no terminal.
    """
    try:
        keys = os.open("CONIN$" if os.name == "nt" else "/dev/tty", os.O_RDWR)
    except OSError:
        raise InvalidInput(
            "expected a terminal for the keys, since the game came from standard input, got none"
        ) from None
    os.dup2(keys, sys.stdin.fileno())
    os.close(keys)


def read_rules(text: str, players: Sequence[str] = ()) -> Rules:
    """The rules an option names; where it names none, the only ones that a player can play under.

    Raises:
        InvalidInput: the text names no rules, or there is no such player.
    """
    if players and not text:
        for spec in players:
            if (home := home_of(spec)) is not None:
                return home
    return Rules.parse(text)


def read_seed(text: str | None) -> int:
    """The seed an option names, or a random one that is short enough to type."""
    return secrets.randbelow(2**32) if text is None else parse_seed(text)


def read_jobs(wanted: int | None, name: str = "jobs") -> int:
    """The number of jobs at a time: as many as wanted, else one for each core.

    Raises:
        LimitExceeded: too few or too many.
    """
    return check_limit(name, cores() if wanted is None else wanted, 1, MAX_JOBS)


def read_seconds(text: str, name: str) -> float:
    """The seconds of an option such as 30m, 1h30m, 45s; at most a year.

    Raises:
        InvalidInput: no such text, or not above 0, or too long.
    """
    return parse_seconds(text, name, MAX_RUN_SECONDS)


def read_pace(text: str | None) -> float | None:
    """The moves a second that an option names; None for no limit."""
    if text is None:
        return None
    pace = parse_number(text, "moves per second", InvalidInput)
    if not MIN_MOVES_PER_SECOND <= pace <= MAX_MOVES_PER_SECOND:
        raise LimitExceeded(
            f"expected moves per second from {MIN_MOVES_PER_SECOND:g} to "
            f"{MAX_MOVES_PER_SECOND:.0f}, got {text}"
        )
    return pace
