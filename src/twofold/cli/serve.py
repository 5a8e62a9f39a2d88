"""`twofold serve`: the web app."""

import contextlib
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

from twofold.cli._options import USUAL_PLAYER, flag, hint_at_tables, option
from twofold.cli._output import print_note, print_out, waiting
from twofold.errors import INTERRUPTED, InvalidInput, MissingExtra, ResourceError, UnsupportedRules
from twofold.game.notation import shell_line, shown
from twofold.game.rules import STANDARD
from twofold.games.store import games_folder, make_folder
from twofold.players import make_player
from twofold.storage.files import data_folder
from twofold.web.hub import Hub

if TYPE_CHECKING:
    from twofold.web.security import Access

EXAMPLE = """  twofold serve
  twofold serve --port 8080 --no-open
  twofold serve --folder results --player ntuple"""

EXTRA: Final = ("starlette", "uvicorn", "websockets")
"""What the extra `web` brings."""

LOCAL: Final = "127.0.0.1"


def command(
    port: Annotated[
        int | None, option("N", "Port. Default: 2048, or the next free one.", min=0, max=65_535)
    ] = None,
    host: Annotated[str, option("H", "Address to listen on.")] = LOCAL,
    allow_network: Annotated[
        bool, flag("--allow-network", "Allow --host to open the server to other machines.")
    ] = False,
    no_open: Annotated[bool, flag("--no-open", "Do not open a browser.")] = False,
    data: Annotated[
        Path | None, option("FOLDER", "Folder of the games. Default: in the user's data folder.")
    ] = None,
    folder: Annotated[
        Path, option("FOLDER", "Folder of the studies and training runs to show.")
    ] = Path(),
    new_token: Annotated[
        bool, flag("--new-token", "Make a new token, which signs out all browsers.")
    ] = False,
    player: Annotated[
        str | None, option("PLAYER", f"Player that gives hints and plays. {USUAL_PLAYER}")
    ] = None,
) -> None:
    """Play, watch, analyse and review games in a browser.

    Serves the web app on this machine and prints the address to open. The address contains a
    token; requests without it are refused. The token is stored with the games, so that open pages
    stay signed in when the server restarts. Ctrl-C stops the server; all games are kept.
    """
    if not all(importlib.util.find_spec(name) for name in EXTRA):
        raise MissingExtra.of("web", "the web app")
    with contextlib.ExitStack() as stack:
        with waiting("starting ..."):
            _check(host, folder, allow_network=allow_network)
            if player is not None:
                with make_player(player) as made:
                    reason = "" if made.home else made.unsupported(STANDARD)
                if reason:
                    raise UnsupportedRules(
                        f"{reason} for {shown(player)}, got rules {STANDARD} of the web app"
                    )
            from twofold.web.security import kept_token
            from twofold.web.server import Server, create_app, listen  # an extra

            listener = stack.enter_context(listen(host, port))
            kept = data or token_folder()
            hub = Hub(kept, player, games=None if data else games_folder())
            own_port = listener.getsockname()[1]
            hub.command = _again(own_port, host, allow_network, data, folder, player)
            stack.callback(_close, hub)
            make_folder(kept)
            token = kept_token(kept, new=new_token)
            access = _access(host, own_port, token)
            server = Server(create_app(hub, access, folder))
        _announce(host, access, opens=not no_open)
        if player is None:
            hint_at_tables(STANDARD)
        server.serve_on(listener)
    if lost := hub.table.unsaved():
        print_note(f"stopped; the last moves of {', '.join(lost)} could not be saved")
        leave(ResourceError.exit_code)
    print_note("stopped; all games are kept")
    leave(INTERRUPTED if server.signal == signal.SIGINT else 0)


def _again(
    port: int, host: str, allow_network: bool, data: Path | None, folder: Path, player: str | None
) -> str:
    """The command that starts such a server again, in any folder."""
    from twofold.web.server import DEFAULT_PORT  # an extra

    words = ["twofold", "serve", "--no-open"]
    words += ["--port", str(port)] if port != DEFAULT_PORT else []
    words += ["--host", host] if host != LOCAL else []
    words += ["--allow-network"] if allow_network else []
    words += ["--data", str(data.absolute())] if data else []
    words += ["--folder", str(folder.absolute())] if folder != Path() else []
    words += ["--player", player] if player else []
    return shell_line(*words)


def _close(hub: Hub) -> None:
    """Write everything; a job of the Lab can take a while to save."""
    with waiting("saving ..."):
        hub.close()


def leave(code: int) -> NoReturn:
    """End the process at once.

    Everything is written. A player may still be loaded in a thread that nothing can stop, and
    Python would spend seconds on clearing up around it.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def token_folder() -> Path:
    """Where the token is kept where no folder is named."""
    return data_folder() / "web"


def _check(host: str, folder: Path, *, allow_network: bool) -> None:
    from twofold.web.server import is_loopback

    if not folder.is_dir():
        raise InvalidInput(f"expected an existing folder, got {shown(str(folder))}")
    if is_loopback(host):
        return
    if not allow_network:
        raise InvalidInput(
            f"expected --allow-network with --host {shown(host)}, which other machines can reach"
        )
    print_note(
        "warning: other machines can reach this server; anyone who has its address with the "
        "token can use it, and nothing is encrypted"
    )


def _access(host: str, port: int, token: str) -> "Access":
    from twofold.web.security import LOOPBACK, Access
    from twofold.web.server import in_url, is_every_address, is_loopback

    names = [*LOOPBACK]
    every = is_every_address(host)
    if every:
        names.append(socket.gethostname().lower())
    elif not is_loopback(host):
        names.append(in_url(host.lower()))
    return Access(port, token, tuple(names), any_address=every)


def _announce(host: str, access: "Access", *, opens: bool) -> None:
    from twofold.web.server import in_url, is_every_address

    name = LOCAL if is_every_address(host) else in_url(host)
    url = f"http://{name}:{access.port}/?token="
    print_out(url + access.token)
    sys.stdout.flush()
    if opens:
        open_browser(url + access.token_once())


def open_browser(url: str) -> None:
    """Open a browser, in a process of its own: some write to the terminal, some take it over."""
    quiet = subprocess.DEVNULL
    words = [sys.executable, "-I", "-m", "webbrowser", url]
    threading.Thread(
        target=lambda: subprocess.run(words, stdin=quiet, stdout=quiet, stderr=quiet, check=False),
        name="twofold-browser",
        daemon=True,
    ).start()
