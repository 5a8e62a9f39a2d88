"""Operations on the daily game: the list of tries, and starting one."""

from datetime import date

import msgspec

from twofold.errors import InvalidInput
from twofold.play import daily
from twofold.play.kept import GameInfo
from twofold.web.hub import Hub
from twofold.web.operations import Call, Operation


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


def operations(hub: Hub) -> list[Operation]:
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
