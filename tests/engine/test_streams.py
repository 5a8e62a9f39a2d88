"""A program's output with a time limit, and the end of its errors."""

import contextlib
import os
import time
from collections.abc import Iterator
from typing import IO

import pytest

from twofold.players.engine import process as engine_streams
from twofold.players.engine.process import Output, Tail

Pipe = tuple[IO[bytes], int]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    """The read end, closed by the reader, and the write end."""
    read_end, write_end = os.pipe()
    with open(read_end, "rb", buffering=0) as stream:
        yield stream, write_end
    with contextlib.suppress(OSError):  # closed by the test
        os.close(write_end)


@pytest.fixture
def output(pipe: Pipe) -> Output:
    return Output(pipe[0])


def test_what_is_written_is_read_up_to_the_end(output: Output, pipe: Pipe) -> None:
    assert output.get(0.0) is None
    os.write(pipe[1], b"one\n")
    assert output.get(60.0) == b"one\n"
    os.write(pipe[1], b"two")
    os.close(pipe[1])
    assert output.get(60.0) == b"two"
    assert [output.get(60.0), output.get(0.0), output.get(-1.0)] == [b""] * 3
    output.close()


def test_nothing_in_time_is_none(output: Output, pipe: Pipe) -> None:
    began = time.monotonic()
    assert output.get(0.05) is None
    assert time.monotonic() - began >= 0.05
    os.close(pipe[1])
    output.close()


def test_a_closed_output_has_ended(output: Output, pipe: Pipe) -> None:
    os.close(pipe[1])
    output.close()
    assert pipe[0].closed
    assert output.get(1.0) == b""


def test_a_thread_with_unread_chunks_ends(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_streams, "_WAITING", 1)
    monkeypatch.setattr(engine_streams, "JOIN_SECONDS", 60.0)
    pumped = Output(pipe[0])
    for _ in range(3):
        os.write(pipe[1], b"x")
        time.sleep(0.01)
    os.close(pipe[1])
    pumped.close()
    assert pipe[0].closed


def test_the_end_of_the_errors_is_kept(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_streams, "SETTLE_SECONDS", 60.0)
    tail = Tail(pipe[0])
    os.write(pipe[1], b"a" * 5_000 + b"the end")
    os.close(pipe[1])
    tail.settle()
    assert tail.data[-8:] == b"athe end"
    assert len(tail.data) == engine_streams.TAIL_BYTES
    tail.close()
