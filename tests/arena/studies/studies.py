"""Small studies."""

from pathlib import Path
from typing import Any

from tests.support.games import game
from twofold.arena.games import GameColumns
from twofold.arena.study import Study
from twofold.game.notation import SeedRange

ABOUT: dict[str, Any] = {
    "signature": "1",
    "twofold": "0.1",
    "machine": {"cores": 2},
    "reproducible": True,
}


def row(seed: int, score: int = 100, times: tuple[float, float] | None = None) -> GameColumns:
    return game(seed, score, 40, 64, (0, 0, 3, 9, 17, 30, 39), 0.001, times)


def add(study: Study, spec: str = "greedy", **more: Any) -> int:
    return study.add_run(spec, spec, "4x4", **(ABOUT | more)).run


def small_study(path: Path, games: int = 300) -> None:
    with Study(path) as study:
        run = add(study)
        study.want(run, SeedRange(0, games))
        for seed in range(games):
            study.add(run, row(seed))


def use(path: Path) -> int:
    with Study(path) as study:
        return sum(len(study.games(one.run, one.seeds)) for one in study.wanted())
