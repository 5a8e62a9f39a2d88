"""The tables of a study as the page gets them: the cells of its report, and what to sort by."""

from collections.abc import Sequence

import msgspec

from twofold.arena.compare import Comparison
from twofold.arena.reports import plots as report_plots
from twofold.arena.reports import text as report_text
from twofold.arena.reports.report import MAX_ALL_PAIRS, Entry, Section, commands, comparisons
from twofold.arena.reports.text import Table
from twofold.arena.stats import wilson_interval
from twofold.arena.survival import Band, edges_of, told_bands
from twofold.arena.table import reach, reach_tiles
from twofold.notation import printable

Key = float | str | None
"""What a cell is sorted by; None comes last."""


class TableInfo(msgspec.Struct):
    """A table.

    Attributes:
        header: of each column.
        rows: their cells.
        keys: what each cell is sorted by; empty where the order of the rows is their meaning.
        names: how many columns, the first ones, hold names.
    """

    header: list[str]
    rows: list[list[str]]
    keys: list[list[Key]]
    names: int


class PlayerStyle(msgspec.Struct):
    """How a player of a section is drawn in every plot, in the order of the league table.

    Attributes:
        label: its name.
        colour: number of the colour.
        dashes: of the line, on and off; empty for a whole one.
        marker: path of the marker, in a box of 28 x 12.
    """

    label: str
    colour: int
    dashes: list[float]
    marker: str


class MachineInfo(msgspec.Struct):
    """A machine, and who played on it."""

    players: list[str]
    values: dict[str, str]


class PlotInfo(msgspec.Struct):
    """A plot: its name in the address, and its kind: `reach`, `survival`, `scores`, `strength`."""

    name: str
    kind: str


class SectionTables(msgspec.Struct):
    """What a study says of its players under one set of rules, from the same boards.

    Attributes:
        boards: name, number and hash of the boards that the games began on; empty for new games.
        players: in the order of the league table.
        league: scores and speed; None where no game is finished.
        rates: reach rates.
        survival: where games ended, by tile sum; None where that is not known.
        pairs: differences on the same seeds; None where there are no two players.
        all_pairs: whether each player is compared with all others, not with the next alone.
        has_spread: whether the spread of the time of moves is known.
    """

    rules: str
    boards: str
    players: list[PlayerStyle]
    league: TableInfo | None
    rates: TableInfo | None
    survival: TableInfo | None
    pairs: TableInfo | None
    all_pairs: bool
    has_spread: bool
    settings: TableInfo
    machines: list[MachineInfo]
    notes: list[str]
    commands: list[str]
    plots: list[PlotInfo]


def section_tables(number: int, section: Section, *, plots: bool) -> SectionTables:
    """The tables of a section.

    Args:
        number: its number in the study, from 1 on, which names its plots.
        section: the section.
        plots: whether plots can be made here.
    """
    entries = section.entries
    found = comparisons(entries)
    rates = report_text.rates(entries, from_boards=bool(section.boards)) if entries else None
    kinds = report_plots.telling(entries) if plots and entries else {}
    machines = report_text.machines(section)
    return SectionTables(
        rules=printable(section.rules),
        boards=printable(str(section.boards or "")),
        players=[_style(place, entry.label) for place, entry in enumerate(entries)],
        league=_info(report_text.league(entries), map(_league_keys, entries)) if entries else None,
        rates=_info(rates, _rate_keys(entries)) if rates else None,
        survival=_survival(entries),
        pairs=_info(report_text.pairs(found), map(_pair_keys, found)) if found else None,
        all_pairs=len(entries) <= MAX_ALL_PAIRS,
        has_spread=any(entry.games.usual_move for entry in entries),
        settings=_info(report_text.settings(section)),
        machines=[_machine(*one) for one in machines if one[1]],
        notes=[printable(note) for note in report_text.notes(section)],
        commands=[printable(line) for line in commands(section)],
        plots=[PlotInfo(f"{kind}-{number}", kind) for kind in kinds],
    )


def _style(place: int, label: str) -> PlayerStyle:
    style = report_plots.Style.of(place)
    marker = report_plots.MARKERS[style.marker]
    return PlayerStyle(printable(label), style.colour, list(style.dashes), marker)


def _machine(players: list[str], values: dict[str, str]) -> MachineInfo:
    shown = {printable(key): printable(value) for key, value in values.items()}
    return MachineInfo([printable(player) for player in players], shown)


def _info(table: Table, keys: "map[list[Key]] | Sequence[list[Key]]" = ()) -> TableInfo:
    rows = [[printable(cell) for cell in row] for row in table.rows]
    return TableInfo(list(table.header), rows, list(keys), table.names)


# ---- what to sort by


def _league_keys(entry: Entry) -> list[Key]:
    """One for each column of `report_text.league`, the last whether or not it is there."""
    one, seconds = entry.summary, entry.seconds_per_move
    low = one.score.low
    speed = one.moves_per_second if seconds else None
    spread = entry.games.usual_move
    usual = spread[0] if spread else None
    values = [one.games, one.score.value, low, one.median, one.best, speed, seconds, usual]
    return [printable(entry.label), *values]


def _rate_keys(entries: Sequence[Entry]) -> list[list[Key]]:
    """Of equal rates that of more games is the surer one."""
    tiles = reach_tiles([entry.summary for entry in entries])
    return [[printable(entry.label), *(_rate(entry, tile) for tile in tiles)] for entry in entries]


def _rate(entry: Entry, tile: int) -> float:
    games, value = entry.summary.games, reach(entry.summary, tile)
    return value + 1e-6 * (wilson_interval(round(value * games), games).low or 0.0)


def _survival(entries: Sequence[Entry]) -> TableInfo | None:
    table = report_text.survival(entries)
    edges = edges_of(entry.fates for entry in entries)
    keys = [_band_keys(entry, band) for entry in entries for band in told_bands(entry.fates, edges)]
    return _info(table, keys) if keys else None


def _band_keys(entry: Entry, band: Band) -> list[Key]:
    share = band.share
    values = [band.low, band.at_risk, band.ended, share.value, share.low, band.going.value]
    return [printable(entry.label), *values]


def _pair_keys(one: Comparison) -> list[Key]:
    paired = one.paired
    relative = None if paired.relative is None else paired.relative.value
    difference = paired.difference
    values = [one.games, difference.value, difference.low, relative, paired.wins, paired.p_value]
    return [*map(printable, one.names), *values]
