"""Private folders, and folders that another user could change."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from twofold.storage.files import make_private, shared_place

if os.name != "posix":
    pytest.skip("folders have POSIX owners and modes", allow_module_level=True)


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    """A private folder below two others."""
    folder = tmp_path / "root" / "kernels" / "code"
    make_private(folder)
    return folder


@pytest.mark.promise("R68")
@pytest.mark.parametrize(
    ("place", "mode", "found"),
    [
        (".", 0o755, True),  # code is read there, and its files may have any mode
        (".", 0o770, True),
        (".", 0o1777, True),
        ("..", 0o755, False),
        ("..", 0o775, True),
        ("..", 0o777, True),
        ("..", 0o1777, False),  # others cannot rename what is ours
        ("../..", 0o757, True),
        ("../..", 0o1775, False),
    ],
)
def test_a_folder_that_others_can_write_to_is_found(
    deep: Path, place: str, mode: int, found: bool
) -> None:
    (deep / place).chmod(mode)
    shared = shared_place(deep)
    (deep / place).chmod(0o700)
    assert (shared is not None) is found
    assert shared is None or shared.samefile(deep / place)


@pytest.mark.promise("R68")
@pytest.mark.parametrize("place", [".", "..", "../.."])
@pytest.mark.parametrize("sticky", [False, True])
def test_a_folder_of_another_user_is_found(
    deep: Path, place: str, sticky: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    strange, real = (deep / place).resolve(), os.lstat
    if sticky and place != ".":
        strange.chmod(0o1777)

    def lstat(path: str | Path) -> object:
        status = real(path)
        owner = os.geteuid() + 4711 if Path(path) == strange else status.st_uid
        return SimpleNamespace(st_mode=status.st_mode, st_uid=owner)

    monkeypatch.setattr(os, "lstat", lstat)
    assert shared_place(deep) == strange


@pytest.mark.promise("R68")
def test_links_in_parent_folders_are_followed(deep: Path, tmp_path: Path) -> None:
    for name, target in (("one", "two/kernels"), ("two", "open/../root"), ("open", "root")):
        (tmp_path / name).symlink_to(target)
    assert shared_place(tmp_path / "one" / "code") is None
    (tmp_path / "between").mkdir(mode=0o777)
    (tmp_path / "between").chmod(0o777)  # here another user could lay the link elsewhere
    (tmp_path / "between" / "link").symlink_to(deep.parent)
    (tmp_path / "last").symlink_to("between/link")
    assert shared_place(tmp_path / "last" / "code") == tmp_path / "between"


def test_a_missing_folder_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        shared_place(tmp_path / "none")
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to("nowhere")
    for place in ("file", "dangling"):
        with pytest.raises(OSError):
            make_private(tmp_path / place / "folder")
