"""Saved games for tests, and how a store lists them."""

from contextlib import closing
from pathlib import Path

from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import Rules
from twofold.games.kept import GameInfo
from twofold.games.store import GameStore

STANDARD_TEXT = str(Rules())


def record_of(
    moves: int = 3, seed: int = 1, player: str = "me", rules: str = "", board: str = ""
) -> Record:
    """A game of the first legal moves."""
    meant = Rules.parse(rules)
    game = Game.from_board(Board.parse(board), meant, seed) if board else Game(meant, seed)
    for _ in range(moves):
        game.play(game.legal_moves()[0])
    return Record.from_game(game, player=player, date="2048-01-31T12:00:00+00:00")


def again(store: GameStore) -> GameStore:
    """The same folder, opened by the next server."""
    return GameStore(store.folder)


def saved(folder: Path, game: str) -> Record | None:
    """A game in a folder as another program sees it now; None if it is not saved."""
    with closing(GameStore(folder)) as store:
        return store.read(game).record if game in store else None


def overwrite(folder: Path, game: str, record: Record) -> None:
    """Save other moves of a game, as another program that has seen those there."""
    with closing(GameStore(folder)) as store:
        mark = store.read(game).mark if game in store else 0
        assert isinstance(store.save(game, record, 1.0, mark), int)


def infos(store: GameStore) -> list[GameInfo]:
    return [one.info for one in store.games()]


def ids(store: GameStore) -> list[str]:
    return [info.game for info in infos(store)]
