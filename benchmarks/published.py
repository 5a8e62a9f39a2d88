"""`published`: what authors publish, made again with one command.

The network `4x6` learns by TD(0) and by OTD+TC with one thread, once for each run. The rules
`datumbox` and `it3105-snake` play `--games` games each. A quarter of an hour a run.
"""

import statistics
import tempfile
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

import twofold
from benchmarks.common import Figure, Report, Settings, of_interval, of_runs
from twofold.arena.stats import mean_interval, wilson_interval


@dataclass(frozen=True, slots=True)
class Method:
    """A way to learn: its name, the options of `twofold train`, and what TDL2048+ makes of them."""

    name: str
    games: int
    schedule: str
    optimism: float
    td_games: int
    while_learning: str
    mean: str
    reached: str


METHODS: Final = (
    Method("TD(0)", 10_000, "td:0.1", 0, 10_000, "15,500", "21,900", "38 %"),
    Method(
        "OTD+TC", 200_000, "td:0.1@90%,tc:1@10%", 40_000, 180_000, "60,463", "110,931", "97.2 %"
    ),
)
"""The first is published as a log. The second is the method of Guei, Chen and Wu 2021 with fewer
games and an eighth of their optimism; we ran TDL2048+ with `-n 4x6patt=40000/norm -t 180 -a 0.1`,
then `-t 20 -a 1.0`.
"""

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
        [
            *chain.from_iterable(_learning(one, list(seeds)) for one in METHODS),
            *_rules(games, settings.seed),
        ],
        [
            f"Learning: twofold train 4x6 --threads 1, seeds {seeds[0]} to {seeds[-1]}: median, "
            "smallest and largest run; then "
            f"twofold bench ntuple:net=FILE,ply=1,downgrade=0 --games {TEST_GAMES}.",
            *(
                f"{one.name}: --schedule {one.schedule} --optimism {one.optimism:g} "
                f"--games {one.games}."
                for one in METHODS
            ),
            "Published: TDL2048+ with the same method, rates and number of games.",
            f"Rules: twofold bench, {games} games, seeds from {settings.seed}; datumbox with "
            "stop=goal; 95 % intervals (Wilson, Student's t).",
        ],
    )


def _learning(method: Method, seeds: list[int]) -> list[Figure]:
    means, tests, reached = [], [], []
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "learnt.safetensors"
            training = twofold.train(
                "4x6",
                path,
                games=method.games,
                schedule=method.schedule,
                optimism=method.optimism,
                seed=seed,
                threads=1,
            )
            (found,) = twofold.bench(f"ntuple:net={path},ply=1,downgrade=0", TEST_GAMES)
        by_td = training.curve.points[: method.td_games // 1_000]
        means.append(statistics.fmean(point.mean for point in by_td))
        tests.append(float(found.games.scores.mean()))
        reached.append(100 * float((found.games.max_tiles >= 2048).mean()))
    return [
        of_runs(
            f"{method.name}, mean score of the games by TD",
            means,
            "points",
            published=method.while_learning,
        ),
        of_runs(
            f"{method.name}, mean of the network at 1 ply", tests, "points", published=method.mean
        ),
        of_runs(f"{method.name}, reached 2048 at 1 ply", reached, "%", published=method.reached),
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
