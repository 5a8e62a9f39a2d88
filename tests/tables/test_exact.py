"""Tables: look-ups, and files that are valid, truncated, damaged or foreign."""

import itertools
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from tests.support.generators import make_board
from tests.tables.made import write_solution
from twofold.errors import InvalidBoard, InvalidTable, ResourceError
from twofold.game.board import Board
from twofold.game.rules import Move
from twofold.kernels import play, solved
from twofold.kernels._jit import address_of
from twofold.tables.exact import ExactTable, solve
from twofold.tables.problem import Problem
from twofold.tables.solver import Solver
from twofold.tables.store import LayerStore


def test_others_can_read_it(tmp_path: Path, two_by_three: ExactTable) -> None:
    """As the page on the format says: any reader of safetensors, and a search in the keys."""
    path = tmp_path / "2x3.table"
    write_solution(path, "2x3")
    assert path.stat().st_size < 12 * len(two_by_three) + 8_192  # 12 bytes a state
    tensors = safetensors.numpy.load_file(path)
    assert set(tensors) == {"keys", "layers", "values"}
    board = Board.parse("2x3:012/131")
    total = sum(map(sum, board.tiles))
    row = int((total - tensors["layers"][0, 0]) // 2)
    first = int(tensors["layers"][:row, 1].sum())
    last = first + int(tensors["layers"][row, 1])
    rows = [board.exponents[:3], board.exponents[3:]]
    turned = [form for lines in (rows, rows[::-1]) for form in (lines, [r[::-1] for r in lines])]
    key = min(int("".join(f"{e:x}" for line in form for e in line), 16) for form in turned) >> 4
    place = first + np.searchsorted(tensors["keys"][first:last], key)
    assert tensors["values"][place] == two_by_three.value(board)


def test_look_ups_of_any_board(two_by_three: ExactTable) -> None:
    rng = random.Random(3)
    for _ in range(300):
        board = make_board(rng, (2, 3), largest=12)
        (found,) = two_by_three.values([board.to_bits()])
        if board.is_over:
            assert found == 0
        elif two_by_three.holds(board):
            assert found == max(two_by_three.move_values(board).values())
        else:
            assert np.isnan(found)


def test_the_player_knows_some_moves_of_a_board_that_cannot_occur(two_by_three: ExactTable) -> None:
    """It makes the first of the best known moves, or the first legal one."""
    words = two_by_three.words
    policy = address_of(solved.play_by_table)
    chosen: set[int | None] = set()
    for exponents in itertools.product(range(6), repeat=3):
        board = Board((0, 0, 0, *exponents), (2, 3))
        legal = board.legal_moves()
        if not legal:
            continue
        values, found = np.empty(1), np.empty(4)
        solved.look_up(np.array([board.to_bits()], dtype=np.uint64), values, found, words)
        known = [move for move in legal if not np.isnan(found[move])]
        best = max(known, key=lambda move: found[move], default=legal[0])
        mask, bits = sum(1 << move for move in legal), np.uint64(board.to_bits())
        assert play.ask(policy, bits, mask, 0, np.uint64(0), words) == best
        chosen.add(legal.index(best) if known else None)
    assert chosen >= {None, 0, 1}


def test_invalid_look_ups(two_by_two: ExactTable) -> None:
    with pytest.raises(InvalidBoard, match="expected a 2x2 board, got 3x3:"):
        two_by_two.value(Board.empty((3, 3)))
    with pytest.raises(InvalidBoard, match="expected a board that can occur under 2x2"):
        two_by_two.value(Board.parse("2x2:ff/0a"))
    with pytest.raises(InvalidBoard, match=r"can occur under .*, got 2x2:z0/01"):
        two_by_two.value(Board.parse("2x2:z0/01"))
    assert two_by_two.value(Board.parse("2x2:12/21")) == 0  # over


def test_impossible_tiles_do_not_alias_another_board() -> None:
    """Its key, without the last tile, is that of a board with a free cell there."""
    table = solve(Problem.parse("2x2 spawn=4:1"))
    assert table.holds(Board.parse("2x2:02/20"))
    with pytest.raises(InvalidBoard, match=r"can occur under .*, got 2x2:02/21"):
        table.value(Board.parse("2x2:02/21"))


def test_the_goal_is_worth_one_and_ends_play() -> None:
    table = solve(Problem.parse("2x2 goal=16", "goal"))
    assert table.value(Board.parse("2x2:41/00")) == 1
    with pytest.raises(InvalidBoard, match="expected a board without the goal 16, got 2x2:41/00"):
        table.move_values(Board.parse("2x2:41/00"))
    assert table.value(Board.parse("2x2:33/00")) == 1
    score = solve(Problem.parse("2x2 goal=16 stop=goal"))
    assert score.value(Board.parse("2x2:41/00")) == 0
    assert score.move_values(Board.parse("2x2:33/00"))[Move.LEFT] == 16


def has_layers(store: LayerStore, count: int) -> bool:
    return len(store.keys) + len(store.values) >= count


@pytest.mark.promise("R16")
def test_a_solution_killed_anywhere_goes_on_from_what_it_has_written(
    tmp_path: Path, two_by_three: ExactTable, figure: Callable[[str], None]
) -> None:
    """Each run writes every layer and dies after a few; the table is the same."""
    problem = two_by_three.problem
    path = tmp_path / "2x3.table"
    runs, states, done = 0, [0], False
    while not done:
        store = LayerStore(problem, path, interval=0.0)
        enough = len(store.keys) + len(store.values) + 71
        done = Solver(problem, store, stop=partial(has_layers, store, enough)).run()
        runs += 1
        assert store.states >= states[-1]
        states.append(store.states)
    store.write(path)
    store.remove()
    assert np.array_equal(ExactTable.open(path, check=True).layers.index[:, :2],
                          two_by_three.layers.index[:, :2])  # fmt: skip
    assert np.array_equal(ExactTable.open(path).layers.values, two_by_three.layers.values)
    assert not store.folder.exists()
    figure(f"{runs} runs of 2x3, the same table")


@pytest.mark.promise("R16")
def test_torn_and_damaged_parts_are_found_again(tmp_path: Path, two_by_two: ExactTable) -> None:
    problem = two_by_two.problem
    path = tmp_path / "t"
    rng = random.Random(5)
    whole = LayerStore(problem, path, interval=0.0)
    assert Solver(problem, whole).run()
    originals = {part: part.read_bytes() for part in sorted(whole.folder.iterdir())}
    assert len(originals) > 20
    for _ in range(8):
        for part, data in originals.items():
            part.write_bytes(data)
        for part in rng.sample(sorted(originals), 3):
            damage = rng.choice(["cut", "changed", "gone", "foreign"])
            changed = bytearray(originals[part])
            if damage == "cut":
                part.write_bytes(changed[: rng.randrange(len(changed))])
            elif damage == "changed":
                changed[-1 - rng.randrange(4)] ^= 1
                part.write_bytes(changed)
            elif damage == "gone":
                part.unlink(missing_ok=True)
            else:
                part.write_bytes(b"something of mine")
        store = LayerStore(problem, path)
        assert Solver(problem, store).run()
        assert np.array_equal(store.table().values, two_by_two.layers.values)


def test_other_files_stay_in_the_folder(tmp_path: Path) -> None:
    problem = Problem.parse("2x2 goal=8", "goal")
    store = LayerStore(problem, tmp_path / "t", interval=0.0)
    store.folder.mkdir()
    (store.folder / "notes").write_text("something of mine")
    left = store.folder / ".keys-000004-000009.1-0.twofold-tmp"  # by a process that was killed
    left.touch()
    assert Solver(problem, store).run()
    store.remove()
    assert [path.name for path in store.folder.iterdir()] == ["notes"]


def test_the_work_on_another_problem_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "t"
    first = LayerStore(Problem.parse("2x2"), path, interval=0.0)
    Solver(first.problem, first).run()
    before = {part.name: part.read_bytes() for part in first.folder.iterdir()}
    with pytest.raises(InvalidTable, match="expected the work on 2x2, chance of 16 under"):
        LayerStore(Problem.parse("2x2 goal=16", "goal"), path)
    assert {part.name: part.read_bytes() for part in first.folder.iterdir()} == before


@pytest.mark.promise("R64")
@pytest.mark.parametrize(
    "boards",
    [[-1], [2**64], [1.0], "12", None, 7, [Board.parse("2x2:11/00")], np.array([-1]),
     np.zeros(2), np.zeros((2, 2), dtype=np.uint64)],
    ids=str,
)  # fmt: skip
def test_invalid_board_numbers(two_by_two: ExactTable, boards: Any) -> None:
    with pytest.raises(InvalidBoard, match="expected boards as numbers of 64 bits, got"):
        two_by_two.values(boards)


@pytest.mark.promise("R64")
@pytest.mark.parametrize("name", ["layers", "words", "problem"])
def test_arrays_for_kernels_stay_in_place(two_by_two: ExactTable, name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(two_by_two, name, getattr(two_by_two, name))
    with pytest.raises(ValueError, match="read-only"):
        two_by_two.layers.firsts[0] = 10**9


def test_work_of_which_nothing_is_saved_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise ResourceError("cannot write 1 bytes: No space left on device")

    store = LayerStore(Problem.parse("2x2"), tmp_path / "t")
    store.folder.mkdir()  # of an earlier run
    store.save()
    assert not store.folder.exists()
    monkeypatch.setattr("twofold.tables.store.write_layers", full)
    with pytest.raises(ResourceError):
        Solver(store.problem, store).run()
    assert [path.name for path in tmp_path.iterdir()] == []
