"""`twofold bench`: a fair table of players, kept in a study."""

import contextlib
import itertools
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twofold.arena import summarise
from twofold.arena.bench import (
    Bench,
    Entrant,
    PlayerStanding,
    players_to_name,
    preset_lines,
    resumed,
)
from twofold.arena.games import FIGURES, GameColumns
from twofold.arena.stats import format_runs
from twofold.arena.study import GameStore, Study
from twofold.cli._games import (
    boards_document,
    far_backend,
    live_games,
    open_study,
    print_boards,
    print_survival,
    read_starts,
    say_beside,
    survival_document,
    with_interval,
)
from twofold.cli._options import (
    BoardsOption,
    ForceOption,
    JobsOption,
    JsonOption,
    RayOption,
    RulesOption,
    StudyOption,
    argument,
    count,
    flag,
    hint_at_strengths,
    option,
    prepare,
    read_jobs,
    read_rules,
    read_seconds,
)
from twofold.cli._output import (
    catching_interrupt,
    end_interrupted,
    machine,
    print_note,
    print_out,
    print_words,
    write_json,
)
from twofold.errors import InvalidInput
from twofold.figures import counted
from twofold.game.notation import SeedRange, parse_seed, printable, shell_line, shown
from twofold.game.rules import Rules
from twofold.limits import MAX_GAMES, check_limit
from twofold.players import PlayerSpec

if TYPE_CHECKING:
    Found = list[tuple[Bench, Entrant, PlayerStanding]]

EXAMPLE = """  twofold bench greedy corner --games 100 --seed 1
  twofold bench random my_player.py:Mine --games 50 --jobs 2 --json
  twofold bench fast normal strong --games 100 --out study.db
  twofold bench --resume study.db
  twofold bench --resume study.db my_player.py:Mine
  twofold bench ntuple --boards late.txt --out late.db
  twofold bench --preset sources --out sources.db
  twofold bench strong --games 10000 --ray auto --out study.db"""


_GAMES = 100
_TIMEOUT = "1h"


def command(
    players: Annotated[
        list[str] | None,
        argument(
            "PLAYER",
            "Players, or strengths: fast, normal, strong, max. With --resume: the study, then its "
            "players that run code.",
        ),
    ] = None,
    games: Annotated[
        int | None, count("N", "Games per player. Default: 100, or one per board of --boards.")
    ] = None,
    seed: Annotated[
        str | None, option("S", "Seed of the first game; the next is S+1. Default: 1.")
    ] = None,
    boards: BoardsOption = "",
    out: StudyOption = "",
    force: ForceOption = False,
    preset: Annotated[
        str,
        option(
            "NAME",
            "Play a set of players instead of PLAYER: sources or league.",
            follows="sources league",
        ),
    ] = "",
    resume: Annotated[
        bool, flag("--resume", "Continue a study: play the games that it lacks.")
    ] = False,
    jobs: JobsOption = None,
    ray: RayOption = None,
    timeout: Annotated[
        str, option("T", "Longest time for one game of a Python player.")
    ] = _TIMEOUT,
    records: Annotated[
        bool, flag("--records", "Also store the record of each new game in --out.")
    ] = False,
    survival: Annotated[
        bool, flag("--survival", "Also show at which tile sums games end.")
    ] = False,
    rules: RulesOption = "",
    json: JsonOption = False,
) -> None:
    """Measure players on the same seeds; show a table.

    The table has mean scores with 95 % intervals, reach rates and speed. A game depends on
    player, rules and seed only, so --jobs changes nothing but the times. --out stores every
    finished game, and no game is played twice. With --boards the game of seed S starts from
    board S of the file, one board per line, in turn; its score counts from there.
    """
    first = parse_seed("1" if seed is None else seed)
    check_limit("games", _GAMES if games is None else games, 1, MAX_GAMES)
    used_jobs = read_jobs(jobs)
    seconds_a_game = read_seconds(timeout, "--timeout")
    if resume and not out and players:
        out, *players = players
    fixed = {"--games": games, "--boards": boards, "--rules": rules}
    if resume:
        _check_fixed("--resume", fixed | {"--seed": seed}, "the study")
    elif preset:
        _check_fixed("--preset", fixed, "the preset")
    _check_request(players or [], preset, out, resume=resume, records=records)
    if resume and force:
        raise InvalidInput("expected --resume or --force, got both")
    flags = {"--records": records, "--survival": survival, "--json": json}
    values = {"--jobs": jobs, "--ray": ray, "--timeout": "" if timeout == _TIMEOUT else timeout}
    options = [name for name, is_given in flags.items() if is_given]
    options += [word for name, one in values.items() if one for word in (name, str(one))]
    specs = list(map(PlayerSpec.parse, players or []))
    with open_study(out, specs, boards, force=force) as study:
        if resume:
            assert isinstance(study, Study)
            benches = _resumed(study, specs, out, options)
        elif preset:
            benches = _preset(study, preset, first)
        else:
            used_rules = read_rules(rules, specs)
            if not json:
                hint_at_strengths(specs, used_rules)
            benches = [_wanted(study, used_rules, specs, boards, games, first)]
        entrants = [one for bench in benches for one in bench.entrants]
        lines = [(one.player.text, one.seeds.count, one.missing) for one in entrants]
        first_lines = itertools.accumulate((len(one.entrants) for one in benches), initial=0)
        address = ray if any(line[-1] for line in lines) else None
        began = time.perf_counter()
        with (
            contextlib.redirect_stdout(sys.stderr),  # what a player prints is no result
            far_backend(address, jobs, seconds_a_game) as far,
            catching_interrupt() as asked,
            live_games(lines) as advance,
        ):
            used_jobs = far.jobs if far else used_jobs
            for first_line, bench in zip(first_lines, benches, strict=False):
                bench.records, bench.say = records, say_beside
                if bench.missing and not asked.is_set():
                    bench.play(
                        used_jobs,
                        timeout=seconds_a_game,
                        backend=far,
                        on_result=partial(advance, first_line),
                        stop=asked.is_set,
                    )
        seconds = time.perf_counter() - began
        found = [
            (bench, *both)
            for bench in benches
            for both in zip(bench.entrants, bench.standings(reached=json), strict=True)
        ]
    if json:
        _write_document(found, interrupted=asked.is_set(), seconds=seconds, jobs=used_jobs)
    else:
        _print_tables(benches, found, survival=survival, seconds=seconds, jobs=used_jobs)
    _end(found, out=out, options=options, interrupted=asked.is_set(), json=json)


# ---- what is asked for


def _check_request(
    players: list[str], preset: str, out: str, *, resume: bool, records: bool
) -> None:
    if preset and (players or resume):
        raise InvalidInput("expected one of players, --preset and --resume, got more")
    if resume and not out:
        raise InvalidInput("expected --resume FILE, the study to continue")
    if records and not out:
        raise InvalidInput("expected --out FILE, the study that keeps the records")
    if resume and not Path(out).exists():
        raise InvalidInput(f"expected a study to continue, got {shown(out)}, which does not exist")
    if not (resume or players or preset):
        raise InvalidInput("missing argument: expected players, --preset NAME or --resume FILE")


def _check_fixed(by: str, options: Mapping[str, object], owner: str) -> None:
    """Refuse options whose values a study or a preset already has."""
    for name, value in options.items():
        if value not in (None, ""):
            raise InvalidInput(f"expected no {name} with {by}: {owner} says what is played")


def _wanted(
    study: GameStore,
    rules: Rules,
    players: list[PlayerSpec],
    boards: str,
    games: int | None,
    seed: int,
) -> Bench:
    starts = read_starts(boards, rules)
    players = prepare(players, rules, seed)
    specs = [player.short for player in players]
    for spec in specs:
        if specs.count(spec) > 1:
            raise InvalidInput(f"expected different players, got {shown(spec)} twice")
    bench = Bench(study, rules, machine=machine(), boards=starts)
    usual = _GAMES if starts is None else len(starts)
    for player in players:
        bench.add(player, SeedRange(seed, usual if games is None else games))
    return bench


def _preset(study: GameStore, name: str, seed: int) -> list[Bench]:
    lines = preset_lines(name)
    benches = []
    for rules in dict.fromkeys(line.rules for line in lines):
        ours = [line for line in lines if line.rules == rules]
        bench = Bench(study, read_rules(rules), machine=machine())
        players = [PlayerSpec.parse(line.player) for line in ours]
        prepare(players, bench.rules, seed)
        for line, player in zip(ours, players, strict=True):
            bench.add(player, SeedRange(seed, line.games))
        benches.append(bench)
    return benches


def _resumed(study: Study, named: list[PlayerSpec], out: str, options: list[str]) -> list[Bench]:
    if not study.wanted():
        raise InvalidInput(
            f"there is nothing to continue in {study.name}: it was asked for no games, or stopped "
            "before it began. Name players and --games, with --out"
        )
    _check_named(study, named, out, options)
    benches = resumed(study, named, machine=machine())
    for bench in benches:
        for entrant in bench.entrants if bench.missing else ():
            prepare([entrant.player], bench.rules, 1, allow_code=entrant.allow_code)
    return benches


def _check_named(study: Study, named: list[PlayerSpec], out: str, options: list[str]) -> None:
    """Refuse unless exactly those players of the study are named that need to be."""
    to_name = {player.without_hashes: player for player in players_to_name(study)}
    there = sorted(to_name, key=lambda text: not to_name[text].code)
    given = {player.without_hashes: player.text for player in named}
    if others := [text for key, text in given.items() if key not in to_name]:
        known = ", ".join(map(shown, there)) or "none"
        raise InvalidInput(
            f"with --resume name only the players of {study.name} that run code or take more than "
            f"this machine has ({known}), got {shown(others[0])}. Leave it out"
        )
    again = printable(_going_on(out, [*there, *options]))
    missing = [player for key, player in to_name.items() if key not in given]
    if any(player.code for player in missing):
        raise InvalidInput(
            f"cannot continue {study.name}: it names players that run code, and a file alone "
            f"starts none. If you trust that code: {again}"
        )
    if missing:
        raise InvalidInput(
            f"cannot continue {study.name}: {missing[0].excess}. If you want that: {again}"
        )


def _going_on(out: str, more: Iterable[str]) -> str:
    """The command that continues a study: its players that run code, and options."""
    return shell_line("twofold", "bench", "--resume", out, *more)


# ---- what is shown


def _print_tables(
    benches: Sequence[Bench], found: "Found", *, survival: bool, seconds: float, jobs: int
) -> None:
    for number, bench in enumerate(benches):
        if number:
            print_out()
        standings = [one for home, _, one in found if home is bench]
        print_out(format_runs(standings, from_boards=bench.boards is not None))
        if survival or bench.boards:
            print_survival(standings, bench.rules, bench.boards)
        seeds = dict.fromkeys(entrant.seeds.first for entrant in bench.entrants)
        print_words(f"\nrules {bench.rules}, seeds from {', '.join(map(str, seeds))}")
        print_boards(bench.boards, max(len(one.games) for one in standings))
    print_words(
        f"{counted(jobs, 'job')}, {seconds:.1f} s in all; moves/s and s/game are those of one job"
    )


def _end(found: "Found", *, out: str, options: list[str], interrupted: bool, json: bool) -> None:
    done = sum(len(one.games) for _, _, one in found)
    wanted = sum(entrant.seeds.count for _, entrant, _ in found)
    failed = [one for _, _, one in found if one.error]
    if interrupted and done < wanted and not failed:
        players = dict.fromkeys(one.player for _, one, _ in found)
        named = [player.text for player in players if player.code or player.excess]
        how = f". Continue with: {_going_on(out, [*named, *options])}" if out else ""
        end_interrupted(f"; {counted(done, 'game')} finished{how}")
    if failed and json:
        for one in failed:
            print_note(f"twofold: {one.player} failed on seed {one.failed_seed}: {one.error}")
    if failed:
        raise typer.Exit(1)


# ---- the document


def _write_document(found: "Found", *, interrupted: bool, seconds: float, jobs: int) -> None:
    done = sum(len(one.games) for _, _, one in found)
    wanted = sum(entrant.seeds.count for _, entrant, _ in found)
    players = [_document(bench, entrant, one) for bench, entrant, one in found]
    homes = {bench.boards.hash if bench.boards else "" for bench, _, _ in found}
    common: dict[str, Any] = {}  # to all players; null where a study holds more than that
    for key in ("rules", "games", "seed"):
        values = {player[key] for player in players}
        common[key] = values.pop() if len(values) == 1 else None
    body = {
        **common,
        "boards": boards_document(found[0][0].boards) if len(homes) == 1 else None,
        "interrupted": interrupted and done < wanted,
        "players": players,
    }
    standings = [one for _, _, one in found]
    timing = {"seconds": seconds, "jobs": jobs, "players": list(map(_timing, standings))}
    write_json("bench", body, timing)


def _document(bench: Bench, entrant: Entrant, one: PlayerStanding) -> dict[str, Any]:
    return {
        "player": one.player,
        "spec": one.spec,
        "rules": str(bench.rules),
        "boards": boards_document(bench.boards),
        "games": entrant.seeds.count,
        "seed": str(entrant.seeds.first),
        "reproducible": one.reproducible,
        "error": one.error or None,
        "failed_seed": None if one.failed_seed is None else str(one.failed_seed),
        "summary": _summary(bench, one) if len(one.games) else None,
        "rows": _rows(one.games),
    }


def _rows(games: GameColumns) -> list[dict[str, Any]]:
    cells = games.cells("record", *(one.column for one in FIGURES.values() if one.is_time))
    cells["seed"] = list(map(str, cells["seed"]))
    # for each tile the move number at which it was first there
    cells["reached"] = [
        {str(1 << k): move for k, move in enumerate(moves) if k >= 2} for moves in cells["reached"]
    ]
    return [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]


def _summary(bench: Bench, one: PlayerStanding) -> dict[str, Any]:
    summary = summarise(one.games)
    return {
        "games": summary.games,
        **with_interval("mean_score", summary.score),
        "median_score": summary.median,
        "best_score": summary.best,
        "worst_score": summary.worst,
        "moves": summary.moves,
        "max_tile": summary.max_tile,
        "reach_rates": {
            str(tile): with_interval("rate", rate) for tile, rate in summary.reach.items()
        },
        "survival": survival_document(one.games, bench.rules, bench.boards),
    }


def _timing(one: PlayerStanding) -> dict[str, Any]:
    moves, seconds = int(one.games.moves.sum()), float(one.games.seconds.sum())
    return {
        "moves_per_second": moves / seconds if seconds else None,
        "seconds_per_game": seconds / len(one.games) if len(one.games) else None,
        "seconds": one.games.seconds.tolist(),
    }
