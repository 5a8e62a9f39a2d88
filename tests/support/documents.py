"""The documents that commands print, as docs/documents.py describes them."""

import importlib.util
import json
import re
import sys
from typing import Any

import msgspec

from tests.support.pages import ROOT

_SPEC = importlib.util.spec_from_file_location("documents", ROOT / "docs" / "documents.py")
assert _SPEC is not None
assert _SPEC.loader is not None
documents: Any = importlib.util.module_from_spec(_SPEC)
sys.modules["documents"] = documents  # its dataclasses look there
_SPEC.loader.exec_module(documents)

COMMANDS: dict[str, Any] = {one.name: one for one in documents.COMMANDS}


def check_document(name: str, text: str) -> Any:
    """The document that a command printed, which has the fields of its type and no others."""
    found = json.loads(text)
    decoded = msgspec.json.decode(text, type=COMMANDS[name].whole)
    assert json.loads(msgspec.json.encode(decoded)) == found
    assert list(found)[:2] == ["schema", "command"]
    assert list(found)[-2:] == ["timing", "machine"]
    return found


def at(found: Any, path: str) -> Any:
    """The value at a path as jq has it: `.players[0].spec`."""
    for name, number in re.findall(r'\."?(\w+)"?|\[(\d+)\]', path):
        found = found[name] if name else found[int(number)]
    return found
