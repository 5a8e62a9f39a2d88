"""Names of players as people read them, in English; the web app has its own in four languages."""

import re
from typing import Final

from twofold.errors import InvalidSpec
from twofold.notation import Spec, parse_spec

AND: Final = " + "
"""Separates the names of players in a record."""

_PLY: Final = re.compile(r"(\d+)(?:/(\d+)@.*)?", re.ASCII)


def player_names(players: str) -> str:
    """The players of a record by short names; free text stays as it is.

    >>> player_names("me + ntuple:net=default,ply=3,tables=442-512,threads=1")
    'me + network, 3 plies, with tables'
    """
    return AND.join(_player_name(one) for one in players.split(AND))


def _player_name(player: str) -> str:
    try:
        spec = parse_spec(player)
    except InvalidSpec:
        return player
    if not spec.values:
        return player
    tables = spec.values.get("tables", "none") not in ("auto", "none")
    return _kind(spec) + _depth(spec) + (", with tables" if tables else "")


def _kind(spec: Spec) -> str:
    if spec.name == "expectimax":
        return spec.values.get("eval", "rows")
    if spec.name != "ntuple":
        return spec.name
    network = re.split(r"[/\\]", spec.values.get("net", "default"))[-1]
    return "network" if network == "default" else f"network {network}"


def _depth(spec: Spec) -> str:
    found = _PLY.fullmatch(spec.values.get("ply", ""))
    if found is None or found[1] == "0":
        return ""
    if found[2]:
        least, most = sorted(map(int, found.groups()))
        return f", {least} or {most} plies"
    return f", {found[1]} {'ply' if found[1] == '1' else 'plies'}"
