"""`twofold bench`: a fair table of players."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twofold.cli._common import (
    INTERRUPTED,
    JsonOption,
    RulesOption,
    catching_interrupt,
    cores,
    counted,
    prepare,
    print_note,
    print_out,
    read_rules,
    write_json,
)

if TYPE_CHECKING:
    from twofold.arena import GameRow, Run

EXAMPLE = """  twofold bench greedy corner --games 100 --seed 1
  twofold bench random my_player.py:Mine --games 50 --jobs 2 --json"""


def command(
    players: Annotated[
        list[str], typer.Argument(metavar="PLAYER...", help="Players.", show_default=False)
    ],
    games: Annotated[int, typer.Option("--games", metavar="N", help="Games each.")] = 100,
    seed: Annotated[
        str, typer.Option("--seed", metavar="S", help="Seed of the first game; then S+1, ...")
    ] = "1",
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="J", help="Games at a time; else as many as cores."),
    ] = None,
    rules: RulesOption = "",
    json: JsonOption = False,
) -> None:
    """Let players play the same games; show a table.

    The table has mean scores with 95 % intervals, reach rates and speed. Games depend on
    player, rules and seed alone: any number of jobs gives the same table, but for the times.
    """
    from twofold.arena import run
    from twofold.limits import MAX_GAMES, MAX_JOBS, check_limit
    from twofold.notation import parse_seed

    first = parse_seed(seed)
    used_rules = read_rules(rules)
    check_limit("games", games, 1, MAX_GAMES)
    used_jobs = check_limit("jobs", cores() if jobs is None else jobs, 1, MAX_JOBS)
    prepare(players, used_rules, first)
    began = time.perf_counter()
    with (
        catching_interrupt() as asked,
        _progress(games * len(players)) as advance,
        contextlib.redirect_stdout(sys.stderr),  # what a player prints is no result
    ):
        runs = run(players, games, first, used_jobs, used_rules, advance, asked.is_set)
    seconds = time.perf_counter() - began
    interrupted = asked.is_set() and sum(len(one.rows) for one in runs) < games * len(players)
    if json:
        body = {
            "rules": str(used_rules),
            "games": games,
            "seed": str(first),
            "interrupted": interrupted,
            "players": [_document(one) for one in runs],
        }
        timing = {"seconds": seconds, "jobs": used_jobs, "players": [_timing(one) for one in runs]}
        write_json("bench", body, timing)
    else:
        _print_table(runs, seed=first, rules=str(used_rules), seconds=seconds, jobs=used_jobs)
    _end(runs, interrupted, json)


def _print_table(
    runs: "Sequence[Run]", *, seed: int, rules: str, seconds: float, jobs: int
) -> None:
    from twofold.arena.table import format_runs

    print_out(format_runs(runs))
    print_out(
        f"\nrules {rules}, seeds from {seed}\n"
        f"{counted(jobs, 'job')}, {seconds:.1f} s in all; moves/s and s/game are those of one job"
    )


def _end(runs: "Sequence[Run]", interrupted: bool, json: bool) -> None:
    if interrupted:
        done = sum(len(one.rows) for one in runs)
        print_note(f"twofold: interrupted; {counted(done, 'game')} finished")
        raise typer.Exit(INTERRUPTED)
    failed = [one for one in runs if one.error]
    if failed and json:
        for one in failed:
            print_note(f"twofold: {one.player} failed on seed {one.failed_seed}: {one.error}")
    if failed:
        raise typer.Exit(1)


@contextlib.contextmanager
def _progress(games: int) -> "Iterator[Callable[[GameRow], None]]":
    """A progress bar on stderr, if that is a terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("games"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    shown = console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=not shown) as bar:
        task = bar.add_task("", total=games)
        yield lambda _row: bar.advance(task)


def _document(one: "Run") -> dict[str, Any]:
    return {
        "player": one.player,
        "spec": one.spec,
        "error": one.error or None,
        "failed_seed": None if one.failed_seed is None else str(one.failed_seed),
        "summary": _summary(one) if one.rows else None,
        "rows": [_row(row) for row in one.rows],
    }


def _summary(one: "Run") -> dict[str, Any]:
    from twofold.arena import summarise

    summary = summarise(one)
    return {
        "games": summary.games,
        "mean_score": summary.score.value,
        "mean_score_95": [summary.score.low, summary.score.high],
        "median_score": summary.median,
        "best_score": summary.best,
        "worst_score": summary.worst,
        "moves": summary.moves,
        "max_tile": summary.max_tile,
        "reach_rates": {
            str(tile): {"rate": rate.value, "rate_95": [rate.low, rate.high]}
            for tile, rate in summary.reach.items()
        },
    }


def _row(row: "GameRow") -> dict[str, Any]:
    """One game; `reached` gives for each tile the move number at which it was first there."""
    return {
        "seed": str(row.seed),
        "score": row.score,
        "moves": row.moves,
        "max_tile": row.max_tile,
        "reached": {
            str(1 << exponent): number
            for exponent, number in enumerate(row.reached)
            if exponent >= 2
        },
    }


def _timing(one: "Run") -> dict[str, Any]:
    moves = sum(row.moves for row in one.rows)
    seconds = sum(row.seconds for row in one.rows)
    return {
        "moves_per_second": moves / seconds if seconds else None,
        "seconds_per_game": seconds / len(one.rows) if one.rows else None,
        "seconds": [row.seconds for row in one.rows],
    }
