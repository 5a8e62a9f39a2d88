"""The folder of the user's data, those of unfinished work, and which no other user can change."""

import os
import stat
from pathlib import Path
from typing import Final

import platformdirs

WORK: Final = ".work"
"""Suffix of the folder of an unfinished table, after the name of its file."""


def data_folder() -> Path:
    """The folder of this user's data: games, tables, the web app's token; `TWOFOLD_STATE_DIR`."""
    chosen = os.environ.get("TWOFOLD_STATE_DIR")
    return Path(chosen or platformdirs.user_data_dir("twofold", appauthor=False))


def work_folder(path: str | os.PathLike[str]) -> Path:
    """The folder of an unfinished table, beside its file."""
    target = Path(path)
    return target.with_name(target.name + WORK)


def make_private(folder: Path) -> None:
    """Make a folder and its missing parents for this user alone; raises `OSError`."""
    missing = [place for place in (folder, *folder.parents) if not os.path.lexists(place)]
    for place in reversed(missing):
        place.mkdir(mode=0o700, exist_ok=True)


def shared_place(folder: Path) -> Path | None:
    """The place through which another user could change files of a folder; None if there is none.

    That is the folder itself if it is a link, has another owner or is open to others; or a folder
    above it, see `shared_on_the_way`. Always None without POSIX owners. Raises `OSError`.
    """
    if not hasattr(os, "geteuid"):
        return None
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
        return folder
    return shared_on_the_way(folder)


def shared_on_the_way(folder: Path) -> Path | None:
    """The first of a folder and its parents that others own or can write to; None if there is none.

    Links are followed. A sticky folder such as `/tmp` is safe. Raises `OSError`.
    """
    if not hasattr(os, "geteuid"):
        return None
    trusted = {0, os.geteuid(), os.lstat("/").st_uid}  # the last: root, in a user namespace
    for place in (folder.absolute(), *folder.absolute().parents):
        status = os.lstat(place)
        if status.st_uid not in trusted:
            return place
        if stat.S_ISLNK(status.st_mode):
            shared = shared_on_the_way(place.parent / os.readlink(place))
            if shared is not None:
                return shared
        elif status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX:
            return place
    return None
