"""The episodes of 2048-Framework and TDL2048, one game a line.

A short one::

    TDL2048:random@1763765370000|0131#D92#L[4]21(3)|random@1763765370250

- Before the first `|`: the names of player and environment and the start, in milliseconds since
  1970. After the second: the name of the winner and the end.
- Between them: the start tiles, then slides and tiles in turn.
- A slide is `#U`, `#R`, `#D` or `#L`, a tile its cell (`0` to `F`, row by row) and its exponent
  (base 36). `[points]` can follow a slide and `(milliseconds)` either of them, unless they are 0.

Source: `episode.h` and `action.h` of https://github.com/moporgic/2048-Framework.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from twofold.errors import InvalidRecord
from twofold.limits import MAX_EXPONENT
from twofold.notation import DIGITS
from twofold.records.foreign.turns import (
    START_TILES,
    PlayedTurn,
    Turn,
    TurnTile,
    check_shape,
    described,
    format_date,
    from_record,
    milliseconds_of,
    to_record,
)
from twofold.records.record import Record
from twofold.records.text import located
from twofold.rules import MOVES_BY_LETTER

NAME: Final = "moporgic"
SIDE: Final = 4
"""Rows and columns: a cell is one hexadecimal digit, and the format has no shape."""

ENVIRONMENT: Final = "place"
"""The framework's name of the player that places tiles; it makes the last move of every game."""

UNNAMED: Final = "N/A"
"""Name of a player without a name."""

_EPISODE: Final = re.compile(
    r"(?P<names>[^@|\n]*)@(?P<began>-?[0-9]{1,19})\|(?P<moves>[^|\n]*)\|"
    r"[^@|\n]*@-?[0-9]{1,19}",
    re.ASCII,
)
_TOKEN: Final = re.compile(
    r"(?:#(?P<slide>[URDL])|(?P<cell>[0-9A-F])(?P<exponent>[0-9A-Z]))"
    r"(?:\[(?P<reward>-?[0-9]{1,12})\])?(?:\(-?[0-9]{1,19}\))?",
    re.ASCII | re.IGNORECASE,
)
_UNSAFE: Final = re.compile(r"[^\x20-\x7e]+|[@|]+")


def parse_moporgic(text: str) -> Record:
    """Read one episode and play its moves; raises `InvalidRecord`, which names the move."""
    match = _EPISODE.fullmatch(text.strip())
    if not match:
        raise InvalidRecord(
            "expected an episode such as player:place@0|0131#D92|place@0 on one line, "
            f"got {described(text)}"
        )
    with located("start tiles"):
        start, rest = _start(_tokens(match["moves"]))
    player, date = _player(match["names"]), format_date(int(match["began"]))
    return to_record((SIDE, SIDE), start, _turns(rest), player=player, date=date)


def _player(names: str) -> str:
    """The player in `player:environment`; empty if it has no name."""
    player = (names.rpartition(":")[0] or names).strip()
    return "" if player == UNNAMED else player


def _tokens(text: str) -> Iterator[re.Match[str]]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if not match:
            raise InvalidRecord(
                f"expected a slide such as #U or a tile such as 92 at character {position} of the "
                f"moves, got {described(text[position : position + 20])}"
            )
        yield match
        position = match.end()


def _start(tokens: Iterator[re.Match[str]]) -> tuple[list[TurnTile], Iterator[re.Match[str]]]:
    start: list[TurnTile] = []
    for token in tokens:
        if token["slide"]:
            return start, chain([token], tokens)
        start.append(_tile(token))
        if len(start) > SIDE * SIDE:
            raise InvalidRecord(f"expected at most {SIDE * SIDE} start tiles, got more")
    return start, tokens


def _turns(tokens: Iterator[re.Match[str]]) -> Iterator[Turn]:
    for slide in tokens:
        spawn = next(tokens, None)
        if not slide["slide"]:
            raise InvalidRecord(f"expected a slide such as #U, got {described(slide[0])}")
        if spawn is None or spawn["slide"]:
            found = "the end" if spawn is None else described(spawn[0])
            raise InvalidRecord(f"expected a tile such as 92 after a slide, got {found}")
        reward = None if slide["reward"] is None else int(slide["reward"])
        yield Turn(MOVES_BY_LETTER[slide["slide"].lower()], _tile(spawn), reward)


def _tile(token: re.Match[str]) -> TurnTile:
    exponent = DIGITS.index(token["exponent"].lower())
    if exponent > MAX_EXPONENT or exponent == 0 or token["reward"] not in (None, "0"):
        raise InvalidRecord(f"expected a tile such as 92, got {described(token[0])}")
    return TurnTile(int(token["cell"], 16), 1 << exponent)


def format_moporgic(record: Record) -> str:
    """One line, with its end, in the format of `parse_moporgic`; without the times of moves."""
    check_shape(record, NAME, SIDE, SIDE)
    began = milliseconds_of(record.date)
    player = _UNSAFE.sub("_", record.player) or UNNAMED
    moves = _format_moves(from_record(record, NAME, START_TILES))
    return f"{player}:{ENVIRONMENT}@{began}|{moves}|{ENVIRONMENT}@{began}\n"


def _format_moves(played: PlayedTurn) -> str:
    parts = [_format_tile(tile) for tile in played.start]
    for move, spawn, reward in played.turns:
        points = f"[{reward}]" if reward else ""
        parts.append(f"#{move.letter.upper()}{points}{_format_tile(spawn)}")
    return "".join(parts)


def _format_tile(tile: TurnTile) -> str:
    return f"{tile.cell:X}{DIGITS[tile.tile.bit_length() - 1].upper()}"
