"""Endgame tables named in player specs: names of tables built here, and paths of files."""

import hashlib

from twofold.endgame import library
from twofold.endgame.folder import AUTO, NONE, is_path
from twofold.endgame.pattern import EndgamePattern, suits
from twofold.endgame.table import EndgameTables
from twofold.errors import UnsupportedRules
from twofold.rules import Rules


def find_tables(text: str) -> EndgameTables | None:
    """The tables of a spec, memory-mapped once and shared; None for no table.

    `text` is `none`, `auto`, or names and paths, such as `442-512+443-512`; see `library.split`.
    """
    named = settled_tables(text)
    return None if named == NONE else library.open_tables(named)


def settled_tables(text: str, rules: Rules | None = None, *, walls: bool = False) -> str:
    """The text with `auto` and `default` resolved, and names and paths in order of precedence.

    `auto` means also the tables with `walls` of any tiles if the player has a use for them.
    Under rules that tables do not cover, `auto` becomes `none` and names raise `UnsupportedRules`.
    """
    fits = rules is None or suits(rules)
    if text == NONE or (text == AUTO and not fits):
        return NONE
    if text == AUTO:
        return library.JOINT.join(head.pattern.name for _, head in library.strong(walls)) or NONE
    if not fits:
        raise UnsupportedRules(
            "expected boards of 4x4 and spawns of 2 (0.9) and 4 (0.1) "
            f"for tables={text}, got rules {rules}"
        )
    texts = {library.open_table(one).path: _name(one) for one in library.split(text)}
    return library.JOINT.join(texts[table.path] for table in library.open_tables(text).tables)


def _name(text: str) -> str:
    return text if is_path(text) else EndgamePattern.parse(text).name


def tables_hash(text: str) -> str:
    """Hash of the content of tables, in order, 16 hexadecimal digits; empty for no table."""
    return hash_of(find_tables(text))


def hash_of(tables: EndgameTables | None) -> str:
    """The hash of open tables, as in `tables_hash`."""
    if tables is None:
        return ""
    return hashlib.sha256("\n".join(tables.hashes).encode()).hexdigest()[:16]
