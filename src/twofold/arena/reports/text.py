"""The tables of a report: their cells, which page and Markdown share, and the text forms."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from twofold.arena.boards import warning_of
from twofold.arena.compare import Comparison
from twofold.arena.reports.joint_curve import DrawnCurve
from twofold.arena.reports.report import Entry, Section, commands, comparisons
from twofold.arena.stats import Interval, wilson_interval
from twofold.arena.survival import HEADER, cells, edges_of, told_bands
from twofold.arena.table import reach, reach_heading, reach_tiles
from twofold.figures import format_rate, format_seconds
from twofold.notation import printable
from twofold.rules import Rules

DASH: Final = "–"

SURVIVAL_WORDS: Final = (
    "Where games ended: of those that came to a band of tile sums, the share that ended in it."
)


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose first `names` columns hold text of others, to be escaped, on the left.

    Attributes:
        header: of each column.
        rows: their cells.
        names: how many columns hold names.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int


# ---- cells


def format_ends(interval: Interval, scale: float = 1.0) -> str:
    """`4,575 to 5,035`; a dash where there is too little data."""
    if interval.low is None or interval.high is None:
        return DASH
    return f"{_number(scale * interval.low)} to {_number(scale * interval.high)}"


def _number(value: float) -> str:
    """Whole from 100 on, else three digits; with a true minus sign."""
    text = f"{value:,.0f}" if abs(value) >= 99.5 else f"{value:.3g}"
    return text.replace("-", "−")


def _p_value(value: float | None) -> str:
    if value is None:
        return DASH
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def format_usual(seconds: float | None) -> str:
    """The time of a move with its unit; a dash where it is not known."""
    return DASH if seconds is None else format_seconds(seconds)


def format_spread(times: tuple[float, float] | None) -> str:
    """`1.2 ms, 9.8 ms`: the median of a move's time, and its 99th percentile."""
    return DASH if times is None else ", ".join(map(format_seconds, times))


# ---- tables


def league(entries: Sequence[Entry]) -> Table:
    """Scores and speed; the spread of the time of moves where a player knows it."""
    header = ("player", "games", "mean score", "95 % interval", "median", "best")
    spreads = [entry.games.usual_move for entry in entries]
    more = ("median, 99 %",) if any(spreads) else ()
    return Table(
        (*header, "moves/s", "time a move", *more),
        tuple(
            (
                entry.label,
                f"{entry.summary.games:,}",
                f"{entry.summary.score.value:,.0f}",
                format_ends(entry.summary.score),
                f"{entry.summary.median:,.0f}",
                f"{entry.summary.best:,}",
                format_rate(entry.summary.moves_per_second) if entry.seconds_per_move else DASH,
                format_usual(entry.seconds_per_move),
                *(format_spread(spread) for _ in more),
            )
            for entry, spread in zip(entries, spreads, strict=True)
        ),
        names=1,
    )


def curves(found: Sequence[DrawnCurve]) -> Table:
    """Where learning curves end."""
    return Table(
        ("learning curve", "games", "mean score"),
        tuple(
            (
                curve.name,
                f"{curve.games[-1]:,.0f}" if curve.games else "0",
                _end_of(curve) if curve.games else "-",
            )
            for curve in found
        ),
        names=1,
    )


def _end_of(curve: DrawnCurve) -> str:
    low, high = curve.lows[-1], curve.highs[-1]
    margin = "" if low is None or high is None else f" ± {(high - low) / 2:,.0f}"
    return f"{curve.means[-1]:,.0f}{margin}"


def rates(entries: Sequence[Entry], *, from_boards: bool = False) -> Table:
    """Reach rates with their intervals, of the tiles that tell players apart.

    Args:
        entries: the players.
        from_boards: whether their games began on given boards.
    """
    tiles = reach_tiles([entry.summary for entry in entries])
    return Table(
        (reach_heading(from_boards), *map(str, tiles)),
        tuple((entry.label, *(_rate(entry, tile) for tile in tiles)) for entry in entries),
        names=1,
    )


def _rate(entry: Entry, tile: int) -> str:
    """The rate and its 95 % interval; of a tile never reached the interval alone matters."""
    games = entry.summary.games
    hits = round(reach(entry.summary, tile) * games)
    rate = wilson_interval(hits, games)
    digits = 0 if games <= 100 else 1
    ends = f"{100 * (rate.low or 0):.{digits}f}{DASH}{100 * (rate.high or 0):.{digits}f}"
    return f"{100 * rate.value:.{digits}f} ({ends})"


def survival(entries: Sequence[Entry]) -> Table:
    """Where games ended, band by band; without lines where that is not known of any game."""
    edges = edges_of(entry.fates for entry in entries)
    return Table(
        ("player", *HEADER),
        tuple(
            (entry.label, *cells(band))
            for entry in entries
            for band in told_bands(entry.fates, edges)
        ),
        names=1,
    )


def pairs(found: Sequence[Comparison]) -> Table:
    """Differences on common seeds."""
    header = ("A", "B", "games", "A − B", "95 % interval", "in % of B")
    return Table((*header, "won, equal, lost", "p"), tuple(map(_pair, found)), names=2)


def _pair(one: Comparison) -> tuple[str, ...]:
    paired = one.paired
    return (
        *one.names,
        f"{one.games:,}",
        _number(paired.difference.value),
        format_ends(paired.difference),
        DASH if paired.relative is None else _number(paired.relative.value),
        f"{paired.wins:,}, {paired.draws:,}, {paired.losses:,}",
        _p_value(paired.p_value),
    )


def settings(section: Section) -> Table:
    """What each run was."""
    runs = [(entry.label, entry.run) for entry in section.entries]
    runs += [(run.player, run) for run, _ in section.without]
    return Table(
        ("player", "spec", "twofold", "signature", "first asked for"),
        tuple(
            (label, run.spec, run.twofold, run.signature, run.created[:10]) for label, run in runs
        ),
        names=5,
    )


def machines(section: Section) -> list[tuple[list[str], dict[str, str]]]:
    """Each machine with the players that played on it."""
    found: dict[str, tuple[list[str], dict[str, str]]] = {}
    for entry in section.entries:
        machine = {str(key): str(value) for key, value in entry.run.machine.items()}
        found.setdefault(repr(machine), ([], machine))[0].append(entry.label)
    return list(found.values())


def notes(section: Section) -> list[str]:
    """What a reader must know of the games that are not there; text of others included."""
    found = []
    lines = [(entry.label, entry.failures) for entry in section.entries]
    lines += [(run.player, failures) for run, failures in section.without]
    for label, failures in lines:
        if failures:
            seed = min(failures)
            count = f"{len(failures):,} game{'s' * (len(failures) > 1)}"
            found.append(f"{label}: {count} failed and not counted; seed {seed}: {failures[seed]}")
    entries, without = section.entries, section.without
    if section.boards:
        found.append(f"games began on the boards {section.boards}: scores are the points since")
        most = max((len(entry.games) for entry in entries), default=0)
        found += filter(None, [warning_of(section.boards, most)])
    unfinished = [f"{entry.label} ({entry.missing:,})" for entry in entries if entry.missing > 0]
    unknown = [entry.label for entry in entries if len(entry.fates) < len(entry.games)]
    timed = [entry.label for entry in entries if not entry.run.reproducible]
    found += _listed("games asked for that are not finished", unfinished)
    found += _listed("tile sums of some games are not known (an older twofold)", unknown)
    found += _listed("played under a time budget, so that games differ each time", timed)
    found += _listed("no finished game", [run.player for run, _ in without])
    return found


def _listed(what: str, names: Sequence[str]) -> list[str]:
    return [f"{what}: {', '.join(names)}"] if names else []


# ---- Markdown


def markdown_of(sections: Sequence[Section]) -> str:
    """The tables as GitHub Markdown."""
    return "\n\n".join(part for section in sections for part in _markdown(section)) + "\n"


def _markdown(section: Section) -> list[str]:
    boards = f", from boards {_code(section.boards.name)}" if section.boards else ""
    parts = [f"## Rules {_code(section.rules)}{boards}"]
    if section.entries:
        parts += [_markdown_table(league(section.entries))]
        parts += [_markdown_table(rates(section.entries, from_boards=bool(section.boards)))]
        where = survival(section.entries)
        parts += [SURVIVAL_WORDS, _markdown_table(where)] if where.rows else []
    found = comparisons(section.entries)
    if found:
        parts += ["Differences in points a game on common seeds:", _markdown_table(pairs(found))]
    parts += ["\n".join(f"- {_code(note)}" for note in notes(section))]
    parts += [_markdown_table(settings(section))]
    for players, machine in machines(section):
        words = ", ".join(f"{key} {value}" for key, value in machine.items())
        if words:
            parts.append(f"Machine of {', '.join(map(_code, players))}: {_code(words)}")
    parts += ["\n".join(f"    {printable(line)}" for line in commands(section))]
    return [part for part in parts if part]


def _markdown_table(table: Table) -> str:
    lines = [" | ".join(table.header)]
    lines += [
        " | ".join("---" if column < table.names else "---:" for column in range(len(table.header)))
    ]
    for row in table.rows:
        names = [_code(cell).replace("|", "\\|") for cell in row[: table.names]]
        lines.append(" | ".join([*names, *row[table.names :]]))
    return "\n".join(f"| {line} |" for line in lines)


def _code(text: str) -> str:
    """A code span that shows the text as it is: nothing in it is a link, a mention, a formula."""
    body = printable(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", body)), default=0))
    space = " " if body.startswith("`") or body.endswith("`") or not body.strip() else ""
    return f"{fence}{space}{body}{space}{fence}"


# ---- TDL2048+


def tdl_block(entry: Entry, rules: str) -> str:
    """The games of a run in the style of the summary block of TDL2048+.

    `count`, `score`, `move` and `rate` are of the games that ended with that largest tile, `win`
    is the share that reached it; `win=` is that of the goal.

    Source: README of TDL2048+ (Guei et al. 2021), "Summary Block".
    """
    summary, games = entry.summary, entry.games
    goal = Rules.parse(rules).goal
    lines = [
        f"{printable(entry.label)}, {summary.games} games, rules {printable(rules)}",
        f"summary {1000 * summary.seconds:.0f}ms {summary.moves_per_second:.2f}ops",
        f"total:  avg={summary.score.value:.0f} max={summary.best} tile={summary.max_tile}"
        f" win={100 * np.count_nonzero(games.max_tiles >= goal) / summary.games:.2f}%",
        f"{'tile':<6}{'count':>8}{'score':>8}{'move':>8}{'rate':>9}{'win':>9}",
    ]
    for tile in np.unique(games.max_tiles).tolist():
        ended = games.max_tiles == tile
        share = 100 * np.count_nonzero(ended) / summary.games
        reached = 100 * np.count_nonzero(games.max_tiles >= tile) / summary.games
        lines.append(
            f"{tile:<6}{np.count_nonzero(ended):>8}{games.scores[ended].mean():>8.0f}"
            f"{games.moves[ended].mean():>8.0f}{share:>8.2f}%{reached:>8.2f}%"
        )
    return "\n".join(lines)
