"""Fixtures of several tests of kernels."""

from collections.abc import Iterator

import pytest

from tests.support.guards import Guards


@pytest.fixture
def guards() -> Iterator[Guards]:
    """Guards, found intact at the end."""
    found = Guards()
    yield found
    assert found.intact()
