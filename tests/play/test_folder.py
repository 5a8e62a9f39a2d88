"""One folder of games; those of earlier versions are moved, and none is lost."""

import errno
import os
from contextlib import closing
from pathlib import Path

import pytest

from twofold.errors import InvalidInput
from twofold.game import Game
from twofold.play.best_scores import BEST_FILE, keep_best, read_best, top_score
from twofold.play.folder import games_folder, make_folder, new_save_path
from twofold.play.saving import KeptGame, best_score
from twofold.play.store import GameStore
from twofold.records.record import Record, format_record, read_record
from twofold.rules import Rules


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


def test_games_of_earlier_versions_are_moved(home: Path) -> None:
    mine = put(home / "state" / "games" / "2026-01-01-000000.2048")
    theirs = put(home / "data" / "web" / "games" / "abcd.2048", "ld", seed=2)
    torn = home / "data" / "web" / "games" / "torn.2048"
    torn.write_bytes(b"torn")
    keep_best(home / "state" / BEST_FILE, {"3x3": {"": 100}})
    keep_best(home / "data" / "web" / "games" / BEST_FILE, {"3x3": {"": 50}, "2x2": {"": 20}})
    folder = games_folder()
    assert folder == home / "data" / "games"
    assert read_record(folder / "2026-01-01-000000.2048") == mine
    assert read_record(folder / "abcd.2048") == theirs
    assert (folder / "torn.2048").read_bytes() == b"torn"
    assert {path.name for path in home.iterdir()} == {"data"}
    assert not (home / "data" / "web" / "games").exists()
    best = max(mine.score or 0, theirs.score or 0)
    found = read_best(folder / BEST_FILE)
    assert [top_score(found, rules) for rules in ("3x3", "2x2", str(Rules()))] == [100, 20, best]
    assert games_folder() == folder
    assert len(list(folder.iterdir())) == 4


def test_a_name_that_is_taken_gets_a_number(home: Path) -> None:
    old = put(home / "state" / "games" / "a.2048", "l")
    web = put(home / "data" / "web" / "games" / "a.2048", "ld")
    new = put(home / "data" / "games" / "a.2048", "ldl")
    folder = games_folder()
    found = [read_record(folder / name) for name in ("a.2048", "a-2.2048", "a-3.2048")]
    assert found == [new, old, web]


def test_games_are_moved_to_another_disk(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = home / "state" / "games" / "a.2048"
    record = put(path)
    os.utime(path, (1e9, 1e9))

    def other_disk(*_: object) -> None:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

    monkeypatch.setattr(os, "rename", other_disk)
    moved = games_folder() / "a.2048"
    assert read_record(moved) == record
    assert moved.stat().st_mtime == 1e9
    assert not path.exists()


def test_a_game_that_cannot_be_moved_stays(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = home / "state" / "games" / "a.2048"
    record = put(path)
    (home / "state" / BEST_FILE).write_bytes(b"torn")
    (home / "data").write_bytes(b"")  # no folder can be made here
    assert games_folder() == home / "data" / "games"
    assert read_record(path) == record
    assert (home / "state" / BEST_FILE).read_bytes() == b"torn"


def test_one_folder_of_state_and_data(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_STATE_DIR", str(home))
    record = put(home / "games" / "a.2048")
    keep_best(home / BEST_FILE, {str(Rules(3, 3)): {"": 100}})
    assert games_folder() == home / "games"
    assert read_record(home / "games" / "a.2048") == record
    assert best_score(Rules(3, 3)) == 100
    assert not (home / BEST_FILE).exists()


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
