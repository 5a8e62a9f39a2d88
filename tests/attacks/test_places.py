"""Folders from elsewhere: nothing in them is run, whoever works there or shares them."""

import os
import sys
import time
from pathlib import Path

import pytest

from twofold.arena.ray_workers import _taken
from twofold.arena.workers import QuietSpawn

MODULES = ("multiprocessing", "signal", "pickle", "twofold", "numba", "sitecustomize")


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder at hand, with modules in it; the file that they write if they are run."""
    folder, marker = tmp_path / "downloaded", tmp_path / "run"
    folder.mkdir()
    for name in MODULES:
        (folder / f"{name}.py").write_text(f"open({str(marker)!r}, 'a').write({name!r})\nraise\n")
    monkeypatch.chdir(folder)
    return marker


@pytest.mark.promise("R68")
def test_a_worker_finds_no_modules_in_the_folder_at_hand(
    hostile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As the command is started: without the folder at hand.
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place not in ("", ".")])
    process = QuietSpawn().Process(target=time.sleep, args=(0,))
    process.start()
    process.join(60)
    assert process.exitcode == 0
    assert not hostile.exists()


@pytest.mark.promise("R68")
@pytest.mark.skipif(os.name != "posix", reason="folders have POSIX owners and modes")
@pytest.mark.parametrize("attack", ["nothing", "another file", "an open folder", "a link"])
def test_a_file_of_a_job_is_not_taken_from_who_shares_the_temporary_folder(
    attack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    content, digest = b"mine", "1f1a1f" + "0" * 58
    guessed = tmp_path / f"twofold-{digest[:16]}"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    if attack == "a link":
        guessed.symlink_to(elsewhere)
    elif attack != "nothing":
        guessed.mkdir(mode=0o700)
        guessed.chmod(0o777 if attack == "an open folder" else 0o700)
        (guessed / "player.py").write_bytes(b"theirs")
    path = _taken("/no/such/player.py", "player.py", digest, lambda: content)
    assert path.read_bytes() == content
    assert (path.parent == guessed) is (attack in ("nothing", "another file"))
    assert path.parent.stat().st_mode & 0o077 == 0
    assert list(elsewhere.iterdir()) == []
