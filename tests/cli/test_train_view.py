"""What `twofold train` shows while it runs, and how its times are read."""

import io
import math

import pytest
from rich.console import Console

from twofold.cli._options import read_seconds
from twofold.cli._training import curve_lines, progress_line, view
from twofold.cli.train import parse_every
from twofold.errors import InvalidInput
from twofold.game.rules import Rules
from twofold.learn.curve import Evaluation, Measured
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import Training, TrainingProgress


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30m", 1800), ("1h30m", 5400), ("45s", 45), ("45", 45), ("0.5h", 1800), ("1d", 86400),
        ("50ms", 0.05), ("4us", 4e-6), ("1e-3s", 1e-3), (" 1m 5 s ", 65),
    ],
)  # fmt: skip
def test_times(text: str, seconds: float) -> None:
    assert read_seconds(text, "time") == seconds


@pytest.mark.parametrize(
    "text", ["", "m", "-5m", "5m1h", "1h30", "1.2.3s", "50 MS", "nan", "0", "1" * 50]
)
def test_no_times(text: str) -> None:
    with pytest.raises(InvalidInput, match="expected time"):
        read_seconds(text, "time")


@pytest.mark.parametrize(
    ("text", "seconds", "games"),
    [("10m", 600, None), ("90", 90, None), ("10000g", math.inf, 10_000),
     ("1e4 games", math.inf, 10_000), ("1 game", math.inf, 1)],
)  # fmt: skip
def test_when_to_evaluate(text: str, seconds: float, games: int | None) -> None:
    assert parse_every(text) == (seconds, games)


def test_the_live_view_fits_a_terminal_and_shows_evaluations() -> None:
    settings = TrainingSettings(patterns="0123", rules=Rules.parse("3x4"), threads=1)
    training = Training(settings, games=3000)
    training.run()
    now = TrainingProgress(3000, 10**6, 3725.0, 2.5e6, 512.5, {1024: 0.25, 2048: 0.0}, 0, 1.0)
    for count, width in enumerate((40, 80, 200)):
        console = Console(width=width, record=True, file=io.StringIO())
        console.print(view(training, now, width))
        text = console.export_text()
        assert "mean score by games" in text
        assert max(map(len, text.splitlines())) <= width
        assert "1:02:05" in text
        last = f"network  mean {100 * count}.0 ± 5.0, 14000.txt 75.0%, after 10 moves"
        assert (last in " ".join(text.split("\n"))) == (count > 0)
        assert ("mean score of the evaluations" in text) == (count > 1)
        measured = Measured(100.0 * (count + 1), 5.0, {"14000.txt": 0.75})
        training.evaluations.append(Evaluation(count + 1, 10, 1.0, 0.0, measured))
    assert progress_line(now).endswith("  mean 512  reached 1024 25%")


def test_a_curve_of_characters() -> None:
    assert curve_lines([], 40) == ["(the first thousand games are under way)"]
    lines = curve_lines([0.0, 50.0, 100.0], 40, height=2)
    assert lines == ["      100   █", "       50  ██"]
    assert max(len(line) for line in curve_lines([1.0] * 500, 40)) == 50
