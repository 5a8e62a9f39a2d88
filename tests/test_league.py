"""The page of the league: its rows, kept in a file, and its tables."""

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(name="rows")
def _rows(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])
    return importlib.import_module("league_rows")


@pytest.fixture(name="league")
def _league(rows: Any) -> Any:
    return importlib.import_module("league")


def test_the_tables_of_the_page_are_those_of_the_rows(league: Any, rows: Any) -> None:
    page = league.PAGE.read_text(encoding="utf-8")
    tables = page.partition(league.BEGIN)[2].partition(league.END)[0]
    assert tables == "\n".join(["", "", *league.page_parts(rows.read_rows()), ""])
