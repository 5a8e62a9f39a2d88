"""The token file: one per folder, private."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from twofold.errors import InvalidInput
from twofold.web.security import TOKEN_FILE as FILE
from twofold.web.security import kept_token

pytestmark = pytest.mark.promise("R24")
POSIX = pytest.mark.skipif(os.name != "posix", reason="other systems have no permissions like that")


def test_a_folder_has_one_token_until_another_is_wanted(tmp_path: Path) -> None:
    first = kept_token(tmp_path)
    assert len(first) == 43
    assert kept_token(tmp_path) == first
    second = kept_token(tmp_path, new=True)
    assert second != first
    assert kept_token(tmp_path) == second
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_servers_that_start_at_once_have_one_token(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: kept_token(tmp_path), range(16)))
    assert len(set(found)) == 1


@POSIX
def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        kept_token(tmp_path)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


@POSIX
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601])
def test_a_token_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    first = kept_token(tmp_path)
    (tmp_path / FILE).chmod(mode)
    with pytest.raises(InvalidInput, match=r"other users can read the token in .*--new-token"):
        kept_token(tmp_path)
    assert kept_token(tmp_path, new=True) != first


@POSIX
def test_a_token_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_token(tmp_path)
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    with pytest.raises(InvalidInput, match="other users can read the token"):
        kept_token(tmp_path)


@pytest.mark.parametrize("text", ["", "a" * 42, "a" * 44, "a" * 42 + "!"])
def test_an_invalid_token_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / FILE
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(InvalidInput, match="there is no valid token in "):
        kept_token(tmp_path)
    assert path.read_text() == text
