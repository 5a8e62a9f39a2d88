"""The lab in a real Chromium: tables, charts, curves that grow."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser import LAPTOP, Served, Visit, box_of, serve, visit
from tests.web.lab.made_lab import add, make_late_study, make_run, make_study, row
from twofold.arena.study import Study
from twofold.game.notation import SeedRange

PAGES = {
    "laptop": {
        "/lab": ".lab-item",
        "/lab?study=games.db": ".lab-table tbody tr",
        "/lab?run=one.csv": ".lab-figures dd",
    },
    "phone": {
        "/lab?study=late.db": ".lab-table tbody tr",
        "/lab?study=torn.db": ".lab-study .error",
        "/lab?run=one.csv&run=other.csv": ".lab-table tbody tr",
    },
}

NAMES = ["ntuple:ply=1", "expectimax:ply=1", "expectimax:cut=0.01,ply=1"]
"""Players of a study; the last two have the same name in the list of players."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three studies, a damaged one, two runs."""
    folder = tmp_path_factory.mktemp("lab")
    make_late_study(folder / "late.db")
    with Study(folder / "late.db") as study:
        run = add(study, "one with a long name", rules="3x3")
        for seed in range(1, 9):
            study.add(run, row(seed, 100 * seed, 4 + seed % 3, tile_sum=100 + seed))
    with Study(folder / "names.db") as study:
        for place, spec in enumerate(NAMES):
            run = add(study, spec)
            for seed in (1, 2):
                study.add(run, row(seed, 900 - 100 * place + seed, 9 + seed))
        study.want(add(study, "policy"), SeedRange(1, 3))
    make_study(folder / "games.db", sums=True)  # changed last: the first in the list
    (folder / "torn.db").write_bytes((folder / "games.db").read_bytes()[:5000])
    make_run(folder / "one.csv")
    make_run(folder / "other.csv", points=2)
    return folder


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    with serve(folder, "greedy") as found:
        yield found


def drawn(visit: Visit) -> int:
    """Wait for all charts of a study; returns their number."""
    charts = visit.page.locator(".lab-figure .chart:visible")
    for number in range(charts.count()):
        expect(charts.nth(number).locator(".chart-line").first).to_be_attached()
    return charts.count()


def test_everybody_can_read_it(pages: dict[str, Visit]) -> None:
    for name, one in pages.items():
        for path, ready in PAGES[name].items():
            one.open(path, ready)
            drawn(one)
            one.check()


def test_a_study_has_its_tables_and_plots(laptop: Visit) -> None:
    page = laptop.page
    for width in (1920, 1280):
        page.set_viewport_size({"width": width, "height": 860})
        for study in ("late.db", "games.db"):
            laptop.open(f"/lab?study={study}", ".lab-table tbody tr")
            cut = "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).length"
            assert page.locator(".lab-data .scroll-x").evaluate_all(cut) == 0
    with page.expect_download() as report:
        page.get_by_role("button", name="Report as a page").click()
    assert report.value.suggested_filename == "games.html"
    assert "How far they get" in report.value.path().read_text()
    with page.expect_download() as figure:
        page.get_by_role("button", name="How far they get as SVG").click()
    assert figure.value.suggested_filename == "games-reach.svg"
    assert figure.value.path().read_text().startswith("<?xml")
    assert drawn(laptop) == 4
    names = page.locator(".lab-table").first.locator("tbody th")
    expect(names).to_have_text(["1strong", "2weak"])
    page.get_by_role("button", name="mean score").click()
    expect(names).to_have_text(["2weak", "1strong"])
    expect(page.get_by_role("button", name="mean score")).to_be_focused()
    expect(page.locator("[aria-sort]")).to_have_attribute("aria-sort", "ascending")
    note = page.locator(".lab-notes li").last  # names in files are shown as text
    expect(note).to_have_text("No finished game: <img src=x>\\x1b[2J\\u202e")
    page.get_by_text("Where they end, by tile sum").click()
    table = page.get_by_role("table", name="Games that reached each band of tile sums")
    expect(table.locator("tbody th").first).to_have_text("strong")
    table.get_by_role("button", name="tile sum").click()
    expect(table.locator("[aria-sort]")).to_have_attribute("aria-sort", "descending")
    chart = page.get_by_role("slider", name="Plot of where games ended").first
    chart.focus()
    page.keyboard.press("End")
    expect(chart).to_have_attribute("aria-valuetext", re.compile(r"tile sum 240: strong 0\s%"))
    laptop.open("/lab?study=late.db", ".lab-table tbody tr")
    headings = page.locator(".lab-section h3")
    expect(headings).to_have_count(3)
    expect(headings.nth(0)).not_to_contain_text("from boards")
    expect(headings.nth(1)).to_contain_text("from boards late.txt (2 boards, ")


def test_on_a_phone_nothing_is_cut_and_there_is_a_way_back(phone: Visit) -> None:
    """Captions wrap beside a wide table, and players have their names in a legend."""
    page = phone.page
    phone.open("/lab?study=late.db", ".lab-table tbody tr")
    captions = page.locator(".lab-table caption span:visible")
    assert captions.count() > 2
    for number in range(captions.count()):
        box = box_of(captions.nth(number))
        assert box["x"] + box["width"] <= 360
    legends = page.locator(".lab-figure[data-kind=scores] .lab-legend")
    expect(legends.first).to_contain_text("greedy")
    expect(legends.last).to_contain_text("with a long name")
    phone.open("/lab", ".lab-item")
    page.get_by_role("link", name="games.db").click()
    page.locator(".lab-table tbody tr").first.wait_for()
    expect(page.locator(".lab-list")).to_be_hidden()
    page.get_by_role("link", name="Studies and runs").click()
    expect(page.get_by_role("link", name="games.db")).to_be_focused()


def test_players_have_their_names(laptop: Visit) -> None:
    """As in the list of players; where two have the same name, there are their specs.

    Those without a finished game are no exception. Tiles are written as on the board.
    """
    laptop.open("/", ".tile")  # the names of the strengths come with the connection
    laptop.open("/lab?study=names.db", ".lab-table tbody tr")
    names = ["fast", *NAMES[1:]]
    tables, legends = (laptop.page.locator(f".lab-{one}:visible") for one in ("table", "legend"))
    expect(tables.first.locator("tbody th span[title]")).to_have_text(names)
    expect(legends.first.locator("span[title]")).to_have_text(names)
    assert legends.first.locator("span[title]").first.get_attribute("title") == NAMES[0]
    pairs = laptop.page.get_by_role("table", name="Points per game").locator("tbody th")
    expect(pairs.first).to_have_text("fast")
    asked, without = "Games asked for that are not finished", "No finished game"
    notes = laptop.page.locator(".lab-notes li")
    expect(notes).to_have_text([f"{asked}: policy network (3)", f"{without}: policy network"])
    ticks = laptop.page.locator(".lab-figure[data-kind=reach] .chart-tick-bottom")
    expect(ticks.last).to_have_text("2048")


def test_new_files_appear_and_curves_grow(browser: Browser, tmp_path: Path) -> None:
    with serve(tmp_path, "greedy") as served, visit(browser, served, LAPTOP) as one:
        one.open("/lab", ".lab-empty-page")
        expect(one.page.get_by_role("button", name="Compare three players")).to_be_visible()
        learn = one.page.get_by_role("link", name="Learn how players think").and_(
            one.page.locator(":visible")
        )
        expect(learn).to_have_count(1)
        with Study(tmp_path / "new.db") as study:
            run = add(study, "only")
            study.want(run, SeedRange(1, 3))
            study.add(run, row(1, 100, 5))
            study.flush()
            games = one.page.locator(".lab-table").first.locator("tbody td").first
            expect(games).to_have_text("1")
            expect(learn).to_have_count(1)
            study.add(run, row(2, 200, 6))
            study.flush()
            expect(games).to_have_text("2")
            expect(one.page.locator(".lab-head p")).to_contain_text("2 of 3 games")
        make_run(tmp_path / "net.csv", points=1)
        one.page.get_by_role("link", name="net.csv").click()
        expect(one.page.locator(".lab-figures dd").first).to_have_text("1,000")
        make_run(tmp_path / "net.csv", points=5)
        expect(one.page.locator(".lab-figures dd").first).to_have_text("5,000")
        assert one.faults == []


def test_runs_are_compared_and_saved_as_a_figure(laptop: Visit) -> None:
    page = laptop.page
    laptop.open("/lab?run=one.csv", ".chart-line")
    page.get_by_role("checkbox", name="other.csv").check()
    expect(page.locator(".lab-table tbody th")).to_have_text(["one.csv", "other.csv"])
    assert page.url.endswith("/lab?run=one.csv&run=other.csv")
    with page.expect_download() as figure:
        page.get_by_role("button", name="mean score as PDF").click()
    assert figure.value.suggested_filename == "curves.pdf"
    assert figure.value.path().read_bytes().startswith(b"%PDF")
    expect(page.get_by_role("link", name="Learn", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Train for a minute")).to_be_visible()
    page.get_by_role("radio", name="reach rates").check()
    expect(page.get_by_label("Tile")).to_have_value("1024")
    page.go_back()
    expect(page.locator(".lab-head h2")).to_have_text("one.csv")


def test_evaluations_are_drawn_beside_the_training_mean(laptop: Visit, folder: Path) -> None:
    make_run(folder / "judged.csv")
    (folder / "judged.evaluations.csv").write_text(
        "games,moves,seconds,training_mean,mean,margin,survival late.txt\n"
        "0,0,0,0,50,1,0.25\n3000,3000000,30,1,400,1,0.75\n"
    )
    laptop.open("/lab?run=judged.csv", ".chart-line")
    expect(laptop.page.get_by_text("network, evaluated", exact=True)).to_be_visible()
    expect(laptop.page.get_by_text("the mean score of games played at that moment")).to_be_visible()
    survival = laptop.page.get_by_role("radio", name="survival from boards")
    survival.check()
    caption = "the games from the boards of late.txt that reached the next large tile"
    expect(laptop.page.get_by_text(caption)).to_be_visible()
    laptop.page.get_by_role("radio", name="highest score").check()
    expect(laptop.page.get_by_text("network, evaluated", exact=True)).to_be_hidden()
    survival.check()
    laptop.open("/lab?run=one.csv", ".chart-line")
    expect(survival).to_be_hidden()
    for name in ("judged.csv", "judged.evaluations.csv"):
        (folder / name).unlink()
