"""What can be checked of the container without building it."""

import json
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.support.commands import Cli
from tests.support.commands import cli as cli  # a fixture

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "Containerfile").read_text(encoding="utf-8").replace("\\\n", "")


def instructions(name: str) -> list[str]:
    return re.findall(rf"^{name} (.*)$", TEXT, re.MULTILINE)


def test_every_file_of_the_build_is_sent_to_it() -> None:
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if "!" in line]
    copied = [
        name
        for line in instructions("COPY")
        if not line.startswith("--from")
        for name in line.split()[:-1]
    ]
    assert sorted(copied) == sorted(kept)
    assert all((ROOT / name).exists() for name in copied)


def test_its_commands_exist(cli: Cli) -> None:
    assert instructions("ENTRYPOINT") == ['["twofold"]']
    (words,) = instructions("CMD")
    assert cli(*json.loads(words), "--help").code == 0
    commands = [line.split()[1] for line in instructions("RUN") if line.startswith("twofold")]
    assert commands == ["warmup"]
    assert cli(*commands, "--help").code == 0


@pytest.mark.parametrize(("status", "code"), [(200, 0), (403, 0), (500, 1)])
def test_the_health_check_wants_the_page_or_the_question_for_the_token(
    status: int, code: int
) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response(status)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    program = instructions("HEALTHCHECK")[0].partition('python -c "')[2].removesuffix('"')
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.handle_request).start()
        here = program.replace("2048", str(server.server_port))
        done = subprocess.run([sys.executable, "-c", here], check=False, timeout=60)
    assert done.returncode == code
