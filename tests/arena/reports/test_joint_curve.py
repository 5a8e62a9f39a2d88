"""Joint curves: mean, interval, different distances, files to draw."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from twofold.arena import curves
from twofold.arena.curves import DrawnCurve, JointCurve, OneCurve, join, read_curve, read_runs
from twofold.arena.plots import FORMS, learning_curves
from twofold.errors import InvalidInput, InvalidNetwork


def curve(seed: int, *means: float, apart: int = 1000) -> OneCurve:
    return OneCurve(seed, tuple((apart * place, mean) for place, mean in enumerate(means, 1)))


def test_mean_and_interval_of_runs() -> None:
    """Student's t with 1 degree of freedom has 12.706 at 97.5 %."""
    found = join([curve(3, 100, 200), curve(4, 110, 240)])
    assert found.seeds == (3, 4)
    assert [point.games for point in found.points] == [1000, 2000]
    assert [point.mean.value for point in found.points] == [105, 220]
    assert found.points[0].mean.half_width == pytest.approx(12.7062 * 5)
    assert list(found.points[1].runs) == [200, 240]
    assert found.last is found.points[1]


def test_runs_with_fewer_games() -> None:
    found = join([curve(1, 100, 200), curve(2), curve(3, 120)])
    assert found.points[0].mean.value == 110
    assert (found.points[1].mean.value, found.points[1].mean.half_width) == (200, None)
    assert list(found.points[1].runs) == [200, None, None]
    assert found.last is None
    assert join([curve(1), curve(2)]) == JointCurve((1, 2), ())
    assert found.csv() == (
        "games,mean,low,high,seed_1,seed_2,seed_3\n"
        "1000,110.0,-17.1,237.1,100.0,,120.0\n2000,200.0,,,200.0,,\n"
    )


def test_closer_points_are_averaged() -> None:
    """As a long run does with its own points; a rest at the end gives no point."""
    found = join([curve(1, 1, 2, 3, 4, 5), curve(2, 10, apart=4000)])
    assert [(point.games, point.runs) for point in found.points] == [(4000, (2.5, 10))]


def test_curves_round_trip(tmp_path: Path) -> None:
    several, one = tmp_path / "n.runs.csv", tmp_path / "n.csv"
    several.write_text(join([curve(1, 100, 200), curve(2, 120)]).csv())
    one.write_text("games,moves,seconds,mean,largest\n1000,5,1,7.5,9\n")
    found = read_curve(several)
    assert (found.name, found.games, found.means) == ("n.runs.csv", (1000, 2000), (110, 200))
    assert (found.lows, found.highs) == ((-17.1, None), (237.1, None))
    single = read_curve(one)
    assert (single.games, single.means, single.lows) == ((1000,), (7.5,), (None,))
    assert read_curve(one, axis="moves").games == (5,)
    drawing = learning_curves([found, single])
    for form, begin in zip(FORMS, (b"<?xml", b"%PDF", b"\x89PNG"), strict=True):
        assert drawing.file(form).startswith(begin)
    picture = drawing.file("svg").decode()
    assert drawing.file("svg").decode() == picture
    assert "n.runs.csv" in picture
    assert "FillBetween" in picture


@pytest.mark.parametrize(
    "text",
    ["", "games\n1\n", "games,mean\n1\n", "games,mean\n1,nan\n", "games,mean\nx,1\n", '"', "\udcff",
     "games,mean\n" + "1,1\n" * 2**20],
    ids=["empty", "no mean", "short", "nan", "word", "quote", "bytes", "long"],
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


@pytest.mark.parametrize(
    "points", [[[0, 0, 0, 5.0]], [[9, 0, 0, 5.0], [9, 0, 0, 5.0]], [[9, 0, 0, 1e308]]]
)
def test_invalid_points_are_refused(
    monkeypatch: pytest.MonkeyPatch, points: list[list[float]]
) -> None:
    card = SimpleNamespace(settings={"seed": "1"}, curve=points)
    monkeypatch.setattr(curves, "read_card", lambda _: card)
    with pytest.raises(InvalidNetwork, match="expected the file of a training run, got 'x'"):
        read_runs(["x"])
