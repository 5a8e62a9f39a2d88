"""The web app in a real Chromium: keys, watching at top speed, the first analysis, loading.

Needs Chromium on the PATH and the packages of `scripts/_venv test`.
"""

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession

from benchmarks.common import Figure, Report, Settings, of_runs
from tests.support.browser import LAPTOP, Served, Visit, launch, serve, visit
from twofold.players.presets import DEFAULT_PLAYER

KEYS = 100
WATCH_SECONDS = 5.0

NOTE_FRAMES = """
() => {
  window.latencies = [];
  window.addEventListener('keydown', (event) => {
    const pressed = event.timeStamp;
    const board = document.querySelector('[role=grid]');
    const watcher = new MutationObserver(() => {
      watcher.disconnect();
      requestAnimationFrame(() => {
        const channel = new MessageChannel();  // answers after the frame is drawn
        channel.port1.onmessage = () => window.latencies.push(performance.now() - pressed);
        channel.port2.postMessage(0);
      });
    });
    watcher.observe(board.parentElement, { subtree: true, childList: true, attributes: true });
  }, { capture: true });
}
"""
"""Records for each key the time until the first frame with a changed board."""

NOTE_BOARD = """
addEventListener('DOMContentLoaded', () => {
  const watcher = new MutationObserver(() => {
    if (!document.querySelector('.tile')) return;
    watcher.disconnect();
    requestAnimationFrame(() => {
      const channel = new MessageChannel();  // answers after the frame is drawn
      channel.port1.onmessage = () => { window.boardShown = performance.now(); };
      channel.port2.postMessage(0);
    });
  });
  watcher.observe(document.body, { subtree: true, childList: true });
});
"""
"""Records the time from the start of the navigation until the board is drawn."""

COUNT_FRAMES = """
(seconds) => new Promise((done) => {
  let frames = 0;
  const first = performance.now();
  const next = () => {
    frames += 1;
    const spent = performance.now() - first;
    if (spent > 1000 * seconds) done(1000 * frames / spent); else requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})
"""


def measure(settings: Settings) -> Report:
    """Measure everything in one browser, with a new page each time."""
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder, launch() as browser:
        figures += _start(Path(folder), settings.runs)
        with serve(Path(folder), DEFAULT_PLAYER) as served:
            _wait_until_ready(browser, served)
            figures += _load(browser, served, settings.runs)
            figures += _keys(browser, served)
            figures += _analysis(browser, served, settings.runs)
            for lanes in (1, 4):
                figures += _watch(browser, served, lanes)
    notes = [
        f"Wall clock, localhost, 1280x860; median of {settings.runs} runs with the extremes.",
        f"keys: {KEYS} moves on 4x4, 150 ms apart; from the 5th to the 95th percentile.",
        f"watch: corner at top speed for {WATCH_SECONDS:g} s; busy is the main thread's share.",
    ]
    return Report("Web app", figures, notes)


def _start(folder: Path, runs: int) -> list[Figure]:
    values = []
    for run in range(runs + 1):
        began = time.perf_counter()
        with serve(folder, DEFAULT_PLAYER):
            values += [time.perf_counter() - began] * bool(run)
    return [of_runs("server answers after start, kernels warm", values, "s", at_most=1.5)]


def _wait_until_ready(browser: Browser, served: Served) -> None:
    """Wait until the default player is loaded, which happens in the background."""
    with visit(browser, served, LAPTOP) as found:
        found.open("/analyse#board=0012/0124/1356/2479", "table")
        found.page.get_by_role("row").filter(has_text="best").last.wait_for()


def _load(browser: Browser, served: Served, runs: int) -> list[Figure]:
    found = [_load_once(browser, served) for _ in range(runs)]
    sizes, times = zip(*found, strict=True)
    return [
        of_runs("page, cold cache, all files", sizes, "kB", at_most=300.0),
        of_runs("page, cold cache, until the board shows", times, "ms", at_most=500.0),
    ]


def _load_once(browser: Browser, served: Served) -> tuple[float, float]:
    """Kilobytes transferred, and milliseconds until the board shows."""
    with visit(browser, served, LAPTOP) as found:
        session = found.page.context.new_cdp_session(found.page)
        session.send("Network.enable")
        session.send("Network.setCacheDisabled", {"cacheDisabled": True})
        loaded: list[float] = []
        session.on("Network.loadingFinished", lambda one: loaded.append(one["encodedDataLength"]))
        found.page.add_init_script(NOTE_BOARD)
        found.open("/", ".tile")
        spent = found.page.wait_for_function("window.boardShown").json_value()
        found.page.wait_for_timeout(300)
        return sum(loaded) / 1000, spent


def _keys(browser: Browser, served: Served) -> list[Figure]:
    with visit(browser, served, LAPTOP) as found:
        found.open("/", ".tile")
        found.page.get_by_role("button", name="New game", exact=True).click()
        found.page.wait_for_timeout(500)
        found.page.evaluate(NOTE_FRAMES)
        for number in range(KEYS):
            found.page.keyboard.press(
                ("ArrowLeft", "ArrowDown", "ArrowRight", "ArrowUp")[number % 4]
            )
            found.page.wait_for_timeout(150)
        values = sorted(found.page.evaluate("window.latencies"))
    low, high = values[len(values) // 20], values[len(values) * 95 // 100]
    what = "key press to the first changed frame"
    return [
        Figure(f"{what}, median", statistics.median(values), low, high, "ms"),
        Figure(f"{what}, 95th percentile", high, None, None, "ms", at_most=50.0),
    ]


def _analysis(browser: Browser, served: Served, runs: int) -> list[Figure]:
    values = []
    with visit(browser, served, LAPTOP) as found:
        found.open("/", ".tile")
        found.page.get_by_role("button", name="New game", exact=True).click()
        found.page.keyboard.press("i")
        best = found.page.get_by_role("row").filter(has_text="best").last
        best.wait_for()
        for run in range(runs + 1):
            found.page.wait_for_timeout(1000)
            found.page.evaluate(
                """() => { const table = document.querySelector('.analysis, table');
                window.shown = new Promise((done) => {
                  const began = performance.now();
                  new MutationObserver((_, watcher) => { watcher.disconnect();
                    requestAnimationFrame(() => done(performance.now() - began)); })
                  .observe(table, {subtree: true, childList: true, characterData: true,
                    attributes: true}); }); }"""
            )
            found.page.keyboard.press(_arrow(best.inner_text()))
            if run:
                values.append(found.page.evaluate("window.shown"))
    return [of_runs("first analysis on screen after a move", values, "ms", at_most=100.0)]


def _arrow(row: str) -> str:
    """The key of the move in a row of the table, always a legal one."""
    return next(f"Arrow{one}" for one in ("Up", "Right", "Down", "Left") if one in row.title())


def _watch(browser: Browser, served: Served, lanes: int) -> list[Figure]:
    path = "/watch?" + "&".join(["player=corner"] * lanes) + "&speed=max&rules=8x8"
    with visit(browser, served, LAPTOP) as found:
        found.open(path, ".tile")
        found.page.wait_for_timeout(500)
        session = found.page.context.new_cdp_session(found.page)
        session.send("Performance.enable")
        before = _busy(session)
        frames = found.page.evaluate(COUNT_FRAMES, WATCH_SECONDS)
        busy = 100 * (_busy(session) - before) / WATCH_SECONDS
        moves = _moves(found)
    what = f"watch, {lanes} board{'s' if lanes > 1 else ''} at top speed"
    return [
        Figure(f"{what}: frames", frames, None, None, "frames/s", at_least=60.0),
        Figure(f"{what}: main thread busy", busy, None, None, "%", at_most=60.0),
        Figure(f"{what}: moves of the first board", moves, None, None, "moves"),
    ]


def _busy(session: CDPSession) -> float:
    metrics: list[dict[str, Any]] = session.send("Performance.getMetrics")["metrics"]
    return next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration")


def _moves(found: Visit) -> float:
    text = found.page.locator("article dt:has-text('Moves') + dd").first.inner_text()
    return float(text.replace(",", ""))
