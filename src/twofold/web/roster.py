"""Roster: the players that the web may ask for.

A spec from a request may not name code or files: only built-in players with shipped networks,
within limits of memory and threads. Specs that the owner named at the start may be anything.
"""

import os
import re
import threading
from collections.abc import Sequence
from functools import cache
from typing import Final

import msgspec

from twofold.errors import InvalidSpec, InvalidTable, LimitExceeded
from twofold.game import notation
from twofold.game.notation import shown
from twofold.game.rules import STANDARD, Rules
from twofold.limits import MAX_SIDE
from twofold.players import Player, home_of, make_player, settled
from twofold.players.keys import TABLES, Entry
from twofold.players.own_code import is_code
from twofold.players.registry import code_of, default_player, entry_of, parse_player, strength
from twofold.tables.format import AUTO, NONE, SETS
from twofold.tables.pattern import EndgamePattern
from twofold.values.network_file import POLICY, shipped
from twofold.web.protocol import PlayerInfo

MAX_TABLE_MB: Final = 256
"""Maximum transposition table, in mebibytes."""

MAX_THREADS: Final = max(1, os.cpu_count() or 1)
"""Maximum number of threads for one move."""

STRENGTH_NAMES: Final = {
    "fast": "network, 1 ply",
    "normal": "network, 2 or 3 plies",
    "strong": "network, 3 plies",
    "max": "network, 3 or 4 plies",
}
"""How people read the players of each strength on 4x4."""

PICKS: Final = (
    ("expectimax", "rows, 3 plies"),
    ("expectimax:ply=5", "rows, 5 plies"),
    ("expectimax:eval=snake", "snake, 3 plies"),
    ("expectimax:eval=smooth", "smooth, 3 plies"),
    ("quick", "quick, 3 plies"),
    ("nneonneo", "nneonneo"),
    ("datumbox", "Datumbox"),
    ("baeldung", "Baeldung"),
    ("it3105-snake", "IT3105, snake"),
    ("it3105-gradient", "IT3105, gradient"),
    ("policy", "policy network"),
    ("greedy", "greedy"),
    ("corner", "corner"),
    ("random", "random"),
)
"""The players to choose from, by spec and short name, after the default one and the strengths."""

DEFAULT: Final = "strong"
"""The strength of twofold's default player."""

_CAPS: Final = re.compile(r"[0-9A-Za-z]+-[0-9]+/[0-9]+-[0-9]+", re.ASCII)
"""Name of an endgame table with caps."""

VALUELESS: Final = ("corner", "random")
"""Players that choose moves without valuing them."""

LIMITLESS: Final = ("corner", "exact", "greedy", "policy", "random")
"""Players whose thinking cannot be limited in time and depth."""


class Roster:
    """The players to choose from, and those that may be requested. Raises InvalidSpec.

    Args:
        default: spec of the default player; None for twofold's, which depends on the rules. A
            player that has solved a game is used on boards of its shape only.
        allowed: further specs that the owner allows.

    Attributes:
        home: the only rules that the default player plays; None if it plays others.
    """

    def __init__(self, default: str | None = None, allowed: Sequence[str] = ()) -> None:
        self.default: Final = None if default is None else settled(default)
        own = [*([] if self.default is None else [self.default]), *map(settled, allowed)]
        self._own = set(own)
        self.home: Final = None if default is None else home_of(default)
        # Imports the code for endgame tables before the first request.
        names = {info.plain: info.name for info in _strengths()} | dict(PICKS)
        names |= {spec: "optimal play" for spec in own if spec.startswith("exact:")}
        self._own_infos: Final = {
            spec: _info(spec, names.get(spec) or _without_folders(spec)) for spec in own
        }
        self._lock = threading.Lock()
        self._making: dict[str, threading.Lock] = {}

    @property
    def infos(self) -> list[PlayerInfo]:
        """The players to choose from, the default one first."""
        own = self._own_infos
        strengths = {info.spec: info for info in _strengths() if info.plain not in own}
        picks = {spec: _pick(spec, name) for spec, name in PICKS}
        known = own | strengths | (picks | own)
        first = known.pop(DEFAULT if self.default is None else self.default)
        where = "" if self.home is None else f" on {self.home.rows}x{self.home.cols}"
        name = f"default{where}: {first.name}"
        elsewhere = first.elsewhere and f"default: {first.elsewhere}"
        return [msgspec.structs.replace(first, name=name, elsewhere=elsewhere), *known.values()]

    def spec(self, asked: str, rules: Rules) -> str:
        """The full spec for a requested one, by default that for the rules; raises as `check`."""
        if not asked.strip():
            return self.own_default(rules) or default_player(rules)
        self.check(asked.strip())
        return settled(asked.strip(), rules)

    def own_default(self, rules: Rules) -> str | None:
        """The owner's default spec, if it plays on boards of this shape."""
        fits = self.home is None or self.home.shape == rules.shape
        return self.default if fits else None

    def check(self, spec: str) -> None:
        """Refuse a spec that the web may not request, without making the player.

        Raises InvalidSpec for code, files and unknown players, LimitExceeded for memory and
        threads.
        """
        if spec not in self._own:
            check_plain(spec)

    def make(self, spec: str) -> Player:
        """Make a player; raises InvalidSpec.

        Players of the same name are made one at a time, since they share a network.
        """
        self.check(spec)
        name = parse_player(spec).name
        with self._lock:
            lock = self._making.setdefault(name, threading.Lock())
        with lock:
            return make_player(spec, allow_code=spec in self._own)


def _strengths() -> list[PlayerInfo]:
    """The players by strength, with the endgame tables built here."""
    found = []
    for word, name in STRENGTH_NAMES.items():
        plain = strength(word, STANDARD)
        tables = ", with tables" if "tables" in notation.parse_spec(plain).values else ""
        info = _info(plain, f"{word} ({name}{tables})")
        found.append(msgspec.structs.replace(info, spec=word, elsewhere=word, plain=plain))
    return found


@cache
def _pick(spec: str, name: str) -> PlayerInfo:
    """A player of the list, with the sizes of boards that it plays on."""
    with make_player(spec) as player:
        sides = [
            side for side in range(2, MAX_SIDE + 1) if not player.unsupported(Rules(side, side))
        ]
    smallest = 1 if sides[0] == 2 else sides[0]
    return msgspec.structs.replace(_info(spec, name), largest=sides[-1], smallest=smallest)


def check_plain(spec: str) -> None:
    """Refuse a spec that needs the owner's code, program or files; raises as `Roster.check`."""
    parsed = parse_player(spec)
    if code_of(spec):
        raise InvalidSpec(
            f"expected a built-in player, got {shown(spec)}: only the owner can name code or a "
            "program, with twofold serve --player"
        )
    entry = entry_of(parsed.name)
    for key, text in parsed.values.items():
        _check_value(entry, key, text)


def _check_value(entry: Entry, key: str, text: str) -> None:
    known = entry.keys.get(key)
    if known is TABLES:
        _check_tables(text)
        return
    if entry.name == "exact" and key == "table":
        raise InvalidSpec(
            "expected a solved table that the owner named with twofold serve --player, "
            f"got {shown(text)}"
        )
    comes_with = (POLICY,) if entry.name == "policy" else shipped()
    if known is not None and known.hash_of is not None and text not in comes_with:
        names = ", ".join(comes_with) or "none"
        raise InvalidSpec(
            f"expected {key}= and a network that comes with twofold ({names}), got {shown(text)}: "
            "only the owner can name a file, with twofold serve --player"
        )
    most = {"table_mb": MAX_TABLE_MB, "threads": MAX_THREADS}.get(key)
    digits = re.sub("[+_]", "", text).lstrip("0")
    if most is not None and digits.isdecimal() and (len(digits) > 12 or int(digits) > most):
        raise LimitExceeded(f"expected {key} of at most {most} here, got {shown(text)}")


def _check_tables(text: str) -> None:
    for name in () if text in (AUTO, NONE) else text.split("+"):
        if name in SETS:
            continue
        try:
            EndgamePattern.parse(name)
        except InvalidTable:
            raise InvalidSpec(
                "expected tables= and endgame tables that are built here, such as 442-512+443-512, "
                f"got {shown(text)}: only the owner can name a file, with twofold serve --player"
            ) from None


def _info(spec: str, name: str) -> PlayerInfo:
    parsed = notation.parse_spec(spec)
    if is_code(parsed.name):
        with make_player(spec) as player:  # if it does more than choose, and takes limits
            kind, takes_limits = type(player), player.takes_limits
        values = kind.analyse is not Player.analyse or kind.stream is not Player.stream
        return PlayerInfo(
            spec, name, "a player of your own", values=values, takes_limits=takes_limits
        )
    entry = entry_of(parsed.name)
    tables = parsed.values.get("tables", NONE)
    names = _without_folders(tables).replace("+", ", ")
    return PlayerInfo(
        spec,
        name,
        entry.summary + ("" if tables == NONE else f"; endgame tables {names}"),
        values=entry.name not in VALUELESS,
        takes_limits=entry.name not in LIMITLESS,
    )


def _without_folders(spec: str) -> str:
    """A spec with the names of its files only.

    >>> _without_folders("exact:table=/home/me/2x3.table")
    'exact:table=2x3.table'
    >>> _without_folders("ntuple:tables=442-512/32-128+/data/443-512.twofold-table")
    'ntuple:tables=442-512/32-128+443-512.twofold-table'
    """

    def name(found: re.Match[str]) -> str:  # a table's name with caps has a slash, too
        return found[0] if _CAPS.fullmatch(found[0]) else re.split(r"[/\\]", found[0])[-1]

    return re.sub(r"""[^=:,+"\s]+""", name, spec)
