"""The live view of a bench."""

import io
import json

import pytest
from rich.console import Console

from tests.support.games import game
from twofold.arena.games import GameColumns
from twofold.cli import _output
from twofold.cli._games import BenchProgress, playing
from twofold.figures import duration_words


def shown(progress: BenchProgress) -> list[str]:
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(progress)
    return console.export_text().splitlines()


def row(score: int) -> GameColumns:
    return game(1, score, 100, 64, (), 0.5)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.0, "0 s"), (11.2, "12 s"), (60.0, "1 m 00 s"), (187.0, "3 m 07 s"), (3_900.0, "1 h 05 m")],
)
def test_duration_words(seconds: float, words: str) -> None:
    assert duration_words(seconds) == words


def test_each_player_has_a_line() -> None:
    progress = BenchProgress([("greedy", 1_000, 4), ("corner", 10, 0), ("random", 10, 10)])
    progress.add(0, row(100))
    progress.add(0, row(300))
    header, greedy, random = shown(progress)
    assert header.split()[:2] == ["player", "games"]
    assert greedy.split()[:5] == ["greedy", "998/1,000", "200", "±", "139"]
    assert random.split() == ["random", "0/10"]  # corner has nothing to play


def test_of_many_players_those_at_work_are_shown() -> None:
    progress = BenchProgress([(f"p{number}", 1, 1) for number in range(40)])
    for number in range(20):
        progress.add(number, row(1))
    names = [line.split()[0] for line in shown(progress)[1:]]
    assert len(names) == 12
    assert "p20" in names
    assert "p19" in names


def test_a_program_that_asks_gets_lines_of_progress(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(_output.PROGRESS, "json")
    monkeypatch.setattr(_output, "_LINE_EVERY", 0.0)
    players = [("greedy", 4, 2), ("corner", 4, 4)]
    with playing(None, 1, players) as (_, _, add):
        add(0, row(100))
        add(1, row(100))
    with _output.live(str, float) as show:
        show(0.75)
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert lines == [{"progress": part} for part in (0.25, 0.375, 0.5, 0.75)]
