"""Runs: players over many seeds, on all cores, with the same rows for any number of workers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from twofold.arena.workers import GameRow, Task, Workers, play_tasks
from twofold.limits import MAX_GAMES, MAX_JOBS, MAX_SEED, check_limit
from twofold.notation import check_seed
from twofold.players import make_player
from twofold.rules import Rules

__all__ = ["GameRow", "Run", "run", "run_seeds"]


@dataclass(frozen=True, slots=True)
class Run:
    """One player over many seeds under one set of rules.

    Attributes:
        player: the player as it was named.
        spec: its canonical spec.
        rows: the games in the order of their seeds; where the run failed, those before the
            first seed that failed.
        error: what went wrong, one sentence; empty if nothing did.
        failed_seed: the first seed whose game failed.
    """

    player: str
    spec: str
    rows: tuple[GameRow, ...]
    error: str = ""
    failed_seed: int | None = None


@dataclass(slots=True)
class _Gathered:
    """What is known of one run so far, by the position of the game in it."""

    rows: dict[int, GameRow] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)


def run_seeds(seed: int, games: int) -> Iterator[int]:
    """The seeds of a run: seed, seed + 1, ... modulo 2^64."""
    return ((seed + number) & MAX_SEED for number in range(games))


def run(
    players: Sequence[str],
    games: int,
    seed: int,
    jobs: int,
    rules: Rules,
    on_result: Callable[[GameRow], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> list[Run]:
    """Let each player play the games of the same seeds.

    Compiled players run in threads, the others in processes of their own; each worker makes
    its own players from their specs. Rows depend on (player, rules, seed) alone, except for
    their time, unless a player has a time budget.

    Args:
        players: their specs.
        games: number of games each.
        seed: the seed of the first game; see `run_seeds`.
        jobs: number of games played at the same time.
        rules: the rules of all games.
        on_result: called in this thread with each finished game, in the order they finish.
        stop: asked now and then; True ends the runs with the games that are finished.

    Returns:
        One run for each player, in the order given. A run whose player fails ends there, and
        says why; the other runs go on.

    Raises:
        InvalidInput: a spec, a number or the rules cannot be used; nothing was played.
    """
    check_limit("games", games, 1, MAX_GAMES)
    check_limit("jobs", jobs, 1, MAX_JOBS)
    check_seed(seed)
    checked = [_check_player(player, rules, seed) for player in players]
    gathered = [_Gathered() for _ in players]
    tasks = _tasks(players, gathered, games, seed, rules)
    needed = min(jobs, games * len(players))
    with Workers(needed, [compiled for _, compiled in checked]) as workers:
        for task, answer in play_tasks(workers, tasks, stop or _never):
            mine = gathered[task.player]
            if isinstance(answer, str):
                mine.errors[task.number] = answer
            else:
                mine.rows[task.number] = answer
                if on_result is not None:
                    on_result(answer)
    return [
        _finish(player, spec, found, seed)
        for player, (spec, _), found in zip(players, checked, gathered, strict=True)
    ]


def _never() -> bool:
    return False


def _check_player(player: str, rules: Rules, seed: int) -> tuple[str, bool]:
    """Its canonical spec and whether it is compiled; raises if it cannot play."""
    with make_player(player) as made:
        made.start(rules, seed)
        return made.spec, made.compiled


def _tasks(
    players: Sequence[str], gathered: list[_Gathered], games: int, seed: int, rules: Rules
) -> Iterator[Task]:
    """Games still worth playing: a run ends at its first failure."""
    for index, player in enumerate(players):
        for number, game_seed in enumerate(run_seeds(seed, games)):
            if gathered[index].errors:
                break
            yield Task(index, number, player, rules, game_seed)


def _finish(player: str, spec: str, found: _Gathered, seed: int) -> Run:
    """Rows in order. After a failure only those before it: the same for any number of jobs.

    Games start in the order of their numbers, so every game before the first failure was
    played to its end.
    """
    if not found.errors:
        return Run(player, spec, tuple(row for _, row in sorted(found.rows.items())))
    failed = min(found.errors)
    rows = tuple(row for number, row in sorted(found.rows.items()) if number < failed)
    return Run(player, spec, rows, found.errors[failed], (seed + failed) & MAX_SEED)
