"""A folder with small tables, built once for all tests of who uses tables."""

import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import STANDARD
from twofold.players import Player
from twofold.players.loop import KernelGame
from twofold.tables import library
from twofold.tables.folder import tables_folder
from twofold.tables.library import file_name
from twofold.tables.pattern import EndgamePattern
from twofold.tables.work import build_table

NAMES = ("44-16", "442-16")
"""The tables, in the order in which they are asked."""


def state_with(names: Iterable[str], state: Path) -> Path:
    """Build tables in a state folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TWOFOLD_STATE_DIR", str(state))
        tables_folder().mkdir()
        for name in names:
            pattern = EndgamePattern.parse(name)
            build_table(tables_folder() / file_name(pattern), pattern)
    return state


@pytest.fixture(scope="session")
def table_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state folder that holds them."""
    return state_with(NAMES, tmp_path_factory.mktemp("with-tables"))


@pytest.fixture
def tables_here(table_files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Tables are built on this machine, and `auto` means them; their folder."""
    monkeypatch.setattr(library, "LEAST_TARGET", 3)
    monkeypatch.setenv("TWOFOLD_STATE_DIR", str(table_files))
    return tables_folder()


Cells = tuple[int, ...]


def turned(cells: Cells, symmetry: int) -> Cells:
    """A board in one of its eight symmetries."""
    rows = [list(cells[4 * row : 4 * row + 4]) for row in range(4)]
    for _ in range(symmetry % 4):
        rows = [list(row) for row in zip(*rows[::-1], strict=True)]
    if symmetry >= 4:
        rows = [row[::-1] for row in rows]
    return tuple(cell for row in rows for cell in row)


def boards_of(pattern: EndgamePattern, chosen: random.Random, count: int) -> list[Cells]:
    """Boards that a table speaks of, in any symmetry."""
    found: list[Cells] = []
    low, high, top = pattern.caps
    while len(found) < count:
        large = chosen.sample(range(pattern.target, 16), pattern.large_tiles)
        cells = [0] * 16
        for cell, cap in enumerate([top] * 8 + [high] * 4 + [low] * 4):
            cells[cell] = chosen.choice([0, chosen.randint(0, cap)])
        for cell, exponent in zip(pattern.large_cells, large, strict=True):
            cells[cell] = exponent
        free = sum(1 << one for one in cells if 0 < one < pattern.target)
        if 24 <= free <= 2 * pattern.highest:
            found.append(turned(tuple(cells), chosen.randrange(8)))
    return found


def played(player: Player, board: Board, seed: int, how: str) -> str:
    """The letters of a game from a board."""
    player.start(STANDARD, seed)
    game = Game.from_board(board, STANDARD, seed)
    if how == "kernel":
        kernel_game = KernelGame(player, game, [0] * (board.max_exponent + 1))  # type: ignore[arg-type]
        return kernel_game.play(100_000)
    letters = []
    while not game.is_finished:
        if how == "analysis":
            move = player.analyse(game.board, score=game.score).best
        else:
            move = player.choose(game.board, score=game.score, move_number=game.move_number)
        letters.append(move.letter)
        game.play(move)
    return "".join(letters)


def same_on_all_paths(player: Player, board: Board, seed: int) -> str:
    """The letters of a game, which is the same in a kernel, move by move, and by analyses."""
    expected = played(player, board, seed, "kernel")
    assert played(player, board, seed, "choose") == expected
    assert played(player, board, seed, "analysis") == expected
    return expected
