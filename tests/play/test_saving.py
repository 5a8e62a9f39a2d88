"""Games of the terminal: files, best scores, players."""

from datetime import date, datetime
from pathlib import Path

import pytest

from twofold import Board, Game, Move, Rules
from twofold.errors import InvalidInput
from twofold.game.record import Record, read_record
from twofold.games import saved_game as saving
from twofold.games.saved_game import KeptGame, best_score
from twofold.games.scores import (
    AUTOPLAY_TAG,
    BEST_FILE,
    GAMES,
    BestScores,
    DailyRule,
    GameFile,
    keep_best,
    new_record,
    read_best,
)


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
    assert kept.is_written
    assert read_record(kept.path).moves == (Move.LEFT,)
    kept.path.unlink()
    kept.save()
    assert not kept.path.exists()  # nothing has changed


def test_saves_are_a_second_apart(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    kept = KeptGame(played(), folder / "a.2048")
    kept.save_now_and_then()
    assert not kept.path.exists()
    now += saving.SAVE_SECONDS
    kept.save_now_and_then()
    assert kept.is_written


def test_a_folder_that_cannot_be_created_is_an_error(folder: Path) -> None:
    (folder / "file").write_text("")
    kept = KeptGame(played(), folder / "file" / "a.2048")
    with pytest.raises(InvalidInput, match="expected a folder for the games"):
        kept.save()


def test_the_best_score_is_that_of_the_same_rules(folder: Path) -> None:
    kept = KeptGame(played("ld"), folder / "a.2048")
    assert (best_score(Rules()), kept.best()) == (0, 4)
    kept.save()
    assert best_score(Rules()) == 4
    assert best_score(Rules.parse("3x3")) == 0
    KeptGame(played("l"), folder / "b.2048").save()
    assert best_score(Rules()) == 4


def test_a_score_that_is_undone_does_not_stay(folder: Path) -> None:
    KeptGame(played("l"), folder / "other.2048").save()
    kept = KeptGame(played("ld"), folder / "a.2048")
    kept.save()
    assert (kept.best(), best_score(Rules())) == (4, 4)
    file = GameFile(kept.path)
    record = file.read()
    again = KeptGame(record.replay(), file, record)
    again.game.undo()  # also in another program, later
    assert again.best() == 0
    again.game.redo()
    assert again.best() == 4
    again.game.undo()
    again.save()
    assert best_score(Rules()) == 0


def test_what_own_moves_reached_counts_where_a_player_took_over(folder: Path) -> None:
    kept = KeptGame(played("ld"), folder / "a.2048")
    own = kept.game.score
    for name in ("greedy", "", "greedy"):  # the person's later moves are not the person's alone
        kept.game.play(kept.game.legal_moves()[0])
        if name:
            kept.add_player(name)
        else:
            kept.add_person()
        assert (kept.own_score, kept.best()) == (own, own)
    kept.save()
    assert best_score(Rules()) == own
    for _ in range(4):
        kept.game.undo()
    kept.game.play(kept.game.legal_moves()[0])
    kept.add_person()  # all moves that stand are the person's again
    assert kept.own_score == kept.game.score
    saved = GameFile(kept.path).read()
    assert KeptGame(saved.replay(), kept.path, saved).own_score == own


def test_a_move_in_place_of_a_players_is_the_persons_own(folder: Path) -> None:
    kept = KeptGame(Game(seed=1), folder / "a.2048")
    for _ in range(3):
        kept.game.play(kept.game.legal_moves()[0])
        kept.add_player("greedy")
    kept.game.undo()
    kept.game.redo()
    assert str(kept.autoplay) == "1-3"
    kept.game.undo()
    kept.game.play(kept.game.legal_moves()[-1])
    kept.add_person()
    assert str(kept.autoplay) == "1-2"
    assert kept.record().tags[AUTOPLAY_TAG] == "1-2"


def test_the_own_score_is_that_of_the_own_moves_that_stand(folder: Path) -> None:
    kept = KeptGame(played("ld"), folder / "a.2048")
    for letter in "lr":
        kept.game.play(Move.parse(letter))
        kept.add_player("greedy")
    assert kept.own_score == 4
    for _ in range(3):
        kept.game.undo()
    kept.game.play(kept.game.legal_moves()[-1])
    kept.add_player("greedy")  # after one own move, which made no points
    assert kept.own_score == 0


def test_a_new_game_has_a_date(folder: Path) -> None:
    begun = datetime.fromisoformat(KeptGame(played(), folder / "a.2048").record().date)
    assert begun <= datetime.now().astimezone()
    assert KeptGame(played(), folder / "a.2048", Record.from_game(played())).record().date == ""


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
    (folder / GAMES).mkdir()
    (folder / GAMES / BEST_FILE).write_text(text, encoding="utf-8")
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


def test_the_record_says_which_moves_a_player_made(folder: Path) -> None:
    kept = KeptGame(played("ld"), folder / "a.2048", begun_by="greedy")
    kept.game.play(kept.game.legal_moves()[0])
    kept.add_person()
    kept.game.play(kept.game.legal_moves()[0])
    kept.add_player("greedy")
    assert kept.record().tags[AUTOPLAY_TAG] == "1-2 4"


def test_a_game_that_was_taken_over_names_both(folder: Path) -> None:
    kept = KeptGame(played(), folder / "a.2048", begun_by="greedy")
    assert kept.player == "greedy"
    kept.add_person()
    kept.add_person()
    assert kept.player == "greedy + me"


def test_resuming_a_game_keeps_its_players(folder: Path) -> None:
    game = played()
    kept = KeptGame(game, folder / "a.2048", Record.from_game(game, player="Ada"))
    kept.add_person()
    assert kept.player == "Ada"


# ---- two programs


@pytest.mark.promise("R65")
def test_moves_of_another_program_are_taken_over(folder: Path) -> None:
    mine = KeptGame(played("l"), folder / "a.2048")
    mine.save()
    KeptGame(played("ldl"), folder / "a.2048").save()
    mine.game.play(Move.DOWN)
    mine.save()
    assert mine.game.moves == played("ldl").moves
    assert mine.take_notice() == saving.NEWER
    assert mine.take_notice() == ""
    mine.game.play(mine.game.legal_moves()[0])
    mine.save()
    assert read_record(mine.path).moves == mine.game.moves
    assert [path.name for path in folder.glob("*.2048")] == ["a.2048"]


@pytest.mark.promise("R65")
@pytest.mark.parametrize(
    ("theirs", "words"),
    [
        (str(Record.from_game(played("lr"))), "another program has saved other moves in"),
        (str(Record.from_game(played("l", seed=2))), "another program has saved other moves in"),
        ("", "can no longer be read"),
        (None, "another program has deleted"),
    ],
)
def test_another_game_in_the_file_is_left_alone(
    folder: Path, theirs: str | None, words: str
) -> None:
    kept = KeptGame(played("l"), folder / "a.2048")
    kept.save()
    if theirs is None:
        kept.path.unlink()
    else:
        kept.path.write_text(theirs)
    (folder / "a-2.2048").write_text("taken")
    kept.game.play(Move.DOWN)
    kept.save()
    old = folder / "a.2048"
    assert kept.path == (folder / "a-3.2048" if theirs is not None else old)
    assert words in kept.take_notice()
    assert read_record(kept.path).moves == kept.game.moves
    if theirs is not None:
        assert old.read_text() == theirs
    kept.game.play(kept.game.legal_moves()[0])
    kept.save()
    assert kept.take_notice() == ""
    assert read_record(kept.path).moves == kept.game.moves


@pytest.mark.promise("R65")
def test_a_resumed_game_is_that_of_the_file_as_it_was_read(folder: Path) -> None:
    """A save by another program between reading and playing is noticed."""
    KeptGame(played("l"), folder / "a.2048").save()
    file = GameFile(folder / "a.2048")
    record = file.read()
    other = KeptGame(played("lr"), folder / "a.2048")
    other.save()
    kept = KeptGame(record.replay(), file, record)
    kept.game.play(Move.DOWN)
    kept.save()
    assert kept.path == folder / "a-2.2048"
    assert read_record(other.path).moves == other.game.moves


@pytest.mark.promise("R65")
def test_best_scores_of_two_programs_are_merged(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One reads the file before the other writes, and writes after it."""
    kept, rules = KeptGame(played("ld"), folder / "a.2048"), str(Rules())
    (folder / GAMES).mkdir()

    def late(path: Path) -> BestScores:
        monkeypatch.undo()
        keep_best(path, {rules: {"b": 8}, "3x3": {"c": 100}})
        return {}

    monkeypatch.setattr(saving, "read_best", late)
    kept.save()
    found = read_best(folder / GAMES / BEST_FILE)
    assert found == {rules: {"b": 8, str(folder / "a.2048"): 4}, "3x3": {"c": 100}}


def test_hints_are_counted_and_kept(folder: Path) -> None:
    """Once for each position; hints before the first move are saved with it."""
    kept = KeptGame(Game(seed=1), folder / "games" / "a.2048")
    assert kept.hint_shown(kept.game.board)
    assert not kept.hint_shown(kept.game.board)
    assert not kept.hint_shown(Board.parse("1111/0000/0000/0000"))
    kept.save()
    assert not kept.path.exists()
    assert kept.kind == "helped"
    kept.game.play(Move.LEFT)
    kept.save()
    assert '[Hints "1"]' in kept.path.read_text()
    assert kept.hint_shown(kept.game.board)
    kept.save()
    record = read_record(kept.path)
    assert record.hints == 2
    again = KeptGame(record.resume(), kept.path, record)
    assert (again.hints, again.kind) == (2, "helped")


def test_a_daily_game_is_played_without_help(folder: Path) -> None:
    record = new_record(date(2026, 11, 23), "2026-11-23T12:00:00+00:00")
    kept = KeptGame(record.resume(), folder / "a.2048", record)
    assert kept.daily == "2026-11-23"
    with pytest.raises(DailyRule, match="the daily game is played without undo: there is one try"):
        kept.refuse_in_daily("undo")
    other = KeptGame(Game(seed=20261123), folder / "b.2048")
    other.refuse_in_daily("undo")
