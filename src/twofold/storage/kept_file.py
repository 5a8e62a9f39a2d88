"""A small JSON file in the data folder, which several programs change one at a time."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Generic, TypeVar

import msgspec

from twofold.errors import InvalidInput, ResourceError
from twofold.storage.files import alone, atomic_write, make_private, read_start

Content = TypeVar("Content", bound=msgspec.Struct)
Result = TypeVar("Result")

PATIENCE: Final = 5.0
"""Seconds to wait for another program that is changing the file."""


class KeptFile(Generic[Content]):
    """A small JSON file in the data folder; several programs may change it, one at a time.

    Args:
        kind: class of the content; its default value stands for a missing file.
        what: name of the content in messages, such as `mistake notebook`.
    """

    def __init__(self, path: Path, kind: type[Content], what: str, max_bytes: int) -> None:
        self.path: Final = path
        self._kind, self._what, self._max_bytes = kind, what, max_bytes

    def read(self) -> Content:
        """Read the content. A damaged file is renamed, and InvalidInput is raised once."""
        if not self.path.exists():
            return self._kind()
        try:
            return msgspec.json.decode(read_start(self.path, self._max_bytes), type=self._kind)
        except (msgspec.MsgspecError, UnicodeError) as error:
            set_aside(self.path)
            raise InvalidInput(
                f"the {self._what} in {str(self.path)!a} was damaged ({str(error)[:200]}). "
                "The file was renamed, and a new one is started"
            ) from None

    def change(self, edit: Callable[[Content], Result]) -> Result:
        """Call `edit` to change the content in place, under a lock, and return its result.

        The file is written if the content differs. Raises InvalidInput once for a damaged file,
        as `read` does, or ResourceError if it cannot be written; it is then unchanged.
        """
        make_private(self.path.parent)
        with alone(self.path, "program", patience=PATIENCE):
            content = self.read()
            before = msgspec.json.encode(content)
            result = edit(content)
            after = msgspec.json.encode(content)
            if after != before:
                atomic_write(self.path, after)
        return result


def set_aside(path: Path) -> None:
    """Rename a damaged file, so that it is not overwritten; raises ResourceError."""
    try:
        os.replace(path, path.with_name(f"{path.name}.damaged-{time.time_ns()}"))
    except OSError as error:
        raise ResourceError(f"cannot rename {str(path)!r}: {error.strerror}") from error
