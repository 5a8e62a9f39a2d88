"""The adapters that let other programs play through the engine protocol, with made-up programs."""

import io
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks import curves
from benchmarks.engines import own_play, protocol

RULES = "new 4x4 spawn=2:0.9,4:0.1 start=2 goal=2048 stop=never seed 1"


class Always:
    """A program that makes one move, and takes a second for it."""

    name, author = "always", "nobody"

    def __init__(self, move: str) -> None:
        self.move, self.seconds = move, 0.0

    def begin(self) -> None:
        """Nothing to do."""

    def choose(self, cells: Sequence[int]) -> str:
        self.seconds += 1.0
        return self.move

    def cpu_seconds(self) -> float:
        return self.seconds

    def close(self) -> None:
        """Nothing to end."""


def answers(program: protocol.Program, *lines: str, times: Path | None = None) -> list[str]:
    out = io.StringIO()
    protocol.Adapter(program, out, times).serve(lines)
    return out.getvalue().splitlines()


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["u2048", "ready", "", "what", RULES, "position 0000/0000/0000/000a score 4", "go quiet",
          "quit", "go"],
         ["id name always", "id author nobody", "u2048ok", "readyok", "bestmove l"]),
        (["position 0000/0000/0000/0100", "go"], ["bestmove l"]),
        (["position 0000/0000/0000/1000", "go"], ["bestmove u"]),  # left is illegal there
        (["position 1234/5678/1234/5678", "go"], ["bestmove none"]),
        *(([line], ["error expected"]) for line in (
            "go", "new 3x3 seed 1", "option a b", "position", "position 000/000/000",
            "position !000/0000")),
        (["position 0000/0000/0000/0001", f"position {'0' * 10_000}", "go"],
         ["error expected", "error expected"]),
    ],
)  # fmt: skip
def test_answers(lines: list[str], expected: list[str]) -> None:
    found = answers(Always("l"), *lines)
    assert max(map(len, found)) < 200
    assert [line[: len(start)] for line, start in zip(found, expected, strict=True)] == expected


def test_moves_are_counted_in_the_words_of_the_programs() -> None:
    tdl = "001/001 2000ms 500.5ops\n        2048 ...\n002/001 1000ms 100.00ops\n"
    macroxue = "game# 2001 moves 150 seconds 1.0 moves/s 150.0\n2-game average 1000 max\n"
    assert own_play.count_moves(tdl) == 1101
    assert own_play.count_moves(macroxue) == 150
    assert own_play.count_moves("nothing") == 0


def test_a_curve_shares_the_cpu_time_among_the_blocks_and_means_the_last_five() -> None:
    block = "{}ms 9.0ops\nlocal:  avg={} max=50068 tile=4096 win=12.10%\n"
    output = "".join(f"00{n}/006 " + block.format(1000 * n, 100 * n) for n in range(1, 7))
    learnt = curves.theirs(output, 42.0)  # twice the wall time, as with two busy threads
    assert learnt.seconds == [2.0, 6.0, 12.0, 20.0, 30.0, 42.0]
    assert learnt.after(29.9) is None  # four blocks
    assert learnt.after(30.0) == learnt.after(41.0) == 300.0
    assert learnt.after(42.0) == 400.0
    assert learnt.after(42.1) is None  # the run was shorter
