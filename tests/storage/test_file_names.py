"""What cannot name a file is refused in one sentence by everything that reads or writes one."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import twofold
from twofold.arena.boards import read_boards
from twofold.arena.curves import read_curve
from twofold.arena.export import export_boards
from twofold.arena.study import Study
from twofold.errors import InvalidInput, ResourceError
from twofold.game.formats import read_any_record, read_games
from twofold.game.record import Record, read_record, write_record, write_records
from twofold.games.pictures import replay
from twofold.learn import checkpoint
from twofold.storage.files import alone, atomic_write, open_regular
from twofold.tables.exact import ExactTable
from twofold.tables.library import EndgameTable
from twofold.values.network_file import read_card, read_learnt, read_network
from twofold.values.policy_network import read_policy
from twofold.values.tdl import read_tdl

LONG = "n" * 300


def hold(path: Any) -> None:
    with alone(path, "test"):
        pass


def study(path: Any) -> None:
    Study(path).close()


def in_study(export: Callable[[Study, Any], object]) -> Callable[[Any], object]:
    def run(path: Any) -> None:
        with Study(None) as study:
            export(study, path)

    return run


CALLS: dict[str, Callable[[Any], object]] = {
    "save_game": lambda path: twofold.save_game(twofold.Game(seed=1), path),
    "load_game": twofold.load_game,
    "review_game": twofold.review_game,
    "train": lambda path: twofold.train("0123", path, games=10**9),
    "read_record": read_record,
    "write_record": lambda path: write_record(path, Record.from_game(twofold.Game(seed=1))),
    "read_any_record": read_any_record,
    "read_games": lambda path: list(read_games(path)),
    "write_records": lambda path: write_records(path, []),
    "replay": lambda path: replay(twofold.Game(seed=1)).save(path),
    "read_boards": read_boards,
    "export_boards": in_study(export_boards),
    "read_curve": read_curve,
    "read_card": read_card,
    "read_network": read_network,
    "read_learnt": read_learnt,
    "read_tdl": read_tdl,
    "read_policy": read_policy,
    "checkpoint": checkpoint.load,
    "endgame table": EndgameTable.open,
    "exact table": ExactTable.open,
    "study": lambda path: study(path or b""),
    "atomic_write": lambda path: atomic_write(path, b""),
    "open_regular": open_regular,
    "alone": hold,
}
NAMES: list[Any] = [None, 5, b"name", "a\0b", LONG, f"{LONG}/a", Path(LONG), ""]
SPECS = ("{}.py:Mine", "ntuple:net={}", "policy:net={}", "exact:table={}")
CALLS |= {
    spec: lambda name, spec=spec: twofold.make_player(spec.format(name))  # type: ignore[misc]
    for spec in SPECS
}


@pytest.mark.parametrize("call", CALLS)
def test_one_sentence(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [LONG, "a\0b"] if call in SPECS else NAMES:
        with pytest.raises(InvalidInput) as caught:
            CALLS[call](name)
        assert "expected" in str(caught.value) or "cannot read" in str(caught.value)
        assert len(str(caught.value)) < 400
        assert os.listdir() == []


READERS = [name for name in CALLS if name.split()[0] not in {
    "save_game", "train", "write_record", "write_records", "replay", "export_boards", "alone",
    *SPECS,
}]  # fmt: skip
PLACES: dict[str, Callable[[Path], object]] = {
    "folder": Path.mkdir,
    "pipe": lambda path: os.mkfifo(path),
    "device": lambda path: path.symlink_to("/dev/zero"),
    "link to itself": lambda path: path.symlink_to(path),
    "nothing": lambda path: None,
}


@pytest.mark.promise("R23")
@pytest.mark.skipif(os.name != "posix", reason="only POSIX systems have these kinds of files")
@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize("call", READERS)
def test_what_is_no_file(call: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a"
    PLACES[kind](path)
    if kind == "nothing" and call in ("study", "atomic_write"):
        return  # which make it
    with pytest.raises((InvalidInput, ResourceError), match=r"expected |cannot ") as caught:
        CALLS[call](path)
    assert str(caught.value).isprintable()


def test_a_name_that_leaves_no_room_for_the_temporary_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"expected a shorter file name, got '/.{20,60}nnn'$"):
        atomic_write(tmp_path / ("n" * 240), b"")
    assert os.listdir(tmp_path) == []
