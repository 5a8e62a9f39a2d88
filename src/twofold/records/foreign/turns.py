"""A game in the form that all replay formats share: start tiles, then moves, each with a tile."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from twofold.board import Board
from twofold.errors import InvalidRecord
from twofold.game import Game
from twofold.limits import check_limit
from twofold.notation import shown
from twofold.records.record import Record
from twofold.records.text import located
from twofold.rules import Move, Rules
from twofold.step import result_text

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


class PlayedTurn(NamedTuple):
    """A whole game: its start tiles and its moves."""

    start: tuple[TurnTile, ...]
    turns: tuple[Turn, ...]


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
    coming = iter(turns)
    going = True
    while going:
        with located(f"move {game.move_number + 1}"):
            turn = next(coming, None)
            going = turn is not None
            if isinstance(turn, int):
                _undo(game, turn)
            elif turn is not None:
                _play(game, turn)
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


def _play(game: Game, turn: Turn) -> None:
    made = game.play(turn.move, spawn=(turn.spawn.cell, turn.spawn.tile)).reward
    if turn.reward not in (None, made):
        raise InvalidRecord(f"expected a reward of {made} points, got {turn.reward}")


def _undo(game: Game, count: int) -> None:
    if count > game.move_number:
        raise InvalidRecord(f"expected at most {game.move_number} moves to undo, got {count}")
    check_limit("a number of undos", game.undos + count, 0, MAX_UNDOS)
    for _ in range(count):
        game.undo()


def from_record(record: Record, name: str, start_tiles: int | None = None) -> PlayedTurn:
    """The game of a record for the replay format `name`; plays it.

    The format has that number of start tiles; None for any number.

    Raises `InvalidRecord` if the record is invalid, or the format cannot hold its beginning or a
    tile.
    """
    game = record.replay()
    start = [TurnTile(cell, tile) for cell, tile in enumerate(game.start_board) if tile]
    steps = game.steps
    tiles = {tile for _, tile in start} | {step.tile for step in steps}
    if record.start_score or record.start_move or len(start) != (start_tiles or len(start)):
        count = f"{start_tiles} " if start_tiles else ""
        raise InvalidRecord(
            f"expected a whole game from its {count}start tiles on for the format {name}, "
            f"got one that begins on {game.start_board} with {game.start_score} points"
        )
    if not tiles <= set(TILES):
        other = min(tiles - set(TILES))
        raise InvalidRecord(
            f"expected only the new tiles 2 and 4 for the format {name}, got {other}"
        )
    turns = [Turn(step.move, TurnTile(step.cell, step.tile), step.reward) for step in steps]
    return PlayedTurn(tuple(start), tuple(turns))


def check_shape(record: Record, name: str, most_side: int, least_side: int = 1) -> None:
    """Refuse a board with a side outside the limits of a format; raises `InvalidRecord`."""
    rows, cols = record.rules.shape
    if not (least_side <= min(rows, cols) and max(rows, cols) <= most_side):
        most = f"{most_side}x{most_side}"
        what = f"a {most} board" if least_side == most_side else f"a board of at most {most} cells"
        raise InvalidRecord(f"expected {what} for the format {name}, got {rows}x{cols}")


def described(text: str) -> str:
    """The start of a text, for an error message."""
    return shown(text[:100])


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
