"""Loads a page with all its files and uses it, over real sockets."""

import http.client
import importlib.resources
import json
from pathlib import Path

from websockets.sync.client import connect

from tests.web.driver import cookie, served
from twofold.web.hub import Hub
from twofold.web.pages import address

STATIC = Path(str(importlib.resources.files("twofold.web"))) / "static"


FILES = sorted(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*") if path.is_file())


def use_it(hub: Hub, folder: Path) -> str:
    """Load the page and all its files, make a move and analyse it."""
    with served(hub, folder) as access:
        host = f"127.0.0.1:{access.port}"
        asks = http.client.HTTPConnection(host, timeout=60)
        for path in ["/", *map(address, FILES)]:
            asks.request("GET", path, headers={"Cookie": cookie(access), "Host": host})
            answer = asks.getresponse()
            answer.read()
            assert answer.status == 200
        asks.close()
        headers = {"Cookie": cookie(access), "Origin": f"http://{host}"}
        with connect(f"ws://{host}/ws", additional_headers=headers) as page:
            welcome = json.loads(page.recv(timeout=60))
            page.send('{"type":"new","ref":1,"seed":"1"}')
            page.send('{"type":"analyse","ref":2,"board":"0012/0013/0024/1357","ply":1}')
            kinds = {welcome["type"]}
            while not {"game", "analysis"} <= kinds:
                kinds.add(json.loads(page.recv(timeout=60))["type"])
    return "used"
