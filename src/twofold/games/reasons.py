"""Why a move is good or bad, in one sentence: what the boards show right after it.

A move is compared with the best one, and the best one with the others, by the facts that players
look at: the largest tile in its corner, the order of its row, the empty cells, the pairs.

    >>> from twofold import Board, Move, Rules
    >>> board = Board.parse("0000/0000/1001/89ab")
    >>> ratios = {Move.UP: 0.7, Move.LEFT: 1.0, Move.RIGHT: 0.995}
    >>> for move in ratios:
    ...     print(move.name, reason_of(board, Rules(), move, Move.LEFT, ratios))
    UP It takes the 2048 out of its corner.
    LEFT It keeps the 2048 in its corner.
    RIGHT It is about as good as the best move.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from twofold.game.board import Board
from twofold.game.rules import Move, Rules

Kind = Literal[
    "ends", "corner", "to_corner", "forced", "empty", "pair", "merge", "row", "open", "lines",
    "pairs", "only", "close", "later",
]  # fmt: skip
Line = Literal["", "top", "bottom", "left", "right"]

CLOSE: Final = 0.99
"""Ratio from which a move is about as good as the best one."""

FEW: Final = 2
"""So few empty cells are the last ones."""

_RISK: Final = 0.05
_NOTABLE: Final = 2
_NOTABLE_TILE: Final = 4
"""No merge to less than 16 is worth a word."""

_NEAR: Final = 2
"""Tiles of up to this many exponents below the largest one are large."""

SENTENCES: Final[dict[Kind, tuple[str, str]]] = {
    "ends": ("The next tile may end the game", "With {move}, the next tile may end the game"),
    "corner": ("It takes the {tile} out of its corner", "It keeps the {tile} in its corner"),
    "to_corner": ("It leaves the {tile} outside the corners", "It brings the {tile} to a corner"),
    "forced": (
        "The next move may have to be {move}, which takes the {tile} out of its corner",
        "It leaves a next move that keeps the {tile} in its corner",
    ),
    "empty": (
        "It leaves {count} empty cells; the best move leaves {other}",
        "It leaves {count} empty cells, against {other} with {move}",
    ),
    "pair": ("It separates the two {tile}s", "It keeps the two {tile}s together"),
    "merge": ("It does not make the {tile}", "It makes a {tile}"),
    "row": ("It breaks the order of the {line}", "It keeps the {line} in order"),
    "open": (
        "It leaves a gap in the {line}, so that the {tile} can slide away",
        "It keeps the {line} full, so that the {tile} stays in its corner",
    ),
    "lines": (
        "It leaves {count} rows and columns in order; the best move leaves {other}",
        "It leaves {count} rows and columns in order, against {other} with {move}",
    ),
    "pairs": (
        "It leaves {count} pairs that can merge; the best move leaves {other}",
        "It leaves {count} pairs that can merge, against {other} with {move}",
    ),
    "only": ("", "It is the only legal move"),
    "close": ("It is about as good as the best move", ""),
    "later": (
        "Nothing breaks at once, but the positions after it are worse",
        "Nothing breaks with any move; the positions after this one are better",
    ),
}
"""The fault of a worse move and the merit of a better one; empty where there is none."""

_LINES: Final[dict[Line, str]] = {
    "": "",
    "top": "top row",
    "bottom": "bottom row",
    "left": "left column",
    "right": "right column",
}


@dataclass(frozen=True, slots=True)
class MoveReason:
    """Why a move is good (`gains`) or bad.

    Attributes:
        kind: the difference, see the sentences of this module.
        tile: the tile in question, 0 for none.
        count, other: empty cells, lines in order or pairs after the move, and after the one that
            it is compared with.
        line: the edge line of the largest tile.
        move: letter of the move that may be forced, or of the one that a merit is compared with.
    """

    kind: Kind
    gains: bool
    tile: int = 0
    count: int = 0
    other: int = 0
    line: Line = ""
    move: str = ""

    def __str__(self) -> str:
        """The sentence."""
        move = Move.parse(self.move).name.lower() if self.move else ""
        words = SENTENCES[self.kind][self.gains].format(
            tile=self.tile, count=self.count, other=self.other, line=_LINES[self.line], move=move
        )
        return f"{words.replace(' 1 empty cells', ' 1 empty cell').replace('1 pairs', '1 pair')}."


def reason_of(
    board: Board, rules: Rules, move: Move, best: Move, ratios: Mapping[Move, float]
) -> MoveReason:
    """The reason for the grade of a move.

    Args:
        board: position before the move.
        rules: rules of the game.
        move: a legal move.
        best: the best move.
        ratios: share of the best move's value that each legal move keeps, 0 to 1.
    """
    if len(ratios) == 1:
        return MoveReason("only", gains=True)
    seen = _Seen(board, rules)
    if move != best:
        found = None if ratios[move] >= CLOSE else seen.difference(move, best, gains=False)
        return found or MoveReason("close" if ratios[move] >= CLOSE else "later", gains=False)
    others = sorted(set(ratios) - {best}, key=lambda one: ratios[one], reverse=True)
    kept = (seen.difference(other, best, gains=True) for other in others if ratios[other] < 1)
    return next(filter(None, kept), MoveReason("later", gains=True))


class _Seen:
    """The boards after the moves of a position, looked at once."""

    def __init__(self, board: Board, rules: Rules) -> None:
        self._before = _Look(board, rules)
        self._rules = rules
        self._looks: dict[Move, _Look] = {}

    def _after(self, move: Move) -> "_Look":
        if move not in self._looks:
            self._looks[move] = _Look(self._before.board.slide(move).board, self._rules)
        return self._looks[move]

    def difference(self, worse: Move, better: Move, *, gains: bool) -> MoveReason | None:
        """The first clear difference, as the fault of one move or the merit of the other."""
        bad, good, before = self._after(worse), self._after(better), self._before
        kinds: dict[Kind, bool] = {
            "ends": bad.ending - good.ending > _RISK,
            "corner": good.in_corner and not bad.in_corner,
            "forced": bad.forcing - good.forcing > _RISK,
            "empty": bad.empty <= FEW and bad.empty < good.empty,
            "pair": bool(before.pair_lost(bad, good)),
            "merge": good.made_since(before) > bad.made_since(before)
            and good.made_since(before) >= max(good.largest - _NEAR, _NOTABLE_TILE),
            "row": good.in_corner and good.is_ordered(good.line) and not bad.is_ordered(good.line),
            "open": good.in_corner and good.is_full(good.line) and not bad.is_full(good.line),
        }
        counts: dict[Kind, tuple[int, int]] = {
            "empty": (bad.empty, good.empty),
            "lines": (bad.lines, good.lines),
            "pairs": (bad.pairs, good.pairs),
        }
        kind = next((one for one, is_so in kinds.items() if is_so), None)
        if kind is None:
            larger = (one for one, (fewer, more) in counts.items() if more - fewer >= _NOTABLE)
            kind = next(larger, None)
        if kind is None:
            return None
        named = worse.letter if gains else ""
        if kind in counts:
            count, other = counts[kind][::-1] if gains else counts[kind]
            return MoveReason(kind, gains, count=count, other=other, move=named)
        tile = before.pair_lost(bad, good) if kind == "pair" else good.largest
        tile = good.made_since(before) if kind == "merge" else tile
        line: Line = good.line if kind in ("row", "open") else ""
        if kind == "forced":
            named = bad.forced.letter if bad.forced is not None and not gains else ""
        return MoveReason(
            "to_corner" if kind == "corner" and not before.in_corner else kind,
            gains,
            tile=1 << tile if kind not in ("ends", "row") else 0,
            line=line,
            move=named if kind in ("ends", "forced") else "",
        )


class _Look:
    """What a player sees on a board that waits for its next tile."""

    def __init__(self, board: Board, rules: Rules) -> None:
        self.board, self._rules = board, rules
        self.cells: Sequence[int] = board.exponents
        self.largest = board.max_exponent
        self.empty = self.cells.count(0)
        self.corner = _corner_of(board)
        self.forced: Move | None = None
        self.ending = self._chance(lambda after: after.is_over) if self.empty == 1 else 0.0
        self.forcing = self._forcing()

    @property
    def in_corner(self) -> bool:
        """True if the largest tile is in a corner."""
        return self.corner is not None

    @property
    def lines(self) -> int:
        """The number of rows and columns whose tiles only fall or only rise."""
        return sum(map(_is_ordered, _lines(self.board)))

    @property
    def pairs(self) -> int:
        """The number of pairs that can merge."""
        return len(_pairs(self.board))

    @property
    def line(self) -> Line:
        """The edge line through the largest tile's corner with the larger sum."""
        assert self.corner is not None
        lines: tuple[Line, Line] = (
            "top" if self.corner < self.board.cols else "bottom",
            "left" if self.corner % self.board.cols == 0 else "right",
        )
        return max(lines, key=lambda one: sum(1 << tile for tile in self._tiles(one) if tile))

    def is_ordered(self, line: Line) -> bool:
        """True if the tiles of an edge line only fall or only rise."""
        return _is_ordered(self._tiles(line))

    def is_full(self, line: Line) -> bool:
        """True if no cell of an edge line is empty."""
        return 0 not in self._tiles(line)

    def made_since(self, before: "_Look") -> int:
        """The exponent of the largest tile that a merge added; 0 for none."""
        made = [one for one in set(self.cells) if self.cells.count(one) > before.cells.count(one)]
        return max((one for one in made if one), default=0)

    def pair_lost(self, bad: "_Look", good: "_Look") -> int:
        """The large pair that could merge and cannot after the worse move; 0 for none."""
        pairs = {one for one in _pairs(self.board) if one >= self.largest - _NEAR}
        lost = [
            one
            for one in pairs
            if bad.cells.count(one) == self.cells.count(one)
            and one not in _pairs(bad.board)
            and (one in _pairs(good.board) or good.cells.count(one) < self.cells.count(one))
        ]
        return max(lost, default=0)

    def _tiles(self, line: Line) -> Sequence[int]:
        cols = self.board.cols
        parts: dict[Line, slice] = {
            "top": slice(0, cols),
            "bottom": slice(-cols, None),
            "left": slice(0, None, cols),
            "right": slice(cols - 1, None, cols),
        }
        return self.cells[parts[line]]

    def _forcing(self) -> float:
        """The chance that the next tile leaves only moves that take the largest from its corner.

        Only if no move keeps it there before that tile: a new tile rarely blocks a move.
        """
        if self.corner is None or _keeping(self.board):
            return 0.0
        moves = self.board.legal_moves()
        self.forced = moves[0] if moves else None
        return self._chance(lambda board: not _keeping(board)) if moves else 0.0

    def _chance(self, test: Callable[[Board], bool]) -> float:
        """The probability that the board with its next tile has a property."""
        rules, total, found = self._rules, sum(self._rules.spawn_weights), 0.0
        for cell in (place for place, tile in enumerate(self.cells) if not tile):
            for exponent, weight in zip(rules.spawn_exponents, rules.spawn_weights, strict=True):
                cells = [*self.cells[:cell], exponent, *self.cells[cell + 1 :]]
                found += test(Board(cells, self.board.shape)) * weight / total
        return found / max(self.empty, 1)


def _keeping(board: Board) -> list[Move]:
    """The legal moves that keep the largest tile in a corner."""
    corner = _corner_of(board)
    return [
        move
        for move in board.legal_moves()
        if corner is not None and board.slide(move).board.exponents[corner] >= board.max_exponent
    ]


def _corner_of(board: Board) -> int | None:
    """The corner with the largest tile; None if it is in none."""
    last, cols = board.rows * board.cols - 1, board.cols
    corners = (0, cols - 1, last + 1 - cols, last)
    return next((one for one in corners if board.exponents[one] == board.max_exponent), None)


def _lines(board: Board) -> list[Sequence[int]]:
    """The rows and the columns."""
    cells, cols = board.exponents, board.cols
    rows = [cells[at : at + cols] for at in range(0, len(cells), cols)]
    return [*rows, *zip(*rows, strict=True)]


def _is_ordered(line: Sequence[int]) -> bool:
    steps = list(pairwise(line))
    return all(a >= b for a, b in steps) or all(a <= b for a, b in steps)


def _pairs(board: Board) -> list[int]:
    """The exponents of the pairs that can merge."""
    lines = ([one for one in line if one] for line in _lines(board))
    return [one for line in lines for one, other in pairwise(line) if one == other]
