"""The rows of docs/league.csv, one for each player: from studies, or published."""

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from twofold.arena.report import ReportEntry, gather
from twofold.arena.stats import reach
from twofold.arena.study import Study
from twofold.cli._output import machine
from twofold.tables.folder import SETS

ROWS = Path(__file__).parent / "league.csv"
TILES = (2048, 8192, 16384, 32768)
DEFAULT_TABLES = "+".join(SETS["default"])
OTHER_TABLES = "+".join(name for name in SETS["large"] if name not in SETS["default"])
ENGINES = {
    "macroxue": "macroxue/2048-ai, depth",
    "nneonneo": "nneonneo/2048-ai, depth",
    "tdl": "TDL2048+, ply",
}
"""Modules of `benchmarks/engines`, and the names of their programs before a depth."""


@dataclass(frozen=True, slots=True)
class Row:
    """One player.

    Attributes:
        player: its spec, or the name of another program and its depth.
        mean: points; `low` and `high` are the ends of the 95 % interval, None if unknown.
        reached: number of games that reached each of `TILES`; None if unknown.
        seconds: time a move; None if unknown.
        clock: what `seconds` is: `cpu` or `wall`, measured by us, or `published`.
        date: of the games, or of the publication.
        source: where it is published; empty if measured by us.
        machine: of `seconds`.
    """

    player: str
    games: int
    mean: float
    low: float | None
    high: float | None
    reached: tuple[int | None, ...]
    seconds: float | None
    clock: str
    date: str
    source: str
    machine: str

    @property
    def is_published(self) -> bool:
        """True if the games are not ours."""
        return bool(self.source)


HEADER = [field.name for field in fields(Row) if field.name != "reached"]
REACHED = [f"reached_{tile}" for tile in TILES]


def read_rows(path: Path = ROWS) -> list[Row]:
    """The rows in the file, in its order."""
    with path.open(encoding="utf-8", newline="") as file:
        return [_parsed(line) for line in csv.DictReader(file)]


def write_rows(rows: Iterable[Row], path: Path = ROWS) -> None:
    """Write the rows: ours first, the quickest on top."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*HEADER, *REACHED], lineterminator="\n")
        writer.writeheader()
        for row in sorted(rows, key=lambda one: (one.is_published, one.seconds or 1e9)):
            values = {name: _written(value) for name, value in asdict(row).items()}
            counts = zip(REACHED, row.reached, strict=True)
            values.update((name, _written(count)) for name, count in counts)
            writer.writerow({name: values[name] for name in (*HEADER, *REACHED)})


def rows_of(study: Path) -> list[Row]:
    """A row for each player of a study with two games or more, timed by the wall clock."""
    with Study(study, read_only=True) as opened:
        (section,) = gather(opened)
    return [_row(entry) for entry in section.entries if entry.summary.games > 1]


def timed(rows: Iterable[Row], times: Mapping[str, float]) -> list[Row]:
    """The rows, ours with the CPU seconds a move that were measured on this machine."""
    here = _machine_of(machine())
    return [
        replace(row, seconds=times[row.player], clock="cpu", machine=here)
        if row.player in times and not row.is_published
        else row
        for row in rows
    ]


def read_times(path: Path) -> dict[str, float]:
    """CPU seconds a move by player, from lines `player,moves,seconds`, one or more a player."""
    moves: dict[str, int] = {}
    seconds: dict[str, float] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for player, count, used in csv.reader(file):
            moves[player] = moves.get(player, 0) + int(count)
            seconds[player] = seconds.get(player, 0.0) + float(used)
    return {player: seconds[player] / moves[player] for player in moves}


def name_of(player: str) -> str:
    """The name of a player in the league, without the paths of a machine."""
    if found := re.search(r"benchmarks\.engines\.(\w+).* --(?:depth|ply) (\d+)", player):
        return f"{ENGINES[found[1]]} {found[2]}"
    player = player.replace(f"tables={OTHER_TABLES}", "tables=auto")
    return player.replace(f"tables={DEFAULT_TABLES}", "tables=default")


def merged(rows: Iterable[Row], newer: Iterable[Row]) -> list[Row]:
    """The rows, each replaced by a newer one of the same player and kind."""
    return list({(row.player, row.source): row for row in (*rows, *newer)}.values())


def _row(entry: ReportEntry) -> Row:
    summary, run = entry.summary, entry.run
    return Row(
        name_of(run.player),
        summary.games,
        summary.score.value,
        summary.score.low,
        summary.score.high,
        tuple(round(reach(summary, tile) * summary.games) for tile in TILES),
        entry.seconds_per_move,
        "wall",
        run.created[:10],
        "",
        _machine_of(run.machine),
    )


def _machine_of(described: Mapping[str, Any]) -> str:
    return f"{described['processor']}, {described['cores']} cores"


def _parsed(line: Mapping[str, str]) -> Row:
    reached = tuple(int(line[name]) if line[name] else None for name in REACHED)
    low, high, seconds = (
        float(line[name]) if line[name] else None for name in ("low", "high", "seconds")
    )
    games, mean = int(line["games"]), float(line["mean"])
    rest = (line[name] for name in ("clock", "date", "source", "machine"))
    return Row(line["player"], games, mean, low, high, reached, seconds, *rest)


def _written(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1 else f"{value:.1f}"
    return "" if value is None else value
