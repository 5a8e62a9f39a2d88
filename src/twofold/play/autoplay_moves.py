"""The moves of a game that a player made, as ranges in a tag of its record; the first move is 1.

>>> moves = AutoplayMoves().plus(12, 40).plus(51, 52)
>>> str(moves), str(moves.until(20)), 41 in moves
('13-40 52', '13-20', False)
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

from twofold.limits import MAX_MOVE_NUMBER, MAX_TAG
from twofold.play.best_scores import ME

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
