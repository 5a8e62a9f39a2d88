"""How accurately the games were played that have been judged, in the data folder."""

from pathlib import Path
from typing import Annotated, Final

import msgspec

from twofold.limits import MAX_RECORD_MOVES
from twofold.storage.kept_file import KeptFile

FILE: Final = "accuracies.json"
MAX_BYTES: Final = 4 << 20

MAX_GAMES: Final = 10_000
"""Maximum number of games; those judged first are dropped first."""


class Accuracy(msgspec.Struct, frozen=True):
    """A judged game: its number of moves then, and the accuracy of the person's, in percent."""

    moves: Annotated[int, msgspec.Meta(ge=0, le=MAX_RECORD_MOVES)]
    percent: Annotated[float, msgspec.Meta(ge=0, le=100)]


class _Content(msgspec.Struct):
    games: dict[str, Accuracy] = {}


class Accuracies:
    """The accuracies of judged games by their ids. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._file = KeptFile(folder / FILE, _Content, "list of accuracies", MAX_BYTES)

    def all(self) -> dict[str, Accuracy]:
        """All of them; raises InvalidInput if the file is damaged."""
        return self._file.read().games

    def note(self, game: str, accuracy: Accuracy) -> None:
        """Set that of a game; raises InvalidInput or ResourceError if it cannot be written."""

        def edit(content: _Content) -> None:
            content.games.pop(game, None)
            content.games[game] = accuracy
            while len(content.games) > MAX_GAMES:
                del content.games[next(iter(content.games))]

        self._file.change(edit)
