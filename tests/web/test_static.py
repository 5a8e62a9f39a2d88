"""Files of the page: texts in four languages, and nothing that the security policy blocks."""

import io
import json
import re
from itertools import count
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from PIL import Image

import twofold.web
from tests.web.driver import Client
from twofold.arena.tables import ReportNote
from twofold.games.judge import Label
from twofold.games.reasons import SENTENCES, Kind
from twofold.web.pages import PAGES, address, worker_script
from twofold.web.protocol import Note

STATIC = Path(twofold.web.__file__).parent / "static"
SCRIPTS = sorted(STATIC.glob("js/**/*.js"))
TEXTS = {path.stem: path for path in STATIC.glob("texts/*.json")}
FORM = re.compile(r"(\w+\.\w+)\.(?:zero|one|two|few|many|other)")
"""Key of a form of a text that goes by a count."""

QUOTED = re.compile(r"'(\w+\.[\w.]+)'")
MADE = re.compile(r"`((?:\$\{[^}]+\}|[\w.])*\$\{[^}]+\}[\w.]*)`")
"""A key that is made from parts: `` `jobs.kind_${kind}` ``."""

VALUE = re.compile(r"\$\{[^}]+\}")


def name(path: Path) -> str:
    return path.relative_to(STATIC).as_posix()


def catalogue(language: str = "en") -> dict[str, list[str]]:
    """The texts of a language by key: the forms of each."""
    found: dict[str, list[str]] = {}
    for key, words in json.loads(TEXTS[language].read_text(encoding="utf-8")).items():
        form = FORM.fullmatch(key)
        found.setdefault(form[1] if form else key, []).append(words)
    return found


NOTES = get_type_hints(ReportNote)["kind"]


def placeholders(forms: list[str]) -> set[str]:
    return {one for words in forms for one in re.findall(r"\{(\w+)\}", words)}


def faults(pattern: str, paths: list[Path]) -> dict[str, list[str]]:
    """Matches of a pattern, by file."""
    found = {name(path): re.findall(pattern, path.read_text(encoding="utf-8")) for path in paths}
    return {path: matches for path, matches in found.items() if matches}


@pytest.mark.parametrize("language", ["de", "en", "es", "zh"])
def test_every_language_has_every_text_with_its_placeholders(language: str) -> None:
    english, ours = catalogue(), catalogue(language)
    assert ours.keys() == english.keys()
    for key, forms in ours.items():
        assert placeholders(forms) == placeholders(english[key]), key
    lines = TEXTS[language].read_text(encoding="utf-8").splitlines()
    keys = [line.split('"')[1] for line in lines[1:-1]]
    assert keys == sorted(set(keys))  # one a line
    plural = {form[1] for key in keys if (form := FORM.fullmatch(key))}
    assert {f"{key}.other" for key in plural} <= set(keys)


def test_every_text_is_used_and_every_text_that_is_used_is_there() -> None:
    sources = "\n".join(script.read_text(encoding="utf-8") for script in SCRIPTS)
    known, quoted = set(catalogue()), set(QUOTED.findall(sources))
    assert set(re.findall(r"\btext\(\s*'([^']+)'", sources)) <= known
    made = [pattern(one) for one in set(MADE.findall(sources))]
    words = quoted | set(
        re.findall(
            r"[^\W_]+", sources + str([get_args(Label), get_args(Note), get_args(Kind), NOTES])
        )
    )
    known = {key for key in known if not key.startswith("sign_in.")}  # of a page without scripts
    unused = [key for key in known - quoted if not any(is_made(key, one, words) for one in made)]
    assert sorted(unused) == []


def pattern(template: str) -> re.Pattern[str]:
    """The pattern of the keys that a template makes."""
    return re.compile(VALUE.sub(r"([\\w.]+)", template.replace(".", "[.]")))


def is_made(key: str, pattern: re.Pattern[str], words: set[str]) -> bool:
    """True if a template makes a key from words of the scripts, such as the start of a key."""
    found = pattern.fullmatch(key)
    return found is not None and all(
        part in words or (place and words.issuperset(re.findall(r"[^\W_]+", part)))
        for part, place in zip(found.groups(), map(found.start, count(1)), strict=False)
    )


def test_every_grade_of_a_move_has_its_texts() -> None:
    assert {f"grade.{one}" for one in get_args(Label)} <= set(catalogue())


def test_every_reason_of_a_move_has_its_texts() -> None:
    for kind, sentences in SENTENCES.items():
        for good, words in enumerate(sentences):
            key = f"reason.{kind}_{'good' if good else 'bad'}"
            assert (key in catalogue()) == bool(words), key


def test_scripts_do_nothing_that_could_inject_markup() -> None:
    sinks = r"innerHTML\s*[+]?=[^=]|outerHTML\s*=[^=]|insertAdjacentHTML|document\.write"
    assert faults(sinks + r"|\beval\(|new Function", SCRIPTS) == {}


# ---- the page as an app


@pytest.mark.promise("R24b")
def test_the_files_that_a_browser_keeps_are_there(client: Client) -> None:
    found = re.search(r"FILES = '([^']*)'", worker_script().decode())
    assert found is not None
    kept = found[1].split(" ")
    assert len(kept) == len(set(kept)) > 50
    for path in kept:
        assert path in PAGES or path.startswith(address(""))
        assert client.get(path).status == 200, path


@pytest.mark.parametrize(
    ("name", "side"),
    [("touch-icon", 180), ("icon-192", 192), ("icon-512", 512), ("icon-512-maskable", 512)],
)
def test_icons_have_their_sizes_and_are_small(name: str, side: int) -> None:
    picture = (STATIC / "icons" / f"{name}.png").read_bytes()
    assert Image.open(io.BytesIO(picture)).size == (side, side)
    assert len(picture) < 8_000
