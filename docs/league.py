"""Writes the tables of docs/league.md, and docs/images/league.svg, from a study.

twofold bench --preset league --out league.db
python docs/league.py league.db
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from twofold.arena.reports.report import ReportEntry, gather
from twofold.arena.stats import wilson_interval
from twofold.arena.studies.study import Study
from twofold.arena.table import (
    reach,
)
from twofold.figures import (
    format_seconds,
)

HERE = Path(__file__).parent
PAGE = HERE / "league.md"
PICTURE = HERE / "images" / "league.svg"
BUDGETS = (10e-6, 100e-6, 1e-3, 10e-3)  # seconds a move
TILES = (2048, 8192, 16384, 32768)
FAMILIES = {
    "ntuple:net=default": ("#0072b2", "o"),
    "ntuple:net=tiny": ("#56b4e9", "s"),
    "expectimax, rows": ("#d55e00", "^"),
    "expectimax, snake": ("#e69f00", "v"),
    "alphabeta, rows": ("#009e73", "D"),
    "others": ("#777777", "."),
}
"""Colour and mark of each; colours that the colour-blind can tell apart (Okabe and Ito)."""

BEGIN, END = "<!-- tables: written by docs/league.py -->", "<!-- end of tables -->"


def budget_of(entry: ReportEntry) -> float:
    """The smallest budget that holds the mean time a move."""
    seconds = entry.seconds_per_move or 0.0
    return next((budget for budget in BUDGETS if seconds <= budget), float("inf"))


def rate(entry: ReportEntry, tile: int) -> str:
    """How many games reached a tile, in percent, with the 95 % interval."""
    games = entry.summary.games
    hits = round(reach(entry.summary, tile) * games)
    if not hits:
        return "–"
    interval, digits = wilson_interval(hits, games), int(games >= 1_000)
    ends = [f"{100 * (end or 0.0):.{digits}f}" for end in (interval.low, interval.high)]
    return f"{100 * interval.value:.{digits}f} ({'–'.join(ends)})"


def table(entries: Sequence[ReportEntry]) -> list[str]:
    tiles = " | ".join(f"{tile}, %" for tile in TILES)
    lines = [
        f"| player | games | mean score | 95 % interval | {tiles} | time a move |",
        "|---|--:|--:|--:|" + "--:|" * (len(TILES) + 1),
    ]
    for entry in entries:
        score = entry.summary.score
        lines.append(
            f"| `{entry.label}` | {entry.summary.games:,} | {score.value:,.0f} "
            f"| {score.low or 0:,.0f} to {score.high or 0:,.0f} | "
            + " | ".join(rate(entry, tile) for tile in TILES)
            + f" | {format_seconds(entry.seconds_per_move)} |"
        )
    return lines


def family(label: str) -> str:
    name, _, rest = label.partition(":")
    if name == "ntuple":
        return "ntuple:net=tiny" if "tiny" in rest else "ntuple:net=default"
    if name == "expectimax":
        return "expectimax, snake" if "snake" in rest else "expectimax, rows"
    return "alphabeta, rows" if name == "alphabeta" else "others"


def describe(machine: Mapping[str, Any]) -> str:
    return (
        f"{machine['processor']}, {machine['cores']} cores, {machine['system'].partition('-')[0]}, "
        f"Python {machine['python']}, Numba {machine['numba']}, twofold {machine['twofold']}"
    )


def draw(entries: Sequence[ReportEntry]) -> None:
    """Mean score against time a move, a line for each family."""
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    for name, (colour, mark) in FAMILIES.items():
        ours = sorted(
            (entry for entry in entries if family(entry.label) == name),
            key=lambda entry: entry.seconds_per_move or 0.0,
        )
        times = [entry.seconds_per_move or 0.0 for entry in ours]
        means = [entry.summary.score.value for entry in ours]
        errors = [
            [
                mean - (entry.summary.score.low or mean)
                for mean, entry in zip(means, ours, strict=True)
            ],
            [
                (entry.summary.score.high or mean) - mean
                for mean, entry in zip(means, ours, strict=True)
            ],
        ]
        line = "none" if name == "others" else "-"
        axes.errorbar(
            times, means, errors, color=colour, marker=mark, linestyle=line, capsize=3, label=name
        )
        if name == "others":
            for number, (entry, time, mean) in enumerate(zip(ours, times, means, strict=True)):
                place = (5, -10 if number % 2 else 4)  # neighbours do not cover each other
                axes.annotate(
                    entry.label, (time, mean), place, textcoords="offset points", fontsize=7
                )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("time a move, seconds")
    axes.set_ylabel("mean score, points")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(PICTURE, metadata={"Date": None})


def main() -> None:
    (path,) = sys.argv[1:]
    with Study(Path(path), read_only=True) as study:
        (section,) = gather(study)
    entries = section.entries
    machines = sorted({describe(entry.run.machine) for entry in entries})
    dates = sorted({entry.run.created[:10] for entry in entries})
    draw(entries)
    parts = [f"{', '.join(machines)}; {' to '.join(dates)}.", ""]
    for budget in (*BUDGETS, float("inf")):
        if ours := [entry for entry in entries if budget_of(entry) == budget]:
            title = f"Up to {format_seconds(budget)}" if budget < 1 else "More"
            parts += [f"## {title} a move", "", *table(ours), ""]
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    page = "\n".join([before + BEGIN, "", *parts, END]) + after
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
