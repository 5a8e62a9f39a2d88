"""Jobs on the Lab's page in a real Chromium: started by keyboard, stopped, resumed, downloaded."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import LAPTOP, Visit, serve, visit
from tests.web.jobs.fake_command import PROGRAM
from twofold.web import jobs
from twofold.web.job_process import CommandProcess

LONG = {"kind": "bench", "players": ["greedy"], "games": 10_000, "name": "long"}


def open_dialog(page: Page) -> None:
    """Open it by keyboard, once the page knows the limits of jobs."""
    button = page.get_by_role("button", name="New job …")
    expect(button).to_be_enabled()
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".jobs-command pre")).to_be_visible()


def leave_one_player(page: Page, name: str) -> None:
    players = page.locator(".job-player")
    while players.count() > 1:
        page.get_by_role("button", name="Remove this player").last.click()
    players.locator("select").select_option(label=name)


def test_a_bench_is_started_by_keys(laptop: Visit) -> None:
    page = laptop.page
    laptop.open("/lab", ".lab-empty-page")
    open_dialog(page)
    laptop.check()
    leave_one_player(page, "corner")
    games = page.get_by_label("Games for each player")
    games.fill("0")
    alert = page.locator("#new-job > .error")
    expect(alert).to_have_text("Games for each player: enter a whole number from 1 to 100,000.")
    expect(page.get_by_text("The same in a terminal")).to_have_count(0)  # with nothing below
    games.fill("30")
    expect(page.locator(".jobs-command code")).to_have_text(
        "twofold bench corner --games 30 --seed 1 --out bench-1.db\n"
    )
    expect(alert).to_be_hidden()
    page.get_by_label("Name").fill("../mine")
    expect(alert).to_have_text("Name: use up to 60 letters, digits, - and _.")
    page.get_by_label("Name").fill("mine")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    job = page.locator(".job", has_text="mine.db")
    expect(job).to_contain_text("Done in")
    (info,) = laptop.served.ask("/api/jobs")
    assert (info["kind"], info["progress"], info["resumable"]) == ("bench", 1, False)
    page.get_by_role("link", name="Open mine.db").click()
    expect(page.locator(".lab-head h2")).to_have_text("mine.db")
    with page.expect_download() as scores:
        page.get_by_role("button", name="CSV: Scores and speed").click()
    assert scores.value.suggested_filename == "mine-scores.csv"
    lines = scores.value.path().read_text().splitlines()
    assert lines[1].startswith("corner,30,")
    with page.expect_download() as all_games:
        page.get_by_role("link", name="All games as CSV").click()
    assert len(all_games.value.path().read_text().splitlines()) == 31
    page.get_by_role("button", name="Remove mine.db from the list").click()
    expect(job).to_have_count(0)
    assert (laptop.served.folder / "mine.db").is_file()


def test_a_dialog_fits_on_a_phone(phone: Visit) -> None:
    phone.open("/lab", ".jobs")
    open_dialog(phone.page)
    for kind in ("Training", "Endgame table"):
        phone.page.get_by_role("radio", name=kind).check(force=True)
        expect(phone.page.locator(".jobs-command pre")).to_be_visible()
        phone.check()
    phone.page.keyboard.press("Escape")
    expect(phone.page.get_by_role("dialog")).to_have_count(0)


def test_a_job_ends_with_its_server_and_goes_on(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fake command, which waits for its end."""
    words = ["bench", "waits", "--out", "long.db"]
    monkeypatch.setattr(jobs, "CommandProcess", lambda *_: CommandProcess(words, tmp_path, PROGRAM))
    with serve(tmp_path, "greedy") as served, visit(browser, served, LAPTOP) as one:
        served.ask("/api/jobs", json.dumps(LONG).encode())
        one.open("/lab", ".job")
        expect(one.page.locator(".job progress[value]")).to_be_visible()
        expect(one.page.locator(".job")).to_contain_text("%")
    with serve(tmp_path, "greedy") as served, visit(browser, served, LAPTOP) as one:
        one.open("/lab", ".job")
        job = one.page.locator(".job")
        expect(job).to_contain_text("because the server was closed. Everything so far is saved.")
        one.page.get_by_role("button", name="Resume long.db").click()
        expect(job).to_have_attribute("data-state", "running")
        expect(one.page.get_by_role("button", name="Stop long.db")).to_be_focused()
        one.page.keyboard.press("Enter")
        expect(job).to_contain_text("Stopped at")
        expect(one.page.get_by_role("button", name="Resume long.db")).to_be_focused()
        one.check()
        assert one.faults == []
