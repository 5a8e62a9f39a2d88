"""Endgame tables in files, found by name, and sets of tables that answer for a board.

Example::

    tables = EndgameTables([EndgameTable.open("442-512.twofold-table")])
    tables.move(board)          # Move.LEFT, or None if no table covers the board
    tables.answer(board)        # TableAnswer(table="442-512", target=512, chances={...}, ...)
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidTable, UnsupportedRules
from twofold.game.board import Board
from twofold.game.notation import shown
from twofold.game.rules import Move, Rules
from twofold.kernels import table_lookup as at
from twofold.kernels.bits import row_table
from twofold.limits import BITS_MAX_EXPONENT, MAX_ENDGAME_TABLES, check_limit
from twofold.storage.arrays import TensorFile
from twofold.storage.files import kept_by_file
from twofold.storage.memory import check_memory
from twofold.tables.folder import AUTO, NONE, SETS, SUFFIX, files_in, is_path
from twofold.tables.folder import tables_folder as tables_folder  # for callers of this module
from twofold.tables.format import (
    TableHead,
    damage,
    least_level,
    level_chances,
    opened,
    read_head,
    way_out,
)
from twofold.tables.layers import (
    TURNS,
    Halves,
    carrying,
    fill_walls,
    nibbles_mask,
    turned_cell,
    turned_move,
)
from twofold.tables.pattern import EndgamePattern, suits

Words = NDArray[np.uint64]

_CODE_BYTES: Final = 32
"""Bytes of memory per content of the upper free cells, while a table is opened."""


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """The answer of a table for a board: the chance of its target after each move it covers.

    `target` is a tile, such as 512; `best` is the first move of the largest chance.
    """

    table: str
    hash: str
    target: int
    chances: dict[Move, float]
    best: Move

    @property
    def chance(self) -> float:
        """The chance of the target after the best move."""
        return self.chances[self.best]


class EndgameTable:
    """A table whose levels are memory-mapped, so that processes share its memory.

    Levels and marks are those of the head; `open` checks that. Raises `ResourceError` if memory is
    short.
    """

    def __init__(
        self, head: TableHead, levels: NDArray[Any], path: str = "", marks: Words | None = None
    ) -> None:
        self.head, self.levels, self.marks, self.path = head, levels, marks, path
        check_memory(_CODE_BYTES * head.pattern.codes, f"opening {head.pattern.name}")
        self._kept: list[NDArray[Any]] = []
        self.words = self._all_words()

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Map a file and check everything but the chances; raises `InvalidTable`.

        If another program shortens the file while it is open, the system kills this process. Files
        of tables are therefore read-only.
        """
        with opened(path) as (file, head):
            marks = None if head.pattern.walls is None else TensorFile.view(file, "marks")
            return cls(head, TensorFile.view(file, "levels"), os.fspath(path), marks)

    @property
    def pattern(self) -> EndgamePattern:
        """The pattern."""
        return self.head.pattern

    @property
    def name(self) -> str:
        """The name of the pattern, such as `442-512`."""
        return self.pattern.name

    @property
    def hash(self) -> str:
        """Hash of the content, 16 hexadecimal digits."""
        return self.head.hash

    def __len__(self) -> int:
        return self.head.states

    def check(self) -> None:
        """Compare all chances with their checksums; reads the whole file, raises `InvalidTable`."""
        if found := damage(self.head, self.levels, self.marks):
            raise InvalidTable(f"damaged table: {found} in {self.path!a}{way_out(self.path)}")

    def silence(self, board: Board) -> str:
        """Why the table has no answer for a board; an empty text if it has one."""
        if not _can_hold(board):
            return "expected a 4x4 board of tiles up to 32768"
        pattern, cells = self.pattern, board.exponents
        target = 1 << pattern.target
        if pattern.walls is not None:
            if EndgameTables([self]).move(board) is not None:
                return ""
            return f"expected walls as in {pattern.shape}, and a move with a chance beside them"
        large = [one for one in cells if one >= pattern.target]
        if len(large) != pattern.large_tiles:
            return f"expected {pattern.large_tiles} tiles from {target} on, got {len(large)}"
        if len(set(large)) < len(large):
            return f"expected tiles from {target} on that all differ"
        if not self._in_frame(board):
            return f"expected the tiles from {target} on in the cells of {pattern.shape}"
        total = sum(1 << one for one in cells if 0 < one < pattern.target)
        if not pattern.lowest <= total // 2 <= pattern.highest:
            return (
                f"expected {2 * pattern.lowest} to {2 * pattern.highest} in the other tiles, "
                f"got {total}"
            )
        if EndgameTables([self]).move(board) is not None:
            return ""
        return self._beyond_caps(board) or f"{NO_CHANCE} to make {target}"

    def _beyond_caps(self, board: Board) -> str:
        """The reason if caps exclude a board in the cells of the pattern, or an empty text."""
        low, high, _ = self.pattern.caps
        afters = [board.slide(move).board for move in board.legal_moves()]
        for one in (board, *afters):
            frame = self._in_frame(one)
            for row, cap, cells in (("fourth", low, frame[12:]), ("third", high, frame[8:12])):
                if max(cells, default=0) > cap:
                    place = f"the {row} row of the pattern"
                    if one is board:
                        got = 1 << max(cells)
                        return f"expected at most {1 << cap}, the cap, in {place}, got {got}"
                    target = 1 << self.pattern.target
                    return f"{NO_CHANCE} to make {target} with the cap {1 << cap} in {place}"
        return ""

    def _in_frame(self, board: Board) -> list[int]:
        """The exponents in the frame of the pattern; none if no symmetry fits."""
        for turn in TURNS:
            frame = [0] * 16
            for cell, exponent in enumerate(board.exponents):
                frame[turned_cell(cell, turn)] = exponent
            large = tuple(at for at, one in enumerate(frame) if one >= self.pattern.target)
            if large == self.pattern.large_cells:
                return frame
        return []

    # ---- the words that kernels read

    def _all_words(self) -> Words:
        pattern, words = self.pattern, np.zeros(at.TABLE_WORDS, dtype=np.uint64)
        words[at.LOWEST], words[at.HIGHEST] = pattern.lowest, pattern.highest
        words[at.LEAST] = least_level(pattern.least_chance)
        words[at.LEVELS] = self._address(self.levels)
        words[at.CHANCES] = self._address(level_chances())
        words[at.KIND] = at.DENSE
        words[at.ABOVE] = (16 - pattern.target) * 0x0101010101010101
        words[at.LARGE] = pattern.large_tiles
        words[at.KEEP] = 15 * nibbles_mask(pattern.large_cells)
        words[at.ACROSS] = self._address(row_table(4))
        caps = pattern.caps_by_cell
        words[at.WINS : at.WINS + 2] = carrying(dict.fromkeys(caps, pattern.target))
        words[at.OVER : at.OVER + 2] = carrying({cell: cap + 1 for cell, cap in caps.items()})
        for number, (mask, turn) in enumerate(_symmetries(pattern)):
            words[at.MASKS + number] = mask
            words[at.TURNS + number] = turn
        self._kept += Halves(pattern).fill(words)
        if pattern.walls is not None:
            self._kept += fill_walls(pattern, words)
        if self.marks is not None:
            words[at.MARKS], words[at.STORED] = self._address(self.marks), len(self.levels)
        return words

    def _address(self, array: NDArray[Any]) -> int:
        self._kept.append(array)
        return array.ctypes.data


def _symmetries(pattern: EndgamePattern) -> list[tuple[int, int]]:
    """The words `MASKS` and `TURNS`, see `kernels.table_lookup`."""
    found: dict[int, int] = {}
    for turn in TURNS:
        cells = [cell for cell in range(16) if turned_cell(cell, turn) in pattern.large_cells]
        word = turn | sum(turned_move(move, turn) << (8 + 2 * move) for move in Move)
        found.setdefault(nibbles_mask(cells), word)
    return list(found.items())


class EndgameTables:
    """Tables that answer for a board, in the order of `EndgamePattern.rank`.

    `words` are read by kernels; the arrays at its addresses live as long as this object. Raises
    `LimitExceeded` for too many tables and `InvalidTable` for two of the same name.
    """

    def __init__(self, tables: Sequence[EndgameTable]) -> None:
        check_limit("endgame tables", len(tables), 0, MAX_ENDGAME_TABLES)
        self.tables = tuple(sorted(tables, key=lambda table: table.pattern.rank))
        twice = [
            one for one, other in zip(self.names, self.names[1:], strict=False) if one == other
        ]
        if twice:
            raise InvalidTable(f"expected each table once, got {twice[0]} twice")
        words = [np.array([len(tables)], dtype=np.uint64), *(one.words for one in self.tables)]
        self.words: Words = np.concatenate(words)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tables."""
        return tuple(table.name for table in self.tables)

    @property
    def hashes(self) -> tuple[str, ...]:
        """The hashes of the tables, 16 hexadecimal digits each."""
        return tuple(table.hash for table in self.tables)

    def with_walls(self, walls: bool) -> "EndgameTables | None":
        """The tables with walls of any tiles, or the others; None if there are none."""
        chosen = [one for one in self.tables if (one.pattern.walls is not None) == walls]
        return EndgameTables(chosen) if chosen else None

    @staticmethod
    def suits(rules: Rules) -> bool:
        """True if tables cover these rules: 4x4 with the standard spawns."""
        return suits(rules)

    def silences(self, board: Board) -> dict[str, str]:
        """Why each table has no answer for a board, by name; an empty text if it has one."""
        return {table.name: table.silence(board) for table in self.tables}

    def move(self, board: Board) -> Move | None:
        """The best move of the first table that has one with a chance above 0."""
        if not _can_hold(board):
            return None
        moves = np.empty(1, dtype=np.int8)
        at.look_up(np.array([board.to_bits()], dtype=np.uint64), moves, self.words)
        return Move(int(moves[0])) if moves[0] >= 0 else None

    def answer(self, board: Board) -> TableAnswer | None:
        """The answer of the table that `move` uses."""
        if not _can_hold(board):
            return None
        found = np.empty(4)
        number = at.look_up_chances(np.uint64(board.to_bits()), found, self.words)
        if number < 0:
            return None
        table = self.tables[number]
        chances = {move: float(found[move]) for move in Move if not np.isnan(found[move])}
        best = max(chances, key=lambda move: chances[move])
        return TableAnswer(table.name, table.hash, 1 << table.pattern.target, chances, best)


NO_CHANCE: Final = "no move has a chance"
"""Begins the silence of a table that knows the board: its tile is out of reach."""


def _can_hold(board: Board) -> bool:
    return board.shape == (4, 4) and board.max_exponent <= BITS_MAX_EXPONENT


LEAST_TARGET: Final = 8
"""Exponent of the smallest target of the tables that `auto` uses.

Smaller targets make players weaker: the table makes its tile and leaves a worse board than the
search would. `ntuple:ply=1` from 300 boards of `benchmarks/boards/14000.txt` makes 155,934 points
without tables, 152,300 with `442-256` and 124,323 with `442-64`.
"""

JOINT: Final = "+"
"""Separator between the names of tables."""


def file_name(pattern: EndgamePattern) -> str:
    """The name of a pattern's file: `442-512.twofold-table`, `443-512_32-64.twofold-table`."""
    return pattern.name.replace("/", "_") + SUFFIX


def path_of(pattern: EndgamePattern, folder: Path) -> Path:
    """The path of a pattern's file in a folder, whether or not it exists."""
    return folder / file_name(pattern)


def find(name: str) -> Path:
    """The file of a table, by the name of a built pattern such as `442-512`, or by its path.

    Raises `InvalidTable` if it is neither, or the table is not built.
    """
    if is_path(name):
        return Path(name)
    try:
        pattern = EndgamePattern.parse(name)
    except InvalidTable as error:
        raise InvalidTable(f"{error}. The name of a file ends in {SUFFIX}") from None
    path = path_of(pattern, tables_folder())
    if not path.is_file():
        known = ", ".join(head.pattern.name for _, head in built()) or "none"
        raise InvalidTable(
            f"the table {shown(name)} is not built (built: {known}). "
            f"Build it with: twofold tables build {pattern.name}"
        )
    return path


def place_of(name: str, folder: Path | None = None) -> Path:
    """The path of a table in a folder (None: `tables_folder`), even if it is not built yet."""
    if is_path(name):
        return Path(name)
    return path_of(EndgamePattern.parse(name), folder or tables_folder())


head_of: Final = kept_by_file(256, InvalidTable)(read_head)
"""The header of a table's file, cached until the file changes; raises `InvalidTable`."""


def built(folder: Path | None = None) -> list[tuple[Path, TableHead]]:
    """The tables in a folder (None: `tables_folder`) with valid headers, in order of precedence."""
    found = [(path, head) for path, head in _checked(folder) if isinstance(head, TableHead)]
    return sorted(found, key=lambda each: each[1].pattern.rank)


def strong(walls: bool = False) -> list[tuple[Path, TableHead]]:
    """The tables that `auto` uses: those in `tables_folder` that make players stronger.

    Tables with `walls` of any tiles suit only a search for order from one corner.
    """
    return [(path, head) for path, head in built() if is_strong(head.pattern, walls)]


def is_strong(pattern: EndgamePattern, walls: bool = False) -> bool:
    """True for the tables that `auto` uses, also if the player has a use for `walls`."""
    if pattern.walls is not None:  # whose goal is half of the last merge
        return walls and pattern.target >= LEAST_TARGET - 1
    return pattern.target >= LEAST_TARGET


def unsound(folder: Path | None = None) -> list[tuple[Path, str]]:
    """The files in a folder that are named like tables but are not usable, with the reasons."""
    return [(path, reason) for path, reason in _checked(folder) if isinstance(reason, str)]


def _checked(folder: Path | None) -> Iterator[tuple[Path, TableHead | str]]:
    """The files in a folder that are named like tables: their headers, or why they are unusable."""
    for path in files_in(folder or tables_folder()):
        try:
            head = head_of(path)
        except InvalidTable as error:
            yield path, str(error)
        else:
            right = path == path_of(head.pattern, path.parent)
            yield path, head if right else f"expected the name {file_name(head.pattern)}"


def open_table(name: str) -> EndgameTable:
    """The table of a name or in a file, memory-mapped once and shared; raises `InvalidTable`."""
    return _open(find(name))


@kept_by_file(MAX_ENDGAME_TABLES, InvalidTable)
def _open(path: Path) -> EndgameTable:
    return EndgameTable.open(path)


def open_tables(names: str | Iterable[str]) -> EndgameTables:
    """A set of tables: names or paths with `+` between them, or `auto` for `strong`, `none`.

    `default` and `large` among the names mean those `SETS`.
    """
    parts = split(names) if isinstance(names, str) else list(names)
    check_limit("endgame tables", len(parts), 0, MAX_ENDGAME_TABLES)
    return EndgameTables([open_table(name) for name in parts])


def split(names: str) -> list[str]:
    """The names in a text with `+` between them; resolves `auto`, `none` and sets.

    Raises `InvalidTable` for a set that is not built, and for a text of another form.
    """
    if names == NONE:
        return []
    if names == AUTO:
        return [str(path) for path, _ in strong()]
    if JOINT in names and is_path(names) and Path(names).is_file():
        raise InvalidTable(
            f"expected a path without {JOINT}, which joins the names of tables, got "
            f"{shown(names)}. Give the file or its folder another name"
        )
    parts = names.split(JOINT)
    if not all(parts):
        raise InvalidTable(
            f"expected tables such as 442-512+443-512, {AUTO} or {NONE}, got {shown(names)}"
        )
    return [name for part in parts for name in _named_by(part)]


def _named_by(part: str) -> tuple[str, ...]:
    """The names that a name stands for: those of a set, which must be built, or itself."""
    if part not in SETS:
        return (part,)
    here = {head.pattern.name for _, head in built()}
    missing = [name for name in SETS[part] if name not in here]
    if missing:
        raise InvalidTable(
            f"of the {len(SETS[part])} tables of {shown(part)} {len(missing)} are not built "
            f"({', '.join(missing)}). Build them with: twofold tables build {part}"
        )
    return SETS[part]


def find_tables(text: str) -> EndgameTables | None:
    """The tables of a spec, memory-mapped once and shared; None for no table.

    `text` is `none`, `auto`, or names and paths, such as `442-512+443-512`; see `split`.
    """
    named = settled_tables(text)
    return None if named == NONE else open_tables(named)


def settled_tables(text: str, rules: Rules | None = None, *, walls: bool = False) -> str:
    """The text with `auto` and `default` resolved, and names and paths in order of precedence.

    `auto` means also the tables with `walls` of any tiles if the player has a use for them.
    Under rules that tables do not cover, `auto` becomes `none` and names raise `UnsupportedRules`.
    """
    fits = rules is None or suits(rules)
    if text == NONE or (text == AUTO and not fits):
        return NONE
    if text == AUTO:
        return JOINT.join(head.pattern.name for _, head in strong(walls)) or NONE
    if not fits:
        raise UnsupportedRules(
            "expected boards of 4x4 and spawns of 2 (0.9) and 4 (0.1) "
            f"for tables={text}, got rules {rules}"
        )
    texts = {
        open_table(one).path: one if is_path(one) else EndgamePattern.parse(one).name
        for one in split(text)
    }
    return JOINT.join(texts[table.path] for table in open_tables(text).tables)


def hash_of(tables: EndgameTables | None) -> str:
    """Hash of the content of tables, in order, 16 hexadecimal digits; empty for no table."""
    if tables is None:
        return ""
    return hashlib.sha256("\n".join(tables.hashes).encode()).hexdigest()[:16]
