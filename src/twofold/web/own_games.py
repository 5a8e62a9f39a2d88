"""Operations on the saved games: one, their list, statistics, export, import, the daily game."""

import itertools
import logging
from collections.abc import Iterator
from typing import Final

import msgspec
from starlette.requests import ClientDisconnect

from twofold.errors import InvalidInput, LimitExceeded, ResourceError
from twofold.figures import counted
from twofold.game.formats import parse_any_record
from twofold.game.record import format_line
from twofold.games import daily
from twofold.games.kept import (
    Accuracy,
    GameInfo,
    Kept,
    RulesStatistics,
    Unread,
    games_in,
    indexed,
    statistics_of,
)
from twofold.games.makers import autoplay_of
from twofold.games.pictures import FORMS, AnimationForm, Shade, animate, replay
from twofold.games.store import NotFound
from twofold.search.budget import Stop
from twofold.web.api import MoveNumber
from twofold.web.operations import TEXT, File, operation
from twofold.web.protocol import Count
from twofold.web.protocol import Text as Short
from twofold.web.table import Added, PageTable

_LOG: Final = logging.getLogger("twofold.web")

MAX_RECORD: Final = 4 * 2**20
"""Maximum size of an uploaded record, in bytes."""

MAX_WHOLE_MOVES: Final = 100_000
"""Most moves of a game whose positions are all sent; a game of 4x4 with 65536 has half as many."""

MAX_IMPORT: Final = 8 * 2**20
"""Maximum size of an import in bytes; the page sends larger files in parts."""

MAX_UNREAD: Final = 20
"""Maximum number of unreadable games listed in a reply; the others are counted."""

MAX_LISTED: Final = 200
"""Maximum number of games in a part of the list."""

HTML: Final = "text/html; charset=utf-8"


class GameId(msgspec.Struct, frozen=True):
    """The id of a game."""

    game: str


class WholeGame(msgspec.Struct, frozen=True):
    """A saved game with all its positions.

    Attributes:
        seed: as text; empty if no seed gives these tiles.
        first: move number before the first move.
        boards: the positions, one more than moves.
        scores: the score at each position, in points.
        comments: by move number.
        autoplay: first and last move of each range that a player made, the first move of a game
            being 1; null if unknown.
    """

    game: str
    rules: str
    seed: str
    player: str
    date: str
    first: int
    moves: str
    boards: list[str]
    scores: list[int]
    comments: dict[int, str]
    autoplay: list[tuple[int, int]] | None


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


class OwnStatistics(msgspec.Struct, frozen=True):
    """Statistics of all saved games; `rules` has the rules with the most games first.

    `best` has the best score under each of them. It counts undone moves and deleted games too.
    """

    games: int
    rules: list[RulesStatistics]
    best: dict[str, int]


class ListPart(msgspec.Struct, frozen=True):
    """Part of a list of saved games; `total` counts all that match.

    `damaged` has what is wrong with each game that cannot be listed, by its id.
    """

    total: int
    games: list[GameInfo]
    damaged: dict[str, str]


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


class OwnGames:
    """The operations on saved games."""

    def __init__(self, table: PageTable) -> None:
        self._table = table

    # ---- one game

    @operation("GET /api/games")
    def games(self) -> list[GameInfo]:
        """List the saved games, last played first."""
        return self._table.infos()

    @operation("POST /api/games", status=201, max_bytes=MAX_RECORD)
    def add(self, body: bytes) -> Added:
        """Save a game from a record."""
        return self._table.take_opened(parse_any_record(body))

    @operation("GET /api/games/{game}")
    def game(self, game: str) -> WholeGame:
        """A saved game, position by position."""
        record = self._table.record(game)
        if len(record.moves) > MAX_WHOLE_MOVES:
            raise LimitExceeded(
                f"expected a game of at most {MAX_WHOLE_MOVES:,} moves, got "
                f"{len(record.moves):,}; its record can be downloaded"
            )
        played = record.resume()  # it was checked when it was saved
        steps, rewards = played.steps, (step.reward for step in played.steps)
        autoplay = autoplay_of(record.player, record.tags)
        return WholeGame(
            game=game,
            rules=str(record.rules),
            seed="" if record.seed is None else str(record.seed),
            player=record.player,
            date=record.date,
            first=record.start_move,
            moves="".join(step.move.letter for step in steps),
            boards=[str(played.start_board), *(str(step.board) for step in steps)],
            scores=list(itertools.accumulate(rewards, initial=record.start_score)),
            comments=dict(record.comments),
            autoplay=None if autoplay is None else list(autoplay.ranges),
        )

    @operation("DELETE /api/games/{game}")
    def delete(self, game: str) -> GameId:
        """Delete a saved game."""
        self._table.delete(game)
        return GameId(game)

    @operation("GET /api/games/{game}/record", reply=TEXT)
    def record(self, game: str) -> File:
        """The record of a saved game."""
        return File(str(self._table.record(game)), f"twofold-{game}.2048")

    @operation("GET /api/games/{game}/replay", at_once=1, reply=HTML)
    def replay(self, game: str) -> File:
        """A saved game as one HTML page that replays it without a server."""
        page = replay(self._table.record(game), scale=1.0)
        return File(page.html, f"2048-{game}.html", HTML)

    @operation("GET /api/games/{game}/animation.{form}", at_once=1, reply="image/*")
    def animation(self, game: str, form: AnimationForm, query: AnimationQuery, stop: Stop) -> File:
        """A saved game, or a part of it, as an animated GIF or WebP."""
        if form not in FORMS:
            raise NotFound(f"expected {', '.join(FORMS)}, got another form")

        def go_on(_: int) -> None:
            if stop.is_raised:
                raise ClientDisconnect

        content = animate(
            self._table.record(game).replay(),
            first=query.first,
            last=query.last,
            rate=query.rate,
            form=form,
            shade=query.shade,
            on_scene=go_on,
        )
        return File(content, f"2048-{game}.{form}", f"image/{form}")

    # ---- all games

    @operation("GET /api/accuracies")
    def accuracies(self) -> dict[str, Accuracy]:
        """The accuracy of each game that has been judged, by id; it may have gone on since."""
        return self._table.store.accuracies()

    @operation("GET /api/statistics")
    def statistics(self) -> OwnStatistics:
        """Statistics of all saved games, by rules and by how they were played."""
        store = self._table.saved()
        games = store.games()
        rules = statistics_of(games)
        return OwnStatistics(len(games), rules, {one.rules: store.best(one.rules) for one in rules})

    @operation("GET /api/game-list")
    def part(self, query: ListQuery) -> ListPart:
        """A part of the list of saved games, at most 200."""
        found, damaged = self._table.saved().select(
            search=query.search, order=query.order, rules=query.rules, kind=query.kind
        )
        last = query.offset + min(query.count, MAX_LISTED)
        return ListPart(len(found), found[query.offset : last], damaged)

    @operation("GET /api/export", reply=TEXT)
    def export(self) -> File:
        """All saved games as JSON Lines, last played first."""
        store = self._table.saved()
        games, damaged = store.listed()
        entries: list[tuple[str, Kept | None]] = [(one.info.game, one) for one in games]
        entries += [(game, None) for game in damaged]  # its moves may be whole

        def lines() -> Iterator[str]:
            for game, one in entries:
                try:
                    record = store.record(game)
                except NotFound:  # deleted since
                    continue
                except InvalidInput as error:
                    _LOG.warning("game %s is not exported: %s", game, error)
                    continue
                if one is not None:
                    record = indexed(record, one.played)
                yield format_line(record) + "\n"

        return File(lines(), "twofold-games.jsonl")

    @operation("POST /api/import", max_bytes=MAX_IMPORT, at_once=1)
    def bring_in(self, body: bytes, stop: Stop) -> Imported:
        """Save games from records, JSON Lines, or replays of other programs."""
        done = Imported()
        for found in games_in(body):
            if stop.is_raised:
                break
            if isinstance(found, Unread):
                done.failed += 1
                if len(done.unread) < MAX_UNREAD:
                    done.unread.append(UnreadGame(found.line, found.why))
                continue
            try:
                is_new = self._table.take_in(found).is_new
            except (LimitExceeded, ResourceError) as error:
                saved = counted(done.added, "game")
                raise type(error)(f"{error}. {saved} saved before that") from error
            done.added += is_new
            done.known += not is_new
        return done

    # ---- the daily game

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
    def begin_daily(self, body: DailyBody) -> GameId:
        """Begin the daily game of a day, or return its existing try."""
        day = daily.parse_day(body.day)
        if day > daily.today():
            raise InvalidInput(f"the daily game of {day} can be played from that day on, in UTC")
        return GameId(self._table.begin_daily(day))
