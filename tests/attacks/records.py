"""Hostile records, one row each: what they are, how they are made, what must come of them."""

from collections.abc import Callable
from typing import Final, NamedTuple

HEAD: Final = '[Twofold "1"]\n[Rules "{rules}"]\n[Seed "1"]\n'
GOOD: Final = HEAD.format(rules="4x4") + '[Score "12"]\n[Result "8 going"]\n\ndrdlur\n'


class Attack(NamedTuple):
    """One hostile record and the error that it must meet."""

    name: str
    make: Callable[[], str | bytes]
    error: str  # a regular expression


def moves(text: str, rules: str = "4x4") -> Callable[[], str]:
    """A record of these moves."""
    return lambda: HEAD.format(rules=rules) + "\n" + text


def tag(line: str) -> Callable[[], str]:
    """A good record with one more line among its tags."""
    return lambda: GOOD.replace("[Score", line + "\n[Score", 1)


def instead(old: str, new: str) -> Callable[[], str]:
    """A good record with one change."""
    assert old in GOOD
    return lambda: GOOD.replace(old, new, 1)


REFUSED: Final = [
    # moves that cannot be made
    Attack("illegal first move", moves("d\nd"), "line 6, move 2: expected a legal move"),
    Attack("illegal last move", moves("drdlurdd d"), "move 9: expected a legal move"),
    Attack("move after the end", moves("l" * 9, "1x2 start=1"), "expected a board with a"),
    Attack(
        "move after the goal",
        moves("l" * 9, "1x2 start=2 goal=4 spawn=4:1 stop=goal"),
        "move 1: the game has stopped at the goal 4",
    ),
    Attack("ten million moves", moves("ud" * 5_000_000), "line 5, move .*: expected a legal move"),
    Attack("ten million spaces", moves(" " * 10**7 + "x"), "line 5: expected moves written"),
    Attack("ten million lines", moves("\n" * 10**7 + "x"), "line 10000005: expected moves written"),
    Attack("ten million marks", moves("@0:2" * 2_500_000), "line 5: expected a move before @0:2"),
    Attack("moves of another alphabet", moves("ԁrdl"), "expected moves written as u, r, d or l"),
    Attack("moves in upper case", moves("DRDL"), "expected moves written as u, r, d or l"),
    # tiles that cannot have appeared
    Attack("tile on a tile", moves("d@12:2"), "move 1: expected an empty cell, got cell 12"),
    Attack("tile off the board", moves("d@16:2"), "move 1: expected a cell from 0 to 15, got 16"),
    Attack("tile that the rules lack", moves("d@0:8"), "expected a tile that the rules spawn"),
    Attack("tile that is no tile", moves("d@0:3"), "expected a tile that the rules spawn"),
    Attack("tile of zero", moves("d@0:0"), "expected a tile that the rules spawn"),
    Attack("tile of many digits", moves("d@0:" + "9" * 10**6), "expected a tile that the rules"),
    Attack("cell of many digits", moves("d@" + "0" * 10**6 + ":2"), "expected @cell:tile"),
    Attack("cell below zero", moves("d@-1:2"), "expected @cell:tile"),
    Attack("two tiles for one move", moves("d@0:2@1:2"), "expected a move before @1:2"),
    Attack(
        "no seed and no tile",
        lambda: '[Twofold "1"]\n[Board "2x2:10/00"]\n\nr',
        "line 4, move 1: expected the new tile as @cell:tile in a record without Seed",
    ),
    # an end that is another
    Attack("wrong score", instead('"12"', '"13"'), "expected Score 12 after move 6, got '13'"),
    Attack("huge score", instead('"12"', '"' + "9" * 20 + '"'), "expected a score from 0 to"),
    Attack("endless score", instead('"12"', '"' + "9" * 1_999 + '"'), "expected a whole number"),
    Attack("negative score", instead('"12"', '"-12"'), "expected a whole number"),
    Attack("fullwidth score", instead('"12"', '"１２"'), "expected a whole number"),
    Attack("wrong result", instead("8 going", "2048 won"), "expected Result 8 going after move 6"),
    Attack("wrong final board", tag('[Final "1000/0000/0000/0000"]'), "expected Final 0121/"),
    Attack("other seed", instead('Seed "1"', 'Seed "2"'), "expected"),
    Attack("other rules", instead('"4x4"', '"4x4 spawn=4:1"'), "expected"),
    # beginnings that do not fit
    Attack("unknown version", instead('Twofold "1"', 'Twofold "2"'), "expected version 1"),
    Attack("version of many digits", instead('"1"', '"' + "1" * 1_999 + '"'), "expected version 1"),
    Attack("no version", instead('[Twofold "1"]\n', ""), "expected a game record"),
    Attack("board of other shape", tag('[Board "3x3:100/000/000"]'), "the rules' shape"),
    Attack("board of a million cells", instead("4x4", "1000000x1000000"), "expected 1 to 8 rows"),
    Attack("board of nine rows", instead("4x4", "9x4"), "expected 1 to 8 rows and columns"),
    Attack("negative seed", instead('Seed "1"', 'Seed "-1"'), "expected a seed from 0"),
    Attack("seed past 64 bits", instead('Seed "1"', f'Seed "{2**64}"'), "expected a seed from 0"),
    Attack("weights that overflow", instead("4x4", "4x4 spawn=2:1e308,4:1e308"), "spawn weight"),
    Attack("weight that is no number", instead("4x4", "4x4 spawn=2:nan"), "a spawn weight"),
    Attack(
        "a merge past the largest tile", tag('[Board "zz00/0000/0000/0000"]'), "exponents up to"
    ),
    Attack("start past all limits", tag(f'[StartMove "{10**19}"]'), "expected"),
    # syntax
    Attack("no bytes", lambda: b"", "expected a game record"),
    Attack("zero bytes", lambda: b"\0" * 4096, "expected a game record"),
    Attack("another format", lambda: b"\x80\x04\x95pickle", "expected a record in UTF-8"),
    Attack("an archive", lambda: b"PK\x03\x04" + b"\0" * 64, "expected a game record"),
    Attack("two encodings", lambda: GOOD.encode("utf-16"), "expected a record in UTF-8"),
    Attack("a byte that is no text", lambda: GOOD.encode() + b"\xc0\x80", "expected a record in U"),
    Attack("a tag twice", tag('[Seed "1"]'), "expected each tag once, got Seed twice"),
    Attack("a tag in disguise", tag('[seed "2"]'), "expected a tag other than twofold's Seed"),
    Attack("a tag without end", tag('[A "' + "a" * 10**6), "expected a tag of at most 2000"),
    Attack("a tag of escapes", tag('[A "' + "\\u0041" * 10**5 + '"]'), "a tag of at most 2000"),
    Attack("half a character", tag('[A "\\ud800"]'), "line 4: expected A as a JSON string"),
    Attack("an unknown escape", tag('[A "\\x41"]'), "line 4: expected A as a JSON string"),
    Attack("a control character", tag('[A "\x1b"]'), "line 4: expected A as a JSON string"),
    Attack(
        "a million tags",
        lambda: '[Twofold "1"]\n' + "".join(f'[A{n} ""]\n' for n in range(10**6)),
        "line 101: expected at most 100 tags, got more",
    ),
    Attack("a comment without end", moves("d{" + "a" * 10**7), "expected a comment that ends"),
    Attack("a comment of escapes", moves("d{" + "\\n" * 10**6), "expected a comment that ends"),
    Attack("a long comment", moves("d{" + "a" * 10**7 + "}"), "a comment of at most 20000"),
    Attack("many comments in one", moves("d" + "{aaaaaaaaa}" * 10**5), "the length of a comment"),
    Attack("nested comments", moves("d" + "{" * 10**6), "expected a comment that ends"),
    Attack("past 32 MiB", lambda: GOOD.encode() + b" " * 2**25, "expected a record of at most"),
]

NAMES: Final = {
    "clears the screen": "\x1b[2J\x1b[H",
    "colours": "\x1b[31mred\x1b[0m",
    "sets the title": "\x1b]0;title\x07",
    "writes the clipboard": "\x1b]52;c;ZWNobw==\x07",
    "8-bit control": "\x9b2J\x9d0;x\x9c",
    "bell and backspaces": "\x07\x08\x08\x7f",
    "carriage return": "good\rbad",
    "another tag": 'x"]\n[Score "999999',
    "the end of the tags": 'x"]\n\nuuuu',
    "a comment": "{} } { \\{ \\} \\",
    "zero byte": "a\0b",
    "right to left": "\u202egpj.exe",
    "invisible": "a\u200b\u2060\ufeffb",
    "line separators": "a\u2028b\u2029c\x85d",
    "tags of Unicode": "\U000e0041\U000e007f",
    "a script": "<script>alert(1)</script>",
    "an image": "<img src=x onerror=alert(1)>",
    "an attribute": "\" onmouseover='alert(1)",
    "markup": "[bold red]loud[/]",
    "a formula": '=HYPERLINK("http://example.org")',
    "a path": "../../../../etc/passwd",
    "a player with code": "evil.py:Player",
    "a template": "{{7*7}} ${7*7} %s %n {0.__class__}",
}
