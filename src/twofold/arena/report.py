"""The content of a report: the runs of a study with their games, and its charts as numbers.

A study may come from others: its names, specs and errors are shown, never run.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from twofold.arena.bench import PlayerStanding
from twofold.arena.boards import StartBoards, boards_file
from twofold.arena.compare import Comparison, compare_standings
from twofold.arena.stats import (
    Fates,
    Interval,
    Summary,
    bands,
    edges_of,
    summarise,
    telling_tiles,
    wilson_interval,
)
from twofold.arena.study import Study
from twofold.arena.study_rows import StoredRun, Wanted
from twofold.errors import InvalidInput
from twofold.game.notation import SeedRange, did_you_mean, shell_line, shown
from twofold.game.rules import Rules

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

MAX_ALL_PAIRS: Final = 10
"""Up to this many players all pairs are compared; of more, each with the next in the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportEntry(PlayerStanding):
    """A run of a report: `player` has the run's number if two runs have the same name.

    Its games are all finished ones, in the order of their seeds, without `reached`.

    Attributes:
        fates: the tile sums at which these games began and ended.
        failures: errors of the games that failed, by seed.
    """

    run: StoredRun
    summary: Summary
    fates: Fates
    failures: dict[int, str]

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
        unfinished: number of games asked for that are not finished, by the run's number.
        plans: the games asked for in these runs.
    """

    study: str
    rules: str
    boards: StartBoards | None
    entries: tuple[ReportEntry, ...]
    without: tuple[tuple[StoredRun, dict[int, str]], ...]
    unfinished: dict[int, int]
    plans: tuple[Wanted, ...]

    @property
    def runs(self) -> list[tuple[str, StoredRun, dict[int, str]]]:
        """The names of all players with their runs and errors, those with games first."""
        played = [(entry.player, entry.run, entry.failures) for entry in self.entries]
        return played + [(run.player, run, failures) for run, failures in self.without]


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
        entries, without, unfinished = [], [], dict[int, int]()
        for run in ours:
            games, failures = study.games(run.run, reached=False), study.failures(run.run)
            unfinished[run.run] = _missing(asked[run.run], games.seeds)
            if not len(games):
                without.append((run, failures))
                continue
            summary = summarise(games)
            fates = Fates.of_games(games, Rules.parse(rules), boards)
            entries.append(
                ReportEntry(
                    player=labels[run.run],
                    spec=run.spec,
                    games=games,
                    error=failures[min(failures)] if failures else "",
                    failed_seed=min(failures, default=None),
                    reproducible=run.reproducible,
                    run=run,
                    summary=summary,
                    fates=fates,
                    failures=failures,
                )
            )
        entries.sort(key=lambda entry: -entry.summary.score.value)
        wanted = sorted(itertools.chain.from_iterable(asked.values()), key=places.__getitem__)
        parts = (tuple(entries), tuple(without), unfinished, tuple(wanted))
        sections.append(Section(study.file_name, rules, boards, *parts))
    if not any(section.entries for section in sections):
        raise InvalidInput(f"expected a study with finished games, got {study.name} without any")
    return sections


def _missing(plans: Iterable[Wanted], finished: NDArray[np.uint64]) -> int:
    """Number of seeds that plans ask for, once or several times, without a finished game."""
    missing = end = 0
    for asked in sorted((plan.seeds for plan in plans), key=lambda seeds: seeds.first):
        new = asked.part(max(0, end - asked.first))
        missing += new.count - int(new.holds(finished).sum())
        end = max(end, asked.first + asked.count)
    return missing


def relabelled(sections: Sequence[Section], labels: Mapping[str, str]) -> list[Section]:
    """The sections with other names for some players, such as those of a paper.

    Raises:
        InvalidInput: no run of the study has a name of `labels`.
    """
    known = {entry.player: None for section in sections for entry in section.entries}
    for name in labels:
        if name not in known:
            raise InvalidInput(
                f"expected a player of the study ({', '.join(map(shown, known))}), "
                f"got {shown(name)}{did_you_mean(name, known)}"
            )
    names = [labels.get(player, player) for player in known]
    if len(set(names)) < len(names):
        raise InvalidInput("expected a name of its own for each player, got one for two")
    return [
        replace(
            section,
            entries=tuple(
                replace(entry, player=labels.get(entry.player, entry.player))
                for entry in section.entries
            ),
        )
        for section in sections
    ]


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
    return [found for one, two in pairs if (found := compare_standings(one, two, rates=False))]


def commands(section: Section) -> list[str]:
    """The command lines that play the games of a section again."""
    names = {run.run: run.player for _, run, _ in section.runs}
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
        words = ["twofold", "bench", *dict.fromkeys(players), *range_, *rules, "--out", "again.db"]
        lines.append(shell_line(*words))
    return lines


Entries = Sequence[ReportEntry]

MOST_BANDS: Final = 6
"""With more players, bands of intervals are left out: they would overlap."""

FEWEST: Final = 5
"""With fewer games, the share that ended in a band is left out."""

_MANY: Final = 1000
"""With more scores, the largest thousandth is left out: it would compress the others."""

_WIDE: Final = 10.0
"""Above this ratio of the largest to the smallest mean, scores are on a log axis."""


class ChartLine(msgspec.Struct, frozen=True):
    """The line of a player; `low` and `high` are ends of intervals, empty if not drawn.

    Attributes:
        player: place in the league table, from 0.
    """

    player: int
    xs: list[float]
    ys: list[float]
    low: list[float] = []
    high: list[float] = []


class SectionCharts(msgspec.Struct, frozen=True):
    """The charts of a section, each without lines if it would show nothing.

    Attributes:
        reach: share of the games that reached a tile, in percent.
        going, ended: by tile sum, the share of the games that went on, and of those that reached a
            band the share that ended in it, in percent.
        scores: share of the games with a score from x to the next x, in percent.
        strength: mean score by time of a move, in seconds.
        wide: True if scores are on a log axis.
    """

    reach: list[ChartLine] = []
    going: list[ChartLine] = []
    ended: list[ChartLine] = []
    scores: list[ChartLine] = []
    strength: list[ChartLine] = []
    wide: bool = False


def section_charts(entries: Entries) -> SectionCharts:
    """The charts of players in the order of their table."""
    if not entries:
        return SectionCharts()
    tiles = telling_tiles([entry.summary for entry in entries])  # one if all reached all tiles
    fates = [entry.fates for entry in entries]
    edges = edges_of(fates) if any(one.died.any() for one in fates) else []
    means = [entry.summary.score.value for entry in entries]
    wide = max(means) > _WIDE * max(min(means), 1.0)
    return SectionCharts(
        reach=_lines(entries, lambda entry: _reached(entry, tiles)) if len(tiles) > 1 else [],
        going=_lines(entries, lambda entry: _going(entry, edges)) if edges else [],
        ended=_lines(entries, lambda entry: _ended(entry, edges)),
        scores=_scores(entries, wide=wide),
        strength=_lines(entries, _strength, most=len(entries)),
        wide=wide,
    )


Points = Iterable[tuple[float, Interval]]


def _lines(
    entries: Entries, points: Callable[[ReportEntry], Points], most: int = MOST_BANDS
) -> list[ChartLine]:
    """A line of the points of each player that has some."""
    found = []
    for player, entry in enumerate(entries):
        if not (there := list(points(entry))):
            continue
        xs, shares = zip(*there, strict=True)
        known = len(entries) <= most and all(share.low is not None for share in shares)
        low = [share.low or 0.0 for share in shares] if known else []
        high = [share.high or 0.0 for share in shares] if known else []
        found.append(ChartLine(player, [*xs], [share.value for share in shares], low, high))
    return found


def _percent(share: Interval) -> Interval:
    low, high = (None if end is None else 100 * end for end in (share.low, share.high))
    return Interval(100 * share.value, low, high)


def _reached(entry: ReportEntry, tiles: Sequence[int]) -> Points:
    """The first zero shows that no game came further; more zeros would only hide the axis."""
    known = [tile for tile in tiles if tile in entry.summary.reach]
    yield from ((tile, _percent(entry.summary.reach[tile])) for tile in known)
    if len(known) < len(tiles):
        yield tiles[len(known)], _percent(wilson_interval(0, entry.summary.games))


def _going(entry: ReportEntry, edges: Sequence[int]) -> Points:
    if not len(entry.fates):
        return
    sums, counts = np.unique(entry.fates.ends[entry.fates.died], return_counts=True)
    yield edges[0], Interval(100.0, None, None)
    for place, share in zip(sums, 100 * (1 - counts.cumsum() / len(entry.fates)), strict=True):
        yield float(place), Interval(float(share), None, None)


def _ended(entry: ReportEntry, edges: Sequence[int]) -> Points:
    for band in bands(entry.fates, edges) if len(entry.fates) else ():
        if band.at_risk >= FEWEST:
            yield (band.low + band.high) / 2, _percent(band.share)


def _strength(entry: ReportEntry) -> Points:
    if entry.seconds_per_move is not None:
        yield entry.seconds_per_move, entry.summary.score


def _scores(entries: Entries, *, wide: bool) -> list[ChartLine]:
    """Histograms over the same bins; the last bin ends with a zero."""
    points = [np.maximum(entry.games.scores, 1).astype(np.float64) for entry in entries]
    ends = [np.quantile(one, 0.999) if one.size > _MANY else one.max() for one in points]
    low, high = min(float(one.min()) for one in points), float(max(ends))
    count = int(np.clip(2 * max(one.size for one in points) ** 0.5, 8, 60))
    edges = np.geomspace(low, high, count + 1) if wide else np.linspace(low, high, count + 1)
    if high <= low:
        edges = np.array([low, low + 1])
    lines = []
    for player, one in enumerate(points):
        counts = np.histogram(one, edges)[0]
        shares = [*(100 * counts / one.size).tolist(), 0.0]
        lines.append(ChartLine(player, edges.tolist(), shares))
    return lines
