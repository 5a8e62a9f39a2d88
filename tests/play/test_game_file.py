"""Game files: two programs lose no move, in any order of reads and saves."""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from twofold.errors import InvalidInput, InvalidRecord
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.record import Record, read_record, write_record
from twofold.game.rules import Rules
from twofold.games.scores import Conflict, GameFile, Version, goes_on
from twofold.storage.files import alone

pytestmark = pytest.mark.promise("R65")


def record_of(picks: str, seed: int = 1, board: str = "", undos: int = 0) -> Record:
    """A game in which each pick is an index into the legal moves."""
    game = Game.from_board(Board.parse(board), seed=seed) if board else Game(seed=seed)
    for pick in picks:
        moves = game.legal_moves()
        game.play(moves[int(pick) % len(moves)])
    return Record.from_game(game)


def test_a_file_is_written_and_read(tmp_path: Path) -> None:
    file = GameFile(tmp_path / "a.2048")
    assert file.save(record_of("0")) is None
    assert file.save(record_of("01")) is None
    assert file.save(record_of("")) is None  # undone here: nobody else has touched it
    assert GameFile(file.path).read() == record_of("")
    assert file.other() is None
    assert list(tmp_path.iterdir()) == [file.path]


def test_the_tags_of_a_list_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.2048"
    text = str(record_of("0")).replace("[Seed", '[Moves "9"]\n[Played "1.5"]\n[Own "x"]\n[Seed')
    path.write_text(text)
    assert dict(GameFile(path).read().tags) == {"Own": "x"}


@pytest.mark.parametrize(
    ("ours", "theirs", "found"),
    [
        ("01", "010", Version),  # they went on
        ("01", "01", Version),
        ("010", "01", None),  # we went on
        ("010", "", None),  # they undid moves that we have
        ("010", "011", Conflict.PARTED),
        ("0", "1", Conflict.PARTED),
    ],
)
def test_what_another_program_saved(tmp_path: Path, ours: str, theirs: str, found: object) -> None:
    one, other = GameFile(tmp_path / "a.2048"), GameFile(tmp_path / "a.2048")
    assert one.save(record_of("0")) is None
    assert other.read() == record_of("0")
    assert other.save(record_of(theirs)) is None
    result = one.save(record_of(ours))
    assert (result if not isinstance(result, Version) else Version) == found
    kept = ours if result is None else theirs
    assert read_record(one.path) == record_of(kept)
    if isinstance(result, Version):
        assert result.record == record_of(theirs)
        assert one.save(record_of(ours)) == result  # not taken over: it is still unseen
        one.take(result)
        assert one.other() is None
        assert one.save(record_of("1")) is None


def test_other_games_and_damaged_files_are_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.2048"
    board = str(record_of("0").final)
    starts = [record_of("01", seed=2), record_of("1", board=board), Record(Rules(3, 3), 1)]
    for content in [*map(str, starts), "", "no game", str(record_of("01"))[:-3]]:
        path.unlink(missing_ok=True)
        file = GameFile(path)
        assert file.save(record_of("0")) is None
        path.write_text(content)
        found = file.save(record_of("01"))
        assert found in (Conflict.PARTED, Conflict.DAMAGED)
        assert path.read_text() == content
    path.unlink()
    assert file.save(record_of("01")) is Conflict.DELETED
    assert not path.exists()
    path.mkdir()
    with pytest.raises(InvalidRecord, match="regular file"):
        file.save(record_of("01"))


def test_a_new_game_overwrites_no_file(tmp_path: Path) -> None:
    """Two programs may choose the same name before either has saved."""
    write_record(tmp_path / "a.2048", record_of("0", seed=2))
    assert GameFile(tmp_path / "a.2048").save(record_of("0")) is Conflict.PARTED


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


def test_a_locked_file_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twofold.games.scores.PATIENCE", 0.0)
    file = GameFile(tmp_path / "a.2048")
    with alone(file.path, "program"), pytest.raises(InvalidInput, match="another program is using"):
        file.save(record_of("0"))
    assert file.save(record_of("0")) is None


@pytest.fixture
def no_sync(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip `fsync`, which these tests do not need."""
    monkeypatch.setattr("os.fsync", lambda _: None)


class Program:
    """A program with a saved game: it takes over moves, or continues in a new file."""

    def __init__(self, path: Path, pick: str) -> None:
        self.file, self.pick = GameFile(path), pick
        self.made: list[Record] = []  # each game that it had after a move
        self.record = self.file.read()

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
        found = self.file.save(self.record)
        if isinstance(found, Version):
            self.file.take(found)
            self.record = found.record
        elif found is not None:
            name = f"{self.file.path.stem}{self.pick}.2048"
            self.file = GameFile(self.file.path.with_name(name))
            assert self.file.save(self.record) is None


@pytest.mark.usefixtures("no_sync")
@pytest.mark.parametrize("second", ["0", "1"], ids=["equal moves", "other moves"])
def test_no_order_of_two_programs_loses_a_move(
    tmp_path: Path, second: str, figure: Callable[[str], None]
) -> None:
    """Every order in which two programs play, save, play and save."""
    steps = [(who, what) for who in (0, 1) for what in ("play", "save", "play", "save")]
    orders = sorted({tuple(order) for order in _merges(steps[:4], steps[4:])})
    for number, order in enumerate(orders):
        path = tmp_path / f"{number}.2048"
        write_record(path, record_of("0"))
        programs = [Program(path, "0"), Program(path, second)]
        for who, what in order:
            getattr(programs[who], what)()
        files = [read_record(one) for one in tmp_path.glob(f"{number}*.2048")]
        for made in [one for program in programs for one in program.made]:
            assert any(goes_on(file, made) for file in files), order
        assert len(files) <= 2
        for one in tmp_path.iterdir():
            one.unlink()
    figure(f"{len(orders)} orders of two programs: 0 moves lost")


@pytest.mark.usefixtures("no_sync")
def test_no_order_with_an_undo_loses_a_move_of_the_other(tmp_path: Path) -> None:
    """One program undoes and plays while the other plays; only the undone moves are lost."""
    mine = [(0, what) for what in ("undo", "save", "play", "save")]
    theirs = [(1, what) for what in ("play", "save", "play", "save")]
    for number, order in enumerate(_merges(mine, theirs)):
        path = tmp_path / f"{number}.2048"
        write_record(path, record_of("00"))
        programs = [Program(path, "2"), Program(path, "1")]
        for who, what in order:
            getattr(programs[who], what)()
        files = [read_record(one) for one in tmp_path.glob(f"{number}*.2048")]
        for made in programs[1].made:
            assert any(goes_on(file, made) for file in files), order
        assert any(goes_on(file, programs[0].record) for file in files), order
        for one in tmp_path.iterdir():
            one.unlink()


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
