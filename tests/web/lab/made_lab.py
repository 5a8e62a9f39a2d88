"""Studies and runs for the tests of the laboratory."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.games import game
from twofold.arena.boards import parse_boards
from twofold.arena.games import GameColumns
from twofold.arena.study import Study
from twofold.game.notation import SeedRange
from twofold.learn.curve import Curve as LearningCurve
from twofold.learn.curve import Point

RULES = "4x4 spawn=2:0.9,4:0.1 start=2 goal=64 stop=never"
HOSTILE = "<img src=x>\x1b[2J\u202e"
OUTSIDE = [
    "..", "/", "../a.db", "sub/../a.db", "./a.db", "/etc/passwd", "..\\a.db", "a.db/",
    "//a.db", ".hidden/a.db", ".a.db", "sub//b.db", "a.db\0.db", "C:a.db", "a", "a" * 2000 + ".db",
    "é/../a.db", "a/b/c/d.db", "nothing.db", "sub", "sub/link.db", "linked/out.db", "folder.db",
]  # fmt: skip


def row(seed: int, score: int, exponent: int, seconds: float = 0.001, **more: Any) -> GameColumns:
    return game(seed, score, 100, 1 << exponent, tuple(range(exponent + 1)), seconds, **more)


def add(study: Study, name: str, rules: str = RULES, **more: Any) -> int:
    about: dict[str, Any] = {"signature": "1", "twofold": "0.1", "machine": {"cores": 2}}
    spec = f"greedy:k={len(study.runs())}"
    return study.add_run(spec, name, rules, **about | {"reproducible": True} | more).run


def make_study(path: Path, games: int = 4, seconds: float = 0.001, *, sums: bool = False) -> None:
    """Two players, the second one stronger, and one without a game."""
    with Study(path) as made:
        for place, name in enumerate(["weak", "strong"]):
            run = add(made, name)
            made.want(run, SeedRange(1, games))
            for seed in range(1, games + 1):
                more = {"tile_sum": 100 * (place + 1) + 10 * seed} if sums else {}
                made.add(run, row(seed, 100 * seed + 1000 * place, 4 + seed % 3, seconds, **more))
        made.want(add(made, HOSTILE, machine={HOSTILE: 1}), SeedRange(1, 10))


LATE = parse_boards("3210/2100/1000/0000\n4300/2100/0000/0000", "late.txt")


def make_late_study(path: Path) -> None:
    """The same player on new boards and on two given ones."""
    with Study(path) as made:
        for boards in (None, LATE):
            run = add(made, "greedy", boards=boards)
            made.want(run, SeedRange(1, 8))
            for seed in range(1, 9):
                made.add(run, row(seed, 100 * seed, 4 + seed % 3, tile_sum=100 + seed))


def make_run(path: Path, points: int = 3) -> None:
    made = [
        Point(1000 * k, 10**6 * k, 10.0 * k, 100.5 * k, 9000 - k, 0.5, 0.25, 0.0, 0.0, 0.0, 0.0)
        for k in range(1, points + 1)
    ]
    path.write_text(LearningCurve(points=made).csv())


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("example") / "a.db"
    make_study(path)
    return path.read_bytes()


@pytest.fixture
def folder(tmp_path: Path, example: bytes) -> Path:
    """Studies and runs in a folder and a subfolder, among other files."""
    folder = tmp_path / "lab"
    for name in ("sub", ".hidden", "folder.db"):
        (folder / name).mkdir(parents=True)
    for place in ("a.db", "sub/b.db", ".hidden/a.db", ".a.db", "../out.db"):
        (folder / place).write_bytes(example)
    make_run(folder / "net.csv")
    (folder / "net.safetensors").touch()
    make_run(folder / "sub" / "other.csv", points=0)
    (folder / "empty.db").touch()
    (folder / "table.csv").write_text("a,b\n1,2\n")
    (folder / "sub" / "link.db").symlink_to(folder.parent / "out.db")
    (folder / "linked").symlink_to(folder.parent)
    for newest in ("a.db", "net.csv"):
        os.utime(folder / newest, (2e9, 2e9))
    return folder
