"""Benches: players over the same seeds, their games kept in a study."""

import contextlib
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from twofold.arena.boards import StartBoards
from twofold.arena.games import GameColumns, GameRow
from twofold.arena.schedule import Backend, Schedule, play
from twofold.arena.studies.study import Study
from twofold.arena.workers import GameWorkers
from twofold.errors import InvalidInput, PlayerError
from twofold.limits import MAX_GAMES, MAX_JOBS, check_limit
from twofold.notation import check_seed, format_spec, parse_spec, split_hashes
from twofold.players import make_player, settled
from twofold.players.registry import code_of
from twofold.rules import Rules
from twofold.seeds import SeedRange
from twofold.version import SIGNATURE, __version__

FLUSH_SECONDS: Final = 0.5
"""How often finished games are written to the study: what a kill may cost."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player of a bench.

    Attributes:
        player: the player as it was named.
        run: its number in the study.
        spec: its canonical spec.
        seeds: of its games.
        missing: how many of them are still to be played.
        compiled: whether it runs in threads.
        allow_code: whether it may run code and programs, see `make_player`.
    """

    player: str
    run: int
    spec: str
    seeds: SeedRange
    missing: int
    compiled: bool
    allow_code: bool = True


@dataclass(frozen=True, slots=True)
class PlayerStanding:
    """What a study knows of a player's games.

    Attributes:
        player: the player as it was named.
        spec: its canonical spec.
        games: its finished games, in the order of their seeds; where one failed, those before
            it.
        error: what went wrong, one sentence; empty if nothing did.
        failed_seed: the seed of the first game that failed.
    """

    player: str
    spec: str
    games: GameColumns
    error: str = ""
    failed_seed: int | None = None


class Bench:
    """Games that are wanted of some players, in a study that may hold many of them already.

    Args:
        study: where games are kept.
        rules: the rules of all games.
        machine: what figures depend on, kept with new runs.
        records: whether the record of each new game is kept; it takes a byte a move.
        boards: where the games begin; None for new games.

    Attributes:
        entrants: the players.
    """

    def __init__(
        self,
        study: Study,
        rules: Rules,
        *,
        machine: dict[str, Any] | None = None,
        records: bool = False,
        boards: StartBoards | None = None,
    ) -> None:
        self.study, self.rules, self.machine = study, rules, machine or {}
        self.boards = boards
        self.records = records
        self.entrants: list[Entrant] = []

    def add(self, player: str, seeds: SeedRange, *, allow_code: bool = True) -> Entrant:
        """Want games of a player.

        Args:
            player: its spec.
            seeds: of the games.
            allow_code: whether the spec may name code and programs; False where a file says it.

        Raises:
            InvalidInput: the spec or a number cannot be used, or the player has changed since
                the study holds games of it.
        """
        _check_seeds(seeds)
        player = settled(player, self.rules)
        with make_player(player, allow_code=allow_code) as made:
            made.start(self.rules, seeds.first)
            spec, compiled, reproducible = made.spec, made.compiled, made.reproducible
        run = self.study.add_run(
            spec,
            player,
            str(self.rules),
            signature=str(SIGNATURE),
            twofold=__version__,
            machine=self.machine,
            reproducible=reproducible,
            boards=self.boards,
        )
        self.entrants.append(Entrant(player, run, spec, seeds, 0, compiled, allow_code))
        return self.want(len(self.entrants) - 1, seeds)

    def want(self, number: int, seeds: SeedRange) -> Entrant:
        """Want other games of an entrant.

        Raises:
            InvalidInput: there are none, or too many.
        """
        _check_seeds(seeds)
        run = self.entrants[number].run
        missing = sum(part.count for part in self.study.missing(run, seeds))
        self.study.want(run, seeds)
        self.entrants[number] = replace(self.entrants[number], seeds=seeds, missing=missing)
        return self.entrants[number]

    @property
    def missing(self) -> int:
        """Games still to be played."""
        return sum(entrant.missing for entrant in self.entrants)

    def play(
        self,
        jobs: int,
        *,
        timeout: float | None = None,
        backend: Backend | None = None,
        on_result: Callable[[int, GameRow], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> list[str]:
        """Play what is missing, and keep it.

        Args:
            jobs: number of games played at the same time; 0 plays them in this thread.
            timeout: seconds that a game of a player of your own may take.
            backend: where to play; None for this machine.
            on_result: called in this thread with the entrant's number and each finished game.
            stop: asked now and then; True ends it with the games that are finished.

        Returns:
            For each player what failed, one sentence; empty where nothing did.

        Raises:
            ResourceError: the study cannot be written; what it held is still there.
        """
        check_limit("jobs", jobs, 0, MAX_JOBS)
        if not self.missing:
            return [""] * len(self.entrants)
        schedules = [self._schedule(number) for number in range(len(self.entrants))]
        if backend is not None:
            self._keep(backend, schedules, on_result, stop)
        else:
            compiled = [entrant.compiled for entrant in self.entrants]
            with GameWorkers(min(jobs, self.missing), compiled, timeout=timeout) as workers:
                self._keep(workers, schedules, on_result, stop)
        for schedule, entrant in zip(schedules, self.entrants, strict=True):
            for seed, error in schedule.errors.items():
                self.study.fail(entrant.run, seed, error)
        return [self._first_error(schedule) for schedule in schedules]

    def _schedule(self, number: int) -> Schedule:
        entrant = self.entrants[number]
        return Schedule(
            number,
            entrant.player,
            deque(self.study.missing(entrant.run, entrant.seeds)),
            self.records,
            entrant.allow_code,
            self.boards,
        )

    def _first_error(self, schedule: Schedule) -> str:
        place = self.entrants[schedule.player].seeds.place
        first = min(schedule.errors, key=place, default=None)
        return "" if first is None else schedule.errors[first]

    def _keep(
        self,
        backend: Backend,
        schedules: Sequence[Schedule],
        on_result: Callable[[int, GameRow], None] | None,
        stop: Callable[[], bool] | None,
    ) -> None:
        last = time.monotonic()
        try:
            for number, row in play(backend, schedules, self.rules, stop or _never):
                self._check_spec(self.entrants[number], row)
                self.study.add(self.entrants[number].run, row)
                if on_result is not None:
                    on_result(number, row)
                if time.monotonic() - last > FLUSH_SECONDS:
                    self.study.flush()
                    last = time.monotonic()
        finally:
            self.study.flush()

    def _check_spec(self, entrant: Entrant, row: GameRow) -> None:
        """A file that changes while games are played must not go unnoticed."""
        if row.player != entrant.spec:
            raise PlayerError(
                f"expected games of {entrant.spec}, got some of {row.player}: a file has changed"
            )

    def standings(self, *, reached: bool = True) -> list[PlayerStanding]:
        """What is known of the games that were wanted, one line for each entrant."""
        return [standing(self.study, entrant, reached=reached) for entrant in self.entrants]


def _never() -> bool:
    return False


def _check_seeds(seeds: SeedRange) -> None:
    check_limit("games", seeds.count, 1, MAX_GAMES)
    check_seed(seeds.first)


def standing(study: Study, entrant: Entrant, *, reached: bool = True) -> PlayerStanding:
    """What a study knows of the wanted games; after a failure only those before it."""
    seeds, failures = entrant.seeds, study.failures(entrant.run)
    games = study.games(entrant.run, seeds, reached=reached)
    failed = min(failures, key=seeds.place, default=None)
    if failed is None or seeds.place(failed) >= seeds.count:
        return PlayerStanding(entrant.player, entrant.spec, games)
    before = np.count_nonzero(seeds.places(games.seeds) < seeds.place(failed))
    kept = games.first(int(before))
    return PlayerStanding(entrant.player, entrant.spec, kept, failures[failed], failed)


def resume(bench: Bench, named: Collection[str] = ()) -> None:
    """Want everything that the study was ever asked for under the rules of the bench.

    Of runs from boards, those from the boards of the bench.

    Args:
        bench: without players yet.
        named: the players of the study that may run code and programs. The study alone does not
            say what is run here.

    Raises:
        InvalidInput: a player can no longer be made, plays otherwise than it did, or runs code
            and is not named; or more games are asked for in all than a run may have.
    """
    asked = sum(wanted.seeds.count for wanted in bench.study.wanted())
    check_limit(f"the games that {bench.study.name} asks for", asked, 0, MAX_GAMES)
    trusted = {plain_spec(player) for player in named}
    home = (str(bench.rules), bench.boards.hash if bench.boards else "")
    known = {run.run: run for run in bench.study.runs() if (run.rules, run.boards) == home}
    for wanted in bench.study.wanted():
        run = known.get(wanted.run)
        if run is None:
            continue
        if run.signature != str(SIGNATURE):
            raise InvalidInput(
                f"expected games of signature {run.signature} (twofold {run.twofold}) as in "
                f"{bench.study.name}, got {SIGNATURE} (twofold {__version__}): players may play "
                "otherwise now; name another study"
            )
        with _going_on(bench.study):
            is_trusted = plain_spec(run.player) in trusted
            bench.add(run.player, wanted.seeds, allow_code=is_trusted)


def resumed(
    study: Study, named: Collection[str] = (), *, machine: dict[str, Any] | None = None
) -> list[Bench]:
    """A bench for each set of rules and of boards that a study has runs of; see `resume`."""
    homes = {(run.rules, run.boards): run for run in study.runs()}
    benches = []
    for run in homes.values():
        rules, boards = Rules.parse(run.rules), study.boards_of(run)
        bench = Bench(study, rules, machine=machine, boards=boards)
        resume(bench, named)
        benches.append(bench)
    return benches


def players_with_code(study: Study) -> list[str]:
    """The players of which a study wants games and that run code or programs, as it names them.

    Raises:
        InvalidInput: the study names a player that there is not.
    """
    wanted = {one.run for one in study.wanted()}
    players = dict.fromkeys(run.player for run in study.runs() if run.run in wanted)
    with _going_on(study):
        return [player for player in players if code_of(player)]


def plain_spec(player: str) -> str:
    """A spec as it compares with others: keys in order, without hashes of files."""
    name, values = parse_spec(player)
    return format_spec(name, split_hashes(values)[0])


@contextlib.contextmanager
def _going_on(study: Study) -> Iterator[None]:
    """Say of what is refused that the study wanted it."""
    try:
        yield
    except InvalidInput as error:
        raise type(error)(f"cannot go on with {study.name}: {error}") from error
