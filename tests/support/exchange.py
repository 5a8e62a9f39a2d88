"""Games of a study to and from a file, as `twofold report --csv` and `--import` move them."""

import os
from collections.abc import Sequence

from twofold.arena.exchange.exchange import csv_parts, keep, read_games
from twofold.arena.studies.study import Study
from twofold.files import atomic_write


def export_csv(study: Study, path: str | os.PathLike[str]) -> None:
    """Write all games of a study as CSV."""
    atomic_write(path, csv_parts(study))


def import_games(
    study: Study, path: str | os.PathLike[str], boards: Sequence[str | os.PathLike[str]] = ()
) -> int:
    """Add the games of a CSV or Parquet file to a study; the number of new games."""
    return keep(study, read_games(path), boards)
