"""The files of the page: HTML, styles, scripts and pictures, from inside the package.

Each address of the page gets the same HTML, with links that have the browser fetch all modules of
this address at once, where it would else find them by and by, as one imports the other. The styles
come as one file.
"""

import hashlib
import posixpath
import re
from functools import cache
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

STYLE: Final = "css/all.css"
"""All of `STYLES` in one."""

STYLES: Final = tuple(
    f"css/{name}.css"
    for name in (
        "base", "board", "pages", "analysis", "analyse", "watch", "review", "practice",
        "chart", "lab", "jobs", "games", "share", "away", "palettes", "trial",
    )
)  # fmt: skip
"""In this order: a later one may change what an earlier one says."""

MAX_DEPTH: Final = 6
"""Most folders in each other."""

_MODULES: Final = "<!-- modules -->"
"""Where `index.html` wants the links to the modules."""

_FROM: Final = re.compile(r"^(?:import|export)\b[^;']*\bfrom '(\.[^']+)';", re.M)
_PART: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", re.ASCII)


def page_routes() -> list[Route]:
    """The one page at each of its addresses, and its files."""
    return [
        *(Route(path, _page) for path in PAGES),
        Route("/static/{path:path}", _file),
    ]


async def _page(request: Request) -> Response:
    return file_answer(page_html(request.url.path), "html", request)


async def _file(request: Request) -> Response:
    path = request.path_params["path"]
    content = read_file(path)
    if content is None:
        raise HTTPException(404)
    return file_answer(content, path.rpartition(".")[2], request)


def file_answer(content: bytes, kind: str, request: Request) -> Response:
    """A file; only its tag where the browser has it already."""
    tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=TYPES[kind])


@cache
def page_html(path: str) -> bytes:
    """The HTML at an address of `PAGES`, with links to its modules."""
    page = f"js/pages/{path.strip('/') or 'play'}.js"
    links = [f'<link rel="modulepreload" href="/static/{name}">' for name in modules(page)]
    html = read_file("index.html") or b""
    return html.replace(_MODULES.encode(), "\n".join(links).encode())


def modules(page: str) -> list[str]:
    """Paths of `main.js`, of the module of a page, and of all that they import at once."""
    found = ["js/main.js", page]
    for path in found:  # which grows
        source = (read_file(path) or b"").decode()
        for name in _FROM.findall(source):
            imported = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            if imported not in found:
                found.append(imported)
    return found


def read_file(path: str) -> bytes | None:
    """The content of a file, by its path in the folder `static`; None where there is none.

    Each part of the path has to be a plain name. So none can lead out of the folder, whatever
    the system takes for a separator, a drive or a parent.
    """
    if path == STYLE:
        return b"".join(read_file(style) or b"" for style in STYLES)
    parts = path.split("/")
    if len(parts) > MAX_DEPTH or not all(map(_PART.fullmatch, parts)):
        return None
    if path.rpartition(".")[2] not in TYPES:
        return None
    file = files("twofold.web").joinpath("static", *parts)
    return file.read_bytes() if file.is_file() else None
