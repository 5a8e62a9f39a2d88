"""The content of a report: the runs of a study with their games, by rules and boards.

A study may come from others: its names, specs and errors are shown, never run.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np

from twofold.arena.boards import StartBoards, boards_file
from twofold.arena.compare import Comparison
from twofold.arena.games import GameColumns
from twofold.arena.pairs import paired_interval
from twofold.arena.stats import Summary, summarise
from twofold.arena.studies.rows import StoredRun, Wanted
from twofold.arena.studies.study import Study
from twofold.arena.survival import Fates
from twofold.errors import InvalidInput
from twofold.notation import shell_line
from twofold.rules import Rules
from twofold.seeds import SeedRange

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

MAX_ALL_PAIRS: Final = 10
"""Up to this many players all pairs are compared; of more, each with the next in the table."""


@dataclass(frozen=True, slots=True)
class ReportEntry:
    """A run of a report.

    Attributes:
        label: the player as named, with the run's number if two runs have the same name.
        games: all finished games, in the order of their seeds, without `reached`.
        fates: the tile sums at which these games began and ended.
        failures: errors of the games that failed, by seed.
        missing: number of games that were asked for and are not finished.
    """

    label: str
    run: StoredRun
    games: GameColumns
    summary: Summary
    fates: Fates
    failures: dict[int, str]
    missing: int

    @property
    def seconds_per_move(self) -> float | None:
        """Mean time of a move; None without moves or times."""
        summary = self.summary
        return summary.seconds / summary.moves if summary.seconds > 0 < summary.moves else None


@dataclass(frozen=True, slots=True)
class Section:
    """The runs of a study under the same rules and from the same boards.

    Attributes:
        study: name of the study's file.
        entries: runs with games, the largest mean score first.
        without: runs without a finished game, with the errors of those that failed, by seed.
        plans: the games asked for in these runs.
    """

    study: str
    rules: str
    boards: StartBoards | None
    entries: tuple[ReportEntry, ...]
    without: tuple[tuple[StoredRun, dict[int, str]], ...]
    plans: tuple[Wanted, ...]


# ---- sections


def gather(study: Study) -> list[Section]:
    """The runs of a study, a section for each set of rules and start boards; at least one game."""
    runs, wanted_games = study.runs(), study.wanted()
    plans = grouped(wanted_games, lambda plan: plan.run)
    places = {plan: place for place, plan in enumerate(wanted_games)}
    labels = _labels(runs)
    sections = []
    for (rules, _), ours in grouped(runs, lambda run: (run.rules, run.boards)).items():
        boards = study.boards_of(ours[0])
        asked = {run.run: plans.get(run.run, []) for run in ours}
        entries, without = [], []
        for run in ours:
            games, failures = study.all_games(run.run, reached=False), study.failures(run.run)
            if not len(games):
                without.append((run, failures))
                continue
            played = sum(plan.seeds.holds(games.seeds).sum() for plan in asked[run.run])
            missing = sum(plan.seeds.count for plan in asked[run.run]) - int(played)
            summary = summarise(games)
            fates = Fates.of_games(games, Rules.parse(rules), boards)
            entries.append(
                ReportEntry(labels[run.run], run, games, summary, fates, failures, missing)
            )
        entries.sort(key=lambda entry: -entry.summary.score.value)
        wanted = sorted(itertools.chain.from_iterable(asked.values()), key=places.__getitem__)
        parts = (tuple(entries), tuple(without), tuple(wanted))
        sections.append(Section(study.file_name, rules, boards, *parts))
    if not any(section.entries for section in sections):
        raise InvalidInput(f"expected a study with finished games, got {study.name} without any")
    return sections


def grouped(values: Iterable[Value], key: Callable[[Value], Key]) -> dict[Key, list[Value]]:
    """Group values by key, in their order."""
    groups: dict[Key, list[Value]] = {}
    for value in values:
        groups.setdefault(key(value), []).append(value)
    return groups


def _labels(runs: Sequence[StoredRun]) -> dict[int, str]:
    names = Counter((run.rules, run.boards, run.player) for run in runs)
    return {
        run.run: f"{run.player} (run {run.run})"
        if names[run.rules, run.boards, run.player] > 1
        else run.player
        for run in runs
    }


def comparisons(entries: Sequence[ReportEntry]) -> list[Comparison]:
    """Compare scores on common seeds, all pairs of players or each with the next."""
    everyone = len(entries) <= MAX_ALL_PAIRS
    pairs = itertools.combinations(entries, 2) if everyone else itertools.pairwise(entries)
    return [found for one, two in pairs if (found := _compared(one, two)) is not None]


def _compared(one: ReportEntry, two: ReportEntry) -> Comparison | None:
    ours, theirs = one.games.scores, two.games.scores
    if not np.array_equal(one.games.seeds, two.games.seeds):
        _, at_one, at_two = np.intersect1d(
            one.games.seeds, two.games.seeds, assume_unique=True, return_indices=True
        )
        ours, theirs = ours[at_one], theirs[at_two]
    if not ours.size:
        return None
    paired = paired_interval(ours, theirs)
    return Comparison((one.label, two.label), paired.games, paired, {}, 0.95)


def commands(section: Section) -> list[str]:
    """The command lines that play the games of a section again."""
    runs = [entry.run for entry in section.entries] + [run for run, _ in section.without]
    names = {run.run: run.player for run in runs}
    together: dict[SeedRange, list[str]] = {}
    for plan in section.plans:
        together.setdefault(plan.seeds, []).append(names[plan.run])
    rules = [] if section.rules == str(Rules()) else ["--rules", section.rules]
    lines = []
    if section.boards and together:
        rules += ["--boards", boards_file(section.boards)]
        lines.append(shell_line("twofold", "report", section.study, "--write-boards", "."))
    for seeds, players in together.items():
        range_ = ["--games", str(seeds.count), "--seed", str(seeds.first)]
        words = ["twofold", "bench", *dict.fromkeys(players), *range_, *rules, "--out", "study.db"]
        lines.append(shell_line(*words))
    return lines
