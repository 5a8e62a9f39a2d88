"""Hostile records, one row each: what they are, how they are made, what must come of them."""

import base64
import binascii
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from tests.game.replays import REPLAYS
from twofold.game.foreign.turns import RPL_END, RPL_ROW, VRS_ROW
from twofold.game.record import format_line, parse_record

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
    Attack("move after the goal", moves("l" * 9, "1x2 start=2 goal=4 spawn=4:1 stop=goal"),
           "move 1: the game has stopped at the goal 4"),
    Attack("ten million moves", moves("ud" * 5_000_000), "line 5, move .*: expected a legal move"),
    Attack("ten million marks", moves("@0:2" * 2_500_000), "line 5: expected a move before @0:2"),
    # tiles that cannot have appeared
    Attack("tile on a tile", moves("d@12:2"), "move 1: expected an empty cell, got cell 12"),
    Attack("tile off the board", moves("d@16:2"), "move 1: expected a cell from 0 to 15, got 16"),
    Attack("tile of many digits", moves("d@0:" + "9" * 10**6), "expected a tile that the rules"),
    # an end that is another
    Attack("wrong score", instead('"12"', '"13"'), "expected Score 12 after move 6, got '13'"),
    Attack("wrong final board", tag('[Final "1000/0000/0000/0000"]'), "expected Final 0121/"),
    Attack("other rules", instead('"4x4"', '"4x4 spawn=4:1"'), "expected"),
    # beginnings that do not fit
    Attack("unknown version", instead('Twofold "1"', 'Twofold "2"'), "expected version 1"),
    Attack("board of a million cells", instead("4x4", "1000000x1000000"), "expected 1 to 8 rows"),
    Attack("seed past 64 bits", instead('Seed "1"', f'Seed "{2**64}"'), "expected a seed from 0"),
    Attack(
        "a merge past the largest tile", tag('[Board "zz00/0000/0000/0000"]'), "exponents up to"
    ),
    Attack("start past all limits", tag(f'[StartMove "{10**19}"]'), "expected"),
    # syntax
    Attack("another format", lambda: b"\x80\x04\x95pickle", "expected a record in UTF-8"),
    Attack("a byte that is no text", lambda: GOOD.encode() + b"\xc0\x80", "expected a record in U"),
    Attack("a tag twice", tag('[Seed "1"]'), "expected each tag once, got Seed twice"),
    Attack("a tag without end", tag('[A "' + "a" * 10**6), "expected a tag of at most 2000"),
    Attack("a million tags",
           lambda: '[Twofold "1"]\n' + "".join(f'[A{n} ""]\n' for n in range(10**6)),
           "line 101: expected at most 100 tags, got more"),
    Attack("a long comment", moves("d{" + "a" * 10**7 + "}"), "a comment of at most 20000"),
    Attack("past 32 MiB", lambda: GOOD.encode() + b" " * 2**25, "expected a record of at most"),
]  # fmt: skip


def rpl1(*body: int, sides: int = 0x44, flags: int = 0, start: tuple[int, ...] = (0, 3)) -> str:
    """A replay of 2048-next with these records, and a right CRC-32."""
    data = bytes([*b"RPL1", sides, flags, len(start), *start, *body])
    data += binascii.crc32(data).to_bytes(4, "little")
    return "REPLAY_v1RPL_B64_" + base64.b64encode(data).decode()


def rpl(*rows: tuple[int, int]) -> bytes:
    """Boards and changes as a .rpl."""
    return b"".join(RPL_ROW.pack(*row, 0, 0, 0, 0) for row in rows) + RPL_END


def vrs(*rows: tuple[int, int, int]) -> bytes:
    """Boards, scores and moves as a .vrs."""
    return b"".join(VRS_ROW.pack(*row) for row in rows)


def openfun(plies: str, pieces: str = "1,0,1,0,0,0,0,0,0", score: int = 0) -> str:
    """A shared game of Open Fun Game 2048 on 3x3."""
    return f'{{"finalBoard":{{"pieces":[{pieces}],"score":{score}}}}}\n{plies}'


def placed(x: int, y: int, piece: int = 1) -> str:
    """A ply that places a tile."""
    square = f'{{"piece":{piece},"square":{{"x":{x},"y":{y}}}}}'
    return f'{{"moves":[{{"move":"place","first":{square}}}]}}'


UP: Final = '{"moves":[],"player":"user","ply":"up"}'
V4C: Final = "REPLAY_v4C_S" + '"' + 14 * "!" + '"'

LONG: Final = "9" * 4_000
TEXTS: Final = {
    "nothing": ("", "expected a game or a board in a known form"),
    "a record cut off": ('[Twofold "1"]\n[Seed "1"]', "expected a blank line after the tags"),
    "two episodes": (REPLAYS["moporgic"] + "\n" + REPLAYS["moporgic"], "one game, got several"),
    "two lines": (2 * (format_line(parse_record(GOOD)) + "\n"), "one game, got several"),
    # 2048verse, new
    "verse: no tiles": ("4x4-_", "3 characters a move and at least 2 moves, got 0 characters"),
    "verse: cut off": ("4x4-_¾ú0¾úM¾ül¾ú", "got 11 characters"),
    "verse: a letter": ("4x4-_¾ú0¾úM¾ü!", "move 1: expected one of the 128 characters"),
    "verse: a start tile 8": ("4x4-_¾ú8¾úM", "start tiles: expected a tile 2 or 4, got 8"),
    "verse: a tile 8": ("4x4-_¾ú0¾úM¾üp", "move 1: expected a tile that the rules spawn"),
    "verse: column 5": ("4x4-_¾ú0¾úÂ", "start tiles: expected a cell of a 4x4 board"),
    "verse: row 3 of 2": ("2x4-_¾ú0¾ü0", "expected a cell of a 2x4 board, got row 3, column 1"),
    "verse: illegal": ("4x4-_¾ú0¾úM¾úg", "move 1: expected a legal move"),
    "verse: long header": ("4x4-" + LONG + "_¾ú0¾úM", "VerseMeta of at most 2000 characters"),
    # 2048verse, old
    "old: no tiles": ("replay_", "in a known form"),
    "old: shape": ("replay_5x5 ,", "expected at most 4 rows and columns, got 5x5"),
    # moporgic
    "episode: 17 tiles": ("a@0|" + "01" * 17 + "|b@0", "at most 16 start tiles, got more"),
    "episode: two tiles": ("a@0|0131#D9221|b@0", "move 2: expected a slide such as #U, got '21'"),
    "episode: a tile paid": ("a@0|01[4]31#D92|b@0", "start tiles: expected a tile such as 92"),
    "episode: a letter": ("a@0|01x1|b@0", "start tiles: expected a slide such as #U or a tile"),
    "episode: no tiles": ("a@0||b@0", "start tiles: expected 1 to 16 start tiles"),
    "episode: a move alone": ("a@0|0131#D|b@0", "move 1: expected a tile .* got the end"),
    "episode: two moves": ("a@0|0131#D#L92|b@0", "move 1: expected a tile such as 92 after"),
    "episode: a tile 8": ("a@0|0131#D93|b@0", "move 1: expected a tile that the rules spawn"),
    "episode: reward": ("a@0|0131#D[8]92|b@0", "move 1: expected a reward of 0 points, got 8"),
    "episode: no reward": ("a@0|0131#D92#L[0]21|b@0", "move 2: expected a reward of 4 points"),
    "episode: illegal": ("a@0|0131#U92|b@0", "move 1: expected a legal move"),
    # saved games
    "saved: no JSON": ('{"grid":', "expected a saved game as JSON"),
    "saved: no grid": ("{}", "in a known form"),
    "saved: ragged": ('{"grid":{"cells":[[null,null],[null]]}}', "expected columns of one length"),
    "saved: size": ('{"grid":{"size":3,"cells":[[null,null],[null,null]]}}', "size 3x3, got 2x2"),
    "saved: a tile 3": ('{"grid":{"cells":[[{"value":3},null]]}}', "grid: expected a tile that"),
    "saved: a tile 10^30": (
        '{"grid":{"cells":[[{"value":1000000000000000000000000000000},null]]}}', "expected",
    ),
    "saved: a place": (
        '{"grid":{"cells":[[null,{"position":{"x":1,"y":0},"value":2}]]}}',
        "the tile of column 1, row 2 to say x 0, y 1, got x 1, y 0",
    ),
    "saved: long": ('{"grid":"' + "a" * 200_000 + '"}', "at most 100000 characters, got 200011"),
    "saved: another size": (
        '{"grid":{"size":{"x":2,"y":1},"cells":[[0,2],[4,0]]}}', "size 1x2, got 2x2"
    ),
    "saved: a half": ('{"grid":{"cells":[[0,2.5]]}}', "expected a whole number, got 2.5"),
}  # fmt: skip
"""Texts of other programs, each with the error that it meets."""

FOREIGN: Final = [
    *(Attack(name, partial(str, text), error) for name, (text, error) in TEXTS.items()),
    # 2048-next
    Attack("damaged", lambda: rpl1(0x84)[:-8] + "AAAAAAA=", "expected the CRC-32"),
    Attack("no base 64", lambda: "REPLAY_v1RPL_B64_*", "and base 64, got"),
    Attack("255 start tiles", lambda: rpl1(start=(0,) * 255), "start tiles: "),
    Attack("a diagonal move", lambda: rpl1(0x85, 5, 0, 0, 0), "move 1: expected a move up, right"),
    Attack("nothing in base 64", lambda: "REPLAY_v1RPL_B64_", "that begin with RPL1"),
    Attack("other rules", lambda: rpl1(0x83, 2, 3, *b"fib"), "a game of 2048, got other rules"),
    Attack("a board cut off", lambda: rpl1(0x82, 0), "move 1: expected 10 more bytes, got 1"),
    Attack("an unknown kind", lambda: V4C.replace("_S", "_X"), "one of SCKP and 16 exponents"),
    Attack("an unknown escape", lambda: V4C + "\xc3$", "an escape from 0 to 2, got 3"),
    Attack("two new tiles", lambda: vrs((0x11, 0, 0), (0x2110 << 48, 4, 1)), "a tile 2 or 4"),
    Attack("two moves", lambda: openfun(placed(0, 1) + UP + UP), "a tile that is placed, got 'up'"),
    Attack("half a ply", lambda: openfun('{"moves":'), "expected JSON objects one after another"),
    Attack("an endless number", lambda: rpl1(0x02, *[0xFF] * 10), "a number of at most 9 bytes"),
    Attack("undos of nothing", lambda: rpl1(0x80, 0), "at most 0 moves to undo, got 1"),
    Attack("a long extension", lambda: rpl1(0x83, 7, 0xFF, 0xFF, 0x7F), "2097151 more bytes"),
    Attack("an unknown record", lambda: rpl1(0xFF), "expected a record of RPL1, got one of"),
    Attack("a tile placed by hand", lambda: V4C + '\xc3#!"', "a tile that was placed by hand"),
    Attack("undos after an illegal move", lambda: V4C + "!" + '!\xc3"' * 3_000_000,
           "move 1: expected an empty cell"),
    Attack("a tile of 2\u00b9\u00b2\u2077", lambda: V4C.replace('!"', "!\xc3"), "start board: exp"),
    Attack("ten million blanks", lambda: " \t" * 5_000_000 + "x", "board in a known form"),
    # 2048EndgameTablebase
    Attack("no rows", lambda: RPL_END, "expected rows of 25 bytes, the last one"),
    Attack("walls that merge", lambda: rpl((0xFF << 56, 0x22), (0xFF << 48, 0)),
           "move 2: expected the board"),
    Attack("a fifth move", lambda: vrs((0x11, 0, 0), (0x11, 0, 5)), "expected a move from 1 to 4"),
    Attack("other points", lambda: vrs((0x11, 0, 0), (0x2001, 8, 1)), "reward of 4 points, got 8"),
    # Open Fun Game 2048
    Attack("no plies", lambda: openfun(""), "start tiles: expected 1 to 9 start tiles"),
    Attack("100,000 pieces", lambda: openfun("", "0," * 10**5 + "0"), "expected 64 cells for 8x8"),
    Attack("a square outside", lambda: openfun(placed(3, 0)), "on the board, got 1 on x 3, y 0"),
    Attack(
        "a move alone", lambda: openfun(placed(0, 1) + UP), "placed after the move, got the end"
    ),
    Attack("another end", lambda: openfun(placed(0, 0)), "expected finalBoard"),
    Attack("plies that are none", lambda: openfun("[]" + UP), "expected a shared game of Open Fun"),
]  # fmt: skip
"""Games of other programs, as text or as bytes."""

NAMES: Final = {
    "clears the screen": "\x1b[2J\x1b[H",
    "writes the clipboard": "\x1b]52;c;ZWNobw==\x07",
    "8-bit control": "\x9b2J\x9d0;x\x9c",
    "another tag": 'x"]\n[Score "999999',
    "the end of the tags": 'x"]\n\nuuuu',
    "a comment": "{} } { \\{ \\} \\",
    "zero byte": "a\0b",
    "right to left": "\u202egpj.exe",
    "line separators": "a\u2028b\u2029c\x85d",
    "a script": "<script>alert(1)</script>",
    "an attribute": "\" onmouseover='alert(1)",
    "markup": "[bold red]loud[/]",
    "a formula": '=HYPERLINK("http://example.org")',
}
