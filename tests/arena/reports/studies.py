"""Studies for the tests of reports."""

from typing import Any

from tests.support.games import game
from twofold.arena.games import GameColumns
from twofold.arena.study import Study
from twofold.game.notation import SeedRange

RULES = "4x4 spawn=2:0.9,4:0.1 start=2 goal=64 stop=never"


def row(seed: int, score: int, exponent: int, seconds: float = 0.001, **more: Any) -> GameColumns:
    reached = tuple(range(0, 4 * exponent + 1, 4))
    return game(seed, score, 100, 1 << exponent, reached, seconds, **more)


def add(study: Study, name: str, rules: str = RULES, spec: str = "", **more: Any) -> int:
    about = {"signature": "1", "twofold": "0.1", "machine": {"cores": 2}, "reproducible": True}
    spec = spec or f"greedy:k={len(study.runs())}"
    return study.add_run(spec, name, rules, **(about | more)).run  # type: ignore[arg-type]


def small(study: Study) -> None:
    """Two players: scores 100, 200, 300 and 400 against 200 each; the last seed is beyond 2^63."""
    strong, weak = add(study, "strong"), add(study, "weak")
    for place, seed in enumerate((0, 1, 2, 2**64 - 1)):
        study.add(strong, row(seed, 100 * (place + 1), 4 + place))
        study.add(weak, row(seed, 200, 5, seconds=0.1))
    for run in (strong, weak):
        study.want(run, SeedRange(2**64 - 1, 4))


def ended(study: Study, name: str, sums: list[int], **more: Any) -> None:
    run = add(study, name, **more)
    for seed, total in enumerate(sums, 1):
        study.add(run, row(seed, 100 * seed, 5, tile_sum=total))
