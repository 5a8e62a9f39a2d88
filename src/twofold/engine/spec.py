"""The parts of an engine's spec: its command, its options, and the hash of its files."""

import hashlib
import io
import os
import shlex
from collections.abc import Sequence

from twofold.engine.messages import SetOption
from twofold.errors import InvalidInput, InvalidSpec
from twofold.files import open_regular
from twofold.notation import shown


def parse_command_words(text: str) -> tuple[str, ...]:
    """Split a command into the program and its arguments, as a shell would."""
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
