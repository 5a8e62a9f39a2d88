"""Writes the tables of players in these pages, and docs/images/league.svg, from docs/league.csv.

python docs/league.py

With studies, their players are first put into docs/league.csv, with CPU times where measured:

twofold bench --preset league --out league.db
python -m benchmarks.engines.ours ntuple:ply=2 --times=times.csv
python docs/league.py league.db --times times.csv
"""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from league_picture import draw
from league_rows import TILES, Row, merged, read_rows, read_times, rows_of, timed, write_rows

from twofold.arena.stats import wilson_interval
from twofold.figures import format_seconds

DOCS = Path(__file__).parent
PAGE = DOCS / "league.md"
BUDGETS = (10e-6, 100e-6, 1e-3, 10e-3)  # seconds a move
BEGIN, END = "<!-- tables: written by docs/league.py -->", "<!-- end of tables -->"
PUBLISHED = """## Published by their authors

Not measured here: other dice, other machines, and the authors' own numbers. Rows of a program that
it beats in less time are left out."""
LEAST_GAMES = 30
"""Players with fewer games stand in no table."""


def budget_of(row: Row) -> float:
    """The smallest budget that holds the mean time a move."""
    return next((budget for budget in BUDGETS if (row.seconds or 0.0) <= budget), float("inf"))


def rate(row: Row, number: int) -> str:
    """How many games reached a tile, in percent, with the 95 % interval."""
    hits = row.reached[number]
    if not hits:
        return "" if hits is None else "–"
    interval, digits = wilson_interval(hits, row.games), int(row.games >= 1_000)
    ends = [f"{100 * (end or 0.0):.{digits}f}" for end in (interval.low, interval.high)]
    return f"{100 * interval.value:.{digits}f} ({'–'.join(ends)})"


def table(rows: Sequence[Row], *, published: bool = False) -> list[str]:
    """A table in Markdown, the largest mean score on top."""
    tiles = " | ".join(f"{tile}, %" for tile in TILES)
    head = f"| player | games | mean score | {tiles} | time a move |"
    lines = [
        f"{head} source |" if published else head,
        "|---|--:|--:|" + "--:|" * (len(TILES) + 1) + "---|" * published,
    ]
    for row in sorted(rows, key=lambda one: -one.mean):
        name = row.player if published or not is_spec(row) else f"`{row.player}`"
        rates = " | ".join(rate(row, number) for number in range(len(TILES)))
        time = format_seconds(row.seconds) if row.seconds else "not published"
        ends = f" ({row.low or 0:,.0f} to {row.high or 0:,.0f})"
        lines.append(
            f"| {name} | {row.games:,} | {row.mean:,.0f}{'' if published else ends} | {rates}"
            f" | {time}{mark(row)} |" + f" {row.source} |" * published
        )
    return lines


def is_spec(row: Row) -> bool:
    """True if the player is a spec of twofold, not another program."""
    return re.match(r"[a-z0-9-]+(:|$)", row.player) is not None


def measured(rows: Sequence[Row]) -> list[Row]:
    """Our own games, where there are enough of them."""
    return [row for row in rows if not row.is_published and row.games >= LEAST_GAMES]


def best_published(rows: Sequence[Row]) -> list[Row]:
    """The published rows, without those that the same program beats in less time."""
    found = [row for row in rows if row.is_published]
    return [
        row
        for row in found
        if not any(
            other.player.partition(",")[0] == row.player.partition(",")[0]
            and other.mean > row.mean
            and (other.seconds or 1e9) < (row.seconds or 0.0)
            for other in found
        )
    ]


def mark(row: Row) -> str:
    """A star at a time that is not CPU time measured here."""
    return " *" if row.clock == "wall" else ""


def conditions(rows: Sequence[Row]) -> str:
    """The dates and machines of our own games."""
    machines = sorted({row.machine for row in rows})
    dates = sorted({row.date for row in rows})
    return f"{'; '.join(machines)}; {' to '.join(dict.fromkeys((dates[0], dates[-1])))}."


def page_parts(rows: Sequence[Row]) -> list[str]:
    """The lines between the marks of the page."""
    ours = measured(rows)
    parts = [conditions(ours), ""]
    for budget in (*BUDGETS, float("inf")):
        if within := [row for row in ours if budget_of(row) == budget]:
            title = f"Up to {format_seconds(budget)}" if budget < 1 else "More"
            parts += [f"## {title} a move", "", *table(within), ""]
    published = table(best_published(rows), published=True)
    return [*parts, PUBLISHED, "", *published, ""]


def put(page: Path, begin: str, text: str, end: str) -> None:
    """Write a text between two marks of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    page.write_text(before + begin + text + end + rest.partition(end)[2], encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("studies", nargs="*", type=Path)
    about = "CPU times, lines `player,moves,seconds`; of the last file that has a player"
    parser.add_argument("--times", type=Path, nargs="*", default=[], help=about)
    options = parser.parse_args()
    times = {player: time for path in options.times for player, time in read_times(path).items()}
    rows = read_rows()
    for study in options.studies:
        rows = merged(rows, rows_of(study))
    write_rows(timed(rows, times))
    rows = read_rows()  # as they are kept
    draw(rows)
    put(PAGE, BEGIN, "\n".join(["", "", *page_parts(rows), ""]), END)


if __name__ == "__main__":
    main()
