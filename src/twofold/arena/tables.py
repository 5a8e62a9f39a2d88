"""The tables of a report, with cells as text and sort keys; as plain text and GitHub Markdown.

The HTML page and the web app draw the same tables. All text is printable.
"""

import re
from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import Final, Literal

import msgspec

from twofold.arena.boards import warning_of
from twofold.arena.compare import Comparison, holm
from twofold.arena.curves import DrawnCurve
from twofold.arena.plots import PlayerStyle
from twofold.arena.report import MAX_ALL_PAIRS, ReportEntry, Section, commands, comparisons
from twofold.arena.stats import (
    BAND_HEADER,
    MAX_NAME,
    Interval,
    band_cells,
    edges_of,
    format_runs,
    reach,
    reach_heading,
    reach_tiles,
    told_bands,
    wilson_interval,
)
from twofold.figures import DASH, counted, format_rate, format_seconds, format_table, minus
from twofold.game.notation import printable, shell_line

Entries = Sequence[ReportEntry]

SortKey = float | str | None
"""The sort key of a cell; None comes last."""

Cell = tuple[str, SortKey]


class ReportTable(msgspec.Struct, frozen=True):
    """A table.

    Attributes:
        header: of each column.
        rows: their cells.
        keys: the sort key of each cell; empty if the order of the rows is fixed.
        names: number of columns, from the first, that hold names.
    """

    header: list[str]
    rows: list[list[str]]
    keys: list[list[SortKey]]
    names: int


class ReportNote(msgspec.Struct, frozen=True):
    """A note on the tables: the sentence in English, and its parts for other languages.

    Attributes:
        players: labels of the players that it is about.
        counts: number of games of each; empty if there is nothing to count.
        about: the boards, or a seed and its error.
    """

    kind: Literal["failed", "boards", "few", "unfinished", "random", "without"]
    text: str
    players: list[str] = []
    counts: list[int] = []
    about: str = ""


class MachineInfo(msgspec.Struct, frozen=True):
    """A machine, and the players measured on it."""

    players: list[str]
    values: dict[str, str]


class SectionTables(msgspec.Struct, frozen=True):
    """The tables of the runs under the same rules and from the same boards.

    Attributes:
        boards: name, number and hash of the start boards; empty for new games.
        players: in the order of the league table.
        league: scores and speed; None if no game is finished.
        rates: reach rates.
        survival: where games ended, by tile sum; None if unknown.
        pairs: differences on the same seeds; None for fewer than two players.
        all_pairs: True if all pairs are compared, False if each player with the next.
        has_spread: True if the percentiles of the time of a move are known.
    """

    rules: str
    boards: str
    players: list[PlayerStyle]
    league: ReportTable | None
    rates: ReportTable | None
    survival: ReportTable | None
    pairs: ReportTable | None
    all_pairs: bool
    has_spread: bool
    settings: ReportTable
    machines: list[MachineInfo]
    notes: list[ReportNote]
    commands: list[str]


def section_tables(section: Section) -> SectionTables:
    """The tables of a section."""
    entries = section.entries
    return SectionTables(
        rules=printable(section.rules),
        boards=printable(str(section.boards or "")),
        players=[PlayerStyle.of(place, entry.player) for place, entry in enumerate(entries)],
        league=league(entries) if entries else None,
        rates=_rates(entries, from_boards=bool(section.boards)) if entries else None,
        survival=_survival(entries),
        pairs=_pairs(comparisons(entries)),
        all_pairs=len(entries) <= MAX_ALL_PAIRS,
        has_spread=_has_spread(entries),
        settings=_settings(section),
        machines=_machines(section),
        notes=_notes(section),
        commands=[printable(line) for line in commands(section)],
    )


def _table(header: Iterable[str], lines: Iterable[Iterable[Cell]], names: int = 1) -> ReportTable:
    cells = [list(line) for line in lines]
    return ReportTable(
        list(header),
        [[printable(text) for text, _ in line] for line in cells],
        [[key for _, key in line] for line in cells],
        names,
    )


def _unsorted(header: Sequence[str], rows: Iterable[Sequence[str]], names: int) -> ReportTable:
    return ReportTable(list(header), [list(map(printable, row)) for row in rows], [], names)


# ---- cells


def _name(label: str) -> Cell:
    return label, printable(label)


def _count(number: int) -> Cell:
    return f"{number:,}", number


def _points(value: float) -> Cell:
    return f"{value:,.0f}", value


def _ends(interval: Interval) -> Cell:
    """Such as `4,575 to 5,035`."""
    if interval.low is None or interval.high is None:
        return DASH, interval.low
    return f"{_number(interval.low)} to {_number(interval.high)}", interval.low


def _number(value: float) -> str:
    """An integer from 100 on, else three digits; with a true minus sign."""
    text = f"{value:,.0f}" if abs(value) >= 99.5 else f"{value:.3g}"
    return minus(text)


def _p_value(value: float | None) -> Cell:
    if value is None:
        return DASH, None
    return ("< 0.001" if value < 0.001 else f"{value:.3f}"), value


# ---- tables

LEAGUE: Final = (
    *("player", "games", "mean score", "95 % interval", "median", "best"),
    *("moves/s", "time a move", "median, 99 %"),
)
"""The columns of the league table; the last one if a player has percentiles of times."""


def league(entries: Entries) -> ReportTable:
    """Scores and speed; percentiles of the time of a move if a player has them."""
    header = LEAGUE if _has_spread(entries) else LEAGUE[:-1]
    lines = []
    for entry in entries:
        summary, seconds, times = entry.summary, entry.seconds_per_move, entry.games.usual_move
        speed = summary.moves_per_second
        line = [
            _name(entry.player),
            _count(summary.games),
            _points(summary.score.value),
            _ends(summary.score),
            _points(summary.median),
            _count(summary.best),
            (format_rate(speed), speed) if seconds else (DASH, None),
            (format_seconds(seconds), seconds),
            (", ".join(map(format_seconds, times)), times[0]) if times else (DASH, None),
        ]
        lines.append(line[: len(header)])
    return _table(header, lines)


def _has_spread(entries: Entries) -> bool:
    return any(entry.games.usual_move for entry in entries)


def curves(found: Sequence[DrawnCurve]) -> ReportTable:
    """The last points of learning curves."""
    rows = []
    for curve in found:
        games, mean = "0", "-"
        if curve.games:
            games, mean = f"{curve.games[-1]:,.0f}", f"{curve.means[-1]:,.0f}"
            low, high = curve.lows[-1], curve.highs[-1]
            mean += "" if low is None or high is None else f" ± {(high - low) / 2:,.0f}"
        rows.append((curve.name, games, mean))
    return _unsorted(("learning curve", "games", "mean score"), rows, names=1)


def _rates(entries: Entries, *, from_boards: bool) -> ReportTable:
    tiles = reach_tiles([entry.summary for entry in entries])
    lines = ([_name(entry.player), *(_rate(entry, tile) for tile in tiles)] for entry in entries)
    return _table((reach_heading(from_boards), *map(str, tiles)), lines)


def _rate(entry: ReportEntry, tile: int) -> Cell:
    """The rate and its 95 % interval; equal rates are sorted by the lower end."""
    games, share = entry.summary.games, reach(entry.summary, tile)
    rate = wilson_interval(round(share * games), games)
    digits = 0 if games <= 100 else 1
    ends = f"{100 * (rate.low or 0):.{digits}f}{DASH}{100 * (rate.high or 0):.{digits}f}"
    return f"{100 * rate.value:.{digits}f} ({ends})", share + 1e-6 * (rate.low or 0.0)


def _survival(entries: Entries) -> ReportTable | None:
    edges = edges_of(entry.fates for entry in entries)
    lines = []
    for entry in entries:
        for band in told_bands(entry.fates, edges):
            share, going = band.share, band.going.value
            keys = (band.low, band.at_risk, band.ended, share.value, share.low, going)
            lines.append([_name(entry.player), *zip(band_cells(band), keys, strict=True)])
    return _table(("player", *BAND_HEADER), lines) if lines else None


def pairs_note(tables: SectionTables) -> str:
    """What a reader of the differences must know, in sentences."""
    return ("" if tables.all_pairs else "Each player with the next. ") + (
        "In points a game; p is of the paired t test. The intervals are not corrected for multiple "
        "comparisons: one of 20 is expected to miss. The last column has the p values corrected "
        "by Holm's method. Where a sequential test (--sprt) chose the number of games, the "
        "difference is biased away from 0."
    )


def _pairs(found: Sequence[Comparison]) -> ReportTable | None:
    header = ("A", "B", "games", "A − B", "95 % interval", "in % of B", "won, equal, lost", "p")
    corrected = holm([one.paired.p_value for one in found])
    rows = [[*_pair(one), _p_value(p)] for one, p in zip(found, corrected, strict=True)]
    return _table((*header, "p, Holm"), rows, names=2) if found else None


def _pair(one: Comparison) -> list[Cell]:
    paired, relative = one.paired, one.paired.relative
    return [
        *map(_name, one.names),
        _count(one.games),
        (_number(paired.difference.value), paired.difference.value),
        _ends(paired.difference),
        (DASH, None) if relative is None else (_number(relative.value), relative.value),
        (f"{paired.wins:,}, {paired.draws:,}, {paired.losses:,}", paired.wins),
        _p_value(paired.p_value),
    ]


def _settings(section: Section) -> ReportTable:
    header = ("player", "spec", "twofold", "signature", "first asked for")
    rows = (
        (label, one.spec, one.twofold, one.signature, one.created[:10])
        for label, one, _ in section.runs
    )
    return _unsorted(header, rows, names=5)


def _machines(section: Section) -> list[MachineInfo]:
    found: dict[str, MachineInfo] = {}
    for entry in section.entries:
        about, label = entry.run.machine.items(), printable(entry.player)
        values = {printable(str(key)): printable(str(value)) for key, value in about}
        found.setdefault(repr(values), MachineInfo([], values)).players.append(label)
    return [machine for machine in found.values() if machine.values]


def _notes(section: Section) -> list[ReportNote]:
    found: list[ReportNote] = []
    for label, _, failures in section.runs:
        if failures:
            about = f"{min(failures)}: {failures[min(failures)]}"
            count = counted(len(failures), "game")
            words = printable(f"{label}: {count} failed, not counted; seed {about}")
            players, counts = [printable(label)], [len(failures)]
            found.append(ReportNote("failed", words, players, counts, printable(about)))
    if section.boards:
        about = printable(str(section.boards))
        words = f"games began on the boards {about}: scores are the points since"
        found.append(ReportNote("boards", words, about=about))
        most = max((len(entry.games) for entry in section.entries), default=0)
        if warning := warning_of(section.boards, most):
            found.append(ReportNote("few", warning))
    numbers = [(label, section.unfinished[run.run]) for label, run, _ in section.runs]
    unfinished = [(label, number) for label, number in numbers if number]
    found += _listed("unfinished", [one for one, _ in unfinished], [one for _, one in unfinished])
    found += not_reproducible(section)
    found += without_games(section)
    return found


_LISTED: Final = {
    "unfinished": "games asked for that are not finished",
    "random": "not reproducible: under a time budget, or by a player that makes other moves each "
    "time",
    "without": "no finished game",
}
"""Notes that list players."""


def not_reproducible(section: Section) -> list[ReportNote]:
    """A note that names the players whose games cannot be repeated; none without such players."""
    return _listed("random", [one.player for one in section.entries if not one.reproducible])


def without_games(section: Section) -> list[ReportNote]:
    """A note that names the players without a finished game; none without such players."""
    return _listed("without", [run.player for run, _ in section.without])


def _listed(
    kind: Literal["unfinished", "random", "without"],
    players: Iterable[str],
    counts: Iterable[int] = (),
) -> list[ReportNote]:
    labels, numbers = list(map(printable, players)), list(counts)
    shown = [f"{label} ({number:,})" for label, number in zip(labels, numbers, strict=False)]
    words = f"{_LISTED[kind]}: {', '.join(shown or labels)}"
    return [ReportNote(kind, words, labels, numbers)] if labels else []


# ---- plain text


def plain(sections: Sequence[Section]) -> str:
    """The table of `bench` for all games of a study, and the command to play missing games."""
    return "\n\n".join(map(_plain, sections))


def _plain(section: Section) -> str:
    boards = f", from boards {printable(section.boards.name)}" if section.boards else ""
    lines = [format_runs(section.entries, from_boards=bool(boards))]
    tables = section_tables(section)
    if tables.pairs:
        lines.append(f"\n{_plain_pairs(section, tables.pairs)}\n{fill(pairs_note(tables), 79)}")
    lines.append(f"\nrules {section.rules}{boards}")
    if missing := sum(section.unfinished.values()):
        command = shell_line("twofold", "bench", "--resume", section.study)
        lines.append(f"{counted(missing, 'game')} still to play: {command}")
    lines += [note.text for note in (*without_games(section), *not_reproducible(section))]
    return "\n".join(lines)


def _plain_pairs(section: Section, pairs: ReportTable) -> str:
    """The differences, with players named as in the table above them."""
    labels = [printable(one.player) for one in section.entries]
    names = {label: str(number) for number, label in enumerate(labels, 1)}
    if max(map(len, names)) <= MAX_NAME:
        names = {name: name for name in names}
    columns = [pairs.header.index(one) for one in ("A − B", "95 % interval", "p", "p, Holm")]
    rows = [[names[row[0]], names[row[1]], *(row[at] for at in columns)] for row in pairs.rows]
    return format_table(["A", "B", *(pairs.header[at] for at in columns)], rows, left=(0, 1))


# ---- Markdown


def markdown(sections: Sequence[Section]) -> str:
    """The tables of a study as GitHub Markdown."""
    return "\n\n".join(part for section in sections for part in _markdown(section)) + "\n"


def _markdown(section: Section) -> list[str]:
    tables = section_tables(section)
    boards = f", from boards {_code(section.boards.name)}" if section.boards else ""
    parts = [f"## Rules {_code(section.rules)}{boards}"]
    parts += [_markdown_table(table) for table in (tables.league, tables.rates) if table]
    if tables.survival:
        parts.append(
            "Where games ended: for each band of tile sums, the share of the games in it that "
            "ended there."
        )
        parts.append(_markdown_table(tables.survival))
    if tables.pairs:
        parts += ["Differences on common seeds:", _markdown_table(tables.pairs), pairs_note(tables)]
    parts.append("\n".join(f"- {_code(note.text)}" for note in tables.notes))
    parts.append(_markdown_table(tables.settings))
    for machine in tables.machines:
        words = ", ".join(f"{key} {value}" for key, value in machine.values.items())
        parts.append(f"Machine of {', '.join(map(_code, machine.players))}: {_code(words)}")
    parts.append("\n".join(f"    {line}" for line in tables.commands))
    return [part for part in parts if part]


def _markdown_table(table: ReportTable) -> str:
    ruler = ["---" if column < table.names else "---:" for column in range(len(table.header))]
    lines = [table.header, ruler]
    for row in table.rows:
        names = [_code(cell).replace("|", "\\|") for cell in row[: table.names]]
        lines.append([*names, *row[table.names :]])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _code(text: str) -> str:
    """A code span that shows the text as it is, without links, mentions or formulas."""
    body = printable(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", body)), default=0))
    space = " " if body.startswith("`") or body.endswith("`") or not body.strip() else ""
    return f"{fence}{space}{body}{space}{fence}"
