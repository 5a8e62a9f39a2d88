"""A search that is shown while it goes on, and that Ctrl-C ends."""

import _thread
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.support.commands import Cli
from twofold import Analysis, Board, Budget, Move, Player, Rules, Stop, make_player
from twofold.cli import _output, _thinking
from twofold.cli._thinking import LiveAnswer, think
from twofold.cli.analyse import _note_rest

BOARD = Board.parse("0012/0013/0024/1357")


class Slow(Player):
    """Answers at once; presses Ctrl-C a little later, and goes on until it is stopped."""

    def __init__(self, answers: str = "1") -> None:
        self.answers = int(answers)

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        return board.legal_moves()[0]

    def stream(
        self, board: Board, budget: Budget | None = None, *, stop: Stop | None = None, **_: Any
    ) -> Iterator[Analysis]:
        analysis = make_player("expectimax:ply=1").analyse(board)
        for number in range(self.answers):
            yield replace(analysis, nodes=1000 + number)
        time.sleep(0.2)
        _thread.interrupt_main()
        while stop is not None and not stop.is_raised:
            time.sleep(0.01)


def test_without_a_terminal_one_line_says_that_it_works(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_output, "WAIT_SECONDS", 0.05)
    think(Slow(), BOARD, None, None, live=False)
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"{_thinking.ANALYSING}\n")


def test_the_command_ends_with_130_and_the_answer(cli: Cli) -> None:
    arguments = ("analyse", str(BOARD), "--player", f"{__name__}:Slow:answers=2")
    code, out, err = cli(*arguments)
    assert (code, err) == (130, "interrupted: this is the best answer so far\n")
    assert "1,001 nodes" in out
    code, out, err = cli(*arguments, "--json")
    document = json.loads(out)
    assert code == 130
    assert (document["interrupted"], document["reproducible"]) == (True, False)
    assert document["nodes"] == 1001


def test_the_command_without_an_answer(cli: Cli) -> None:
    code, out, err = cli("analyse", str(BOARD), "--player", f"{__name__}:Slow:answers=0")
    assert (code, out) == (130, "")
    assert err == "interrupted before there was an answer\n"


@pytest.mark.parametrize(
    ("seconds", "total", "said"), [(1.0, 10.0, True), (9.0, 10.0, False), (1.0, 1.2, False)]
)
def test_time_that_went_into_an_unfinished_depth_is_named(
    seconds: float, total: float, said: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    with make_player("expectimax:ply=1") as player:
        player.start(Rules(), 1)
        found = replace(player.analyse(BOARD), seconds=seconds)
    _note_rest(LiveAnswer(found, False, total), 10.0)
    assert ("the next depth was not finished" in capsys.readouterr().err) == said
