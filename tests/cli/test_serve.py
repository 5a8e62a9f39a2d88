"""`twofold serve`."""

import http.client
import json
import os
import re
import signal
import socket
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import typer
from websockets.sync.client import ClientConnection

from tests.support.commands import Cli
from tests.support.servers import LINE, opened, running, until
from tests.web.page import wait_until
from twofold.cli import serve
from twofold.errors import ResourceError
from twofold.games.store import GameStore
from twofold.web import server
from twofold.web.hub import Hub
from twofold.web.security import LOOPBACK, Access
from twofold.web.server import Server


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would have been served, and what would have been opened in a browser."""
    found: list[Any] = []

    def serve_on(instance: Server, listener: socket.socket) -> None:
        gate = instance.config.app
        found.append((gate.access, listener.getsockname()))  # type: ignore[union-attr]

    monkeypatch.setattr(Server, "serve_on", serve_on)

    def leave(code: int) -> None:
        raise typer.Exit(code)

    monkeypatch.setattr(serve, "open_browser", found.append)
    monkeypatch.setattr(serve, "leave", leave)
    return found


def test_it_prints_the_address_and_opens_it(cli: Cli, served: list[Any]) -> None:
    code, out, err = cli("serve", "--port", "0", "--player", "corner")
    assert (code, err) == (0, "stopped; all games are kept\n")
    line = LINE.fullmatch(out)
    assert line
    opened, (access, address) = served
    assert address == ("127.0.0.1", int(line[1]))
    assert (access.port, access.token) == (int(line[1]), line[2])
    assert (access.names, access.any_address) == (LOOPBACK, False)
    # Other users of the machine may read what a browser is started with: it serves once.
    assert opened.startswith(f"http://127.0.0.1:{line[1]}/?token=")
    assert access.token not in opened


@pytest.mark.promise("R24")
def test_the_token_stays_until_another_is_wanted(
    cli: Cli, served: list[Any], tmp_path: Path
) -> None:
    words = ["serve", "--port", "0", "--no-open", "--player", "corner", "--data", str(tmp_path)]
    for more in [[], [], ["--new-token"], []]:
        assert cli(*words, *more).code == 0
    one, again, new, again_new = (access.token for access, _ in served)
    assert one == again != new == again_new


def test_it_says_how_to_start_it_again(
    cli: Cli, served: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In words that mean the same in every folder."""
    hubs: list[Hub] = []
    monkeypatch.setattr(serve, "_close", hubs.append)
    monkeypatch.chdir(tmp_path)
    Path("my runs").mkdir()
    for words in (
        ("--player", "corner"),
        ("--folder", "my runs", "--data", "games", "--host", "::1", "--allow-network"),
    ):
        assert cli("serve", "--port", "0", *words).code == 0
    ports = [one[1][1] for one in served if isinstance(one, tuple)]
    own = [hub.command.removeprefix("twofold serve --no-open ") for hub in hubs]
    for hub in hubs:
        hub.close()
    assert own == [
        f"--port {ports[0]} --player corner",
        f"--port {ports[1]} --host ::1 --allow-network --data {tmp_path / 'games'} "
        f"--folder '{tmp_path / 'my runs'}'",
    ]


@pytest.mark.skipif(os.name != "posix", reason="the browser is a script of the shell")
def test_the_browser_gets_no_terminal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """What is opened is the browser that the user names; its input has ended."""
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(
        f'#!/bin/sh\necho hello\n(echo "$1"; cat) >{seen}.part\nmv {seen}.part {seen}'
    )
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    serve.open_browser("http://127.0.0.1:1/")
    wait_until(seen.exists)
    assert seen.read_text() == "http://127.0.0.1:1/\n"
    assert capfd.readouterr() == ("", "")


@pytest.mark.promise("R29c")
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", "127.0.0.1.x"])
def test_other_machines_need_a_flag(cli: Cli, served: list[Any], host: str) -> None:
    code, out, err = cli("serve", "--host", host, "--port", "0")
    assert (code, out, served) == (2, "", [])
    assert f"expected --allow-network with --host '{host}'" in err


@pytest.mark.promise("R29c")
def test_other_machines_are_warned_of(cli: Cli, served: list[Any]) -> None:
    options = ["--host", "0.0.0.0", "--allow-network", "--port", "0", "--player", "corner"]
    code, out, err = cli("serve", *options)
    assert code == 0
    assert err.startswith("warning: other machines can reach this server")
    assert LINE.fullmatch(out)  # the owner's own address
    access = served[1][0]
    assert access.any_address
    assert access.is_own_host(f"192.0.2.1:{access.port}")
    assert not access.is_own_host(f"example.org:{access.port}")


def test_an_address_of_the_network_is_its_own_name() -> None:
    access = serve._access("192.0.2.1", 5, "x")
    assert access.is_own_host("192.0.2.1:5")
    assert not access.is_own_host("192.0.2.2:5")
    assert serve._access("fe80::1", 5, "x").is_own_host("[fe80::1]:5")


def test_a_port_that_is_taken_or_that_browsers_refuse(
    cli: Cli, served: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        code, _, err = cli("serve", "--port", str(port))
        assert code == 3
        assert err == f"twofold: expected a free port, got {port}, which another program uses\n"
        code, _, err = cli("serve", "--port", "6000")
        assert code == 2
        assert "such as 2048, got 6000, which they block as unsafe" in err
        assert served == []
        monkeypatch.setattr(server, "DEFAULT_PORT", port)
        monkeypatch.setattr(server, "UNSAFE_PORTS", frozenset(range(port + 1, port + 10)))
        assert cli("serve", "--no-open", "--player", "corner").code == 0
    assert served[0][1][1] not in range(port, port + 10)


# ---- as a process


def get(access: Access, path: str, **headers: str) -> tuple[int, dict[str, str]]:
    asks = http.client.HTTPConnection("127.0.0.1", access.port, timeout=60)
    asks.request("GET", path, headers=headers)
    answer = asks.getresponse()
    answer.read()
    asks.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}


@pytest.mark.promise("R24")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_it_serves_its_owner_until_it_is_stopped(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    with running(tmp_path, "--player", "greedy") as (process, access, _):
        assert get(access, "/")[0] == 403
        status, headers = get(access, f"/?token={access.token}")
        assert (status, headers["location"]) == (303, "/")
        cookie = headers["set-cookie"].partition(";")[0]
        assert get(access, "/", Cookie=cookie)[0] == 200
        assert "server" not in headers
        with opened(access) as page:
            game = play(page)
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (code, "")
    assert err.removeprefix("starting ...\n") == "stopped; all games are kept\n"
    with closing(GameStore(tmp_path / "games")) as store:
        assert len(store.read(game).record.moves) == 1


@pytest.mark.promise("R19")
def test_games_that_cannot_be_saved_at_the_end_are_named(tmp_path: Path) -> None:
    with (
        running(tmp_path, "--player", "greedy") as (process, access, _),
        opened(access) as page,
        closing(sqlite3.connect(tmp_path / "games/games.db")) as held,
    ):
        play(page)
        held.execute("BEGIN IMMEDIATE")  # as another program that hangs in the middle of a save
        game = play(page)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    assert process.returncode == ResourceError.exit_code
    assert re.search(rf"stopped; the last moves of .*{game} could not be saved\n", err)


def play(page: ClientConnection) -> str:
    """Make a move in a new game; its id."""
    page.send('{"type":"new","seed":"1","ref":1}')
    state = until(page, "game")
    move = {"type": "move", "game": state["game"], "move": state["now"]["legal"][0]}
    page.send(json.dumps({**move, "move_number": 0, "ref": 2}))
    assert until(page, "step")["ref"] == 2
    return str(state["game"])


@pytest.mark.promise("R24")
def test_it_listens_for_this_machine_alone(tmp_path: Path) -> None:
    with running(tmp_path, "--player", "greedy") as (_, access, _):
        for address in [*other_addresses(), "127.0.0.2", "::1"]:
            with pytest.raises(OSError):
                socket.create_connection((address, access.port), timeout=5).close()


def other_addresses() -> list[str]:
    """The addresses under which others reach this machine."""
    found = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    return [address[0] for *_, address in found if not str(address[0]).startswith("127.")]  # type: ignore[misc]
