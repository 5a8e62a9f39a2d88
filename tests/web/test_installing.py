"""The script with which a browser caches the page: which files it caches."""

import io
import re

import pytest
from PIL import Image

from tests.web.driver import Client
from twofold import __version__
from twofold.web import pages
from twofold.web.pages import PAGES, kept_files, worker_script


def kept() -> list[str]:
    found = re.search(r"FILES = '([^']*)'", worker_script().decode())
    assert found is not None
    return found[1].split(" ")


def version() -> str:
    found = re.search(r"VERSION = '([^']*)'", worker_script().decode())
    assert found is not None
    return found[1]


def test_every_file_that_is_kept_is_there(client: Client) -> None:
    for path in kept():
        assert client.get(path).status == 200, path
    assert len(kept()) == len(set(kept()))


@pytest.mark.promise("R24b")
def test_nothing_but_files_of_the_page_is_kept() -> None:
    assert all(path in PAGES or path.startswith("/static/") for path in kept())


def test_another_file_is_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    before = version()
    assert before.startswith(f"{__version__}-")
    worker_script.cache_clear()
    read = pages.read_file
    monkeypatch.setattr(
        pages, "read_file",
        lambda path: (read(path) or b"") + (b"//" if path == kept_files()[-1] else b""),
    )  # fmt: skip
    assert version() != before
    worker_script.cache_clear()


@pytest.mark.parametrize(
    ("name", "side"),
    [("touch-icon", 180), ("icon-192", 192), ("icon-512", 512), ("icon-512-maskable", 512)],
)
def test_icons_have_their_sizes_and_are_small(client: Client, name: str, side: int) -> None:
    answer = client.get(f"/static/icons/{name}.png")
    assert Image.open(io.BytesIO(answer.body)).size == (side, side)
    assert len(answer.body) < 8_000
