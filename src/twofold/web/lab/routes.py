"""The routes of the laboratory; requests run in threads.

The code for tables takes a second to import, so the first request imports it.
"""

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec
from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from twofold.errors import TwofoldError
from twofold.notation import printable
from twofold.web.lab.files import NotThere

MAX_THREADS: Final = 4
"""Threads for each of studies, their list and runs, so that no kind of request delays another."""


def lab_routes(folder: Path) -> list[Route]:
    """The routes; studies and training runs are in `folder` and its subfolders."""
    slow, lists, quick = (CapacityLimiter(MAX_THREADS) for _ in range(3))
    return [
        _route("/api/studies", partial(_studies, folder), lists),
        _route("/api/studies/{name:path}/{plot}.svg", partial(_plot, folder), slow),
        _route("/api/studies/{name:path}/games.csv", partial(_games, folder), slow),
        _route("/api/studies/{name:path}", partial(_study, folder), slow),
        _route("/api/runs", partial(_runs, folder), quick),
        _route("/api/runs/{name:path}", partial(_run, folder), quick),
    ]


def _route(path: str, answer: Callable[[Request], Response], limiter: CapacityLimiter) -> Route:
    async def endpoint(request: Request) -> Response:
        try:
            response = await to_thread.run_sync(answer, request, limiter=limiter)
        except NotThere as error:
            return _refused(error, 404)
        except TwofoldError as error:
            return _refused(error, 400)
        if isinstance(response, StreamingResponse):
            return response
        return _unless_known(request, response)

    return Route(path, endpoint, methods=["GET"])


def _studies(folder: Path, _: Request) -> Response:
    from twofold.web.lab import laboratory as lab

    return _json(lab.studies(folder))


def _study(folder: Path, request: Request) -> Response:
    from twofold.web.lab import laboratory as lab

    return _json(lab.study(folder, request.path_params["name"]))


def _plot(folder: Path, request: Request) -> Response:
    from twofold.web.lab import laboratory as lab

    names, query = request.path_params, request.query_params
    theme, narrow = query.get("theme", ""), query.get("width") == "narrow"
    svg = lab.plot(folder, names["name"], names["plot"], theme, narrow=narrow)
    return Response(svg, media_type="image/svg+xml")


def _games(folder: Path, request: Request) -> Response:
    from twofold.web.lab.export import chunks, games_csv

    name, file = games_csv(folder, request.path_params["name"])
    headers = {"Content-Disposition": f"attachment; filename*=utf-8''{quote(name, safe='')}"}
    return StreamingResponse(chunks(file), headers=headers, media_type="text/csv")


def _runs(folder: Path, _: Request) -> Response:
    from twofold.web.lab.runs import runs

    return _json(runs(folder))


def _run(folder: Path, request: Request) -> Response:
    from twofold.web.lab.runs import run

    return _json(run(folder, request.path_params["name"]))


def _json(value: object) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json")


def _refused(error: TwofoldError, status: int) -> Response:
    body = {"error": printable(str(error)), "kind": type(error).__name__}
    return Response(msgspec.json.encode(body), status, media_type="application/json")


def _unless_known(request: Request, response: Response) -> Response:
    tag = f'"{hashlib.blake2b(bytes(response.body), digest_size=12).hexdigest()}"'
    if request.headers.get("if-none-match") == tag:
        response = Response(status_code=304)
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "no-cache"
    return response
