"""Operations on all saved games: statistics, search, export, import, pictures, the daily game."""

import contextlib
from collections.abc import Iterator
from typing import Annotated, Final

import msgspec
from starlette.requests import ClientDisconnect

from twofold.errors import InvalidInput, LimitExceeded, ResourceError, install
from twofold.figures import counted
from twofold.game.board import Board
from twofold.game.drawing import DOT, draw_board
from twofold.game.record import format_line
from twofold.games import daily
from twofold.games.kept import (
    Accuracy,
    GameInfo,
    RulesStatistics,
    Unread,
    games_in,
    indexed,
    statistics_of,
)
from twofold.games.pictures import (
    FORMS,
    RATES,
    AnimationForm,
    Shade,
    animate,
    draw_png,
    is_installed,
    replay,
)
from twofold.games.store import NotFound
from twofold.limits import MAX_ANIMATION_MOVES, MAX_MOVE_NUMBER, MAX_REPLAY_MOVES, MAX_SCORE
from twofold.search.budget import Stop
from twofold.web.operations import TEXT, File, Operation, check_id, operation, operations_of
from twofold.web.protocol import Count
from twofold.web.protocol import Text as Short
from twofold.web.table import PageTable

MAX_IMPORT: Final = 8 * 2**20
"""Maximum size of an import in bytes; the page sends larger files in parts."""

MAX_UNREAD: Final = 20
"""Maximum number of unreadable games listed in a reply; the others are counted."""

MAX_LISTED: Final = 200
"""Maximum number of games in a part of the list."""

EXPORT_NAME: Final = "twofold-games.jsonl"


class OwnStatistics(msgspec.Struct, frozen=True):
    """Statistics of all saved games; `rules` has the rules with the most games first.

    `best` has the best score under each of them. It counts undone moves and deleted games too.
    """

    games: int
    rules: list[RulesStatistics]
    best: dict[str, int]


class ListPart(msgspec.Struct, frozen=True):
    """Part of a list of saved games; `total` counts all that match."""

    total: int
    games: list[GameInfo]


class ListQuery(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A query for a part of the list.

    Attributes:
        search: words, each of which must occur in the details of a game.
        order: newest, oldest, score, tile or moves.
        rules: in full; empty for any.
        kind: hand, helped, player, board or file; empty for any.
        offset: number of games to skip.
        count: number of games to return.
    """

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

    @operation("GET /api/accuracies")
    def accuracies(self) -> dict[str, Accuracy]:
        """The accuracy of each game that has been judged, by id; it may have gone on since."""
        return self._table.store.accuracies()

    @operation("GET /api/statistics")
    def statistics(self) -> OwnStatistics:
        """Statistics of all saved games, by rules and by how they were played."""
        return statistics(self._table)

    @operation(
        "GET /api/game-list", summary=f"A part of the list of saved games, at most {MAX_LISTED}."
    )
    def part(self, query: ListQuery) -> ListPart:
        found = self._table.saved().select(
            search=query.search, order=query.order, rules=query.rules, kind=query.kind
        )
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
        return _bring_in(self._table, body, stop)

    @operation("GET /api/daily")
    def daily(self) -> DailyGames:
        """The daily game: today, and the tries so far."""
        where, prefix = "daily <> '' AND game = ? || daily", daily.PREFIX
        tries = [
            DailyTry(one.info.daily, daily.is_later(one.info.daily, one.info.date), one.info)
            for one in self._table.saved().games(where, prefix)
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
    store = table.saved()
    games = store.games()
    rules = statistics_of(games)
    best = {one.rules: store.best(one.rules) for one in rules}
    return OwnStatistics(len(games), rules, best)


def _export(table: PageTable) -> Iterator[str]:
    """All saved games as JSON Lines, last played first."""
    store = table.saved()
    for one in store.games():
        with contextlib.suppress(NotFound):  # deleted since
            record = indexed(store.record(one.info.game), one.played, imported=one.imported)
            yield format_line(record) + "\n"


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


PNG_SCALE: Final = 2.0
"""Pixels per unit: a 4x4 board is 920 pixels wide."""

REPLAY_SCALE: Final = 1.0

HTML: Final = "text/html; charset=utf-8"

MoveNumber = Annotated[int, msgspec.Meta(ge=0, le=MAX_MOVE_NUMBER)]


class BoardQuery(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A board to draw.

    Attributes:
        board: exponents or tiles.
        score: points, in a line below.
        move: move number, in a line below.
        shade: light or dark.
    """

    board: Short
    score: Annotated[int, msgspec.Meta(ge=0, le=MAX_SCORE)] | None = None
    move: MoveNumber | None = None
    shade: Shade = "light"


class AnimationQuery(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A part of a game to draw.

    Attributes:
        first: move number to begin at.
        last: move number to end at.
        rate: moves a second, one of those in `PicturesInfo`.
        shade: light or dark.
    """

    first: MoveNumber | None = None
    last: MoveNumber | None = None
    rate: int = 5
    shade: Shade = "light"


class PicturesInfo(msgspec.Struct, frozen=True):
    """Formats and limits: maximum numbers of moves, and moves per second to choose from.

    Attributes:
        pixels: true if PNG, GIF and WebP can be drawn; SVG always can.
        install: the command that installs missing packages; empty if none is missing.
    """

    pixels: bool
    install: str
    moves: int
    replay_moves: int
    rates: list[int]


def picture_operations(table: PageTable) -> list[Operation]:
    """The operations that draw boards and games."""
    return [*operations_of(_Pictures(table)), *(_animation(table, form) for form in FORMS)]


class _Pictures:
    def __init__(self, table: PageTable) -> None:
        self._table = table

    @operation("GET /api/pictures")
    def info(self) -> PicturesInfo:
        """Formats and limits of pictures."""
        there = is_installed()
        hint = "" if there else install("share")
        return PicturesInfo(there, hint, MAX_ANIMATION_MOVES, MAX_REPLAY_MOVES, list(RATES))

    @operation("GET /api/pictures/board.svg", reply="image/svg+xml")
    def svg(self, query: BoardQuery) -> File:
        """A board as an SVG picture."""
        board = Board.parse(query.board)
        svg = draw_board(
            board.rows, board.cols, board.exponents,
            caption=_caption(query), theme=query.shade, scale=1,
        )  # fmt: skip
        return File(svg, "2048-board.svg", "image/svg+xml")

    @operation("GET /api/pictures/board.png", reply="image/png")
    def png(self, query: BoardQuery) -> File:
        """A board as a PNG picture."""
        board = Board.parse(query.board)
        png = draw_png(
            board.rows, board.cols, board.exponents,
            caption=_caption(query), shade=query.shade, scale=PNG_SCALE,
        )  # fmt: skip
        return File(png, "2048-board.png", "image/png")

    @operation("GET /api/games/{game}/replay", at_once=1, reply=HTML)
    def replay(self, game: str) -> File:
        """A saved game as one HTML page that replays it without a server."""
        page = replay(self._table.record(check_id(game)), scale=REPLAY_SCALE)
        return File(page.html, f"2048-{game}.html", HTML)


def _caption(asked: BoardQuery) -> str:
    parts = []
    if asked.score is not None:
        parts.append(counted(asked.score, "point"))
    if asked.move is not None:
        parts.append(f"move {asked.move:,}")
    return DOT.join(parts)


def _animation(table: PageTable, form: AnimationForm) -> Operation:
    @operation(
        f"GET /api/games/{{game}}/animation.{form}",
        summary=f"A saved game, or a part of it, as an animated {form.upper()}.",
        at_once=1,
        reply=f"image/{form}",
    )
    def animated(game: str, query: AnimationQuery, stop: Stop) -> File:
        def go_on(_: int) -> None:
            if stop.is_raised:
                raise ClientDisconnect

        content = animate(
            table.record(check_id(game)).replay(), first=query.first, last=query.last,
            rate=query.rate, form=form, shade=query.shade, on_scene=go_on,
        )  # fmt: skip
        return File(content, f"2048-{game}.{form}", f"image/{form}")

    return animated
