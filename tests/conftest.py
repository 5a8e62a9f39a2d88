"""What every test may rely on: our options, the promise report, reproducible Hypothesis runs.

Options: --long runs the slow tests too; --alone runs only those that need the machine for
themselves, which no run in several processes has; --report prints a table of the promises.
Fixture: `figure("1,000 boards, 0 differences")` puts a figure into that table.
CI=true in the environment turns every skip and expected failure into a failure.
"""

import gc
import os
import signal
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import hypothesis
import pytest

from tests.support.promises import Tally, format_report, read_promises

if TYPE_CHECKING:
    from tests.support.browser import Chromium

IN_CI = os.environ.get("CI") == "true"
ALONE = "pytest.mark.alone"
TALLY = pytest.StashKey[Tally]()
Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

hypothesis.settings.register_profile("default", deadline=None, max_examples=60, print_blob=True)
hypothesis.settings.register_profile(
    "ci", deadline=None, derandomize=True, database=None, max_examples=60
)
hypothesis.settings.register_profile("long", deadline=None, max_examples=2_000, print_blob=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("twofold")
    group.addoption("--long", action="store_true", help="run the tests marked long too")
    group.addoption("--alone", action="store_true", help="run only the tests marked alone")
    group.addoption("--report", action="store_true", help="print a table of the promises")


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # of a job in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.stash[TALLY] = tally = Tally()
    config.pluginmanager.register(tally, "twofold-tally")
    name = "long" if config.getoption("long") else "ci" if IN_CI else "default"
    hypothesis.settings.load_profile(name)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without the garbage collector: thousands of tests are made, and all of them stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With --alone read no other test files: it takes a minute to import all."""
    is_test = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    wanted = not (is_test and config.getoption("alone")) or ALONE in collection_path.read_text()
    return None if wanted else True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        for mark in item.iter_markers("promise"):
            item.user_properties += [("promise", name) for name in mark.args]
    alone, several = config.getoption("alone"), hasattr(config, "workerinput")
    long = config.getoption("long") or "long" in config.option.markexpr

    def is_left_out(marks: set[str]) -> bool:
        if "alone" not in marks:
            return bool(alone) or ("long" in marks and not long)
        return several or ("long" in marks and not long)

    left_out = [item for item in items if is_left_out({one.name for one in item.iter_markers()})]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if config.getoption("report"):
        terminalreporter.section("promises")
        tally, promises = config.stash[TALLY], read_promises()
        if config.getoption("alone"):  # the run of the others has the whole table
            promises = {name: one for name, one in promises.items() if name in tally.outcomes}
        lines = format_report(promises, tally)
        terminalreporter.write_line("\n".join(lines))


def fail_skip(report: Report) -> Report:
    """Turn a skip, or an expected failure, into a failure that gives its reason."""
    if IN_CI and report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.longrepr = f"CI allows no skip and no expected failure: {reason}"
        report.outcome = "failed"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return fail_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return fail_skip((yield))


@pytest.fixture(scope="session", autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Games and endgame tables of whoever runs the tests are not looked at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TWOFOLD_STATE_DIR", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session")
def chromium() -> "Generator[Chromium]":
    """A browser for all tests of a process, since each start of one takes a second."""
    from tests.support.browser import share

    with share() as found:
        yield found


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Record a figure for the promise that the test keeps; --report prints it."""
    properties: list[tuple[str, object]] = request.node.user_properties
    return lambda text: properties.append(("figure", text))
