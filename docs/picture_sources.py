"""Tells which pictures in docs/images/web are older than the pages they show.

`docs/screenshots.py` notes a hash of the files of each page when it takes its pictures, and
`docs/screenshots.py --check` lists the pages whose files have changed since.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path

STATIC = Path(__file__).parent.parent / "src" / "twofold" / "web" / "static"
NOTED = Path(__file__).parent / "images" / "web" / "sources.json"
PAGES = {
    "play": "play", "watch": "watch", "analyse": "analyse", "review": "analyse", "games": "games",
    "daily": "daily", "practice": "practice", "lab": "lab", "lab-study": "lab", "lab-run": "lab",
}  # fmt: skip
"""The page that each picture shows."""


def files_of(page: str, static: Path = STATIC) -> list[Path]:
    """A page's module with all that it imports, the styles, and the English texts."""
    modules = [static / "js" / "main.js", static / "js" / "pages" / f"{page}.js"]
    for module in modules:  # grows while it is read
        for name in re.findall(r"(?:from|import) '(\.[^']+\.js)'", module.read_text("utf-8")):
            if (found := (module.parent / name).resolve()) not in modules:
                modules.append(found)
    return sorted([*modules, *static.glob("css/*.css"), static / "texts" / "en.json"])


def source_hash(page: str, static: Path = STATIC) -> str:
    """The hash of a page's files."""
    whole = b"".join(path.read_bytes() for path in files_of(page, static))
    return hashlib.sha256(whole).hexdigest()


def note(pictures: Iterable[str], static: Path = STATIC) -> None:
    """Note that these pictures show their pages as they are."""
    noted = json.loads(NOTED.read_text("utf-8")) if NOTED.exists() else {}
    noted |= {picture: source_hash(PAGES[picture], static) for picture in pictures}
    NOTED.write_text(json.dumps(noted, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def stale(static: Path = STATIC) -> list[str]:
    """The pictures whose pages have changed since they were taken."""
    noted = json.loads(NOTED.read_text("utf-8"))
    return [name for name, page in PAGES.items() if noted.get(name) != source_hash(page, static)]
