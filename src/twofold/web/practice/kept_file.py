"""A small JSON file in the data folder; several servers may change it, one at a time."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import msgspec

from twofold.errors import InvalidInput, ResourceError, TwofoldError
from twofold.files import atomic_write, read_start
from twofold.folders import make_private
from twofold.locks import alone
from twofold.play.best_scores import set_aside
from twofold.play.game_file import PATIENCE

Content = TypeVar("Content", bound=msgspec.Struct)
Result = TypeVar("Result")


class KeptFile(Generic[Content]):
    """A file that is read and written as a whole.

    Args:
        kind: class of the content; its default value stands for a missing file.
        what: name of the content in messages, such as `mistake notebook`.
        check: raises an error of twofold for invalid content.
    """

    def __init__(
        self,
        path: Path,
        kind: type[Content],
        what: str,
        max_bytes: int,
        check: Callable[[Content], Any] = lambda _: None,
    ) -> None:
        self.path: Final = path
        self._kind, self._what, self._max_bytes, self._check = kind, what, max_bytes, check

    def read(self) -> Content:
        """Read the content; raises InvalidInput or ResourceError.

        A damaged file is renamed, so that the next call finds none.
        """
        try:
            return self._read()
        except InvalidInput:
            self.change(lambda _: None)  # reads again under the lock, and renames the file
            raise

    def change(self, edit: Callable[[Content], Result]) -> Result:
        """Call `edit` to change the content in place, under a lock, and return its result.

        The file is written if the content differs. A damaged file is renamed, and a new one
        started. Raises InvalidInput or ResourceError if it cannot be written; it is then unchanged.
        """
        self._make_folder()
        with alone(self.path, "program", patience=PATIENCE):
            content = self._read_or_begin()
            before = msgspec.json.encode(content)
            result = edit(content)
            after = msgspec.json.encode(content)
            if after != before:
                atomic_write(self.path, after)
        return result

    def _read(self) -> Content:
        if not self.path.exists():
            return self._kind()
        data = read_start(self.path, self._max_bytes + 1)
        try:
            if len(data) > self._max_bytes:
                raise InvalidInput(f"it has more than {self._max_bytes:,} bytes")
            found = msgspec.json.decode(data, type=self._kind)
            self._check(found)
        except (msgspec.MsgspecError, TwofoldError, UnicodeError, RecursionError) as error:
            raise InvalidInput(
                f"the {self._what} in {str(self.path)!a} was damaged ({str(error)[:200]}). "
                "The file was renamed, and a new one is started"
            ) from None
        return found

    def _make_folder(self) -> None:
        try:
            make_private(self.path.parent)
        except OSError as error:
            raise ResourceError(
                f"cannot make {str(self.path.parent)!a}: {error.strerror or error}"
            ) from error

    def _read_or_begin(self) -> Content:
        try:
            return self._read()
        except InvalidInput:
            set_aside(self.path)
            return self._kind()
