"""The arena: players over many seeds, and what their games say.

>>> from twofold import Rules
>>> from twofold.arena import run, summarise
>>> runs = run(["random", "greedy"], games=10, seed=1, jobs=1, rules=Rules())
>>> [summarise(one.games).games for one in runs]
[10, 10]
"""

from twofold.arena.bench import Bench, Standing
from twofold.arena.boards import StartBoards, parse_boards, read_boards
from twofold.arena.compare import Comparison, compare_scores, verdict_words
from twofold.arena.games import GameRow, Games
from twofold.arena.run import Run, run, run_seeds
from twofold.arena.sprt import Sprt
from twofold.arena.stats import Interval, Summary, mean_interval, summarise, wilson_interval
from twofold.arena.studies.study import Study
from twofold.arena.survival import Fates, SumBand, bands

__all__ = [
    "Bench",
    "Comparison",
    "Fates",
    "GameRow",
    "Games",
    "Interval",
    "Run",
    "Sprt",
    "Standing",
    "StartBoards",
    "Study",
    "SumBand",
    "Summary",
    "bands",
    "compare_scores",
    "mean_interval",
    "parse_boards",
    "read_boards",
    "run",
    "run_seeds",
    "summarise",
    "verdict_words",
    "wilson_interval",
]
