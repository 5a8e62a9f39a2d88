"""Text to plain values and back: boards, moves, player specs, ranges of seeds.

`Board.parse`, `Rules.parse` and `make_player` build on these functions. Each parser raises only
the error that it documents.

Board text: base-36 exponents row by row, lower case written, either case read, `0` or `.` empty,
`/` between rows optional, a shape prefix for anything but 4x4 (`3x4:...`). Cells separated by
spaces or commas are tiles in decimal (`2 4 0 0 / ...`), as are those of lists
(`[[2, 4, 0, 0], ...]`, NumPy's arrays), of CSV and of frames (`| 2 | 4 |   |   |`, Markdown, box
characters). Rows may stand on lines of their own; a line such as `Score: 500` beside them is left
out. A tile may also be written as `2.0` or `16k`, an empty cell as `_`, `-`, `*`, `.`, `null` or
`None`.
"""

import difflib
import itertools
import json
import math
import operator
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidBoard, InvalidInput, InvalidSeed, InvalidSpec
from twofold.limits import MAX_BOARD, MAX_EXPONENT, MAX_SEED, MAX_SIDE, MAX_TEXT, MIN_CELLS

DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
MOVE_LETTERS: Final = "urdl"

_LETTERS: Final = bytes.maketrans(bytes(range(4)), MOVE_LETTERS.encode())
_DIGITS: Final = bytes.maketrans(bytes(range(len(DIGITS))), DIGITS.encode())
_EXPONENTS: Final = bytes.maketrans(DIGITS.encode(), bytes(range(len(DIGITS))))
_WRITTEN = re.compile(r"[0-9a-z]{4}/[0-9a-z]{4}/[0-9a-z]{4}/[0-9a-z]{4}", re.ASCII)
"""A 4x4 board as `format_board` writes it: the common case."""
_SHAPE = re.compile(r"([0-9]{1,9})x([0-9]{1,9})", re.ASCII)
NUMBER: Final = re.compile(r"[0-9]{1,11}", re.ASCII)
_ROW_OF_LIST = re.compile(r"\[([^][]*)\]")
_AROUND_ROWS = re.compile(r"(?:[a-z][a-z.]*)?[\s,\[\]]*(?:dtype=[\w.'<>=]+)?[\s,\[\]]*", re.ASCII)
"""What lists of rows have around their rows: `array([...], dtype=int32)`."""
_BRACKETS: Final = str.maketrans("()", "[]")
_BARS: Final = str.maketrans("│┃║", "|||")
_RULE = re.compile(
    r"[\s|]*+[─-╿][─-╿\s|]*+"  # a line of box characters
    r"|\s*+\+[-+=\s]*+"  # +----+----+
    r"|[\s|:]*+(?:(?:[-=]{2,}+|-:)[\s|:+]*+)+"  # |----|:---|:-:|
)
"""A line of a frame, without tiles."""
_MARKS: Final = str.maketrans("._*-", "0000")
_EMPTY = re.compile(r"_+|-+|[.*]|null|none|", re.IGNORECASE)
_DECIMAL = re.compile(r"[0-9]{1,12}\.[0-9]*(?:e\+?[0-9]{1,2})?", re.ASCII | re.IGNORECASE)
_KILO = re.compile(r"([0-9]{1,6})k", re.ASCII | re.IGNORECASE)
_MAIL_QUOTE = re.compile(r"^[ \t]*>[> ]*", re.MULTILINE)
"""What a mail has before each line that it quotes, and Python before an input: `> `, `>>> `."""
_NUMPY_NUMBER = re.compile(r"\bnp\.\w+\(([^()]*)\)")
_FIGURE = re.compile(
    r"^[ \t]*(?:best|moves?|points|score)\b *[:=]? *[0-9][0-9.,]*[ \t]*$",
    re.ASCII | re.IGNORECASE | re.MULTILINE,
)
"""A line that programs print above or below a board: `Score: 500`."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\"'`\\/bfnrt]))")
_ESCAPED: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_KEY = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)


class Grid(NamedTuple):
    """A board as plain values."""

    rows: int
    cols: int
    exponents: tuple[int, ...]


class Spec(NamedTuple):
    """A player spec as plain values: its name, and its keys in the order written."""

    name: str
    values: dict[str, str]


def shown(text: object) -> str:
    """`text` for an error message: quoted, escaped, shortened in the middle."""
    try:
        quoted = ascii(text)
    except ValueError:  # Python does not write out integers of thousands of digits
        bits = f" of {text.bit_length():,} bits" if isinstance(text, int) else ""
        quoted = f"a value of the type {type(text).__name__}{bits}"
    return quoted if len(quoted) <= 80 else quoted[:38] + "..." + quoted[-39:]


def printable(text: str) -> str:
    r"""`text` for a screen, with unprintable characters escaped.

    >>> printable("\x1b[2J")
    '\\x1b[2J'
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def shell_line(*words: str) -> str:
    r"""A command to paste into a shell; unprintable characters as `bash` and `zsh` read them.

    >>> print(shell_line("twofold", "review", "my game.2048"))
    twofold review 'my game.2048'
    >>> print(shell_line("cat", "a\x1b[2J"))
    cat $'a\x1b[2J'
    """
    return " ".join(
        shlex.quote(word) if word.isprintable() else f"$'{''.join(map(_in_ansi_quotes, word))}'"
        for word in words
    )


def _in_ansi_quotes(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    if character.isprintable():
        return character
    byte = ord(character) - 0xDC00  # of a file name that is no UTF-8, as Python decodes it
    code = bytes([byte]) if 0x80 <= byte <= 0xFF else character.encode(errors="surrogatepass")
    return "".join(f"\\x{one:02x}" for one in code)


_LIKE: Final = 0.7
"""How like a known name a text must be to be taken for it, as `difflib` measures it."""


def did_you_mean(text: str, known: Iterable[str]) -> str:
    """The end of an error about a name: the known name most like it, or nothing.

    >>> did_you_mean("gredy", ["random", "greedy"])
    '; did you mean greedy?'
    >>> did_you_mean("GREEDY", ["random", "greedy"])
    '; did you mean greedy?'
    >>> did_you_mean("nonsense", ["nneonneo"])
    ''
    """
    names = list(known)
    close = difflib.get_close_matches(text, names, n=1, cutoff=_LIKE)
    close = close or [name for name in names if name.casefold() == text.casefold()]
    return f"; did you mean {close[0]}?" if close else ""


def check_length(text: str, what: str, error: type[InvalidInput], most: int = MAX_TEXT) -> None:
    """Raise `error` if `text` is too long or not a string."""
    if not isinstance(text, str):
        raise error(f"expected {what} as text, got {shown(text)}")
    if len(text) > most:
        raise error(f"expected {what} of at most {most} characters, got {len(text)}")


def parse_shape(text: str, error: type[InvalidInput] = InvalidBoard) -> tuple[int, int]:
    """`"3x4"` to (3, 4), rows first."""
    match = _SHAPE.fullmatch(text)
    if not match:
        raise error(f"expected a shape such as 3x4, got {shown(text)}")
    rows, cols = int(match[1]), int(match[2])
    check_shape(rows, cols, error)
    return rows, cols


def check_shape(rows: int, cols: int, error: type[InvalidInput] = InvalidBoard) -> None:
    """Raise `error` unless there are 1 to 8 rows and columns and at least 2 cells."""
    if not (1 <= rows <= MAX_SIDE and 1 <= cols <= MAX_SIDE and rows * cols >= MIN_CELLS):
        raise error(
            f"expected 1 to {MAX_SIDE} rows and columns and at least {MIN_CELLS} cells, "
            f"got {shown(rows)}x{shown(cols)}"
        )


def parse_tile(text: str, error: type[InvalidInput] = InvalidBoard) -> int:
    """The exponent of a tile in decimal: `"2048"` to 11, `"0"` to 0."""
    value = int(text) if NUMBER.fullmatch(text) else -1
    return tile_exponent(value, text, error)


def as_int(value: Any) -> int | None:
    """A whole number of Python or NumPy as an int; None for anything else."""
    try:
        return int(operator.index(value))
    except TypeError:
        return None


def tile_exponent(tile: object, given: object, error: type[InvalidInput] = InvalidBoard) -> int:
    """The exponent of a tile's value: 2048 or 2048.0 to 11, 0 to 0."""
    value = as_int(int(tile) if isinstance(tile, float) and tile.is_integer() else tile)
    if value == 0:
        return 0
    exponent = -1 if value is None else value.bit_length() - 1
    if value is None or value < 2 or value != 1 << exponent or exponent > MAX_EXPONENT:
        raise error(
            f"expected a tile that is 0 or a power of two from 2 to 2^{MAX_EXPONENT}, "
            f"got {shown(given)}"
        )
    return exponent


def format_moves(moves: Iterable[int]) -> str:
    """The letters of moves; an array must be uint8."""
    return bytes(moves).translate(_LETTERS).decode()


def plain(text: str) -> str:
    r"""A text without a byte order mark, CRLF, and what was put around it.

    That is the quotes of a browser's console, the fence of Markdown and the marks of a mail's
    quotation.

    >>> plain('"a \\"word\\""\r\n')
    'a "word"'
    >>> plain("> ```\n> a word\n> ```")
    'a word\n'
    """
    text = text.removeprefix("\ufeff")
    text = text.replace("\r\n", "\n") if "\r" in text else text
    if text.lstrip().startswith(">"):
        text = _MAIL_QUOTE.sub("", text)
    body = text.strip()
    if body.startswith("```") and body.endswith("\n```"):
        return body[:-3].partition("\n")[2]
    quote, inner = body[:1], body[1:-1]
    if quote not in ('"', "'", "`") or body[1:][-1:] != quote:
        return text
    rest = _ESCAPE.sub("", inner)
    if quote in rest:  # several quoted values, as of CSV
        return text
    if "\\" not in inner or "\\" in rest:  # the quotes of a person, who escaped nothing
        return inner
    inner = _ESCAPE.sub(_unescaped, inner)
    return inner.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _ESCAPED.get(match[3], match[3])


def parse_board(text: str) -> Grid:
    """Read the text of a board, as described above; raises `InvalidBoard`."""
    check_length(text, "a board", InvalidBoard, MAX_BOARD)
    if _WRITTEN.fullmatch(text):
        return Grid(4, 4, _exponents_of(text.replace("/", "")))
    body = _FIGURE.sub("", _NUMPY_NUMBER.sub(r"\1", plain(text)))
    body = body.translate(_BARS).strip(" \n\r\f\v")  # a tab may stand before an empty cell
    shape: tuple[int, int] | None = None
    if ":" in body and "|" not in body.partition(":")[0]:
        prefix, _, body = body.partition(":")
        shape = parse_shape(prefix.strip())
    rows_found = _framed_rows(body) if "|" in body else _csv_rows(body)
    listed = re.search(r"[\[(,]", body) is not None
    if rows_found:
        body = "/".join(map(" ".join, rows_found))
        shape = shape or (len(rows_found), len(rows_found[0]))
    elif listed:
        body, own = _unlisted(body)
        shape = shape or own
    elif "\n" in body:
        lines = body.split("\n")  # four dashes are a row of empty cells
        rules = [one for one in lines if _RULE.fullmatch(one) and len(one.strip()) > 4]
        body = "\n".join(line for line in lines if line not in rules)
    rows, cols = shape or (4, 4)
    check_shape(rows, cols)
    lines = [line for line in body.split("\n") if line.strip()]
    if "/" not in body and cols > 1 and len(lines) == rows:
        body = "/".join(lines)
    if rows_found or listed or re.search(r"[^\s/]\s+[^\s/]", body):
        exponents, widths = _parse_tiles(body)
    else:
        exponents, widths = _parse_digits(body)
    if len(widths) > 1 and (len(widths) != rows or any(width != cols for width in widths)):
        more = "/..." if len(widths) > MAX_SIDE else ""
        found = "/".join(map(str, widths[:MAX_SIDE])) + more
        wrong = f"{rows} rows of {cols} cells, got rows of {found} cells"
    elif len(exponents) != rows * cols:
        wrong = f"{rows * cols} cells for a {rows}x{cols} board, got {len(exponents)}"
    else:
        return Grid(rows, cols, exponents)
    hint = "" if shape else " (another shape needs a prefix such as 3x4:)"
    raise InvalidBoard(f"expected {wrong} in {shown(text)}{hint}")


def _framed_rows(body: str) -> list[list[str]]:
    """The cells between the bars of a frame or a Markdown table, in rows."""
    lines = [line.strip() for line in body.split("\n") if line.strip()]
    tiles = [line for line in lines if not _RULE.fullmatch(line)]
    inner = [line.removeprefix("|").removesuffix("|") for line in tiles]
    if len({line.count("|") for line in inner}) > 1:  # no frame: an empty cell at the side
        inner = tiles
    cells = [[cell.strip() for cell in line.split("|")] for line in inner]
    rows = [row if len(row) > 1 else row[0].split() for row in cells]
    found = itertools.groupby(lines, lambda line: _RULE.fullmatch(line) is None)
    groups = [len(list(group)) for is_tiles, group in found if is_tiles]  # lines between rules
    if len(groups) > 1 and len(set(groups)) == 1:  # cells of several lines
        parts = [rows[start : start + groups[0]] for start in range(0, len(rows), groups[0])]
        rows = [["".join(cell) for cell in itertools.zip_longest(*p, fillvalue="")] for p in parts]
    elif len(groups) == 2 and groups[0] == 1 and _is_header(rows):
        rows = rows[1:]
    return [[cell or "0" for cell in row] for row in rows]


def _is_header(rows: list[list[str]]) -> bool:
    """True if the first row of a Markdown table names the columns, or is blank for a header."""
    try:
        return sum(map(_parse_cell, rows[0])) == 0 and len(rows) > len(rows[0])
    except InvalidBoard:
        return True


def _csv_rows(body: str) -> list[list[str]]:
    """Rows of CSV or TSV, with 0 for an empty value; none if the text is neither."""
    separator = next((one for one in ",;\t" if one in body), "")
    lines = [one for one in body.split("\n") if one.strip() or (separator == "\t" and "\t" in one)]
    if not separator or len(lines) < 2 or re.search(r"[\[(/]", body):
        return []
    rows = [[value.strip(" \"'") for value in line.split(separator)] for line in lines]
    if any(re.search(r"\s", value) for row in rows for value in row):  # lines that are indented
        return []
    if any(len(row) != 4 for row in rows) or len(rows) != 4:
        if all(row[-1] == "" and all(row[:-1]) for row in rows):  # trailing separators, as in code
            rows = [row[:-1] for row in rows]
        elif all(row[0] == "" and all(row[1:]) for row in rows):
            rows = [row[1:] for row in rows]
    is_four = sum(map(len, rows)) == 16 and len(rows) != 4  # 16 values are a 4x4 board
    even = len({len(row) for row in rows}) == 1 and not is_four
    return [[value or "0" for value in row] for row in rows] if even else []


def _unlisted(body: str) -> tuple[str, tuple[int, int] | None]:
    """Lists and commas as tiles between spaces, and the shape of a list of rows."""
    text, shape = body.translate(_BRACKETS), None
    rows = _ROW_OF_LIST.findall(text)
    around = _AROUND_ROWS.fullmatch(_ROW_OF_LIST.sub("", text))
    if rows and around and text.count("[") == text.count("]"):
        if len(rows) > 1 or text.count("[") > 1:
            shape = (len(rows), len(rows[0].replace(",", " ").split()))
        text = "/".join(rows)
    return re.sub(r",(?!\s*,)", " ", text), shape  # one of two commas stays, and is refused


def _parse_tiles(body: str) -> tuple[tuple[int, ...], list[int]]:
    rows = [[_parse_cell(cell) for cell in row.split()] for row in body.split("/")]
    return tuple(exponent for row in rows for exponent in row), [len(row) for row in rows]


def _parse_cell(text: str) -> int:
    text = text.strip("\"'")
    if _EMPTY.fullmatch(text):
        return 0
    if kilo := _KILO.fullmatch(text):
        return tile_exponent(1024 * int(kilo[1]), text)
    return tile_exponent(float(text), text) if _DECIMAL.fullmatch(text) else parse_tile(text)


def _parse_digits(body: str) -> tuple[tuple[int, ...], list[int]]:
    rows = ["".join(row.split()) for row in body.lower().translate(_MARKS).split("/")]
    digits = "".join(rows)
    for number, digit in enumerate(digits, 1):
        if digit not in DIGITS:
            raise InvalidBoard(
                f"expected cells written as 0 to 9 and a to z, got {shown(digit)} at cell {number}"
            )
    return _exponents_of(digits), [len(row) for row in rows]


def _exponents_of(digits: str) -> tuple[int, ...]:
    return tuple(digits.encode().translate(_EXPONENTS))


def format_board(rows: int, cols: int, exponents: Sequence[int]) -> str:
    """The text of a board, as `parse_board` reads it: `"3x4:0012/0000/0000"`."""
    digits = bytes(exponents).translate(_DIGITS).decode()
    lines = "/".join([digits[row * cols : (row + 1) * cols] for row in range(rows)])
    return lines if (rows, cols) == (4, 4) else f"{rows}x{cols}:{lines}"


def parse_seed(text: str) -> int:
    """A seed in decimal, or in hexadecimal after `0x`; raises `InvalidSeed`."""
    check_length(text, "a seed", InvalidSeed)
    body = text.strip()
    if re.fullmatch(r"[0-9]{1,20}", body, re.ASCII):
        return check_seed(int(body))
    if re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}", body, re.ASCII):
        return int(body, 16)
    raise InvalidSeed(f"expected a seed from 0 to 2^64 - 1, got {shown(text)}")


def check_seed(seed: Any) -> int:
    """Return `seed` if it is a whole number from 0 to 2**64 - 1; raise `InvalidSeed` if not."""
    number = None if isinstance(seed, bool) else as_int(seed)
    if number is None or not 0 <= number <= MAX_SEED:
        raise InvalidSeed(f"expected a seed from 0 to 2^64 - 1, got {shown(seed)}")
    return number


def parse_number(text: str, what: str, error: type[InvalidInput]) -> float:
    """A finite decimal number such as `0.9`, `1e6` or `-3`."""
    if re.fullmatch(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?", text, re.ASCII):
        value = float(text)
        if math.isfinite(value):
            return value
    raise error(f"expected {what} as a number, got {shown(text)}")


def format_number(value: float) -> str:
    """The shortest text that reads back as the same number; whole numbers without a point."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def parse_spec(text: str) -> Spec:
    r"""Read `name` or `name:key=value,key=value`; raises `InvalidSpec`.

    The name ends at the first `:` that a key and `=` follow; a path such as `my.py:Name` or
    `C:\my.py:Name:key=1` keeps its own colons. A value that holds `,` or `"`, or that begins or
    ends with a space, is written as a JSON string.
    """
    check_length(text, "a player spec", InvalidSpec)
    body = text.strip()
    match = re.search(r":(?=[a-z][a-z0-9_]*=)", body)
    name, rest = (body[: match.start()], body[match.end() :]) if match else (body, "")
    name = name.strip()
    if not name.isprintable():
        raise InvalidSpec(f"expected a player name of printable characters, got {shown(name)}")
    code, comma, keys = name.partition(",")
    if ":" in code and comma and "=" in keys:
        right = f"{code}:{keys},{rest}".rstrip(",")
        raise InvalidSpec(f"expected ':' before the first key, as in {right}, got {shown(text)}")
    if not name or re.search(r"[\s,=\"]", name):
        raise InvalidSpec(f"expected a player name before the first ':', got {shown(text)}")
    if match is None and name.endswith(":"):
        raise InvalidSpec(f"expected key=value after ':', got {shown(text)}")
    return Spec(name, _parse_values(rest, text))


HASH: Final = "_sha256"
"""Suffix of the keys that hold hashes of files, such as `net_sha256`, in canonical specs."""


def split_hashes(values: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Split the values of a spec into ordinary values and hashes of files."""
    plain = {key: text for key, text in values.items() if not key.endswith(HASH)}
    return plain, {key: text for key, text in values.items() if key.endswith(HASH)}


def _parse_values(rest: str, text: str) -> dict[str, str]:
    values: dict[str, str] = {}
    while rest:
        key, equals, rest = rest.partition("=")
        if not equals or not _KEY.fullmatch(key):
            hint = ". Names of tables are joined by +, caps by -: tables=442-512+443-512/16-64"
            hint *= next(reversed(values), "") == "tables"
            raise InvalidSpec(f"expected key=value separated by commas, got {shown(text)}{hint}")
        if key in values:
            raise InvalidSpec(f"expected each key once, got {shown(key)} twice in {shown(text)}")
        values[key], rest = _parse_value(rest, text)
    return values


def _parse_value(rest: str, text: str) -> tuple[str, str]:
    if not rest.startswith('"'):
        value, comma, rest = rest.partition(",")
        if '"' in value or not value or (comma and not rest):
            raise InvalidSpec(f"expected a value after each '=', got {shown(text)}")
        return value, rest
    try:
        value, end = json.JSONDecoder().raw_decode(rest)
    except ValueError:
        raise InvalidSpec(f"expected a JSON string after '=\"', got {shown(text)}") from None
    rest = rest[end:]
    if rest and (not rest.startswith(",") or rest == ","):
        raise InvalidSpec(f"expected ',' and a key after a value, got {shown(rest)}")
    return value, rest[1:]


def format_spec(name: str, values: Mapping[str, str]) -> str:
    """The text of a spec, keys sorted, as `parse_spec` reads it."""
    pairs = ",".join(f"{key}={_format_value(value)}" for key, value in sorted(values.items()))
    return f"{name}:{pairs}" if pairs else name


def _format_value(value: str) -> str:
    plain = value and value == value.strip() and value.isprintable()
    return value if plain and not re.search(r'[,"]', value) else json.dumps(value)


@dataclass(frozen=True, slots=True)
class SeedRange:
    """`count` seeds from `first` on, modulo 2^64.

    >>> list(SeedRange(2**64 - 1, 3))
    [18446744073709551615, 0, 1]
    """

    first: int
    count: int

    def __iter__(self) -> Iterator[int]:
        return ((self.first + place) & MAX_SEED for place in range(self.count))

    def part(self, start: int, end: int | None = None) -> "SeedRange":
        """A part of the range, as in a slice of a list."""
        some = range(self.count)[start:end]
        return SeedRange((self.first + some.start) & MAX_SEED, len(some))

    def place(self, seed: int) -> int:
        """The index of a seed; `count` or more if it is not in the range."""
        return (seed - self.first) & MAX_SEED

    def places(self, seeds: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """The index of each seed; see `place`."""
        return seeds - np.uint64(self.first)

    def holds(self, seeds: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """For each seed, whether it is in the range."""
        return self.places(seeds) < self.count

    def begun(self, seeds: NDArray[np.uint64]) -> int:
        """Length of the start of the range that ascending `seeds` cover without a gap."""
        places = self.places(seeds)
        return int(np.argmin(np.append(places == np.arange(len(places)), False)))


ALL_SEEDS: Final = SeedRange(0, MAX_SEED + 1)
