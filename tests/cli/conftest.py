"""Fixtures of all tests of commands."""

from pathlib import Path

import pytest

from tests.cli.stage import site as site
from tests.cli.stage import stage as stage
from tests.support.commands import cli as cli


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The state folder of a full screen."""
    monkeypatch.setenv("TWOFOLD_STATE_DIR", str(tmp_path))
    monkeypatch.delenv("NO_COLOR", raising=False)
    return tmp_path
