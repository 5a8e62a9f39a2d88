"""Games in the terminal: their file, when it is written, and the best score."""

import contextlib
import time
from pathlib import Path
from typing import Final

from twofold.errors import InvalidInput, TwofoldError
from twofold.files import free_path, new_file
from twofold.game import Game
from twofold.play.best_scores import BEST_FILE, ME, AutoplayMoves, keep_best, read_best, top_score
from twofold.play.game_file import (
    SUFFIX,
    Conflict,
    GameFile,
    Version,
    games_folder,
    indexed,
    make_folder,
)
from twofold.play.saved_game import LOOK_SECONDS, News, SavedGame, now_text
from twofold.records.record import Record, read_record, write_record
from twofold.rules import Rules

SAVE_SECONDS: Final = 1.0
"""Minimum seconds between two saves."""

SAVE_SHARE: Final = 20
"""Saving takes at most one part in this many of the time."""

NEWER: Final = "another program went on with this game; its moves are here now"
_TAKEN: Final = {
    Conflict.PARTED: "another program has saved other moves in {old}",
    Conflict.DELETED: "another program has deleted {old}",
    Conflict.DAMAGED: "{old} can no longer be read",
}


class KeptGame(SavedGame):
    """A game that a person plays in the terminal.

    Args:
        path: where it is saved; a `GameFile` if it was read from there.
        begun_by: spec of the player that made the moves so far; empty if the person did.
    """

    def __init__(
        self,
        game: Game,
        path: Path | GameFile,
        resumed: Record | None = None,
        *,
        begun_by: str = "",
    ) -> None:
        file = GameFile(path) if isinstance(path, Path) else path
        player = begun_by or ("" if resumed is None else resumed.player)
        made = AutoplayMoves().plus(game.start_move_number, game.move_number) if begun_by else None
        date = now_text() if resumed is None else None
        super().__init__(game, file, resumed, player=player, date=date, autoplay=made)
        self.path = file.path
        self.is_written = False
        self._notice = ""
        self._is_mixed = bool(begun_by)
        self._next_save = time.monotonic() + SAVE_SECONDS
        self._next_look = 0.0

    def add_player(self, name: str) -> None:
        """Note a move by a player: the score is then not the person's."""
        self._is_mixed = True
        self.player = self.player or ME
        self.note_autoplay(self.game.move_number - 1)
        super().add_player(name)

    def add_person(self) -> None:
        """Note a move by the person."""
        self.note_own_move()
        if self._is_mixed:
            super().add_player(ME)

    # ---- the file

    def save_now_and_then(self) -> None:
        """Save the game if it has changed and the last save is long enough ago.

        If it has not, look every LOOK_SECONDS whether another program has gone on with it.
        """
        now = time.monotonic()
        if not self.is_saved:
            if now >= self._next_save:
                self.save()
        elif now >= self._next_look:
            self._next_look = now + LOOK_SECONDS
            self.look()

    def save(self) -> None:
        """Save the game if it has changed; see `take_notice`."""
        if self.is_saved:
            return
        began = time.monotonic()
        super().save()
        self._keep_best()
        now = time.monotonic()
        self._next_save = now + max(SAVE_SECONDS, SAVE_SHARE * (now - began))

    def write(self, record: Record) -> Version | Conflict | None:
        """Write the file; in the folder of games with the tags for a list."""
        assert self.file is not None
        make_folder(self.path.parent)
        if self.path.absolute().parent == games_folder():
            record = indexed(record, time.time())
        self.is_written = True
        return self.file.save(record)

    def move_away(self, conflict: Conflict) -> None:
        """Continue in a new file."""
        old, self.path = self.path, free_path(self.path)
        self.file = GameFile(self.path)
        self._notice = f"{_TAKEN[conflict].format(old=old)}; this game is now in {self.path}"

    def give_way(self) -> None:
        """Use the players that the other program's record names."""
        self._is_mixed = False

    def tell_news(self, news: News) -> None:
        """Set the notice that another program added moves."""
        self._notice = NEWER

    def take_notice(self) -> str:
        """Return and clear the notice about another program; empty if there is none."""
        notice, self._notice = self._notice, ""
        return notice

    def save_as(self, name: str) -> Path:
        """Write the game to a file, or InvalidInput; `--force FILE` replaces another."""
        path = name.removeprefix("--force ").strip()
        if not path:
            raise InvalidInput("expected save FILE, got no file name")
        place = Path(path).expanduser()
        new_file(place, force=path != name, continued=self._check_is_this_game)
        write_record(place, self.record())
        return place

    def _check_is_this_game(self, path: Path) -> None:
        ours = self.record()
        with contextlib.suppress(TwofoldError):
            known = read_record(path)
            if (known.rules, known.seed, known.board) == (ours.rules, ours.seed, ours.board):
                return
        raise InvalidInput(f"expected a new file or a save of this game, got {str(path)!r}")

    # ---- the best score

    @property
    def best_name(self) -> str:
        """The name of this game among the best scores, as in the list of games."""
        is_listed = self.path.absolute().parent == games_folder()
        return self.path.name.removesuffix(SUFFIX) if is_listed else str(self.path.absolute())

    def best(self) -> int:
        """The best score under these rules, in points, including this game's."""
        return max(best_score(self.game.rules, without=self.best_name), self.own_score or 0)

    def _keep_best(self) -> None:
        score, rules = self.own_score, str(self.game.rules)
        if score is None:
            return
        path = _best_path()
        with contextlib.suppress(InvalidInput):
            if read_best(path).get(rules, {}).get(self.best_name, 0) == score:
                return
        make_folder(path.parent)
        keep_best(path, {rules: {self.best_name: score}})


def best_score(rules: Rules, *, without: str | None = None) -> int:
    """The person's best score under these rules, in points; `without` leaves out a game."""
    with contextlib.suppress(InvalidInput):  # a damaged file is renamed at the next best score
        return top_score(read_best(_best_path()), str(rules), without=without)
    return 0


def _best_path() -> Path:
    return games_folder() / BEST_FILE
