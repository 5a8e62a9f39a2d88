"""One small game in every format, written by hand."""

from typing import Final

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


def write_old(steps: list[tuple[str, int, int]], cols: int) -> str:
    """The old format of 2048verse, without its header, of moves with the cells and tiles."""
    codes = [
        32 * "urdl".index(move) + 16 * (tile == 4) + 4 * (cell % cols) + cell // cols
        for move, cell, tile in steps
    ]
    return "".join(OLD_DIGITS[code] for code in codes)


def _of_hex(digits: str) -> str:
    return bytes.fromhex(digits).decode("latin-1")


EXAMPLES: Final = {
    "twofold": '[Twofold "1"]\n[Rules "4x4 spawn=2:0.9,4:0.1 start=2 goal=2048 stop=never"]\n'
    '[Seed "7"]\n[Score "4"]\n[Result "4 going"]\n\ndl\n',
    "jsonl": '{"schema":1,"rules":"4x4 spawn=2:0.9,4:0.1 start=2 goal=2048 stop=never",'
    '"seed":"7","score":4,"result":"4 going","moves":"dl"}\n',
    "verse": "4x4-_¾ú0¾úM¾ül¾úy\n",
    "verse-old": "replay_ ,vë\n",
    "moporgic": "TDL2048:place@1763765370000|0131#D92#L[4]21|place@1763765370000\n",
    "next": "REPLAY_v1RPL_B64_UlBMMUQAAgADgwIEcG93MmYACwCEZRa26g==\n",
    "next-v4c": 'REPLAY_v4C_S"!!"!!!!!!!!!!!!z¥\n',
    "rpl": _of_hex(
        "0000000000000110 73 00000000000000000000000000000000"
        "0110000200000000 04 00000000000000000000000000000000"
        "0000000000000000 58 aa86bc275562e80da1b0b912b168de3a"
    ),
    "vrs": _of_hex(
        "0000000000000110 00000000 00 0110000200000000 00000000 04 0020002000001000 04000000 01"
    ),
    "openfun": '{"note":"","start":"1970-01-01T00:00:00+00:00","finalBoard":{"plyNumber":3,"pieces'
    '":[0,0,1,0,2,0,0,0,0],"score":0,"time":"1970-01-01T00:00:00+00:00","playedSeconds":0},"bookmar'
    'ks":[],"id":1,"type":"org.andstatus.game2048:GameRecord:2"}'
    "\n"
    '{"seconds":0,"moves":[{"move":"place","first":{"piece":1,"square":{"x":0,"y":0}}}]}{"sec'
    'onds":0,"moves":[{"move":"one","first":{"piece":1,"square":{"x":0,"y":0}},"destination":'
    '{"x":2,"y":0}}],"player":"user","ply":"right"}{"seconds":0,"moves":[{"move":"place","fir'
    'st":{"piece":2,"square":{"x":1,"y":1}}}]}'
    "\n",
    "original": '{"grid":{"size":2,"cells":[[null,{"position":{"x":0,"y":1},"value":2}],'
    '[{"position":{"x":1,"y":0},"value":4},null]]},'
    '"score":0,"over":false,"won":false,"keepPlaying":false}\n',
    "json": '{"board": [[0, 2], [4, 0]], "score": 12}\n',
    "text": "2x2:01/20\n",
    "hex": "0x0000000000000012\n",
    "hex-low": "0x2100000000000000\n",
}
"""A small game or board in each format; Latin-1 for bytes."""
