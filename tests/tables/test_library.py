"""Tables by name: built, missing and invalid ones."""

import itertools
import re
from pathlib import Path

import pytest

from twofold.errors import InvalidTable, LimitExceeded
from twofold.tables import library
from twofold.tables.folder import SETS, SUFFIX
from twofold.tables.library import (
    built,
    file_name,
    find,
    head_of,
    open_table,
    open_tables,
    place_of,
    settled_tables,
    tables_folder,
    unsound,
)
from twofold.tables.pattern import EndgamePattern
from twofold.tables.work import build_table, remove_table


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of tables, with two of them."""
    monkeypatch.setenv("TWOFOLD_STATE_DIR", str(tmp_path))
    monkeypatch.setattr(library, "LEAST_TARGET", 3)
    tables_folder().mkdir()
    for name in ("442-8", "441-16/4,8"):
        pattern = EndgamePattern.parse(name)
        build_table(tables_folder() / file_name(pattern), pattern)
    return tables_folder()


def test_tables_are_found_by_name_and_path(folder: Path) -> None:
    assert find("442-8") == folder / "442-8.twofold-table"
    assert find(str(folder / "442-8.twofold-table")) == find("442-8")
    assert place_of("442-512") == folder / "442-512.twofold-table"
    assert open_table("442-8") is open_table(str(find("442-8")))
    assert head_of(find("442-8")).hash == open_table("442-8").hash


def test_the_identity_of_a_table_with_caps_stays(folder: Path) -> None:
    assert head_of(find("441-16/4-8")).hash == "87cfc705e0b2ebcd"
    assert head_of(find("441-16/4-8")).pattern.caps == (2, 3, 3)


def test_a_path_with_a_plus_is_refused_in_words(folder: Path) -> None:
    path = folder.parent / f"a+b{SUFFIX}"
    find("442-8").rename(path)
    with pytest.raises(InvalidTable, match=r"expected a path without \+, .* another name"):
        open_tables(str(path))
    assert open_tables([str(path)]).names == ("442-8",)


def test_sets_have_the_same_order_however_they_are_named(folder: Path) -> None:
    wanted = ("441-16/4-8", "442-8")
    for names in itertools.permutations(wanted):
        assert open_tables("+".join(names)).names == wanted
        assert open_tables(names).names == wanted
    assert open_tables("auto").names == wanted
    assert [head.pattern.name for _, head in built()] == list(wanted)
    assert open_tables("none").names == ()


@pytest.mark.parametrize("names", ["pair", "442-8+pair"])
def test_a_set_that_is_not_built_is_built_in_one_step(
    folder: Path, monkeypatch: pytest.MonkeyPatch, names: str
) -> None:
    monkeypatch.setitem(SETS, "pair", ("441-16/4-8", "442-16"))
    says = (
        "of the 2 tables of 'pair' 1 are not built (442-16). "
        "Build them with: twofold tables build pair"
    )
    for named in (open_tables, settled_tables):
        with pytest.raises(InvalidTable, match=re.escape(says)):
            named(names)
    pattern = EndgamePattern.parse("442-16")
    build_table(tables_folder() / file_name(pattern), pattern)
    assert list(open_tables("pair").names) == settled_tables("pair").split("+")


def test_a_table_that_is_replaced_is_read_again(folder: Path) -> None:
    path = find("442-8")
    before = head_of(path).hash
    assert open_table("442-8").hash == before
    remove_table(path)
    build_table(path, EndgamePattern.parse("442-16"))
    assert head_of(path).hash != before
    assert open_table("442-8").name == "442-16"


def test_bad_files_do_not_hide_tables(folder: Path) -> None:
    (folder / "443-8.twofold-table").write_bytes(b"nothing")
    (folder / "444-8.twofold-table").hardlink_to(find("442-8"))
    (folder / "readme").write_text("hello")
    assert [head.pattern.name for _, head in built()] == ["441-16/4-8", "442-8"]
    found = {path.name: why for path, why in unsound()}
    assert "expected a safetensors file" in found["443-8.twofold-table"]
    assert found["444-8.twofold-table"] == "expected the name 442-8.twofold-table"
    assert len(found) == 2


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ("", "expected tables such as"),
        ("442-8+", "expected tables such as"),
        ("442-8+442-8", "expected each table once"),
        ("442-9", "expected a power of two"),
        ("442", "expected a table such as"),
        ("../442-8", "expected a table such as"),
        ("44-9999999999999", "expected a table such as"),
        ("443-16/16,8", "as cap"),
        ("x" * 5_000, "expected a table such as"),
        ("44-256/32-64", "a cap of 128 in the third row of 44, got 44-256/32-64"),
        ("443-256/64,8", "a cap in the fourth row up to that in the third, such as 443-256/8-64"),
        ("wall6-1024/16-64", "expected wall6-1024, got wall6-1024/16-64: wall6 takes no caps"),
        ("L3-64", "expected a pattern"),
        ("442-2048", "expected a target of at most 1024 for 442"),
        ("443-512/0,4", "expected a power of two"),
        ("Wall5-64", "did you mean wall5"),
        ("+".join(["442-8"] * 100), "endgame tables"),
    ],
)
def test_invalid_names(folder: Path, names: str, says: str) -> None:
    with pytest.raises((InvalidTable, LimitExceeded), match=says) as caught:
        open_tables(names)
    assert len(str(caught.value)) < 500


def test_auto_leaves_out_short_targets(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "LEAST_TARGET", 4)
    assert open_tables("auto").names == ("441-16/4-8",)
    assert len(built()) == 2


def test_a_name_never_means_a_file_in_the_current_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("441-32").write_bytes(find("442-8").read_bytes())
    with pytest.raises(InvalidTable, match="twofold tables build 441-32"):
        find("441-32")
