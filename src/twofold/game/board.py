"""`Board`, an immutable value: the tiles, and the moves they allow.

A move slides each row or column towards one side. `reference` says how a line slides, in plain
Python; here a line is a slice of the cells, and what becomes of it is remembered. The compiled
kernels have the same rules on 64 bits: see `Board.to_bits`.
"""

import operator
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, SupportsIndex

from twofold.errors import CellOccupied, IllegalMove, InvalidBoard
from twofold.game import drawing, notation, reference
from twofold.game.notation import shown
from twofold.game.rules import STANDARD, Move, Rules
from twofold.limits import BITS_MAX_EXPONENT, BITS_MAX_SIDE, MAX_EXPONENT

if TYPE_CHECKING:
    from numpy.typing import NDArray

Cells = tuple[int, ...]
"""Exponents, row by row."""

_LEGAL: Final = tuple(
    tuple(move for move in Move if legal >> move & 1) for legal in range(1 << len(Move))
)
"""Sets of moves, by their bits."""


class Slide(NamedTuple):
    """The deterministic part of a move: the afterstate, and the reward in points."""

    board: "Board"
    reward: int


class Spawn(NamedTuple):
    """A possible new tile: its cell number, its value and its probability."""

    cell: int
    tile: int
    probability: float


@cache
def _lines(shape: tuple[int, int], move: Move) -> tuple[slice, ...]:
    """The rows or columns as slices of the cells, from the side that the move slides towards."""
    found = []
    for line in reference.lines(*shape, move):
        step = line[1] - line[0] if len(line) > 1 else 1
        end = line[-1] + step
        found.append(slice(line[0], end if end >= 0 else None, step))
    return tuple(found)


@lru_cache(maxsize=1 << 15)
def _slid(line: Cells) -> tuple[Cells, int]:
    """`reference.slide_row`, cached: games meet the same few thousand lines."""
    slid, reward = reference.slide_row(line)
    return tuple(slid), reward


@lru_cache(maxsize=1 << 15)
def _changes(line: Cells) -> tuple[bool, bool]:
    """Whether a slide to its start changes a line, and a slide to its end."""
    back = line[::-1]
    return _slid(line)[0] != line, _slid(back)[0] != back


class Board:
    """Tiles on a grid, without score or history; immutable and hashable.

    Cells are numbered row by row from the top-left corner, rows and columns from 0.
    `np.asarray(board)` gives exponents, uint8[rows, cols]. Equal shape and tiles make equal boards.

        >>> board = Board.parse("1100/0000/0000/0002")
        >>> board.slide(Move.RIGHT)
        Slide(board=Board.parse('0002/0000/0000/0002'), reward=4)
        >>> board[0, 1]
        2
        >>> 4 in board
        True

    Args:
        exponents: log2 of each tile, row by row, 0 for an empty cell.
        shape: (rows, cols).

    Raises:
        InvalidBoard: a value is out of range, or exponents and shape do not match.
    """

    __slots__ = ("_exponents", "_legal", "_shape")

    def __init__(self, exponents: Iterable[SupportsIndex], shape: tuple[int, int] = (4, 4)) -> None:
        rows, cols = shape
        notation.check_shape(rows, cols)
        if isinstance(exponents, str):  # type: ignore[unreachable]
            raise InvalidBoard(
                f"expected exponents, got text: {shown(exponents)}; Board.parse reads it"
            )
        cells = tuple(exponents)
        if len(cells) != rows * cols:
            raise InvalidBoard(f"expected {rows * cols} cells for {rows}x{cols}, got {len(cells)}")
        self._shape = rows, cols
        self._exponents: Cells = tuple(map(_exponent, cells, range(len(cells))))
        self._legal: tuple[Move, ...] | None = None

    @classmethod
    def _unchecked(cls, exponents: Cells, shape: tuple[int, int]) -> Self:
        board = cls.__new__(cls)
        board._exponents, board._shape, board._legal = exponents, shape, None
        return board

    # ---- contents

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self._shape[0]

    @property
    def cols(self) -> int:
        """Number of columns."""
        return self._shape[1]

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, cols)."""
        return self._shape

    @property
    def exponents(self) -> tuple[int, ...]:
        """log2 of each tile, row by row; 0 for an empty cell."""
        return self._exponents

    @property
    def tiles(self) -> tuple[tuple[int, ...], ...]:
        """Tile values in rows; 0 for an empty cell."""
        values = [1 << exponent if exponent else 0 for exponent in self._exponents]
        cols = self.cols
        return tuple(tuple(values[start : start + cols]) for start in range(0, len(values), cols))

    @property
    def empty_cells(self) -> tuple[int, ...]:
        """Numbers of the empty cells, ascending."""
        return tuple([cell for cell, exponent in enumerate(self._exponents) if not exponent])

    @property
    def max_exponent(self) -> int:
        """log2 of the largest tile; 0 on an empty board."""
        return max(self._exponents)

    @property
    def max_tile(self) -> int:
        """The largest tile; 0 on an empty board."""
        return 1 << self.max_exponent if self.max_exponent else 0

    def __getitem__(self, place: tuple[int, int]) -> int:
        """The tile at (row, column), 0 for an empty cell; raises `IndexError` off the board."""
        try:
            row, col = place
            inside = 0 <= row < self.rows and 0 <= col < self.cols
        except (TypeError, ValueError):
            inside = False
        if not inside:
            raise IndexError(
                f"expected board[row, column] on {self.rows}x{self.cols}, got {shown(place)}"
            )
        exponent = self._exponents[row * self.cols + col]
        return 1 << exponent if exponent else 0

    def __iter__(self) -> Iterator[int]:
        return (1 << exponent if exponent else 0 for exponent in self._exponents)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Exponents for NumPy: uint8[rows, cols] unless another type is asked for."""
        import numpy as np

        if copy is False:
            raise ValueError("a board holds no array. Allow a copy: copy=None")
        return np.array(self._exponents, dtype or np.uint8).reshape(self.shape)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        return self._shape == other._shape and self._exponents == other._exponents

    def __hash__(self) -> int:
        return hash((self._shape, self._exponents))

    # ---- moves and spawns

    def legal_moves(self) -> tuple[Move, ...]:
        """The moves that change the board, in the order of `Move`; can raise `TileTooLarge`."""
        if self._legal is None:
            left = right = up = down = False
            for line in _lines(self._shape, Move.LEFT):
                to_start, to_end = _changes(self._exponents[line])
                left, right = left or to_start, right or to_end
            for line in _lines(self._shape, Move.UP):
                to_start, to_end = _changes(self._exponents[line])
                up, down = up or to_start, down or to_end
            self._legal = _LEGAL[up + 2 * right + 4 * down + 8 * left]
        return self._legal

    def is_legal(self, move: Move | str) -> bool:
        """Whether a move (`Move`, letter or word) changes the board.

        Raises `InvalidMove`, or `TileTooLarge` if a merge on this board makes an exponent past 35.
        """
        return Move.of(move) in self.legal_moves()

    @property
    def is_over(self) -> bool:
        """Whether no move is legal."""
        return not self.legal_moves()

    def slide(self, move: Move | str) -> Slide:
        """The afterstate and the reward of a legal move (`Move`, letter or word).

        Raises:
            IllegalMove: the move does not change the board.
            InvalidMove: this is not a move.
            TileTooLarge: a merge would make an exponent past 35.
        """
        move = Move.of(move)
        cells = list(self._exponents)
        reward = 0
        for line in _lines(self._shape, move):
            cells[line], points = _slid(self._exponents[line])
            reward += points
        after = self._unchecked(tuple(cells), self._shape)
        if after._exponents == self._exponents:
            legal = ", ".join(legal.name.lower() for legal in self.legal_moves()) or "none"
            raise IllegalMove(f"expected a legal move ({legal}), got {move.name.lower()} on {self}")
        return Slide(after, reward)

    def place(self, cell: int, tile: int) -> "Board":
        """The board with one more tile: `tile`, such as 2, on the empty cell number `cell`.

        Raises `CellOccupied` if the cell holds a tile, `InvalidBoard` without such a cell or tile.
        """
        number = notation.as_int(cell)
        if number is None or not 0 <= number < len(self._exponents):
            last = len(self._exponents) - 1
            raise InvalidBoard(f"expected a cell from 0 to {last}, got {shown(cell)}")
        exponent = notation.tile_exponent(tile, tile)
        if exponent == 0:
            raise InvalidBoard("expected a tile to place, got 0")
        if self._exponents[cell]:
            raise CellOccupied(
                f"expected an empty cell, got cell {cell} which holds {1 << self._exponents[cell]}"
            )
        cells = (*self._exponents[:cell], exponent, *self._exponents[cell + 1 :])
        return self._unchecked(cells, self._shape)

    def spawns(self, rules: Rules | str = STANDARD) -> tuple[Spawn, ...]:
        """All possible new tiles on this afterstate, by cell and then by tile."""
        rules, empty = Rules.of(rules), self.empty_cells
        return tuple(
            Spawn(cell, tile, probability / len(empty))
            for cell in empty
            for (tile, _), probability in zip(rules.spawn, rules.spawn_probabilities, strict=True)
        )

    # ---- symmetries

    def symmetries(self) -> tuple["Board", ...]:
        """This board and its distinct rotations and reflections: at most 8, or 4 if not square."""

        def listed(cells: Cells, move: Move) -> Cells:
            return tuple(chain.from_iterable(cells[line] for line in _lines(self._shape, move)))

        images = [self._exponents, listed(self._exponents, Move.RIGHT)]  # the second: mirrored
        images += [cells[::-1] for cells in images]
        if self.rows == self.cols:
            images += [listed(cells, Move.UP) for cells in images]  # transposed
        return tuple(self._unchecked(cells, self._shape) for cells in dict.fromkeys(images))

    def canonical(self) -> "Board":
        """The first of the `symmetries` in the order of their exponents, row by row."""
        return min(self.symmetries(), key=lambda board: board.exponents)

    # ---- text and other forms

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `"0012/0000/0000/0000"`, `"3x4:..."`, `"2 4 0 0 / ..."` or `"[[2, 4], [0, 2]]"`.

        The text of `drawn` is read, too, after a shape prefix for shapes other than 4x4.
        `twofold.game.notation` describes all forms. Raises `InvalidBoard`.
        """
        grid = notation.parse_board(text)
        return cls._unchecked(grid.exponents, (grid.rows, grid.cols))

    @classmethod
    def of(cls, board: "Board | str | NDArray[Any]") -> "Board":
        """The board itself, or that of a text or an array; raises `InvalidBoard`.

        `parse` and `from_array` describe texts and arrays.
        """
        if isinstance(board, Board):
            return board
        if isinstance(board, str) or not hasattr(board, "__array_interface__"):
            return cls.parse(board)  # type: ignore[arg-type]
        return cls.from_array(board)

    @classmethod
    def from_array(cls, array: "NDArray[Any]", shape: tuple[int, int] = (4, 4)) -> Self:
        """A board from an array of NumPy, such as an observation of `twofold.env`.

        Its type and dimensions say what it holds: uint8 (rows, cols) exponents, as
        `np.asarray(board)` gives; other whole numbers (rows, cols) tiles; whole numbers or bool
        (planes, rows, cols) a 1 in plane e where the exponent is e; uint64 (1,) the 64-bit form of
        a board of `shape`. Raises `InvalidBoard`.
        """
        kind, dimensions = array.dtype, array.ndim
        if dimensions == 3 and kind.kind in "bui":
            if array.min(initial=0) < 0 or (array.sum(axis=0) != 1).any():
                raise InvalidBoard("expected planes with a single 1 for each cell, got others")
            return cls(array.argmax(axis=0).reshape(-1).tolist(), array.shape[1:])
        if dimensions == 2 and kind == "uint8":
            return cls(array.reshape(-1).tolist(), array.shape)
        if dimensions == 2 and kind.kind in "ui":
            return cls.from_tiles(array.tolist())
        if array.shape == (1,) and kind == "uint64":
            return cls.from_bits(int(array[0]), shape)
        raise InvalidBoard(
            "expected an array of exponents (uint8), tiles, planes or 64 bits, "
            f"got {kind} of shape {array.shape}"
        )

    @classmethod
    def empty(cls, shape: tuple[int, int] = (4, 4)) -> Self:
        """A board without tiles; raises `InvalidBoard`."""
        try:
            rows, cols = map(operator.index, shape)
        except (TypeError, ValueError):
            raise InvalidBoard(
                f"expected rows and columns such as (4, 4), got {shown(shape)}"
            ) from None
        notation.check_shape(rows, cols)
        return cls((0,) * (rows * cols), (rows, cols))

    @classmethod
    def from_tiles(cls, tiles: Iterable[Iterable[SupportsIndex]]) -> Self:
        """A board from rows of tile values, such as `[[2, 4], [0, 2]]`; raises `InvalidBoard`."""
        try:
            rows = [tuple(row) for row in tiles]
        except TypeError:
            raise InvalidBoard(
                f"expected rows of tiles such as [[2, 4], [0, 2]], got {shown(tiles)}"
            ) from None
        cols = len(rows[0]) if rows else 0
        if any(len(row) != cols for row in rows):
            raise InvalidBoard(f"expected rows of equal length, got {shown(tiles)}")
        exponents = [notation.tile_exponent(tile, tile) for row in rows for tile in row]
        return cls(exponents, (len(rows), cols))

    @classmethod
    def random(
        cls,
        shape: tuple[int, int] = (4, 4),
        *,
        seed: int | None = None,
        tiles: int | None = None,
        max_tile: int = 2048,
    ) -> Self:
        """A board of random tiles, for tests and exercises; games rarely reach such boards.

        The same `seed` gives the same board. None for `tiles` draws a number from 1 to all cells;
        tiles from 2 to `max_tile` are equally likely. Raises `InvalidBoard` or `InvalidSeed`.
        """
        shape = cls.empty(shape).shape
        cells = shape[0] * shape[1]
        top = notation.tile_exponent(max_tile, max_tile)
        count = 0 if tiles is None else notation.as_int(tiles)
        if top == 0 or count is None or not 0 <= count <= cells:
            raise InvalidBoard(
                f"expected 0 to {cells} tiles up to 2 or more, got {shown(tiles)} up to {max_tile}"
            )
        from random import Random  # here, as it takes milliseconds to load

        random = Random(None if seed is None else notation.check_seed(seed))
        count = random.randint(1, cells) if tiles is None else count
        exponents = [random.randint(1, top) for _ in range(count)] + [0] * (cells - count)
        random.shuffle(exponents)
        return cls(exponents, shape)

    @classmethod
    def from_bits(cls, bits: int, shape: tuple[int, int] = (4, 4)) -> Self:
        """A board from its 64-bit form: one nibble per cell, the top-left cell in the highest.

        Fewer than 4 rows or columns fill the top-left of the 4x4 frame. Raises `InvalidBoard`.
        """
        rows, cols = _frame(shape)
        nibbles = [(bits >> (60 - 4 * cell)) & 15 for cell in range(16)]
        board = cls([nibbles[4 * r + c] for r in range(rows) for c in range(cols)], shape)
        if board.to_bits() != bits:
            got = shown(hex(bits))
            raise InvalidBoard(f"expected the 64-bit form of a {rows}x{cols} board, got {got}")
        return board

    def to_bits(self) -> int:
        """The 64-bit form (see `from_bits`); raises `InvalidBoard` past 4x4 or tile 32768."""
        rows, cols = _frame(self.shape)
        if self.max_exponent > BITS_MAX_EXPONENT:
            raise InvalidBoard(
                f"expected tiles up to {1 << BITS_MAX_EXPONENT} in 64 bits, got {self.max_tile}"
            )
        digits = bytes(self._exponents).hex()[1::2]  # the low half of each byte
        if cols < BITS_MAX_SIDE:
            digits = "".join(
                digits[start : start + cols].ljust(BITS_MAX_SIDE, "0")
                for start in range(0, rows * cols, cols)
            )
        return int(digits.ljust(BITS_MAX_SIDE**2, "0"), 16)

    def __str__(self) -> str:
        return notation.format_board(*self._shape, self._exponents)

    def __repr__(self) -> str:
        return f"Board.parse({str(self)!r})"

    def drawn(self) -> str:
        """The tiles in aligned columns, with a dot for each empty cell."""
        width = max(len(str(self.max_tile)), 1)
        return "\n".join(" ".join(f"{tile or '.':>{width}}" for tile in row) for row in self.tiles)

    def _repr_svg_(self) -> str:
        return drawing.draw_board(*self._shape, self._exponents)


def _exponent(given: SupportsIndex, cell: int) -> int:
    exponent = notation.as_int(given)
    if exponent is None or not 0 <= exponent <= MAX_EXPONENT:
        found = shown(given if exponent is None else exponent)
        raise InvalidBoard(
            f"expected exponents from 0 to {MAX_EXPONENT}, got {found} at cell {cell + 1}"
        )
    return exponent


def _frame(shape: tuple[int, int]) -> tuple[int, int]:
    notation.check_shape(*shape)
    if max(shape) > BITS_MAX_SIDE:
        raise InvalidBoard(
            f"expected at most {BITS_MAX_SIDE} rows and columns in 64 bits, "
            f"got {shape[0]}x{shape[1]}"
        )
    return shape


EMPTY: Final = Board.empty()
"""The empty 4x4 board."""
