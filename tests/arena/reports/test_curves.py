"""Learning curves: the mean of runs with its interval, the files that are read."""

from pathlib import Path

import pytest

from twofold.arena.curves import DrawnCurve, mean_curve, read_curve
from twofold.arena.plots import FORMS, learning_curves
from twofold.errors import InvalidInput

HEADER = "games,moves,seconds,mean,largest,reached_2048\n"


def curve(tmp_path: Path, name: str, *means: float) -> DrawnCurve:
    rows = [f"{1000 * k},{9 * k},{k},{mean},9,0.5\n" for k, mean in enumerate(means, 1)]
    (tmp_path / name).write_text(HEADER + "".join(rows))
    return read_curve(tmp_path / name)


def test_mean_and_interval_of_runs(tmp_path: Path) -> None:
    """Student's t with 1 degree of freedom has 12.706 at 97.5 %; the longer run is cut."""
    one, two = curve(tmp_path, "n-1.csv", 100, 200, 300), curve(tmp_path, "n-2.csv", 110, 240)
    assert (one.name, one.games, one.lows) == ("n-1.csv", (1000, 2000, 3000), (None,) * 3)
    found = mean_curve([one, two])
    assert (found.name, found.games, found.means) == ("n, 2 runs", (1000, 2000), (105, 220))
    half = 12.7062 * 5
    assert (found.lows[0], found.highs[0]) == pytest.approx((105 - half, 105 + half))
    path = tmp_path / "n-2.csv"
    by_moves, reached = read_curve(path, axis="moves"), read_curve(path, tile=2048)
    assert (by_moves.games, reached.means, reached.tile) == ((9, 18), (50, 50), 2048)
    with pytest.raises(InvalidInput, match=r"points after the same games .* got others in 'n-2"):
        mean_curve([one, by_moves])
    drawing = learning_curves([found, one])
    for form, begin in zip(FORMS, (b"<?xml", b"%PDF", b"\x89PNG"), strict=True):
        assert drawing.file(form).startswith(begin)
    picture = drawing.file("svg").decode()
    assert drawing.file("svg").decode() == picture
    assert "n, 2 runs" in picture
    assert "FillBetween" in picture


@pytest.mark.parametrize(
    "text",
    ["", "games\n1\n", "games,mean\n1\n", "games,mean\n1,nan\n", "games,mean\nx,1\n", '"', "\udcff",
     "games,mean\n1,1e308\n", "games,mean\n" + "1,1\n" * 2**20],
    ids=["empty", "no mean", "short", "nan", "word", "quote", "bytes", "large", "long"],
)  # fmt: skip
def test_other_files_are_no_curves(tmp_path: Path, text: str) -> None:
    (tmp_path / "n.csv").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(InvalidInput, match=r"expected a learning curve .* got '.*n\.csv'"):
        read_curve(tmp_path / "n.csv")


def test_one_point_is_seen_and_a_name_may_begin_with_an_underscore() -> None:
    """Matplotlib warns of labels with a leading underscore, and omits them."""
    one = DrawnCurve("_a.csv", (1000.0,), (100.0,), (90.0,), (110.0,))
    two = DrawnCurve("_b.csv", (1000.0, 2000.0), (100.0, 120.0), (None, None), (None, None))
    picture = learning_curves([one, two]).file("svg").decode()
    assert picture.count("_a.csv") >= 1
    assert "<use" in learning_curves([one]).file("svg").decode()
