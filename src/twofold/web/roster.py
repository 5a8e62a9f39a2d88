"""Roster: the players that the web may ask for.

A spec from a request may not name code or files: only built-in players, with shipped networks or
those in the folder of the Lab, within limits of memory and threads. Specs that the owner named at
the start may be anything.
"""

import contextlib
import os
import re
import threading
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec

from twofold.errors import InvalidInput, InvalidSpec, InvalidTable, LimitExceeded, TwofoldError
from twofold.game.notation import shown
from twofold.game.rules import STANDARD, Rules
from twofold.players import Player, PlayerSpec
from twofold.players.engine.lines import ALL_SHAPES
from twofold.players.keys import TABLES, Entry
from twofold.players.presets import DEFAULT, STRENGTHS
from twofold.players.registry import default_player
from twofold.storage.named_files import NamedFile, find, named
from twofold.tables.folder import AUTO, NONE, SETS
from twofold.tables.pattern import EndgamePattern
from twofold.values.network_file import POLICY, SUFFIX, read_card, shipped
from twofold.web.protocol import PlayerInfo

MAX_TABLE_MB: Final = 256
"""Maximum transposition table, in mebibytes."""

MAX_THREADS: Final = max(1, os.cpu_count() or 1)
"""Maximum number of threads for one move."""

PICKS: Final = (
    "expectimax",
    "expectimax:ply=5",
    "expectimax:eval=snake",
    "expectimax:eval=smooth",
    "quick",
    "nneonneo",
    "datumbox",
    "baeldung",
    "it3105-snake",
    "it3105-gradient",
    "policy",
    "greedy",
    "corner",
    "random",
)
"""The players to choose from after the default one and the strengths."""

_CAPS: Final = re.compile(r"[0-9A-Za-z]+-[0-9]+/[0-9]+-[0-9]+", re.ASCII)
"""Name of an endgame table with caps."""


class Roster:
    """The players to choose from, and those that may be requested. Raises InvalidSpec.

    Args:
        default: spec of the default player; None for twofold's, which depends on the rules. A
            player that has solved a game is used on boards of its shape only.
        allowed: further specs that the owner allows.

    Attributes:
        folder: folder of the Lab, whose networks are players; None for none.
        home: the only rules that the default player plays; None if it plays others.
    """

    def __init__(self, default: str | None = None, allowed: Sequence[str] = ()) -> None:
        self.folder: Path | None = None
        own = [PlayerSpec.parse(text).settled() for text in (*filter(None, [default]), *allowed)]
        self.default: Final = own[0] if default else None
        self._own: Final = {spec.text: spec for spec in own}
        self.home: Final = own[0].home if default else None
        # Imports the code for endgame tables before the first request.
        strengths = {info.plain: info for info in _strengths()}
        self._own_infos: Final[dict[str, PlayerInfo]] = {}
        for spec in own:
            known = strengths.get(spec.text)
            has_words = spec.text in PICKS or spec.name == "exact"
            name = spec.words if has_words else _without_folders(spec.text)
            self._own_infos[spec.text] = _info(
                spec,
                known.name if known else name,
                strength=known.strength if known else "",
                shapes=_as_text([spec.home.shape]) if spec.home else (),
            )
        self._lock = threading.Lock()
        self._making: dict[str, threading.Lock] = {}

    @property
    def infos(self) -> list[PlayerInfo]:
        """The players to choose from, the default one first."""
        own = self._own_infos
        strengths = {info.spec: info for info in _strengths() if info.plain not in own}
        picks = {text: _pick(text) for text in PICKS}
        networks = {} if self.folder is None else _networks(self.folder)
        known = own | strengths | networks | (picks | own)
        first = known.pop(DEFAULT if self.default is None else self.default.text)
        where = "" if self.home is None else f" on {self.home.rows}x{self.home.cols}"
        name = f"default{where}: {first.name}"
        elsewhere = first.elsewhere and f"default: {first.elsewhere}"
        return [msgspec.structs.replace(first, name=name, elsewhere=elsewhere), *known.values()]

    def spec(self, asked: str, rules: Rules) -> PlayerSpec:
        """The player for a requested text, by default that for the rules; raises as `check`."""
        if not asked.strip():
            return self.own_default(rules) or default_player(rules)
        return self.check(asked.strip()).settled(rules)

    def own_default(self, rules: Rules) -> PlayerSpec | None:
        """The owner's default player, if it plays on boards of this shape."""
        fits = self.home is None or self.home.shape == rules.shape
        return self.default if fits else None

    def check(self, asked: PlayerSpec | str) -> PlayerSpec:
        """The spec, unless the web may not request it; the player is not made.

        Raises InvalidSpec for code, files and unknown players, LimitExceeded for memory and
        threads.
        """
        spec = PlayerSpec.of(asked)
        self.placed(spec)
        return spec

    def placed(self, spec: PlayerSpec) -> tuple[PlayerSpec, NamedFile | None]:
        """The spec with the path of its network, and the network if it is in the Lab's folder.

        Raises as `check`.
        """
        return (spec, None) if spec.text in self._own else check_plain(spec, self.folder)

    def make(self, asked: PlayerSpec | str) -> Player:
        """Make a player; raises InvalidSpec.

        Players of the same name are made one at a time, since they share a network.
        """
        spec, _ = self.placed(PlayerSpec.of(asked))
        with self._lock:
            lock = self._making.setdefault(spec.plain.name, threading.Lock())
        with lock:
            return spec.make(allow_code=spec.text in self._own)


def _strengths() -> list[PlayerInfo]:
    """The players by strength, with the endgame tables built here."""
    found = []
    for word in STRENGTHS:
        plain = PlayerSpec.parse(word).settled(STANDARD)
        more = {"elsewhere": word, "plain": plain.text, "strength": word}
        info = _info(plain, f"{word} ({plain.words})", **more)
        found.append(msgspec.structs.replace(info, spec=word))
    return found


@cache
def _pick(text: str) -> PlayerInfo:
    """A player of the list, with the sizes of boards that it plays on."""
    spec = PlayerSpec.parse(text)
    with spec.make() as player:
        shapes = [one for one in ALL_SHAPES if not player.unsupported(Rules(*one))]
    return _info(spec, spec.words, shapes=_as_text(shapes) if len(shapes) < len(ALL_SHAPES) else ())


def _as_text(shapes: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    return tuple(f"{rows}x{cols}" for rows, cols in shapes)


def _networks(folder: Path) -> dict[str, PlayerInfo]:
    """The networks in a folder as players, by their specs."""
    found = map(network_player, find(folder, SUFFIX))
    return {info.spec: info for info in found if info is not None}


@lru_cache(maxsize=256)
def network_player(found: NamedFile) -> PlayerInfo | None:
    """The player with the network in a file, by the name of its run; None if it has none."""
    from twofold.values.policy_network import is_policy, read_policy_card  # imports Numba

    try:
        kind = "policy" if is_policy(found.path) else "ntuple"
        card = (read_policy_card if kind == "policy" else read_card)(found.path)
        shapes = _as_text([Rules.parse(card.rules).shape])
    except TwofoldError:
        return None
    spec, name = PlayerSpec.of_parts(kind, {"net": found.name}, {}), found.name
    return _info(spec, name.removesuffix(SUFFIX), shapes=shapes)


def check_plain(
    spec: PlayerSpec, folder: Path | None = None
) -> tuple[PlayerSpec, NamedFile | None]:
    """Refuse a spec that needs the owner's code, program or files; raises as `Roster.check`.

    A network in `folder` is allowed; returns the spec with its path, and the file.
    """
    if spec.code:
        raise InvalidSpec(
            f"expected a built-in player, got {shown(spec.text)}: only the owner can name code or "
            "a program, with twofold serve --player"
        )
    network = None
    if folder is not None and spec.has_key("net"):
        with contextlib.suppress(InvalidInput):
            network = named(folder, spec.plain.values.get("net", ""), SUFFIX)
    for key, text in spec.plain.values.items():
        if key != "net" or network is None:
            _check_value(spec.entry, key, text)
    return spec if network is None else spec.with_keys(net=str(network.path.absolute())), network


def _check_value(entry: Entry, key: str, text: str) -> None:
    known = entry.keys.get(key)
    if known is TABLES:
        try:
            for name in () if text in (AUTO, NONE) else text.split("+"):
                if name not in SETS:
                    EndgamePattern.parse(name)
        except InvalidTable:
            raise InvalidSpec(
                "expected tables= and endgame tables that are built here, such as 442-512+443-512, "
                f"got {shown(text)}: only the owner can name a file, with twofold serve --player"
            ) from None
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


def _info(spec: PlayerSpec, name: str, **more: Any) -> PlayerInfo:
    if spec.is_code:
        with spec.make() as player:
            more |= {"values": player.has_values, "takes_limits": player.takes_limits}
        return PlayerInfo(spec.text, name, "a player of your own", **more)
    entry, summary = spec.entry, spec.entry.summary
    if (tables := spec.values.get("tables", NONE)) != NONE:
        summary += f"; endgame tables {_without_folders(tables).replace('+', ', ')}"
    more |= {"values": entry.values, "takes_limits": entry.takes_limits}
    return PlayerInfo(spec.text, name, summary, **more)


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
