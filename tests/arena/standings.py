"""Games of players, in memory only."""

from collections.abc import Callable, Sequence

from twofold.arena.bench import Bench, PlayerStanding
from twofold.arena.games import GameColumns
from twofold.arena.study import Study
from twofold.game.notation import SeedRange
from twofold.game.rules import Rules


def standings_of(
    players: Sequence[str],
    seeds: SeedRange,
    jobs: int,
    rules: Rules,
    on_result: Callable[[int, GameColumns], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> list[PlayerStanding]:
    """The standings of players on some seeds."""
    with Study() as study:
        bench = Bench(study, rules)
        for player in players:
            bench.add(player, seeds)
        bench.play(jobs, on_result=on_result, stop=stop)
        return bench.standings()


def figures_of(one: PlayerStanding) -> dict[int, tuple[int, int, list[int]]]:
    """Score, moves and reached of its games, by seed."""
    cells = one.games.cells()
    names = ("score", "moves", "reached")
    rows = zip(*(cells[name] for name in names), strict=True)
    return dict(zip(cells["seed"], rows, strict=True))
