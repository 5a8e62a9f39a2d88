"""Endgame tables as texts name them: those that are built here, and files elsewhere."""

import hashlib

from twofold.endgame import library
from twofold.endgame.folder import AUTO, NONE, is_path
from twofold.endgame.pattern import EndgamePattern, suits
from twofold.endgame.table import EndgameTables
from twofold.errors import UnsupportedRules
from twofold.rules import Rules


def find_tables(text: str) -> EndgameTables | None:
    """The tables of a spec, mapped once and shared by all who ask; None for none.

    Args:
        text: `none`, `auto`, or names and paths, such as `442-512+443-512`.

    Raises:
        InvalidTable: one of them is not built, or its file cannot be used.
    """
    named = settled_tables(text)
    return None if named == NONE else library.open_tables(named)


def settled_tables(text: str, rules: Rules | None = None) -> str:
    """The text with `auto` written out, and tables by name or path in the order they are asked.

    Args:
        text: as of `find_tables`.
        rules: those of the games; None for any. Under rules that tables are not for `auto` means
            `none`.

    Raises:
        InvalidTable: as `find_tables`.
        UnsupportedRules: tables are named, and these rules are not those they are for.
    """
    fits = rules is None or suits(rules)
    if text == NONE or (text == AUTO and not fits):
        return NONE
    if text == AUTO:
        return library.JOINT.join(head.pattern.name for _, head in library.strong()) or NONE
    if not fits:
        raise UnsupportedRules(
            f"expected 4x4 and spawns of 2 (0.9) and 4 (0.1) with tables={text}, got rules {rules}"
        )
    texts = {library.open_table(one).path: _name(one) for one in library.split(text)}
    return library.JOINT.join(texts[table.path] for table in library.open_tables(text).tables)


def _name(text: str) -> str:
    """The name of a table as it writes it itself; paths stay as they are."""
    return text if is_path(text) else EndgamePattern.parse(text).name


def tables_hash(text: str) -> str:
    """16 hexadecimal digits that stand for the content of tables, in order; empty for none.

    Raises:
        InvalidTable: as `find_tables`.
    """
    return hash_of(find_tables(text))


def hash_of(tables: EndgameTables | None) -> str:
    """The same of tables that are open."""
    if tables is None:
        return ""
    return hashlib.sha256("\n".join(tables.hashes).encode()).hexdigest()[:16]
