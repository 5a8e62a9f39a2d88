"""Tuning: ranges, samplers, the file, killed processes, and the check on fresh seeds."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.arena.benches import standings_of
from tests.support.games import game
from twofold.arena.tune import (
    Range,
    Trial,
    Tuning,
    TuningObjective,
    TuningProgress,
    TuningSettings,
    proposed,
    tune,
    wave_of,
)
from twofold.errors import InvalidInput, InvalidSpec, TwofoldError
from twofold.game.notation import SeedRange
from twofold.game.rules import Rules
from twofold.storage.files import alone

SPEC = "expectimax:eval=rows,ply=1"
SMALL = Rules.parse("3x3 goal=64")


def make_settings(**more: Any) -> TuningSettings:
    values: dict[str, Any] = {"player": SPEC, "games": 4, "seed": 7, "rules": SMALL}
    values |= {"weights": ["empty", "merges", "sum_power"], **more}
    return TuningSettings.make(**values)


def run(path: Path, trials: int, settings: TuningSettings | None = None, **more: Any) -> Tuning:
    used = make_settings() if settings is None else settings
    return tune(used, path, **({"trials": trials, "check_games": 6} | more))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Tuning, bytes]:
    """A tuning of four trials, and its file."""
    path = tmp_path_factory.mktemp("kept") / "t.db"
    return run(path, 4), path.read_bytes()


def after(trials: int) -> tuple[Callable[[TuningProgress], None], Callable[[], bool]]:
    """A listener, and a stop function that stops after a number of finished trials."""
    seen = [0]

    def listen(progress: TuningProgress) -> None:
        seen[0] = progress.finished

    return listen, lambda: seen[0] >= trials


@pytest.mark.parametrize(
    ("name", "start", "low", "high", "log"),
    [
        ("empty", 270.0, 135.0, 540.0, True),
        ("sum_power", 3.5, 2.5, 4.5, False),
        ("sum_power", 0.5, 0.05, 1.5, False),
        ("order", -10.0, -20.0, 0.0, False),
        ("order", 0.0, -2.0, 2.0, False),
    ],
)
def test_ranges(name: str, start: float, low: float, high: float, log: bool) -> None:
    with pytest.raises(InvalidSpec, match=f"expected a weight that can vary, got {name}"):
        Range.around(name, start, 2.0, (start, start))
    found = Range.around(name, start, 2.0)
    assert (found.low, found.high) == pytest.approx((low, high))
    assert (found.name, found.start, found.scale == "log") == (name, start, log)
    for place in (0.0, 0.3, 1.0):
        value = found.at(place)
        assert found.place(value) == pytest.approx(place, abs=1e-3)
        assert value in (found.low, found.high, float(f"{value:.4g}"))
    assert found.low <= found.at(0.0) <= found.at(1.0) <= found.high


def test_the_spec_holds_what_differs_from_the_start() -> None:
    settings = make_settings(player="expectimax:eval=rows,merges=12345.678,ply=1")
    assert settings.spec(settings.start) == "expectimax:eval=rows,merges=12345.678,ply=1"
    tried = {"empty": 123.5, "merges": 20000.0, "sum_power": 3.5}
    assert settings.spec(tried) == "expectimax:empty=123.5,eval=rows,merges=20000,ply=1"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"player": "greedy"}, "expected a player with weights in its spec"),
        ({"weights": ["emtpy"]}, "expected weights \\(lost, empty, .*\\), got 'emtpy'"),
        ({"weights": ["empty", "empty"]}, "expected each weight once"),
        ({"spread": 1.0}, "expected a spread from 1.01"),
        ({"spread": math.nan}, "expected a spread from 1.01"),
        ({"games": 0}, "expected games from 1"),
        ({"seed": -1}, "expected a seed"),
        ({"player": "alphabeta:eval=rows", "rules": Rules(rows=5)}, "expected"),
        ({"player": "expectimax:eval=rows,sum_power=0", "weights": ["sum_power"]}, None),
        ({"objective": "points"}, "expected an objective .*, got 'points'"),
        ({"objective": "2"}, "expected an objective"),
    ],
)
def test_settings_that_cannot_be_used(more: dict[str, Any], message: str | None) -> None:
    if message is None:  # the evaluator allows 0 to 10
        assert make_settings(**more).weights == (Range("sum_power", 0.0, 0.0, 4.0),)
        return
    with pytest.raises(InvalidInput, match=message):
        make_settings(**more)


@pytest.mark.parametrize(
    ("text", "value", "name"),
    [
        ("score", 100.0, "mean score"),
        ("log-score", math.log(101), "mean log score"),
        ("64", 1.0, "reach rate of 64"),
        ("128", 0.0, "reach rate of 128"),
    ],
)
def test_objectives(text: str, value: float, name: str) -> None:
    objective = TuningObjective.parse(text)
    assert objective.values(game(1, 100, 40, 64, (), 0.1)) == pytest.approx([value])
    assert objective.name == name


def simulated(
    settings: TuningSettings, trials: int, value: Callable[[dict[str, float]], float]
) -> list[Trial]:
    """The trials of a tuning whose games are a function of the weights."""
    found: list[Trial] = []
    while len(found) < trials:
        wave = wave_of(settings, len(found))
        for number, weights in zip(wave, proposed(settings, wave, found), strict=True):
            found.append(Trial(number, value(weights), weights, ""))
    return found


def test_the_top_of_a_hill_is_found() -> None:
    """Far better than chance: the best of random weights is about 0.15 from the top."""
    settings = make_settings(seed=3)
    top = {"empty": 0.2, "merges": 0.7, "sum_power": 0.6}

    def height(weights: dict[str, float]) -> float:
        places = {one.name: one.place(weights[one.name]) for one in settings.weights}
        return -sum((places[name] - top[name]) ** 2 for name in top)

    trials = simulated(settings, 90, height)
    assert trials[0].weights == pytest.approx(settings.start)
    values = [trial.value for trial in trials]
    assert -max(values) < 0.05**2
    assert sum(values[-20:]) > sum(values[1:21])


@pytest.mark.promise("R30")
def test_neither_interruptions_nor_jobs_change_the_trials(tmp_path: Path) -> None:
    settings, trials = make_settings(games=1), 10  # into the second generation
    alone = run(tmp_path / "whole.db", 1, settings)
    assert (alone.best, alone.verdict, alone.check) == (alone.start, "the same", None)
    whole = run(tmp_path / "whole.db", trials, settings)
    for finished in (3, trials - 2):
        listen, stop = after(finished)
        part = run(tmp_path / "part.db", trials, settings, on_progress=listen, stop=stop, jobs=2)
        assert finished <= len(part.trials) < trials
        assert part.verdict is None
    assert run(tmp_path / "part.db", trials, settings) == whole
    assert len({one.spec for one in whole.trials}) == trials
    assert whole.trials[0].spec == SPEC
    assert not list(tmp_path.glob(".*"))


def test_a_trial_equals_a_bench(tmp_path: Path) -> None:
    found = run(tmp_path / "t.db", 4)
    for trial in found.trials:
        (one,) = standings_of([trial.spec], SeedRange(7, 4), 1, SMALL)
        assert trial.value == one.games.scores.mean()
    assert found.check is not None
    assert found.best is not None
    assert found.check.seed == 7 + 2**32
    for spec, mean in ((SPEC, found.check.start), (found.best.spec, found.check.best)):
        (one,) = standings_of([spec], SeedRange(7 + 2**32, 6), 1, SMALL)
        assert mean.value == pytest.approx(one.games.scores.mean())
    difference = found.check.best.value - found.check.start.value
    assert found.check.difference.value == pytest.approx(difference)


def test_no_game_of_the_check_is_played_twice(tmp_path: Path) -> None:
    played: list[tuple[int, int]] = []

    def listen(progress: TuningProgress) -> None:
        played.append((progress.played, progress.checked))

    first = run(tmp_path / "t.db", 4)
    assert first.check is not None
    assert run(tmp_path / "t.db", 4, on_progress=listen) == first
    assert played[-1] == (0, 0)
    stop = lambda: played[-1] == (0, 1)  # noqa: E731
    part = run(tmp_path / "t.db", 4, on_progress=listen, stop=stop, check_games=8)
    assert (part.check, part.verdict) == (None, None)
    more = run(tmp_path / "t.db", 4, on_progress=listen, check_games=8)
    assert more.check is not None
    assert played[-1] == (0, 3)
    assert more.check.games == 8


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"player": "expectimax:eval=rows,ply=2"}, "player"),
        ({"rules": Rules.parse("3x3")}, "rules"),
        ({"seed": 8}, "seed"),
        ({"games": 5}, "games"),
        ({"weights": ["empty"]}, "weights"),
        ({"spread": 2.0}, "spread"),
        ({"objective": "64"}, "objective"),
    ],
)
def test_other_settings_than_those_of_the_file(
    tmp_path: Path, more: dict[str, Any], named: str, kept: tuple[Tuning, bytes]
) -> None:
    (tmp_path / "t.db").write_bytes(kept[1])
    with (
        alone(tmp_path / "t.db", "tuning"),
        pytest.raises(InvalidInput, match="another tuning is using"),
    ):
        run(tmp_path / "t.db", 1)
    with pytest.raises(InvalidInput, match=f"expected {named} .* as in .*t.db', got"):
        run(tmp_path / "t.db", 1, make_settings(**more))
    assert (tmp_path / "t.db").read_bytes() == kept[1]


@pytest.mark.promise("R65")
def test_a_file_that_another_program_moves_or_replaces(tmp_path: Path) -> None:
    """All trials are then in a new file, and one that is not ours stays as it is."""
    path, moved = tmp_path / "t.db", list[Path]()

    def replace_file(progress: TuningProgress) -> None:
        if progress.finished == 2 and not (tmp_path / "mine.db").exists():
            path.rename(tmp_path / "mine.db")
            path.write_text("theirs")

    whole = run(path, 4, on_progress=replace_file, on_move=moved.append)
    assert moved == [tmp_path / "t-2.db"]
    assert path.read_text() == "theirs"
    assert run(moved[0], 4) == whole
    assert run(tmp_path / "mine.db", 4) == whole

    moved.clear()
    gone = tmp_path / "gone.db"
    run(gone, 4, on_progress=lambda _: gone.unlink(missing_ok=True), on_move=moved.append)
    assert not moved
    assert run(gone, 4) == whole


CHANGES = [
    ('"value":', '"value":null,"more":'),
    ('"value":', '"value":Infinity,"more":'),
    ('"value":', '"value":1' + "0" * 400 + ',"more":'),
    ('"value":', '"value":1e300,"more":'),
    ('"value":', '"value":-1,"more":'),
    ('"format":3', '"format":2'),
    ('"number":', '"number":-5,"more":'),
    ('"number":', '"number":1e30,"more":'),
    ('"number":1', '"number":0'),
    ('"empty":', '"emtpy":'),
    ('"merges":700', '"merges":7e9'),
    ('"number":', '"number":"x","more":'),
    ('"settings":{', '"settings":[1],"more":{'),
    ('"spread":4', '"more":4'),
    ('"checks":{', '"checks":{"x":["x"],'),
    ('"checks":{', '"checks":{"x":[1e300],'),
]
FOREIGN = [b"SQLite format 3\0" + bytes(84), b"text", b"", b'{"a": 1}\n{"b": 2}\n', b"[" * 10**5]


@pytest.mark.promise("R16")
def test_a_file_that_is_changed_torn_or_of_something_else_is_refused_and_stays(
    tmp_path: Path, kept: tuple[Tuning, bytes]
) -> None:
    path, (whole, content) = tmp_path / "t.db", kept
    changed = [content.replace(old.encode(), new.encode()) for old, new in CHANGES]
    assert content not in changed
    torn = [content[: len(content) * place // 12] for place in range(12)]
    for damaged in (*changed, *torn, *FOREIGN):
        path.write_bytes(damaged)
        words = r"t\.db" if damaged in changed else "expected a file made by 'twofold tune'.*t.db"
        with pytest.raises(InvalidInput, match=words):
            run(path, 4)
        assert path.read_bytes() == damaged
    path.write_bytes(content[:-1])  # the end of the line
    assert run(path, 4) == whole


def test_a_game_that_fails_names_its_player_and_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr("twofold.players.loop.play_games", fail)
    with pytest.raises(TwofoldError, match=f"{SPEC} failed on seed 7: ZeroDivisionError"):
        run(tmp_path / "t.db", 1)


@pytest.mark.promise("R20")
@pytest.mark.parametrize(
    "more", [{"trials": 10**6}, {"trials": 0}, {"jobs": 10**6}, {"check_games": 1}]
)
def test_limits(tmp_path: Path, more: dict[str, int]) -> None:
    settings = make_settings(games=1)
    with pytest.raises(InvalidInput, match=r"expected .* from"):
        run(tmp_path / "t.db", **({"trials": 1} | more), settings=settings)
    assert list(tmp_path.iterdir()) == []
