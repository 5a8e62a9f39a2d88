"""Operations on all saved games: statistics, search, export, import and the daily game."""

import contextlib
from collections.abc import Iterator
from typing import Final

import msgspec

from twofold.errors import InvalidInput, InvalidRecord, LimitExceeded, ResourceError
from twofold.figures import counted
from twofold.files import synced_together
from twofold.play import daily
from twofold.play.kept import GameInfo, Unread, games_in, select
from twofold.play.statistics import RulesStatistics, statistics_of
from twofold.play.store import NotFound
from twofold.records.json_lines import format_line
from twofold.search.stop import Stop
from twofold.web.operations import TEXT, File, Operation, operation, operations_of
from twofold.web.protocol import Count
from twofold.web.protocol import Text as Short
from twofold.web.table import PageTable

MAX_IMPORT: Final = 8 * 2**20
"""Maximum size of an import in bytes; the page sends larger files in parts."""

MAX_UNREAD: Final = 20
"""Maximum number of unreadable games listed in a reply; the others are counted."""

MAX_LISTED: Final = 200
"""Maximum number of games in a part of the list."""

MAX_DAMAGED: Final = 20
"""Maximum number of unreadable files listed in a reply."""

EXPORT_NAME: Final = "twofold-games.jsonl"


class DamagedFile(msgspec.Struct, frozen=True):
    """A file in the folder of games that cannot be read."""

    name: str
    why: str


class OwnStatistics(msgspec.Struct, frozen=True):
    """Statistics of all saved games; `rules` has the rules with the most games first.

    `best` has the best score under each of them. It counts undone moves and deleted games too.
    """

    games: int
    rules: list[RulesStatistics]
    best: dict[str, int]
    damaged: list[DamagedFile]


class ListPart(msgspec.Struct, frozen=True):
    """Part of a list of saved games; `total` counts all that match."""

    total: int
    games: list[GameInfo]


class ListQuery(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A query for a part of the list; see the parameters of its operation."""

    search: Short = ""
    order: str = "newest"
    rules: Short = ""
    kind: str = ""
    offset: Count = 0
    count: Count = MAX_LISTED


class UnreadGame(msgspec.Struct, frozen=True):
    """A game that could not be read, and the line on which it begins."""

    line: int
    error: str


class Imported(msgspec.Struct):
    """Number of new games, of games saved before, and of unreadable games; the first unreadable."""

    added: int = 0
    known: int = 0
    failed: int = 0
    unread: list[UnreadGame] = msgspec.field(default_factory=list)


class DailyTry(msgspec.Struct, frozen=True):
    """The try of a day, such as `2026-11-23`; `later` if it was begun on a later day."""

    day: str
    later: bool
    game: GameInfo


class DailyGames(msgspec.Struct, frozen=True):
    """The daily games: today in UTC, the first day with a game, and all tries, latest day first."""

    today: str
    first: str
    tries: list[DailyTry]


class DailyBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A day to play."""

    day: str


class DailyBegun(msgspec.Struct, frozen=True):
    """The id of the try, new or existing."""

    game: str


class _OwnGames:
    def __init__(self, table: PageTable) -> None:
        self._table = table

    @operation("GET /api/statistics")
    def statistics(self) -> OwnStatistics:
        """Statistics of all saved games, by rules and by how they were played."""
        return statistics(self._table)

    @operation(
        "GET /api/game-list",
        summary=f"A part of the list of saved games, at most {MAX_LISTED}.",
        query={
            "search": "words, each of which must occur in the details of a game",
            "order": "newest (default), oldest, score, tile or moves",
            "rules": "in full; empty for any",
            "kind": "hand, helped, player, board or file; empty for any",
            "offset": "number of games to skip",
            "count": "number of games to return",
        },
    )
    def part(self, query: ListQuery) -> ListPart:
        found = select(
            self._table.entries(),
            search=query.search, order=query.order, rules=query.rules, kind=query.kind,
        )  # fmt: skip
        last = query.offset + min(query.count, MAX_LISTED)
        return ListPart(len(found), found[query.offset : last])

    @operation("GET /api/export", reply=TEXT)
    def export(self) -> File:
        """All saved games as JSON Lines."""
        return File(_export(self._table), EXPORT_NAME)

    @operation(
        "POST /api/import",
        summary="Save games from text: records one after the other, JSON Lines, "
        "or replays of other programs.",
        max_bytes=MAX_IMPORT,
        at_once=1,
    )
    def bring_in(self, body: bytes, stop: Stop) -> Imported:
        with synced_together():  # those before a LimitExceeded or ResourceError remain saved
            return _bring_in(self._table, body, stop)

    @operation("GET /api/daily")
    def daily(self) -> DailyGames:
        """The daily game: today, and the tries so far."""
        games = {one.info.game: one.info for one in self._table.entries() if one.info.daily}
        tries = [
            DailyTry(info.daily, daily.is_later(info.daily, info.date), info)
            for game, info in games.items()
            if game == daily.PREFIX + info.daily
        ]
        tries.sort(key=lambda one: one.day, reverse=True)
        return DailyGames(str(daily.today()), str(daily.FIRST_DAY), tries)

    @operation("POST /api/daily", examples=[{"day": "2026-01-01"}])
    def begin_daily(self, body: DailyBody) -> DailyBegun:
        """Begin the daily game of a day, or return its existing try."""
        day = daily.parse_day(body.day)
        if day > daily.today():
            raise InvalidInput(f"the daily game of {day} can be played from that day on, in UTC")
        return DailyBegun(self._table.begin_daily(day))


def own_operations(table: PageTable) -> list[Operation]:
    """The operations on all saved games."""
    return operations_of(_OwnGames(table))


def statistics(table: PageTable) -> OwnStatistics:
    """Statistics of all saved games."""
    games = table.entries()
    damaged = [DamagedFile(*pair) for pair in sorted(table.store.damaged.items())]
    rules = statistics_of(games)
    best = {one.rules: table.store.best(one.rules) for one in rules}
    return OwnStatistics(len(games), rules, best, damaged[:MAX_DAMAGED])


def _export(table: PageTable) -> Iterator[str]:
    """All saved games as JSON Lines, last played first; unreadable files are left out."""
    for entry in table.entries():
        with contextlib.suppress(NotFound, InvalidRecord):  # deleted since, or damaged
            yield format_line(table.export(entry)) + "\n"


def _bring_in(table: PageTable, text: bytes, stop: Stop) -> Imported:
    done = Imported()
    for found in games_in(text):
        if stop.is_raised:
            break
        if isinstance(found, Unread):
            done.failed += 1
            if len(done.unread) < MAX_UNREAD:
                done.unread.append(UnreadGame(found.line, found.why))
            continue
        try:
            is_new = table.take_in(found).is_new
        except (LimitExceeded, ResourceError) as error:
            saved = counted(done.added, "game")
            raise type(error)(f"{error}. {saved} saved before that") from error
        if is_new:
            done.added += 1
        else:
            done.known += 1
    return done
