"""The server of the engine protocol: conversations, options, faults, stopping, streams."""

import errno
import io
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from twofold import Board, Move, Player, Rules, make_player
from twofold.game.game import Game
from twofold.players import play_game
from twofold.players.engine import server as module
from twofold.players.engine.lines import BestMove, Info, Option, Shapes, Word, parse_answer
from twofold.players.engine.server import EngineServer, opening_rules, serve
from twofold.search.analysis import Analysis

BOARD = Board.parse("0012/0013/0024/1357")
DEAD = "1212/2121/1212/2121"


class Said:
    """Lines of a server, which come from its threads."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._new = threading.Condition()

    def note(self, text: str) -> None:
        with self._new:
            self.lines += text.splitlines()
            self._new.notify()

    def write(self, data: bytes) -> None:
        """Note the bytes, as a stream does."""
        self.note(data.decode())

    def flush(self) -> None:
        """Nothing waits."""

    def until(self, word: str) -> list[str]:
        """What is said, up to a line that begins with a word."""
        until = time.monotonic() + 60.0
        with self._new:
            while not any(line.startswith(word) for line in self.lines):
                assert self._new.wait(until - time.monotonic()), self.lines
            return list(self.lines)


class Talk(Said):
    """A server without streams."""

    def __init__(self, player: Player) -> None:
        super().__init__()
        player.start(opening_rules(player), 0)
        self.server = EngineServer(player, self.note)

    def say(self, *lines: str) -> list[str]:
        """The immediate replies to lines."""
        self.lines.clear()
        for line in lines:
            assert self.server.obey(line)
        return list(self.lines)

    def ask(self, position: str, go: str = "go") -> list[str]:
        """The replies to a position and `go`."""
        self.say(f"position {position}", go)
        return self.until("bestmove")


@contextmanager
def talking(player: Player | str) -> Iterator[Talk]:
    talk = Talk(make_player(player) if isinstance(player, str) else player)
    yield talk
    talk.server.close()


@pytest.fixture(scope="module")
def shared() -> Iterator[Talk]:
    with talking("expectimax:ply=2") as talk:
        yield talk


@pytest.fixture
def greedy() -> Iterator[Talk]:
    with talking("greedy") as talk:
        yield talk


class Mine(Player):
    """Makes the first move, and is closed once."""

    def __init__(self) -> None:
        self.gate, self.closed = threading.Event(), threading.Event()

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        return board.legal_moves()[0]

    def close(self) -> None:
        assert not self.closed.is_set(), "closed twice"
        self.closed.set()


class Slow(Mine):
    """Searches until it is released, and ignores the stop flag."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        assert self.gate.wait(60)
        return board.legal_moves()[-1]


class Streams(Mine):
    """Finds a move that is not the first, then continues."""

    def stream(self, board: Board, *_: object, **__: object) -> Iterator[Analysis]:
        moves = make_player("greedy").analyse(board).moves
        found = Analysis(board, moves, board.legal_moves()[-1], "streams", unit="points")
        yield found
        assert self.gate.wait(60)
        yield found


# Conversations


def test_the_handshake(shared: Talk) -> None:
    answers = [parse_answer(line) for line in shared.say("u2048")]
    assert answers[-1] is Word.HELLO_OK
    (shapes,) = (one for one in answers if isinstance(one, Shapes))
    assert (8, 8) in shapes.shapes
    options = {one.name: one for one in answers if isinstance(one, Option)}
    assert options["ply"].value == "2"
    assert shared.lines[0].startswith("id name twofold ")
    assert shared.lines[0].endswith(" expectimax:ply=2")


def test_a_player_of_one_shape_and_of_a_file_says_so_and_refuses_others() -> None:
    with talking("ntuple:net=tiny,ply=1") as talk:
        said = talk.say("u2048")
        assert "shapes 4x4" in said
        assert any(line.startswith("option name net ") for line in said)
        assert not any("sha256" in line for line in said)
        assert talk.say("new 3x3 seed 1")[0].startswith("error expected ")
        (refused, without) = talk.say("position 3x3:123/000/000", "go")
        assert refused.startswith("error expected ")
        assert without == "error expected a position before go, got none"
        assert talk.ask(str(BOARD))[-1].startswith("bestmove ")


def test_a_move_comes_with_its_values(shared: Talk) -> None:
    *infos, last = shared.ask(str(BOARD))
    found = [parse_answer(line) for line in infos]
    analysis = make_player("expectimax:ply=2").analyse(BOARD)
    assert last == f"bestmove {analysis.best.letter}"
    assert [one.depth for one in found if isinstance(one, Info)] == [1, 2]
    deepest = found[-1]
    assert isinstance(deepest, Info)
    assert deepest.values == {one.move: one.value for one in analysis.moves if one.legal}
    assert (deepest.unit, deepest.line) == (analysis.unit, analysis.line)


@pytest.mark.parametrize("spec", ["random", "datumbox:depth=3", "quick:ply=2"])
def test_a_game_is_that_of_the_player_itself(spec: str) -> None:
    rules = Rules.parse("4x4 goal=64 stop=goal")
    result = play_game(make_player(spec), rules, 7, keep_moves=True)
    assert result is not None
    game = Game(rules, 7)
    with talking(spec) as talk:
        assert talk.say(f"new {rules} seed 7", "ready") == ["readyok"]
        while not game.is_finished:
            go = "go quiet" if game.move_number % 2 else "go"
            said = talk.ask(f"{game.board} score {game.score} move {game.move_number}", go)
            move = parse_answer(said[-1])
            assert isinstance(move, BestMove)
            assert move.move is not None
            game.play(move.move)
    assert "".join(move.letter for move in game.moves) == result.letters


# Options


def test_an_option_changes_the_player_or_nothing(
    shared: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shared.say("option ply 1", "ready") == ["readyok"]
    assert len(shared.ask(str(BOARD))) == 2
    assert shared.say("option ply 2", "option eval snake", "ready") == ["readyok"]
    assert "ratio" in "".join(shared.say("u2048"))
    assert shared.say("option eval rows", "ready") == ["readyok"]
    monkeypatch.setattr("twofold.storage.memory.free_memory", lambda: 8 * 10**9)
    before = shared.say("u2048")
    for line, says in (
        ("option depth 3", "error expected an option (cut, "),
        ("option ply 99", "error expected ply from 1 to 12, got 99"),
        ("option ply", "error expected ply as a number such as 5"),
        ("option table_mb 65536", "error expected at most 80% of the free memory for the transp"),
    ):
        (said,) = shared.say(line)
        assert said.startswith(says)
        assert shared.say("u2048") == before


def test_options_cannot_name_new_code(tmp_path: Path) -> None:
    mine, other = tmp_path / "mine.py", tmp_path / "other.py"
    mine.write_text("from twofold.values.rows import ROWS\n")
    other.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    with talking(f"expectimax:eval={mine}:ROWS,ply=1") as talk:
        assert talk.say("option ply 2", "ready") == ["readyok"]
        (said,) = talk.say(f"option eval {other}:ROWS")
        assert said.startswith("error expected eval without Python code, got")
        assert talk.say("option eval snake", f"option eval {mine}:ROWS", "ready") == ["readyok"]
    assert not (tmp_path / "ran").exists()


# Faults


def test_invalid_lines_get_one_error_and_unknown_ones_a_note(greedy: Talk) -> None:
    for line in ("position 12", "go ply x", "new 4x4 seed x", "option", "go " + 10_000 * "x"):
        (said,) = greedy.say(line)
        assert said.startswith("error expected ")
    assert greedy.say("", "   ", "stop", "ready") == ["readyok"]
    (said,) = greedy.say("positon 0012/0000/0000/0000")
    assert said == "info string ignored the unknown word 'positon'"


def test_a_refused_position_and_a_new_game_leave_no_position(greedy: Talk) -> None:
    greedy.say(f"position {BOARD}")
    assert [line.split()[0] for line in greedy.say("position 12", "go")] == ["error", "error"]
    greedy.say(f"position {BOARD}", "new 4x4 seed 1")
    assert greedy.say("go") == ["error expected a position before go, got none"]
    first = greedy.ask(str(BOARD))[-1]
    greedy.say("go")  # the same position again
    assert greedy.until("bestmove")[-1] == first


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (ZeroDivisionError("on purpose"), "error ZeroDivisionError: on purpose"),
        (SystemExit(), "error SystemExit"),  # in a thread, which Ctrl-C does not reach
        (KeyboardInterrupt(), "error KeyboardInterrupt"),
        (GeneratorExit(), "error GeneratorExit"),
        (None, "expected a legal move from Fails"),
    ],
)
def test_a_player_that_fails_is_an_error(fault: BaseException | None, says: str) -> None:
    class Fails(Mine):
        def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
            if fault is not None:
                raise fault
            return next(move for move in Move if move not in board.legal_moves())

    with talking(Fails()) as talk:
        for _ in range(2):
            talk.say("position 1000/0000/0000/0000", "go")
            assert says in talk.until("error")[0]


# Stopping


@pytest.mark.promise("R34")
@pytest.mark.parametrize("quiet", ["", " quiet"])
def test_a_search_ends_when_it_is_stopped(
    shared: Talk, quiet: str, figure: Callable[[str], None]
) -> None:
    shared.say("new 4x4 seed 1", f"position {BOARD}", f"go time 3600000 ply 12{quiet}")
    assert shared.say("ready") == ["readyok"]
    refused = shared.say(f"position {DEAD}", "go", "new", "option ply 1")
    assert [line.split()[0] for line in refused if "info" not in line] == ["error"] * 4
    began = time.monotonic()
    shared.say("stop")
    said = shared.until("bestmove")
    assert said[-1].split()[1] in {move.letter for move in BOARD.legal_moves()}
    assert shared.say("stop", "ready") == ["readyok"]
    figure(f"stopped after {1e3 * (time.monotonic() - began):.0f} ms")


@pytest.mark.promise("R34")
def test_the_server_answers_for_a_player_that_does_not_stop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert module.STOP_SECONDS < 0.05
    slow = Slow()
    with talking(slow) as talk:
        monkeypatch.setattr(module, "make_player", lambda _: make_player("corner"))
        talk.say(f"position {BOARD}", "go")
        assert talk.say("stop") == [f"bestmove {BOARD.legal_moves()[0].letter}"]
        assert talk.ask(str(BOARD))[-1] == "bestmove d"  # by another player
        assert not slow.closed.is_set()  # a player is not closed while it searches
        slow.gate.set()
        assert slow.closed.wait(60)
        assert talk.say("ready") == ["readyok"]  # and not the move of the first


@pytest.mark.promise("R34")
def test_the_best_move_so_far_is_answered() -> None:
    best, streams = BOARD.legal_moves()[-1], Streams()
    with talking(streams) as talk:
        talk.say(f"position {BOARD}", "go")
        talk.until("info")
        assert talk.say("stop") == [f"bestmove {best.letter}"]
        streams.gate.set()
        assert streams.closed.wait(60)
        assert talk.lines == [f"bestmove {best.letter}"]  # what it finds later is not said


@pytest.mark.long
@pytest.mark.promise("R34")
def test_stop_is_answered_within_50_ms(figure: Callable[[str], None]) -> None:
    times = []
    with talking("expectimax:eval=snake") as talk:
        for number in range(100):
            talk.say(f"position {BOARD}", "go time 60000 ply 12")
            time.sleep(0.003 * number)
            began = time.perf_counter()
            talk.say("stop")
            talk.until("bestmove")
            times.append(time.perf_counter() - began)
    assert sorted(times)[97] < 0.05
    figure(f"{1e3 * sorted(times)[97]:.0f} ms at p98")


# Streams


@contextmanager
def wired(player: Player) -> Iterator[tuple[Said, Callable[[str], object]]]:
    """What a player behind a pipe says, and what writes to it."""
    read_end, write_end = os.pipe()
    said = Said()
    player.start(Rules(), 0)
    with open(read_end, "rb", buffering=0) as source:
        thread = threading.Thread(target=serve, args=(player, source, said))
        thread.start()
        try:
            yield said, lambda text: os.write(write_end, text.encode())
        finally:
            os.close(write_end)
            thread.join(60)
        assert not thread.is_alive()


def test_commands_during_a_search_are_answered_and_its_end_is_that_of_the_input() -> None:
    slow = Slow()
    with wired(slow) as (said, write):
        write(f"position {BOARD}\ngo\nready\ngo\n")
        assert said.until("error expected stop, ready or quit during a search")[0] == "readyok"
        write("quit\n")
    assert said.lines[2:] == [f"bestmove {BOARD.legal_moves()[0].letter}"]
    slow.gate.set()
    assert slow.closed.wait(60)


def spoken(spec: str, text: bytes) -> list[str]:
    """The output for an input, up to its end."""
    sink = io.BytesIO()
    player = make_player(spec)
    player.start(Rules(), 0)
    serve(player, io.BytesIO(text), sink)
    return sink.getvalue().decode().splitlines()


def test_a_short_search_is_not_cut_short_by_the_end_of_the_input() -> None:
    said = spoken("expectimax:ply=2", f"position {BOARD}\r\ngo".encode())
    assert said[-1] == f"bestmove {make_player('expectimax:ply=2').choose(BOARD).letter}"


def test_long_lines_and_bytes_that_are_no_text_are_read_past() -> None:
    text = b"position " + b"0" * 1_000_000 + b"\nready\n\xff\xfe\x00\nposition \xff\n"
    text += b"ready " + b"x" * 9_994 + b"\r\n" + b"ready " + "\u00e9".encode() * 4_998 + b"\nready"
    said = spoken("greedy", text)
    assert [line.split()[0] for line in said] == [
        "error", "readyok", "info", "error", "readyok", "error", "readyok",
    ]  # fmt: skip
    assert "at most 10000 characters" in said[0]


@pytest.mark.parametrize("number", [errno.EPIPE, errno.ENOSPC])
def test_a_reader_that_has_gone_ends_it_and_a_full_disk_is_reported(number: int) -> None:
    class Broken(io.BytesIO):
        def write(self, data: object) -> int:
            raise OSError(number, os.strerror(number))

    player, lines = make_player("greedy"), io.BytesIO(b"ready\n" * 1_000)
    player.start(Rules(), 0)
    if number == errno.EPIPE:
        serve(player, lines, Broken())
    else:
        with pytest.raises(OSError, match="No space"):
            serve(player, lines, Broken())
