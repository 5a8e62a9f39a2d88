"""Requests that a stopping server cancels."""

import asyncio
import threading

from starlette.applications import Starlette

from tests.web.driver import ask_async, run
from twofold.search.budget import Stop
from twofold.web.operations import Operation, routes_of


def test_a_request_that_is_cancelled_gets_an_answer() -> None:
    """The server cancels what still runs a second after Ctrl-C."""
    begun, ended = threading.Event(), threading.Event()

    def work(stop: Stop) -> None:
        begun.set()
        while not stop.is_raised:
            ended.wait(0.001)
        ended.set()

    operation = Operation(path="/long", summary="", reply=None, work=work)
    app = Starlette(routes=routes_of([operation]))

    async def cancel() -> tuple[int, str]:
        asked = asyncio.ensure_future(ask_async(app, "GET", "/long"))
        await asyncio.to_thread(begun.wait, 60)
        asked.cancel()
        answer = await asked
        return answer.status, answer.json["error"]

    assert run(cancel()) == (500, "the server was stopped")
    assert ended.wait(60)
