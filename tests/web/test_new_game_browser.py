"""Keys pressed before a new game is there or while the server is away, in a real Chromium."""

import json
from typing import Any

from playwright.sync_api import Browser, WebSocketRoute, expect

from tests.support.browser import LAPTOP, Served, press_arrows, visit


class SlowSocket:
    """The page's WebSocket; notes what the page sends and holds back answers while `is_held`."""

    def __init__(self, page_end: WebSocketRoute) -> None:
        self.sent: list[dict[str, Any]] = []
        self.held: list[str | bytes] = []
        self.is_held = False
        self.page_end, self.server = page_end, page_end.connect_to_server()
        self.server.on_message(self._answer)
        page_end.on_message(self._ask)

    def _ask(self, text: str | bytes) -> None:
        self.sent.append(json.loads(text))
        self.server.send(text)

    def _answer(self, text: str | bytes) -> None:
        if self.is_held:
            self.held.append(text)
        else:
            self.page_end.send(text)

    def release(self) -> None:
        self.is_held = False
        for text in self.held:
            self.page_end.send(text)


def test_help_is_there_before_the_game(browser: Browser, served: Served) -> None:
    with visit(browser, served, LAPTOP) as found:
        found.page.route_web_socket("**/*", lambda socket: None)  # no answer
        found.open("/", ".help")
        expect(found.page.get_by_role("button", name="Best move").last).to_be_disabled()
        assert found.faults == []


def test_keys_after_new_game_go_to_the_new_game(browser: Browser, served: Served) -> None:
    sockets: list[SlowSocket] = []
    with visit(browser, served, LAPTOP) as found:
        page = found.page
        page.route_web_socket("**/ws", lambda end: sockets.append(SlowSocket(end)))
        found.open("/", ".tile")
        link = page.get_by_role("link", name="Download")
        old = link.get_attribute("href")
        assert old is not None
        socket = sockets[-1]
        socket.is_held = True
        page.get_by_role("button", name="New game", exact=True).click()
        press_arrows(page)
        page.keyboard.press("u")
        page.keyboard.press("p")
        socket.release()
        expect(link).not_to_have_attribute("href", old)
        expect(page.locator("dt:has-text('Undos') + dd").first).to_have_text("1")
        moves = [one["game"] for one in socket.sent if one["type"] in ("move", "autoplay")]
        assert moves
        assert not any(game in old for game in moves)
        assert found.faults == []


def test_waiting_moves_are_kept_and_the_time_trial_waits(browser: Browser, served: Served) -> None:
    """However long the server is away; the page says how many moves wait."""
    sockets: list[SlowSocket] = []
    is_down = False

    def connect(end: WebSocketRoute) -> None:
        if is_down:
            end.close()
        else:
            sockets.append(SlowSocket(end))

    with visit(browser, served, LAPTOP) as found:
        page = found.page
        page.route_web_socket("**/ws", connect)
        page.clock.install()
        found.open("/", ".tile")
        page.get_by_role("button", name="Rules…", exact=True).click()
        page.get_by_text("Time trial: 3 minutes").click()
        page.get_by_role("button", name="Start game").click()
        timer = page.get_by_role("timer")
        expect(timer).to_have_text("3:00")
        press_arrows(page)
        expect(timer).not_to_have_text("3:00")
        is_down = True
        sockets[-1].page_end.close()
        expect(page.locator(".status-line")).to_be_visible()
        for key in ("ArrowLeft", "ArrowUp", "ArrowRight"):
            page.keyboard.press(key)
        line = page.get_by_text("No connection: 3 moves are waiting.")
        expect(line).to_be_visible()
        page.clock.fast_forward(150_000)
        expect(line).to_be_visible()
        expect(timer).to_contain_text("2:5")
        is_down = False
        page.evaluate("window.dispatchEvent(new Event('online'))")
        expect(line).to_be_hidden()
        assert any(one["type"] == "move" for one in sockets[-1].sent)
        expect(timer).to_contain_text("2:5")
        assert found.faults == []
