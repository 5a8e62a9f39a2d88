"""Running the command in this process: arguments in; exit code, stdout and stderr out."""

import io
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from twofold import Game, Record, Rules, make_player
from twofold.cli import _output, main
from twofold.game.record import write_record


class Result(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


Cli = Callable[..., Result]


class Heard(io.StringIO):
    """A stream with an event that is set once a text has been written to it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self.heard = threading.Event()

    def write(self, text: str) -> int:
        written = super().write(text)
        if self._text in self.getvalue():
            self.heard.set()
        return written


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """Run `twofold ARGUMENTS...` with text as its input, saved games under `tmp_path`."""
    monkeypatch.setenv("TWOFOLD_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(_output, "WAIT_SECONDS", 600.0)  # no word about slow starts

    def run(*arguments: str, stdin: str = "") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8"))
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main(list(arguments))
        out, err = capsys.readouterr()
        return Result(int(stop.value.code or 0), out, err)

    return run


def write_game(path: Path, moves: int, rules: Rules | None = None, player: str = "greedy") -> Game:
    """A game of a player, kept in a file."""
    game = Game(rules or Rules(), seed=3)
    with make_player(player) as chooser:
        while not game.is_finished and game.move_number < moves:
            game.play(chooser.choose(game.board))
    write_record(path, Record.from_game(game, player="me"))
    return game
