"""Benches, and hashes of their games."""

import hashlib
from pathlib import Path

from tests.support.commands import cli as cli
from tests.support.forks import forked_workers as forked_workers
from twofold.arena.bench import Bench
from twofold.arena.study import Study
from twofold.game.notation import SeedRange
from twofold.game.rules import Rules

HERE = Path(__file__).parent / "players_for_tests.py"


SMALL = Rules.parse("3x3 goal=64")


def bench_of(study: Study, *players: str, games: int = 10, seed: int = 0) -> Bench:
    bench = Bench(study, SMALL)
    for player in players:
        bench.add(player, SeedRange(seed, games))
    return bench


def digest(bench: Bench) -> str:
    """Hash of everything but the times."""
    text = repr(
        [
            (one.spec, one.error, one.failed_seed, one.games.seeds.tolist(),
             one.games.scores.tolist(), one.games.moves.tolist(), one.games.reached.tolist())
            for one in bench.standings()
        ]
    )  # fmt: skip
    return hashlib.sha256(text.encode()).hexdigest()
