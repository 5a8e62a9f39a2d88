"""Where endgame tables are kept, and which files are there; loads no kernels."""

from pathlib import Path
from typing import Final

from twofold.folders import data_folder

SUFFIX: Final = ".twofold-table"
"""End of the name of a table's file."""

WORK: Final = ".work"
"""What follows the name of a table's file in the name of the folder where it is worked on."""

AUTO: Final = "auto"
"""Stands for the tables built on this machine that make players stronger."""

NONE: Final = "none"
"""Stands for no table."""


def tables_folder() -> Path:
    """Where tables are kept where no folder is named; it may be missing."""
    return data_folder() / "tables"


def work_folder(path: Path) -> Path:
    """The folder where a table is worked on, beside its file."""
    return path.with_name(path.name + WORK)


def is_path(text: str) -> bool:
    """Whether a text names a table's file, and not a table that is built here.

    A name without the suffix never stands for a file: pages may name tables, but no files.
    """
    return text.endswith(SUFFIX)


def files_in(folder: Path) -> list[Path]:
    """The files in a folder that are named like tables, sorted; none if there is no folder."""
    try:
        return sorted(path for path in folder.iterdir() if path.name.endswith(SUFFIX))
    except OSError:
        return []
