"""Games that another program goes on with, while nobody presses a key here."""

import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.play.kept_games import record_of
from twofold.games.saved_game import LOOK_SECONDS, NEWER, KeptGame
from twofold.games.scores import GameFile
from twofold.web import table as saver
from twofold.web.table import Lookout


class Looked(KeptGame):
    """Counts the looks at its file; the first one fails."""

    looks = 0
    third = threading.Event()

    def look(self) -> None:
        self.looks += 1
        if self.looks == 1:
            raise RuntimeError("the disk is gone")
        if self.looks == 3:
            self.third.set()


def test_a_look_that_fails_does_not_end_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saver, "LOOK_SECONDS", 0.0)
    game = Looked(record_of(3).replay(), tmp_path / "a.2048")
    with closing(Lookout(lambda: [game])):
        assert game.third.wait(60)


@pytest.mark.promise("R65")
def test_moves_of_another_program_appear_by_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.2048"
    mine = KeptGame(record_of(3).replay(), path)
    mine.save()
    mine.look()
    file = GameFile(path)
    KeptGame(file.read().replay(), file)
    file.save(record_of(5))
    now = mine._next_save
    monkeypatch.setattr("time.monotonic", lambda: now)
    mine.save_now_and_then()
    assert mine.game.moves == record_of(5).moves
    assert mine.take_notice() == NEWER
    path.write_text("damaged")
    now += LOOK_SECONDS
    mine.save_now_and_then()
    assert mine.take_notice() == ""


def test_a_file_that_was_never_seen_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.2048"
    mine = KeptGame(record_of(0).replay(), path)
    path.write_text(str(record_of(5)))
    mine.look()
    assert (mine.game.move_number, mine.take_notice()) == (0, "")
