"""One folder of games for the terminal and the web app."""

from contextlib import closing
from pathlib import Path

import pytest

from twofold.errors import InvalidInput
from twofold.game.game import Game
from twofold.game.record import Record, format_record, read_record
from twofold.game.rules import Rules
from twofold.games.saved_game import KeptGame, best_score
from twofold.games.scores import games_folder, make_folder, new_save_path
from twofold.games.store import GameStore


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folders of a user on a system with separate folders for state and data."""
    import platformdirs

    monkeypatch.delenv("TWOFOLD_STATE_DIR", raising=False)
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *_, **__: str(tmp_path / "data"))
    monkeypatch.setattr(platformdirs, "user_state_dir", lambda *_, **__: str(tmp_path / "state"))
    return tmp_path


def played(letters: str = "ldl", seed: int = 1) -> Game:
    game = Game(seed=seed)
    for letter in letters:
        game.play(letter)
    return game


def put(path: Path, letters: str = "ldl", seed: int = 1) -> Record:
    path.parent.mkdir(parents=True, exist_ok=True)
    record = Record.from_game(played(letters, seed))
    path.write_text(format_record(record))
    return record


def listed(folder: Path) -> dict[str, int]:
    with closing(GameStore(folder)) as store:
        return {kept.info.game: kept.info.moves for kept in store.games()}


def test_a_game_of_the_terminal_is_on_the_list_of_the_web_app() -> None:
    kept = KeptGame(played(), new_save_path())
    kept.save()
    assert listed(games_folder()) == {kept.path.stem: 3}


def test_a_game_of_the_web_app_goes_on_in_the_terminal() -> None:
    with closing(GameStore(games_folder())) as store:
        game = store.new_id()
        store.save(game, Record.from_game(played("ld")), 1.0)
        path = store.path(game)
    assert len(read_record(path).moves) == 2
    assert best_score(Rules()) == played("ld").score


def test_two_games_of_a_second_have_files_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.strftime", lambda _: "now")
    first = new_save_path()
    make_folder(first.parent)
    first.touch()
    assert new_save_path().name == "now-2.2048"


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="expected a folder for the games"):
        make_folder(tmp_path / "file")
