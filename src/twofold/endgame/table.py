"""Endgame tables in files, and sets of them that answer for a board.

Example::

    tables = EndgameTables([EndgameTable.open("442-512.twofold-table")])
    tables.move(board)          # Move.LEFT, or None where no table speaks
    tables.answer(board)        # TableAnswer(table="442-512", target=512, chances={...}, ...)
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from twofold.board import Board
from twofold.endgame.cells import Cells, above_word
from twofold.endgame.format import TableHead, damage, opened
from twofold.endgame.halves import Halves
from twofold.endgame.pattern import EndgamePattern, PatternKind, suits
from twofold.endgame.scale import chances_of, top_level
from twofold.endgame.turns import TURNS, before_turn, nibbles_mask, turn_word, turned_cell
from twofold.errors import InvalidTable
from twofold.kernels.endgame import lookup
from twofold.kernels.endgame import words as at
from twofold.kernels.rules.row_tables import row_table
from twofold.limits import BITS_MAX_EXPONENT, MAX_ENDGAME_TABLES, check_limit
from twofold.memory import check_memory
from twofold.rules import Move, Rules
from twofold.tensors import TensorFile

Words = NDArray[np.uint64]

_CARRY: Final = 16

_CODE_BYTES: Final = 32
"""Memory for a content of the upper free cells, while a table is opened."""


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """What a table says of a board.

    Attributes:
        table: its name.
        hash: its identity, 16 hexadecimal digits.
        target: the tile whose chance it tells, such as 512.
        chances: the chance of the target after each move that the table knows.
        best: the move of the largest chance, the first of equals.
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
    """A table whose levels are mapped, so that processes share its memory.

    Args:
        head: what the file says of itself.
        levels: of all boards.
        path: the file; empty for none.

    Attributes:
        head: see above.
        levels: see above.
        path: see above.

    Raises:
        InvalidTable: the levels are not those of the pattern.
        ResourceError: there is no memory for the numbering of the boards.
    """

    def __init__(self, head: TableHead, levels: NDArray[Any], path: str = "") -> None:
        kind = np.dtype(np.uint8 if head.bits == 8 else np.uint16)
        if (levels.shape, levels.dtype) != ((head.states,), kind):
            raise InvalidTable(
                f"expected {head.states} levels of {kind}, got {levels.dtype} of {levels.shape}"
            )
        self.head, self.levels, self.path = head, levels, path
        check_memory(_CODE_BYTES * head.pattern.codes, f"opening {head.pattern.name}")
        self._kept: list[NDArray[Any]] = []
        self.words = self._all_words()

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Map a file; everything but the chances themselves is checked, see `check`.

        If another program shortens the file while it is open, this process is killed. Files of
        tables are therefore read-only.

        Raises:
            InvalidTable: there is no such file, or it is no endgame table, or torn.
        """
        with opened(path) as (file, head):
            return cls(head, TensorFile.view(file, "levels"), os.fspath(path))

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
        """16 hexadecimal digits that stand for the content."""
        return self.head.hash

    def __len__(self) -> int:
        """Number of boards."""
        return len(self.levels)

    def check(self) -> None:
        """Compare all chances with their checksums: this reads the whole file.

        Raises:
            InvalidTable: they differ; names the file.
        """
        if found := damage(self.head, self.levels):
            raise InvalidTable(
                f"expected the table as it was written, got {found} in {self.path!a}"
            )

    def silence(self, board: Board) -> str:
        """Why the table says nothing of a board; an empty text if it speaks of it."""
        if not _can_hold(board):
            return "expected a 4x4 board of tiles up to 32768"
        pattern, cells = self.pattern, board.exponents
        target = 1 << pattern.target
        large = [one for one in cells if one >= pattern.target]
        if len(large) != pattern.large_tiles:
            return f"expected {pattern.large_tiles} tiles from {target} on, got {len(large)}"
        if len(set(large)) < len(large):
            return f"expected tiles from {target} on that all differ"
        if lookup.symmetry(np.uint64(board.to_bits()), self.words) < 0:
            return f"expected the tiles from {target} on in the cells of {pattern.shape}"
        total = sum(1 << one for one in cells if 0 < one < pattern.target)
        if not pattern.lowest <= total // 2 <= pattern.highest:
            return (
                f"expected {2 * pattern.lowest} to {2 * pattern.highest} in the other tiles, "
                f"got {total}"
            )
        if EndgameTables([self]).move(board) is not None:
            return ""
        return self._beyond_caps(board) or f"no move has a chance to make {target}"

    def _beyond_caps(self, board: Board) -> str:
        """Which cap a board exceeds, or leaves no move; an empty text for none.

        A board in the cells of the pattern.
        """
        if self.pattern.kind is not PatternKind.DENSE:
            return ""
        for row, cap, largest in self._rows(board):
            if largest > cap:
                return (
                    f"expected at most {1 << cap}, the cap, in the {row} row of the pattern, "
                    f"got {1 << largest}"
                )
        for move in board.legal_moves():
            for row, cap, largest in self._rows(board.slide(move).board):
                if largest > cap:
                    return (
                        f"no move has a chance to make {1 << self.pattern.target} with the cap "
                        f"{1 << cap} in the {row} row of the pattern"
                    )
        return ""

    def _rows(self, board: Board) -> list[tuple[str, int, int]]:
        """The rows with caps: name, cap and largest exponent; none if large tiles lie elsewhere."""
        cells = board.exponents
        for turn in TURNS:
            frame = [0] * 16
            for cell, exponent in enumerate(cells):
                frame[turned_cell(cell, turn)] = exponent
            large = tuple(at for at, one in enumerate(frame) if one >= self.pattern.target)
            if large == self.pattern.large_cells:
                low, high, _ = self.pattern.caps
                return [("fourth", low, max(frame[12:])), ("third", high, max(frame[8:12]))]
        return []

    # ---- what kernels read

    def _all_words(self) -> Words:
        words = np.zeros(at.TABLE_WORDS, dtype=np.uint64)
        self._fill_levels(words)
        if self.pattern.kind is PatternKind.CELLS:
            words[at.TURNS : at.TURNS + len(TURNS)] = [turn_word(turn) for turn in TURNS]
            self._kept += Cells(self.pattern).fill(words)
        else:
            self._fill_board(words)
            self._fill_dense(words, Halves(self.pattern))
        return words

    def _fill_levels(self, words: Words) -> None:
        """The words of the sums and chances."""
        words[at.LOWEST] = self.pattern.lowest
        words[at.HIGHEST] = self.pattern.highest
        words[at.BITS] = self.head.bits
        words[at.TOP] = top_level(self.head.bits)
        words[at.LEVELS] = self._address(self.levels)
        words[at.CHANCES] = self._address(chances_of(self.head.bits))

    def _fill_board(self, words: Words) -> None:
        """The words that say of which boards a dense table speaks."""
        pattern = self.pattern
        words[at.KIND] = at.DENSE
        words[at.ABOVE] = above_word(pattern.target)
        words[at.LARGE] = pattern.large_tiles
        words[at.KEEP] = 15 * nibbles_mask(pattern.large_cells)
        words[at.ACROSS] = self._address(row_table(4))
        caps = caps_by_cell(pattern)
        wins = [pattern.target if cap else 0 for cap in caps]
        words[at.WINS : at.WINS + 2] = _carrying(wins)
        words[at.OVER : at.OVER + 2] = _carrying([cap + 1 if cap else 0 for cap in caps])
        for number, (mask, turn) in enumerate(_symmetries(pattern)):
            words[at.MASKS + number] = mask
            words[at.TURNS + number] = turn

    def _fill_dense(self, words: Words, halves: Halves) -> None:
        """The words that say where a board's level is."""
        low, high = halves.low, halves.high
        weights = np.zeros((2, 16), dtype=np.int64)
        weights[0, 12:] = low.weights[:4]
        weights[1, 8:12] = high.weights[:4]
        weights[1, 8 - self.pattern.extra : 8] = high.weights[4 : 4 + self.pattern.extra]
        layers = range(self.pattern.highest + 1)
        firsts = np.stack([halves.offsets(layer) for layer in layers]).astype(np.int64)
        firsts[1:] += np.cumsum(firsts[:-1, -1])[:, None]
        counts = np.zeros(self.pattern.highest + 1, dtype=np.int64)
        known = high.counts[: len(counts)]
        counts[: len(known)] = known
        words[at.LOW_SUMS] = self._address(low.sums.astype(np.int32))
        words[at.LOW_RANKS] = self._address(low.ranks)
        words[at.HIGH_RANKS] = self._address(high.ranks)
        words[at.LOW_WEIGHTS] = self._address(weights[0])
        words[at.HIGH_WEIGHTS] = self._address(weights[1])
        words[at.COUNTS] = self._address(counts)
        words[at.FIRSTS] = self._address(np.ascontiguousarray(firsts))
        words[at.COLUMNS] = firsts.shape[1]

    def _address(self, array: NDArray[Any]) -> int:
        """The address of an array, which is kept."""
        self._kept.append(array)
        return array.ctypes.data


def caps_by_cell(pattern: EndgamePattern) -> list[int]:
    """The largest exponent of each cell of the frame; 0 for those of large tiles."""
    low, high, top = pattern.caps
    rows = [top] * 8 + [high] * 4 + [low] * 4
    return [0 if cell in pattern.large_cells else cap for cell, cap in enumerate(rows)]


def _carrying(least: Sequence[int]) -> list[int]:
    """What added to the even and to the odd nibbles passes 15 from an exponent on; 0 for never."""
    words = [0, 0]
    for cell, exponent in enumerate(least):
        place = 15 - cell  # from the lowest nibble
        words[place % 2] |= (_CARRY - exponent if exponent else 0) << (8 * (place // 2))
    return words


def _symmetries(pattern: EndgamePattern) -> list[tuple[int, int]]:
    """Where the large tiles are in each symmetry, without repetition, and how it is undone."""
    found: dict[int, int] = {}
    for turn in TURNS:
        cells = before_turn(pattern.large_cells, turn)
        found.setdefault(nibbles_mask(cells), turn_word(turn))
    return list(found.items())


class EndgameTables:
    """Tables that answer for a board in a fixed order.

    More large tiles come first, then the larger target, then the larger caps: the order in which
    they are given does not count.

    Args:
        tables: the tables; none is answered by if there are none.

    Attributes:
        tables: in the order in which they are asked.
        words: what kernels read; the arrays behind its addresses live as long as this object.

    Raises:
        LimitExceeded: there are too many.
        InvalidTable: two have the same name.
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
        """The identities of the tables, 16 hexadecimal digits each."""
        return tuple(table.hash for table in self.tables)

    @staticmethod
    def suits(rules: Rules) -> bool:
        """Whether the chances hold under some rules: 4x4 with the usual spawns."""
        return suits(rules)

    def silences(self, board: Board) -> dict[str, str]:
        """Why each table says nothing of a board, by name; empty texts for those that do."""
        return {table.name: table.silence(board) for table in self.tables}

    def move(self, board: Board) -> Move | None:
        """The move of the first table that knows one with a chance above 0."""
        if not _can_hold(board):
            return None
        moves = np.empty(1, dtype=np.int8)
        lookup.look_up(np.array([board.to_bits()], dtype=np.uint64), moves, self.words)
        return Move(int(moves[0])) if moves[0] >= 0 else None

    def answer(self, board: Board) -> TableAnswer | None:
        """What the table says whose move `move` gives."""
        if not _can_hold(board):
            return None
        found = np.empty(4)
        number = lookup.look_up_chances(np.uint64(board.to_bits()), found, self.words)
        if number < 0:
            return None
        table = self.tables[number]
        chances = {move: float(found[move]) for move in Move if not np.isnan(found[move])}
        best = max(chances, key=lambda move: chances[move])
        return TableAnswer(table.name, table.hash, 1 << table.pattern.target, chances, best)


def _can_hold(board: Board) -> bool:
    """Whether a board has the form that tables are for."""
    return board.shape == (4, 4) and board.max_exponent <= BITS_MAX_EXPONENT
