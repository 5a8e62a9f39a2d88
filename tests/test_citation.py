"""`CITATION.cff` says what `pyproject.toml` says. Source: the Citation File Format, version 1.2."""

import tomllib
from pathlib import Path
from typing import Any

import yaml

from twofold.version import __version__

TOP = Path(__file__).parents[1]


def test_it_agrees_with_the_project() -> None:
    citation: dict[str, Any] = yaml.safe_load((TOP / "CITATION.cff").read_text("utf-8"))
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]
    assert citation["version"] == __version__
    for said, told in (("title", "name"), ("abstract", "description")):
        assert citation[said] == project[told]
    for same in ("license", "keywords", "authors"):
        assert citation[same] == project[same]
