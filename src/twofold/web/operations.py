"""Operations: what the HTTP API can do, one entry each, and how an entry is served.

The routes and the OpenAPI document are made from the same entries, so neither can lie about the
other. The work is done in threads; where the page that asked has gone, its search is ended.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import msgspec
from anyio import CapacityLimiter, to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from twofold.errors import InvalidInput, TwofoldError
from twofold.notation import printable, shown
from twofold.play.store import NotFound
from twofold.search.stop import Stop
from twofold.web.gate import error_body

MAX_BODY_BYTES: Final = 65_536
"""Largest body of a request, but for records."""

BODY_SECONDS: Final = 30.0
"""How long a body may take to arrive."""

AT_ONCE: Final = 4
"""Requests of a kind that are worked on at a time, where nothing else is said."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Call:
    """One request as the work sees it.

    Attributes:
        body: what was sent, read and checked; bytes where the operation takes text.
        path: the parameters in the path.
        stop: raised once nobody waits for the answer.
        asked: the query, read and checked, where the operation has one.
    """

    body: Any
    path: dict[str, str]
    stop: Stop
    asked: Any = None


@dataclass(frozen=True, slots=True)
class Text:
    """An answer that is a text to be kept as a file.

    Attributes:
        text: the text, or its parts, which are made while they are sent.
        file_name: the name of the file.
    """

    text: str | Iterator[str]
    file_name: str


@dataclass(frozen=True, slots=True)
class File:
    """An answer that is a file to be kept."""

    content: bytes
    media_type: str
    file_name: str


class SvgPicture:
    """Stands for an answer that is an SVG file."""


@dataclass(frozen=True, slots=True)
class Media:
    """Stands for an answer that is a file of a media type."""

    media_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiEntry:
    """One thing that the API can do, as the document describes it.

    Attributes:
        method: of HTTP.
        path: with parameters in braces.
        summary: what it does, in a line.
        reply: type of the answer: of JSON, `Text`, `SvgPicture` or a `Media`.
        body: type of the body: a struct, `bytes` for text, None for none.
        status: of the answer.
        max_bytes: largest body.
        examples: of the body.
        query: parameters in the query, and what they mean.
    """

    method: str = "GET"
    path: str
    summary: str
    reply: Any
    body: Any = None
    status: int = 200
    max_bytes: int = MAX_BODY_BYTES
    examples: Sequence[Any] = ()
    query: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(ApiEntry):
    """An entry with what does it.

    Attributes:
        work: does it, in a thread.
        at_once: how many are worked on at a time; the others wait for their turn.
        asked: a struct that the query is read into; None where it is not looked at.
    """

    work: Callable[[Call], Any]
    at_once: int = AT_ONCE
    asked: type[msgspec.Struct] | None = None


class TooLarge(InvalidInput):
    """The body of a request is larger than what is read."""


class TooSlow(InvalidInput):
    """The body of a request takes too long to arrive."""


def routes_of(operations: Sequence[Operation]) -> list[Route]:
    """A route for each operation."""
    return [_route(operation, CapacityLimiter(operation.at_once)) for operation in operations]


def _route(operation: Operation, limiter: CapacityLimiter) -> Route:
    async def endpoint(request: Request) -> Response:
        try:
            data = await read_body(request, operation.max_bytes)
            body = _decode(operation.body, data)
            asked = _read_query(operation.asked, request)
            path = dict(request.path_params)
            return await in_thread(
                request, lambda stop: _answer(operation, Call(body, path, stop, asked)), limiter
            )
        except TwofoldError as error:
            return refused(error)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody reads it

    return Route(operation.path, endpoint, methods=[operation.method])


async def read_body(request: Request, most: int) -> bytes:
    """The body of a request.

    Raises:
        TooLarge: it is larger than `most` bytes; the rest is not read.
        TooSlow: it does not arrive.
    """
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                size += len(part)
                if size > most:
                    raise TooLarge(f"expected a body of at most {most} bytes, got more")
                parts.append(part)
    except TimeoutError:
        raise TooSlow(f"expected the body within {BODY_SECONDS:.0f} s") from None
    return b"".join(parts)


def _decode(kind: Any, data: bytes) -> Any:
    if kind is None or kind is bytes:
        return data
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InvalidInput(f"expected a JSON object: {printable(str(error))[:200]}") from None


def _read_query(kind: type[msgspec.Struct] | None, request: Request) -> Any:
    if kind is None:
        return None
    try:
        return msgspec.convert(dict(request.query_params), kind, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"expected another query: {printable(str(error))[:200]}") from None


def _answer(operation: Operation, call: Call) -> Response:
    found = operation.work(call)
    if isinstance(found, Text):
        if not isinstance(found.text, str):
            return StreamingResponse(
                found.text, operation.status, _as_file(found.file_name), "text/plain"
            )
        found = File(found.text.encode(), "text/plain", found.file_name)
    if isinstance(found, File):
        headers = _as_file(found.file_name)
        return Response(found.content, operation.status, headers, found.media_type)
    body = msgspec.json.encode(found)
    return Response(body, operation.status, media_type="application/json")


def _as_file(name: str) -> dict[str, str]:
    """Headers by which a browser saves an answer."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


async def in_thread(
    request: Request, work: Callable[[Stop], Result], limiter: CapacityLimiter
) -> Result:
    """Do something in a thread; its flag is raised where the one who asked has gone.

    Raises:
        ClientDisconnect: so it is.
    """
    stop = Stop()
    task = asyncio.ensure_future(to_thread.run_sync(work, stop, limiter=limiter))
    gone = asyncio.ensure_future(_wait_until_gone(request))
    try:
        await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        stop.raise_flag()
        for one in (task, gone):
            one.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _wait_until_gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


_STATUS: Final[dict[type[TwofoldError], int]] = {NotFound: 404, TooLarge: 413, TooSlow: 408}


def refused(error: TwofoldError) -> Response:
    """The answer to a request that cannot be done."""
    status = _STATUS.get(type(error), 400 if isinstance(error, InvalidInput) else 500)
    body = error_body(printable(str(error)), type(error).__name__)
    return Response(body, status, media_type="application/json")


def check_id(text: str) -> str:
    """The id of a game in a path.

    Raises:
        NotFound: no game can have it.
    """
    if not (text.replace("-", "").replace("_", "").isalnum() and text.isascii()):
        raise NotFound(f"expected the id of a game, got {shown(text)}")
    return text
