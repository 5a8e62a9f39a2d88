"""Where endgame tables are stored, and which files are there; loads no kernels."""

from pathlib import Path
from typing import Final

from twofold.storage.files import data_folder

SUFFIX: Final = ".twofold-table"
"""File name extension of a table."""
AUTO: Final = "auto"
"""Means the tables built on this machine that make players stronger."""
USUAL: Final = "default"
"""Means the tables that `twofold tables build default` makes."""
DEFAULT: Final = ("wall5-128", "wall6-1024")
"""The set that `twofold tables build default` makes, 3.8 GB, for the key `late` of `ntuple`.

The strengths hand over to a search with them: see "Endgame tables" in `docs/benchmarks.md`.
"""
LARGE: Final = (*DEFAULT, "442-512/32-128", "443-512", "443-256/8-64")
"""The set that `twofold tables build large` makes, 7.3 GB: also for players without `late`."""
SETS: Final = {USUAL: DEFAULT, "large": LARGE}
"""Sets of tables by name, for the command and for specs."""
NONE: Final = "none"
"""Means no table."""


def tables_folder() -> Path:
    """The default folder of tables; it may not exist."""
    return data_folder() / "tables"


def is_path(text: str) -> bool:
    """True if a text names a table's file, not a table that is built here.

    A name without the suffix never means a file: web pages may name tables, but no files.
    """
    return text.endswith(SUFFIX)


def files_in(folder: Path) -> list[Path]:
    """The files in a folder that are named like tables, sorted; empty if the folder is missing."""
    try:
        return sorted(path for path in folder.iterdir() if path.name.endswith(SUFFIX))
    except OSError:
        return []
