"""The files of the page: HTML, styles, scripts and pictures, from inside the package."""

import hashlib
import re
from importlib.resources import files
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from twofold.web.security import PAGES

TYPES: Final = {
    "css": "text/css",
    "html": "text/html",
    "js": "text/javascript",
    "json": "application/json",
    "png": "image/png",
    "svg": "image/svg+xml",
    "txt": "text/plain",
    "webmanifest": "application/manifest+json",
}
"""The files that there are, by the end of their names."""

MAX_DEPTH: Final = 6
"""Most folders in each other."""

_PART: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", re.ASCII)


def page_routes() -> list[Route]:
    """The one page at each of its addresses, and its files."""
    return [
        *(Route(path, _page) for path in PAGES),
        Route("/static/{path:path}", _file),
    ]


async def _page(request: Request) -> Response:
    return serve_file("index.html", request)


async def _file(request: Request) -> Response:
    return serve_file(request.path_params["path"], request)


def serve_file(path: str, request: Request) -> Response:
    """A file of the page; only its tag where the browser has it already.

    Raises:
        HTTPException: there is no such file.
    """
    content = read_file(path)
    if content is None:
        raise HTTPException(404)
    tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=TYPES[path.rpartition(".")[2]])


def read_file(path: str) -> bytes | None:
    """The content of a file, by its path in the folder `static`; None where there is none.

    Each part of the path has to be a plain name. So none can lead out of the folder, whatever
    the system takes for a separator, a drive or a parent.
    """
    parts = path.split("/")
    if len(parts) > MAX_DEPTH or not all(map(_PART.fullmatch, parts)):
        return None
    if path.rpartition(".")[2] not in TYPES:
        return None
    file = files("twofold.web").joinpath("static", *parts)
    return file.read_bytes() if file.is_file() else None
