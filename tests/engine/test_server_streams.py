"""The engine protocol over streams: threads, ends of all kinds, long lines."""

import errno
import io
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.engine.slow import BOARD, Slow
from twofold import Board, Move, Player, Rules, make_player
from twofold.players import PlayerSpec
from twofold.players.engine import server as module
from twofold.players.engine.server import EngineServer, lines_of, serve


class Wire:
    """A player behind a pipe, and its output."""

    def __init__(self, write_end: int) -> None:
        self.lines: list[str] = []
        self._write_end = write_end
        self._new = threading.Condition()

    def write(self, data: bytes) -> None:
        with self._new:
            self.lines += data.decode().splitlines()
            self._new.notify()

    def flush(self) -> None:
        """Nothing waits."""

    def say(self, *lines: str) -> None:
        self.lines.clear()
        os.write(self._write_end, "".join(f"{line}\n" for line in lines).encode())

    def until(self, word: str) -> str:
        """The first line that begins with a word."""
        until = time.monotonic() + 60.0
        with self._new:
            while not (found := [line for line in self.lines if line.startswith(word)]):
                assert self._new.wait(until - time.monotonic()), self.lines
            return found[0]


@contextmanager
def wired(player: Player) -> Iterator[Wire]:
    read_end, write_end = os.pipe()
    wire = Wire(write_end)
    player.start(Rules(), 0)
    with open(read_end, "rb", buffering=0) as source:
        thread = threading.Thread(target=serve, args=(player, source, wire))
        thread.start()
        try:
            yield wire
        finally:
            os.close(write_end)
            thread.join(60)
        assert not thread.is_alive()


class Counts(Player):
    """Makes the first move, and notes the thread in which it was asked."""

    def __init__(self) -> None:
        self.threads: list[str] = []
        self.closed = 0

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        self.threads.append(threading.current_thread().name)
        return board.legal_moves()[0]

    def close(self) -> None:
        self.closed += 1


# Turns


def test_many_quick_searches_need_one_thread() -> None:
    player = Counts()
    with wired(player) as wire:
        for _ in range(300):
            wire.say(f"position {BOARD}", "go")
            wire.until("bestmove u")
    assert player.threads == ["engine-worker"] * 300
    assert player.closed == 1


def test_commands_during_a_search_are_answered_immediately() -> None:
    slow = Slow()
    with wired(slow) as wire:
        wire.say(f"position {BOARD}", "go", "ready", "go")
        wire.until("error expected stop, ready or quit during a search")
        assert wire.lines[0] == "readyok"
        slow.gate.set()
        move = wire.until("bestmove")
        wire.say(f"position {BOARD}", "go", "ready")
        assert wire.until("bestmove") == move
        wire.until("readyok")
    assert slow.closed.is_set()


@pytest.mark.promise("R34")
def test_the_server_answers_stop_for_slow_players(
    monkeypatch: pytest.MonkeyPatch, figure: Callable[[str], None]
) -> None:
    others = [Slow(), Slow(), make_player("corner")]
    monkeypatch.setattr(module, "EngineServer", _making(others))
    slow = Slow()
    left = [slow, *others[:2]]
    times = []
    with wired(slow) as wire:
        for _ in left:
            wire.say(f"position {BOARD}", "go")
            time.sleep(0.02)
            began = time.monotonic()
            wire.say("stop")
            assert wire.until("bestmove") == f"bestmove {BOARD.legal_moves()[0].letter}"
            times.append(time.monotonic() - began)
        wire.say(f"position {BOARD}", "go", "ready")
        assert wire.until("bestmove") == "bestmove d"
        for one in left:
            assert isinstance(one, Slow)
            one.gate.set()
            assert one.closed.wait(60)
        wire.say(f"position {BOARD}", "go")
        assert wire.until("bestmove") == "bestmove d"
    figure(f"answered for after {1e3 * sorted(times)[1]:.0f} ms")


def _making(players: list[Player]) -> Callable[..., object]:
    """A server that takes these players, one after the other, where it makes one."""

    def make(spec: PlayerSpec) -> Player:
        return players.pop(0) if len(players) > 1 else players[0]

    server = EngineServer
    return lambda player, write, begin: server(player, write, begin, make)


def test_a_search_that_lasts_is_ended_with_the_input() -> None:
    slow = Slow()
    with wired(slow) as wire:
        wire.say(f"position {BOARD}", "go", "quit")
    assert wire.lines == [f"bestmove {BOARD.legal_moves()[0].letter}"]
    slow.gate.set()
    assert slow.closed.wait(60)


def test_a_fault_of_the_player_ends_it() -> None:
    class Breaks(Counts):
        def start(self, rules: Rules, seed: int) -> None:
            if seed:
                raise ZeroDivisionError("on purpose")

    player = Breaks()
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        serve(player, io.BytesIO(b"new 4x4 seed 1\nready\n"), io.BytesIO())
    assert player.closed == 1


# Ends


def spoken(spec: str, text: bytes) -> list[str]:
    """The output for an input, up to its end."""
    sink = io.BytesIO()
    player = make_player(spec)
    player.start(Rules(), 0)
    serve(player, io.BytesIO(text), sink)
    return sink.getvalue().decode().splitlines()


def test_the_end_of_the_input_ends_it_with_the_move_of_the_search() -> None:
    said = spoken("greedy", f"position {BOARD}\r\ngo".encode())
    assert said[-1].startswith("bestmove ")


def test_a_short_search_is_not_cut_short_by_the_end_of_the_input() -> None:
    said = spoken("expectimax:ply=2", f"position {BOARD}\ngo".encode())
    assert said[-1] == f"bestmove {make_player('expectimax:ply=2').choose(BOARD).letter}"
    assert said[-2].startswith("info depth 2 ")


def test_nothing_is_read_after_quit() -> None:
    assert spoken("greedy", b"ready\nquit\nready\n") == ["readyok"]


def test_long_lines_and_bytes_that_are_no_text_are_read_past() -> None:
    text = b"position " + b"0" * 1_000_000 + b"\nready\n\xff\xfe\x00\nposition \xff\nready"
    said = spoken("greedy", text)
    assert [line.split()[0] for line in said] == ["error", "readyok", "info", "error", "readyok"]
    assert "at most 10000 characters" in said[0]


def test_a_reader_that_has_gone_ends_it() -> None:
    class Broken(io.BytesIO):
        def write(self, data: object) -> int:
            raise BrokenPipeError

    player = make_player("greedy")
    player.start(Rules(), 0)
    serve(player, io.BytesIO(b"ready\n" * 1_000_000), Broken())


def test_a_full_disk_is_reported_at_the_end() -> None:
    class Full(io.BytesIO):
        def write(self, data: object) -> int:
            raise OSError(errno.ENOSPC, "full")

    player = make_player("greedy")
    player.start(Rules(), 0)
    with pytest.raises(OSError, match="full"):
        serve(player, io.BytesIO(b"ready\n" * 1_000), Full())


def test_a_line_is_measured_in_bytes() -> None:
    text = b"a" * 10_000 + b"\r\n" + "\u00e9".encode() * 5_001 + b"\n" + b"b" * 200_000 + b"\nc"
    lengths = [len(line) for line in lines_of(io.BytesIO(text))]
    assert lengths[0] == 10_000
    assert all(length > 10_000 for length in lengths[1:3])
    assert lengths[3:] == [1]
