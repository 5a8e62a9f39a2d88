"""The page: equal bytes for equal games, hostile names made harmless."""

import base64
import html
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from tests.arena.reports.studies import add, row, small
from twofold.arena.page import html as html_page
from twofold.arena.report import gather
from twofold.arena.study import Study
from twofold.arena.tables import markdown
from twofold.errors import MissingExtra
from twofold.game.notation import SeedRange

HOSTILE = ["<script>alert(1)</script>", "$x^2$ \\frac|`a`", ']]>--><b>"&', "a\x1b[2J\x00\n\u202e"]


def plots_of(page: str) -> list[str]:
    data = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    return [base64.b64decode(one).decode() for one in data]


class Reader(HTMLParser):
    """The tags of a page as a browser reads them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page of players with bad names, under two rules, with a time of a move too."""
    rng = np.random.default_rng(1)
    with Study() as study:
        for number, name in enumerate([*HOSTILE, '#0072b2 id="x"', "日本🙂", "x" * 900]):
            run = add(study, name, twofold=name, machine={name: name}, spec=f"greedy:k={number}")
            study.want(run, SeedRange(1, 3))
            study.fail(run, 99, name)
            for seed, exponent in enumerate(rng.integers(4, 15, 20).tolist()):
                study.add(run, row(seed, 2**exponent * exponent, exponent))
        study.add(add(study, HOSTILE[0], rules="3x3"), row(1, 0, 1, seconds=0.0))
        return html_page(gather(study))


def test_hostile_names_are_text(hostile: str) -> None:
    found = Reader(hostile)
    assert found.text.count("2048: 7 players, 141 games") == 2  # one of them under two rules
    assert not {"script", "b", "iframe", "object", "link"} & set(found.tags)
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    for text in (HOSTILE[0], HOSTILE[1], HOSTILE[2], r"a\x1b[2J\x00\n\u202e"):
        assert found.text.count(text) >= 5
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", hostile)
    assert html.escape(HOSTILE[2]) in hostile


def test_names_in_plots_are_no_mathematics(hostile: str) -> None:
    plots = plots_of(hostile)
    assert len(plots) == 6  # under 3x3 one game alone, which reached nothing in no time
    assert any("$x^2$ \\frac|`a`" in html.unescape(plot) for plot in plots)
    assert any('#0072b2 id="x"' in html.unescape(plot) for plot in plots)
    assert any("x" * 37 + "..." in plot for plot in plots)
    assert not re.search("x{40}", "".join(plots))


def test_the_page_loads_nothing(hostile: str) -> None:
    found = Reader(hostile)
    loading = {"srcset", "data", "action", "poster", "background", "href"}
    assert not loading & {name for name, _ in found.attributes}
    links = [value for name, value in found.attributes if name == "src"]
    assert len(links) == len(plots_of(hostile))  # all are in the page
    assert not re.search(r"https?://|@import|url\(", hostile)
    assert "default-src 'none'" in hostile


def test_equal_games_give_equal_bytes(tmp_path: Path) -> None:
    import matplotlib

    pages = list[str]()
    for text in (10.0, 30.0):  # what somebody has set elsewhere changes nothing
        with Study() as study, matplotlib.rc_context({"font.size": text, "axes.grid": False}):
            small(study)
            study._connection.execute("UPDATE run SET created = '2026-01-02T03:04:05+00:00'")
            with ThreadPoolExecutor(2) as pool:  # Matplotlib's settings are of the whole process
                pages += pool.map(html_page, [gather(study)] * 2)
            assert matplotlib.rcParams["font.size"] == text
    assert len(set(pages)) == 1
    assert not any("dc:date" in plot for plot in plots_of(pages[0]))


def test_without_the_extra_the_error_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with Study() as study:
        small(study)
        with pytest.raises(MissingExtra, match=r"pip install 'twofold\[report\]'"):
            html_page(gather(study))
        assert markdown(gather(study))
