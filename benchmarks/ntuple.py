"""`ntuple`: training with one and two threads, and play with the shipped network."""

import time
from typing import Final

from benchmarks.common import Report, Settings, of_runs
from twofold.game.rules import STANDARD
from twofold.learn.settings import TrainingSettings as Training
from twofold.learn.settings import parse_schedule
from twofold.learn.training import Training as Run
from twofold.players import make_player
from twofold.players.loop import play_game

GAMES: Final = 10_000
PLAYED: Final = {1: 20, 2: 2, 3: 1}
SECOND_THREAD, LOAD_AT_MOST = 1.8, 0.8


def measure(settings: Settings) -> Report:
    """Measure by wall clock, since threads are compared."""
    ones, twos, coherent = [], [], []
    for number in range(settings.runs):
        seed = settings.seed + number
        ones.append(_train("td:0.1", 1, seed))
        twos.append(_train("td:0.1", 2, seed))
        coherent.append(_train("tc", 1, seed))
    gains = [two / one for one, two in zip(ones, twos, strict=True)]
    figures = [
        of_runs("TD(0) of 4x6, one thread", ones, "moves/s"),
        of_runs("TD(0) of 4x6, two threads", twos, "moves/s"),
        of_runs("what the second thread gains", gains, "x", at_least=SECOND_THREAD),
        of_runs("TC of 4x6, one thread", coherent, "moves/s"),
    ]
    loading = [_seconds_to_load() for _ in range(settings.runs)]
    figures.append(of_runs("loading the default network", loading, "s", at_most=LOAD_AT_MOST))
    for ply, games in PLAYED.items():
        speeds = [_play(ply, games, settings.seed + number) for number in range(settings.runs)]
        figures.append(of_runs(f"ntuple:ply={ply}, one thread", speeds, "moves/s"))
    return Report(
        "N-tuple networks",
        figures,
        [
            f"Wall clock, median of {settings.runs} runs. Training: {GAMES:,} games from nothing; "
            "loading: a new process each time, kernels compiled before, without the imports.",
            f"Play: the default network, {PLAYED} games by plies.",
        ],
    )


def _train(schedule: str, threads: int, seed: int) -> float:
    settings = Training(
        patterns="4x6", schedule=parse_schedule(schedule), threads=threads, seed=seed
    )
    run = Run(settings, games=GAMES)
    began = time.perf_counter()
    run.run()
    return run.moves / (time.perf_counter() - began)


def _play(ply: int, games: int, seed: int) -> float:
    with make_player(f"ntuple:ply={ply}") as player:
        moves, seconds = 0, 0.0
        for number in range(games):
            result = play_game(player, STANDARD, seed + number)
            assert result is not None
            moves, seconds = moves + result.moves, seconds + result.seconds
        return moves / seconds


def _seconds_to_load() -> float:
    import subprocess
    import sys

    code = (
        "import time, twofold.kernels.ntuple\n"
        "from twofold.values.network_file import load_network\n"
        "began = time.perf_counter(); load_network('default')\n"
        "print(time.perf_counter() - began)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)
