"""What the commands share: options, output, waiting, Ctrl-C."""

import json
import os
import platform
import re
import secrets
import shlex
import shutil
import signal
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from twofold.figures import counted as counted

if TYPE_CHECKING:
    from twofold.players import Player
    from twofold.rules import Rules

SCHEMA: Final = 1
"""Version of the JSON documents; raised when a field changes its name or meaning."""

INTERRUPTED: Final = 130
"""Exit code after Ctrl-C."""

OTHER_SIGNALS: Final = ("SIGTERM", "SIGHUP")
"""What ends a command as Ctrl-C does, where the system has it: it is told to end, or its terminal
is closed."""

LOADING: Final = "loading ..."
"""Said in a terminal while a player is being made ready."""

COMPILING: Final = "compiling kernels; only the first use does, under a minute ..."
"""Said while the kernels that a player needs are compiled."""

TABLES_HINT: Final = "endgame tables make the default player stronger: twofold tables build default"
"""Said in a terminal where the default player plays without any."""

WAIT_SECONDS: Final = 1.0
"""What takes longer than this says so."""

MIN_WIDTH: Final = 40
"""Words are not wrapped to fewer columns."""

MAX_MOVES_PER_SECOND: Final = 1e6
"""The fastest pace that can be asked for."""

RulesOption = Annotated[
    str,
    typer.Option(
        "--rules",
        metavar="RULES",
        help="Rules, such as '3x4 goal=512 stop=goal'; else 4x4 2048, or those of exact:table=.",
    ),
]
SeedOption = Annotated[
    str | None,
    typer.Option("--seed", metavar="N", help="Seed of the dice, 0 to 2^64 - 1; else a random one."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def read_rules(text: str, players: Sequence[str] = ()) -> "Rules":
    """The rules an option names; where it names none, the only ones that a player can play under.

    Raises:
        InvalidInput: the text names no rules, or there is no such player.
    """
    from twofold.rules import Rules

    if players and not text:
        from twofold.players import home_of

        for spec in players:
            if (home := home_of(spec)) is not None:
                return home
    return Rules.parse(text)


def read_seed(text: str | None) -> int:
    """The seed an option names, or a random one that is short enough to type."""
    from twofold.notation import parse_seed

    return secrets.randbelow(2**32) if text is None else parse_seed(text)


def write_json(
    command: str, body: Mapping[str, Any], timing: Mapping[str, Any] | None = None
) -> None:
    """Print the one JSON document of a command.

    What depends on time is in `timing`, what depends on the machine in `machine`, so that
    everything else can be compared between runs.
    """
    document = {"schema": SCHEMA, "command": command, **body}
    document |= {"timing": dict(timing or {}), "machine": machine()}
    print_out(json.dumps(document, indent=2, allow_nan=False))


def print_out(text: str = "") -> None:
    """Print a line of the command's own output."""
    sys.stdout.write(text + "\n")


def print_words(text: str, hang: int = 0) -> None:
    """Print lines of words; in a terminal they are `wrapped`, elsewhere they stay as they are."""
    print_out(wrapped(text, hang) if sys.stdout.isatty() else text)


def wrapped(text: str, hang: int = 0) -> str:
    """Lines that are no longer than the terminal is wide; no word is broken.

    Args:
        text: the lines.
        hang: columns that the rest of a long line is indented by.
    """
    width = max(shutil.get_terminal_size().columns, MIN_WIDTH)
    wrapper = textwrap.TextWrapper(
        width,
        subsequent_indent=" " * hang,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join("\n".join(wrapper.wrap(line)) for line in text.split("\n"))


def print_note(text: str = "") -> None:
    """Print a line that is not output: on stderr."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def hint_at_tables(rules: "Rules") -> None:
    """Say in a terminal that endgame tables would help the default player, if it has none.

    Those that make players weaker, which `tables=auto` leaves out, do not count.

    Args:
        rules: what it plays.
    """
    from twofold.endgame.folder import files_in, tables_folder
    from twofold.endgame.pattern import suits

    in_terminal = sys.stdout.isatty() and sys.stderr.isatty()
    if in_terminal and suits(rules) and not (files_in(tables_folder()) and _has_strong_tables()):
        print_note(TABLES_HINT)


def _has_strong_tables() -> bool:
    from twofold.endgame.library import strong  # takes a second: it loads kernels

    return bool(strong())


def shell_line(*words: str) -> str:
    """A command that can be pasted into a shell."""
    return shlex.join(words)


def machine() -> dict[str, Any]:
    """What figures depend on: versions, processor, cores, system."""
    return {
        "twofold": version_of("twofold"),
        "python": platform.python_version(),
        "numba": version_of("numba"),
        "numpy": version_of("numpy"),
        "processor": processor(),
        "cores": cores(),
        "system": platform.platform(),
    }


def version_of(name: str) -> str | None:
    """The version of an installed distribution, without importing it."""
    import importlib.metadata

    import twofold

    if name == "twofold":
        return twofold.__version__
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def processor() -> str:
    """The name of the processor, as the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "unknown"


def cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def read_count(text: str | int) -> int:
    """The whole number of an option: 1000, or 1e3.

    Raises:
        typer.BadParameter: it is no such text.
    """
    from twofold.notation import shown

    found = re.fullmatch(r"([+-]?[0-9]{1,30})(?:[eE]\+?([0-9]{1,2}))?", str(text).strip(), re.ASCII)
    if not found:
        raise typer.BadParameter(f"expected a whole number such as 1000 or 1e3, got {shown(text)}")
    return int(found[1] + "0" * int(found[2] or 0))


def read_seconds(text: str, name: str) -> float:
    """The seconds of an option such as 30m, 1h30m, 45s.

    Raises:
        InvalidInput: no such text, or nothing, or more than a year.
    """
    from twofold.errors import InvalidInput, LimitExceeded
    from twofold.limits import MAX_RUN_SECONDS
    from twofold.notation import shown

    number = r"(\d{1,9}(?:\.\d{1,3})?)"
    found = re.fullmatch(rf"(?:{number}d)?(?:{number}h)?(?:{number}m)?(?:{number}s?)?", text)
    parts = [float(part or 0) for part in found.groups()] if found and text else []
    seconds = sum(a * b for a, b in zip(parts, (86_400, 3_600, 60, 1), strict=False))
    if not seconds > 0:
        raise InvalidInput(f"expected {name} such as 30m, 1h30m or 45s, got {shown(text)}")
    if seconds > MAX_RUN_SECONDS:
        raise LimitExceeded(f"expected {name} up to 365 days, got {shown(text)}")
    return seconds


def read_pace(text: str | None) -> float | None:
    """The moves a second that an option names; None for no limit."""
    from twofold.errors import InvalidInput, LimitExceeded
    from twofold.notation import parse_number

    if text is None:
        return None
    pace = parse_number(text, "moves per second", InvalidInput)
    if not 0 < pace <= MAX_MOVES_PER_SECOND:
        raise LimitExceeded(
            f"expected moves per second above 0 and up to {MAX_MOVES_PER_SECOND:.0f}, got {text}"
        )
    return pace


def check_writable(path: Path) -> None:
    """Refuse a file that could not be written at the end, before anything is played."""
    from twofold.errors import InvalidInput

    if not path.resolve().parent.is_dir():
        raise InvalidInput(
            f"expected an existing folder to write to, got {str(path.resolve().parent)!r}"
        )
    if path.exists() and not path.is_file():
        raise InvalidInput(f"expected a regular file to write to, got {str(path)!r}")


def can_redraw(is_terminal: bool) -> bool:
    """Whether lines that are shown can be drawn again: in a terminal that moves its cursor."""
    return is_terminal and os.environ.get("TERM", "") not in ("dumb", "unknown")


@contextmanager
def waiting(text: str | Callable[[], str]) -> Iterator[None]:
    """Say on stderr what is being waited for, once it takes longer than a second.

    Args:
        text: what is waited for; or a function that is asked each second, and gives an empty text
            where there is nothing to say.
    """
    over = threading.Event()
    words = (lambda: text) if isinstance(text, str) else text
    teller = threading.Thread(target=_tell, args=(words, over), daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()


def _tell(words: Callable[[], str], over: threading.Event) -> None:
    """Say what is waited for each time that it is something else."""
    said, spinner = "", None
    while not over.wait(WAIT_SECONDS):
        text = words()
        if text == said:
            continue
        said = text
        if not can_redraw(sys.stderr.isatty()):
            print_note(text)
            continue
        if spinner is not None:
            spinner.stop()
        spinner = _start_spinner(text)
    if spinner is not None:
        spinner.stop()


def loading() -> AbstractContextManager[None]:
    """Say what is being waited for while players are made ready: whether kernels are compiled."""
    from twofold.kernels import BUILT

    before = len(BUILT)

    def words() -> str:
        if len(BUILT) > before:
            return COMPILING
        return LOADING if can_redraw(sys.stderr.isatty()) else ""

    return waiting(words)


def _start_spinner(text: str) -> Any:
    """A spinner with the time that has passed, on stderr; it leaves nothing behind."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    progress.add_task(text)
    progress.start()
    return progress


def settled_specs(specs: Sequence[str], rules: "Rules") -> list[str]:
    """The specs with `tables=auto` replaced by the names of tables, as results show and keep them.

    Args:
        specs: name the players.
        rules: what they are going to play.

    Raises:
        InvalidInput: a spec is wrong, or names endgame tables that cannot be used.
    """
    with loading():
        from twofold.players import settled

        return [settled(spec, rules) for spec in specs]


def prepare(specs: Sequence[str], rules: "Rules", seed: int, *, allow_code: bool = True) -> None:
    """Check that players can be made and can play; have their kernels compiled.

    Args:
        specs: name the players.
        rules: what they are going to play.
        seed: of their first game.
        allow_code: see `make_player`.

    Raises:
        InvalidInput: a spec is wrong, or its player cannot play under these rules.
    """
    for spec in specs:
        open_player(spec, rules, seed, allow_code=allow_code).close()


def open_player(
    spec: str, rules: "Rules", seed: int, *, at_home: bool = False, allow_code: bool = True
) -> "Player":
    """A player that is ready: started, and its kernels compiled by a first analysis.

    Args:
        spec: names the player.
        rules: what it is going to play.
        seed: of its game.
        at_home: whether a player that can play under one set of rules alone is started with
            these instead.
        allow_code: see `make_player`.

    Raises:
        InvalidInput: the spec is wrong, or the player cannot play under these rules.
    """
    with loading():
        from twofold.game import Game
        from twofold.players import make_player, settled
        from twofold.search.budget import Budget

        player = make_player(settled(spec, rules), allow_code=allow_code)
        rules = player.home or rules if at_home else rules
        player.start(rules, seed)
        if player.compiled:
            opening = Game(rules, seed=seed)
            if opening.legal_moves():
                player.analyse(opening.board, Budget(ply=1), score=0)
            player.start(rules, seed)
    return player


@contextmanager
def ending_as_ctrl_c_does() -> Iterator[None]:
    """Have the other signals that end a command do what Ctrl-C does at that moment.

    So the terminal is left in order, and what is saved on Ctrl-C is saved then, too. A signal that
    whoever started us has us ignore, as `nohup` does, stays ignored.
    """

    def end(_number: int, frame: FrameType | None) -> None:
        interrupt = signal.getsignal(signal.SIGINT)
        if not callable(interrupt):  # a job in the background: Ctrl-C is not for it
            raise KeyboardInterrupt
        interrupt(signal.SIGINT, frame)

    numbers = [getattr(signal, name) for name in OTHER_SIGNALS if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        numbers = []
    caught = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in caught:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def catching_interrupt() -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into an event, so that work ends where it is consistent.

    The second Ctrl-C is a KeyboardInterrupt as usual.
    """
    asked = threading.Event()

    def ask(_number: int, _frame: object) -> None:
        asked.set()
        signal.signal(signal.SIGINT, before)

    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = signal.signal(signal.SIGINT, ask)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
