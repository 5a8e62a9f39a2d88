"""The store of games: two programs lose no move, a kill loses nothing."""

import itertools
import sqlite3
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec
import pytest

from tests.games.kept_games import STANDARD_TEXT, again, ids, infos, overwrite, record_of
from twofold.errors import InvalidInput, InvalidRecord, LimitExceeded, ResourceError
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import Rules
from twofold.games import store as module
from twofold.games.kept import Accuracy
from twofold.games.live_game import LiveGame
from twofold.games.store import FILE, GameStore, NotFound, Version, goes_on, make_folder, read_game
from twofold.storage import database


@pytest.fixture
def store(tmp_path: Path) -> Iterator[GameStore]:
    with closing(GameStore(tmp_path / "data" / "games")) as store:
        yield store


# ---- games and lists


def test_keeps_games(store: GameStore) -> None:
    first, second = store.new_id(), store.new_id()
    mark = store.save(first, record_of(5), 100.0)
    assert isinstance(mark, int)
    store.save(second, record_of(2, rules="3x4", player="me + greedy"), 200.0)
    for one in (store, again(store)):
        assert ids(one) == [second, first]
        assert one.read(first).record == record_of(5)
        info = infos(one)[0]
        assert (info.rules, info.moves, info.status) == (str(Rules(3, 4)), 2, "going")
        assert (info.player, info.undos) == ("me + greedy", 0)
        assert info.board == str(record_of(2, rules="3x4").final)
    store.save(first, record_of(6), 300.0, mark)
    assert ids(again(store)) == [first, second]


def test_the_number_of_games_is_limited(store: GameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twofold.games.store.MAX_GAMES", 2)
    store.save(store.new_id(), record_of(), 1.0)
    store.save("second", record_of(), 2.0)
    with pytest.raises(LimitExceeded, match="Delete some"):
        store.new_id()
    store.delete("second")
    assert store.new_id()


def test_lists_are_sorted_and_searched(store: GameStore) -> None:
    """Every word must match."""
    store.save("a", record_of(30, rules="4x4 goal=64"), 3.0)
    store.save("b", record_of(9, player="me + Greedy"), 2.0)
    store.save("c", record_of(12, rules="3x3 goal=64"), 1.0)

    def found(**words: str) -> str:
        return "".join(info.game for info in store.select(**words)[0])

    orders = {"newest": "abc", "oldest": "cba", "score": "acb", "tile": "acb", "moves": "acb"}
    assert {order: found(order=order) for order in orders} == orders
    searches = {"": "abc", "greedy": "b", "3X3": "c", "2048-01": "abc", "me 4x4": "ab"}
    searches |= {"going GREEDY": "b", "nobody": ""}
    assert {words: found(search=words) for words in searches} == searches
    with pytest.raises(InvalidInput, match="expected an order"):
        found(order="luck")


# ---- best scores


def test_best_scores_outlive_their_games(store: GameStore) -> None:
    for game, score in (("low", 8), ("high", 40)):
        store.save(game, record_of(3), 1.0, own=score)
    store.save("theirs", record_of(20), 3.0)
    store.save("small", record_of(3, rules="3x3"), 4.0, own=4)
    for name in ("low", "high", "theirs"):
        store.delete(name)
        assert name not in ids(store)
        with pytest.raises(NotFound):
            store.delete(name)
    for one in (store, again(store)):
        assert one.best(STANDARD_TEXT) == 40
        assert one.best(STANDARD_TEXT, without="high") == 8
        assert one.best(str(Rules(3, 3))) == 4
    assert ids(again(store)) == ["small"]


# ---- two programs


def made(picks: str, seed: int = 1, board: str = "") -> Record:
    """A game in which each pick is an index into the legal moves."""
    game = Game.from_board(Board.parse(board), seed=seed) if board else Game(seed=seed)
    for pick in picks:
        moves = game.legal_moves()
        game.play(moves[int(pick) % len(moves)])
    return Record.from_game(game)


@pytest.mark.promise("R65")
@pytest.mark.parametrize(
    ("ours", "theirs", "found"),
    [
        ("01", "010", Version),  # they went on
        ("01", "01", Version),
        ("010", "01", int),  # we went on
        ("010", "", int),  # they undid moves that we have
        ("010", "011", "parted"),
        ("0", "1", "parted"),
    ],
)
def test_what_another_program_saved(
    store: GameStore, ours: str, theirs: str, found: type | str
) -> None:
    mark = store.save("a", made("0"), 1.0)
    assert isinstance(mark, int)
    overwrite(store.folder, "a", made(theirs))
    result = store.save("a", made(ours), 3.0, mark)
    assert result == found if isinstance(found, str) else isinstance(result, found)
    assert store.read("a").record == made(ours if isinstance(result, int) else theirs)
    if isinstance(result, Version):
        assert result.record == made(theirs)
        assert store.save("a", made(ours), 4.0, mark) == result  # it is still unseen
        assert store.changed("a", result.mark) is None
        assert isinstance(store.save("a", made("1"), 5.0, result.mark), int)


def test_given_tiles_have_to_be_the_same() -> None:
    def given(cell: int, moves: int) -> Record:
        game = Game.from_board(Board.parse("1000/0000/0000/0000"), seed=0)
        for move in range(moves):
            game.play(game.legal_moves()[0], spawn=(cell + move, 2))
        return Record.from_game(game)

    one, more, other = given(5, 1), given(5, 2), given(9, 2)
    assert one.seed is None
    assert goes_on(more, one)
    assert not goes_on(other, one)
    assert not goes_on(one, more)


class Program:
    """A program with a saved game: it takes over moves, or continues in a new row."""

    def __init__(self, store: GameStore, game: str, pick: str) -> None:
        self.store, self.game, self.pick = store, game, pick
        self.made: list[Record] = []  # each game that it had after a move
        self.record, self.mark = (version := store.read(game)).record, version.mark

    def play(self) -> None:
        """Make a move that only this program makes."""
        game = self.record.replay()
        moves = game.legal_moves()
        game.play(moves[int(self.pick) % len(moves)])
        self.record = Record.from_game(game)
        self.made.append(self.record)

    def undo(self) -> None:
        """Undo the last move."""
        game = self.record.replay()
        if game.can_undo:
            game.undo()
            self.made = [one for one in self.made if not goes_on(one, self.record)]
            self.record = Record.from_game(game)

    def save(self) -> None:
        found = self.store.save(self.game, self.record, 1.0, self.mark)
        if isinstance(found, Version):
            self.record, self.mark = found.record, found.mark
        elif isinstance(found, int):
            self.mark = found
        else:
            self.game, self.mark = self.store.new_id(), 0
            self.save()


@pytest.mark.promise("R65")
def test_no_order_of_two_programs_loses_a_move(
    tmp_path: Path, figure: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every order in which two programs play, undo and save; only undone moves are lost."""
    monkeypatch.setattr("os.fsync", lambda _: None)
    play, undo = ("play", "save", "play", "save"), ("undo", "save", "play", "save")
    later, late = ("play", "undo", "play", "save"), ("play", "play", "save", "save")
    cases = [  # the moves before, what each program does, and how it chooses its moves
        ("0", play, play, "01"),
        ("00", undo, play, "21"),
        ("00", undo, undo, "21"),
        ("0", later, play, "01"),
        ("0", play, late, "00"),
        ("", play, play, "12"),
    ]
    count = 0
    with closing(GameStore(tmp_path)) as store, closing(GameStore(tmp_path)) as other:
        for start, mine, theirs, picks in cases:
            for order in _merges([(0, what) for what in mine], [(1, what) for what in theirs]):
                count += 1
                store.save(first := f"g{count}", made(start), 1.0)
                programs = [
                    Program(*each) for each in zip([store, other], [first] * 2, picks, strict=True)
                ]
                for who, what in order:
                    getattr(programs[who], what)()
                names = {first, *(each.game for each in programs)}
                kept = [store.read(name).record for name in names]
                for game in (made for each in programs for made in (*each.made, each.record)):
                    assert any(goes_on(one, game) for one in kept), order
    figure(f"{count} orders of two programs on a row: 0 moves lost")


def _merges(
    one: list[tuple[int, str]], other: list[tuple[int, str]]
) -> list[list[tuple[int, str]]]:
    """All orders of two lists that keep the order of each."""
    count = len(one) + len(other)
    found = []
    for places in itertools.combinations(range(count), len(one)):
        first, second = iter(one), iter(other)
        found.append([next(first if place in places else second) for place in range(count)])
    return found


def test_moves_of_another_program_are_named_before_they_are_deleted(store: GameStore) -> None:
    store.save("a", record_of(3), 1.0)
    assert ids(store) == ["a"]
    with closing(GameStore(store.folder)) as other:
        other.save("a", record_of(6), 2.0, other.read("a").mark)
    with pytest.raises(InvalidInput, match=r"has 6 moves now\. Delete it once more"):
        store.delete("a")
    store.delete("a")
    assert ids(store) == []


# ---- faults


def test_a_full_disk_is_named_and_leaves_the_games(store: GameStore) -> None:
    mark = store.save("a", record_of(3), 1.0)
    assert isinstance(mark, int)
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    long = record_of(3, player="x" * 200)

    def fill() -> None:
        for number in range(100):
            store.save(f"b{number}", long, 1.0)

    with pytest.raises(ResourceError, match=r"cannot write .* bytes free\): .*full"):
        fill()
    assert store.read("a").record == record_of(3)
    store._connection.execute("PRAGMA max_page_count = 1000000")
    assert isinstance(store.save("a", record_of(4), 2.0, mark), int)


def refused(
    path: Path, options: str, patience: float, deadline: database.Deadline, **more: bool
) -> sqlite3.Connection:
    """As root, SQLite could write any file: this fails as it does for others."""
    if options == "mode=rwc":
        raise sqlite3.OperationalError("unable to open database file")
    return database.connect(path, options, patience, deadline, **more)


def test_a_folder_that_cannot_be_written_is_read(
    store: GameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.save("a", record_of(3), 1.0)
    store.close()
    monkeypatch.setattr(module, "connect", refused)
    with closing(again(store)) as reader:
        assert ids(reader) == ["a"]
        with pytest.raises(ResourceError, match=r"cannot write .*: unable to open"):
            reader.save("b", record_of(3), 1.0)
        monkeypatch.undo()
        assert isinstance(reader.save("b", record_of(3), 1.0), int)
    store.path.unlink()
    store.path.symlink_to(store.folder / "away" / FILE)  # on a disk that is not there
    with closing(again(store)) as gone, pytest.raises(ResourceError, match="cannot write"):
        gone.save("one", record_of(), 1.0)


@pytest.mark.promise("R62")
def test_a_request_without_end_is_ended(store: GameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.save("one", record_of(), 1.0)
    monkeypatch.setattr(database, "_STEPS", 1)
    with closing(GameStore(store.folder)) as slow:
        slow._deadline._seconds = -1.0
        monkeypatch.setattr(module, "QUERY_SECONDS", -1.0)
        opened = lambda: GameStore(store.folder)  # noqa: E731 - its schema may have no end
        for ask in (slow.games, slow.accuracies, lambda: slow.delete("one"), opened):
            with pytest.raises(InvalidInput, match=r"no answer from .* The file is damaged or too"):
                ask()
    assert ids(store) == ["one"]


@pytest.mark.promise("R63")
def test_rows_are_read_one_at_a_time(store: GameStore) -> None:
    """The rows of a damaged file can share one long text, which would fill the memory."""
    for number in range(30):
        store.save(f"game{number}", record_of(), float(number))
    large = "x" * 2_000_000
    for column in ("player", "played"):
        store._connection.execute(f"UPDATE game SET {column} = ?", (large,))
        tracemalloc.start()
        try:
            games, wrong = store.listed()
            assert tracemalloc.get_traced_memory()[1] < 10 * len(large)
        finally:
            tracemalloc.stop()
        assert (len(games), len(wrong)) == (0, 30)


def test_a_file_that_is_removed_is_made_anew(store: GameStore) -> None:
    """No save goes into a file that nobody can find."""
    kept = LiveGame(record_of(3).replay(), store, "a")
    kept.save()
    store.path.unlink()
    kept.game.play(kept.game.legal_moves()[0])
    kept.save()
    assert "another program has deleted a" in kept.take_notice()
    with closing(GameStore(store.folder)) as after:
        assert [info.moves for info in infos(after)] == [4]


def test_a_game_in_use_is_named(store: GameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    store.save("before", record_of(), 1.0)
    with closing(GameStore(store.folder)) as other:
        store._connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(InvalidInput, match="another program is using"):
            other.save("a", record_of(), 1.0)
        monkeypatch.setattr(module, "OPENING_SECONDS", 0.0)
        with pytest.raises(InvalidInput, match="another program is using"):
            GameStore(store.folder)
        store._connection.execute("ROLLBACK")


def padded(data: bytes, kept: int) -> bytes:
    return data[:kept] + b"\xa5" * (len(data) - kept)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("CREATE VIEW more AS SELECT * FROM game", "another view 'more'"),
        ("CREATE TRIGGER t AFTER INSERT ON game BEGIN DELETE FROM best; END", "another trigger"),
        ("CREATE TABLE more (one)", "another table 'more'"),
        ("PRAGMA user_version = 9", "of schema 2, got .* of schema 9"),
        ("PRAGMA application_id = 9", "got another SQLite file"),
        *(
            (partial(padded, kept=kept), f"saved games of twofold.*{FILE}")
            for kept in (0, 100, 5000)
        ),
        *((lambda data, kept=kept: data[:kept], f"twofold.*{FILE}") for kept in (100, 5000)),
    ],
)
@pytest.mark.parametrize("connect", [database.connect, refused])
def test_another_or_a_damaged_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: object, words: str, connect: object
) -> None:
    with closing(GameStore(tmp_path)) as store:
        store.save("a", record_of(), 1.0)
    path = tmp_path / FILE
    if callable(change):
        path.write_bytes(change(path.read_bytes()))
    else:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(str(change))
    monkeypatch.setattr(module, "connect", connect)
    with pytest.raises(InvalidInput, match=words):
        GameStore(tmp_path).games()


def test_a_folder_that_cannot_be_made_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InvalidInput, match="expected a folder"):
        make_folder(tmp_path / "file")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "no")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(ResourceError, match="cannot make"):
        make_folder(tmp_path / "new")


def test_a_link_leads_to_no_journal_that_deletes_another_file(tmp_path: Path) -> None:
    """SQLite looks for a journal beside the file that a link leads to."""
    with closing(GameStore(tmp_path)) as store:
        store.save("a", record_of(), 1.0)
    (tmp_path / FILE).rename(tmp_path / "other.db")
    (tmp_path / FILE).symlink_to("other.db")
    with closing(GameStore(tmp_path)) as store:
        assert [one.info.game for one in store.games()] == ["a"]
    (tmp_path / "other.db-journal").write_bytes(bytes.fromhex("d9d505f920a163d7"))
    with pytest.raises(InvalidInput, match=r"for one database, got .*other\.db-journal"):
        GameStore(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        "played = 9e999", "played = 'now'", "played = -1", "played = x'00'", "rules = x'00'",
        "player = x'ff'", "score = 'many'", "moves = 1.5", "kind = 'other'", "version = 'last'",
        "version = x'00'", "imported = 'no'", "rules = '3x3'", "rules = 'chess'", "board = 'no'",
        "player = hex(zeroblob(20000000))", "rules = hex(zeroblob(20000000))",  # more than fits
    ],
)  # fmt: skip
@pytest.mark.promise("R63")
def test_a_damaged_entry_hides_no_other_game(store: GameStore, change: str) -> None:
    """It is named; its game can be opened, and the next save makes the entry anew."""
    for game in ("good", "bad"):
        store.save(game, record_of(3), 1.0)
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute(f"UPDATE game SET {change} WHERE game = 'bad'")
    assert [one.info.game for one in store.games()] == ["good"]
    assert store.largest(STANDARD_TEXT, without="") == 4
    games, damaged = store.select()
    assert ([one.game for one in games], list(damaged)) == (["good"], ["bad"])
    assert change.split()[0] in damaged["bad"] or change.startswith(("rules", "board"))
    assert store.kept("bad") is None
    if change.startswith("version"):  # nobody can say whether another program has changed it
        with pytest.raises(InvalidInput, match="the saved game 'bad' is damaged: version: "):
            store.read("bad")
        with pytest.raises(InvalidInput, match="Delete it once more"):
            store.delete("bad")
        store.delete("bad")
    else:
        version = store.read("bad")
        assert isinstance(version.mark, int)
        store.save("bad", version.record, 2.0, version.mark)
    assert store.select()[1] == {}


def test_damaged_cells_that_no_list_shows(store: GameStore) -> None:
    store.save("a", record_of(3), 1.0, own=7)
    largest = store.largest(STANDARD_TEXT, without="")
    for cell in ("'many'", "1.5", "x'00'", str(2**63 - 1)):
        store.save("b", record_of(3, seed=2), 1.0)
        store._connection.execute(f"UPDATE game SET max_tile = {cell} WHERE game = 'b'")
        score = f"INSERT OR REPLACE INTO best VALUES ('b', '{STANDARD_TEXT}', {cell})"
        store._connection.execute(score)
        assert store.best(STANDARD_TEXT) == 7
        assert store.largest(STANDARD_TEXT, without="") == largest
        store.delete("b")
    store._connection.execute("UPDATE game SET record = 'no', player = CAST(x'6dff' AS TEXT)")
    assert infos(store)[0].player == "m\N{REPLACEMENT CHARACTER}"
    with pytest.raises(InvalidRecord, match="the saved game a"):
        store.read("a")


def test_a_game_is_read_by_its_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWOFOLD_STATE_DIR", str(tmp_path))
    with pytest.raises(InvalidRecord):
        read_game("game")
    assert not (tmp_path / "games").exists()
    with closing(GameStore(tmp_path / "games")) as store:
        store.save("game", record_of(20), 1.0)
    assert read_game("game") == record_of(20)
    (tmp_path / "game").write_text(str(record_of(1)))
    monkeypatch.chdir(tmp_path)
    assert read_game("game") == record_of(1)


# ---- accuracy and practice


def test_the_accuracy_of_a_game_goes_with_it(store: GameStore) -> None:
    store.save("one", record_of(5), 1.0)
    store.note_accuracy("one", Accuracy(4, 50.0))
    store.note_accuracy("one", Accuracy(5, 75.5))
    store.note_accuracy("other", Accuracy(1, 999.0))  # a damaged one
    assert again(store).accuracies() == {"one": Accuracy(5, 75.5)}
    store.delete("one")
    assert store.accuracies() == {}


class Numbers(msgspec.Struct):
    """Some content."""

    known: list[int] = []


def test_practice_of_two_programs_loses_nothing(store: GameStore) -> None:
    assert store.practised("numbers", Numbers) == Numbers()
    assert not store.path.exists()  # reading makes no file
    with closing(again(store)) as other, ThreadPoolExecutor(2) as threads:

        def add(number: int) -> None:
            for one in (store, other):
                one.practise("numbers", Numbers, lambda numbers: numbers.known.append(number))

        list(threads.map(add, range(20)))
    known = store.practised("numbers", Numbers).known
    assert sorted(known) == sorted([*range(20), *range(20)])
    for content in ("", "[]", '{"known": ["a"]}'):
        store._connection.execute("UPDATE practice SET content = ?", [content])
        for ask in (
            lambda: store.practised("numbers", Numbers),
            lambda: store.practise("numbers", Numbers, lambda _: None),
        ):
            with pytest.raises(InvalidInput, match="got a damaged file"):
                ask()
        assert store._connection.execute("SELECT content FROM practice").fetchall() == [(content,)]


def test_a_game_is_found_without_reading_others(
    store: GameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import looks for each of its games, and thousands may have the same board."""
    games = [record_of(3, player=player) for player in ("a", "b", "c")]
    for game, record in zip("xyz", games, strict=True):
        store.save(game, record, 1.0)
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("UPDATE game SET record = hex(zeroblob(20000000)) WHERE game = 'x'")
    monkeypatch.setattr(module, "parse_record", None)
    assert [store.find(record) for record in games] == ["", "y", "z"]
