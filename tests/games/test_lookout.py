"""Games that another program goes on with, while nobody presses a key here."""

from contextlib import closing
from pathlib import Path

import pytest

from tests.games.kept_games import record_of
from twofold.games.live_game import LOOK_SECONDS, LiveGame, Row
from twofold.games.store import GameStore


@pytest.mark.promise("R65")
def test_moves_of_another_program_appear_by_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(GameStore(tmp_path)) as store, closing(GameStore(tmp_path)) as theirs:
        mine = LiveGame(record_of(3).replay(), Row(store, "a"))
        mine.save()
        other = Row(theirs, "a")
        other.read()
        assert other.save(record_of(5), 2.0, None) is None
        now = mine.save_due
        monkeypatch.setattr("time.monotonic", lambda: now)
        mine.save_now_and_then()
        assert mine.game.moves == record_of(5).moves
        assert mine.take_notice().startswith("another program went on with this game")
        theirs.delete("a")
        now += LOOK_SECONDS
        mine.save_now_and_then()
        assert mine.take_notice() == ""  # the next move says so
