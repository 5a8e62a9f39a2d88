"""Best scores: who made which moves, which score of a game counts, and the file of best scores.

The moves that a player made are ranges in a tag of the record; the first move is 1.

>>> moves = AutoplayMoves().plus(12, 40).plus(51, 52)
>>> str(moves), str(moves.until(20)), 41 in moves
('13-40 52', '13-20', False)
"""

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Self

import msgspec

from twofold.errors import InvalidInput, ResourceError
from twofold.files import atomic_write, read_start
from twofold.limits import MAX_MOVE_NUMBER, MAX_SCORE, MAX_TAG
from twofold.locks import alone
from twofold.notation import shown
from twofold.pictures.replays import AND
from twofold.play.game_file import PATIENCE

ME: Final = "me"
"""Name of the person in a list of players."""

Kind = Literal["hand", "helped", "player", "board", "file"]
"""How a game was played: by hand; with hints; with moves by a player; from a given board; by
somebody who may be anyone, since it was opened from a file.
"""

SOMEBODY: Final = "another player"
"""Stands for players whose names do not fit into the tag."""

BestScores = Mapping[str, Mapping[str, int]]
"""Scores by rules and by game: points that a person's own moves reached and that stand."""

KEPT_GAMES: Final = 20
"""Most games under the same rules whose scores are kept."""

BEST_FILE: Final = "best.json"
MAX_BEST_BYTES: Final = 1 << 20


def add_player(players: str, name: str) -> str:
    """Add a name to a list of players, unless it is there."""
    known = players.split(AND) if players else []
    if name in known:
        return players
    text = AND.join([*known, name])
    if len(text) <= MAX_TAG:
        return text
    return players if name == SOMEBODY else add_player(players, SOMEBODY)


def kind_of(players: str, hints: int, *, given_board: bool, opened: bool = False) -> Kind:
    """How a game with these players (empty for the person alone) and number of hints was played."""
    if opened:
        return "file"
    if players not in ("", ME):
        return "player"
    if given_board:
        return "board"
    return "helped" if hints else "hand"


def counts_as_own(kind: Kind) -> bool:
    """True if the person made every move of a game with a normal start; hints are allowed."""
    return kind in ("hand", "helped")


def read_best(path: Path) -> BestScores:
    """Read best scores, none if there is no file; raises InvalidInput if it is damaged."""
    if not path.exists():
        return {}
    data = read_start(path, MAX_BEST_BYTES + 1)
    try:
        best = msgspec.json.decode(data, type=dict[str, dict[str, int]])
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InvalidInput(f"expected best scores in {shown(str(path))}: {error}") from None
    scores = [score for games in best.values() for score in games.values()]
    if len(data) > MAX_BEST_BYTES or any(not 0 <= score <= MAX_SCORE for score in scores):
        raise InvalidInput(f"expected best scores in {shown(str(path))}, got numbers out of range")
    return best


def keep_best(path: Path, scores: BestScores) -> BestScores:
    """Set the scores of some games in a file, and return all; rename a damaged file.

    Raises InvalidInput or ResourceError if the file cannot be written.
    """
    with alone(path, "program", patience=PATIENCE):
        try:
            known = read_best(path)
        except InvalidInput:
            set_aside(path)
            known = {}
        best = merged(known, scores)
        if best != known:
            atomic_write(path, msgspec.json.encode(best))
    return best


def merged(known: BestScores, scores: BestScores) -> BestScores:
    """The best games under each set of rules: the known ones, with new scores for some of them.

    A score that is undone is lower than before.
    """
    best = {}
    for rules in dict(known) | dict(scores):
        games = {**known.get(rules, {}), **scores.get(rules, {})}
        ranked = sorted(games.items(), key=lambda one: (-one[1], one[0]))[:KEPT_GAMES]
        best[rules] = {game: score for game, score in ranked if score}
    return {rules: games for rules, games in best.items() if games}


def top_score(best: BestScores, rules: str, *, without: str | None = None) -> int:
    """The best score under rules as text; 0 if there is none. `without` leaves out a game."""
    return max((s for game, s in best.get(rules, {}).items() if game != without), default=0)


def set_aside(path: Path) -> None:
    """Rename a damaged file, so that it is not overwritten; raises ResourceError."""
    try:
        os.replace(path, path.with_name(f"{path.name}.damaged-{time.time_ns()}"))
    except OSError as error:
        raise ResourceError(f"cannot rename {str(path)!r}: {error.strerror}") from error


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
