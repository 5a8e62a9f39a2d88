"""A game in play: saving, best scores, who made the moves, other programs."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.games.kept_games import overwrite
from twofold import Game, Move, Rules
from twofold.game.record import Record
from twofold.games import live_game as saving
from twofold.games.live_game import LOOK_SECONDS, LiveGame, new_game
from twofold.games.makers import AUTOPLAY_TAG
from twofold.games.store import GameStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[GameStore]:
    with closing(GameStore(tmp_path)) as store:
        yield store


def play(kept: LiveGame, letter: str = "", by: str = "") -> None:
    """Make a move, the first legal one by default."""
    kept.game.play(Move.parse(letter) if letter else kept.game.legal_moves()[0])
    kept.note_move(by)


def stored(kept: LiveGame) -> Record:
    assert kept.store is not None
    return kept.store.read(kept.name).record


def saved(store: GameStore, game: Game, name: str = "a") -> LiveGame:
    """A game that is saved under a name."""
    kept = LiveGame(game, store, name)
    kept.save()
    return kept


def played(moves: str = "ldl", seed: int = 1) -> Game:
    game = Game(seed=seed)
    for letter in moves:
        game.play(Move.parse(letter))
    return game


def test_a_game_is_saved_once_it_has_changed(
    store: GameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At most once a second, unless it is asked for."""
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    kept = LiveGame(Game(seed=1), store, "a")
    kept.save()
    assert "a" not in store
    kept.game.play(Move.LEFT)
    kept.save_now_and_then()
    assert "a" not in store
    now += saving.SAVE_SECONDS
    kept.save_now_and_then()
    assert kept.is_written
    assert stored(kept).moves == (Move.LEFT,)
    store.delete("a")
    kept.save()
    assert "a" not in store  # nothing has changed


def test_a_score_that_is_undone_does_not_stay(store: GameStore) -> None:
    saved(store, played("l"), "other")
    kept = LiveGame(played("ld"), store, "a")
    kept.save()
    assert (kept.best(), store.best(str(Rules()))) == (4, 4)
    record, mark = (version := store.read("a")).record, version.mark
    again = LiveGame(record.replay(), store, "a", record, mark=mark)
    again.game.undo()  # also in another program, later
    assert again.best() == 0
    again.game.redo()
    assert again.best() == 4
    again.game.undo()
    again.save()
    assert store.best(str(Rules())) == 0


def test_what_own_moves_reached_counts_where_a_player_took_over(store: GameStore) -> None:
    kept = LiveGame(played("ld"), store, "a")
    own = kept.game.score
    for name in ("greedy", "", "greedy"):  # the person's later moves are not the person's alone
        kept.game.play(kept.game.legal_moves()[0])
        if name:
            kept.add_player(name)
        else:
            kept.note_move()
        assert (kept.own_score, kept.best()) == (own, own)
    kept.save()
    assert store.best(str(Rules())) == own
    for _ in range(4):
        kept.game.undo()
    kept.game.play(kept.game.legal_moves()[0])
    kept.note_move()  # all moves that stand are the person's again
    assert kept.own_score == kept.game.score
    record = stored(kept)
    assert LiveGame(record.replay(), store, "a", record).own_score == own
    other = LiveGame(played("ldlr"), store, "b")
    other.note_autoplay(2)
    assert other.own_score == own == 4
    for _ in range(3):
        other.game.undo()
    play(other, by="greedy")  # after one own move, which made no points
    assert other.own_score == 0


def test_help_that_is_taken_back_counts_no_more(store: GameStore) -> None:
    """A player's moves are undone, and a hint for the board is withdrawn; an earlier one stays."""
    kept = new_game(store, Game(seed=1))
    play(kept, "l", "")
    play(kept, "d", "greedy")
    play(kept, "l", "")
    assert kept.kind == "player"
    kept.take_back()
    assert (kept.game.moves, kept.kind, kept.record().player) == (played("l").moves, "hand", "me")
    kept.game.redo()
    assert (kept.kind, kept.record().tags[AUTOPLAY_TAG]) == ("player", "2")
    kept.take_back()
    assert kept.hint_shown(kept.game.board)
    assert kept.record().hints == 1
    kept.take_back()
    assert (kept.kind, kept.record().hints) == ("hand", 0)
    kept.hint_shown(kept.game.board)
    play(kept, "d", "")
    kept.take_back()
    assert (kept.kind, kept.game.undos, kept.player) == ("helped", 3, "me")
    kept.take_back()
    kept.play_for("greedy", Move.LEFT, as_hint=True)
    assert (kept.kind, kept.hints, kept.player) == ("helped", 2, "me")  # not autoplay
    kept.take_back()
    assert (kept.hints, kept.game.undos) == (1, 4)


# ---- two programs


@pytest.mark.promise("R65")
def test_moves_of_another_program_are_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the game is saved, and by themselves."""
    with closing(GameStore(tmp_path)) as store, closing(GameStore(tmp_path)) as theirs:
        mine = saved(store, played("l"))

        def save_theirs(moves: str) -> None:
            overwrite(tmp_path, "a", Record.from_game(played(moves)))

        save_theirs("ldl")
        play(mine, "d")
        mine.save()
        assert mine.game.moves == played("ldl").moves
        assert mine.take_notice().startswith("another program went on with this game")
        assert mine.take_notice() == ""
        play(mine, "d")
        mine.save()
        save_theirs("ldldr")
        now = mine.save_due
        monkeypatch.setattr("time.monotonic", lambda: now)
        mine.save_now_and_then()
        assert mine.game.moves == played("ldldr").moves
        assert mine.take_notice().startswith("another program went on with this game")
        theirs.delete("a")
        now += LOOK_SECONDS
        mine.save_now_and_then()
        assert mine.take_notice() == ""  # the next move says so
        assert not store.games()


@pytest.mark.promise("R65")
@pytest.mark.parametrize(
    ("theirs", "words"),
    [
        (Record.from_game(played("lr")), "another program has saved other moves in a; this game"),
        (Record.from_game(played("l", seed=2)), "another program has saved other moves in a; this"),
        (None, "another program has deleted a; this game is now saved as"),
    ],
)
def test_another_game_in_the_row_is_left_alone(
    store: GameStore, theirs: Record | None, words: str
) -> None:
    kept = saved(store, played("l"))
    store.delete("a")
    if theirs is not None:
        store.save("a", theirs, 1.0)
    play(kept, "d")
    kept.save()
    assert words in kept.take_notice()
    assert kept.name != "a"
    assert stored(kept).moves == kept.game.moves
    if theirs is not None:
        assert store.read("a").record == theirs
    play(kept)
    kept.save()
    assert kept.take_notice() == ""
    assert stored(kept).moves == kept.game.moves
