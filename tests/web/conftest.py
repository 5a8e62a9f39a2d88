"""What the tests of the web share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.driver import PORT, Client
from twofold.web.app import create_app
from twofold.web.hub import Hub
from twofold.web.security import Access


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """A hub of its own, with a simple default player that is loaded when it is asked for."""
    hub = Hub(tmp_path / "data", "greedy", warm_up=False)
    yield hub
    hub.close()


@pytest.fixture
def client(hub: Hub, tmp_path: Path) -> Client:
    """The owner's browser."""
    access = Access(PORT)
    return Client(create_app(hub, access, tmp_path), access, hub)
