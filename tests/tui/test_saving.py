"""Games that are kept: files, best scores, who played."""

from pathlib import Path

import pytest

from twofold import Board, Game, Move, Rules
from twofold.best_scores import BEST_FILE
from twofold.errors import ResourceError
from twofold.record import Record, read_record
from twofold.tui import saving
from twofold.tui.saving import KeptGame, best_score


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("TWOFOLD_STATE_DIR", str(tmp_path))
    return tmp_path


def played(moves: str = "ldl", seed: int = 1) -> Game:
    game = Game(seed=seed)
    for letter in moves:
        game.play(Move.parse(letter))
    return game


def test_a_game_is_saved_once_it_has_changed(folder: Path) -> None:
    kept = KeptGame(Game(seed=1), folder / "games" / "a.2048")
    kept.save()
    assert not kept.path.exists()
    kept.game.play(Move.LEFT)
    kept.save()
    assert kept.is_saved
    assert read_record(kept.path).moves == (Move.LEFT,)
    kept.path.unlink()
    kept.save()
    assert not kept.path.exists()  # nothing has changed


def test_it_is_not_saved_all_the_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    kept = KeptGame(played(), folder / "a.2048")
    kept.save_now_and_then()
    assert not kept.path.exists()
    now += saving.SAVE_SECONDS
    kept.save_now_and_then()
    assert kept.is_saved


def test_a_folder_that_cannot_be_made_is_said(folder: Path) -> None:
    (folder / "file").write_text("")
    kept = KeptGame(played(), folder / "file" / "a.2048")
    with pytest.raises(ResourceError, match="cannot make the folder"):
        kept.save()


def test_the_best_score_is_that_of_the_same_rules(folder: Path) -> None:
    kept = KeptGame(played("ld"), folder / "a.2048")
    assert (best_score(Rules()), kept.best()) == (0, 4)
    kept.save()
    assert best_score(Rules()) == 4
    assert best_score(Rules.parse("3x3")) == 0
    KeptGame(played("l"), folder / "b.2048").save()
    assert best_score(Rules()) == 4


def test_what_a_player_scores_is_no_best_score(folder: Path) -> None:
    kept = KeptGame(played("ld"), folder / "a.2048")
    kept.add_player("greedy")
    kept.save()
    assert (kept.best(), best_score(Rules())) == (0, 0)


def test_a_game_from_a_given_board_has_no_best_score(folder: Path) -> None:
    game = Game.from_board(Board.parse("aa00/0000/0000/0000"), seed=1)
    game.play(Move.LEFT)
    KeptGame(game, folder / "a.2048").save()
    assert best_score(Rules()) == 0


@pytest.mark.parametrize("text", ["", "[]", '{"x": "y"}', '{"a": -1}', "\x00", "[" * 100_000])
def test_a_damaged_file_of_best_scores_counts_as_none(folder: Path, text: str) -> None:
    (folder / BEST_FILE).write_text(text, encoding="utf-8")
    assert best_score(Rules()) == 0
    KeptGame(played("ld"), folder / "a.2048").save()
    assert best_score(Rules()) == 4


def test_the_record_names_who_played(folder: Path) -> None:
    kept = KeptGame(played(), folder / "a.2048")
    kept.add_person()
    assert kept.record().player == ""
    kept.add_player("greedy")
    kept.add_player("greedy")
    kept.add_person()
    assert kept.record().player == "me + greedy"


def test_a_game_that_was_taken_over_names_both(folder: Path) -> None:
    kept = KeptGame(played(), folder / "a.2048", begun_by="greedy")
    assert kept.player == "greedy"
    kept.add_person()
    kept.add_person()
    assert kept.player == "greedy + me"


def test_whoever_resumes_a_game_changes_no_name(folder: Path) -> None:
    game = played()
    kept = KeptGame(game, folder / "a.2048", Record.from_game(game, player="Ada"))
    kept.add_person()
    assert kept.player == "Ada"
