"""A folder of games of earlier versions: `ID.2048` files, and best scores in `best.json`."""

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import msgspec

from twofold.errors import InvalidInput, InvalidRecord
from twofold.game.record import Record, parse_record, parse_unplayed
from twofold.games.kept import IMPORTED_TAG, Kept, kept_of, when_played
from twofold.limits import MAX_RECORD_BYTES, MAX_SCORE
from twofold.storage.files import open_regular, read_start

SUFFIX: Final = ".2048"
"""Suffix of records."""

BEST_FILE: Final = "best.json"

_Points = Annotated[int, msgspec.Meta(ge=0, le=MAX_SCORE)]
_MAX_BEST_BYTES: Final = 1 << 20
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)


class DamagedGame(NamedTuple):
    """The name of a file that cannot be read, and why."""

    name: str
    why: str


def is_id(text: str) -> bool:
    """True if a text can be the id of a game."""
    return _ID.fullmatch(text) is not None


def old_games(folder: Path) -> Iterator[tuple[Kept, Record] | DamagedGame]:
    """The games of a folder; the moves of records that say how they end are not checked."""
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        game = path.name.removesuffix(SUFFIX)
        if not is_id(game):
            yield DamagedGame(path.name, "its name may have letters, digits, '-' and '_' only")
            continue
        try:
            with open_regular(path, InvalidRecord) as file:
                changed = min(os.fstat(file.fileno()).st_mtime, time.time())
                data = file.read(MAX_RECORD_BYTES + 1)
            record = parse_unplayed(data)
            if record.final is None or record.score is None:
                record = parse_record(data)
            is_imported = IMPORTED_TAG in record.tags
            kept = kept_of(game, record, when_played(record, changed), imported=is_imported)
        except InvalidRecord as error:
            yield DamagedGame(path.name, str(error))
        else:
            yield kept, record


def old_best(folder: Path) -> dict[str, dict[str, int]]:
    """The points that a person's own moves reached, by rules and by game; raises InvalidInput.

    The first versions kept the points by rules only: the name of the file stands for the game.
    """
    path = folder / BEST_FILE
    if not path.exists():
        return {}
    try:
        scores = dict[str, dict[str, _Points] | _Points]
        found = msgspec.json.decode(read_start(path, _MAX_BEST_BYTES), type=scores)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InvalidInput(f"expected best scores: {error}") from None
    return {
        rules: {BEST_FILE: one} if isinstance(one, int) else one for rules, one in found.items()
    }
