"""One small game in every format, written by hand, and slow parsers of each."""

from typing import Final, NamedTuple

# Tiles 2 in the corners of the first row; down, a 4 in row 3, column 2; left, which merges two 2s
# into a 4; a 2 in row 1, column 3.
FINAL: Final = "0010/0000/2000/2000"
MOVES: Final = "dl"
SPAWNS: Final = {1: (9, 4), 2: (2, 2)}
SCORE: Final = 4

SAVED: Final = (
    '{"grid":{"size":4,"cells":[[null,null,{"position":{"x":0,"y":2},"value":4},'
    '{"position":{"x":0,"y":3},"value":4}],[null,null,null,null],'
    '[{"position":{"x":2,"y":0},"value":2},null,null,null],[null,null,null,null]]},'
    '"score":4,"over":false,"won":false,"keepPlaying":false}'
)

REPLAYS: Final = {
    "verse": "4x4-_¾ú0¾úM¾ül¾úy",
    "verse-old": "replay_ ,vë",
    "moporgic": "TDL2048:random@1763765370000|0131#D92#L[4]21(3)|random@1763765370250",
}

NEW_DIGITS: Final = (
    "0123456789"
    "abcdefghijklmnopqrstuvwxyz"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
    "¤¾"
)
OLD_DIGITS: Final = (
    " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`"
    "abcdefghijklmnopqrstuvwxyz{|}~"
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒá"
)


class Step(NamedTuple):
    """A direction, and the cell and tile of the spawn."""

    move: str
    row: int
    col: int
    tile: int


def read_new(text: str) -> list[Step]:
    """The new format of 2048verse, by division alone."""
    body = text.strip().split("_", 1)[1]
    steps = []
    for number in range(len(body) // 3):
        value = 0
        for character in body[3 * number : 3 * number + 3]:
            value = 128 * value + NEW_DIGITS.index(character)
        steps.append(
            Step("udlr"[value % 4], value // 128 % 8, value // 16 % 8, 2 + 2 * (value // 4 % 4))
        )
    return steps


def read_old(text: str) -> list[Step]:
    """The old format of 2048verse, by division alone, without its header."""
    codes = [OLD_DIGITS.index(character) for character in text]
    return [Step("urdl"[c // 32], c % 4, c // 4 % 4, 4 if c // 16 % 2 else 2) for c in codes]
