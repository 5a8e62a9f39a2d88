"""The page of a report: one file without scripts that loads nothing."""

import html
from collections.abc import Sequence
from typing import Final

from twofold.arena.reports import plots
from twofold.arena.reports import text as tables
from twofold.arena.reports.curve_plots import curves_figure
from twofold.arena.reports.joint_curve import DrawnCurve
from twofold.arena.reports.report import MAX_ALL_PAIRS, Entry, Section, commands, comparisons
from twofold.arena.reports.text import Table
from twofold.arena.table import MAX_NAME
from twofold.figures import counted
from twofold.notation import printable

_LIGHT: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#111111")
_DARK: Final = ("#3d9be0", "#f0782a", "#1fbf92", "#e29cc3", "#8fd3f7", "#f2b632", "#f2f2f2")
"""The colours of `report_svg.COLOURS`, on black a little lighter."""

_STYLE: Final = """
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1d1f23; --soft: #5f646d; --faint: #d9dce1; --shade: #f5f6f8;
  LIGHT
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #15171a; --ink: #e8e9eb; --soft: #a0a5ae; --faint: #3a3e45; --shade: #1e2125;
    DARK
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 3rem 1.25rem 5rem; max-width: 64rem;
  background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
h1 { font-size: 1.9rem; line-height: 1.2; letter-spacing: -0.01em; margin: 0 0 0.4rem; }
h2 { font-size: 1.35rem; margin: 4rem 0 0.4rem; overflow-wrap: anywhere; }
h3 { font-size: 1.05rem; margin: 2.8rem 0 0.4rem; }
p { margin: 0 0 0.9rem; max-width: 46rem; }
.lead, .hint, figcaption { color: var(--soft); }
.hint, figcaption { font-size: 0.9rem; }
.wide { overflow-x: auto; margin: 0.8rem 0; }
table { border-collapse: collapse; font-size: 0.92rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.45rem 0.7rem; text-align: right; white-space: nowrap; vertical-align: top; }
th { font-weight: 600; color: var(--soft); border-bottom: 2px solid var(--faint); }
td { border-bottom: 1px solid var(--faint); }
th.name, td.name { text-align: left; }
td.name { white-space: normal; overflow-wrap: anywhere; min-width: 16rem; max-width: 24rem; }
td.short { white-space: nowrap; min-width: 0; }
.who { display: flex; align-items: baseline; }
th:first-child, td:first-child { padding-left: 0; }
td small { display: block; color: var(--soft); font-size: 0.8em; }
.place { color: var(--soft); margin-right: 0.5rem; flex: none; }
figure { margin: 0.8rem 0 0; break-inside: avoid; }
svg.plot { display: block; width: 100%; min-width: 34rem; height: auto; }
svg.plot * { stroke-linejoin: round; stroke-linecap: butt; }
svg.plot text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif !important; }
svg.swatch { width: 28px; height: 12px; vertical-align: -1px; margin-right: 0.5rem; flex: none; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0.3rem 1.6rem; padding: 0;
  margin: 0.5rem 0; font-size: 0.9rem; overflow-wrap: anywhere; }
ul.notes { padding-left: 1.1rem; overflow-wrap: anywhere; }
pre { background: var(--shade); padding: 0.9rem 1rem; border-radius: 6px; overflow-x: auto;
  font: 0.86rem/1.6 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
code { font: 0.9em ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.15rem 1.2rem; margin: 0.6rem 0;
  font-size: 0.92rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
@media print {
  body { padding: 0; max-width: none; font-size: 10pt; }
  .wide { overflow: visible; } svg.plot { min-width: 0; max-width: 16cm; }
  pre { white-space: pre-wrap; } tr, dl { break-inside: avoid; }
  h2, h3 { break-after: avoid; } th, td { padding-right: 0.5rem; }
}
"""

_FEW_ROWS: Final = 25
"""Of more rows the table of tile sums is folded."""

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
"""What a browser may load for the page: nothing."""


def page(sections: Sequence[Section], curves: Sequence[DrawnCurve] = ()) -> str:
    """The whole page.

    Args:
        sections: of a study; none for a page of curves alone.
        curves: learning curves, which stand below all sections.
    """
    entries = [entry for section in sections for entry in section.entries]
    games = sum(entry.summary.games for entry in entries)
    parts = [counted(len(entries), "run"), counted(games, "game")] if sections else []
    parts += [counted(len(curves), "learning curve")] if curves else []
    title = f"2048: {', '.join(parts)}"
    dice = " Every player was given the same dice for the same seed." if sections else ""
    bodies = [_section(number, section) for number, section in enumerate(sections, 1)]
    body = "\n".join([*bodies, _curves(curves)] if curves else bodies)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_style()}</style>\n</head>\n<body>\n"
        f'<h1>{title}</h1>\n<p class="lead">A report of <code>twofold</code>.{dice} '
        "Intervals are of 95 %.</p>\n"
        f"{body}\n</body>\n</html>\n"
    )


def _style() -> str:
    light, dark = (
        " ".join(f"--series-{place}: {colour};" for place, colour in enumerate(colours))
        for colours in (_LIGHT, _DARK)
    )
    return _STYLE.replace("LIGHT", light).replace("DARK", dark)


def _text(value: str) -> str:
    """Text of others as it may stand in a page."""
    return html.escape(printable(value))


def _curves(curves: Sequence[DrawnCurve]) -> str:
    """The learning curves, and a table of where they end."""
    items = "".join(
        f'<li class="who">{_named(place, curve.name)}</li>' for place, curve in enumerate(curves)
    )
    figure = (
        f'<figure><div class="wide">{curves_figure(curves)}</div>\n<ul class="legend">{items}</ul>'
        "<figcaption>Mean score of the games while a network learns, from point to point; of "
        "several runs their mean, with its interval over the runs as a band.</figcaption></figure>"
    )
    return f"<h2>Learning curves</h2>\n{figure}\n{_table(tables.curves(curves), ranked=True)}"


# ---- one set of rules


def _section(number: int, section: Section) -> str:
    boards = f", from boards <code>{_text(section.boards.name)}</code>" if section.boards else ""
    parts = [f"<h2>Rules <code>{_text(section.rules)}</code>{boards}</h2>"]
    if section.entries:
        parts += [_league(section), *_plots(number, section), _pairs(section)]
    else:
        parts.append(_notes(section))
    parts.append(_settings(section))
    return "\n".join(part for part in parts if part)


def _league(section: Section) -> str:
    hint = "Moves a second and time a move are the mean of one game at a time"
    if any(entry.games.usual_move for entry in section.entries):
        hint += "; median and 99th percentile are those of the median game"
    return (
        _table(tables.league(section.entries), ranked=True)
        + f'\n<p class="hint">{hint}.</p>\n'
        + _notes(section)
    )


def _notes(section: Section) -> str:
    found = tables.notes(section)
    items = "".join(f"<li>{_text(note)}</li>" for note in found)
    return f'<ul class="notes">{items}</ul>' if found else ""


def _plots(number: int, section: Section) -> list[str]:
    entries, given = section.entries, section.boards
    legend = _legend(entries)
    rates = _table(tables.rates(entries, from_boards=bool(given)), ranked=True)
    had = " or began with one as large" if given else ""
    return [
        _figure(
            "How far they get",
            plots.reach_rates(entries, f"reach-{number}"),
            f"{legend}<figcaption>Share of games that reached at least the tile{had}, with its "
            "interval.</figcaption>",
        )
        + rates,
        _survival(number, entries, legend),
        _figure(
            "Scores",
            plots.distributions(entries, f"scores-{number}"),
            "<figcaption>How often each score came up, every player to its own height. The mark "
            "is the median, the thick line holds the middle half of the games. Of more than 1,000 "
            "games the best thousandth is not drawn.</figcaption>",
        ),
        _figure(
            "Strength and time",
            plots.strength(entries, f"strength-{number}"),
            f"{legend}<figcaption>Further up is stronger, further left is faster. Numbers are "
            "places in the first table, bars the intervals.</figcaption>",
        ),
    ]


def _survival(number: int, entries: Sequence[Entry], legend: str) -> str:
    table = tables.survival(entries)
    if not table.rows:
        return ""
    caption = (
        "<figcaption>The sum of the tiles says how far a game is. Above: the share of games that "
        "go on. Below: of those that came to a band of sums, the share that ended in it, with its "
        f"interval; bands with fewer than {plots.FEWEST} games are left out.</figcaption>"
    )
    drawn = _figure(
        "Where they end", plots.survival(entries, f"survival-{number}"), f"{legend}{caption}"
    )
    return (
        f"{drawn}<details{' open' * (len(table.rows) <= _FEW_ROWS)}><summary>Where they end, by "
        f"tile sum</summary>\n{_table(table)}</details>"
    )


def _figure(heading: str, svg: str, below: str) -> str:
    if not svg:
        return ""
    return f'<h3>{heading}</h3>\n<figure><div class="wide">{svg}</div>\n{below}</figure>\n'


def _legend(entries: Sequence[Entry]) -> str:
    items = (
        f'<li class="who">{_named(place, entry.label)}</li>' for place, entry in enumerate(entries)
    )
    return f'<ul class="legend">{"".join(items)}</ul>'


def _pairs(section: Section) -> str:
    found = comparisons(section.entries)
    if not found:
        return ""
    which = "" if len(section.entries) <= MAX_ALL_PAIRS else "Each player with the next. "
    return (
        "<h3>Differences on the same seeds</h3>\n"
        + _table(tables.pairs(found))
        + f'\n<p class="hint">{which}In points a game; p is of the paired t test. Each interval '
        "stands for itself: of twenty, one is expected to miss.</p>"
    )


def _settings(section: Section) -> str:
    parts = ["<h3>Settings</h3>", _table(tables.settings(section))]
    for players, machine in tables.machines(section):
        if machine:
            lines = "".join(
                f"<dt>{_text(key)}</dt><dd>{_text(value)}</dd>" for key, value in machine.items()
            )
            parts.append(f'<p class="hint">Machine of {_text(", ".join(players))}</p>')
            parts.append(f"<dl>{lines}</dl>")
    played = commands(section)
    if played:
        lines = "\n".join(map(_text, [*played, "twofold report study.db --html report.html"]))
        parts.append(f"<h3>To make this again</h3>\n<pre>{lines}</pre>")
    return "\n".join(parts)


# ---- tables


def _table(table: Table, *, ranked: bool = False) -> str:
    """A table that scrolls by itself where the screen is narrow.

    Args:
        table: its cells.
        ranked: whether its lines are the players in order, to be shown with place and marker.
    """
    head = "".join(
        f"<th{' class=name' * (column < table.names)}>{name}</th>"
        for column, name in enumerate(table.header)
    )
    rows = "\n".join(
        f"<tr>{_cells(table, row, place if ranked else None)}</tr>"
        for place, row in enumerate(table.rows)
    )
    return (
        f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table></div>"
    )


def _cells(table: Table, row: Sequence[str], place: int | None) -> str:
    return "".join(_cell(table, column, cell, place) for column, cell in enumerate(row))


def _cell(table: Table, column: int, cell: str, place: int | None) -> str:
    if column < table.names:
        ranked = column == 0 and place is not None
        body = f'<span class="who">{_named(place or 0, cell)}</span>' if ranked else _name(cell)
        short = " short" if len(cell) <= MAX_NAME else ""
        return f'<td class="name{short}">{body}</td>'
    value, _, ends = _text(cell).partition(" (")  # a rate with its interval
    return f"<td>{value}<small>{ends[:-1]}</small></td>" if ends else f"<td>{value}</td>"


def _named(place: int, name: str) -> str:
    """A player as in every table and legend: marker, place, name."""
    return f'{plots.swatch(place)}<span class="place">{place + 1}</span><span>{_name(name)}</span>'


def _name(text: str) -> str:
    """A name, a long one to be broken after a comma."""
    return _text(text).replace(",", ",<wbr>")
