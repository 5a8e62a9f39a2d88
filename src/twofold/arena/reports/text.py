"""Reports as text: plain, and GitHub Markdown."""

import re
from textwrap import fill

from twofold.arena.bench import PlayerStanding
from twofold.arena.reports.report import Section, gather
from twofold.arena.reports.tables import ReportTable, not_reproducible, pairs_note, section_tables
from twofold.arena.stats import MAX_NAME, format_runs
from twofold.arena.studies.study import Study
from twofold.figures import counted, format_table
from twofold.notation import printable, shell_line

# ---- plain text


def plain(study: Study) -> str:
    """The table of `bench` for all games of a study, and the command to play missing games."""
    return "\n\n".join(map(_plain, gather(study)))


def _plain(section: Section) -> str:
    standings = []
    for one in section.entries:
        seed = min(one.failures, default=None)
        error = "" if seed is None else one.failures[seed]
        standings.append(PlayerStanding(one.label, one.run.spec, one.games, error, seed))
    boards = f", from boards {printable(section.boards.name)}" if section.boards else ""
    lines = [format_runs(standings, from_boards=bool(boards))]
    tables = section_tables(0, section, plots=False)
    if tables.pairs:
        lines.append(f"\n{_plain_pairs(section, tables.pairs)}\n{fill(pairs_note(tables), 79)}")
    lines.append(f"\nrules {section.rules}{boards}")
    if missing := sum(one.missing for one in section.entries):
        command = shell_line("twofold", "bench", "--resume", section.study)
        lines.append(f"{counted(missing, 'game')} still to play: {command}")
    lines += map(printable, not_reproducible(section))
    return "\n".join(lines)


def _plain_pairs(section: Section, pairs: ReportTable) -> str:
    """The differences, with players named as in the table above them."""
    labels = [one.label for one in section.entries]
    names = {printable(label): str(number) for number, label in enumerate(labels, 1)}
    if max(map(len, names)) <= MAX_NAME:
        names = {name: name for name in names}
    columns = [pairs.header.index(one) for one in ("A − B", "95 % interval", "p", "p, Holm")]
    rows = [[names[row[0]], names[row[1]], *(row[at] for at in columns)] for row in pairs.rows]
    return format_table(["A", "B", *(pairs.header[at] for at in columns)], rows, left=(0, 1))


# ---- Markdown


def markdown(study: Study) -> str:
    """The tables of a study as GitHub Markdown."""
    return "\n\n".join(part for section in gather(study) for part in _markdown(section)) + "\n"


def _markdown(section: Section) -> list[str]:
    tables = section_tables(0, section, plots=False)
    boards = f", from boards {_code(section.boards.name)}" if section.boards else ""
    parts = [f"## Rules {_code(section.rules)}{boards}"]
    parts += [_table(table) for table in (tables.league, tables.rates) if table]
    if tables.survival:
        parts.append(
            "Where games ended: for each band of tile sums, the share of the games in it that "
            "ended there."
        )
        parts.append(_table(tables.survival))
    if tables.pairs:
        parts += ["Differences on common seeds:", _table(tables.pairs), pairs_note(tables)]
    parts.append("\n".join(f"- {_code(note)}" for note in tables.notes))
    parts.append(_table(tables.settings))
    for machine in tables.machines:
        words = ", ".join(f"{key} {value}" for key, value in machine.values.items())
        parts.append(f"Machine of {', '.join(map(_code, machine.players))}: {_code(words)}")
    parts.append("\n".join(f"    {line}" for line in tables.commands))
    return [part for part in parts if part]


def _table(table: ReportTable) -> str:
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
