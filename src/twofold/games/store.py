"""GameStore: the saved games of a folder in one SQLite file, `games.db`, one row a game.

Several programs may use the file. A save compares the version of its row with the one that this
program saw last: it never overwrites moves that it has not seen.
"""

import contextlib
import hashlib
import logging
import os
import re
import secrets
import sqlite3
import string
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec

from twofold.errors import InvalidBoard, InvalidInput, InvalidRecord, LimitExceeded, ResourceError
from twofold.game.board import Board
from twofold.game.formats import read_any_record
from twofold.game.notation import printable, shown
from twofold.game.record import Record, format_record, parse_record, parse_unplayed
from twofold.game.record_text import located
from twofold.game.rules import Rules
from twofold.game.step import start_board
from twofold.games.kept import Accuracy, GameInfo, Kept, Moves, Percent, kept_of, unindexed
from twofold.limits import MAX_RECORD_BYTES, MAX_SCORE
from twofold.storage.database import (
    Deadline,
    Schema,
    check_database,
    connect,
    is_busy,
    room_beside,
    set_journal,
)
from twofold.storage.files import data_folder, in_use

PATIENCE: Final = 5.0
"""Seconds to wait for another program that is writing; a write takes milliseconds."""

OPENING_SECONDS: Final = 60.0
"""Seconds to wait for another program that is making the file."""

QUERY_SECONDS: Final = 30.0
"""Longest time of a request, which takes milliseconds."""

FILE: Final = "games.db"
GAMES: Final = "games"
"""Name of the folder of games in the data folder."""

_SCHEMA: Final = Schema(
    "saved games of twofold",
    0x32303467,
    2,
    """
    CREATE TABLE game (
        game TEXT PRIMARY KEY,
        rules TEXT NOT NULL,
        board TEXT NOT NULL,
        score INTEGER NOT NULL,
        moves INTEGER NOT NULL,
        max_tile INTEGER NOT NULL,
        status TEXT NOT NULL,
        player TEXT NOT NULL,
        date TEXT NOT NULL,
        undos INTEGER NOT NULL,
        hints INTEGER NOT NULL,
        kind TEXT NOT NULL,
        daily TEXT NOT NULL,
        played REAL NOT NULL,
        imported INTEGER NOT NULL,
        version INTEGER NOT NULL,
        record TEXT NOT NULL
    );
    CREATE TABLE best (
        game TEXT PRIMARY KEY,
        rules TEXT NOT NULL,
        score INTEGER NOT NULL
    );
    CREATE INDEX best_score ON best (rules, score);
    CREATE TABLE accuracy (
        game TEXT PRIMARY KEY,
        moves INTEGER NOT NULL,
        percent REAL NOT NULL
    );
    CREATE TABLE practice (
        name TEXT PRIMARY KEY,
        content TEXT NOT NULL
    );
""",
)
"""`version` is a new random number at each save. `best` has the points that a person's own moves
reached and that stand, also of deleted games. `accuracy` has the games that
were judged, as `Accuracy`, and `practice` what a person has practised, as JSON.
"""

MAX_GAMES: Final = 10_000
"""Maximum number of saved games; none is deleted automatically."""

MAX_PLAYED: Final = 1e11
"""Largest time of a last change, in seconds since 1970; it is beyond the year 5000."""

_INFO: Final = GameInfo.__struct_fields__
_LISTED: Final = ", ".join((*_INFO, "played", "imported", "version"))
_COLUMNS: Final = {
    "game": f"{_LISTED}, record",
    "best": "game, rules, score",
    "accuracy": "game, moves, percent",
}
"""The columns that queries of several rows read."""

_Numbers = tuple[int, ...]
_Row = TypeVar("_Row")
_Content = TypeVar("_Content", bound=msgspec.Struct)
_Result = TypeVar("_Result")
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_LETTERS: Final = string.ascii_lowercase + string.digits
_ID_LENGTH: Final = 8
_HASH_LENGTH: Final = 12
_LOG: Final = logging.getLogger("twofold.play")

ORDERS: Final = {
    "newest": "CAST(played AS REAL) DESC",
    "oldest": "CAST(played AS REAL)",
    "score": "CAST(score AS INTEGER) DESC",
    "tile": "CAST(max_tile AS INTEGER) DESC, CAST(score AS INTEGER) DESC",
    "moves": "CAST(moves AS INTEGER) DESC",
}
"""Orders of a list by name, in SQL."""

Conflict = Literal["parted", "deleted"]
"""Why a game cannot be saved in its place: another program has saved other moves there, or has
deleted it."""


class _Entry(GameInfo, array_like=True, frozen=True):
    """A row of the list."""

    played: Annotated[float, msgspec.Meta(ge=0, le=MAX_PLAYED)] = 0.0
    imported: int = 0
    version: int = 0


class NotFound(InvalidInput):
    """There is no such game, or the page has not opened it."""


@dataclass(frozen=True, slots=True)
class Version:
    """A game as another program saved it, and the mark of that version."""

    record: Record
    mark: int


def goes_on(later: Record, earlier: Record) -> bool:
    """True if `later` has all moves of `earlier`, from the same start and with the same tiles."""
    count = len(earlier.moves)
    last = earlier.start_move + count
    spawns = {number: spawn for number, spawn in later.spawns.items() if number <= last}
    return (
        _start(later) == _start(earlier)
        and earlier.seed in (None, later.seed)  # a record without a seed lists all its tiles
        and later.moves[:count] == earlier.moves
        and spawns == earlier.spawns
    )


def _start(record: Record) -> tuple[object, ...]:
    board = record.board or start_board(record.rules, record.seed or 0)
    return record.rules, board, record.start_score, record.start_move


class GameStore:
    """The saved games of a folder. Thread-safe.

    The file is made by the first write. Where it cannot be written, it can be read, and each write
    raises ResourceError. Raises InvalidInput if the file is another one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder
        # SQLite looks for a journal beside the file that a link leads to, and so do we
        self.path: Final = Path(os.path.realpath(folder / FILE))
        self._lock = threading.RLock()
        self._fault: Exception | None = None  # why the file cannot be written
        self._file: os.stat_result | None = None
        self._connection = _SCHEMA.in_memory()
        self._deadline = Deadline(QUERY_SECONDS)
        self._seen: dict[str, int] = {}  # versions that a list has shown, or that were saved here
        with self._errors("read"):
            self._open(create=False)

    # ---- games

    def check_room(self) -> None:
        """Raise LimitExceeded if there are `MAX_GAMES` games."""
        ((games,),) = self._rows(_Numbers, "SELECT count(*) FROM game")
        if games >= MAX_GAMES:
            raise LimitExceeded(
                f"there are {MAX_GAMES:,} saved games, the maximum. Delete some to begin another "
                "one"
            )

    def new_id(self) -> str:
        """An unused id; raises LimitExceeded if there are `MAX_GAMES` games."""
        self.check_room()
        while True:
            game = "".join(secrets.choice(_LETTERS) for _ in range(_ID_LENGTH))
            if game not in self:
                return game

    def __contains__(self, game: str) -> bool:
        return bool(self._rows(_Numbers, "SELECT 1 FROM game WHERE game = ?", game))

    def named(self, name: str) -> str:
        """The id of the saved game that a name means, as `id_of`; empty if there is none."""
        game = id_of(name)
        return game if game and game in self else ""

    def read(self, game: str) -> Version:
        """Read a game and check its moves; raises NotFound, or InvalidRecord if it is damaged."""
        mark, text = self._row(game)
        with located(f"the saved game {game}"):
            return Version(parse_record(text), mark)

    def record(self, game: str) -> Record:
        """The record of a game, whose moves are not checked; raises NotFound or InvalidRecord."""
        return parse_unplayed(self._row(game)[1])

    def _row(self, game: str) -> tuple[int, str]:
        columns = "game, version, record"
        rows, wrong = self._sound_rows(tuple[str, int, str], columns, "game", "game = ?", game)
        for _, version, record in rows:
            return version, record
        if game in wrong:
            raise InvalidRecord(f"the saved game {shown(game)} is damaged: {wrong[game]}")
        raise NotFound(f"there is no saved game {shown(game)}")

    def changed(self, game: str, mark: int) -> Version | Conflict | None:
        """What another program made of a game since version `mark`, 0 for none; None if nothing."""
        found = self._rows(_Numbers, "SELECT version FROM game WHERE game = ?", game)
        if not found:
            return "deleted" if mark else None
        return None if found == [(mark,)] else self.read(game)

    def save(
        self,
        game: str,
        record: Record,
        played: float,
        mark: int = 0,
        *,
        own: int | None = None,
        imported: bool = False,
    ) -> int | Version | Conflict:
        """Save a game, unless another program has changed it since version `mark`, 0 for none.

        `imported` is true for a record that comes from a file. Otherwise as `Row.save`; returns
        the new version of a game that is saved.
        """
        if not is_id(game):
            raise NotFound(f"expected the id of a game, got {shown(game)}")
        new, kept = secrets.randbelow(2**62) + 1, kept_of(game, record, played, imported=imported)
        with self._writing() as connection:
            other = self.changed(game, mark)
            if isinstance(other, Version) and not goes_on(other.record, record):
                other = None if goes_on(record, other.record) else "parted"
            if other is not None:
                return other
            _put(connection, kept, record, new)
            if own is not None:
                best = (game, kept.info.rules, own)
                connection.execute("INSERT OR REPLACE INTO best VALUES (?, ?, ?)", best)
        self._seen[game] = new
        return new

    def take_in(self, game: str, record: Record, played: float) -> bool:
        """Save a record from a file under an id; False if another game has it."""
        own = kept_of(game, record, played)
        score = own.info.score if own.counts else None
        return isinstance(self.save(game, record, played, own=score, imported=True), int)

    def id_for(self, record: Record) -> str:
        """The id for a record from a file: the same in every program. It may be in use."""
        self.check_room()
        return hashlib.sha256(format_record(record).encode()).hexdigest()[:_HASH_LENGTH]

    def delete(self, game: str) -> None:
        """Delete a game; its score stays among the best scores. Raises NotFound or ResourceError.

        Raises InvalidInput if another program has changed it since it was listed; the next request
        then deletes it.
        """
        with self._writing() as connection:
            rows = connection.execute("SELECT version, moves FROM game WHERE game = ?", (game,))
            for mark, moves in rows.fetchall():
                if self._seen.setdefault(game, mark) != mark:
                    self._seen[game] = mark
                    raise InvalidInput(
                        f"another program has changed the game {shown(game)}: it has {moves} "
                        "moves now. Delete it once more to delete them too"
                    )
                for table in ("game", "accuracy"):
                    connection.execute(f"DELETE FROM {table} WHERE game = ?", (game,))
                return
        raise NotFound(f"there is no saved game {shown(game)}")

    # ---- lists

    def games(self, where: str = "1", *values: object, most: int = MAX_GAMES) -> list[Kept]:
        """The games that meet a condition in SQL, all by default; raises InvalidInput.

        Games with a damaged entry are left out; `listed` has them too.
        """
        return self.listed(where, *values, most=most)[0]

    def listed(
        self, where: str = "1", *values: object, order: str = "newest", most: int = MAX_GAMES
    ) -> tuple[list[Kept], dict[str, str]]:
        """The games as `games` has them, and what is wrong with each other one, by its id."""
        if order not in ORDERS:
            raise InvalidInput(f"expected an order ({', '.join(ORDERS)}), got {shown(order)}")
        where += f" ORDER BY {ORDERS[order]} LIMIT ?"
        rows, wrong = self._sound_rows(_Entry, _LISTED, "game", where, *values, most)
        games = []
        for one in rows:
            try:
                if Board.parse(one.board).shape != _rules(one.rules).shape:
                    raise InvalidBoard("expected a board of the rules' shape, got another one")
            except InvalidInput as error:
                wrong[one.game] = str(error)
                continue
            self._seen[one.game] = one.version
            info = GameInfo(*(getattr(one, name) for name in _INFO))
            games.append(Kept(info, one.played, bool(one.imported)))
        for game, why in wrong.items():
            _LOG.warning("the entry of the saved game %s is damaged: %s", game, why)
        return games, wrong

    def kept(self, game: str) -> Kept | None:
        """The entry of a game; None if it is not saved, or damaged: the next save makes it anew."""
        return next(iter(self.games("game = ?", game)), None)

    def select(
        self, *, search: str = "", order: str = "newest", rules: str = "", kind: str = ""
    ) -> tuple[list[GameInfo], dict[str, str]]:
        """The games with these rules, kind and words (any case), sorted, as `listed`.

        Words may be in the id, player, date, size, largest tile or status; empty texts match all.
        """
        wanted = {name: text for name, text in (("rules", rules), ("kind", kind)) if text}
        where = " AND ".join(["1", *(f"{name} = ?" for name in wanted)])
        words = search.casefold().split()
        games, wrong = self.listed(where, *wanted.values(), order=order)
        infos = [one.info for one in games]
        return [one for one in infos if all(word in _words_of(one) for word in words)], wrong

    def find(self, record: Record) -> str:
        """The id of a saved game with an equal record; empty if there is none."""
        info = kept_of("", record, 0.0).info
        where = "score = ? AND moves = ? AND board = ? AND rules = ? AND record = ? LIMIT 1"
        like = info.score, info.moves, info.board, info.rules, _text(record)
        with self._lock, self._errors("read"):
            found, _ = self._selected("game", "game", where, *like)
        return str(found[0][0]) if found else ""

    # ---- best scores

    def best(self, rules: str, *, without: str = "") -> int:
        """The best score under rules, given as text; 0 if there is none."""
        return self._most("score", "best", rules, without)

    def largest(self, rules: str, *, without: str) -> int:
        """The largest tile of the person's other games under rules; 0 if there is none."""
        return self._most("max_tile", "game", rules, without, "AND kind IN ('hand', 'helped')")

    def _most(self, column: str, table: str, rules: str, without: str, more: str = "") -> int:
        """The largest number in a column for other games under rules, but for damaged ones."""
        where = f"""rules = ? AND game <> ? AND typeof({column}) = 'integer'
            AND {column} <= {MAX_SCORE} {more}"""
        with self._lock, self._errors("read"):
            ((most,),), _ = self._selected(f"max({column})", table, where, rules, without)
        return int(most or 0)

    # ---- accuracy and practice

    def accuracies(self) -> dict[str, Accuracy]:
        """The accuracy of each judged game, by id; damaged ones are left out."""
        row, columns = tuple[str, Moves, Percent], _COLUMNS["accuracy"]
        rows, _ = self._sound_rows(row, columns, "accuracy", "1 LIMIT ?", MAX_GAMES)
        return {game: Accuracy(moves, percent) for game, moves, percent in rows}

    def note_accuracy(self, game: str, accuracy: Accuracy) -> None:
        """Set the accuracy of a game."""
        with self._writing() as connection:
            row = (game, accuracy.moves, accuracy.percent)
            connection.execute("INSERT OR REPLACE INTO accuracy VALUES (?, ?, ?)", row)

    def practised(self, name: str, kind: type[_Content]) -> _Content:
        """What is kept under a name, at first the default of its type; raises InvalidInput."""
        query = "SELECT content FROM practice WHERE name = ?"
        with self._errors("read"):
            for (content,) in self._rows(tuple[str], query, name):
                return msgspec.json.decode(content, type=kind)
        return kind()

    def practise(
        self, name: str, kind: type[_Content], edit: Callable[[_Content], _Result]
    ) -> _Result:
        """Change what is kept under a name by `edit`, and return its result."""
        with self._writing() as connection:
            content = self.practised(name, kind)
            result = edit(content)
            row = (name, msgspec.json.encode(content).decode())
            connection.execute("INSERT OR REPLACE INTO practice VALUES (?, ?)", row)
        return result

    # ---- the file

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _open(self, *, create: bool) -> None:
        is_read = self._fault is not None
        self._fault = self._file = None
        # before SQLite opens it: to close a file ends all locks that this process has on it
        check_database(self.path, _SCHEMA.what, shown(str(self.path)), may_be_new=True)
        if create or self.path.exists():
            try:
                make_folder(self.folder)
            except (InvalidInput, ResourceError) as error:
                self._fault = error
            try:
                self._use(self._writable())
                self._file = self.path.stat()
                return
            except sqlite3.OperationalError as error:
                if is_busy(error):
                    raise
                self._fault = self._fault or error
        if not is_read:
            self._use(self._readable())

    def _use(self, connection: sqlite3.Connection) -> None:
        """Use a connection in place of the one until now."""
        self._connection.close()
        self._connection = connection

    def _connect(self, options: str, patience: float) -> sqlite3.Connection:
        connection = connect(self.path, options, patience, self._deadline, check_same_thread=False)
        connection.text_factory = partial(str, encoding="utf-8", errors="replace")
        return connection

    def _readable(self) -> sqlite3.Connection:
        """The games of a folder in which nothing can be written."""
        with contextlib.ExitStack() as stack:
            if self.path.exists():
                connection = self._connect("mode=ro&immutable=1", PATIENCE)
                stack.callback(connection.close)
                if not _is_new(connection):
                    _SCHEMA.check(connection, shown(str(self.path)))
                    stack.pop_all()
                    return connection
        return _SCHEMA.in_memory()

    def _writable(self) -> sqlite3.Connection:
        connection = self._connect("mode=rwc", OPENING_SECONDS)
        with contextlib.ExitStack() as stack:
            stack.callback(connection.close)
            set_journal(connection, "WAL", OPENING_SECONDS)
            with _transaction(connection):
                if _is_new(connection):
                    _SCHEMA.create(connection)
                _SCHEMA.check(connection, shown(str(self.path)))
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000:.0f}")
            stack.pop_all()
        return connection

    def _rows(self, row: type[_Row], query: str, *values: object) -> list[_Row]:
        """The rows of a query, each of the type `row`."""
        with self._lock, self._errors("read"):
            cells = self._cells(query, *values).fetchall()
            return msgspec.convert(cells, list[row])  # type: ignore[valid-type]

    def _sound_rows(
        self, row: type[_Row], columns: str, table: str, where: str, *values: object
    ) -> tuple[list[_Row], dict[str, str]]:
        """The rows of the type `row`, and what is wrong with each other one, by its first cell.

        They are read one at a time: the rows of a damaged file can share one long text.
        """
        sound = []
        with self._lock, self._errors("read"):
            numbers, wrong = self._selected("rowid", table, where, *values)
            for (number,) in numbers:
                if self._deadline.is_late():
                    raise sqlite3.OperationalError("interrupted")
                try:
                    query = f"SELECT {columns} FROM {table} WHERE rowid = ?"
                    cells = (found := self._cells(query, number)).fetchone()
                    sound.append(msgspec.convert(cells, row))
                except sqlite3.DataError:
                    wrong |= [self._too_large(number, f"{_COLUMNS[table]}, {columns}", table)]
                except msgspec.MsgspecError as error:
                    text, _, place = str(error).partition(" - at `$[")
                    column = found.description[int(place[:-2])][0]
                    wrong[printable(str(cells[0])[:80])] = f"{column}: {printable(text)}"
        return sound, wrong

    def _selected(
        self, what: str, table: str, where: str, *values: object
    ) -> tuple[list[tuple[Any, ...]], dict[str, str]]:
        """What a query finds among the rows whose cells it can compare, and the other rows."""
        try:
            return self._cells(f"SELECT {what} FROM {table} WHERE {where}", *values).fetchall(), {}
        except sqlite3.DataError:  # a text that is too long hides all rows
            numbers = self._cells(f"SELECT rowid FROM {table}").fetchall()
        large = {one: self._too_large(one, _COLUMNS[table], table) for (one,) in numbers}
        large = {number: (name, why) for number, (name, why) in large.items() if why}
        sound = f"rowid NOT IN ({', '.join(map(str, large))}) AND {where}"
        query = f"SELECT {what} FROM {table} WHERE {sound}"
        return self._cells(query, *values).fetchall(), dict(large.values())

    def _too_large(self, number: int, columns: str, table: str) -> tuple[str, str]:
        """The game of a row, and which of its texts is too long; empty if none is."""
        name = f"row {number}"
        for column in dict.fromkeys(columns.split(", ")):
            try:
                query = f"SELECT {column} FROM {table} WHERE rowid = ?"
                (cell,) = self._cells(query, number).fetchone()
            except sqlite3.DataError:
                why = f"{column}: expected at most {MAX_RECORD_BYTES:,} bytes, got more"
                return printable(name[:80]), why
            name = str(cell) if column == "game" else name
        return printable(name[:80]), ""

    def _cells(self, query: str, *values: object) -> sqlite3.Cursor:
        if self._file is None and self._fault is None and self.path.exists():
            self._open(create=False)  # another program has made it
        return self._connection.execute(query, values)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._errors("write"):
            if self._is_gone():
                self._open(create=True)
            if self._fault is not None:
                raise self._fault
            with _transaction(self._connection):
                yield self._connection

    def _is_gone(self) -> bool:
        """True if there is no file yet, or somebody has removed or replaced it."""
        try:
            return self._file is None or not os.path.samestat(self._file, self.path.stat())
        except FileNotFoundError:
            return True

    @contextlib.contextmanager
    def _errors(self, task: str) -> Iterator[None]:
        self._deadline.renew()
        try:
            yield
        # UnicodeDecodeError: a message of SQLite that has bytes of a damaged schema
        except (sqlite3.Error, msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            text, name = printable(str(error)), shown(str(self.path))
            if isinstance(error, sqlite3.Error):
                self._deadline.check(error, name)
            if is_busy(error):
                raise in_use(name) from None
            if isinstance(error, sqlite3.OperationalError):
                raise ResourceError(
                    f"cannot {task} {name}{room_beside(self.path)}: {text}"
                ) from error
            raise InvalidInput(
                f"expected {_SCHEMA.what} in {name}, got a damaged file: {text}"
            ) from error


_rules: Final = lru_cache(maxsize=256)(Rules.parse)


def _put(connection: sqlite3.Connection, kept: Kept, record: Record, mark: int) -> None:
    values = [*(getattr(kept.info, name) for name in _INFO), kept.played, kept.imported, mark]
    marks = ", ".join("?" * (len(values) + 1))
    connection.execute(
        f"INSERT OR REPLACE INTO game ({_LISTED}, record) VALUES ({marks})",
        [*values, _text(record)],
    )


def _text(record: Record) -> str:
    """A record as its row has it."""
    return format_record(unindexed(record))


def _words_of(info: GameInfo) -> str:
    size = info.rules.partition(" ")[0]
    parts = (info.game, info.player, info.date, size, str(info.max_tile), info.status)
    return " ".join(parts).casefold()


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _is_new(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_schema").fetchone() is None


def make_folder(folder: Path) -> None:
    """Create a folder for games; raises InvalidInput for another file, or ResourceError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InvalidInput(f"expected a folder for the games, got {str(folder)!r}") from None
    except OSError as error:
        reason = error.strerror or error
        raise ResourceError(f"cannot make the folder {str(folder)!r}: {reason}") from error


# ---- folders and files


def games_folder() -> Path:
    """The user's folder of games."""
    return data_folder() / GAMES


def saved_game(name: str) -> Record | None:
    """The record of the user's saved game that a name means, as `id_of`; None if there is none."""
    if id_of(name) and games_folder().exists():
        with contextlib.closing(GameStore(games_folder())) as store:
            if game := store.named(name):
                return store.read(game).record
    return None


def read_game(name: str) -> Record:
    """The record of a saved game of the user by its id, or of a file; raises InvalidRecord."""
    if saved := saved_game(name):
        return saved
    if not os.path.lexists(name):
        raise InvalidRecord(f"expected a saved game or a file, got {shown(name)}")
    return read_any_record(name)


def id_of(name: str) -> str:
    """The id that a name may mean: itself, or empty for the name of a file."""
    return name if is_id(name) and not Path(name).exists() else ""


def is_id(text: str) -> bool:
    """True if a text can be the id of a game."""
    return _ID.fullmatch(text) is not None
