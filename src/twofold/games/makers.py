"""Who made the moves of a game: its players, autoplay, how it was played."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, Self

from twofold.errors import InvalidSpec
from twofold.limits import MAX_MOVE_NUMBER, MAX_TAG

AND: Final = " + "
"""Separates the names of players in a record."""

ME: Final = "me"
"""Name of the person in a list of players."""

Kind = Literal["hand", "helped", "player", "board", "file"]
"""How a game was played: by hand; with hints; with moves by a player; from a position that was
set up; by somebody who may be anyone, since it was opened from a file.
"""

SOMEBODY: Final = "another player"
"""Stands for players whose names do not fit into the tag."""


def add_player(players: str, name: str) -> str:
    """Add a name to a list of players, unless it is there."""
    known = players.split(AND) if players else []
    if name in known:
        return players
    text = AND.join([*known, name])
    if len(text) <= MAX_TAG:
        return text
    return players if name == SOMEBODY else add_player(players, SOMEBODY)


def player_names(players: str) -> str:
    """The players of a record by short names; free text stays as it is.

    >>> player_names("me + ntuple:net=default,ply=3,tables=442-512,threads=1")
    'me + strong'
    """
    return AND.join(_player_name(one) for one in players.split(AND))


def _player_name(player: str) -> str:
    if ":" not in player:
        return player
    from twofold.players.registry import PlayerSpec  # loads kernels

    try:
        return PlayerSpec.parse(player).people_name
    except InvalidSpec:
        return player


def kind_of(players: str, hints: int, *, set_up: bool, opened: bool) -> Kind:
    """How a game with these players (empty for the person alone) and number of hints was played."""
    if opened:
        return "file"
    if players not in ("", ME):
        return "player"
    if set_up:
        return "board"
    return "helped" if hints else "hand"


def counts_as_own(kind: Kind) -> bool:
    """True if the person made every move of a game with a normal start; hints are allowed."""
    return kind in ("hand", "helped")


AUTOPLAY_TAG: Final = "Autoplay"
"""Tag of the moves that a player made. A record of several players without it does not say."""

_RANGE: Final = re.compile(r"([0-9]{1,12})(?:-([0-9]{1,12}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class AutoplayMoves:
    """First and last move of each range, ascending, not adjacent."""

    ranges: tuple[tuple[int, int], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Parse the tag; None if the text is invalid."""
        ranges: list[tuple[int, int]] = []
        for word in text.split():
            match = _RANGE.fullmatch(word)
            if match is None:
                return None
            first, last = int(match[1]), int(match[2] or match[1])
            if not (ranges[-1][1] if ranges else 0) < first <= last <= MAX_MOVE_NUMBER:
                return None
            ranges.append((first, last))
        return cls(tuple(ranges))

    def __str__(self) -> str:
        return " ".join(f"{one}-{end}" if end > one else str(one) for one, end in self.ranges)

    def __contains__(self, move: object) -> bool:
        return isinstance(move, int) and any(first <= move <= last for first, last in self.ranges)

    def until(self, last: int) -> Self:
        """The moves up to `last`; later ones were undone."""
        kept = ((first, min(end, last)) for first, end in self.ranges if first <= last)
        return type(self)(tuple(kept))

    def plus(self, before: int, last: int) -> Self:
        """These moves up to move `before`, and all moves after it up to `last`."""
        known = self.until(before).ranges
        if last <= before:
            return type(self)(known)
        if known and known[-1][1] == before:
            return type(self)((*known[:-1], (known[-1][0], last)))
        return type(self)((*known, (before + 1, last)))


def autoplay_of(player: str, tags: Mapping[str, str]) -> AutoplayMoves | None:
    """The moves that a player made, from a record's players and other tags; None if unknown."""
    if AUTOPLAY_TAG in tags:
        return AutoplayMoves.parse(tags[AUTOPLAY_TAG])
    return AutoplayMoves() if player in ("", ME) else None


def autoplay_tags(tags: Mapping[str, str], moves: AutoplayMoves | None) -> dict[str, str]:
    """Set the autoplay tag, or remove it if `moves` is empty, unknown or too long."""
    rest = {name: text for name, text in tags.items() if name != AUTOPLAY_TAG}
    text = "" if moves is None else str(moves)
    return {**rest, AUTOPLAY_TAG: text} if 0 < len(text) <= MAX_TAG else rest
