"""The examples in the docstrings of the package show what it does."""

import doctest
import importlib
from pathlib import Path

import pytest

import twofold

SOURCE = Path(twofold.__file__).parent
MODULES = sorted(
    ".".join(("twofold", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")
    for path in SOURCE.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0
    assert found.failed == 0
