"""A tab to read and play in. Every call has a timeout.

Pages are read from an isolated JavaScript world in each frame. It shares the document and its
storage with the page, but not the page's objects, so a page cannot change how our functions read
it. Content of a page is never run, and shown only as escaped text.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar

from twofold.errors import PageError
from twofold.limits import MAX_PAGE_FRAMES
from twofold.notation import shown

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Frame, Page

T = TypeVar("T")

ANSWER_SECONDS: Final = 10.0
"""Default timeout for an answer of a page."""

WORLD_NAME: Final = "twofold"

LOST_CONTEXT: Final = ("Cannot find context", "context was destroyed", "navigated or closed")
"""Error texts of the browser for a world whose page was reloaded."""

FOCUS: Final = """() => {
  window.focus();
  document.activeElement?.blur?.();
}"""
"""Gives keyboard focus to a frame, and takes it from text fields."""


class FrameGone(PageError):
    """The frame no longer exists."""


class PageLost(PageError):
    """The tab or its browser no longer exists."""


class Tab:
    """A tab of a browser; `answer_seconds` is the timeout of each call."""

    def __init__(self, page: "Page", answer_seconds: float = ANSWER_SECONDS) -> None:
        self._page = page
        self._answer_seconds = answer_seconds
        self._lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._sessions: dict[Frame, CDPSession] = {}
        self._worlds: dict[tuple[int, str], World] = {}
        if page.is_closed():
            self._lose("a closed tab")
        page.on("crash", lambda _: self._lose("a crash of the page"))
        page.on("close", lambda _: self._lose("a closed tab"))
        browser = page.context.browser
        if browser is not None:
            browser.on("disconnected", lambda _: self._lose("a closed browser"))

    def _lose(self, how: str) -> None:
        if not self._lost.done():
            self._lost.set_result(how)

    @property
    def url(self) -> str:
        """The URL of the page."""
        return self._page.url

    async def wait_lost(self) -> str:
        """Wait until the tab is gone; the reason."""
        return await asyncio.shield(self._lost)

    async def ask(self, question: Awaitable[T]) -> T:
        """Await an answer of Playwright, whose own errors pass.

        Raises:
            PageLost: the tab is gone.
            PageError: there is no answer in time.
        """
        task = asyncio.ensure_future(question)
        try:
            either: set[asyncio.Future[Any]] = {task, self._lost}
            await asyncio.wait(
                either, timeout=self._answer_seconds, return_when=asyncio.FIRST_COMPLETED
            )
            if self._lost.done():
                raise PageLost(f"expected the game to stay open, got {self._lost.result()}")
            if not task.done():
                raise PageError(
                    f"expected an answer from the page within {self._answer_seconds:g} s, got none"
                )
            return await self._answer(task)
        finally:
            if task.done() and not task.cancelled():
                task.exception()  # marks it as retrieved
            task.cancel()

    async def _answer(self, task: "asyncio.Future[T]") -> T:
        from playwright.async_api import Error  # an extra

        try:
            return task.result()
        except Error as error:
            # The failed call may return before the event that the tab is gone.
            if "closed" in error.message or "crash" in error.message:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(1.0):
                        how = await self.wait_lost()
                        raise PageLost(f"expected the game to stay open, got {how}") from None
            raise

    async def press(self, key: str) -> None:
        """Press and release a key."""
        from playwright.async_api import Error

        try:
            await self.ask(self._page.keyboard.press(key))
        except Error as error:
            raise PageError(f"expected to press the key {shown(key)}, got {said(error)}") from None

    async def send(
        self, session: "CDPSession", method: str, arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The answer of the Chrome DevTools protocol."""
        return await self.ask(session.send(method, dict(arguments)))

    async def worlds(self) -> "list[World]":
        """The isolated worlds in the frames of the tab, the outermost first."""
        from playwright.async_api import Error

        found: list[World] = []
        for frame in self._page.frames[:MAX_PAGE_FRAMES]:
            try:
                session = await self._session(frame)
                tree = await self.send(session, "Page.getFrameTree", {})
                found += [self._world(session, name) for name in frame_names(tree["frameTree"])]
            except Error:  # it belongs to its parent's session, or is gone
                self._sessions.pop(frame, None)
        return found[:MAX_PAGE_FRAMES]

    async def _session(self, frame: "Frame") -> "CDPSession":
        """The session of a frame; an error for a frame that belongs to its parent's session."""
        if frame not in self._sessions:
            whole = frame if frame.parent_frame else self._page
            question = self._page.context.new_cdp_session(whole)
            self._sessions[frame] = await self.ask(question)
        return self._sessions[frame]

    def _world(self, session: "CDPSession", frame: str) -> "World":
        key = (id(session), frame)
        if key not in self._worlds:
            self._worlds[key] = World(self, session, frame)
        return self._worlds[key]


def frame_names(tree: Mapping[str, Any]) -> Iterator[str]:
    """The browser's ids of a frame and those inside it, the outermost first."""
    trees = [tree]
    for one in trees:
        yield str(one["frame"]["id"])
        trees += one.get("childFrames", ())


class World:
    """An isolated JavaScript world in a frame, reached through a session."""

    def __init__(self, tab: Tab, session: "CDPSession", frame: str) -> None:
        self._tab = tab
        self._session = session
        self._frame = frame
        self._context: int | None = None

    async def call(self, function: str, *arguments: object) -> Any:
        """Call a JavaScript function, given by its source, also if its page was reloaded meanwhile.

        Raises:
            FrameGone: the frame no longer exists.
            PageError: the function fails, or the page does not answer.
        """
        from playwright.async_api import Error

        try:
            try:
                return await self._call(function, arguments)
            except Error as error:
                if not any(words in error.message for words in LOST_CONTEXT):
                    raise
                self._context = None
                return await self._call(function, arguments)
        except Error as error:
            self._context = None
            raise FrameGone(f"expected the frame of the game, got {said(error)}") from None

    async def _call(self, function: str, arguments: tuple[object, ...]) -> Any:
        if self._context is None:
            made = await self._tab.send(
                self._session,
                "Page.createIsolatedWorld",
                {"frameId": self._frame, "worldName": WORLD_NAME},
            )
            self._context = made["executionContextId"]
        answer = await self._tab.send(
            self._session,
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": function,
                "executionContextId": self._context,
                "arguments": [{"value": argument} for argument in arguments],
                "returnByValue": True,
            },
        )
        if "exceptionDetails" in answer:
            fault = answer["exceptionDetails"].get("exception", {}).get("description", "an error")
            raise PageError(f"expected a readable page, got {shown(_first_line(fault))}")
        return answer["result"].get("value")

    async def focus(self) -> None:
        """Give keyboard focus to this frame."""
        await self.call(FOCUS)

    async def press(self, key: str) -> None:
        """Press and release a key; see `Tab.press`."""
        await self._tab.press(key)


def said(error: Exception) -> str:
    """The first line of an error of Playwright, escaped."""
    return shown(_first_line(str(error)))


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
