r"""Every form of games and boards that twofold reads or writes, and how a text's form is found.

    >>> record = parse_any_record("player:place@0|0131#D92#L[4]21|place@0")
    >>> record.score, record.player
    (4, 'player')

`FORMATS` has a row for each form; `docs/reference/formats.md` describes them. Parts that a form
cannot hold, such as comments, are left out; games that it cannot hold, such as a board of another
shape, are refused. A board is a game that begins and ends on it.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import PurePath
from typing import IO, Final, NamedTuple

from twofold.errors import InvalidBoard, InvalidInput, InvalidRecord
from twofold.game import record_text as record_text
from twofold.game.foreign import boards, replays, turns
from twofold.game.foreign.boards import ScoredBoard
from twofold.game.game import Game
from twofold.game.notation import plain, shown
from twofold.game.record import (
    Record,
    format_line,
    format_record,
    parse_line,
    parse_record,
    write_record,
)
from twofold.game.record_text import located
from twofold.limits import MAX_BOARD, MAX_RECORD_BYTES
from twofold.storage.files import open_regular, read_start


class Format(NamedTuple):
    """A form of games or boards.

    Attributes:
        name: its name in the command and the library.
        begins: regular expression for the beginning of the bytes, or of a text without the blanks
            before it; empty if the form must be named.
        parse: parses one game or board.
        format: formats one game, with a line end; None for a form that is only read.
        suffix: file name extension, if it identifies the form.
        starts: regular expression for the first line of each game, where a file holds many.
        many: True if many games can be written to one file.
        own: True if it keeps everything that a record holds.
        is_binary: True for bytes; `parse` has them as characters of Latin-1.
        is_board: True for boards, which have no score.
    """

    name: str
    begins: str
    parse: Callable[[str], Record]
    format: Callable[[Record], str] | None
    suffix: str = ""
    starts: str = ""
    many: bool = False
    own: bool = False
    is_binary: bool = False
    is_board: bool = False


def _parse_hex(text: str, low_first: bool = False) -> Record:
    return boards.position_record(boards.parse_hex(text, low_first=low_first))


def _format_hex(record: Record, low_first: bool = False) -> str:
    return boards.format_hex(record.replay().board, low_first=low_first) + "\n"


FORMATS: Final = (
    Format(
        "twofold", r"\[\s*Twofold\b", parse_record, format_record, ".2048", r"\[\s*Twofold\b",
        own=True,
    ),
    Format(
        "jsonl", r'\{\s*"schema"', parse_line, lambda record: format_line(record) + "\n", ".jsonl",
        r"\S", many=True, own=True,
    ),
    Format("verse", r"[0-9]{1,9}x[0-9]{1,9}-[^_\n]*_", replays.parse_verse, replays.format_verse),
    Format(
        "verse-old", r"replay(?:[:_](?:[0-9]x[0-9])?)?[ -?]{2}",
        replays.parse_verse_old, None,
    ),
    Format(
        "moporgic", r"[^@|\n]{0,2000}@-?[0-9]{1,19}\|", turns.parse_moporgic, turns.format_moporgic,
        starts=r"\S", many=True,
    ),
    Format("next", rf"{replays.PREFIX}|RPL1", replays.parse_next, None),
    Format("next-v4c", replays.V4C_PREFIX, replays.parse_v4c, None),
    Format(
        "rpl", rf"(?s:.{{25}})++\Z(?<={re.escape(turns.RPL_END[8:].decode('latin-1'))})",
        turns.parse_rpl, None, ".rpl", is_binary=True,
    ),
    Format(
        "vrs", r"(?s:.{8})\0\0\0\0[\0-\4](?s:.{13})*+\Z", turns.parse_vrs, None, ".vrs",
        is_binary=True,
    ),
    Format(
        "openfun", r'\{(?s:.{0,30000}?)"finalBoard"\s*:',
        boards.parse_openfun, None,
    ),
    Format(
        "original", r'\{(?s:.{0,100000}?)"(?:grid|gameState)"\s*:', boards.parse_original,
        boards.format_original, ".json",
    ),
    Format(
        "json", r'\{(?s:.{0,100000}?)"board"\s*:',
        boards.parse_json_board, boards.format_json_board,
    ),
    Format(
        "text",
        rf"(?=\D{{0,{MAX_BOARD}}}?[\d_.*-]|[a-z]++(?:/[a-z]++)++\s*+\Z)"
        rf"[\s\w/.,:;*|+\-\[\]()\"'=─-╿]{{1,{MAX_BOARD}}}\Z",
        boards.parse_text_board, lambda record: f"{record.replay().board}\n", is_board=True,
    ),
    Format("hex", "", _parse_hex, _format_hex, is_board=True),
    Format(
        "hex-low", "", lambda text: _parse_hex(text, True),
        lambda record: _format_hex(record, True), is_board=True,
    ),
)  # fmt: skip
"""The forms, in the order of detection."""

_CODE_PAGE: Final = "cp1252"
"""Encoding of replays from old editors; it contains both alphabets of 2048verse."""

_OF_EDITORS: Final = re.compile(rb"\s*+(?:replay|REPLAY_v4C_|[0-9]{1,9}x[0-9]{1,9}-)")
"""Replays that may have this encoding."""

_HEAD: Final = 10_000
"""Bytes of a first line in which the form of a file is recognised."""

_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
"""Byte order marks of UTF-16, which PowerShell writes."""

_KEPT: Final = {
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
"""The parts of a record that forms can lack, in words."""


# ---- detection


def find_format(name: str) -> Format:
    """The form of this name; raises `InvalidRecord`, which lists them all."""
    for one in FORMATS:
        if one.name == name:
            return one
    names = ", ".join(one.name for one in FORMATS)
    raise InvalidRecord(f"expected a format ({names}), got {shown(name)}")


def format_of_file(path: str | os.PathLike[str]) -> Format | None:
    """The form of a file name's extension; None if it identifies none."""
    suffix = PurePath(path).suffix.lower()
    return next((one for one in FORMATS if suffix and suffix == one.suffix), None)


def detect_format(text: str) -> Format:
    """The form of a text, by its beginning; raises `InvalidRecord` if it has none."""
    stripped = text.lstrip()
    for one in FORMATS:
        if one.begins and re.match(one.begins, text if one.is_binary else stripped, re.ASCII):
            return one
    raise _unknown(text)


def _unknown(text: str) -> InvalidRecord:
    return InvalidRecord(f"expected a game or a board in a known form, got {turns.described(text)}")


# ---- reading


class Part(NamedTuple):
    """The text of one game, the line where it begins, from 1, and its form.

    `is_guess` is true where the text has only characters of boards, and no sign of a form.
    """

    text: str
    line: int
    form: Format
    is_guess: bool = False

    def read(self) -> Record:
        """The game, checked by playing its moves; raises `InvalidRecord`."""
        try:
            return self.form.parse(self.text)
        except InvalidBoard as error:
            raise _unknown(self.text) if self.is_guess else InvalidRecord(str(error)) from None


def parts_of(data: bytes | str, form: str | None = None) -> Iterator[Part]:
    """Yield the games of a text in any form (None: detected), not yet parsed.

    Raises `InvalidRecord` if the text is too long, badly encoded, or in no known form.
    """
    known = None if form is None else find_format(form)
    text = _decode(data, known)
    found = known or detect_format(text)
    if not found.starts:
        if not found.is_binary:  # a tab may stand before an empty cell
            text = text.lstrip(" \n\r\f\v") if found.is_board else text.lstrip()
        yield Part(text, 1, found, is_guess=known is None and found.name == "text")
        return
    line, start = 1, 0
    for match in re.finditer(rf"^[ \t]*(?={found.starts})", text, re.ASCII | re.MULTILINE):
        if text[start : match.start()].strip():
            yield Part(text[start : match.start()], line, found)
        line += text.count("\n", start, match.start())
        start = match.start()
    yield Part(text[start:], line, found)


def parse_any_record(data: bytes | str, form: str | None = None) -> Record:
    """Read one game in any form (None: detected) and check it by playing its moves.

    Raises `InvalidRecord`, which says what was expected, and where.
    """
    part, *others = islice(parts_of(data, form), 2)
    if others:
        raise InvalidRecord(
            f"expected one game, got several (format {part.form.name}). "
            "twofold convert IN OUT --game N takes one of them"
        )
    return part.read()


def parse_position(data: bytes | str, form: str | None = None) -> ScoredBoard:
    """The board of a text in any form, or the last one of its game; raises `InvalidBoard`."""
    try:
        part, *others = islice(parts_of(data, form), 2)
        if others:
            raise InvalidRecord(f"expected one board, got several (format {part.form.name})")
        board, score = part.form.parse(part.text).ending()
    except InvalidRecord as error:
        raise InvalidBoard(str(error)) from None
    return ScoredBoard(board, None if part.form.is_board else score)


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

    The file holds a record, or a game of another program in any of the forms above. The record
    alone, with its comments, is that of `read_any_record`.

    Raises `InvalidRecord` for other files.
    """
    return read_any_record(path).resume()


def read_games(path: str | os.PathLike[str], form: str | None = None) -> Iterator[Record]:
    """Yield the games of a file in any form, each read and checked in turn.

    Raises `InvalidRecord` at the first invalid game, with its line.
    """
    with open_regular(path, InvalidRecord) as file:
        yield from games_of(file, form, shown(os.fspath(path)))


def games_of(file: IO[bytes], form: str | None = None, name: str = "input") -> Iterator[Record]:
    """Yield the games of an open file; `name` is its name in errors. Raises as `read_games`.

    Files of a game a line may have any size.
    """
    head = file.readline(_HEAD)
    while not head.strip() and len(head) < _HEAD and (line := file.readline(_HEAD)):
        head += line
    start = head.decode(errors="replace").lstrip("\ufeff").lstrip()
    many = [one for one in FORMATS if one.many and one.name == (form or one.name)]
    found = next((one for one in many if form or re.match(one.begins, start, re.ASCII)), None)
    if found and head[:2] not in _UTF_16:
        for number, line in enumerate(_lines(head, file), 1):
            if line.strip():
                with located(f"{name}, line {number}"):
                    record = found.parse(_decode(line))
                yield record
        return
    with located(name):
        rest = file.read(max(MAX_RECORD_BYTES + 1 - len(head), 0))  # -1 would be all of it
        parts = parts_of(head + rest, form)
        part: Part | None = next(parts)
    where = name
    while part:
        with located(where):
            record = part.read()
        yield record
        part = next(parts, None)
        where = f"{name}, game from line {part.line} on" if part else name


def _lines(head: bytes, file: IO[bytes]) -> Iterator[bytes]:
    """The lines of a file whose head is read; too long ones are cut."""
    *lines, last = head.split(b"\n")
    yield from lines
    rest = file.readline(MAX_RECORD_BYTES + 2)
    line = rest if len(rest) > MAX_RECORD_BYTES else last + rest  # a long one is refused anyway
    while line:
        yield line
        line = file.readline(MAX_RECORD_BYTES + 2)


def _decode(data: bytes | str, known: Format | None = None) -> str:
    """The text: UTF-8 or UTF-16, for replays also the encoding of old editors, bytes as Latin-1."""
    if len(data) > MAX_RECORD_BYTES:
        return record_text.decode(data)[0]  # refuses it
    raw = data if isinstance(data, str) else data.decode("latin-1")
    if known.is_binary if known else _is_binary(raw):
        return raw
    if isinstance(data, bytes):
        utf_16 = ["utf-16"] * (data[:2] in _UTF_16)
        old = [_CODE_PAGE] * bool(_OF_EDITORS.match(data))
        for encoding in (*utf_16, "utf-8", *old):
            with suppress(UnicodeDecodeError):
                return plain(data.decode(encoding))
    return plain(record_text.decode(data)[0])


def _is_binary(raw: str) -> bool:
    binary = (one.begins for one in FORMATS if one.is_binary)
    return raw.startswith("RPL1") or any(re.match(begins, raw) for begins in binary)


# ---- writing


def format_game(record: Record, form: str) -> str:
    """The text of one game in a form, with a line end; may raise `InvalidRecord`."""
    found = find_format(form)
    if found.format is None:
        written = ", ".join(one.name for one in FORMATS if one.format)
        raise InvalidRecord(
            f"expected a format that is written ({written}), got {form}, which is only read"
        )
    return found.format(record)


def left_out(record: Record, form: str, text: str) -> tuple[str, ...]:
    """The parts of a record that its text in a format lacks: `("the seed", "the comments")`.

    The text is read again for this. Raises `InvalidRecord` if it is not the game of the record.
    """
    found = find_format(form)
    if found.own:
        return ()
    again = found.parse(text)
    board, score = record.ending()
    if again.final != board or (again.score != score and not found.is_board):
        raise InvalidRecord(f"expected the same game from its text in {form}, got another one")
    lost = [_KEPT[part] for part in _KEPT if getattr(again, part) != getattr(record, part)]
    return tuple(["the points", *lost] if again.score != score else lost)


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
            raise InvalidRecord(
                f"expected one game in the format {form}, got several. "
                "Choose one with --game N, or write them all as JSON Lines with --to jsonl"
            )
        with located(f"game {number}"):
            text = format_game(record, form)
            for part in left_out(record, form, text):
                on_left_out(part)
        yield text
