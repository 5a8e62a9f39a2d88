"""What commands print: lines, words, notes, documents with the machine that they are from."""

import importlib.metadata
import json
import os
import platform
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any, Final

import twofold
from twofold.errors import InvalidInput
from twofold.limits import cores
from twofold.notation import printable

SCHEMA: Final = 1
"""Version of the JSON documents; raised when a field changes its name or meaning."""

MIN_WIDTH: Final = 40
"""Words are not wrapped to fewer columns."""


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
    """Print a line of the command's own output; see `plain` for names in it."""
    sys.stdout.write(plain(text) + "\n")


def print_bytes(parts: Iterable[bytes]) -> None:
    """Print a file, as it is: not every terminal has all characters; raises as `check_output`."""
    check_output()
    sys.stdout.flush()
    sys.stdout.buffer.writelines(parts)


def check_output() -> None:
    """Check that there is an output, for commands that exist to write data to it.

    Raises:
        InvalidInput: the shell has closed it, as by `>&-`.
    """
    if sys.__stdout__ is None:
        raise InvalidInput("expected a standard output to write to, got a closed one")


def print_words(text: str, hang: int = 0) -> None:
    """Print lines of words; in a terminal they are `wrapped`, elsewhere they stay as they are."""
    print_out(wrapped(text, hang) if sys.stdout.isatty() else text)


def wrapped(text: str, hang: int = 0) -> str:
    """Lines that are no longer than the terminal is wide; no word is broken.

    `hang` is the number of columns that the rest of a long line is indented by.
    """
    width = max(shutil.get_terminal_size().columns, MIN_WIDTH)
    wrapper = textwrap.TextWrapper(
        width, subsequent_indent=" " * hang, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join("\n".join(wrapper.wrap(line)) for line in text.split("\n"))


def print_note(text: str = "") -> None:
    """Print a line that is not output: on stderr."""
    sys.stderr.write(plain(text) + "\n")
    sys.stderr.flush()


def plain(text: str) -> str:
    """Lines in which names of files and players cannot change the terminal: escape codes show."""
    return "\n".join(map(printable, text.split("\n")))


def can_redraw(is_terminal: bool) -> bool:
    """Whether lines that are shown can be drawn again: in a terminal that moves its cursor."""
    return is_terminal and os.environ.get("TERM", "") not in ("dumb", "unknown")


# ---- the machine


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
