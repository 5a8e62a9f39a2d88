"""Operations of the HTTP API; the routes and the OpenAPI document are made from the same entries.

The work runs in threads; if the client disconnects, its search is stopped.
"""

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from typing import Any, Final, TypeVar, get_origin, get_type_hints
from urllib.parse import quote

import msgspec
from anyio import CapacityLimiter, to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from twofold.errors import InvalidInput, ResourceError, TwofoldError
from twofold.game.notation import printable
from twofold.games.store import NotFound
from twofold.search.budget import Stop
from twofold.storage.named_files import NotThere
from twofold.version import __version__
from twofold.web.pages import unless_known

MAX_BODY_BYTES: Final = 65_536
"""Default maximum size of a request's body."""

AT_ONCE: Final = 4
"""Default maximum number of simultaneous requests of an operation."""

TEXT: Final = "text/plain"
JSON: Final = "application/json"

Result = TypeVar("Result")
Work = TypeVar("Work", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class File:
    """A reply that is a file; an iterator is sent in parts."""

    content: bytes | str | Iterator[str] | Iterator[bytes]
    file_name: str
    media_type: str = TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An operation, as the OpenAPI document describes it, and the function that does it.

    Attributes:
        path: with parameters in braces.
        work: called in a thread with those it has as parameters of `body`, `query` (validated),
            `stop` (raised when the client has disconnected) and the parameters of the path.
        reply: type of the reply: a JSON type, or a media type as text.
        body: type of the body: a struct, `bytes` for text, None for none.
        asked: struct for the query; None to ignore it.
        at_once: maximum number of simultaneous calls; further ones wait.
        threads: operations of the same name share their threads.
        tagged: True if a browser that has the reply is not sent it again.
    """

    method: str = "GET"
    path: str
    summary: str
    work: Callable[..., Any]
    reply: Any
    body: Any = None
    status: int = 200
    max_bytes: int = MAX_BODY_BYTES
    examples: Sequence[Any] = ()
    asked: type[msgspec.Struct] | None = None
    at_once: int = AT_ONCE
    threads: str = ""
    tagged: bool = False


def operation(address: str, **options: Any) -> Callable[[Work], Work]:
    """Make a method an operation of its class, too; see `operations_of`.

    `address` is such as `GET /api/games/{game}`; `options` are further attributes. The first line
    of the docstring is the summary, the result the reply, the types of `body` and `query` those of
    the parameters.
    """
    method, path = address.split()

    def mark(work: Work) -> Work:
        types = get_type_hints(work, include_extras=True)
        known = {
            "summary": (work.__doc__ or "").partition("\n")[0],
            "reply": types["return"],
            "body": types.get("body"),
            "asked": types.get("query"),
        }
        made = Operation(method=method, path=path, work=work, **known | options)
        vars(work)["operation"] = made
        return work

    return mark


def operations_of(owner: object) -> list[Operation]:
    """The operations of an object, whose class has methods decorated with `operation`."""
    return [
        replace(method.operation, work=partial(method, owner))
        for method in vars(type(owner)).values()
        if hasattr(method, "operation")
    ]


class TooLarge(InvalidInput):
    """The body of a request is too large."""


def routes_of(operations: Sequence[Operation]) -> list[Route]:
    """The route of each operation."""
    shared: dict[str, CapacityLimiter] = {}
    routes = []
    for one in operations:
        limiter = CapacityLimiter(one.at_once)
        if one.threads:
            limiter = shared.setdefault(one.threads, limiter)
        routes.append(_route(one, limiter))
    return routes


def _route(operation: Operation, limiter: CapacityLimiter) -> Route:
    names = signature(operation.work).parameters

    async def endpoint(request: Request) -> Response:
        try:
            data = await read_body(request, operation.max_bytes)
            known: dict[str, Any] = {
                **request.path_params,
                "body": _decode(operation.body, data),
                "query": _read_query(operation.asked, request),
            }

            def work(stop: Stop) -> Response:
                known["stop"] = stop
                return _answer(operation, operation.work(**{name: known[name] for name in names}))

            response = await in_thread(request, work, limiter)
            return unless_known(request, response) if operation.tagged else response
        except TwofoldError as error:
            return refused(error)
        except ClientDisconnect:
            return Response(status_code=400)  # not delivered
        except asyncio.CancelledError:  # uvicorn, a while after Ctrl-C
            return refused(ResourceError("the server was stopped"))

    return Route(operation.path, endpoint, methods=[operation.method])


async def read_body(request: Request, most: int) -> bytes:
    """Read the body of a request; raises TooLarge beyond `most` bytes."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise TooLarge(f"expected a body of at most {most} bytes, got more")
    return bytes(body)


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
    given: dict[str, Any] = dict(request.query_params)
    for name, hint in get_type_hints(kind).items():
        if get_origin(hint) is list and name in given:
            given[name] = request.query_params.getlist(name)
    try:
        return msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"invalid query: {printable(str(error))[:200]}") from None


def _answer(operation: Operation, found: Any) -> Response:
    if not isinstance(found, File):
        return Response(msgspec.json.encode(found), operation.status, media_type=JSON)
    name = quote(found.file_name)
    text = f'filename="{name}"' if name == found.file_name else f"filename*=utf-8''{name}"
    headers = {"Content-Disposition": f"attachment; {text}"}
    if isinstance(found.content, str | bytes):
        return Response(found.content, operation.status, headers, found.media_type)
    return StreamingResponse(found.content, operation.status, headers, found.media_type)


async def in_thread(
    request: Request, work: Callable[[Stop], Result], limiter: CapacityLimiter
) -> Result:
    """Call `work` in a thread; if the client disconnects, raise its flag and ClientDisconnect."""
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


_STATUS: Final[dict[type[TwofoldError], int]] = {NotFound: 404, NotThere: 404, TooLarge: 413}


class Refused(msgspec.Struct, frozen=True):
    """An error: one sentence, and the name of its class, such as `InvalidBoard`."""

    error: str
    kind: str


def error_body(message: str, kind: str) -> bytes:
    """An error in the form of the API."""
    return msgspec.json.encode(Refused(message, kind))


def refused(error: TwofoldError) -> Response:
    """The response for an error."""
    status = _STATUS.get(type(error), 400 if isinstance(error, InvalidInput) else 500)
    body = error_body(printable(str(error)), type(error).__name__)
    return Response(body, status, media_type=JSON)


# ---- the OpenAPI document

_PARAMETER: Final = re.compile(r"\{([a-z_]+)(:path)?\}")

_REFUSALS: Final = {
    "400": "The request is invalid; `error` says why.",
    "403": "The token is missing, or the request comes from another origin.",
    "404": "Not found.",
}

DESCRIPTION: Final = """\
Analyse boards and read saved games. Every request needs the token that
`twofold serve` prints, as `Authorization: Bearer TOKEN`. Seeds are text, since they may pass 2^53.
"""


def openapi(entries: Sequence[Operation]) -> dict[str, Any]:
    """The document for these operations."""
    types = [Refused]
    types += [kind for one in entries for kind in (one.body, one.reply) if _is_json(kind)]
    schemas, components = msgspec.json.schema_components(
        types, ref_template="#/components/schemas/{name}"
    )
    by_type = dict(zip(map(repr, types), schemas, strict=True))
    paths: dict[str, Any] = {}
    for one in entries:
        path = _PARAMETER.sub(r"{\1}", one.path)
        paths.setdefault(path, {})[one.method.lower()] = _operation(one, by_type)
    return {
        "openapi": "3.1.0",
        "info": {"title": "twofold", "version": __version__, "description": DESCRIPTION},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _is_json(kind: Any) -> bool:
    return not isinstance(kind, str) and kind not in (None, bytes)


def _operation(entry: Operation, by_type: dict[str, Any]) -> dict[str, Any]:
    words = re.findall(r"[a-z]+", _PARAMETER.sub(r"\1", entry.path.removeprefix("/api")))
    refused = {JSON: {"schema": by_type[repr(Refused)]}}
    responses = {key: {"description": why, "content": refused} for key, why in _REFUSALS.items()}
    operation = {
        "operationId": "_".join([entry.method.lower(), *words]),
        "summary": entry.summary,
        "parameters": _parameters(entry),
        "responses": responses,
    }
    if entry.body is not None:
        content = _content(entry.body, by_type)
        if entry.examples:
            examples = {f"example{n}": {"value": one} for n, one in enumerate(entry.examples, 1)}
            content[JSON]["examples"] = examples
        operation["requestBody"] = {"required": True, "content": content}
        text = f"The body is larger than {entry.max_bytes} bytes."
        responses["413"] = {"description": text, "content": refused}
    content = _content(entry.reply, by_type)
    responses[str(entry.status)] = {"description": entry.summary, "content": content}
    return operation


def _content(kind: Any, by_type: dict[str, Any]) -> dict[str, Any]:
    if not _is_json(kind):
        return {kind if isinstance(kind, str) else TEXT: {"schema": {"type": "string"}}}
    return {JSON: {"schema": by_type[repr(kind)]}}


def _parameters(entry: Operation) -> list[dict[str, Any]]:
    text = {"type": "string"}
    found: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": text}
        for name, _ in _PARAMETER.findall(entry.path)
    ]
    if entry.asked is not None:
        meanings = dict(re.findall(r"^\s+([a-z_]+): (.+)$", entry.asked.__doc__ or "", re.M))
        found += [
            {"name": name, "in": "query", "description": meanings[name], "schema": text}
            for name in entry.asked.__struct_fields__
        ]
    return found
