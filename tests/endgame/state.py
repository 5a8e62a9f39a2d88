"""A folder with small tables, built once for all tests of who uses tables."""

from pathlib import Path

import pytest

from twofold.endgame import library
from twofold.endgame.folder import tables_folder
from twofold.endgame.library import file_name
from twofold.endgame.pattern import Pattern
from twofold.endgame.work import build_table

NAMES = ("44-16", "442-16")
"""The tables, in the order in which they are asked."""


@pytest.fixture(scope="session")
def table_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state folder that holds them."""
    state = tmp_path_factory.mktemp("with-tables")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TWOFOLD_STATE_DIR", str(state))
        tables_folder().mkdir()
        for name in NAMES:
            pattern = Pattern.parse(name)
            build_table(tables_folder() / file_name(pattern), pattern)
    return state


@pytest.fixture
def tables_here(table_files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Tables are built on this machine, and `auto` means them; their folder."""
    monkeypatch.setattr(library, "LEAST_TARGET", 3)
    monkeypatch.setenv("TWOFOLD_STATE_DIR", str(table_files))
    return tables_folder()
