"""The page as an app: the script that caches its files, from `service_worker.js`."""

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from twofold.version import __version__
from twofold.web.pages import PAGES, STYLE, file_answer, page_html, read_file

WORKER: Final = "/service_worker.js"
"""At the root, since a service worker controls addresses below its own only."""

_SOURCE: Final = "js/service_worker.js"
_PICTURES: Final = ("icons/favicon.svg", "icons/sprite.svg")


def worker_route() -> Route:
    """The route of the script."""
    return Route(WORKER, _worker)


async def _worker(request: Request) -> Response:
    return file_answer(worker_script(), "js", request)


@cache
def worker_script() -> bytes:
    """The script with the version and the addresses of the files filled in."""
    addresses = [*PAGES, *(f"/static/{path}" for path in kept_files())]
    source = (read_file(_SOURCE) or b"").decode()
    filled = source.replace("%VERSION%", _version()).replace("%FILES%", " ".join(addresses))
    return filled.encode()


@cache
def kept_files() -> list[str]:
    """Paths of the cached files, relative to `static`."""
    static = files("twofold.web").joinpath("static")
    found = sorted(path for name in ("js", "texts") for path in _below(static.joinpath(name), name))
    return [STYLE, *_PICTURES, *(path for path in found if path != _SOURCE)]


def _below(folder: Traversable, path: str) -> Iterator[str]:
    for one in folder.iterdir():
        inner = f"{path}/{one.name}"
        if one.is_dir():
            yield from _below(one, inner)
        else:
            yield inner


def _version() -> str:
    content = hashlib.sha256()
    for path in kept_files():
        content.update(read_file(path) or b"")
    for page in PAGES:
        content.update(page_html(page))
    return f"{__version__}-{content.hexdigest()[:12]}"
