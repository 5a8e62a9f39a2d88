"""Files of the page: texts from one catalogue, and nothing that the security policy blocks."""

import re
from pathlib import Path
from typing import get_args

import twofold.web
from twofold.review.accuracy import MISTAKES, Label

STATIC = Path(twofold.web.__file__).parent / "static"
SCRIPTS = sorted(STATIC.glob("js/**/*.js"))
CATALOGUE = STATIC / "js" / "texts" / "en.js"
KEY = re.compile(r"^  '([a-z_]+\.[^']+)':", re.M)
USED = re.compile(r"\btext\(\s*'([^']+)'")


def name(path: Path) -> str:
    return path.relative_to(STATIC).as_posix()


def catalogue() -> list[str]:
    return KEY.findall(CATALOGUE.read_text(encoding="utf-8"))


def faults(pattern: str, paths: list[Path]) -> dict[str, list[str]]:
    """Matches of a pattern, by file."""
    found = {name(path): re.findall(pattern, path.read_text(encoding="utf-8")) for path in paths}
    return {path: matches for path, matches in found.items() if matches}


def test_every_text_that_is_used_is_in_the_catalogue() -> None:
    known = set(catalogue())
    used = {key for script in SCRIPTS for key in USED.findall(script.read_text(encoding="utf-8"))}
    assert used - known == set()


def test_every_label_of_a_move_has_its_texts() -> None:
    """Their keys are made from labels, where a space becomes `_`."""
    labels = [str(label).replace(" ", "_") for label in get_args(Label)]
    mistakes = [str(label).replace(" ", "_") for label in MISTAKES]
    wanted = {f"review.label_{one}" for one in labels} | {f"review.was_{one}" for one in mistakes}
    assert wanted - set(catalogue()) == set()
    assert faults(r"`review\.(?:label|was)_\$\{(?!kindOf\()", SCRIPTS) == {}


def test_the_catalogue_has_each_key_once() -> None:
    keys = catalogue()
    assert sorted(keys) == sorted(set(keys))


def test_scripts_do_nothing_that_could_inject_markup() -> None:
    sinks = r"innerHTML\s*[+]?=[^=]|outerHTML\s*=[^=]|insertAdjacentHTML|document\.write"
    assert faults(sinks + r"|\beval\(|new Function", SCRIPTS) == {}


def test_the_page_has_no_inline_script_or_style() -> None:
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<script(?![^>]*\bsrc=)", page) == []
    assert re.findall(r"<style|\bstyle=|\bon\w+=", page) == []


def test_nothing_is_fetched_from_elsewhere() -> None:
    texts = [path for path in STATIC.glob("**/*") if path.suffix in {".html", ".css", ".js"}]
    assert faults(r"https?://(?!www\.w3\.org/)[^\s'\"`)]+", texts) == {}
