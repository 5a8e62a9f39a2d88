"""One store of games for the terminal and the web app."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from twofold.cli.play import _resumed
from twofold.game.game import Game
from twofold.game.rules import Rules
from twofold.games.live_game import new_game
from twofold.games.store import GameStore, games_folder
from twofold.web.table import PageTable


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[GameStore]:
    """The games of a user on a system with separate folders for state and data."""
    import platformdirs

    monkeypatch.delenv("TWOFOLD_STATE_DIR", raising=False)
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *_, **__: str(tmp_path / "data"))
    monkeypatch.setattr(platformdirs, "user_state_dir", lambda *_, **__: str(tmp_path / "state"))
    with closing(GameStore(games_folder())) as store:
        yield store


def played(letters: str = "ldl", seed: int = 1) -> Game:
    game = Game(seed=seed)
    for letter in letters:
        game.play(letter)
    return game


def test_a_game_of_the_terminal_is_on_the_list_of_the_web_app(store: GameStore) -> None:
    kept = new_game(store, played())
    kept.save()
    with closing(GameStore(games_folder())) as theirs, closing(PageTable(theirs)) as table:
        assert [(info.game, info.moves) for info in table.infos()] == [(kept.place.name, 3)]  # type: ignore[union-attr]


def test_a_game_of_the_web_app_goes_on_in_the_terminal(store: GameStore) -> None:
    with closing(GameStore(games_folder())) as theirs, closing(PageTable(theirs)) as table:
        live = table.begin(played("ld"))
        live.save()
    kept = _resumed(store, live.name)
    assert kept.game.moves == played("ld").moves
    assert store.best(str(Rules())) == played("ld").score
