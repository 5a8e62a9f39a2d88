"""Best scores: who played a game, which score of it counts, and the file of the best scores."""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

import msgspec

from twofold.errors import InvalidInput, ResourceError
from twofold.files import atomic_write, read_start
from twofold.limits import MAX_SCORE, MAX_TAG
from twofold.locks import alone
from twofold.notation import shown
from twofold.pictures.player_names import AND
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
        found = msgspec.json.decode(data, type=dict[str, dict[str, int] | int])
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InvalidInput(f"expected best scores in {shown(str(path))}: {error}") from None
    best = {rules: {"": one} if isinstance(one, int) else one for rules, one in found.items()}
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

    A score that is undone is lower than before. The game without a name stands for games of which
    no more is known: its score only rises.
    """
    best = {}
    for rules in dict(known) | dict(scores):
        old, new = known.get(rules, {}), scores.get(rules, {})
        games = {**old, **new, "": max(old.get("", 0), new.get("", 0))}
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
