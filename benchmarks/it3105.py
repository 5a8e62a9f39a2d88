"""`it3105-snake` and `it3105-gradient`: the report's table, with both readings of its layers."""

import time

from benchmarks.common import Figure, Report, Settings, of_interval
from twofold.arena.stats import mean_interval, wilson_interval
from twofold.game.rules import STANDARD
from twofold.players import GameResult, make_player, play_game

GAMES = 10
TILES = (1024, 2048, 4096)
PUBLISHED = {
    "it3105-snake": ("100 %", "100 %", "70 %", "55,158", "79,472"),
    "it3105-gradient": ("100 %", "90 %", "50 %", "48,206", "76,756"),
}
"""Reach rates of the tiles, mean and best score, over 10 games."""


def measure(settings: Settings) -> Report:
    """Measure reach rates, mean and best score."""
    games = settings.games or GAMES
    specs = [f"{name}:layers={way}" for name in PUBLISHED for way in ("literal", "alternating")]
    figures = [figure for spec in specs for figure in _table(spec, games, settings.seed)]
    return Report(
        "it3105, the report's table",
        figures,
        [
            f"{games} games each, seeds from {settings.seed}; from and to are 95 % intervals "
            "(Wilson for reach rates, Student's t for means), for the best score the worst one."
        ],
    )


def _table(spec: str, games: int, seed: int) -> list[Figure]:
    began = time.thread_time()
    results = _play(spec, games, seed)
    seconds = time.thread_time() - began
    published = PUBLISHED[spec.partition(":")[0]]
    figures = []
    for tile, said in zip(TILES, published, strict=False):
        share = wilson_interval(sum(result.max_tile >= tile for result in results), games)
        figures.append(of_interval(f"{spec}, reached {tile}", share, "%", published=said))
    scores = [result.score for result in results]
    moves = sum(result.moves for result in results)
    speed = moves / seconds
    return [
        *figures,
        of_interval(f"{spec}, mean score", mean_interval(scores), "points", published=published[3]),
        Figure(f"{spec}, best", max(scores), min(scores), None, "points", published=published[4]),
        Figure(f"{spec}, one thread", speed, None, None, "moves/s"),
    ]


def _play(spec: str, games: int, seed: int) -> list[GameResult]:
    results = []
    with make_player(spec) as player:
        for number in range(games):
            result = play_game(player, STANDARD, seed + number)
            assert result is not None
            results.append(result)
    return results
