"""`twofold bench`: a fair table of players, kept in a study."""

import itertools
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import msgspec
import typer
from msgspec import field

from twofold.arena import summarise
from twofold.arena.bench import Bench, PlayerStanding, players_to_name, preset_lines, resumed
from twofold.arena.boards import StartBoards, read_boards
from twofold.arena.games import GameColumns
from twofold.arena.stats import Fates, SumBand, bands, edges_of, format_runs, format_survival
from twofold.arena.workers import Entrant
from twofold.cli import _games, _options, _output
from twofold.cli._documents import BoardsDocument, Ends, JobsTiming, Part, PlayerDocument, Rate
from twofold.errors import InvalidInput
from twofold.figures import counted
from twofold.game.notation import SeedRange, parse_seed, printable, shell_line, shown
from twofold.game.rules import Rules
from twofold.limits import MAX_GAMES, cores
from twofold.players import PlayerSpec

if TYPE_CHECKING:
    from twofold.arena.study import Study

    Found = list[tuple[Entrant, PlayerStanding]]

EXAMPLE = """  twofold bench greedy corner --games 100 --seed 1
  twofold bench random my_player.py:Mine --games 50 --jobs 2 --json
  twofold bench fast normal strong --games 100 --out study.db
  twofold bench --resume study.db
  twofold bench --resume study.db my_player.py:Mine
  twofold bench ntuple --boards late.txt --out late.db
  twofold bench --preset sources --out sources.db
  twofold bench strong --games 10000 --ray auto --out study.db"""


NEEDS = [("--records", "--out --resume")]
APART = [
    (
        "--resume",
        "--games --boards --rules --seed --preset --force",
        "a study goes on with what it was asked for",
    ),
    ("--preset", "--games --boards --rules PLAYER", "the preset says what is played"),
]
GOES_ON = "--resume --out"

_GAMES = 100


def command(
    context: typer.Context,
    players: Annotated[
        list[str] | None,
        _options.argument(
            "PLAYER",
            "Players, or strengths: fast, normal, strong, max. With --resume: the study, then its "
            "players that run code.",
        ),
    ] = None,
    games: Annotated[
        int | None,
        _options.option(
            "N",
            "Games per player. Default: 100, or one per board of --boards.",
            min=1,
            max=MAX_GAMES,
        ),
    ] = None,
    seed: Annotated[
        str | None, _options.option("S", "Seed of the first game; the next is S+1. Default: 1.")
    ] = None,
    boards: _options.BoardsOption = "",
    out: _options.StudyOption = "",
    force: _options.ForceOption = False,
    preset: Annotated[
        Literal["sources", "league"] | None,
        _options.option("NAME", "Play a set of players instead of PLAYER: sources or league."),
    ] = None,
    resume: Annotated[
        bool, _options.flag("--resume", "Continue a study: play the games that it lacks.")
    ] = False,
    jobs: _options.JobsOption = None,
    ray: _options.RayOption = None,
    timeout: Annotated[
        str, _options.option("T", "Longest time for one game of a Python player.")
    ] = "1h",
    records: Annotated[
        bool, _options.flag("--records", "Also store the record of each new game in --out.")
    ] = False,
    survival: Annotated[
        bool, _options.flag("--survival", "Also show at which tile sums games end.")
    ] = False,
    rules: _options.RulesOption = "",
    json: _options.JsonOption = False,
) -> None:
    """Measure players on the same seeds; show a table.

    The table has mean scores with 95 % intervals, reach rates and speed. A game depends on
    player, rules and seed only, so --jobs changes nothing but the times. --out stores every
    finished game, and no game is played twice. With --boards the game of seed S starts from
    board S of the file, one board per line, in turn; its score counts from there.
    """
    first = parse_seed("1" if seed is None else seed)
    used_jobs = jobs or cores()
    seconds_a_game = _options.read_seconds(timeout, "--timeout")
    if resume and not out and players:
        out, *players = players
    kept = ("jobs", "ray", "timeout", "records", "survival", "json")
    specs = list(map(PlayerSpec.parse, players or []))
    if resume:
        options = _options.given_again(context, *kept)
        _check_resumed(out, specs, options)  # refused before a byte of it changes
    elif not (players or preset):
        raise InvalidInput("missing argument: expected players, --preset NAME or --resume FILE")
    with _games.open_study(out, specs, boards, force=force) as study:
        if resume:
            assert study is not None
            bench = _resumed(study, specs)
        elif preset:
            bench = _preset(study, preset, first)
        else:
            used_rules = _options.read_rules(rules, specs)
            _options.hint_at_strengths(() if json else specs, used_rules)
            bench = _wanted(study, used_rules, specs, boards, games, first)
        bench.records, bench.say = records, _games.say_beside
        lines = [(one.player.title, one.seeds.count, one.missing) for one in bench.entrants]
        address = ray if bench.missing else None
        began = time.perf_counter()
        with _games.playing(address, jobs, lines, seconds_a_game) as (far, asked, advance):
            used_jobs = far.jobs if far else used_jobs
            bench.play(
                used_jobs, timeout=seconds_a_game, backend=far, on_result=advance, stop=asked.is_set
            )
        seconds = time.perf_counter() - began
        found = list(zip(bench.entrants, bench.standings(reached=json), strict=True))
    done = sum(len(one.games) for _, one in found)
    failed = [one for _, one in found if one.error]
    interrupted = asked.is_set() and done < sum(entrant.seeds.count for entrant, _ in found)
    if json:
        _write_document(found, interrupted=interrupted, seconds=seconds, jobs=used_jobs)
    elif done or failed:
        _print_tables(found, survival=survival)
        _output.print_words(
            f"{counted(used_jobs, 'job')}, {seconds:.1f} s in all; moves/s and s/game are those of "
            "one job"
        )
    if failed:
        _games.print_failures(failed if json else ())
        raise typer.Exit(1)
    if interrupted:
        named = [one.player.text for one, _ in found if one.player.code or one.player.excess]
        again = [*dict.fromkeys(named), *_options.given_again(context, *kept)]
        words = f"; {counted(done, 'game')} finished"
        _output.end_interrupted(words, _going_on(out, again) if out else "")


# ---- what is asked for


def _check_resumed(out: str, named: list[PlayerSpec], options: list[str]) -> None:
    """Refuse unless there are games to play, and exactly those players are named that need to be.

    These are the players of the study that run code or take more than this machine has.
    """
    if not (out and Path(out).exists()):
        got = f"got {shown(out)}, which does not exist" if out else "as --resume FILE, got none"
        raise InvalidInput(f"expected a study to continue, {got}")
    from twofold.arena.study import Study

    with Study(out, read_only=True) as study:
        name, is_wanted, players = study.name, study.wanted(), players_to_name(study)
    if not is_wanted:
        raise InvalidInput(
            f"there is nothing to continue in {name}: it was asked for no games, or stopped "
            "before it began. Name players and --games, with --out"
        )
    to_name = {player.without_hashes: player for player in players}
    there = sorted(to_name, key=lambda text: not to_name[text].code)
    given = {player.without_hashes: player.text for player in named}
    if others := [text for key, text in given.items() if key not in to_name]:
        known = ", ".join(map(shown, there)) or "none"
        raise InvalidInput(
            f"with --resume name only the players of {name} that run code or take more than "
            f"this machine has ({known}), got {shown(others[0])}. Leave it out"
        )
    again = printable(_going_on(out, [*there, *options]))
    missing = [player for key, player in to_name.items() if key not in given]
    if any(player.code for player in missing):
        raise InvalidInput(
            f"cannot continue {name}: it names players that run code, and a file alone "
            f"starts none. If you trust that code: {again}"
        )
    if missing:
        raise InvalidInput(
            f"cannot continue {name}: {missing[0].excess}. If you want that: {again}"
        )


def _resumed(study: "Study", named: list[PlayerSpec]) -> Bench:
    bench = resumed(study, named, machine=_output.machine())
    for one in bench.entrants:
        if one.missing:
            _options.prepare([one.player], one.rules, 1, allow_code=one.allow_code)
    return bench


def _going_on(out: str, more: Iterable[str]) -> str:
    """The command that continues a study: its players that run code, and options."""
    return shell_line("twofold", "bench", "--resume", out, *more)


def _wanted(
    study: "Study | None",
    rules: Rules,
    players: list[PlayerSpec],
    boards: str,
    games: int | None,
    seed: int,
) -> Bench:
    starts = read_boards(boards, rules) if boards else None
    with _output.loading():
        players = [player.settled(rules) for player in players]
    for one, other in itertools.combinations(players, 2):
        if one.short == other.short:
            raise InvalidInput(
                "expected different players, got the same one as "
                f"{shown(one.title)} and {shown(other.title)}"
            )
    bench = Bench(study, rules, machine=_output.machine() if study else {}, boards=starts)
    usual = _GAMES if starts is None else len(starts)
    _add(bench, dict.fromkeys(players, usual if games is None else games), rules, seed)
    return bench


def _add(bench: Bench, players: Mapping[PlayerSpec, int], rules: Rules, seed: int) -> None:
    """Add players with their numbers of games, once all of them are ready."""
    with ExitStack() as stack:
        ready = [stack.enter_context(one) for one in _options.opened(players, rules, seed)]
        for (spec, games), made in zip(players.items(), ready, strict=True):
            bench.add(spec, SeedRange(seed, games), rules=rules, made=made)


def _preset(study: "Study | None", name: str, seed: int) -> Bench:
    lines = preset_lines(name)
    bench = Bench(study, Rules(), machine=_output.machine() if study else {})
    for rules in dict.fromkeys(line.rules for line in lines):
        ours = {PlayerSpec.parse(one.player): one.games for one in lines if one.rules == rules}
        _add(bench, ours, _options.read_rules(rules), seed)
    return bench


# ---- what is shown


def _print_tables(found: "Found", *, survival: bool) -> None:
    groups: dict[tuple[Rules, StartBoards | None], Found] = {}
    for entrant, standing in found:
        groups.setdefault((entrant.rules, entrant.boards), []).append((entrant, standing))
    for number, ((rules, boards), ours) in enumerate(groups.items()):
        if number:
            _output.print_out()
        standings = [one for _, one in ours]
        _output.print_out(format_runs(standings, from_boards=boards is not None))
        if (survival or boards) and (ends := format_survival(standings, rules, boards)):
            _output.print_words(
                "\nwhere games ended: for each band of tile sums, the share of the games there\n"
            )
            _output.print_out(ends)
        seeds = dict.fromkeys(entrant.seeds.first for entrant, _ in ours)
        _output.print_words(f"\nrules {rules}, seeds from {', '.join(map(str, seeds))}")
        _games.print_boards(boards, max(len(one.games) for one in standings))
    _games.say_strengths((one.player, one.spec) for _, one in found)


# ---- the document


class SumBandDocument(Part, frozen=True):
    """Where games ended: those in a band of tile sums.

    Attributes:
        tile_sum: the band: lower end, and upper end, which is beyond it.
        at_risk: number of games that came to it.
        ended: number of games that ended in it.
        share: share of those that came to it which ended in it.
        share_95: its 95 % interval.
        going: share of all games that went on beyond it.
        going_95: its 95 % interval.
    """

    tile_sum: tuple[int, int]
    at_risk: int = field(name="games")
    ended: int
    share: float
    share_95: Ends
    going: float
    going_95: Ends

    @classmethod
    def of(cls, source: SumBand, **given: Any) -> Self:
        """The document of a band."""
        return super().of(source, tile_sum=(source.low, source.high), **given)


class SummaryDocument(Part, frozen=True):
    """The finished games of a player.

    Attributes:
        games: number of finished games.
        score: mean score, in points.
        score_95: its 95 % interval.
        median: median score, in points.
        best: largest score, in points.
        worst: smallest score, in points.
        moves: moves of all games.
        max_tile: largest tile of all games.
        reach: how often each tile from 4 was reached.
        survival: where games ended, by bands of tile sums.
    """

    games: int
    score: float = field(name="mean_score")
    score_95: Ends = field(name="mean_score_95")
    median: float = field(name="median_score")
    best: int = field(name="best_score")
    worst: int = field(name="worst_score")
    moves: int
    max_tile: int
    reach: dict[str, Rate] = field(name="reach_rates")
    survival: list[SumBandDocument]


class GameRow(msgspec.Struct, frozen=True):
    """One game.

    Attributes:
        seed: seed of the game.
        score: points.
        moves: number of moves.
        max_tile: largest tile at the end.
        reached: for each tile from 4 the number of the move that first made it or a larger one.
        tile_sum: sum of the tiles at the end.
    """

    seed: str
    score: int
    moves: int
    max_tile: int
    reached: dict[str, int]
    tile_sum: int

    @classmethod
    def of(cls, games: GameColumns) -> list[Self]:
        """The documents of games."""
        cells = games.cells()
        cells["seed"] = list(map(str, cells["seed"]))
        cells["reached"] = [
            {str(1 << k): move for k, move in enumerate(moves) if k >= 2}
            for moves in cells["reached"]
        ]
        columns = (cells[name] for name in cls.__struct_fields__)
        return [cls(*row) for row in zip(*columns, strict=True)]


class BenchPlayer(PlayerDocument, frozen=True):
    """A player and its games.

    Attributes:
        games: number of games that were asked for.
        rules: rules of the game.
        boards: boards on which games begin; null for the usual start.
        seed: seed of the first game.
        summary: the finished games; null without any.
        rows: the finished games, in the order of their seeds.
    """

    rules: str
    boards: BoardsDocument | None
    seed: str
    summary: SummaryDocument | None
    rows: list[GameRow]


class BenchDocument(Part, frozen=True):
    """A bench: players on the same seeds.

    Attributes:
        rules: rules of the game; null if they differ between players.
        games: number of games asked for of each player; null if they differ.
        seed: seed of the first game; null if they differ.
        boards: boards on which games begin; null for the usual start, and if they differ.
        interrupted: true if Ctrl-C ended it before all games were played.
        players: the players, in the order of the command.
    """

    rules: str | None
    games: int | None
    seed: str | None
    boards: BoardsDocument | None
    interrupted: bool
    players: list[BenchPlayer]


class PlayerTiming(msgspec.Struct, frozen=True):
    """Time of a player's games; each game runs in one job.

    Attributes:
        moves_per_second: mean speed; null without games.
        seconds_per_game: mean time of a game; null without games.
        seconds: time of each game.
    """

    moves_per_second: float | None
    seconds_per_game: float | None
    seconds: list[float]

    @classmethod
    def of(cls, games: GameColumns) -> Self:
        """The times of games."""
        moves, seconds = int(games.moves.sum()), float(games.seconds.sum())
        return cls(
            moves / seconds if seconds else None,
            seconds / len(games) if len(games) else None,
            games.seconds.tolist(),
        )


class BenchTiming(JobsTiming, frozen=True):
    """Time of a bench.

    Attributes:
        players: the times of each player.
    """

    players: list[PlayerTiming]


def _write_document(found: "Found", *, interrupted: bool, seconds: float, jobs: int) -> None:
    players = [_player(*each) for each in found]
    common: dict[str, Any] = {}
    for name in ("rules", "games", "seed", "boards"):
        values = {getattr(one, name) for one in players}  # null where a study holds several
        common[name] = values.pop() if len(values) == 1 else None
    document = BenchDocument(**common, interrupted=interrupted, players=players)
    times = [PlayerTiming.of(one.games) for _, one in found]
    _output.write_json("bench", document, BenchTiming(seconds, jobs, times))


def _player(entrant: Entrant, one: PlayerStanding) -> BenchPlayer:
    summary = None
    if len(one.games):
        fates = Fates.of_games(one.games, entrant.rules, entrant.boards)
        survival = bands(fates, edges_of([fates]))
        summary = SummaryDocument.of(summarise(one.games), survival=survival)
    return BenchPlayer.of(
        one,
        games=entrant.seeds.count,
        rules=entrant.rules,
        boards=entrant.boards,
        seed=entrant.seeds.first,
        summary=summary,
        rows=GameRow.of(one.games),
    )
