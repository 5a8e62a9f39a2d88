"""The files of the page, and pages without the app.

Each address gets the same HTML, with `modulepreload` links to all modules it imports, so that the
browser loads them in parallel. The styles are served as one file. The addresses of files have the
`version` of all files in them: a browser asks for a file once, and for the HTML each time.

Pages without the app: errors, and the form for the token.

They include the app's style, since files are served only with the token.
"""

import base64
import hashlib
import html
import json
import posixpath
import re
from functools import cache
from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from twofold.game.drawing import TILES
from twofold.version import __version__

STATIC: Final = Path(__file__).parent / "static"

PAGES: Final = (
    "/", "/watch", "/analyse", "/practice", "/games", "/daily", "/lab", "/learn",
)  # fmt: skip
"""The addresses of the page, which shows a view for each."""

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
"""Media types by suffix; other files are not served."""

STYLE: Final = "css/all.css"
"""All `STYLES` in one file, and the colours of the tiles."""

STYLES: Final = tuple(
    f"css/{name}.css"
    for name in (
        "base", "board", "pages", "analysis", "analyse", "watch", "practice",
        "chart", "lab", "learn", "games", "palettes",
    )
)  # fmt: skip
"""In order: later ones may override earlier ones."""

MAX_DEPTH: Final = 6
"""Maximum depth of folders."""

LASTING: Final = "private, max-age=31536000, immutable"
"""How long a browser keeps a file: a year, without asking whether it has changed."""

_MODULES: Final = "<!-- modules -->"
"""Placeholder in `index.html` for the links to the modules."""

_FROM: Final = re.compile(r"^(?:import|export)\b[^;']*\bfrom '(\.[^']+)';", re.M)
_PART: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", re.ASCII)


def page_routes() -> list[Route]:
    """The routes of the page and its files."""
    pages = [Route(path, _page) for path in PAGES]
    return [*pages, Route("/static/{version}/{path:path}", _file), Route(WORKER, _worker)]


async def _page(request: Request) -> Response:
    return unless_known(request, Response(page_html(request.url.path), media_type=TYPES["html"]))


async def _worker(request: Request) -> Response:
    return unless_known(request, Response(worker_script(), media_type=TYPES["js"]))


async def _file(request: Request) -> Response:
    """A file; a page of another version gets it too, but does not keep it under its address."""
    path = request.path_params["path"]
    if not is_file(path):
        raise HTTPException(404)
    response = Response(read_file(path), media_type=TYPES[path.rpartition(".")[2]])
    if request.path_params["version"] == version():
        response.headers["Cache-Control"] = LASTING
    return response


def unless_known(request: Request, response: Response) -> Response:
    """A response, or status 304 if the browser has it."""
    tag = f'"{hashlib.sha256(response.body).hexdigest()[:20]}"'
    if request.headers.get("if-none-match") == tag:
        response = Response(status_code=304)
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "no-cache"
    return response


@cache
def page_html(path: str) -> bytes:
    """The HTML for an address of `PAGES`, with links to its modules."""
    page = f"js/pages/{path.strip('/') or 'play'}.js"
    links = [f'<link rel="modulepreload" href="/static/{name}">' for name in modules(page)]
    found = read_file("index.html").decode().replace(_MODULES, "\n".join(links))
    return found.replace("/static/", address("")).encode()


def modules(page: str) -> list[str]:
    """Paths of `main.js`, of a page's module, and of all their static imports."""
    found = ["js/main.js", page]
    for path in found:  # grows during the loop
        for name in _FROM.findall(read_file(path).decode()):
            imported = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            if imported not in found:
                found.append(imported)
    return found


def address(path: str) -> str:
    """The address of a file in the folder `static`."""
    return f"/static/{version()}/{path}"


@cache
def version() -> str:
    """The version of all files; another content has another one."""
    content = hashlib.sha256(__version__.encode() + read_file(STYLE))
    for path in sorted(STATIC.rglob("*.*")):
        content.update(path.read_bytes())
    return content.hexdigest()[:12]


def is_file(path: str) -> bool:
    """True for a file in the folder `static` that may be served.

    Each part of the path must be a plain name, so that no path leads out of the folder on any
    system.
    """
    parts = path.split("/")
    is_plain = len(parts) <= MAX_DEPTH and all(map(_PART.fullmatch, parts))
    is_known = is_plain and path.rpartition(".")[2] in TYPES
    return path == STYLE or (is_known and STATIC.joinpath(path).is_file())


def read_file(path: str) -> bytes:
    """The content of a file in the folder `static`."""
    if path == STYLE:
        return b"".join(map(read_file, STYLES)) + tile_colours().encode()
    return (STATIC / path).read_bytes()


def tile_colours() -> str:
    """The rules for the colours of the tiles, which are those of pictures (`drawing.TILES`)."""
    return "".join(
        f':where([data-exponent="{exponent}"]) {{ --tile: light-dark({face.light}, {face.dark});'
        f" --tile-text: light-dark({text.light}, {text.dark}); }}\n"
        for exponent, (face, text) in enumerate(TILES, 1)
    )


# ---- the page as an app

WORKER: Final = "/service_worker.js"
"""At the root, since a service worker controls addresses below its own only."""

_SOURCE: Final = "js/service_worker.js"
_PICTURES: Final = ("icons/favicon.svg", "icons/sprite.svg")


@cache
def worker_script() -> bytes:
    """The script that caches the files of the page, with its version and their addresses."""
    files = [path for name in ("js", "texts") for path in (STATIC / name).rglob("*.*")]
    found = sorted(path.relative_to(STATIC).as_posix() for path in files)
    kept = [STYLE, *_PICTURES, *(path for path in found if path != _SOURCE)]
    source = read_file(_SOURCE).decode().replace("%VERSION%", f"{__version__}-{version()}")
    return source.replace("%FILES%", " ".join([*PAGES, *map(address, kept)])).encode()


_STYLE: Final = """
.plain { max-width: 38rem; }
.brand svg { width: 1.75rem; height: 1.75rem; }
"""

_AGAIN: Final = "js/again.js"
"""Reloads the page from its own origin, so that the browser sends the cookie. Only browsers with
the cookie get the script. It is a script to keep the part of the address after `#`."""

_REFERRER: Final = '<meta name="referrer" content="same-origin">\n'
"""Without a referrer browsers send a form with the origin `null`."""


def error_page(status: int, message: str) -> bytes:
    """A page for an error."""
    words = html.escape(message[:1].upper() + message[1:])
    return _plain_page(f"Error {status}", f'<p>{words}.</p>\n<p><a href="/">To the start</a></p>')


def sign_in_page(
    *, here: bool, wrong: bool = False, again: bool = False, languages: str = ""
) -> bytes:
    """The form for the token, sent to its own address if `here`, else to the start.

    `languages` are those of the header Accept-Language: the first that has texts, else English.

    To its own address browsers keep the part after `#`, such as a shared game, through form and
    redirect. It says if a wrong token was sent. `again`: a reload may succeed; see `security`.
    """
    action = "" if here else ' action="/"'
    tags = (tag.strip().partition("-")[0].partition(";")[0].lower() for tag in languages.split(","))
    language = next((tag for tag in tags if tag in _catalogues()), "en")
    words = _catalogues()[language]
    note = words["note"].format(
        command="<code>twofold serve</code>",
        address='<code class="nowrap">http://127.0.0.1:2048/?token=…</code>',
    )
    parts = words | {"note": note, "action": action, "error": words["wrong"] if wrong else ""}
    form = read_file("sign_in.html").decode().format(**parts)
    script = f'<script src="{address(_AGAIN)}"></script>\n' if again else ""
    return _plain_page(words["title"], form, head=_REFERRER + script, language=language)


@cache
def _catalogues() -> dict[str, dict[str, str]]:
    """The texts of the form in each language, by the rest of their keys."""
    found = {path.stem: json.loads(path.read_bytes()) for path in STATIC.glob("texts/*.json")}
    return {
        language: {key[8:]: words for key, words in texts.items() if key.startswith("sign_in.")}
        for language, texts in found.items()
    }


def _plain_page(title: str, content: str, head: str = "", language: str = "en") -> bytes:
    mark = read_file("icons/favicon.svg").decode().replace("<svg ", '<svg aria-hidden="true" ', 1)
    page = read_file("plain.html").decode()
    words = {"head": head, "title": title, "content": content, "language": language}
    return page.format(style=_style(), mark=mark, **words).encode()


@cache
def style_source() -> str:
    """The source of the style for a content security policy."""
    digest = hashlib.sha256(_style().encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


@cache
def _style() -> str:
    return read_file("css/base.css").decode() + _STYLE
