"""GameStore: the saved games on disk, `ID.2048` each, and the best scores in `best.json`.

A thread reads the index from the tags, newest files first. Other programs may use the same folder:
each listing reads new and changed files.
"""

import contextlib
import hashlib
import logging
import os
import re
import secrets
import string
import threading
from pathlib import Path
from typing import Final

from msgspec.structs import replace as replace_info

from twofold.errors import InvalidInput, InvalidRecord, LimitExceeded, ResourceError
from twofold.game.notation import shown
from twofold.game.record import Record, format_record
from twofold.games.kept import Kept, kept_of, read_kept
from twofold.games.scores import (
    BEST_FILE,
    PATIENCE,
    SUFFIX,
    BestScores,
    Conflict,
    GameFile,
    Version,
    content_of,
    indexed,
    keep_best,
    make_folder,
    read_best,
    set_aside,
    top_score,
)
from twofold.storage import files
from twofold.storage import files as locks

MAX_GAMES: Final = 10_000
"""Maximum number of saved games; none is deleted automatically."""

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_LETTERS: Final = string.ascii_lowercase + string.digits  # names that differ in case only may clash
_ID_LENGTH: Final = 8
_HASH_LENGTH: Final = 12
_LOG: Final = logging.getLogger("twofold.play")

Stamp = tuple[int, int, int]
"""Modification time in ns, size and inode of a file."""


class NotFound(InvalidInput):
    """There is no such game, or the page has not opened it."""


class GameStore:
    """The saved games in a folder, created if missing. Thread-safe.

    Attribute `damaged` names files that could not be read, and why. Raises InvalidInput or
    ResourceError if the folder cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder
        self.damaged: dict[str, str] = {}
        self._lock = threading.Lock()
        self._kept: dict[str, Kept] = {}
        self._best: dict[str, dict[str, int]] = {}
        self._new_best: dict[str, dict[str, int]] = {}  # not yet written
        self._played: set[str] = set()  # games in play here: their files may be older
        self._looking = threading.Lock()  # before `_lock`
        self._stamps: dict[str, Stamp] = {}  # by name, at the time of reading
        self._deleted: set[str] = set()
        self._touched: set[str] = set()  # saved or deleted since the last scan began
        self._closing = False
        self._indexed = threading.Event()
        make_folder(folder)
        self._open_best()
        self._reader = threading.Thread(target=self._read_index, name="twofold-index", daemon=True)
        self._reader.start()

    def close(self) -> None:
        """Stop reading the index, and write the best scores."""
        self._closing = True
        self._reader.join()
        self._try_to_write_best()

    # ---- games

    def check_room(self) -> None:
        """Raise LimitExceeded if there are `MAX_GAMES` games."""
        with self._lock:
            if len(self._kept) >= MAX_GAMES:
                raise LimitExceeded(
                    f"there are {MAX_GAMES:,} saved games, the maximum. "
                    "Delete some to begin another one"
                )

    def new_id(self) -> str:
        """An unused id; raises LimitExceeded if there are `MAX_GAMES` games."""
        self.check_room()
        while True:
            game = "".join(secrets.choice(_LETTERS) for _ in range(_ID_LENGTH))
            if not self.path(game).exists():
                return game

    def id_for(self, record: Record) -> str:
        """The id for a record from a file: the same in every program, unless deleted here before.

        It may be in use. Raises LimitExceeded if there are `MAX_GAMES` games.
        """
        self.check_room()
        game = hashlib.sha256(format_record(record).encode()).hexdigest()[:_HASH_LENGTH]
        return self.new_id() if game in self._deleted else game

    def path(self, game: str) -> Path:
        """The path of a game's file, which need not exist; raises NotFound for an invalid id."""
        if not _ID.fullmatch(game):
            raise NotFound(f"expected the id of a game, got {shown(game)}")
        return self.folder / f"{game}{SUFFIX}"

    def file(self, game: str) -> GameFile:
        """The file of a game, as if missing until it is read; raises NotFound for an invalid id."""
        return GameFile(self.path(game))

    def save(
        self,
        game: str,
        record: Record,
        played: float,
        file: GameFile | None = None,
        *,
        imported: bool = False,
    ) -> Version | Conflict | None:
        """Write a game with tags for the list; `file` is None for a new game.

        `imported` is true for a record that comes from a file. Returns and raises as
        `GameFile.save`.
        """
        record = indexed(record, played, imported=imported)
        kept = kept_of(game, record, played)
        other = (file or self.file(game)).save(record)
        if other is None:
            with self._lock:
                self._touch(game)
                self._add(game, kept)
            self._try_to_write_best()
        return other

    def read(self, game: str, file: GameFile | None = None) -> Record:
        """Read a game and check its moves; raises NotFound, or InvalidRecord if it is damaged."""
        path = self.path(game)
        try:
            return (file or GameFile(path)).read()
        except InvalidRecord:
            if path.exists():
                raise
        with self._lock:
            self._kept.pop(game, None)
        raise NotFound(f"there is no saved game {shown(game)}")

    def content(self, game: str) -> bytes:
        """The content of a game's file, unchecked; raises NotFound or ResourceError."""
        try:
            return content_of(self.path(game))
        except InvalidRecord:
            raise NotFound(f"there is no saved game {shown(game)}") from None

    def delete(self, game: str) -> None:
        """Delete a game; its score stays among the best scores. Raises NotFound or ResourceError.

        Raises InvalidInput if another program has changed it since it was listed.
        """
        path = self.path(game)
        with locks.alone(path, "program", patience=PATIENCE):
            if not path.exists():
                raise NotFound(f"there is no saved game {shown(game)}")
            self._check_as_listed(game, path)
            with self._lock:
                if (kept := self._kept.get(game)) is not None and kept.counts:
                    rules, score = kept.info.rules, kept.info.score  # the file may be older
                    score = self._best.get(rules, {}).get(game, score)
                    self._new_best.setdefault(rules, {})[game] = score
            self._write_best()
            try:
                path.unlink()
            except OSError as error:
                raise ResourceError(f"cannot delete {str(path)!r}: {error.strerror}") from error
        with self._lock:
            self._touch(game)
            self._deleted.add(game)
            self._kept.pop(game, None)

    def _check_as_listed(self, game: str, path: Path) -> None:
        """Refuse to delete moves that no list has shown; the next request may."""
        with contextlib.suppress(InvalidRecord):
            found, listed = read_kept(path, game), self.kept(game)
            if listed is not None and found.info != listed.info:
                with self._lock:
                    self._add(game, found)
                raise InvalidInput(
                    f"another program has changed the game {shown(game)}: it has "
                    f"{found.info.moves:,} moves now. Delete it once more to delete them too"
                )

    def _touch(self, game: str) -> None:
        """Make a scan that has begun skip this game, and the next one read it."""
        self._touched.add(game)
        self._stamps.pop(f"{game}{SUFFIX}", None)

    def games(self) -> list[Kept]:
        """All saved games, last played first; waits for the index."""
        self._indexed.wait()
        self._look()
        with self._lock:
            kept = list(self._kept.values())
        return sorted(kept, key=lambda one: one.played, reverse=True)

    def kept(self, game: str) -> Kept | None:
        """The index entry of a game; None if there is none yet."""
        with self._lock:
            return self._kept.get(game)

    def find(self, record: Record) -> str:
        """The id of a saved game with an equal record; empty if there is none.

        Waits until the index is read.
        """
        self.wait()
        wanted = kept_of("", record, 0.0).info
        with self._lock:
            like = [
                game
                for game, kept in self._kept.items()
                if kept.info.score == wanted.score and replace_info(kept.info, game="") == wanted
            ]
        for game in like:
            with contextlib.suppress(NotFound, InvalidRecord):
                if self.read(game) == record:
                    return game
        return ""

    def last_played(self, seconds: float) -> Kept | None:
        """The game played here last, of those indexed within `seconds`; newest files come first."""
        if self._indexed.wait(seconds):
            self._look()
        with self._lock:
            here = [one for one in self._kept.values() if not one.imported]
        return max(here, key=lambda one: one.played, default=None)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the index is read; False after `seconds`."""
        return self._indexed.wait(seconds)

    # ---- best scores

    def best(self, rules: str) -> int:
        """The best score under rules, given as text; 0 if there is none."""
        with self._lock:
            return top_score(self._best, rules)

    def reached(self, rules: str, game: str, score: int) -> None:
        """Note the score of a game in play: that of the person's own moves that stand."""
        with self._lock:
            self._played.add(game)
            if self._best.get(rules, {}).get(game, 0) != score:
                self._best.setdefault(rules, {})[game] = score
                self._new_best.setdefault(rules, {})[game] = score

    def _add(self, game: str, kept: Kept) -> None:
        self._kept[game] = kept
        if kept.counts and game not in self._played:
            rules, score = kept.info.rules, kept.info.score
            known = self._best.get(rules, {}).get(game, score)
            if score > top_score(self._best, rules) or known != score:  # others: when it is deleted
                self._new_best.setdefault(rules, {})[game] = score
            self._best.setdefault(rules, {})[game] = score

    def _open_best(self) -> None:
        path = self.folder / BEST_FILE
        try:
            self._take_in(read_best(path))
        except InvalidInput as error:
            self._name_damaged(BEST_FILE, str(error))
            try:
                set_aside(path)
            except ResourceError as fault:
                _LOG.warning("%s", fault)

    def _try_to_write_best(self) -> None:
        try:
            self._write_best()
        except (InvalidInput, ResourceError) as error:  # the next write tries again
            _LOG.warning("cannot save the best scores: %s", error)

    def _write_best(self) -> None:
        with self._lock:
            new, self._new_best = self._new_best, {}
        if not new:
            return
        try:
            written = keep_best(self.folder / BEST_FILE, new)
        except (InvalidInput, ResourceError):
            with self._lock:
                self._new_best = _over(new, self._new_best)
            raise
        self._take_in(written)

    def _take_in(self, written: BestScores) -> None:
        """Take over what the file says, also of other programs, but for what is newer here."""
        with self._lock:
            self._best = _over(_over(self._best, written), self._new_best)

    # ---- the index

    def _read_index(self) -> None:
        try:
            with contextlib.suppress(OSError):  # `_look` reports the error
                files.remove_abandoned(self.folder)
                locks.remove_abandoned(self.folder, SUFFIX)
            self._look()
        finally:
            self._indexed.set()

    def _look(self) -> None:
        """Scan the folder: read new and changed files, drop deleted ones."""
        with self._looking:
            try:
                with self._lock:
                    self._touched.clear()
                found = _newest_first(self.folder)
                for name, stamp in found.items():
                    if self._closing:
                        return
                    if self._stamps.get(name) != stamp:
                        self._read_one(self.folder / name, stamp)
                self._forget_gone(set(found))
                with contextlib.suppress(InvalidInput):  # the next write renames a damaged file
                    self._take_in(read_best(self.folder / BEST_FILE))
                self.damaged.pop(str(self.folder), None)
            except OSError as error:
                self._name_damaged(str(self.folder), str(error))

    def _read_one(self, path: Path, stamp: Stamp) -> None:
        game = path.name.removesuffix(SUFFIX)
        kept = None
        try:
            if _ID.fullmatch(game):
                kept = read_kept(path, game)
                self.damaged.pop(path.name, None)
            else:
                self._name_damaged(path.name, "its name may have letters, digits, '-' and '_' only")
        except InvalidRecord as error:
            if not os.path.lexists(path):
                return
            self._name_damaged(path.name, str(error))
        with self._lock:
            if game in self._touched:
                return
            self._stamps[path.name] = stamp
            self._kept.pop(game, None)
            if kept is not None:
                self._add(game, kept)

    def _forget_gone(self, names: set[str]) -> None:
        with self._lock:
            for name in self._stamps.keys() - names:
                del self._stamps[name]
                self.damaged.pop(name, None)
            for game in [one for one in self._kept if f"{one}{SUFFIX}" not in names]:
                if game not in self._touched:
                    del self._kept[game]

    def _name_damaged(self, name: str, why: str) -> None:
        self.damaged[name] = why
        _LOG.warning("cannot read %s: %s", name, why)


def _over(known: BestScores, newer: BestScores) -> dict[str, dict[str, int]]:
    return {
        rules: {**known.get(rules, {}), **newer.get(rules, {})}
        for rules in dict(known) | dict(newer)
    }


def _newest_first(folder: Path) -> dict[str, Stamp]:
    known = []
    with os.scandir(folder) as found:
        for one in found:
            if one.name.endswith(SUFFIX):
                with contextlib.suppress(OSError):  # deleted since, or a broken link
                    state = one.stat()
                    stamp = (state.st_mtime_ns, state.st_size, state.st_ino)
                    known.append((stamp, one.name))
    return {name: stamp for stamp, name in sorted(known, reverse=True)}
