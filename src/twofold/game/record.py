"""A game, finished or not, as text that can be read, checked and replayed; many as JSON Lines.

    >>> game = Game(seed=1)
    >>> step = game.play(game.legal_moves()[0])
    >>> record = Record.from_game(game, player="me")
    >>> parse_record(format_record(record)) == record
    True

Reading replays the whole game: every move must be legal, every given tile possible, and the tags
Score, Result and Final must match the result. `twofold.game.record_text` defines the syntax;
`twofold.game.record` holds many records in one file.

Many records in one file: JSON Lines, one JSON object a line, `schema` first.

A line begins::

    {"schema":1,"rules":"4x4 spawn=2:0.9,4:0.1 start=2 goal=2048 stop=never","seed":"7",...}

The content is that of `twofold.game.record`: moves as one text of `u r d l`, given tiles as
`[move number, cell, tile]`, comments by move number, seeds and boards as text.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final, Self

import msgspec

from twofold.errors import InvalidRecord
from twofold.game import record_text as record_text
from twofold.game.board import Board
from twofold.game.drawing import draw_board, game_caption
from twofold.game.game import Game, Moment
from twofold.game.notation import MOVE_LETTERS, check_seed, format_moves, parse_seed, shown
from twofold.game.record_text import Tag, escape, json_errors, located
from twofold.game.rules import MOVES_BY_LETTER, STANDARD, Move, Rules
from twofold.game.step import result_text
from twofold.limits import (
    MAX_COMMENT,
    MAX_MOVE_NUMBER,
    MAX_RECORD_BYTES,
    MAX_RECORD_MOVES,
    MAX_SCORE,
    MAX_TAG,
    MAX_TAGS,
    check_limit,
)
from twofold.storage.files import atomic_write, free_path, read_start, writing


@dataclass(frozen=True, slots=True)
class Record:
    """One game: its beginning, its moves, and metadata.

    Attributes:
        rules: the rules of the game.
        seed: seed of its dice; None if no seed explains the tiles, so that all are given.
        moves: the moves made, without undone ones.
        board: the first board; None if rules and seed determine it.
        start_score: points before the first move.
        start_move: move number before the first move.
        spawns: (cell, tile) after the n-th move, if the seed does not explain it. Moves are
            counted over the whole game: the first one here has n = `start_move` + 1.
        comments: text after the n-th move, by n.
        player: who played; free text, or a player's spec.
        date: free text, preferably like 2048-01-31.
        undos: number of undone moves.
        hints: number of positions for which the player asked for hints.
        score: points at the end; None if unknown.
        result: largest tile and state at the end, such as `2048 over`; empty if unknown.
        final: board at the end; None if unknown.
        tags: other tags.
        damage: the fault in the text, if only its first part could be read.

    Raises:
        InvalidRecord: values contradict each other, or could not be written.
        LimitExceeded: a value exceeds one of `twofold.limits`.
    """

    rules: Rules = STANDARD
    seed: int | None = None
    moves: tuple[Move, ...] = ()
    board: Board | None = None
    start_score: int = 0
    start_move: int = 0
    spawns: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    comments: Mapping[int, str] = field(default_factory=dict)
    player: str = ""
    date: str = ""
    undos: int = 0
    hints: int = 0
    score: int | None = None
    result: str = ""
    final: Board | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    damage: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        for name in ("spawns", "comments", "tags"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        _check_start(self)
        _check_values(self)

    def _repr_svg_(self) -> str:
        ended = self.replay()
        caption = game_caption(ended.score, ended.move_number, ended.status.value, self.player)
        board = ended.board
        return draw_board(board.rows, board.cols, board.exponents, caption=caption)

    @classmethod
    def from_game(
        cls,
        game: Game,
        *,
        player: str = "",
        date: str = "",
        hints: int = 0,
        comments: Mapping[int, str] | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> Self:
        """The record of a game so far, without undone moves.

        If every tile of the game was given, the record has the first board instead of a seed.
        """
        moves, spawns = game.moves, game.spawns
        foreign = bool(moves) and len(spawns) == len(moves)
        if not foreign:
            spawns = {n: one for n, one in spawns.items() if not game.is_thrown(n)}
        return cls(
            rules=game.rules,
            seed=None if foreign else game.seed,
            moves=moves,
            board=game.start_board if foreign else game.given_board,
            start_score=game.start_score,
            start_move=game.start_move_number,
            spawns=spawns,
            comments=comments or {},
            player=player,
            date=date,
            undos=game.undos,
            hints=hints,
            score=game.score,
            result=result_text(game.board, game.rules),
            final=game.board,
            tags=tags or {},
        )

    @staticmethod
    def parse(text: str | bytes) -> "Record":
        """Read one record; see `parse_record`."""
        return parse_record(text)

    def __str__(self) -> str:
        return format_record(self)

    def replay(self) -> Game:
        """Play the moves and check the end; without a seed, the dice of seed 0 continue the game.

        Raises `InvalidRecord` for an illegal move, an impossible tile, or another end.
        """
        game = _begin(self)
        with located(lambda: f"move {game.move_number + 1}"):
            for number, move in enumerate(self.moves, self.start_move + 1):
                game.play(move, spawn=self.spawns.get(number))
        _check_end(self, game, {})
        return game

    def ending(self) -> tuple[Board, int]:
        """The last board and its score; plays the moves if the record does not say."""
        if self.final is not None and self.score is not None:
            return self.final, self.score
        game = self.replay()
        return game.board, game.score

    def resume(self) -> Game:
        """The game of a record that was checked when read; does not play its moves again."""
        if self.final is None or self.score is None:
            return self.replay()
        game = _begin(self)
        game.extend(
            "".join(move.letter for move in self.moves), Moment(self.final, self.score), self.spawns
        )
        return game


def _begin(record: Record) -> Game:
    if record.board is None:
        return Game(record.rules, record.seed or 0, undos=record.undos)
    with located(f"move {record.start_move}"):
        return Game.from_board(
            record.board,
            record.rules,
            record.seed or 0,
            score=record.start_score,
            move_number=record.start_move,
            undos=record.undos,
        )


def _check_end(record: Record, game: Game, lines: Mapping[str, int]) -> None:
    number = game.move_number
    result = _result(game)
    for name, said, found in (
        ("Score", record.score, game.score),
        ("Result", record.result or None, result),
        ("Final", record.final, game.board),
    ):
        if said is not None and said != found:
            line = f"line {lines[name]}: " if name in lines else ""
            raise InvalidRecord(
                f"{line}expected {name} {found} after move {number}, got {shown(str(said))}: "
                "the record is wrong or cut off"
            )


def _result(game: Game) -> str:
    with located(f"move {game.move_number}"):
        return result_text(game.board, game.rules)


def _check_start(record: Record) -> None:
    if record.seed is not None:
        object.__setattr__(record, "seed", check_seed(record.seed))
    if record.board is None and record.seed is None:
        raise InvalidRecord("expected a Seed or a Board to begin with, got neither")
    if record.board is None and (record.start_score or record.start_move):
        raise InvalidRecord("expected a Board with StartScore and StartMove, got none")
    if record.seed is None and len(record.spawns) < len(record.moves):
        raise InvalidRecord("expected a Seed, or a tile after every move, got neither")
    for board in (record.board, record.final):
        if board is not None and board.shape != record.rules.shape:
            raise InvalidRecord(f"expected a board of the rules' shape, got {board}")


def _check_values(record: Record) -> None:
    """Refuse values that could not be written, or not be read again."""
    check_limit("a start score", record.start_score, 0, MAX_SCORE)
    check_limit("a start move", record.start_move, 0, MAX_MOVE_NUMBER)
    check_limit("a number of undos", record.undos, 0, MAX_MOVE_NUMBER)
    check_limit("a number of hints", record.hints, 0, MAX_MOVE_NUMBER)
    check_limit("a number of moves", len(record.moves), 0, MAX_RECORD_MOVES)
    check_limit("a number of own tags", len(record.tags), 0, MAX_TAGS - len(OWN_TAGS))
    check_limit("a score", record.score or 0, 0, 2 * MAX_SCORE)
    last = record.start_move + len(record.moves)
    for number in record.spawns:
        check_limit("the move of a given tile", number, record.start_move + 1, last)
    for number, text in record.comments.items():
        check_limit("the move of a comment", number, record.start_move, last)
        record_text.check_text("a comment", text, MAX_COMMENT)
    for name, text in record.tags.items():
        record_text.check_tag_name(name, OWN_TAGS)
        record_text.check_text(f"the tag {name}", text, MAX_TAG)
    for text in (record.player, record.date, record.result):
        record_text.check_text("a tag", text, MAX_TAG)


# ---- text


def format_record(record: Record) -> str:
    """The text of a record; inverse of `parse_record`."""
    tags = {"Rules": str(record.rules)}
    for tag, name in _FIELDS.items():
        if (value := getattr(record, name)) != _DEFAULTS[name]:
            tags[tag] = str(value)
    first = record.start_move
    return record_text.format_head(tags | dict(record.tags)) + record_text.format_moves(
        format_moves(record.moves),
        {number - first: spawn for number, spawn in record.spawns.items()},
        {number - first: text for number, text in record.comments.items()},
    )


def parse_record(text: str | bytes, *, partial: bool = False) -> Record:
    """Read a record, play its moves and check the end.

    Args:
        text: the text; bytes are UTF-8.
        partial: True to read a text with a fault after its tags up to its last valid move. The
            record then has the score, result and board reached, and the fault in `damage`.

    Raises:
        InvalidRecord: the record is invalid; says what was expected, and where (line, move).
    """
    record, text_of, lines = _read(text, partial)
    game = _begin(record)

    def where() -> str:
        number = game.move_number + 1
        return f"line {text_of.line_of(number - record.start_move)}, move {number}"

    try:
        with located(where):
            for number, letter in enumerate(text_of.letters, 1):
                spawn = text_of.spawns.get(number)
                if spawn is None and record.seed is None:
                    raise InvalidRecord(
                        "expected the new tile as @cell:tile in a record without Seed"
                    )
                game.play(MOVES_BY_LETTER[letter], spawn=spawn)
        if text_of.fault:
            raise InvalidRecord(text_of.fault)
        record = _with_moves(record, text_of, game.move_number)
        _check_end(record, game, lines)
        return record
    except InvalidRecord as error:
        if not partial:
            raise
        if text_of.is_torn and game.can_undo:
            game.cut(game.move_number - 1)
        return replace(  # as if its game had ended here
            _with_moves(record, text_of, game.move_number),
            score=game.score,
            result=_result(game),
            final=game.board,
            damage=str(error),
        )


def parse_unplayed(text: str | bytes) -> Record:
    """Read a record without playing its moves: many times faster, but they are not checked."""
    record, text_of, _ = _read(text)
    if text_of.fault:
        raise InvalidRecord(text_of.fault)
    with located("moves"):
        return _with_moves(record, text_of, record.start_move + len(text_of.letters))


def _read(
    text: str | bytes, partial: bool = False
) -> tuple[Record, record_text.MovesText, dict[str, int]]:
    """The record of the tags, the moves, and the lines of the tags."""
    whole, flaw = record_text.decode(text, partial)
    head = record_text.parse_head(whole)
    record = _from_tags(head.tags)
    moves = record_text.parse_moves(whole, head.position, head.line)
    moves.fault = moves.fault or flaw
    return record, moves, {name: tag.line for name, tag in head.tags.items()}


def _with_moves(record: Record, text: record_text.MovesText, end: int) -> Record:
    """The record with the moves of its text up to a move number."""
    first = record.start_move
    return replace(
        record,
        moves=tuple(map(MOVES_BY_LETTER.__getitem__, text.letters[: end - first])),
        spawns={first + n: spawn for n, spawn in text.spawns.items() if first + n <= end},
        comments={first + n: comment for n, comment in text.comments.items() if first + n <= end},
    )


def _from_tags(tags: Mapping[str, Tag]) -> Record:
    values: dict[str, object] = {}
    for name, (value, line) in tags.items():
        if field_name := _FIELDS.get(name):
            with located(f"line {line}: tag {name}"):
                values[field_name] = _READERS[field_name](value)
    board = values.get("board")
    if isinstance(board, Board):
        values.setdefault("rules", Rules(rows=board.rows, cols=board.cols))
    values["tags"] = {name: tag.value for name, tag in tags.items() if name not in OWN_TAGS}
    with located("tags"):
        return Record(**values)  # type: ignore[arg-type]


def _whole(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,20}", text, re.ASCII):
        raise InvalidRecord(f"expected a whole number, got {shown(text)}")
    return int(text)


_READERS: Final[dict[str, Callable[[str], object]]] = {
    "rules": Rules.parse,
    "board": Board.parse,
    "start_score": _whole,
    "start_move": _whole,
    "seed": parse_seed,
    "player": str,
    "date": str,
    "undos": _whole,
    "hints": _whole,
    "score": _whole,
    "result": str,
    "final": Board.parse,
}
"""How the texts of fields are read, in the order of the tags."""

_FIELDS: Final = {name.title().replace("_", ""): name for name in _READERS}
_DEFAULTS: Final = {field.name: field.default for field in fields(Record)}

OWN_TAGS: Final = ("Twofold", *_FIELDS)
"""The tags that twofold defines, in the order written; others are kept unchanged."""


# ---- files


def read_record(path: str | os.PathLike[str], *, partial: bool = False) -> Record:
    """Read the record in a file, as `parse_record`; raises `InvalidRecord` for other files."""
    data = read_start(path, MAX_RECORD_BYTES + 1, InvalidRecord)
    with located(shown(os.fspath(path))):
        return parse_record(data, partial=partial)


def write_record(path: str | os.PathLike[str], record: Record) -> None:
    """Write a record to a file in one step; raises `InvalidInput` or `ResourceError`."""
    atomic_write(path, format_record(record))


def keep_record(path: Path, record: Record, *, force: bool) -> str:
    """Write the record of a game that took long; where it is, in words.

    A file that has appeared at `path` since the game began is kept, unless `force` replaces it: the
    record then has a free name beside it. Raises as `write_record`.
    """
    with writing(path):
        is_lost = not force and path.exists() and path.stat().st_size
        place = free_path(path) if is_lost else path
        write_record(place, record)
    return f"written to {place}" + f" (another program has written {path})" * bool(is_lost)


SCHEMA: Final = 1


class _RecordOutline(msgspec.Struct):
    """A line with its long parts not parsed."""

    schema: int
    moves: msgspec.Raw = msgspec.Raw(b'""')
    spawns: msgspec.Raw = msgspec.Raw(b"[]")


class _Line(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    schema: int
    rules: str
    seed: str | None = None
    board: str | None = None
    start_score: int = 0
    start_move: int = 0
    player: str = ""
    date: str = ""
    undos: int = 0
    hints: int = 0
    score: int | None = None
    result: str = ""
    final: str | None = None
    tags: dict[str, str] = {}
    moves: str = ""
    spawns: list[tuple[int, int, int]] = []
    comments: dict[int, str] = {}


_AS_TEXT: Final = ("rules", "seed", "board", "final")
"""Fields of records that lines hold as text."""

_OUTLINE: Final = msgspec.json.Decoder(_RecordOutline)
_DECODER: Final = msgspec.json.Decoder(_Line)


def format_line(record: Record) -> str:
    """One line of JSON, without the line end; inverse of `parse_line`."""
    values = {name: getattr(record, name) for name in _Line.__struct_fields__[1:]}
    values |= {name: str(values[name]) for name in _AS_TEXT if values[name] is not None}
    values["tags"] = dict(record.tags)
    values["moves"] = format_moves(record.moves)
    values["spawns"] = [(number, *spawn) for number, spawn in sorted(record.spawns.items())]
    values["comments"] = dict(sorted(record.comments.items()))
    return escape(msgspec.json.encode(_Line(SCHEMA, **values)).decode())


def parse_line(data: str | bytes) -> Record:
    """Read one line, play its moves and check the end; raises `InvalidRecord`."""
    record_text.check_size(data)
    start = data[:100] if isinstance(data, str) else data[:100].decode("utf-8", "replace")
    with json_errors("a record as a JSON object", start):
        outline = _OUTLINE.decode(data)
        if outline.schema != SCHEMA:
            raise InvalidRecord(
                f"expected records of schema {SCHEMA}, got schema {shown(outline.schema)}"
            )
        if bytes(outline.spawns).count(b"[") > len(bytes(outline.moves)):  # moves has 2 quotes
            raise InvalidRecord("expected one new tile for each move, got more")
        line = _DECODER.decode(data)
    record = _to_record(line)
    record.replay()
    return record


def _to_record(line: _Line) -> Record:
    if len(line.moves) > MAX_RECORD_MOVES:
        raise InvalidRecord(
            f"expected a number of moves up to {MAX_RECORD_MOVES}, got {len(line.moves)}"
        )
    if wrong := line.moves.strip(MOVE_LETTERS):
        raise InvalidRecord(f"expected moves written as u, r, d or l, got {shown(wrong[:1])}")
    values = msgspec.structs.asdict(line)
    del values["schema"]
    values["moves"] = tuple(map(MOVES_BY_LETTER.__getitem__, line.moves))
    values["spawns"] = {number: (cell, tile) for number, cell, tile in line.spawns}
    if len(values["spawns"]) < len(line.spawns):
        raise InvalidRecord("expected one new tile for each move, got two for one")
    with located("record"):
        for name in _AS_TEXT:
            if values[name] is not None:
                values[name] = _READERS[name](values[name])
        return Record(**values)


def write_records(path: str | os.PathLike[str], records: Iterable[Record]) -> None:
    """Write records to a file in one step; raises `InvalidInput` or `ResourceError`."""
    atomic_write(path, "".join(format_line(record) + "\n" for record in records))
