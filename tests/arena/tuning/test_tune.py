"""Tuning: ranges, samplers, the file, killed processes, and the check on fresh seeds."""

import contextlib
import json
import math
import multiprocessing
import os
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.trial import TrialState

from tests.arena.standings import standings_of
from tests.support.forks import command, context, fork, fork_workers
from twofold import make_player
from twofold.arena import workers
from twofold.arena.stats import Interval
from twofold.arena.tuning import sampling as tune_sampling
from twofold.arena.tuning import settings as tune_settings
from twofold.arena.tuning import study as tune_study
from twofold.arena.tuning import workers as tune_workers
from twofold.arena.tuning.settings import Range, range_of
from twofold.arena.tuning.tune import (
    Tuning,
    TuningCheck,
    TuningObjective,
    TuningProgress,
    TuningSettings,
    tune,
)
from twofold.errors import InvalidInput, InvalidSpec, MissingExtra, ResourceError, TwofoldError
from twofold.evaluators import find_evaluator
from twofold.locks import alone
from twofold.rules import Rules
from twofold.seeds import SeedRange

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
    """A tuning of three trials, and its file."""
    path = tmp_path_factory.mktemp("kept") / "t.db"
    return run(path, 3), path.read_bytes()


def states(path: Path) -> list[str]:
    """The states of all trials in a file."""
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT state FROM trials").fetchall()
    connection.close()
    return sorted(state for (state,) in found)


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
    found = range_of(name, start, 2.0)
    assert (found.low, found.high) == pytest.approx((low, high))
    assert (found.name, found.start, found.log) == (name, start, log)
    for place in (0.0, 0.3, 1.0):
        assert found.place(found.at(place)) == pytest.approx(place, abs=1e-12)
    assert found.low <= found.at(0.0) <= found.at(1.0) <= found.high


def test_ranges_end_where_the_evaluator_does() -> None:
    high = find_evaluator("rows").weight_keys["sum_power"].high
    settings = make_settings(player=f"expectimax:eval=rows,sum_power={high - 0.5}")
    (power,) = (one for one in settings.weights if one.name == "sum_power")
    assert (power.low, power.high) == (high - 1.5, high)


def test_weights_are_all_of_the_evaluator_unless_named() -> None:
    settings = make_settings(weights=[])
    with make_player(SPEC) as player:
        assert player.spec == settings.canonical
    assert [one.name for one in settings.weights] == [
        "lost", "empty", "merges", "order", "order_power", "sum", "sum_power",
    ]  # fmt: skip


def test_the_spec_holds_what_differs_from_the_start_to_four_digits() -> None:
    settings = make_settings(player="expectimax:eval=rows,merges=12345.678,ply=1")
    assert settings.spec(settings.start) == "expectimax:eval=rows,merges=12345.678,ply=1"
    tried = {"empty": 123.456, "merges": 20000.4, "sum_power": 3.5}
    assert settings.spec(tried) == "expectimax:empty=123.5,eval=rows,merges=20000,ply=1"
    assert settings.rounded(tried) == {"empty": 123.5, "merges": 20000.0, "sum_power": 3.5}


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
    assert objective.value(score=100, max_tile=64) == pytest.approx(value)
    assert objective.name == name


@pytest.mark.parametrize("text", ["", "2", "3", "0", "points", "1e3", "-4"])
def test_unknown_objectives_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="expected"):
        TuningObjective.parse(text)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"player": "greedy"}, "expected a player with weights in its spec"),
        ({"weights": ["emtpy"]}, "expected weights among lost, empty, .* got 'emtpy'"),
        ({"weights": ["empty", "empty"]}, "expected each weight once"),
        ({"sampler": "grid"}, "expected a sampler"),
        ({"spread": 1.0}, "expected a spread from 1.01"),
        ({"spread": math.nan}, "expected a spread from 1.01"),
        ({"games": 0}, "expected games from 1"),
        ({"seed": -1}, "expected a seed"),
        ({"player": "alphabeta:eval=rows", "rules": Rules(rows=5)}, "expected"),
        ({"player": "expectimax:eval=rows,sum_power=0", "weights": ["sum_power"]}, None),
    ],
)
def test_settings_that_cannot_be_used(more: dict[str, Any], message: str | None) -> None:
    if message is None:  # the evaluator allows 0 to 10
        assert make_settings(**more).weights == (Range("sum_power", 0.0, 0.0, 4.0, False),)
        return
    with pytest.raises(InvalidInput, match=message):
        make_settings(**more)


def test_a_weight_that_cannot_vary_is_refused() -> None:
    with pytest.raises(InvalidSpec, match="a weight that can vary, got empty, which can only be 5"):
        tune_settings.within(range_of("empty", 5.0, 2.0), 5.0, 5.0)


@pytest.mark.parametrize("sampler", ["cma", "tpe"])
def test_samplers_find_the_top_of_a_hill(sampler: str) -> None:
    """Far better than chance: the best of random weights is about 0.15 from the top."""
    settings = make_settings(sampler=sampler, seed=3)
    study = optuna.create_study(direction="maximize")
    tune_study.ensure_start(study, settings)
    top = {"empty": 0.2, "merges": 0.7, "sum_power": 0.6}
    for number in range(90):
        trial = tune_sampling.ask(study, settings, 0)
        places = {one.name: one.place(trial.params[one.name]) for one in settings.weights}
        trial.set_user_attr(tune_sampling.ORDER, number)
        study.tell(trial, -sum((places[name] - top[name]) ** 2 for name in top))
    assert study.trials[0].params == pytest.approx(settings.start)
    assert -study.best_value < 0.05**2
    late = [trial.value or 0.0 for trial in study.trials[-20:]]
    early = [trial.value or 0.0 for trial in study.trials[1:21]]
    assert sum(late) / 20 > sum(early) / 20


def test_cma_works_on_one_weight() -> None:
    settings = make_settings(weights=["empty"])
    study = optuna.create_study(direction="maximize")
    for _ in range(20):
        trial = tune_sampling.ask(study, settings, 0)
        study.tell(trial, -abs(trial.params["empty"] - 500))
    assert study.best_params["empty"] == pytest.approx(500, rel=0.1)


def test_two_workers_get_different_weights() -> None:
    for sampler in ("cma", "tpe"):
        settings = make_settings(sampler=sampler)
        study = optuna.create_study()
        first, second = (tune_sampling.ask(study, settings, number).params for number in (0, 1))
        assert first != second
        assert first != settings.start


@pytest.mark.promise("R30")
@pytest.mark.parametrize(
    ("sampler", "trials"),
    [("cma", 10), ("tpe", 12)],  # into the second generation; past those made by chance
)
def test_interruptions_do_not_change_the_trials_of_one_process(
    sampler: str, trials: int, tmp_path: Path
) -> None:
    settings = make_settings(sampler=sampler, games=1)
    whole = run(tmp_path / "whole.db", trials, settings)
    for finished in (3, trials - 1):
        listen, stop = after(finished)
        part = run(tmp_path / "part.db", trials, settings, on_progress=listen, stop=stop)
        assert len(part.trials) == finished
        assert part.verdict is None
    assert run(tmp_path / "part.db", trials, settings) == whole
    assert states(tmp_path / "part.db") == ["COMPLETE"] * trials
    assert len({one.spec for one in whole.trials}) == trials
    assert whole.trials[0].spec == SPEC
    assert not list(tmp_path.glob(".*"))


def test_a_trial_equals_a_bench(tmp_path: Path) -> None:
    found = run(tmp_path / "t.db", 3)
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

    first = run(tmp_path / "t.db", 3)
    assert first.check is not None
    assert run(tmp_path / "t.db", 3, on_progress=listen) == first
    assert played[-1] == (0, 0)
    more = run(tmp_path / "t.db", 3, on_progress=listen, check_games=8)
    assert more.check is not None
    assert played[-1] == (0, 4)
    assert more.check.games == 8


@pytest.mark.parametrize("asked_at", [1, 8])
def test_a_check_that_was_interrupted_goes_on(tmp_path: Path, asked_at: int) -> None:
    seen: list[int] = []
    part = run(
        tmp_path / "t.db",
        3,
        on_progress=lambda progress: seen.append(progress.checked),
        stop=lambda: bool(seen) and seen[-1] >= asked_at,
    )
    assert part.verdict is None
    run(tmp_path / "t.db", 3, on_progress=lambda progress: seen.append(-progress.checked))
    assert seen[-1] == -(12 - asked_at)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (1.0, 3.0, "better"),
        (-3.0, -1.0, "worse"),
        (-1.0, 3.0, "cannot be told apart"),
        (0.0, 0.0, "cannot be told apart"),
        (None, None, "cannot be told apart"),
    ],
)
def test_verdicts(low: float | None, high: float | None, verdict: str) -> None:
    mean = Interval(1.0, None, None)
    assert TuningCheck(2, 1, mean, mean, Interval(2.0, low, high)).verdict == verdict


def test_nothing_better_than_the_start(tmp_path: Path) -> None:
    found = run(tmp_path / "t.db", 1)
    assert found.best == found.start
    assert found.verdict == "the same"
    assert found.check is None


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"player": "expectimax:eval=rows,ply=2"}, "player"),
        ({"rules": Rules.parse("3x3")}, "rules"),
        ({"seed": 8}, "seed"),
        ({"games": 5}, "games"),
        ({"weights": ["empty"]}, "weights"),
        ({"sampler": "tpe"}, "sampler"),
        ({"spread": 2.0}, "spread"),
        ({"objective": "64"}, "objective"),
    ],
)
def test_other_settings_than_those_of_the_file(
    tmp_path: Path, more: dict[str, Any], named: str
) -> None:
    settings = make_settings()
    tune_study.open_study(tmp_path / "t.db", settings)
    before = (tmp_path / "t.db").read_bytes()
    with pytest.raises(InvalidInput, match=f"expected {named} .* as in .*t.db', got"):
        run(tmp_path / "t.db", 1, make_settings(**more))
    assert (tmp_path / "t.db").read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_a_process_that_is_killed_costs_its_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "QuietSpawn", context)
    killed: list[int] = []

    def kill_one(progress: TuningProgress) -> None:
        children = multiprocessing.active_children()
        if progress.finished == 3 and not killed and children:
            killed.append(children[0].pid or 0)
            os.kill(killed[0], signal.SIGKILL)

    settings = make_settings(games=20)
    path = tmp_path / "odd {name}?#%.db"
    found = run(path, 6, settings, jobs=2, on_progress=kill_one)
    assert killed
    assert len(found.trials) == 6
    assert set(states(path)) <= {"COMPLETE", "FAIL"}
    assert states(path).count("FAIL") <= 1
    assert multiprocessing.active_children() == []
    one = run(tmp_path / "one.db", 1, settings)
    assert found.start is not None
    assert one.start is not None
    assert found.start.value == one.start.value


def test_processes_that_keep_dying_end_the_tuning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Dead:
        """A dead process, as its parent uses it."""

        def join(self) -> None:
            return

        kill = close = join

    def start(_self: object, _number: int) -> tuple[Any, Any]:
        ours, theirs = multiprocessing.Pipe()
        theirs.close()
        return Dead(), ours

    monkeypatch.setattr(tune_workers.Processes, "_start", start)
    with pytest.raises(TwofoldError, match="4 processes died"):
        run(tmp_path / "t.db", 3, jobs=2)


def test_a_trial_that_ends_while_it_is_given_up_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    storage = optuna.storages.InMemoryStorage()
    study = optuna.create_study(storage=storage)
    study.ask()
    change = storage.set_trial_state_values

    def late(number: int, state: TrialState, values: Sequence[float] | None = None) -> bool:
        change(number, TrialState.COMPLETE, [1.0])
        return change(number, state, values)

    monkeypatch.setattr(storage, "set_trial_state_values", late)
    tune_study.fail_running(study)
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE]


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_kill_dash_nine_loses_the_trials_under_way_at_most(tmp_path: Path, jobs: str) -> None:
    path = tmp_path / "t.db"
    arguments = [SPEC, "--games", "60", "--rules", "3x3 goal=64", "--seed", "7", "--jobs", jobs]
    arguments += ["--weights", "empty,merges,sum_power", "--trials", "100000", "--out", str(path)]
    said = tmp_path / "said"
    process = fork(command, said, fork_workers, "tune", *arguments)
    end = time.monotonic() + 120
    while not path.exists() or states(path).count("COMPLETE") < 3:
        assert time.monotonic() < end
        assert process.is_alive(), said.with_suffix(".err").read_text()
        time.sleep(0.02)
    process.kill()
    process.join()
    finished = states(path).count("COMPLETE")
    settings = make_settings(games=60)
    found = run(path, finished + 1, settings)
    orphans = 0 if jobs == "1" else 2  # may have finished what they were at
    assert finished < len(found.trials) <= finished + 1 + orphans
    left = states(path)
    assert left.count("FAIL") <= int(jobs) + 1
    assert "RUNNING" not in left
    if jobs == "1":
        assert run(tmp_path / "whole.db", finished + 1, settings).trials == found.trials


def test_one_tuning_at_a_time_on_a_file(tmp_path: Path) -> None:
    with (
        alone(tmp_path / "t.db", "tuning"),
        pytest.raises(InvalidInput, match="another tuning is using"),
    ):
        run(tmp_path / "t.db", 1)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InvalidInput, match="expected an existing folder"):
        run(tmp_path / "no" / "t.db", 1)


def test_a_file_of_something_else_stays_as_it_is(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (text)")
    connection.close()
    study = tmp_path / "study.db"
    optuna.create_study(storage=f"sqlite:///{study}", study_name="mine")
    text = tmp_path / "text.db"
    text.write_text("not a database")
    empty = tmp_path / "empty.db"
    empty.touch()
    for path in (other, study, text, empty):
        before = path.read_bytes()
        with pytest.raises(InvalidInput, match="expected a file made by 'twofold tune'"):
            run(path, 1)
        assert path.read_bytes() == before
    with pytest.raises(InvalidInput, match="expected a regular file"):
        run(tmp_path, 1)


def test_a_file_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.db"
    tune_study.open_study(path, make_settings())
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write whatever it likes
    with pytest.raises(InvalidInput, match="expected a writable file"):
        run(path, 1)


@pytest.mark.promise("R16")
def test_a_torn_file_is_refused(tmp_path: Path, kept: tuple[Tuning, bytes]) -> None:
    torn = tmp_path / "torn.db"
    whole, content = kept
    for place in range(24):
        size = len(content) * place // 24
        torn.write_bytes(content[:size])
        with contextlib.suppress(InvalidInput, ResourceError):  # as documented
            assert run(torn, 3) == whole


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE trial_params SET param_value = 1e9",
        "UPDATE trial_params SET param_name = param_name || 'x'",
        "UPDATE trial_params SET distribution_json = '[]'",
        "UPDATE trial_params SET distribution_json = 'no json'",
        "DELETE FROM trial_values",
        "UPDATE study_user_attributes SET value_json = '[1' WHERE key = 'settings'",
        "UPDATE study_user_attributes SET value_json = '[1]' WHERE key = 'settings'",
    ],
)
def test_a_file_that_was_tampered_with_is_refused(
    tmp_path: Path, change: str, kept: tuple[Tuning, bytes]
) -> None:
    path = tmp_path / "t.db"
    path.write_bytes(kept[1])
    with sqlite3.connect(path) as connection:
        connection.execute(change)
    connection.close()
    with pytest.raises((InvalidInput, ResourceError), match=r"t\.db"):
        run(path, 3)


@pytest.mark.parametrize("check", ['{"a": 1}', '{"a": ["x"]}', "null"])
def test_a_kept_check_that_makes_no_sense_is_played_again(
    tmp_path: Path, check: str, kept: tuple[Tuning, bytes]
) -> None:
    path = tmp_path / "t.db"
    whole, content = kept
    path.write_bytes(content)
    with sqlite3.connect(path) as connection:
        connection.execute(
            "UPDATE study_user_attributes SET value_json = ? WHERE key = 'checks'",
            (check.replace('"a"', json.dumps(SPEC)),),
        )
    connection.close()
    assert run(path, 3) == whole


def test_a_disk_that_is_full_is_named() -> None:
    with (
        pytest.raises(ResourceError, match=r"cannot use 't\.db' \(unknown size\): .* disk is full"),
        tune_study.storage_errors(Path("t.db")),
    ):
        raise sqlite3.OperationalError("database or disk is full")


def test_a_player_that_fails_ends_the_tuning(tmp_path: Path) -> None:
    code = "raise ZeroDivisionError('on purpose')"
    broken = tmp_path / "broken.py"
    broken.write_text(
        "from twofold.evaluators import find_evaluator\n"
        "from dataclasses import replace\n"
        "rows = find_evaluator('rows')\n"
        "def rebuild(weights):\n"
        f"    if weights['empty'] != 270: {code}\n"
        "    return rows.rebuild(weights)\n"
        "BROKEN = replace(rows, rebuild=rebuild)\n"
    )
    settings = make_settings(player=f"expectimax:eval={broken}:BROKEN,ply=1")
    with pytest.raises(TwofoldError, match="ZeroDivisionError: on purpose"):
        run(tmp_path / "t.db", 6, settings)
    assert "RUNNING" not in states(tmp_path / "t.db")


def test_a_game_that_fails_names_its_player_and_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(tune_workers, "play_game", fail)
    with pytest.raises(TwofoldError, match=f"{SPEC} failed on seed 7: ZeroDivisionError"):
        run(tmp_path / "t.db", 1)


@pytest.mark.parametrize(
    ("code", "kind"), [(1, TwofoldError), (2, InvalidInput), (3, ResourceError)]
)
def test_errors_of_a_process_keep_their_class(code: int, kind: type[TwofoldError]) -> None:
    with pytest.raises(kind) as caught:
        tune_workers.raise_failure(tune_workers.TrialFailed("it failed", code))
    assert caught.value.exit_code == code


@pytest.mark.parametrize("name", ["optuna", "cmaes"])
def test_a_missing_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"pip install 'twofold\[tune\]'"):
        run(tmp_path / "t.db", 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.promise("R20")
@pytest.mark.parametrize(
    "more", [{"trials": 10**6}, {"trials": 0}, {"jobs": 10**6}, {"check_games": 1}]
)
def test_limits(tmp_path: Path, more: dict[str, int]) -> None:
    settings = replace(make_settings(), games=1)
    with pytest.raises(InvalidInput, match=r"expected .* from"):
        run(tmp_path / "t.db", **({"trials": 1} | more), settings=settings)
    assert list(tmp_path.iterdir()) == []
