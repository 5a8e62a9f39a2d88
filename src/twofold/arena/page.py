"""The HTML page of a report: one file without scripts that loads nothing."""

import html as markup
from base64 import b64encode
from collections.abc import Sequence
from importlib import resources
from typing import Final

from twofold.arena.curves import DrawnCurve
from twofold.arena.plots import (
    KINDS,
    Drawing,
    PlayerStyle,
    drawings,
    learning_curves,
    require_report,
)
from twofold.arena.report import FEWEST, Section
from twofold.arena.stats import MAX_NAME
from twofold.arena.tables import ReportTable, SectionTables, pairs_note, section_tables
from twofold.arena.tables import curves as curves_table
from twofold.figures import counted
from twofold.game.notation import printable

_FEW_ROWS: Final = 25
"""With more rows, the table of tile sums is folded."""

_HEADINGS: Final = {
    "reach": "How far they get",
    "survival": "Where they end",
    "scores": "Scores",
    "strength": "Strength and time",
}
"""The headings of the plots."""

_POLICY: Final = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""The content security policy: the page may load nothing; its plots are in it."""

BEGIN: Final = (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
)
"""The beginning of every page, which tells it from other files."""


def html(sections: Sequence[Section], curves: Sequence[DrawnCurve] = ()) -> str:
    """The page of a report: a study, and below it learning curves."""
    require_report("matplotlib")
    entries = [entry for section in sections for entry in section.entries]
    games = sum(entry.summary.games for entry in entries)
    players = {entry.player for entry in entries}
    parts = [counted(len(players), "player"), counted(games, "game")] if sections else []
    parts += [counted(len(curves), "learning curve")] if curves else []
    title = f"2048: {', '.join(parts)}"
    dice = " Every player was given the same dice for the same seed." if sections else ""
    bodies = list(map(_section, sections))
    style = resources.files("twofold.arena").joinpath("page.css").read_text(encoding="utf-8")
    body = "\n".join([*bodies, _curves(curves)] if curves else bodies)
    return (
        f'{BEGIN}<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f'<h1>{title}</h1>\n<p class="lead">A report of <code>twofold</code>.{dice} '
        "Intervals are of 95 %.</p>\n"
        f"{body}\n</body>\n</html>\n"
    )


def _text(value: str) -> str:
    """Escape text from a study."""
    return markup.escape(printable(value))


def _curves(curves: Sequence[DrawnCurve]) -> str:
    caption = (
        "Mean score in training between two points; for several runs the mean over the runs, "
        "with its interval as a band."
    )
    figure = _figure(learning_curves(curves), caption)
    return f"<h2>Learning curves</h2>\n{figure}\n{_table(curves_table(curves), ranked=True)}"


# ---- one set of rules


def _section(section: Section) -> str:
    tables = section_tables(section)
    boards = f", from boards <code>{_text(section.boards.name)}</code>" if section.boards else ""
    parts = [f"<h2>Rules <code>{_text(section.rules)}</code>{boards}</h2>"]
    notes = "".join(f"<li>{_text(note.text)}</li>" for note in tables.notes)
    parts += [_league(tables), f'<ul class="notes">{notes}</ul>' if notes else ""]
    parts += [*_plots(section, tables), _pairs(tables)]
    parts += [_settings(tables), _commands(tables)]
    return "\n".join(part for part in parts if part)


def _league(tables: SectionTables) -> str:
    if not tables.league:
        return ""
    hint = "Moves a second and time a move are the mean of one game at a time"
    if tables.has_spread:
        hint += "; median and 99th percentile are those of the median game"
    return f'{_table(tables.league, ranked=True)}\n<p class="hint">{hint}.</p>'


def _plots(section: Section, tables: SectionTables) -> list[str]:
    had = " or began with one as large" if section.boards else ""
    captions = {
        "reach": f"Share of games that reached at least the tile{had}, with its interval.",
        "survival": "The sum of the tiles measures the progress of a game. Above: the share of "
        "games still going on. Below: the share of the games in a band of sums that ended there, "
        f"with its interval; bands with fewer than {FEWEST} games are left out.",
        "scores": "Histograms of the scores, each player scaled to the same height. The mark is "
        "the median, the thick line the middle half of the games. With more than 1,000 games the "
        "best thousandth is not drawn.",
        "strength": "Further up is stronger, further left is faster. Numbers are places in the "
        "first table, bars the intervals.",
    }
    below = {"reach": _table(tables.rates, ranked=True) if tables.rates else ""}
    if ends := tables.survival:
        opened = " open" * (len(ends.rows) <= _FEW_ROWS)
        summary = "<summary>Where they end, by tile sum</summary>"
        below["survival"] = f"<details{opened}>{summary}\n{_table(ends)}</details>"
    parts = []
    drawn = drawings(section.entries)
    for kind in KINDS:
        if kind in drawn:
            figure = _figure(drawn[kind], captions[kind])
            parts.append(f"<h3>{_HEADINGS[kind]}</h3>\n{figure}")
        parts += filter(None, [below.get(kind)])
    return parts


def _figure(drawing: Drawing, caption: str) -> str:
    data = b64encode(drawing.file("svg")).decode()
    return (
        f'<figure><div class="wide"><img class="plot" alt="{drawing.title}" '
        f'src="data:image/svg+xml;base64,{data}"></div>\n<figcaption>{caption}</figcaption></figure>'
    )


def _pairs(tables: SectionTables) -> str:
    if not tables.pairs:
        return ""
    return (
        "<h3>Differences on the same seeds</h3>\n"
        + _table(tables.pairs)
        + f'\n<p class="hint">{_text(pairs_note(tables))}</p>'
    )


def _settings(tables: SectionTables) -> str:
    parts = ["<h3>Settings</h3>", _table(tables.settings)]
    for machine in tables.machines:
        lines = "".join(
            f"<dt>{_text(key)}</dt><dd>{_text(value)}</dd>" for key, value in machine.values.items()
        )
        parts.append(f'<p class="hint">Machine of {_text(", ".join(machine.players))}</p>')
        parts.append(f"<dl>{lines}</dl>")
    return "\n".join(parts)


def _commands(tables: SectionTables) -> str:
    if not tables.commands:
        return ""
    played = [*tables.commands, "twofold report again.db --html again.html"]
    lines = "\n".join(map(_text, played))
    return f"<h3>To make this again</h3>\n<pre>{lines}</pre>"


# ---- tables


def _table(table: ReportTable, *, ranked: bool = False) -> str:
    """A table that scrolls on narrow screens; with `ranked`, rows are players with their marker."""
    head = "".join(
        f"<th{' class=name' * (column < table.names)}>{name}</th>"
        for column, name in enumerate(table.header)
    )
    rows = []
    for number, row in enumerate(table.rows):
        place = number if ranked else None
        cells = "".join(_cell(table, column, cell, place) for column, cell in enumerate(row))
        rows.append(f"<tr>{cells}</tr>")
    body = "\n".join(rows)
    return (
        f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def _cell(table: ReportTable, column: int, cell: str, place: int | None) -> str:
    if column < table.names:
        ranked = column == 0 and place is not None
        body = f'<span class="who">{_named(place or 0, cell)}</span>' if ranked else _name(cell)
        short = " short" if len(cell) <= MAX_NAME else ""
        return f'<td class="name{short}">{body}</td>'
    value, _, ends = _text(cell).partition(" (")  # a rate with its interval
    return f"<td>{value}<small>{ends[:-1]}</small></td>" if ends else f"<td>{value}</td>"


def _named(place: int, name: str) -> str:
    return f'{_swatch(place)}<span class="place">{place + 1}</span><span>{_name(name)}</span>'


def _swatch(place: int) -> str:
    style = PlayerStyle.of(place)
    dashes = f' stroke-dasharray="{" ".join(map(str, style.dashes))}"' if style.dashes else ""
    return (
        f'<svg class="swatch" viewBox="0 0 28 12" aria-hidden="true" style="color:'
        f'var(--series-{style.colour})"><path d="M0 6H28" fill="none" stroke="currentColor"'
        f' stroke-width="2"{dashes}/><path d="{style.marker}" fill="currentColor"/></svg>'
    )


def _name(text: str) -> str:
    return _text(text).replace(",", ",<wbr>")
