"""A small file that several servers change: nothing is lost, no damaged file is overwritten."""

import threading
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from twofold.errors import InvalidInput
from twofold.storage.kept_file import KeptFile


class Numbers(msgspec.Struct):
    """Some content."""

    known: list[int] = []


def kept(path: Path) -> KeptFile[Numbers]:
    return KeptFile(path, Numbers, "list of numbers", 1000)


def test_a_missing_file_is_an_empty_content_and_is_not_made_by_reading(tmp_path: Path) -> None:
    file = kept(tmp_path / "folder" / "numbers.json")
    assert file.read() == Numbers()
    assert not file.path.parent.exists()


def test_a_change_is_read_by_another_server(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "numbers.json"
    assert kept(path).change(lambda content: content.known.append(3)) is None
    assert kept(path).read() == Numbers([3])


def test_an_unchanged_content_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "numbers.json"
    assert kept(path).change(lambda content: len(content.known)) == 0
    assert not path.exists()


def test_two_servers_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "numbers.json"

    def add(first: int) -> None:
        for number in range(first, first + 20):
            kept(path).change(lambda content, one=number: content.known.append(one))  # type: ignore[misc]

    threads = [threading.Thread(target=add, args=(first,)) for first in (1, 101)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(kept(path).read().known) == [*range(1, 21), *range(101, 121)]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"known": ["a"]}', b"\xff", b'{"known": [' + b"1, " * 500]
)
@pytest.mark.parametrize("first", ["read", "change"])
def test_a_damaged_file_is_renamed_and_reported(tmp_path: Path, content: bytes, first: str) -> None:
    path = tmp_path / "numbers.json"
    path.write_bytes(content)
    use: dict[str, Callable[[], object]] = {
        "read": kept(path).read,
        "change": lambda: kept(path).change(lambda _: None),
    }
    with pytest.raises(InvalidInput, match=r"the list of numbers in .* was damaged"):
        use[first]()
    assert kept(path).read() == Numbers()
    kept(path).change(lambda found: found.known.append(7))
    assert kept(path).read() == Numbers([7])
    aside = [one for one in tmp_path.iterdir() if one != path]
    assert [one.read_bytes() for one in aside] == [content]
