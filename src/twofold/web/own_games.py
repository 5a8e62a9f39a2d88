"""Operations on all saved games: statistics, search, export, import and the daily game."""

import contextlib
from collections.abc import Iterator
from datetime import date
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
from twofold.web.hub import Hub
from twofold.web.operations import Call, Operation, Text
from twofold.web.page_game import PageTable
from twofold.web.protocol import Count
from twofold.web.protocol import Text as Short

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


def operations(hub: Hub) -> list[Operation]:
    """The operations on all saved games."""
    table = hub.table
    return [
        Operation(
            path="/api/statistics",
            summary="Statistics of all saved games, by rules and by how they were played.",
            work=lambda call: statistics(table),
            reply=OwnStatistics,
        ),
        Operation(
            path="/api/game-list",
            summary=f"A part of the list of saved games, at most {MAX_LISTED}.",
            work=lambda call: list_part(table, call.asked),
            asked=ListQuery,
            reply=ListPart,
            query={
                "search": "words, each of which must occur in the details of a game",
                "order": "newest (default), oldest, score, tile or moves",
                "rules": "in full; empty for any",
                "kind": "hand, helped, player, board or file; empty for any",
                "offset": "number of games to skip",
                "count": "number of games to return",
            },
        ),
        Operation(
            path="/api/export",
            summary="All saved games as JSON Lines.",
            work=lambda call: Text(export(table), EXPORT_NAME),
            reply=Text,
        ),
        Operation(
            method="POST",
            path="/api/import",
            summary="Save games from text: records one after the other, JSON Lines, "
            "or replays of other programs.",
            work=lambda call: bring_in(table, call),
            body=bytes,
            reply=Imported,
            max_bytes=MAX_IMPORT,
            at_once=1,
        ),
    ]


def statistics(table: PageTable) -> OwnStatistics:
    """Statistics of all saved games."""
    games = table.entries()
    damaged = [DamagedFile(*pair) for pair in sorted(table.store.damaged.items())]
    rules = statistics_of(games)
    best = {one.rules: table.store.best(one.rules) for one in rules}
    return OwnStatistics(len(games), rules, best, damaged[:MAX_DAMAGED])


def list_part(table: PageTable, asked: ListQuery) -> ListPart:
    """Part of the list."""
    found = select(
        table.entries(), search=asked.search, order=asked.order, rules=asked.rules, kind=asked.kind
    )
    last = asked.offset + min(asked.count, MAX_LISTED)
    return ListPart(len(found), found[asked.offset : last])


def export(table: PageTable) -> Iterator[str]:
    """All saved games as JSON Lines, last played first; unreadable files are left out."""
    for entry in table.entries():
        with contextlib.suppress(NotFound, InvalidRecord):  # deleted since, or damaged
            yield format_line(table.export(entry)) + "\n"


def bring_in(table: PageTable, call: Call) -> Imported:
    """Save the games of a text; those before a LimitExceeded or ResourceError remain saved."""
    with synced_together():
        return _bring_in(table, call)


def _bring_in(table: PageTable, call: Call) -> Imported:
    done = Imported()
    stop: Stop = call.stop
    for found in games_in(call.body):
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


# ---- the daily game


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


def daily_operations(hub: Hub) -> list[Operation]:
    """The operations on the daily game."""

    def begin(call: Call) -> DailyBegun:
        asked: DailyBody = call.body
        return DailyBegun(hub.table.begin_daily(day_to_play(asked.day)))

    return [
        Operation(
            path="/api/daily",
            summary="The daily game: today, and the tries so far.",
            work=lambda call: daily_games(hub),
            reply=DailyGames,
        ),
        Operation(
            method="POST",
            path="/api/daily",
            summary="Begin the daily game of a day, or return its existing try.",
            work=begin,
            body=DailyBody,
            reply=DailyBegun,
            examples=[{"day": "2026-01-01"}],
        ),
    ]


def day_to_play(text: str) -> date:
    """Parse a day up to today; raises InvalidInput."""
    day = daily.parse_day(text)
    if day > daily.today():
        raise InvalidInput(f"the daily game of {day} can be played from that day on, in UTC")
    return day


def daily_games(hub: Hub) -> DailyGames:
    """The tries so far."""
    games = {one.info.game: one.info for one in hub.table.entries() if one.info.daily}
    tries = [
        DailyTry(info.daily, daily.is_later(info.daily, info.date), info)
        for game, info in games.items()
        if game == daily.PREFIX + info.daily
    ]
    tries.sort(key=lambda one: one.day, reverse=True)
    return DailyGames(str(daily.today()), str(daily.FIRST_DAY), tries)
