"""The promises of docs/promises.md: read them, find the tests that keep them, report on them."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PROMISES = ROOT / "docs" / "promises.md"
ROW = re.compile(r"\| *(R\d+[a-z]?) *\|")


@dataclass(frozen=True, slots=True)
class Promise:
    """One row of the table."""

    id: str
    sentence: str
    figure: str
    tests: tuple[str, ...]  # paths from the root of the repository


def parse_promises(text: str) -> dict[str, Promise]:
    """The rows of a markdown table `| id | promise | figure | test |`, by id.

    Raises:
        ValueError: a row is malformed or an id is there twice.
    """
    promises: dict[str, Promise] = {}
    for line in filter(ROW.match, text.splitlines()):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 4 or not all(cells):
            raise ValueError(f"expected four filled cells, got {line!r}")
        name, sentence, figure, tests = cells
        if name in promises:
            raise ValueError(f"expected each id once, got {name!r} again")
        promises[name] = Promise(name, sentence, figure, tuple(re.findall(r"`([^`]+)`", tests)))
    return promises


def read_promises() -> dict[str, Promise]:
    return parse_promises(PROMISES.read_text(encoding="utf-8"))


def parse_marks(source: str) -> Iterator[str]:
    """The ids given to `pytest.mark.promise(...)` in Python source.

    Raises:
        ValueError: an id is not a literal, so it cannot be found without running the test.
    """
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(attr="promise", value=ast.Attribute(attr="mark"))):
                for argument in node.args:
                    if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
                        raise ValueError(f"expected literal ids, got {ast.unparse(node)!r}")
                    yield argument.value


@cache
def find_marks(folder: Path = ROOT / "tests") -> dict[str, set[str]]:
    """For each id, the test files that carry it."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in sorted(folder.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        for name in parse_marks(text) if ".promise(" in text else ():
            found[name].add(path.relative_to(folder.parent).as_posix())
    return dict(found)


class Tally:
    """What the tests that ran said of each promise; a pytest plugin."""

    def __init__(self) -> None:
        self.outcomes: defaultdict[str, dict[str, bool]] = defaultdict(dict)
        self.figures: defaultdict[str, list[str]] = defaultdict(list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count one phase (setup, call, teardown) of a test; only failures and calls decide."""
        if report.when != "call" and not report.failed:
            return
        figures = [str(value) for key, value in report.user_properties if key == "figure"]
        for name in (str(value) for key, value in report.user_properties if key == "promise"):
            kept = self.outcomes[name].get(report.nodeid, True) and report.passed
            self.outcomes[name][report.nodeid] = kept
            self.figures[name] += [text for text in figures if text not in self.figures[name]]

    def verdict(self, name: str) -> str:
        """`kept`, `broken` or `not run`, with the number of tests behind it."""
        outcomes = self.outcomes[name].values()
        if not outcomes:
            return "not run"
        failed = sum(not kept for kept in outcomes)
        return f"broken ({failed} of {len(outcomes)})" if failed else f"kept ({len(outcomes)})"


def format_report(promises: dict[str, Promise], tally: Tally) -> list[str]:
    """Lines of `id  verdict (tests)  figure`, the promised figure where no test recorded one."""
    names = [*promises, *sorted(set(tally.outcomes) - set(promises))]
    rows = [("id", "verdict (tests)", "figure")]
    for name in names:
        known = name in promises
        promised = f"promised: {promises[name].figure}" if known else "not in docs/promises.md"
        rows.append((name, tally.verdict(name), "; ".join(tally.figures[name]) or promised))
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return [f"{a:{widths[0]}}  {b:{widths[1]}}  {c}" for a, b, c in rows]
