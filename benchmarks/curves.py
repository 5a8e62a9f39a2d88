"""`curves`: what n-tuple networks reach in the same CPU time, here and in the C++ program TDL2048+.

No code of that program is here: `--program` names its executable. Both train 8x6 from nothing by
temporal coherence on one thread, in turn, for `--games` games; a run of 60,000 takes 7 minutes.
"""

import re
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.common import Figure, Report, Settings, child_seconds, of_runs
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import Training

GAMES: Final = 60_000
BLOCK: Final = 1_000
"""Games of one line of TDL2048+, and of one point of a curve here."""
RECENT: Final = 5
"""Blocks in a mean."""
SECONDS: Final = (30, 60, 120, 240, 480, 960, 1920, 3840)
_BLOCK: Final = re.compile(r"^\d+/\d+ (\d+)ms [\d.]+ops\nlocal:\s+avg=(\d+) ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Learnt:
    """The training games of one run, block by block.

    Attributes:
        seconds: CPU time at the end of each block. The CPU time of the whole run is divided among
            the blocks as their wall time is.
        means: mean score of each block.
    """

    seconds: Sequence[float]
    means: Sequence[float]

    def after(self, seconds: float) -> float | None:
        """The mean score of the last blocks that ended by then; None if the run was shorter."""
        ended = sum(end <= seconds for end in self.seconds)
        if ended < RECENT or seconds > self.seconds[-1]:
            return None
        return statistics.fmean(self.means[ended - RECENT : ended])


def theirs(output: str, cpu: float) -> Learnt:
    """What TDL2048+ reports, and its CPU time."""
    blocks = [(float(wall), float(mean)) for wall, mean in _BLOCK.findall(output)]
    scale = cpu / sum(wall for wall, _ in blocks)
    seconds, total = [], 0.0
    for wall, _ in blocks:
        total += wall * scale
        seconds.append(total)
    return Learnt(seconds, [mean for _, mean in blocks])


def train_theirs(program: str, games: int) -> Learnt:
    """A run of TDL2048+."""
    options = ("-n", "8x6patt", "-t", str(games // BLOCK), "-u", str(BLOCK), "-e", "0", "-a", "1.0")
    before = child_seconds()
    done = subprocess.run([program, *options], capture_output=True, text=True, check=True)
    return theirs(done.stdout, child_seconds() - before)


def train_ours(games: int, seed: int) -> Learnt:
    """A run of twofold."""
    training = Training(TrainingSettings(patterns="8x6", seed=seed), games=games)
    began = time.process_time()
    training.run()
    cpu = time.process_time() - began
    points = training.curve.points
    scale = cpu / points[-1].seconds
    return Learnt([point.seconds * scale for point in points], [point.mean for point in points])


def measure(settings: Settings) -> Report:
    """Train both in turn, with another seed in each run."""
    if settings.program is None:
        raise SystemExit("expected --program PATH of the executable of TDL2048+")
    games = settings.games or GAMES
    runs = [
        (train_theirs(settings.program, games), train_ours(games, settings.seed + number))
        for number in range(settings.runs)
    ]
    figures: list[Figure] = []
    for seconds in SECONDS:
        pairs = [(a.after(seconds), b.after(seconds)) for a, b in runs]
        both = [(a, b) for a, b in pairs if a is not None and b is not None]
        if len(both) == len(runs):
            figures += [
                of_runs(f"after {seconds} s: TDL2048+", [a for a, _ in both], "points"),
                of_runs(f"after {seconds} s: twofold", [b for _, b in both], "points"),
                of_runs(f"after {seconds} s: as many points", [b / a for a, b in both], "x"),
            ]
    return Report(
        "8x6 learns by TC from nothing, one thread: points after a CPU time",
        figures,
        [
            f"Mean score of the last {RECENT * BLOCK:,} training games, in turn; {settings.runs} "
            "runs, the median with the extremes."
        ],
    )
