"""Places where a game in play is saved: a row of the store, or a file of the person's own.

Several programs may have the same game open. A place knows which version this program saw last. It
has `store`, which keeps the best scores; `name`, an id or a path; `best_name`, the same for the
best scores; and `where`, for a sentence: `saved as ID`, `in FILE`.
"""

import hashlib
from pathlib import Path

from twofold.errors import InvalidRecord
from twofold.game.notation import shown
from twofold.game.record import Record, format_record, parse_record
from twofold.game.record_text import located
from twofold.games.kept import unindexed
from twofold.games.store import PATIENCE, Conflict, GameStore, Version, settled
from twofold.limits import MAX_RECORD_BYTES
from twofold.storage.files import alone, atomic_write, free_path, read_start


class Row:
    """A row of the store; at first as if there were none."""

    def __init__(self, store: GameStore, game: str) -> None:
        self.store, self.where = store, f"saved as {game}"
        self.name = self.best_name = game
        self._mark = 0

    def read(self) -> Record:
        """Read the game and check its moves; raises InvalidRecord, NotFound or ResourceError."""
        version = self.store.read(self.name)
        self.take(version)
        return version.record

    def take(self, version: Version) -> None:
        """Mark a version as seen: the next save may overwrite it."""
        assert isinstance(version.mark, int)
        self._mark = version.mark

    def other(self) -> Version | Conflict | None:
        """The change that another program made; None if the game is as last seen."""
        return self.store.changed(self.name, self._mark)

    def save(self, record: Record, played: float, own: int | None) -> Version | Conflict | None:
        """Save the game, unless another program has changed it.

        `played` is the time of the last change in seconds since 1970, `own` the person's points.
        Returns None if it is saved; a version that continues `record`; or why it needs another
        place. Raises InvalidInput or ResourceError; the game there is then unchanged.
        """
        done = self.store.save(self.name, record, played, self._mark, own=own)
        if not isinstance(done, int):
            return done
        self._mark = done
        return None

    def elsewhere(self) -> "Row":
        """A new place for this game."""
        return Row(self.store, self.store.new_id())


class RecordFile:
    """A record that a person keeps in a file of their own."""

    def __init__(self, store: GameStore, path: Path) -> None:
        self.store, self.path, self.where = store, path, f"in {path}"
        self.name, self.best_name = str(path), str(path.absolute())
        self._known: set[bytes | None] = {None}  # digests; None: there is no file

    def read(self) -> Record:
        """See `Row`."""
        with located(shown(self.name)):
            data = read_start(self.path, MAX_RECORD_BYTES + 1, InvalidRecord)
            self._known = {_digest(data)}
            return unindexed(parse_record(data))

    def take(self, version: Version) -> None:
        """See `Row`."""
        assert isinstance(version.mark, bytes)
        self._known = {version.mark}

    def other(self) -> Version | Conflict | None:
        """See `Row`; a file that is no record any more counts as one with other moves."""
        if not self.path.exists():
            return None if None in self._known else "deleted"
        data = read_start(self.path, MAX_RECORD_BYTES + 1, InvalidRecord)
        if _digest(data) in self._known:
            return None
        try:
            return Version(unindexed(parse_record(data)), _digest(data))
        except InvalidRecord:
            return "parted"

    def save(self, record: Record, played: float, own: int | None) -> Version | Conflict | None:
        """See `Row`."""
        with alone(self.path.resolve(), "program", patience=PATIENCE):
            if other := settled(record, self.other()):
                return other
            data = format_record(record).encode()
            self._known.add(_digest(data))  # a write that fails late may have replaced the file
            atomic_write(self.path, data)
            self._known = {_digest(data)}
        if own is not None:
            self.store.keep_best(self.best_name, str(record.rules), own)
        return None

    def elsewhere(self) -> "RecordFile":
        """See `Row`."""
        return RecordFile(self.store, free_path(self.path))


Place = Row | RecordFile


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()
