"""Games as turns, the form that all replay formats share, and formats that list them.

The episodes of 2048-Framework and TDL2048, one game a line.

A short one::

    TDL2048:random@1763765370000|0131#D92#L[4]21(3)|random@1763765370250

- Before the first `|`: the names of player and environment and the start, in milliseconds since
  1970. After the second: the name of the winner and the end.
- Between them: the start tiles, then slides and tiles in turn.
- A slide is `#U`, `#R`, `#D` or `#L`, a tile its cell (`0` to `F`, row by row) and its exponent
  (base 36). `[points]` can follow a slide and `(milliseconds)` either of them, unless they are 0.

Source: `episode.h` and `action.h` of https://github.com/moporgic/2048-Framework.

The recordings of 2048EndgameTablebase: `.rpl` of its practice, `.vrs` of whole games.

Both are rows of little-endian numbers without gaps, with 4x4 boards of 64 bits: the exponents, the
top-left cell in the highest four bits, 15 for 32768 and larger tiles::

    .rpl  board(8) change(1) rates(4 x 4)      change = move(2) cell(4) is it a 4(1)
    .vrs  board(8) score(4) move(1)

A row of `.rpl` is a board, and the move and spawn after it; moves are left, right, up, down from 0,
cells count row by row. The last row only ends the file, with fixed numbers. The points before the
first board are not in it. The rates are the chances of success times 4e9; they are read over, and
written as 0. A row of `.vrs` is a board, its score and the move that led to it; moves are left,
right, up, down from 1. The spawn is the difference of two boards. Tiles that the program keeps as
walls, which do not merge, are no 2048, and are refused with the move.

Source: `engine_core/replay_utils.py`, `backend/analysis_core.py` and `tools/AItest.py` of
https://github.com/game-difficulty/2048EndgameTablebase.
"""

import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain, starmap
from typing import Final, NamedTuple

from twofold.errors import InvalidRecord
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.notation import DIGITS, shown
from twofold.game.record import Record
from twofold.game.record_text import located
from twofold.game.rules import MOVES_BY_LETTER, Move, Rules
from twofold.game.step import Step, result_text
from twofold.limits import MAX_EXPONENT, check_limit

START_TILES: Final = 2
"""Number of start tiles of the formats that fix it."""

MAX_UNDOS: Final = 100_000
"""Most moves that a replay can take back: each costs as much time as a move."""

TILES: Final = (2, 4)
"""Spawn tiles, in every replay format."""


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_MS: Final = 253_402_300_800_000
"""The end of the year 9999."""


class TurnTile(NamedTuple):
    """A spawn: its cell, row by row from the top-left corner, and its tile."""

    cell: int
    tile: int


class Turn(NamedTuple):
    """One move, its spawn, and its reward in points if the text has it."""

    move: Move
    spawn: TurnTile
    reward: int | None = None


class WholeGame(NamedTuple):
    """A game to write: its first board, the tiles on it, its steps, and the game at its end."""

    board: Board
    start: tuple[TurnTile, ...]
    steps: tuple[Step, ...]
    game: Game


def to_record(
    shape: tuple[int, int],
    start: Sequence[TurnTile] | Board,
    turns: Iterable[Turn | int],
    *,
    score: int = 0,
    player: str = "",
    date: str = "",
    tags: dict[str, str] | None = None,
) -> Record:
    """Play a game that is read turn by turn, and return its record.

    It starts with tiles that appeared, or on any board with a score in points. A number among the
    turns takes back that number of moves.

    Raises `InvalidRecord` for an illegal move, or an impossible tile or reward; says where.
    """
    with located("start tiles"):
        if isinstance(start, Board):
            rules, board = Rules(*shape), start
        else:
            rules = Rules(*shape, start_tiles=len(start))
            board = _started(rules, start)
        game = Game.from_board(board, rules, seed=0, score=score)
    with located(lambda: f"move {game.move_number + 1}"):
        for turn in turns:
            if isinstance(turn, int):
                _undo(game, turn)
            else:
                made = game.play(turn.move, spawn=turn.spawn).reward
                if turn.reward not in (None, made):
                    game.undo()  # the error names the number of this move
                    raise InvalidRecord(f"expected a reward of {made} points, got {turn.reward}")
    with located(f"move {game.move_number}"):
        result = result_text(game.board, rules)
    return Record(
        rules=rules,
        moves=game.moves,
        board=board,
        start_score=score,
        spawns=game.spawns,
        player=player,
        date=date,
        undos=game.undos,
        score=game.score,
        result=result,
        final=game.board,
        tags=tags or {},
    )


def _started(rules: Rules, start: Sequence[TurnTile]) -> Board:
    board = Board.empty(rules.shape)
    for cell, tile in start:
        if tile not in TILES:
            raise InvalidRecord(f"expected a tile 2 or 4, got {tile}")
        board = board.place(cell, tile)
    return board


def _undo(game: Game, count: int) -> None:
    if count > game.move_number:
        raise InvalidRecord(f"expected at most {game.move_number} moves to undo, got {count}")
    check_limit("a number of undos", game.undos + count, 0, MAX_UNDOS)
    for _ in range(count):
        game.undo()


def whole_game(
    record: Record, name: str, most_side: int, least_side: int = 1, start_tiles: int | None = None
) -> WholeGame:
    """Play the game of a record for the replay format `name`.

    The format has sides within these limits, and that number of start tiles; None for any number.

    Raises `InvalidRecord` if the record is invalid, or the format cannot hold its shape, its
    beginning or a tile.
    """
    rows, cols = record.rules.shape
    if not (least_side <= min(rows, cols) and max(rows, cols) <= most_side):
        most = f"{most_side}x{most_side}"
        what = f"a {most} board" if least_side == most_side else f"a board of at most {most} cells"
        raise InvalidRecord(f"expected {what} for the format {name}, got {rows}x{cols}")
    game = record.replay()
    board, steps = game.start_board, game.steps
    start = tuple(TurnTile(cell, tile) for cell, tile in enumerate(board) if tile)
    if record.start_score or record.start_move or len(start) != (start_tiles or len(start)):
        count = f"{start_tiles} " if start_tiles else ""
        raise InvalidRecord(
            f"expected a whole game from its {count}start tiles on for the format {name}, "
            f"got one that begins on {board} with {game.start_score} points"
        )
    others = {tile for _, tile in start} | {step.tile for step in steps}
    if others := others - set(TILES):
        raise InvalidRecord(
            f"expected only the new tiles 2 and 4 for the format {name}, got {min(others)}"
        )
    return WholeGame(board, start, steps, game)


def described(text: str) -> str:
    """The start of a text, for an error message: of several lines the first."""
    lines = text.strip()[:100].splitlines()
    return shown(lines[0] if lines else text[:100])


def digit_of(digits: Mapping[str, int], character: str) -> int:
    """The number that a character stands for in an alphabet of 128."""
    digit = digits.get(character)
    if digit is None:
        raise InvalidRecord(
            f"expected one of the 128 characters of the format, got {described(character)}"
        )
    return digit


def format_date(milliseconds: int) -> str:
    """ISO 8601 in UTC, the date only at midnight; empty if the time since 1970 is unknown."""
    if not 0 < milliseconds < _LAST_MS:
        return ""
    when = _EPOCH + timedelta(milliseconds=milliseconds)
    return when.date().isoformat() if not milliseconds % 86_400_000 else when.isoformat()


def milliseconds_of(date: str) -> int:
    """Milliseconds since 1970; 0 if the text is not a date."""
    try:
        when = datetime.fromisoformat(date)
    except ValueError:
        return 0
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0, (when - _EPOCH) // timedelta(milliseconds=1))


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
    names = match["names"]  # player:environment
    player = (names.rpartition(":")[0] or names).strip()
    player, date = "" if player == UNNAMED else player, format_date(int(match["began"]))
    return to_record((SIDE, SIDE), start, _turns(rest), player=player, date=date)


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
    played = whole_game(record, NAME, SIDE, SIDE, START_TILES)
    began = milliseconds_of(record.date)
    player = _UNSAFE.sub("_", record.player) or UNNAMED
    moves = "".join(starmap(_format_tile, played.start))
    for step in played.steps:
        points = f"[{step.reward}]" if step.reward else ""
        moves += f"#{step.move.letter.upper()}{points}{_format_tile(step.cell, step.tile)}"
    return f"{player}:{ENVIRONMENT}@{began}|{moves}|{ENVIRONMENT}@{began}\n"


def _format_tile(cell: int, tile: int) -> str:
    return f"{cell:X}{DIGITS[tile.bit_length() - 1].upper()}"


RPL_ROW: Final = struct.Struct("<QB4I")
VRS_ROW: Final = struct.Struct("<QIB")

RPL_END: Final = RPL_ROW.pack(0, 88, 666_666_666, 233_333_333, 314_159_265, 987_654_321)
"""The last row of `.rpl`; its board has no meaning."""

_MOVES: Final = (Move.LEFT, Move.RIGHT, Move.UP, Move.DOWN)
_LARGEST: Final = 15
"""Largest exponent of four bits."""


def parse_rpl(text: str) -> Record:
    """Read a `.rpl`, its bytes as characters of Latin-1, and play it; raises `InvalidRecord`."""
    data = _bytes(text, RPL_ROW)
    if len(data) < 2 * RPL_ROW.size or data[-RPL_ROW.size + 8 :] != RPL_END[8:]:
        raise InvalidRecord("expected rows of 25 bytes, the last one the end mark of .rpl")
    start = Board.from_bits(RPL_ROW.unpack_from(data)[0])
    return to_record((SIDE, SIDE), start, _rpl_turns(data[: -RPL_ROW.size], start))


def _rpl_turns(data: bytes, board: Board) -> Iterator[Turn]:
    for bits, change, *_ in RPL_ROW.iter_unpack(data):
        if bits != _bits(board):
            raise InvalidRecord(
                f"expected the board {_bits(board):016x} before it, got {bits:016x}"
            )
        move, spawn = _MOVES[change >> 5 & 3], TurnTile(change >> 1 & 15, 4 if change & 1 else 2)
        board = board.slide(move).board.place(*spawn)
        yield Turn(move, spawn)


def parse_vrs(text: str) -> Record:
    """Read a `.vrs`, its bytes as characters of Latin-1, and play it; raises `InvalidRecord`."""
    data = _bytes(text, VRS_ROW)
    if not data:
        raise InvalidRecord("expected rows of 13 bytes, got none")
    bits, score, _ = VRS_ROW.unpack_from(data)
    start = Board.from_bits(bits)
    turns = _vrs_turns(data[VRS_ROW.size :], start, score)
    return to_record((SIDE, SIDE), start, turns, score=score)


def _vrs_turns(data: bytes, board: Board, points: int) -> Iterator[Turn]:
    for bits, score, number in VRS_ROW.iter_unpack(data):
        if not 1 <= number <= len(_MOVES):
            raise InvalidRecord(f"expected a move from 1 to 4, got {number}")
        move = _MOVES[number - 1]
        slid = board.slide(move).board
        spawn = _difference(slid, bits)
        board = slid.place(*spawn)
        yield Turn(move, spawn, score - points)
        points = score


def _difference(slid: Board, bits: int) -> TurnTile:
    """The tile that a board of 64 bits has more than another one."""
    change = bits - _bits(slid)
    cell = 15 - max(change.bit_length() - 1, 0) // 4
    tile = 1 << (change >> 4 * (15 - cell)) if 0 < change < 2**64 else 0
    if tile not in TILES or slid.exponents[cell] or change != (tile // 2) << 4 * (15 - cell):
        raise InvalidRecord(
            f"expected the board {_bits(slid):016x} and a tile 2 or 4, got {bits:016x}"
        )
    return TurnTile(cell, tile)


def _bytes(text: str, row: struct.Struct) -> bytes:
    try:
        data = text.encode("latin-1")
    except UnicodeEncodeError:
        raise InvalidRecord("expected bytes, got text") from None
    if len(data) % row.size:
        raise InvalidRecord(f"expected rows of {row.size} bytes, got {len(data)} bytes")
    return data


def _bits(board: Board) -> int:
    """The exponents in 64 bits, none above 15."""
    bits = 0
    for exponent in board.exponents:
        bits = bits << 4 | min(exponent, _LARGEST)
    return bits
