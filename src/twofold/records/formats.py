r"""Every format of games that twofold reads and writes, and format detection.

    >>> record = parse_any_record("player:place@0|0131#D92#L[4]21|place@0")
    >>> record.score, record.player
    (4, 'player')

Parts that a format cannot hold, such as comments, are left out; games that it cannot hold, such as
a board of another shape, are refused.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePath
from typing import IO, Final, NamedTuple

from twofold.errors import InvalidInput, InvalidRecord
from twofold.files import open_regular, read_start
from twofold.game import Game
from twofold.limits import MAX_RECORD_BYTES
from twofold.notation import shown
from twofold.records import text as record_text
from twofold.records.foreign.moporgic import format_moporgic, parse_moporgic
from twofold.records.foreign.original import format_original, parse_original
from twofold.records.foreign.turns import described
from twofold.records.foreign.verse import (
    format_verse,
    format_verse_old,
    parse_verse,
    parse_verse_old,
)
from twofold.records.json_lines import format_line, parse_line
from twofold.records.record import Record, format_record, parse_record, write_record
from twofold.records.text import located


class Format(NamedTuple):
    """A format of games.

    Attributes:
        name: its name in the command and the library.
        about: description for people.
        suffix: file name extension, if it identifies the format.
        begins: regular expression for the beginning of a text.
        parse: parses one game.
        format: formats one game, with a line end.
        many: True if a file holds many games, one a line.
        own: True if it keeps everything that a record holds.
    """

    name: str
    about: str
    suffix: str
    begins: str
    parse: Callable[[str], Record]
    format: Callable[[Record], str]
    many: bool = False
    own: bool = False


FORMATS: Final = (
    Format(
        "twofold", "a record of twofold", ".2048", r"\[",
        parse_record, format_record, own=True,
    ),
    Format(
        "jsonl", "records of twofold as JSON Lines, one game a line", ".jsonl",
        r'\s*\{\s*"schema"', parse_line, lambda record: format_line(record) + "\n",
        many=True, own=True,
    ),
    Format(
        "original", "the saved game of the original page, a position without moves", ".json",
        r'\s*[{"]', parse_original, format_original,
    ),
    Format(
        "verse", "a replay of 2048verse.com", "", r"\s*[0-9]{1,9}x[0-9]{1,9}-[^_\n]*_",
        parse_verse, format_verse,
    ),
    Format(
        "verse-old", "a replay of 2048verse.com in its old format, or of 2048league",
        "", r"replay", parse_verse_old, format_verse_old,
    ),
    Format(
        "moporgic", "episodes of 2048-Framework and TDL2048, one game a line", "",
        r"[^@|\n]{0,2000}@-?[0-9]{1,19}\|", parse_moporgic, format_moporgic, many=True,
    ),
)  # fmt: skip
"""The formats, in the order of detection."""

_CODE_PAGE: Final = "cp1252"
"""Encoding of replays from old editors; it contains both alphabets of 2048verse."""

_PARTS: Final = {
    "rules": "the rules",
    "seed": "the seed",
    "moves": "the moves",
    "start_move": "the move number",
    "comments": "the comments",
    "player": "the player",
    "date": "the date",
    "undos": "the number of undos",
    "hints": "the number of hints",
    "tags": "the further tags",
}
"""The parts of a record that formats can lack, in words."""


# ---- detection


def find_format(name: str) -> Format:
    """The format of this name; raises `InvalidRecord`, which lists them all."""
    for one in FORMATS:
        if one.name == name:
            return one
    names = ", ".join(one.name for one in FORMATS)
    raise InvalidRecord(f"expected a format of games ({names}), got {shown(name)}")


def format_of_file(path: str | os.PathLike[str]) -> Format | None:
    """The format of a file name's extension; None if it identifies none."""
    suffix = PurePath(path).suffix.lower()
    return next((one for one in FORMATS if suffix and suffix == one.suffix), None)


def detect_format(text: str) -> Format:
    """The format of a text, by its beginning; raises `InvalidRecord` if no format matches."""
    for one in FORMATS:
        if re.match(one.begins, text, re.ASCII):
            return one
    raise InvalidRecord(
        'expected a game record, which begins with [Twofold "1"], or a replay of another program, '
        f"got {described(text)}"
    )


# ---- reading


def parse_any_record(data: bytes | str, form: str | None = None) -> Record:
    """Read one game in any format (None: detected) and check it by playing its moves.

    Raises `InvalidRecord`, which says what was expected, and where.
    """
    text = _decode(data).lstrip()
    found = detect_format(text) if form is None else find_format(form)
    if found.many:
        lines = sum(1 for line in text.split("\n", 1) if line.strip())
        if lines > 1:
            raise InvalidRecord(f"expected one game, got several (format {found.name})")
    return found.parse(text)


def read_any_record(path: str | os.PathLike[str], form: str | None = None) -> Record:
    """Read the game in a file as `parse_any_record`; raises `InvalidRecord` for other files."""
    data = read_start(path, MAX_RECORD_BYTES + 1, InvalidRecord)
    with located(shown(os.fspath(path))):
        return parse_any_record(data, form)


def save_game(game: Game | Record, path: str | os.PathLike[str], *, player: str = "") -> None:
    """Write a game to a file as a record of twofold, in one step; an existing file is replaced.

    Args:
        game: the game, finished or not, or a record with more about it. Undone moves are not kept.
        path: the file; records of twofold end in `.2048`.
        player: who played a `Game`; free text.

    Raises:
        InvalidInput: it is no game, there is no such folder, or the path names no file.
        ResourceError: the file cannot be written.
    """
    if not isinstance(game, (Game, Record)):
        raise InvalidInput(f"expected a game or its record, got {shown(game)}")
    if isinstance(game, Game):
        game = Record.from_game(game, player=player)
    write_record(path, game)


def load_game(path: str | os.PathLike[str]) -> Game:
    """The game in a file, which goes on where it was saved; its moves are checked.

    The file holds a record, or a game of another program in any of the formats above. The record
    alone, with its comments, is that of `read_any_record`.

    Raises `InvalidRecord` for other files.
    """
    return read_any_record(path).resume()


def read_games(path: str | os.PathLike[str], form: str | None = None) -> Iterator[Record]:
    """Yield the games of a file in any format, each read and checked in turn.

    Raises `InvalidRecord` at the first invalid game, with its line.
    """
    with open_regular(path, InvalidRecord) as file:
        yield from games_of(file, form, shown(os.fspath(path)))


def games_of(file: IO[bytes], form: str | None = None, name: str = "input") -> Iterator[Record]:
    """Yield the games of an open file; `name` is its name in errors. Raises as `read_games`."""
    data, number = _first_line(file)
    with located(name):
        found = detect_format(_decode(data)) if form is None else find_format(form)
    if not found.many:
        data += file.read(max(MAX_RECORD_BYTES + 1 - len(data), 0))  # -1 would be all of it
        with located(name):
            record = found.parse(_decode(data))
        yield record
        return
    while data:
        if data.strip():
            with located(f"{name}, line {number}"):
                record = found.parse(_decode(data))
            yield record
        data = file.readline(MAX_RECORD_BYTES + 2)
        number += 1


def _first_line(file: IO[bytes]) -> tuple[bytes, int]:
    number = 1
    while (line := file.readline(MAX_RECORD_BYTES + 2)) and not line.strip():
        number += 1
    return line.lstrip(), number


def _decode(data: bytes | str) -> str:
    """The text: UTF-8, or for replays also the encoding of old editors."""
    try:
        return record_text.decode(data)[0]
    except InvalidRecord:
        if (
            isinstance(data, bytes)
            and len(data) <= MAX_RECORD_BYTES
            and re.match(rb"replay|[0-9]{1,9}x[0-9]{1,9}-", data)
        ):
            try:
                return data.decode(_CODE_PAGE)
            except UnicodeDecodeError:
                pass
        raise


# ---- writing


def format_game(record: Record, form: str) -> str:
    """The text of one game in a format, with a line end; may raise `InvalidRecord`."""
    return find_format(form).format(record)


def left_out(record: Record, form: str, text: str) -> tuple[str, ...]:
    """The parts of a record that its text in a format lacks: `("the seed", "the comments")`.

    The text is read again for this. Raises `InvalidRecord` if it is not the game of the record.
    """
    found = find_format(form)
    if found.own:
        return ()
    again = found.parse(text)
    if (again.final, again.score) != record.ending():
        raise InvalidRecord(f"expected the same game from its text in {form}, got another one")
    differ = [part for part in _PARTS if getattr(again, part) != getattr(record, part)]
    return tuple(_PARTS[part] for part in differ)


def format_games(
    records: Iterable[Record], form: str, on_left_out: Callable[[str], None] = lambda part: None
) -> Iterator[str]:
    """Yield the texts of games in a format; calls `on_left_out` with each part that a text lacks.

    Raises `InvalidRecord` for a game that the format cannot hold, or more than one where it takes
    one.
    """
    found = find_format(form)
    for number, record in enumerate(records, 1):
        if number > 1 and not found.many:
            raise InvalidRecord(f"expected one game in the format {form}, got several")
        with located(f"game {number}"):
            text = found.format(record)
            for part in left_out(record, form, text):
                on_left_out(part)
        yield text
