"""Benches: players on the same seeds, with their games stored in a study; benches with names."""

import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from twofold.arena.boards import StartBoards
from twofold.arena.games import GameColumns, gaps, ordered
from twofold.arena.study_rows import StoredRun
from twofold.arena.workers import Backend, Entrant, GameWorkers, Schedule, Task, TaskReport, play
from twofold.errors import InvalidInput, PlayerError
from twofold.game.notation import SeedRange, check_seed, did_you_mean, printable, shown
from twofold.game.rules import Rules
from twofold.limits import MAX_GAMES, MAX_JOBS, check_limit
from twofold.players import Player, PlayerSpec
from twofold.players.presets import STRENGTHS
from twofold.version import SIGNATURE, __version__

if TYPE_CHECKING:
    from twofold.arena.study import Study


@dataclass(frozen=True, slots=True)
class Line:
    """Games of one player; empty `rules` are the standard ones."""

    player: str
    games: int
    rules: str = ""


_AT_THE_GOAL: Final = "stop=goal"

PRESETS: Final[dict[str, tuple[Line, ...]]] = {
    "sources": (
        Line("baeldung", 100, _AT_THE_GOAL),
        Line("baeldung:prune=no", 100, _AT_THE_GOAL),
        *(Line(f"datumbox:depth={depth}", 200, _AT_THE_GOAL) for depth in (3, 5, 7)),
        *(
            Line(f"it3105-{matrix}{keys}", 100)
            for matrix in ("snake", "gradient")
            for keys in ("", ":depth=4", ":layers=literal")
        ),
    ),
    # The largest depths whose mean time a move is within 10 us, 100 us, 1 ms or 10 ms.
    "league": (
        Line("random", 10_000),
        Line("greedy", 10_000),
        Line("corner", 10_000),
        Line("expectimax:ply=2", 2_000),
        Line("alphabeta:depth=3", 2_000),
        Line("ntuple:net=tiny,ply=1", 5_000),
        Line("ntuple:ply=1", 10_000),
        Line("expectimax:ply=3", 300),
        Line("alphabeta:depth=5", 300),
        Line("quick", 300),
        Line("ntuple:net=tiny,ply=2", 500),
        Line("ntuple:ply=2", 1_000),
        Line("policy", 2_000),
        Line("expectimax:ply=4", 60),
        Line("expectimax:eval=snake,ply=3", 100),
        Line("alphabeta:depth=7", 100),
        Line("minimax:depth=5", 100),
        Line("datumbox", 100),
        Line("ntuple:net=tiny,ply=3", 100),
        Line("ntuple:ply=3/2@3", 200),
        Line("policy:ply=1", 260),
        Line("ntuple:ply=3", 200),
        Line("baeldung", 100),
        Line("it3105-snake", 40),
        Line("it3105-gradient", 40),
        Line("expectimax:ply=5", 20),
        Line("expectimax:eval=snake,ply=4", 20),
        Line("nneonneo:cut=0.01", 20),
        Line("policy:ply=2", 30),
        Line("ntuple:net=tiny,ply=4", 20),
        Line("ntuple:ply=4", 20),
    ),
}
"""The lines of each preset, in the order of play."""


def preset_lines(name: str) -> tuple[Line, ...]:
    """The lines of a preset; InvalidInput if there is none of this name."""
    if name not in PRESETS:
        raise InvalidInput(
            f"expected a preset ({', '.join(PRESETS)}), got {shown(name)}"
            f"{did_you_mean(name, PRESETS)}"
        )
    return PRESETS[name]


FLUSH_SECONDS: Final = 0.5
"""Finished games are written to the study at this interval; a killed process loses the rest."""


@dataclass(frozen=True, slots=True)
class PlayerStanding:
    """The stored games of a player, in the order of their seeds, up to the first that failed.

    `error` is one sentence about that failure; empty if there is none.
    """

    player: str
    spec: str
    games: GameColumns
    error: str = ""
    failed_seed: int | None = None
    reproducible: bool = True

    def __repr__(self) -> str:
        failure = f", failed on seed {self.failed_seed}: {self.error}" if self.error else ""
        return f"<PlayerStanding of {printable(self.player)}: {self.games.words}{failure}>"


class MemoryStudy:
    """The runs of a bench without a file, and its games as the columns that were played.

    Its methods are those of a `Study`.
    """

    name = "this bench"

    def __init__(self) -> None:
        self._runs: list[StoredRun] = []
        self._games: dict[int, list[GameColumns]] = {}
        self._failures: dict[int, dict[int, str]] = {}

    def runs(self) -> list[StoredRun]:
        """All runs, in the order in which they were added."""
        return self._runs

    def add_run(
        self, spec: str, player: str, rules: str, *, boards: StartBoards | None = None, **about: Any
    ) -> StoredRun:
        """The run of a player, added if missing."""
        number, hashed = len(self._runs) + 1, boards.hash if boards else ""
        new = StoredRun(number, spec, player, rules, **about, created="", boards=hashed)
        for run in self._runs:
            if run.home == new.home:
                return run
        self._runs.append(new)
        return new

    def mark_not_reproducible(self, run: int) -> None:
        """Note that games of a run depend on more than player, rules and seed."""
        self._runs[run - 1] = msgspec.structs.replace(self._runs[run - 1], reproducible=False)

    def want(self, run: int, seeds: SeedRange) -> None:
        """Nothing: no later call plays what is missing."""

    def add(self, run: int, games: GameColumns) -> None:
        """Add finished games."""
        self._games.setdefault(run, []).append(games)

    def flush(self) -> None:
        """Nothing: what is added is there."""

    def fail(self, run: int, seed: int, error: str) -> None:
        """Keep the error of a game; it can be played again."""
        self._failures.setdefault(run, {})[seed] = error

    def failures(self, run: int) -> dict[int, str]:
        """Errors by seed of the games that failed and were not finished later."""
        finished = set(self._joined(run).seeds.tolist())
        failed = self._failures.get(run, {}).items()
        return {seed: error for seed, error in failed if seed not in finished}

    def missing(self, run: int, seeds: SeedRange) -> list[SeedRange]:
        """The seeds without a finished game, in order."""
        return gaps(seeds, self._joined(run).seeds)

    def games(self, run: int, seeds: SeedRange, *, reached: bool = True) -> GameColumns:
        """The finished games of a run, in the order of `seeds`; they always have `reached`."""
        games = self._joined(run)
        return ordered(games.where(seeds.holds(games.seeds)), seeds)

    def _joined(self, run: int) -> GameColumns:
        games = GameColumns.joined(self._games.get(run, ()))
        return games.where(np.unique(games.seeds, return_index=True)[1])  # a player named twice


class Bench:
    """Plays the games of several players (`entrants`) that a study does not have yet.

    Without a study the games are kept in memory. `rules` and `boards` are those of players that
    are added without any; games begin on `boards` if given.
    `machine` is a description stored with new runs. With `records` the record of each new game is
    stored, about a byte a move. `say` is called with a sentence about a player whose first game
    differs when it is played again.
    """

    def __init__(
        self,
        study: "Study | MemoryStudy | None",
        rules: Rules,
        *,
        machine: dict[str, Any] | None = None,
        records: bool = False,
        boards: StartBoards | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self.say = say or (lambda _: None)
        self.study = MemoryStudy() if study is None else study
        self.rules, self.machine = rules, machine or {}
        self.boards = boards
        self.records = records
        self.entrants: list[Entrant] = []
        self._runs: list[StoredRun] = []  # of the study, read once

    def add(
        self,
        player: PlayerSpec | str,
        seeds: SeedRange,
        *,
        rules: Rules | None = None,
        boards: StartBoards | None = None,
        allow_code: bool = True,
        made: Player | None = None,
    ) -> Entrant:
        """Add a player and the seeds of its games; with `allow_code=False` it may not run code.

        `made` is the player itself, where it is made and started already.

        Raises:
            InvalidInput: the spec or a number is invalid, or the player has changed since its games
                in the study were played.
        """
        _check_seeds(seeds)
        rules, boards = rules or self.rules, boards or self.boards
        player = PlayerSpec.of(player).settled(rules)
        if made is None:
            with player.make(allow_code=allow_code) as made:
                made.start(rules, seeds.first)
        entrant = replace(
            Entrant.of(player, made, seeds, rules), boards=boards, allow_code=allow_code
        )
        self._check_earlier(player.text, made.made_from, str(rules))
        run = self.study.add_run(
            entrant.spec,
            player.asked or player.text,
            str(rules),
            signature=str(SIGNATURE),
            twofold=__version__,
            machine=self.machine,
            reproducible=entrant.reproducible,
            boards=boards,
        )
        self._runs.append(run)
        self.entrants.append(replace(entrant, run=run.run, reproducible=run.reproducible))
        return self.want(len(self.entrants) - 1, seeds)

    def _check_earlier(self, player: str, ours: PlayerSpec, rules: str) -> None:
        """Refuse a player that was another one in its earlier runs.

        Its network or code file has changed, or its text stood for other settings.
        """
        self._runs = self._runs or list(self.study.runs())
        for run in [one for one in self._runs if one.rules == rules]:
            theirs, wrong = PlayerSpec.parse(run.spec), ""
            if theirs.without_hashes == ours.without_hashes:
                if theirs.hashes != ours.hashes:
                    wrong = (
                        f"{shown(run.player)} with {_words(theirs.hashes)} as in "
                        f"{self.study.name}, got {_words(ours.hashes)}: the file has changed"
                    )
            elif (run.player, run.signature) == (player, str(SIGNATURE)):
                wrong = (
                    f"{shown(player)} to be {_beyond(theirs, ours)} as in {self.study.name}, got "
                    f"{_beyond(ours, theirs)}"
                )
            if wrong:
                raise InvalidInput(f"expected {wrong}. Use a new study")

    def want(self, number: int, seeds: SeedRange) -> Entrant:
        """Change the seeds of an entrant; there must be 1 to MAX_GAMES."""
        _check_seeds(seeds)
        run = self.entrants[number].run
        missing = sum(part.count for part in self.study.missing(run, seeds))
        self.study.want(run, seeds)
        self.entrants[number] = replace(self.entrants[number], seeds=seeds, missing=missing)
        return self.entrants[number]

    @property
    def missing(self) -> int:
        """Number of games still to play."""
        return sum(entrant.missing for entrant in self.entrants)

    def play(
        self,
        jobs: int,
        *,
        timeout: float | None = None,
        backend: Backend | None = None,
        on_result: Callable[[int, GameColumns], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> list[str]:
        """Play the missing games and store them; an error message for each player, or "".

        The first game of a player with code of its own is played twice, before any is stored; if
        the two differ, its games are stored as not reproducible.

        Args:
            jobs: number of games at the same time; 0 plays them in this thread.
            timeout: seconds for one game of a player in Python.
            backend: where to play; None for this machine.
            on_result: called in this thread with the entrant's number and some finished games.
            stop: polled; True ends the run with the games that are finished.
        """
        check_limit("jobs", jobs, 0, MAX_JOBS)
        if not self.missing:
            return [""] * len(self.entrants)
        schedules = [self._schedule(number) for number in range(len(self.entrants))]
        note, stop = on_result or (lambda *_: None), stop or (lambda: False)
        with ExitStack() as stack:
            if backend is None:
                workers = GameWorkers(min(jobs, self.missing), timeout=timeout)
                backend = stack.enter_context(workers)
            stack.callback(self.study.flush)
            flushed = time.monotonic()
            first = self._checked_firsts(backend, schedules, stop)
            for report in chain(first, play(backend, schedules, stop)):
                number, entrant = report.task.number, self.entrants[report.task.number]
                if report.spec != entrant.spec:
                    raise PlayerError(
                        f"expected games of {entrant.spec}, got one of {report.spec}: a file has "
                        "changed"
                    )
                self.study.add(entrant.run, report.games)
                note(number, report.games)
                if time.monotonic() - flushed > FLUSH_SECONDS:
                    self.study.flush()
                    flushed = time.monotonic()
        errors = []
        for schedule, entrant in zip(schedules, self.entrants, strict=True):
            for seed, error in schedule.errors.items():
                self.study.fail(entrant.run, seed, error)
            failed = min(schedule.errors, key=entrant.seeds.place, default=None)
            errors.append("" if failed is None else schedule.errors[failed])
        return errors

    def _schedule(self, number: int) -> Schedule:
        one = self.entrants[number]
        task = Task(number, replace(one, boards=None), one.seeds, self.records)
        return Schedule(task, deque(self.study.missing(one.run, one.seeds)), one.boards)

    def _checked_firsts(
        self, backend: Backend, schedules: Sequence[Schedule], stop: Callable[[], bool]
    ) -> Iterator[TaskReport]:
        """Play the first games of new players with code, each twice, and take them from the rest.

        A player that fails in the first attempt has that error; one that is interrupted in the
        second has no game.
        """
        new = [
            number
            for number, one in enumerate(self.entrants)
            if one.reproducible and one.missing == one.seeds.count and one.player.code
        ]
        if not new:
            return
        first = self._firsts(backend, [schedules[n] for n in new], stop)
        again = self._firsts(
            backend, [replace(schedules[n], errors={}, attempts=Counter()) for n in first], stop
        )
        for number, report in first.items():
            if number not in again and stop():
                continue
            if number not in again or not again[number].games.equals(report.games):
                entrant, seed = self.entrants[number], report.task.seeds.first
                self.study.mark_not_reproducible(entrant.run)
                self.entrants[number] = replace(entrant, reproducible=False)
                self.say(
                    f"{printable(entrant.player.text)} played the game of seed {seed} twice, in "
                    "two ways: its games are not reproducible"
                )
            part = schedules[number].parts.popleft()
            if part.count > 1:
                schedules[number].parts.appendleft(part.part(1))
            yield report

    def _firsts(
        self, backend: Backend, schedules: Sequence[Schedule], stop: Callable[[], bool]
    ) -> dict[int, TaskReport]:
        """The first game of each schedule that is finished and did not fail, by player."""
        alone = [replace(one, parts=deque([one.parts[0].part(0, 1)])) for one in schedules]
        return {report.task.number: report for report in play(backend, alone, stop)}

    def standings(self, *, reached: bool = True) -> list[PlayerStanding]:
        """The stored games of each entrant; after a failure only those before it."""
        return [self._standing(entrant, reached) for entrant in self.entrants]

    def _standing(self, entrant: Entrant, reached: bool) -> PlayerStanding:
        seeds, failures = entrant.seeds, self.study.failures(entrant.run)
        games = self.study.games(entrant.run, seeds, reached=reached)
        failed, error = min(failures, key=seeds.place, default=None), ""
        if failed is None or seeds.place(failed) >= seeds.count:
            failed = None
        else:
            before = np.count_nonzero(seeds.places(games.seeds) < seeds.place(failed))
            games, error = games.first(int(before)), failures[failed]
        return PlayerStanding(
            entrant.player.asked or entrant.player.text,
            entrant.spec,
            games,
            error,
            failed,
            entrant.reproducible,
        )


def backend_at(
    address: str | None, jobs: int | None = None, timeout: float | None = None
) -> AbstractContextManager[Backend | None]:
    """Where to play: a Ray cluster, see `RayWorkers`; None for this machine without an address."""
    if not address:
        return nullcontext()
    from twofold.arena.ray_workers import RayWorkers

    return RayWorkers(address, jobs=jobs, timeout=timeout)


def _check_seeds(seeds: SeedRange) -> None:
    check_limit("games", seeds.count, 1, MAX_GAMES)
    check_seed(seeds.first)


def resumed(
    study: "Study", named: Collection[PlayerSpec] = (), *, machine: dict[str, Any] | None = None
) -> Bench:
    """All games that a study was asked for, under whatever rules and from whatever boards.

    `named` are the players that may run code and programs, and may take more than the machine has;
    a study alone does neither.

    Raises:
        InvalidInput: a player can no longer be made, has changed, or needs to be named and is not;
            or the study asks for more than MAX_GAMES.
    """
    asked = study.wanted()
    check_limit(
        f"the games that {study.name} asks for", sum(one.seeds.count for one in asked), 0, MAX_GAMES
    )
    trusted = {player.without_hashes for player in named}
    runs = {run.run: run for run in study.runs()}
    homes = {(run.rules, run.boards): run for run in runs.values()}
    boards = {home: study.boards_of(run) for home, run in homes.items()}
    bench = Bench(study, Rules(), machine=machine)
    for run, seeds in [(runs[one.run], one.seeds) for one in asked if one.run in runs]:
        if run.signature != str(SIGNATURE):
            raise InvalidInput(
                f"expected signature {run.signature} (twofold {run.twofold}) as in "
                f"{study.name}, got {SIGNATURE} (twofold {__version__}): players may choose "
                "other moves now. Use a new study"
            )
        with _going_on(study):
            player = PlayerSpec.parse(run.player)
            is_trusted = player.without_hashes in trusted
            if player.name in STRENGTHS:  # its tables are those of then
                player = replace(PlayerSpec.parse(run.spec), asked=run.player)
            if not is_trusted and player.excess:
                raise InvalidInput(f"{player.excess}. Name it, if you want that")
            is_trusted = is_trusted and not player.asked  # a strength runs no code
            bench.add(
                player,
                seeds,
                rules=Rules.parse(run.rules),
                boards=boards[run.rules, run.boards],
                allow_code=is_trusted,
            )
    return bench


def players_to_name(study: "Study") -> list[PlayerSpec]:
    """The players that a study was asked for and that run code or take more than there is here."""
    wanted = {one.run for one in study.wanted()}
    names = dict.fromkeys(run.player for run in study.runs() if run.run in wanted)
    with _going_on(study):
        players = map(PlayerSpec.parse, names)
        return [player for player in players if player.code or player.excess]


def _words(hashes: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={text}" for key, text in hashes.items()) or "no hash of a file"


def _beyond(spec: PlayerSpec, other: PlayerSpec) -> str:
    """A spec with only the settings that the other one does not have."""
    return PlayerSpec.of_parts(spec.name, dict(spec.values.items() - other.values.items()), {}).text


@contextmanager
def _going_on(study: "Study") -> Iterator[None]:
    try:
        yield
    except InvalidInput as error:
        raise type(error)(f"cannot continue {study.name}: {error}") from error
