"""GameStore: the kept games on disk, a record file each, and the best scores.

The folder holds `ID.2048` for each game, and `best.json`: the best scores by rules, which outlive
their games. An index of all games is read in a thread when
the store opens: tags only, the newest files first. A file that cannot be read is named in `damaged`
and left alone.

Other programs may use the same folder. Each list of the games begins with a look at the folder:
files that are new or changed are read, and those that are gone are forgotten.

At `MAX_GAMES` games no further game is begun until some are deleted; nothing is ever deleted
unasked.
"""

import contextlib
import logging
import os
import re
import secrets
import string
import threading
from pathlib import Path
from typing import Final

from msgspec.structs import replace as replace_info

from twofold import files, locks
from twofold.errors import InvalidInput, InvalidRecord, LimitExceeded, ResourceError
from twofold.notation import shown
from twofold.play.best_scores import BEST_FILE, higher, keep_best, read_best, set_aside
from twofold.play.folder import make_folder
from twofold.play.game_file import (
    PATIENCE,
    SUFFIX,
    Conflict,
    GameFile,
    Version,
    content_of,
    indexed,
)
from twofold.play.kept import Kept, kept_of, read_kept
from twofold.records.record import Record

MAX_GAMES: Final = 10_000
"""Most games that are kept."""

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_LETTERS: Final = string.ascii_lowercase + string.digits  # names that differ in case only may clash
_ID_LENGTH: Final = 8
_LOG: Final = logging.getLogger("twofold.play")

Stamp = tuple[int, int, int]
"""Time of the last change in ns, size and inode of a file: others once it is written anew."""


class NotFound(InvalidInput):
    """There is no such game, or this page has not opened it."""


class GameStore:
    """The kept games in a folder. Every method may be called from any thread.

    Args:
        folder: where they are; made if it is missing.

    Attributes:
        damaged: files that could not be read, and why.

    Raises:
        InvalidInput: there is something else than a folder.
        ResourceError: the folder cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder
        self.damaged: dict[str, str] = {}
        self._lock = threading.Lock()
        self._kept: dict[str, Kept] = {}
        self._best: dict[str, int] = {}
        self._written_best: dict[str, int] = {}
        self._looking = threading.Lock()  # before `_lock`
        self._stamps: dict[str, Stamp] = {}  # of the files as they were read, by name
        self._touched: set[str] = set()  # saved or deleted since the look at the folder began
        self._closing = False
        self._indexed = threading.Event()
        make_folder(folder)
        self._open_best()
        self._reader = threading.Thread(target=self._read_index, name="twofold-index", daemon=True)
        self._reader.start()

    def close(self) -> None:
        """End the reading of the index, and write the best scores."""
        self._closing = True
        self._reader.join()
        self._try_to_write_best()

    # ---- games

    def check_room(self) -> None:
        """Refuse another game where there are as many as are kept.

        Raises:
            LimitExceeded: so it is.
        """
        with self._lock:
            if len(self._kept) >= MAX_GAMES:
                raise LimitExceeded(
                    f"expected fewer than {MAX_GAMES:,} kept games to begin another one, got as "
                    "many: delete some first"
                )

    def new_id(self) -> str:
        """An id that no game has.

        Raises:
            LimitExceeded: there are as many games as are kept.
        """
        self.check_room()
        while True:
            game = "".join(secrets.choice(_LETTERS) for _ in range(_ID_LENGTH))
            if not self.path(game).exists():
                return game

    def path(self, game: str) -> Path:
        """The file of a game, whether there is one or not.

        Raises:
            NotFound: the text is no id.
        """
        if not _ID.fullmatch(game):
            raise NotFound(f"expected the id of a game, got {shown(game)}")
        return self.folder / f"{game}{SUFFIX}"

    def file(self, game: str) -> GameFile:
        """The file of a game, which is taken not to exist until it is read.

        Raises:
            NotFound: the text is no id.
        """
        return GameFile(self.path(game))

    def save(
        self, game: str, record: Record, played: float, file: GameFile | None = None
    ) -> Version | Conflict | None:
        """Write a game.

        Args:
            game: its id.
            record: the game; the tags that the index is read from are added.
            played: when it changed last, in seconds since 1970.
            file: its file, as its player saw it last; None for a new game.

        Returns:
            As `GameFile.save`: None once it is written.

        Raises:
            InvalidInput: the folder is gone.
            ResourceError: the disk is full or failed; what was stored before is intact.
        """
        kept = kept_of(game, record, played)
        other = (file or self.file(game)).save(indexed(record, played))
        if other is None:
            with self._lock:
                self._touch(game)
                self._add(game, kept)
            self._try_to_write_best()
        return other

    def read(self, game: str, file: GameFile | None = None) -> Record:
        """Read a game; its moves are played and checked.

        Args:
            game: its id.
            file: its file, which then counts as seen.

        Raises:
            NotFound: there is no such game.
            InvalidRecord: its file is damaged.
        """
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
        """The file of a game as it is; it is not checked.

        Raises:
            NotFound: there is no such game.
            ResourceError: the disk failed.
        """
        try:
            return content_of(self.path(game))
        except InvalidRecord:
            raise NotFound(f"there is no saved game {shown(game)}") from None

    def delete(self, game: str) -> None:
        """Delete a game; its score stays among the best scores.

        Raises:
            NotFound: there is no such game.
            InvalidInput: another program has changed it since it was listed.
            ResourceError: the disk failed; the game is still there.
        """
        path = self.path(game)
        with locks.alone(path, "program", patience=PATIENCE):
            if not path.exists():
                raise NotFound(f"there is no saved game {shown(game)}")
            self._check_as_listed(game, path)
            self._write_best()
            try:
                path.unlink()
            except OSError as error:
                raise ResourceError(f"cannot delete {str(path)!r}: {error.strerror}") from error
        with self._lock:
            self._touch(game)
            self._kept.pop(game, None)

    def _check_as_listed(self, game: str, path: Path) -> None:
        """Refuse to delete moves that nobody here has seen; at the next time they are listed."""
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
        """A look at the folder that has begun knows less of this game, the next one reads it."""
        self._touched.add(game)
        self._stamps.pop(f"{game}{SUFFIX}", None)

    def games(self) -> list[Kept]:
        """All kept games, last played first; waits until the index is read."""
        self._indexed.wait()
        self._look()
        with self._lock:
            kept = list(self._kept.values())
        return sorted(kept, key=lambda one: one.played, reverse=True)

    def kept(self, game: str) -> Kept | None:
        """What the index holds of a game; None where it has none, or has not come to it."""
        with self._lock:
            return self._kept.get(game)

    def find(self, record: Record) -> str:
        """The id of a kept game that has this very record; empty where there is none."""
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
        """The game played last.

        Args:
            seconds: how long to wait for the index; the newest files are read first, so that
                without all of it the answer is most likely the same.
        """
        if self._indexed.wait(seconds):
            self._look()
        with self._lock:
            return max(self._kept.values(), key=lambda one: one.played, default=None)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the index is read; whether it is."""
        return self._indexed.wait(seconds)

    # ---- best scores

    def best(self, rules: str) -> int:
        """The best score under rules, given as their text; 0 where there is none."""
        with self._lock:
            return self._best.get(rules, 0)

    def reached(self, rules: str, score: int) -> None:
        """A kept game has come to a score, which counts even if its last move is undone."""
        with self._lock:
            self._best[rules] = max(score, self._best.get(rules, 0))

    def _add(self, game: str, kept: Kept) -> None:
        self._kept[game] = kept
        if kept.counts:
            rules, score = kept.info.rules, kept.info.score
            self._best[rules] = max(score, self._best.get(rules, 0))

    def _open_best(self) -> None:
        path = self.folder / BEST_FILE
        try:
            self._written_best = read_best(path)
        except InvalidInput as error:
            self._name_damaged(BEST_FILE, str(error))
            try:
                set_aside(path)
            except ResourceError as fault:
                _LOG.warning("%s", fault)
        self._best = dict(self._written_best)

    def _try_to_write_best(self) -> None:
        try:
            self._write_best()
        except (InvalidInput, ResourceError) as error:  # at the next time
            _LOG.warning("cannot save the best scores: %s", error)

    def _write_best(self) -> None:
        with self._lock:
            best = dict(self._best)
            if higher(best, self._written_best) == self._written_best:
                return
        written = keep_best(self.folder / BEST_FILE, best)
        with self._lock:
            self._written_best, self._best = written, higher(self._best, written)

    # ---- the index

    def _read_index(self) -> None:
        try:
            with contextlib.suppress(OSError):  # the look says why
                files.remove_abandoned(self.folder)
                for end in (SUFFIX, BEST_FILE):
                    locks.remove_abandoned(self.folder, end)
            self._look()
        finally:
            self._indexed.set()

    def _look(self) -> None:
        """Look at the folder: read the files that are new or changed, forget those gone."""
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
                self._take_best()
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
                self._name_damaged(path.name, "its name has more than letters, digits, '-' and '_'")
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

    def _take_best(self) -> None:
        """Take over the best scores that other programs have written."""
        with contextlib.suppress(InvalidInput):  # it is set aside at the next write
            written = read_best(self.folder / BEST_FILE)
            with self._lock:
                self._written_best, self._best = written, higher(self._best, written)

    def _name_damaged(self, name: str, why: str) -> None:
        self.damaged[name] = why
        _LOG.warning("cannot read %s of the kept games: %s", name, why)


def _newest_first(folder: Path) -> dict[str, Stamp]:
    """The names of the files of games with their stamps, the last changed first."""
    known = []
    with os.scandir(folder) as found:
        for one in found:
            if one.name.endswith(SUFFIX):
                with contextlib.suppress(FileNotFoundError):  # gone meanwhile
                    state = _state(one)
                    stamp = (state.st_mtime_ns, state.st_size, state.st_ino)
                    known.append((stamp, one.name))
    return {name: stamp for stamp, name in sorted(known, reverse=True)}


def _state(entry: os.DirEntry[str]) -> os.stat_result:
    """The state of a file; that of the link itself where it leads nowhere."""
    try:
        return entry.stat()
    except OSError:
        return entry.stat(follow_symlinks=False)
