"""The page of the league: its rows, kept in a file, and its tables."""

import importlib
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"


def test_the_tables_of_the_page_are_those_of_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])
    rows, league = map(importlib.import_module, ("league_rows", "league"))
    page = league.PAGE.read_text(encoding="utf-8")
    tables = page.partition(league.BEGIN)[2].partition(league.END)[0]
    assert tables == "\n".join(["", "", *league.page_parts(rows.read_rows()), ""])
