"""Store: the kept games on disk, a record file each, and the best scores.

The folder holds `ID.2048` for each game, and `best.json`: the best scores that no record shows,
for its game was deleted or its last moves undone. An index of all games is read in a thread when
the store opens: tags only, the newest files first. A file that cannot be read is named in `damaged`
and left alone.

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
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec.structs import replace as replace_info

from twofold.errors import InvalidInput, InvalidRecord, LimitExceeded, ResourceError
from twofold.files import atomic_write, open_regular
from twofold.limits import MAX_SCORE
from twofold.notation import shown
from twofold.record import Record, format_record, read_record
from twofold.web.kept import INDEX_TAGS, MOVES_TAG, PLAYED_TAG, Kept, kept_of, read_kept
from twofold.web.protocol import NotFound

SUFFIX: Final = ".2048"
"""How the names of the files end."""

MAX_GAMES: Final = 10_000
"""Most games that are kept."""

BEST_FILE: Final = "best.json"

MAX_BEST_BYTES: Final = 1 << 20
"""Bytes of it that are read: a score for each set of rules takes about a hundred."""

Score = Annotated[int, msgspec.Meta(ge=0, le=MAX_SCORE)]

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_LETTERS: Final = string.ascii_lowercase + string.digits  # names that differ in case only may clash
_ID_LENGTH: Final = 8
_LOG: Final = logging.getLogger("twofold.web")


class Store:
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
        self._gone: set[str] = set()  # deleted while the index is read
        self._closing = False
        self._indexed = threading.Event()
        _make_folder(folder)
        self._read_best()
        self._reader = threading.Thread(target=self._read_index, name="twofold-index", daemon=True)
        self._reader.start()

    def close(self) -> None:
        """End the reading of the index, and write the best scores."""
        self._closing = True
        self._reader.join()
        try:
            self._write_best()
        except (InvalidInput, ResourceError) as error:
            _LOG.warning("cannot save the best scores: %s", error)

    # ---- games

    def new_id(self) -> str:
        """An id that no game has.

        Raises:
            LimitExceeded: there are as many games as are kept.
        """
        with self._lock:
            if len(self._kept) >= MAX_GAMES:
                raise LimitExceeded(
                    f"expected fewer than {MAX_GAMES:,} kept games to begin another one, got as "
                    "many: delete some first"
                )
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

    def save(self, game: str, record: Record, played: float) -> None:
        """Write a game.

        Args:
            game: its id.
            record: the game; the tags that the index is read from are added.
            played: when it changed last, in seconds since 1970.

        Raises:
            InvalidInput: the folder is gone.
            ResourceError: the disk is full or failed; what was stored before is intact.
        """
        kept = kept_of(game, record, played)
        tags = {MOVES_TAG: str(len(record.moves)), PLAYED_TAG: f"{played:.3f}"}
        whole = replace(record, tags={**record.tags, **tags})
        atomic_write(self.path(game), format_record(whole))
        with self._lock:
            self._gone.discard(game)
            self._add(game, kept)

    def read(self, game: str) -> Record:
        """Read a game; its moves are played and checked.

        Raises:
            NotFound: there is no such game.
            InvalidRecord: its file is damaged.
        """
        path = self.path(game)
        if not path.exists():
            with self._lock:
                self._kept.pop(game, None)
            raise NotFound(f"expected a kept game, got {shown(game)}")
        record = read_record(path)
        own = {name: text for name, text in record.tags.items() if name not in INDEX_TAGS}
        return replace(record, tags=own)

    def delete(self, game: str) -> None:
        """Delete a game; its score stays among the best scores.

        Raises:
            NotFound: there is no such game.
            ResourceError: the disk failed; the game is still there.
        """
        path = self.path(game)
        self._write_best(without=game)
        try:
            path.unlink()
        except FileNotFoundError:
            raise NotFound(f"expected a kept game, got {shown(game)}") from None
        except OSError as error:
            raise ResourceError(f"cannot delete {str(path)!r}: {error.strerror}") from error
        with self._lock:
            self._gone.add(game)
            self._kept.pop(game, None)

    def games(self) -> list[Kept]:
        """All kept games, last played first; waits until the index is read."""
        self._indexed.wait()
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
        self._indexed.wait(seconds)
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

    def _read_best(self) -> None:
        path = self.folder / BEST_FILE
        if not path.exists():
            return
        try:
            with open_regular(path) as file:
                data = file.read(MAX_BEST_BYTES + 1)
            self._written_best = msgspec.json.decode(data, type=dict[str, Score])
        except (InvalidInput, msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            self._name_damaged(BEST_FILE, str(error))
            _set_aside(path)
        self._best = dict(self._written_best)

    def _write_best(self, without: str = "") -> None:
        """Write down the best scores that no record shows.

        Args:
            without: a game that is about to be deleted.
        """
        with self._lock:
            shown: dict[str, int] = {}
            for game, kept in self._kept.items():
                if kept.counts and game != without:
                    rules = kept.info.rules
                    shown[rules] = max(kept.info.score, shown.get(rules, 0))
            best = {
                rules: score for rules, score in self._best.items() if score > shown.get(rules, 0)
            }
            if best != self._written_best:
                atomic_write(self.folder / BEST_FILE, msgspec.json.encode(best))
                self._written_best = best

    # ---- the index

    def _read_index(self) -> None:
        try:
            for path in _newest_first(self.folder):
                if self._closing:
                    break
                self._read_one(path)
        except OSError as error:
            self._name_damaged(str(self.folder), str(error))
        finally:
            self._indexed.set()

    def _read_one(self, path: Path) -> None:
        game = path.name.removesuffix(SUFFIX)
        if not _ID.fullmatch(game):
            self._name_damaged(path.name, "its name has more than letters, digits, '-' and '_'")
            return
        try:
            kept = read_kept(path, game)
        except InvalidRecord as error:
            self._name_damaged(path.name, str(error))
            return
        with self._lock:
            if game not in self._kept and game not in self._gone:  # else it was played since
                self._add(game, kept)

    def _name_damaged(self, name: str, why: str) -> None:
        self.damaged[name] = why
        _LOG.warning("cannot read %s of the kept games: %s", name, why)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InvalidInput(f"expected a folder for the games, got {str(folder)!r}") from None
    except OSError as error:
        raise ResourceError(f"cannot make {str(folder)!r}: {error.strerror}") from error


def _newest_first(folder: Path) -> list[Path]:
    """The files of games, the last changed first."""
    with os.scandir(folder) as found:
        files = [(one.stat().st_mtime, one.path) for one in found if one.name.endswith(SUFFIX)]
    return [Path(path) for _, path in sorted(files, reverse=True)]


def _set_aside(path: Path) -> None:
    """Give a damaged file another name, so that it is not written over."""
    try:
        os.replace(path, path.with_name(f"{path.name}.damaged-{time.time_ns()}"))
    except OSError as error:
        _LOG.warning("cannot rename %s: %s", path, error)
