"""`published`: what authors publish, made again with one command.

The network `4x6` learns by TD(0), rate 0.1, one thread, 10,000 games, once for each run. The rules
`datumbox` and `it3105-snake` play `--games` games each. A few minutes.
"""

import statistics
import tempfile
from pathlib import Path
from typing import Final

import twofold
from benchmarks.common import Figure, Report, Settings, of_interval, of_runs
from twofold.arena.stats import mean_interval, wilson_interval

TRAINING_GAMES: Final = 10_000
TEST_GAMES: Final = 1_000
GAMES: Final = 100

WINS: Final = {3: "20 %", 5: "40 %", 7: "70 to 80 %"}
"""Games that `datumbox` wins, by depth. Source: the article of Datumbox."""

SNAKE: Final = "55,158, 10 games"
"""Mean score of the snake. Source: the IT3105 report."""


def measure(settings: Settings) -> Report:
    """Measure each figure that is published."""
    games = settings.games or GAMES
    seeds = range(settings.seed, settings.seed + settings.runs)
    return Report(
        "published figures",
        [*_learning(list(seeds)), *_rules(games, settings.seed)],
        [
            f"TD(0) on 4x6: twofold train 4x6 --schedule td:0.1 --games {TRAINING_GAMES} "
            f"--threads 1, seeds {seeds[0]} to {seeds[-1]}: median, smallest and largest run; then "
            f"twofold bench ntuple:net=FILE,ply=1,downgrade=0 --games {TEST_GAMES}.",
            "Published: a log of TDL2048+ with the same method, rate and number of games.",
            f"Rules: twofold bench, {games} games, seeds from {settings.seed}; datumbox with "
            "stop=goal; 95 % intervals (Wilson, Student's t).",
        ],
    )


def _learning(seeds: list[int]) -> list[Figure]:
    means, tests, wins = [], [], []
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "td.safetensors"
            training = twofold.train(
                "4x6", path, games=TRAINING_GAMES, schedule="td:0.1", seed=seed, threads=1
            )
            (found,) = twofold.bench(f"ntuple:net={path},ply=1,downgrade=0", TEST_GAMES)
        means.append(statistics.fmean(point.mean for point in training.curve.points))
        tests.append(float(found.games.scores.mean()))
        wins.append(100 * float((found.games.max_tiles >= 2048).mean()))
    return [
        of_runs("TD(0), mean of all training games", means, "points", published="15,500"),
        of_runs("TD(0), mean of the network at 1 ply", tests, "points", published="21,900"),
        of_runs("TD(0), reached 2048 at 1 ply", wins, "%", published="38 %"),
    ]


def _rules(games: int, seed: int) -> list[Figure]:
    figures = []
    for depth, said in WINS.items():
        spec = f"datumbox:depth={depth}"
        (found,) = twofold.bench(spec, games, seed=seed, rules="stop=goal")
        share = wilson_interval(int((found.games.max_tiles >= 2048).sum()), games)
        figures.append(of_interval(f"{spec}, games won", share, "%", published=said))
    (found,) = twofold.bench("it3105-snake", games, seed=seed)
    interval = mean_interval(found.games.scores.tolist())
    return [*figures, of_interval("it3105-snake, mean score", interval, "points", published=SNAKE)]
