"""The folder of this user's games, shared by the terminal and the web app.

Games from the folders of earlier versions are moved here; no file is overwritten.
"""

import contextlib
import os
import time
from pathlib import Path
from typing import Final

import platformdirs

from twofold.errors import InvalidInput, InvalidRecord, ResourceError
from twofold.files import atomic_write, free_path, read_start
from twofold.folders import data_folder
from twofold.limits import MAX_RECORD_BYTES
from twofold.locks import alone
from twofold.play.best_scores import BEST_FILE, keep_best, read_best
from twofold.play.game_file import PATIENCE, SUFFIX
from twofold.play.kept import read_kept

GAMES: Final = "games"
"""Name of the folder of games in the data folder."""


def games_folder() -> Path:
    """The folder of games; moves games of earlier versions there."""
    folder = data_folder() / GAMES
    for old, best in _old_folders():
        if old.is_dir() and old != folder:
            _move_games(old, folder)
        if best.is_file() and best != folder / BEST_FILE:
            _move_best(best, folder)
    return folder


def make_folder(folder: Path) -> None:
    """Create a folder for games; raises InvalidInput for another file, or ResourceError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InvalidInput(f"expected a folder for the games, got {str(folder)!r}") from None
    except OSError as error:
        reason = error.strerror or error
        raise ResourceError(f"cannot make the folder {str(folder)!r}: {reason}") from error


def new_save_path() -> Path:
    """The path of a new file, named by the time."""
    name = time.strftime("%Y-%m-%d-%H%M%S")
    return free_path(games_folder() / f"{name}{SUFFIX}")


def _old_folders() -> list[tuple[Path, Path]]:
    chosen = os.environ.get("TWOFOLD_STATE_DIR")
    state = Path(chosen or platformdirs.user_state_dir("twofold", appauthor=False))
    web = data_folder() / "web" / GAMES
    return [(state / GAMES, state / BEST_FILE), (web, web / BEST_FILE)]


def _move_games(old: Path, folder: Path) -> None:
    best: dict[str, dict[str, int]] = {}
    with contextlib.suppress(OSError, InvalidInput, ResourceError):
        make_folder(folder)
        for path in sorted(old.glob(f"*{SUFFIX}")):
            with contextlib.suppress(InvalidRecord):
                kept = read_kept(path, path.stem)
                if kept.counts:
                    best.setdefault(kept.info.rules, {})[path.stem] = kept.info.score
            if path.is_file() and not path.is_symlink():
                _move(path, folder)
        keep_best(folder / BEST_FILE, best)
    with contextlib.suppress(OSError):  # the folder is not empty
        old.rmdir()


def _move(path: Path, folder: Path) -> None:
    with alone(path, "program", patience=PATIENCE):
        while path.exists():
            target = free_path(folder / path.name)
            with alone(target, "program", patience=PATIENCE):
                if not target.exists():
                    _rename(path, target)


def _rename(path: Path, target: Path) -> None:
    try:
        os.rename(path, target)
    except OSError:  # another disk
        state = path.stat()
        data = read_start(path, MAX_RECORD_BYTES + 1)
        if len(data) > MAX_RECORD_BYTES:
            raise
        atomic_write(target, data)
        os.utime(target, ns=(state.st_atime_ns, state.st_mtime_ns))
        path.unlink()


def _move_best(path: Path, folder: Path) -> None:
    with contextlib.suppress(OSError, InvalidInput, ResourceError):
        make_folder(folder)
        keep_best(folder / BEST_FILE, read_best(path))
        path.unlink()
    with contextlib.suppress(OSError):
        path.parent.rmdir()
