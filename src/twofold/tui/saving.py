"""Games in progress: where they are kept, when they are written, and the best score so far."""

import json
import os
import time
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

from twofold.errors import InvalidInput, ResourceError, TwofoldError
from twofold.files import atomic_write
from twofold.game import Game, start_board
from twofold.limits import MAX_SCORE, MAX_TAG
from twofold.record import Record, read_record, write_record
from twofold.rules import Rules

SAVE_SECONDS: Final = 1.0
"""The game is saved after a move, but not more often than this."""

SAVE_SHARE: Final = 20
"""Nor does saving take more than one part in so many of the time."""

ME: Final = "me"
AND: Final = " + "
"""Between the names of those who played one game."""

BEST: Final = "best.json"
MAX_BEST_BYTES: Final = 1 << 20


def state_folder() -> Path:
    """Where games in progress are kept."""
    import platformdirs

    chosen = os.environ.get("TWOFOLD_STATE_DIR")
    return Path(chosen or platformdirs.user_state_dir("twofold", appauthor=False)) / "games"


def new_save_path() -> Path:
    """A file that is not there yet, named by the time."""
    name = time.strftime("%Y-%m-%d-%H%M%S")
    path = state_folder() / f"{name}.2048"
    number = 1
    while path.exists():
        number += 1
        path = state_folder() / f"{name}-{number}.2048"
    return path


class KeptGame:
    """A game and the file it is kept in.

    Args:
        game: the game.
        path: where it is saved.
        resumed: the record that it goes on from; what it says of the game is kept.
        begun_by: spec of the player that made the moves so far, if one did.

    Attributes:
        player: who played, as the record will have it: empty for the person alone.
    """

    def __init__(
        self, game: Game, path: Path, resumed: Record | None = None, *, begun_by: str = ""
    ) -> None:
        self.game = game
        self.path = path
        self.player = begun_by or ("" if resumed is None else resumed.player)
        self._is_mixed = bool(begun_by)
        self._resumed = resumed
        self._saved: tuple[int, int] | None = None
        self._next_save = time.monotonic() + SAVE_SECONDS
        started = game.start_board == start_board(game.rules, game.seed)
        self._counts = started and game.start_move_number == 0

    @property
    def is_saved(self) -> bool:
        """Whether it has been written at all."""
        return self._saved is not None

    def add_player(self, spec: str) -> None:
        """A player made a move: the record names it, and the score is no best score."""
        self._is_mixed = True
        self._add(self.player or ME, spec)

    def add_person(self) -> None:
        """The person made a move."""
        if self._is_mixed:
            self._add(self.player, ME)

    def _add(self, known: str, name: str) -> None:
        text = AND.join([known, name])
        if name not in known.split(AND) and len(text) <= MAX_TAG:
            self.player = text

    # ---- the file

    def record(self) -> Record:
        """The record of the game as it stands."""
        return Record.from_game(self.game, player=self.player, **self._known())

    def _known(self) -> dict[str, Any]:
        """What the resumed record says that still holds: its comments up to where play parted."""
        if self._resumed is None:
            return {}
        pairs = zip(self._resumed.moves, self.game.moves, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        last = self._resumed.start_move + same
        comments = {n: text for n, text in self._resumed.comments.items() if n <= last}
        return {"date": self._resumed.date, "tags": self._resumed.tags, "comments": comments}

    def save_now_and_then(self) -> None:
        """Save the game if it has changed, unless it was saved a moment ago."""
        if time.monotonic() >= self._next_save:
            self.save()

    def save(self) -> None:
        """Save the game where it is kept, if it has changed."""
        state = (self.game.move_number, self.game.undos)
        if state in (self._saved, (0, 0)):
            return
        began = time.monotonic()
        _make_folder(self.path.parent)
        write_record(self.path, self.record())
        self._keep_best()
        now = time.monotonic()
        self._next_save = now + max(SAVE_SECONDS, SAVE_SHARE * (now - began))
        self._saved = state

    def save_as(self, name: str) -> Path:
        """Write the game to a file; an existing file that is no record is left alone.

        Raises:
            InvalidInput: there is no name, or the file is something else.
        """
        if not name:
            raise InvalidInput("expected save FILE, got no file name")
        path = Path(name).expanduser()
        if path.exists():
            _check_is_record(path)
        write_record(path, self.record())
        return path

    # ---- the best score

    def best(self) -> int:
        """The best score under these rules, this game's included, in points."""
        known = best_score(self.game.rules)
        return max(known, self.game.score) if self.counts_as_own else known

    @property
    def counts_as_own(self) -> bool:
        """Whether the score is the person's own, from the first move of a common game on."""
        return self._counts and self.player in ("", ME)

    def _keep_best(self) -> None:
        best = _read_best()
        rules = str(self.game.rules)
        if self.counts_as_own and self.game.score > best.get(rules, 0):
            text = json.dumps(best | {rules: self.game.score}, indent=1)
            atomic_write(state_folder().parent / BEST, text)


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise ResourceError(f"cannot make the folder {str(path)!r}: {reason}") from error


def _check_is_record(path: Path) -> None:
    try:
        read_record(path)
    except TwofoldError:
        raise InvalidInput(
            f"expected a new file or a saved game to replace, got {str(path)!r}"
        ) from None


def best_score(rules: Rules) -> int:
    """The best score of the games that a person played under these rules, in points."""
    return _read_best().get(str(rules), 0)


def _read_best() -> dict[str, int]:
    """The best scores by rules; a file that cannot be read counts as none."""
    try:
        with open(state_folder().parent / BEST, "rb") as file:
            found = json.loads(file.read(MAX_BEST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {
        rules: score
        for rules, score in found.items()
        if type(score) is int and 0 <= score <= MAX_SCORE
    }
