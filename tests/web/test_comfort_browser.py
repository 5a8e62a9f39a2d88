"""Colours, sounds, a clock and time trials: off by default, and saved if turned on."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import COUNT_NOTES, LAPTOP, Served, Visit, drawn, press_arrows, visit


def switch(page: Page, name: str) -> None:
    """Turn a setting on or off."""
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("dialog").get_by_text(name, exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Close").click()


def moves(page: Page) -> int:
    return int(page.locator("dt:has-text('Moves') + dd").first.inner_text())


def play(page: Page, least: int) -> None:
    """Make moves up to a number."""
    while moves(page) < least:
        press_arrows(page)
        drawn(page)


def test_tile_colours_are_chosen_and_kept(laptop: Visit) -> None:
    page, root = laptop.page, laptop.page.locator("html")
    laptop.open("/", ".tile")
    for name, value in (("High contrast", "contrast"), ("Colour-blind safe", "safe")):
        switch(page, name)
        expect(root).to_have_attribute("data-palette", value)
        page.reload()
        page.locator(".tile").first.wait_for()
        expect(root).to_have_attribute("data-palette", value)
        laptop.rest()
        assert laptop.violations() == []
    switch(page, "twofold")
    expect(root).not_to_have_attribute("data-palette", "safe")


@pytest.fixture
def timed(browser: Browser, served: Served) -> Iterator[Page]:
    """A page whose clock the test controls."""
    with visit(browser, served, LAPTOP) as found:
        found.page.clock.install()
        found.open("/", ".tile")
        yield found.page
        assert found.faults == []


def test_moves_are_heard_and_timed_if_wanted(timed: Page) -> None:
    page = timed
    page.evaluate(COUNT_NOTES)
    page.get_by_role("button", name="New game", exact=True).click()
    play(page, 3)
    assert page.evaluate("window.notes") == 0
    time = page.locator(".facts dt:text-is('Time') + dd")
    expect(time).to_have_count(0)
    switch(page, "Sounds")
    switch(page, "Clock and moves a minute beside the game")
    expect(time).to_have_text(re.compile(r"^\d:\d\d$"))
    play(page, moves(page) + 8)
    assert page.evaluate("window.notes") > 0
    before = time.inner_text()
    page.clock.fast_forward("00:25")
    expect(time).not_to_have_text(before)


def begin_trial(page: Page) -> Any:
    """Begin a time trial by hand, with a first move; returns the line above the board."""
    page.get_by_role("button", name="Rules…", exact=True).click()
    page.get_by_text("Time trial: 3 minutes").click()
    page.get_by_role("button", name="Start game").click()
    line = page.locator(".trial")
    expect(line).to_contain_text("3:00")
    play(page, 6)
    expect(page.get_by_role("timer")).not_to_have_text("3:00")
    return line


def test_a_time_trial_ends_after_three_minutes_and_counts_without_help(timed: Page) -> None:
    page, said = timed, timed.locator("div[role=status][aria-live]")
    line = begin_trial(page)
    page.clock.fast_forward("02:00")
    expect(said).to_contain_text(re.compile("^(60|5.) seconds left"))
    page.reload()
    expect(line).to_contain_text("0:5")  # the clock goes on
    page.clock.fast_forward("00:48")
    expect(said).to_contain_text(re.compile(r"^(10|\d) seconds? left"))
    page.clock.fast_forward("00:11")
    over = page.get_by_role("group", name="Time is up!")
    expect(over).to_contain_text("Your best result so far!")
    expect(over).to_contain_text("moves a minute")
    made = moves(page)
    press_arrows(page)
    over.get_by_role("button", name="Keep going").click()
    expect(over).to_be_hidden()
    assert moves(page) == made
    play(page, made + 1)
    best = page.evaluate("localStorage.getItem('twofold.trial_best')")
    begin_trial(page)
    page.get_by_role("button", name="Best move").click()
    expect(page.locator(".trial")).to_contain_text("This one does not count")
    page.clock.fast_forward("03:01")
    expect(over).to_contain_text("It does not count")
    assert page.evaluate("localStorage.getItem('twofold.trial_best')") == best
    over.get_by_role("button", name="New time trial").click()
    expect(page.locator(".trial")).to_contain_text("3:00")
    expect(page.locator(".trial")).to_contain_text("The clock starts with your first move.")
