r"""Start boards of games, read from a text file: one a line, in any notation of a board.

>>> boards = parse_boards("dcba/6789/4321/0120  # late\n\n2 4 8 16/32 64 0 0/0 0 0 0/0 0 0 0\n")
>>> len(boards)
2
>>> boards.of_seed(1)
Board.parse('dcba/6789/4321/0120')
"""

import hashlib
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from twofold.errors import InvalidBoard, InvalidInput
from twofold.figures import counted
from twofold.game.board import Board
from twofold.game.notation import printable, shown
from twofold.game.rules import STANDARD, Rules
from twofold.limits import MAX_BOARDS, MAX_BOARDS_BYTES, MAX_SEED, MAX_TEXT
from twofold.storage.files import file_name, read_start

HASH_DIGITS: Final = 16
"""Length of the hash of a set of boards."""

_MAX_NAME: Final = 200


@dataclass(frozen=True)
class StartBoards:
    """Boards on which games begin, in turn; all have a legal move. `name` is that of their file."""

    name: str
    boards: tuple[Board, ...]

    def __len__(self) -> int:
        return len(self.boards)

    def __str__(self) -> str:
        return f"{self.name} ({counted(len(self), 'board')}, {self.hash})"

    @cached_property
    def text(self) -> str:
        """The boards, one a line, as `str(Board)` writes them."""
        return "".join(f"{board}\n" for board in self.boards)

    @cached_property
    def hash(self) -> str:
        """The first 16 digits of the SHA-256 of `text`, which has no comments."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:HASH_DIGITS]

    def of_seed(self, seed: int) -> Board:
        """The board of the game with this seed: seed 1 has the first, seed 2 the next."""
        return self.boards[((seed - 1) & MAX_SEED) % len(self.boards)]


def warning_of(boards: StartBoards, games: int) -> str:
    """A warning if `games` a player are more than the boards; else empty."""
    if games <= len(boards):
        return ""
    return (
        "games from the same board are not independent: with more games than boards the intervals "
        "are too narrow"
    )


def boards_file(boards: StartBoards) -> str:
    """The name of the file that `twofold report --write-boards` writes."""
    return f"{boards.hash}.txt"


def read_boards(path: str | os.PathLike[str], rules: Rules = STANDARD) -> StartBoards:
    """The boards of a text file; see `parse_boards`.

    Raises:
        InvalidBoard: the file cannot be read, is too long, or has an invalid line.
    """
    name = file_name(path, InvalidBoard)
    data = read_start(path, MAX_BOARDS_BYTES + 1, InvalidBoard)
    if len(data) > MAX_BOARDS_BYTES:
        raise InvalidBoard(
            f"expected at most {MAX_BOARDS_BYTES:,} bytes in {shown(name)}, got more"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidBoard(
            f"expected text in UTF-8 in line {line} of {shown(name)}, got other bytes"
        ) from None
    return parse_boards(text, name, rules)


def parse_boards(text: str, name: str = "boards", rules: Rules = STANDARD) -> StartBoards:
    """Parse boards, one a line; empty lines and text after a `#` are ignored.

    Raises:
        InvalidBoard: a line is not a board, has another shape than the rules, or is a finished
            game; or there are no boards or too many. The message names the line.
    """
    boards = tuple(_boards(text, name, rules))
    if not boards:
        raise InvalidBoard(f"expected a board on a line of {shown(name)}, got none")
    return StartBoards(printable(os.path.basename(name))[:_MAX_NAME] or "boards", boards)


def _boards(text: str, name: str, rules: Rules) -> Iterator[Board]:
    lines = (line.partition("#")[0].strip() for line in io.StringIO(text))
    there = ((number, line) for number, line in enumerate(lines, 1) if line)
    for count, (number, line) in enumerate(there):
        where = f"in line {number} of {shown(name)}"
        if count == MAX_BOARDS:
            raise InvalidBoard(f"expected at most {MAX_BOARDS:,} boards, got one more {where}")
        try:
            if len(line) > MAX_TEXT:
                raise InvalidBoard(f"expected a board of at most {MAX_TEXT} characters, got more")
            yield _checked(Board.parse(line), rules)
        except InvalidInput as error:  # also of a merge past the largest tile
            raise InvalidBoard(f"{error}, {where}") from None


def _checked(board: Board, rules: Rules) -> Board:
    if board.shape != rules.shape:
        rows, cols = rules.shape
        raise InvalidBoard(
            f"expected a {rows}x{cols} board as in the rules, got {board.rows}x{board.cols}"
        )
    if not board.legal_moves():
        raise InvalidBoard(f"expected a board with a legal move, got {board}")
    if rules.stop_at_goal and board.max_tile >= rules.goal:
        raise InvalidBoard(
            f"expected a board without {rules.goal}, at which play stops, got {board}"
        )
    return board
