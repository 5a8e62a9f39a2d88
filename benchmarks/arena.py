"""`arena`: the cost of storing games in a study, and the gain of a second worker."""

import random
import tempfile
import time
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.common import NO_LIMIT, Figure, Report, Settings, of_runs
from tests.support.games import game
from twofold.arena.bench import Bench
from twofold.arena.page import html
from twofold.arena.report import gather
from twofold.arena.study import Study
from twofold.game.notation import SeedRange
from twofold.game.rules import STANDARD
from twofold.kernels import play
from twofold.kernels.play import spawn_distribution
from twofold.players import make_player
from twofold.players.compiled import CompiledPlayer
from twofold.players.loop import game_words
from twofold.storage.files import atomic_write

PLAYER: Final = "ntuple:net=tiny,ply=1"
GAMES: Final = 12_000
"""Games of the player for each timing, about ten seconds."""

STORED: Final = 1_000_000
"""Games of the large study, which is made once."""

OVERHEAD, SECOND_WORKER = 5.0, 1.9
MEGABYTES, WRITING, NOTHING_TO_DO, REPORTING = 120.0, 60.0, 2.0, 10.0


def measure(settings: Settings) -> Report:
    """Measure by wall clock, since workers are compared."""
    games = settings.games or GAMES
    bare, ones, twos = [], [], []
    for number in range(settings.runs):
        seed = settings.seed + number * games
        bare.append(_bare(games, seed))
        ones.append(_bench(games, seed, 1))
        twos.append(_bench(games, seed, 2))
    overheads = [100 * (one / plain - 1) for one, plain in zip(ones, bare, strict=True)]
    gains = [one / two for one, two in zip(ones, twos, strict=True)]
    figures = [
        of_runs("games in the bare kernel", [games / one for one in bare], "games/s"),
        of_runs("games in a study, one worker", [games / one for one in ones], "games/s"),
        of_runs("games in a study, two workers", [games / two for two in twos], "games/s"),
        of_runs("what the study adds", overheads, "%", at_most=OVERHEAD),
        of_runs("what the second worker gains", gains, "x", at_least=SECOND_WORKER),
        *_large_study(settings),
    ]
    return Report(
        "Arena",
        figures,
        [
            f"Wall clock; {games:,} games of {PLAYER} a run, kernels compiled before.",
            f"The large study has {STORED:,} made-up games with 15 tiles reached each; it is "
            "written once, in transactions of 5,000 games.",
        ],
    )


def _bare(games: int, seed: int) -> float:
    """Seconds for the games in one call of the kernel."""
    with make_player(PLAYER) as player:
        assert isinstance(player, CompiledPlayer)
        player.start(STANDARD, seed)
        distribution = spawn_distribution(STANDARD.spawn_exponents, STANDARD.spawn_weights)
        states = np.zeros((games, play.STATE_WORDS), dtype=np.uint64)
        reached = np.zeros((games, play.REACHED_SIZE), dtype=np.uint64)
        words = game_words(STANDARD, distribution)
        words[play.REACHED] = reached.ctypes.data
        words[play.POLICY_ADDRESS] = player.policy
        words[play.POLICY_CONTEXT] = player.context.ctypes.data
        play.play_many(words, np.uint64(seed), states[:20], NO_LIMIT)
        began = time.perf_counter()
        assert play.play_many(words, np.uint64(seed), states, NO_LIMIT) == games
        return time.perf_counter() - began


def _bench(games: int, seed: int, jobs: int) -> float:
    """Seconds for the same games in a bench that stores them."""
    with tempfile.TemporaryDirectory() as folder, Study(Path(folder, "s.db")) as study:
        bench = Bench(study, STANDARD)
        bench.add(PLAYER, SeedRange(seed, games))
        began = time.perf_counter()
        bench.play(jobs)
        return time.perf_counter() - began


def _large_study(settings: Settings) -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.db")
        writing = _write(path, settings.seed)
        size = path.stat().st_size / 1e6
        nothing, reporting = [], []
        for _ in range(settings.runs):
            began = time.perf_counter()
            with Study(path) as study:
                assert study.missing(1, SeedRange(0, STORED)) == []
            nothing.append(time.perf_counter() - began)
            began = time.perf_counter()
            with Study(path, read_only=True) as study:
                atomic_write(Path(folder, "report.html"), html(gather(study)))
            reporting.append(time.perf_counter() - began)
    return [
        of_runs(f"{STORED:,} games: size", [size], "MB", at_most=MEGABYTES),
        of_runs(f"{STORED:,} games: writing", [writing], "s", at_most=WRITING),
        of_runs(f"{STORED:,} games: nothing to do", nothing, "s", at_most=NOTHING_TO_DO),
        of_runs(f"{STORED:,} games: report", reporting, "s", at_most=REPORTING),
    ]


def _write(path: Path, seed: int) -> float:
    """Seconds to write a study of made-up games with 15 tiles reached."""
    rng = random.Random(seed)
    patterns = []
    for _ in range(2_000):
        moves = rng.randrange(2_000, 13_000)
        reached = (0, 0, 0, *sorted(rng.randrange(3, moves) for _ in range(12)))
        patterns.append((rng.randrange(10_000, 400_000), moves, reached, rng.random() * 0.02))
    began = time.perf_counter()
    with Study(path) as study:
        about = {"cores": 2}
        run = study.add_run(
            PLAYER, PLAYER, str(STANDARD),
            signature="0", twofold="0", machine=about, reproducible=True,
        ).run  # fmt: skip
        study.want(run, SeedRange(0, STORED))
        for number in range(STORED):
            score, moves, reached, seconds = patterns[number % len(patterns)]
            study.add(run, game(number, score, moves, 16384, reached, seconds))
            if number % 5_000 == 4_999:
                study.flush()
    return time.perf_counter() - began
