"""Builds of tables: interruptions do not change the file, and leave no unfinished one."""

import errno
import os
import signal
import stat
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.forks import fork
from twofold.errors import InvalidInput, InvalidTable, ResourceError
from twofold.storage.files import alone, work_folder
from twofold.tables import work as working
from twofold.tables.build import Builder
from twofold.tables.format import layers_of, stored
from twofold.tables.library import EndgameTable, file_name
from twofold.tables.parts import LayerProgress
from twofold.tables.pattern import EndgamePattern
from twofold.tables.work import Work, build_table, share_done

PATTERN = EndgamePattern.parse("442-16")


KINDS = (PATTERN, EndgamePattern.parse("wall6-32"))
"""A table that stores all levels, and one that stores only those above 0."""

of_both_kinds = pytest.mark.parametrize("pattern", KINDS, ids=lambda pattern: pattern.name)


def levels_of(pattern: EndgamePattern) -> list[NDArray[Any]]:
    """The levels of a table, layer by layer from the sum 0 on."""
    return [stored(layer.after) for layer in Builder(pattern).layers()][::-1]


@cache
def built(pattern: EndgamePattern, threads: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        assert build_table(Path(folder) / "whole", pattern, threads=threads)
        return (Path(folder) / "whole").read_bytes()


def whole(threads: int = 1, pattern: EndgamePattern = PATTERN) -> bytes:
    """The content of a table that is built without interruption."""
    return built(pattern, threads)


@of_both_kinds
def test_a_file_holds_the_levels(pattern: EndgamePattern, tmp_path: Path) -> None:
    path = tmp_path / file_name(pattern)
    assert build_table(path, pattern)
    table, levels = EndgameTable.open(path), levels_of(pattern)
    table.check()
    assert len(table) == sum(map(len, levels))
    parts = [one[one > 0] for one in reversed(levels)] if pattern.walls else levels
    assert np.array_equal(table.levels, np.concatenate(parts))
    for number, one in layers_of(table.head.sizes, table.levels, table.marks):
        assert one is not None
        assert np.array_equal(one, levels[number])
    assert (path.stat().st_size < Work(path, pattern).nbytes) == bool(pattern.walls)
    assert stat.S_IMODE(path.stat().st_mode) == 0o444
    assert sorted(tmp_path.iterdir()) == [path]


def note(seen: list[int], now: LayerProgress) -> None:
    seen.append(now.layer)


def is_long(seen: list[int]) -> bool:
    return len(seen) >= 4


@of_both_kinds
@pytest.mark.promise("R71")
def test_threads_and_stops_change_no_byte(
    pattern: EndgamePattern, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    wanted = whole(pattern=pattern)
    assert whole(threads=3, pattern=pattern) == wanted
    path = tmp_path / "stopped"
    runs = 0
    while not path.exists():
        seen: list[int] = []
        build_table(path, pattern, on_progress=partial(note, seen), stop=partial(is_long, seen))
        runs += 1
        assert runs < 100
    assert path.read_bytes() == wanted
    assert not work_folder(path).exists()
    figure(f"stopped {runs} times and with 1 and 3 threads: equal bytes")
    assert runs > 3


def _build_to_layer(pattern: EndgamePattern, last: int, path: Path, there: Path) -> None:
    """Build, open a pipe at a layer, which waits for its reader, and then wait to be killed."""

    def halt(now: LayerProgress) -> None:
        if now.layer == last:
            with there.open("w"):
                signal.pause()

    Work(path, pattern, interval=0.0).run(on_progress=halt)


@of_both_kinds
@pytest.mark.promise("R71")
@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
@pytest.mark.parametrize(("last", "next_layer"), [(20, 9), (0, -1)], ids=["between", "at the end"])
def test_a_killed_build_continues_from_its_checkpoint(
    pattern: EndgamePattern, last: int, next_layer: int, tmp_path: Path
) -> None:
    """Also if all layers are done and the file is not in its place yet."""
    wanted = whole(pattern=pattern)
    path, there = tmp_path / "killed", tmp_path / "there"
    os.mkfifo(there)
    process = fork(_build_to_layer, pattern, last, path, there)
    assert process.pid is not None
    with there.open():
        os.kill(process.pid, signal.SIGKILL)
        process.join()
    assert not path.exists()
    assert 0 < (share_done(path) or 0) <= 1
    work = Work(path, pattern)
    assert work.resume()
    assert work.next_layer == next_layer
    assert work.run()
    assert path.read_bytes() == wanted


@of_both_kinds
@pytest.mark.promise("R71")
@pytest.mark.parametrize("harm", ["note", "levels", "short", "other table", "no part"])
def test_a_damaged_part_is_rebuilt(pattern: EndgamePattern, tmp_path: Path, harm: str) -> None:
    path = tmp_path / "harmed"
    seen: list[int] = []
    assert not build_table(
        path, pattern, on_progress=lambda now: seen.append(now.layer), stop=lambda: len(seen) > 9
    )
    note, part = work_folder(path) / "note", work_folder(path) / "part"
    if harm == "note":
        note.write_bytes(note.read_bytes()[:-9])
    elif harm == "levels":
        data = bytearray(part.read_bytes())
        data[-99] ^= 1
        part.write_bytes(data)
    elif harm == "short":
        os.truncate(part, 5_000)
    elif harm == "no part":
        part.unlink()
    elif harm == "other table":
        pattern = EndgamePattern.parse("441-16")
    assert not Work(path, pattern).resume()
    assert build_table(path, pattern)
    assert path.read_bytes() == whole(pattern=pattern)


def test_a_full_disk_is_reported_before_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(working, "_reserve", full)
    seen: list[LayerProgress] = []
    with pytest.raises(ResourceError, match="No space left"):
        build_table(tmp_path / "full", PATTERN, on_progress=seen.append)
    assert not seen
    assert [path.name for path in tmp_path.iterdir()] == []


@of_both_kinds
def test_a_write_that_fails_leaves_no_table(
    pattern: EndgamePattern, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []
    write = working._write

    def fail(*arguments: object) -> None:
        written.append(0)
        if len(written) == 12:
            raise OSError(errno.EIO, "Input/output error")
        write(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(working, "_write", fail)
    path = tmp_path / "t"
    with pytest.raises(ResourceError, match="cannot write"):
        build_table(path, pattern)
    assert not path.exists()
    monkeypatch.undo()
    assert build_table(path, pattern)
    assert path.read_bytes() == whole(pattern=pattern)


@pytest.mark.promise("R90")
@pytest.mark.parametrize("name", ["part", "note", ""])
def test_a_link_in_the_work_of_others_leads_nowhere(name: str, tmp_path: Path) -> None:
    """It would lead to another file of the owner's, which the build would write over."""
    path, mine = tmp_path / file_name(PATTERN), tmp_path / "mine"
    folder = work_folder(path)
    if name:
        folder.mkdir()
        mine.write_text("mine")
    else:
        mine.mkdir()
    (folder / name).symlink_to(mine)
    with pytest.raises(InvalidInput, match="expected the files of an unfinished table, got a link"):
        build_table(path, PATTERN)
    assert not path.exists()
    assert not any(mine.iterdir()) if not name else mine.read_text() == "mine"


def test_one_builder_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "t"
    with alone(path, "builder of tables"), pytest.raises(InvalidInput, match="another builder"):
        build_table(path, PATTERN)


def test_another_table_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "t"
    assert build_table(path, PATTERN)
    with pytest.raises(InvalidTable, match=r"expected 441-16, got 442-16 in .* Remove that file"):
        build_table(path, EndgamePattern.parse("441-16"))
    assert path.read_bytes() == whole()
