r"""The text of a game record as plain values: tags, a blank line, moves.

A short game::

    [Twofold "1"]
    [Rules "4x4 spawn=2:0.9,4:0.1 start=2 goal=2048 stop=never"]
    [Seed "7"]

    urdllu {a comment} r@5:4 d

- The first tag is `Twofold`, the version of the format. The value of a tag is a JSON string.
- A blank line ends the tags, so that truncated tags are detected.
- The moves `u r d l` follow; white space between them has no meaning.
- `@cell:tile` after a move gives the new tile if no seed explains it.
- `{...}` is a comment on the moves before it, with the escapes `\{`, `\}`, `\\`, `\n` and
  `\u001b` (four hexadecimal digits).

These functions parse and format the syntax only; `twofold.game.record` interprets it.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from operator import itemgetter
from typing import Final, NamedTuple

import msgspec

from twofold.errors import InvalidInput, InvalidRecord
from twofold.game.notation import printable, shown
from twofold.limits import MAX_COMMENT, MAX_RECORD_BYTES, MAX_TAG, MAX_TAGS, check_limit

VERSION: Final = "1"
MOVES_A_LINE: Final = 64

_JSON: Final = json.JSONEncoder(ensure_ascii=False)

_TAG = re.compile(r'\[\s*([A-Za-z][A-Za-z0-9_]{0,63})\s+("[^"\\]*(?:\\.[^"\\]*)*")\s*\]', re.ASCII)
_TOKEN = re.compile(
    r"\s+"
    r"|(?P<letters>[urdl]+)(?:\s*@(?P<cell>[0-9]{1,2}):(?P<tile>[0-9]{1,11}))?+\s*+"
    r"|\{(?P<comment>[^{}\\]*+(?:\\.[^{}\\]*+)*+)\}",
    re.DOTALL,
)
_SPAWN = re.compile(r"@[0-9]{1,2}:[0-9]{1,11}")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED: Final = {"{": "{", "}": "}", "\\": "\\", "n": "\n"}
_MARKS: Final = {character: "\\" + letter for letter, character in _ESCAPED.items()}


@contextmanager
def located(where: str | Callable[[], str]) -> Iterator[None]:
    """Turn any `InvalidInput` into an `InvalidRecord` that begins with the location."""
    try:
        yield
    except InvalidInput as error:
        place = where if isinstance(where, str) else where()
        raise InvalidRecord(f"{place}: {error}") from error


@contextmanager
def json_errors(expected: str, got: str | None = None) -> Iterator[None]:
    """Translate errors of msgspec to `InvalidRecord`; `got` is the text, if it is to be shown."""
    try:
        yield
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        words = "" if got is None else f", got {shown(got[:100])}"
        raise InvalidRecord(f"expected {expected}{words} ({printable(str(error))[:200]})") from None


def check_size(data: bytes | str) -> None:
    """Refuse a record that is too long to be read."""
    if len(data) > MAX_RECORD_BYTES:
        # Readers stop one byte past the limit, so that the length of the data says nothing.
        raise InvalidRecord(f"expected a record of at most {MAX_RECORD_BYTES} bytes, got more")


class Tag(NamedTuple):
    """The value of a tag, and its line."""

    value: str
    line: int


class Head(NamedTuple):
    """The tags of a record, and the position of its moves."""

    tags: dict[str, Tag]
    position: int
    line: int


@dataclass(slots=True)
class MovesText:
    """The moves of a record, up to the first fault of the text.

    Attributes:
        letters: of the moves.
        spawns: the (cell, tile) given after the n-th move, n from 1.
        comments: text after the n-th move, n from 0.
        lines: (number of a move, its line), ascending; the moves between are on the same line.
        fault: what was expected, and where; empty for a whole text.
        is_torn: whether the text ends where its last token could go on.
    """

    letters: str = ""
    spawns: dict[int, tuple[int, int]] = field(default_factory=dict)
    comments: dict[int, str] = field(default_factory=dict)
    lines: list[tuple[int, int]] = field(default_factory=list)
    fault: str = ""
    is_torn: bool = False

    def line_of(self, number: int) -> int:
        """The line of the n-th move."""
        return self.lines[bisect_right(self.lines, number, key=itemgetter(0)) - 1][1]


# ---- reading


def decode(data: bytes | str, partial: bool = False) -> tuple[str, str]:
    """The text of a record without a byte order mark; if `partial`, also its encoding fault."""
    check_size(data)
    if isinstance(data, str):
        return data.removeprefix("\ufeff"), ""
    try:
        return data.decode().removeprefix("\ufeff"), ""
    except UnicodeDecodeError as error:
        flaw = (
            f"expected a record in UTF-8, got the byte {data[error.start]:#04x} "
            f"at position {error.start}"
        )
        if not partial:
            raise InvalidRecord(flaw) from None
        return data[: error.start].decode().removeprefix("\ufeff"), flaw


def parse_head(text: str) -> Head:
    """Read the tags, and the blank line after them; raises `InvalidRecord`."""
    tags: dict[str, Tag] = {}
    position = 0
    for line in count(1):
        with located(f"line {line}"):
            end = text.find("\n", position)
            body = text[position : end if end >= 0 else None].strip()
            position = end + 1 if end >= 0 else len(text)
            if tags and end < 0:
                raise InvalidRecord("expected a blank line after the tags, got the end")
            if tags and not body:
                break
            name, value = _parse_tag(body, is_first=not tags)
            if name in tags:
                raise InvalidRecord(f"expected each tag once, got {name} twice")
            if len(tags) == MAX_TAGS:
                raise InvalidRecord(f"expected at most {MAX_TAGS} tags, got more")
            tags[name] = Tag(value, line)
    return Head(tags, position, line + 1)


def _parse_tag(body: str, is_first: bool) -> tuple[str, str]:
    if len(body) > 6 * MAX_TAG + 100:  # an escape takes six characters
        raise InvalidRecord(f"expected a tag of at most {MAX_TAG} characters")
    match = _TAG.fullmatch(body)
    if is_first and (not match or match[1] != "Twofold"):
        raise InvalidRecord(
            f'expected a game record, which begins with [Twofold "1"], got {shown(body)}'
        )
    if not match:
        raise InvalidRecord(f'expected a tag such as [Seed "1"] or a blank line, got {shown(body)}')
    name: str = match[1]
    try:
        value: str = json.loads(match[2])
        value.encode()
    except ValueError:  # an invalid JSON escape, or half a surrogate pair
        raise InvalidRecord(f"expected {name} as a JSON string, got {shown(match[2])}") from None
    if len(value) > MAX_TAG:
        raise InvalidRecord(f"expected a tag of at most {MAX_TAG} characters, got {len(value)}")
    if is_first and value != VERSION:
        raise InvalidRecord(f"expected version {VERSION} of the record format, got {shown(value)}")
    return name, value


def parse_moves(text: str, position: int, line: int) -> MovesText:
    """Read the moves and comments from `position` on, which is in `line`."""
    found, pieces, number = MovesText(), [], 0
    try:
        while position < len(text):
            match = _TOKEN.match(text, position)
            if not match:
                raise InvalidRecord(f"line {line}: {_complaint(text, position)}")
            position = match.end()
            if match["letters"]:
                letters = match["letters"]
                if match["cell"]:
                    found.spawns[number + len(letters)] = int(match["cell"]), int(match["tile"])
                elif text[position : position + 1] == "@":  # the last move may not be whole
                    letters = letters[:-1]
                pieces.append(letters)
                found.lines.append((number + 1, line))
                number += len(letters)
            elif match["comment"] is not None:
                with located(f"line {line}"):
                    comment = _unescape(match["comment"])
                    if number in found.comments:
                        comment = f"{found.comments[number]}\n{comment}"
                    check_limit("the length of a comment", len(comment), 0, MAX_COMMENT)
                found.comments[number] = comment
            line += match[0].count("\n")
    except InvalidRecord as error:
        found.fault = str(error)
    found.letters, found.is_torn = "".join(pieces), text[-1:].isalnum()
    return found


def _complaint(text: str, position: int) -> str:
    rest = text[position : position + 40].split("\n")[0]
    if spawn := _SPAWN.match(rest):
        return f"expected a move before {spawn[0]}"
    if rest[0] == "@":
        return f"expected @cell:tile such as @5:2, got {shown(rest)}"
    if rest[0] == "{":
        return f"expected a comment that ends with a brace, got {shown(rest)}"
    return f"expected moves written as u, r, d or l, got {shown(rest)}"


def _unescape(text: str) -> str:
    def replace(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        if match[2] not in _ESCAPED:
            raise InvalidRecord(
                "expected \\{, \\}, \\\\, \\n or \\u and four digits in a comment, "
                f"got {shown(match[0])}"
            )
        return _ESCAPED[match[2]]

    if len(text) > 6 * MAX_COMMENT:
        raise InvalidRecord(f"expected a comment of at most {MAX_COMMENT} characters")
    if "\\" not in text:
        return text
    try:
        return _ESCAPE.sub(replace, text).encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise InvalidRecord("expected pairs of surrogates in a comment, got half a pair") from None


# ---- writing


def format_head(tags: Mapping[str, str]) -> str:
    """The lines of the tags, the version first, and the blank line."""
    pairs = {"Twofold": VERSION, **tags}.items()
    return "".join(f"[{name} {escape(_JSON.encode(value))}]\n" for name, value in pairs) + "\n"


def format_moves(
    letters: str, spawns: Mapping[int, tuple[int, int]], comments: Mapping[int, str]
) -> str:
    """The lines of the moves, 64 on each.

    `spawns` holds (cell, tile) after the n-th move, n from 1, for each tile to write; `comments`
    those after the n-th move, 0 for before the first.
    """
    lines = [_format_comment(comments[0])] if 0 in comments else []
    noted = sorted(spawns.keys() | (comments.keys() - {0}))
    for start in range(0, len(letters), MOVES_A_LINE):
        end = min(start + MOVES_A_LINE, len(letters))
        parts, begun = list[str](), start
        for number in noted[bisect_right(noted, start) : bisect_right(noted, end)]:
            part, begun = letters[begun:number], number
            if number in spawns:
                part += "@{}:{}".format(*spawns[number])
            if number in comments:
                part += " " + _format_comment(comments[number])
            parts.append(part)
        lines.append(" ".join([*parts, letters[begun:end]]).rstrip())
    return "".join(line + "\n" for line in lines)


def _format_comment(text: str) -> str:
    return "{" + "".join(_MARKS.get(c) or visible(c) for c in text) + "}"


def escape(text: str) -> str:
    r"""JSON with `\uXXXX` in place of characters that are not printable."""
    return text if text.isprintable() else "".join(map(visible, text))


def visible(character: str) -> str:
    r"""A character, or `\uXXXX` (twice past U+FFFF) if it is not printable."""
    if character.isprintable():
        return character
    digits = character.encode("utf-16-be").hex()
    return "".join(f"\\u{digits[start : start + 4]}" for start in range(0, len(digits), 4))


def check_tag_name(name: str, own: Sequence[str]) -> None:
    """Refuse a name that cannot be written, or that resembles one of twofold's `own` tags."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,63}", name, re.ASCII):
        raise InvalidRecord(f"expected a tag named by letters and digits, got {shown(name)}")
    for known in own:
        if name.lower() == known.lower():
            raise InvalidRecord(f"expected a tag other than twofold's {known}, got {shown(name)}")


def check_text(what: str, text: str, most: int) -> None:
    """Refuse a text that is too long or that UTF-8 cannot encode."""
    if len(text) > most:
        raise InvalidRecord(f"expected {what} of at most {most} characters, got {len(text)}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidRecord(f"expected {what} in Unicode, got {shown(text)}") from None
