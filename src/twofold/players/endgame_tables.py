"""The endgame tables that a spec can name: those that are built here, and files of the user's own."""

import hashlib
from typing import Final

from twofold.endgame import library
from twofold.endgame.format import SUFFIX
from twofold.endgame.pattern import Pattern
from twofold.endgame.table import EndgameTables

NONE: Final = "none"
"""The value for no tables."""

AUTO: Final = "auto"
"""The value for all that are built on this machine."""

JOINT: Final = "+"
"""What stands between the names of tables."""


def find_tables(text: str) -> EndgameTables | None:
    """The tables of a spec, mapped once and shared by all who ask; None for none.

    Args:
        text: `none`, `auto`, or names and paths, such as `442-512+443-512`.

    Raises:
        InvalidTable: one of them is not built, or its file cannot be used.
    """
    named = settled_tables(text)
    return None if named == NONE else library.open_tables(named)


def settled_tables(text: str) -> str:
    """The text with `auto` written out, and tables by name or path in the order they are asked.

    Raises:
        InvalidTable: as `find_tables`.
    """
    if text == AUTO:
        return JOINT.join(library.built()) or NONE
    if text == NONE:
        return NONE
    texts = {str(library.find(one).resolve()): _name(one) for one in text.split(JOINT)}
    return JOINT.join(texts[table.path] for table in library.open_tables(text).tables)


def _name(text: str) -> str:
    """The name of a table as it writes it itself; paths stay as they are."""
    return text if text.endswith(SUFFIX) else Pattern.parse(text).name


def tables_hash(text: str) -> str:
    """16 hexadecimal digits that stand for the content of tables, in order; empty for none.

    Raises:
        InvalidTable: as `find_tables`.
    """
    tables = find_tables(text)
    if tables is None:
        return ""
    return hashlib.sha256("\n".join(tables.hashes).encode()).hexdigest()[:16]
