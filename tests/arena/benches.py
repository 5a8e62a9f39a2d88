"""Benches, and hashes of their games."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.support.commands import cli as cli
from tests.support.forks import forked_workers as forked_workers
from twofold.arena.bench import Bench, MemoryStudy, PlayerStanding
from twofold.arena.games import GameColumns
from twofold.arena.study import Study
from twofold.game.notation import SeedRange
from twofold.game.rules import Rules

HERE = Path(__file__).parent / "players_for_tests.py"


SMALL = Rules.parse("3x3 goal=64")


def bench_of(study: Study | MemoryStudy, *players: str, games: int = 10, seed: int = 0) -> Bench:
    bench = Bench(study, SMALL)
    for player in players:
        bench.add(player, SeedRange(seed, games))
    return bench


def digest(standings: Sequence[PlayerStanding]) -> str:
    """Hash of everything but the times."""
    found = [(one.spec, one.error, one.failed_seed, figures_of(one)) for one in standings]
    return hashlib.sha256(repr(found).encode()).hexdigest()


def standings_of(
    players: Sequence[str],
    seeds: SeedRange,
    jobs: int,
    rules: Rules,
    on_result: Callable[[int, GameColumns], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> list[PlayerStanding]:
    """The standings of players on some seeds."""
    with Study() as study:
        bench = Bench(study, rules)
        for player in players:
            bench.add(player, seeds)
        bench.play(jobs, on_result=on_result, stop=stop)
        return bench.standings()


def figures_of(one: PlayerStanding) -> dict[int, tuple[int, int, list[int]]]:
    """Score, moves and reached of its games, by seed."""
    cells = one.games.cells()
    names = ("score", "moves", "reached")
    rows = zip(*(cells[name] for name in names), strict=True)
    return dict(zip(cells["seed"], rows, strict=True))
