"""Games of a study as a file, as `twofold report --csv` writes them."""

import os

from twofold.arena.export import csv_parts
from twofold.arena.study import Study
from twofold.storage.files import atomic_write


def export_csv(study: Study, path: str | os.PathLike[str]) -> None:
    """Write all games of a study as CSV."""
    atomic_write(path, csv_parts(study))
