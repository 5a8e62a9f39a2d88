"""The students' pages in the app: as docs/learn has them now, and linked to Analysis."""

import hashlib
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser import Visit
from twofold.web.pages import read_file

DOCS = Path(__file__).parents[2] / "docs"
LESSONS = sorted((DOCS / "learn").glob("*.md"))


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_is_made_from_its_page(lesson: Path) -> None:
    """Each names the digest of its source, and of the script that made it."""
    made = read_file(f"learn/{lesson.stem}.html")
    assert made is not None
    digest = hashlib.sha256((DOCS / "learn_pages.py").read_bytes() + lesson.read_bytes())
    first = made.decode().partition("\n")[0]
    assert digest.hexdigest()[:16] in first, "run python docs/learn_pages.py"


def test_lessons_are_read_and_their_boards_analysed(laptop: Visit, phone: Visit) -> None:
    for one in (laptop, phone):
        one.open("/watch", ".tile")
        one.page.get_by_role("link", name="Help").click()
        expect(one.page).to_have_url(re.compile(r"/learn\?page=heuristics$"))
        expect(one.page.get_by_role("heading", level=1)).to_have_text("2. Heuristics")
        assert one.violations() == []
        assert not one.is_too_wide()
        one.page.get_by_role("link", name="Next", exact=True).click()
        expect(one.page.get_by_role("heading", level=1)).to_have_text("3. Expectimax")
        expect(one.page.locator("math").first).to_be_visible()
        one.page.get_by_role("link", name="All lessons").click()
        expect(one.page.locator(".learn-page td a")).to_have_count(8)
    laptop.page.get_by_role("link", name="The game", exact=True).click()
    laptop.page.get_by_role("link", name="Analyse 1123/0012/0000/0000").click()
    expect(laptop.page.locator(".board .tile").first).to_be_visible()
