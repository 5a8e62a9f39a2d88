"""Invalid and truncated table files are refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from twofold.errors import InvalidTable
from twofold.game.board import Board
from twofold.storage.arrays import open_tensors, write_tensors
from twofold.tables.format import read_head, texts_of
from twofold.tables.layers import layer_sizes, lines_of
from twofold.tables.library import EndgameTable, EndgameTables
from twofold.tables.pattern import EndgamePattern
from twofold.tables.work import build_table

PATTERN = EndgamePattern.parse("442-8")
SIZES = layer_sizes(PATTERN)
LAYERS = np.stack([np.array(SIZES), np.zeros(len(SIZES), dtype=int)], axis=1).astype(np.uint64)
LEVELS = np.zeros(sum(SIZES), dtype=np.uint16)
TEXTS = texts_of(PATTERN)


@pytest.mark.promise("R23")
@pytest.mark.parametrize(
    ("tensors", "texts", "says"),
    [
        ({"levels": LEVELS[:-1]}, {}, "expected uint16 levels of shape"),
        ({"levels": LEVELS.astype(np.int16)}, {}, "expected uint16 levels of shape"),
        ({"levels": LEVELS.reshape(1, -1)}, {}, "expected uint16 levels of shape"),
        ({"layers": LAYERS[:-1]}, {}, "expected uint64 layers of shape"),
        ({"layers": LAYERS.astype(np.int64)}, {}, "expected uint64 layers of shape"),
        ({"layers": LAYERS + np.uint64(1)}, {}, "the number of boards of each layer"),
        ({"more": LEVELS}, {}, "expected the tensors layers, levels for 442-8, got"),
        ({}, {"twofold_endgame": "2"}, "of version 1, got '2'"),
        ({}, {"shape": "555"}, "expected a pattern"),
        ({}, {"shape": "441"}, "expected uint16 levels of shape"),
        ({}, {"target": "16"}, "expected the texts of"),
        ({}, {"target": "9"}, "expected a power of two"),
        ({}, {"target": "\x1b[2J"}, "expected a table such as"),
        ({}, {"caps": "4,4"}, "expected a table such as"),
        ({}, {"caps": "4,4,2"}, "expected the texts of"),
        ({}, {"highest": "9999999999"}, "expected the texts of"),
        ({}, {"spawn": "2:1"}, "expected the texts of"),
        ({}, {"more": "x"}, "expected the texts of"),
        ({}, {"shape": "444", "target": "2048", "caps": "1024,1024,1024", "highest": "2080"},
         "upper free cells"),
    ],
)  # fmt: skip
def test_header_fields_are_checked(
    tmp_path: Path, tensors: dict[str, NDArray[Any]], texts: dict[str, str], says: str
) -> None:
    path = tmp_path / "t"
    arrays: dict[str, NDArray[Any]] = {"layers": LAYERS, "levels": LEVELS}
    write_tensors(path, arrays | tensors, TEXTS | texts)
    with pytest.raises(InvalidTable, match=says) as caught:
        EndgameTable.open(path)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1000


WALLS = EndgamePattern.parse("wall6-32")
LINES = sum(map(lines_of, layer_sizes(WALLS)))


@pytest.fixture(scope="module")
def walls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound table of walls."""
    path = tmp_path_factory.mktemp("walls") / "t"
    build_table(path, WALLS)
    return path


@pytest.mark.promise("R23")
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("marks", lambda marks: marks[:-1]),
        ("marks", lambda marks: marks.reshape(-1)),
        ("marks", lambda marks: marks[:, :-1].copy()),
        ("marks", lambda marks: marks.astype(np.int64)),
        ("levels", lambda levels: levels.astype(np.int16)),
        ("levels", lambda levels: levels[:0].reshape(0, 1)),
        ("levels", lambda levels: np.resize(levels, sum(layer_sizes(WALLS)) + 1)),
        ("more", lambda _: LEVELS),
    ],
)
def test_tensors_of_a_table_of_walls_are_checked(
    tmp_path: Path, walls: Path, name: str, change: Callable[[Any], NDArray[Any]]
) -> None:
    with open_tensors(walls) as file:
        arrays = {key: file.read(key) for key in file.tensors}
    write_tensors(tmp_path / "t", arrays, texts_of(WALLS))
    EndgameTable.open(tmp_path / "t").check()
    write_tensors(
        tmp_path / "t", arrays | {name: change(arrays.get(name))}, texts_of(WALLS)
    )  # fmt: skip
    with pytest.raises(InvalidTable, match=r"expected (uint|at most|the tensors layers, marks)"):
        EndgameTable.open(tmp_path / "t")
    del arrays["marks"]
    write_tensors(tmp_path / "t", arrays, texts_of(WALLS))
    with pytest.raises(InvalidTable, match="expected the tensors layers, marks, levels for"):
        EndgameTable.open(tmp_path / "t")


@pytest.mark.promise("R23")
def test_marks_that_lead_past_the_end_are_no_answer(tmp_path: Path, walls: Path) -> None:
    """Whatever marks say, no level outside the file is read; a check finds them."""
    with open_tensors(walls) as file:
        arrays = {key: file.read(key) for key in file.tensors}
    boards = [Board.parse("fed2/cb50/1310/2000"), Board.parse("fed0/cb50/0010/2001")]
    for first in (0, 2**62, 2**64 - 1):
        arrays["marks"][:, 0] = first
        arrays["marks"][:, 1:] = 2**64 - 1
        arrays["levels"] = arrays["levels"][:3]
        write_tensors(tmp_path / "t", arrays, texts_of(WALLS))
        table = EndgameTable.open(tmp_path / "t")
        assert [EndgameTables([table]).move(board) for board in boards] == [None, None]
        with pytest.raises(InvalidTable, match="damaged table: wrong chances"):
            table.check()


@pytest.mark.promise("R71")
def test_the_hash_covers_pattern_and_chances(tmp_path: Path) -> None:
    path, known = tmp_path / "t", set()
    for name in ("442-8", "441-8", "442-16"):
        build_table(tmp_path / name, EndgamePattern.parse(name))
        known.add(read_head(tmp_path / name).hash)
    layers = LAYERS.copy()
    layers[3, 1] = 7
    write_tensors(path, {"layers": layers, "levels": LEVELS}, TEXTS)
    known.add(read_head(path).hash)
    assert len(known) == 4
    assert all(len(one) == 16 for one in known)


@pytest.mark.promise("R23")
@pytest.mark.parametrize("level", [0, 1, 65_535])
def test_arbitrary_levels_cause_no_read_out_of_bounds(tmp_path: Path, level: int) -> None:
    """Levels are data: they never become indices."""
    write_tensors(tmp_path / "t", {"layers": LAYERS, "levels": LEVELS + np.uint16(level)}, TEXTS)
    tables = EndgameTables([EndgameTable.open(tmp_path / "t")])
    answer = tables.answer(Board.parse("abcd/6521/1212/2120"))
    assert (answer is None) == (level == 0)
