"""`twofold compare`: the sentence, the document, the exit codes."""

import re
from pathlib import Path

import pytest

from tests.support.commands import Cli
from tests.support.forks import forked_workers as forked_workers  # a fixture

BAD = Path(__file__).parent.parent / "arena" / "players_for_tests.py"
SMALL = ("--rules", "3x3")


def test_why_it_plays_200_games(cli: Cli) -> None:
    _, out, _ = cli("compare", "greedy", "corner", *SMALL)
    assert re.search(
        r"^200 games, the default, show a difference of \d+ points \(\d+ %\) or more between "
        r"these players\. --games N plays more, --sprt as many as are needed\.$",
        out,
        re.MULTILINE,
    )


def test_a_test_and_its_table_have_the_same_games(cli: Cli) -> None:
    _, out, _ = cli("compare", "greedy", "corner", "--sprt", "--jobs", "2", *SMALL)
    counts = re.findall(r"^(?:greedy|corner) +([0-9,]+) ", out, re.MULTILINE)
    verdict = re.search(r", after ([0-9,]+) games each\.", out)
    assert verdict
    assert counts == [verdict[1]] * 2
    assert "the default" not in out


@pytest.mark.parametrize("test", [(), ("--sprt",)], ids=["games", "sprt"])
def test_exit_code_4_where_b_is_stronger(test: tuple[str, ...], cli: Cli) -> None:
    code, out, _ = cli("compare", "random", "greedy", "--games", "200", *test, *SMALL)
    assert (code, "greedy is stronger" in out) == (4, True)
    code, out, _ = cli("compare", "greedy", "corner", "--games", "20", *SMALL)
    assert (code, "which may be chance" in out) == (0, True)


@pytest.mark.usefixtures("forked_workers")
def test_a_player_that_fails(cli: Cli) -> None:
    code, _, err = cli("compare", f"{BAD}:FailsOnSeed", "greedy", "--games", "5", *SMALL)
    assert code == 1  # not 4, which says that B is stronger
    assert "failed on seed 3: ZeroDivisionError: on purpose" in err
