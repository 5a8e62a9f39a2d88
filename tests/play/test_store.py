"""Saved games: none is lost or deleted without a request, and lists are fast."""

import errno
import os
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.play.kept_games import STANDARD_TEXT, again, ids, infos, record_of
from tests.support.faults import Faults
from twofold.errors import InvalidInput, InvalidRecord, LimitExceeded, ResourceError
from twofold.game.record import format_record, parse_record
from twofold.game.rules import Rules
from twofold.games import scores
from twofold.games import store as module
from twofold.games.scores import BEST_FILE, SUFFIX
from twofold.games.store import GameStore, NotFound, Stamp
from twofold.storage import files
from twofold.web.table import MAX_LISTED, PageTable


@pytest.fixture
def store(tmp_path: Path) -> Iterator[GameStore]:
    with closing(GameStore(tmp_path / "data" / "games")) as store:
        yield store


def test_keeps_games(store: GameStore) -> None:
    first, second = store.new_id(), store.new_id()
    store.save(first, record_of(5), 100.0)
    store.save(second, record_of(2, rules="3x4", player="me + greedy"), 200.0)
    for one in (store, again(store)):
        assert ids(one) == [second, first]
        assert one.read(first) == record_of(5)
        info = infos(one)[0]
        assert (info.rules, info.moves, info.status) == (str(Rules(3, 4)), 2, "going")
        assert (info.player, info.undos) == ("me + greedy", 0)
        assert info.board == str(record_of(2, rules="3x4").final)
        assert not one.damaged
    store.save(first, record_of(6), 300.0)
    assert ids(again(store)) == [first, second]
    assert again(store).last_played(0).info.game == first  # type: ignore[union-attr]


def test_an_empty_store(store: GameStore) -> None:
    assert infos(store) == []
    assert store.last_played(30) is None
    assert store.best(STANDARD_TEXT) == 0
    assert store.kept("nothing") is None


def test_ids_are_names_of_files(store: GameStore) -> None:
    assert store.new_id().isalnum()
    for text in ("", "../a", "a/b", "a.b", "a b", "é", "a" * 65, "\0"):
        with pytest.raises(NotFound):
            store.path(text)
    with pytest.raises(NotFound, match="there is no saved game"):
        store.read("nothing")


def test_a_taken_id_is_not_given_again(store: GameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    letters = iter("a" * 8 + "a" * 8 + "b" * 8)
    monkeypatch.setattr(secrets, "choice", lambda _: next(letters))
    store.save("a" * 8, record_of(), 1.0)
    letters = iter("a" * 8 + "b" * 8)
    assert store.new_id() == "b" * 8


def test_best_scores_outlive_their_games(store: GameStore) -> None:
    low, high = record_of(3), record_of(20)
    assert (low.score or 0) < (high.score or 0)
    store.save("low", low, 1.0)
    store.save("high", high, 2.0)
    store.save("given", record_of(2, board="9999/9999/0000/0000"), 3.0)
    store.save("small", record_of(3, rules="3x3"), 4.0)
    for name in ("low", "high", "given"):
        store.delete(name)
        assert name not in ids(store)
        assert not store.path(name).exists()
        with pytest.raises(NotFound):
            store.delete(name)
    for one in (store, again(store)):
        assert one.best(STANDARD_TEXT) == high.score
        assert one.best(str(Rules(3, 3))) == record_of(3, rules="3x3").score
    assert ids(again(store)) == ["small"]


def test_a_deleted_game_keeps_the_score_that_its_file_had_not_yet(store: GameStore) -> None:
    record = record_of(20)
    score = (record.score or 0) + 4
    store.reached(STANDARD_TEXT, "a", score)
    store.save("a", record, 1.0)
    store.delete("a")
    assert [one.best(STANDARD_TEXT) for one in (store, again(store))] == [score, score]


def test_moves_of_another_program_are_named_before_they_are_deleted(store: GameStore) -> None:
    store.save("a", record_of(3), 1.0)
    file = store.file("a")
    store.read("a", file)
    with closing(GameStore(store.folder)) as other:
        other.save("a", record_of(6), 2.0, file)
    with pytest.raises(InvalidInput, match=r"has 6 moves now\. Delete it once more"):
        store.delete("a")
    assert store.read("a").moves == record_of(6).moves
    store.delete("a")
    assert ids(store) == []


def test_the_score_of_an_undone_move_does_not_stay(store: GameStore) -> None:
    store.reached(STANDARD_TEXT, "b", 450)
    store.reached(STANDARD_TEXT, "a", 500)
    assert again(store).best(STANDARD_TEXT) == 500
    store.reached(STANDARD_TEXT, "a", 400)
    assert [one.best(STANDARD_TEXT) for one in (store, again(store))] == [450, 450]


def test_best_scores_that_cannot_be_written_are_logged_and_written_later(
    store: GameStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise ResourceError("cannot write")

    store.reached(STANDARD_TEXT, "a", 500)
    with monkeypatch.context() as patch:
        patch.setattr(scores, "atomic_write", full)
        store.close()
    assert "cannot save the best scores" in caplog.text
    assert again(store).best(STANDARD_TEXT) == 500  # the next write has them


def test_a_damaged_file_is_named_and_left(store: GameStore) -> None:
    store.save("good", record_of(), 1.0)
    torn = format_record(record_of()).encode()[:40]
    (store.folder / f"torn{SUFFIX}").write_bytes(torn)
    (store.folder / f"number{SUFFIX}").write_text(
        format_record(record_of()).replace("[Score", '[Moves "many"]\n[Score')
    )
    (store.folder / f"has space{SUFFIX}").write_bytes(b"")
    (store.folder / f"folder{SUFFIX}").mkdir()
    (store.folder / "other.txt").write_bytes(b"")
    after = again(store)
    assert ids(after) == ["good"]
    named = {name.removesuffix(SUFFIX) for name in after.damaged}
    assert named == {"torn", "number", "has space", "folder"}
    with pytest.raises(InvalidRecord, match="torn"):
        after.read("torn")
    assert (store.folder / f"torn{SUFFIX}").read_bytes() == torn


def test_records_from_elsewhere_are_listed(store: GameStore) -> None:
    record = record_of(4)
    (store.folder / f"plain{SUFFIX}").write_text(format_record(record))
    bare = '[Twofold "1"]\r\n[Seed "1"]\r\n\r\n' + "".join(m.letter for m in record.moves)
    (store.folder / f"bare{SUFFIX}").write_bytes(b"\xef\xbb\xbf" + bare.encode())
    long = [f'[Own{number} "{"x" * 200}"]' for number in range(40)]
    text = format_record(record).replace("[Seed", "\n".join([*long, "[Seed"]), 1)
    (store.folder / f"long{SUFFIX}").write_text(text)
    after = again(store)
    assert after.damaged == {}
    assert sorted(ids(after)) == ["bare", "long", "plain"]
    assert {info.score for info in infos(after)} == {record.score}
    assert {info.moves for info in infos(after)} == {4}
    assert {info.status for info in infos(after)} == {"going"}


@pytest.mark.parametrize("played", ["99999999999.000", "999999999999.999"])
def test_a_time_in_the_future_is_ignored(store: GameStore, played: str) -> None:
    text = format_record(record_of()).replace("[Seed", f'[Played "{played}"]\n[Seed', 1)
    (store.folder / f"future{SUFFIX}").write_text(text)
    for name, seconds in (("old", -1e9), ("older", -1e10), ("far", 1.4e10)):
        path = store.folder / f"{name}{SUFFIX}"
        path.write_text(format_record(record_of()))
        os.utime(path, (seconds, seconds))
    after = again(store)
    assert (set(ids(after)), after.damaged) == ({"future", "old", "older", "far"}, {})
    after.save("new", record_of(), time.time())
    assert ids(again(after))[0] == "new"


@pytest.mark.skipif(os.name != "posix", reason="links need a right on Windows")
def test_a_broken_link_hides_no_other_game(store: GameStore) -> None:
    store.save("a", record_of(), 1.0)
    (store.folder / f"link{SUFFIX}").symlink_to("nowhere")
    (store.folder / f"loop{SUFFIX}").symlink_to(f"loop{SUFFIX}")
    after = again(store)
    assert ids(after) == ["a"]


def test_tags_for_lists_are_not_part_of_the_game(store: GameStore) -> None:
    record = parse_record(format_record(record_of()).replace("[Seed", '[Of "mine"]\n[Seed', 1))
    store.save("a", record, 1.0)
    assert dict(store.read("a").tags) == {"Of": "mine"}


@pytest.mark.skipif(os.name != "posix", reason="the process is looked up with a POSIX call")
def test_leftovers_of_a_killed_server_are_removed(store: GameStore) -> None:
    gone = subprocess.Popen([sys.executable, "-I", "-S", "-c", ""])
    gone.wait()
    names = {f".{game}{SUFFIX}.{gone.pid}-1a2b3c4d{files.TEMPORARY}" for game in ("one", "two")}
    mine = f".three{SUFFIX}.{os.getpid()}-1a2b3c4d{files.TEMPORARY}"
    for name in {*names, mine, f".four{SUFFIX}.lock"}:
        (store.folder / name).touch()
    again(store)
    assert [path.name for path in store.folder.iterdir()] == [mine]


def test_a_full_disk_leaves_the_file_unchanged(
    store: GameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.save("a", record_of(3), 1.0)

    def fail() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for call in range(3, 12):  # the first two ask whether the names are too long

        def write(path: Path, data: bytes, call: int = call) -> None:
            with Faults(call, fault=fail).installed(files):
                files.atomic_write(path, data)

        monkeypatch.setattr(scores, "atomic_write", write)
        with pytest.raises(ResourceError):
            store.save("a", record_of(4), 2.0)
        found = store.read("a")
        assert found in (record_of(3), record_of(4))  # the new one: only the folder's sync failed
        if found == record_of(4):
            break
    assert infos(store)[0].moves == len(found.moves)


def test_a_score_that_cannot_be_kept_keeps_its_game(
    store: GameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise ResourceError("cannot write")

    with monkeypatch.context() as patch:
        patch.setattr(scores, "atomic_write", full)
        store.save("a", record_of(20), 1.0)
        with pytest.raises(ResourceError):
            store.delete("a")
    assert store.read("a") == record_of(20)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", lambda _: (_ for _ in ()).throw(PermissionError(13, "no")))
        with pytest.raises(ResourceError, match="cannot delete"):
            store.delete("a")
    assert ids(store) == ["a"]


@pytest.mark.parametrize("content", [b"{", b"\xff", b'{"4x4": "many"}', b"[" * 10_000])
def test_damaged_best_scores_are_set_aside(tmp_path: Path, content: bytes) -> None:
    (tmp_path / BEST_FILE).write_bytes(content)
    with closing(GameStore(tmp_path)) as store:
        assert list(store.damaged) == [BEST_FILE]
        aside = [path for path in tmp_path.iterdir() if path.name != BEST_FILE]
        assert [path.read_bytes() for path in aside] == [content]
        assert store.best(STANDARD_TEXT) == 0


def test_a_damaged_file_that_cannot_be_renamed_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / BEST_FILE).mkdir()
    monkeypatch.setattr(os, "replace", _refuse)
    with closing(GameStore(tmp_path)):
        assert (tmp_path / BEST_FILE).is_dir()
    assert "cannot rename" in caplog.text


def _refuse(*_: object, **__: object) -> None:
    raise PermissionError(13, "no")


def test_a_file_in_place_of_the_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    for path in (tmp_path / "file", tmp_path / "file" / "in"):
        with pytest.raises(InvalidInput, match="expected a folder"):
            GameStore(path)
    monkeypatch.setattr(Path, "mkdir", _refuse)
    with pytest.raises(ResourceError, match="cannot make"):
        GameStore(tmp_path / "new")


def test_a_folder_that_goes_away_is_named(
    store: GameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_newest_first", _refuse)
    assert list(again(store).damaged) == [str(store.folder)]


def test_the_number_of_games_is_limited(store: GameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_GAMES", 2)
    store.save(store.new_id(), record_of(), 1.0)
    store.save("second", record_of(), 2.0)
    with pytest.raises(LimitExceeded, match="Delete some"):
        store.new_id()
    store.delete("second")
    assert store.new_id()


def test_changes_while_the_index_is_read_count(
    store: GameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index restores no deleted game and no replaced version."""
    for name in ("saved", "deleted", "other"):
        store.save(name, record_of(2), 1.0)
    store.close()
    reached, go_on = threading.Event(), threading.Event()
    newest_first: Callable[[Path], dict[str, Stamp]] = module._newest_first

    def held(folder: Path) -> dict[str, Stamp]:
        found = newest_first(folder)
        reached.set()
        assert go_on.wait(120)
        return found

    monkeypatch.setattr(module, "_newest_first", held)
    with closing(GameStore(store.folder)) as after:
        assert reached.wait(120)
        assert not after.wait(0)
        assert after.last_played(0) is None
        after.save("saved", record_of(9), 5.0)
        after.delete("deleted")
        go_on.set()
        assert after.wait(120)
        found = {info.game: info.moves for info in infos(after)}
        # the file of the deleted game was gone when the index came to it
        assert found == {"saved": 9, "other": 2}


def test_closing_ends_the_reading(store: GameStore) -> None:
    for number in range(20):
        store.save(f"g{number}", record_of(2), float(number))
    store.close()
    after = GameStore(store.folder)
    after.close()
    assert after.wait(0)


def test_a_thousand_games_are_listed_fast(store: GameStore, figure: Callable[[str], None]) -> None:
    text = format_record(record_of(20))
    store.save("like", record_of(20), 1.0)
    text = store.path("like").read_text()
    for number in range(1_000):
        (store.folder / f"g{number}{SUFFIX}").write_text(text)
    store.close()
    began = time.perf_counter()
    with closing(GameStore(store.folder)) as after, closing(PageTable(after)) as table:
        assert after.wait(60)
        indexed = time.perf_counter() - began
        began = time.perf_counter()
        games = table.infos()
        listed = time.perf_counter() - began
    assert len(games) == MAX_LISTED == 1_000  # of 1,001
    figure(f"1,000 games: index read in {indexed:.2f} s, listed in {1000 * listed:.1f} ms")
    assert indexed < 20  # a fifth of a second where nothing else runs
    assert listed < 20


def test_a_game_is_found_right_after_the_start(
    store: GameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else an import that begins before the index is read would save its games again."""
    store.save("like", record_of(5), 0.0)
    wanted, look, wait = threading.Event(), GameStore._look, GameStore.wait

    def late(self: GameStore) -> None:
        wanted.wait()
        look(self)

    def asked(self: GameStore, seconds: float | None = None) -> bool:
        wanted.set()
        return wait(self, seconds)

    monkeypatch.setattr(GameStore, "_look", late)
    monkeypatch.setattr(GameStore, "wait", asked)
    with closing(GameStore(store.folder)) as after:
        try:
            assert after.find(record_of(5)) == "like"
        finally:
            wanted.set()
