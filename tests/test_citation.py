"""`CITATION.cff` says what `pyproject.toml` says. Source: the Citation File Format, version 1.2."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from twofold.version import __version__

TOP = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def citation() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((TOP / "CITATION.cff").read_text("utf-8"))
    return found


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]
    return found


def test_it_agrees_with_the_project(citation: dict[str, Any], project: dict[str, Any]) -> None:
    assert citation["version"] == __version__
    assert citation["title"] == project["name"]
    assert citation["license"] == project["license"]
    assert citation["abstract"] == project["description"]
    assert citation["keywords"] == project["keywords"]
    assert citation["authors"] == project["authors"]
