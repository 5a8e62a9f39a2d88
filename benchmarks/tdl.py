"""`tdl`: training and play of n-tuple networks, compared with the C++ program TDL2048+.

No code of that program is here: `--program` names its executable. Both do the same work in turn.
CPU time is measured, which other work on the machine affects less.
"""

import re
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.common import Figure, Report, Settings, child_seconds, of_runs
from twofold.game.notation import SeedRange
from twofold.game.rules import STANDARD
from twofold.learn.settings import TrainingSettings as Training
from twofold.learn.settings import parse_schedule
from twofold.learn.training import Training as Run
from twofold.players.loop import play_game, play_games
from twofold.players.searching import ExpectimaxPlayer
from twofold.search.depth import Depth
from twofold.values.network import Network, network_evaluator
from twofold.values.tdl import read_tdl

NETWORK: Final = "4x6"
THEIR_NETWORK: Final = "4x6patt"
TD_GAMES: Final = 10_000
TC_GAMES: Final = 20_000
PLAYED: Final = {1: 3_000, 2: 48, 3: 2}
"""Games at each depth."""
AT_LEAST: Final = {"td": 1.25, "tc": 1.25, 1: 1.4, 2: 1.6, 3: 2.5}


@dataclass(frozen=True, slots=True)
class Speed:
    """Moves and their CPU time."""

    moves: float
    seconds: float

    @property
    def rate(self) -> float:
        """Moves per second."""
        return self.moves / self.seconds


class Program:
    """TDL2048+."""

    def __init__(self, path: str) -> None:
        self._path = path

    def run(self, *options: str) -> tuple[float, float]:
        """Moves, as it reports them, and CPU seconds."""
        before = child_seconds()
        done = subprocess.run(
            [self._path, "-n", THEIR_NETWORK, *options], capture_output=True, text=True, check=True
        )
        blocks = re.findall(r"^\d+/\d+ (\d+)ms ([\d.]+)ops", done.stdout, re.MULTILINE)
        moves = sum(int(milliseconds) / 1e3 * float(ops) for milliseconds, ops in blocks)
        return moves, child_seconds() - before

    def train(self, games: int, rate: float, out: str = "") -> Speed:
        """Train a new network for a number of games; the time of the start is subtracted."""
        _, start = self.run("-t", "0", "-e", "0", "-a", f"{rate:g}")
        blocks = max(games // 1000, 1)
        save = ("-o", out) if out else ()
        moves, seconds = self.run("-t", str(blocks), "-e", "0", "-a", f"{rate:g}", *save)
        return Speed(moves, seconds - start)

    def play(self, weights: str, games: int, ply: int) -> Speed:
        """Play games with a network."""
        _, start = self.run("-i", weights, "-t", "0", "-e", "0")
        options = ("-i", weights, "-t", "0", "-e", "1", "-u", str(games), "-d", f"{ply}p")
        moves, seconds = self.run(*options)
        return Speed(moves, seconds - start)


def train(games: int, schedule: str, seed: int) -> Speed:
    """The same by twofold."""
    settings = Training(patterns=NETWORK, schedule=parse_schedule(schedule), seed=seed)
    run = Run(settings, games=games)
    began = time.process_time()
    run.run()
    return Speed(run.moves, time.process_time() - began)


def play(network: Network, games: int, ply: int, seed: int) -> Speed:
    """The same by twofold."""
    player = ExpectimaxPlayer(network_evaluator(network), Depth.fixed(ply))
    play_game(player, STANDARD, seed)
    began = time.process_time()
    moves = sum(one.moves for one in play_games(player, STANDARD, SeedRange(seed, games)))
    return Speed(moves, time.process_time() - began)


def measure(settings: Settings) -> Report:
    """Measure both in turn."""
    if settings.program is None:
        raise SystemExit("expected --program PATH of the executable of TDL2048+")
    program = Program(settings.program)
    tc_games = settings.games or TC_GAMES
    pairs: dict[str | int, list[tuple[Speed, Speed]]] = {key: [] for key in AT_LEAST}
    with tempfile.TemporaryDirectory() as folder:
        weights = str(Path(folder, "4x6.w"))
        program.train(tc_games, 1.0, weights)
        network = read_tdl(weights).network
        for number in range(settings.runs):
            seed = settings.seed + number
            pairs["td"].append((program.train(TD_GAMES, 0.1), train(TD_GAMES, "td:0.1", seed)))
            pairs["tc"].append((program.train(tc_games, 1.0), train(tc_games, "tc", seed)))
            for ply, games in PLAYED.items():
                theirs = program.play(weights, games, ply)
                pairs[ply].append((theirs, play(network, games, ply, seed)))
    names = {
        "td": f"TD(0), first {TD_GAMES:,} games",
        "tc": f"TC, first {tc_games:,} games",
        **{ply: f"{ply} ply" for ply in PLAYED},
    }
    figures: list[Figure] = []
    for key, measured in pairs.items():
        ratios = [ours.rate / theirs.rate for theirs, ours in measured]
        figures.append(of_runs(f"{names[key]}: times as fast", ratios, "x", at_least=AT_LEAST[key]))
    for key, measured in pairs.items():
        figures.append(
            of_runs(f"{names[key]}: TDL2048+", [theirs.rate for theirs, _ in measured], "moves/s")
        )
        figures.append(
            of_runs(f"{names[key]}: twofold", [ours.rate for _, ours in measured], "moves/s")
        )
    return Report(
        f"Networks against TDL2048+: {NETWORK}, one thread",
        figures,
        [
            f"CPU time, in turn; median of {settings.runs} runs. Play: the network that the "
            f"program trained by TC for {tc_games:,} games, {_games_words()}; no transposition "
            "table there, 4 MiB here."
        ],
    )


def _games_words() -> str:
    return ", ".join(f"{games} games at {ply} ply" for ply, games in PLAYED.items())
