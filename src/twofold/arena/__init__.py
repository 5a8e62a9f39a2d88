"""The arena: players over many seeds, and what their games say.

>>> from twofold import Rules
>>> from twofold.arena import run, summarise
>>> runs = run(["random", "greedy"], games=10, seed=1, jobs=1, rules=Rules())
>>> [summarise(one).games for one in runs]
[10, 10]
"""

from twofold.arena.run import GameRow, Run, run, run_seeds
from twofold.arena.stats import Interval, Summary, mean_interval, summarise, wilson_interval

__all__ = [
    "GameRow",
    "Interval",
    "Run",
    "Summary",
    "mean_interval",
    "run",
    "run_seeds",
    "summarise",
    "wilson_interval",
]
